//! Reads subpositions, the columns of `positions:` at the start of a cost line, and keeps the base
//! of relative ones.
//!
//! By the specification (3.1.6), `+n`, `-n` and `*` are relative to the same column of the last
//! cost line, those of calls and jumps included. Callgrind's own writer differs: it never moves its
//! base on the lines of calls and jumps (format notes, 1.8). So in its files only self cost lines
//! move the base.
//!
//! Line numbers are limited to 0 and 2^63 - 1, with a warning.

use super::records::{CostKind, PositionRule};
use crate::input::{lines::fields, number};

/// One column as the file has it.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct Subposition {
    relative: bool,
    /// The bits of the unsigned number, or the signed distance.
    value: i64,
}

impl Subposition {
    /// Reads a field: a number, `+number`, `-number`, `*`, or a range (`10-12`, `0x10+3`, `7:9`),
    /// which counts as its start.
    pub(crate) fn read(field: &[u8]) -> Option<Subposition> {
        let (relative, negative, digits) = match field {
            b"*" => {
                return Some(Subposition {
                    relative: true,
                    value: 0,
                });
            }
            [b'+', rest @ ..] => (true, false, rest),
            [b'-', rest @ ..] => (true, true, rest),
            _ => (false, false, field),
        };
        let (value, len, _) = number::unsigned(digits)?;
        let value = match i64::try_from(value) {
            _ if !relative => value as i64,
            Ok(value) if negative => -value,
            Ok(value) => value,
            // The lowest number leads below zero from any base.
            Err(_) if negative => i64::MIN,
            Err(_) => i64::MAX,
        };
        match &digits[len..] {
            [] => {}
            [b'+' | b'-' | b':', rest @ ..] if !relative => {
                let (_, len, _) = number::unsigned(rest)?;
                if len != rest.len() {
                    return None;
                }
            }
            _ => return None,
        }
        Some(Subposition { relative, value })
    }
}

/// Whether a line number is valid.
#[derive(PartialEq)]
pub(crate) enum LineNumber {
    /// It is valid.
    Possible,
    /// It is below zero and becomes 0.
    Negative,
    /// It is too large and becomes the largest.
    TooLarge,
}

/// The columns of the current part. It tracks source lines, and addresses if they are wanted. No
/// report shows basic blocks.
pub(crate) struct Positions {
    pub columns: usize,
    /// The number of columns if they have the usual order, the address first and the line last. 0
    /// for any other order, and without columns.
    pub plain_columns: usize,
    line: Option<usize>,
    /// The base of relative lines; never below zero.
    pub base: i64,
    address: Option<usize>,
    /// The base of relative addresses.
    base_address: u64,
    /// Whether addresses are wanted. Then the slow path reads every line, because the fast paths
    /// skip addresses.
    wants_addresses: bool,
    /// Whether the current part has a `positions:` line.
    stated: bool,
    pub rule: PositionRule,
}

impl Positions {
    /// Starts with one column, the line.
    pub(crate) fn new(rule: PositionRule, wants_addresses: bool) -> Positions {
        Positions {
            columns: 1,
            plain_columns: 1,
            line: Some(0),
            base: 0,
            address: None,
            base_address: 0,
            wants_addresses,
            stated: false,
            rule,
        }
    }

    /// Applies a `positions:` line. Returns false, with nothing changed, if it has an unknown
    /// column or a column twice.
    pub(crate) fn set(&mut self, value: &[u8]) -> bool {
        let (mut columns, mut address, mut block, mut line) = (0, None, None, None);
        for word in fields(value) {
            let column = match word {
                b"line" => &mut line,
                b"instr" | b"addr" => &mut address,
                b"bb" => &mut block,
                _ => return false,
            };
            if column.replace(columns).is_some() {
                return false;
            }
            columns += 1;
        }
        self.stated = true;
        self.set_columns(columns, address, line);
        true
    }

    /// Resets to one column, the line.
    pub(crate) fn reset(&mut self) {
        self.set_columns(1, None, Some(0));
    }

    /// Begins a part: the columns stay until the part redefines them, and relative positions start
    /// at 0.
    pub(crate) fn new_part(&mut self) {
        (self.base, self.base_address, self.stated) = (0, 0, false);
    }

    /// Records that the part has its own events. Without its own `positions:`, its only column is
    /// then the line.
    pub(crate) fn own_events(&mut self) {
        if !self.stated {
            self.reset();
        }
    }

    pub(super) fn has_addresses(&self) -> bool {
        self.address.is_some()
    }

    pub(crate) fn has_lines(&self) -> bool {
        self.line.is_some()
    }

    /// Like [`apply`](Self::apply), for a line with [`plain_columns`](Self::plain_columns) whose
    /// last column is line `now`. Returns `None`, with nothing changed, if `now` is below zero.
    #[inline(always)]
    pub(crate) fn advance(&mut self, now: i64, of: CostKind) -> Option<u64> {
        let line = u64::try_from(now).ok()?;
        if self.rule != PositionRule::Writer || of == CostKind::SelfCost {
            self.base = now;
        }
        Some(line)
    }

    /// The source line of a cost line with these columns, from 1; 0 if the line has none. Sets the
    /// base for the next line.
    pub(crate) fn apply(&mut self, place: &[Subposition; 3], of: CostKind) -> (u64, LineNumber) {
        let Some(column) = self.line else {
            return (0, LineNumber::Possible);
        };
        let Subposition { relative, value } = place[column];
        let mut now = if relative {
            self.base.wrapping_add(value)
        } else {
            value
        };
        let mut number = LineNumber::Possible;
        if now < 0 {
            // The base is never below zero, so only a negative distance leads there; anything else
            // has wrapped.
            (number, now) = if relative && value < 0 {
                (LineNumber::Negative, 0)
            } else {
                (LineNumber::TooLarge, i64::MAX)
            };
        }
        if self.rule != PositionRule::Writer || of == CostKind::SelfCost {
            self.base = now;
        }
        (now as u64, number)
    }

    /// The address, if there is a column for it, and the line of a target. The base does not
    /// change.
    pub(crate) fn target(&self, place: &[Option<Subposition>; 3]) -> (Option<u64>, u64) {
        let of = |column: Option<usize>| column.and_then(|at| place[at]);
        let address = of(self.address).map(|Subposition { relative, value }| {
            self.base_address
                .wrapping_mul(u64::from(relative))
                .wrapping_add_signed(value)
        });
        let line = of(self.line).map_or(0, |Subposition { relative, value }| {
            if relative {
                self.base.saturating_add(value).max(0)
            } else {
                value.max(0)
            }
        });
        (address, line as u64)
    }

    /// The address of a cost line with these columns, if it has one and addresses are wanted. Sets
    /// the base for the next line.
    pub(crate) fn address(&mut self, place: &[Subposition; 3], of: CostKind) -> Option<u64> {
        let column = self.address.filter(|_| self.wants_addresses)?;
        let Subposition { relative, value } = place[column];
        let now = self
            .base_address
            .wrapping_mul(u64::from(relative))
            .wrapping_add_signed(value);
        if self.rule != PositionRule::Writer || of == CostKind::SelfCost {
            self.base_address = now;
        }
        Some(now)
    }

    fn set_columns(&mut self, columns: usize, address: Option<usize>, line: Option<usize>) {
        (self.columns, self.line, self.address) = (columns, line, address);
        let usual = address.is_none_or(|at| at == 0) && line.is_none_or(|at| at + 1 == columns);
        let passed_over = self.wants_addresses && address.is_some();
        self.plain_columns = if usual && !passed_over { columns } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fast path takes only these columns. Most writers use them, some without a `positions:`
    /// line.
    #[test]
    fn usual_columns_are_plain() {
        let mut positions = Positions::new(PositionRule::Specification, false);
        assert_eq!(positions.plain_columns, 1);
        for (text, plain) in [
            ("line", 1),
            ("instr line", 2),
            ("instr", 1),
            ("bb line", 2),
            ("instr bb line", 3),
            ("line instr", 0),
            ("bb instr line", 0),
            ("", 0),
        ] {
            assert!(positions.set(text.as_bytes()));
            assert_eq!(positions.plain_columns, plain, "{text}");
        }
        positions.new_part();
        positions.own_events();
        assert_eq!((positions.plain_columns, positions.columns), (1, 1));
    }

    #[test]
    fn ranges_count_from_their_start() {
        for field in ["10", "10-12", "10+3", "10:12", "0xa"] {
            assert_eq!(
                Subposition::read(field.as_bytes()),
                Some(Subposition {
                    relative: false,
                    value: 10
                }),
                "{field}"
            );
        }
        for field in ["", "x", "10-", "10x", "+", "+1-2", "**"] {
            assert_eq!(Subposition::read(field.as_bytes()), None, "{field}");
        }
    }
}
