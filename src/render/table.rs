//! Lists as tables, for spreadsheets and scripts (CSV by RFC 4180, TSV) and for pull requests (Markdown).
//!
//! CSV and TSV have one row of names, then plain integers; a count that was never written is 0. In TSV `\t`, `\n`, `\r`
//! and `\\` stand for what would end a field. A spreadsheet takes text that begins with `=` or the like for a formula, unless
//! that is prevented. Markdown stays below the 64 kB that services take: the first rows are
//! there at once, more can be unfolded, what has no room is counted.

use crate::text::markup::escaped;
use crate::text::number::grouped_signed;
use std::io::{self, Write};

/// The forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Comma-separated values.
    Csv(Formulas),
    /// Tab-separated values.
    Tsv(Formulas),
    /// A Markdown table.
    Markdown,
}

/// What becomes of text that a spreadsheet would take for a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formulas {
    /// It stays as it is.
    Kept,
    /// An apostrophe before it makes it text.
    Prevented,
}

/// One field.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<'a> {
    /// A name.
    Name(&'a [u8]),
    /// Words of our own.
    Text(String),
    /// A count, and what 100 % of it is where that is to be told.
    Count(i128, Option<i128>),
    /// A line number and the like.
    Number(u64),
    /// A number with so many decimals.
    Decimal(f64, usize),
    /// Nothing.
    Empty,
}

/// Rows under names.
pub struct Table<'a, I> {
    /// What the table shows; only Markdown has it.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The row that all others are part of; only Markdown has it.
    pub total: Option<Vec<Cell<'a>>>,
    /// What is not among the rows, as one; only Markdown has it.
    pub rest: Option<Vec<Cell<'a>>>,
    /// What fills the rows, each in its turn.
    pub rows: I,
}

/// A row that is being filled. Separated values go straight to their text: a row can have hundreds of counts, and there can
/// be hundreds of thousands of rows.
pub enum Row<'a> {
    /// Fields with what sets them apart.
    Separated(Separated),
    /// Cells to be looked at.
    Cells(Vec<Cell<'a>>),
}

impl<'a> Row<'a> {
    /// Adds a cell.
    #[inline(always)]
    pub fn push(&mut self, cell: Cell<'a>) {
        match self {
            Row::Separated(row) => row.push(&cell),
            Row::Cells(cells) => cells.push(cell),
        }
    }

    /// Adds some cells.
    pub fn extend(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) {
        cells.into_iter().for_each(|cell| self.push(cell));
    }

    /// Whether what 100 % is shows in it.
    pub fn has_shares(&self) -> bool {
        matches!(self, Row::Cells(_))
    }
}

/// Rows of a Markdown table that are there at once.
const AT_ONCE: usize = 20;

/// Bytes of a Markdown table.
const MOST: usize = 60_000;

/// Writes a table.
///
/// # Errors
/// Those of `out`.
pub fn write<'a>(
    form: Form,
    table: Table<'a, impl Iterator<Item = impl FnOnce(&mut Row<'a>)>>,
    out: impl Write,
) -> io::Result<()> {
    match form {
        Form::Csv(formulas) => separated(table, Separated::new(b',', b"\r\n", formulas), out),
        Form::Tsv(formulas) => separated(table, Separated::new(b'\t', b"\n", formulas), out),
        Form::Markdown => markdown(table, out),
    }
}

/// Rows of separated values, as text.
pub struct Separated {
    separator: u8,
    end: &'static [u8],
    formulas: Formulas,
    text: Vec<u8>,
}

impl Separated {
    fn new(separator: u8, end: &'static [u8], formulas: Formulas) -> Separated {
        Separated { separator, end, formulas, text: Vec::new() }
    }

    #[inline(always)]
    fn push(&mut self, cell: &Cell<'_>) {
        match cell {
            Cell::Count(count @ 0..10, _) => self.text.push(b'0' + *count as u8),
            Cell::Count(count, _) => integer(&mut self.text, *count),
            Cell::Number(number) => integer(&mut self.text, (*number).into()),
            Cell::Name(name) => self.field(&String::from_utf8_lossy(name)),
            Cell::Text(text) => self.field(text),
            Cell::Decimal(number, decimals) => self.text.extend(format!("{number:.decimals$}").bytes()),
            Cell::Empty => {}
        }
        self.text.push(self.separator);
    }

    fn field(&mut self, text: &str) {
        const DANGEROUS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];
        let safe = match self.formulas {
            Formulas::Prevented if text.starts_with(DANGEROUS) => format!("'{text}"),
            Formulas::Kept | Formulas::Prevented => text.to_owned(),
        };
        self.text.extend(if self.separator == b',' { csv(&safe) } else { tsv(&safe) }.bytes());
    }

    /// Ends a row, and writes what has come together if that is `enough`.
    fn end_row(&mut self, out: &mut impl Write, enough: usize) -> io::Result<()> {
        // Behind the last field there is a separator too many.
        self.text.pop();
        self.text.extend_from_slice(self.end);
        if self.text.len() >= enough {
            out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }
}

/// Appends a number.
fn integer(text: &mut Vec<u8>, number: i128) {
    let Ok(small) = i64::try_from(number) else {
        return text.extend(number.to_string().bytes());
    };
    if small < 0 {
        text.push(b'-');
    }
    let (mut room, mut at, mut left) = ([0; 20], 20, small.unsigned_abs());
    loop {
        at -= 1;
        room[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    text.extend_from_slice(&room[at..]);
}

fn separated<'a>(
    table: Table<'a, impl Iterator<Item = impl FnOnce(&mut Row<'a>)>>,
    row: Separated,
    mut out: impl Write,
) -> io::Result<()> {
    const ENOUGH: usize = 32 * 1024;
    let mut row = Row::Separated(row);
    let heading = table.columns;
    row.extend(heading.into_iter().map(Cell::Text));
    if let Row::Separated(row) = &mut row {
        row.end_row(&mut out, ENOUGH)?;
    }
    for fill in table.rows {
        fill(&mut row);
        if let Row::Separated(row) = &mut row {
            row.end_row(&mut out, ENOUGH)?;
        }
    }
    match row {
        Row::Separated(row) => out.write_all(&row.text),
        Row::Cells(_) => Ok(()),
    }
}

fn csv(text: &str) -> String {
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn tsv(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

/// The cells of a row.
fn cells<'a>(fill: impl FnOnce(&mut Row<'a>)) -> Vec<Cell<'a>> {
    let mut row = Row::Cells(Vec::new());
    fill(&mut row);
    match row {
        Row::Cells(cells) => cells,
        Row::Separated(_) => Vec::new(),
    }
}

fn markdown<'a>(
    table: Table<'a, impl Iterator<Item = impl FnOnce(&mut Row<'a>)>>,
    mut out: impl Write,
) -> io::Result<()> {
    let mut rows = table.rows.map(cells).peekable();
    let counts = rows.peek().or(table.total.as_ref()).map_or_else(Vec::new, |row| {
        row.iter().map(|cell| matches!(cell, Cell::Count(..) | Cell::Number(_) | Cell::Decimal(..))).collect()
    });
    let mut heading = String::from("|");
    let mut rule = String::from("|");
    for (at, name) in table.columns.iter().enumerate() {
        heading += &format!(" {} |", escaped(name));
        rule += if counts.get(at).copied().unwrap_or(false) { "---:|" } else { "---|" };
    }
    let heading = format!("{heading}\n{rule}\n");
    let mut text = format!("**{}**\n\n{heading}", escaped(&table.title));
    if let Some(total) = &table.total {
        text += &line(total);
    }
    for row in rows.by_ref().take(AT_ONCE) {
        text += &line(&row);
    }
    if let Some(rest) = &table.rest {
        text += &line(rest);
    }
    let mut folded = String::new();
    let (mut more, mut left_out) = (0usize, 0usize);
    for row in rows {
        let line = line(&row);
        if left_out > 0 || text.len() + folded.len() + line.len() > MOST {
            left_out += 1;
        } else {
            folded += &line;
            more += 1;
        }
    }
    if more > 0 {
        text += &format!("\n<details><summary>{more} more</summary>\n\n{heading}{folded}\n</details>\n");
    }
    if left_out > 0 {
        text += &format!("\n{} rows have no room here.\n", grouped_signed(left_out as i128));
    }
    out.write_all(text.as_bytes())
}

fn line(row: &[Cell]) -> String {
    let mut line = String::from("|");
    for cell in row {
        let text = match cell {
            Cell::Name(name) => cut(&escaped(&String::from_utf8_lossy(name))),
            Cell::Count(count, Some(total)) if *total != 0 => {
                format!("{} ({:.2} %)", grouped_signed(*count), *count as f64 * 100.0 / *total as f64)
            }
            Cell::Count(count, _) => grouped_signed(*count),
            Cell::Text(text) => escaped(text),
            Cell::Number(number) => number.to_string(),
            Cell::Decimal(number, decimals) => format!("{number:.decimals$}"),
            Cell::Empty => String::new(),
        };
        line += &format!(" {text} |");
    }
    line + "\n"
}

/// A name that leaves room for others: templates can make one of several kilobytes.
fn cut(name: &str) -> String {
    const LONGEST: usize = 300;
    match name.char_indices().nth(LONGEST) {
        None => name.to_owned(),
        Some((mut end, _)) => {
            // Not within an escape, which begins with a backslash or an ampersand.
            while name[..end].ends_with('\\') || name[..end].rfind('&').is_some_and(|at| !name[at..end].contains(';')) {
                end -= 1;
            }
            format!("{}…", &name[..end])
        }
    }
}
