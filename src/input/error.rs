//! The error of an input that cannot be read: one line with the file, the line and the reason.

use super::codec::RatioExceeded;
use crate::profile::{Full, costs::MAX_EVENTS};
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// An input that cannot be read.
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

    /// The input is not a profile, for this reason.
    pub(super) fn no_profile(file: &Path, what: impl Into<String>) -> Error {
        Error::new(file, None, ErrorReason::new(ErrorKind::NoProfile, what))
    }

    /// The input's name, as the caller gave it.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The line in the input, from 1, if one line is at fault.
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// The kind of the error, for callers that handle kinds differently. The message is more
    /// specific.
    pub fn kind(&self) -> ErrorKind {
        self.reason.kind
    }
}

/// The kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An error of the operating system.
    Io(io::ErrorKind),
    /// The input is a directory or a device.
    NoFile,
    /// The input is empty.
    Empty,
    /// The input is in none of the formats that can be read.
    NoProfile,
    /// The input is in an unknown version of its format.
    Unsupported,
    /// `--compat` was asked for a format that callgrind_annotate does not read.
    NotOriginal,
    /// The input violates its format.
    Malformed,
    /// The input has more events, names, lines or calls than can be counted, or the sum would take
    /// far more memory than the file.
    TooLarge,
    /// A compressed input expands to more than [`Options::max_ratio`](super::Options) allows.
    Ratio,
}

/// What is wrong with an input.
#[derive(Debug)]
pub(crate) struct ErrorReason {
    pub kind: ErrorKind,
    pub text: String,
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

/// The file violates its format in this way.
pub(crate) fn malformed<T>(text: impl Into<String>) -> Result<T, ErrorReason> {
    Err(ErrorReason::malformed(text))
}

/// Finds the decompressor's own error inside an I/O error.
impl From<io::Error> for ErrorReason {
    fn from(error: io::Error) -> ErrorReason {
        match error.downcast() {
            Ok(RatioExceeded(max)) => ErrorReason::new(
                ErrorKind::Ratio,
                format!("it expands to more than {max} times its size, unlike any real profile"),
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
                "more than {MAX_EVENTS} different events in all parts together; only that many can be read"
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
