//! The surface that a report is shown on, which decides what fits.

/// Where a report is read.
#[derive(Clone, Copy, Default)]
pub struct Surface {
    /// Whether to use colors.
    pub colour: bool,
    /// Whether it is a terminal. Then control characters are escaped, and tabs become blanks.
    pub terminal: bool,
    /// The most columns of a line; `None` is no limit.
    pub width: Option<usize>,
    /// The number of lines that are visible at once.
    pub height: Option<usize>,
}
