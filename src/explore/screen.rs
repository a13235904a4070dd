//! What the terminal shows. Only cells that changed are sent, and rows that moved a little are moved by the terminal: a step at
//! the edge of a list is a few hundred bytes, not a page. The sequences are those of ECMA-48, and the range of rows that scrolls
//! (DECSTBM) is that of the VT100: every terminal of today has them, that of Windows since crossterm has switched them on.

use super::canvas::{Canvas, Cell, Paint, Weight};
use std::io::{self, Write};

/// Rows above those that move: the heading and the titles of columns.
const ABOVE: u16 = 2;

/// Rows below them: messages and the command.
const BELOW: u16 = 2;

/// Rows move so far at most: as far as the wheel of a mouse goes.
const FAR: u16 = 3;

/// A terminal, and what it shows.
pub(super) struct Screen<W> {
    out: W,
    shown: Canvas,
}

/// Where rows went.
#[derive(Clone, Copy)]
enum Moved {
    Up(u16),
    Down(u16),
}

impl<W: Write> Screen<W> {
    pub(super) fn new(out: W) -> Screen<W> {
        Screen { out, shown: Canvas::default() }
    }

    /// Empties it: whatever is there, everything is drawn next time.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        let all = self.shown.area();
        self.shown = Canvas::new(all.width, all.height);
        self.out.write_all(b"\x1b[2J")
    }

    /// Shows what is painted.
    pub(super) fn show(&mut self, next: Canvas) -> io::Result<()> {
        if self.shown.area() != next.area() {
            self.shown = Canvas::new(next.area().width, next.area().height);
            self.clear()?;
        }
        if let Some(moved) = moved(&self.shown, &next) {
            self.shift(moved)?;
        }
        self.send(&next)?;
        self.shown = next;
        self.out.flush()
    }

    /// Moves rows; those that come in are empty.
    ///
    /// By line feeds at the end of the range and their reverse at its beginning, as the first terminals with such ranges did
    /// it: the Linux console has no sequence that scrolls.
    fn shift(&mut self, moved: Moved) -> io::Result<()> {
        let rows = ABOVE..self.shown.area().height - BELOW;
        let (first, last) = (rows.start + 1, rows.end);
        let (at, step, by) = match moved {
            Moved::Up(by) => (last, "\n", by),
            Moved::Down(by) => (first, "\x1bM", by),
        };
        let gone = usize::from(by) * usize::from(self.shown.area().width);
        let cells = self.shown.rows_mut(rows);
        let kept = cells.len() - gone;
        match moved {
            Moved::Up(_) => {
                cells.rotate_left(gone);
                cells[kept..].fill(Cell::default());
            }
            Moved::Down(_) => {
                cells.rotate_right(gone);
                cells[..gone].fill(Cell::default());
            }
        }
        write!(self.out, "\x1b[{first};{last}r\x1b[{at};1H{}\x1b[r", step.repeat(by.into()))
    }

    /// Sends the cells that changed.
    fn send(&mut self, next: &Canvas) -> io::Result<()> {
        let mut paint = Paint::PLAIN;
        for y in 0..next.area().height {
            // Where the cursor is known to stand.
            let mut cursor = None;
            for (x, (old, new)) in (0..next.area().width).zip(self.shown.row(y).iter().zip(next.row(y))) {
                let Some(character) = new.character.filter(|_| old != new) else { continue };
                if cursor != Some(x) {
                    write!(self.out, "\x1b[{};{}H", y + 1, x + 1)?;
                }
                if paint != new.paint {
                    paint = new.paint;
                    look(paint, &mut self.out)?;
                }
                write!(self.out, "{character}{}", new.joined)?;
                // Terminals are of one mind about the width of these alone.
                cursor = (character.is_ascii() && new.joined.is_empty()).then_some(x + 1);
            }
        }
        if paint == Paint::PLAIN { Ok(()) } else { look(Paint::PLAIN, &mut self.out) }
    }
}

/// Says how what follows looks.
fn look(paint: Paint, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\x1b[0")?;
    if paint.weight != Weight::Plain {
        write!(out, ";{}", paint.weight as u8)?;
    }
    if paint.is_reversed {
        out.write_all(b";7")?;
    }
    if let Some(colour) = paint.colour {
        write!(out, ";{}", colour as u8)?;
    }
    out.write_all(b"m")
}

/// Whether rows moved, if that explains more of them than that they stayed.
fn moved(shown: &Canvas, next: &Canvas) -> Option<Moved> {
    let rows = ABOVE..next.area().height.checked_sub(BELOW)?;
    let same = |from: u16, to: u16| shown.row(from) == next.row(to);
    let stayed = rows.clone().filter(|&y| same(y, y)).count();
    let ways = (1..=FAR).flat_map(|by| {
        let pairs = || (rows.start..rows.end.saturating_sub(by)).map(move |y| (y, y + by));
        let up = pairs().filter(|&(upper, lower)| same(lower, upper)).count();
        let down = pairs().filter(|&(upper, lower)| same(upper, lower)).count();
        [(up, Moved::Up(by)), (down, Moved::Down(by))]
    });
    // A row that moves costs less than it saves from the third on.
    let best = ways.max_by_key(|&(count, _)| count).filter(|&(count, _)| count > stayed + 2);
    best.map(|(_, moved)| moved)
}

#[cfg(test)]
mod tests {
    use super::super::canvas::Colour;
    use super::*;
    use crate::text::names;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// A terminal that knows the sequences which are sent, and no others. Like real ones it has no half of a wide character.
    struct Terminal {
        cells: Vec<Vec<Cell>>,
        x: usize,
        y: usize,
        paint: Paint,
        /// The rows that scroll: the first, and that after the last.
        range: (usize, usize),
    }

    impl Terminal {
        fn new((width, height): (u16, u16)) -> Terminal {
            let row = vec![Cell::default(); usize::from(width)];
            let cells = vec![row; usize::from(height)];
            Terminal { range: (0, cells.len()), cells, x: 0, y: 0, paint: Paint::PLAIN }
        }

        fn take(&mut self, bytes: &[u8]) {
            let mut rest = std::str::from_utf8(bytes).unwrap();
            while let Some(character) = rest.chars().next() {
                let (first, last) = (self.range.0, self.range.1 - 1);
                let mut used = character.len_utf8();
                if let Some(sequence) = rest.strip_prefix("\x1b[") {
                    let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                    let numbers: Vec<usize> = sequence[..end].split(';').flat_map(str::parse).collect();
                    self.obey(sequence.as_bytes()[end], &numbers);
                    used = 2 + end + 1;
                } else if rest.starts_with("\x1bM") {
                    assert_eq!(self.y, first);
                    self.cells[first..=last].rotate_right(1);
                    self.cells[first].fill(Cell::default());
                    used = 2;
                } else if character == '\n' {
                    assert_eq!(self.y, last);
                    self.cells[first..=last].rotate_left(1);
                    self.cells[last].fill(Cell::default());
                } else {
                    self.print(character);
                }
                rest = &rest[used..];
            }
        }

        fn obey(&mut self, what: u8, numbers: &[usize]) {
            match (what, numbers) {
                (b'H', &[y, x]) => (self.y, self.x) = (y - 1, x - 1),
                (b'J', [2]) => self.cells.iter_mut().for_each(|row| row.fill(Cell::default())),
                (b'r', &[first, after]) => self.range = (first - 1, after),
                (b'r', []) => self.range = (0, self.cells.len()),
                (b'm', [0, looks @ ..]) => {
                    self.paint = Paint::PLAIN;
                    for look in looks {
                        match look {
                            1 => self.paint.weight = Weight::Bold,
                            2 => self.paint.weight = Weight::Dim,
                            7 => self.paint.is_reversed = true,
                            31 => self.paint.colour = Some(Colour::Red),
                            36 => self.paint.colour = Some(Colour::Cyan),
                            _ => panic!("a look of {look}"),
                        }
                    }
                }
                _ => panic!("{} of {numbers:?}", char::from(what)),
            }
        }

        fn print(&mut self, character: char) {
            let row = &mut self.cells[self.y];
            let wide = names::width(&character.to_string());
            if wide == 0 {
                let joined = format!("{}{character}", row[self.x - 1].joined);
                row[self.x - 1].joined = joined.into();
                return;
            }
            for at in self.x..self.x + wide {
                // What is left of a wide character is a blank.
                let begin = (0..=at).rev().find(|&at| row[at].character.is_some()).unwrap();
                let end = (at + 1..row.len()).find(|&at| row[at].character.is_some()).unwrap_or(row.len());
                row[begin..end].fill(Cell::default());
            }
            row[self.x..self.x + wide].fill(Cell { character: None, paint: self.paint, ..Cell::default() });
            row[self.x].character = Some(character);
            self.x += wide;
        }

        #[track_caller]
        fn shows(&self, canvas: &Canvas) {
            for (y, row) in (0u16..).zip(&self.cells) {
                assert_eq!(row, canvas.row(y), "row {y}");
            }
        }
    }

    /// What is written, after the program has given it away.
    #[derive(Clone, Default)]
    struct Written(Rc<RefCell<Vec<u8>>>, Rc<RefCell<usize>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            *self.1.borrow_mut() += 1;
            Ok(())
        }
    }

    /// A list of which the row `at` is chosen, from the row `top` on.
    fn list((width, height): (u16, u16), top: usize, at: usize) -> Canvas {
        let mut canvas = Canvas::new(width, height);
        let heading = Paint { weight: Weight::Bold, ..Paint::PLAIN };
        canvas.write(0, 0, &format!("functions  {at}"), width, heading);
        for (y, row) in (1..height.saturating_sub(2)).zip(top..) {
            let colour = [None, Some(Colour::Red), Some(Colour::Cyan)][row % 3];
            let text = format!("{:>12} {row:>8} a function 関数 e\u{301} {}", row * 7919 % 10007, row * row);
            // Wide characters begin in odd and in even columns.
            let text = &text[row % 2..];
            canvas.write(0, y, text, width, Paint { colour, is_reversed: row == at, ..Paint::PLAIN });
        }
        canvas
    }

    #[test]
    fn the_terminal_shows_what_is_painted() {
        for size in [(80, 24), (40, 12), (20, 4), (7, 3), (3, 1)] {
            let written = Written::default();
            let (mut screen, mut terminal) = (Screen::new(written.clone()), Terminal::new(size));
            let (mut top, mut state) = (500usize, 1u64);
            for turn in 0..60 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let by = (state >> 33) as usize % 11;
                top = top.saturating_sub(5) + by;
                if turn % 20 == 19 {
                    screen.clear().unwrap();
                }
                screen.show(list(size, top, top + by)).unwrap();
                terminal.take(&written.0.take());
                terminal.shows(&list(size, top, top + by));
            }
        }
    }

    #[test]
    fn a_step_at_the_edge_is_no_page() {
        let written = Written::default();
        let mut screen = Screen::new(written.clone());
        let size = (200, 60);
        screen.show(list(size, 0, 56)).unwrap();
        let page = written.0.take().len();
        written.1.take();
        for step in 1..20 {
            screen.show(list(size, step, 56 + step)).unwrap();
            let bytes = written.0.take();
            assert!(bytes.len() < 400 && page > 2500, "{} of {page}", bytes.len());
            // A line feed in the last of these rows, which every terminal knows.
            assert!(bytes.starts_with(b"\x1b[3;58r\x1b[58;1H\n\x1b[r"), "{}", bytes.escape_ascii());
            assert_eq!(written.1.take(), 1, "a frame is one write");
        }
        screen.show(list(size, 17, 73)).unwrap();
        let bytes = written.0.take();
        assert!(bytes.starts_with(b"\x1b[3;58r\x1b[3;1H\x1bM\x1bM\x1b[r"), "{}", bytes.escape_ascii());
    }
}
