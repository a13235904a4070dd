//! What a comparison says of a function that changed.

use super::{all_of, flat, written};
use crate::common::Stage;

fn compared(old: &str, new: &str) -> String {
    compared_with(&[], old, new)
}

fn compared_with(args: &[&str], old: &str, new: &str) -> String {
    let stage = Stage::empty();
    stage.write("old", old).write("new", new);
    let text = all_of(&stage, &[&["diff"], args, &["old", "new"]].concat());
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('\u{a0}', " ")
}

/// Places are named until a fifth of a change is left, and three at most.
#[test]
fn places_are_named_until_little_is_left() {
    let run = |changes: &[u64]| {
        let names = ["own", "a", "b", "c", "d"];
        let calls: Vec<_> = names
            .iter()
            .zip(changes)
            .skip(1)
            .map(|(&name, more)| (name, 1, 100 + more))
            .collect();
        let f = 100 + changes.iter().sum::<u64>() + 100 * (changes.len() as u64 - 1);
        let mut all = vec![
            ("main", 10, vec![("f", 1, f)]),
            ("f", 100 + changes[0], calls.clone()),
        ];
        all.extend(calls.iter().map(|&(name, _, cost)| (name, cost, vec![])));
        let all: Vec<_> = all
            .iter()
            .map(|(name, own, calls)| (*name, *own, &calls[..]))
            .collect();
        written(&all)
    };
    let places = |changes: &[u64]| {
        let text = compared(&run(&vec![0; changes.len()]), &run(changes));
        let sentence = text
            .split(" f +")
            .nth(1)
            .unwrap_or_else(|| panic!("{text}"));
        let sentence = &sentence[..sentence.find(" self").unwrap_or(sentence.len())];
        sentence.matches(" in the function itself").count()
            + ["a", "b", "c", "d"]
                .iter()
                .filter(|n| sentence.contains(&format!(" in {n}")))
                .count()
    };
    assert_eq!([places(&[80, 20]), places(&[79, 21])], [1, 2]);
    assert_eq!(places(&[25, 25, 25, 25]), 3);
}

/// How a number of calls changed.
#[test]
fn calls_are_told_as_a_ratio_a_share_or_a_count() {
    let run = |calls: u64| {
        written(&[
            ("main", 10, &[("f", calls, calls * 10)]),
            ("f", calls * 10, &[]),
        ])
    };
    for (old, new, words) in [
        (1000, 1100, "1.1x the calls"),
        (1000, 1099, "9.9 % more calls"),
        (1000, 900, "0.90x the calls"),
        (1000, 901, "9.9 % fewer calls"),
        (100_000, 100_011, "0.01 % more calls"),
        (100_000, 100_009, "9 more calls"),
        (1000, 1010, "1.0 % more calls"),
        (1000, 1009, "0.90 % more calls"),
        (10, 9_999, "999.9x the calls"),
        (10, 10_000, "10,000 calls, was 10"),
        (1000, 100, "0.10x the calls"),
        (1000, 99, "99 calls, was 1,000"),
    ] {
        let text = compared(&run(old), &run(new));
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// Below ten a cost a call has two digits behind the point, else one.
#[test]
fn costs_a_call_have_digits_as_they_need() {
    let run = |cost: u64| written(&[("main", 10, &[("f", 1000, cost)]), ("f", cost, &[])]);
    for (old, words) in [
        (9_994, "was 9.99:"),
        (9_050, "was 9.05:"),
        (9_995, "was 10.0:"),
        (10_049, "was 10.0:"),
        (10_050, "was 10.1:"),
        (10_000, "was 10:"),
    ] {
        let text = compared(&run(old), &run(20_000));
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// A change of 100,000 % or more is told as a factor.
#[test]
fn large_changes_are_told_as_factors() {
    let run = |cost| flat([("f".into(), cost), ("g".into(), 1)]);
    for (new, words) in [
        (10_009, "+99990.0 % 10 → 10,009"),
        (10_010, "1001x 10 → 10,010"),
    ] {
        let text = compared(&run(10), &run(new));
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// Names may have changed where a tenth of both runs is in functions that the other has not.
#[test]
fn a_tenth_without_partner_is_a_doubt() {
    for (old, new, told) in [(100, 100, true), (99, 100, false), (100, 99, false)] {
        let run = |name: &str, cost| flat([("same".into(), 1000 - cost), (name.into(), cost)]);
        let text = compared(&run("gone_away", old), &run("brand_new", new));
        assert_eq!(
            text.contains("are in functions that the other run does not have"),
            told,
            "{old} {new}: {text}"
        );
    }
}

/// Up to three events are named.
#[test]
fn three_events_are_named() {
    let run = |events: usize, cost: u64| {
        let names: Vec<String> = (0..events).map(|at| format!("E{at}")).collect();
        let row = |cost: u64| vec![cost.to_string(); events].join(" ");
        format!(
            "events: {}\nfl=a.c\nfn=f\n1 {}\nfn=g\n1 {}\nfn=h\n1 {}\n",
            names.join(" "),
            row(cost),
            row(1),
            row(2)
        )
    };
    for (events, words) in [
        (3, "did not change in E0 or E1 or E2."),
        (4, "did not change in these events."),
    ] {
        let show = format!(
            "--show={}",
            (0..events)
                .map(|at| format!("E{at}"))
                .collect::<Vec<_>>()
                .join(",")
        );
        let text = compared_with(&[&show], &run(events, 10), &run(events, 20));
        assert!(text.contains(words), "{text}");
    }
}
