//! The formats that are read, against what their own tools show of the same files.

mod aprof;
mod trace;
mod webgrind;
mod writers;
mod xdebug;

use crate::common::schema::SCHEMA;
use cgannotate::input;
use cgannotate::profile::{CallTree, Context, FunctionId};
use std::fs;
use std::path::Path;

/// Calls `see` with the functions of every chain, outermost first.
fn walk(tree: &CallTree, mut see: impl FnMut(&Context, &[FunctionId])) {
    let mut chain = Vec::new();
    for context in &tree.contexts {
        chain.truncate(context.depth as usize);
        chain.push(context.function);
        see(context, &chain);
    }
}

/// The first cells of the rows of a table, which follows a line with `heading`.
fn rows(page: &str, heading: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().skip_while(|line| *line != heading).skip(2);
    lines
        .map_while(|line| Some(line.strip_prefix("| ")?.split(" |").next()?.to_lowercase()))
        .collect()
}

/// Every format has a name of its own, and lines in the tables that say what is read and how its
/// files end.
#[test]
fn the_tables_have_every_format() {
    let read = rows(
        "docs/formats.md",
        "| written by | what is special about it |",
    );
    let ends = rows(
        "docs/limits.md",
        "| writer | ends with | truncation is noticed |",
    );
    let shown = &SCHEMA["$defs"]["Profile"]["properties"]["format"]["enum"];
    let mut names = Vec::new();
    for format in input::formats() {
        let has = |rows: &[String]| rows.iter().any(|row| row.contains(format.name));
        assert!(
            format.is_ours || has(&read),
            "docs/formats.md: {}",
            format.name
        );
        assert!(has(&ends), "docs/limits.md: {}", format.name);
        // What is read of a pack has the format of its first profile.
        let is_shown = shown.as_array().unwrap().contains(&format.shown.into());
        assert!(
            is_shown || format.name == "pack",
            "docs/json.schema.json: {}",
            format.shown
        );
        assert!(!names.contains(&format.name), "{names:?}");
        names.push(format.name);
    }
}
