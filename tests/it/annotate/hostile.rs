//! What a terminal must not get: bytes for programs, characters that it obeys or that nobody sees;
//! and what a person must get although the pager fails.

use super::first_screen::{on_screen, plain};
use crate::common::{LISTED, Stage};
use std::process::Command;

/// A name of everything that a terminal obeys, turns around or does not show.
const NAME: &str = "f\x1b]52;c;aGk=\x07\u{9b}2J\u{85}\u{2028}\u{2029}\u{200b}\u{202e}\u{2066}\u{feff}\u{e0041}\x7fz";

fn stage() -> Stage {
    let stage = Stage::empty();
    for (file, cost) in [("p", 10), ("q", 30)] {
        let calls = "calls=1 1\n1 5\n";
        stage.write(
            file,
            format!("version: 1\ncmd: {NAME}\nevents: Ir\nfl={NAME}.c\nfn={NAME}\n1 {cost}\ncfn=g\n{calls}fn=g\n1 5\n"),
        );
    }
    stage.write(&format!("{NAME}.c"), format!("int a; // {NAME}\n"));
    stage
}

/// Whether nothing in a text is obeyed or hidden.
fn is_harmless(text: &str) -> bool {
    let hidden = [
        '\u{2028}',
        '\u{2029}',
        '\u{200b}',
        '\u{202e}',
        '\u{2066}',
        '\u{feff}',
        '\u{e0041}',
    ];
    text.chars()
        .all(|c| c == '\n' || !c.is_control() && !hidden.contains(&c))
}

#[test]
fn nothing_in_a_name_is_obeyed_or_hidden() {
    let stage = stage();
    for args in [
        &["p", LISTED, "--auto=yes"][..],
        &["p", LISTED, "--zoom=."],
        &["p", "--by=file"],
        &["p", "--by=line", "--format=csv"],
        &["p", "--tree=both", "--inclusive=yes"],
        &["p", LISTED],
        &["p", "--format=json"],
        &["p", "--format=tsv"],
        &["p", "--format=markdown"],
        &["p", "--events"],
        &["diff", "p", "q"],
        &["diff", "p", "q", "--auto=yes", LISTED],
        &["diff", "p", "q", "--format=json"],
        &["check", "q", "--baseline=p", "--limit=self.Ir(/f/) <= +1%"],
        &["check", "q", "--limit=self.Ir(/f/) <= 1", "--report=junit"],
        &["check", "q", "--limit=self.Ir(/f/) <= 1", "--report=json"],
    ] {
        let all = [args, &["--color=never", "--paging=never"]].concat();
        let (text, _) = on_screen(300, 40, stage.command(&all));
        assert!(is_harmless(&text), "{args:?} {text:?}");
        let spelt = text.contains("\\u{200b}") && text.contains("\\u{e0041}");
        assert!(spelt || args.contains(&"--events"), "{args:?} {text}");
    }
    let pipe = stage.report(&["p", LISTED]);
    assert!(
        pipe.contains(&format!("{NAME}.c:{NAME}")),
        "a pipe has the bytes"
    );
}

#[test]
fn names_of_files_in_complaints_are_spelt_out() {
    let stage = stage();
    let (bytes, profile) = (format!("{NAME}.no"), format!("{NAME}.out"));
    stage.write(
        &profile,
        "version: 1\nevents: Ir\nfl=a\nfn=f\n1 10\nrubbish\n",
    );
    for args in [
        &[&bytes[..]][..],
        &[&profile[..]],
        &["check", "p", "--config", &bytes],
        &["check", "p", "--limit", NAME],
        &["p", "--zoom", &bytes],
        &["p", "--sort", NAME],
        &["p", "--no-such", NAME],
        &[&format!("--{NAME}")[..], "p"],
        &["merge", "p", "-o", &format!("no/{bytes}")],
    ] {
        let (text, _) = on_screen(300, 40, stage.command(args));
        let text = plain(&text);
        assert!(
            is_harmless(&text) && text.contains("cgannotate: "),
            "{args:?} {text:?}"
        );
        let error = String::from_utf8(stage.run(args).stderr).unwrap();
        assert!(is_harmless(&error), "nor in a log: {args:?} {error:?}");
    }
}

/// What programs read has names as they are.
#[test]
fn what_programs_read_is_kept_from_a_terminal() {
    let stage = stage();
    let shell = |command: &str| -> Command {
        let line = format!(
            "{} {command}; echo \"status $?\"",
            env!("CARGO_BIN_EXE_cgannotate")
        );
        stage.any("sh", &["-c", &line])
    };
    for (command, of) in [
        ("merge p", "merge"),
        ("convert p --to callgrind", "convert"),
        ("convert p --to speedscope", "convert"),
        ("convert p --to folded", "convert"),
        ("convert p --to dot", "convert"),
        ("convert p --to webgrind", "convert"),
    ] {
        let (text, _) = on_screen(300, 24, shell(command));
        let refused = format!(
            "cgannotate: the output of {of} is not for a terminal\nhint: `-o FILE` writes it to a file, `-o -` shows it\nstatus 2\n"
        );
        assert_eq!(text, refused);
        let piped = shell(command).output().unwrap().stdout;
        let bytes = piped.strip_suffix(b"status 0\n").unwrap();
        assert!(!bytes.is_empty());
        assert_eq!(
            shell(&format!("{command} -o -")).output().unwrap().stdout,
            piped,
            "`-` is standard output"
        );
        assert!(
            on_screen(300, 24, shell(&format!("{command} -o x")))
                .0
                .ends_with("status 0\n")
        );
        assert_eq!(std::fs::read(stage.dir.join("x")).unwrap(), bytes);
        if command.ends_with("webgrind") {
            continue; // no text, and this test's terminal takes nothing else
        }
        let (shown, _) = on_screen(300, 24, shell(&format!("{command} -o -")));
        assert!(
            shown.ends_with("status 0\n") && shown.len() > "status 0\n".len(),
            "who asks for it gets it"
        );
    }
    assert!(!stage.dir.join("-").exists());
}

/// A terminal is one by whatever name.
#[test]
fn a_terminal_may_have_a_name() {
    let stage = stage();
    let (text, success) = on_screen(
        300,
        24,
        stage.command(&["p", "--auto=no", "--color=never", "-o", "/dev/stdout"]),
    );
    assert!(
        success && is_harmless(&text) && text.contains("\\u{200b}"),
        "{text:?}"
    );
}

/// A pager that fails keeps nobody from the report; one that was used and left does.
#[test]
fn a_pager_that_fails_is_left_out() {
    let stage = Stage::of("shapes");
    let args = ["--auto=yes", LISTED, "--color=never", "shapes.plain.out"];
    let run = |pager: &str, more: &[&str]| {
        let mut command = stage.command(&[&args[..], more].concat());
        command.env("PAGER", pager).env_remove("CGANNOTATE_PAGER");
        on_screen(200, 24, command)
    };
    let (whole, _) = run("cat", &["--paging=never"]);
    assert!(whole.lines().count() > 60);
    for (pager, status) in [
        ("false", 1),
        ("exit 3; x", 3),
        ("no-such-program-at-all | cat; exit 7", 7),
    ] {
        for more in [&[][..], &["--paging=always"], &["--paging=always", "-n1"]] {
            let (text, success) = run(pager, more);
            let said = format!(
                "the pager failed (exit status: {status}); the report is printed without it\n"
            );
            let (_, shown) = text
                .split_once(&said)
                .unwrap_or_else(|| panic!("{pager} {text}"));
            let whole = if more.contains(&"-n1") {
                &run("cat", &["--paging=never", "-n1"]).0
            } else {
                &whole
            };
            assert!(success && shown == whole, "{pager} {text}");
        }
    }
    let (none, success) = run("true", &[]);
    assert!(
        success && none.is_empty(),
        "it said that all is well: {none}"
    );
    let (begun, success) = run("head -n 2; exit 1", &[]);
    assert!(success && begun.contains("the pager failed"), "{begun}");
}
