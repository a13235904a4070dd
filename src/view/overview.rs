//! What is hot, at a glance: the hottest functions and lines.

use super::{inlined, line_list::INLINED, totals::longest};
use crate::{
    analysis::{
        Cost, Folds, Label, Own, OwnCode, Reach, Rest, Selection, Session, Set, WithInlined,
        cut::{has_least_share, nowhere, ranked},
        own_lines::OwnLines,
        own_profile::tells_inlined,
        ranking::Ranking,
    },
    profile::{Event, FunctionId, Line, NameId, Profile, extend_with},
};
use foldhash::{HashMap, HashSet};

/// A hot function.
pub struct HotFunction<'a> {
    /// The function.
    pub label: Label<'a>,
    /// Whether it is called, inlined or both, if that was requested.
    pub reach: Reach,
    pub(crate) self_cost: &'a [i64],
    pub(crate) inclusive: &'a [i64],
    /// The number of calls; 0 if it is unknown.
    pub(crate) called: u64,
}

/// A line of a source file, for all functions with code there.
#[derive(Clone)]
pub struct HotLine<'a> {
    /// The file.
    pub file: &'a [u8],
    /// The line, from 1.
    pub line: u64,
    /// Its self cost.
    pub(crate) cost: Vec<i64>,
    /// The first function with code there.
    function: FunctionId,
}

/// Whose lines are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The lines with the highest self cost.
    All,
    /// Lines of your code with the library code attributed to them. They are listed if library code
    /// has the hottest line, or more cost than your code.
    Own,
}

/// The hottest functions and lines, as the first screen shows them.
pub struct Overview<'a> {
    /// The hottest functions.
    pub functions: Vec<HotFunction<'a>>,
    /// All other functions.
    pub rest: Rest,
    /// The hottest lines.
    pub lines: Vec<HotLine<'a>>,
    /// Whose lines these are.
    pub whose: Whose,
    /// The cost of your code that is on none of its lines, if it is large.
    pub unplaced: Option<Unplaced>,
    /// Where inlined code is known from, or why it is not known, if the lines depend on it.
    pub inlined: Option<String>,
    /// The length of the longest count of each event, recorded events first.
    pub longest: Vec<usize>,
}

/// The cost of your code that is on none of its lines.
pub struct Unplaced {
    /// The reason.
    pub why: Why,
    pub(crate) cost: Vec<i64>,
}

/// Why a cost of your code is on none of its lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Library code was inlined there.
    Inlined,
    /// The profile does not know the lines.
    Unknown,
}

impl Why {
    /// The text in place of a line.
    pub fn words(self) -> &'static str {
        match self {
            Why::Inlined => INLINED,
            Why::Unknown => "(line unknown)",
        }
    }
}

/// The candidates for the overview, before the number of rows is chosen.
pub(super) struct Hot<'a> {
    session: &'a Session,
    /// All functions that could be listed.
    all: Vec<FunctionId>,
    /// The most expensive of them that pass the filters.
    pub functions: Vec<FunctionId>,
    pub lines: Vec<HotLine<'a>>,
    pub whose: Whose,
    /// The cost of your code that is on none of its lines, if it is large.
    pub unplaced: Option<Unplaced>,
    /// The cost that is not attributed to any function; empty if there is none.
    nowhere: Vec<i64>,
}

impl<'a> Hot<'a> {
    /// Finds at most `most` functions, by this cost, and lines. If the selection requests a number
    /// of rows, that is the number of functions.
    pub(super) fn new(
        session: &'a Session,
        selection: &Selection,
        by: Cost,
        most: usize,
    ) -> Hot<'a> {
        let profile = session.profile();
        let mut selection = selection.clone();
        selection.narrow.rows = selection.narrow.rows.or(Some(most));
        let mut visible = selection.clone();
        visible.narrow.min = selection.narrow.min.or(Some(VISIBLE));
        let all: Vec<_> = profile
            .function_ids()
            .filter(|&id| profile.function(id).recorded)
            .collect();
        let inclusive = (by == Cost::Inclusive).then(|| session.inclusive());
        let ranked = |selection| {
            let all = all.clone();
            ranked(profile, selection, inclusive, all, session.threads)
        };
        let mut functions = ranked(&visible);
        if functions.is_empty() {
            functions = ranked(&selection);
        }
        let selection = visible;
        let (lines, whose, unplaced) = match own_lines(session, &selection, most) {
            Some((lines, unplaced)) => (lines, Whose::Own, unplaced),
            None => {
                let all = || {
                    profile
                        .lines
                        .iter()
                        .map(|line| (line, profile.line_cost(line)))
                };
                let unplaced = session.folds().and_then(|folds| {
                    let own = all().filter(|(line, _)| folds.rest_row != Some(line.function));
                    unplaced(profile, own, &selection, |line| folds.is_inlined(line))
                });
                (
                    lines((profile, profile), all(), &selection, most),
                    Whose::All,
                    unplaced,
                )
            }
        };
        Hot {
            session,
            all,
            functions,
            lines,
            whose,
            unplaced,
            nowhere: nowhere(profile),
        }
    }

    /// The name of the hottest function. If its source is not there, or lines of your code are
    /// listed, it is the function of the hottest line with a source, if there is one. The row of
    /// code that is not yours does not count.
    pub(super) fn first(&self, has_source: impl Fn(&[u8]) -> bool) -> Option<&'a [u8]> {
        let profile = self.session.profile();
        let rest = self.session.folds().and_then(|folds| folds.rest_row);
        let first = self.functions.iter().copied().find(|&id| Some(id) != rest);
        let is_shown = |&id: &FunctionId| {
            self.whose == Whose::All && has_source(profile.name(profile.function(id).file))
        };
        // A function that is only inlined is not in the profile.
        let mut lines = self.lines.iter().filter(|line| {
            line.function.index() < profile.functions.len() && has_source(line.file)
        });
        let id = first.filter(is_shown);
        let id = id.or_else(|| lines.next().map(|line| line.function));
        id.or(first).map(|id| profile.name_of(id))
    }

    /// Where inlined code is known from, or why it is not known, if the lines depend on it.
    pub(super) fn inlined(&self) -> Option<String> {
        let profile = self.session.profile();
        let unplaced = self.unplaced.as_ref();
        let is_unknown = unplaced.is_some_and(|unplaced| unplaced.why == Why::Inlined);
        let folds = self.session.folds();
        let is_own = self.whose == Whose::Own || folds.is_some_and(Folds::knows_inlined);
        let is_known = is_own && profile.inlined.is_some();
        (is_known || is_unknown).then(|| inlined::source(profile))
    }

    /// Whether some cost of these events is not attributed to any function.
    pub(super) fn has_nowhere(&self, events: &[Event]) -> bool {
        let of = &self.session.profile().events;
        events.iter().any(|&event| {
            of.count(&self.nowhere, event)
                .is_some_and(|count| count != 0)
        })
    }

    /// The overview with at most this many functions and lines.
    pub(super) fn cut(mut self, functions: usize, lines: usize) -> Overview<'a> {
        let inlined = self.inlined();
        let profile = self.session.profile();
        let inclusive = self.session.inclusive();
        self.functions.truncate(functions);
        self.lines.truncate(lines);
        let chosen: HashSet<FunctionId> = self.functions.iter().copied().collect();
        let functions: Vec<HotFunction> = (self.functions.iter())
            .map(|&id| HotFunction {
                label: Label::new(profile, id),
                reach: Reach::new(self.session.folds(), id),
                self_cost: profile.self_cost(id),
                inclusive: inclusive.cost(id),
                called: inclusive.called(id),
            })
            .collect();
        let others = self
            .all
            .iter()
            .filter(|id| !chosen.contains(id))
            .map(|&id| profile.self_cost(id));
        let shown = functions.iter().map(|row| row.self_cost);
        let rest = Rest::beside(profile, shown, self.all.len() - functions.len(), others);
        let rows = functions
            .iter()
            .flat_map(|row| [row.self_cost, row.inclusive]);
        let longest = longest(
            &profile.events,
            rows.chain(rest.costs())
                .chain(self.unplaced.iter().map(|unplaced| &unplaced.cost[..])),
        );
        Overview {
            functions,
            rest,
            lines: self.lines,
            whose: self.whose,
            inlined,
            unplaced: self.unplaced,
            longest,
        }
    }
}

/// Functions and lines with a smaller percentage of the totals would be shown as 0.00 %.
const VISIBLE: f64 = 0.005;

/// A cost on no line of your code needs more than this fraction of the totals to get a row.
const MUCH: f64 = 0.2;

/// The hottest lines of your code, including attributed library code, and the cost on none of them.
/// Returns them if inlined code is known, or if library code has the hottest line or most cost.
///
/// Names have lost the current folder here, so files below it are relative. `--own` sees the names
/// as recorded.
fn own_lines<'a>(
    session: &'a Session,
    selection: &Selection,
    most: usize,
) -> Option<OwnHotLines<'a>> {
    let profile = session.profile();
    // If the report is about your code, all its lines are yours. Ratios of estimates would not be
    // known.
    let mut shown = selection.show.iter().chain(&selection.sort);
    let has_ratios = shown.any(|event| event.is_ratio());
    if session.folds().is_some() || profile.arcs.is_empty() || has_ratios {
        return None;
    }
    let set = Set::own(Vec::new());
    if tells_inlined(profile, &set)
        && let Some(inlined) = WithInlined::from_chains(profile, &set)
    {
        return own_hot_lines(
            &inlined.profile,
            profile,
            &inlined.code(&set),
            selection,
            most,
        );
    }
    let code = OwnCode::new(profile, &set);
    let event = selection.first_event();
    // The cost of library code and of yours, each with that of its hottest line.
    let mut costs = [(0.0, 0.0_f64); 2];
    // The lines of a function in one file are either all yours or none of them.
    for lines in profile
        .lines
        .chunk_by(|a, b| (a.function, a.file) == (b.function, b.file))
    {
        let first = lines[0];
        let count = |line: &Line| profile.events.counted(profile.line_cost(line), event) as f64;
        let is_own = code.has(first.function) && code.has_file(first.function, first.file);
        let (sum, hottest) = &mut costs[usize::from(is_own)];
        for cost in lines.iter().filter(|line| is_placed(line)).map(count) {
            *sum += cost;
            *hottest = hottest.max(cost);
        }
    }
    let [library, own] = costs;
    if own.0 <= 0.0 || own.0 >= library.0 && own.1 >= library.1 {
        return None;
    }
    own_hot_lines(profile, profile, &code, selection, most)
}

/// The hottest lines of this code of a profile. `named` has the same names, and outlives it.
fn own_hot_lines<'a>(
    profile: &Profile,
    named: &'a Profile,
    code: &OwnCode<'_>,
    selection: &Selection,
    most: usize,
) -> Option<OwnHotLines<'a>> {
    let own = OwnLines::new(profile, code, &Own::new(profile, code));
    let costs = || own.lines.iter().map(|line| (line, own.cost(line)));
    let lines = lines((profile, named), costs(), selection, most);
    (!lines.is_empty()).then(|| {
        (
            lines,
            unplaced(profile, costs(), selection, |line| own.is_inlined(line)),
        )
    })
}

/// Lines of your code, and the cost that is on none of them.
type OwnHotLines<'a> = (Vec<HotLine<'a>>, Option<Unplaced>);

/// The cost of inlined code at no known line, if it is large; otherwise all cost at no known line,
/// if that is large.
fn unplaced<'l>(
    profile: &Profile,
    all: impl Iterator<Item = (&'l Line, &'l [i64])>,
    selection: &Selection,
    is_inlined: impl Fn(&Line) -> bool,
) -> Option<Unplaced> {
    let (events, narrow) = (&profile.events, &selection.narrow);
    let (mut inlined, mut sum) = (Vec::new(), Vec::new());
    for (line, cost) in all.filter(|(line, _)| !is_placed(line)) {
        if narrow.takes(profile, line.function, line.file) {
            extend_with(&mut sum, cost);
            if is_inlined(line) {
                extend_with(&mut inlined, cost);
            }
        }
    }
    let event = selection.first_event();
    let count = |row: &[i64]| events.counted(row, event) as f64;
    let is_much = |(_, part): &(Why, Vec<i64>)| count(part) > count(&profile.totals.row) * MUCH;
    let (why, cost) = [(Why::Inlined, inlined), (Why::Unknown, sum)]
        .into_iter()
        .find(is_much)?;
    Some(Unplaced { why, cost })
}

/// Whether the file and line are known.
fn is_placed(line: &Line) -> bool {
    line.line > 0 && line.file != NameId::UNKNOWN
}

/// The hottest lines that pass the filters, at most `most`, with the names of `named`.
fn lines<'a, 'l>(
    (profile, named): (&Profile, &'a Profile),
    all: impl Iterator<Item = (&'l Line, &'l [i64])>,
    selection: &Selection,
    most: usize,
) -> Vec<HotLine<'a>> {
    let (events, narrow) = (&profile.events, &selection.narrow);
    let mut sums: HashMap<(NameId, u64), HotLine> = HashMap::default();
    for (line, cost) in all.filter(|(line, _)| is_placed(line)) {
        if narrow.takes(profile, line.function, line.file) {
            let hot = sums
                .entry((line.file, line.line))
                .or_insert_with(|| HotLine {
                    file: named.name(line.file),
                    line: line.line,
                    cost: Vec::new(),
                    function: line.function,
                });
            extend_with(&mut hot.cost, cost);
        }
    }
    let keyed = sums
        .values()
        .map(|line| (selection.key(events, &line.cost), line))
        .collect();
    let ranking = Ranking::new(keyed, |a: &&HotLine, b: &&HotLine| {
        selection
            .compare(events, &a.cost, &b.cost)
            .then_with(|| (a.file, a.line).cmp(&(b.file, b.line)))
    });
    ranking
        .filter(|line| has_least_share(selection, profile, &line.cost))
        .take(most)
        .cloned()
        .collect()
}
