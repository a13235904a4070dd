//! Chooses the source files that matter, and adds up the costs of their lines.

use super::function_rows::ArcRow;
use super::inlined::InlinedAt;
use super::totals::longest;
use crate::analysis::cut::Ending;
use crate::analysis::inclusive::{Inclusive, cap};
use crate::analysis::label::{Label, by_label};
use crate::analysis::ranking::Ranking;
use crate::analysis::selection::Selection;
use crate::analysis::ties::Ties;
use crate::analysis::{Folds, Session};
use crate::profile::costs::extend_with;
use crate::profile::{ByNumber, Costs, FunctionId, Grouped, NameId, Profile};
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// The lines of one file.
#[derive(Clone, Default, Debug)]
pub struct FileCosts<'a> {
    /// The file as the profile names it.
    pub name: &'a [u8],
    /// Self cost by line, line 0 (not known) first if it has any.
    pub(crate) lines: Vec<(u64, Cow<'a, [i64]>)>,
    /// Calls by line, ordered by line and by what they cost from there.
    pub calls: Vec<(u64, Vec<ArcRow<'a>>)>,
    /// Of own lines what foreign code did for them, ordered by line.
    pub below: Vec<(u64, Below)>,
    /// What was inlined into lines, if that is asked for, by line.
    pub inlined: Vec<(u64, Vec<InlinedAt<'a>>)>,
    /// For every event the length of the longest count.
    pub longest: Vec<usize>,
    /// Whether what is known of lines past the end of the source is shown, beside their cost.
    pub past_end: PastEnd,
}

/// What is shown of lines past the end of the source.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PastEnd {
    /// All that is shown of other lines.
    #[default]
    All,
    /// Their cost alone, as the original does.
    Cost,
}

impl<'a> FileCosts<'a> {
    /// The same with what was inlined into its lines. One that only that stands for has no cost of its own.
    pub fn with_inlined(
        mut self,
        events: &crate::profile::Events,
        inlined: Vec<(u64, Vec<InlinedAt<'a>>)>,
    ) -> FileCosts<'a> {
        for (line, _) in &inlined {
            if let Err(at) = self.lines.binary_search_by_key(line, |&(line, _)| line) {
                self.lines.insert(at, (*line, Cow::Borrowed(&[])));
            }
        }
        let more = longest(
            events,
            inlined
                .iter()
                .flat_map(|(_, all)| all.iter().map(|one| &one.cost[..])),
        );
        self.longest
            .iter_mut()
            .zip(more)
            .for_each(|(have, more)| *have = (*have).max(more));
        self.inlined = inlined;
        self
    }
}

/// What foreign code did for a line: part of what the line costs.
#[derive(Clone, Debug, Default)]
pub struct Below {
    pub(crate) cost: Vec<i64>,
    /// How many foreign functions the line calls.
    pub functions: usize,
}

/// The part of one function in one file, with its row of costs.
type Piece = (FunctionId, NameId, u32);

/// All files that have lines, with what is needed to annotate them one by one.
pub struct Files<'a> {
    profile: &'a Profile,
    folds: Option<&'a Folds>,
    pieces: Vec<Piece>,
    costs: Costs,
    index: OnceCell<Index>,
}

/// Lines and call sites by file; computed when the first file is looked into, which may be never.
struct Index {
    /// Places in the profile's lines, file after file.
    lines: Grouped<u32>,
    /// An arc and the place of a call site among its sites, file after file. Without those at no known line, which no source
    /// line shows.
    sites: Grouped<(u32, u32)>,
    inclusive: Inclusive,
}

impl<'a> Files<'a> {
    /// Adds up what the functions of a profile have in its files.
    pub fn new(session: &'a Session) -> Files<'a> {
        let profile = session.profile();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut costs = Costs::default();
        for line in &profile.lines {
            let row = match pieces.last() {
                Some(&(function, file, row)) if (function, file) == (line.function, line.file) => {
                    row
                }
                _ => {
                    pieces.push((line.function, line.file, costs.push()));
                    pieces.len() as u32 - 1
                }
            };
            costs.add(row, profile.line_cost(line));
        }
        Files {
            profile,
            folds: session.folds(),
            pieces,
            costs,
            index: OnceCell::new(),
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let profile = self.profile;
            let lines = profile
                .lines
                .iter()
                .enumerate()
                .map(|(at, line)| (line.file.index(), at as u32));
            let sites = profile.arcs.iter().enumerate().flat_map(|(arc, a)| {
                let sites = profile
                    .sites(a)
                    .iter()
                    .enumerate()
                    .filter(|(_, site)| site.line > 0);
                sites.map(move |(nth, site)| (site.file.index(), (arc as u32, nth as u32)))
            });
            Index {
                lines: Grouped::new(profile.names.len(), lines),
                sites: Grouped::new(profile.names.len(), sites),
                inclusive: Inclusive::new(profile),
            }
        })
    }

    /// The files whose code helped to reach the thresholds, dearest first. What counts as one piece of code is what one
    /// function has in one file, so that a header's inlined code counts for the header.
    pub fn chosen(&self, selection: &Selection) -> Vec<NameId> {
        let (profile, events) = (self.profile, &self.profile.events);
        let (pieces, costs) = (&self.pieces, &self.costs);
        let cost = |piece: &Piece| costs.row(piece.2);
        let keyed = pieces
            .iter()
            .map(|piece| (selection.key(events, cost(piece)), piece))
            .collect();
        let (of, files) = (
            |piece: &&Piece| (piece.0, piece.1),
            || pieces.iter().map(|piece| piece.1),
        );
        let ties = by_label(profile, selection, |&piece| cost(piece), of, files);
        // Which of what costs the same in one file comes first makes no difference to the files.
        let ties = if selection.narrow.is_nothing() {
            ties.but_for_names()
        } else {
            ties
        };
        let ranking = Ranking::with_ties(keyed, |tied: &mut [(i64, &Piece)]| ties.sort(tied));
        let wanted =
            |&&(function, file, _): &&Piece| selection.narrow.takes(profile, function, file);
        let chosen =
            Ending { profile, selection }.until_enough(ranking, |piece| cost(piece), wanted);
        let mut files: HashSet<NameId, RandomState> = chosen.map(|&(_, file, _)| file).collect();
        files.remove(&NameId::UNKNOWN);
        self.in_order(files.into_iter().collect(), selection)
    }

    /// The files in which functions that are listed have code or calls, dearest first. With a pattern for files, only those
    /// that match, and with one for files that are wanted also those in which others have code.
    pub fn of_functions(
        &self,
        listed: impl Iterator<Item = FunctionId>,
        selection: &Selection,
    ) -> Vec<NameId> {
        let (profile, wanted) = (self.profile, &selection.narrow.file);
        let listed: HashSet<FunctionId, RandomState> = listed.collect();
        let code = self
            .pieces
            .iter()
            .filter(|(function, ..)| listed.contains(function))
            .map(|&(_, file, _)| file);
        let calls = profile
            .arcs
            .iter()
            .filter(|arc| listed.contains(&arc.caller));
        let calls = calls
            .flat_map(|arc| profile.sites(arc))
            .filter(|site| site.line > 0)
            .map(|site| site.file);
        let mut files: HashSet<NameId, RandomState> = code.chain(calls).collect();
        files.retain(|&file| wanted.takes(profile.name(file)));
        if !wanted.only.is_empty() {
            files.extend(self.chosen(selection));
        }
        files.remove(&NameId::UNKNOWN);
        self.in_order(files.into_iter().collect(), selection)
    }

    /// Files by cost, dearest first, ties by name; each once.
    pub fn in_order(&self, files: Vec<NameId>, selection: &Selection) -> Vec<NameId> {
        let (profile, events) = (self.profile, &self.profile.events);
        let mut sums = Costs::default();
        let mut rows: HashMap<NameId, u32, RandomState> = HashMap::default();
        for file in files {
            rows.entry(file).or_insert_with(|| sums.push());
        }
        for &(_, file, row) in &self.pieces {
            if let Some(&sum) = rows.get(&file) {
                sums.add(sum, self.costs.row(row));
            }
        }
        let cost = |&(_, row): &(NameId, u32)| sums.row(row);
        let compare = |a: &(NameId, u32), b: &(NameId, u32)| {
            selection
                .compare(events, cost(a), cost(b))
                .then_with(|| profile.name(a.0).cmp(profile.name(b.0)))
        };
        let ties = Ties::new(events, selection, cost, compare)
            .then_name(|&(file, _)| Some(profile.names.lent(file)));
        let keyed = rows
            .into_iter()
            .map(|file| (selection.key(events, cost(&file)), file))
            .collect();
        Ranking::with_ties(keyed, |tied: &mut [(i64, (NameId, u32))]| ties.sort(tied))
            .map(|(file, _)| file)
            .collect()
    }

    /// What was spent in one file; `None` if the profile says nothing about it.
    pub fn costs(&self, file: NameId, selection: &Selection) -> Option<FileCosts<'a>> {
        let profile = self.profile;
        let mut sums: ByNumber<u64, Cow<'a, [i64]>> = ByNumber::new();
        let lines = self.index().lines.of(file.index());
        if lines.is_empty() {
            return None;
        }
        let mut below: ByNumber<u64, Below> = ByNumber::new();
        for &at in lines {
            let line = &profile.lines[at as usize];
            let cost = profile.line_cost(line);
            if let Some((cost, functions)) = self.folds.and_then(|folds| folds.below(line)) {
                let below = below.or_default(line.line);
                extend_with(&mut below.cost, cost);
                below.functions += functions;
            }
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
        let below = below.into_iter().collect();
        Some(FileCosts {
            name: profile.name(file),
            lines,
            calls: self.calls_in(file, selection),
            below,
            longest,
            ..FileCosts::default()
        })
    }

    /// The same for a file that only calls come from.
    pub fn calls_alone(&self, file: NameId, selection: &Selection) -> Option<FileCosts<'a>> {
        let calls = self.calls_in(file, selection);
        let called = calls
            .iter()
            .flat_map(|(_, list)| list)
            .map(|call| &call.cost[..]);
        let longest = longest(&self.profile.events, called);
        let lines: Vec<_> = calls
            .iter()
            .map(|(line, _)| (*line, Cow::Borrowed(&[][..])))
            .collect();
        let name = self.profile.name(file);
        (!lines.is_empty()).then_some(FileCosts {
            name,
            lines,
            calls,
            longest,
            ..FileCosts::default()
        })
    }

    fn calls_in(&self, file: NameId, selection: &Selection) -> Vec<(u64, Vec<ArcRow<'a>>)> {
        let profile = self.profile;
        let index = self.index();
        let mut sites: Vec<(u64, u32, u32)> = (index.sites.of(file.index()).iter())
            .map(|&(arc, nth)| {
                (
                    profile.sites(&profile.arcs[arc as usize])[nth as usize].line,
                    arc,
                    nth,
                )
            })
            .collect();
        sites.sort_unstable();
        let mut calls: Vec<(u64, Vec<ArcRow<'a>>)> = Vec::new();
        let mut most = Vec::new();
        // Where the calls of the current line stand in its list: a line can have very many.
        let mut places: HashMap<[NameId; 3], usize, RandomState> = HashMap::default();
        for (line, arc, nth) in sites {
            let arc = &profile.arcs[arc as usize];
            let site = &profile.sites(arc)[nth as usize];
            let (callee, cost) = (profile.function(arc.callee), profile.site_cost(site));
            if calls.last().is_none_or(|(at, _)| *at != line) {
                calls.push((line, Vec::new()));
                most.clear();
                places = HashMap::default();
            }
            let Some((_, list)) = calls.last_mut() else {
                continue;
            };
            // Several functions can have code on one line; what they call there is listed once.
            let at = *places
                .entry([callee.object, callee.file, callee.name])
                .or_insert(list.len());
            match list.get_mut(at) {
                Some(call) => {
                    call.count = call.count.saturating_add(site.count);
                    extend_with(call.cost.to_mut(), cost);
                }
                None => {
                    let label = Label::of(profile, arc.callee);
                    list.push(ArcRow {
                        label,
                        count: site.count,
                        cost: Cow::Borrowed(cost),
                        is_inside: false,
                    });
                    most.push(None);
                }
            }
            most[at] = most[at].or(index.inclusive.most_of_recursion(arc));
            if let Some(most) = most[at] {
                cap(&mut list[at].cost, most);
            }
        }
        let events = &profile.events;
        for (_, list) in &mut calls {
            ArcRow::order(list, selection, events);
        }
        calls
    }
}
