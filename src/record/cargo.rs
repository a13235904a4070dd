//! What cargo builds: the messages that it writes for programs say where it put an executable.

use super::NotFound;
use super::program::find;
use serde::Deserialize;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// An executable of the package in this folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// What it is.
    pub kind: Kind,
    /// Its name; not needed where there is one of the kind.
    pub name: Option<String>,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// The kinds of executables that cargo builds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `cargo bench --bench NAME`.
    Bench,
    /// `cargo test --test NAME`, or the library's own tests.
    Test,
    /// `cargo run --bin NAME`.
    Binary,
    /// `cargo run --example NAME`.
    Example,
}

/// Why there is no executable.
#[derive(Debug)]
pub enum CargoFailed {
    /// There is no cargo.
    NotFound(NotFound),
    /// It could not be run.
    Io(std::io::Error),
    /// It failed, and has said why.
    Failed,
    /// It built nothing that can be run.
    Nothing,
    /// It built several, of these names.
    Several(Vec<String>),
}

impl std::fmt::Display for CargoFailed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CargoFailed::NotFound(e) => write!(f, "{e}"),
            CargoFailed::Io(e) => write!(f, "cargo: {e}"),
            CargoFailed::Failed => f.write_str("cargo could not build it"),
            CargoFailed::Nothing => f.write_str("cargo built nothing of this kind that can be run"),
            CargoFailed::Several(names) => {
                write!(f, "cargo built several: name one of {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for CargoFailed {}

/// What is read of cargo's messages.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    executable: Option<PathBuf>,
    #[serde(default)]
    target: Option<Target>,
    #[serde(default)]
    profile: Profile,
}

#[derive(Deserialize, Default)]
struct Profile {
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
    /// Has cargo build it, optimised and with debug information. Gives the executable; cargo's own output goes to standard error.
    ///
    /// # Errors
    /// Cargo fails, or there is not exactly one.
    pub fn build(&self) -> Result<PathBuf, CargoFailed> {
        let mut command = Command::new(find("cargo".as_ref()).map_err(CargoFailed::NotFound)?);
        let (verb, one, all) = match self.kind {
            Kind::Bench => (&["bench", "--no-run"][..], "--bench", "--benches"),
            Kind::Test => (&["test", "--no-run", "--release"][..], "--test", "--tests"),
            Kind::Binary => (&["build", "--release"][..], "--bin", "--bins"),
            Kind::Example => (&["build", "--release"][..], "--example", "--examples"),
        };
        command
            .args(verb)
            .arg("--message-format=json-render-diagnostics");
        match &self.name {
            Some(name) => command.arg(one).arg(name),
            None => command.arg(all),
        };
        // Whatever the package says: lines, and whole names of what is inlined, which line tables alone do not have. They change
        // no instruction.
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
        // Beside tests cargo builds the programs that they run.
        let is_meant = |target: &Target, profile: &Profile| {
            self.kind != Kind::Test || profile.test || target.kind.iter().any(|kind| kind == "test")
        };
        for line in BufReader::new(child.stdout.take().ok_or(CargoFailed::Nothing)?).lines() {
            let line = line.map_err(CargoFailed::Io)?;
            let Ok(message) = serde_json::from_str::<Message>(&line) else {
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
        // Of a library and a program cargo builds benches, too, which mostly have nothing in them.
        let is_bench =
            |(built, _): &(Target, PathBuf)| built.kind.iter().any(|kind| kind == "bench");
        if self.kind == Kind::Bench && found.iter().any(is_bench) {
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

    /// The arguments of the executable: a bench is told that it is one.
    pub fn arguments(&self) -> Vec<OsString> {
        let bench = (self.kind == Kind::Bench).then(|| OsString::from("--bench"));
        bench.into_iter().chain(self.args.iter().cloned()).collect()
    }
}
