//! What shells complete: their own scripts, run by the shells themselves where they are installed.

use crate::common::needed::{Required, found, starts};
use crate::common::{Stage, fixture};

const CACHE: &str = "matrix.cachebranch.toggle.out";

/// A folder with profiles and the program under its own name.
fn stage() -> Stage {
    let stage = Stage::empty();
    std::os::unix::fs::symlink(
        env!("CARGO_BIN_EXE_cgannotate"),
        stage.dir.join("cgannotate"),
    )
    .unwrap();
    stage.write(
        CACHE,
        std::fs::read(fixture("cache/matrix.cachebranch.toggle.out")).unwrap(),
    );
    let cpp = "version: 1\nevents: Ir\nfl=a.cc\nfn=std::vector<int, a>::push_back(int const&)\n1 10\nfn=ma::in\n3 4\n";
    stage.write("callgrind.out.7", cpp);
    for shell in ["bash", "zsh", "fish"] {
        stage.write(
            &format!("complete.{shell}"),
            stage.report(&["--generate", shell]),
        );
    }
    stage
}

fn shell(stage: &Stage, program: &str, args: &[&str]) -> String {
    let mut command = stage.any(program, args);
    command
        .env(
            "PATH",
            format!("{}:{}", stage.dir.display(), std::env::var("PATH").unwrap()),
        )
        .env("HOME", &stage.dir);
    let out = command.output().unwrap();
    assert!(out.stderr.is_empty(), "{args:?}: {out:?}");
    String::from_utf8(out.stdout).unwrap()
}

/// Whether a shell is here; where it is not, its completions are not tried.
fn is_installed(program: &str) -> bool {
    let missing = format!("{program} is not installed, so its completions were not tried");
    found(starts(program, &["--version"]), Required::Nowhere, &missing)
}

/// What is typed, and what stands there once it is completed, where there is one answer.
const COMPLETED: [(&str, &str); 11] = [
    ("--tree=no", "--tree=none"),
    ("--format=ma", "--format=markdown"),
    ("--format ma", "--format markdown"),
    (
        "matrix.cachebranch.toggle.out --sort=Ir,LL",
        "matrix.cachebranch.toggle.out --sort=Ir,LLm",
    ),
    (
        "matrix.cachebranch.toggle.out --show DLmr,CE",
        "matrix.cachebranch.toggle.out --show DLmr,CEst",
    ),
    (
        "matrix.cachebranch.toggle.out --zoom=mak",
        "matrix.cachebranch.toggle.out --zoom=make",
    ),
    ("--zoom=ma", "--zoom=ma::in"),
    ("--zoom ma::", "--zoom ma::in"),
    ("--zoom ma", "--zoom ma::in"),
    ("check --report=mark", "check --report=markdown"),
    (
        "diff matrix.cachebranch.toggle.out --sho",
        "diff matrix.cachebranch.toggle.out --show",
    ),
];

/// bash parts words at `=` and `:`, and replaces only what stands behind the last of them.
#[test]
fn bash_completes() {
    let stage = stage();
    let complete = |typed: &str| {
        let mut words = Vec::new();
        for word in format!("cgannotate {typed}").split(' ') {
            let mut rest = word;
            while let Some(at) = rest.find(['=', ':']) {
                let end = at
                    + rest[at..]
                        .find(|c| !"=:".contains(c))
                        .unwrap_or(rest.len() - at);
                words.extend(
                    [&rest[..at], &rest[at..end]]
                        .into_iter()
                        .filter(|piece| !piece.is_empty())
                        .map(str::to_owned),
                );
                rest = &rest[end..];
            }
            if !rest.is_empty() || word.is_empty() {
                words.push(rest.to_owned());
            }
        }
        let script = "source complete.bash; COMP_LINE=$1; COMP_POINT=${#1}; shift; COMP_WORDS=(\"$@\"); \
                      COMP_CWORD=$(($# - 1)); _cgannotate; printf '%s\\n' \"${COMPREPLY[@]}\"";
        let mut args = vec!["--norc", "-c", script, "bash"];
        let line = format!("cgannotate {typed}");
        args.push(&line);
        args.extend(words.iter().map(String::as_str));
        let replaced = words.last().unwrap();
        let kept = if replaced.contains(['=', ':']) {
            typed
        } else {
            typed.strip_suffix(&replaced[..]).unwrap()
        };
        shell(&stage, "bash", &args)
            .lines()
            .map(|answer| format!("{kept}{answer}"))
            .collect::<Vec<_>>()
    };
    for (typed, wanted) in COMPLETED {
        let answers = complete(typed);
        assert!(
            answers
                .iter()
                .any(|answer| answer.trim_end_matches('=') == wanted),
            "{typed}: {answers:?}"
        );
    }
    assert_eq!(
        complete("--tree="),
        ["none", "caller", "calling", "both"].map(|value| format!("--tree={value}"))
    );
    assert_eq!(
        complete("--zoom std::ve"),
        [r"--zoom std::vector\<int\,\ a\>::push_back\(int\ const\&\)"]
    );
    assert_eq!(complete("call"), ["callgrind.out.7"]);
    assert_eq!(complete("--output=call"), ["--output=callgrind.out.7"]);
    assert_eq!(complete("con"), ["convert"]);
    assert_eq!(
        complete("check --report="),
        ["text", "markdown", "json", "junit", "github"]
            .map(|form| format!("check --report={form}"))
    );
    assert_eq!(complete("--zoom=nothing"), ["--zoom="], "no answer");
    // Behind a quotation mark, what is replaced begins after it.
    assert_eq!(
        complete("--zoom 'std"),
        ["--zoom std::vector<int, a>::push_back(int const&)"]
    );
    // Without the line as it was typed, the words are enough.
    let script = "source complete.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _cgannotate; echo \"${COMPREPLY[@]}\"";
    assert_eq!(
        shell(
            &stage,
            "bash",
            &["--norc", "-c", script, "bash", "cgannotate", "--zoom", "ma"]
        ),
        "ma::in\n"
    );
}

#[test]
fn fish_completes() {
    if !is_installed("fish") {
        return;
    }
    let stage = stage();
    let complete = |typed: &str| {
        let script = format!("source complete.fish; complete --do-complete 'cgannotate {typed}'");
        let answers = shell(&stage, "fish", &["--no-config", "-c", &script]);
        answers
            .lines()
            .map(|line| line.split('\t').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for (typed, wanted) in COMPLETED {
        let word = wanted.rsplit(' ').next().unwrap();
        let answers = complete(typed);
        assert!(
            answers
                .iter()
                .any(|answer| answer.trim_end_matches('=') == word),
            "{typed}: {answers:?}"
        );
    }
    assert_eq!(
        complete("--zoom std::ve"),
        ["std::vector<int, a>::push_back(int const&)"]
    );
    assert_eq!(complete("call"), ["callgrind.out.7"]);
    assert_eq!(complete("--output=call"), ["--output=callgrind.out.7"]);
    assert_eq!(complete("--zoom=nothing"), Vec::<String>::new());
}

/// What zsh makes of it takes a terminal; here its script is read, and what the script asks is
/// asked.
#[test]
fn the_program_answers() {
    let stage = stage();
    if is_installed("zsh") {
        assert_eq!(shell(&stage, "zsh", &["-n", "complete.zsh"]), "");
    }
    let answers = |words: &[&str]| stage.report(&[&["__complete", "--"], words].concat());
    assert_eq!(
        answers(&["--tree=c"]),
        "words\n--tree=caller\tCallers\n--tree=calling\tCalled functions\n"
    );
    // The newest profile of the folder, unless one is named, or a process.
    assert_eq!(answers(&["--zoom", "ma"]), "words\nma::in\t\n");
    assert_eq!(
        answers(&["7", "--not-function=ma"]),
        "words\n--not-function=ma::in\t\n"
    );
    assert!(answers(&[CACHE, "--object="]).contains("\n--object=/opt/conf/bin/matrix\t\n"));
    // Files are the shell's to list, and what is no profile is no reason to complain.
    assert_eq!(answers(&["-o", "x"]), "files\n");
    stage
        .write("callgrind.out.8", "no profile\n")
        .write("callgrind.out.9", "events: Ir\nfn=f\n1 1 1 1\n");
    assert_eq!(answers(&["callgrind.out.9", "--zoom="]), "words\n");
    assert_eq!(answers(&["missing", "--zoom="]), "words\n");
    // What threads a profile has is nothing to complete: options take kinds of shares, not the
    // number of one.
    assert!(
        answers(&["--by=th"]).contains("\n--by=thread\t")
            && answers(&["--split=th"]).contains("\n--split=thread\t")
    );
    let (help, takes) = (stage.report(&["--help"]), |line: &str| {
        line.contains("THREAD") || line.contains("PID>")
    });
    assert!(
        !help.lines().any(takes),
        "an option takes a thread: complete it from the profile\n{help}"
    );
    // It is nobody's command.
    let help = stage.report(&["--help"]);
    assert!(
        !help.contains("__complete") && !stage.report(&["--generate=man"]).contains("__complete"),
        "{help}"
    );
}
