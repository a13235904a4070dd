//! A terminal that knows the sequences which the explorer sends, and no others. Like real ones it
//! has no half of a wide character, and keeps what it shows when it gets another size.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use unicode_width::UnicodeWidthStr;

/// What is sent, to be taken by the test.
#[derive(Clone, Default)]
pub struct Sent(Rc<RefCell<Vec<u8>>>, Rc<RefCell<usize>>);

impl Sent {
    /// All that was sent since the last time, and how often it was flushed.
    pub fn take(&self) -> (Vec<u8>, usize) {
        (self.0.take(), self.1.take())
    }
}

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        *self.1.borrow_mut() += 1;
        Ok(())
    }
}

/// One cell: its character, nothing if the wide one before covers it too; what joins that; and how
/// it looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub character: Option<char>,
    joined: String,
    look: Look,
}

/// The numbers of looks; 0 is none.
type Look = [usize; 3];

impl Cell {
    fn new(character: char) -> Cell {
        Cell {
            character: Some(character),
            joined: String::new(),
            look: Look::default(),
        }
    }

    pub fn has_look(&self) -> bool {
        self.look != Look::default()
    }

    pub fn is_reversed(&self) -> bool {
        self.look.contains(&7)
    }
}

pub struct Emulator {
    pub cells: Vec<Vec<Cell>>,
    x: usize,
    y: usize,
    look: Look,
    /// The rows that scroll: the first, and that after the last.
    range: (usize, usize),
}

impl Emulator {
    /// One of this size that shows something else already.
    pub fn new((width, height): (u16, u16)) -> Emulator {
        let cells = vec![vec![Cell::new('#'); usize::from(width)]; usize::from(height)];
        Emulator {
            range: (0, cells.len()),
            cells,
            x: 0,
            y: 0,
            look: Look::default(),
        }
    }

    /// The text of a row, without blanks at its end.
    pub fn line(&self, y: usize) -> String {
        let mut line = String::new();
        for cell in &self.cells[y] {
            line.extend(cell.character);
            line.push_str(&cell.joined);
        }
        line.truncate(line.trim_end().len());
        line
    }

    pub fn take(&mut self, bytes: &[u8]) {
        let mut rest = std::str::from_utf8(bytes).unwrap();
        while let Some(character) = rest.chars().next() {
            let (first, last) = (self.range.0, self.range.1.max(1) - 1);
            let mut used = character.len_utf8();
            if let Some(sequence) = rest.strip_prefix("\x1b[") {
                let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                let numbers: Vec<usize> = sequence[..end].split(';').flat_map(str::parse).collect();
                self.obey(sequence.as_bytes()[end], &numbers);
                used = 2 + end + 1;
            } else if rest.starts_with("\x1bM") {
                assert_eq!(self.y, first);
                self.cells[first..=last].rotate_right(1);
                self.cells[first].fill(Cell::new(' '));
                used = 2;
            } else if character == '\n' {
                assert_eq!(self.y, last);
                self.cells[first..=last].rotate_left(1);
                self.cells[last].fill(Cell::new(' '));
            } else {
                assert!(!character.is_control(), "{}", rest.escape_debug());
                self.print(character);
            }
            rest = &rest[used..];
        }
    }

    fn obey(&mut self, what: u8, numbers: &[usize]) {
        match (what, numbers) {
            (b'H', &[y, x]) => (self.y, self.x) = (y - 1, x - 1),
            (b'J', [2]) => self
                .cells
                .iter_mut()
                .for_each(|row| row.fill(Cell::new(' '))),
            (b'r', &[first, after]) => self.range = (first - 1, after),
            (b'r', []) => self.range = (0, self.cells.len()),
            (b'm', [0]) => self.look = Look::default(),
            (b'm', &[look @ (1 | 2 | 7 | 31..=36)]) => {
                let free = self.look.iter_mut().find(|other| **other == 0);
                *free.unwrap() = look;
            }
            _ => panic!("{} of {numbers:?}", char::from(what)),
        }
    }

    fn print(&mut self, character: char) {
        let row = &mut self.cells[self.y];
        let wide = character.to_string().width();
        let before = row[..self.x]
            .iter_mut()
            .rfind(|cell| cell.character.is_some());
        // What a joiner binds has the place of the first.
        if let Some(before) =
            before.filter(|before| wide == 0 || before.joined.ends_with('\u{200d}'))
        {
            before.joined.push(character);
            return;
        }
        assert!(
            self.x + wide <= row.len(),
            "{character} is beyond the screen"
        );
        for at in self.x..self.x + wide {
            // What is left of a wide character is a blank.
            let begin = (0..=at)
                .rev()
                .find(|&at| row[at].character.is_some())
                .unwrap();
            let end = (at + 1..row.len())
                .find(|&at| row[at].character.is_some())
                .unwrap_or(row.len());
            row[begin..end].fill(Cell::new(' '));
        }
        row[self.x..self.x + wide].fill(Cell {
            character: None,
            joined: String::new(),
            look: self.look,
        });
        row[self.x].character = Some(character);
        self.x += wide;
    }
}
