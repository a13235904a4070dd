//! Which source files matter, and what was spent on each of their lines.

use super::inclusive::Inclusive;
use super::listing::{Call, Label, longest};
use super::selection::{Progress, Selection};
use crate::profile::costs::extend_with;
use crate::profile::{FunctionId, NameId, Profile};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The lines of one file.
#[derive(Clone, Debug)]
pub struct FileCosts<'a> {
    /// The file as the profile names it.
    pub name: &'a [u8],
    /// Self cost by line, line 0 (not known) first if it has any.
    pub lines: Vec<(u64, Cow<'a, [i64]>)>,
    /// Calls by line, ordered by line and by the cost of all calls in this file from that caller to that callee.
    pub calls: Vec<(u64, Vec<Call<'a>>)>,
    /// For every event the length of the longest count.
    pub longest: Vec<usize>,
}

/// All files that have lines, with what is needed to annotate them one by one.
pub struct Files<'a> {
    profile: &'a Profile,
    by_file: HashMap<NameId, Vec<u32>>,
    calls: HashMap<NameId, Vec<(u64, u32, u32)>>,
    inclusive: Inclusive,
}

impl<'a> Files<'a> {
    /// Sorts the lines and call sites of a profile by file.
    pub fn new(profile: &'a Profile) -> Files<'a> {
        let mut by_file: HashMap<NameId, Vec<u32>> = HashMap::new();
        for (at, line) in profile.lines.iter().enumerate() {
            by_file.entry(line.file).or_default().push(at as u32);
        }
        let mut calls: HashMap<NameId, Vec<(u64, u32, u32)>> = HashMap::new();
        for (at, arc) in profile.arcs.iter().enumerate() {
            for (nth, site) in profile.sites(arc).iter().enumerate() {
                calls.entry(site.file).or_default().push((site.line, at as u32, nth as u32));
            }
        }
        Files { profile, by_file, calls, inclusive: Inclusive::new(profile) }
    }

    /// The files whose code helped to reach the thresholds, dearest first. What counts as one piece of code is what one
    /// function has in one file, so that a header's inlined code counts for the header.
    pub fn chosen(&self, selection: &Selection) -> Vec<NameId> {
        let profile = self.profile;
        let mut pieces: Vec<(FunctionId, NameId, Cow<'a, [i64]>)> = Vec::new();
        for line in &profile.lines {
            let cost = profile.line_cost(line);
            match pieces.last_mut() {
                Some((function, file, sum)) if (*function, *file) == (line.function, line.file) => {
                    extend_with(sum.to_mut(), cost);
                }
                _ => pieces.push((line.function, line.file, Cow::Borrowed(cost))),
            }
        }
        let label =
            |function: FunctionId, file: NameId| Label { file: profile.name(file), ..Label::of(profile, function) };
        pieces.sort_by(|a, b| {
            selection.compare(&profile.events, &a.2, &b.2).then_with(|| label(a.0, a.1).compare(&label(b.0, b.1)))
        });
        let mut progress = Progress::new(selection, &profile.events, &profile.totals.row);
        let mut files = HashSet::new();
        for (_, file, cost) in pieces {
            if progress.is_done() {
                break;
            }
            progress.add(&cost);
            files.insert(file);
        }
        files.remove(&NameId::UNKNOWN);
        self.in_order(files.into_iter().collect(), selection)
    }

    /// Files by cost, dearest first, ties by name.
    pub fn in_order(&self, files: Vec<NameId>, selection: &Selection) -> Vec<NameId> {
        let mut costs: Vec<(NameId, Vec<i64>)> = files
            .into_iter()
            .map(|file| {
                let mut sum = Vec::new();
                for &at in self.by_file.get(&file).into_iter().flatten() {
                    extend_with(&mut sum, self.profile.line_cost(&self.profile.lines[at as usize]));
                }
                (file, sum)
            })
            .collect();
        costs.sort_by(|a, b| {
            selection
                .compare(&self.profile.events, &a.1, &b.1)
                .then_with(|| self.profile.name(a.0).cmp(self.profile.name(b.0)))
        });
        costs.into_iter().map(|(file, _)| file).collect()
    }

    /// What was spent in one file; `None` if the profile says nothing about it.
    pub fn costs(&self, file: NameId, selection: &Selection) -> Option<FileCosts<'a>> {
        let profile = self.profile;
        let mut sums: BTreeMap<u64, Cow<'a, [i64]>> = BTreeMap::new();
        for &at in self.by_file.get(&file)? {
            let line = &profile.lines[at as usize];
            let cost = profile.line_cost(line);
            match sums.get_mut(&line.line) {
                Some(sum) => {
                    extend_with(sum.to_mut(), cost);
                }
                None => {
                    sums.insert(line.line, Cow::Borrowed(cost));
                }
            }
        }
        let lines: Vec<_> = sums.into_iter().collect();
        let longest = longest(&profile.events, lines.iter().map(|(_, cost)| &cost[..]));
        Some(FileCosts { name: profile.name(file), lines, calls: self.calls_in(file, selection), longest })
    }

    fn calls_in(&self, file: NameId, selection: &Selection) -> Vec<(u64, Vec<Call<'a>>)> {
        let profile = self.profile;
        let mut sites = self.calls.get(&file).cloned().unwrap_or_default();
        let mut here: HashMap<u32, Vec<i64>> = HashMap::new();
        for &(_, arc, nth) in &sites {
            let site = &profile.sites(&profile.arcs[arc as usize])[nth as usize];
            extend_with(here.entry(arc).or_default(), profile.site_cost(site));
        }
        sites.sort_by(|a, b| {
            let (x, y) = (&profile.arcs[a.1 as usize], &profile.arcs[b.1 as usize]);
            a.0.cmp(&b.0)
                .then_with(|| selection.compare(&profile.events, &here[&a.1], &here[&b.1]))
                .then_with(|| Label::of(profile, x.callee).compare(&Label::of(profile, y.callee)))
                .then_with(|| Label::of(profile, x.caller).compare(&Label::of(profile, y.caller)))
        });
        let mut calls: Vec<(u64, Vec<Call<'a>>)> = Vec::new();
        let mut most = Vec::new();
        for (line, arc, nth) in sites {
            let arc = &profile.arcs[arc as usize];
            let site = &profile.sites(arc)[nth as usize];
            let (label, cost) = (Label::of(profile, arc.callee), profile.site_cost(site));
            if calls.last().is_none_or(|(at, _)| *at != line) {
                calls.push((line, Vec::new()));
                most.clear();
            }
            let Some((_, list)) = calls.last_mut() else {
                continue;
            };
            // Several functions can have code on one line; what they call there is listed once.
            let at = list.iter().position(|call| call.label == label).unwrap_or(list.len());
            match list.get_mut(at) {
                Some(call) => {
                    call.count = call.count.saturating_add(site.count);
                    extend_with(call.cost.to_mut(), cost);
                }
                None => {
                    list.push(Call { label, count: site.count, cost: Cow::Borrowed(cost) });
                    most.push(None);
                }
            }
            most[at] = most[at].or(self.inclusive.most_of_recursion(arc));
            if let Some(most) = most[at] {
                hold(&mut list[at].cost, most);
            }
        }
        calls
    }
}

/// Holds counts at those of `most`: calls of a function by itself lie inside others, and all together cost no more than
/// the function does.
fn hold(cost: &mut Cow<'_, [i64]>, most: &[i64]) {
    for at in 0..cost.len().min(most.len()) {
        if most[at] >= 0 && cost[at] > most[at] {
            cost.to_mut()[at] = most[at];
        }
    }
}
