//! Bytes to [`Profile`]: open an input, recognise its format by its content, read it.
//!
//! [`read`] is the way in. A new format is a variant of [`Format`](crate::profile::Format), a file beside
//! `callgrind.rs`, and the places the compiler then shows.

pub(crate) mod callgrind;
mod cursor;
pub mod error;
mod header;
mod lines;
mod names;
mod number;
mod open;
pub(crate) mod positions;
mod sniff;
mod webgrind;

use crate::profile::{Builder, Collect, Format, Profile};
use callgrind::Parser;
use cursor::Cursor;
pub use error::{Error, Reason};
use std::io::Read;

/// How inputs are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to collect.
    pub collect: Collect,
    /// A prefix to take off file names, such as the current directory; empty to leave them alone.
    pub strip: Vec<u8>,
    /// How many bytes to read at a time. The result does not depend on it.
    pub block: usize,
}

impl Options {
    /// Collects everything, leaves names alone.
    pub fn all() -> Options {
        Options { collect: Collect::ALL, strip: Vec::new(), block: lines::BLOCK }
    }
}

/// Reads the sum of several profiles; `-` is standard input.
///
/// # Errors
/// The first input that cannot be read, with its name and line.
pub fn read(names: &[String], options: &Options) -> Result<Profile, Error> {
    let mut sum: Option<Builder> = None;
    for name in names {
        let one = read_builder(name, open::open(name)?, options)?;
        match &mut sum {
            None => sum = Some(one),
            Some(sum) => {
                sum.absorb(one);
            }
        }
    }
    Ok(sum.unwrap_or_else(|| Builder::new("", options.collect)).finish())
}

/// Reads one profile from any source of bytes; `name` is what warnings and errors call it.
///
/// # Errors
/// As [`read`].
pub fn read_from(name: &str, source: impl Read, options: &Options) -> Result<Profile, Error> {
    Ok(read_builder(name, source, options)?.finish())
}

fn read_builder(name: &str, source: impl Read, options: &Options) -> Result<Builder, Error> {
    let mut builder = Builder::new(name, options.collect);
    let (format, source) = sniff::format(name, source)?;
    builder.head.format = format;
    match format {
        Format::Callgrind | Format::Cachegrind => {
            Parser::new(&mut Cursor::new(&mut builder), &options.strip).read(source, options.block)?;
        }
        Format::Webgrind => webgrind::read(&mut builder, source)?,
    }
    Ok(builder)
}

/// Reads one profile into records of another meaning; for `compat`.
pub(crate) fn read_records<R: callgrind::Records>(name: &str, records: &mut R, options: &Options) -> Result<(), Error> {
    let (format, source) = sniff::format(name, open::open(name)?)?;
    records.head().format = format;
    match format {
        Format::Callgrind | Format::Cachegrind => Parser::new(records, &options.strip).read(source, options.block),
        Format::Webgrind => {
            Err(Error { file: name.to_owned(), line: None, reason: Reason::NotOriginal(format.name()) })
        }
    }
}

/// Whether a file is a profile, by its content. What cannot be opened is none.
pub fn is_profile(name: &str) -> bool {
    name == open::STDIN || open::open(name).is_ok_and(|source| sniff::format(name, source).is_ok())
}
