//! Many runs as tables: one with every run for programs, one of changes for people.

use super::{Cell, Rows, Table, columns, named, summing};
use crate::{
    analysis::history::{Trend, TrendChange, TrendKind, TrendRow},
    profile::joined,
};

/// One row per run and function, the whole program first, with the change that begins in that
/// run.
pub fn trend_runs<'a>(trend: &'a Trend<'a>) -> Table<'a, impl Rows<'a>> {
    let names = [
        "function",
        "file",
        "object",
        "run",
        "name",
        "commit",
        &trend.event,
        "change",
        "before",
        "after",
    ];
    let columns = columns(std::iter::empty(), &names);
    let rows = trend.all().flat_map(move |row| {
        row.values.iter().enumerate().map(move |(run, &value)| {
            let about = trend.runs.get(run);
            let name = about.map_or(Cell::Empty, |about| named(about.name.as_bytes()));
            let commit = about.and_then(|about| about.commit.as_ref());
            let commit = commit.map_or(Cell::Empty, |commit| named(commit.as_bytes()));
            // A drift and the step at the start of its level can begin in the same run; the
            // step comes first.
            let change = row.changes.iter().find(|change| change.run == run);
            let change = change.map(|change| {
                let [before, after] = change.medians().map(Cell::Count);
                [named(change.kind.word().as_bytes()), before, after]
            });
            let [kind, before, after] = change.unwrap_or_default();
            let [function, file, object] = who(row);
            let run = Cell::Number(run as u64 + 1);
            [
                function,
                file,
                object,
                run,
                name,
                commit,
                Cell::Count(value),
                kind,
                before,
                after,
            ]
            .into_iter()
        })
    });
    Table {
        title: title(trend),
        columns,
        total: None,
        rest: Vec::new(),
        rows,
    }
}

/// One row per function, with its changes as text.
pub fn trend_summary<'a>(trend: &'a Trend<'a>) -> Table<'a, impl Rows<'a>> {
    let names = ["first", "last", "changes", "function", "file", "object"];
    let columns = columns(std::iter::empty(), &names);
    let cells = move |row: &'a TrendRow<'a>| {
        let [first, last] = row.ends().map(Cell::Count);
        let changes = row.changes.iter().map(|change| in_words(trend, change));
        let [function, file, object] = who(row);
        [
            first,
            last,
            Cell::Text(joined(changes, "; ")),
            function,
            file,
            object,
        ]
        .into_iter()
    };
    let total = Some(cells(&trend.total).collect());
    let rest = match trend.others {
        0 => Vec::new(),
        others => {
            let empty = std::iter::repeat_n(Cell::Empty, 3);
            let words = Cell::Text(format!("({others} others)"));
            vec![summing(empty, words, names.len())]
        }
    };
    Table {
        title: title(trend),
        columns,
        total,
        rest,
        rows: trend.rows.iter().map(cells),
    }
}

fn title(trend: &Trend<'_>) -> String {
    format!("cgannotate: {} in {} runs", trend.event, trend.runs.len())
}

fn who<'a>(row: &TrendRow<'a>) -> [Cell<'a>; 3] {
    let cell = |name: &'a [u8]| {
        if name.is_empty() {
            Cell::Empty
        } else {
            named(name)
        }
    };
    [cell(row.who.name), cell(row.who.file), cell(row.who.object)]
}

/// `+3.1 %, step at run 317, a1b2c3`.
fn in_words(trend: &Trend<'_>, change: &TrendChange) -> String {
    let share = change.share_in_words();
    let name = trend.runs.get(change.run).map_or("", |about| &about.name);
    let (step, word) = match change.kind {
        TrendKind::Step => (", step", ""),
        TrendKind::Unconfirmed => ("", ", unconfirmed"),
        TrendKind::Drift => ("", ", gradually"),
    };
    format!("{share}{step} at run {}, {name}{word}", change.run + 1)
}
