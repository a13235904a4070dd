//! Runs a program under Valgrind's Callgrind, and finds out what became of it. Prints nothing: what is worth a word is a
//! [`Remark`], which `commands` says.
//!
//! ```text
//! cargo (what it built) -> program (found, looked at) -> files (how they are called) -> run -> outcome (what is there)
//!                                                                     control (how far it is) <-
//! ```
//! With `main`, `source` and `object` it reads the environment: `PATH` says where programs are.

mod cargo;
mod control;
mod describe;
mod files;
mod outcome;
mod program;
mod run;
mod signals;

pub use cargo::{Built, CargoFailed, Kind};
pub use control::{SoFar, so_far};
pub use describe::{Description, commit};
pub use files::{Files, Stem, is_set_aside, newest_run};
pub use outcome::{Outcome, Recorded};
pub use program::{Found, NotFound};
pub use run::{Ended, Run};
#[cfg(unix)]
pub use signals::ignored as ignored_signals;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// What runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// A program.
    Named {
        /// As it was typed.
        name: OsString,
        /// Its arguments.
        args: Vec<OsString>,
    },
    /// What cargo builds.
    Cargo(Built),
}

/// Whether the programs that a program starts are recorded, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Children {
    /// They are.
    Recorded,
    /// They are not.
    LeftOut,
}

/// What a person should know about a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// The program is a script, and this its interpreter.
    Script(PathBuf),
    /// There are neither lines nor names in the program.
    Stripped,
    /// There are no lines in the program.
    NoLines,
    /// Valgrind met an instruction that it does not know; the profile ends there.
    UnknownInstruction,
    /// A signal ended the program.
    Killed(i32),
    /// Nothing was written: the program became another one.
    Became(PathBuf),
    /// Nothing was written, and it is not known why.
    Empty(PathBuf),
    /// The file of a process that was forked off: it begins with what the process before it had cost.
    Forked(PathBuf),
    /// Nothing was counted inside the functions that were named.
    NothingInside,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Script(interpreter) => write!(
                f,
                "it is a script: what is recorded is its interpreter, {}, and not the programs that it starts, which \
                 --children records",
                interpreter.display()
            ),
            Remark::Stripped => f.write_str(
                "the program was stripped: Callgrind has neither lines nor names of its functions; build it with -g and \
                 without strip",
            ),
            Remark::NoLines => f.write_str(
                "the program has no debug information: there will be functions and no lines; build it with -g \
                 (Rust: debug = \"line-tables-only\" in the profile)",
            ),
            Remark::UnknownInstruction => f.write_str(
                "Valgrind met an instruction that it does not know (AVX-512, say), and the program ended there: the \
                 profile shows the run up to that instruction and no more",
            ),
            Remark::Killed(signal) => write!(f, "signal {signal} ended the program: the profile ends there"),
            Remark::Became(file) => {
                let file = file.display();
                write!(f, "{file} was empty and is removed: the process became another program (exec), which --children records")
            }
            Remark::Empty(file) => write!(
                f,
                "{} was empty and is removed: Callgrind wrote nothing, as when the process is killed",
                file.display()
            ),
            Remark::Forked(file) => write!(
                f,
                "{} is of a process that was forked off: it begins with all that its parent had cost until then, so it is \
                 not added up with the rest",
                file.display()
            ),
            Remark::NothingInside => f.write_str("nothing was counted: no function that ran has the name that --only gives"),
        }
    }
}
