//! A copy of the project with all mutants of the samples in it, each behind a switch, and its tests built.

use crate::mutant::{self, Mutant};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the copy is.
pub struct Tree {
    pub root: PathBuf,
    build: PathBuf,
    /// The files as they are in the project.
    texts: HashMap<String, String>,
}

/// The switches, as the copy has them.
const SWITCHES: &str = r#"//! Which mutant is on, and which were asked for.
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

pub fn on(number: usize) -> bool {
    static SET: OnceLock<(Option<usize>, Option<std::ffi::OsString>)> = OnceLock::new();
    let (active, trace) =
        SET.get_or_init(|| (std::env::var("MUTANT").ok().and_then(|n| n.parse().ok()), std::env::var_os("MUTANT_TRACE")));
    if let Some(trace) = trace
        && !ASKED[number].swap(true, Ordering::Relaxed)
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(trace)
    {
        let _ = std::io::Write::write_all(&mut file, format!("{number}\n").as_bytes());
    }
    *active == Some(number)
}

pub fn script(text: String) -> String {
    on(COUNT - 1);
    let file = |name| std::env::var_os(name).and_then(|path| std::fs::read_to_string(path).ok());
    match (file("MUTANT_FROM"), file("MUTANT_TO")) {
        (Some(from), Some(to)) => text.replace(&from, &to),
        _ => text,
    }
}
"#;

impl Tree {
    /// Copies what is tracked, and removes what is no more. Files that did not change are left alone, so that they are not
    /// compiled again.
    pub fn copy(project: &Path) -> Result<Tree, Box<dyn Error>> {
        let home = project.join("target/mutants");
        let (root, build) = (home.join("tree"), home.join("build"));
        let listed = Command::new("git")
            .args(["ls-files", "-z"])
            .current_dir(project)
            .output()?;
        let listed = String::from_utf8(listed.stdout)?;
        let mut texts = HashMap::new();
        let wanted: HashSet<PathBuf> = (listed.split_terminator('\0'))
            .filter(|file| project.join(file).exists())
            .map(|file| root.join(file))
            .collect();
        remove_others(&root, &wanted)?;
        for file in listed.split_terminator('\0') {
            let bytes = match fs::read(project.join(file)) {
                Ok(bytes) => bytes,
                Err(_) => continue,
            };
            let is_source =
                file.starts_with("src/") && (file.ends_with(".rs") || file.ends_with(".js"));
            let is_test = file.starts_with("tests/") && file.ends_with(".rs");
            if is_source && !file.ends_with("_tests.rs") && !file.ends_with(".test.js") {
                texts.insert(file.to_owned(), String::from_utf8(bytes)?);
            } else if is_test {
                let text = String::from_utf8(bytes)?;
                // Runs of two mutants at once must not share a folder.
                let mut text =
                    text.replace("env!(\"CARGO_TARGET_TMPDIR\")", "crate::folder_for_tests()");
                if file == "tests/it/main.rs" {
                    text.push_str(
                        "\npub fn folder_for_tests() -> &'static str {\n    static SET: std::sync::OnceLock<String> = std::sync::OnceLock::new();\n    \
                         SET.get_or_init(|| std::env::var(\"MUTANTS_TMP\").unwrap())\n}\n",
                    );
                }
                put(&root.join(file), text.as_bytes())?;
            } else {
                put(&root.join(file), &bytes)?;
                // Scripts that run need the right to.
                fs::set_permissions(
                    root.join(file),
                    fs::metadata(project.join(file))?.permissions(),
                )?;
            }
        }
        Ok(Tree { root, build, texts })
    }

    pub fn texts(&self) -> &HashMap<String, String> {
        &self.texts
    }

    /// Writes the sources with these mutants in them, and builds the tests. Gives which mutants could be built, and the
    /// programs of tests.
    pub fn build(
        &self,
        mutants: &[Mutant],
    ) -> Result<(HashSet<usize>, Vec<PathBuf>), Box<dyn Error>> {
        let mut alive: HashSet<usize> = (0..mutants.len()).collect();
        for step in [&["check", "--lib"][..], &["test", "--no-run"]] {
            loop {
                let ranges = self.write(mutants, &mut alive)?;
                let (errors, programs) = self.cargo(step)?;
                eprintln!(
                    "  cargo {}: {} errors, {} mutants",
                    step.join(" "),
                    errors.len(),
                    alive.len()
                );
                if errors.is_empty() {
                    if step[0] == "test" {
                        return Ok((alive, programs));
                    }
                    break;
                }
                let before = alive.len();
                for error in &errors {
                    drop_those_at(error, mutants, &ranges, &mut alive);
                }
                if alive.len() == before {
                    return Err(
                        format!("no mutant is to blame for: {}", errors[0]["rendered"]).into(),
                    );
                }
            }
        }
        unreachable!("the last step returns")
    }

    /// Writes the sources, and gives the ranges of the mutants in each.
    fn write(
        &self,
        mutants: &[Mutant],
        alive: &mut HashSet<usize>,
    ) -> Result<HashMap<String, Vec<(usize, Range<usize>)>>, Box<dyn Error>> {
        let mut all = HashMap::new();
        let mut written: HashMap<usize, usize> = HashMap::new();
        for (file, text) in &self.texts {
            let here: Vec<(usize, &Mutant)> = alive
                .iter()
                .map(|&number| (number, &mutants[number]))
                .filter(|(_, mutant)| {
                    !mutant.is_script() && mutant.edits.iter().any(|edit| edit.file == *file)
                })
                .collect();
            let (mut text, ranges) = mutant::write(text, file, &here);
            for (number, _) in &ranges {
                *written.entry(*number).or_default() += 1;
            }
            match file.as_str() {
                "src/lib.rs" => text.push_str("\n#[doc(hidden)]\npub mod mutation;\n"),
                "src/render/page/shell.rs" => {
                    let hooked = text.replacen(
                        "self.scripts.concat()",
                        "crate::mutation::script(self.scripts.concat())",
                        1,
                    );
                    if hooked == text {
                        return Err(
                            "shell.rs joins the scripts in another way now: no mutant of theirs can be switched on"
                                .into(),
                        );
                    }
                    text = hooked;
                }
                _ => {}
            }
            put(&self.root.join(file), text.as_bytes())?;
            all.insert(file.clone(), ranges);
        }
        let count = format!("const COUNT: usize = {};\n", mutants.len() + 1);
        put(
            &self.root.join("src/mutation.rs"),
            [SWITCHES, &count].concat().as_bytes(),
        )?;
        // Edits that cross others were not written: what is left of their mutants goes, too.
        let before = alive.len();
        alive.retain(|number| {
            let mutant = &mutants[*number];
            mutant.is_script()
                || written.get(number).copied().unwrap_or_default() == mutant.edits.len()
        });
        if alive.len() < before {
            return self.write(mutants, alive);
        }
        Ok(all)
    }

    /// Errors of the compiler, and programs of tests.
    fn cargo(&self, arguments: &[&str]) -> Result<(Vec<Value>, Vec<PathBuf>), Box<dyn Error>> {
        let out = Command::new("cargo")
            .args(arguments)
            .arg("--message-format=json")
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.build)
            .env("RUSTFLAGS", "-Awarnings")
            // A minute more to build, and a third of the time for the tests.
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            .stderr(Stdio::null())
            .output()?;
        let (mut errors, mut programs) = (Vec::new(), Vec::new());
        for line in String::from_utf8_lossy(&out.stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let is_error = message["message"]["level"] == "error";
            if is_error
                && message["message"]["spans"]
                    .as_array()
                    .is_some_and(|spans| !spans.is_empty())
            {
                errors.push(message["message"].clone());
            }
            if message["profile"]["test"] == true
                && let Some(program) = message["executable"].as_str()
            {
                programs.push(program.into());
            }
        }
        if errors.is_empty() && !out.status.success() {
            return Err(format!(
                "cargo {} failed in {}",
                arguments.join(" "),
                self.root.display()
            )
            .into());
        }
        Ok((errors, programs))
    }
}

/// Drops the mutants that an error is about: those it lies in, else those of its lines.
fn drop_those_at(
    error: &Value,
    mutants: &[Mutant],
    ranges: &HashMap<String, Vec<(usize, Range<usize>)>>,
    alive: &mut HashSet<usize>,
) {
    // An arm that another needs: the error is about what is matched, in front of the arms.
    let lacks_arm = error["code"]["code"] == "E0004";
    let mut found = Vec::new();
    for mut span in error["spans"].as_array().into_iter().flatten() {
        // What a macro of the library became stands where it is used.
        while !span["file_name"]
            .as_str()
            .is_some_and(|file| ranges.contains_key(file))
            && span["expansion"].is_object()
        {
            span = &span["expansion"]["span"];
        }
        let Some(here) = span["file_name"].as_str().and_then(|file| ranges.get(file)) else {
            continue;
        };
        let (Some(begin), Some(end)) = (span["byte_start"].as_u64(), span["byte_end"].as_u64())
        else {
            continue;
        };
        let (begin, end) = (begin as usize, end as usize);
        if lacks_arm {
            let arms = here.iter().filter(|(number, range)| {
                mutants[*number].kind == "match arm" && range.start >= begin
            });
            found.extend(
                arms.min_by_key(|(_, range)| range.start)
                    .map(|(number, _)| (0, *number)),
            );
            continue;
        }
        // The innermost.
        let around = here
            .iter()
            .filter(|(_, range)| range.start <= begin && end <= range.end);
        let inner = here
            .iter()
            .filter(|(_, range)| begin <= range.start && range.end <= end);
        found.extend(
            around
                .min_by_key(|(_, range)| range.len())
                .map(|(number, _)| (0, *number)),
        );
        found.extend(inner.map(|(number, range)| (1 + range.start - begin, *number)));
        // What follows a mutant can be what does not fit it.
        let before = here.iter().filter(|(_, range)| range.start <= begin);
        found.extend(
            before
                .max_by_key(|(_, range)| range.start)
                .map(|(number, _)| (usize::MAX, *number)),
        );
    }
    found.sort_unstable();
    match found.first() {
        Some((0, _)) => found
            .iter()
            .filter(|(distance, _)| *distance == 0)
            .for_each(|(_, number)| {
                alive.remove(number);
            }),
        Some(_) => found.iter().for_each(|(_, number)| {
            alive.remove(number);
        }),
        None => {}
    }
}

/// Removes files below a folder, but for these.
fn remove_others(folder: &Path, wanted: &HashSet<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        if kind.is_dir() {
            remove_others(&path, wanted)?;
        } else if !wanted.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, bytes)?)
}
