//! Command lines of all kinds of reports.

use crate::twin::mutate::Rng;

/// Regular expressions for names.
const PATTERNS: [&str; 10] = [
    ".",
    "main",
    "^a",
    "f'?2",
    "[a-m]",
    "php",
    "^$",
    "::",
    "(x|y|\\()",
    "\\x1b",
];

/// Limits for `check`.
const LIMITS: [&str; 15] = [
    "total.Ir <= 1000",
    "total.Ir <= +1%",
    "incl.Ir(main) <= 10",
    "self.Ir(/./) <= +0",
    "incl.Ir(/^m/) <= 5% & +10",
    "max(self.Ir(file:main.c)) <= 1M",
    "calls(/./) <= 12",
    "growth(/./) <= 1.2",
    "total.\"Time_(10ns)\" <= 5k",
    "sum(self.Ir(/a/), self.Dr(/b/)) <= -10%",
    "self.CEst(/./) <= 9223372036854775807",
    "total.Ir <= 99999999999999999999",
    "self.Ir(object:libc.so.6 file:a.c) <= 1",
    "own.Ir(/./) <= 10",
    "total.Ir <= ",
];

fn pattern(rng: &mut Rng) -> &'static str {
    rng.pick(&PATTERNS)
}

/// Ways to read.
fn reading(rng: &mut Rng, args: &mut Vec<String>) {
    let one_in = |rng: &mut Rng, n, arg: &str, args: &mut Vec<String>| {
        if rng.one_in(n) {
            args.push(arg.into());
        }
    };
    one_in(rng, 12, "--fold-recursion", args);
    one_in(rng, 20, "--strict", args);
    one_in(rng, 12, "--allow-truncated", args);
    one_in(rng, 12, "--threads=2", args);
    one_in(rng, 12, "--event=CEst = Ir + 10 L1m + 100 LLm", args);
    one_in(rng, 40, "--event=Huge = 9223372036854775807 Ir - Dr", args);
    if rng.one_in(30) {
        let formats: Vec<_> = cgannotate::input::formats()
            .filter(|format| !format.is_ours)
            .collect();
        args.push(format!("--input-format={}", rng.pick(&formats).name));
    }
}

/// Whose cost is wanted.
fn whose(rng: &mut Rng, args: &mut Vec<String>) {
    match rng.below(12) {
        0 => args.push("--own".into()),
        1 => args.extend(["--own".into(), format!("--own-code={}", pattern(rng))]),
        2 => args.push(format!("--fold={}", pattern(rng))),
        _ => {}
    }
}

/// A report in any form.
pub(crate) fn report(rng: &mut Rng) -> Vec<String> {
    let form = rng.pick(&[
        "text", "text", "text", "json", "csv", "tsv", "markdown", "html",
    ]);
    let mut args = vec![format!("--format={form}"), "--sources=listed".into()];
    let by = form != "json" && form != "html" && rng.one_in(3);
    reading(rng, &mut args);
    if by {
        let by = rng.pick(&["function", "file", "object", "class", "line"]);
        args.push(format!(
            "--by={}",
            if form == "text" && by == "line" {
                "file"
            } else {
                by
            }
        ));
    } else if rng.one_in(2) {
        args.push("--inclusive=yes".into());
    }
    if form == "text" {
        text(rng, by, &mut args);
    }
    whose(rng, &mut args);
    if rng.one_in(10) {
        args.push("--inlined".into());
    }
    if rng.one_in(3) {
        args.push(format!(
            "--threshold={}",
            rng.pick(&["0", "0.5", "50", "99.99", "100"])
        ));
    }
    if rng.one_in(8) {
        args.push(format!(
            "--sort={}",
            rng.pick(&["Ir", "Dr:50,Ir:90", "Bogus", "CEst", "Time_(10ns)"])
        ));
    }
    if rng.one_in(8) {
        args.push(format!(
            "--show={}",
            rng.pick(&["Ir", "Ir,Ir", "Dr,Ir", "CEst", ""])
        ));
    }
    if rng.one_in(6) {
        args.push(format!("--rows={}", rng.pick(&[0, 1, 5, usize::MAX])));
    }
    if rng.one_in(8) {
        args.push(format!("--min={}%", rng.pick(&["0", "0.001", "1", "100"])));
    }
    if rng.one_in(6) {
        let what = rng.pick(&[
            "function",
            "not-function",
            "file",
            "not-file",
            "object",
            "not-object",
        ]);
        args.push(format!("--{what}={}", pattern(rng)));
    }
    if rng.one_in(8) {
        args.push("--show-percs=no".into());
    }
    if rng.one_in(10) {
        args.push("--color=always".into());
    }
    args
}

/// What only the text has.
fn text(rng: &mut Rng, by: bool, args: &mut Vec<String>) {
    const ROOT: &str = env!("CARGO_MANIFEST_DIR");
    match rng.below(3) {
        0 => args.push("--auto=no".into()),
        1 => args.extend(
            ["shapes", "toggle", "cxx", "xdebug"]
                .map(|folder| format!("-I{ROOT}/fixtures/{folder}")),
        ),
        _ => {}
    }
    if rng.one_in(6) {
        args.push(format!("--context={}", rng.pick(&[0, 1, u64::MAX])));
    }
    match rng.below(5) {
        0 if !by => {
            let depth = rng.pick(&[0, 1, 2, 3, 5, 20, 1000]);
            args.extend([
                format!("--zoom={}", pattern(rng)),
                format!("--depth={depth}"),
            ]);
        }
        1 if !by => args.push(format!(
            "--tree={}",
            rng.pick(&["caller", "calling", "both"])
        )),
        2 => args.push(format!(
            "--split={}",
            rng.pick(&["part", "thread", "pid", "run", "input", "trigger"])
        )),
        3 if !by && rng.one_in(2) => args.push("--compat".into()),
        4 if rng.one_in(3) => args.push("--events".into()),
        _ => {}
    }
}

/// A comparison in any form, without its inputs.
pub(crate) fn comparison(rng: &mut Rng) -> Vec<String> {
    let form = rng.pick(&["text", "text", "json", "csv", "markdown", "html"]);
    let mut args = vec![
        "diff".to_owned(),
        format!("--format={form}"),
        "--sources=listed".into(),
    ];
    reading(rng, &mut args);
    let options = [
        (4, "--exact"),
        (3, "--by=line"),
        (3, "--inclusive=yes"),
        (6, "--auto=yes"),
        (6, "--threshold=100"),
        (8, "--show-percs=no"),
        (10, "--mod-filename=s/^.*\\///g"),
        (10, "--mod-funcname=s/([a-z])[0-9]+/$1/gi"),
        (12, "--sort=Dr:50,Ir"),
    ];
    whose(rng, &mut args);
    for (n, option) in options {
        if rng.one_in(n) {
            args.push(option.into());
        }
    }
    args
}

/// Limits and how a check reports, without its inputs.
pub(crate) fn limits(rng: &mut Rng) -> Vec<String> {
    let form = rng.pick(&["text", "markdown", "json", "junit", "github"]);
    let mut args = vec!["check".to_owned(), format!("--report={form}")];
    reading(rng, &mut args);
    for _ in 0..1 + rng.below(3) {
        args.push(format!("--limit={}", rng.pick(&LIMITS)));
    }
    if args.iter().any(|arg| arg.contains("own.Ir")) {
        args.push(format!("--own-code={}", pattern(rng)));
    }
    if rng.one_in(6) {
        args.push("--allow-missing".into());
    }
    args
}

/// A conversion, without its inputs.
pub(crate) fn conversion(rng: &mut Rng) -> Vec<String> {
    let to = rng.pick(&[
        "folded",
        "dot",
        "callgrind",
        "speedscope",
        "webgrind",
        "pprof",
    ]);
    let mut args = vec!["convert".to_owned(), format!("--to={to}")];
    reading(rng, &mut args);
    if ["folded", "dot", "speedscope", "pprof"].contains(&to) && rng.one_in(3) {
        args.push(format!("--min={}", rng.pick(&["0", "1", "100"])));
    }
    whose(rng, &mut args);
    if rng.one_in(5) {
        let what = rng.pick(&[
            "function",
            "not-function",
            "file",
            "not-file",
            "object",
            "not-object",
        ]);
        args.push(format!("--{what}={}", pattern(rng)));
    }
    args
}
