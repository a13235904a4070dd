//! Lists as tables: named columns, the row of totals, the rows of what is omitted, and the rows of
//! the list.
//!
//! A table is independent of its format. A command creates one from a list of another view, and
//! `render::table` writes it as separated values or Markdown. A table can have hundreds of
//! thousands of rows with hundreds of counts, so it is lazy: a row is an iterator of cells, and no
//! cell is stored.

mod changes;
mod lists;
mod routines;
mod trends;
mod zoomed;

pub use self::{
    changes::ChangeLists,
    lists::Lists,
    routines::{routines, sizes},
    trends::{trend_runs, trend_summary},
};

use crate::{
    analysis::Label,
    profile::{Event, Name},
};

/// Rows of cells.
pub trait Rows<'a>: Iterator<Item: Iterator<Item = Cell<'a>>> {}

impl<'a, I: Iterator<Item: Iterator<Item = Cell<'a>>>> Rows<'a> for I {}

/// A cell.
#[derive(Clone, Debug, Default)]
pub enum Cell<'a> {
    /// A name.
    Name(Name<'a>),
    /// Text that is not from the profile.
    Text(String),
    /// A count.
    Count(i128),
    /// A line number or similar.
    Number(u64),
    /// A number, and how many decimals it has.
    Decimal(f64, usize),
    /// Nothing.
    #[default]
    Empty,
}

impl Cell<'_> {
    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        match self {
            Cell::Count(_) | Cell::Number(_) | Cell::Decimal(..) => true,
            Cell::Name(_) | Cell::Text(_) | Cell::Empty => false,
        }
    }
}

/// The heading of a column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The total for the percentages of its counts, if they have any. Rows of totals and the rest
    /// have none.
    pub whole: Option<i128>,
}

impl Column {
    /// A column without percentages.
    fn plain(name: impl Into<String>) -> Column {
        Column {
            name: name.into(),
            whole: None,
        }
    }
}

/// Rows with named columns. Every row has a cell for each column.
#[derive(Debug)]
pub struct Table<'a, I> {
    /// What the table shows.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The row of totals.
    pub total: Option<Vec<Cell<'a>>>,
    /// The rows of the rest: what is omitted, and what is not attributed to any function.
    pub rest: Vec<Vec<Cell<'a>>>,
    /// The rows, each an iterator of cells.
    pub rows: I,
}

/// The cell of a count. One that was never written is 0, but a ratio is not known then.
fn figure<'a>(event: Event, count: Option<i128>) -> Cell<'a> {
    match count {
        count if !event.is_ratio() => Cell::Count(count.unwrap_or(0)),
        Some(count) => Cell::Decimal(count as f64 / 1000.0, 3),
        None => Cell::Empty,
    }
}

/// A cell with a name.
fn named(name: &[u8]) -> Cell<'_> {
    Cell::Name(name.into())
}

/// The columns of counts, and columns without percentages.
fn columns(counts: impl Iterator<Item = Column>, names: &[&str]) -> Vec<Column> {
    counts
        .chain(names.iter().map(|&name| Column::plain(name)))
        .collect()
}

/// The cells of a label: name, file, object.
fn triple<'a>(label: &Label<'a>) -> [Cell<'a>; 3] {
    [
        Cell::Name(label.name),
        named(label.file),
        label.object.map_or(Cell::Empty, named),
    ]
}

/// A row about the whole table: counts, then a name, then empty cells.
fn summing<'a>(
    counts: impl Iterator<Item = Cell<'a>>,
    name: Cell<'a>,
    columns: usize,
) -> Vec<Cell<'a>> {
    let mut row: Vec<Cell> = counts.chain([name]).collect();
    row.resize(columns, Cell::Empty);
    row
}
