//! Which objects are the same binary in all inputs of a sum. Only there does an instruction address
//! mean the same code in all of them. `merge` drops the other addresses.
//!
//! Profiles rarely have build ids, so the addresses themselves decide. In one binary an address has
//! one line, and at most one function begins there. Functions may share instructions: `memcpy` and
//! `mempcpy` have a common end.

use super::rewrite::{CostLine, CostOf, instructions, lines as lines_of};
use crate::profile::{FunctionId, NameId, Profile, extend_with};
use std::collections::BTreeSet;

/// Drops the instruction addresses of objects that are not the same binary in all inputs, and
/// returns these objects. If some cost has no address, nothing tells whether the binaries agree: so
/// adding up in steps drops the same addresses as adding up at once.
pub fn drop_other_code(profile: &mut Profile) -> BTreeSet<NameId> {
    let Some(code) = &profile.code else {
        return BTreeSet::new();
    };
    let object = |id| profile.function(id).object;
    let lines = code.instructions().filter(|(one, _)| one.line > 0);
    let lines = lines.map(|(one, _)| (object(one.function), one.address, (one.file, one.line)));
    let entries = code.calls().filter_map(|(call, ..)| {
        let callee = profile.function(call.callee);
        // The levels of a recursion begin where the function begins.
        let name = profile
            .name(callee.name)
            .split(|&byte| byte == b'\'')
            .next();
        Some((callee.object, call.target?, name))
    });
    let known = profile.carried.iter().flat_map(|carried| &carried.objects);
    let builds = known
        .filter_map(|(name, known)| Some((profile.names.find(name)?, 0, known.build_id.as_ref()?)));
    let lack = |&id: &FunctionId| total(lines_of(profile, id)) != total(instructions(code, id));
    let mut differ = several(lines);
    differ.extend(several(entries).into_iter().chain(several(builds)));
    differ.extend(profile.function_ids().filter(lack).map(object));
    let used = code.instructions().map(|(one, _)| object(one.function));
    let dropped = used.filter(|object| differ.contains(object)).collect();
    if !differ.is_empty() {
        let kept = code.kept(|id| !differ.contains(&object(id)));
        profile.code = Some(kept).filter(|code| !code.is_empty());
    }
    dropped
}

/// The objects in which something is said of one address in several ways.
fn several<T: Ord>(said: impl Iterator<Item = (NameId, u64, T)>) -> BTreeSet<NameId> {
    let mut said: Vec<_> = said.collect();
    said.sort_unstable();
    said.dedup();
    let twice = said
        .windows(2)
        .filter(|two| (two[0].0, two[0].1) == (two[1].0, two[1].1));
    twice.map(|two| two[0].0).collect()
}

/// The sum of costs, and the number of calls.
fn total(records: Vec<CostLine>) -> (Vec<i64>, u64) {
    let (mut sum, mut calls) = (Vec::new(), 0u64);
    for record in records {
        extend_with(&mut sum, record.cost);
        if let CostOf::Call { count, .. } = record.of {
            calls = calls.saturating_add(count);
        }
    }
    (sum, calls)
}
