//! What `record` says.

use crate::common::binary::{code, elf};
use crate::record::{said, stage_with_logs};
use std::fs;

/// A command in a message has a hundred letters.
#[test]
fn commands_in_messages_have_a_hundred_letters() {
    for (letters, is_cut) in [(100, false), (101, true)] {
        let command = format!("Command: {}", "x".repeat(letters));
        let gives_up = "Valgrind: I can't recover.  Giving up.  Sorry.";
        let (stage, path) = stage_with_logs(&[("$$", &[&command, gives_up], "")]);
        let mut command = stage.command(&["record", "--", "/bin/true"]);
        let said = said(&command.env("PATH", &path).output().unwrap());
        assert!(said.contains(&format!("`{}", "x".repeat(100))), "{said}");
        assert_eq!(
            said.contains(&format!("{}…`", "x".repeat(100))),
            is_cut,
            "{said}"
        );
        assert!(!said.contains(&"x".repeat(101)), "{said}");
    }
}

/// What a library lacks is said if it has a tenth of the cost.
#[cfg(feature = "object")]
#[test]
fn what_a_library_lacks_is_said_from_a_tenth_on() {
    for (cost, is_said) in [(100, true), (99, false)] {
        let rest = 1000 - cost;
        let profile = format!(
            "events: Ir\nob=/x\nfl=a.c\nfn=f\n1 {rest}\nob=library\nfl=???\nfn=g\n0 {cost}\ntotals: 1000\n"
        );
        let (stage, path) =
            stage_with_logs(&[("$$", &["Command: ./a", "Collected : 1000"], &profile)]);
        fs::write(stage.dir.join("library"), elf(&[code(64)])).unwrap();
        let mut command = stage.command(&["record", "--", "/bin/true"]);
        let said = said(&command.env("PATH", &path).output().unwrap());
        assert_eq!(
            said.contains("library, with 10 % of the cost"),
            is_said,
            "{said}"
        );
        assert!(said.contains("1,000 Ir in"), "{said}");
    }
}
