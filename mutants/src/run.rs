//! Runs the tests: once as they are, to see which mutants each of them comes by, and then those for every mutant.

use crate::mutant::Mutant;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A test that passes without any mutant.
#[derive(Clone)]
pub struct Test {
    program: PathBuf,
    pub name: String,
    takes: Duration,
    /// The mutants that it comes by.
    comes_by: HashSet<usize>,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// This test failed.
    Caught(String),
    /// So many tests come by, and all pass.
    Missed(usize),
}

/// The test that looks the scripts of the program up among the files, of which a mutant is another one.
const OF_FILES: &str = "each_script_stands_after_what_it_imports";

/// Where the tests run, and how many at once.
pub struct Runner<'r> {
    pub root: &'r Path,
    pub home: PathBuf,
    pub jobs: usize,
}

impl Runner<'_> {
    /// Runs all tests without a mutant. Those that fail take no part: some read the sources, which are changed here.
    pub fn tests(&self, programs: &[PathBuf]) -> Result<(Vec<Test>, Vec<String>), Box<dyn Error>> {
        let mut names = Vec::new();
        for program in programs {
            let out = Command::new(program)
                .args(["--list", "--format", "terse"])
                .current_dir(self.root)
                .output()?;
            for line in String::from_utf8_lossy(&out.stdout).lines() {
                names.extend(
                    line.strip_suffix(": test")
                        .map(|name| (program.clone(), name.to_owned())),
                );
            }
        }
        let failed = Mutex::new(Vec::new());
        let tests = Mutex::new(Vec::new());
        self.each(names.len(), |worker, at| {
            let (program, name) = &names[at];
            let trace = self.home.join(format!("trace-{at}"));
            let _ = fs::remove_file(&trace);
            let started = Instant::now();
            let passes = self.passes(
                worker,
                program,
                name,
                Duration::from_secs(600),
                &[("MUTANT_TRACE", trace.as_os_str())],
            );
            let takes = started.elapsed();
            if passes {
                let asked = fs::read_to_string(&trace).unwrap_or_default();
                let comes_by = asked.lines().filter_map(|line| line.parse().ok()).collect();
                lock(&tests).push(Test {
                    program: program.clone(),
                    name: name.clone(),
                    takes,
                    comes_by,
                });
            } else {
                lock(&failed).push(name.clone());
            }
            let _ = fs::remove_file(&trace);
        });
        let mut tests = tests.into_inner()?;
        // What is quick decides most.
        tests.sort_by(|a: &Test, b: &Test| a.takes.cmp(&b.takes).then_with(|| a.name.cmp(&b.name)));
        Ok((tests, failed.into_inner()?))
    }

    /// What became of each of these mutants. `count` is the number of all that were built.
    pub fn outcomes(
        &self,
        mutants: &[Mutant],
        chosen: &[usize],
        tests: &[Test],
    ) -> HashMap<usize, Outcome> {
        let all = Mutex::new(HashMap::new());
        let scripts = Mutex::new(());
        self.each(chosen.len(), |worker, at| {
            let number = chosen[at];
            let mutant = &mutants[number];
            let outcome = if mutant.is_script() {
                let _one = lock(&scripts);
                self.script(worker, mutant, mutants.len(), tests)
            } else {
                let number_text = number.to_string();
                self.outcome(
                    worker,
                    tests.iter().filter(|test| test.comes_by.contains(&number)),
                    &[("MUTANT", number_text.as_ref())],
                    |_| (),
                )
            };
            let what = match &outcome {
                Outcome::Caught(test) => format!("caught by {test}"),
                Outcome::Missed(count) => format!("MISSED by {count}"),
            };
            eprintln!("  {}:{} {}: {what}", mutant.file, mutant.line, mutant.what);
            lock(&all).insert(number, outcome);
        });
        all.into_inner().unwrap_or_default()
    }

    /// A script is rewritten where Node's tests read it, and exchanged where the program writes a page.
    fn script(&self, worker: usize, mutant: &Mutant, mark: usize, tests: &[Test]) -> Outcome {
        let path = self.root.join(&mutant.file);
        let Ok(text) = fs::read_to_string(&path) else {
            return Outcome::Missed(0);
        };
        let mut changed = text.clone();
        for edit in &mutant.edits {
            changed.replace_range(edit.range.clone(), &edit.text);
        }
        let from = self.home.join("script-from");
        let written = fs::write(&from, &text).and_then(|()| fs::write(&path, &changed));
        let asked = tests.iter().filter(|test| {
            (test.comes_by.contains(&mark) || test.name.contains("script"))
                && !test.name.ends_with(OF_FILES)
        });
        let write = |on: bool| {
            if let Err(e) = fs::write(&path, if on { &changed } else { &text }) {
                eprintln!("{}: {e}", path.display());
            }
        };
        let outcome = match written {
            Ok(()) => self.outcome(
                worker,
                asked,
                &[
                    ("MUTANT_FROM", from.as_os_str()),
                    ("MUTANT_TO", path.as_os_str()),
                ],
                write,
            ),
            Err(_) => Outcome::Missed(0),
        };
        if let Err(e) = fs::write(&path, text) {
            eprintln!("{}: {e}", path.display());
        }
        outcome
    }

    fn outcome<'t>(
        &self,
        worker: usize,
        tests: impl Iterator<Item = &'t Test>,
        variables: &[(&str, &std::ffi::OsStr)],
        switch: impl Fn(bool),
    ) -> Outcome {
        let mut count = 0;
        for test in tests {
            let most = 5 * test.takes + Duration::from_secs(20);
            let passes =
                |variables| self.passes(worker, &test.program, &test.name, most, variables);
            if !passes(variables) {
                // What fails or takes too long without the mutant, too, has not noticed it.
                switch(false);
                if passes(&[]) {
                    return Outcome::Caught(test.name.clone());
                }
                switch(true);
                eprintln!("  {} fails now and then", test.name);
                continue;
            }
            count += 1;
        }
        Outcome::Missed(count)
    }

    fn passes(
        &self,
        worker: usize,
        program: &Path,
        name: &str,
        most: Duration,
        variables: &[(&str, &std::ffi::OsStr)],
    ) -> bool {
        let folder = self.home.join(format!("tmp-{worker}"));
        let _ = fs::create_dir_all(&folder);
        let child = Command::new(program)
            .args(["--exact", name, "--test-threads", "1"])
            .current_dir(self.root)
            .env("MUTANTS_TMP", &folder)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        let Ok(mut child) = child else { return false };
        let end = Instant::now() + most;
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return status.success(),
                Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
                _ => {
                    // All that it started, too.
                    let _ = Command::new("kill")
                        .args(["-KILL", "--", &format!("-{}", child.id())])
                        .status();
                    let _: io::Result<_> = child.wait();
                    return false;
                }
            }
        }
    }

    /// Does something for each number below `count`, as many at once as there are jobs.
    fn each(&self, count: usize, act: impl Fn(usize, usize) + Sync) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for worker in 0..self.jobs {
                let (next, act) = (&next, &act);
                scope.spawn(move || {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        if at >= count {
                            return;
                        }
                        act(worker, at);
                    }
                });
            }
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
