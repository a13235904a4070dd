//! Reads the details that `record` appends to a profile, while the profile is read.
//!
//! Whatever is wrong with them, the profile before them is whole: they are ignored with a warning.

use super::Options;
use super::codec::Codec;
use super::compressed::Decompressor;
use crate::pack::details::DetailsFinder;
use crate::pack::{self, Stopped};
use crate::profile::carried::Carried;
use crate::profile::{Builder, WarningKind};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// Reads a profile, and finds the details after it.
pub(super) struct WithDetails<R> {
    source: R,
    found: DetailsFinder,
}

impl<R: Read> WithDetails<R> {
    pub(super) fn new(source: R) -> WithDetails<R> {
        WithDetails {
            source,
            found: DetailsFinder::default(),
        }
    }

    /// Adds the details to the profile that was read.
    pub(super) fn add_to(&mut self, builder: &mut Builder, options: &Options) {
        let carried = std::mem::take(&mut self.found)
            .pack()
            .map_err(str::to_owned)
            .and_then(|pack| pack.map(|pack| unpacked(&pack, options)).transpose());
        match carried {
            Ok(carried) => builder.head.carried.extend(carried.map(Arc::new)),
            Err(why) => builder.head.warn(None, WarningKind::UnusedDetails, || {
                format!("the details that were recorded with this profile are ignored: {why}")
            }),
        }
    }
}

impl<R: Read> Read for WithDetails<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(out)?;
        self.found.piece(&out[..n]);
        Ok(n)
    }
}

fn unpacked(pack: &[u8], options: &Options) -> Result<Carried, String> {
    let mut pack = Decompressor::new(Codec::Xz, pack, options.max_ratio);
    let no_profile =
        |_: pack::InnerProfile<'_>, _: &mut dyn Read| Err("there is a profile in them");
    pack::read(Path::new(""), &mut pack, options.collect, no_profile).map_err(|why| match why {
        Stopped::Io(e) => e.to_string(),
        Stopped::Damaged(why) => why,
        Stopped::Reader(why) => why.to_owned(),
    })
}
