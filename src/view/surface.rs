//! The surface that a report is shown on, which decides what fits.

/// Where a report is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Surface {
    /// Whether colours are wanted.
    pub colour: bool,
    /// Whether it is a terminal: control characters are escaped, tabs become blanks.
    pub terminal: bool,
    /// How wide lines can be; `None` is no limit.
    pub width: Option<usize>,
    /// How many lines show at once.
    pub height: Option<usize>,
}
