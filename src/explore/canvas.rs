//! The cells that `draw` paints and `screen` sends to the terminal. Texts never overlap, and none
//! goes beyond the canvas.

use crate::text::names;
use termcolor::ColorSpec;

/// A rectangle of the screen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Area {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    /// The row below the last one.
    pub(super) fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    /// The column to the right of the last one.
    pub(super) fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    /// The columns from `x` on.
    pub(super) fn after(self, x: u16) -> Area {
        let width = self.right().saturating_sub(x);
        Area { x, width, ..self }
    }
}

/// How a cell looks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Paint {
    pub spec: ColorSpec,
    pub is_reversed: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ScreenCell {
    /// The character; `None` if the wide character to the left covers this cell, too.
    pub character: Option<char>,
    /// Combining characters that follow it, such as an accent.
    pub joined: Box<str>,
    pub paint: Paint,
}

impl Default for ScreenCell {
    fn default() -> ScreenCell {
        ScreenCell {
            character: Some(' '),
            joined: Box::default(),
            paint: Paint::default(),
        }
    }
}

/// A screen of cells.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Canvas {
    width: u16,
    height: u16,
    /// Row by row.
    cells: Vec<ScreenCell>,
}

impl Canvas {
    /// An empty canvas.
    pub fn new(width: u16, height: u16) -> Canvas {
        Canvas {
            width,
            height,
            cells: vec![ScreenCell::default(); usize::from(width) * usize::from(height)],
        }
    }

    /// The text of a row without trailing blanks; empty if the row does not exist.
    pub fn line(&self, y: u16) -> String {
        let mut line = String::new();
        for cell in self.row(y) {
            line.extend(cell.character);
            line.push_str(&cell.joined);
        }
        line.truncate(line.trim_end().len());
        line
    }

    pub(super) fn area(&self) -> Area {
        Area {
            x: 0,
            y: 0,
            width: self.width,
            height: self.height,
        }
    }

    pub(super) fn row(&self, y: u16) -> &[ScreenCell] {
        self.rows(y..y.saturating_add(1))
            .map_or(&[], |range| &self.cells[range])
    }

    pub(super) fn rows_mut(&mut self, rows: std::ops::Range<u16>) -> &mut [ScreenCell] {
        self.rows(rows)
            .map_or(&mut [], |range| &mut self.cells[range])
    }

    /// The indices of the cells of these rows; `None` if the canvas does not have them all.
    fn rows(&self, rows: std::ops::Range<u16>) -> Option<std::ops::Range<usize>> {
        let width = usize::from(self.width);
        let range = usize::from(rows.start) * width..usize::from(rows.end) * width;
        (range.start <= range.end && range.end <= self.cells.len()).then_some(range)
    }

    /// Writes at most `most` columns of a text. Returns the column after the last one written.
    pub(super) fn write(&mut self, x: u16, y: u16, text: &str, most: u16, paint: Paint) -> u16 {
        let end = usize::from(x.saturating_add(most).min(self.width));
        let mut at = usize::from(x);
        let row = self.rows_mut(y..y.saturating_add(1));
        for text in together(text) {
            let mut characters = text.chars();
            let (Some(first), wide) = (characters.next(), names::width(text)) else {
                continue;
            };
            if wide == 0 || text.contains(char::is_control) {
                continue;
            }
            let Some(cells) = row.get_mut(at..at + wide).filter(|_| at + wide <= end) else {
                break;
            };
            let joined = characters.as_str().into();
            cells.fill(ScreenCell {
                character: None,
                paint: paint.clone(),
                ..ScreenCell::default()
            });
            cells[0] = ScreenCell {
                character: Some(first),
                joined,
                paint: paint.clone(),
            };
            at += wide;
        }
        at as u16
    }

    /// Reverses the colours of an area, which marks the cursor.
    pub(super) fn reverse(&mut self, area: Area) {
        let (from, to) = (usize::from(area.x), usize::from(area.right()));
        for y in area.y..area.bottom() {
            let row = self.rows_mut(y..y.saturating_add(1));
            let to = to.min(row.len());
            row[from.min(to)..to]
                .iter_mut()
                .for_each(|cell| cell.paint.is_reversed = true);
        }
    }
}

/// The characters of a text, each with the marks and joined characters that terminals draw in the
/// same place.
fn together(text: &str) -> impl Iterator<Item = &str> {
    const JOINER: char = '\u{200d}';
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut last = rest.chars().next()?;
        let mut end = last.len_utf8();
        for next in rest[end..].chars() {
            if last != JOINER && names::width(next.encode_utf8(&mut [0; 4])) > 0
                || next.is_control()
            {
                break;
            }
            last = next;
            end += next.len_utf8();
        }
        let (one, after) = rest.split_at(end);
        rest = after;
        Some(one)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a row of ten columns shows of a text, with covered cells as `_`, and where the text
    /// ends.
    fn written(text: &str, most: u16) -> (String, u16) {
        let mut canvas = Canvas::new(10, 1);
        let end = canvas.write(1, 0, text, most, Paint::default());
        let cell = |cell: &ScreenCell| format!("{}{}", cell.character.unwrap_or('_'), cell.joined);
        (canvas.row(0).iter().map(cell).collect(), end)
    }

    #[test]
    fn texts_end_where_their_room_ends() {
        assert_eq!(written("main", 9), (" main     ".into(), 5));
        assert_eq!(written("main", 2), (" ma       ".into(), 3));
        assert_eq!(written("a_long_name", 99), (" a_long_na".into(), 10));
        assert_eq!(
            written("関数", 3),
            (" 関_       ".into(), 3),
            "half a character is none"
        );
        assert_eq!(written("12345678関", 99), (" 12345678 ".into(), 9));
        assert_eq!(written("e\u{301}tude", 9), (" e\u{301}tude    ".into(), 6));
        assert_eq!(
            written("👩\u{200d}💻!", 9),
            (" 👩\u{200d}💻_!      ".into(), 4)
        );
        assert_eq!(
            written("a\u{7}b\u{1b}c", 9),
            (" abc      ".into(), 4),
            "no control character reaches a terminal"
        );
        let mut canvas = Canvas::new(10, 1);
        assert_eq!(canvas.write(12, 0, "outside", 9, Paint::default()), 12);
        assert_eq!(canvas.write(0, 1, "outside", 9, Paint::default()), 0);
        assert_eq!(canvas, Canvas::new(10, 1));
    }
}
