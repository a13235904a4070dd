//! Inlined functions and instructions of a program that is in a pack and nowhere else.

use super::recorded::{FLAT, alone, cpp, flat_alone, has, record, sort};
use crate::common::amount::is_long;
use crate::common::binary::{Section, code, elf, section};
use crate::common::{Stage, assert_same};
use crate::pack::{files, same_everywhere, told};
use crate::pack_reports::same_answers;
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
    let ask = |file: &str, more: &[&str]| {
        told(&stage, ".", &[&["--inlined", file], more].concat(), &[]).0
    };
    told(
        &stage,
        ".",
        &["pack", "--threshold=100", "flat.out", "-o", "all.cgpack"],
        &[],
    );
    for more in [
        &["--threshold=100"][..],
        &["--zoom=main"],
        &["--auto=yes"],
        &["--format=csv"],
    ] {
        let same = ask("all.cgpack", more).replace("all.cgpack/", "");
        assert_same(&format!("{more:?}"), &ask("flat.out", more), &same);
    }
    told(&stage, ".", &["pack", "flat.out", "-o", "run.cgpack"], &[]);
    // Neighbours that are inlined alike have one entry.
    let mut runs = 0;
    for (name, bytes) in files(&stage.dir.join("all.cgpack")) {
        if name.starts_with("objects/") && name.ends_with(".json") {
            let object: Value = serde_json::from_slice(&bytes).unwrap();
            let all = object["runs"].as_array().unwrap();
            let alike = all.iter().skip(1).filter(|run| run[2] == 0).count();
            assert_eq!(alike, 0, "{name}: {object}");
            runs += all.len();
        }
    }
    assert!(runs > 10, "{runs}");
    assert!(
        ask("run.cgpack", &[]).contains("inlined"),
        "{}",
        ask("run.cgpack", &[])
    );
    same_everywhere(&stage, ".", "run.cgpack", &["flat", "flat.cpp", "flat.out"]);
}

/// The hot code of `heavy` is in a call from `main` that costs little itself, below the 99 % that
/// make up most of it.
const CHEAP_CALL: &str = "\
#include <stdlib.h>
static int v[3000];
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static inline void heavy(void)
{
  qsort(v, 3000, sizeof *v, cmp);
}
int main(void)
{
  heavy();
  return v[0];
}
";

/// What calls cost belongs to whom the call place is inlined in, however cheap that code is itself.
#[test]
fn inlined_callers_of_hot_code_are_in_the_pack() {
    let Some(stage) = compiled("cheap", CHEAP_CALL, &["-g", "-O2"]) else {
        return;
    };
    told(&stage, ".", &["pack", "cheap.out", "-o", "run.cgpack"], &[]);
    let inclusive = |file: &str| {
        let csv = told(
            &stage,
            ".",
            &[
                "--own",
                "--inlined",
                "--inclusive=yes",
                "--format=csv",
                file,
            ],
            &[],
        )
        .0;
        let row = csv
            .lines()
            .find(|line| line.split(',').any(|field| field == "heavy"))
            .unwrap_or_default();
        row.to_owned()
    };
    assert!(!inclusive("cheap.out").is_empty());
    assert_eq!(inclusive("cheap.out"), inclusive("run.cgpack"));
    let wanted = |at: usize| is_long() || at % 9 == 4;
    same_answers(&stage, "cheap.out", &[], wanted, &["cheap", "cheap.cpp"]);
}

/// Chains, names and machine code of a program and of the libraries that it is linked with.
#[test]
fn a_pack_of_a_program_answers_as_its_profile_does() {
    let Some(stage) = stage() else { return };
    let wanted = |at: usize| is_long() || at % 9 == 1;
    same_answers(
        &stage,
        "sort.out",
        &["--threshold=100"],
        wanted,
        &["sort", "sort.cpp"],
    );
}

/// A stripped program and its functions without names.
#[test]
fn a_pack_of_a_stripped_program_answers_as_its_profile_does() {
    let Some(stage) = compiled("bare", FLAT, &["-O1", "-s"]) else {
        return;
    };
    let wanted = |at: usize| is_long() || at % 9 == 2;
    same_answers(
        &stage,
        "bare.out",
        &["--threshold=100"],
        wanted,
        &["bare", "bare.cpp"],
    );
}

/// A folder with a program and its profile, whose libraries are nowhere; nothing without what makes
/// them.
fn compiled(name: &str, text: &str, options: &[&str]) -> Option<Stage> {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return None;
    }
    let stage = Stage::empty();
    cpp(&stage, name, text, options);
    record(&stage, name);
    let profile = format!("{name}.out");
    alone(&stage, &profile, &profile);
    Some(stage)
}

/// A binary that was built anew is not asked, and one that is not in the pack is, if the user says
/// where. Of packs of two builds in one report costs are summed, what they know of the code does
/// not agree, and that is said; two sides of a comparison have nothing to agree on.
#[test]
fn a_pack_is_not_mixed_with_other_binaries() {
    let Some(stage) = flat_alone() else { return };
    told(&stage, ".", &["pack", "flat.out", "-o", "with.cgpack"], &[]);
    told(
        &stage,
        ".",
        &[
            "pack",
            "--exclude=/flat$",
            "flat.out",
            "-o",
            "without.cgpack",
        ],
        &[],
    );
    let json = |file: &str, more: &[&str]| {
        let text = told(
            &stage,
            ".",
            &[&["--inlined", "--format=json", file], more].concat(),
            &[],
        )
        .0;
        text.replace("with.cgpack/", "")
            .replace("without.cgpack/", "")
    };
    let before = json("with.cgpack", &[]);
    let bare = json("without.cgpack", &[]);
    assert!(bare.contains("omitted by --exclude"));
    std::fs::create_dir(stage.dir.join("binaries")).unwrap();
    std::fs::rename(stage.dir.join("flat"), stage.dir.join("binaries/flat")).unwrap();
    cpp(&stage, "flat", FLAT, &["-g", "-O1", "-Wl,--build-id=sha1"]);
    assert_same("rebuilt", &before, &json("with.cgpack", &[]));
    assert_same("rebuilt and left out", &bare, &json("without.cgpack", &[]));
    assert!(!json("without.cgpack", &["--debug-dir=binaries"]).contains("omitted by --exclude"));

    record(&stage, "flat");
    alone(&stage, "flat.out", "flat.out");
    told(&stage, ".", &["pack", "flat.out", "-o", "new.cgpack"], &[]);
    const DIFFERENT: &str = "the inputs have different builds of it";
    let (new, both) = (
        json("new.cgpack", &[]),
        json("with.cgpack", &["new.cgpack"]),
    );
    let total = |report: &str| {
        serde_json::from_str::<Value>(report).unwrap()["totals"][0]
            .as_i64()
            .unwrap()
    };
    assert_eq!(total(&both), total(&before) + total(&new));
    assert!(!before.contains(DIFFERENT) && both.contains(DIFFERENT));
    let (text, messages) = told(
        &stage,
        ".",
        &["--inlined", "with.cgpack", "new.cgpack"],
        &[],
    );
    assert!((text + &messages).contains(DIFFERENT));
    let (text, messages) = told(&stage, ".", &["diff", "with.cgpack", "new.cgpack"], &[]);
    assert!(!(text + &messages).contains(DIFFERENT));
}

/// A build id stands among other notes, and is read unless there are 64 KiB of them: no compiler
/// writes so many.
#[test]
fn build_ids_are_read_from_notes_up_to_a_size() {
    let note = |kind: u32, bytes: &[u8]| {
        let words = [4, bytes.len() as u32, kind].map(u32::to_le_bytes);
        [&words.concat()[..], b"GNU\0", bytes].concat()
    };
    for (size, id) in [(100, "2a2a2a2a"), (65_532, "2a2a2a2a"), (65_536, "")] {
        let stage = Stage::empty();
        let notes = [note(1, &vec![0; size - 36]), note(3, b"****")].concat();
        assert_eq!(notes.len(), size);
        let notes = Section {
            kind: 7,
            ..section(".note", notes)
        };
        stage.write("bin", elf(&[code(64), notes]));
        let path = stage.dir.join("bin");
        let profile = format!(
            "positions: line\nevents: Ir\nob={}\nfn=f\n1 5\n",
            path.display()
        );
        stage.write("p", profile);
        stage.report(&["pack", "p", "-o", "p.cgpack"]);
        let manifest: Value =
            serde_json::from_slice(&files(&stage.dir.join("p.cgpack"))[0].1).unwrap();
        let found = manifest["objects"][0]["build_id"]
            .as_str()
            .unwrap_or_default();
        assert_eq!(found, id, "{size}: {manifest}");
    }
}
