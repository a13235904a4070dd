//! Routines with costs by input size: a table of them, the details of one, and their calling
//! contexts.

use super::{
    Cost, Growth, Inclusive, Label, Rest, Selection,
    cut::ranked,
    growth::{GrowthShape, balance},
};
use crate::profile::{
    Context, Event, FunctionId, Order, Profile,
    sizes::{InputOrigins, Point, SizeMetric},
};
use regex::bytes::Regex;
use std::{cmp::Reverse, collections::HashSet};

/// A row of the table.
pub struct Routine<'a> {
    /// Its name.
    pub label: Label<'a>,
    /// Its self cost, if the file has it.
    pub self_cost: Option<i64>,
    /// Its inclusive cost.
    pub inclusive: i64,
    /// The number of activations.
    pub calls: u64,
    /// The number of different input sizes.
    pub sizes: usize,
    /// The smallest and largest input size.
    pub range: Option<(u64, u64)>,
    /// How its highest cost grows; `None` with too few sizes.
    pub growth: Option<Growth>,
    /// How much of its input came from outside, if the file has it.
    pub outside: Option<OutsideShares>,
}

/// The fractions of all input that came from outside, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OutsideShares {
    /// From the system.
    pub system: f64,
    /// From other threads.
    pub threads: f64,
}

/// A row of the tree of calling contexts.
pub struct ContextRow<'a> {
    /// The context.
    pub context: &'a Context,
    /// Its routine.
    pub label: Label<'a>,
    /// The self cost in this context.
    pub self_cost: i64,
    /// The inclusive cost in this context.
    pub inclusive: i64,
}

/// The table.
pub struct Routines<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// How input sizes are measured.
    pub metric: SizeMetric,
    /// The bytes of a cell of input.
    pub cell: Option<u64>,
    /// The version of the format.
    pub version: u64,
    /// The base of all percentages.
    pub total: i64,
    /// Whether self costs were recorded.
    pub has_self: bool,
    /// The number of all activations.
    pub total_calls: u64,
    /// The number of routines, with those that are not listed.
    pub count: usize,
    /// The routines that are listed.
    pub rows: Vec<Routine<'a>>,
    /// The routines that are not listed, by self cost if it was recorded.
    pub rest: Rest,
    /// The activations of the routines that are not listed.
    pub calls_left_out: u64,
    /// The contexts that cost at least what the threshold leaves, callers before callees. Empty if
    /// they were not recorded.
    pub contexts: Vec<ContextRow<'a>>,
}

impl<'a> Routines<'a> {
    /// The routines in order, as far as the selection's thresholds allow. Without recorded self
    /// costs, inclusive cost decides.
    pub fn new(profile: &'a Profile, selection: &Selection, by: Cost) -> Option<Routines<'a>> {
        let sizes = profile.sizes.as_ref()?;
        let inclusive = Inclusive::new(profile);
        let has_self = profile
            .function_ids()
            .any(|id| !profile.self_cost(id).is_empty());
        let order = (by == Cost::Inclusive || !has_self).then_some(&inclusive);
        let all: Vec<FunctionId> = profile.function_ids().collect();
        let listed = ranked(profile, selection, order, all.clone(), 1);
        let is_listed: HashSet<FunctionId> = listed.iter().copied().collect();
        let left_out: Vec<FunctionId> = all
            .iter()
            .copied()
            .filter(|id| !is_listed.contains(id))
            .collect();
        let own = |&id: &FunctionId| profile.self_cost(id);
        let rest = if has_self {
            Rest::beside(
                profile,
                listed.iter().map(own),
                left_out.len(),
                left_out.iter().map(own),
            )
        } else {
            Rest::counted(left_out.len())
        };
        let first = |row: &[i64]| profile.events.count(row, Event::Recorded(0));
        let total = first(&profile.totals.row).unwrap_or(0);
        let calls = |ids: &[FunctionId]| {
            ids.iter()
                .map(|&id| inclusive.called(id))
                .fold(0, u64::saturating_add)
        };
        Some(Routines {
            profile,
            metric: sizes.metric,
            cell: sizes.cell,
            version: sizes.version,
            total,
            has_self,
            total_calls: calls(&all),
            count: all.len(),
            rows: listed
                .into_iter()
                .map(|id| Routine::new(profile, &inclusive, id))
                .collect(),
            rest,
            calls_left_out: calls(&left_out),
            contexts: contexts(profile, selection, total),
        })
    }
}

impl<'a> Routine<'a> {
    fn new(profile: &'a Profile, inclusive: &Inclusive, id: FunctionId) -> Routine<'a> {
        let first = |row: &[i64]| profile.events.count(row, Event::Recorded(0));
        let points = || profile.sizes.iter().flat_map(|sizes| sizes.points(id));
        let range = points()
            .next()
            .zip(points().last())
            .map(|((least, _), (most, _))| (least, most));
        Routine {
            label: Label::new(profile, id),
            self_cost: first(profile.self_cost(id)),
            inclusive: first(inclusive.cost(id)).unwrap_or(0),
            calls: inclusive.called(id),
            sizes: points().count(),
            range,
            growth: Growth::new(profile, id),
            outside: outside(points()),
        }
    }
}

fn outside<'p>(points: impl Iterator<Item = (u64, &'p Point)>) -> Option<OutsideShares> {
    let (mut input, mut from) = (0.0, InputOrigins::default());
    let mut count = 0;
    for (size, point) in points {
        count += 1;
        let outside = point.outside?;
        input += size as f64 * point.calls as f64;
        from.system = from.system.saturating_add(outside.system);
        from.threads = from.threads.saturating_add(outside.threads);
    }
    if count == 0 {
        return None;
    }
    let share = |part: u64| {
        if input > 0.0 {
            part as f64 / input
        } else {
            0.0
        }
    };
    Some(OutsideShares {
        system: share(from.system),
        threads: share(from.threads),
    })
}

/// The contexts with at least the percentage of the total that the threshold leaves. Their callers
/// have at least as much.
fn contexts<'a>(profile: &'a Profile, selection: &Selection, total: i64) -> Vec<ContextRow<'a>> {
    let Some(tree) = &profile.tree else {
        return Vec::new();
    };
    let first = |row: &[i64]| profile.events.counted(row, Event::Recorded(0));
    let percent = selection.thresholds.first().map_or(100.0, |t| t.percent);
    let least = total as f64 * (100.0 - percent) / 100.0;
    (tree.contexts.iter())
        .map(|context| ContextRow {
            context,
            label: Label::new(profile, context.function),
            self_cost: first(tree.self_cost(context)),
            inclusive: first(tree.inclusive(context)),
        })
        .filter(|row| selection.everything || row.inclusive as f64 >= least)
        .collect()
}

/// The details of one input size.
pub struct SizeRow {
    /// The size, in cells.
    pub size: u64,
    /// The measured values.
    pub point: Point,
    /// The mean cost.
    pub mean: f64,
    /// The variance of the cost, if it is known.
    pub variance: Option<f64>,
    /// The highest cost, or the mean if that is unknown.
    pub worst: f64,
    /// `worst` divided by n.
    pub by_n: f64,
    /// `worst` divided by n log₂ n; `None` for n = 1, where that is 0.
    pub by_n_log_n: Option<f64>,
    /// `worst` divided by n².
    pub by_n_squared: f64,
    /// The cost that the best fitting shape predicts.
    pub expected: Option<f64>,
}

/// The scale of a plot's axes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axes {
    /// Linear.
    Linear,
    /// Logarithmic, if sizes and costs differ so much that a linear axis would only show the
    /// largest.
    Logarithmic,
}

/// One routine.
pub struct RoutineDetail<'a> {
    /// Its row of the table.
    pub routine: Routine<'a>,
    /// The base of all percentages.
    pub total: i64,
    /// The linker's name, if the file has it.
    pub linkage: Option<&'a [u8]>,
    /// Costs by size.
    pub sizes: Vec<SizeRow>,
    /// Where half of the cost is reached, in percent of the way from the smallest size to the
    /// largest.
    pub balance: Option<f64>,
    /// The scale of its plot.
    pub axes: Axes,
}

/// Sizes or costs whose ratio is higher than this have a logarithmic plot.
const WIDE: f64 = 32.0;

impl<'a> RoutineDetail<'a> {
    /// The details of one routine.
    pub fn new(profile: &'a Profile, id: FunctionId) -> RoutineDetail<'a> {
        let routine = Routine::new(profile, &Inclusive::new(profile), id);
        let growth = routine.growth;
        let sizes: Vec<SizeRow> = (profile.sizes.iter().flat_map(|sizes| sizes.points(id)))
            .map(|(size, point)| {
                let (n, worst) = (size.max(1) as f64, point.worst());
                SizeRow {
                    size,
                    point: *point,
                    mean: point.mean(),
                    variance: point.variance(),
                    worst,
                    by_n: worst / n,
                    by_n_log_n: (n > 1.0).then(|| worst / GrowthShape::Linearithmic.at(n)),
                    by_n_squared: worst / (n * n),
                    expected: growth.map(|growth| growth.fit.at(n)),
                }
            })
            .collect();
        let axes = match (sizes.first(), sizes.last()) {
            (Some(first), Some(last))
                if first.size > 0 && last.size as f64 / first.size as f64 > WIDE =>
            {
                let least = sizes.iter().map(|s| s.worst).fold(f64::INFINITY, f64::min);
                if least > 0.0 {
                    Axes::Logarithmic
                } else {
                    Axes::Linear
                }
            }
            _ => Axes::Linear,
        };
        RoutineDetail {
            routine,
            total: profile
                .events
                .counted(&profile.totals.row, Event::Recorded(0)),
            linkage: profile.sizes.as_ref().and_then(|sizes| sizes.linkage(id)),
            sizes,
            balance: balance(profile, id),
            axes,
        }
    }
}

/// The functions that a name means, most expensive first. They have that name or linkage name, else
/// they contain it, else they match it as a regular expression.
pub fn named(profile: &Profile, name: &[u8]) -> Vec<FunctionId> {
    let own = |id: &FunctionId| profile.name_of(*id);
    let linkage = |id: &FunctionId| profile.sizes.as_ref().and_then(|sizes| sizes.linkage(*id));
    let all = |is_meant: &dyn Fn(&FunctionId) -> bool| -> Vec<FunctionId> {
        profile.function_ids().filter(is_meant).collect()
    };
    let mut found = all(&|id| own(id) == name || linkage(id) == Some(name));
    if found.is_empty() {
        found = all(&|id| memchr::memmem::find(own(id), name).is_some());
    }
    let pattern = std::str::from_utf8(name)
        .ok()
        .and_then(|pattern| Regex::new(pattern).ok());
    if let Some(pattern) = pattern.filter(|_| found.is_empty()) {
        found = all(&|id| pattern.is_match(own(id)));
    }
    let inclusive = Inclusive::new(profile);
    let cost = |id| profile.events.count(inclusive.cost(id), Event::Recorded(0));
    found.order_by_key(|&id| (Reverse(cost(id)), profile.sort_key(id)));
    found
}
