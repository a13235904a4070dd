//! Puts the profiles of a split into the columns of one profile. So every list, table and filter of
//! self costs shows one column per part of the split. The report uses it.

use super::{
    Costs, Event, Events, Function, FunctionId, NEVER, NameId, Overflow, Profile, Share, Shares,
    SplitBy, Text, Totals, TotalsSource,
    body::Frozen,
    costs::{MAX_EVENTS, sum, trimmed},
};
use std::collections::{HashMap, HashSet};

/// The most counts in the resulting profile. A row ends after its last column. A few parts with
/// many functions, after many empty parts, would otherwise take far more memory than their input.
const MOST_COUNTS: usize = 1 << 25;

/// The error of [`Shares::beside`]: too many columns or counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany {
    /// The number of groups.
    pub shares: usize,
    /// The largest number that is possible.
    pub most: usize,
}

impl Shares {
    /// The events of all groups. An event that is derived here is derived in each group.
    pub fn events_mut(&mut self) -> &mut Events {
        &mut self.head.events
    }

    /// Returns one profile with the self costs of all groups. Each of `events` has a column with
    /// the sum, named like the event, and one column per group. The rows are functions; lines and
    /// calls are dropped.
    ///
    /// # Errors
    /// Fails if there are too many groups.
    pub fn beside(mut self, events: &[Event]) -> Result<Profile, TooMany> {
        let shares = self.bodies.len();
        let columns = events.len().saturating_mul(shares + 1);
        let functions: HashSet<_> = self.functions().map(Function::names).collect();
        let functions = functions.len();
        let is_wide = functions
            .checked_mul(columns)
            .is_none_or(|counts| counts > MOST_COUNTS);
        if columns > MAX_EVENTS || (is_wide && shares > 1) {
            let room = MAX_EVENTS.min(MOST_COUNTS / functions.max(1)) / events.len().max(1);
            return Err(TooMany {
                shares,
                most: room.saturating_sub(1),
            });
        }
        let named = events_of(&self.head.events, events, &self.titles());
        let mut sums = ShareSums {
            columns,
            per_event: shares + 1,
            ..ShareSums::default()
        };
        let mut source = None;
        for (at, Share { profile, .. }) in self.by_ref().enumerate() {
            source = source.max(Some(profile.totals.source));
            let peaks = |event| !profile.events.has_shares(event);
            let counts = |row: &[i64]| {
                events
                    .iter()
                    .map(|&e| profile.events.count(row, e))
                    .collect::<Vec<_>>()
            };
            sums.add_total(at, &counts(&profile.totals.row), |place| {
                peaks(events[place])
            });
            for id in profile
                .function_ids()
                .filter(|&id| profile.function(id).recorded)
            {
                sums.add(at, profile.function(id), &counts(profile.self_cost(id)));
            }
        }
        let recorded = (0..sums.functions.len())
            .map(|at| FunctionId(at as u32))
            .collect();
        Ok(Profile {
            format: self.head.format,
            inputs: self.head.inputs,
            parts: self.head.parts,
            events: named,
            names: self.names,
            functions: sums.functions,
            recorded,
            totals: Totals {
                row: sums.totals,
                lines: Vec::new(),
                source: source.unwrap_or(TotalsSource::Computed),
            },
            carried: self.head.carried,
            self_costs: sums.costs,
            ..Profile::default()
        })
    }

    /// The heading of each group's column: `thread 2`, or `pid 7 thread 2` if there are several
    /// processes.
    fn titles(&self) -> Vec<String> {
        let pids: HashSet<&Text> = self.head.parts.iter().map(|part| &part.pid).collect();
        let names_process = self.by == SplitBy::Thread && pids.len() > 1;
        let title = |(places, ..): &(Vec<usize>, Totals, Box<Frozen>)| {
            let first = places.first().copied().unwrap_or_default();
            let value = self.value(first);
            let title = format!(
                "{} {}",
                self.by.name(),
                if value.is_empty() { "?" } else { &value }
            );
            match self.head.parts.get(first) {
                Some(part) if names_process => {
                    format!("pid {} {title}", String::from_utf8_lossy(&part.pid))
                }
                _ => title,
            }
        };
        self.bodies.as_slice().iter().map(title).collect()
    }
}

/// The columns as events.
fn events_of(events: &Events, shown: &[Event], titles: &[String]) -> Events {
    let mut names: Vec<Vec<u8>> = Vec::new();
    for &event in shown {
        let name = events.name(event);
        names.push(name.to_vec());
        let of = |title: &String| match shown.len() {
            1 => title.clone().into_bytes(),
            _ => [name, b" ", title.as_bytes()].concat(),
        };
        names.extend(titles.iter().map(of));
    }
    let mut all = Events::default();
    // The caller has checked the number of columns.
    let _ = all.columns(&names);
    for (&event, names) in shown.iter().zip(names.chunks(titles.len() + 1)) {
        if !events.has_shares(event) {
            names.iter().for_each(|name| all.set_peak(name));
        }
        if let Some(tick) = events.tick(event) {
            names.iter().for_each(|name| all.set_tick(name, tick));
        }
    }
    all
}

/// The rows so far.
#[derive(Default)]
struct ShareSums {
    columns: usize,
    /// The number of columns per event.
    per_event: usize,
    functions: Vec<Function>,
    costs: Costs,
    index: HashMap<[NameId; 3], u32>,
    totals: Vec<i64>,
    row: Vec<i64>,
}

impl ShareSums {
    /// Adds the counts of a group, one per event, to the row of a function.
    fn add(&mut self, share: usize, function: &Function, counts: &[Option<i64>]) {
        let row = *self.index.entry(function.names()).or_insert_with(|| {
            self.functions.push(*function);
            self.costs.push()
        });
        self.row.clear();
        self.row.resize(self.columns, NEVER);
        for (counts, columns) in counts.iter().zip(self.row.chunks_mut(self.per_event)) {
            let count = counts.unwrap_or(NEVER);
            columns[0] = count;
            columns[share + 1] = count;
        }
        // The group's own profile warns about sums that do not fit.
        let _: Overflow = self.costs.add(row, trimmed(&self.row));
    }

    /// Adds the counts of a group to the totals. Peaks do not add up; their maximum counts.
    fn add_total(&mut self, share: usize, counts: &[Option<i64>], is_peak: impl Fn(usize) -> bool) {
        self.totals.resize(self.columns, NEVER);
        for (at, (&count, columns)) in counts
            .iter()
            .zip(self.totals.chunks_mut(self.per_event))
            .enumerate()
        {
            let Some(count) = count else { continue };
            columns[share + 1] = count;
            columns[0] = match columns[0] {
                NEVER => count,
                have if is_peak(at) => have.max(count),
                have => sum(have, count).0,
            };
        }
    }
}
