//! How often instructions jumped, and to which targets. All reports use it.

use crate::profile::{Code, FunctionId, Profile};
use std::collections::BTreeMap;

/// The jumps from one instruction.
#[derive(Default)]
pub(crate) struct JumpsFrom {
    /// How often each target was jumped to.
    pub to: BTreeMap<u64, u64>,
    /// How often any of them was taken.
    pub taken: u64,
    /// Whether one of them is conditional.
    pub conditional: bool,
    /// How often a conditional jump was executed. Unknown if fewer executions than jumps are
    /// recorded, because Callgrind counts jumps even while it collects nothing else.
    pub executed: Option<u64>,
    /// The count of the instruction itself.
    ran: i64,
}

/// The jumps of a function by address.
pub(crate) fn jumps_of(profile: &Profile, code: &Code, id: FunctionId) -> BTreeMap<u64, JumpsFrom> {
    let mut all: BTreeMap<u64, JumpsFrom> = BTreeMap::new();
    for (jump, times) in code.jumps_of(id) {
        let from = all.entry(jump.from).or_default();
        let to = from.to.entry(jump.to).or_default();
        *to = to.saturating_add(times.taken);
        from.taken = from.taken.saturating_add(times.taken);
        from.conditional |= jump.conditional;
        from.executed = Some(from.executed.unwrap_or(0).saturating_add(times.executed));
    }
    // Callgrind records a jump once per piece of code that ran up to it, again in each part. Each
    // execution is one instruction, whatever ran before.
    let event = profile.events.find(b"Ir");
    for (one, cost) in code.places_of(id).filter_map(|at| code.instruction(at)) {
        if let Some(from) = all.get_mut(&one.address) {
            let count = event.and_then(|event| cost.get(&profile.events, event));
            from.ran = from.ran.saturating_add(count.unwrap_or(0));
        }
    }
    for from in all.values_mut() {
        let executed = from.executed.max(u64::try_from(from.ran).ok());
        from.executed = executed.filter(|&executed| from.conditional && executed >= from.taken);
    }
    all
}
