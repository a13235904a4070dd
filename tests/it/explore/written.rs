//! What `w` writes for programs: the columns of the tables of reports.

use super::{Walk, compared, lenses, runs};
use crate::common::Stage;
use std::collections::{BTreeMap, BTreeSet};

const SHAPES: &str = "shapes/shapes.plain.out";

/// Rows by some of their columns, those without cost and with it.
fn by(rows: &[BTreeMap<String, String>], columns: &[&str]) -> BTreeSet<Vec<String>> {
    let cell = |row: &BTreeMap<String, String>, column: &&str| row[*column].clone();
    rows.iter()
        .map(|row| columns.iter().map(|column| cell(row, column)).collect())
        .collect()
}

fn report(options: &[&str]) -> Vec<BTreeMap<String, String>> {
    let text =
        Stage::of("shapes").report(&[&["--format=csv"], options, &["shapes.plain.out"]].concat());
    csv::Reader::from_reader(text.as_bytes())
        .into_deserialize()
        .map(Result::unwrap)
        .collect()
}

/// Functions, callers and callees have a column each for name, file and object, whole, as the
/// tables of reports do.
#[test]
fn functions_are_written_as_in_tables() {
    let data = lenses(SHAPES);
    let mut walk = Walk::new(&data, SHAPES, (80, 24));
    let columns = ["function", "file", "object"];
    let (seen, wanted) = (
        by(&walk.csv(), &columns),
        by(&report(&["--threshold=100"]), &columns),
    );
    assert!(
        wanted.is_subset(&seen) && wanted.len() > 10,
        "{seen:?}\n{wanted:?}"
    );
    assert!(seen.iter().any(|row| row[2].starts_with('/')), "{seen:?}");
    walk.press(&["/"]).types("main").press(&["Enter", "g"]);
    let name = walk.csv()[0]["function"].clone();
    let rows = walk.press(&["Enter"]).csv();
    let columns = ["what", "calls", "function", "file", "object"];
    let wanted = by(&report(&[&format!("--zoom={name}")]), &columns);
    let seen = by(&rows, &columns);
    let named = |rows: &BTreeSet<Vec<String>>| {
        rows.iter()
            .filter(|row| row[0].starts_with("call"))
            .cloned()
            .collect::<BTreeSet<_>>()
    };
    assert!(
        named(&wanted).is_subset(&named(&seen)) && named(&wanted).len() > 2,
        "{seen:?}\n{wanted:?}"
    );
}

/// A comma, a quotation mark, a function that is gone, several that are one: each stands in its own
/// column.
#[test]
fn notes_have_a_column_of_their_own() {
    let text = "events: Ir\nob=/o,p\nfl=\"a\".c\nfn=main\n1 10\ncfn=f(int, char)\ncalls=1 2\n1 100\nfn=f(int, char)\n2 100\n";
    let new = "events: Ir\nob=/o,p\nfl=\"a\".c\nfn=main\n1 10\n";
    let data = runs(text, new);
    let mut walk = Walk::new(&data, SHAPES, (80, 24));
    let rows = walk.csv();
    assert_eq!(
        by(&rows, &["function", "file", "object"])
            .into_iter()
            .next()
            .unwrap(),
        ["main", "\"a\".c", "/o,p"]
    );
    assert!(!rows[0].contains_key("note"), "{rows:?}");
    let rows = walk.press(&["Enter"]).csv();
    let gone = rows.iter().find(|row| row["what"] == "callee").unwrap();
    assert_eq!(
        (&gone["function"][..], &gone["change"][..]),
        ("f(int, char)", "-100")
    );
    assert_eq!(
        (&gone["note"][..], &gone["Ir incl"][..]),
        ("in the old run only", "")
    );
    let data = compared("interpreter/perl.out", "interpreter/dash.out");
    let mut walk = Walk::new(&data, SHAPES, (80, 24));
    let noted = walk
        .csv()
        .iter()
        .any(|row| row["note"].ends_with(" compared as one"));
    assert!(noted);
}
