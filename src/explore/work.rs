//! Work that can take longer than a frame: sorting and filtering functions, sums, stacks. All state
//! comes as arguments, so tests call it directly; the worker runs it in its thread.
//!
//! The last sort order is cached, so that a new filter does not sort again.

use super::{
    Data, Lenses,
    place::{Lens, Sort, Within},
    search::NameIndex,
    stacks::Icicle,
};
use crate::{
    analysis::{
        GroupBy, Label,
        difference::{Change, GroupDifference},
        ranking::Ranking,
    },
    profile::{FunctionId, Order},
    view::{Groups, instructions::Told},
};
use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// How many rows are sorted first: more than a screen has.
const FIRST: usize = 1000;

/// A request.
#[derive(Clone, PartialEq, Debug)]
pub enum Work {
    /// The functions of a list in order.
    Order(Query),
    /// The sums of self costs, sorted by an event.
    Groups(Lens, GroupBy, usize),
    /// The stacks of an event, of all functions or around one.
    Stacks(Lens, usize, Option<FunctionId>),
    /// The disassembly of a function.
    Code(FunctionId),
    /// The profile through a lens, with its inclusive costs.
    Lens(Lens),
}

/// The functions of a list and their order.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// The variant of the profile.
    pub lens: Lens,
    /// Which functions.
    pub within: Within,
    /// The text that names must contain.
    pub filter: String,
    /// The sort order.
    pub sort: Sort,
    /// The selected event.
    pub event: usize,
}

/// The result of a request.
#[derive(Clone)]
pub enum Answer {
    /// The functions of a list, or the first of them.
    Order(Arc<[FunctionId]>, Completeness),
    /// Objects, files or classes, the most expensive first; then those that only the older run has.
    Groups(Arc<[GroupRow]>),
    /// Stacks; `None` if they cannot be computed.
    Stacks(Option<Arc<Icicle>>),
    /// The disassembly and its inlined calls.
    Code(Arc<Told>),
    /// The lens is ready.
    Lens,
}

/// An object, a file or a class.
#[derive(Default)]
pub struct GroupRow {
    pub(super) name: Vec<u8>,
    /// The sum of its self costs; `None` if only the older run has it.
    pub(super) cost: Option<Vec<i64>>,
    /// The cost in both runs of all groups that the comparison merges with it. Only the first of
    /// them has a value.
    pub(super) change: Option<Change>,
    /// How many groups of the newer run the comparison merges, this one included. For a group that
    /// only the older run has, how many functions only that run has.
    pub(super) members: usize,
}

/// How complete an answer is.
#[derive(Clone, PartialEq, Eq)]
pub enum Completeness {
    /// The first rows; the others follow.
    First,
    /// All rows.
    Whole,
}

/// Data cached between requests.
#[derive(Default)]
pub struct Memory {
    /// All functions in the last sort order.
    order: Option<(Lens, Sort, usize, Arc<[FunctionId]>)>,
    names: Option<(Lens, NameIndex)>,
}

/// Handles a request. `wanted` returns false once it is cancelled; `answer` receives each result.
pub fn answer(
    lenses: &Lenses,
    memory: &mut Memory,
    work: &Work,
    wanted: impl Fn() -> bool,
    mut answer: impl FnMut(Answer),
) {
    match work {
        Work::Order(query) => ordered(lenses.data(query.lens), memory, query, wanted, answer),
        &Work::Groups(lens, by, event) => {
            let data = lenses.data(lens);
            answer(Answer::Groups(groups(data, by, event).into()));
        }
        &Work::Stacks(lens, event, of) => {
            let data = lenses.data(lens);
            let icicle = Icicle::new(&data.session, data.events[event], of);
            answer(Answer::Stacks(icicle.map(Arc::new)));
        }
        &Work::Lens(lens) => {
            let data = lenses.data(lens);
            if wanted() {
                data.prepare();
                answer(Answer::Lens);
            }
        }
        &Work::Code(id) => {
            let data = &lenses.whole;
            data.prepare();
            // Reading a binary takes longest.
            if !wanted() {
                return;
            }
            answer(Answer::Code(Arc::new((lenses.teller)(data.profile(), id))));
        }
    }
}

/// Objects, files or classes. In a comparison they have changes, added up as in `diff --by`.
fn groups(data: &Data, by: GroupBy, event: usize) -> Vec<GroupRow> {
    let groups = Groups::new(data.profile(), data.selection(event), by);
    let rows = groups.rows.into_iter();
    let mut rows: Vec<GroupRow> = rows
        .map(|row| GroupRow {
            name: row.name.to_vec(),
            cost: Some(row.cost),
            ..GroupRow::default()
        })
        .collect();
    let Some(before) = data.before() else {
        return rows;
    };
    let names = rows.iter().enumerate();
    let places: HashMap<Vec<u8>, usize> = names.map(|(at, row)| (row.name.clone(), at)).collect();
    let mut functions: HashMap<&[u8], usize> = HashMap::new();
    for (_, id) in before.gone() {
        *functions.entry(before.group_of(id, by)).or_default() += 1;
    }
    let mut gone = Vec::new();
    for group in GroupDifference::all(&before.matching, by) {
        let members = group.news.iter().filter_map(|name| places.get(&name[..]));
        let members: BTreeSet<usize> = members.copied().collect();
        for &at in &members {
            rows[at].members = members.len();
        }
        if let Some(&first) = members.first() {
            // The most expensive group gets the change of all.
            rows[first].change = Some(group.cost).filter(|change| *change != Change::default());
        } else if group.new.is_none() && !group.cost.old.is_empty() {
            gone.push(GroupRow {
                name: group.name().to_vec(),
                members: functions.get(group.name()).copied().unwrap_or(0),
                change: Some(group.cost),
                ..GroupRow::default()
            });
        }
    }
    gone.order_by_key(|row| {
        let was = row
            .change
            .as_ref()
            .map(|change| before.delta(event, change.lent()));
        (was, row.name.clone())
    });
    rows.extend(gone);
    rows
}

fn ordered(
    data: &Data,
    memory: &mut Memory,
    query: &Query,
    wanted: impl Fn() -> bool,
    mut answer: impl FnMut(Answer),
) {
    let is_all = query.filter.is_empty() && query.within == Within::All;
    let order = match &memory.order {
        Some((lens, sort, event, order))
            if (*lens, *sort, *event) == (query.lens, query.sort, query.event) =>
        {
            order.clone()
        }
        _ => {
            let mut ranking = ranked(data, query);
            let mut order: Vec<FunctionId> = ranking.by_ref().take(FIRST).collect();
            if is_all && order.len() == FIRST {
                answer(Answer::Order(order.clone().into(), Completeness::First));
                // The other pane needs inclusive costs, but not the rest of the order.
                data.prepare();
                answer(Answer::Order(order.clone().into(), Completeness::First));
            }
            order.extend(ranking);
            let order: Arc<[FunctionId]> = order.into();
            memory.order = Some((query.lens, query.sort, query.event, order.clone()));
            order
        }
    };
    // Screens show inclusive costs as soon as they are available.
    data.prepare();
    if is_all {
        answer(Answer::Order(order, Completeness::Whole));
        // The next request may be a filter, which needs the names.
        return memory.name(data, query.lens);
    }
    if !wanted() {
        return;
    }
    let matching = if query.filter.is_empty() {
        None
    } else {
        memory.name(data, query.lens);
        let Some((_, names)) = &memory.names else {
            return;
        };
        let Some(matching) = names.matching(&query.filter, &wanted) else {
            return;
        };
        Some(matching)
    };
    let is_named = |id: &FunctionId| {
        matching
            .as_ref()
            .is_none_or(|matching| matching[id.index()])
    };
    let found: Arc<[FunctionId]> = order
        .iter()
        .copied()
        .filter(|id| is_named(id) && query.within.has(data, *id))
        .collect();
    answer(Answer::Order(found, Completeness::Whole));
}

impl Memory {
    /// Caches the names of a profile.
    fn name(&mut self, data: &Data, lens: Lens) {
        if self.names.as_ref().is_none_or(|(known, _)| *known != lens) {
            self.names = Some((lens, NameIndex::new(data)));
        }
    }
}

impl Within {
    /// Whether a function is among them.
    fn has(&self, data: &Data, id: FunctionId) -> bool {
        let profile = data.profile();
        match self {
            Within::All => true,
            Within::Group(by, name) => by.name(profile, id, profile.function(id).file) == name,
            Within::Cycle(number) => data.session.inclusive().cycle_of(id) == Some(*number),
            Within::Marked(ids) => ids.contains(&id),
        }
    }
}

/// All functions in order, with ties as in the report. Functions without a count come last if the
/// order is by cost.
fn ranked<'d>(data: &'d Data, query: &Query) -> impl Iterator<Item = FunctionId> + use<'d> {
    let (profile, events) = (data.profile(), &data.profile().events);
    let (sort, event) = (query.sort, query.event);
    let selection = data.selection(event);
    let cost = move |id: FunctionId| match sort {
        Sort::Inclusive => data.session.inclusive().cost(id),
        _ => profile.self_cost(id),
    };
    let most = |count: u128| i64::try_from(count).unwrap_or(i64::MAX);
    let key = |id: FunctionId| match sort {
        Sort::Own | Sort::Inclusive => selection.key(events, cost(id)),
        Sort::Calls => most(data.session.inclusive().called(id).into()),
        Sort::Change => {
            let before = data.before();
            let rows = before.and_then(|before| Some((before, before.listed(id, Sort::Own)?)));
            most(rows.map_or(0, |(before, rows)| before.delta(event, rows).unsigned_abs()))
        }
        Sort::Name => 0,
    };
    let keys = profile.function_ids().map(|id| (key(id), id)).collect();
    let label = |id: FunctionId| Label::new(profile, id);
    Ranking::new(keys, move |&a, &b| {
        let first = match sort {
            Sort::Own | Sort::Inclusive => selection.compare(events, cost(a), cost(b)),
            Sort::Name => profile.name_of(a).cmp(profile.name_of(b)),
            Sort::Calls | Sort::Change => Ordering::Equal,
        };
        first
            .then_with(|| label(a).compare(&label(b)))
            .then_with(|| profile.sort_key(a).cmp(&profile.sort_key(b)))
    })
}
