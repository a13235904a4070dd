//! Chooses the source files that matter, and adds up the costs of their lines.

use super::{
    ArcRow,
    groups::Group,
    totals::{longest, widen},
};
use crate::{
    analysis::{
        Ending, Folds, Label, Selection, Session, inclusive::cap, label::by_label, ranking::Ranking,
    },
    profile::{
        Costs, Events, Function, FunctionId, Grouped, Line, NameId, Order, Profile, extend_with,
    },
};
use foldhash::{HashMap, HashSet};
use std::{borrow::Cow, cell::OnceCell, collections::BTreeMap};

/// The costs of one file, by line.
#[derive(Clone, Default)]
pub struct FileCosts<'a> {
    /// The file as the profile names it.
    pub name: &'a [u8],
    /// Self cost by line. An unknown line is 0 and comes first.
    pub(crate) lines: Vec<(u64, Cow<'a, [i64]>)>,
    /// Calls by line. Those of one line are ordered by cost.
    pub calls: Vec<(u64, Vec<ArcRow<'a>>)>,
    /// The library functions that lines paid for, by line. Those of one line are ordered by cost;
    /// inlined ones have no calls.
    pub below: Vec<(u64, Vec<ArcRow<'a>>)>,
    /// The functions that were inlined into lines, by line, if requested.
    pub inlined: Vec<(u64, Vec<Group<'a>>)>,
    /// The length of the longest count of each event.
    pub longest: Vec<usize>,
    /// What is shown for lines past the end of the source.
    pub past_end: PastEnd,
}

/// What is shown for lines past the end of the source.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum PastEnd {
    /// The same as for other lines.
    #[default]
    All,
    /// Only their cost, as in `callgrind_annotate`.
    Cost,
}

impl<'a> FileCosts<'a> {
    /// Costs whose columns have room for those of the calls, too.
    pub(super) fn with_calls(
        events: &Events,
        name: &'a [u8],
        lines: Vec<(u64, Cow<'a, [i64]>)>,
        calls: Vec<(u64, Vec<ArcRow<'a>>)>,
    ) -> FileCosts<'a> {
        let called = calls.iter().flat_map(|(_, list)| list);
        let called = called.map(|call| &call.cost[..]);
        let costs = lines.iter().map(|(_, cost)| &cost[..]);
        FileCosts {
            name,
            longest: longest(events, costs.chain(called)),
            lines,
            calls,
            ..FileCosts::default()
        }
    }

    /// Adds the functions that were inlined into lines. A line that has only such functions gets an
    /// empty cost.
    pub fn with_inlined(
        mut self,
        events: &Events,
        inlined: Vec<(u64, Vec<Group<'a>>)>,
    ) -> FileCosts<'a> {
        for (line, _) in &inlined {
            if let Err(at) = self.lines.binary_search_by_key(line, |&(line, _)| line) {
                self.lines.insert(at, (*line, Cow::default()));
            }
        }
        let all = inlined.iter().flat_map(|(_, all)| all);
        widen(&mut self.longest, events, all.map(|one| &one.cost[..]));
        self.inlined = inlined;
        self
    }
}

/// The library functions that lines of one file paid for, by line, the most expensive first.
pub(super) fn library_code<'a, 'l>(
    folds: Option<&Folds>,
    profile: &'a Profile,
    lines: impl IntoIterator<Item = &'l Line>,
    selection: &Selection,
) -> Vec<(u64, Vec<ArcRow<'a>>)> {
    let below = folds.map(|folds| folds.below(lines)).unwrap_or_default();
    let rows = below.into_iter().map(|(line, code)| {
        let row = |(function, (count, cost)): (Function, (u64, Vec<i64>))| ArcRow {
            label: Label {
                file: profile.name(function.file),
                name: profile.names.lent(function.name),
                object: Some(profile.name(function.object)).filter(|object| !object.is_empty()),
                cycle: None,
            },
            count,
            cost: Cow::Owned(cost),
            is_inside: false,
        };
        let mut rows: Vec<ArcRow> = code.into_iter().map(row).collect();
        ArcRow::order(&mut rows, selection, &profile.events);
        (line, rows)
    });
    rows.collect()
}

/// The part of one function in one file, and the index of its cost row.
type Piece = (FunctionId, NameId, u32);

/// All files with lines, ready to be annotated one by one.
pub struct Files<'a> {
    session: &'a Session,
    profile: &'a Profile,
    pieces: Vec<Piece>,
    costs: Costs,
    index: OnceCell<FileIndex>,
}

/// Lines and call sites by file. It is computed on first use, because often no file is annotated.
struct FileIndex {
    /// Indexes of the profile's lines, file by file.
    lines: Grouped<u32>,
    /// An arc and the index of a call site in it, file by file. Call sites at unknown lines are
    /// omitted, because no source line shows them.
    sites: Grouped<(u32, u32)>,
}

impl<'a> Files<'a> {
    /// Adds up the cost of each function in each file.
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
            session,
            profile,
            pieces,
            costs,
            index: OnceCell::new(),
        }
    }

    fn index(&self) -> &FileIndex {
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
            FileIndex {
                lines: Grouped::new(profile.names.len(), lines),
                sites: Grouped::new(profile.names.len(), sites),
            }
        })
    }

    /// The files whose code is needed to reach the thresholds, most expensive first. A piece of
    /// code is the part of a function in one file, so inlined code of a header counts for the
    /// header.
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
        let ranking = Ranking::with_ties(keyed, ties);
        let wanted =
            |&&(function, file, _): &&Piece| selection.narrow.takes(profile, function, file);
        let chosen =
            Ending { profile, selection }.until_enough(ranking, |piece| cost(piece), wanted);
        let mut files: HashSet<NameId> = chosen.map(|&(_, file, _)| file).collect();
        files.remove(&NameId::UNKNOWN);
        self.in_order(files.into_iter().collect(), selection)
    }

    /// The files in which listed functions have code or calls, most expensive first. A filter for
    /// files restricts them. A filter for wanted files also adds those in which other functions
    /// have code.
    pub fn of_functions(
        &self,
        listed: impl Iterator<Item = FunctionId>,
        selection: &Selection,
    ) -> Vec<NameId> {
        let (profile, wanted) = (self.profile, &selection.narrow.file);
        let listed: HashSet<FunctionId> = listed.collect();
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
        let mut files: HashSet<NameId> = code.chain(calls).collect();
        files.retain(|&file| wanted.takes(profile.name(file)));
        if !wanted.only.is_empty() {
            files.extend(self.chosen(selection));
        }
        files.remove(&NameId::UNKNOWN);
        self.in_order(files.into_iter().collect(), selection)
    }

    /// The distinct files, most expensive first, ties by name.
    pub fn in_order(&self, files: Vec<NameId>, selection: &Selection) -> Vec<NameId> {
        let (profile, events) = (self.profile, &self.profile.events);
        let mut sums = Costs::default();
        let mut rows: HashMap<NameId, u32> = HashMap::default();
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
        let mut files: Vec<(NameId, u32)> = rows.into_iter().collect();
        files.order_by(compare);
        files.into_iter().map(|(file, _)| file).collect()
    }

    /// The lines of one file, function by function.
    #[cfg(feature = "serve")]
    pub(crate) fn lines_in(&self, file: NameId) -> impl Iterator<Item = &'a Line> {
        let (profile, lines) = (self.profile, self.index().lines.group(file.index()));
        lines.iter().map(|&at| &profile.lines[at as usize])
    }

    /// The costs of one file; `None` if the profile has none.
    pub fn costs(&self, file: NameId, selection: &Selection) -> Option<FileCosts<'a>> {
        let profile = self.profile;
        let mut sums: BTreeMap<u64, Cow<'a, [i64]>> = BTreeMap::new();
        let lines = self.index().lines.group(file.index());
        if lines.is_empty() {
            return None;
        }
        let lines = || lines.iter().map(|&at| &profile.lines[at as usize]);
        let below = library_code(self.session.folds(), profile, lines(), selection);
        for line in lines() {
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
        Some(FileCosts {
            name: profile.name(file),
            lines,
            calls: self.calls_in(file, selection),
            below,
            longest,
            ..FileCosts::default()
        })
    }

    /// The same for a file that has only calls.
    pub fn calls_alone(&self, file: NameId, selection: &Selection) -> Option<FileCosts<'a>> {
        let calls = self.calls_in(file, selection);
        let lines: Vec<_> = calls
            .iter()
            .map(|(line, _)| (*line, Cow::default()))
            .collect();
        let (events, name) = (&self.profile.events, self.profile.name(file));
        (!lines.is_empty()).then(|| FileCosts::with_calls(events, name, lines, calls))
    }

    fn calls_in(&self, file: NameId, selection: &Selection) -> Vec<(u64, Vec<ArcRow<'a>>)> {
        let profile = self.profile;
        let index = self.index();
        let mut sites: Vec<(u64, u32, u32)> = (index.sites.group(file.index()).iter())
            .map(|&(arc, nth)| {
                let sites = profile.sites(&profile.arcs[arc as usize]);
                (sites[nth as usize].line, arc, nth)
            })
            .collect();
        sites.sort_unstable();
        let mut calls: Vec<(u64, Vec<ArcRow<'a>>)> = Vec::new();
        let mut most = Vec::new();
        // The index of each callee in the current line's list. A line can have very many calls.
        let mut places: HashMap<[NameId; 3], usize> = HashMap::default();
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
            // Several functions can have code at one line. Calls of one callee from there get one
            // row.
            let at = *places.entry(callee.names()).or_insert(list.len());
            match list.get_mut(at) {
                Some(call) => {
                    call.count = call.count.saturating_add(site.count);
                    extend_with(call.cost.to_mut(), cost);
                }
                None => {
                    let label = Label::new(profile, arc.callee);
                    list.push(ArcRow {
                        label,
                        count: site.count,
                        cost: Cow::Borrowed(cost),
                        is_inside: false,
                    });
                    most.push(None);
                }
            }
            most[at] = most[at].or(self.session.inclusive().most_of_recursion(arc));
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
