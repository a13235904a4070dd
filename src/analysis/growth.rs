//! How a routine's cost grows with the size of its input, judged by the highest cost at each size.
//!
//! There are two answers. The *shape* is one of a few well-known functions, the one that describes
//! the costs best. Each is fitted as `a + b f(n)` by least squares. A shape with a slope must be
//! worth its second parameter by the Bayesian criterion; otherwise the cost is constant. The *power
//! law* `a + b n^c` has the exponent that is compared and limited. For every c, the best a and b
//! are a linear problem, so only c is searched (variable projection).
//!
//! Both need [`ENOUGH`] different sizes. A size of 0 counts as 1.

use crate::profile::{FunctionId, Order, Profile};
use std::collections::HashMap;

/// The number of different sizes that are needed to determine growth.
pub const ENOUGH: usize = 5;

/// The shapes of growth, slowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GrowthShape {
    /// Constant.
    Constant,
    /// log n
    Logarithmic,
    /// √n
    Root,
    /// n
    Linear,
    /// n log n
    Linearithmic,
    /// n²
    Quadratic,
    /// n² log n
    QuadraticLogarithmic,
    /// n³
    Cubic,
}

/// A shape, its name in reports, and its value at n.
type NamedShape = (GrowthShape, &'static str, fn(f64) -> f64);

/// All shapes, slowest first.
pub const SHAPES: [NamedShape; 8] = [
    (GrowthShape::Constant, "1", |_| 1.0),
    (GrowthShape::Logarithmic, "log n", f64::log2),
    (GrowthShape::Root, "sqrt n", f64::sqrt),
    (GrowthShape::Linear, "n", |n| n),
    (GrowthShape::Linearithmic, "n log n", |n| n * n.log2()),
    (GrowthShape::Quadratic, "n^2", |n| n * n),
    (GrowthShape::QuadraticLogarithmic, "n^2 log n", |n| {
        n * n * n.log2()
    }),
    (GrowthShape::Cubic, "n^3", |n| n * n * n),
];

impl GrowthShape {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        SHAPES[self as usize].1
    }

    /// Its value at `n`. Logarithms have base 2.
    pub fn at(self, n: f64) -> f64 {
        SHAPES[self as usize].2(n)
    }
}

/// `a + b f(n)`, and the fraction of the costs' variance that it explains.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fit {
    /// The function f.
    pub shape: GrowthShape,
    /// The parameter a.
    pub a: f64,
    /// The parameter b; 0 for a constant.
    pub b: f64,
    /// The explained fraction, from 0 to 1.
    pub r2: f64,
}

impl Fit {
    /// The predicted cost at a size.
    pub fn at(&self, n: f64) -> f64 {
        self.a + self.b * self.shape.at(n)
    }
}

/// `a + b n^c`, and the fraction of the costs' variance that it explains.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Power {
    /// The parameter a.
    pub a: f64,
    /// The parameter b.
    pub b: f64,
    /// The exponent c.
    pub c: f64,
    /// The explained fraction, from 0 to 1.
    pub r2: f64,
}

/// How one routine's cost grows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Growth {
    /// The best of the known shapes.
    pub fit: Fit,
    /// The power law.
    pub power: Power,
}

impl Growth {
    /// The growth of the highest cost by size; `None` with too few sizes.
    pub fn new(profile: &Profile, id: FunctionId) -> Option<Growth> {
        let points: Vec<(f64, f64)> = profile
            .sizes
            .as_ref()?
            .points(id)
            .map(|(size, point)| (size.max(1) as f64, point.worst()))
            .collect();
        Growth::of_points(&points)
    }

    /// The growth of costs by sizes of at least 1.
    pub fn of_points(points: &[(f64, f64)]) -> Option<Growth> {
        if points.len() < ENOUGH {
            return None;
        }
        Some(Growth {
            fit: best_shape(points),
            power: power(points),
        })
    }

    /// The exponent for comparisons and limits: that of the power law, or 0 if the cost does not
    /// grow or approaches a limit.
    pub fn exponent(&self) -> f64 {
        let grows = self.fit.shape != GrowthShape::Constant && self.power.b > 0.0;
        if grows { self.power.c.max(0.0) } else { 0.0 }
    }
}

/// A line fitted to transformed points, with the residual sum of squares.
struct FittedLine {
    a: f64,
    b: f64,
    rest: f64,
}

/// Fits `a + b x` by least squares. `None` if all x are equal.
fn line(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<FittedLine> {
    let n = points.clone().count() as f64;
    let (sum_x, sum_y) = points
        .clone()
        .fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (xx, xy) = points.clone().fold((0.0, 0.0), |(xx, xy), (x, y)| {
        (
            xx + (x - mean_x) * (x - mean_x),
            xy + (x - mean_x) * (y - mean_y),
        )
    });
    if xx <= 0.0 || !xx.is_finite() {
        return None;
    }
    let b = xy / xx;
    let rest = points
        .map(|(x, y)| (y - mean_y - b * (x - mean_x)).powi(2))
        .sum();
    Some(FittedLine {
        a: mean_y - b * mean_x,
        b,
        rest,
    })
}

/// The mean, and the sum of squares around it.
fn variation(points: &[(f64, f64)]) -> (f64, f64) {
    let mean = points.iter().map(|p| p.1).sum::<f64>() / points.len() as f64;
    (mean, points.iter().map(|p| (p.1 - mean).powi(2)).sum())
}

fn explained(rest: f64, all: f64) -> f64 {
    if all > 0.0 {
        (1.0 - rest / all).clamp(0.0, 1.0)
    } else {
        1.0
    }
}

fn best_shape(points: &[(f64, f64)]) -> Fit {
    let (mean, all) = variation(points);
    let constant = Fit {
        shape: GrowthShape::Constant,
        a: mean,
        b: 0.0,
        r2: explained(all, all),
    };
    let mut best: Option<(f64, Fit)> = None;
    // All but the constant.
    for &(shape, ..) in &SHAPES[1..] {
        let Some(line) = line(points.iter().map(|&(n, cost)| (shape.at(n), cost))) else {
            continue;
        };
        // None of these shapes describes a cost that falls as sizes grow.
        if line.b > 0.0 && best.is_none_or(|(rest, _)| line.rest < rest) {
            best = Some((
                line.rest,
                Fit {
                    shape,
                    a: line.a,
                    b: line.b,
                    r2: explained(line.rest, all),
                },
            ));
        }
    }
    // A slope must reduce the residual enough to be worth a second parameter: n ln(rest) + k ln n.
    let n = points.len() as f64;
    match best {
        Some((rest, fit))
            if all > 0.0 && n * (rest / all).max(f64::MIN_POSITIVE).ln() + n.ln() < 0.0 =>
        {
            fit
        }
        _ => constant,
    }
}

/// The range in which the exponent is searched.
const EXPONENTS: std::ops::RangeInclusive<f64> = -2.0..=6.0;

fn power(points: &[(f64, f64)]) -> Power {
    let (mean, all) = variation(points);
    let largest = points.iter().fold(1.0f64, |most, p| most.max(p.0));
    // Sizes relative to the largest keep the powers within the range of a float.
    let at = |c: f64| {
        line(
            points
                .iter()
                .map(|&(n, cost)| ((n / largest).powf(c), cost)),
        )
    };
    let rest = |c: f64| at(c).map_or(all, |line| line.rest);
    let flat = Power {
        a: mean,
        b: 0.0,
        c: 0.0,
        r2: explained(all, all),
    };
    if all <= 0.0 {
        return flat;
    }
    const STEP: f64 = 0.05;
    let steps = ((EXPONENTS.end() - EXPONENTS.start()) / STEP).round() as u32;
    let exponent = |step: u32| EXPONENTS.start() + STEP * f64::from(step);
    let best = (0..=steps)
        .min_by(|&a, &b| rest(exponent(a)).total_cmp(&rest(exponent(b))))
        .unwrap_or(0);
    let (mut low, mut high) = (
        exponent(best.saturating_sub(1)),
        exponent((best + 1).min(steps)),
    );
    // Golden section search: each step keeps 0.618 of the bracket.
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    for _ in 0..60 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if rest(left) <= rest(right) {
            high = right
        } else {
            low = left
        }
    }
    let middle = 0.5 * (low + high);
    // The grid includes the integer exponents, which are exact for costs that have one.
    let c = if rest(exponent(best)) <= rest(middle) {
        exponent(best)
    } else {
        middle
    };
    match at(c) {
        Some(line) => {
            let c = (c * 1e12).round() / 1e12;
            Power {
                a: line.a,
                b: line.b / largest.powf(c),
                c,
                r2: explained(line.rest, all),
            }
        }
        None => flat,
    }
}

/// The size at which half of the cost is reached, in percent of the way from the smallest size to
/// the largest. `None` with fewer than two sizes.
pub fn balance(profile: &Profile, id: FunctionId) -> Option<f64> {
    let points = profile.sizes.as_ref()?.points(id);
    let all: f64 = points.clone().map(|(_, point)| point.sum as f64).sum();
    let (least, most) = (points.clone().next()?.0, points.clone().last()?.0);
    if least == most {
        return None;
    }
    let mut so_far = 0.0;
    for (size, point) in points {
        so_far += point.sum as f64;
        if all - so_far <= so_far {
            return Some(100.0 * (size - least) as f64 / (most - least) as f64);
        }
    }
    None
}

/// A routine whose growth changed.
#[derive(Clone, PartialEq, Debug)]
pub struct GrowthChange {
    /// Its id in the old profile.
    pub old: FunctionId,
    /// Its id in the new profile.
    pub new: FunctionId,
    /// Its old growth.
    pub before: Growth,
    /// Its new growth.
    pub after: Growth,
}

/// Routines with the same name and image in both profiles whose shape of growth changed. Those that
/// got worse come first, by the rise of their exponents, then the others; ties by name.
pub fn compare(old: &Profile, new: &Profile) -> Vec<GrowthChange> {
    let mut changes = Vec::new();
    if old.sizes.is_none() || new.sizes.is_none() {
        return changes;
    }
    fn names(profile: &Profile, id: FunctionId) -> [&[u8]; 3] {
        let function = profile.function(id);
        [function.file, function.name, function.object].map(|name| profile.name(name))
    }
    let there: HashMap<_, FunctionId> = new.function_ids().map(|id| (names(new, id), id)).collect();
    for id in old.function_ids() {
        let Some(&there) = there.get(&names(old, id)) else {
            continue;
        };
        let (Some(before), Some(after)) = (Growth::new(old, id), Growth::new(new, there)) else {
            continue;
        };
        if before.fit.shape != after.fit.shape {
            changes.push(GrowthChange {
                old: id,
                new: there,
                before,
                after,
            });
        }
    }
    changes.order_by(|a, b| {
        let better = |c: &GrowthChange| c.after.fit.shape < c.before.fit.shape;
        let rise = |c: &GrowthChange| c.after.exponent() - c.before.exponent();
        let order = better(a)
            .cmp(&better(b))
            .then_with(|| rise(b).total_cmp(&rise(a)));
        order.then_with(|| old.sort_key(a.old).cmp(&old.sort_key(b.old)))
    });
    changes
}
