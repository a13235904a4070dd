//! Parses the lines of calls and jumps: `calls=`, `jump=`, `jcnd=`, and the names of a jump's
//! target. Neither has a cost before the next line.

use super::{
    CallgrindParser,
    names::{NameKind, NameText, spelled},
    positions::Subposition,
    records::{CostKind, JumpTo, NameOf, Records},
};
use crate::{
    input::{
        excerpt::shown,
        lines::{fields, is_blank},
        number,
    },
    profile::WarningKind,
};

impl<R: Records> CallgrindParser<'_, R> {
    /// A `key=value` line with another key than those of `name_line`.
    pub(super) fn equals_line(&mut self, key: &[u8], value: &[u8], line: &[u8]) {
        match key {
            b"calls" | b"rcalls" => {
                self.drop_pending_call();
                self.calls_line(value);
            }
            b"jump" | b"jcnd" => {
                self.drop_pending_call();
                self.in_body = true;
                if is_jump(key, value) {
                    self.next = CostKind::Jump;
                    self.jump(value);
                } else {
                    self.malformed(line);
                }
            }
            // Lines without a cost that may define a name.
            b"jfi" | b"jfn" => {
                self.drop_pending_call();
                self.in_body = true;
                if key == b"jfi" {
                    self.jump_names.0 = Some(self.name_of(NameKind::Files, value));
                } else {
                    self.jump_names.1 = Some(self.name_of(NameKind::Functions, value));
                }
            }
            b"frfn" => {
                // No cost or call belongs to this name, so only a definition matters.
                if matches!(spelled(value), NameText::Definition(..)) {
                    self.name_of(NameKind::Functions, value);
                }
            }
            b"rec" | b"bb" | b"ln" | b"mp" => {}
            _ => self.malformed(line),
        }
    }

    /// Records a jump, if jumps are wanted: `count target*`, `taken/executed target*` or `executed
    /// taken target*`.
    fn jump(&mut self, value: &[u8]) {
        let (file, function) = std::mem::take(&mut self.jump_names);
        if !self.wants_addresses {
            return;
        }
        let mut words = fields(value);
        let number =
            |field: Option<&[u8]>| field.and_then(number::whole).map_or(0, |(count, _)| count);
        let first = words.next().unwrap_or_default();
        let columns = self.positions.columns;
        let (taken, executed) = match memchr::memchr(b'/', first) {
            Some(at) => (number(first.get(..at)), Some(number(first.get(at + 1..)))),
            None if fields(value).count() > columns + 1 => {
                (number(words.next()), Some(number(Some(first))))
            }
            None => (number(Some(first)), None),
        };
        let target = self.positions.target(&self.places(words));
        self.records.jump(JumpTo {
            taken,
            executed,
            target,
            file,
            function,
        });
    }

    /// The columns of a target, as far as the line has them.
    fn places<'f>(&self, fields: impl Iterator<Item = &'f [u8]>) -> [Option<Subposition>; 3] {
        let mut places = [None; 3];
        for (place, field) in places[..self.positions.columns].iter_mut().zip(fields) {
            *place = Subposition::read(field);
        }
        places
    }

    /// `calls=count target*`. The target is where the callee begins; only reports on instructions
    /// use it.
    fn calls_line(&mut self, value: &[u8]) {
        let mut words = fields(value);
        let field = words.next().unwrap_or_default();
        let (count, over) = number::whole(field).unwrap_or_else(|| {
            self.warn(WarningKind::BadCount, || {
                format!(
                    "`{}` is not a valid call count; 0 is used instead",
                    shown(field)
                )
            });
            (0, false)
        });
        if over {
            self.warn(WarningKind::Saturated, || {
                format!(
                    "a call count does not fit in 64 bits; {} is used instead",
                    u64::MAX
                )
            });
        }
        self.in_body = true;
        self.next = CostKind::Call;
        self.calls_line = self.line;
        self.has_calls = true;
        self.records.calls(count);
        if self.wants_addresses {
            let target = self.positions.target(&self.places(words));
            self.records.target(target);
        }
    }

    /// A name line comes where a cost line was expected.
    #[cold]
    pub(super) fn name_before_cost(&mut self, of: NameOf) {
        if self.next != CostKind::Call || !self.records.keeps_call(of) {
            self.drop_pending_call();
        }
    }

    /// Warns about a `calls=` without a cost line.
    pub(super) fn drop_pending_call(&mut self) {
        if self.next == CostKind::Call {
            self.records.forget_call();
            let line = self.calls_line;
            self.records
                .head()
                .warn(Some(line), WarningKind::MissingCallCost, || {
                    "no cost line follows this `calls=`; the call is skipped".into()
                });
        }
        self.next = CostKind::SelfCost;
    }
}

/// Whether a line is a jump: `jump=count target*`, `jcnd=taken/count target*`, or with a blank as
/// in the specification.
fn is_jump(key: &[u8], value: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let ends = |text: &[u8], at: usize| at > 0 && text.get(at).is_none_or(is_blank);
    // The form of most writers.
    let first = digits(value);
    match value.get(first) {
        Some(b' ') if first > 0 && key == b"jump" => return true,
        Some(b'/')
            if first > 0
                && key != b"jump"
                && ends(&value[first + 1..], digits(&value[first + 1..])) =>
        {
            return true;
        }
        _ => {}
    }
    let is_number = |field: &[u8]| number::whole(field).is_some();
    let mut words = fields(value);
    let first = words.next().unwrap_or_default();
    match (key, memchr::memchr(b'/', first)) {
        (b"jump", _) => is_number(first),
        (_, Some(at)) => is_number(&first[..at]) && is_number(&first[at + 1..]),
        (_, None) => is_number(first) && words.next().is_some_and(is_number),
    }
}
