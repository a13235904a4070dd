//! What is not known exactly: a value between the least and the most that it can be.
//!
//! Arcs do not tell stacks, so that some answers can only be estimated; their bounds are proven all the same. One type
//! carries every such answer from the analyses to all views and formats. Where the bounds meet, nothing is guessed.

/// A count with its bounds: `least <= value <= most`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Estimate {
    value: i128,
    least: i128,
    most: i128,
}

impl Estimate {
    /// A count that is known.
    pub fn exact(value: impl Into<i128>) -> Estimate {
        let value = value.into();
        Estimate { value, least: value, most: value }
    }

    /// A value within bounds. One that is beyond them, for it was rounded, moves the bound: that is still true.
    pub fn new(value: i128, least: i128, most: i128) -> Estimate {
        Estimate { value, least: least.min(value), most: most.max(value) }
    }

    /// What it is taken to be.
    pub fn value(self) -> i128 {
        self.value
    }

    /// The least that it can be.
    pub fn least(self) -> i128 {
        self.least
    }

    /// The most that it can be.
    pub fn most(self) -> i128 {
        self.most
    }

    /// Whether it is known: the bounds meet.
    pub fn is_exact(self) -> bool {
        self.least == self.most
    }

    /// Whether it can be this.
    pub fn allows(self, count: i128) -> bool {
        (self.least..=self.most).contains(&count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_never_beyond_its_bounds() {
        let exact = Estimate::exact(7i64);
        assert!(exact.is_exact() && exact.allows(7) && !exact.allows(8));
        let rounded = Estimate::new(4, 5, 9);
        assert_eq!((rounded.least(), rounded.value(), rounded.most()), (4, 4, 9));
        assert!(!rounded.is_exact() && rounded.allows(9) && !rounded.allows(10));
        assert_eq!(Estimate::new(10, 5, 9).most(), 10);
    }
}
