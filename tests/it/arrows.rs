//! The house keeps its shape: which module knows of which, as the table in `src/lib.rs` says, and
//! no two files that need each other. Read from the source's own `use` lines and paths.

use crate::common::files_of;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The source files below `src/`, by their module path (`input::callgrind`), without their tests.
fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (path, text) in files_of("src", "rs") {
        if !path.ends_with("finder_tests.rs") {
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let lines = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            found.insert(module(&path), lines.flat_map(|line| [line, "\n"]).collect());
        }
    }
    assert!(found.len() > 100, "only {} files", found.len());
    found
}

fn module(path: &str) -> String {
    path.trim_start_matches("src/")
        .trim_end_matches(".rs")
        .trim_end_matches("/mod")
        .replace('/', "::")
}

/// The absolute paths that a file names: `crate::…` anywhere, and `super::…` as seen from it.
fn named(module: &str, code: &str, sources: &BTreeMap<String, String>) -> Vec<String> {
    let has_children = sources
        .keys()
        .any(|other| other.starts_with(&format!("{module}::")));
    let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    let mut paths = Vec::new();
    for (word, base) in [("crate::", ""), ("super::", parent), ("self::", module)] {
        for (at, _) in code.match_indices(word) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == ':' || c == '_') {
                continue;
            }
            let rest = &code[at + word.len()..];
            // Deeper than one level up is a child's test module or none.
            let mut found = Vec::new();
            expand(base, rest, &mut found);
            paths.extend(found);
        }
    }
    // A parent's `use child::…` is written without `self::`.
    if has_children {
        for line in code
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("use "))
        {
            if sources.keys().any(|m| {
                Some(m.as_str())
                    == line
                        .split("::")
                        .next()
                        .map(|c| format!("{module}::{c}"))
                        .as_deref()
            }) {
                expand(module, line, &mut paths);
            }
        }
    }
    paths
}

/// The paths of one `use` tree, or the one path that is written there.
fn expand(base: &str, tree: &str, paths: &mut Vec<String>) {
    let end = tree
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(tree.len());
    let path = tree[..end].trim_end_matches("::");
    let joined = [base, path]
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join("::");
    if !tree[end..].starts_with('{') {
        paths.push(joined);
        return;
    }
    let (mut depth, mut start) = (0, end + 1);
    for (at, c) in tree[end..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || depth == 0 {
            let item = tree[start..end + at].trim();
            if !item.is_empty() {
                expand(&joined, item, paths);
            }
            start = end + at + 1;
        }
        if depth == 0 {
            break;
        }
    }
}

/// The file that a path is in: the longest of its beginnings that is a module.
fn file<'s>(path: &str, sources: &'s BTreeMap<String, String>) -> Option<&'s str> {
    let mut path = path;
    loop {
        if let Some((module, _)) = sources.get_key_value(path) {
            return Some(module);
        }
        path = path.rsplit_once("::")?.0;
    }
}

/// What the table of lib.rs lets each module know of.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let words = |cell: &str| -> BTreeSet<String> {
        let inside = cell.split('`').skip(1).step_by(2);
        inside
            .map(|word| word.trim_matches(['[', ']']).to_owned())
            .collect()
    };
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | "));
    let mut table = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        let (name, knows) = (words(cells[0]), words(cells[1]));
        if let Some(name) = name.into_iter().next() {
            table.insert(name, knows);
        }
    }
    table
}

#[test]
fn modules_know_of_each_other_as_the_table_says() {
    let (sources, allowed) = (sources(), allowed());
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, code) in &sources {
        let here = module.split("::").next().unwrap();
        if matches!(here, "main" | "lib") {
            continue;
        }
        for path in named(module, code, &sources) {
            let there = path.split("::").next().unwrap();
            if there != here && sources.keys().any(|m| m.split("::").next() == Some(there)) {
                let may = allowed
                    .get(here)
                    .unwrap_or_else(|| panic!("lib.rs has no row for {here}"));
                assert!(
                    may.contains(there),
                    "{module} names {path}, and {here} may know of {may:?}"
                );
                used.entry(here.to_owned())
                    .or_default()
                    .insert(there.to_owned());
            }
        }
    }
    for (here, may) in &allowed {
        let unused: Vec<_> = may
            .iter()
            .filter(|there| used.get(here).is_none_or(|u| !u.contains(*there)))
            .collect();
        assert!(
            unused.is_empty(),
            "the table lets {here} know of {unused:?}, which it does not need"
        );
    }
    // The arrows themselves have no circle: whoever is known knows nobody back.
    let mut left: BTreeSet<&String> = allowed.keys().collect();
    while let Some(&lowest) = left
        .iter()
        .find(|here| allowed[**here].iter().all(|there| !left.contains(there)))
    {
        left.remove(lowest);
    }
    assert!(left.is_empty(), "a circle among {left:?}");
}

#[test]
fn no_two_files_need_each_other() {
    let sources = sources();
    let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, code) in &sources {
        for path in named(module, code, &sources) {
            let Some(there) = file(&path, &sources) else {
                continue;
            };
            // A folder's own mod.rs knows its files, and is known to them.
            let is_family =
                |a: &str, b: &str| a.rsplit_once("::").is_some_and(|(parent, _)| parent == b);
            if there != module
                && !is_family(there, module)
                && !is_family(module, there)
                && there != "lib"
            {
                needs.entry(module).or_default().insert(there);
            }
        }
    }
    let mut circles = Vec::new();
    for (&a, others) in &needs {
        for &b in others {
            // Whether `a` is needed by whatever `b` needs.
            let (mut seen, mut next) = (BTreeSet::new(), vec![b]);
            while let Some(at) = next.pop() {
                if seen.insert(at) {
                    next.extend(needs.get(at).into_iter().flatten());
                }
            }
            if seen.contains(a) {
                circles.push(format!("{a} and {b}"));
            }
        }
    }
    assert!(
        circles.is_empty(),
        "these need each other:\n{}",
        circles.join("\n")
    );
}

/// A name that stands for two types makes readers mix them up, and a search finds both.
#[test]
fn each_type_has_a_name_of_its_own() {
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (module, code) in sources() {
        for line in code.lines().filter(|line| !line.starts_with(' ')) {
            let mut words = line
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|w| !w.is_empty());
            let kind = words
                .by_ref()
                .find(|word| !["pub", "crate", "super", "in", "input"].contains(word));
            if kind.is_some_and(|kind| ["struct", "enum", "trait", "type"].contains(&kind)) {
                let name = words.next().unwrap().to_owned();
                homes.entry(name).or_default().push(module.clone());
            }
        }
    }
    assert!(homes.len() > 500, "only {} types", homes.len());
    homes.retain(|_, homes| homes.len() > 1);
    assert!(homes.is_empty(), "{homes:#?}");
}

#[test]
fn no_function_is_called_of() {
    for (module, code) in sources() {
        assert!(!code.contains("fn of("), "{module}");
    }
}
