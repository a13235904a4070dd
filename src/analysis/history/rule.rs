//! The rule for steps in a series of costs, one a run.
//!
//! The last K runs of the present level tell how much costs vary: a run lies beyond them if it is above the greatest by
//! more than a margin, or below the least. The margin is half of what the K runs vary by, and no less than a 10,000th of
//! the median of what the program cost in these runs. P runs in a row that lie beyond, on one side, are a step: a new
//! level begins with the first of them, and nothing is tested before it has K runs. Meanwhile the K runs stay what they
//! were: compared with runs of which some are beyond already, even a cost that doubles is no step. A lone run that lies
//! beyond is a run of its level like any other.
//!
//! What moves slowly never makes a step. So the median of a level's last K runs is compared with that of its first K, by
//! the same margin: that is drift.
//!
//! All numbers are whole: medians are doubled, margins scaled.

use crate::profile::Order;
use std::ops::Range;

/// How many runs tell the noise, how many make a step, and what never matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// K: so many runs tell how much costs vary. At least 1.
    pub window: usize,
    /// P: so many runs in a row make a step. At least 1.
    pub confirm: usize,
    /// A change is no less than the total divided by this.
    pub share: i128,
}

impl Rule {
    /// What is used. `docs/trend.md` says how it was chosen.
    pub const USUAL: Rule = Rule { window: 10, confirm: 2, share: 10_000 };
}

/// Where a cost lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Where the runs before it were.
    Within,
    /// Above them by more than the margin.
    Above,
    /// Below them by more than the margin.
    Below,
}

/// Where costs lie that are nothing new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Band {
    /// The least of the runs that tell it.
    pub least: i128,
    /// The greatest.
    pub most: i128,
    /// Twice their median.
    pub twice_median: i128,
    /// The margin times `scale`.
    margin: i128,
    scale: i128,
}

impl Band {
    /// Without the median, which no test needs.
    fn edges(rule: &Rule, window: &[i128], twice_total: i128) -> Band {
        let least = window.iter().copied().min().unwrap_or(0);
        let most = window.iter().copied().max().unwrap_or(0);
        // Both halves of the margin over the common denominator 2 * share.
        let half_range = most.saturating_sub(least).saturating_mul(rule.share);
        let scale = rule.share.saturating_mul(2).max(1);
        Band { least, most, twice_median: 0, margin: half_range.max(twice_total), scale }
    }

    /// Where a cost lies.
    pub fn side(&self, value: i128) -> Side {
        let beyond = |by: i128| by.saturating_mul(self.scale) > self.margin;
        if beyond(value.saturating_sub(self.most)) {
            Side::Above
        } else if beyond(self.least.saturating_sub(value)) {
            Side::Below
        } else {
            Side::Within
        }
    }

    /// The greatest whole cost that does not lie above.
    pub fn ceiling(&self) -> i128 {
        self.most.saturating_add(self.margin.div_euclid(self.scale))
    }

    /// How much the runs vary.
    pub fn range(&self) -> i128 {
        self.most.saturating_sub(self.least)
    }
}

/// A series that begins to lie beyond its level, with too few runs to tell whether that is a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The first run that lies beyond.
    pub run: usize,
    /// On which side.
    pub side: Side,
}

/// A level whose cost moved without a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drift {
    /// Twice the median of its first K runs.
    pub twice_first: i128,
    /// Twice that of its last K.
    pub twice_last: i128,
}

/// What a series shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its levels, from the first run to the last that is accepted. Each but the first begins with a step.
    pub levels: Vec<Range<usize>>,
    /// For each level, its drift.
    pub drifts: Vec<Option<Drift>>,
    /// What could become a step.
    pub pending: Option<Pending>,
    /// Where the next run will lie if nothing changes; `None` if the last level has too few runs to tell.
    pub band: Option<Band>,
    /// How often a run was compared with those before it.
    pub tests: u64,
}

impl Found {
    /// Whether there is anything to tell.
    pub fn is_change(&self) -> bool {
        self.levels.len() > 1 || self.pending.is_some() || self.drifts.iter().any(Option::is_some)
    }

    /// The run with the lower median of the last runs, those that tell the noise; of several the latest.
    pub fn median_run(&self, rule: &Rule, values: &[i128]) -> usize {
        let level = self.levels.last().cloned().unwrap_or_default();
        let mut runs: Vec<usize> = (level.end.saturating_sub(rule.window).max(level.start)..level.end).collect();
        runs.order_by_key(|&run| (values[run], run));
        let middle = runs.get(runs.len().saturating_sub(1) / 2).map(|&run| values[run]);
        runs.into_iter().rev().find(|&run| Some(values[run]) == middle).unwrap_or(0)
    }

    /// How many runs the last level has.
    pub fn runs_of_last_level(&self) -> usize {
        self.levels.last().map_or(0, ExactSizeIterator::len)
    }
}

impl Rule {
    /// For each run, and for the one to come, twice the median of the totals of the K runs before it; 0 where there are
    /// too few.
    pub fn twice_totals(&self, totals: &[i128]) -> Vec<i128> {
        let before = |at: usize| at.checked_sub(self.window).map_or(0, |start| twice_median(&totals[start..at]));
        (0..=totals.len()).map(before).collect()
    }

    /// Finds the levels of a series. `twice_totals` is that of the same runs, by [`Rule::twice_totals`].
    pub fn judge(&self, values: &[i128], twice_totals: &[i128]) -> Found {
        let runs = values.len();
        let total = |at: usize| twice_totals.get(at).copied().unwrap_or(0);
        let window = |at: usize| &values[at - self.window..at];
        let edges = |at: usize| Band::edges(self, window(at), total(at));
        let band = |at: usize| Band { twice_median: twice_median(window(at)), ..edges(at) };
        let mut found = Found { levels: Vec::new(), drifts: Vec::new(), pending: None, band: None, tests: 0 };
        let (mut start, mut at) = (0, 0);
        while at < runs {
            if at - start < self.window {
                at += 1;
                continue;
            }
            found.tests += 1;
            let known = edges(at);
            let side = known.side(values[at]);
            let end = at.saturating_add(self.confirm).min(runs);
            if side == Side::Within || values[at..end].iter().any(|&value| known.side(value) != side) {
                at += 1;
            } else if end - at < self.confirm {
                found.pending = Some(Pending { run: at, side });
                break;
            } else {
                found.levels.push(start..at);
                start = at;
                at += 1;
            }
        }
        found.levels.push(start..at);
        let drift = |level: &Range<usize>| {
            let len = level.len();
            if len <= self.window {
                return None;
            }
            let twice_first = twice_median(&values[level.start..level.start + self.window]);
            let last = band(level.end);
            let moved = last.twice_median.saturating_sub(twice_first).saturating_abs();
            // Twice the difference, over half of the scale.
            let is_drift = moved.saturating_mul(last.scale / 2) > last.margin;
            is_drift.then_some(Drift { twice_first, twice_last: last.twice_median })
        };
        found.drifts = found.levels.iter().map(drift).collect();
        found.band = (at - start >= self.window).then(|| band(at));
        found
    }

    /// The run before which all runs of a level cost less than those from it on, or all cost more, if what parts them is more
    /// than half of what the level varies by: where a level that drifts did most of it at once.
    pub fn parting(values: &[i128], level: &Range<usize>) -> Option<usize> {
        let runs = values.get(level.clone())?;
        let range = |runs: &[i128]| Some((*runs.iter().min()?, *runs.iter().max()?));
        let (least, most) = range(runs)?;
        let half = most.saturating_sub(least) / 2;
        // From the last run on, the least and the greatest of it and all behind it.
        let behind = runs.iter().rev().scan((i128::MAX, i128::MIN), |(least, most), &value| {
            (*least, *most) = (value.min(*least), value.max(*most));
            Some((*least, *most))
        });
        let mut behind: Vec<(i128, i128)> = behind.collect();
        behind.reverse();
        let (mut least, mut most) = (i128::MAX, i128::MIN);
        for at in 1..runs.len() {
            (least, most) = (runs[at - 1].min(least), runs[at - 1].max(most));
            let (least_behind, most_behind) = behind[at];
            let apart = least_behind.saturating_sub(most).max(least.saturating_sub(most_behind));
            if apart > half {
                return Some(level.start + at);
            }
        }
        None
    }

    /// Twice the median of a level's first runs, as many as tell its noise, or all if there are fewer: what a step leads to.
    pub fn twice_first(&self, values: &[i128], level: &Range<usize>) -> i128 {
        twice_median(&values[level.start..level.end.min(level.start.saturating_add(self.window))])
    }

    /// Twice the median of its last runs: what the next step begins from.
    pub fn twice_last(&self, values: &[i128], level: &Range<usize>) -> i128 {
        twice_median(&values[level.end.saturating_sub(self.window).max(level.start)..level.end])
    }
}

/// Twice the median, which is whole whether the count is odd or even; 0 of nothing.
fn twice_median(values: &[i128]) -> i128 {
    let Some(&first) = values.first() else { return 0 };
    // Most functions cost the same in every run.
    if values.iter().all(|&value| value == first) {
        return first.saturating_mul(2);
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) / 2].saturating_add(sorted[sorted.len() / 2])
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a list of one level")]
mod tests {
    use super::*;

    const SMALL: Rule = Rule { window: 4, confirm: 2, share: 10_000 };

    fn judged(rule: &Rule, values: &[i128], total: i128) -> Found {
        rule.judge(values, &rule.twice_totals(&vec![total; values.len()]))
    }

    /// The rule as it is told in words, in fractions of no particular scale, run by run.
    fn told(rule: &Rule, values: &[i128], totals: &[i128]) -> (Vec<usize>, Option<usize>, Vec<bool>) {
        let median = |values: &[i128]| {
            let mut sorted: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            sorted.sort_by(f64::total_cmp);
            let half = sorted.len() / 2;
            if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
        };
        let k = rule.window;
        let margin = |at: usize| {
            let w: Vec<f64> = values[at - k..at].iter().map(|&value| value as f64).collect();
            let (least, most) = w.iter().fold((f64::MAX, f64::MIN), |(a, b), &value| (a.min(value), b.max(value)));
            let floor = median(&totals[at - k..at]) / rule.share as f64;
            (least, most, ((most - least) / 2.0).max(floor))
        };
        let mut accepted: Vec<Vec<usize>> = vec![Vec::new()];
        let (mut steps, mut pending, mut run) = (Vec::new(), None, 0);
        while run < values.len() {
            let level = accepted.last_mut().expect("a level");
            if level.len() >= k {
                let (least, most, m) = margin(run);
                let next: Vec<f64> = values[run..].iter().take(rule.confirm).map(|&value| value as f64).collect();
                let beyond = next.iter().all(|&value| value > most + m) || next.iter().all(|&value| value < least - m);
                if beyond && next.len() < rule.confirm {
                    pending = Some(run);
                    break;
                }
                if beyond {
                    steps.push(run);
                    accepted.push(vec![run]);
                    run += 1;
                    continue;
                }
            }
            level.push(run);
            run += 1;
        }
        let drifts = accepted.iter().map(|level| {
            let (Some(&first), Some(&last)) = (level.first(), level.last()) else { return false };
            level.len() > k && {
                let (_, _, m) = margin(last + 1);
                (median(&values[last + 1 - k..=last]) - median(&values[first..first + k])).abs() > m
            }
        });
        (steps, pending, drifts.collect())
    }

    #[test]
    fn the_rule_is_the_one_that_is_told() {
        let mut state = 7u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut steps, mut drifts, mut pendings) = (0, 0, 0);
        for round in 0..4000 {
            let rule = Rule { window: 1 + next(6) as usize, confirm: 1 + next(3) as usize, share: 4096 };
            let runs = next(60) as usize;
            let (mut level, slope) = (5000i128, next(4) as i128 * next(20) as i128);
            let noise = 1 + next(200);
            let values: Vec<i128> = (0..runs)
                .map(|_| {
                    level += slope + if next(15) == 0 { next(3000) as i128 - 1500 } else { 0 };
                    level + next(noise) as i128
                })
                .collect();
            // Totals whose shares are whole in twos, so that the twin's fractions are exact.
            let totals: Vec<i128> = (0..runs).map(|_| 4096 * (next(300) as i128)).collect();
            let found = rule.judge(&values, &rule.twice_totals(&totals));
            let (want, pending, drift) = told(&rule, &values, &totals);
            let got: Vec<usize> = found.levels[1..].iter().map(|level| level.start).collect();
            assert_eq!(got, want, "round {round}: {rule:?} {values:?}");
            assert_eq!(found.pending.map(|p| p.run), pending, "round {round}: {rule:?} {values:?}");
            let drifted: Vec<bool> = found.drifts.iter().map(Option::is_some).collect();
            assert_eq!(drifted, drift, "round {round}: {rule:?} {values:?}");
            steps += want.len();
            pendings += usize::from(pending.is_some());
            drifts += drift.iter().filter(|&&drift| drift).count();
        }
        assert!(steps > 1000 && drifts > 1000 && pendings > 100, "{steps} steps, {drifts} drifts, {pendings} pending");
    }

    #[test]
    fn a_step_takes_two_runs_on_one_side() {
        let level = |found: &Found| found.levels.clone();
        let found = judged(&SMALL, &[100, 104, 100, 104, 107, 107, 100], 1);
        // Beyond 104 + 2.
        assert_eq!(level(&found), [0..4, 4..7]);
        let alone = judged(&SMALL, &[100, 104, 100, 104, 107, 100, 100], 1);
        assert_eq!((level(&alone), alone.pending), (vec![0..7], None));
        let opposite = judged(&SMALL, &[100, 104, 100, 104, 110, 90, 100], 1);
        assert_eq!(level(&opposite), [0..7]);
        let last = judged(&SMALL, &[100, 104, 100, 104, 90], 1);
        assert_eq!(last.pending, Some(Pending { run: 4, side: Side::Below }));
        assert_eq!((level(&last), last.band.map(|b| b.ceiling())), (vec![0..4], Some(106)));
        // Exactly at the margin is within it.
        assert_eq!(level(&judged(&SMALL, &[100, 104, 100, 104, 106, 106, 106], 1)), [0..7]);
    }

    #[test]
    fn nothing_is_tested_before_the_noise_is_known() {
        let found = judged(&SMALL, &[1, 1000, 5], 1);
        assert_eq!((found.levels.clone(), found.tests, found.band), (vec![0..3], 0, None));
        // After a step, the next one needs four runs of the new level.
        let found = judged(&SMALL, &[10, 10, 10, 10, 50, 50, 90, 90, 40, 40, 40, 40], 1);
        assert_eq!(found.levels, [0..4, 4..12]);
        assert_eq!(judged(&SMALL, &[], 1).levels, [0..0]);
    }

    #[test]
    fn what_is_less_than_a_share_of_the_total_is_no_step() {
        let values = [100, 100, 100, 100, 110, 110, 110, 110];
        assert_eq!(judged(&SMALL, &values, 100_000).levels, [0..8]);
        assert_eq!(judged(&SMALL, &values, 99_999).levels, [0..4, 4..8]);
    }

    #[test]
    fn what_moves_slowly_is_drift() {
        let values: Vec<i128> = (0..200).map(|run| 100_000 + 50 * run).collect();
        let found = judged(&Rule::USUAL, &values, 1_000_000);
        assert_eq!(found.levels, [0..200]);
        assert_eq!(found.drifts, [Some(Drift { twice_first: 200_450, twice_last: 219_450 })]);
    }

    #[test]
    fn a_level_parts_where_one_run_did_most_of_it() {
        let parting = |values: &[i128]| Rule::parting(values, &(0..values.len()));
        assert_eq!(parting(&[50, 51, 50, 0, 0, 1, 0]), Some(3));
        assert_eq!(parting(&[0, 50, 52]), Some(1));
        // 10 of 19: more than half. 10 of 20 are not.
        assert_eq!(parting(&[1, 5, 15, 20]), Some(2));
        assert_eq!(parting(&[0, 5, 15, 20]), None);
        // A run that lies elsewhere parts nothing, and nothing that grows evenly parts.
        assert_eq!(parting(&[50, 50, 0, 50, 0, 0]), None);
        assert_eq!((parting(&[1, 2, 3, 4]), parting(&[7, 7]), parting(&[7]), parting(&[])), (None, None, None, None));
        assert_eq!(Rule::parting(&[9, 9, 1, 1, 5, 5], &(2..6)), Some(4));
    }

    #[test]
    fn numbers_at_their_limits_do_not_wrap() {
        assert_eq!(Rule::parting(&[i128::MIN, i128::MAX], &(0..2)), Some(1));
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        for values in [[least, most, least, most, most, most], [i128::MIN, i128::MAX, 0, i128::MIN, i128::MAX, 1]] {
            assert_eq!(judged(&SMALL, &values, i128::MAX).levels, [0..6]);
        }
    }
}
