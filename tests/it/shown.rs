//! Every ```` ```console ```` block of the documents is run, and must print what stands there. A
//! line that begins with `$ ` is a command; `\` at its end continues it. `...` stands for any
//! lines, `…` at the end of a line for the rest of it.
//!
//! The commands of a page run one after the other in a folder with a copy of `fixtures/`, whose
//! sources are older than its profiles.

use crate::common::{Stage, assert_same, copy, files_of, fixtures};
use std::collections::BTreeMap;
use std::path::Path;

/// A command of a page, and what the page says that it prints.
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The commands of a page, in their order.
fn shown(page: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let blocks = page.split("```console\n").skip(1);
    for block in blocks.map(|rest| rest.split("```").next().unwrap()) {
        let block = block.replace("\\\n", "");
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => found.push(Shown {
                    command: command.to_owned(),
                    output: Vec::new(),
                }),
                None => found.last_mut().unwrap().output.push(line.to_owned()),
            }
        }
    }
    found
}

/// Whether lines are those of a pattern, in which `...` stands for any lines and `…` for the rest
/// of one.
fn matches(pattern: &[String], lines: &[&str]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return lines.is_empty();
    };
    if first == "..." {
        return (0..=lines.len()).any(|at| matches(rest, &lines[at..]));
    }
    let is_same = |line: &&&str| match first.strip_suffix('…') {
        Some(start) => line.starts_with(start),
        None => line.trim_end() == first.trim_end(),
    };
    lines.first().filter(is_same).is_some() && matches(rest, &lines[1..])
}

/// Runs the commands of a page; gives what they print as the page would have it.
fn run(page: &str) {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("fixtures")).unwrap();
    copy(&fixtures(), &stage.dir.join("fixtures"));
    let programs = Path::new(env!("CARGO_BIN_EXE_cgannotate"))
        .parent()
        .unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.display());
    for shown in shown(page) {
        let script = format!("exec 2>&1\n{}", shown.command);
        let mut command = stage.any("sh", &["-c", &script]);
        let out = command.env("PATH", &path).output().unwrap();
        let printed = String::from_utf8(out.stdout).unwrap();
        let lines: Vec<&str> = printed.lines().collect();
        if !matches(&shown.output, &lines) {
            let want = shown.output.join("\n");
            assert_same(&format!("$ {}", shown.command), &want, &printed);
            panic!("{}: {printed}", shown.command);
        }
    }
}

/// The pages of the documents.
fn pages() -> BTreeMap<String, String> {
    let mut pages = files_of("docs", "md");
    for name in ["README.md", "CONTRIBUTING.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        pages.insert(name.to_owned(), std::fs::read_to_string(path).unwrap());
    }
    pages
}

#[test]
fn the_documents_show_what_the_commands_print() {
    let pages = pages();
    let with_commands = pages.iter().filter(|(_, page)| page.contains("```console"));
    let mut count = 0;
    for (name, page) in with_commands {
        println!("{name}");
        run(page);
        count += 1;
    }
    assert!(count > 0);
}

/// What links to a heading end with.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    heading
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

#[test]
fn links_of_the_documents_lead_somewhere() {
    let mut missing = Vec::new();
    for (name, page) in pages() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(&name);
        for link in page.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => folder.clone(),
                path => folder.parent().unwrap().join(path),
            };
            let is_heading = |text: String| {
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                headings.any(|line| anchor(line) == heading)
            };
            let is_there = match heading {
                "" => target.exists(),
                _ => std::fs::read_to_string(&target).is_ok_and(is_heading),
            };
            if !is_there && !link.contains("://") {
                missing.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
