//! The whole profile in the order of a report, for formats that programs read.
//!
//! Functions are numbered in their order. Lines, calls and cycles refer to those numbers and follow
//! their order. What belongs to an omitted function is omitted, too.

use super::{Cost, Cycle, Inclusive, Narrow, Selection, cut::ranked};
use crate::profile::{CallEdge, Event, FunctionId, Line, Order, Profile, Site};

/// A profile, numbered and ordered.
pub struct OrderedProfile<'a> {
    /// The original profile.
    pub profile: &'a Profile,
    /// Inclusive costs and cycles.
    pub inclusive: &'a Inclusive,
    /// The columns: recorded events, then derived ones.
    pub events: Vec<Event>,
    /// The functions in order.
    pub functions: Vec<FunctionId>,
    place: Vec<Option<u32>>,
    /// The function that the report is about, if it is about one.
    about: Option<FunctionId>,
}

impl<'a> OrderedProfile<'a> {
    /// Orders functions by the selection, by self or inclusive cost, ties by file and name. The
    /// selection's thresholds omit functions as they do in a list.
    pub fn new(
        profile: &'a Profile,
        selection: &Selection,
        inclusive: &'a Inclusive,
        by: Cost,
    ) -> OrderedProfile<'a> {
        OrderedProfile::from_ids(
            profile,
            selection,
            inclusive,
            by,
            profile.function_ids().collect(),
        )
    }

    /// Orders the functions around one function: its lines, and its callers and callees.
    pub fn about(
        profile: &'a Profile,
        selection: &Selection,
        inclusive: &'a Inclusive,
        id: FunctionId,
        beside: impl IntoIterator<Item = FunctionId>,
    ) -> OrderedProfile<'a> {
        let mut functions = vec![id];
        functions.extend(profile.arcs_of(id).iter().map(|arc| arc.callee));
        functions.extend(profile.arcs_to(id).map(|arc| arc.caller));
        functions.extend(
            inclusive
                .cycle_of(id)
                .iter()
                .flat_map(|&at| &inclusive.cycles[at].members),
        );
        functions.extend(beside);
        functions.sort_unstable();
        functions.dedup();
        // Filters only choose the function; nothing around it is omitted.
        let all = Selection {
            everything: true,
            narrow: Narrow::default(),
            ..selection.clone()
        };
        OrderedProfile {
            about: Some(id),
            ..OrderedProfile::from_ids(profile, &all, inclusive, Cost::Own, functions)
        }
    }

    fn from_ids(
        profile: &'a Profile,
        selection: &Selection,
        inclusive: &'a Inclusive,
        by: Cost,
        ids: Vec<FunctionId>,
    ) -> OrderedProfile<'a> {
        let functions = ranked(
            profile,
            selection,
            (by == Cost::Inclusive).then_some(inclusive),
            ids,
            1,
        );
        let mut place = vec![None; profile.functions.len()];
        for (at, id) in (0..).zip(&functions) {
            place[id.index()] = Some(at);
        }
        OrderedProfile {
            profile,
            inclusive,
            events: profile.events.all().collect(),
            functions,
            place,
            about: None,
        }
    }

    /// The number of a function; `None` if it is omitted.
    pub fn place(&self, id: FunctionId) -> Option<u32> {
        self.place[id.index()]
    }

    /// The lines by function, file and line, each with the number of its function.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &'a Line)> + '_ {
        let wanted = (0..)
            .zip(&self.functions)
            .filter(|&(_, &id)| self.about.is_none_or(|about| about == id));
        wanted.flat_map(|(at, &id)| by_file_name(self.profile, id).map(move |line| (at, line)))
    }

    /// The arcs by caller and callee, with the numbers of both. An arc is omitted if one of the two
    /// is.
    pub fn calls(&self) -> impl Iterator<Item = (u32, u32, &'a CallEdge)> + '_ {
        (0..).zip(&self.functions).flat_map(|(at, &id)| {
            let mut calls: Vec<(u32, u32, &CallEdge)> = (self.profile.arcs_of(id).iter())
                .filter(|arc| {
                    self.about
                        .is_none_or(|about| about == arc.caller || about == arc.callee)
                })
                .filter_map(|arc| Some((at, self.place(arc.callee)?, arc)))
                .collect();
            calls.sort_unstable_by_key(|&(_, callee, _)| callee);
            calls
        })
    }

    /// The call sites of an arc by file and line.
    pub fn sites(&self, arc: &CallEdge) -> Vec<&'a Site> {
        let mut sites: Vec<&Site> = self.profile.sites(arc).iter().collect();
        sites.order_by_key(|site| (self.profile.name(site.file), site.line));
        sites
    }

    /// The cycles, most expensive first, each with its number from 1 and its members' numbers. A
    /// cycle without remaining members is omitted.
    pub fn cycles(&self) -> impl Iterator<Item = (usize, Vec<u32>, &'a Cycle)> + '_ {
        (1..).zip(&self.inclusive.cycles).filter_map(|(id, cycle)| {
            let mut members: Vec<u32> = cycle
                .members
                .iter()
                .filter_map(|&m| self.place(m))
                .collect();
            members.sort_unstable();
            (!members.is_empty()).then_some((id, members, cycle))
        })
    }
}

/// The lines of a function by file name and line.
pub(crate) fn by_file_name(profile: &Profile, id: FunctionId) -> impl Iterator<Item = &Line> {
    let mut pieces: Vec<&[Line]> = profile
        .lines_of(id)
        .chunk_by(|a, b| a.file == b.file)
        .collect();
    pieces.order_by_key(|piece| profile.name(piece[0].file));
    pieces.into_iter().flatten()
}
