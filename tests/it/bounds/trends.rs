//! The numbers of `trend`.

use super::flat;
use crate::common::Stage;
use serde_json::Value;

/// Runs of functions that each cost something in each run.
fn stage(runs: usize, cost: impl Fn(usize) -> Vec<u64>) -> Stage {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 0..runs {
        let functions = cost(at)
            .into_iter()
            .enumerate()
            .map(|(nth, cost)| (format!("f{nth}"), cost));
        stage.write(&format!("runs/run-{at}"), flat(functions));
    }
    stage
}

fn json(stage: &Stage, args: &[&str]) -> Value {
    serde_json::from_str(&stage.report(&[&["trend", "--format=json", "runs"], args].concat()))
        .unwrap()
}

/// The kinds of changes of the first function among all rows.
fn kinds(stage: &Stage) -> Vec<String> {
    let all = json(stage, &[]);
    let rows = all["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["name"] == "f0");
    let changes = rows.flat_map(|row| row["changes"].as_array().unwrap());
    changes
        .map(|change| change["kind"].as_str().unwrap().to_owned())
        .collect()
}

/// For people 20 rows are listed, in pages 200.
#[test]
fn rows_are_listed_up_to_a_number() {
    for functions in [20, 21] {
        let stage = stage(6, |at| vec![if at < 3 { 1000 } else { 2000 }; functions]);
        for form in ["text", "markdown"] {
            let text = stage.report(&["trend", "runs", "--format", form]);
            let is_more = text.contains("1 function more changed") || text.contains("(1 others)");
            assert_eq!(is_more, functions == 21, "{form} {text}");
        }
        assert_eq!(
            json(&stage, &[])["rows"].as_array().unwrap().len(),
            functions
        );
    }
}

#[test]
fn pages_list_200_rows() {
    for (functions, more) in [(200, false), (201, true)] {
        let stage = stage(6, |at| vec![if at < 3 { 1000 } else { 2000 }; functions]);
        let page = stage.report(&["trend", "runs", "--format=html"]);
        assert_eq!(page.contains("1 function more changed"), more);
    }
}

/// Why something changed is said of 50 runs.
#[test]
fn fifty_changes_are_explained() {
    for (steps, more) in [(50, false), (51, true)] {
        // Three runs a level.
        let stage = stage(3 * (steps + 1), |at| vec![1000 << (at / 3 % 2)]);
        let out = stage.run(&["trend", "runs"]);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        let words = format!("changes begin at {steps} runs; reasons are given for the first 50");
        assert_eq!(error.contains(&words), more, "{error}");
    }
}

/// Twenty-four bars stand for the runs.
#[test]
fn a_row_has_24_bars() {
    for (runs, bars) in [(23, 23), (24, 24), (25, 24)] {
        let stage = stage(runs, |at| vec![if at < 3 { 1000 } else { 2000 }]);
        let text = stage.report(&["trend", "runs"]);
        let row = text.lines().find(|line| line.ends_with("f0  a.c")).unwrap();
        let count = row
            .chars()
            .take_while(|&c| ('▁'..='█').contains(&c))
            .count();
        assert!(count <= bars && (runs > 24 || count == runs), "{row}");
    }
}

/// Three runs before and after make a step; two are unconfirmed.
#[test]
fn a_step_has_three_runs_on_both_sides() {
    let of = |before: usize, after: usize| {
        kinds(&stage(before + after, |at| {
            vec![if at < before { 1000 } else { 2000 }]
        }))
    };
    assert_eq!(of(3, 3), ["step"]);
    assert_eq!(of(4, 2), ["unconfirmed"]);
    assert_eq!(of(2, 4), ["unconfirmed"]);
    assert_eq!(of(3, 2), [""; 0]);
}

/// A step is more than a 10,000th of the program's cost.
#[test]
fn a_step_is_a_share_of_the_program() {
    let of = |gap: u64| {
        kinds(&stage(6, |at| {
            vec![if at < 3 { 1000 } else { 1000 + gap }, 9_000]
        }))
    };
    assert_eq!([of(2).len(), of(1).len()], [1, 0]);
}

/// Six runs on each side, of which one lies elsewhere, make a step, five do not.
#[test]
fn one_of_six_runs_may_lie_elsewhere() {
    let of = |side: usize| {
        let outlier = side / 2;
        kinds(&stage(2 * side, move |at| {
            let level = if at < side { 1000 } else { 1100 };
            vec![if at == outlier || at == side + outlier {
                20_000
            } else {
                level
            }]
        }))
    };
    assert_eq!(of(6), ["step"]);
    assert_eq!(of(5), [""; 0]);
}

/// With three runs on each side a gap is 4.9 times what either varies by: (11.5 / 4) to the power
/// of 1.5.
#[test]
fn a_gap_is_larger_than_the_noise() {
    let of = |gap: u64| {
        kinds(&stage(6, |at| {
            vec![if at < 3 {
                1000 + 100 * (at as u64 % 2)
            } else {
                1100 + gap
            }]
        }))
    };
    assert_eq!([of(488).len(), of(487).len()], [1, 0]);
}

/// Ten runs of the last level tell the noise, and one behind them has it.
#[test]
fn ten_runs_tell_the_noise() {
    for (runs, is_known) in [(11, true), (10, false)] {
        let noise = &json(&stage(runs, |_| vec![1000]), &["--rows=5"])["total"]["noise"];
        assert_eq!(!noise.is_null(), is_known, "{runs}: {noise}");
    }
}

/// Shares are told with the digits that they need.
#[test]
fn shares_of_steps_have_their_digits() {
    for (before, after, words) in [
        (1000, 1010, "+1.0 %"),
        (10_000, 10_099, "+0.99 %"),
        (1000, 10_990, "+999.0 %"),
        (1000, 11_000, "11.0x"),
    ] {
        let text =
            stage(6, |at| vec![if at < 3 { before } else { after }]).report(&["trend", "runs"]);
        assert!(text.contains(words), "{words}: {text}");
    }
}
