//! What the program says of itself, and why there may be nothing to see.

use crate::common::Stage;
use cgannotate::analysis::doubts::{Doubt, Object, ObjectOrigin, doubts};
use cgannotate::analysis::{Selection, Threshold};
use cgannotate::input::{Options, read_from};

fn said(args: &[&str]) -> (Option<i32>, String, String) {
    let stage = Stage::empty();
    stage.write(
        "p",
        "version: 1\nevent: Sum = Ir + Dr : all of it\nevents: Ir Dr Odd\nfl=a\nfn=f\n1 2 3 4\n",
    );
    let out = stage.run(args);
    (
        out.status.code(),
        String::from_utf8(out.stdout).unwrap(),
        String::from_utf8(out.stderr).unwrap(),
    )
}

#[test]
fn the_short_help_fits_a_screen() {
    let (status, help, _) = said(&["-h"]);
    assert_eq!(status, Some(0));
    assert!(
        help.lines().count() < 24 && help.lines().all(|line| line.len() <= 80),
        "{help}"
    );
    assert_eq!(
        said(&["-n", "3", "p", "-h"]).1,
        help,
        "it is there wherever it is asked for"
    );
    assert!(
        said(&["diff", "-h"])
            .1
            .contains("cgannotate diff [OPTIONS] OLD NEW")
    );
    let (_, long, _) = said(&["--help"]);
    assert_eq!(said(&["p", "--help"]).1, long);
    let commands = ["check", "convert"].map(|command| said(&[command, "--help"]).1);
    let all = format!("{long}{}", commands.concat());
    for option in help
        .split([' ', '\n', ',', ';', '='])
        .filter(|word| word.starts_with("--") && *word != "--not-...")
    {
        assert!(all.contains(option), "{option} is not an option");
    }
    for piece in ["--zoom '^decode$'", "--not-object", "--fold-recursion"] {
        assert!(long.contains(piece), "{piece}\n{long}");
    }
}

/// What people do stands in the short help, one command each, and it runs as it stands there.
#[test]
fn the_short_help_names_what_people_do() {
    let (_, help, _) = said(&["-h"]);
    let tasks: Vec<&str> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  cgannotate"))
        .filter_map(|line| line.split("  ").next())
        .collect();
    assert_eq!(tasks.len(), 8, "{help}");
    for command in ["record", "explore", "diff", "check", "convert"] {
        assert!(
            tasks
                .iter()
                .any(|task| task.trim_start().starts_with(command)),
            "{command}"
        );
    }
    let commands = help
        .lines()
        .find_map(|line| line.strip_prefix("Commands: "));
    for command in commands.unwrap().split(' ') {
        assert_eq!(said(&["help", command]).0, Some(0), "{command}");
    }
}

/// Each option has one sentence, under a heading that says what it is for.
#[test]
fn the_long_help_has_headings_and_single_sentences() {
    let (_, help, _) = said(&["--help"]);
    let headings: Vec<&str> = help
        .lines()
        .filter(|line| !line.starts_with(' ') && line.ends_with(':'))
        .collect();
    assert_eq!(
        headings,
        [
            "Commands:",
            "Arguments:",
            "Options:",
            "Sort and limit:",
            "Filter:",
            "Library code:",
            "Inlined code and instructions:",
            "Input:",
            "Output:",
            "Examples:"
        ]
    );
    let (options, _) = help.split_once("Examples:").unwrap();
    for paragraph in options.split("\n\n") {
        assert!(!paragraph.contains(". "), "{paragraph}");
    }
}

/// `cgannotate help` is what many tools have; the help is the long one.
#[test]
fn help_is_a_command() {
    let (status, help, _) = said(&["help"]);
    assert_eq!((status, &help), (Some(0), &said(&["--help"]).1));
    for command in [
        "record", "diff", "trend", "check", "merge", "pack", "convert",
    ] {
        assert_eq!(said(&["help", command]).1, said(&[command, "--help"]).1);
    }
    assert_eq!(said(&["help", "nonsense"]).0, Some(2));
}

/// What is recorded stands behind `--`, which its own options need.
#[test]
fn the_usage_of_record_has_the_dashes() {
    let (_, help, _) = said(&["record", "--help"]);
    assert!(
        help.contains("Usage: cgannotate record [OPTIONS] -- PROGRAM [ARG]...\n"),
        "{help}"
    );
    let (_, check, _) = said(&["check", "--help"]);
    assert!(check.contains("junit=cost.xml") && check.contains("3 a limit is exceeded"));
}

/// Options that several commands share are told of each as they are there.
#[test]
fn the_help_of_trend_offers_what_trend_takes() {
    let (_, help, _) = said(&["trend", "--help"]);
    let by = help
        .lines()
        .find(|line| line.trim_start().starts_with("--by "))
        .unwrap();
    assert_eq!(by.trim(), "--by <function|file|object|class>", "{help}");
    assert!(
        !help.contains("--zoom") && !help.contains("for each thread"),
        "{help}"
    );
    let (status, _, error) = said(&["trend", "p", "--by=line"]);
    assert_eq!(
        (status, &*error),
        (
            Some(2),
            "cgannotate: --by: invalid value `line` (expected function, file, object, class)\n"
        )
    );
    assert!(
        said(&["--help"])
            .1
            .contains("--by <function|file|object|class|line|thread|part|pid|run|trigger|instr>")
    );
}

#[test]
fn the_nearest_is_suggested() {
    let (status, _, error) = said(&["--sort=Irr", "p"]);
    assert_eq!(status, Some(2));
    assert!(
        error.ends_with("the profile has Ir, Dr, Odd, Sum\nhint: did you mean Ir?\n"),
        "{error}"
    );
    assert!(
        said(&["--show=Od", "p"])
            .2
            .contains("\nhint: did you mean Odd?")
    );
    assert!(
        !said(&["--show=instructions", "p"])
            .2
            .contains("did you mean")
    );
    let (status, _, error) = said(&["--treshold=9", "p"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("--threshold"), "{error}");
}

/// Nobody types `Ir` with its capital at once. Two events that differ in case alone need it.
#[test]
fn events_are_found_whatever_their_case() {
    for (typed, name) in [
        (
            &["--show=ir", "--sort=ODD"][..],
            &["--show=Ir", "--sort=Odd"][..],
        ),
        (&["--show=cest"], &["--show=CEst"]),
        (
            &["--format=csv", "--show=sum"],
            &["--format=csv", "--show=Sum"],
        ),
    ] {
        assert_eq!(
            said(&[typed, &["p"]].concat()),
            said(&[name, &["p"]].concat())
        );
    }
    assert_eq!(
        said(&["trend", "--show=dr", "p", "p"]),
        said(&["trend", "--show=Dr", "p", "p"])
    );
    assert_eq!(
        said(&["convert", "--to=folded", "--show=dr", "p"]),
        said(&["convert", "--to=folded", "--show=Dr", "p"])
    );
    // A limit names its event as the profile does.
    assert_eq!(said(&["check", "p", "--limit=total.ir <= 2"]).0, Some(4));
    let stage = Stage::empty();
    stage.write("p", "events: Aa aA\nfl=a\nfn=f\n1 2 3\n");
    assert_eq!(stage.run(&["--show=aA", "p"]).status.code(), Some(0));
    assert_eq!(stage.run(&["--show=AA", "p"]).status.code(), Some(2));
}

#[test]
fn events_are_put_in_words() {
    assert_eq!(
        said(&["--events", "p"]).1,
        "Ir          instructions executed\nDr          data reads\nOdd\nSum         all of it\n"
    );
    assert!(
        said(&["--events"])
            .1
            .contains("D1mr        first-level data cache read misses\n")
    );
}

#[test]
fn completions_and_the_manual_know_the_options() {
    for (what, begins) in [
        ("man", ".ie"),
        ("bash", "# Completes"),
        ("zsh", "#compdef cgannotate"),
        ("fish", "# Completes"),
    ] {
        let (status, text, _) = said(&["--generate", what]);
        assert_eq!(status, Some(0));
        assert!(
            text.starts_with(begins) && (what != "man" || text.contains("zoom")),
            "{what}: {text:.200}"
        );
    }
}

/// What a page of the manual has besides options, where it is looked for.
#[test]
fn the_manual_has_its_sections() {
    let (_, page, _) = said(&["--generate=man"]);
    let section = |name: &str| {
        let (_, text) = page
            .split_once(&format!("\n.SH {name}\n"))
            .unwrap_or_else(|| panic!("no {name}: {page}"));
        text.split("\n.SH ").next().unwrap().to_owned()
    };
    let examples = section("EXAMPLES");
    assert!(
        examples.starts_with(".nf\n\\fBcgannotate callgrind.out.1234\\fR\n    what is hot"),
        "{examples}"
    );
    assert!(
        examples.ends_with("\n.fi") && examples.lines().all(|line| line.len() < 80),
        "{examples}"
    );
    let status = section("EXIT STATUS");
    assert!(
        (0..=4).all(|status_of| status.contains(&format!(".B {status_of}\n"))),
        "{status}"
    );
    let environment = section("ENVIRONMENT");
    for variable in [
        "CGANNOTATE_PAGER",
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "EDITOR",
        "CARGO_HOME",
    ] {
        assert!(environment.contains(variable), "{variable}: {environment}");
    }
    let also = section("SEE ALSO");
    assert!(
        also.contains("callgrind_annotate (1)") && also.contains("valgrind (1)"),
        "{also}"
    );
    assert!(!page.contains("EXTRA"), "{page}");
    let words = section("NAME").split_once("\\- ").unwrap().1.to_owned();
    assert!(!section("DESCRIPTION").contains(&words), "{words}");
}

/// Each line names a cause and a cure.
#[test]
fn doubts_are_said() {
    let of = |text: &str| {
        let profile = read_from("p", text.as_bytes(), &Options::all()).unwrap();
        let selection = Selection::new(&profile.events, &[], &[], &Threshold::whole(99)).unwrap();
        doubts(&profile, &selection)
    };
    assert_eq!(of("events: Ir\ntotals: 0\n"), [Doubt::Nothing]);
    assert_eq!(of("events: Ir\nfl=a.c\nfn=f\n1 10\n"), []);
    // Half of the cost has names but no file; 20 % no names at all.
    let text = "events: Ir\nob=/x\nfl=a.c\nfn=f\n1 30\nfl=???\nfn=g\n0 50\nob=/y\nfn=0x0000000000001130\n0 15\nfn=???\n0 5\n";
    let own = |path: &str| Object {
        path: path.into(),
        origin: ObjectOrigin::Own,
    };
    assert_eq!(
        of(text),
        [
            Doubt::NoDebugInformation(own("/x"), 50.0),
            Doubt::Stripped(own("/y"), 20.0)
        ]
    );
    let stage = Stage::empty();
    stage.write(
        "p",
        "version: 1\ncreator: callgrind-3.19.0\ndesc: Trigger: end\nevents: Ir\ntotals: 0\n",
    );
    // Only Callgrind has that option.
    stage.write(
        "other",
        "events: Ticks\nsummary: 2\nfl=a.py\nfn=main\n12 0\n",
    );
    for (name, want) in [
        (
            "p",
            "the profile has no costs: --toggle-collect matched no function that ran",
        ),
        (
            "other",
            "cgannotate: no function of the profile has a cost\n",
        ),
    ] {
        let out = stage.run(&[name]);
        assert_eq!(out.status.code(), Some(0));
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(
            said.contains(want) && said.contains("toggle-collect") == (name == "p"),
            "{said}"
        );
    }
}

/// Names in complaints go to a terminal as well.
#[test]
fn complaints_are_one_plain_line() {
    let out = Stage::empty().run(&["no\x1b[31m\nfile"]);
    assert_eq!(out.status.code(), Some(1));
    let error = String::from_utf8(out.stderr).unwrap();
    assert!(
        error.lines().count() == 1 && !error.contains('\x1b'),
        "{error:?}"
    );
}
