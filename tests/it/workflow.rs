//! What is printed in a job of GitHub Actions: names and sources are no commands there. Elsewhere a
//! pipe has the bytes.

use crate::common::Stage;
use serde_json::Value;
use std::process::Output;

/// Each name begins with a command of its own kind, in the function, the file, the object, the
/// event and the command.
const PROFILE: &str = "\
version: 1
creator: callgrind-3.19.0
cmd: ::error title=cmd::##[error]cmd
events: Ir
desc: Label: ::error::label ##[group]label
ob=::error::object ##[error]object
fl=::error::file##[add-mask].c
fn=::set-output name=x::y
1 40
cfn=##[error]::f
calls=3 2
1 10
fn=##[error]::f
2 10
fn=\u{2003}\u{a0}::set-env name=z::1
3 5
fn=a###[debug]b
3 7
totals: 62
";

const SOURCE: &str =
    "::error::one\n  ::warning::two ##[error]two\n\t\u{3000}::notice::three\n\x0c::four\r::five\n";

/// Whether a log would take something for a command, and which line that is.
fn command(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let is_command = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
    text.split(['\n', '\r']).find(is_command).map(str::to_owned)
}

fn in_actions(stage: &Stage, args: &[&str], value: &str) -> Output {
    let mut command = stage.command(args);
    command
        .env("GITHUB_ACTIONS", value)
        .env("PAGER", "cat")
        .env("TERM", "xterm")
        .output()
        .unwrap()
}

fn stage() -> Stage {
    let stage = Stage::empty();
    stage
        .write("p", PROFILE)
        .write("q", PROFILE.replace("40", "80").replace("62", "102"));
    stage
        .write("::error::file##[add-mask].c", SOURCE)
        .write("::bad", "::error::no profile");
    stage
}

const ALL: &[&str] = &[
    "p",
    "p --auto=yes",
    "p --auto=yes --color=always",
    "p --auto=yes --paging=always",
    "p --inclusive=yes --tree=both",
    "p --group-by=file",
    "p --group-by=object",
    "p --format=json",
    "p --auto=yes --format=json",
    "p --format=csv",
    "p --format=tsv",
    "p --format=markdown",
    "p --format=html",
    "p --compat",
    "p --auto=yes -o /dev/stdout",
    "p --zoom=set-output",
    "::bad",
    "p ::nothing",
    "p --show=::error::x",
    "::error::nothing",
    "--::error::x",
    "p --function=##[x",
    "diff p q",
    "diff p q --format=json",
    "diff p q --format=csv",
    "diff p q --format=markdown",
    "diff p q --format=html",
    "trend p q",
    "trend p q --format=json",
    "trend p q --format=html",
    "merge p q",
    "convert p --to callgrind",
    "convert p --to folded",
    "convert p --to dot",
    "convert p --to speedscope",
    "pack p",
    "record --dry-run -- ::error::x ##[error]x",
    "check p --limit Ir<=::error::x",
    "check q --baseline p --limit total.Ir<=+0%",
    "check q --baseline p --limit total.Ir<=+0% --report markdown",
    "check q --baseline p --limit total.Ir<=+0% --report json",
    "check q --baseline p --limit total.Ir<=+0% --report junit",
    "check q --baseline p --limit total.Ir<=+0% --report json --report junit=/dev/stdout",
];

#[test]
fn no_name_is_a_command() {
    let stage = stage();
    let mut were_commands = 0;
    for line in ALL {
        let args: Vec<&str> = line.split(' ').collect();
        let out = in_actions(&stage, &args, "true");
        for text in [&out.stdout, &out.stderr] {
            assert_eq!(
                command(text),
                None,
                "{line}: {}",
                String::from_utf8_lossy(text)
            );
        }
        assert!(out.stdout.len() + out.stderr.len() > 0, "{line}");
        let bare = in_actions(&stage, &args, "false");
        were_commands += usize::from(
            [&bare.stdout, &bare.stderr]
                .iter()
                .any(|text| command(text).is_some()),
        );
        if out.stdout.starts_with(b"{") {
            let [guarded, bare] =
                [out, bare].map(|out| serde_json::from_slice::<Value>(&out.stdout).unwrap());
            assert_eq!(guarded, bare, "{line}: a document says the same");
        }
    }
    assert!(
        were_commands > ALL.len() / 2,
        "{were_commands} of {}",
        ALL.len()
    );
}

/// Our own commands stay, with what they say unable to be another.
#[test]
fn annotations_are_commands() {
    let stage = stage();
    let args = [
        "check",
        "q",
        "--baseline",
        "p",
        "--limit",
        "total.Ir <= +0%",
        "--report",
        "github",
    ];
    let out = String::from_utf8(in_actions(&stage, &args, "true").stdout).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines.len() == 1 && lines[0].starts_with("::error ") && !lines[0].contains("##["),
        "{out}"
    );
}

/// What is no text, and what goes into a file, is what it is elsewhere.
#[test]
fn bytes_and_files_are_as_they_are() {
    let stage = stage();
    for line in [
        "convert p --to pprof",
        "pack p -o -",
        "p --auto=yes -o out",
        "merge p -o out",
        "p -o out --format=html",
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let made = ["true", "false"].map(|value| {
            let out = in_actions(&stage, &args, value);
            assert!(out.status.success(), "{line}: {out:?}");
            (
                out.stdout,
                std::fs::read(stage.dir.join("out")).unwrap_or_default(),
            )
        });
        assert!(made[0] == made[1], "{line}");
    }
}
