//! Parses cost lines of any form: hexadecimal numbers, tabs, `.`, comments, garbage. Only this file
//! decides whether a cost line is valid; the fast paths leave every unusual line to it.

use super::{
    CallgrindParser,
    positions::{LineNumber, Subposition},
    records::{CountsAre, Records},
};
use crate::{
    input::{
        Error,
        error::ErrorReason,
        excerpt::shown,
        lines::fields,
        number::{self, Count},
    },
    profile::{NEVER, WarningKind},
};

impl<R: Records> CallgrindParser<'_, R> {
    /// The slow path for a cost line. It accepts fields of any form, and checks each.
    pub(super) fn careful_cost_line(&mut self, line: &[u8]) -> Result<(), Error> {
        // A comment may follow: some simulators write the instruction there.
        let mut fields = fields(line).take_while(|f| !f.starts_with(b"#")).peekable();
        if fields
            .peek()
            .and_then(|first| Subposition::read(first))
            .is_none()
        {
            self.malformed(line);
            return Ok(());
        }
        self.in_body = true;
        let mut place = [Subposition::default(); 3];
        for column in &mut place[..self.positions.columns] {
            match fields.next().and_then(Subposition::read) {
                Some(read) => *column = read,
                None => {
                    self.malformed(line);
                    return Ok(());
                }
            }
        }
        if self.events == 0 {
            return Err(self.error(Some(self.line), ErrorReason::no_events()));
        }
        let mut counts = std::mem::take(&mut self.counts);
        let n = self.row(fields, &mut counts);
        self.counts = counts;
        if n > self.events {
            return Err(self.too_many(self.line, n));
        }
        let of = self.next_cost(n);
        let has_places = self.has_places();
        let (position, number) = if has_places {
            self.positions.apply(&place, of)
        } else {
            (0, LineNumber::Possible)
        };
        if number != LineNumber::Possible {
            self.impossible(number);
        }
        let address = self.positions.address(&place, of);
        self.cost(of, position, n, CountsAre::Careful(address));
        Ok(())
    }

    /// Reads a row of counts into the front of `counts`, and returns how many the line has. It
    /// drops counts beyond the end of `counts`.
    pub(super) fn row<'f>(
        &mut self,
        fields: impl Iterator<Item = &'f [u8]>,
        counts: &mut [i64],
    ) -> usize {
        let (mut n, mut lost) = (0, false);
        for field in fields {
            if let Some(place) = counts.get_mut(n) {
                *place = if lost {
                    NEVER
                } else {
                    self.count(field, &mut lost)
                };
            }
            n += 1;
        }
        n
    }

    pub(super) fn too_many(&mut self, line: u64, counts: usize) -> Error {
        let events = self.events;
        let what = format!("{counts} counts, but `events:` names {events}");
        self.error(Some(line), ErrorReason::malformed(what))
    }

    /// Reads one count, and warns if it is not valid. Sets `lost` if the fields after it may be in
    /// the wrong columns.
    fn count(&mut self, field: &[u8], lost: &mut bool) -> i64 {
        match number::count(field) {
            Count::Is(count) => count,
            Count::Never => NEVER,
            Count::Beyond(limit) => {
                self.warn(WarningKind::Saturated, || {
                    format!(
                        "{} does not fit in 64 bits; {limit} is used instead",
                        shown(field)
                    )
                });
                limit
            }
            Count::Fraction => {
                self.warn(WarningKind::BadCount, || {
                    format!("`{}` is not an integer; 0 is used instead", shown(field))
                });
                0
            }
            Count::Garbage => {
                self.warn(WarningKind::BadCount, || {
                    format!(
                        "`{}` is not a valid count; it and the rest of the line are ignored",
                        shown(field)
                    )
                });
                *lost = true;
                NEVER
            }
        }
    }
}
