//! What tests need and not every machine has: other programs to compare with or to drive.

use std::io::{self, Write};
use std::process::Command;

/// Where it is a failure that something is not there.
#[derive(Clone, Copy)]
pub enum Required {
    /// Where `REFERENCE_REQUIRED` is set: what is compared with, or runs what we write.
    Reference,
    /// Where `TOOLS_REQUIRED` is set: compilers, linkers and disassemblers.
    Tools,
    /// Where `BROWSER_REQUIRED` is set.
    Browser,
    /// Where `NODE_REQUIRED` is set.
    Node,
    /// Where `DUCKDB_REQUIRED` is set.
    Database,
    /// Nowhere: nothing installs it for the tests.
    Nowhere,
}

impl Required {
    fn variable(self) -> Option<&'static str> {
        match self {
            Required::Reference => Some("REFERENCE_REQUIRED"),
            Required::Tools => Some("TOOLS_REQUIRED"),
            Required::Browser => Some("BROWSER_REQUIRED"),
            Required::Node => Some("NODE_REQUIRED"),
            Required::Database => Some("DUCKDB_REQUIRED"),
            Required::Nowhere => None,
        }
    }
}

/// Whether a program can be started with these arguments, whatever it makes of them: some fail at
/// `--version`.
pub fn starts(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok()
}

/// Whether a program succeeds with these arguments: it can be there, and be no more than the name
/// of what is not.
pub fn succeeds(program: &str, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .output()
        .is_ok_and(|out| out.status.success())
}

/// Gives back whether what a test needs was found. Where it was not, `missing` is said, or is a
/// failure where it is required.
pub fn found(is_there: bool, required: Required, missing: &str) -> bool {
    if !is_there {
        let variable = required
            .variable()
            .filter(|name| std::env::var_os(name).is_some());
        assert!(
            variable.is_none(),
            "{missing}, and {} is set",
            variable.unwrap_or_default()
        );
        // Past the capture of the test's own output, so that it is seen.
        let _ = writeln!(io::stderr(), "SKIPPED: {missing}");
    }
    is_there
}
