//! Reads a pack: the sum of the profiles in it, with the sources and code that it holds.
//!
//! The folder in which the pack was made is stripped from names, wherever the pack is read. A pack
//! inside a pack and compressed profiles inside a pack are errors, because only one layer is
//! unpacked.

use super::{
    Error, Options, ProfileBytes, add, callgrind::records::Records, error::ErrorReason,
    format::FormatReader, read_as, read_original, sniff,
};
use crate::{
    pack::{self, InnerProfile, Stopped},
    profile::{Builder, Carried, Collect, Format, WarningKind},
};
use std::{io::Read, path::Path, sync::Arc};

pub(super) struct Pack;

/// A pack that was read takes the format of its first profile, so only the names and `is_ours`
/// matter here.
pub(super) const FORMAT: Format = Format {
    name: "pack",
    shown: "pack",
    is_ours: true,
    is_original: false,
    ..Format::CALLGRIND
};

impl FormatReader for Pack {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn is_mine(&self, start: &[u8]) -> bool {
        pack::is_mine(start)
    }

    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        options: &Options,
    ) -> Result<(), Error> {
        let (name, split) = (builder.head.input().to_owned(), builder.split_by());
        let mut sum: Option<Builder> = None;
        let carried = each(&name, source, options.collect, |inner, source| {
            let options = Options {
                strip: strip(options, &inner),
                ..options.clone()
            };
            let (reader, mut source) = sniff::plain(&inner.path, source, options.format)?;
            let one = read_as(reader, &inner.path, &mut source, &options, split)?;
            add(&mut sum, one, &inner.path)
        })?;
        let mut sum = sum.ok_or_else(|| damaged(&name, "it has no profile"))?;
        if carried.with_children {
            sum.head.warnings.forget(WarningKind::MixedInputs);
        }
        // The pack has all that the details of its profiles have.
        sum.head.carried = vec![Arc::new(carried)];
        *builder = sum;
        Ok(())
    }
}

/// Reads the only profile of a pack into other [`Records`].
pub(super) fn read_records<R: Records>(
    name: &Path,
    source: &mut dyn Read,
    records: &mut R,
    options: &Options,
) -> Result<(), Error> {
    let mut is_second = false;
    let carried = each(name, source, options.collect, |inner, source| {
        if std::mem::replace(&mut is_second, true) {
            let several = ErrorReason::malformed("there are several profiles in the pack");
            return Err(Error::new(name, None, several));
        }
        let (reader, source) = sniff::plain(&inner.path, source, options.format)?;
        records.head().inputs = vec![inner.path.clone()];
        records.head().folder = Some(inner.folder.to_vec());
        let strip = strip(options, &inner);
        read_original(reader.format(), source, records, &strip, options.block)
    })?;
    records.head().carried.push(Arc::new(carried));
    Ok(())
}

/// The bytes of each profile in a pack.
pub(super) fn unpacked(name: &Path, source: &mut dyn Read) -> Result<Vec<ProfileBytes>, Error> {
    let mut all = Vec::new();
    each(name, source, Collect::ALL, |inner, source| {
        let mut bytes = Vec::new();
        source
            .read_to_end(&mut bytes)
            .map_err(|e| Error::new(&inner.path, None, e))?;
        all.push(ProfileBytes {
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
    source: &mut dyn Read,
    collect: Collect,
    profile: impl FnMut(InnerProfile<'_>, &mut dyn Read) -> Result<(), Error>,
) -> Result<Carried, Error> {
    pack::read(name, source, collect, profile).map_err(|stopped| match stopped {
        Stopped::Reader(error) => error,
        Stopped::Io(e) => Error::new(name, None, e),
        Stopped::Damaged(why) => damaged(name, &why),
    })
}

fn damaged(name: &Path, why: &str) -> Error {
    let reason = ErrorReason::malformed(format!("the pack is damaged: {why}"));
    Error::new(name, None, reason)
}

/// The prefix to strip from names: the folder in which the pack was made, if anything is to be
/// stripped.
fn strip(options: &Options, inner: &InnerProfile<'_>) -> Vec<u8> {
    if options.strip.is_empty() {
        Vec::new()
    } else {
        inner.folder.to_vec()
    }
}
