//! A profile in which the levels of a recursion are one function: what reading with `--fold-recursion` gives, without reading.
//!
//! Callgrind names the second level of `f` `f'2` where it was told to keep levels apart. Their costs and calls are added up, and
//! calls between them become recursion. Needs the call sites.

use crate::profile::callers::without_level;
use crate::profile::reshape::Shape;
use crate::profile::{NameId, Profile};

/// The same profile with levels folded.
pub fn folded(profile: &Profile) -> Profile {
    let mut names = (*profile.names).clone();
    let functions = profile.function_ids().map(|id| {
        let f = profile.function(id);
        let name = match without_level(&profile.names.lent(f.name).text()) {
            Some(name) => names.intern(&name),
            None => f.name,
        };
        [f.object, f.file, name]
    });
    let functions = functions.collect();
    let files = (0..profile.names.len() as u32).map(NameId).collect();
    let events = profile.events.clone();
    let columns = (0..events.recorded().len()).collect();
    profile.reshaped(&Shape { names: names.into(), functions, files, events, columns }).0
}
