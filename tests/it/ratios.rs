//! Ratios of events. Wherever one is shown, it is the ratio of the sums that stand beside it.

use crate::annotate::first_screen::{on_screen, plain};
use crate::common::Stage;
use serde_json::Value;

const RATIO: &str = "--event=MissRate = 100 * (D1mr + D1mw) / (Dr + Dw)";
const PROFILE: &str = "shapes.cachebranch.out";
/// What the ratio is made of, then itself.
const SHOWN: &str = "--show=D1mr,D1mw,Dr,Dw,MissRate";

/// The ratio in thousandths, to the nearest, halves away from 0.
fn thousandths(counts: &[i128]) -> Option<i128> {
    let (misses, accesses) = (counts[0] + counts[1], counts[2] + counts[3]);
    let doubled = (2 * 100_000 * misses.abs()).checked_div(accesses.abs())?;
    Some((doubled + 1) / 2 * misses.signum() * accesses.signum())
}

/// Thousandths of a number with three decimals.
fn decimal(text: &str) -> i128 {
    let (_, decimals) = text.split_once('.').unwrap();
    assert_eq!(decimals.len(), 3, "{text}");
    text.replace('.', "").parse().unwrap()
}

/// Checks each line that begins with five cells, and returns their number.
fn checked_lines(report: &str, empty: &str) -> usize {
    let mut checked = 0;
    for line in report.lines() {
        let cells: Vec<String> = line
            .split_whitespace()
            .map(|c| c.replace(',', ""))
            .collect();
        let count = |cell: &String| match &cell[..] {
            "." => Some(0),
            cell => cell.parse().ok(),
        };
        let counts: Option<Vec<i128>> = cells.iter().take(4).map(count).collect();
        let (Some(counts), Some(ratio)) = (counts.filter(|c| c.len() == 4), cells.get(4)) else {
            continue;
        };
        let known = (ratio != empty).then(|| decimal(ratio));
        assert_eq!(known, thousandths(&counts), "{line}");
        checked += 1;
    }
    checked
}

#[test]
fn reports_show_ratios_of_sums() {
    let stage = Stage::of("shapes");
    for (least, args) in [
        (10, "--auto=no"),
        (12, "--auto=no -n 10"),
        (10, "--auto=no --inclusive"),
        (10, "--auto=no --sort=MissRate --min=0.5"),
        (60, "--auto=yes --tree=both -n 5"),
        (100, "--auto=no --by=line"),
        (4, "--by=object"),
        (10, "--by=file"),
        (30, "--zoom main"),
        (10, "--zoom main --depth=3 --auto=no"),
        (10, "--inlined"),
        (10, "--fold-recursion --auto=no"),
        (10, "--split=part --auto=no"),
        (10, "--compat --auto=no"),
        (10, "--compat --inclusive=yes --auto=no"),
    ] {
        let words: Vec<&str> = args.split(' ').collect();
        let shown = [RATIO, SHOWN, "--show-percs=no"];
        let report = stage.report(&[&shown, &words[..], &[PROFILE]].concat());
        let checked = checked_lines(&report, ".");
        assert!(checked >= least, "{args}: {checked}\n{report}");
    }
    let command = stage.command(&[RATIO, "--show=Ir,MissRate", PROFILE]);
    let (screen, success) = on_screen(120, 60, command);
    let screen = plain(&screen);
    assert!(success && screen.contains("MissRate 1.081"), "{screen}");
}

/// The rows of a table without quotes, each with its cells.
fn cells(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().map(|line| line.split(',').collect())
}

#[test]
fn tables_show_ratios_of_sums() {
    let stage = Stage::of("shapes");
    for args in [
        &["--inclusive=yes"][..],
        &["--by=line"],
        &["--by=object"],
        &["--zoom=main"],
    ] {
        let table = stage.report(&[&[RATIO, SHOWN, "--format=csv", PROFILE], args].concat());
        let mut checked = 0;
        for row in cells(&table).skip(1) {
            let both = if args == ["--inclusive=yes"] { 2 } else { 1 };
            for row in row.chunks(5).take(both) {
                let counts: Vec<i128> = row[..4].iter().map(|c| c.parse().unwrap()).collect();
                let known = (!row[4].is_empty()).then(|| decimal(row[4]));
                assert_eq!(known, thousandths(&counts), "{row:?}");
                checked += 1;
            }
        }
        assert!(checked > 3, "{args:?}: {table}");
    }
    let table = stage.report(&[RATIO, SHOWN, "--format=markdown", "-n", "3", PROFILE]);
    let plain: String = table.split(['|', ' ']).collect();
    assert!(plain.contains("1.081(total)"), "{table}");
    assert!(plain.contains("functionsomitted"), "{table}");
}

/// Checks all arrays of costs in a document of JSON, and returns their number.
fn checked_arrays(value: &Value, columns: &[usize; 5]) -> usize {
    match value {
        Value::Array(costs) if costs.len() == 14 && costs[..13].iter().all(Value::is_i64) => {
            let counts = columns[..4]
                .iter()
                .map(|&at| costs[at].as_i64().unwrap().into());
            let known = match &costs[columns[4]] {
                Value::Null => None,
                ratio => Some((ratio.as_f64().unwrap() * 1000.0).round() as i128),
            };
            assert_eq!(known, thousandths(&counts.collect::<Vec<_>>()), "{value}");
            1
        }
        Value::Array(all) => all.iter().map(|value| checked_arrays(value, columns)).sum(),
        Value::Object(all) => all
            .values()
            .map(|value| checked_arrays(value, columns))
            .sum(),
        _ => 0,
    }
}

#[test]
fn json_has_ratios_of_sums() {
    let stage = Stage::of("shapes");
    let columns = [4, 5, 1, 2, 13];
    let report = stage.json(&[RATIO, PROFILE]);
    assert_eq!(report["events"][13], "MissRate");
    assert!(checked_arrays(&report, &columns) > 1000);
    let calls = report["functions"][0]["per_call"].as_array().unwrap();
    assert!(calls[13].is_null() && calls[0].is_f64(), "{calls:?}");
    let zoomed = stage.json(&[RATIO, "--zoom=main", PROFILE]);
    assert!(checked_arrays(&zoomed, &columns) > 10);
    let code = stage.json(&[RATIO, "--by=instr", "shapes.cachebranch.out"]);
    assert!(checked_arrays(&code, &columns) > 1000);
}

#[test]
fn formulas_have_the_usual_precedence() {
    let stage = Stage::empty();
    stage.write("run", "events: Ir Dr Dw\nfn=f\n1 1000 30 50\n");
    for (formula, value) in [
        ("Dr / Ir * 100", "3.000"),
        ("100 * (1 - Dr / Ir)", "97.000"),
        ("100 - 100 * Dr / Ir", "97.000"),
        ("(Dr + 2 (Dw - Dr)) / Ir", "0.070"),
        ("Dr + Dw / 2 / Ir", ""),
        ("2 * (Dr + Dw)", "160"),
        ("-(Dw - Dr) / -(2 * Ir)", "0.010"),
        ("Ir / Dr / 10 + 1 - 2 * 1", "2.333"),
    ] {
        let out = stage.run(&[
            &format!("--event=X = {formula}"),
            "--show=X",
            "--auto=no",
            "run",
        ]);
        let report = String::from_utf8(out.stdout).unwrap();
        let total = report.lines().find(|line| line.contains("PROGRAM TOTALS"));
        let total = total
            .and_then(|line| line.split_whitespace().next())
            .unwrap_or_default();
        assert_eq!(total, value, "{formula}: {report}");
    }
}

/// `none` has no accesses, `half` misses every second time, `first` has fewer misses afterwards.
fn two_runs() -> Stage {
    let run = |first: &str, more: &str| {
        format!(
            "events: Ir Dr Dw D1mr D1mw\nfl=a.c\nfn=first\n1 {first}\nfn=half\n2 10 4 2 2 1\nfn=none\n3 90\n{more}"
        )
    };
    let stage = Stage::empty();
    stage
        .write("old", run("50 800 0 25 3", ""))
        .write("new", run("60 800 0 0 1", "fn=fresh\n4 7 2 0 1\n"));
    stage
}

#[test]
fn what_is_not_known_sorts_last() {
    let stage = two_runs();
    let names = |args: &[&str]| {
        let report = stage.report(&[&[RATIO, "--auto=no"], args, &["new"]].concat());
        let rows = report.lines().filter_map(|line| line.split("a.c:").nth(1));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        names(&["--sort=MissRate"]),
        ["fresh", "half", "first", "none"]
    );
    let negative = "--event=Below = -100 * D1mw / Dr";
    assert_eq!(
        names(&[negative, "--sort=Below"]),
        ["fresh", "first", "half", "none"]
    );
    // A value that is not known is neither the highest nor 0.
    let status = |limit: &str| {
        let out = stage.run(&["check", "new", RATIO, "--limit", limit]);
        out.status.code()
    };
    assert_eq!(status("max(self.MissRate(none)) <= 60"), Some(4));
    assert_eq!(status("self.MissRate(none) <= 60"), Some(4));
    assert_eq!(status("max(self.MissRate(/none|half/)) <= 60"), Some(0));
    // Percentages are those of the first event that is no ratio.
    assert_eq!(names(&["--sort=MissRate", "--min=30"]), ["first", "none"]);
    assert_eq!(names(&["--sort=MissRate", "-n", "1"]), ["fresh"]);
}

#[test]
fn comparisons_have_no_percentages_of_ratios() {
    let stage = two_runs();
    let report = stage.report(&["diff", RATIO, "--show=Ir,MissRate", "old", "new"]);
    let has = |line: &str| {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(report.lines().any(|l| words(l) == line), "{line}\n{report}");
    };
    has("+17 +11.3 % 150 → 167 Ir PROGRAM TOTALS");
    let one = |cost: u64| format!("events: A B\nfn=f\n1 {cost} 1000000\n");
    stage.write("a", one(335_669)).write("b", one(339_459));
    let fine = stage.report(&["diff", "--event=Q = A / B", "--show=Q", "a", "b"]);
    let words: Vec<&str> = fine.split_whitespace().collect();
    assert!(words.join(" ").contains("+0.004 0.336 → 0.339"), "{fine}");
    // 31 of 806, 5 of 808.
    has("-3.227 3.846 → 0.619 MissRate PROGRAM TOTALS");
    has("+10 +20.0 % 50 → 60 Ir self");
    has("-3.375 3.500 → 0.125 MissRate self");
    has(". . → 50.000 MissRate self");
    assert!(!report.contains("MissRate in all"), "{report}");
    let table = stage.report(&[
        "diff",
        RATIO,
        "--show=MissRate",
        "--format=csv",
        "old",
        "new",
    ]);
    let rows: Vec<_> = cells(&table).map(|row| row[..5].join(" ")).collect();
    let titles = "MissRate old MissRate new MissRate change status function";
    assert_eq!(
        rows,
        [
            titles,
            "3.500 0.125 -3.375 changed first",
            " 50.000  new fresh"
        ]
    );
    let json = stage.json(&["diff", RATIO, "--show=MissRate", "old", "new"]);
    let total = serde_json::json!({"old": [3.846], "new": [0.619], "change": [-3.227]});
    assert_eq!(json["total"], total);
    let fresh = serde_json::json!({"old": [null], "new": [50.0], "change": [null]});
    assert_eq!(json["functions"][1]["self"], fresh);
    assert_eq!(json["functions"][1]["split"], serde_json::json!([null]));
    // All that changed is listed, because changes of ratios do not add up.
    assert!(
        stage
            .report(&["diff", RATIO, "--show=MissRate", "old", "new"])
            .contains("first")
    );
}

/// A ratio that is not known comes last, also by size and among differences.
#[test]
fn unknown_ratios_come_last() {
    let stage = Stage::empty();
    stage
        .write("old", "events: A B\nfn=f\n1 2 3\nfn=g\n2 1 3\n")
        .write(
            "new",
            "events: A B\nfn=f\n1 3 3\nfn=g\n2 1 0\nfn=h\n3 -3 3\n",
        );
    let ratio = ["--event=R = A / B", "--show=R", "--sort=R", "-n1"];
    let text = stage.report(&[&ratio[..], &["--auto=no", "new"]].concat());
    assert!(
        text.contains("1.000  ???:f") || text.contains("-1.000  ???:h"),
        "{text}"
    );
    let text = stage.report(&[&["diff"], &ratio[..], &["old", "new"]].concat());
    assert!(text.contains("\nf  ???\n"), "{text}");
}

#[test]
fn limits_compare_ratios_of_sums() {
    let stage = two_runs();
    for (status, args) in [
        (0, &["new", "--limit=self.MissRate(first) <= 0.125"][..]),
        (3, &["new", "--limit=self.MissRate(first) <= 0.124"]),
        (0, &["new", "--limit=self.MissRate(/first|half/) <= 0.497"]),
        (3, &["new", "--limit=self.MissRate(/first|half/) <= 0.496"]),
        (0, &["new", "--limit=total.MissRate <= 0.619"]),
        (3, &["new", "--limit=total.MissRate <= 0.618"]),
        (4, &["new", "--limit=self.MissRate(none) <= 5"]),
        (
            4,
            &[
                "new",
                "--limit=max(self.MissRate(first), self.MissRate(half)) <= 90",
            ],
        ),
        (
            0,
            &["new", "--baseline=old", "--limit=total.MissRate <= +0"],
        ),
        (
            3,
            &["old", "--baseline=new", "--limit=total.MissRate <= +3.227"],
        ),
        (
            0,
            &["old", "--baseline=new", "--limit=total.MissRate <= +3.228"],
        ),
    ] {
        let out = stage.run(&[&["check", RATIO], args].concat());
        assert_eq!(out.status.code(), Some(status), "{args:?}: {out:?}");
    }
    // By hand: 2/3 and 1/2; 149 and 151 of 100,000.
    stage
        .write("thirds", "events: A B\nfn=f\n1 2 3\nfn=g\n2 1 2\n")
        .write("few", "events: A B\nfn=f\n1 149 100000\n")
        .write("more", "events: A B\nfn=f\n1 151 100000\n");
    for (status, args) in [
        (0, &["thirds", "--limit=self.R(f) <= 0.6667"][..]),
        (3, &["thirds", "--limit=self.R(f) <= 0.6666"]),
        (0, &["thirds", "--limit=max(self.R(/./)) <= 0.667"]),
        (3, &["thirds", "--limit=max(self.R(/./)) <= 0.65"]),
        (0, &["thirds", "--limit=self.R(/./) <= 0.6"]),
        (
            0,
            &["more", "--baseline=few", "--limit=self.R(f) <= +1.35%"],
        ),
        (
            3,
            &["more", "--baseline=few", "--limit=self.R(f) <= +1.34%"],
        ),
    ] {
        let out = stage.run(&[&["check", "--event=R = A / B"], args].concat());
        assert_eq!(out.status.code(), Some(status), "{args:?}: {out:?}");
    }
    let out = stage.run(&[
        "check",
        "--event=R = A / B",
        "thirds",
        "--limit=self.R(f) <= 0.6666",
    ]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("0.666667, at most 0.666600"), "{text}");
    // A baseline is read without a warning.
    let saved = [
        "check",
        "few",
        "--event=R = A / B",
        "--save-baseline=saved",
        "--limit=total.R <= 1",
    ];
    assert!(stage.run(&saved).status.success());
    let again = [
        "check",
        "few",
        "--strict",
        "--event=R = A / B",
        "--baseline=saved",
        "--limit=total.R <= +0%",
    ];
    let out = stage.run(&again);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        out.status.success() && !said.contains("bad-formula"),
        "{out:?}"
    );
    let out = stage.run(&["check", "new", RATIO, "--limit=self.MissRate(none) <= 5"]);
    let said = String::from_utf8(out.stdout).unwrap();
    assert!(said.contains("the denominator of MissRate is 0"), "{said}");
}

#[test]
fn ratios_are_refused_where_they_would_be_added_up() {
    let stage = two_runs();
    stage.write(
        "own",
        "event: R = D1mr / Dr\nevents: Dr D1mr\nfn=f\n1 4 1\n",
    );
    for args in [
        &["new", "--format=html"][..],
        &["new", "--own"],
        &["new", "--by=part"],
        &["merge", "new", "-o", "x"],
        &["convert", "new", "--to=callgrind", "-o", "x"],
        &[
            "convert",
            "new",
            "--to=folded",
            "--show=MissRate",
            "-o",
            "x",
        ],
        &["convert", "new", "--to=pprof", "--show=MissRate", "-o", "x"],
        &[
            "convert",
            "new",
            "--to=tables",
            "--show=MissRate",
            "-o",
            "x",
        ],
        &["trend", "old", "new", "--show=MissRate"],
        &["diff", "old", "new", "--flamegraph", "-o", "x"],
        &["diff", "old", "new", "--format=html"],
    ] {
        let out = stage.run(&[args, &[RATIO]].concat());
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(
            (out.status.code(), said.lines().count()),
            (Some(2), 1),
            "{args:?}: {said}"
        );
        assert!(said.contains("ratios do not add up"), "{said}");
    }
    for args in [
        ["--sort=MissRate:90", "new"],
        ["--sort=MissRate", "--threshold=9"],
    ] {
        let out = stage.run(&[&[RATIO, "new"], &args[..]].concat());
        assert_eq!(out.status.code(), Some(2), "{out:?}");
    }
    for formula in ["X = Ir + MissRate", "X = MissRate / Ir"] {
        let out = stage.run(&[RATIO, "--event", formula, "new"]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(said.contains("cannot use a ratio"), "{formula}: {said}");
    }
    // Sums are written as other readers understand them.
    let sum = "--event=X = Ir - 2 * (Dr - Dw)";
    stage.report(&["merge", sum, "new", "-o", "sums"]);
    let shown = |name: &str, args: &[&str]| {
        let json = stage.json(&[args, &[name]].concat());
        let events = json["events"].as_array().unwrap();
        let at = events.iter().position(|event| event == "X");
        json["totals"][at.unwrap()].clone()
    };
    assert_eq!(shown("new", &[sum]), shown("sums", &[]));
    // KCachegrind and the other readers of the format know sums only.
    let report = stage.json(&["own"]);
    assert_eq!(report["events"], serde_json::json!(["Dr", "D1mr"]));
    assert_eq!(report["warnings"][0]["kind"], "bad-formula");
    for formula in ["D1mr/Dr", "D1mr /Dr", "D1mr/ Dr"] {
        let text = format!("event: R = {formula}\nevents: Dr D1mr\nfn=f\n1 4 1\n");
        stage.write("joined", text);
        let report = stage.json(&["joined"]);
        assert_eq!(report["warnings"][0]["kind"], "bad-formula", "{formula}");
    }
    for (formula, place) in [
        ("X = Ir / 0", "character 6"),
        ("X = Ir / (Dr - Nope)", "character 12"),
        ("X = Ir / L1m / Dr", "a product of events at character 12"),
        (
            "X = Ir / Dr + Dw",
            "a sum of ratios and events at character 6",
        ),
        (
            "X = 100 * (1 - Dr / Ir",
            "a parenthesis that is never closed at character 7",
        ),
        ("X = Ir / Bm", "none of the events"),
        ("X = () / Ir", "character 2"),
        ("X = 0.5 * Ir / Dr", "not an integer at character 1"),
    ] {
        let out = stage.run(&["--event", formula, "new"]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(
            out.status.code() == Some(2) && said.contains(place),
            "{formula}: {said}"
        );
    }
    for (depth, status) in [(32, 0), (33, 2), (50_000, 2)] {
        let (open, close) = ("(".repeat(depth), ")".repeat(depth));
        let deep = format!("--event=X = {open}Ir{close} / Dr");
        assert_eq!(
            stage.run(&[&deep, "new"]).status.code(),
            Some(status),
            "{depth}"
        );
    }
    let large = "--event=X = 9223372036854775807 (Ir) / (9223372036854775807 Ir)";
    assert!(
        stage
            .report(&[large, "--show=X", "--auto=no", "new"])
            .contains("1.000  PROGRAM")
    );
}
