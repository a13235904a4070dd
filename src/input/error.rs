//! Why an input cannot be read: one line that names the file, the line and what was wrong.

use super::compressed::RatioExceeded;
use crate::profile::Full;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// An input that cannot be read: which, where and why.
#[derive(Debug)]
pub struct Error {
    file: PathBuf,
    line: Option<u64>,
    reason: Reason,
}

impl Error {
    pub(crate) fn new(file: &Path, line: Option<u64>, reason: Reason) -> Error {
        Error {
            file: file.to_owned(),
            line,
            reason,
        }
    }

    /// The input, as it was named.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The line in it, from 1, where there is one to name.
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// The kind of the error, for callers that handle kinds differently. The text says more.
    pub fn kind(&self) -> ErrorKind {
        match &self.reason {
            Reason::Io(e) => ErrorKind::Io(e.kind()),
            Reason::Directory | Reason::Special => ErrorKind::NoFile,
            Reason::Empty(_) => ErrorKind::Empty,
            Reason::NoProfile | Reason::Foreign(_) | Reason::Program | Reason::Nested { .. } => {
                ErrorKind::NoProfile
            }
            Reason::Version(_) => ErrorKind::Unsupported,
            Reason::NotOriginal(_) => ErrorKind::NotOriginal,
            Reason::NoEvents | Reason::TooManyCounts { .. } | Reason::Malformed(_) => {
                ErrorKind::Malformed
            }
            Reason::TooManyEvents(_)
            | Reason::TooManyEventsInAll
            | Reason::TooWide
            | Reason::TooLarge => ErrorKind::TooLarge,
            Reason::Ratio(_) => ErrorKind::Ratio,
        }
    }
}

/// The kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system's error.
    Io(io::ErrorKind),
    /// It is a directory or a device.
    NoFile,
    /// It has no bytes.
    Empty,
    /// It is in no format that can be read.
    NoProfile,
    /// It is in a version of a format that is not known.
    Unsupported,
    /// The original's numbers are asked for, and it is in a format that the original does not read.
    NotOriginal,
    /// It is not what its format says.
    Malformed,
    /// It has more events, names, lines or calls than can be counted, or its sum would take far more memory than the file.
    TooLarge,
    /// More comes out of a compressed input than [`Options::max_ratio`](super::Options) allows.
    Ratio,
}

/// What was wrong with an input, with the details for the message.
#[derive(Debug)]
pub(crate) enum Reason {
    /// The operating system's error.
    Io(io::Error),
    /// It is a directory.
    Directory,
    /// It is neither a file nor a stream that can be read to its end.
    Special,
    /// It has no bytes. With the files that belong to it, if there are any beside it.
    Empty(Vec<PathBuf>),
    /// It is in no format that can be read.
    NoProfile,
    /// Another program wrote it. The text says what it is and which command reads it.
    Foreign(&'static str),
    /// It is a program, of which a profile can be recorded.
    Program,
    /// A compressed input contains another compressed one.
    Nested {
        /// The compressed format of the input.
        outer: &'static str,
        /// The compressed format of its content.
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
    #[cfg_attr(
        not(feature = "cli"),
        allow(dead_code, reason = "only the program gives the original's numbers")
    )]
    NotOriginal(&'static str),
    /// A file that violates its format, and how.
    Malformed(String),
    /// More distinct names, lines or calls than can be counted.
    TooLarge,
    /// The output has at least so many bytes for each compressed byte: a bomb.
    Ratio(u64),
}

/// Turns an error of the decompressor into its real cause.
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
        let file = self.file.display();
        match (self.line, &self.reason) {
            (Some(line), reason) => write!(f, "{file}:{line}: {reason}"),
            (None, reason @ Reason::Program) => {
                let name = file.to_string();
                // A name alone would be looked for in the folders of programs.
                let here = if name.contains('/') { "" } else { "./" };
                write!(
                    f,
                    "{name}: {reason}; `cgannotate record -- {here}{name}` records one, callgrind.out.PID"
                )
            }
            (None, Reason::Foreign(what)) => write!(
                f,
                "{file}: this is {}",
                what.replace("FILE", &file.to_string())
            ),
            (None, reason) => write!(f, "{file}: {reason}"),
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
                write!(
                    f,
                    "the file is empty: the program may have been killed, or may still be running"
                )
            }
            Reason::Empty(others) => {
                write!(
                    f,
                    "the file is empty: a run with --separate-threads=yes writes to "
                )?;
                let named: Vec<_> = others
                    .iter()
                    .take(3)
                    .map(|other| other.to_string_lossy())
                    .collect();
                write!(
                    f,
                    "{}{} instead",
                    named.join(", "),
                    if others.len() > 3 { ", …" } else { "" }
                )
            }
            Reason::NoProfile => write!(f, "this is not a profile"),
            Reason::Foreign(what) => write!(f, "this is {what}"),
            Reason::Program => write!(f, "this is an executable, not a profile"),
            Reason::Nested { outer, inner } => {
                write!(
                    f,
                    "this is {inner} data in {outer} data; unpack it once, one layer is unpacked here"
                )
            }
            Reason::NoEvents => write!(
                f,
                "no `events:` line before this point, so the counts have no meaning"
            ),
            Reason::TooManyCounts { counts, events } => {
                write!(f, "{counts} counts, but `events:` names {events}")
            }
            Reason::TooManyEvents(n) => {
                write!(
                    f,
                    "`events:` names {n} events; at most {} can be read",
                    crate::profile::costs::MAX_EVENTS
                )
            }
            Reason::TooManyEventsInAll => {
                let most = crate::profile::costs::MAX_EVENTS;
                write!(
                    f,
                    "more than {most} different events in all parts together; at most so many can be read"
                )
            }
            Reason::TooWide => {
                write!(
                    f,
                    "the parts differ so much in their events that their sum would take far more memory"
                )
            }
            Reason::Version(v) => write!(f, "version {v} of the format is not known"),
            Reason::NotOriginal(format) => {
                write!(
                    f,
                    "this is a {format} file, which callgrind_annotate does not read"
                )
            }
            Reason::Malformed(what) => f.write_str(what),
            Reason::Ratio(max) => {
                write!(
                    f,
                    "more than {max} bytes come out of every compressed byte, as from no real profile"
                )
            }
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
