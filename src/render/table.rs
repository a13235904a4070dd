//! Lists as tables, for spreadsheets and scripts (CSV by RFC 4180, TSV) and for pull requests (Markdown).
//!
//! CSV and TSV have one row of names, then plain integers; a count that was never written is 0. In TSV `\t`, `\n`, `\r`
//! and `\\` stand for what would end a field. They go straight to their text: nothing is kept of a row. In Markdown the view says which rows are
//! there at once, which can be unfolded and which have no room; those are counted.

use crate::text::markup::{escaped, shortened};
use crate::text::number::grouped_signed;
use crate::view::tables::{Allowance, Cell, Column, Fitting, RowState, Rows, Table};
use std::io::{self, Write};

/// The forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableForm {
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// A Markdown table.
    Markdown,
}

/// Writes a table.
///
/// # Errors
/// Those of `out`.
pub fn write<'a>(
    form: TableForm,
    table: Table<'a, impl Rows<'a>>,
    mut out: impl Write,
) -> io::Result<()> {
    match form {
        TableForm::Csv => separated(table, Separated::new(b',', b"\r\n"), out),
        TableForm::Tsv => separated(table, Separated::new(b'\t', b"\n"), out),
        TableForm::Markdown => {
            let Table {
                title,
                columns,
                total,
                rest,
                rows,
            } = table;
            let rows: &mut dyn Iterator<Item = Vec<Cell<'a>>> = &mut rows.map(Vec::from_iter);
            out.write_all(
                markdown(Table {
                    title,
                    columns,
                    total,
                    rest,
                    rows,
                })
                .as_bytes(),
            )
        }
    }
}

/// Rows of separated values, as text.
struct Separated {
    separator: u8,
    end: &'static [u8],
    text: Vec<u8>,
}

impl Separated {
    fn new(separator: u8, end: &'static [u8]) -> Separated {
        Separated {
            separator,
            end,
            text: Vec::new(),
        }
    }

    #[inline(always)]
    fn push(&mut self, cell: &Cell<'_>) {
        match cell {
            Cell::Count(count @ 0..10) => self.text.push(b'0' + *count as u8),
            Cell::Count(count) => integer(&mut self.text, *count),
            Cell::Number(number) => integer(&mut self.text, (*number).into()),
            Cell::Name(name) => self.field(&String::from_utf8_lossy(&name.text())),
            Cell::Text(text) => self.field(text),
            Cell::Decimal(number, decimals) => {
                self.text.extend(format!("{number:.decimals$}").bytes())
            }
            Cell::Empty => {}
        }
        self.text.push(self.separator);
    }

    fn field(&mut self, text: &str) {
        let field = match self.separator {
            b',' => csv(text),
            _ => tsv(text),
        };
        self.text.extend(field.bytes());
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
    let (mut digits, mut at, mut left) = ([0; 20], 20, small.unsigned_abs());
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}

fn separated<'a>(
    table: Table<'a, impl Rows<'a>>,
    mut row: Separated,
    mut out: impl Write,
) -> io::Result<()> {
    const ENOUGH: usize = 32 * 1024;
    table
        .columns
        .into_iter()
        .for_each(|column| row.push(&Cell::Text(column.name)));
    row.end_row(&mut out, ENOUGH)?;
    for cells in table.rows {
        cells.for_each(|cell| row.push(&cell));
        row.end_row(&mut out, ENOUGH)?;
    }
    out.write_all(&row.text)
}

fn csv(text: &str) -> String {
    if text.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn tsv(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

/// A table of the rows that fit a comment: not so many that each kind of table needs code of its own.
fn markdown<'a>(table: Table<'a, &mut dyn Iterator<Item = Vec<Cell<'a>>>>) -> String {
    let allowance = Allowance::COMMENT;
    let mut rows = table.rows.peekable();
    let numbers = rows
        .peek()
        .or(table.total.as_ref())
        .map_or_else(Vec::new, |row| row.iter().map(Cell::is_number).collect());
    let mut heading = String::from("|");
    let mut rule = String::from("|");
    for (at, column) in table.columns.iter().enumerate() {
        heading += &format!(" {} |", escaped(&column.name));
        rule += if numbers.get(at).copied().unwrap_or(false) {
            "---:|"
        } else {
            "---|"
        };
    }
    let heading = format!("{heading}\n{rule}\n");
    let about = |rows: &[Vec<Cell>]| {
        rows.iter()
            .map(|row| line(row, &[], allowance))
            .collect::<String>()
    };
    let mut text = format!(
        "**{}**\n\n{heading}{}",
        escaped(&table.title),
        about(table.total.as_slice())
    );
    let rest = about(&table.rest);
    let mut folded = String::new();
    let (mut more, mut left_out) = (0usize, 0usize);
    let mut fitting = Fitting::new(allowance);
    for row in rows {
        let line = line(&row, &table.columns, allowance);
        match fitting.place(text.len() + rest.len() + folded.len(), line.len()) {
            RowState::Open => text += &line,
            RowState::Folded => {
                folded += &line;
                more += 1;
            }
            RowState::LeftOut => left_out += 1,
        }
    }
    text += &rest;
    if more > 0 {
        text += &format!(
            "\n<details><summary>{more} more</summary>\n\n{heading}{folded}\n</details>\n"
        );
    }
    if left_out > 0 {
        text += &format!(
            "\n{} rows have no room here.\n",
            grouped_signed(left_out as i128)
        );
    }
    text
}

/// One line; counts of the columns that are given have their shares.
fn line(row: &[Cell], columns: &[Column], allowance: Allowance) -> String {
    let mut line = String::from("|");
    for (at, cell) in row.iter().enumerate() {
        let text = match cell {
            Cell::Name(name) => shortened(
                escaped(&String::from_utf8_lossy(&name.text())),
                allowance.name,
            ),
            Cell::Count(count) => match columns
                .get(at)
                .and_then(|column| column.whole)
                .filter(|&whole| whole != 0)
            {
                Some(whole) => {
                    format!(
                        "{} ({:.2} %)",
                        grouped_signed(*count),
                        *count as f64 * 100.0 / whole as f64
                    )
                }
                None => grouped_signed(*count),
            },
            Cell::Text(text) => escaped(text),
            Cell::Number(number) => number.to_string(),
            Cell::Decimal(number, decimals) => format!("{number:.decimals$}"),
            Cell::Empty => String::new(),
        };
        line += &format!(" {text} |");
    }
    line + "\n"
}
