//! Which functions were inlined where, compared with what llvm-addr2line says.

use super::recorded::{CPP, FLAT, FLAT_OPTIONS, cpp, flat, has, record, sort, words};
use crate::common::Stage;
use crate::common::amount::{at_least, is_long, rounds};
use cgannotate::input::{self, Options};
use cgannotate::object::{Where, find_inlined, find_inlined_in};
use cgannotate::profile::inlined::State;
use cgannotate::profile::{Collect, Profile};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn recorded(file: &Path) -> Profile {
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    input::read(&[file], &options).unwrap()
}

/// A profile with what is known of one object's inlined functions.
fn read(file: &Path, place: &Where, object: &str) -> Profile {
    let mut profile = recorded(file);
    let names = profile.names.clone();
    let wanted = |id| names.get(id).ends_with(object.as_bytes());
    find_inlined_in(&mut profile, place, wanted);
    profile
}

/// What became of the object whose name ends so.
fn state(profile: &Profile, object: &str) -> (State, String, Option<PathBuf>) {
    let all = &profile.inlined.as_ref().unwrap().debug;
    let debug = all
        .iter()
        .find(|debug| profile.name(debug.object).ends_with(object.as_bytes()))
        .unwrap();
    (debug.state, debug.why.clone(), debug.found.clone())
}

/// For every address of an object, the functions that were inlined there with the lines they were
/// called from, innermost first.
fn chains(profile: &Profile, object: &str) -> BTreeMap<u64, Vec<(String, String)>> {
    let (code, inlined) = (
        profile.code.as_ref().unwrap(),
        profile.inlined.as_ref().unwrap(),
    );
    let text = |id| String::from_utf8_lossy(profile.name(id)).into_owned();
    let mut all = BTreeMap::new();
    for (at, (instruction, _)) in code.instructions().enumerate() {
        if !text(profile.function(instruction.function).object).ends_with(object) {
            continue;
        }
        let links = inlined.inwards_out(inlined.chain_at(at)).map(|link| {
            let function = &inlined.functions[link.function as usize];
            let symbol = if profile.name(function.symbol).is_empty() {
                function.name
            } else {
                function.symbol
            };
            let file = text(link.file);
            let line = if link.line == 0 {
                "?".into()
            } else {
                link.line.to_string()
            };
            (
                text(symbol),
                format!("{}:{line}", file.rsplit('/').next().unwrap()),
            )
        });
        all.insert(instruction.address, links.collect());
    }
    all
}

/// The same by llvm-addr2line, with the outer function at the end.
fn reference(binary: &Path, addresses: &[u64]) -> BTreeMap<u64, Vec<(String, String)>> {
    let mut tool = Command::new("llvm-addr2line")
        .args(["-i", "-f", "-a", "-e"])
        .arg(binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = tool.stdin.take().unwrap();
    let text: String = addresses.iter().map(|a| format!("{a:#x}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let out = tool.wait_with_output().unwrap();
    writer.join().unwrap();
    let mut all: BTreeMap<u64, Vec<(String, String)>> = BTreeMap::new();
    let mut at = 0;
    let text = String::from_utf8(out.stdout).unwrap();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(address) = line
            .strip_prefix("0x")
            .and_then(|hex| u64::from_str_radix(hex, 16).ok())
        {
            at = address;
            all.entry(at).or_default();
            continue;
        }
        let place = lines.next().unwrap().rsplit('/').next().unwrap();
        let place = place.split(" (").next().unwrap().to_owned();
        all.get_mut(&at).unwrap().push((line.to_owned(), place));
    }
    all
}

/// Compares all addresses of a program.
fn compare(profile: &Profile, binary: &Path) -> usize {
    let name = binary.file_name().unwrap().to_str().unwrap();
    let ours = chains(profile, name);
    let addresses: Vec<u64> = ours.keys().copied().collect();
    let theirs = reference(binary, &addresses);
    let mut deep = 0;
    for (address, ours) in &ours {
        let theirs = &theirs[address];
        // Each frame of theirs has the place in it; ours the place it was called from, which is
        // that in the next one.
        let called = theirs
            .windows(2)
            .map(|pair| (pair[0].0.clone(), pair[1].1.clone()));
        let wanted: Vec<(String, String)> = called.collect();
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(f, at)| (f, at.replace(":0", ":?")))
            .collect();
        // What has no linkage name is called by its whole name here, and by its line if there are
        // several.
        let same = |(mine, at): &(String, String), (name, place): &(String, String)| {
            let mine = mine.split(" (line ").next().unwrap();
            at == place && (mine == name || mine.ends_with(&format!("::{name}")))
        };
        let equal = ours.len() == wanted.len() && ours.iter().zip(&wanted).all(|(a, b)| same(a, b));
        assert!(equal, "{name} {address:#x}\n{ours:?}\n{wanted:?}");
        deep += usize::from(ours.len() > 1);
    }
    deep
}

#[test]
fn chains_are_those_of_llvm() {
    if !["g++", "rustc", "valgrind", "llvm-addr2line"]
        .iter()
        .all(|tool| has(tool))
    {
        return;
    }
    let stage = Stage::empty();
    for (name, file) in [("sort", sort(&stage)), ("words", words(&stage))] {
        let binary = stage.dir.join(name);
        let mut profile = recorded(&file);
        find_inlined(&mut profile, &Where::default());
        assert_eq!(
            state(&profile, name).0,
            State::Used,
            "{}",
            state(&profile, name).1
        );
        let deep = compare(&profile, &binary);
        assert!(
            deep > 300,
            "{name}: {deep} addresses have chains of two and more"
        );
        for debug in &profile.inlined.as_ref().unwrap().debug {
            assert_ne!(debug.state, State::OtherBinary, "{debug:?}");
        }
    }
}

/// The same information, wherever it stands and however it is packed.
#[test]
fn debug_information_is_found_wherever_it_is() {
    if !["g++", "valgrind", "objcopy"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    let tool = |program: &str, args: &[&str]| {
        let out = stage.any(program, args).output().unwrap();
        assert!(
            out.status.success(),
            "{program} {args:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
    };
    let profile = sort(&stage);
    let built = std::fs::read(stage.dir.join("sort")).unwrap();
    let want = chains(&read(&profile, &Where::default(), "/sort"), "/sort");
    assert!(want.values().filter(|chain| !chain.is_empty()).count() > 500);
    let same = |what: &str, place: &Where| {
        let profile = read(&profile, place, "/sort");
        let (state, why, _) = state(&profile, "/sort");
        assert_eq!(state, State::Used, "{what}: {why}");
        assert!(chains(&profile, "/sort") == want, "{what}");
    };
    let nowhere = Where::default();
    tool("objcopy", &["--compress-debug-sections=zlib", "sort"]);
    same("zlib", &nowhere);
    tool("objcopy", &["--compress-debug-sections=zlib-gnu", "sort"]);
    same("zlib-gnu", &nowhere);
    tool("objcopy", &["--decompress-debug-sections", "sort"]);
    // What is not installed, or cannot do it, is not tried.
    let can = |program: &str, args: &[&str]| {
        stage
            .any(program, args)
            .output()
            .is_ok_and(|out| out.status.success())
    };
    if can("objcopy", &["--compress-debug-sections=zstd", "sort"]) {
        same("zstd", &nowhere);
        tool("objcopy", &["--decompress-debug-sections", "sort"]);
    }
    if can("dwz", &["--version"]) {
        tool("dwz", &["sort"]);
        same("dwz", &nowhere);
        // What two files share is in a third.
        stage.write("sort", &built).write("like", &built);
        tool("dwz", &["-m", "shared.dwz", "sort", "like"]);
        assert!(stage.dir.join("shared.dwz").exists());
        same("dwz -m", &nowhere);
        std::fs::remove_file(stage.dir.join("shared.dwz")).unwrap();
        let lost = read(&profile, &nowhere, "/sort");
        assert!(chains(&lost, "/sort") != want, "it was needed");
        stage.write("sort", &built);
    }
    // The way of distributions: stripped, with a link.
    tool("objcopy", &["--only-keep-debug", "sort", "sort.debug"]);
    tool(
        "objcopy",
        &["--strip-debug", "--add-gnu-debuglink=sort.debug", "sort"],
    );
    same("a link beside the binary", &nowhere);
    std::fs::create_dir_all(stage.dir.join("away/.build-id")).unwrap();
    std::fs::rename(
        stage.dir.join("sort.debug"),
        stage.dir.join("away/sort.debug"),
    )
    .unwrap();
    let missing = read(&profile, &nowhere, "/sort");
    assert_eq!(state(&missing, "/sort").0, State::None);
    assert!(
        state(&missing, "/sort").1.contains("no debug information"),
        "{}",
        state(&missing, "/sort").1
    );
    let dirs = Where {
        debug_dirs: vec![stage.dir.join("away")],
        ..Where::default()
    };
    same("a link below a folder", &dirs);
    let notes = stage.any("readelf", &["-n", "sort"]).output().unwrap();
    let notes = String::from_utf8(notes.stdout).unwrap();
    let id = notes
        .split("Build ID: ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    let folder = stage.dir.join("away/.build-id").join(&id[..2]);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::rename(
        stage.dir.join("away/sort.debug"),
        folder.join(format!("{}.debug", &id[2..])),
    )
    .unwrap();
    same("a build id", &dirs);
    // A file of another build is none of this one.
    cpp(
        &stage,
        "other",
        &CPP.replace("7919", "7907"),
        &["-g", "-O1", "-Wl,--build-id=sha1"],
    );
    std::fs::rename(
        stage.dir.join("other"),
        folder.join(format!("{}.debug", &id[2..])),
    )
    .unwrap();
    assert_eq!(
        state(&read(&profile, &dirs, "/sort"), "/sort").0,
        State::None
    );
    // What was stripped, or is another build, does not hide the whole one behind it.
    std::fs::create_dir_all(stage.dir.join("moved")).unwrap();
    stage.write("moved/sort", &built);
    let moved = || vec![stage.dir.join("moved")];
    same(
        "the whole one behind one that was stripped",
        &Where {
            debug_dirs: moved(),
            ..Where::default()
        },
    );
    std::fs::copy(
        folder.join(format!("{}.debug", &id[2..])),
        stage.dir.join("sort"),
    )
    .unwrap();
    same(
        "the right one behind another",
        &Where {
            debug_dirs: moved(),
            force: true,
            ..Where::default()
        },
    );
    // The binary itself elsewhere.
    std::fs::remove_file(stage.dir.join("sort")).unwrap();
    let lost = read(&profile, &nowhere, "/sort");
    assert_eq!(state(&lost, "/sort").0, State::None);
    assert!(
        state(&lost, "/sort").1.contains("--debug-dir"),
        "{}",
        state(&lost, "/sort").1
    );
    same(
        "--debug-dir",
        &Where {
            debug_dirs: vec![stage.dir.join("moved")],
            ..Where::default()
        },
    );
    let map = cgannotate::source::Map::new(
        stage.dir.as_os_str().as_encoded_bytes(),
        stage.dir.join("moved").as_os_str().as_encoded_bytes(),
    );
    same(
        "--map",
        &Where {
            maps: vec![map],
            ..Where::default()
        },
    );
    same(
        "beside a profile",
        &Where {
            profiles: vec![stage.dir.join("moved/x.out")],
            ..Where::default()
        },
    );
}

/// Debug information that stands in files of its own, one a unit, or all together.
#[test]
fn split_debug_information_is_found() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let stage = Stage::empty();
        // The larger program takes a second for each build of it.
        let (text, deep) = if version == "-gdwarf-4" && !is_long() {
            (FLAT, 50)
        } else {
            (CPP, 300)
        };
        // The units' files are named for their sources.
        let build = |options: &[&str]| {
            cpp(
                &stage,
                "sort",
                text,
                &[&["-O2", version][..], options].concat(),
            );
        };
        // Valgrind itself may not be able to read what is split.
        build(&["-g"]);
        let profile = record(&stage, "sort");
        let whole = chains(&read(&profile, &Where::default(), "/sort"), "/sort");
        build(&["-g", "-gsplit-dwarf"]);
        let have = read(&profile, &Where::default(), "/sort");
        assert_eq!(
            state(&have, "/sort").0,
            State::Used,
            "{}",
            state(&have, "/sort").1
        );
        let split = chains(&have, "/sort");
        let several = split.values().filter(|chain| chain.len() > 1).count();
        assert!(several > deep, "{version}: {several}");
        assert!(whole == split, "{version}: the same as in one file");
        if has("dwp") {
            let dwo = std::fs::read_dir(&stage.dir)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let dwo: Vec<PathBuf> = dwo
                .filter(|path| path.extension().is_some_and(|e| e == "dwo"))
                .collect();
            let made = stage.any("dwp", &["-e", "sort"]).output().unwrap();
            if made.status.success() {
                dwo.iter()
                    .for_each(|path| std::fs::remove_file(path).unwrap());
                let packed = read(&profile, &Where::default(), "/sort");
                let (state, why, _) = state(&packed, "/sort");
                assert!(
                    chains(&packed, "/sort") == split,
                    "{version} dwp: {state:?} {why}"
                );
                std::fs::remove_file(stage.dir.join("sort.dwp")).unwrap();
                let without = chains(&read(&profile, &Where::default(), "/sort"), "/sort");
                assert!(without.values().all(Vec::is_empty), "nothing is made up");
            }
        }
    }
}

/// Whether a binary is the one that ran is told by its content.
#[test]
fn a_binary_that_was_rebuilt_is_told() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    let options = &FLAT_OPTIONS[..];
    let profile = flat(&stage);
    let found = |text: &str, options: &[&str]| {
        cpp(&stage, "flat", text, options);
        state(&read(&profile, &Where::default(), "/flat"), "/flat")
    };
    assert_eq!(found(FLAT, options).0, State::Used, "nothing changed");
    let rebuilt = [
        (
            "a comment",
            FLAT.replacen("static int", "// one line more\nstatic int", 1),
            options,
        ),
        (
            "constants",
            FLAT.replace("% 7", "% 700").replace(", 3)", ", 300007)"),
            options,
        ),
        (
            "a statement",
            FLAT.replace("long sum", "__builtin_puts(\"x\"); long sum"),
            options,
        ),
        ("-O3", FLAT.to_owned(), &["-g", "-O3"][..]),
    ];
    for (what, text, options) in rebuilt {
        let (state, why, _) = found(&text, options);
        assert_eq!(state, State::OtherBinary, "{what}: {why}");
        assert!(
            why.starts_with("it is not the binary that ran: ") && why.contains(" % of its cost"),
            "{why}"
        );
        let forced = read(
            &profile,
            &Where {
                force: true,
                ..Where::default()
            },
            "/flat",
        );
        assert_eq!(
            super::inlined::state(&forced, "/flat").0,
            State::Used,
            "{what}"
        );
    }
}

/// A unit of code that ends before it begins, as a size of 64 ones says.
#[test]
fn sizes_that_do_not_fit_do_no_harm() {
    if !has("g++") {
        return;
    }
    let stage = Stage::empty();
    let binary = cpp(&stage, "tiny", "int main() { return 7; }\n", &["-g", "-O0"]);
    let mut bytes = std::fs::read(&binary).unwrap();
    let number =
        |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let size = |bytes: &[u8], at: usize| {
        (0x1000..0x2000).contains(&number(bytes, at)) && (1..64).contains(&number(bytes, at + 8))
    };
    let places: Vec<usize> = (0..bytes.len() - 16)
        .filter(|&at| size(&bytes, at))
        .collect();
    let first = number(&bytes, places[0]);
    places
        .iter()
        .for_each(|at| bytes[at + 8..at + 16].fill(0xff));
    std::fs::write(&binary, bytes).unwrap();
    let object = binary.display();
    let text = format!(
        "positions: instr line\nevents: Ir\nob={object}\nfl=tiny.cpp\nfn=main\n{first:#x} 1 1\n"
    );
    stage.write("tiny.out", text);
    let known = read(
        &stage.dir.join("tiny.out"),
        &Where {
            force: true,
            ..Where::default()
        },
        "/tiny",
    );
    assert_eq!(known.inlined.unwrap().debug.len(), 1);
}

/// Whatever stands in a binary, it is read to its end or refused.
#[test]
fn damaged_binaries_do_no_harm() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    let profile = flat(&stage);
    let binary = stage.dir.join("flat");
    let whole = std::fs::read(&binary).unwrap();
    let place = Where {
        force: true,
        ..Where::default()
    };
    let mut seed = 1u64;
    let mut next = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let (mut used, mut refused) = (0, 0);
    for round in 0..rounds(60).max(20) {
        let mut bytes = whole.clone();
        for _ in 0..1 + round % 40 {
            // Headers first, then anything.
            let at = if round % 3 == 0 {
                next(64)
            } else {
                next(bytes.len())
            };
            bytes[at] = [0, 0xff, 0x80, next(256) as u8][next(4)];
        }
        bytes.truncate(if round % 10 == 9 {
            next(bytes.len())
        } else {
            bytes.len()
        });
        std::fs::write(&binary, bytes).unwrap();
        match state(&read(&profile, &place, "/flat"), "/flat") {
            (State::Used, ..) => used += 1,
            (_, why, _) => {
                assert!(!why.is_empty());
                refused += 1;
            }
        }
    }
    assert!(
        used > at_least(10) && refused > at_least(10),
        "{used} {refused}"
    );
}
