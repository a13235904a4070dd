//! Lists as tables: named columns, the row of all, the row of what is left out, and the rows, which are lent one by one.
//!
//! A table is independent of its form. A command makes one by a function here, from a list of another view, and gives
//! it to `render::table`, which writes it as separated values or Markdown. A table can have hundreds of thousands of
//! rows with hundreds of counts: a row is an iterator of cells, and no cell is kept.

mod changes;
mod lists;
mod routines;
mod trends;
mod zoomed;

pub use changes::{Bounds, Changes};
pub use lists::Lists;
pub use routines::{routines, sizes};
pub use trends::Trends;

use crate::analysis::Label;
use crate::profile::Name;

/// Rows of fields.
pub trait Rows<'a>: Iterator<Item: Iterator<Item = Cell<'a>>> {}

impl<'a, I: Iterator<Item: Iterator<Item = Cell<'a>>>> Rows<'a> for I {}

/// One field.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<'a> {
    /// A name.
    Name(Name<'a>),
    /// Text that is not from the profile.
    Text(String),
    /// A count.
    Count(i128),
    /// A line number and the like.
    Number(u64),
    /// A number with so many decimals.
    Decimal(f64, usize),
    /// Nothing.
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

/// What stands above the cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The total that shares of its counts refer to, if they have shares. The rows of totals and rest have none.
    pub whole: Option<i128>,
}

impl Column {
    /// A column whose counts have no shares.
    fn plain(name: impl Into<String>) -> Column {
        Column {
            name: name.into(),
            whole: None,
        }
    }
}

/// Rows under names. Every row has a cell for each column.
#[derive(Clone, Debug)]
pub struct Table<'a, I> {
    /// What the table shows.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The row of totals.
    pub total: Option<Vec<Cell<'a>>>,
    /// The rows of the rest: what was left out, and what the totals have beyond it.
    pub rest: Vec<Vec<Cell<'a>>>,
    /// The rows, each of which gives its cells.
    pub rows: I,
}

/// The limits of a table where space is limited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// How many rows are visible at once, however long they are; more can be unfolded.
    pub open: usize,
    /// The greatest size in bytes.
    pub bytes: usize,
    /// Names have so many characters at most: templates can make one of several kilobytes.
    pub name: usize,
}

impl Allowance {
    /// A comment on a pull request: services take 64 kB.
    pub const COMMENT: Allowance = Allowance {
        open: 20,
        bytes: 60_000,
        name: 300,
    };
}

/// Whether a row is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowState {
    /// It is visible at once.
    Open,
    /// It can be unfolded.
    Folded,
    /// It does not fit, nor does any row after it; such rows are counted.
    LeftOut,
}

/// Decides row by row.
#[derive(Clone, Debug)]
pub struct Fitting {
    allowance: Allowance,
    rows: usize,
    full: bool,
}

impl Fitting {
    /// Starts with an empty table.
    pub fn new(allowance: Allowance) -> Fitting {
        Fitting {
            allowance,
            rows: 0,
            full: false,
        }
    }

    /// The state of the next row, which takes `bytes`, when `used` bytes are used already.
    pub fn place(&mut self, used: usize, bytes: usize) -> RowState {
        self.rows = self.rows.saturating_add(1);
        if self.rows <= self.allowance.open {
            return RowState::Open;
        }
        self.full |= used.saturating_add(bytes) > self.allowance.bytes;
        if self.full {
            RowState::LeftOut
        } else {
            RowState::Folded
        }
    }
}

/// The cells of a label: name, file, object.
fn triple<'a>(label: &Label<'a>) -> [Cell<'a>; 3] {
    [
        Cell::Name(label.name),
        Cell::Name(label.file.into()),
        label
            .object
            .map_or(Cell::Empty, |object| Cell::Name(object.into())),
    ]
}

/// Counts, then a name, then nothing: a row about a whole table.
fn summing<'a>(
    counts: impl Iterator<Item = Cell<'a>>,
    name: Cell<'a>,
    columns: usize,
) -> Vec<Cell<'a>> {
    let mut row: Vec<Cell> = counts.chain([name]).collect();
    row.resize(columns, Cell::Empty);
    row
}
