//! The rule for steps in a series of costs, one per run.
//!
//! A step separates two levels. The rule compares the runs before it, back to the previous step,
//! with those after it, up to the next step. On each side, at least P and at most K runs count. The
//! gap between the two sides must be larger than a 10,000th of the program's cost. It must also be
//! larger than the variation of either side times a factor that falls with the number of runs N:
//! (11.5 / (N - 2)) to the power of 1.5. The factor is 4.9 for three runs on each side, 1.1 for
//! thirteen runs in total, and 0.5 for twenty. Costs that never vary only need the gap.
//!
//! A single outlier does not hide a step: with six or more runs on a side, the farthest one may be
//! omitted. Then N is lower by two. If that run is between the two sides, its side varies by at
//! least half of the run's distance from that side. So costs that go back and forth make no step.
//!
//! If fewer than P runs at either end of the series are separate in this way, they may become a
//! step: it is unconfirmed.
//!
//! A slow change never makes a step. So the median of a level's last K runs is compared with that
//! of its first K: this is drift. The last K runs of a level also determine its noise. It is the
//! range of their costs with a margin. The margin is half of the range, but at least a 10,000th of
//! the median of the program's cost in these runs.
//!
//! For whoever changes this: `benches/steps.rs` measures how often the rule is wrong. Measure
//! before and after.

use crate::profile::Order;
use std::ops::{Range, RangeInclusive};

/// The parameters: how many runs determine noise, how many make a step, and which change never
/// matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// K: at most this many runs on each side of a step are compared, and this many determine
    /// noise. At least 1.
    pub window: usize,
    /// P: a step has at least this many runs on each side. At least 1.
    pub confirm: usize,
    /// A change is at least the total divided by this.
    pub share: i128,
}

/// The constant of the factor: with more runs, a gap may be smaller in proportion to the variation.
const FACTOR: f64 = 11.5;

/// With at least this many runs, one may be omitted.
const WITH_OUTLIER: usize = 6;

impl Rule {
    /// The parameters in use. `docs/trend.md` describes how often they are wrong.
    pub const USUAL: Rule = Rule {
        window: 10,
        confirm: 3,
        share: 10_000,
    };
}

/// The range of costs that are not a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Band {
    /// The lowest of the runs that determine it.
    pub least: i128,
    /// The highest of these runs.
    pub most: i128,
    /// Twice their median.
    pub twice_median: i128,
    /// The margin times `scale`.
    margin: i128,
    scale: i128,
}

impl Band {
    fn new(rule: &Rule, window: &[i128], twice_total: i128) -> Band {
        let least = window.iter().copied().min().unwrap_or(0);
        let most = window.iter().copied().max().unwrap_or(0);
        // Both parts of the margin over the common denominator 2 * share.
        let half_range = most.saturating_sub(least).saturating_mul(rule.share);
        let scale = rule.share.saturating_mul(2).max(1);
        Band {
            least,
            most,
            twice_median: twice_median(window),
            margin: half_range.max(twice_total),
            scale,
        }
    }

    /// The highest integer cost that is not above the range.
    pub fn ceiling(&self) -> i128 {
        self.most.saturating_add(self.margin.div_euclid(self.scale))
    }

    /// How much its runs vary as a fraction of their median; `None` if that is 0.
    pub fn share(&self) -> Option<f64> {
        let range = self.most.saturating_sub(self.least);
        (self.twice_median != 0).then(|| range as f64 * 2.0 / (self.twice_median as f64).abs())
    }
}

/// The levels of a series.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesLevels {
    /// The levels. Each except the first begins with a step. The first and the last may have fewer
    /// runs than a step needs; that step is then unconfirmed.
    pub levels: Vec<Range<usize>>,
    /// For each level whose cost moved without a step, twice the medians of its first and its last
    /// K runs.
    pub drifts: Vec<Option<[i128; 2]>>,
    /// The range of the next run if nothing changes; `None` if the last confirmed level has too few
    /// runs.
    pub band: Option<Band>,
}

/// A change of level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelStep {
    /// The first run of the new level.
    pub run: usize,
    /// Whether there are enough runs on both sides.
    pub is_confirmed: bool,
    /// Twice the medians of the last runs before it and the first runs after it.
    pub twice: [i128; 2],
}

impl SeriesLevels {
    /// Whether there is any step or drift.
    pub fn is_change(&self) -> bool {
        self.levels.len() > 1 || self.drifts.iter().any(Option::is_some)
    }

    /// The last level with enough runs for a step.
    pub fn last_level(&self, rule: &Rule) -> Range<usize> {
        let is_confirmed = |level: &&Range<usize>| level.len() >= rule.confirm;
        self.levels
            .iter()
            .rfind(is_confirmed)
            .or(self.levels.last())
            .cloned()
            .unwrap_or_default()
    }

    /// The run with the lower median of the last runs, which determine noise; of several, the
    /// latest.
    pub fn median_run(&self, rule: &Rule, values: &[i128]) -> usize {
        let level = self.last_level(rule);
        let mut runs: Vec<usize> =
            (level.end.saturating_sub(rule.window).max(level.start)..level.end).collect();
        runs.order_by_key(|&run| (values[run], run));
        let middle = runs
            .get(runs.len().saturating_sub(1) / 2)
            .map(|&run| values[run]);
        runs.into_iter()
            .rev()
            .find(|&run| Some(values[run]) == middle)
            .unwrap_or(0)
    }

    /// The steps, in order.
    pub fn steps(&self, rule: &Rule, values: &[i128]) -> impl Iterator<Item = LevelStep> {
        self.levels.windows(2).map(|pair| {
            let [before, after] = [&pair[0], &pair[1]];
            LevelStep {
                run: after.start,
                is_confirmed: before.len().min(after.len()) >= rule.confirm,
                twice: [
                    &values[before.end.saturating_sub(rule.window).max(before.start)..before.end],
                    &values[after.start..after.end.min(after.start.saturating_add(rule.window))],
                ]
                .map(twice_median),
            }
        })
    }
}

impl Rule {
    /// The lowest number of runs in which a step can be found.
    pub fn least_runs(&self) -> usize {
        self.confirm.saturating_mul(2)
    }

    /// Twice the median of the totals of the K previous runs, for each run and for the next one.
    /// With fewer runs, it uses all of them.
    pub fn twice_totals(&self, totals: &[i128]) -> Vec<i128> {
        (0..=totals.len())
            .map(|at| twice_median(&totals[at.saturating_sub(self.window)..at]))
            .collect()
    }

    /// Finds the levels of a series. `twice_totals` is the result of [`Rule::twice_totals`] for the
    /// same runs.
    pub fn judge(&self, values: &[i128], twice_totals: &[i128]) -> SeriesLevels {
        let (runs, confirm) = (values.len(), self.confirm.max(1));
        let total = |at: usize| twice_totals.get(at).copied().unwrap_or(0);
        let is_step = |start: usize, at: usize, end: usize| {
            let start = start.max(at.saturating_sub(self.window));
            let end = end.min(at.saturating_add(self.window));
            self.is_step(&values[start..at], &values[at..end], total(at))
        };
        let (mut cuts, mut start, mut at) = (Vec::new(), 0, confirm);
        while at + confirm <= runs {
            let ends = at + confirm..=runs.min(at.saturating_add(self.window.max(confirm)));
            if ends.into_iter().any(|end| is_step(start, at, end)) {
                cuts.push(at);
                (start, at) = (at, at + confirm);
            } else {
                at += 1;
            }
        }
        // A step is dropped if its level continues elsewhere than it began. The level before it is
        // then longer, so the step before is judged again.
        let mut starts = vec![0];
        for (nth, &cut) in cuts.iter().enumerate() {
            let end = cuts.get(nth + 1).copied().unwrap_or(runs);
            starts.push(cut);
            while let [.., start, at] = starts[..]
                && !is_step(start, at, end)
            {
                starts.pop();
            }
        }
        if runs >= self.least_runs() {
            let start = starts.last().copied().unwrap_or(0);
            let mut few = (start + confirm).max(runs + 1 - confirm)..runs;
            starts.extend(few.find(|&at| is_step(start, at, runs)));
            let end = starts.get(1).copied().unwrap_or(runs);
            let first = (1..confirm).find(|&at| at + confirm <= end && is_step(0, at, end));
            first.into_iter().for_each(|at| starts.insert(1, at));
        }
        let ends = starts.iter().skip(1).copied().chain([runs]);
        let levels: Vec<Range<usize>> = starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| start..end)
            .collect();
        let band = |level: &Range<usize>| self.band(&values[level.clone()], total(level.end));
        let drift = |level: &Range<usize>| {
            let last = band(level).filter(|_| level.len() > self.window)?;
            let twice_first = twice_median(&values[level.start..level.start + self.window]);
            let moved = last
                .twice_median
                .saturating_sub(twice_first)
                .saturating_abs();
            // Twice the difference, over half of the scale.
            let is_drift = moved.saturating_mul(last.scale / 2) > last.margin;
            is_drift.then_some([twice_first, last.twice_median])
        };
        let mut found = SeriesLevels {
            drifts: levels.iter().map(drift).collect(),
            levels,
            band: None,
        };
        found.band = band(&found.last_level(self));
        found
    }

    /// The range of the last K of these runs; `None` if there are fewer.
    pub fn band(&self, values: &[i128], twice_total: i128) -> Option<Band> {
        let start = values.len().checked_sub(self.window)?;
        Some(Band::new(self, &values[start..], twice_total))
    }

    /// Whether two sides are separate.
    fn is_step(&self, before: &[i128], after: &[i128], twice_total: i128) -> bool {
        let (Some(&last), Some(&first)) = (before.last(), after.first()) else {
            return false;
        };
        let is_enough =
            |gap: i128| gap > 0 && gap.saturating_mul(self.share.saturating_mul(2)) > twice_total;
        // No gap is larger than the one between the runs at the step.
        if !is_enough(i128::try_from(first.abs_diff(last)).unwrap_or(i128::MAX)) {
            return false;
        }
        [false, true].into_iter().any(|without_outlier| {
            let [before, after] = [before, after].map(|runs| StepSide::new(runs, without_outlier));
            let gap = after
                .least
                .saturating_sub(before.most)
                .max(before.least.saturating_sub(after.most));
            let is_inside = before.has(last) && after.has(first);
            let factor = FACTOR / (before.runs + after.runs).saturating_sub(2).max(1) as f64;
            let hull = before.least.min(after.least)..=before.most.max(after.most);
            let varies = before.twice_varies(&hull).max(after.twice_varies(&hull)) as f64;
            is_inside && is_enough(gap) && gap as f64 * 2.0 > varies * factor * factor.sqrt()
        })
    }
}

/// The runs on one side of a step.
struct StepSide {
    least: i128,
    most: i128,
    /// The run that was omitted.
    outlier: Option<i128>,
    /// The number of runs for the factor.
    runs: usize,
}

impl StepSide {
    /// One side, of at least one run.
    fn new(runs: &[i128], without_outlier: bool) -> StepSide {
        let mut sorted = runs.to_vec();
        sorted.sort_unstable();
        let last = sorted.len() - 1;
        let (mut low, mut high) = (0, last);
        if without_outlier && sorted.len() >= WITH_OUTLIER {
            let [below, above] = [1, last].map(|at| sorted[at].saturating_sub(sorted[at - 1]));
            if below > above {
                low = 1
            } else {
                high = last - 1
            }
        }
        let outlier = if low > 0 {
            Some(sorted[0])
        } else {
            sorted.get(high + 1).copied()
        };
        let runs = sorted.len() - 2 * (low + last - high);
        StepSide {
            least: sorted[low],
            most: sorted[high],
            outlier,
            runs,
        }
    }

    /// Twice the variation of the runs; `hull` is the range of both sides.
    fn twice_varies(&self, hull: &RangeInclusive<i128>) -> i128 {
        let outside = |value: i128| {
            self.least
                .saturating_sub(value)
                .max(value.saturating_sub(self.most))
        };
        let outside = self
            .outlier
            .filter(|value| hull.contains(value))
            .map_or(0, outside);
        self.most
            .saturating_sub(self.least)
            .saturating_mul(2)
            .max(outside)
    }

    fn has(&self, value: i128) -> bool {
        (self.least..=self.most).contains(&value)
    }
}

/// Twice the median, which is an integer for odd and even counts; 0 without values.
fn twice_median(values: &[i128]) -> i128 {
    let Some(&first) = values.first() else {
        return 0;
    };
    // Most functions cost the same in every run.
    if values.iter().all(|&value| value == first) {
        return first.saturating_mul(2);
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) / 2].saturating_add(sorted[sorted.len() / 2])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::single_range_in_vec_init, reason = "a list of one level")]

    use super::*;

    fn judged(values: &[i128], total: i128) -> SeriesLevels {
        Rule::USUAL.judge(
            values,
            &Rule::USUAL.twice_totals(&vec![total; values.len()]),
        )
    }

    /// A 10,000th of it, the smallest gap of a step, is 0.5.
    const TOTAL: i128 = 5_000;

    /// The runs of confirmed steps, and those of unconfirmed steps.
    fn steps(values: &[i128]) -> [Vec<usize>; 2] {
        let found = judged(values, TOTAL);
        [true, false].map(|is_confirmed| {
            let steps = found
                .steps(&Rule::USUAL, values)
                .filter(|step| step.is_confirmed == is_confirmed);
            steps.map(|step| step.run).collect()
        })
    }

    /// A series with this number of runs of each cost.
    fn series(parts: &[(usize, i128)]) -> Vec<i128> {
        parts
            .iter()
            .flat_map(|&(runs, cost)| std::iter::repeat_n(cost, runs))
            .collect()
    }

    const NONE: [Vec<usize>; 2] = [vec![], vec![]];

    /// Numbers that look random.
    struct Random(u64);

    impl Random {
        fn next(&mut self, below: u64) -> i128 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i128::from((self.0 >> 33) % below)
        }
    }

    #[test]
    fn every_step_is_found_at_its_run() {
        let mut random = Random(1);
        for runs in 6..=44 {
            for at in 1..runs {
                for noise in [1, 14, 600] {
                    let cost = |run: usize| if run >= at { 180_249 } else { 60_083 };
                    let values: Vec<i128> = (0..runs)
                        .map(|run| cost(run) + random.next(noise))
                        .collect();
                    let backwards: Vec<i128> = values.iter().rev().copied().collect();
                    for (values, at) in [(values, at), (backwards, runs - at)] {
                        let [confirmed, few] = steps(&values);
                        let [found, other] = if at.min(runs - at) >= 3 {
                            [confirmed, few]
                        } else {
                            [few, confirmed]
                        };
                        assert!(found.contains(&at), "step at {at}: {values:?}");
                        // Noise can begin a step by chance.
                        assert!(
                            noise > 1 || (found.len(), other.len()) == (1, 0),
                            "step at {at}: {values:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn several_steps_are_several() {
        for (parts, want) in [
            (&[(3, 100), (3, 300), (3, 200)][..], vec![3, 6]),
            (&[(10, 100), (3, 300), (10, 100)], vec![10, 13]),
            (&[(20, 100), (5, 300), (12, 100)], vec![20, 25]),
            (&[(4, 0), (4, 700)], vec![4]),
            (&[(5, 700), (3, 0)], vec![5]),
            (&[(8, 0), (4, 9), (8, 0)], vec![8, 12]),
            (&[(3, 1), (3, 2), (3, 3), (3, 4), (3, 5)], vec![3, 6, 9, 12]),
            // One or two runs are not a step.
            (&[(6, 100), (1, 500), (6, 100)], vec![]),
            (&[(10, 100), (2, 500), (10, 100)], vec![]),
            // They hide no step either.
            (&[(6, 100), (1, 500), (3, 100), (8, 300)], vec![10]),
            (&[(3, 100), (1, 9000), (2, 100), (6, 300)], vec![6]),
            (&[(9, 100), (5, 300), (1, 0), (6, 300)], vec![9]),
            (&[(9, 100), (4, 300), (1, 100), (6, 300)], vec![9]),
        ] {
            assert_eq!(steps(&series(parts)), [want, vec![]], "{parts:?}");
        }
        assert_eq!(
            steps(&series(&[(1, 3), (8, 9), (2, 5)])),
            [vec![], vec![1, 9]]
        );
        assert_eq!(steps(&series(&[(2, 500), (10, 100)])), [vec![], vec![2]]);
    }

    #[test]
    fn what_varies_is_no_step() {
        assert_eq!(steps(&[100, 140, 120, 150, 190, 170]), NONE);
        // From the fourth run on it looks like a step, until the costs return.
        assert_eq!(steps(&[1, 1, 1, 2, 2, 2, 1, 2, 1, 1, 2, 1, 2, 2]), NONE);
        // Growth, linear and exponential.
        assert_eq!(
            steps(&(0..60).map(|run| 1000 + 10 * run).collect::<Vec<_>>()),
            NONE
        );
        assert_eq!(
            steps(&(0..60).map(|run| 1 << run).collect::<Vec<_>>()),
            NONE
        );
        // Too few runs for anything.
        assert_eq!(steps(&[1, 1, 1000, 1000, 1000]), NONE);
        assert_eq!(judged(&[], 1).levels, [0..0]);
    }

    /// The factors in the documentation: 4.9 and 0.5.
    #[test]
    fn the_gap_is_in_proportion_to_what_costs_vary_by() {
        let is_found = |each: usize, gap: i128| {
            let side = |least: i128| (0..each as i128).map(move |run| least + run % 2 * 1000);
            steps(&side(0).chain(side(1000 + gap)).collect::<Vec<_>>())[0] == [each]
        };
        // (11.5 / 4) to the power of 1.5 is 4.875; for (11.5 / 18), it is 0.5107.
        assert_eq!([is_found(3, 4_874), is_found(3, 4_875)], [false, true]);
        assert_eq!([is_found(10, 510), is_found(10, 511)], [false, true]);
        assert_eq!([is_found(30, 510), is_found(30, 511)], [false, true]);
    }

    #[test]
    fn what_is_less_than_a_share_of_the_total_is_no_step() {
        let values = series(&[(4, 100), (4, 110)]);
        assert_eq!(judged(&values, 100_000).levels, [0..8]);
        assert_eq!(judged(&values, 99_999).levels, [0..4, 4..8]);
    }

    #[test]
    fn the_last_runs_of_a_level_tell_its_noise() {
        let found = judged(&series(&[(10, 100), (5, 104), (5, 100)]), 10_000);
        assert_eq!(
            found
                .band
                .map(|band| (band.least, band.most, band.ceiling())),
            None
        );
        let found = judged(
            &[100, 104, 100, 104, 100, 104, 100, 104, 100, 104, 400],
            10_000,
        );
        assert_eq!(
            (found.levels.clone(), found.last_level(&Rule::USUAL)),
            (vec![0..10, 10..11], 0..10)
        );
        assert_eq!(
            found
                .band
                .map(|band| (band.least, band.most, band.ceiling())),
            Some((100, 104, 106))
        );
        let found = judged(&[400, 400, 400, 100, 100, 100], 10_000);
        assert_eq!((found.band, found.last_level(&Rule::USUAL)), (None, 3..6));
    }

    #[test]
    fn what_moves_slowly_is_drift() {
        let values: Vec<i128> = (0..200).map(|run| 100_000 + 50 * run).collect();
        let found = judged(&values, 1_000_000);
        assert_eq!(found.levels, [0..200]);
        assert_eq!(found.drifts, [Some([200_450, 219_450])]);
    }

    #[test]
    fn numbers_at_their_limits_do_not_wrap() {
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        for [least, most] in [[least, most], [i128::MIN, i128::MAX]] {
            assert_eq!(
                judged(&[least, most, least, most, most, most], i128::MAX).levels,
                [0..6]
            );
            assert_eq!(
                judged(&[least, least, least, most, most, most], 1).levels,
                [0..3, 3..6]
            );
        }
    }
}
