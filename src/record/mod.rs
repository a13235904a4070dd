//! Runs a program under Valgrind's Callgrind, and finds out how that ended. It prints nothing: what
//! a person should know is a [`Remark`], which `commands` prints.
//!
//! ```text
//! cargo: what it built ─▶ program: found, examined ─▶ files: their names ─▶ run ─▶ outcome
//!                                                                           └─▶ control: progress
//! ```
//!
//! What Valgrind writes stays in a hidden folder ([`Private`]) until the run has ended. `PATH` says
//! where programs are.

mod cargo;
mod control;
mod describe;
mod facts;
mod files;
mod outcome;
mod program;
mod run;
mod signals;

pub(crate) use self::{
    cargo::{Built, TargetKind},
    control::so_far,
    describe::{Description, commit},
    facts::facts,
    files::{FileNaming, Private, is_one_run, is_set_aside, name_of_run, newest_run},
    outcome::{Outcome, is_of_command},
    program::{Executable, NotFound, find, lack},
    run::{Ended, Recording},
    signals::Forwarded,
};
#[cfg(unix)]
pub(crate) use signals::ignored as ignored_signals;

use crate::{
    analysis::doubts::{Object, ObjectOrigin},
    profile::inlined::Lack,
};
use std::{ffi::OsString, fmt, path::PathBuf};

/// The program to run.
#[derive(PartialEq, Debug)]
pub enum Program {
    /// A program with arguments.
    Named {
        /// The program as typed.
        name: OsString,
        /// Its arguments.
        args: Vec<OsString>,
    },
    /// An executable that cargo builds.
    Cargo(Built),
}

/// What a person should know about a recording.
pub(crate) enum Remark {
    /// The program is a script with this interpreter.
    Script(PathBuf),
    /// What the program's file lacks, before it runs.
    ProgramLacks(Lack, Object),
    /// What an executable or a library with this percentage of the cost lacks.
    Lacks(Lack, Object, f64),
    /// Nothing was written, because the program became another one (exec): a sentence.
    Became(String),
    /// Why a profile is lost, as a sentence.
    Lost(String),
    /// Files of forked processes that include the parent's cost up to the fork.
    Forked(Vec<PathBuf>),
    /// Nothing was counted, and no profile is kept.
    NothingCounted,
    /// Another sentence.
    Other(String),
}

impl Remark {
    /// The executable or library that lacks something.
    pub(crate) fn object(&self) -> Option<&Object> {
        match self {
            Remark::ProgramLacks(_, object) | Remark::Lacks(_, object, _) => Some(object),
            _ => None,
        }
    }
}

impl Lack {
    /// What the file lacks, and what its profile has.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Lack::Lines => (
                "has no debug information",
                "its functions have names, but no lines",
            ),
            Lack::MostNames => (
                "was stripped",
                "its functions have no lines, and only those that it exports have names",
            ),
            Lack::Names => ("was stripped", "its functions have no lines and no names"),
        }
    }

    fn remedy(self, object: &Object) -> &'static str {
        match (self, object.origin) {
            (Lack::Lines, _) | (_, ObjectOrigin::Installed | ObjectOrigin::Toolchain) => {
                object.remedy_for_lines()
            }
            (_, ObjectOrigin::Own) => "build it with -g and without strip",
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Script(interpreter) => write!(
                f,
                "it is a script: Callgrind records its interpreter, {}, not the programs that it starts",
                interpreter.display()
            ),
            Remark::ProgramLacks(lack, object) => {
                let (what, left) = lack.words();
                write!(
                    f,
                    "the program {} {what}: {left}\nhint: {}",
                    object.name(),
                    lack.remedy(object)
                )
            }
            Remark::Lacks(lack, object, share) => {
                let (what, left) = lack.words();
                let remedy = lack.remedy(object);
                write!(
                    f,
                    "{}, with {share:.0} % of the cost, {what}: {left}\nhint: {remedy}{}",
                    object.path,
                    object.record_again()
                )
            }
            Remark::Became(text) | Remark::Lost(text) | Remark::Other(text) => f.write_str(text),
            Remark::Forked(files) => match &files[..] {
                [] => Ok(()),
                [file] => write!(
                    f,
                    "{} is of a forked process: it includes the cost of its parent before the fork, so it is not added to the others",
                    file.display()
                ),
                [first, more @ ..] => write!(
                    f,
                    "{} and {} more .forked files are of forked processes: each includes the cost of its parent before the fork, so they are not added to the others",
                    first.display(),
                    more.len()
                ),
            },
            Remark::NothingCounted => f.write_str("nothing was counted"),
        }
    }
}
