//! Finds the lines of a recorded source in a text that was edited since.

use crate::pack::details::short_hash;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// A text that is repeated on more lines does not tell where a line went.
const REPEATED: usize = 32;

/// At most this many pairs of equal lines are compared, because that takes the square of their
/// number.
const PAIRS: usize = 3000;

/// Where recorded lines are in a text, from 0. Both are numbers of lines.
///
/// Of all chains of equal lines that keep their order, this is the longest. Of several, it is the
/// one in which the fewest lines move against each other.
pub(super) fn moved(recorded: &BTreeMap<u64, u32>, text: &str) -> BTreeMap<u64, usize> {
    let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, line) in text.split('\n').enumerate() {
        let hash = short_hash(line.as_bytes().trim_ascii());
        places.entry(hash).or_default().push(at);
    }
    let places = |(&line, hash)| Some((line, places.get(hash)?));
    let pairs = recorded.range(1..).filter_map(places);
    let pairs = pairs.filter(|(_, places)| places.len() <= REPEATED);
    let pairs = pairs.flat_map(|(line, places)| places.iter().map(move |&at| (line, at)));
    let pairs: Vec<(u64, usize)> = pairs.take(PAIRS).collect();
    // For each pair, the best chain that ends with it: its length, how far its lines moved (below
    // zero), and the pair before.
    let mut best: Vec<(i64, i64, Option<Reverse<usize>>)> = Vec::new();
    for &(line, at) in &pairs {
        let shift = at as i64 - line as i64;
        let mut chain = (1, -(shift + 1).abs(), None);
        for (index, (&(above, place), before)) in pairs.iter().zip(&best).enumerate() {
            if above < line && place < at {
                let moves = (shift - (place as i64 - above as i64)).abs();
                chain = chain.max((before.0 + 1, before.1 - moves, Some(Reverse(index))));
            }
        }
        best.push(chain);
    }
    let mut last = (0..pairs.len()).max_by_key(|&index| best[index]);
    let mut moved = BTreeMap::new();
    while let Some(index) = last {
        moved.insert(pairs[index].0, pairs[index].1);
        last = best[index].2.map(|Reverse(before)| before);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the lines of one text went, from 1. Both texts have a letter a line.
    fn went(recorded: &str, text: &str) -> Vec<(u64, usize)> {
        let hash = |letter: char| short_hash(letter.to_string().as_bytes());
        let recorded = (0..).zip(recorded.chars().map(hash)).collect();
        let lines: Vec<String> = text.chars().map(String::from).collect();
        let moved = moved(&recorded, &lines.join("\n")).into_iter();
        moved.map(|(line, at)| (line, at + 1)).collect()
    }

    #[test]
    fn lines_keep_their_order_and_move_together() {
        // The first letter is the whole file, as line 0.
        for (recorded, text, want) in [
            ("-abc", "abc", &[(1, 1), (2, 2), (3, 3)][..]),
            ("-abc", "xxabc", &[(1, 3), (2, 4), (3, 5)]),
            ("-abc", "axc", &[(1, 1), (3, 3)]),
            ("-abc", "xyz", &[]),
            // `c` moved above the others.
            ("-abc", "cab", &[(1, 2), (2, 3)]),
            // One of two equal lines was removed, copied, or moved with its neighbour.
            ("-a}b}", "ab}", &[(1, 1), (3, 2), (4, 3)]),
            ("-a}b}", "xa}}b}", &[(1, 2), (2, 3), (3, 5), (4, 6)]),
            ("-}}", "xxx}x}", &[(1, 4), (2, 6)]),
            (
                "-a}cc}",
                "}a}cc}",
                &[(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)],
            ),
            // A far copy does not draw the lines between along.
            ("-x}abc", "xabcqqqqq}", &[(1, 1), (3, 2), (4, 3), (5, 4)]),
        ] {
            assert_eq!(went(recorded, text), want, "{recorded} {text}");
        }
    }

    #[test]
    fn white_space_at_the_ends_of_lines_does_not_matter() {
        let recorded = BTreeMap::from([(1, short_hash(b"a b"))]);
        assert_eq!(moved(&recorded, "\n\t a b \r\n"), BTreeMap::from([(1, 1)]));
        assert_eq!(moved(&recorded, "a  b"), BTreeMap::new());
    }

    #[test]
    fn lines_that_are_repeated_too_often_are_not_found() {
        for (count, found) in [(REPEATED, 1), (REPEATED + 1, 0)] {
            assert_eq!(went("-}", &"}".repeat(count)).len(), found, "{count}");
        }
    }
}
