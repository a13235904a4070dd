//! Unpacks the details that `record` appended to a profile, once that was read.

use super::{Options, codec::Codec, compressed::Decompressor};
use crate::{
    pack::{self, InnerProfile, Stopped, details::DetailsReader},
    profile::{Builder, Carried, WarningKind},
};
use std::{io::Read, path::Path, sync::Arc};

/// Adds the details to the profile. If anything is wrong with them, they are ignored with a
/// warning: the profile before them is whole.
pub(super) fn add<R>(found: &mut DetailsReader<R>, builder: &mut Builder, options: &Options) {
    let unpacked = |pack: Vec<u8>| unpacked(builder.head.input(), &pack, options);
    let pack = found.pack().map_err(str::to_owned);
    match pack.and_then(|pack| pack.map(unpacked).transpose()) {
        Ok(carried) => builder.head.carried.extend(carried.map(Arc::new)),
        Err(why) => builder.head.warn(None, WarningKind::UnusedDetails, || {
            format!("the details that were recorded with this profile are ignored: {why}")
        }),
    }
}

fn unpacked(name: &Path, pack: &[u8], options: &Options) -> Result<Carried, String> {
    let mut pack = Decompressor::new(Codec::Xz, pack, options.max_ratio);
    let no_profile =
        |_: InnerProfile<'_>, _: &mut dyn Read| Err("there is a profile in them".to_owned());
    let carried =
        pack::read(name, &mut pack, options.collect, no_profile).map_err(|why| match why {
            Stopped::Io(e) => e.to_string(),
            Stopped::Damaged(why) => why,
            Stopped::Reader(why) => why.to_owned(),
        })?;
    Ok(Carried {
        is_details: true,
        // Names are shortened as those of the profile.
        folder: options.strip.clone(),
        ..carried
    })
}
