//! Inlined functions and instructions of a program that is in a pack and nowhere else.

use super::recorded::{FLAT, alone, cpp, flat_alone, has, record, sort};
use crate::common::{Stage, assert_same};
use crate::pack::{same_everywhere, told};
use serde_json::Value;

fn stage() -> Option<Stage> {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return None;
    }
    let stage = Stage::empty();
    sort(&stage);
    Some(stage)
}

#[test]
fn what_was_inlined_is_known_without_the_program() {
    let Some(stage) = flat_alone() else { return };
    let ask = |file: &str, more: &[&str]| told(&stage, ".", &[&["--inlined", file], more].concat(), &[]).0;
    told(&stage, ".", &["pack", "--threshold=100", "flat.out", "-o", "all.cgpack"], &[]);
    for more in [&["--threshold=100"][..], &["--zoom=main"], &["--auto=yes"], &["--format=csv"]] {
        let same = ask("all.cgpack", more).replace("all.cgpack/", "");
        assert_same(&format!("{more:?}"), &ask("flat.out", more), &same);
    }
    told(&stage, ".", &["pack", "flat.out", "-o", "run.cgpack"], &[]);
    assert!(ask("run.cgpack", &[]).contains("inlined"), "{}", ask("run.cgpack", &[]));
    same_everywhere(&stage, ".", "run.cgpack", &["flat", "flat.cpp", "flat.out"]);
}

/// What is left out is said where it matters: a pack tells of the functions that have most of the cost.
#[test]
fn how_much_of_the_code_a_pack_tells_is_said() {
    let Some(stage) = stage() else { return };
    told(&stage, ".", &["pack", "--threshold=50", "sort.out", "-o", "half.cgpack"], &[]);
    let document: Value =
        serde_json::from_str(&told(&stage, ".", &["--inlined", "--format=json", "half.cgpack"], &[]).0).unwrap();
    let text = document.to_string();
    // An object for each: of those that cost little, nothing is told.
    let told = text.split("the pack tells what is inlined for ").skip(1);
    let shares: Vec<f64> = told.map(|words| words.split(' ').next().unwrap().parse().unwrap()).collect();
    assert!(shares.iter().any(|share| (1.0..100.0).contains(share)), "{shares:?}: {text:.2000}");
}

/// A binary that was built anew is not asked, and one that is not in the pack is, if the user says where. Of packs of two
/// builds in one report costs are summed, what they know of the code does not agree, and that is said; two sides of a
/// comparison have nothing to agree on.
#[test]
fn a_pack_is_not_mixed_with_other_binaries() {
    let Some(stage) = flat_alone() else { return };
    told(&stage, ".", &["pack", "flat.out", "-o", "with.cgpack"], &[]);
    told(&stage, ".", &["pack", "--exclude=/flat$", "flat.out", "-o", "without.cgpack"], &[]);
    let json = |file: &str, more: &[&str]| {
        let text = told(&stage, ".", &[&["--inlined", "--format=json", file], more].concat(), &[]).0;
        text.replace("with.cgpack/", "").replace("without.cgpack/", "")
    };
    let before = json("with.cgpack", &[]);
    let bare = json("without.cgpack", &[]);
    assert!(bare.contains("left out by --exclude"));
    std::fs::create_dir(stage.dir.join("binaries")).unwrap();
    std::fs::rename(stage.dir.join("flat"), stage.dir.join("binaries/flat")).unwrap();
    cpp(&stage, "flat", FLAT, &["-g", "-O1", "-Wl,--build-id=sha1"]);
    assert_same("rebuilt", &before, &json("with.cgpack", &[]));
    assert_same("rebuilt and left out", &bare, &json("without.cgpack", &[]));
    assert!(!json("without.cgpack", &["--debug-dir=binaries"]).contains("left out by --exclude"));

    record(&stage, "flat");
    alone(&stage, "flat.out", "flat.out");
    told(&stage, ".", &["pack", "flat.out", "-o", "new.cgpack"], &[]);
    const DIFFERENT: &str = "the packs have different builds of it";
    let (new, both) = (json("new.cgpack", &[]), json("with.cgpack", &["new.cgpack"]));
    let total = |report: &str| serde_json::from_str::<Value>(report).unwrap()["totals"][0].as_i64().unwrap();
    assert_eq!(total(&both), total(&before) + total(&new));
    assert!(!before.contains(DIFFERENT) && both.contains(DIFFERENT));
    let (text, messages) = told(&stage, ".", &["--inlined", "with.cgpack", "new.cgpack"], &[]);
    assert!((text + &messages).contains(DIFFERENT));
    let (text, messages) = told(&stage, ".", &["diff", "with.cgpack", "new.cgpack"], &[]);
    assert!(!(text + &messages).contains(DIFFERENT));
}
