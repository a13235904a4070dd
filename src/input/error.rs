//! Why an input cannot be read: one line that names the file, the line and what was wrong.

use super::compressed::RatioExceeded;
use crate::profile::Full;
use crate::profile::costs::MAX_EVENTS;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// An input that cannot be read: which, where and why.
#[derive(Debug)]
pub struct Error {
    file: PathBuf,
    line: Option<u64>,
    reason: ErrorReason,
}

impl Error {
    pub(crate) fn new(file: &Path, line: Option<u64>, reason: impl Into<ErrorReason>) -> Error {
        Error {
            file: file.to_owned(),
            line,
            reason: reason.into(),
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
        self.reason.kind
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

/// What was wrong with an input.
#[derive(Debug)]
pub(crate) struct ErrorReason {
    pub(crate) kind: ErrorKind,
    pub(crate) text: String,
}

impl ErrorReason {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> ErrorReason {
        ErrorReason {
            kind,
            text: text.into(),
        }
    }

    /// The file violates its format in this way.
    pub(crate) fn malformed(text: impl Into<String>) -> ErrorReason {
        ErrorReason::new(ErrorKind::Malformed, text)
    }

    /// A cost line, or the end, came before an `events:` line.
    pub(crate) fn no_events() -> ErrorReason {
        ErrorReason::malformed("no `events:` line before this point, so the counts have no meaning")
    }
}

/// Turns an error of the decompressor into its real cause.
impl From<io::Error> for ErrorReason {
    fn from(error: io::Error) -> ErrorReason {
        match error.downcast() {
            Ok(RatioExceeded(max)) => ErrorReason::new(
                ErrorKind::Ratio,
                format!(
                    "more than {max} bytes come out of every compressed byte, as from no real profile"
                ),
            ),
            Err(error) => ErrorReason::new(ErrorKind::Io(error.kind()), error.to_string()),
        }
    }
}

impl From<Full> for ErrorReason {
    fn from(full: Full) -> ErrorReason {
        let text = match full {
            Full::Tables => "more distinct lines or calls than can be counted".into(),
            Full::Events => format!(
                "more than {MAX_EVENTS} different events in all parts together; at most so many can be read"
            ),
            Full::Columns => {
                "the parts differ so much in their events that their sum would take far more memory"
                    .into()
            }
        };
        ErrorReason::new(ErrorKind::TooLarge, text)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.reason.text)
    }
}

impl std::error::Error for Error {}
