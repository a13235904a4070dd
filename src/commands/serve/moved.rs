//! Finds the lines of a recorded source in a text that was edited since.

use std::collections::{BTreeMap, HashMap, HashSet};

/// The line of a text, from 0, by recorded line, from 1.
///
/// A recorded line that is unique is found if the text has it once. Any other line is found only
/// where it keeps its distance to the nearest such line above or below.
///
/// `recorded` has the whole file as line 0, which is skipped. `hashes` has only lines.
pub(super) fn moved(recorded: &BTreeMap<u64, u32>, hashes: &[u32]) -> BTreeMap<u64, usize> {
    // The first place of each text, and whether it is the only one.
    let mut places: HashMap<u32, (u64, bool)> = HashMap::new();
    for (at, &hash) in (0u64..).zip(hashes) {
        let place = places.entry(hash).or_insert((at, true));
        place.1 = place.0 == at;
    }
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for &hash in recorded.range(1..).map(|(_, hash)| hash) {
        *counts.entry(hash).or_default() += 1;
    }
    let anchor = |(&line, hash): (&u64, &u32)| match places.get(hash) {
        Some(&(at, true)) if counts[hash] == 1 => Some((line, at.wrapping_sub(line))),
        _ => None,
    };
    // The distance that a line moved; below 0 it wraps around.
    let anchors: BTreeMap<u64, u64> = recorded.range(1..).filter_map(anchor).collect();
    let place = |(&line, hash): (&u64, &u32)| {
        let above = anchors.range(..=line).next_back();
        let shifts = above.into_iter().chain(anchors.range(line..).next());
        let mut places = shifts.map(|(_, shift)| line.wrapping_add(*shift) as usize);
        Some((line, places.find(|&at| hashes.get(at) == Some(hash))?))
    };
    let mut taken = HashSet::new();
    let places = recorded.range(1..).filter_map(place);
    places.filter(|place| taken.insert(place.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the lines of one text went, from 1. A letter is a line.
    fn went(recorded: &str, text: &str) -> Vec<(u64, usize)> {
        let recorded = (0..).zip(recorded.chars().map(u32::from)).collect();
        let text: Vec<u32> = text.chars().map(u32::from).collect();
        let moved = moved(&recorded, &text).into_iter();
        moved.map(|(line, at)| (line, at + 1)).collect()
    }

    #[test]
    fn lines_move_with_those_that_are_unique() {
        // The first letter is the whole file, as line 0.
        for (recorded, text, want) in [
            ("-abc", "abc", &[(1, 1), (2, 2), (3, 3)][..]),
            ("-abc", "xxabc", &[(1, 3), (2, 4), (3, 5)]),
            ("-abc", "axc", &[(1, 1), (3, 3)]),
            ("-abc", "xyz", &[]),
            // `c` moved above the others.
            ("-abc", "cab", &[(1, 2), (2, 3), (3, 1)]),
            // Of two equal lines, one was removed or copied.
            ("-a}b}", "ab}", &[(1, 1), (3, 2), (4, 3)]),
            ("-a}b}", "xa}}b}", &[(1, 2), (2, 3), (3, 5), (4, 6)]),
            // Two functions with equal lines were swapped.
            (
                "-a;}b;}",
                "b;}a;}",
                &[(1, 4), (2, 5), (3, 6), (4, 1), (5, 2), (6, 3)],
            ),
            // It is unknown which of two equal lines remained.
            ("-}}", "xxx}x}", &[]),
            ("-a;b;", "ab;", &[(1, 1), (3, 2), (4, 3)]),
            // One of two equal lines next to each other was removed.
            ("-a;;b", "a;b", &[(1, 1), (2, 2), (4, 3)]),
            // Only the copy remained.
            ("-a;bc;", "axbc;", &[(1, 1), (3, 3), (4, 4), (5, 5)]),
        ] {
            assert_eq!(went(recorded, text), want, "{recorded} {text}");
        }
    }

    #[test]
    fn any_number_of_a_line_can_be_recorded() {
        for line in [1 << 63, u64::MAX] {
            let recorded = BTreeMap::from([(line, 7)]);
            assert_eq!(moved(&recorded, &[5, 7]), BTreeMap::from([(line, 1)]));
        }
    }
}
