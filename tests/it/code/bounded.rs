//! What it costs to read binaries is in proportion to their size: small ones whose debug
//! information says the same again and again, one of each kind. The report comes out in any case;
//! what was skipped stands in one line.

use super::recorded::{alone, has};
use crate::common::Stage;
use crate::common::amount::{is_long, some};
use crate::common::binary::{
    START, Section, abbreviation, at, code, elf, lines, section, sized, symbols, uleb, unit,
    unit_of,
};
use std::fs::File;
use std::process::Output;

/// What is said of a binary, and how the profile names its code.
struct Kind {
    sections: Vec<Section>,
    /// Whether only lines were recorded.
    by_line: bool,
}

const SKIPPED: &str = "skipped: reading";
const END: [u8; 3] = [0, 1, 1];
const STRING: u64 = 8;
const STRP: u64 = 0x0e;
const REFERENCE: u64 = 0x10;
const OFFSET: u64 = 0x17;
const PRESENT: u64 = 0x19;

fn kind(sections: impl IntoIterator<Item = Section>) -> Kind {
    Kind {
        sections: sections.into_iter().collect(),
        by_line: false,
    }
}

/// Debug information of one table of abbreviations.
fn debug(abbreviations: &[Vec<u8>], info: Vec<u8>) -> Vec<Section> {
    let table = [&abbreviations.concat()[..], &[0]].concat();
    vec![
        code(64),
        section(".debug_abbrev", table),
        section(".debug_info", info),
    ]
}

/// An abbreviation of a unit with a name, a folder and a line program, one of a unit with a name,
/// one of a function at addresses, with another attribute.
fn with_lines() -> Vec<u8> {
    abbreviation(
        1,
        0x11,
        false,
        &[(3, STRING), (0x1b, STRING), (0x10, OFFSET)],
    )
}
fn with_name() -> Vec<u8> {
    abbreviation(1, 0x11, true, &[(3, STRING)])
}
fn function(name: u64, form: u64) -> Vec<u8> {
    abbreviation(2, 0x2e, false, &[(0x11, 1), (0x12, 6), (name, form)])
}

/// Entries of functions that have the first instruction, each with four bytes more.
fn functions(code: u8, more: impl Iterator<Item = u32>) -> Vec<u8> {
    let one = |more: u32| {
        [
            &[code][..],
            &START.to_le_bytes(),
            &[1, 0, 0, 0],
            &more.to_le_bytes(),
        ]
        .concat()
    };
    more.flat_map(one).collect()
}

/// The first entry of a unit that has a line program at the begin.
fn first_entry(folder: &[u8]) -> Vec<u8> {
    [&b"\x01a\0"[..], folder, &[0; 5]].concat()
}

/// A mangled name that grows to 35 KB.
fn growing() -> Vec<u8> {
    let digit = |at: usize| char::from(b"0123456789ABC"[at]);
    (0..10)
        .fold("_Z1f1aIiiE".to_owned(), |name, at| {
            format!("{name}S_IS{0}_S{0}_E", digit(at))
        })
        .into_bytes()
}

fn texts(text: &[u8]) -> Section {
    section(".debug_str", [text, &[0]].concat())
}

fn attributes() -> Kind {
    kind(debug(
        &[abbreviation(1, 0x2e, false, &vec![(3, PRESENT); 100_000])],
        unit(0, &vec![1; 200_000]),
    ))
}

fn directories() -> Kind {
    sharing(10_000, 200_000)
}

/// As many as may be read: they cost less than what any binary may.
fn few_directories() -> Kind {
    sharing(100, 25_000)
}

/// Units that share a line program with folders.
fn sharing(units: usize, folders: usize) -> Kind {
    let table = [abbreviation(1, 0x11, false, &[(0x10, OFFSET)])];
    let mut sections = debug(&table, unit(0, &[1, 0, 0, 0, 0]).repeat(units));
    sections.push(section(
        ".debug_line",
        lines(&b"a\0".repeat(folders), b"a\0\0\0\0", b""),
    ));
    kind(sections)
}

fn units() -> Kind {
    let small = unit(0, &[1, 0, 0, 0, 0, 2, b'f', 0, 0]);
    let table = [
        abbreviation(1, 0x11, true, &[(0x10, OFFSET)]),
        abbreviation(2, 0x2e, false, &[(3, STRING)]),
        abbreviation(3, 0x2e, false, &[(0x11, 1), (0x12, 6), (0x31, REFERENCE)]),
        abbreviation(4, 0x11, true, &[(3, STRING)]),
    ];
    let entries = |begin: u32| {
        let there = (0..3000).map(|at| begin + at * small.len() as u32 + 16);
        unit(0, &[&b"\x04a\0"[..], &functions(3, there), &[0]].concat())
    };
    let begin = entries(0).len() as u32;
    let mut sections = debug(&table, [entries(begin), small.repeat(3000)].concat());
    sections.push(section(
        ".debug_line",
        lines(&b"a\0".repeat(40_000), b"a\0\0\0\0", b""),
    ));
    kind(sections)
}

/// Many files below one folder.
fn in_folder(count: usize, folder: &[u8]) -> Kind {
    let files: Vec<u8> = (0..count)
        .flat_map(|at| format!("{at:x}\0\0\0\0").into_bytes())
        .collect();
    let row = |at_file: usize| {
        [
            &at(START)[..],
            &[4],
            &uleb(at_file as u64 + 1),
            &[1, 2, 1],
            &END,
        ]
        .concat()
    };
    let mut sections = debug(&[with_lines()], unit(0, &first_entry(folder)));
    sections.push(section(
        ".debug_line",
        lines(b"", &files, &(0..count).flat_map(row).collect::<Vec<u8>>()),
    ));
    sections.extend(symbols(4, [(1, START, 4)].into_iter(), b"\0f\0".to_vec()));
    Kind {
        sections,
        by_line: true,
    }
}

fn slashes() -> Kind {
    in_folder(10_000, &[b'/'; 4060])
}

fn files() -> Kind {
    in_folder(40_000, &b"/ddddddddd".repeat(400))
}

/// Many functions of one linkage name.
fn named(name: &[u8], count: usize) -> Kind {
    let entries = [
        &b"\x01a\0"[..],
        &functions(2, std::iter::repeat_n(0, count)),
        &[0],
    ]
    .concat();
    let mut sections = debug(&[with_name(), function(0x6e, STRP)], unit(0, &entries));
    sections.push(texts(name));
    kind(sections)
}

fn names() -> Kind {
    named(&growing(), 20_000)
}

fn long() -> Kind {
    named(&[b'n'; 16_300], 30_000)
}

/// A name that is none: to find that out takes the demangler a time that is exponential in its
/// depth.
fn astray() -> Kind {
    let name = [
        "_Z1fI1aE",
        &"ti".repeat(13),
        "iv",
        &"pl".repeat(11),
        &"S1_".repeat(10),
        &"FivE".repeat(400),
    ]
    .concat();
    let names = (0..2000)
        .flat_map(|at| format!("{name}{at}\0").into_bytes())
        .collect::<Vec<u8>>();
    let begins = names.split(|&byte| byte == 0).scan(0, |at, name| {
        Some(std::mem::replace(at, *at + name.len() + 1))
    });
    let begins = begins.map(|at| at as u32).take(2000);
    let entries = [&b"\x01a\0"[..], &functions(2, begins), &[0]].concat();
    let mut sections = debug(&[with_name(), function(0x6e, STRP)], unit(0, &entries));
    sections.push(texts(&names));
    kind(sections)
}

/// Symbols of one name, by lines.
fn same_symbols() -> Kind {
    let mut sections = debug(&[with_lines()], unit(0, &first_entry(b"")));
    let names = [b"\0", &growing()[..], b"\0"].concat();
    sections.extend(symbols(3, (0..20_000).map(|at| (1, START + at, 1)), names));
    Kind {
        sections,
        by_line: true,
    }
}

fn qualified() -> Kind {
    let table = [
        with_name(),
        abbreviation(2, 0x39, true, &[(3, STRP)]),
        abbreviation(3, 0x2e, false, &[(3, STRING)]),
        abbreviation(4, 0x2e, false, &[(0x11, 1), (0x12, 6), (0x47, 0x13)]),
    ];
    let name = 11 + 3 + 5;
    let all = functions(4, std::iter::repeat_n(name, 50_000));
    let mut sections = debug(
        &table,
        unit(
            0,
            &[&b"\x01a\0\x02\0\0\0\0\x03f\0"[..], &all, &[0, 0]].concat(),
        ),
    );
    sections.push(texts(&[b'n'; 16_000]));
    kind(sections)
}

fn addresses() -> Kind {
    let size = 4_000_000;
    let mut sections = debug(&[with_lines()], unit(0, &first_entry(b"")));
    let program = [&at(START)[..], &[1, 2], &uleb(size), &END].concat();
    sections.push(section(".debug_line", lines(b"", b"x.c\0\0\0\0", &program)));
    sections.extend(symbols(
        4,
        [(1, START, size)].into_iter(),
        b"\0f\0".to_vec(),
    ));
    Kind {
        sections,
        by_line: true,
    }
}

fn skeletons() -> Kind {
    let info = (0..20_000u64)
        .flat_map(|id| unit_of(4, id + 2, &[1, 0, 0, 0, 0]))
        .collect();
    let mut sections = debug(&[abbreviation(1, 0x4a, false, &[(0x76, STRP)])], info);
    sections.push(texts(b"z.dwo"));
    kind(sections)
}

/// Many functions that share a list of ranges, none of which is one.
fn ranges() -> Kind {
    let range = abbreviation(2, 0x2e, false, &[(0x55, OFFSET)]);
    let entries = [&b"\x01a\0"[..], &[2, 0, 0, 0, 0].repeat(40_000)].concat();
    let mut sections = debug(&[with_name(), range], unit(0, &entries));
    sections.push(section(
        ".debug_ranges",
        [START.to_le_bytes(), START.to_le_bytes()]
            .concat()
            .repeat(20_000),
    ));
    kind(sections)
}

/// Many units that share a line program without rows.
fn programs() -> Kind {
    let mut sections = debug(&[with_lines()], unit(0, &first_entry(b"")).repeat(10_000));
    sections.push(section(
        ".debug_line",
        lines(b"", b"x.c\0\0\0\0", &[6; 400_000]),
    ));
    kind(sections)
}

/// Tables of abbreviations that begin everywhere in one.
fn tables() -> Kind {
    let table = abbreviation(1, 0x11, false, &[(3, STRING)]);
    let more = (2..20_000)
        .flat_map(|code| abbreviation(code, 0x11, false, &[]))
        .collect::<Vec<u8>>();
    let info = (0..20_000)
        .flat_map(|at| unit(table.len() as u32 + 5 * at, &[2]))
        .collect();
    kind(debug(&[table, more], info))
}

/// Functions that are inlined into one another, all of one name: each is around many.
fn around() -> Kind {
    let inlined = abbreviation(3, 0x1d, true, &[(0x31, 0x13), (0x11, 1), (0x12, 6)]);
    let abstracts = (0..400).flat_map(|_| b"\x04f\0".to_vec());
    let info: Vec<u8> = b"\x01a\0".iter().copied().chain(abstracts).collect();
    let nest = |_: u32| {
        let one = |at: u32| {
            [
                &[3][..],
                &(14 + 3 * at).to_le_bytes(),
                &START.to_le_bytes(),
                &[1, 0, 0, 0],
            ]
            .concat()
        };
        [
            functions(2, [0].into_iter()),
            (0..400).flat_map(one).collect(),
            vec![0; 401],
        ]
        .concat()
    };
    let outer = abbreviation(2, 0x2e, true, &[(0x11, 1), (0x12, 6), (0x3b, 6)]);
    let info = unit(
        0,
        &[
            &info[..],
            &(0..60).flat_map(nest).collect::<Vec<u8>>(),
            &[0],
        ]
        .concat(),
    );
    kind(debug(
        &[
            with_name(),
            outer,
            inlined,
            abbreviation(4, 0x2e, false, &[(3, STRING)]),
        ],
        info,
    ))
}

/// A section that unpacks to a hundred times its size.
fn unpacked() -> Kind {
    let packed = |size: usize| {
        let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut out, &vec![0; size]).unwrap();
        [
            &b"ZLIB"[..],
            &(size as u64).to_be_bytes(),
            &out.finish().unwrap(),
        ]
        .concat()
    };
    let names = [
        ".zdebug_info",
        ".zdebug_abbrev",
        ".zdebug_line",
        ".zdebug_str",
        ".zdebug_ranges",
        ".zdebug_addr",
    ];
    kind(
        [code(64)]
            .into_iter()
            .chain(names.map(|name| section(name, [packed(8 << 20), vec![1; 80_000]].concat()))),
    )
}

/// Sections of a byte each whose zstd decoder gives nothing before its window of 128 MiB is full.
fn window() -> Kind {
    // A block of 128 KiB, which has one byte again and again.
    let block = |is_last: u32| {
        let [a, b, c, _] = (is_last | 1 << 1 | (128 << 10) << 3).to_le_bytes();
        [a, b, c, 0]
    };
    let blocks = (0..1032).flat_map(|at| block(u32::from(at == 1031)));
    let head = [0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3];
    let frame: Vec<u8> = head.into_iter().chain(blocks).collect();
    let header = [2u64, 1, 1].map(u64::to_le_bytes).concat();
    let names = [".debug_info", ".debug_abbrev", ".debug_line"];
    let packed = names.map(|name| Section {
        flags: 0x800,
        ..section(name, [&header[..], &frame].concat())
    });
    kind([code(64)].into_iter().chain(packed))
}

/// The language of a unit stands behind a long text, and each function asks for it.
fn language() -> Kind {
    let table = [
        abbreviation(1, 0x11, true, &[(0x25, STRING), (0x13, 0x0b)]),
        abbreviation(2, 0x2e, false, &[(0x11, 1), (0x12, 6), (3, 6)]),
    ];
    let first = [&b"\x01"[..], &[b'p'; 300_000], &[0, 4]].concat();
    let all = functions(2, 0..10_000);
    kind(debug(&table, unit(0, &[&first[..], &all, &[0]].concat())))
}

/// Symbols that all reach to the end, so that the code of each is that of the others, too.
fn overlapping() -> Kind {
    let size = 30_000;
    let mut sections = vec![code(size)];
    let sizes = (0..size as u64 - 1).map(|at| (1, START + at, size as u64 - at));
    sections.extend(symbols(1, sizes, b"\0f\0".to_vec()));
    kind(sections)
}

/// What a binary of a kind costs: it may take 100 times its size and 50 MB. Gives the output.
fn bounded(kind: &Kind, extra: &[(&str, Vec<u8>)], args: &[&str], addresses: u64) -> Output {
    let stage = Stage::empty();
    let binary = elf(&kind.sections);
    let (what, columns) = if kind.by_line {
        ("line", "1 5\n".to_owned())
    } else {
        ("instr line", String::new())
    };
    let rows: String = (0..addresses)
        .map(|at| format!("{:#x} 1 5\n", START + at))
        .collect();
    let profile = format!(
        "# callgrind format\ncreator: callgrind-3.19.0\npositions: {what}\nevents: Ir\n\nob={}\nfl=x.c\nfn=f\n{columns}{}",
        stage.dir.join("bin").display(),
        if kind.by_line { "" } else { &rows }
    );
    let profile =
        profile + "totals: " + &(5 * if kind.by_line { 1 } else { addresses }).to_string() + "\n";
    let input: usize =
        binary.len() + profile.len() + extra.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    stage.write("bin", binary).write("p.out", profile);
    for (name, bytes) in extra {
        stage.write(name, bytes);
    }
    run_bounded(&stage, input, args)
}

/// Runs a report of a folder's profile with no more memory than it may have for an input of so many
/// bytes.
fn run_bounded(stage: &Stage, input: usize, args: &[&str]) -> Output {
    // The program itself, which is mapped, has 30 MB if it was compiled without optimisation.
    // What compresses a pack takes 100 MB of addresses, of which it uses few for a small one.
    let more = if args.contains(&"pack") { 100_000 } else { 0 };
    let most = (80_000 + more + input / 10).to_string();
    let program = [
        &[
            "-c",
            "ulimit -v $0; exec \"$@\"",
            &most,
            env!("CARGO_BIN_EXE_cgannotate"),
        ][..],
        args,
    ]
    .concat();
    let out = stage.any("sh", &program).output().unwrap();
    assert!(out.status.success(), "{args:?} {out:?}");
    out
}

/// What is said again and again is skipped, in one line; a test for each kind.
mod skipped {
    use super::*;

    fn check(kind: &Kind, extra: &[(&str, Vec<u8>)], has_line: bool) {
        let out = bounded(kind, extra, &["--inlined", "p.out"], 1);
        let text = String::from_utf8_lossy(&out.stdout).into_owned()
            + &String::from_utf8_lossy(&out.stderr);
        assert_eq!(
            text.matches(SKIPPED).count(),
            usize::from(has_line),
            "{text:.3000}"
        );
        assert!(
            text.contains("self Ir") && text.contains("(100.0%)"),
            "{text:.3000}"
        );
    }

    macro_rules! kinds {
        ($($name:ident: $has_line:expr,)*) => {
            $(#[test]
            fn $name() {
                check(&super::$name(), &[], $has_line);
            })*
        };
    }

    kinds! {
        attributes: true,
        few_directories: false,
        directories: true,
        units: true,
        slashes: true,
        files: true,
        names: true,
        long: true,
        astray: true,
        same_symbols: true,
        qualified: true,
        addresses: true,
        ranges: true,
        programs: true,
        tables: true,
        around: false,
        unpacked: true,
        overlapping: false,
        window: false,
        language: true,
    }

    #[test]
    fn skeletons() {
        let dwo = elf(&[
            section(".debug_abbrev.dwo", [&with_name()[..], &[0]].concat()),
            section(".debug_info.dwo", unit_of(5, 1, b"\x01a\0")),
            section(".debug_str.dwo", vec![b'x'; 800_000]),
        ]);
        check(&super::skeletons(), &[("z.dwo", dwo)], true);
    }
}

/// Other reports read the same, and not all of them ask for the same.
#[test]
fn other_reports_are_bounded_too() {
    for args in [
        &["--inlined", "--own", "p.out"][..],
        &["--by=instr", "p.out"],
        &["--inlined", "--format=json", "p.out"],
    ] {
        bounded(&names(), &[], args, 1);
        bounded(&overlapping(), &[], args, 1000);
    }
}

/// Each function's code is that of the others: what is packed of one is packed of all.
#[test]
fn machine_code_is_packed_as_far_as_its_size_allows() {
    let out = bounded(
        &overlapping(),
        &[],
        &["pack", "p.out", "-o", "p.cgpack"],
        29_000,
    );
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(text.matches(SKIPPED).count(), 1, "{text}");
}

/// A hole of 64 GB is not data.
#[test]
fn holes_are_not_read() {
    let stage = Stage::empty();
    let mut binary = elf(&debug(&[with_name()], sized(b"abcd")));
    let table = u64::from_le_bytes(binary[40..48].try_into().unwrap()) as usize;
    binary[table + 2 * 64 + 24..][..16]
        .copy_from_slice(&[0, 64 << 30].map(u64::to_le_bytes).concat());
    let name = stage.dir.join("bin");
    let profile = format!(
        "positions: instr line\nevents: Ir\nob={}\nfl=x.c\nfn=f\n{START:#x} 1 5\n",
        name.display()
    );
    stage.write("bin", binary).write("p.out", profile);
    File::options()
        .write(true)
        .open(&name)
        .unwrap()
        .set_len(65 << 30)
        .unwrap();
    let out = run_bounded(&stage, 8192, &["--inlined", "p.out"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(text.matches(SKIPPED).count(), 1, "{text}");
}

/// Debug information in all forms that compilers and linkers give it is read whole.
#[test]
fn nothing_is_skipped_of_what_compilers_write() {
    if !["g++", "valgrind", "objcopy"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    stage.write("a.cpp", super::recorded::CPP);
    // What is done with the debug information afterwards; Valgrind need not be able to read that.
    let mut forms = vec![
        ("-g -O2", ""),
        ("-g1 -O2", ""),
        ("-g -O2 -gdwarf-4 -fdebug-types-section", ""),
        ("-g -O2 -gz", ""),
        ("-g -O2 -flto", ""),
        ("-g -O2 -gdwarf-4 -gsplit-dwarf", ""),
        ("-g -O2 -gsplit-dwarf", ""),
        (
            "-g -O2",
            "objcopy --only-keep-debug a a.debug && objcopy --strip-debug --add-gnu-debuglink=a.debug a",
        ),
    ];
    if has("dwp") {
        forms.push(("-g -O2 -gdwarf-4 -gsplit-dwarf", "dwp -e a && rm *.dwo"));
    }
    if has("dwz") {
        forms.push(("-g -O2", "cp a b && dwz -m a.dwz a b"));
    }
    for (at, (options, then)) in some(forms).into_iter().enumerate() {
        let ways = ["--dump-instr=yes", "--dump-instr=no"];
        // The first form is tried in both, the others in turn.
        let is_both = is_long() && at == 0;
        let tried = if is_both {
            &ways[..]
        } else {
            &ways[at % 2..][..1]
        };
        for addresses in tried {
            let then = if then.is_empty() { "true" } else { then };
            let script = format!(
                "rm -f a *.dwo *.dwp *.dwz *.debug && g++ -g -O2 a.cpp -o a && \
                 valgrind --tool=callgrind {addresses} --callgrind-out-file=p.out ./a >/dev/null 2>&1 && \
                 g++ {options} a.cpp -o a 2>err && {{ {then}; }}"
            );
            assert!(
                stage
                    .any("sh", &["-c", &script])
                    .status()
                    .unwrap()
                    .success(),
                "{options} {then}"
            );
            // The debug information of the system's libraries is that of the first.
            if !is_long() || at > 0 {
                alone(&stage, "p.out", "p.out");
            }
            let text = stage.report(&["--inlined", "p.out"]);
            assert!(
                !text.contains(SKIPPED),
                "{options} {then} {addresses}: {text}"
            );
            let is_read = text.contains(if addresses.ends_with("yes") {
                "weight"
            } else {
                "main"
            });
            assert!(is_read, "{options} {then} {addresses}: {text}");
        }
    }
}
