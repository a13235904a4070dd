//! Why an input cannot be read: one line that names the file, the line and what was wrong.

use super::compressed::RatioExceeded;
use crate::profile::Full;
use std::{fmt, io};

/// An input that cannot be read.
#[derive(Debug)]
pub struct Error {
    /// The input, as it was named.
    pub file: String,
    /// The line in it, from 1, where there is one to name.
    pub line: Option<u64>,
    /// What was wrong.
    pub reason: Reason,
}

/// What was wrong with an input.
#[derive(Debug)]
pub enum Reason {
    /// The operating system's error.
    Io(io::Error),
    /// It is a directory.
    Directory,
    /// It is neither a file nor a stream that can be read to its end.
    Special,
    /// It has no bytes; the files that belong to it, if there are any beside it.
    Empty(Vec<String>),
    /// It is in no format that can be read.
    NoProfile,
    /// What comes out of a compressed input is compressed again.
    Nested {
        /// The compressed format of the input.
        outer: &'static str,
        /// That of what comes out of it.
        inner: &'static str,
    },
    /// A cost line, or the end, came before an `events:` line.
    NoEvents,
    /// More counts than events on a line.
    TooManyCounts {
        /// Counts on the line.
        counts: usize,
        /// Events of the part.
        events: usize,
    },
    /// More events than can be read.
    TooManyEvents(usize),
    /// More events than can be read, of all parts together.
    TooManyEventsInAll,
    /// The parts have so many different events that their costs would take far more memory than the file.
    TooWide,
    /// A major version that is not known.
    Version(String),
    /// A format that the original does not read, so that it has no numbers to be compatible with.
    NotOriginal(&'static str),
    /// A file that is not what its format says, and what is wrong with it.
    Malformed(String),
    /// More distinct names, lines or calls than can be counted.
    TooLarge,
    /// So many bytes, or more, come out of every compressed byte: a bomb.
    Ratio(u64),
}

/// An error that the decompressor made is told for what it is.
impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Reason {
        match error.downcast::<RatioExceeded>() {
            Ok(RatioExceeded(max)) => Reason::Ratio(max),
            Err(error) => Reason::Io(error),
        }
    }
}

impl From<Full> for Reason {
    fn from(full: Full) -> Reason {
        match full {
            Full::Tables => Reason::TooLarge,
            Full::Events => Reason::TooManyEventsInAll,
            Full::Columns => Reason::TooWide,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{}: {}", self.file, line, self.reason),
            None => write!(f, "{}: {}", self.file, self.reason),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Io(e) => write!(f, "{e}"),
            Reason::Directory => write!(f, "this is a directory, not a profile"),
            Reason::Special => write!(f, "this is a device, not a profile"),
            Reason::Empty(others) if others.is_empty() => {
                write!(f, "the file is empty: the program may have been killed, or may still be running")
            }
            Reason::Empty(others) => {
                write!(f, "the file is empty: a run with --separate-threads=yes writes to ")?;
                write!(
                    f,
                    "{}{} instead",
                    others[..others.len().min(3)].join(", "),
                    if others.len() > 3 { ", …" } else { "" }
                )
            }
            Reason::NoProfile => write!(f, "this is not a profile"),
            Reason::Nested { outer, inner } => {
                write!(f, "this is {inner} data in {outer} data; unpack it once, one layer is unpacked here")
            }
            Reason::NoEvents => write!(f, "no `events:` line before this point, so the counts have no meaning"),
            Reason::TooManyCounts { counts, events } => {
                write!(f, "{counts} counts, but `events:` names {events}")
            }
            Reason::TooManyEvents(n) => {
                write!(f, "`events:` names {n} events; at most {} can be read", crate::profile::costs::MAX_EVENTS)
            }
            Reason::TooManyEventsInAll => {
                let most = crate::profile::costs::MAX_EVENTS;
                write!(f, "more than {most} different events in all parts together; at most so many can be read")
            }
            Reason::TooWide => {
                write!(f, "the parts differ so much in their events that their sum would take far more memory")
            }
            Reason::Version(v) => write!(f, "version {v} of the format is not known"),
            Reason::NotOriginal(format) => {
                write!(f, "this is a {format} file, which callgrind_annotate does not read; leave out --compat")
            }
            Reason::Malformed(what) => f.write_str(what),
            Reason::Ratio(max) => write!(
                f,
                "more than {max} bytes come out of every compressed byte, as from no real profile; \
                 --max-ratio=none reads it all the same"
            ),
            Reason::TooLarge => write!(f, "more distinct lines or calls than can be counted"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            // Its own text is part of this error's.
            Reason::Io(e) => e.source(),
            _ => None,
        }
    }
}
