//! Where a report is read, which decides what fits.

/// Where a report is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Surface {
    /// Whether colours are wanted.
    pub colour: bool,
    /// Whether people see the bytes on a terminal: what it would act on is escaped, tabs become blanks.
    pub terminal: bool,
    /// How wide lines can be; `None` is no limit.
    pub width: Option<usize>,
    /// How many lines show at once.
    pub height: Option<usize>,
}

/// How names are shown where there is little room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameForm {
    /// As they are.
    Full,
    /// Without what tells least.
    Short,
}
