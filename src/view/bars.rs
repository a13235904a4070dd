//! Draws the costs of many runs as bars.

use crate::analysis::history::TrendRow;

/// The costs of a row as at most `most` bars, each from 0 to `steps - 1`. Each bar is the mean of
/// its part of the runs. Bars start at zero, or at the lowest cost if that is negative.
pub fn bars(row: &TrendRow<'_>, most: usize, steps: u32) -> Vec<u32> {
    let runs = row.values.len();
    let count = runs.min(most);
    let mean = |nth: usize| {
        let part = &row.values[nth * runs / count..(nth + 1) * runs / count];
        part.iter().map(|&value| value as f64).sum::<f64>() / part.len() as f64
    };
    let means: Vec<f64> = (0..count).map(mean).collect();
    let least = means.iter().copied().fold(0.0, f64::min);
    let span = means.iter().copied().fold(0.0, f64::max) - least;
    let level = |mean: f64| ((mean - least) / span * f64::from(steps)) as u32;
    means
        .into_iter()
        .map(|mean| level(mean).min(steps.saturating_sub(1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::history::Who;

    fn heights(values: &[i128], most: usize) -> Vec<u32> {
        let who = Who {
            name: b"f",
            file: b"",
            object: b"",
            members: 1,
        };
        let row = TrendRow {
            at: None,
            who,
            values: values.to_vec(),
            noise: None,
            level: 0,
            changes: Vec::new(),
        };
        bars(&row, most, 8)
    }

    #[test]
    fn bars_begin_at_zero() {
        assert_eq!(heights(&[100, 100, 200, 200], 24), [4, 4, 7, 7]);
        assert_eq!(heights(&[184_300, 304_500], 24), [4, 7]);
        assert_eq!(heights(&[0, 100, 101, 99], 24), [0, 7, 7, 7]);
        assert_eq!(heights(&[1, 1, 3, 3, 9, 9], 3), [0, 2, 7]);
        assert_eq!(heights(&[-100, 0, 100], 24), [0, 4, 7]);
        assert_eq!(heights(&[5, 5], 24), [7, 7]);
        assert_eq!(heights(&[0, 0], 24), [0, 0]);
        assert_eq!(heights(&[], 24), [0u32; 0]);
    }
}
