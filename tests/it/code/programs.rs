//! Programs with one line at fault, which pays for library code: `fixtures/own/`. What they are
//! recorded for is asked of the first screen, of reports, pages and the explorer.

use super::own::{count, functions_cost_what_their_lines_do, lines, of_document};
use super::recorded::has;
use crate::annotate::first_screen::{on_screen, plain};
use crate::common::amount::is_long;
use crate::common::needed::{Required, found, succeeds};
use crate::common::{Stage, fixtures};
use crate::explore::{self, Walk};
use cgannotate::explore::Lenses;
use cgannotate::input::{self, Options};
use cgannotate::object::{self, Where};
use cgannotate::profile::Collect;
use cgannotate::view::next::Again;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// A program, and how it is built.
#[derive(Clone, Copy)]
struct Program {
    source: &'static str,
    compiler: &'static str,
    options: &'static [&'static str],
    /// What is added for another build.
    other: &'static str,
    /// The debug information is in another file.
    is_stripped: bool,
}

const PROGRAMS: [Program; 5] = [
    Program {
        source: "sums.c",
        compiler: "gcc",
        options: &["-g", "-O2"],
        other: "-O1",
        is_stripped: false,
    },
    Program {
        source: "orders.cpp",
        compiler: "g++",
        options: &["-g", "-O2"],
        other: "-O1",
        is_stripped: false,
    },
    Program {
        source: "outline.rs",
        compiler: "rustc",
        options: &["-Cdebuginfo=line-tables-only", "-Copt-level=3"],
        other: "-Copt-level=2",
        is_stripped: false,
    },
    Program {
        source: "stations.f90",
        compiler: "gfortran",
        options: &["-g", "-O2"],
        other: "-O1",
        is_stripped: false,
    },
    Program {
        source: "requests.c",
        compiler: "gcc",
        options: &["-g", "-O2"],
        other: "-O1",
        is_stripped: true,
    },
];

impl Program {
    fn name(&self) -> &'static str {
        self.source.split_once('.').unwrap().0
    }

    /// Whether it can be built and recorded here.
    fn is_possible(&self) -> bool {
        let compiler = self.compiler;
        let missing = format!(
            "{compiler} is not installed, so {} was not tried",
            self.source
        );
        let required = match compiler {
            "gfortran" => Required::Nowhere,
            _ => Required::Tools,
        };
        found(succeeds(compiler, &["--version"]), required, &missing)
            && has("valgrind")
            && (!self.is_stripped || has("objcopy"))
    }

    /// Builds it from this text.
    fn build(&self, stage: &Stage, text: &str, more: &[&str]) {
        let name = self.name();
        stage.write(self.source, text);
        run(
            stage,
            self.compiler,
            &[&[self.source, "-o", name], self.options, more].concat(),
        );
        if self.is_stripped {
            let debug = &format!("{name}.debug");
            run(stage, "objcopy", &["--only-keep-debug", name, debug]);
            let link = format!("--add-gnu-debuglink={debug}");
            run(stage, "objcopy", &["--strip-all", &link, name]);
        }
    }

    fn text(&self) -> String {
        fs::read_to_string(fixtures().join("own").join(self.source)).unwrap()
    }
}

/// Runs a compiler or what belongs to it. `rustc` finds its toolchain below the home of whoever runs
/// the tests.
fn run(stage: &Stage, program: &str, args: &[&str]) {
    let out = Command::new(program)
        .args(args)
        .current_dir(&stage.dir)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{program}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// A program that was built and recorded: its folder, the profile, and what a terminal showed.
struct Recording {
    stage: Stage,
    profile: String,
    screen: String,
}

/// Builds and records a program; nothing without the tools.
fn recording(program: &Program) -> Option<Recording> {
    program.is_possible().then(|| {
        let stage = Stage::empty();
        program.build(&stage, &program.text(), &[]);
        let (profile, screen) = record(&stage, program);
        Recording {
            stage,
            profile,
            screen,
        }
    })
}

/// Records it at a terminal. Gives the profile, and what is shown.
fn record(stage: &Stage, program: &Program) -> (String, String) {
    let command = format!("./{}", program.name());
    let command = stage.command(&["record", "--paging=never", "--", &command]);
    let (screen, success) = on_screen(100, 40, command);
    let screen = plain(&screen);
    assert!(success, "{screen}");
    let profile = screen
        .lines()
        .find(|line| line.starts_with("callgrind.out."));
    (profile.unwrap().to_owned(), screen)
}

/// The line that is the hottest, as `fixtures/own/expected.tsv` has it.
fn expected(source: &str) -> String {
    let all = fs::read_to_string(fixtures().join("own/expected.tsv")).unwrap();
    let row = all.lines().find(|row| row.starts_with(source)).unwrap();
    let fields: Vec<&str> = row.split('\t').collect();
    (*fields.get(3).unwrap_or(&fields[1])).to_owned()
}

/// The number of the line with this text.
fn number(text: &str, line: &str) -> u64 {
    let at = text.lines().position(|other| other.trim() == line);
    at.unwrap_or_else(|| panic!("{line}")) as u64 + 1
}

/// The first of the lines that a screen lists.
fn first_line(screen: &str) -> &str {
    let mut rows = screen.lines().skip_while(|row| !row.contains(" own line "));
    rows.nth(1).unwrap_or_else(|| panic!("{screen}"))
}

/// A profile as the explorer reads it.
fn explored(stage: &Stage, profile: &str) -> Lenses {
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    let profile = input::read(&[stage.dir.join(profile)], &options).unwrap();
    let mut lenses = explore::whole(profile, Again::default());
    lenses.inliner = Box::new(|profile| object::find_inlined(profile, &Where::default()));
    lenses
}

/// What the rows of a list cost together.
fn sum(rows: &[BTreeMap<String, String>]) -> i64 {
    let own = |row: &BTreeMap<String, String>| row["Ir own"].parse::<i64>().unwrap_or(0);
    rows.iter().map(own).sum()
}

/// After `record`, a terminal names the line first, and `o`, `o` and `v` lead to it in the explorer.
/// In all forms, lines add up to functions, and functions to the total.
fn hold(program: &Program) {
    let Some(Recording {
        stage,
        profile,
        screen,
    }) = recording(program)
    else {
        return;
    };
    let wanted = expected(program.source);
    let line = number(&program.text(), &wanted);
    let place = format!(" {}:{line} ", program.source);
    let first = first_line(&screen);
    assert!(first.contains(&place), "{screen}");
    assert!(
        screen.contains("\ninlined code: from the profile\n"),
        "{screen}"
    );

    let report = |options: &[&str]| {
        let file = profile.as_str();
        let common = ["--own", "--inlined"];
        stage.report(&[&common[..], options, &[file]].concat())
    };
    let json: Value = serde_json::from_str(&report(&["--format=json"])).unwrap();
    let total = count(&json["totals"]);
    let (by_line, all) = lines(&report(&["--by=line", "--threshold=100", "--format=csv"]));
    assert_eq!(all, total);
    let csv = report(&["--threshold=100", "--format=csv"]);
    assert_eq!(functions_cost_what_their_lines_do(&csv, &by_line), total);
    let (hot, cost) = by_line
        .iter()
        .filter(|((name, _), _)| !name.starts_with('('))
        .max_by_key(|(_, cost)| **cost)
        .unwrap();
    assert_eq!(hot.1, line);
    // The screen has the lines of all functions there, which are inlined in several places.
    let digits = |text: &str| text.replace(',', "").parse::<i64>().unwrap();
    assert_eq!(digits(first.split_whitespace().next().unwrap()), *cost);

    let mut in_document = of_document(&json);
    in_document.retain(|(_, line), _| *line > 0);
    let mut listed = by_line.clone();
    listed.retain(|(_, line), cost| *line > 0 && *cost > 0);
    assert_eq!(in_document, listed);

    let text = report(&["--threshold=100", "--auto=no"]);
    let rows = text
        .lines()
        .skip_while(|row| !row.ends_with("file:function"))
        .skip(2)
        .take_while(|row| !row.is_empty());
    let rows = rows.map(|row| digits(row.trim().split([' ', '(']).next().unwrap()));
    assert_eq!(rows.sum::<i64>(), total, "{text}");

    let page = crate::page::data(&report(&["--format=html"]));
    let of = |column: &str| page.costs(column, 1).iter().map(|row| row[0]).sum::<i128>();
    assert_eq!(of("p.self"), i128::from(total));
    assert!(page.costs("l.self", 1).contains(&vec![i128::from(*cost)]));

    let lenses = explored(&stage, &profile);
    let mut walk = Walk::new(&lenses, stage.dir.join("p").to_str().unwrap(), (120, 40));
    walk.press(&["o", "o"]);
    assert_eq!(sum(&walk.csv()), total);
    let shown = walk.press(&["v"]).screen((200, 40));
    let cursor = shown.iter().find(|row| row.starts_with('>')).unwrap();
    assert!(cursor.contains(&wanted), "{shown:#?}");
    let name = &hot.0;
    let of_function = by_line.iter().filter(|((of, _), _)| of == name);
    let cost: i64 = of_function.map(|(_, cost)| cost).sum();
    let mut rows = walk.csv();
    rows.retain(|row| row["line"].parse::<u64>().is_ok());
    assert_eq!(sum(&rows), cost);
}

#[test]
fn a_program_of_c_has_its_line_first() {
    hold(&PROGRAMS[0]);
}

#[test]
fn a_program_of_cpp_has_its_line_first() {
    hold(&PROGRAMS[1]);
}

#[test]
fn a_program_of_rust_has_its_line_first() {
    hold(&PROGRAMS[2]);
}

#[test]
fn a_program_of_fortran_has_its_line_first() {
    hold(&PROGRAMS[3]);
}

#[test]
fn a_stripped_program_has_its_line_first() {
    hold(&PROGRAMS[4]);
}

/// PHP's profile has no addresses, and says at which line a function is declared, not where its own
/// cost is. Nothing has to be typed all the same, and `o` and `v` lead to the line.
#[test]
fn a_program_of_php_has_its_line_first() {
    let stage = Stage::of("own");
    let text = fs::read_to_string(stage.dir.join("shop.xdebug")).unwrap();
    let here = stage.dir.to_str().unwrap();
    stage.write("shop.xdebug", text.replace("/srv/shop", here));
    let command = stage.command(&["--paging=never", "shop.xdebug"]);
    let (screen, success) = on_screen(100, 40, command);
    let screen = plain(&screen);
    let wanted = expected("shop.php");
    let text = fs::read_to_string(stage.dir.join("shop.php")).unwrap();
    let place = format!(" shop.php:{} ", number(&text, &wanted));
    let first = first_line(&screen);
    assert!(success && first.contains(&place), "{screen}");

    let report = |options: &[&str]| {
        let common = ["--own", "--threshold=100", "--show=Time_(10ns)"];
        let last = ["--format=csv", "shop.xdebug"];
        stage.report(&[&common[..], options, &last].concat())
    };
    // A little of the run is not attributed to any function, for which tables have no row.
    let json = stage.json(&["shop.xdebug"]);
    let functions = json["functions"].as_array().unwrap();
    let total = functions.iter().map(|one| count(&one["self"])).sum::<i64>();
    let (by_line, all) = lines(&report(&["--by=line"]));
    assert_eq!(
        functions_cost_what_their_lines_do(&report(&[]), &by_line),
        total
    );
    assert_eq!(all, total);

    let lenses = explored(&stage, "shop.xdebug");
    let mut walk = Walk::new(&lenses, stage.dir.join("p").to_str().unwrap(), (120, 40));
    let shown = walk.press(&["o", "v"]).screen((200, 40));
    let cursor = shown.iter().find(|row| row.starts_with('>')).unwrap();
    assert!(cursor.contains(&wanted), "{shown:#?}");
}

/// What was recorded before the program was changed and built in another way is compared with what
/// was recorded afterwards: the same is printed if the old binary is there again, which says that
/// neither is needed.
#[test]
fn comparisons_survive_a_new_build() {
    for (at, program) in PROGRAMS.iter().enumerate() {
        if !is_long() && at % 2 == 0 {
            continue;
        }
        let Some(Recording { stage, profile, .. }) = recording(program) else {
            continue;
        };
        let files = [
            program.name().to_owned(),
            format!("{}.debug", program.name()),
        ];
        let old = files
            .clone()
            .map(|name| fs::read(stage.dir.join(name)).ok());
        let text = program.text();
        let (head, tail) = text.split_once('\n').unwrap();
        program.build(&stage, &format!("{head}\n\n\n{tail}"), &[program.other]);
        let (newer, _) = record(&stage, program);
        let compared = || {
            let common = ["diff", "--own", "--inlined", "--auto=yes", &profile, &newer];
            stage.report(&common)
        };
        let rebuilt = compared();
        assert!(rebuilt.contains(program.source), "{rebuilt}");
        for (name, bytes) in files.iter().zip(old) {
            bytes
                .iter()
                .for_each(|bytes| fs::write(stage.dir.join(name), bytes).unwrap());
        }
        assert_eq!(compared(), rebuilt, "{}", program.source);
    }
}
