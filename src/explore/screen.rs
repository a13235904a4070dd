//! What the terminal shows. Only cells that changed are sent, and rows that moved a little are moved by the terminal: a step at
//! the edge of a list is a few hundred bytes, not a page.

use ratatui_core::backend::Backend;
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_crossterm::CrosstermBackend;
use std::io::{self, Write};
use std::ops::Range;

/// Rows above those that move: the heading and the titles of columns.
const ABOVE: u16 = 2;

/// Rows below them: messages and the command.
const BELOW: u16 = 2;

/// Rows move so far at most: as far as the wheel of a mouse goes.
const FAR: u16 = 3;

/// A terminal, and what it shows.
pub(super) struct Screen<B> {
    backend: B,
    shown: Buffer,
}

/// Where rows went.
#[derive(Clone, Copy)]
pub(super) enum Moved {
    Up(u16),
    Down(u16),
}

/// A terminal that moves rows; those that come in are empty.
pub(super) trait Rows: Backend {
    /// Moves the rows of a range, as part of the frame that follows.
    fn shift(&mut self, rows: Range<u16>, moved: Moved) -> Result<(), Self::Error>;
}

impl<W: Write> Rows for CrosstermBackend<W> {
    /// By line feeds at the end of the range and their reverse at its beginning, as the first terminals with such ranges did
    /// it: the Linux console has no sequence that scrolls.
    fn shift(&mut self, rows: Range<u16>, moved: Moved) -> io::Result<()> {
        let (first, last) = (rows.start + 1, rows.end);
        write!(self, "\x1b[{first};{last}r")?;
        let (at, step, by) = match moved {
            Moved::Up(by) => (last, "\n", by),
            Moved::Down(by) => (first, "\x1bM", by),
        };
        write!(self, "\x1b[{at};1H{}\x1b[r", step.repeat(by.into()))
    }
}

impl<B: Rows> Screen<B> {
    pub(super) fn new(backend: B) -> Screen<B> {
        Screen { backend, shown: Buffer::default() }
    }

    /// Empties it: whatever is there, everything is drawn next time.
    pub(super) fn clear(&mut self) -> Result<(), B::Error> {
        self.backend.clear()?;
        self.shown.reset();
        Ok(())
    }

    /// Shows what is painted.
    pub(super) fn draw(&mut self, area: Rect, paint: impl FnOnce(&mut Buffer)) -> Result<(), B::Error> {
        let mut next = Buffer::empty(area);
        paint(&mut next);
        if self.shown.area != area {
            self.shown = Buffer::empty(area);
            self.backend.clear()?;
        }
        if let Some(moved) = moved(&self.shown, &next) {
            let rows = ABOVE..area.height - BELOW;
            self.backend.shift(rows, moved)?;
            shift(&mut self.shown, moved);
        }
        self.backend.draw(self.shown.diff_iter(&next))?;
        self.backend.flush()?;
        self.shown = next;
        Ok(())
    }
}

/// The cells of a row.
fn row(buffer: &Buffer, y: u16) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    let at = usize::from(y) * width;
    buffer.content.get(at..at + width).unwrap_or_default()
}

/// Whether rows moved, if that explains more of them than that they stayed.
fn moved(shown: &Buffer, next: &Buffer) -> Option<Moved> {
    let rows = ABOVE..next.area.height.checked_sub(BELOW)?;
    let same = |from: u16, to: u16| row(shown, from) == row(next, to);
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

/// Moves the rows as the terminal does: what comes in is empty.
fn shift(buffer: &mut Buffer, moved: Moved) {
    let width = usize::from(buffer.area.width);
    let (from, to) = (usize::from(ABOVE) * width, usize::from(buffer.area.height - BELOW) * width);
    let Some(cells) = buffer.content.get_mut(from..to) else { return };
    let empty = match moved {
        Moved::Up(by) => {
            let gone = usize::from(by) * width;
            cells.rotate_left(gone);
            let kept = cells.len() - gone;
            &mut cells[kept..]
        }
        Moved::Down(by) => {
            let gone = usize::from(by) * width;
            cells.rotate_right(gone);
            &mut cells[..gone]
        }
    };
    empty.fill(Cell::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui_core::backend::TestBackend;
    use ratatui_core::style::{Modifier, Style};
    use std::cell::RefCell;
    use std::rc::Rc;

    impl Rows for TestBackend {
        fn shift(&mut self, rows: Range<u16>, moved: Moved) -> Result<(), Self::Error> {
            match moved {
                Moved::Up(by) => self.scroll_region_up(rows, by),
                Moved::Down(by) => self.scroll_region_down(rows, by),
            }
        }
    }

    /// A list of which the row `at` is chosen, from the row `top` on.
    fn list(top: usize, at: usize) -> impl Fn(&mut Buffer) {
        move |buffer| {
            let area = buffer.area;
            let mut line = |y: u16, text: &str, style| {
                buffer.set_stringn(0, y, text, area.width.into(), style);
            };
            line(0, &format!("functions  {at}"), Style::new());
            for (y, row) in (1..area.height.saturating_sub(2)).zip(top..) {
                let style = if row == at { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
                line(
                    y,
                    &format!("{:>12} {:>8} a function 関数 of the name {}", row * 7919 % 10007, row, row * row),
                    style,
                );
            }
        }
    }

    #[test]
    fn the_terminal_shows_what_is_painted() {
        for (width, height) in [(80, 24), (40, 12), (20, 4), (7, 3), (3, 1)] {
            let mut screen = Screen::new(TestBackend::new(width, height));
            let area = Rect::new(0, 0, width, height);
            let (mut top, mut state) = (500usize, 1u64);
            for turn in 0..200 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let by = (state >> 33) as usize % 11;
                top = top.saturating_sub(5) + by;
                if turn % 50 == 49 {
                    screen.clear().unwrap();
                }
                screen.draw(area, list(top, top + by)).unwrap();
                let mut wanted = Buffer::empty(area);
                list(top, top + by)(&mut wanted);
                screen.backend.assert_buffer(&wanted);
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

    #[test]
    fn a_step_at_the_edge_is_no_page() {
        let written = Written::default();
        let mut screen = Screen::new(CrosstermBackend::new(written.clone()));
        let area = Rect::new(0, 0, 200, 60);
        screen.draw(area, list(0, 56)).unwrap();
        let page = written.0.take().len();
        written.1.take();
        for step in 1..20 {
            screen.draw(area, list(step, 56 + step)).unwrap();
            let bytes = written.0.take();
            assert!(bytes.len() < 400 && page > 2500, "{} of {page}", bytes.len());
            // A line feed in the last of these rows, which every terminal knows.
            assert!(bytes.starts_with(b"\x1b[3;58r\x1b[58;1H\n\x1b[r"), "{}", bytes.escape_ascii());
            assert_eq!(written.1.take(), 1, "a frame is one write");
        }
        screen.draw(area, list(17, 73)).unwrap();
        let bytes = written.0.take();
        assert!(bytes.starts_with(b"\x1b[3;58r\x1b[3;1H\x1bM\x1bM\x1b[r"), "{}", bytes.escape_ascii());
    }
}
