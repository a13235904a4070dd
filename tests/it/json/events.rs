//! Derived events: of the profile, of the command line, and built-in ones.

use super::*;

const PROFILE: &str = "\
event: Sum = Ir + 2 Dr : all of it
event: Diff = Sum - 3 Ir
event: None = Nope
events: Ir Dr D1mr
fl=a.c
fn=cheap
1 10 1
fn=dear
2 4 9 5
totals: 14 10 5
";

/// Sum: cheap 12, dear 22. Diff: cheap -18, dear 10. An event none of whose terms is known is not
/// there.
#[test]
fn those_of_the_profile_come_after_the_recorded_ones() {
    let report = document(&of_text(PROFILE), &["p"]);
    assert_eq!(
        report["events"],
        serde_json::json!(["Ir", "Dr", "D1mr", "Sum", "Diff"])
    );
    assert_eq!(report["totals"], serde_json::json!([14, 10, 5, 34, -8]));
    let report = Decoded::new(&report);
    assert_eq!(report.function("cheap").0, [10, 1, 0, 12, -18]);
    assert_eq!(report.function("dear").0, [4, 9, 5, 22, 10]);
}

#[test]
fn they_show_and_sort_like_others() {
    let stage = of_text(PROFILE);
    let rows = |args: &[&str]| -> Vec<String> {
        let report = stage.report(&[&["--auto=no", "--show-percs=no"], args, &["p"]].concat());
        report
            .lines()
            .filter(|l| l.contains("a.c:"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        rows(&["--show=Sum,Ir", "--sort=Sum"]),
        [" 22  4  a.c:dear", " 12 10  a.c:cheap"]
    );
    // dear has 22 of 34, more than 60 %.
    assert_eq!(rows(&["--show=Sum", "--sort=Sum:60"]), [" 22  a.c:dear"]);
    // What is not asked for is not shown.
    assert_eq!(rows(&["--show=Ir"]).len(), 2);
    assert!(
        stage
            .report(&["--auto=no", "p"])
            .contains("Events shown:     Ir Dr D1mr\n")
    );
}

/// Built-in events are there for the asking, if one of their terms is: L1m = D1mr here, Bm nothing.
#[test]
fn built_in_ones_come_when_they_are_named() {
    let stage = of_text(PROFILE);
    let all = |args: &[&str]| document(&stage, &[args, &["p"]].concat())["events"].clone();
    let base = ["Ir", "Dr", "D1mr", "Sum", "Diff"];
    assert_eq!(all(&[]), serde_json::json!(base));
    assert_eq!(
        all(&["--sort=L1m"]),
        serde_json::json!([&base[..], &["L1m"]].concat())
    );
    let report = decoded(&stage, &["--show=CEst", "p"]);
    // Ir + 10 L1m.
    assert_eq!(
        (report.totals[5], report.function("dear").0[5]),
        (14 + 50, 4 + 50)
    );
    let out = stage.run(&["--show=Bm", "p"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8(out.stderr).unwrap().contains("`Bm`"));
}

/// The totals of shapes.cachebranch.out by its own summary: 457869 Ir, and the misses of
/// KCachegrind's formula.
#[test]
fn the_cycle_estimate_is_kcachegrinds() {
    let stage = Stage::of("shapes");
    let report = document(
        &stage,
        &["--show=CEst,L1m,LLm,Bm", "shapes.cachebranch.out"],
    );
    let totals = integers(&report["totals"]);
    let text = std::fs::read_to_string(stage.dir.join("shapes.cachebranch.out")).unwrap();
    let summary = text
        .lines()
        .find_map(|l| l.strip_prefix("summary: "))
        .unwrap();
    let summary: Vec<i64> = summary.split(' ').map(|n| n.parse().unwrap()).collect();
    let names: Vec<String> = report["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(string)
        .collect();
    let of = |name: &str| summary[names.iter().position(|n| n == name).unwrap()];
    let sum = |names: [&str; 3]| names.iter().map(|n| of(n)).sum::<i64>();
    let (l1, ll, b) = (
        sum(["I1mr", "D1mr", "D1mw"]),
        sum(["ILmr", "DLmr", "DLmw"]),
        of("Bcm") + of("Bim"),
    );
    assert_eq!(names[13..], ["CEst", "L1m", "LLm", "Bm"]);
    assert_eq!(
        totals[13..],
        [of("Ir") + 10 * b + 10 * l1 + 100 * ll, l1, ll, b]
    );
}

#[test]
fn the_command_line_defines_more() {
    let stage = of_text(PROFILE);
    let report = decoded(
        &stage,
        &[
            "--event",
            "X = Ir + 10 L1m + 100 LLm",
            "--event",
            "Y = 2*X - Sum",
            "p",
        ],
    );
    assert_eq!(
        report.events,
        serde_json::json!(["Ir", "Dr", "D1mr", "Sum", "Diff", "X", "Y"])
    );
    // X: 4 + 50; Y: 108 - 22.
    assert_eq!(report.function("dear").0[5..], [54, 86]);
    // What the user means by a name goes before what the profile does.
    assert_eq!(
        decoded(&stage, &["--event", "Sum = Dr", "p"])
            .function("dear")
            .0[3],
        9
    );
    // One that was typed is wanted: it is shown.
    assert!(
        stage
            .report(&["--auto=no", "--event", "X = Ir", "p"])
            .contains("Events shown:     Ir Dr D1mr X\n")
    );
}

/// A formula that makes no sense is a fault of the command line, and the place is named.
#[test]
fn bad_formulas_are_usage_errors() {
    let stage = of_text(PROFILE);
    for (formula, place) in [
        ("X = Ir +", "character 5"),
        ("X = Ir + Nope", "character 6"),
        ("X = 99999999999999999999 Ir", "character 1"),
        ("X = X + Ir", "character 1"),
        ("X =", "character 1"),
        ("X", "NAME = FORMULA"),
        (" = Ir", "name"),
        ("two words = Ir", "name"),
        ("Ir = Dr", "recorded"),
        ("X = Bm", "none of the events"),
    ] {
        let out = stage.run(&["--event", formula, "p"]);
        let err = String::from_utf8(out.stderr).unwrap();
        assert_eq!(
            (out.status.code(), &out.stdout[..]),
            (Some(2), &b""[..]),
            "{formula}: {err}"
        );
        assert!(err.contains(place), "{formula}: {err}");
    }
}

/// Formulas of formulas: each is worked out once, whatever 2^60 paths there are. Loops and endless
/// chains are said.
#[test]
fn formulas_of_formulas_end() {
    let chain: String = (0..30)
        .map(|n| format!("event: d{n} = d{} + d{}\n", n + 1, n + 1))
        .collect();
    let report = decoded(
        &of_text(format!("{chain}event: d30 = Ir\nevents: Ir\nfn=f\n1 1\n")),
        &["p"],
    );
    assert_eq!(report.totals[1], 1 << 30);
    let stage = of_text("event: A = B\nevent: B = A\nevents: Ir\nfn=f\n1 1\n");
    let out = stage.run(&["--format=json", "p"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report["events"], serde_json::json!(["Ir"]));
    assert_eq!(
        report["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|w| w["kind"] == "bad-formula")
            .count(),
        2
    );
}
