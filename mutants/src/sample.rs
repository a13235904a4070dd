//! Samples: drawn by a seed, spread over all folders, and in each folder over all kinds.

use crate::mutant::Mutant;
use std::collections::BTreeMap;

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }
}

/// How many of each folder a sample has: some of each, and more of the large ones.
pub fn quotas(mutants: &[Mutant], count: usize) -> BTreeMap<String, usize> {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for mutant in mutants {
        *sizes.entry(mutant.folder().to_owned()).or_default() += 1;
    }
    let each = (count / (2 * sizes.len().max(1))).max(1);
    let rest = count.saturating_sub(each * sizes.len());
    let all = mutants.len().max(1);
    let mut quotas: BTreeMap<String, usize> = sizes
        .iter()
        .map(|(folder, size)| (folder.clone(), each + rest * size / all))
        .collect();
    // What rounding left is for the largest.
    let left = count.saturating_sub(quotas.values().sum());
    let mut largest: Vec<&String> = sizes.keys().collect();
    largest.sort_by_key(|folder| std::cmp::Reverse(sizes[*folder]));
    for folder in largest.into_iter().cycle().take(left) {
        *quotas.entry(folder.clone()).or_default() += 1;
    }
    quotas
}

/// Mutants of each folder in the order in which they are drawn: kinds take turns.
pub fn drawn(mutants: Vec<Mutant>, seed: u64) -> BTreeMap<String, Vec<Mutant>> {
    let mut random = Random(seed);
    let mut by_folder: BTreeMap<String, BTreeMap<&'static str, Vec<Mutant>>> = BTreeMap::new();
    for mutant in mutants {
        by_folder
            .entry(mutant.folder().to_owned())
            .or_default()
            .entry(mutant.kind)
            .or_default()
            .push(mutant);
    }
    let mut all = BTreeMap::new();
    for (folder, mut kinds) in by_folder {
        let mut order = Vec::new();
        while !kinds.is_empty() {
            for of_kind in kinds.values_mut() {
                let at = random.below(of_kind.len());
                order.push(of_kind.swap_remove(at));
            }
            kinds.retain(|_, of_kind| !of_kind.is_empty());
        }
        all.insert(folder, order);
    }
    all
}
