//! Lists as tables, for spreadsheets and scripts (CSV by RFC 4180, TSV) and for pull requests (Markdown).
//!
//! CSV and TSV have one row of names, then plain integers; a count that was never written is 0. In TSV `\t`, `\n`, `\r`
//! and `\\` stand for what would end a field. Markdown stays below the 64 kB that services take: the first rows are
//! there at once, more can be unfolded, what has no room is counted.

use super::markup::escaped;
use super::number::grouped_signed;
use std::io::{self, Write};

/// The forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// A Markdown table.
    Markdown,
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
    /// The rows.
    pub rows: I,
}

/// Rows of a Markdown table that are there at once.
const AT_ONCE: usize = 20;

/// Bytes of a Markdown table.
const MOST: usize = 60_000;

/// Writes a table.
///
/// # Errors
/// Those of `out`.
pub fn write<'a>(form: Form, table: Table<'a, impl Iterator<Item = Vec<Cell<'a>>>>, out: impl Write) -> io::Result<()> {
    match form {
        Form::Csv => separated(table, ",", "\r\n", csv, out),
        Form::Tsv => separated(table, "\t", "\n", tsv, out),
        Form::Markdown => markdown(table, out),
    }
}

fn separated<'a>(
    table: Table<'a, impl Iterator<Item = Vec<Cell<'a>>>>,
    separator: &str,
    end: &str,
    field: fn(&str) -> String,
    mut out: impl Write,
) -> io::Result<()> {
    let names: Vec<String> = table.columns.iter().map(|name| field(name)).collect();
    write!(out, "{}{end}", names.join(separator))?;
    for row in table.rows {
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                out.write_all(separator.as_bytes())?;
            }
            match cell {
                Cell::Name(name) => out.write_all(field(&String::from_utf8_lossy(name)).as_bytes())?,
                Cell::Text(text) => out.write_all(field(text).as_bytes())?,
                Cell::Count(count, _) => write!(out, "{count}")?,
                Cell::Number(number) => write!(out, "{number}")?,
                Cell::Decimal(number, decimals) => write!(out, "{number:.decimals$}")?,
                Cell::Empty => {}
            }
        }
        out.write_all(end.as_bytes())?;
    }
    Ok(())
}

fn csv(text: &str) -> String {
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn tsv(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn markdown<'a>(table: Table<'a, impl Iterator<Item = Vec<Cell<'a>>>>, mut out: impl Write) -> io::Result<()> {
    let mut rows = table.rows.peekable();
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
