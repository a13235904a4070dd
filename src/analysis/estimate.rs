//! Estimated counts with their bounds.
//!
//! Arcs do not determine stacks, so some answers can only be estimated, but with proven bounds. All
//! views and formats use this type for such answers. If the bounds are equal, the answer is exact.

/// A count with its bounds: `least <= value <= most`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Estimate {
    /// The estimate.
    pub value: i128,
    /// The lower bound.
    pub least: i128,
    /// The upper bound.
    pub most: i128,
}

impl Estimate {
    /// An exact count.
    pub fn exact(value: impl Into<i128>) -> Estimate {
        let value = value.into();
        Estimate {
            value,
            least: value,
            most: value,
        }
    }

    /// A value within bounds. If rounding put the value outside of a bound, the bound moves; it
    /// remains valid.
    pub fn new(value: i128, least: i128, most: i128) -> Estimate {
        Estimate {
            value,
            least: least.min(value),
            most: most.max(value),
        }
    }

    /// The estimate of a sum.
    pub(super) fn plus(self, other: Estimate) -> Estimate {
        Estimate {
            value: self.value + other.value,
            least: self.least + other.least,
            most: self.most + other.most,
        }
    }

    /// Whether it is exact: the bounds are equal.
    pub fn is_exact(self) -> bool {
        self.least == self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_never_beyond_its_bounds() {
        let exact = Estimate::exact(7i64);
        assert!(exact.is_exact() && exact.least == 7);
        let rounded = Estimate::new(4, 5, 9);
        assert_eq!((rounded.least, rounded.value, rounded.most), (4, 4, 9));
        assert!(!rounded.is_exact() && rounded.most == 9);
        assert_eq!(Estimate::new(10, 5, 9).most, 10);
    }
}
