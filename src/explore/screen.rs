//! Updates the terminal with little output. It sends only changed cells, and lets the terminal
//! scroll rows that moved a little.
//!
//! A step at the edge of a list takes a few hundred bytes instead of a whole page. The sequences
//! are from ECMA-48, and the scrolling range (DECSTBM) is from the VT100. All current terminals
//! support them; on Windows, crossterm enables them.

use super::{
    Canvas,
    canvas::{Paint, ScreenCell},
};
use std::io::{self, Write};
use termcolor::{Ansi, WriteColor};

/// Rows above the scrolling range: the heading and the column titles.
const ABOVE: u16 = 2;

/// Rows below it: the message and the command.
const BELOW: u16 = 2;

/// The largest scroll distance: one step of the mouse wheel.
const FAR: u16 = 3;

/// A terminal and its current content.
pub struct Terminal<W> {
    out: W,
    shown: Canvas,
}

/// How rows moved.
enum Moved {
    Up(u16),
    Down(u16),
}

impl<W: Write> Terminal<W> {
    /// A terminal of unknown content.
    pub fn new(out: W) -> Terminal<W> {
        Terminal {
            out,
            shown: Canvas::default(),
        }
    }

    /// Forgets the content, so that the next frame is drawn completely.
    pub fn clear(&mut self) {
        self.shown = Canvas::default();
    }

    /// Shows a frame.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn show(&mut self, next: Canvas) -> io::Result<()> {
        if self.shown.area() != next.area() {
            self.shown = Canvas::new(next.area().width, next.area().height);
            self.out.write_all(b"\x1b[2J")?;
        }
        if let Some(moved) = moved(&self.shown, &next) {
            self.shift(moved)?;
        }
        self.send(&next)?;
        self.shown = next;
        self.out.flush()
    }

    /// Scrolls rows; new rows are empty.
    ///
    /// It uses line feeds at the end of the range and reverse line feeds at its beginning. The
    /// Linux console has no sequence that scrolls.
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
                cells[kept..].fill(ScreenCell::default());
            }
            Moved::Down(_) => {
                cells.rotate_right(gone);
                cells[..gone].fill(ScreenCell::default());
            }
        }
        write!(
            self.out,
            "\x1b[{first};{last}r\x1b[{at};1H{}\x1b[r",
            step.repeat(by.into())
        )
    }

    /// Sends the changed cells.
    fn send(&mut self, next: &Canvas) -> io::Result<()> {
        let mut paint = Paint::default();
        for y in 0..next.area().height {
            // The column of the cursor, if known.
            let mut cursor = None;
            for (x, (old, new)) in
                (0..next.area().width).zip(self.shown.row(y).iter().zip(next.row(y)))
            {
                let Some(character) = new.character.filter(|_| old != new) else {
                    continue;
                };
                if cursor != Some(x) {
                    write!(self.out, "\x1b[{};{}H", y + 1, x + 1)?;
                }
                if paint != new.paint {
                    paint = new.paint.clone();
                    look(&paint, &mut self.out)?;
                }
                write!(self.out, "{character}{}", new.joined)?;
                // Terminals agree only on the width of ASCII characters.
                cursor = (character.is_ascii() && new.joined.is_empty()).then_some(x + 1);
            }
        }
        let plain = Paint::default();
        if paint == plain {
            Ok(())
        } else {
            look(&plain, &mut self.out)
        }
    }
}

/// Sets the attributes of the text that follows.
fn look(paint: &Paint, out: &mut impl Write) -> io::Result<()> {
    Ansi::new(&mut *out).set_color(&paint.spec)?;
    out.write_all(if paint.is_reversed { b"\x1b[7m" } else { b"" })
}

/// How rows moved, if that explains more rows than no move does.
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
    // Scrolling is cheaper if it saves at least three rows.
    let best = ways
        .max_by_key(|&(count, _)| count)
        .filter(|&(count, _)| count > stayed + 2);
    best.map(|(_, moved)| moved)
}
