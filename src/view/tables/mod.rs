//! Lists as tables: named columns, the row of all, the row of what is left out, and the rows, which are lent one by one.
//!
//! A table knows nothing of how it is written. A command makes one by a function here, from a list of another view, and
//! gives it to `render::table`, which writes it as separated values or Markdown; another form takes the same value. A table
//! can have hundreds of thousands of rows with hundreds of counts: a row is an iterator of cells, and no cell is kept.

mod changes;
mod lists;
mod routines;

pub use changes::Changes;
pub use lists::Lists;
pub use routines::{routines, sizes};

use crate::analysis::Label;

/// One field.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<'a> {
    /// A name.
    Name(&'a [u8]),
    /// Words of our own.
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
    /// What 100 % of its counts is, where shares of it say something and are wanted. The rows of all and of what is left out
    /// have no shares.
    pub whole: Option<i128>,
}

impl Column {
    /// A column whose counts have no shares.
    fn plain(name: impl Into<String>) -> Column {
        Column { name: name.into(), whole: None }
    }
}

/// Rows under names. Every row has a cell for each column.
#[derive(Clone, Debug)]
pub struct Table<'a, I> {
    /// What the table shows.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The row that all others are part of.
    pub total: Option<Vec<Cell<'a>>>,
    /// What is not among the rows: what was left out, and what the totals have beyond it.
    pub rest: Vec<Vec<Cell<'a>>>,
    /// The rows, each of which gives its cells.
    pub rows: I,
}

/// How much of a table is shown where there is little room for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// So many rows are there at once, however long they are; more can be unfolded.
    pub open: usize,
    /// So many bytes there can be in all.
    pub bytes: usize,
    /// Names have so many characters at most: templates can make one of several kilobytes.
    pub name: usize,
}

impl Allowance {
    /// A comment on a pull request: services take 64 kB.
    pub const COMMENT: Allowance = Allowance { open: 20, bytes: 60_000, name: 300 };
}

/// Where a row stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowState {
    /// It is there at once.
    Open,
    /// It can be unfolded.
    Folded,
    /// It has no room, nor has any row behind it; such rows are counted.
    LeftOut,
}

/// Finds the place of one row after another.
#[derive(Clone, Debug)]
pub struct Fitting {
    allowance: Allowance,
    rows: usize,
    full: bool,
}

impl Fitting {
    /// Nothing stands there yet.
    pub fn new(allowance: Allowance) -> Fitting {
        Fitting { allowance, rows: 0, full: false }
    }

    /// The place of the next row, which takes `bytes`, where `used` are taken already.
    pub fn place(&mut self, used: usize, bytes: usize) -> RowState {
        self.rows = self.rows.saturating_add(1);
        if self.rows <= self.allowance.open {
            return RowState::Open;
        }
        self.full |= used.saturating_add(bytes) > self.allowance.bytes;
        if self.full { RowState::LeftOut } else { RowState::Folded }
    }
}

/// The cells of a label: name, file, object.
fn triple<'a>(label: &Label<'a>) -> [Cell<'a>; 3] {
    [Cell::Name(label.name), Cell::Name(label.file), label.object.map_or(Cell::Empty, Cell::Name)]
}

/// Counts, then a name, then nothing: a row about a whole table.
fn summing<'a>(counts: impl Iterator<Item = Cell<'a>>, name: Cell<'a>, columns: usize) -> Vec<Cell<'a>> {
    let mut row: Vec<Cell> = counts.chain([name]).collect();
    row.resize(columns, Cell::Empty);
    row
}
