//! What keys do: to the model alone, without a terminal.

use super::{Walk, lenses, read, whole};
use cgannotate::analysis::GroupBy;
use cgannotate::explore::keys::{KEYS, KeyBinding, action};
use cgannotate::explore::place::{Kind, Lens, Screen};
use cgannotate::explore::work::{Answer, Work};
use cgannotate::explore::{Effect, Message, Mode, Model, Mouse, Outside, update};
use cgannotate::source::{Finder, Search, SearchPaths};
use std::collections::BTreeSet;

const SHAPES: &str = "shapes/shapes.plain.out";
const SIZE: (u16, u16) = (80, 24);

/// The smallest profile of every folder of `fixtures/`: with cycles, many events, parts, threads,
/// without calls or lines.
pub fn profiles() -> Vec<String> {
    let size = |name: &String| {
        std::fs::metadata(crate::common::fixture(name))
            .unwrap()
            .len()
    };
    let mut all = crate::common::profiles();
    all.sort_by_key(size);
    let mut folders = BTreeSet::new();
    all.retain(|name| {
        size(name) < 200_000 && folders.insert(name.split('/').next().unwrap().to_owned())
    });
    assert!(all.len() > 10, "{all:?}");
    all
}

/// How to get to a screen of each kind from the beginning.
fn way(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Functions => &["Down"],
        Kind::Calls => &["Enter"],
        Kind::Source => &["v"],
        Kind::Instructions => &["a"],
        Kind::Groups(GroupBy::Object) => &["2"],
        Kind::Groups(GroupBy::File) => &["3"],
        Kind::Groups(GroupBy::Class | GroupBy::Function) => &["4"],
        Kind::Cycles => &["5"],
        Kind::Stacks => &["6", "Down", "Down", "Enter", "Down"],
        Kind::Parts => &["7"],
        Kind::Threads => &["8"],
        Kind::Warnings => &["9"],
        Kind::Gone => &["0"],
    }
}

#[test]
fn no_key_has_two_meanings_on_a_screen() {
    for kind in Kind::ALL {
        let mut seen = BTreeSet::new();
        for key in KEYS.iter().filter(|key| (key.is_on)(kind)) {
            assert!(!key.does.is_empty());
            for name in key.names.split(' ') {
                assert!(seen.insert(name), "{name} on {kind:?}");
                assert_eq!(action(name, kind), Some(key.action));
            }
        }
    }
}

/// The table of all keys in Markdown.
fn markdown() -> String {
    let mut out = String::from("| keys | what they do | where |\n|---|---|---|\n");
    for key in KEYS {
        let names = key.names.split(' ').map(|name| format!("`{name}`"));
        let names: Vec<String> = names.collect();
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            names.join(" "),
            key.does,
            place(key)
        ));
    }
    out
}

/// Names the screens on which a key works.
fn place(key: &KeyBinding) -> String {
    let (on, others): (Vec<Kind>, Vec<Kind>) =
        Kind::ALL.into_iter().partition(|&kind| (key.is_on)(kind));
    match others[..] {
        [] => "everywhere".into(),
        [other] => format!("everywhere except on {}", other.name()),
        _ => on
            .into_iter()
            .map(Kind::name)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The documents have the table that the program uses.
#[test]
fn the_documents_have_all_keys() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/explore.md");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(
        text.contains(&markdown()),
        "docs/explore.md lacks this table:\n{}",
        markdown()
    );
}

/// On a screen of 80 columns, what a key does has several lines where one is too short.
#[test]
fn the_help_can_be_read_to_its_end() {
    let data = lenses(SHAPES);
    let mut walk = Walk::new(&data, SHAPES, SIZE);
    walk.press(way(Kind::Functions));
    let mut seen = String::new();
    walk.press(&["?"]);
    for _ in 0..200 {
        let screen = walk.screen(SIZE);
        assert!(screen.iter().all(|line| line.chars().count() <= 80));
        seen += &screen
            .iter()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + " ")
            .collect::<String>();
        seen.push('\n');
        walk.press(&["Down"]);
    }
    let keys: Vec<_> = KEYS
        .iter()
        .filter(|key| (key.is_on)(Kind::Functions))
        .collect();
    assert!(
        keys.iter().any(|key| key.does.len() > 66),
        "none is too long for a line"
    );
    for key in keys {
        assert!(seen.contains(key.does), "{}", key.does);
    }
}

#[test]
fn every_key_of_every_screen_does_something_or_says_why_not() {
    let data = lenses(SHAPES);
    for kind in Kind::ALL {
        for key in KEYS.iter().filter(|key| (key.is_on)(kind)) {
            let mut walk = Walk::new(&data, SHAPES, SIZE);
            walk.press(way(kind));
            assert_eq!(walk.model.kind(), kind);
            let before = (
                walk.model.spot.clone(),
                walk.model.mode.clone(),
                walk.screen(SIZE),
                walk.asked.len(),
            );
            walk.press(&[key.names.split(' ').next().unwrap()]);
            let after = (
                walk.model.spot.clone(),
                walk.model.mode.clone(),
                walk.screen(SIZE),
                walk.asked.len(),
            );
            assert!(
                before != after,
                "{} on {kind:?} does nothing: {}",
                key.names,
                key.does
            );
        }
    }
}

/// A screen further on begins with the last row of the one before; the wheel goes three rows, and a
/// click to its row.
#[test]
fn pages_and_the_wheel_go_so_far() {
    let data = lenses(SHAPES);
    let mut walk = Walk::new(&data, SHAPES, SIZE);
    let all = walk.model.rows();
    let row = |walk: &Walk<'_>| walk.model.spot.here().row;
    // The heading, the columns, the message and the command take four lines.
    let page = usize::from(SIZE.1) - 5;
    for (key, there) in [
        ("PageDown", page),
        ("PageDown", 2 * page),
        ("PageUp", page),
        ("PageUp", 0),
        ("G", all - 1),
    ] {
        walk.press(&[key]);
        assert_eq!(row(&walk), there, "{key}");
    }
    walk.press(&["PageUp"]);
    assert_eq!(row(&walk), all - 1 - page);
    walk.press(&["g"]);
    for (mouse, y, there) in [
        (Mouse::Down, 9, 3),
        (Mouse::Down, 9, 6),
        (Mouse::Up, 9, 3),
        (Mouse::Click, 2, 0),
    ] {
        walk.happens(Message::Mouse(mouse, 5, y));
        assert_eq!(row(&walk), there, "{mouse:?}");
    }
    walk.happens(Message::Mouse(Mouse::Click, 5, SIZE.1 - 3));
    assert_eq!(row(&walk), page, "the last row that shows");
    for y in [0, 1, SIZE.1 - 2, SIZE.1 - 1] {
        walk.happens(Message::Mouse(Mouse::Click, 5, y));
        assert_eq!(
            (row(&walk), walk.model.back.len()),
            (page, 0),
            "no row is there"
        );
    }
    walk.happens(Message::Mouse(Mouse::Click, 5, SIZE.1 - 3));
    assert_eq!(
        walk.model.kind(),
        Kind::Calls,
        "the row that was chosen already"
    );
}

#[test]
fn a_filter_narrows_while_it_is_typed_and_escape_takes_it_back() {
    let data = lenses(SHAPES);
    let mut walk = Walk::new(&data, SHAPES, SIZE);
    let all = walk.model.rows();
    walk.press(&["/"]).types("DL_");
    assert_eq!(walk.model.rows(), 0, "capitals count");
    walk.press(&["Ctrl-u"]).types("dl_l");
    let narrowed = walk.model.rows();
    assert!((1..all).contains(&narrowed), "{narrowed} of {all}");
    walk.press(&["Backspace", "Enter", "j"]);
    assert_eq!(walk.model.mode, Mode::Normal);
    assert!(walk.model.rows() >= narrowed);
    walk.press(&["/"]).types("xyz").press(&["Esc"]);
    assert!(
        walk.model.rows() >= narrowed,
        "what was there before is there again"
    );
    walk.press(&["/", "Ctrl-u", "Enter"]);
    assert_eq!(walk.model.rows(), all);
    // Where nothing is left, the screen says how all comes back.
    walk.press(&["/"]).types("xyz").press(&["Enter"]);
    let screen = walk.screen(SIZE).join("\n");
    assert!(
        walk.model.rows() == 0 && screen.contains("Esc shows all again"),
        "{screen}"
    );
    walk.press(&["Esc"]);
    assert_eq!(walk.model.rows(), all);
}

/// A filtered list stays until another is made, but not through another lens, where functions are
/// others.
#[test]
fn a_filtered_list_goes_with_its_lens() {
    let text = "events: Ir\nob=/home/u/x\nfl=a.c\nfn=main\n1 10\ncob=/usr/lib/libc.so.6\ncfi=m.c\ncfn=malloc\ncalls=1 1\n2 5\n\
                ob=/usr/lib/libc.so.6\nfl=m.c\nfn=malloc\n1 5\n";
    let profile =
        cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all())
            .unwrap();
    let data = whole(profile, Default::default());
    for size in [(80, 24), (200, 50)] {
        let mut walk = Walk::new(&data, SHAPES, size);
        walk.press(&["/"]).types("mal").press(&["Enter"]);
        assert_eq!(walk.model.rows(), 1);
        walk.press(&["o"]);
        assert!(
            walk.model.spot.left.lens != Lens::default() && walk.model.rows() == 0,
            "malloc is not own"
        );
        walk.press(&["o"]);
        assert_eq!(walk.model.rows(), 1);
    }
}

#[test]
fn what_is_copied_has_no_control_characters() {
    let text = "events: Ir\nfl=a.c\nfn=f\u{1b}]52;c;x\u{7}\u{9b}2J\n3 5\n";
    let profile =
        cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all())
            .unwrap();
    let data = whole(profile, Default::default());
    let mut walk = Walk::new(&data, SHAPES, SIZE);
    walk.press(&["y"]);
    assert_eq!(walk.asked, [Effect::Copy("f]52;c;x2J".into())]);
    let screen = walk.screen(SIZE).concat();
    assert!(
        screen.contains("f\\x1b]52;c;x\\x07\\x9b2J") && !screen.contains('\u{1b}'),
        "{screen}"
    );
}

/// All of the command, where the last line has not enough room for it; and why there is none.
#[test]
fn the_command_is_copied() {
    let data = lenses(SHAPES);
    let mut walk = Walk::new(&data, SHAPES, (40, 12));
    let command = walk.press(&["c"]).command().unwrap();
    assert!(
        command.len() > 50 && walk.screen((40, 12)).last().unwrap().ends_with('…'),
        "{command}"
    );
    walk.press(&["Y"]);
    assert_eq!(walk.asked, [Effect::Copy(format!("cgannotate {command}"))]);
    let text = "events: Ir\nfl=a.c\nfn=f\n3 5\n";
    let profile =
        cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all())
            .unwrap();
    let data = whole(profile, Default::default());
    let mut walk = Walk::new(&data, SHAPES, SIZE);
    assert!(walk.press(&["Y"]).asked.is_empty(), "{:?}", walk.asked);
    assert!(
        walk.screen(SIZE)
            .concat()
            .contains("no command can read these inputs again")
    );
}

/// What takes long is asked of the worker: keys are answered meanwhile, and what has gone by then
/// is not changed.
#[test]
fn what_takes_long_is_not_waited_for() {
    let data = lenses(SHAPES);
    let key = |name: &str| Message::Key(name.to_owned());
    let finder = Finder::new(SearchPaths::default());
    let (mut model, _) = Model::new(&data, &finder, SIZE);
    // Before inclusive costs are there.
    let asked = update(&mut model, key("5"));
    assert!(
        matches!(asked[..], [Effect::Work(Work::Lens(_))]),
        "{asked:?}"
    );
    assert!(data.whole.session.inclusive_so_far().is_none());
    assert_eq!(model.rows(), 0);
    data.whole.prepare();
    assert_eq!(
        update(
            &mut model,
            Message::Done(Work::Lens(Lens::default()), Answer::Lens)
        ),
        []
    );
    assert!(
        model.kind() == Kind::Cycles && model.rows() == 0,
        "there are no cycles, and no rows to wait for"
    );
    for name in ["o", "f"] {
        let depth = model.back.len();
        let asked = update(&mut model, key(name));
        let [Effect::Work(work @ Work::Lens(lens))] = &asked[..] else {
            panic!("{asked:?}")
        };
        assert!(
            data.ready(*lens).is_none() && model.back.len() == depth,
            "{name}"
        );
        update(&mut model, key("9"));
        data.data(*lens).prepare();
        update(&mut model, Message::Done(work.clone(), Answer::Lens));
        assert_eq!(
            (model.kind(), model.spot.left.lens),
            (Kind::Warnings, Lens::default()),
            "{name}: one has gone on"
        );
        update(&mut model, key(name));
        assert_eq!(model.spot.left.lens, *lens, "{name}: there it is at once");
        update(&mut model, key("["));
        update(&mut model, key("5"));
    }
}

/// Where a function is not there through a lens, its screen goes on to what it waited for.
#[test]
fn a_function_that_is_not_there_is_shown_as_it_was() {
    let data = lenses(SHAPES);
    let key = |name: &str| Message::Key(name.to_owned());
    let mut walk = Walk::new(&data, SHAPES, SIZE);
    walk.press(&["/"]).types("_dl_lookup").press(&["Enter"]);
    let asked = update(&mut walk.model, key("a"));
    let [Effect::Work(work @ Work::Code(_))] = &asked[..] else {
        panic!("{asked:?}")
    };
    let lens = update(&mut walk.model, key("o"));
    // An answer to what was asked before is not heard any more.
    let [Effect::Work(Work::Lens(_))] = lens[..] else {
        panic!("{lens:?}")
    };
    walk.perform(lens);
    assert!(
        walk.model.kind() == Kind::Instructions && walk.model.spot.left.lens == Lens::default()
    );
    assert!(walk.model.rows() > 0, "{work:?} was not asked for again");
    let screen = walk.screen(SIZE).join("\n");
    assert!(
        screen.contains("this function does not exist there"),
        "{screen}"
    );
}

/// Lines and the calls below them are all that a function costs, in however many files it has code.
/// Calls within recursion are inside others.
#[test]
fn sources_have_all_of_a_function() {
    for name in ["instr/inventory.instr-jumps.out", SHAPES, "rust/balls.out"] {
        let data = lenses(name);
        let mut walk = Walk::new(&data, name, (120, 9000));
        let mut seen = 0;
        for row in 0..60 {
            walk.press(&["1", "g"]);
            for _ in 0..row {
                walk.press(&["j"]);
            }
            walk.press(&["v"]);
            let Screen::Source(id) = walk.model.spot.left.screen else {
                continue;
            };
            let rows = walk.model.visible();
            if rows.is_empty() {
                // Its file is not known.
                continue;
            }
            let known: i128 = rows.iter().flat_map(|row| row.numbers.first()).sum();
            let cost = data
                .whole
                .session
                .inclusive()
                .counts(id)
                .recorded()
                .next()
                .flatten();
            assert_eq!(
                Some(known),
                cost.map(i128::from),
                "{name}: row {row}: {:#?}",
                walk.screen((120, 60))
            );
            seen += 1;
        }
        assert!(seen > 20, "{name}: {seen}");
    }
}

/// Each source that is missing says so.
#[test]
fn every_file_of_a_function_has_a_heading() {
    let data = read("events: Ir\nfl=a.c\nfn=f\n3 10\nfi=b.h\n4 10\nfi=c.h\n5 10\nfi=d.h\n6 10\n");
    let mut walk = Walk::new(&data, SHAPES, SIZE);
    let screen = walk.press(&["v"]).screen(SIZE).join("\n");
    for file in ["a.c", "b.h", "c.h", "d.h"] {
        let heading = screen
            .lines()
            .find(|line| line.contains(&format!("-- {file}: ")));
        assert!(heading.is_some(), "{file}: {screen}");
    }
}

/// A source that only the profile brings along is not edited, nor is another file of its name.
#[test]
fn only_what_is_shown_is_edited() {
    let data = lenses("pack/tiny.cgpack");
    let carried = data.whole.profile().carried.clone();
    let finder = Finder::new(SearchPaths {
        search: Search::Listed,
        carried,
        ..SearchPaths::default()
    });
    let outside = Outside {
        finder: &finder,
        editor: Some("true".into()),
        page: &|_| Ok(Vec::new()),
    };
    let mut walk = Walk::new(&data, SHAPES, SIZE);
    walk.press(&["v"]);
    assert!(
        walk.screen(SIZE).join("\n").contains("long square(long n)"),
        "the source is in the pack"
    );
    walk.press(&["E"]);
    let Some(Effect::Edit(file, line)) = walk.asked.pop() else {
        panic!("nothing to edit")
    };
    let why = outside.editor(&file, line).unwrap_err();
    assert!(why.contains("tiny.c: this file is missing"), "{why}");
}
