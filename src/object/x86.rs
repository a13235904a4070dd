//! Finds where instructions of x86 and amd64 begin.

use super::{
    elf::{Elf, Symbols, Trouble, unless_spent},
    text::instructions,
};

/// Which of the sorted addresses are the start of an instruction. Decoding begins where functions
/// begin: at one of the sorted `starts`, at a symbol, or at the section.
pub(super) fn on_starts(
    elf: &Elf,
    bits: u32,
    symbols: &Symbols,
    starts: &[u64],
    addresses: &[u64],
) -> Result<Vec<bool>, Trouble> {
    let mut is_start = vec![false; addresses.len()];
    let mut at = 0;
    while let Some(&address) = addresses.get(at) {
        elf.budget.look(64 + elf.sections.len() as u64 / 4)?;
        let Some(section) = elf.code_section(address) else {
            at += 1;
            continue;
        };
        let (started, later) = starts.split_at(starts.partition_point(|&start| start <= address));
        let all = &symbols.all;
        let (begun, next) = all.split_at(all.partition_point(|s| s.address <= address));
        let begin = section
            .address
            .max(started.last().copied().unwrap_or(0))
            .max(begun.last().map_or(0, |s| s.address));
        // Up to the next function: decoding begins anew there.
        let end = section
            .end()
            .min(later.first().copied().unwrap_or(u64::MAX))
            .min(next.first().map_or(u64::MAX, |s| s.address));
        let last = at + addresses[at..].partition_point(|&a| a < end);
        let wanted = &addresses[at..last];
        let furthest = wanted
            .last()
            .map_or(begin, |last| last.saturating_add(16))
            .min(section.end());
        let Some(code) = unless_spent(elf.code(begin, furthest - begin))? else {
            at = last;
            continue;
        };
        mark(&code, bits, begin, wanted, &mut is_start[at..last]);
        at = last;
    }
    Ok(is_start)
}

fn mark(code: &[u8], bits: u32, begin: u64, wanted: &[u64], is_start: &mut [bool]) {
    let mut at = 0;
    for now in instructions(code, bits, (begin, u64::MAX)).map(|one| one.ip()) {
        while wanted.get(at).is_some_and(|&address| address < now) {
            at += 1;
        }
        if wanted.get(at) == Some(&now) {
            is_start[at] = true;
            at += 1;
        }
    }
}
