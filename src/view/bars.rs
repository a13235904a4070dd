//! The costs of many runs as bars.

use crate::analysis::history::TrendRow;

/// The costs of a row as bars: so many at most, each from 0 to `steps - 1`, each the mean of as many runs as come to it. What
/// is no more than noise looks flat.
pub fn bars(row: &TrendRow<'_>, most: usize, steps: u32) -> Vec<u32> {
    let runs = row.values.len();
    let count = runs.min(most);
    let mean = |nth: usize| {
        let part = &row.values[nth * runs / count..(nth + 1) * runs / count];
        part.iter().map(|&value| value as f64).sum::<f64>() / part.len() as f64
    };
    let means: Vec<f64> = (0..count).map(mean).collect();
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Within noise, all are in the lowest step or two.
    let noise = row.noise.map_or(0.0, |noise| noise.most.saturating_sub(noise.least) as f64);
    let span = (greatest - least).max(noise * f64::from(steps) / 2.0).max(1.0);
    let level = |mean: f64| (((mean - least) / span) * f64::from(steps)) as u32;
    means.into_iter().map(|mean| level(mean).min(steps.saturating_sub(1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::history::{Noise, Who};

    fn of(values: &[i128], noise: Option<(i128, i128)>, most: usize) -> Vec<u32> {
        let who = Who { name: b"f", file: b"", object: b"", members: 1 };
        let noise = noise.map(|(least, most)| Noise { least, most, twice_median: least + most });
        let row = TrendRow { at: None, who, values: values.to_vec(), noise, level: 0, changes: Vec::new() };
        bars(&row, most, 8)
    }

    #[test]
    fn bars_show_what_is_more_than_noise() {
        assert_eq!(of(&[100, 100, 200, 200], None, 24), [0, 0, 7, 7]);
        assert_eq!(of(&[100, 100, 150, 200, 200], None, 24), [0, 0, 4, 7, 7]);
        assert_eq!(of(&[100, 101, 102, 103, 104], Some((100, 104)), 24), [0, 0, 1, 1, 2]);
        assert_eq!(of(&[1, 1, 3, 3, 9, 9], None, 3), [0, 2, 7]);
        assert_eq!(of(&[5, 5], None, 24), [0, 0]);
        assert_eq!(of(&[], None, 24), [0u32; 0]);
    }
}
