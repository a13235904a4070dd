//! The classic report against the reports of the original, on profiles of real programs.

mod costs;
mod promises;
mod reference;

use crate::common::amount::some;
use crate::common::{Golden, LISTED, Stage, assert_same, canonical, day, one_warning};
use std::time::Duration;

/// What callgrind_annotate 3.19 printed, to the byte.
#[test]
fn compat_prints_the_goldens() {
    for golden in some(Golden::all()) {
        let stage = Stage::of(&golden.fixture);
        let got = canonical(&one_warning(&stage.report(&golden.args(&["--compat"]))));
        assert_same(&golden.path, &canonical(&golden.text()), &got);
    }
}

/// The goldens would not show a lost option: each of them is there.
#[test]
fn every_classic_option_has_a_golden() {
    let goldens = Golden::all();
    for option in [
        "--show=",
        "--sort=",
        "--threshold=",
        "--show-percs=yes",
        "--show-percs=no",
        "--auto=yes",
        "--auto=no",
        "--context=",
        "--inclusive=yes",
        "--inclusive=no",
        "--tree=none",
        "--tree=caller",
        "--tree=calling",
        "--tree=both",
        "-I=",
        "--include=",
    ] {
        let has = |golden: &Golden| golden.options.iter().any(|o| o.starts_with(option));
        assert!(goldens.iter().any(has), "{option}");
    }
}

/// Options take their value after `=` or after a blank, `-I` after nothing as well; the report is
/// the same.
#[test]
fn values_follow_an_equals_sign_or_a_blank() {
    let stage = Stage::of("include");
    let with_equals = stage.report(&[
        "--auto=yes",
        LISTED,
        "--context=2",
        "--threshold=90",
        "-I=src",
        "phases.toggle.out",
    ]);
    for include in [
        &["-I", "src"][..],
        &["-Isrc"],
        &["--include", "src"],
        &["--include=src/"],
    ] {
        let mut args = vec![
            "--auto",
            "yes",
            LISTED,
            "--context",
            "2",
            "--threshold",
            "90",
            "phases.toggle.out",
        ];
        args.extend(include);
        assert_same(&format!("{include:?}"), &with_equals, &stage.report(&args));
    }
    assert!(with_equals.contains("annotated source: src/ + phases.c"));
}

/// The same sources by absolute names: the current folder is taken off callers and callees alike,
/// so that the report is that of relative names.
#[test]
fn the_current_folder_is_no_part_of_a_name() {
    for profile in [
        "toggle/phases.toggle.out",
        "shapes/shapes.plain.out",
        "callers/words.recs4.toggle.out",
    ] {
        let (fixture, file) = profile.split_once('/').unwrap();
        let stage = Stage::of(fixture);
        let args = [LISTED, "--tree=both", "--threshold=100", file];
        let relative = stage.report(&args);
        stage.absolute(file);
        assert_same(profile, &relative, &stage.report(&args));
    }
}

/// Two runs print the same bytes, though each has hashes of its own.
#[test]
fn every_order_is_total() {
    let stage = Stage::of("cxx");
    for mode in ["--compat", "--inclusive=yes", "--inclusive=no"] {
        let args = [
            LISTED,
            "--tree=both",
            "--threshold=100",
            mode,
            "inventory.out",
        ];
        assert_same(mode, &stage.report(&args), &stage.report(&args));
    }
}

/// `a.c` has an `fl=` line and calls, but no self cost: the original annotates it without a count.
/// (A `--toggle-collect` writes that.) A source that the profile does not name is another thing.
#[test]
fn a_file_without_self_cost_has_an_empty_table() {
    let stage = Stage::empty();
    let text = "version: 1\ncreator: callgrind-3.19.0\nevents: Ir\nfl=a.c\nfn=main\ncfi=b.c\ncfn=work\ncalls=1 1\n2 100\n\
        fl=b.c\nfn=work\n1 100\ntotals: 100\n";
    stage
        .write("a.c", "int main() {\n  work();\n}\n")
        .write("b.c", "work\n")
        .write("c.c", "c\n")
        .write("p", text);
    let report = stage.report(&["--compat", "--inclusive=yes", "p", "c.c"]);
    let heading = |kind: &str, file: &str| {
        format!(
            "{0}\n-- {kind}-annotated source: {file}\n{0}\n",
            crate::common::RULE
        )
    };
    let of_a = report.split(&heading("Auto", "a.c")).nth(1).expect(&report);
    assert!(of_a.starts_with("Ir \n\n\n"), "{report}");
    assert!(
        report
            .contains(&(heading("User", "c.c") + "  No information has been collected for c.c\n")),
        "{report}"
    );
    if reference::is_installed() {
        let (want, _) = reference::reference(&stage, &["--inclusive=yes", "p", "c.c"]);
        assert_same(
            "as installed",
            &canonical(&one_warning(&want)),
            &canonical(&one_warning(&report)),
        );
    }
}

/// A `summary:` of fewer columns than events, as `--cacheuse=yes` writes it. The original's own
/// bytes.
#[test]
fn counts_of_a_column_without_a_total_are_nothing_of_it() {
    let stage = Stage::empty();
    let text = "version: 1\ncreator: callgrind-3.19.0\nevents: Ir Dr AcCost1 SpLoss1\nsummary: 100 0\nfl=a.c\nfn=main\n\
        1 60 3 700 0\n2 40 0 20\ntotals: 100 3 720 0\n";
    stage.write("a.c", "int main() {\n}\n").write("p", text);
    let report = stage.report(&["--compat", "--auto=yes", "p"]);
    for row in [
        "100 (100.0%) 3 ( 0.00%) 720 ( 0.00%) 0           a.c:main",
        "100 (100.0%) 3 (100.0%) 720 ( 0.00%) 0           events annotated",
    ] {
        assert!(report.contains(row), "{row}: {report}");
    }
    if reference::is_installed() {
        let (want, _) = reference::reference(&stage, &["--auto=yes", "p"]);
        assert_same(
            "as installed",
            &canonical(&one_warning(&want)),
            &canonical(&one_warning(&report)),
        );
    }
}

/// A source that was changed after the profile was written has a warning above it, others have
/// none.
#[test]
fn a_newer_source_is_warned_of() {
    let stage = Stage::of("toggle");
    let args = [LISTED, "phases.toggle.out"];
    assert!(!stage.report(&args).contains('@'), "sources are older");
    stage.date("phases.c", day(2) + Duration::from_millis(900));
    assert!(
        !stage.report(&args).contains('@'),
        "only whole seconds count"
    );
    stage.date("settle.c", day(3));
    let report = stage.report(&args);
    let lines: Vec<&str> = report.lines().collect();
    let warning: Vec<&&str> = lines.iter().filter(|line| line.starts_with('@')).collect();
    assert!(
        warning
            .iter()
            .any(|line| line.contains("'settle.c' was changed after the profile was written")),
        "{report}"
    );
    assert!(
        !warning.iter().any(|line| line.contains("phases")),
        "{warning:?}"
    );
    let first = lines.iter().position(|line| line.starts_with('@')).unwrap();
    assert_eq!(lines[first - 2], "-- Auto-annotated source: settle.c");
    // Also in the original's place: see `fixtures/goldens/stale`.
    assert_eq!(one_warning(&report).matches("@ WARNING\n").count(), 1);
}

/// Costs of lines that a cut source does not have are listed below it: the cut file ends with line
/// 18, and the profile's `fn=measured` has costs at 19 and 20.
#[test]
fn costs_past_the_end_have_bogus_lines() {
    let report = Stage::of("stale").report(&[LISTED, "phases.toggle.out"]);
    for line in [
        "    6 ( 0.12%)  <bogus line 19>\n",
        "   12 ( 0.24%)  <bogus line 20>\n\n@@@",
    ] {
        assert!(report.contains(line), "{report}");
    }
    assert!(
        report.contains("@@ There are costs for lines past the end of 'phases.c':\n"),
        "{report}"
    );
}

/// No call is lost where the source has become shorter; the original shows none there.
#[test]
fn calls_past_the_end_stand_below_their_lines() {
    let stage = Stage::empty();
    stage.write("a.c", "int main() {");
    stage.write(
        "p",
        "events: Ir\nfl=a.c\nfn=main\n1 10\n3 5\ncfn=f\ncalls=2 9\n3 50\nfn=f\n9 50\n",
    );
    let report = stage.report(&["--auto=yes", LISTED, "p"]);
    assert!(
        report.contains(
            "int main() {\n 5 ( 7.69%)  <bogus line 3>\n50 (76.92%)  => a.c:f (2x)\n50 (76.92%)  <bogus line 9>\n"
        ),
        "{report}"
    );
    let compat = stage.report(&["--compat", "--auto=yes", LISTED, "p"]);
    assert!(
        compat.contains("int main() { 5 ( 7.69%)  <bogus line 3>\n50 (76.92%)  <bogus line 9>\n"),
        "{compat}"
    );
}
