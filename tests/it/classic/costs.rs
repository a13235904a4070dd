//! The sums behind the report, through the library.

use crate::common::{add_to, counts, fixtures, has_parts, profiles};
use cgannotate::analysis::Inclusive;
use cgannotate::input::{Options, read};
use cgannotate::profile::Profile;

fn load(profile: &str) -> Profile {
    let path = fixtures().join(profile).to_str().unwrap().to_owned();
    read(&[path], &Options::all()).unwrap()
}

/// What Valgrind says the cost lines add up to: `totals:` of all parts; Cachegrind has `summary:`
/// for it.
fn stated(profile: &str) -> Vec<i64> {
    let text =
        String::from_utf8_lossy(&std::fs::read(fixtures().join(profile)).unwrap()).into_owned();
    let rows = |key: &str| -> Vec<Vec<i64>> {
        let values = text.lines().filter_map(|line| line.strip_prefix(key));
        values
            .map(|row| row.split_whitespace().map(|n| n.parse().unwrap()).collect())
            .collect()
    };
    let rows = if text.contains("\ntotals:") {
        rows("totals:")
    } else {
        rows("summary:")
    };
    let mut sum = Vec::new();
    rows.iter().for_each(|row| {
        add_to(&mut sum, row);
    });
    assert!(!sum.is_empty(), "{profile} states no sum");
    sum
}

/// No cost line is lost, and none counts twice, whatever the positions, the compression and the
/// parts.
#[test]
fn self_costs_add_up_to_what_the_profile_states() {
    for name in profiles() {
        let profile = load(&name);
        let (mut functions, mut lines) = (Vec::new(), Vec::new());
        for id in profile.function_ids() {
            add_to(&mut functions, &counts(profile.self_counts(id)));
        }
        for line in &profile.lines {
            add_to(&mut lines, &counts(profile.line_counts(line)));
        }
        assert_eq!(
            trimmed(&functions),
            trimmed(&stated(&name)),
            "{name}: functions"
        );
        assert_eq!(lines, functions, "{name}: lines");
    }
}

/// Without the zeros at the end, which the writer leaves out.
fn trimmed(row: &[i64]) -> &[i64] {
    &row[..row
        .iter()
        .rposition(|&count| count != 0)
        .map_or(0, |last| last + 1)]
}

/// Recursion counts once, so that nothing costs more than everything. Threads end where others go
/// on, and their calls can overlap; costs below zero have no such bound.
#[test]
fn no_inclusive_cost_is_above_the_total() {
    let mut recursive = 0;
    for name in profiles()
        .iter()
        .filter(|name| !name.starts_with("threads/") && !name.ends_with("less.out"))
    {
        let profile = load(name);
        let inclusive = Inclusive::new(&profile);
        for id in profile.function_ids() {
            for (column, (cost, total)) in counts(inclusive.counts(id))
                .into_iter()
                .zip(counts(profile.totals.counts()))
                .enumerate()
            {
                let function =
                    String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned();
                assert!(
                    cost <= total,
                    "{name}: {function} has {cost} of {total} in column {column}"
                );
            }
        }
        recursive += inclusive.cycles.len()
            + profile
                .arcs
                .iter()
                .filter(|arc| arc.caller == arc.callee)
                .count();
    }
    assert!(
        recursive > 50,
        "the fixtures hold only {recursive} recursions"
    );
}

/// A run in parts has the costs of the same run in one piece, function by function.
#[test]
fn parts_add_up_to_the_whole_run() {
    assert!(has_parts("parts/phases.parts.out"));
    let (parts, whole) = (
        load("parts/phases.parts.out"),
        load("parts/phases.whole.out"),
    );
    assert_eq!(parts.parts.len(), 2);
    assert_eq!(costs(&parts), costs(&whole));
}

/// Every function with a cost: its names and its self cost.
fn costs(profile: &Profile) -> Vec<(String, Vec<i64>)> {
    let mut rows: Vec<_> = (profile.function_ids())
        .map(|id| {
            let f = profile.function(id);
            let [file, name, object] = [f.file, f.name, f.object].map(|name| profile.name(name));
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            (
                format!("{}:{} [{}]", text(file), text(name), text(object)),
                counts(profile.self_counts(id)),
            )
        })
        .filter(|(_, cost)| cost.iter().any(|&count| count != 0))
        .collect();
    rows.sort();
    rows
}
