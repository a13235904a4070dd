//! A suggested command, run as it stands, reads the same inputs in the same way, and begins with
//! the same numbers.

use crate::annotate::first_screen::{on_screen, plain};
use crate::common::{Stage, gzip};
use std::process::Output;

/// A run whose costs are `factor` times those of the smallest. Totals of different runs never add
/// up to the same.
fn profile(pid: u32, factor: u64, hottest: &str) -> String {
    let [main, hot, library] = [10, 60, 30].map(|count| count * factor);
    format!(
        "version: 1\ncreator: callgrind-3.19.0\npid: {pid}\ncmd: ./x\npart: 1\npositions: line\nevents: Ir Dr\n\
         ob=/home/me/x\nfl=src/a.c\nfn=main\n1 {main} 1\ncfn={hottest}\ncalls=1 3\n2 {} 5\n\
         fn={hottest}\n3 {hot} 2\ncob=/usr/lib/libc.so.6\ncfi=m.c\ncfn=malloc\ncalls=4 1\n4 {library} 3\n\
         fn={hottest}'2\n9 1 1\nob=/usr/lib/libc.so.6\nfl=m.c\nfn=malloc\n1 {library} 3\ntotals: {} 7\n",
        hot + library,
        main + hot + library + 1
    )
}

/// The number that a line begins with.
fn first_number(line: &str) -> Option<i64> {
    let word = line.split_whitespace().next()?.replace(',', "");
    word.parse().ok()
}

/// Commands of a screen, each in one line.
fn commands(screen: &str) -> Vec<String> {
    let joined = screen.replace("\\\n", " ");
    let commands = joined
        .lines()
        .filter(|line| line.starts_with("cgannotate "));
    commands
        .map(|line| line.split("  #").next().unwrap().trim_end().to_owned())
        .collect()
}

/// What a shell makes of a command.
fn typed(stage: &Stage, command: &str) -> Output {
    let program = format!(
        "cgannotate() {{ \"{}\" \"$@\"; }}\n{command}",
        env!("CARGO_BIN_EXE_cgannotate")
    );
    stage.any("sh", &["-c", &program]).output().unwrap()
}

/// Follows all commands that the first screen of these arguments suggests. Gives how many there
/// are.
fn follow(stage: &Stage, args: &[&str]) -> usize {
    let mut command = stage.command(&[&["--paging=never"], args].concat());
    command.env("PAGER", "cat");
    let (screen, success) = on_screen(300, 50, command);
    let screen = plain(&screen);
    assert!(success, "{args:?}: {screen}");
    // `Ir 101  Dr 7`, below the inputs, and the table of functions.
    let is_head = |line: &&str| {
        [" self ", " own "].iter().any(|cost| line.contains(cost)) && line.ends_with("function")
    };
    let table = screen
        .lines()
        .position(|line| is_head(&line))
        .unwrap_or_else(|| panic!("{args:?}: {screen}"));
    let totals = screen
        .lines()
        .take(table)
        .filter(|line| !line.is_empty())
        .last()
        .unwrap_or_else(|| panic!("{screen}"));
    let event = screen
        .lines()
        .nth(table)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    let words: Vec<&str> = totals.split_whitespace().collect();
    let total = words
        .iter()
        .position(|word| *word == event)
        .and_then(|at| first_number(words[at + 1]));
    let total = total.unwrap_or_else(|| panic!("{args:?}: {event} in {totals}: {screen}"));
    let hottest = first_number(screen.lines().nth(table + 1).unwrap())
        .unwrap_or_else(|| panic!("{args:?}: {screen}"));
    let has_source = screen.contains("the text of a line");
    let commands = commands(&screen);
    for command in &commands {
        let out = typed(stage, command);
        let (text, said) = (
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap(),
        );
        assert_eq!(out.status.code(), Some(0), "{args:?}: {command}: {said}");
        let line = |words: &[&str]| {
            let lines: Vec<&str> = text.lines().collect();
            let total = lines
                .iter()
                .position(|line| line.contains("PROGRAM TOTALS"))
                .unwrap();
            let column = lines[total - 2]
                .split_whitespace()
                .position(|name| name == event)
                .unwrap_or(0);
            let line = lines[total..]
                .iter()
                .find(|line| words.iter().any(|word| line.contains(word)));
            let line = line.unwrap_or_else(|| panic!("{args:?}: {command}: {text}"));
            // Without shares, which stand in brackets.
            line.split_whitespace()
                .filter(|word| !word.ends_with(')'))
                .nth(column)
                .and_then(first_number)
                .unwrap()
        };
        assert_eq!(
            line(&["PROGRAM TOTALS"]),
            total,
            "{args:?}: {command}: {text}"
        );
        // What was left out by its name stays out.
        let leaves_out = |option: &&&str| {
            ["--file=", "--object=", "--not-object=", "--not-file="]
                .iter()
                .any(|of| option.starts_with(of))
        };
        let typed_filters = args.iter().filter(leaves_out).count();
        let is_out = |line: &str| line.contains("m.c:") || line.ends_with(" m.c");
        let shows_it = !command.contains(" --zoom ") && text.lines().any(is_out);
        assert!(
            typed_filters == 0 || !shows_it,
            "{args:?}: {command}: {text}"
        );
        if command.starts_with("cgannotate --zoom") {
            assert_eq!(
                line(&["  self: ", "  own: "]),
                hottest,
                "{args:?}: {command}: {text}\n{screen}"
            );
            assert!(
                !has_source || text.contains("the text of a line"),
                "{args:?}: {command}: {text}"
            );
        }
    }
    commands.len()
}

#[test]
fn commands_of_the_first_screen_read_the_same_inputs() {
    let stage = Stage::empty();
    let source = "the text of a line;\n".repeat(12);
    stage
        .write("p", profile(1, 1, "work"))
        .write("it's a \"run\" $1.out", profile(1, 2, "work"));
    stage
        .write("-p", profile(1, 2, "work"))
        .write("*.out", profile(1, 4, "work"));
    stage
        .add("my src/src/a.c", &source)
        .add("moved/a.c", &source);
    for (part, factor) in [(1, 1), (2, 2), (3, 4)] {
        stage.write(
            &format!("callgrind.out.77-0{part}"),
            profile(77, factor, "work"),
        );
    }
    stage
        .write("callgrind.out.78", profile(78, 8, "work"))
        .write("callgrind.out.7", profile(7, 16, "work"));
    stage.write(
        "cut",
        profile(1, 2, "work")
            .replace("positions", "desc: I1 cache:\nsummary: 201 7\npositions")
            .split("3\ntotals")
            .next()
            .unwrap(),
    );
    stage.write(
        "odd",
        format!(
            "hello\n{}",
            profile(1, 2, "work").replace("version: 1\n", "")
        ),
    );
    stage.write(
        "p.gz",
        gzip(format!("{}# {}\n", profile(1, 2, "work"), "#".repeat(2_300_000)).as_bytes()),
    );
    assert!(stage.run(&["pack", "p", "-o", "p.cgpack"]).status.success());
    for (at, name) in [
        "f(int, char)",
        "it's",
        "$x `y` \"z\"",
        "-dash",
        "a\\b*c[d]",
        "operator<<",
        "f.part.0|g",
    ]
    .iter()
    .enumerate()
    {
        let file = format!("named{at}");
        stage.write(&file, profile(1, 1, name));
        assert!(follow(&stage, &[&file]) >= 3, "{name}");
    }
    for args in [
        &["p"][..],
        &["it's a \"run\" $1.out"],
        &["--", "-p"],
        &["./-p", "p"],
        &["*.out"],
        &["p", "it's a \"run\" $1.out"],
        &["77"],
        &["callgrind.out.77-01", "callgrind.out.77-03"],
        &[
            "callgrind.out.77-01",
            "callgrind.out.77-02",
            "callgrind.out.77-03",
        ],
        &[
            "callgrind.out.77-01",
            "callgrind.out.77-02",
            "callgrind.out.78",
        ],
        &[
            "callgrind.out.77-01",
            "callgrind.out.77-02",
            "callgrind.out.77-03",
            "callgrind.out.78",
        ],
        &["callgrind.out.78"],
        &["7"],
        &["p.cgpack"],
        &["--allow-truncated", "cut"],
        &["--input-format=callgrind", "odd"],
        &["--strict", "p"],
        &["--threads=1", "p"],
        &["--fold-recursion", "p"],
        &["--own", "p"],
        &["--own", "--own-code=^work", "p"],
        &["--own-code=^work", "p"],
        &["--fold=libc", "p"],
        &["--fold=m.c$", "p"],
        &["--fold=mall?oc", "p"],
        &["--event=Both = Ir + 2 Dr", "--sort=Both", "p"],
        &["--event=Both = Ir + 2 Dr", "--show=Both,Ir", "p"],
        &["--sort=Dr", "p"],
        &["--show=Dr", "p"],
        &["--show-percs=no", "p"],
        &["--inclusive=yes", "p"],
        &["--function=work", "--not-function=main", "p"],
        &["--file=a[.]c", "p"],
        &["--object=x", "p"],
        &["--not-object=libc", "p"],
        &["--not-file=m[.]c", "p"],
        &["-I", "my src", "p"],
        &["--sources=listed", "p"],
        &["--map=src=moved", "p"],
        &["--rows=1", "p"],
        &["--min=1%", "p"],
        &["--threshold=50", "p"],
        &["--color=always", "p"],
    ] {
        assert!(follow(&stage, args) >= 3, "{args:?}");
    }
    // What can be read only once is not suggested to be read again.
    let script = format!("\"{}\" - < p", env!("CARGO_BIN_EXE_cgannotate"));
    let (screen, _) = on_screen(200, 40, stage.any("sh", &["-c", &script]));
    assert!(
        screen.contains("work") && commands(&plain(&screen)).is_empty(),
        "{screen}"
    );
    // Without a name it is the newest that is read, and named.
    let (screen, _) = on_screen(200, 40, stage.command(&["--paging=never"]));
    assert!(
        commands(&plain(&screen))
            .iter()
            .all(|command| command.contains(" callgrind.out.7")),
        "{screen}"
    );
}

/// What is said to help does: the option that a message names, added to what was typed.
#[test]
fn options_that_messages_name_help() {
    let stage = Stage::empty();
    stage.write(
        "p.gz",
        gzip(format!("{}# {}\n", profile(1, 2, "work"), "#".repeat(2_300_000)).as_bytes()),
    );
    stage
        .write(
            "parts",
            "events: Ir\nfn=f\n1 1\n\npart: 2\nevents: Ir\nfn=f\n1 2\n",
        )
        .write("p", profile(1, 1, "work"));
    for command in [
        "--auto=no",
        "diff p",
        "merge",
        "convert --to=folded",
        "trend p",
        "check --limit=total.Ir<=9999",
    ] {
        let words: Vec<&str> = command.split(' ').chain(["p.gz"]).collect();
        let out = stage.run(&words);
        let said = String::from_utf8(out.stderr).unwrap();
        // `trend` goes on with the other runs, and says that, too.
        assert!(
            !out.status.success() && said.contains("unpack it and pipe it in, as `-`"),
            "{command}: {said}"
        );
        let line = format!("gzip -dc p.gz | \"$0\" {} -", command.replace('<', "\\<"));
        let out = stage
            .any("sh", &["-c", &line, env!("CARGO_BIN_EXE_cgannotate")])
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(0), "{command}: {out:?}");
    }
    let out = stage.run(&["--compat", "p.gz"]);
    assert!(!out.status.success());
    for (args, wrong, right) in [
        (&["--sort=irr", "p"][..], "--sort=irr", "--sort="),
        (&["--show=drr", "p"], "--show=drr", "--show="),
    ] {
        let said = String::from_utf8(stage.run(args).stderr).unwrap();
        let near = said
            .split("hint: did you mean ")
            .nth(1)
            .unwrap_or_else(|| panic!("{said}"))
            .split("?\n")
            .next()
            .unwrap();
        let meant = format!("{right}{near}");
        let args: Vec<&str> = args
            .iter()
            .map(|arg| if *arg == wrong { &meant[..] } else { arg })
            .collect();
        assert!(stage.run(&args).status.success(), "{args:?}");
    }
}
