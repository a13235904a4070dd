//! Writes lists as tables: CSV (RFC 4180) and TSV for spreadsheets and scripts, Markdown for pull
//! requests.
//!
//! CSV and TSV have a row of names, then plain integers. A count that was never written is 0. TSV
//! escapes what would end a field: `\t`, `\n`, `\r` and `\\`. Rows are written directly and not
//! kept in memory.
//!
//! A Markdown table fits into a comment on a pull request. It states how many rows have no room.

use crate::{
    text::{
        grouped,
        markup::{escaped, shortened},
        separated::{Separated, Separation},
    },
    view::tables::{Cell, Column, Rows, Table},
};
use std::io::{self, Write};

/// This many rows of a Markdown table are visible at once, however long they are.
const OPEN: usize = 20;

/// The most bytes of a Markdown table with further rows. Services accept 64 kB.
const MOST: usize = 60_000;

/// The most characters of a name in a Markdown table. Templates can have names of several kilobytes.
const NAME: usize = 300;

/// The format of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
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
/// Fails if writing to `out` fails.
pub fn write<'a>(
    form: TableForm,
    table: Table<'a, impl Rows<'a>>,
    mut out: impl Write,
) -> io::Result<()> {
    match form {
        TableForm::Csv => separated(table, Separation::Commas, &mut out),
        TableForm::Tsv => separated(table, Separation::Tabs, &mut out),
        TableForm::Markdown => {
            let rows = &mut table.rows.map(Vec::from_iter);
            let about = [table.total.as_slice(), &table.rest];
            out.write_all(markdown(&table.title, &table.columns, about, rows).as_bytes())
        }
    }
}

fn separated<'a>(
    table: Table<'a, impl Rows<'a>>,
    separation: Separation,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut row = Separated::new(out, separation);
    let columns = table.columns.iter();
    columns.for_each(|column| row.text(&column.name));
    for cells in table.rows {
        if !row.end_row() {
            break;
        }
        cells.for_each(|cell| match cell {
            Cell::Count(count) => row.number(count),
            Cell::Number(number) => row.number(number.into()),
            Cell::Name(name) => row.text(&String::from_utf8_lossy(&name.text())),
            Cell::Text(text) => row.text(&text),
            Cell::Decimal(number, decimals) => row.text(&format!("{number:.decimals$}")),
            Cell::Empty => row.end(),
        });
    }
    row.end_row();
    row.finish()
}

/// Formats the rows that fit into a comment. The first are visible at once, further ones are folded.
/// It takes a trait object, so it is compiled only once.
fn markdown<'a>(
    title: &str,
    columns: &[Column],
    [total, rest]: [&[Vec<Cell<'a>>]; 2],
    rows: &mut dyn Iterator<Item = Vec<Cell<'a>>>,
) -> String {
    let mut rows = rows.peekable();
    let numbers = rows
        .peek()
        .or(total.first())
        .map_or_else(Vec::new, |row| row.iter().map(Cell::is_number).collect());
    let mut heading = String::from("|");
    let mut rule = String::from("|");
    for (at, column) in columns.iter().enumerate() {
        heading += &format!(" {} |", escaped(&column.name));
        rule += if numbers.get(at).copied().unwrap_or(false) {
            "---:|"
        } else {
            "---|"
        };
    }
    let heading = format!("{heading}\n{rule}\n");
    let about = |rows: &[Vec<Cell>]| rows.iter().map(|row| line(row, &[])).collect::<String>();
    let mut text = format!("**{}**\n\n{heading}{}", escaped(title), about(total));
    let rest = about(rest);
    let mut folded = String::new();
    let (mut more, mut left_out) = (0usize, 0usize);
    for (at, row) in rows.enumerate() {
        let line = line(&row, columns);
        let used = text.len() + rest.len() + folded.len();
        if at < OPEN {
            text += &line;
        } else if left_out == 0 && used + line.len() <= MOST {
            folded += &line;
            more += 1;
        } else {
            left_out += 1;
        }
    }
    text += &rest;
    if more > 0 {
        text += &format!(
            "\n<details><summary>{more} more</summary>\n\n{heading}{folded}\n</details>\n"
        );
    }
    if left_out > 0 {
        text += &format!("\n{} rows have no room here.\n", grouped(left_out));
    }
    text
}

/// Formats one line. Counts in the given columns have percentages.
fn line(row: &[Cell], columns: &[Column]) -> String {
    let mut line = String::from("|");
    for (at, cell) in row.iter().enumerate() {
        let text = match cell {
            Cell::Name(name) => shortened(escaped(&String::from_utf8_lossy(&name.text())), NAME),
            Cell::Count(count) => match columns
                .get(at)
                .and_then(|column| column.whole)
                .filter(|&whole| whole != 0)
            {
                Some(whole) => {
                    format!(
                        "{} ({:.2} %)",
                        grouped(*count),
                        *count as f64 * 100.0 / whole as f64
                    )
                }
                None => grouped(*count),
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
