//! What fits a terminal.

use super::flat;
use crate::annotate::first_screen::{on_screen, plain};
use crate::common::{LISTED, Stage};
use unicode_width::UnicodeWidthStr;

/// What a terminal of this size shows.
fn shown(stage: &Stage, (columns, rows): (u16, u16), args: &[&str]) -> String {
    let command = stage.command(&[args, &["--paging=never"]].concat());
    let (text, success) = on_screen(columns, rows, command);
    assert!(success, "{text}");
    plain(&text)
}

/// How many columns there are from a word of a line on.
fn room(text: &str, line: &str, word: &str, columns: u16) -> Option<usize> {
    let line = text.lines().find(|shown| shown.contains(line))?;
    let place = line[..line.find(word)?].width();
    Some(usize::from(columns) - place)
}

/// A terminal without a height has 24 rows, of which one is the shell's.
#[test]
fn a_terminal_without_a_height_has_24_rows() {
    let stage = Stage::empty();
    stage.write("p", flat((0..40).map(|at| (format!("f{at}"), 100 - at))));
    let lines = |rows: u16| shown(&stage, (80, rows), &[LISTED, "p"]).lines().count();
    assert_eq!([lines(0), lines(24), lines(25)], [23, 23, 24]);
}

/// Names have 20 columns beside the counts of one event, and 30 beside those of more.
#[test]
fn names_have_room_beside_counts() {
    let stage = Stage::empty();
    let text = "events: Ir Dr Dw\nfl=a.c\nfn=main\n1 100 5 6\ncfn=f\ncalls=1 1\n1 100 5 6\nfn=f\n1 100 5 6\n";
    stage.write("p", text);
    let mut last = 0;
    let mut rooms = Vec::new();
    for columns in 30..80 {
        let text = shown(&stage, (columns, 24), &[LISTED, "p"]);
        let heading = text.lines().find(|line| line.contains("function")).unwrap();
        let counts = ["Ir self", "Dr self", "Dw self", "incl"]
            .iter()
            .filter(|title| heading.contains(*title))
            .count();
        if counts > last && last > 0 {
            rooms.push((counts, room(&text, heading, "function", columns).unwrap()));
        }
        assert!(counts >= last, "{columns}: {text}");
        last = counts;
    }
    assert_eq!(rooms, [(2, 20), (3, 30), (4, 30)]);
}

/// Where a line is takes 24 columns.
#[test]
fn places_of_lines_have_24_columns() {
    let stage = Stage::empty();
    for (letters, is_cut) in [(22, false), (23, true)] {
        let file = "x".repeat(letters - 2) + ".c";
        stage.write("p", format!("events: Ir\nfl={file}\nfn=f\n1 10\n"));
        let text = shown(&stage, (120, 24), &[LISTED, "p"]);
        let line = text
            .lines()
            .find(|line| line.contains("(source not found)"))
            .unwrap();
        assert_eq!(line.contains('…'), is_cut, "{text}");
        assert!(is_cut || line.contains(&format!("{file}:1")), "{text}");
    }
}

/// Own code with less than half of the cost of lines has a list of lines for itself, and so it has
/// if the hottest line is another's.
#[test]
fn own_lines_are_listed_below_a_half() {
    let stage = Stage::empty();
    for (own, more, are_own) in [
        (500, 0, false),
        (499, 0, true),
        (400, 200, false),
        (399, 201, true),
    ] {
        let rest = 1000 - own - more;
        stage.write(
            "p",
            format!(
                "cmd: ./app\nevents: Ir\nob=/me/app\nfl=own.c\nfn=main\n1 {own}\n7 {more}\ncob=/lib/libc.so.6\ncfi=lib.c\ncfn=work\n\
                 calls=1 1\n2 {rest}\nob=/lib/libc.so.6\nfl=lib.c\nfn=work\n1 {rest}\n"
            ),
        );
        let text = shown(&stage, (100, 24), &[LISTED, "p"]);
        assert_eq!(text.contains("own line"), are_own, "{own}: {text}");
    }
}

/// What would be shown as 0.00 % is in the row of the others.
#[test]
fn no_row_is_shown_as_nothing() {
    let stage = Stage::empty();
    for (cost, is_listed) in [(5, true), (4, false)] {
        let all = [
            ("big".to_owned(), 100_000 - cost),
            ("small".to_owned(), cost),
        ];
        stage.write("p", flat(all));
        for args in [&[LISTED, "p"][..], &[LISTED, "--inclusive=yes", "p"]] {
            let text = shown(&stage, (100, 40), args);
            assert_eq!(text.contains("a.c:small"), is_listed, "{cost}: {text}");
            assert_eq!(
                text.contains("(1 more function)"),
                !is_listed,
                "{cost}: {text}"
            );
        }
    }
    // If each is so small, they are listed.
    stage.write("p", flat((0..30_000).map(|at| (format!("f{at}"), 1))));
    assert!(shown(&stage, (100, 40), &[LISTED, "p"]).contains("a.c:f"));
}

/// The first command is about a function with a source, in your code if its lines are listed.
#[test]
fn the_first_command_leads_to_a_source() {
    let stage = Stage::empty();
    stage.write("own.c", "int main() {\n  work();\n}\n");
    stage.write("lib.c", "work\n");
    let run = |own: u64, file: &str| {
        let rest = 1000 - own;
        format!(
            "cmd: ./app\nevents: Ir\nob=/me/app\nfl=own.c\nfn=main\n1 {own}\ncob=/lib/libc.so.6\ncfi={file}\ncfn=work\n\
             calls=1 1\n2 {rest}\nob=/lib/libc.so.6\nfl={file}\nfn=work\n1 {rest}\n"
        )
    };
    for (own, file, name) in [
        (100, "/lib/gone.c", "main"),
        (500, "/lib/gone.c", "main"),
        (100, "lib.c", "main"),
        (600, "lib.c", "main"),
    ] {
        stage.write("p", run(own, file));
        let text = shown(&stage, (100, 24), &[LISTED, "p"]);
        assert!(
            text.contains(&format!("--zoom {name} ")),
            "{own} {file}: {text}"
        );
    }
    // Without any source it is the hottest one.
    stage.write("own.c", "");
    std::fs::remove_file(stage.dir.join("own.c")).unwrap();
    stage.write("p", run(100, "/lib/gone.c"));
    let text = shown(&stage, (100, 24), &[LISTED, "p"]);
    assert!(text.contains("--zoom work "), "{text}");
}

/// Lists at a terminal look like the first screen, without rules.
#[test]
fn lists_at_a_terminal_have_no_rules() {
    let stage = Stage::of("instr");
    for list in [
        "--by=file",
        "--by=line",
        "--by=instr",
        "--auto=no",
        "--inlined",
    ] {
        let args = [list, "--auto=no", "-n", "3", "--show=Ir", "matrix.all.out"];
        let text = shown(&stage, (100, 40), &args);
        assert!(!text.contains("---"), "{list}: {text}");
        let first = text
            .lines()
            .find(|line| !line.starts_with("cgannotate:"))
            .unwrap();
        assert_eq!(first, "Ir 104,414", "{list}: {text}");
    }
}

/// With less than 20 columns a name stands without its file.
#[test]
fn names_stand_alone_below_20_columns() {
    let stage = Stage::empty();
    stage.write("p", flat([("n".repeat(60), 10)]));
    let mut found = Vec::new();
    for columns in 28..40 {
        let text = shown(&stage, (columns, 24), &["--auto=no", "p"]);
        let line = text.lines().find(|line| line.contains("nnn")).unwrap();
        let word = if line.contains("a.c:") { "a.c:" } else { "n" };
        let room = room(&text, line, word, columns).unwrap();
        assert_eq!(word == "a.c:", room >= 20, "{room}: {line}");
        found.push(room);
    }
    assert!(found.contains(&19) && found.contains(&20), "{found:?}");
}

/// Bars of a trend take a fifth of the screen.
#[test]
fn bars_take_a_fifth_of_the_screen() {
    let stage = Stage::empty();
    let names: Vec<String> = (0..24).map(|at| format!("p{at}")).collect();
    for (at, name) in names.iter().enumerate() {
        stage.write(name, flat([("f".into(), if at < 12 { 100 } else { 200 })]));
    }
    let args: Vec<&str> = ["trend"]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    for (columns, bars) in [(99, 19), (100, 20), (119, 23), (120, 24)] {
        let text = shown(&stage, (columns, 24), &args);
        let line = text.lines().find(|line| line.contains("PROGRAM")).unwrap();
        let count = line.chars().filter(|c| ('▁'..='█').contains(c)).count();
        assert_eq!(count, bars, "{columns}: {line}");
    }
}

/// A comparison is 80 columns wide, or as wide as the screen if that is less.
#[test]
fn comparisons_are_80_columns_wide() {
    let stage = Stage::empty();
    stage
        .write("old", flat([("f".into(), 10)]))
        .write("new", flat([("f".into(), 20)]));
    let width = |text: &str| {
        text.lines()
            .find(|line| line.starts_with("---"))
            .unwrap()
            .len()
    };
    for (columns, want) in [(79, 79), (80, 80), (81, 80)] {
        let text = shown(&stage, (columns, 24), &["diff", "old", "new"]);
        assert_eq!(width(&text), want, "{text}");
    }
    assert_eq!(width(&stage.report(&["diff", "old", "new"])), 80);
}

/// Instructions have 28 columns, or shares go.
#[test]
fn instructions_have_28_columns() {
    let stage = Stage::empty();
    let text =
        "positions: instr line\nevents: Ir\nob=x\nfl=x.c\nfn=f\n0x401000 1 5\n0x401042 1 5\n";
    stage.write("p", text);
    let mut rooms = Vec::new();
    for columns in 40..56 {
        let args = ["--zoom=f", "--asm", "--auto=no", "p"];
        let text = shown(&stage, (columns, 60), &args);
        let line = text.lines().find(|line| line.contains("401042")).unwrap();
        if line.contains('%') {
            // Behind the address and a blank.
            rooms.push(room(&text, line, "401042", columns).unwrap() - 7);
        }
    }
    assert_eq!(rooms.first(), Some(&28), "{rooms:?}");
    assert_eq!(rooms.last(), Some(&(rooms.len() + 27)), "{rooms:?}");
}

/// Fifty levels of calling contexts are indented.
#[test]
fn contexts_are_indented_up_to_a_level() {
    let stage = Stage::empty();
    let contexts: String = (0..53)
        .map(|at| format!("x 1 {} {}\n", at + 1, if at == 0 { -1 } else { at }))
        .collect();
    let text =
        format!("c report generated by aprof\nv 6\nk 5\na x\nf x\nr \"f\" \"x\" 1\n{contexts}");
    stage.write("p", text);
    let text = stage.report(&["--tree=calling", "p"]);
    let tree = text.lines().filter(|line| line.ends_with("f [x]")).skip(1);
    let begins: Vec<usize> = tree
        .map(|line| {
            let name = line.rsplit_once("  ").unwrap().1;
            line.len() - name.len()
        })
        .collect();
    assert_eq!(begins.len(), 53, "{text}");
    assert_eq!(begins[50] - begins[0], 100, "{text}");
    assert_eq!(begins[51..], [begins[50]; 2], "{text}");
    assert!(text.contains("(level 52) f [x]"), "{text}");
    assert!(!text.contains("(level 51) "), "{text}");
}
