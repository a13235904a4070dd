//! A binary that was not changed since it ran is never refused, and its costs stand on its
//! instructions.

use super::recorded::{CPP, FLAT, cpp, has, record, sort, words};
use crate::common::Stage;
use crate::common::amount::{is_long, some};
use cgannotate::input::{self, Options};
use cgannotate::object::{Extent, Where, disassemble, find_inlined_in};
use cgannotate::profile::inlined::State;
use cgannotate::profile::{Collect, Profile};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Whose objects are judged: the program's own, or the libraries that several programs share.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Program,
    Libraries,
}

fn read(files: &[PathBuf], of: Of) -> Profile {
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    let mut profile = input::read(files, &options).unwrap();
    let is_library = |name: &[u8]| {
        name.windows(3).any(|part| part == b".so") && !name.ends_with(b"/libsmall.so")
    };
    let recorded = profile.clone();
    let wanted = |id| is_library(recorded.name(id)) == (of == Of::Libraries);
    find_inlined_in(&mut profile, &Where::default(), wanted);
    profile
}

/// What was judged, by object: whether it was refused, and of how much of its cost.
fn assert_whole(profile: &Profile, objects: &mut BTreeMap<String, u64>) {
    let code = profile.code.as_ref().unwrap();
    for debug in &profile.inlined.as_ref().unwrap().debug {
        let name = String::from_utf8_lossy(profile.name(debug.object)).into_owned();
        assert_ne!(debug.state, State::OtherBinary, "{name}: {}", debug.why);
        let mut costs: BTreeMap<u64, u64> = BTreeMap::new();
        for (one, cost) in code
            .instructions()
            .filter(|(i, _)| profile.function(i.function).object == debug.object)
        {
            let cost = cost.recorded().next().flatten().unwrap_or(0);
            *costs.entry(one.address).or_default() += u64::try_from(cost).unwrap();
        }
        let addresses: Vec<u64> = costs.keys().copied().collect();
        let wanted = (&addresses[..], Extent::Addresses);
        let texts = disassemble(
            profile,
            profile.inlined.as_deref(),
            debug.object,
            wanted,
            &Where::default(),
        )
        .unwrap();
        let texts: BTreeMap<u64, String> = texts
            .into_iter()
            .filter(|(_, text)| text != "(bad)")
            .collect();
        let all: u64 = costs.values().sum();
        let on: u64 = costs
            .iter()
            .filter(|(address, _)| texts.contains_key(address))
            .map(|(_, cost)| cost)
            .sum();
        assert_eq!(on, all, "{name}");
        *objects.entry(name).or_default() += all;
    }
}

#[test]
fn a_binary_that_was_not_changed_is_never_refused() {
    if !["g++", "rustc", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    let mut objects = BTreeMap::new();
    let mut runs: Vec<PathBuf> = Vec::new();
    let mut check = |profile: PathBuf| {
        runs.push(profile);
        assert_whole(&read(&runs[runs.len() - 1..], Of::Program), &mut objects);
    };
    // The compiler makes programs that can lie anywhere, if not told otherwise.
    check(sort(&stage));
    check(words(&stage));
    cpp(&stage, "fixed", FLAT, &["-g", "-O3", "-no-pie"]);
    check(record(&stage, "fixed"));
    let library = "int step(int x) { return x * 7 % 31; }\nint many(int n) { int s = 0; for (int i = 0; i < n; i++) s += step(i + s); return s; }\n";
    cpp(
        &stage,
        "libsmall.so",
        library,
        &["-g", "-O2", "-shared", "-fPIC"],
    );
    let user = "int many(int);\nint main() { return many(5000) == 7; }\n";
    cpp(
        &stage,
        "user",
        user,
        &["-O1", "-L.", "-l:libsmall.so", "-Wl,-rpath,$ORIGIN"],
    );
    check(record(&stage, "user"));
    if has("ld.gold") {
        // Functions that are alike are one here, which several units describe.
        cpp(
            &stage,
            "folded",
            CPP,
            &[
                "-g",
                "-O0",
                "-ffunction-sections",
                "-fuse-ld=gold",
                "-Wl,--icf=all",
            ],
        );
        check(record(&stage, "folded"));
    }
    let commands = [
        "ls -la /usr",
        "sort /etc/passwd",
        "grep -c root /etc/passwd",
        "awk 1 /etc/passwd",
        "gzip -c /etc/passwd",
        "bash -c true",
        "perl -e 1",
        "git --version",
    ];
    for (at, command) in some(commands.to_vec()).iter().enumerate() {
        let to = format!("--callgrind-out-file=run.{at}");
        let args: Vec<&str> = ["--tool=callgrind", "--dump-instr=yes", &to]
            .into_iter()
            .chain(command.split(' '))
            .collect();
        // What is not installed here is not tried.
        let ran = stage.any("valgrind", &args).output().unwrap();
        let out = stage.dir.join(format!("run.{at}"));
        if ran.status.success() && out.exists() {
            check(out);
        }
    }
    // All of it stands on instructions, so that of every single run does, too.
    assert_whole(&read(&runs, Of::Libraries), &mut objects);
    assert!(
        objects.len() >= if is_long() { 15 } else { 8 }
            && objects.values().sum::<u64>() > 5_000_000,
        "{objects:?}"
    );
}
