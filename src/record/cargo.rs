//! Builds an executable with cargo; cargo's messages say where it is.

use super::{NotFound, find};
use serde::Deserialize;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// An executable of the package in the current folder.
#[derive(Clone, PartialEq, Debug)]
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

/// Why there is no executable.
#[derive(Debug)]
pub enum CargoFailed {
    /// Cargo was not found.
    NotFound(NotFound),
    /// Cargo could not run.
    Io(std::io::Error),
    /// Cargo failed, and printed the reason.
    Failed,
    /// Cargo built nothing that can run.
    Nothing,
    /// Cargo built several, with these names.
    Several(Vec<String>),
}

impl std::fmt::Display for CargoFailed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CargoFailed::NotFound(e) => write!(f, "{e}"),
            CargoFailed::Io(e) => write!(f, "cargo: {e}"),
            CargoFailed::Failed => f.write_str("cargo could not build it"),
            CargoFailed::Nothing => f.write_str("cargo built no program of this kind"),
            CargoFailed::Several(names) => {
                write!(
                    f,
                    "cargo built several programs\nhint: name one of {}",
                    names.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for CargoFailed {}

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
    /// Cargo fails, or does not build exactly one executable.
    pub fn build(&self) -> Result<PathBuf, CargoFailed> {
        let mut command = Command::new(find("cargo".as_ref()).map_err(CargoFailed::NotFound)?);
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
            .map_err(CargoFailed::Io)?;
        let mut found: Vec<(Target, PathBuf)> = Vec::new();
        // With tests, cargo also builds the programs that they run.
        let is_meant = |target: &Target, profile: &CargoProfile| {
            self.kind != TargetKind::Test
                || profile.test
                || target.kind.iter().any(|kind| kind == "test")
        };
        for line in BufReader::new(child.stdout.take().ok_or(CargoFailed::Nothing)?).lines() {
            let line = line.map_err(CargoFailed::Io)?;
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
        if !child.wait().map_err(CargoFailed::Io)?.success() {
            return Err(CargoFailed::Failed);
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
            0 => Err(CargoFailed::Nothing),
            1 => Ok(found.swap_remove(0).1),
            _ => Err(CargoFailed::Several(
                found.into_iter().map(|(built, _)| built.name).collect(),
            )),
        }
    }

    /// The arguments of the executable; the harness of a bench needs `--bench`.
    pub fn arguments(&self) -> Vec<OsString> {
        let bench = (self.kind == TargetKind::Bench).then(|| OsString::from("--bench"));
        bench.into_iter().chain(self.args.iter().cloned()).collect()
    }
}
