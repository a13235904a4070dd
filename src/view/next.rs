//! What to type next: commands that narrow down what the first screen shows.

use super::overview::Overview;
use crate::analysis::difference::names::last_part;
use crate::profile::{Event, Events};
use crate::text::names;
use std::path::{Path, PathBuf};

/// A command that shows more.
pub struct Next {
    /// The command, in lines that a shell takes for one.
    pub lines: Vec<String>,
    /// What it shows.
    pub remark: &'static str,
}

impl Next {
    /// The line that the remark stands behind.
    pub fn last_line(&self) -> &str {
        self.lines.last().map_or("", String::as_str)
    }
}

/// Commands that narrow it down, which name these inputs, in lines of so much width.
pub fn next(
    overview: &Overview<'_>,
    events: &Events,
    event: Event,
    inputs: &[PathBuf],
    room: Option<usize>,
) -> Vec<Next> {
    let command = |option: &str, value: Option<String>| {
        let words = ["cgannotate".to_owned(), option.to_owned()].into_iter().chain(value);
        let words = words.chain(inputs.first().map(|input| quoted_path(input)));
        words.chain((inputs.len() > 1).then(|| "...".to_owned())).collect::<Vec<String>>()
    };
    let lines = |words: &[String]| match room {
        Some(room) => names::typed(words, room),
        None => vec![words.join(" ")],
    };
    let hottest = overview.functions.first().filter(|row| events.count(row.self_cost, event).is_some());
    let zoom = |name: &[u8], [before, after]: [&str; 2]| {
        let name = regex::escape(&String::from_utf8_lossy(name));
        lines(&command("--zoom", Some(quoted(&format!("{before}{name}{after}")))))
    };
    let zoom = match hottest.map(|row| row.label.name) {
        None => lines(&command("--zoom", Some("NAME".into()))),
        Some(name) => match zoom(name, ["^", "$"]) {
            whole if whole.len() == 1 => whole,
            // What is short is rather typed.
            broken => match zoom(last_part(name), ["", ""]) {
                short if short.len() < broken.len() => short,
                _ => broken,
            },
        },
    };
    vec![
        Next { lines: zoom, remark: "callers, callees, source" },
        Next { lines: lines(&command("--by=file", None)), remark: "by file, object or class" },
        Next { lines: lines(&command("--auto=yes", None)), remark: "all, with sources" },
    ]
}

/// How many lines they take beyond one each.
pub fn beyond_one(commands: &[Next]) -> usize {
    commands.iter().map(|next| next.lines.len().saturating_sub(1)).sum()
}

/// A path as a shell takes it.
fn quoted_path(path: &Path) -> String {
    match path.to_str() {
        Some(text) => quoted(text),
        None => format!("$'{}'", path.as_os_str().as_encoded_bytes().escape_ascii()),
    }
}

/// An argument as a shell takes it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,%@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
