//! Walks at random: whatever follows whatever, the terminal shows the screen, and on it the row
//! with the cursor.

use super::emulator::{Emulator, Sent};
use super::{Walk, compared, lenses, read, runs};
use crate::common::amount::{rounds, some};
use cgannotate::analysis::GroupBy;
use cgannotate::explore::keys::{Action, KEYS, action};
use cgannotate::explore::place::{Kind, Pane, Screen, Spot, Within};
use cgannotate::explore::{Canvas, Colours, Effect, Lenses, Message, Mode, Mouse, Terminal, draw};

const SHAPES: &str = "shapes/shapes.plain.out";

/// From this width on there are two panes.
const WIDE: u16 = 120;

/// The sizes of the documents' smallest screen, of the widest with one pane and the narrowest with
/// two, and others.
const SIZES: [(u16, u16); 9] = [
    (40, 12),
    (40, 13),
    (80, 24),
    (61, 12),
    (119, 24),
    (120, 12),
    (121, 31),
    (200, 50),
    (250, 70),
];

/// Keys that go to other rows.
const MOVES: [&str; 10] = ["j", "j", "k", "k", "PageDown", "PageUp", "G", "g", "n", "N"];

/// Numbers that follow a seed.
struct Random(u64);

impl Random {
    fn new(seed: usize) -> Random {
        Random(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed as u64 + 1))
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// A walk of which a terminal shows every step.
struct Watched<'d> {
    walk: Walk<'d>,
    sent: Sent,
    terminal: Terminal<Sent>,
    shown: Emulator,
    size: (u16, u16),
}

impl<'d> Watched<'d> {
    fn new(lenses: &'d Lenses, name: &str, size: (u16, u16)) -> Watched<'d> {
        let sent = Sent::default();
        let terminal = Terminal::new(sent.clone());
        let walk = Walk::new(lenses, name, size);
        Watched {
            walk,
            sent,
            terminal,
            shown: Emulator::new(size),
            size,
        }
    }

    fn happens(&mut self, event: Message) {
        if let Message::Resize(width, height) = event {
            self.size = (width, height);
            self.shown = Emulator::new(self.size);
        }
        self.walk.happens(event);
        if self.walk.asked.contains(&Effect::Redraw) {
            self.terminal.clear();
            self.walk.asked.retain(|effect| *effect != Effect::Redraw);
        }
    }

    fn press(&mut self, key: &str) {
        self.happens(Message::Key(key.to_owned()));
    }

    /// Shows the screen as the program does. Gives it, what was sent and how often that was
    /// flushed.
    fn show(&mut self) -> (Canvas, Vec<u8>, usize) {
        let mut canvas = Canvas::new(self.size.0, self.size.1);
        draw(&self.walk.model, Colours::Basic, &mut canvas);
        self.terminal.show(canvas.clone()).unwrap();
        let (sent, flushes) = self.sent.take();
        self.shown.take(&sent);
        (canvas, sent, flushes)
    }

    /// The place, and what shows of it but for the line of messages.
    fn seen(&self) -> (Spot, Vec<String>) {
        let lines = (0..self.shown.cells.len()).filter(|&y| y + 2 != self.shown.cells.len());
        (
            self.walk.model.spot.clone(),
            lines.map(|y| self.shown.line(y)).collect(),
        )
    }

    /// What is true after everything.
    fn check(&mut self, after: &str) {
        let (canvas, ..) = self.show();
        let (width, height) = (usize::from(self.size.0), usize::from(self.size.1));
        let lines: Vec<String> = (0..height).map(|y| self.shown.line(y)).collect();
        let of_model: Vec<String> = (0..self.size.1).map(|y| canvas.line(y)).collect();
        assert_eq!(lines, of_model, "{after}: the terminal shows the screen");
        // Whatever was there before, it looks as if it were drawn anew.
        let sent = Sent::default();
        let mut anew = Emulator::new(self.size);
        Terminal::new(sent.clone()).show(canvas).unwrap();
        anew.take(&sent.take().0);
        assert!(
            self.shown.cells == anew.cells,
            "{after}: {:#?}",
            (lines, &self.walk.model.spot)
        );

        let model = &self.walk.model;
        let screen = || format!("{after}: {:#?} {:#?}", model.spot, lines);
        let (here, rows) = (model.spot.here(), model.rows());
        assert!(
            !lines[0].ends_with('…'),
            "nothing is waited for: {}",
            screen()
        );
        if rows == 0 {
            assert_eq!((here.row, here.top), (0, 0), "{}", screen());
            return;
        }
        assert!(here.row < rows, "{}", screen());
        if matches!(model.mode, Mode::Help(_)) {
            return;
        }
        // The heading, the columns, the message and the command.
        let body = height - 4;
        let is_wide = self.size.0 >= WIDE && model.spot.right.is_some();
        let half = usize::from(self.size.0 / 2 + 1);
        let right = |y: usize| {
            self.shown.cells[y][half..]
                .iter()
                .filter_map(|cell| cell.character)
                .collect::<String>()
        };
        assert!(
            !is_wide || (1..height - 2).all(|y| right(y).trim() != "…"),
            "the right pane waits: {}",
            screen()
        );
        let pane = match model.spot.focus {
            _ if !is_wide => 0..width,
            Pane::Left => 0..half - 1,
            Pane::Right => half..width,
        };
        let reversed = |y: usize| {
            self.shown.cells[y][pane.clone()]
                .iter()
                .filter(|cell| cell.is_reversed())
                .count()
        };
        let all = |y: usize| {
            self.shown.cells[y]
                .iter()
                .filter(|cell| cell.is_reversed())
                .count()
        };
        if let Kind::Stacks = model.kind() {
            let highlighted = (2..2 + body).filter(|&y| reversed(y) > 0).count();
            assert_eq!(highlighted, 1, "the frame is seen: {}", screen());
            return;
        }
        assert!(
            here.top <= rows.saturating_sub(body),
            "there are rows below the last: {}",
            screen()
        );
        assert!(
            (here.top..here.top + body).contains(&here.row),
            "the row is on the screen: {}",
            screen()
        );
        let at = 2 + here.row - here.top;
        for y in 0..height {
            let cells = if y == at { pane.len() } else { 0 };
            assert_eq!(
                (reversed(y), all(y)),
                (cells, cells),
                "row {y} of which {at} is highlighted: {}",
                screen()
            );
        }
        assert_eq!(
            self.shown.cells[at][pane.start].character,
            Some('>'),
            "{}",
            screen()
        );
        let seen = model.visible();
        assert_eq!(seen.len(), body.min(rows - here.top), "{}", screen());
        if matches!(
            model.kind(),
            Kind::Functions | Kind::Groups(GroupBy::Object | GroupBy::File)
        ) {
            assert!(
                lines[0].ends_with(&format!(" {}/{}", grouped(here.row + 1), grouped(rows))),
                "{}",
                screen()
            );
        }
    }
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap())
        .collect();
    groups.join(",")
}

/// Names that are wide, that are joined and that are none, in many rows and several files.
fn foreign_names() -> String {
    let functions = (0..90).map(|at| {
        let name = [
            "関数",
            "e\u{301}tude",
            "👩\u{200d}💻",
            "f\u{1b}[7m",
            "a_long_name_<with, many::parts>",
        ][at % 5];
        format!(
            "fl={name}{}.c\nfn={name}{at}\n{} {}\ncfn={name}{}\ncalls=1 1\n+1 7\n",
            at % 3,
            at % 7,
            at * 31 % 17,
            at / 2
        )
    });
    format!("events: Ir\n{}", functions.collect::<String>())
}

/// Two cycles, one within a function of many lines, and levels of a recursion.
const CYCLES: &str = "events: Ir Dr\nob=x\nfl=a.c\nfn=main\n1 5 1\ncfn=a\ncalls=2 2\n2 90 9\nfn=a\n2 10 1\ncfn=b\ncalls=3 3\n3 70 7\n\
                      fn=b\n3 20 2\ncfn=a\ncalls=1 2\n4 50 5\ncfn=r\ncalls=1 9\n5 30 3\nfn=r\n9 10 1\ncfn=r'2\ncalls=1 9\n10 20 2\n\
                      fn=r'2\n9 20 2\ncob=/usr/lib/libc.so\ncfi=m.c\ncfn=malloc\ncalls=1 1\n+1 0 0\nob=/usr/lib/libc.so\nfl=m.c\nfn=malloc\n1 1 1\n";

/// Everything that is walked through, with the folder of its sources.
fn walked() -> Vec<(String, Lenses)> {
    let made = |text: &str| (SHAPES.to_owned(), read(text));
    let mut all = vec![
        made(&foreign_names()),
        made(CYCLES),
        made("events: Ir\nfl=a.c\nfn=f\n3 5\n"),
        made("events: Ir\n"),
        (
            SHAPES.to_owned(),
            runs(
                CYCLES,
                &CYCLES.replace("fn=b", "fn=c").replace("9 10 1", "9 4000 7"),
            ),
        ),
        (SHAPES.to_owned(), runs("events: Ir\n", CYCLES)),
    ];
    let smallest = super::keys::profiles().into_iter();
    let others = [
        "pack/tiny.cgpack",
        "instr/inventory.instr-jumps.out",
        "cargo/tally.out",
        "aprof/algos-v6.aprof",
    ];
    all.extend(
        some(smallest.chain(others.map(str::to_owned)).collect())
            .into_iter()
            .map(|name| (name.clone(), lenses(&name))),
    );
    let (old, new) = ("diff/server/server.old.out", "diff/server/server.new.out");
    all.push((new.to_owned(), compared(old, new)));
    all
}

/// Keys, clicks and sizes at random. From wherever one goes in, Back leads to where one was, and
/// Forward to where one came from; and from wherever one is, it ends when it is told to.
#[test]
fn the_terminal_shows_the_cursor_whatever_is_pressed() {
    let names: Vec<&str> = KEYS
        .iter()
        .flat_map(|key| key.names.split(' '))
        .chain(["Esc", "µ", "F", "."])
        .collect();
    for (seed, (name, lenses)) in walked().iter().enumerate() {
        let mut random = Random::new(seed);
        let mut watched = Watched::new(lenses, name, SIZES[seed % SIZES.len()]);
        watched.check("the beginning");
        let mut pressed = Vec::new();
        for at in 0..rounds(80) {
            // Half of the keys go to other rows.
            let key = if random.below(2) == 0 {
                MOVES[random.below(MOVES.len())]
            } else {
                names[random.below(names.len())]
            };
            let before = watched.seen();
            let (depth, mode) = (
                watched.walk.model.back.len(),
                watched.walk.model.mode.clone(),
            );
            watched.walk.asked.clear();
            match random.below(24) {
                0 => {
                    // The smallest that there may be, and what is even smaller for a moment.
                    if random.below(4) == 0 {
                        watched.happens(Message::Resize(
                            random.below(250) as u16,
                            random.below(12) as u16,
                        ));
                        watched.show();
                    }
                    let (width, height) = SIZES[random.below(SIZES.len())];
                    watched.happens(Message::Resize(width, height));
                    pressed.push(format!("{width}x{height}"));
                }
                1 => {
                    let mouse = [Mouse::Click, Mouse::Up, Mouse::Down][random.below(3)];
                    let (x, y) = (random.below(250) as u16, random.below(70) as u16);
                    pressed.push(format!("{mouse:?} {x} {y}"));
                    watched.happens(Message::Mouse(mouse, x, y));
                }
                _ => {
                    pressed.push(key.to_owned());
                    watched.press(key);
                    let is_end = action(key, watched.walk.model.kind()) == Some(Action::Quit);
                    if is_end
                        && (mode == Mode::Normal
                            || key == "Ctrl-c" && matches!(mode, Mode::Help(_)))
                    {
                        assert_eq!(watched.walk.asked, [Effect::Quit], "{name}: {pressed:?}");
                    }
                }
            }
            watched.check(&format!("{name}: {pressed:?}"));
            if watched.walk.model.back.len() > depth {
                let there = watched.seen();
                watched.press("[");
                watched.show();
                assert!(
                    watched.seen() == before,
                    "{name}: {pressed:?}: back: {:#?}",
                    (before, watched.seen())
                );
                watched.press("]");
                watched.show();
                assert!(
                    watched.seen() == there,
                    "{name}: {pressed:?}: forward: {:#?}",
                    (there, watched.seen())
                );
            }
            // A long list of keys tells nobody anything.
            if at % 40 == 39 {
                pressed.drain(..pressed.len() - 5);
            }
        }
        // What is typed is given up first.
        let is_end = |walk: &Walk<'_>| walk.asked.last() == Some(&Effect::Quit);
        watched.walk.asked.clear();
        for _ in 0..2 {
            if !is_end(&watched.walk) {
                watched.press("Ctrl-c");
            }
        }
        assert!(is_end(&watched.walk), "{name}");
        watched.press("Esc");
        while !watched.walk.model.back.is_empty() {
            watched.press("Backspace");
        }
        assert_eq!(
            watched.walk.model.spot.left.screen,
            Screen::Functions(Within::All)
        );
    }
}

/// `b` costs one of a thousand: a cell shows it while the cursor is on it, and no more than that,
/// be there room beside it or not.
#[test]
fn a_frame_narrower_than_a_cell_has_one_cell() {
    for (own, most, wide) in [(1, 998, 79), (519, 480, 38)] {
        let data = read(&format!(
            "events: Ir\nfl=a.c\nfn=main\n1 {own}\ncfn=a\ncalls=1 2\n1 {most}\ncfn=b\ncalls=1 3\n1 1\nfn=a\n2 {most}\nfn=b\n3 1\n"
        ));
        let mut watched = Watched::new(&data, SHAPES, (80, 24));
        for (key, cells) in [("6", 80), ("Down", wide), ("Right", 1)] {
            watched.press(key);
            watched.show();
            let reversed = watched.shown.cells.iter().flatten();
            let reversed = reversed.filter(|cell| cell.is_reversed()).count();
            assert_eq!(reversed, cells, "{key}: {:#?}", watched.seen());
        }
    }
}

/// A step at the edge of a list is a few hundred bytes, not a page, and one write.
#[test]
fn a_step_at_the_edge_is_no_page() {
    let data = lenses(SHAPES);
    let mut watched = Watched::new(&data, SHAPES, (119, 60));
    let page = watched.show().1.len();
    watched.press("%");
    watched.press("%");
    for _ in 0..55 {
        watched.press("j");
    }
    watched.show();
    let mut moved = 0;
    for (key, moves) in [
        ("j", &b"\x1b[3;58r\x1b[58;1H\n\x1b[r"[..]),
        ("k", b"\x1b[3;58r\x1b[3;1H\x1bM\x1b[r"),
    ] {
        for _ in 0..75 {
            let top = watched.walk.model.spot.left.top;
            watched.press(key);
            let (_, bytes, flushes) = watched.show();
            watched.check(key);
            assert_eq!(flushes, 1, "a frame is one write");
            if watched.walk.model.spot.left.top != top {
                assert!(
                    bytes.len() < 600 && page > 4000,
                    "{} of {page}",
                    bytes.len()
                );
                moved += usize::from(bytes.starts_with(moves));
            }
        }
    }
    // The wheel brings rows in that do not have the cursor.
    for mouse in [Mouse::Down, Mouse::Up] {
        for _ in 0..40 {
            watched.happens(Message::Mouse(mouse, 5, 5));
            watched.check(&format!("{mouse:?}"));
        }
    }
    // Where columns become wider or narrower, every row is another.
    assert!(moved > 50, "{moved}");
}

/// The rows from the first to the last that have at least 1 % of the function, and those that `n`
/// and `N` go to.
fn hot_rows(walk: &mut Walk<'_>, whole: i128) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    walk.press(&["g"]);
    let is_code = walk.model.kind() == Kind::Instructions;
    let screen = walk.screen((400, walk.model.rows() as u16 + 4));
    let rows = walk.model.visible();
    assert_eq!(rows.len(), walk.model.rows());
    // What a line or an instruction calls stands below it.
    let is_call = |at: usize| screen[at + 2].contains("=> ");
    let is_place = |at: usize| {
        if is_code {
            // The rows of loops have the costs of instructions below them.
            !is_call(at) && !screen[at + 2].contains(": loop of ")
        } else {
            rows[at].line.is_some()
        }
    };
    let cost = |at: usize| rows[at].numbers.first().copied().unwrap_or(0);
    let is_hot = |&at: &usize| {
        let calls =
            (at + 1..rows.len()).take_while(|&call| rows[call].line.is_none() && is_call(call));
        let cost = cost(at) + calls.map(cost).sum::<i128>();
        is_place(at) && cost > 0 && cost * 100 >= whole.abs()
    };
    let wanted: Vec<usize> = (0..rows.len()).filter(is_hot).collect();
    let down = visits(walk, "n");
    walk.press(&["G"]);
    let mut up = visits(walk, "N");
    up.reverse();
    (wanted, down, up)
}

/// The rows that a key goes to until it goes no further.
fn visits(walk: &mut Walk<'_>, key: &str) -> Vec<usize> {
    let mut visited = Vec::new();
    loop {
        let row = walk.model.spot.here().row;
        match walk.press(&[key]).model.spot.here().row {
            next if next == row => break visited,
            next => visited.push(next),
        }
    }
}

#[test]
fn every_hot_line_and_instruction_is_visited() {
    let edge = "events: Ir\nfl=a.c\nfn=main\n3 100\n5 99\n7 101\n8 40\ncfn=f\ncalls=1 1\n8 60\n9 40\ncfn=f\ncalls=1 1\n9 59\n\
                11 9501\nfn=f\n1 119\n";
    let made = read(edge);
    let mut walk = Walk::new(&made, SHAPES, (100, 4000));
    walk.press(&["v"]);
    assert_eq!(walk.model.kind(), Kind::Source);
    walk.press(&["g"]);
    let mut lines = Vec::new();
    for _ in 0..4 {
        walk.press(&["n"]);
        let here = walk.model.spot.here();
        lines.push(walk.model.visible()[here.row - here.top].line.unwrap());
    }
    assert_eq!(lines, [3, 7, 8, 11], "of 10,000");
    let (mut seen, mut skipped) = (0, 0);
    for name in [
        SHAPES,
        "instr/inventory.instr-jumps.out",
        "pack/tiny.cgpack",
        "rust/balls.out",
    ] {
        let data = lenses(name);
        let session = &data.whole.session;
        let mut walk = Walk::new(&data, name, (100, 30000));
        for key in ["v", "a"] {
            for row in 0..8 {
                walk.press(&["1", "g"]);
                for _ in 0..row {
                    walk.press(&["j"]);
                }
                walk.press(&[key]);
                let (Screen::Source(id) | Screen::Instructions(id)) = walk.model.spot.left.screen
                else {
                    continue;
                };
                if walk.model.rows() < 2 {
                    continue;
                }
                let whole = session
                    .inclusive()
                    .counts(id)
                    .recorded()
                    .next()
                    .flatten()
                    .unwrap_or(0);
                let rows = walk.model.rows();
                let (wanted, down, up) = hot_rows(&mut walk, whole.into());
                let after_first: Vec<usize> =
                    wanted.iter().copied().filter(|&row| row > 0).collect();
                let before_last: Vec<usize> = wanted
                    .iter()
                    .copied()
                    .filter(|&row| row + 1 < rows)
                    .collect();
                assert_eq!(
                    (down, up),
                    (after_first, before_last),
                    "{name}: {key} of row {row}"
                );
                seen += wanted.len();
                skipped += rows - wanted.len();
            }
        }
    }
    assert!(seen > 100 && skipped > 100, "{seen} {skipped}");
}
