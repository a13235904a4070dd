//! The scripts of each page, in the order in which they are joined: each after its imports, the one
//! that begins last.

macro_rules! scripts {
    ($($name:literal)*) => { &[$(include_str!(concat!("web/", $name, ".js"))),*] };
}

/// The scripts of the page of one profile.
pub(super) const REPORT: &[&str] = scripts![
    "columns" "numbers" "elements" "profile" "state" "app" "table" "function" "tree" "around" "picture" "tabs" "main" "begin_report"
];
/// The scripts of the page of a comparison.
pub(super) const COMPARISON: &[&str] = scripts![
    "columns" "numbers" "elements" "state" "table" "app" "tree" "picture" "comparison" "changes" "begin_comparison"
];
/// The scripts of the page of many runs.
pub(super) const TREND: &[&str] =
    scripts!["columns" "numbers" "elements" "app" "trend" "begin_trend"];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;

    /// The top-level names that a script declares, and whether each is exported.
    fn declared(script: &str) -> BTreeMap<&str, bool> {
        let names = script.lines().filter_map(|line| {
            let (exported, line) = line
                .strip_prefix("export ")
                .map_or((false, line), |line| (true, line));
            let line = line.strip_prefix("async ").unwrap_or(line);
            let words = ["function ", "class ", "const ", "let "];
            let rest = words.iter().find_map(|word| line.strip_prefix(word));
            assert!(
                rest.is_some() || !exported,
                "what is exported is declared there: {line}"
            );
            rest?
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .map(|name| (name, exported))
        });
        let names: Vec<_> = names.collect();
        let unique: BTreeMap<_, _> = names.iter().copied().collect();
        assert_eq!(names.len(), unique.len(), "{names:?}");
        unique
    }

    /// The imports of a script, by file.
    fn imported(script: &str) -> Vec<(String, Vec<String>)> {
        let statements = format!("\n{script}");
        let imports = statements.split("\nimport ").skip(1).map(|rest| {
            let (names, file) = rest
                .split_once(';')
                .and_then(|(import, _)| import.split_once(" from \"./"))
                .unwrap();
            let names = names
                .trim()
                .strip_prefix('{')
                .and_then(|names| names.strip_suffix('}'))
                .unwrap();
            let names = names
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty());
            (file.strip_suffix('"').unwrap().to_owned(), names.collect())
        });
        imports.collect()
    }

    #[test]
    fn each_script_stands_after_what_it_imports() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/render/page/web");
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".js") {
                files.insert(
                    fs::read_to_string(format!("{folder}/{name}")).unwrap(),
                    name,
                );
            }
        }
        let mut joined = BTreeSet::new();
        for page in [REPORT, COMPARISON, TREND] {
            // The names declared by earlier scripts, by file; all declared names; the files that
            // are imported.
            let (mut before, mut all, mut needed) =
                (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
            for &script in page {
                let name = &files[script];
                for (file, names) in imported(script) {
                    let there: &BTreeMap<&str, bool> = before
                        .get(&file)
                        .unwrap_or_else(|| panic!("{name}: {file}"));
                    assert!(
                        names.iter().all(|n| there.get(&n[..]) == Some(&true)),
                        "{name}: {names:?} of {file}"
                    );
                    needed.insert(file);
                }
                let declared = declared(script);
                assert!(
                    declared.keys().all(|other| all.insert(*other)),
                    "{name} declares what another declares"
                );
                before.insert(name.clone(), declared);
                joined.insert(name.clone());
            }
            let last = &files[*page.last().unwrap()];
            let useless: Vec<_> = before
                .keys()
                .filter(|name| *name != last && !needed.contains(*name))
                .collect();
            assert!(
                useless.is_empty() && last.starts_with("begin_"),
                "{useless:?} {last}"
            );
        }
        assert_eq!(joined, files.into_values().collect());
    }
}
