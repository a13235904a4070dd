//! The numbers of the explorer.

use super::{flat, read};
use crate::common::Stage;
use crate::explore::{Walk, runs, whole};
use cgannotate::explore::{Effect, Lenses, Message, Mouse};
use cgannotate::view::next::{Again, Word};

fn lenses(text: &str) -> Lenses {
    whole(
        read(text),
        Again {
            options: vec![],
            inputs: vec![Word::Literal("p".to_owned())],
        },
    )
}

fn many(count: usize) -> String {
    flat((0..count).map(|at| (format!("f{at:05}"), 100_000 - at as u64)))
}

/// The wheel goes three rows.
#[test]
fn the_wheel_goes_three_rows() {
    let data = lenses(&many(50));
    let mut walk = Walk::new(&data, "p", (80, 24));
    let here = |walk: &Walk<'_>| {
        walk.screen((80, 24))
            .iter()
            .position(|line| line.starts_with('>'))
            .unwrap()
    };
    let first = here(&walk);
    walk.happens(Message::Mouse(Mouse::Down, 5, 5));
    assert_eq!(here(&walk), first + 3);
    walk.happens(Message::Mouse(Mouse::Up, 5, 5));
    assert_eq!(here(&walk), first);
}

/// Two panes are shown from 120 columns on.
#[test]
fn two_panes_need_120_columns() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 20\nfn=f\n1 20\n";
    let data = lenses(text);
    for (width, panes) in [(119, 1), (120, 2)] {
        let mut walk = Walk::new(&data, "p", (width, 24));
        walk.happens(Message::Resize(width, 24));
        let screen = walk.screen((width, 24));
        assert_eq!(
            screen.iter().any(|line| line.contains('│')),
            panes == 2,
            "{screen:#?}"
        );
    }
}

/// A thousand letters can be typed.
#[test]
fn a_thousand_letters_can_be_typed() {
    let data = lenses(&many(2));
    for (typed, taken) in [(999, 999), (1000, 1000), (1001, 1000)] {
        let mut walk = Walk::new(&data, "p", (80, 24));
        walk.press(&["w"])
            .types(&"x".repeat(typed))
            .press(&["Enter"]);
        let Some(Effect::Write(name, _)) = walk.asked.pop() else {
            panic!("nothing was written")
        };
        assert_eq!(name.len(), taken);
    }
}

/// One goes back a thousand times.
#[test]
fn a_thousand_places_are_gone_back_to() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 20\nfn=f\n1 20\n";
    let data = lenses(text);
    for (steps, is_back) in [(999, true), (1000, true), (1001, false)] {
        let mut walk = Walk::new(&data, "p", (80, 24));
        let begin = walk.screen((80, 24))[0].clone();
        // Each key leads to another screen.
        let keys: Vec<&str> = (0..steps)
            .map(|at| if at % 2 == 0 { "o" } else { "f" })
            .collect();
        walk.press(&keys).press(&vec!["Backspace"; steps]);
        assert_eq!(walk.screen((80, 24))[0] == begin, is_back, "{steps}");
    }
}

/// Three members of a cycle are named.
#[test]
fn three_members_of_a_cycle_are_named() {
    for (members, more) in [(3, false), (4, true)] {
        let mut text = String::from("events: Ir\nfl=a.c\n");
        for at in 0..members {
            text += &format!(
                "fn=ring{at}\n1 10\ncfn=ring{}\ncalls=3 1\n1 7\n",
                (at + 1) % members
            );
        }
        let data = lenses(&text);
        let mut walk = Walk::new(&data, "p", (100, 24));
        walk.press(&["5"]);
        let screen = walk.screen((100, 24)).join("\n");
        assert!(screen.contains("ring2"), "{screen}");
        assert_eq!(screen.contains(", …"), more, "{screen}");
    }
}

/// A source that is explored, beside its profile.
fn with_source(text: &str, source: &str) -> (Stage, Lenses) {
    let stage = Stage::empty();
    stage.write("a.c", source).write("b.h", "one\ntwo\n");
    (stage, lenses(text))
}

/// A line with a hundredth of a function is hot: `n` goes to it.
#[test]
fn a_line_with_a_hundredth_of_a_function_is_hot() {
    for (cost, is_hot) in [(10, true), (9, false)] {
        let rest = 1000 - cost;
        let text = format!("events: Ir\nfl=a.c\nfn=f\n1 {rest}\n3 {cost}\n");
        let (stage, data) = with_source(&text, "1\n2\n3\n");
        let mut walk = Walk::new(&data, stage.dir.join("p").to_str().unwrap(), (80, 24));
        walk.press(&["v", "g", "n", "n"]);
        let screen = walk.screen((80, 24));
        let line = screen.iter().find(|line| line.starts_with('>')).unwrap();
        assert_eq!(line.ends_with(" 3 3"), is_hot, "{screen:#?}");
        assert_eq!(line.ends_with(" 1 1"), !is_hot, "{screen:#?}");
    }
}

/// A file that had a hundredth of a function in the older run is shown with it.
#[test]
fn a_file_with_a_hundredth_of_an_older_function_is_shown() {
    for (cost, is_shown) in [(10, true), (9, false)] {
        // The newer run knows the file by another function.
        let other = "fn=g\nfi=b.h\n1 5\n";
        let rest = 1000 - cost;
        let old = format!("events: Ir\nfl=a.c\nfn=f\n1 {rest}\nfi=b.h\n2 {cost}\nfe=a.c\n{other}");
        let data = runs(&old, &format!("events: Ir\nfl=a.c\nfn=f\n1 1000\n{other}"));
        let mut walk = Walk::new(&data, "p", (80, 24));
        walk.press(&["v"]);
        let screen = walk.screen((80, 24));
        let has = screen.iter().any(|line| line.contains("-- b.h"));
        assert_eq!(has, is_shown, "{screen:#?}");
    }
}

/// Names get two fifths of a screen, and 24 columns at least, before numbers do.
#[test]
fn names_get_two_fifths_of_a_screen() {
    let counts = "1000000 2000000 3000000 4000000 5000000 6000000";
    let text = format!(
        "events: E1 E2 E3 E4 E5 E6\nfl=a.c\nfn=main\n1 {counts}\ncfn=name\ncalls=1 1\n1 {counts}\nfn=name\n1 {counts}\n"
    );
    let data = lenses(&text);
    let mut walk = Walk::new(&data, "p", (80, 24));
    let (mut last, mut seen) = (None, Vec::new());
    for width in 30..118u16 {
        walk.happens(Message::Resize(width, 24));
        let screen = walk.screen((width, 24));
        let row = screen.iter().find(|row| row.contains(" name")).unwrap();
        let place = row.find("name").unwrap();
        // One column stays blank.
        let names = usize::from(width) - place - 1;
        let wanted = 24.max(usize::from(width) * 2 / 5);
        // Shares alone can take what no other number has.
        let has_count = row.contains(",000");
        if has_count && last.is_some_and(|last| place > last) {
            assert_eq!(names, wanted, "{width}: {screen:#?}");
            seen.push(width);
        }
        last = Some(place);
    }
    assert!(seen.iter().any(|&width| width < 60), "{seen:?}");
    assert!(seen.iter().any(|&width| width > 65), "{seen:?}");
}

/// Of a line of source 2000 letters are shown, and a tab goes to the next of every eight columns.
#[test]
fn lines_of_source_are_cut_and_have_tabs() {
    let shown = |source: &str| {
        let (stage, data) = with_source("events: Ir\nfl=a.c\nfn=f\n1 10\n", source);
        let mut walk = Walk::new(&data, stage.dir.join("p").to_str().unwrap(), (3000, 24));
        walk.press(&["v"]);
        let screen = walk.screen((3000, 24));
        let line = screen.iter().find(|line| line.starts_with('>')).unwrap();
        let (_, text) = line.split_once("% ").unwrap();
        text.split_once("1 ").unwrap().1.to_owned()
    };
    for (letters, seen) in [(1999, 1999), (2000, 2000), (2001, 2000)] {
        assert_eq!(shown(&"x".repeat(letters)), "x".repeat(seen));
    }
    assert_eq!(shown("xxxxxx\tb"), "xxxxxx  b");
    assert_eq!(shown("xxxxxxx\tb"), "xxxxxxx b");
    assert_eq!(shown("xxxxxxxx\tb"), "xxxxxxxx        b");
}

/// Stacks with less than a 10,000th of the cost are not told apart.
#[test]
fn stacks_with_a_10_000th_are_told_apart() {
    for (cost, are_apart) in [(10, true), (9, false)] {
        let rest = 100_000 - cost;
        let text = format!(
            "events: Ir\nfl=a.c\nfn=main\n1 {rest}\ncfn=little\ncalls=1 1\n1 {cost}\nfn=little\n1 {cost}\n"
        );
        let data = lenses(&text);
        let mut walk = Walk::new(&data, "p", (80, 24));
        let rows = walk.press(&["6"]).csv();
        let has = |name: &str| rows.iter().any(|row| row["name"].trim() == name);
        assert_eq!(
            [has("little"), has("(small stacks)")],
            [are_apart, !are_apart],
            "{rows:?}"
        );
    }
}

/// A page that the explorer writes has eight lines around those with costs.
#[cfg(target_os = "linux")]
#[test]
fn pages_of_the_explorer_have_eight_lines_around() {
    use crate::annotate::first_screen::terminal;
    use std::fs::File;
    use std::io::{Read, Write};
    let stage = Stage::empty();
    let source: String = (1..40).map(|line| format!("line {line}\n")).collect();
    stage
        .write("p", "events: Ir\nfl=a.c\nfn=f\n20 10\n")
        .write("a.c", source);
    let mut command = stage.command(&["explore", "p"]);
    let (typed, open) = terminal(100, 30, &mut command);
    let mut child = command
        .stdin(open())
        .stdout(open())
        .stderr(open())
        .spawn()
        .unwrap();
    let mut typed = File::from(typed);
    let mut reads = typed.try_clone().unwrap();
    // Keys are for it once it shows something.
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("q quit") {
        let mut bytes = [0; 4096];
        let count = reads.read(&mut bytes).unwrap();
        seen.extend(&bytes[..count]);
    }
    let reader = std::thread::spawn(move || drop(reads.read_to_end(&mut Vec::new())));
    typed.write_all(b"wo.html\rq").unwrap();
    assert!(child.wait().unwrap().success());
    drop(command);
    reader.join().unwrap();
    let page = std::fs::read_to_string(stage.dir.join("o.html")).unwrap();
    let wanted: Vec<String> = (12..=28).map(|line| format!("line {line}")).collect();
    assert_eq!(crate::page::data(&page).texts("x.text"), wanted);
}
