//! A writer for screens. No line is longer than the screen, and no name or source can send control
//! sequences to the terminal. Output to pipes and files is not changed.

use crate::{text::escape::escaped, view::Surface};
use std::io::{self, Write};
use termcolor::{Ansi, ColorSpec, WriteColor};
use unicode_width::UnicodeWidthChar;

const TAB: usize = 8;

/// A writer for a surface.
pub struct ScreenWriter<W> {
    out: W,
    /// The surface that the lines are read on.
    pub surface: Surface,
    /// The column of the next character, from 0.
    column: usize,
    /// The character for the last column. It is shown unless another one follows.
    last: Option<char>,
    /// The colors that are set after that character.
    after: Vec<u8>,
    /// Whether the rest of the line is omitted.
    full: bool,
    /// The bytes of an incomplete character.
    partial: Vec<u8>,
}

impl<W: Write> ScreenWriter<W> {
    /// Creates a writer for `surface` that writes to `out`.
    pub fn new(out: W, surface: Surface) -> ScreenWriter<W> {
        ScreenWriter {
            out,
            surface,
            column: 0,
            last: None,
            after: Vec::new(),
            full: false,
            partial: Vec::new(),
        }
    }

    /// Returns the inner writer.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        for character in text.chars() {
            match character {
                '\n' => {
                    self.put_last()?;
                    (self.column, self.full) = (0, false);
                    self.out.write_all(b"\n")?;
                }
                '\t' => {
                    for _ in 0..TAB - self.column % TAB {
                        self.character(' ')?;
                    }
                }
                '\r' => {}
                _ => match escaped(character) {
                    Some(escaped) => escaped.chars().try_for_each(|c| self.character(c))?,
                    None => self.character(character)?,
                },
            }
        }
        Ok(())
    }

    fn character(&mut self, character: char) -> io::Result<()> {
        if self.full {
            return Ok(());
        }
        let Some(most) = self.surface.width else {
            self.column += 1;
            return self.put(character);
        };
        let wide = character.width().unwrap_or(0);
        if wide == 0 && self.last.is_some() {
            return Ok(());
        }
        if self.last.is_some() || self.column + wide > most {
            // The line does not fit, so the last column becomes an ellipsis.
            self.full = true;
            if self.last.take().is_some() || self.column < most {
                self.put('…')?;
            }
            return self.colour_after();
        }
        if wide > 0 && self.column + wide == most {
            self.last = Some(character);
            return Ok(());
        }
        self.column += wide;
        self.put(character)
    }

    /// Writes the last character of a line that fits.
    fn put_last(&mut self) -> io::Result<()> {
        match self.last.take() {
            Some(character) => {
                self.column += character.width().unwrap_or(0);
                self.put(character)?;
                self.colour_after()
            }
            None => Ok(()),
        }
    }

    fn colour_after(&mut self) -> io::Result<()> {
        self.out.write_all(&self.after)?;
        self.after.clear();
        Ok(())
    }

    /// Sets colors at the right position, which may be after a character that is not written yet.
    fn colour(
        &mut self,
        set: impl FnOnce(&mut dyn WriteColor) -> io::Result<()>,
    ) -> io::Result<()> {
        match (self.surface.colour, self.last) {
            (false, _) => Ok(()),
            (true, None) => set(&mut Ansi::new(&mut self.out)),
            (true, Some(_)) => set(&mut Ansi::new(&mut self.after)),
        }
    }

    fn put(&mut self, character: char) -> io::Result<()> {
        self.out
            .write_all(character.encode_utf8(&mut [0; 4]).as_bytes())
    }
}

impl<W: Write> Write for ScreenWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.surface.terminal {
            return self.out.write(bytes);
        }
        let mut pending = std::mem::take(&mut self.partial);
        pending.extend_from_slice(bytes);
        let mut rest = &pending[..];
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text(text)?;
                    break;
                }
                Err(e) => {
                    let (good, bad) = rest.split_at(e.valid_up_to());
                    self.text(&String::from_utf8_lossy(good))?;
                    match e.error_len() {
                        None => {
                            self.partial = bad.to_vec();
                            break;
                        }
                        Some(length) => {
                            self.text("\u{fffd}")?;
                            rest = &bad[length..];
                        }
                    }
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> WriteColor for ScreenWriter<W> {
    fn supports_color(&self) -> bool {
        self.surface.colour
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        self.colour(|out| out.set_color(spec))
    }

    fn reset(&mut self) -> io::Result<()> {
        self.colour(|out| out.reset())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(width: usize, pieces: &[&[u8]]) -> String {
        let surface = Surface {
            terminal: true,
            width: Some(width),
            ..Surface::default()
        };
        let mut screen = ScreenWriter::new(Vec::new(), surface);
        pieces
            .iter()
            .for_each(|piece| screen.write_all(piece).expect("a vector takes all"));
        String::from_utf8(screen.into_inner()).expect("UTF-8")
    }

    #[test]
    fn lines_end_where_the_screen_does() {
        assert_eq!(shown(5, &[b"abcde\nabcdef\nab\n"]), "abcde\nabcd…\nab\n");
        assert_eq!(shown(5, &[b"abc", b"de", b"\n", b"f\n"]), "abcde\nf\n");
        assert_eq!(shown(5, &["日本語\n".as_bytes()]), "日本…\n");
        assert_eq!(shown(4, &["日本\n".as_bytes()]), "日本\n");
        assert_eq!(shown(12, &[b"a\tb\n"]), "a       b\n");
    }

    /// The character in the last column is written late, but in its color.
    #[test]
    fn the_last_column_has_its_colour() {
        let surface = Surface {
            terminal: true,
            colour: true,
            width: Some(3),
            ..Surface::default()
        };
        let coloured = |text: &str| {
            let mut screen = ScreenWriter::new(Vec::new(), surface);
            let dim = ColorSpec::new().set_dimmed(true).clone();
            let done = screen
                .set_color(&dim)
                .and_then(|()| screen.write_all(text.as_bytes()));
            done.and_then(|()| screen.reset())
                .and_then(|()| screen.write_all(b"\n"))
                .expect("a vector takes all");
            String::from_utf8(screen.into_inner()).expect("UTF-8")
        };
        assert_eq!(coloured("abc"), "\x1b[0m\x1b[2mabc\x1b[0m\n");
        assert_eq!(coloured("abcd"), "\x1b[0m\x1b[2mab…\x1b[0m\n");
    }

    #[test]
    fn characters_may_come_in_pieces() {
        assert_eq!(shown(9, &[b"\xe6", b"\x97", b"\xa5!\n"]), "日!\n");
        assert_eq!(shown(9, &[b"\xe6\x97", b"x\n"]), "\u{fffd}x\n");
    }

    #[test]
    fn pipes_get_the_bytes() {
        let mut screen = ScreenWriter::new(Vec::new(), Surface::default());
        screen.write_all(b"\x1b\xff\t").expect("a vector takes all");
        assert_eq!(screen.into_inner(), b"\x1b\xff\t");
    }
}
