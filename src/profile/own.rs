//! Builds a profile for users of this crate: costs and calls of functions that are identified by
//! name.
//!
//! Functions are given by name, not by id, so that an id is never wrong. Names and counts that do
//! not fit are errors. The readers in `input` have their own, faster builder, which trusts them.

use super::{
    Builder, Collect, End, FunctionId, NEVER, NameId, Overflow, Part, Profile,
    split::warn_saturated,
};
use std::{fmt, path::Path};

/// The three names of a function; empty if unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named<'a> {
    /// The object (executable or library).
    pub object: &'a str,
    /// The file that defines it.
    pub file: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// The error of a call of the builder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refused {
    /// There are more events than a profile can have.
    TooManyEvents,
    /// There are more counts than events.
    TooManyCounts,
    /// A count is `i64::MIN`.
    Count,
    /// An event's name is empty or contains blanks, or another name contains a line feed.
    Name,
    /// There are more functions, lines or calls than can be counted.
    TooLarge,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::TooManyEvents => "more events than a profile can have",
            Refused::TooManyCounts => "more counts than events",
            Refused::Count => "a count that is too small",
            Refused::Name => {
                "a name with white space where it cannot have any, or an event without a name"
            }
            Refused::TooLarge => "more functions, lines or calls than can be counted",
        })
    }
}

impl std::error::Error for Refused {}

/// Builds a profile piece by piece, in any order. Repeated costs and calls add up.
///
/// ```
/// use cgannotate::profile::{Named, ProfileBuilder};
///
/// let main = Named { object: "", file: "a.c", name: "main" };
/// let mut builder = ProfileBuilder::new("my.trace", &["Ir"])?;
/// builder.self_cost(main, 3, &[120])?;
/// let profile = builder.finish();
/// assert_eq!(profile.totals.counts().recorded().collect::<Vec<_>>(), [Some(120)]);
/// # Ok::<(), cgannotate::profile::Refused>(())
/// ```
pub struct ProfileBuilder {
    builder: Builder,
    events: usize,
    over: Overflow,
}

impl ProfileBuilder {
    /// Starts an empty profile. Reports name its origin `input`.
    ///
    /// # Errors
    /// Fails if there are too many events, or if an event's name is not valid.
    pub fn new(input: impl AsRef<Path>, events: &[&str]) -> Result<ProfileBuilder, Refused> {
        if events
            .iter()
            .any(|name| name.is_empty() || name.contains(|c: char| c.is_whitespace()))
        {
            return Err(Refused::Name);
        }
        let mut builder = Builder::new(input.as_ref(), Collect::ALL, None);
        builder.head.parts.push(Part {
            end: End::Whole,
            ..Part::default()
        });
        let names: Vec<Vec<u8>> = events.iter().map(|name| name.as_bytes().to_vec()).collect();
        builder
            .head
            .events
            .columns(&names)
            .ok_or(Refused::TooManyEvents)?;
        Ok(ProfileBuilder {
            builder,
            events: events.len(),
            over: false,
        })
    }

    /// Adds self cost of a function at a line of its file, one count per event. Line 0 is unknown.
    ///
    /// # Errors
    /// Fails if there are more counts than events, a count is `i64::MIN`, a name has a line feed,
    /// or the profile is too large.
    pub fn self_cost(
        &mut self,
        function: Named<'_>,
        line: u64,
        counts: &[i64],
    ) -> Result<(), Refused> {
        self.check(counts)?;
        let (id, file) = self.function(function)?;
        self.over |= self.builder.enter(id) | self.builder.add_self(file, line, counts);
        Ok(())
    }

    /// Adds calls from one function to another, at a line of the caller's file, with their
    /// inclusive cost.
    ///
    /// # Errors
    /// Fails as [`self_cost`](Self::self_cost) does.
    pub fn calls(
        &mut self,
        caller: Named<'_>,
        line: u64,
        callee: Named<'_>,
        count: u64,
        inclusive: &[i64],
    ) -> Result<(), Refused> {
        self.check(inclusive)?;
        let (caller, file) = self.function(caller)?;
        let (callee, _) = self.function(callee)?;
        self.over |= self.builder.enter(caller);
        self.over |= self
            .builder
            .add_call_from(caller, callee, (file, line), count, inclusive);
        Ok(())
    }

    /// Finishes the profile.
    pub fn finish(mut self) -> Profile {
        if self.over {
            warn_saturated(&mut self.builder.head);
        }
        self.builder.finish()
    }

    fn check(&self, counts: &[i64]) -> Result<(), Refused> {
        if counts.len() > self.events {
            return Err(Refused::TooManyCounts);
        }
        if counts.contains(&NEVER) {
            return Err(Refused::Count);
        }
        if self.builder.full(u64::MAX).is_some() {
            Err(Refused::TooLarge)
        } else {
            Ok(())
        }
    }

    /// A function and its file.
    fn function(&mut self, named: Named<'_>) -> Result<(FunctionId, NameId), Refused> {
        if [named.object, named.file, named.name]
            .iter()
            .any(|name| name.contains('\n'))
        {
            return Err(Refused::Name);
        }
        let names = &mut self.builder.head.names;
        let object = names.intern_or(named.object.as_bytes(), NameId::EMPTY);
        let file = names.intern_or(named.file.as_bytes(), NameId::UNKNOWN);
        let name = names.intern_or(named.name.as_bytes(), NameId::UNKNOWN);
        Ok((self.builder.function(object, file, name), file))
    }
}
