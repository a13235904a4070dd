//! The reader against its naive twin, on every fixture and on thousands of made and spoilt
//! profiles.
//!
//! The twin (`naive*.rs`) reads the slow and obvious way and shares no code with the reader. The
//! generator (`generate*.rs`) writes a profile together with what it says, so that both are held
//! against the truth, too; `mutate.rs` spoils profiles. Where the two differ, the format notes
//! decide which of them is wrong.
//!
//! `TWIN_SEED=1234 cargo test --test it twin` tries that one seed, `TWIN_SEED=10000..90000` so
//! many; the profile of a failure is printed.

mod cases;
pub(crate) mod generate;
mod generate_text;
mod hostile;
pub(crate) mod mutate;
mod naive;
mod naive_analysis;
mod naive_lines;
mod naive_names;
mod naive_totals;
mod own;
pub(crate) mod programs;
mod reading;
pub(crate) mod stacks;

use crate::common::amount::{at_least, rounds, some};
use cgannotate::input::{self, Options};
use cgannotate::profile::{Calls, Collect, FunctionId, Lines, Profile};
use generate::{Spelling, spelled};
use reading::{
    agree, both, everything, firsts, library, listed, merged, same_as_truth, without_spelling,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The seeds to try: those of the test in a long run and the first of them in a short one, or those
/// that the environment names.
fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let named = std::env::var("TWIN_SEED").unwrap_or_default();
    let number = |text: &str| text.parse::<u64>().ok();
    let range = match named.split_once("..") {
        Some((from, to)) => number(from).zip(number(to)),
        None => number(&named).map(|seed| (seed, seed + 1)),
    };
    let (from, to) = range.unwrap_or((0, rounds(count)));
    from..to
}

/// Every profile below `fixtures/`.
fn fixtures() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).expect("a folder");
        for entry in entries.map(|entry| entry.expect("a file").path()) {
            let name = entry
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            if entry.is_dir() && name != "goldens" {
                folders.push(entry);
            } else if name.contains(".out") || name.ends_with(".kcg") {
                found.push(entry);
            }
        }
    }
    // The twin does not unpack.
    let is_packed =
        |path: &PathBuf| std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x1f\x8b"));
    found.retain(|path| !is_packed(path));
    found.sort();
    assert!(found.len() > 30, "{found:?}");
    found
}

/// The library and its twin read the same, or refuse it for the same reason: [`both`] compares
/// them.
fn read_alike(label: &str, bytes: &[u8]) {
    both(label, bytes).ok();
}

#[test]
fn fixtures_read_alike() {
    for path in some(fixtures()) {
        read_alike(&path.display().to_string(), &std::fs::read(&path).unwrap());
    }
}

#[test]
fn spoilt_fixtures_read_alike() {
    for (number, path) in fixtures().into_iter().enumerate() {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() < 8_000 {
            for seed in seeds(10) {
                let spoilt = mutate::mutate(seed * 1000 + number as u64, &bytes);
                read_alike(
                    &format!("{} spoilt by seed {seed}", path.display()),
                    &spoilt,
                );
            }
        }
    }
}

/// Callgrind's files say what is missing if they are cut.
#[test]
fn cut_fixtures_read_alike() {
    let bytes = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/toggle/phases.toggle.out"
    ))
    .unwrap();
    let body = bytes.windows(3).position(|w| w == b"\nob").unwrap();
    for end in some((body..bytes.len()).collect()) {
        read_alike(&format!("the first {end} bytes"), &bytes[..end]);
    }
}

#[test]
fn generated_profiles_say_what_they_were_made_from() {
    for seed in seeds(3000) {
        let (bytes, truth) = generate::profile(seed);
        let label = format!("seed {seed}");
        let read = both(&label, &bytes).unwrap_or_else(|fatal| panic!("{label}: {fatal:?}"));
        same_as_truth(&label, &bytes, &read, &truth);
    }
}

#[test]
fn spoilt_profiles_read_alike() {
    for seed in seeds(6000) {
        let (bytes, _) = generate::profile(seed / 3);
        read_alike(&format!("seed {seed}"), &mutate::mutate(seed, &bytes));
    }
}

#[test]
fn blocks_of_any_size_read_alike() {
    for seed in seeds(300) {
        let (good, _) = generate::profile(seed);
        let bytes = if seed % 2 == 0 {
            good
        } else {
            mutate::mutate(seed, &good)
        };
        let label = format!("seed {seed}");
        let whole = library(&bytes, 256 * 1024, usize::MAX);
        for (block, most) in [(1, 1), (7, 7), (7, 1), (64, 13), (256 * 1024, 1)] {
            agree(&label, &bytes, &whole, &library(&bytes, block, most));
        }
    }
}

/// A sum that does not fit is seen late, as the counts of 4096 lines are added up first; but always
/// at the same line.
#[test]
fn blocks_of_any_size_have_the_same_limit() {
    let text = format!("events: Ir\nfn=f\n1 {}\n", i64::MAX) + &"1 10\n".repeat(9000);
    let limits = |block, most| library(text.as_bytes(), block, most).unwrap().warnings;
    let whole = limits(256 * 1024, usize::MAX);
    assert_eq!(
        whole.iter().find(|(line, _)| *line > 0),
        Some(&(3 + 4096, "saturated"))
    );
    for (block, most) in [(1, 1), (7, 7), (64, 13), (999, 1000)] {
        assert_eq!(limits(block, most), whole, "{block}, {most}");
    }
}

#[test]
fn what_is_collected_changes_no_self_cost() {
    let least = Collect {
        lines: Lines::None,
        calls: Calls::None,
        code: false,
    };
    for seed in seeds(6000) {
        let (good, _) = generate::profile(seed / 4);
        let bytes = if seed % 4 == 0 {
            good
        } else {
            mutate::mutate(seed, &good)
        };
        let few = listed(&bytes, least);
        let [files, firsts] = [Lines::Files, Lines::Firsts].map(|lines| Collect { lines, ..least });
        let arcs = [least, firsts].map(|collect| Collect {
            calls: Calls::Arcs,
            ..collect
        });
        for more in arcs.into_iter().chain([files, firsts, Collect::ALL]) {
            if let (Some(few), Some(all)) = (&few, listed(&bytes, more)) {
                assert_eq!(
                    *few,
                    all,
                    "seed {seed}, {more:?}:\n{}",
                    String::from_utf8_lossy(&bytes)
                );
            }
        }
    }
}

/// What functions have in files: the sums of all recorded events.
fn by_file(profile: &Profile) -> BTreeMap<(FunctionId, Vec<u8>), Vec<Option<i64>>> {
    let mut found: BTreeMap<_, Vec<Option<i64>>> = BTreeMap::new();
    for line in &profile.lines {
        let sums = found
            .entry((line.function, profile.name(line.file).to_vec()))
            .or_default();
        for (at, count) in profile.line_counts(line).recorded().enumerate() {
            sums.resize(sums.len().max(at + 1), None);
            sums[at] = sums[at].map_or(count, |sum| Some(sum + count.unwrap_or(0)));
        }
    }
    found
}

#[test]
fn what_is_known_of_files_is_the_sum_of_their_lines() {
    let generated = seeds(400).map(|seed| generate::profile(seed).0);
    let read = some(fixtures())
        .into_iter()
        .map(|path| std::fs::read(path).unwrap());
    let mut moved = 0;
    for bytes in read.filter(|bytes| bytes.len() < 50_000).chain(generated) {
        let read = |lines, threads| {
            let options = Options {
                collect: Collect {
                    lines,
                    ..Collect::ALL
                },
                threads,
                ..Options::all()
            };
            input::read_from("profile", &bytes[..], &options).ok()
        };
        let Some(all) = read(Lines::All, 1) else {
            continue;
        };
        if all
            .warnings
            .counts()
            .iter()
            .any(|(kind, _)| kind.name() == "saturated")
        {
            continue;
        }
        let wanted = by_file(&all);
        moved += usize::from(wanted.len() < all.lines.len());
        for threads in [1, 2] {
            let files = read(Lines::Files, threads).unwrap();
            assert_eq!(files.lines.len(), wanted.len());
            assert!(files.lines.iter().all(|line| line.line == 0));
            assert_eq!(by_file(&files), wanted);
        }
    }
    assert!(moved > at_least(250), "{moved}");
}

/// Everything that a profile says, read in blocks of few bytes and of many.
#[test]
fn any_length_of_blocks_reads_the_same() {
    let ways = [
        Options::all(),
        Options {
            collect: Collect {
                lines: Lines::None,
                calls: Calls::None,
                code: false,
            },
            ..Options::all()
        },
        Options {
            separate: cgannotate::profile::Separate::Nothing,
            ..Options::all()
        },
    ];
    for seed in seeds(300) {
        let (good, _) = generate::profile(seed / 3);
        let bytes = if seed % 3 == 0 {
            good
        } else {
            mutate::mutate(seed, &good)
        };
        let way = &ways[seed as usize / 3 % ways.len()];
        let read = |block| {
            let read = everything(
                &bytes,
                &Options {
                    block,
                    ..way.clone()
                },
            );
            read.map_err(|fatal| format!("{fatal:?}"))
        };
        let whole = read(1 << 18);
        for block in [1, 40, 100] {
            assert_eq!(read(block), whole, "seed {seed}, blocks of {block} bytes");
        }
    }
}

/// Where a function begins is where its first cost or call stands, not the lowest of its lines:
/// code of the same file that was inlined may stand above it.
#[test]
fn functions_begin_where_their_first_costs_stand() {
    let generated = seeds(400).map(|seed| generate::profile(seed).0);
    let read = some(fixtures())
        .into_iter()
        .map(|path| std::fs::read(path).unwrap());
    let mut higher = 0;
    for bytes in read.filter(|bytes| bytes.len() < 50_000).chain(generated) {
        let Ok(twin) = naive::read(&bytes) else {
            continue;
        };
        let is_higher = |(of, first): (&(naive::Function, naive::Name), &u64)| {
            let (function, file) = of.clone();
            twin.lines
                .range((function.clone(), file.clone(), 1)..(function, file, (*first).max(1)))
                .next()
                .is_some()
        };
        higher += twin.firsts.iter().filter(|&one| is_higher(one)).count();
        for block in [256 * 1024, 100] {
            let collect = Collect {
                lines: Lines::Firsts,
                calls: Calls::Arcs,
                code: false,
            };
            let options = Options {
                collect,
                block,
                separate: cgannotate::profile::Separate::Everything,
                ..Options::all()
            };
            // The twin does not know where Xdebug's functions begin.
            if let Ok(profile) = input::read_from("profile", &bytes[..], &options)
                && profile.format.name != "xdebug"
            {
                assert_eq!(
                    firsts(&profile),
                    twin.firsts,
                    "{}",
                    String::from_utf8_lossy(&bytes)
                );
            }
        }
    }
    assert!(higher > at_least(250), "{higher}");
}

#[test]
fn compressed_names_and_relative_positions_change_nothing() {
    for seed in seeds(500) {
        let plain = spelled(
            seed,
            seed + 1,
            Spelling {
                plain: true,
                apart: false,
            },
        )
        .0
        .concat();
        let short = spelled(
            seed,
            seed + 2,
            Spelling {
                plain: false,
                apart: false,
            },
        )
        .0
        .concat();
        let [a, b] =
            [&plain, &short].map(|bytes| without_spelling(library(bytes, 256 * 1024, usize::MAX)));
        agree(&format!("seed {seed}"), &short, &a, &b);
    }
}

#[test]
fn the_sum_of_the_parts_is_the_whole() {
    // Callees of this writer are what they are named.
    let is_named = |bytes: &[u8]| {
        let lines = bytes.split(|b| *b == b'\n');
        let line = |line| {
            if line == b"creator:a profiler 2.9" {
                &b"creator: xtree-1"[..]
            } else {
                line
            }
        };
        let named = lines.map(line).collect::<Vec<_>>().join(&b'\n');
        let calls = |bytes: &[u8]| library(bytes, 256 * 1024, usize::MAX).unwrap().calls;
        calls(bytes) == calls(&named)
    };
    let mut seen = 0;
    for seed in seeds(900) {
        let (parts, _) = spelled(
            seed,
            seed + 1,
            Spelling {
                plain: false,
                apart: true,
            },
        );
        if parts.len() > 1 {
            let whole = generate::profile(seed).0;
            // A callee is looked for in one file, where another may have its block.
            if !std::iter::once(&whole)
                .chain(&parts)
                .all(|bytes| is_named(bytes))
            {
                continue;
            }
            seen += 1;
            let a = without_spelling(library(&whole, 256 * 1024, usize::MAX));
            agree(
                &format!("seed {seed}"),
                &whole,
                &a,
                &without_spelling(merged(seed, &parts)),
            );
        }
    }
    assert!(seen > at_least(90), "{seen}");
}
