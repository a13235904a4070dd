//! Costs by input size, as aprof measures them for each routine.
//!
//! Every activation of a routine reads input of some size. A [`Point`] sums up the activations of
//! one size. Versions of the format record different values; a missing value is `None`.

use super::{FunctionId, names::kebab_case};
use std::collections::BTreeMap;

/// How the size of an input is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SizeMetric {
    /// Distinct memory cells that were read before they were written.
    #[default]
    Rms,
    /// The same, and cells that other threads or the system wrote meanwhile.
    Drms,
    /// An earlier form of `Drms`.
    Rvms,
}

impl SizeMetric {
    /// The name in files and reports.
    pub fn name(self) -> String {
        kebab_case(self)
    }
}

/// The parts of the input that came from outside the thread, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InputOrigins {
    /// From the system.
    pub system: u64,
    /// From other threads.
    pub threads: u64,
}

/// The activations of a routine with inputs of one size.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    /// The number of activations.
    pub calls: u64,
    /// The sum of their inclusive costs. Activations within others of the same routine count, too.
    pub sum: i64,
    /// The lowest cost of an activation.
    pub least: Option<i64>,
    /// The highest cost of an activation.
    pub most: Option<i64>,
    /// The sum of the squares of their costs.
    pub squares: Option<f64>,
    /// The sum of the inclusive costs of those that are not within another of the same routine.
    pub real: i64,
    /// The sum of their self costs.
    pub own: Option<i64>,
    /// The sum of their input that came from outside.
    pub outside: Option<InputOrigins>,
}

impl Point {
    /// The mean cost of an activation.
    pub fn mean(&self) -> f64 {
        if self.calls == 0 {
            0.0
        } else {
            self.sum as f64 / self.calls as f64
        }
    }

    /// The highest cost of an activation, or the mean if that is unknown.
    pub fn worst(&self) -> f64 {
        self.most.map_or(self.mean(), |most| most as f64)
    }

    /// The variance of the costs. `None` if the file does not have it, or if its sum of squares did
    /// not fit in 64 bits.
    pub fn variance(&self) -> Option<f64> {
        let variance = self.squares? / self.calls.max(1) as f64 - self.mean() * self.mean();
        (variance >= -0.5).then_some(variance.max(0.0))
    }

    pub(crate) fn add(&mut self, other: &Point) {
        self.calls = self.calls.saturating_add(other.calls);
        self.sum = self.sum.saturating_add(other.sum);
        self.least = both(self.least, other.least, i64::min);
        self.most = both(self.most, other.most, i64::max);
        self.squares = both(self.squares, other.squares, |a, b| a + b);
        self.real = self.real.saturating_add(other.real);
        self.own = both(self.own, other.own, i64::saturating_add);
        self.outside = both(self.outside, other.outside, |a, b| InputOrigins {
            system: a.system.saturating_add(b.system),
            threads: a.threads.saturating_add(b.threads),
        });
    }
}

/// Combines two values that may be unknown. The result is known only if both are.
fn both<T>(a: Option<T>, b: Option<T>, add: impl FnOnce(T, T) -> T) -> Option<T> {
    Some(add(a?, b?))
}

/// The points of all routines.
#[derive(Clone, Default, Debug)]
pub struct Sizes {
    /// How sizes are measured.
    pub metric: SizeMetric,
    /// The bytes of a cell, if the file states them.
    pub cell: Option<u64>,
    /// The version of the format.
    pub version: u64,
    routines: Vec<RoutineSizes>,
}

#[derive(Clone, Default, Debug)]
struct RoutineSizes {
    points: BTreeMap<u64, Point>,
    /// The linker's name; empty if unknown.
    linkage: Vec<u8>,
}

impl Sizes {
    pub(crate) fn new(metric: SizeMetric, cell: Option<u64>, version: u64) -> Sizes {
        Sizes {
            metric,
            cell,
            version,
            ..Sizes::default()
        }
    }

    /// A routine's points by size, in cells.
    pub fn points(&self, id: FunctionId) -> impl ExactSizeIterator<Item = (u64, &Point)> + Clone {
        static NONE: BTreeMap<u64, Point> = BTreeMap::new();
        let routine = self.routines.get(id.index());
        let points = routine.map_or(&NONE, |routine| &routine.points);
        points.iter().map(|(&size, point)| (size, point))
    }

    /// The linker's name of a routine, if the file has it.
    pub fn linkage(&self, id: FunctionId) -> Option<&[u8]> {
        let routine = self.routines.get(id.index())?;
        Some(&routine.linkage[..]).filter(|name| !name.is_empty())
    }

    fn routine(&mut self, id: FunctionId) -> &mut RoutineSizes {
        if self.routines.len() <= id.index() {
            self.routines.resize_with(id.index() + 1, Default::default);
        }
        &mut self.routines[id.index()]
    }

    pub(crate) fn add(&mut self, id: FunctionId, size: u64, point: &Point) {
        self.routine(id)
            .points
            .entry(size)
            .and_modify(|have| have.add(point))
            .or_insert(*point);
    }

    pub(crate) fn set_linkage(&mut self, id: FunctionId, name: &[u8]) {
        self.routine(id).linkage = name.to_vec();
    }

    /// Why two reports cannot be added, if their sizes are measured differently; `None` if they
    /// can.
    pub(crate) fn differs(&self, other: &Sizes) -> Option<String> {
        if self.metric != other.metric {
            return Some(format!(
                "its input sizes are {}, those before {}",
                other.metric.name(),
                self.metric.name()
            ));
        }
        match (self.cell, other.cell) {
            (Some(a), Some(b)) if a != b => Some(format!(
                "its input sizes count cells of {b} bytes, those before {a}"
            )),
            _ => None,
        }
    }

    /// Adds the sizes of another reading; `functions` maps its functions to those here.
    pub(crate) fn absorb(&mut self, other: &Sizes, functions: &[FunctionId]) {
        self.version = self.version.max(other.version);
        self.cell = self.cell.or(other.cell);
        for (routine, &id) in other.routines.iter().zip(functions) {
            for (&size, point) in &routine.points {
                self.add(id, size, point);
            }
            if !routine.linkage.is_empty() {
                self.set_linkage(id, &routine.linkage);
            }
        }
    }
}
