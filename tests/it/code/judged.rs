//! A binary that was not changed since it ran is never refused, and its costs stand on its instructions.

use super::recorded::{CPP, RUST, cpp, has, record, rust};
use crate::common::Stage;
use cgannotate::input::{self, Options};
use cgannotate::object::{Extent, Syntax, Where, disassemble, find_inlined};
use cgannotate::profile::inlined::State;
use cgannotate::profile::{Collect, Profile};
use std::collections::BTreeMap;
use std::path::Path;

fn read(file: &Path) -> Profile {
    let options = Options { collect: Collect { code: true, ..Collect::ALL }, ..Options::all() };
    let mut profile = input::read(&[file], &options).unwrap();
    find_inlined(&mut profile, &Where::default());
    profile
}

/// What was judged, by object: whether it was refused, and of how much of its cost.
fn assert_whole(profile: &Profile, objects: &mut BTreeMap<String, u64>) {
    let code = profile.code.as_ref().unwrap();
    for debug in &profile.inlined.as_ref().unwrap().debug {
        let name = String::from_utf8_lossy(profile.name(debug.object)).into_owned();
        assert_ne!(debug.state, State::OtherBinary, "{name}: {}", debug.why);
        let mut costs: BTreeMap<u64, u64> = BTreeMap::new();
        for (one, cost) in code.instructions().filter(|(i, _)| profile.function(i.function).object == debug.object) {
            let cost = cost.recorded().next().flatten().unwrap_or(0);
            *costs.entry(one.address).or_default() += u64::try_from(cost).unwrap();
        }
        let addresses: Vec<u64> = costs.keys().copied().collect();
        let wanted = (&addresses[..], Extent::Addresses);
        let texts = disassemble(profile, debug.object, wanted, Syntax::Att, &Where::default()).unwrap();
        let texts: BTreeMap<u64, String> = texts.into_iter().filter(|(_, text)| text != "(bad)").collect();
        let all: u64 = costs.values().sum();
        let on: u64 = costs.iter().filter(|(address, _)| texts.contains_key(address)).map(|(_, cost)| cost).sum();
        assert!(u128::from(on) * 10_000 >= u128::from(all) * 9_999, "{name}: {on} of {all}");
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
    let mut check = |name: &str| assert_whole(&read(&record(&stage, name)), &mut objects);
    cpp(&stage, "pie", CPP, &["-g", "-O2", "-fPIE", "-pie"]);
    check("pie");
    cpp(&stage, "fixed", CPP, &["-g", "-O3", "-no-pie"]);
    check("fixed");
    rust(&stage, "words", RUST, &["-g", "-O"]);
    check("words");
    let library = "int step(int x) { return x * 7 % 31; }\nint many(int n) { int s = 0; for (int i = 0; i < n; i++) s += step(i + s); return s; }\n";
    cpp(&stage, "libsmall.so", library, &["-g", "-O2", "-shared", "-fPIC"]);
    let user = "int many(int);\nint main() { return many(5000) == 7; }\n";
    cpp(&stage, "user", user, &["-O1", "-L.", "-l:libsmall.so", "-Wl,-rpath,$ORIGIN"]);
    check("user");
    if has("ld.gold") {
        // Functions that are alike are one here, which several units describe.
        cpp(&stage, "folded", CPP, &["-g", "-O0", "-ffunction-sections", "-fuse-ld=gold", "-Wl,--icf=all"]);
        check("folded");
    }
    for (at, command) in [
        "ls -la /usr",
        "date",
        "id",
        "sort /etc/passwd",
        "grep -c root /etc/passwd",
        "sed -n 1p /etc/passwd",
        "awk 1 /etc/passwd",
        "find /etc -maxdepth 1",
        "gzip -c /etc/passwd",
        "bash -c true",
        "perl -e 1",
        "git --version",
    ]
    .iter()
    .enumerate()
    {
        let to = format!("--callgrind-out-file=run.{at}");
        let args: Vec<&str> =
            ["--tool=callgrind", "--dump-instr=yes", &to].into_iter().chain(command.split(' ')).collect();
        // What is not installed here is not tried.
        let ran = stage.any("valgrind", &args).output().unwrap();
        let out = stage.dir.join(format!("run.{at}"));
        if ran.status.success() && out.exists() {
            assert_whole(&read(&out), &mut objects);
        }
    }
    assert!(objects.len() >= 15 && objects.values().sum::<u64>() > 5_000_000, "{objects:?}");
}
