//! Builds an executable with cargo; cargo's messages say where it is.

use super::find;
use crate::profile::joined;
use serde::Deserialize;
use std::{
    ffi::OsString,
    io::{self, BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

/// An executable of the package in the current folder.
#[derive(PartialEq, Debug)]
pub struct Built {
    /// The kind of executable.
    pub kind: TargetKind,
    /// Its name; optional if there is one of the kind.
    pub name: Option<String>,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// The kinds of executables that cargo builds.
#[derive(Clone, PartialEq, Debug, clap::ValueEnum)]
pub enum TargetKind {
    /// `cargo bench --bench NAME`.
    Bench,
    /// `cargo test --test NAME`, or the library's own tests.
    Test,
    /// `cargo run --bin NAME`.
    #[value(name = "run")]
    Binary,
    /// `cargo run --example NAME`.
    Example,
}

/// The part of cargo's messages that is read.
#[derive(Deserialize)]
struct CargoMessage {
    reason: String,
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default)]
    target: Option<Target>,
    #[serde(default)]
    profile: CargoProfile,
}

#[derive(Deserialize, Default)]
struct CargoProfile {
    /// Whether it has a harness for tests or benches.
    #[serde(default)]
    test: bool,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    #[serde(default)]
    kind: Vec<String>,
}

impl Built {
    /// Builds it with cargo, optimized and with debug information, and returns its path. Cargo's
    /// own output goes to standard error.
    ///
    /// # Errors
    /// A sentence: cargo fails, or does not build exactly one executable.
    pub fn build(&self) -> Result<PathBuf, String> {
        let failed = |e: io::Error| format!("cargo: {e}");
        let mut command = Command::new(find("cargo".as_ref()).map_err(|e| e.to_string())?);
        let (verb, one, all) = match self.kind {
            TargetKind::Bench => ("bench --no-run", "--bench", "--benches"),
            TargetKind::Test => ("test --no-run --release", "--test", "--tests"),
            TargetKind::Binary => ("build --release", "--bin", "--bins"),
            TargetKind::Example => ("build --release", "--example", "--examples"),
        };
        command
            .args(verb.split(' '))
            .arg("--message-format=json-render-diagnostics");
        match &self.name {
            Some(name) => command.arg(one).arg(name),
            None => command.arg(all),
        };
        // Overrides the package's profiles, for source lines and whole names of inlined functions,
        // which line tables alone do not have. This changes no instruction.
        for profile in ["RELEASE", "BENCH"] {
            command.env(format!("CARGO_PROFILE_{profile}_DEBUG"), "limited");
            command.env(format!("CARGO_PROFILE_{profile}_STRIP"), "none");
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut found: Vec<(Target, PathBuf)> = Vec::new();
        // With tests, cargo also builds the programs that they run.
        let is_meant = |target: &Target, profile: &CargoProfile| {
            self.kind != TargetKind::Test
                || profile.test
                || target.kind.iter().any(|kind| kind == "test")
        };
        for line in child
            .stdout
            .take()
            .into_iter()
            .flat_map(|out| BufReader::new(out).lines())
        {
            let line = line.map_err(failed)?;
            let Ok(message) = serde_json::from_str::<CargoMessage>(&line) else {
                continue;
            };
            if let (true, Some(path), Some(target)) = (
                message.reason == "compiler-artifact",
                message.executable,
                message.target,
            ) && is_meant(&target, &message.profile)
            {
                found.push((target, path));
            }
        }
        if !child.wait().map_err(failed)?.success() {
            return Err("cargo could not build it".into());
        }
        if let Some(name) = &self.name {
            found.retain(|(built, _)| built.name == *name);
        }
        // Cargo also builds benches of the library and the programs, which are mostly empty.
        let is_bench =
            |(built, _): &(Target, PathBuf)| built.kind.iter().any(|kind| kind == "bench");
        if self.kind == TargetKind::Bench && found.iter().any(is_bench) {
            found.retain(is_bench);
        }
        match found.len() {
            0 => Err("cargo built no program of this kind".into()),
            1 => Ok(found.swap_remove(0).1),
            _ => Err(format!(
                "cargo built several programs\nhint: name one of {}",
                joined(found.into_iter().map(|(built, _)| built.name), ", ")
            )),
        }
    }

    /// The arguments of the executable; the harness of a bench needs `--bench`.
    pub fn arguments(&self) -> Vec<OsString> {
        let bench = (self.kind == TargetKind::Bench).then(|| OsString::from("--bench"));
        bench.into_iter().chain(self.args.iter().cloned()).collect()
    }
}
