//! A pack as an input: the sum of the profiles in it, with what they bring along.
//!
//! Names below the folder that the pack was made in are shown without it, wherever it is read. A pack in a pack, and
//! compressed profiles in one, are refused: unpacking has one layer.

#[cfg(feature = "cli")]
use super::callgrind::{Parser, records::Records};
use super::error::{Error, Reason};
use super::{Options, add, read_as, sniff};
use crate::pack::{self, Inner, Stopped};
use crate::profile::carried::Carried;
use crate::profile::{Builder, Collect, SplitBy, WarningKind};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Reads the profiles of a pack.
pub(super) fn read(
    name: &Path,
    source: &mut (dyn Read + Send),
    options: &Options,
    split: Option<SplitBy>,
) -> Result<Builder, Error> {
    let mut sum: Option<Builder> = None;
    let carried = each(name, source, options.collect, |inner, source| {
        let options = Options {
            strip: strip(options, &inner),
            ..options.clone()
        };
        let (format, mut source) = sniff::plain(&inner.path, source, options.format)?;
        let one = read_as(format, &inner.path, &mut source, &options, split)?;
        add(&mut sum, one, &inner.path)
    })?;
    let Some(mut sum) = sum else {
        return Err(damaged(name, "it has no profile"));
    };
    if carried.with_children {
        sum.head.warnings.forget(WarningKind::Mixed);
    }
    sum.head.carried.push(Arc::new(carried));
    Ok(sum)
}

/// Reads the one profile of a pack with other records than the usual ones.
#[cfg(feature = "cli")]
pub(super) fn read_records<R: Records>(
    name: &Path,
    source: &mut (dyn Read + Send),
    records: &mut R,
    options: &Options,
) -> Result<(), Error> {
    let mut is_second = false;
    let carried = each(name, source, options.collect, |inner, source| {
        if std::mem::replace(&mut is_second, true) {
            return Err(Error::new(
                name,
                None,
                Reason::Malformed("there are several profiles in the pack".into()),
            ));
        }
        let (format, source) = sniff::plain(&inner.path, source, options.format)?;
        if !format.is_original() {
            return Err(Error::new(
                &inner.path,
                None,
                Reason::NotOriginal(format.name()),
            ));
        }
        records.head().format = format;
        records.head().inputs = vec![inner.path.clone()];
        records.head().folder = Some(inner.folder.to_vec());
        Parser::new(records, &strip(options, &inner)).read(source, options.block)
    })?;
    records.head().carried.push(Arc::new(carried));
    Ok(())
}

/// A profile as it was written, from a file or a pack.
#[derive(Debug)]
pub struct Unpacked {
    /// Where it is. In a pack, what it is called there.
    pub path: PathBuf,
    /// When it was written.
    pub modified: Option<SystemTime>,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The profiles of a pack, as they were written.
pub(super) fn unpacked(
    name: &Path,
    source: &mut (dyn Read + Send),
) -> Result<Vec<Unpacked>, Error> {
    let mut all = Vec::new();
    each(name, source, Collect::ALL, |inner, source| {
        let mut bytes = Vec::new();
        source
            .read_to_end(&mut bytes)
            .map_err(|e| Error::new(&inner.path, None, e.into()))?;
        all.push(Unpacked {
            path: inner.path,
            modified: inner.modified,
            bytes,
        });
        Ok(())
    })?;
    Ok(all)
}

fn each(
    name: &Path,
    source: &mut (dyn Read + Send),
    collect: Collect,
    profile: impl FnMut(Inner<'_>, &mut (dyn Read + Send)) -> Result<(), Error>,
) -> Result<Carried, Error> {
    pack::read(name, source, collect, profile).map_err(|stopped| match stopped {
        Stopped::Reader(error) => error,
        Stopped::Io(e) => Error::new(name, None, e.into()),
        Stopped::Damaged(why) => damaged(name, &why),
    })
}

fn damaged(name: &Path, why: &str) -> Error {
    Error::new(
        name,
        None,
        Reason::Malformed(format!("the pack is damaged: {why}")),
    )
}

/// What is taken off names: where anything is, the folder that the pack was made in.
fn strip(options: &Options, inner: &Inner<'_>) -> Vec<u8> {
    if options.strip.is_empty() {
        Vec::new()
    } else {
        inner.folder.to_vec()
    }
}
