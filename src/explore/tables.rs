//! Short lists: objects, files and classes, cycles, parts and threads, warnings. Their rows are
//! made immediately.

use super::{
    Data,
    comparison::RunComparison,
    place::{Place, Screen, Sort, Within},
    row::{Row, RowCell, RowColumn, RowSettings, TextKind, as_one},
    search,
    sheet::{SheetRows, cells, columns},
    work::GroupRow,
};
use crate::{
    analysis::{GroupBy, difference::Change},
    profile::{Order, Profile, SplitBy, Totals, joined},
    text::{Style, shown, wrapped},
    view::figures::own_word,
};
use indexmap::IndexMap;
use regex::bytes::Regex;
use std::rc::Rc;

const NAMED: usize = 3;

/// Columns that wrapped text cannot use: the cursor mark and the blank after it.
const MARGIN: usize = 2;

/// Rows with the costs of each column.
pub(super) struct ShortTable {
    costs: Vec<&'static str>,
    times: Option<&'static str>,
    sort: Sort,
    rows: Vec<Item>,
    run: ShownRun,
}

/// The run that the costs belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShownRun {
    /// The profile, which is the newer run in a comparison.
    Newer,
    /// The newer run; the change since the older run is shown as well.
    Compared,
    /// The older run.
    Older,
}

#[derive(Default)]
struct Item {
    text: String,
    /// The number of the text, from 0, and the full text, if the row is one of its lines.
    whole: Option<(usize, Rc<str>)>,
    place: String,
    costs: Vec<Vec<i64>>,
    times: Option<u64>,
    to: Option<Screen>,
    /// The cost in both runs, in a comparison.
    change: Option<Change>,
}

impl Item {
    /// Whether only the older run has it.
    fn is_gone(&self) -> bool {
        matches!(&self.change, Some(change) if !change.old.is_empty() && change.new.is_empty())
    }
}

impl ShortTable {
    /// The rows of the profile, or of the newer run.
    fn new(costs: Vec<&'static str>, rows: Vec<Item>, place: &Place) -> ShortTable {
        ShortTable {
            costs,
            times: None,
            sort: place.sort,
            rows,
            run: ShownRun::Newer,
        }
    }

    /// Objects, files or classes. A comparison also lists those that only the older run has, and
    /// can sort by change.
    pub(super) fn groups(
        look: RowSettings<'_>,
        by: GroupBy,
        groups: &[GroupRow],
        place: &Place,
    ) -> ShortTable {
        let data = look.data;
        let item = |row: &GroupRow| {
            let within = || Within::Group(by, row.name.clone());
            let (place, to) = match row.cost {
                Some(_) => (
                    as_one(row.members).unwrap_or_default(),
                    Some(Screen::Functions(within())),
                ),
                None => (
                    "in the old run only".to_owned(),
                    (row.members > 0).then(|| Screen::Gone(within())),
                ),
            };
            let name = shown(data.shown_group(by, &row.name));
            Item {
                text: Some(name)
                    .filter(|name| !name.is_empty())
                    .unwrap_or_else(|| by.none().to_owned()),
                place,
                costs: vec![row.cost.clone().unwrap_or_default()],
                to,
                change: row.change.clone(),
                ..Item::default()
            }
        };
        let is_shown = |row: &&GroupRow| row.cost.is_some() || look.before.is_some();
        let mut rows: Vec<Item> = groups.iter().filter(is_shown).map(item).collect();
        if let (Sort::Change, Some(before)) = (place.sort, look.before) {
            let change = |row: &Item| {
                let change = row.change.as_ref();
                change.map_or(0, |change| before.delta(look.event, change.lent()))
            };
            rows.order_by_key(|row| std::cmp::Reverse(change(row).unsigned_abs()));
        }
        let mut table = ShortTable::new(vec![own_word(&data.session)], rows, place);
        if look.before.is_some() {
            table.run = ShownRun::Compared;
        }
        table.arranged(place)
    }

    pub(super) fn cycles(data: &Data, place: &Place) -> ShortTable {
        let (profile, inclusive) = (data.profile(), data.session.inclusive());
        let rows = inclusive.cycles.iter().enumerate().map(|(at, cycle)| {
            // The order of the members in the input has no meaning.
            let mut names: Vec<&[u8]> = cycle
                .members
                .iter()
                .map(|&id| profile.name_of(id))
                .collect();
            names.sort_unstable();
            let names = joined(names.into_iter().take(NAMED).map(shown), ", ");
            let more = if cycle.members.len() > NAMED {
                ", …"
            } else {
                ""
            };
            Item {
                text: format!("cycle {}: {names}{more}", at + 1),
                costs: vec![cycle.inclusive.clone(), cycle.self_cost.clone()],
                times: Some(cycle.members.len() as u64),
                to: Some(Screen::Functions(Within::Cycle(at))),
                ..Item::default()
            }
        });
        let costs = vec!["incl", own_word(&data.session)];
        ShortTable {
            times: Some("members"),
            ..ShortTable::new(costs, rows.collect(), place)
        }
        .arranged(place)
    }

    /// Parts or threads, in the order of the input.
    pub(super) fn parts(profile: &Profile, by: SplitBy, place: &Place) -> ShortTable {
        let mut groups: IndexMap<_, Vec<usize>> = IndexMap::new();
        for (at, part) in profile.parts.iter().enumerate() {
            // A thread can have several parts.
            let key = match by {
                SplitBy::Thread => (0, &part.pid, &part.thread),
                _ => (at, &part.pid, &part.thread),
            };
            groups.entry(key).or_default().push(at);
        }
        let rows = groups.into_values().map(|group| {
            let parts = || group.iter().map(|&at| &profile.parts[at]);
            let (totals, _) = Totals::from_parts(parts(), &profile.events);
            let first = &profile.parts[group[0]];
            let text = match by {
                SplitBy::Thread => format!("thread {}", shown(&first.thread)),
                _ => format!("part {}", shown(first.title(group[0] + 1).as_bytes())),
            };
            let said = |word: &str, what: &[u8]| {
                Some(format!("{word}{}", shown(what))).filter(|_| !what.is_empty())
            };
            let thread = said("thread ", &first.thread).filter(|_| by != SplitBy::Thread);
            let about = [thread, said("PID ", &first.pid), said("", &first.command)];
            Item {
                text,
                place: joined(about.into_iter().flatten(), ", "),
                costs: vec![totals.row],
                times: Some(group.len() as u64),
                ..Item::default()
            }
        });
        let mut table = ShortTable {
            times: Some("parts"),
            ..ShortTable::new(vec!["total"], rows.collect(), place)
        };
        table.narrow(&place.filter);
        table
    }

    /// Warnings about the inputs and doubts about the comparison. Each takes one row, or several if
    /// the text is wrapped to a width.
    pub(super) fn warnings(data: &Data, place: &Place, width: Option<u16>) -> ShortTable {
        let warnings = &data.profile().warnings;
        let words = |text: String| Item {
            text,
            ..Item::default()
        };
        let mut rows: Vec<Item> = warnings
            .kept()
            .iter()
            .map(|warning| words(shown(warning.to_string().as_bytes())))
            .collect();
        for &(kind, count) in warnings.counts() {
            let kept = warnings
                .kept()
                .iter()
                .filter(|warning| warning.kind == kind)
                .count() as u64;
            if count > kept {
                rows.push(words(format!(
                    "… {} more of the kind {}",
                    count - kept,
                    kind.name()
                )));
            }
        }
        let doubts = data.before().into_iter().flat_map(|before| &before.doubts);
        rows.extend(doubts.map(|doubt| words(shown(doubt.as_bytes()))));
        let mut table = ShortTable::new(Vec::new(), rows, place);
        table.narrow(&place.filter);
        if let Some(width) = width {
            table.wrap(usize::from(width).saturating_sub(MARGIN));
        }
        table
    }

    /// Functions that only the older run has, with their costs there.
    pub(super) fn gone(
        data: &Data,
        before: &RunComparison,
        within: &Within,
        place: &Place,
    ) -> ShortTable {
        let matching = &before.matching;
        let is_within = |id| match within {
            Within::Group(by, name) => before.group_of(id, *by) == name,
            Within::All | Within::Cycle(_) | Within::Marked(_) => true,
        };
        let gone = before.gone().filter(|&(_, id)| is_within(id));
        let mut gone: Vec<_> = gone
            .filter_map(|(at, _)| Some((matching.pairs[at], matching.label(at)?)))
            .collect();
        gone.order_by(|(a, one), (b, other)| {
            let names = (one.file, one.name).cmp(&(other.file, other.name));
            matching.own(*b).old.cmp(matching.own(*a).old).then(names)
        });
        let rows = gone.into_iter().map(|(pair, label)| {
            let costs = [matching.own(pair), matching.inclusive(pair)];
            Item {
                text: shown(label.name.bytes()),
                place: shown(data.shown(label.file)),
                costs: costs.map(|cost| cost.old.to_vec()).into(),
                ..Item::default()
            }
        });
        ShortTable {
            run: ShownRun::Older,
            ..ShortTable::new(vec!["self", "incl"], rows.collect(), place)
        }
        .arranged(place)
    }

    /// Filters and sorts. The rows are already sorted by cost.
    fn arranged(mut self, place: &Place) -> ShortTable {
        self.narrow(&place.filter);
        match place.sort {
            Sort::Name => self.rows.order_by(|a, b| a.text.cmp(&b.text)),
            Sort::Calls if self.times.is_some() => {
                self.rows.order_by_key(|row| std::cmp::Reverse(row.times))
            }
            Sort::Own | Sort::Inclusive | Sort::Calls | Sort::Change => {}
        }
        self
    }

    fn narrow(&mut self, filter: &str) {
        if let (false, Ok(regex)) = (filter.is_empty(), Regex::new(&search::pattern(filter))) {
            self.rows.retain(|row| regex.is_match(row.text.as_bytes()));
        }
    }

    /// Wraps each text to this width, one row per line.
    fn wrap(&mut self, width: usize) {
        let texts = std::mem::take(&mut self.rows).into_iter().enumerate();
        for (at, row) in texts {
            let whole: Rc<str> = row.text.as_str().into();
            self.rows
                .extend(wrapped(&whole, width).lines().map(|line| Item {
                    text: line.to_owned(),
                    whole: Some((at, Rc::clone(&whole))),
                    ..Item::default()
                }));
        }
    }
}

impl SheetRows for ShortTable {
    fn len(&self) -> usize {
        self.rows.len()
    }

    /// All lines of one text count as one row.
    fn position(&self, at: usize) -> (usize, Option<usize>) {
        let number = |at: usize| match &self.rows.get(at)?.whole {
            Some((text, _)) => Some(text + 1),
            None => Some(at + 1),
        };
        let last = self.rows.len().saturating_sub(1);
        (number(at).unwrap_or(at + 1), number(last))
    }

    fn to(&self, at: usize) -> Option<Screen> {
        self.rows.get(at)?.to.clone()
    }

    /// For a line of a wrapped text, the full text.
    fn text(&self, at: usize) -> Option<&str> {
        let row = self.rows.get(at)?;
        let whole = row.whole.as_ref();
        Some(whole.map_or(&row.text[..], |(_, whole)| whole))
    }

    /// The costs by the selected event, the number of members or parts, then the costs by other
    /// events.
    fn columns(&self, look: RowSettings<'_>) -> Vec<RowColumn> {
        let change = (self.run == ShownRun::Compared).then_some(self.sort == Sort::Change);
        let by_cost = change != Some(true) && !matches!(self.sort, Sort::Name | Sort::Calls);
        let costs = self.costs.iter().enumerate();
        let costs: Vec<_> = costs
            .map(|(at, &what)| (what, at == 0 && by_cost))
            .collect();
        let times = self.times.map(|what| (what, self.sort == Sort::Calls));
        columns(look, change, &costs, times)
    }

    fn row(&self, at: usize, look: RowSettings<'_>) -> Option<Row> {
        let item = self.rows.get(at)?;
        let cost = |look: RowSettings<'_>, nth: usize| match (self.run, &item.costs[nth]) {
            // An unknown cost.
            (ShownRun::Older, cost) if cost.is_empty() => None,
            (ShownRun::Older, cost) => look.older_cost(cost),
            _ if item.is_gone() => None,
            (_, cost) => look.cost(look.count(cost), None),
        };
        let change = || look.changed(item.change.as_ref().map(Change::lent));
        let cells = cells(
            look,
            (self.run == ShownRun::Compared).then(change),
            item.costs.len(),
            cost,
            self.times.map(|_| item.times.map(RowCell::Times)),
        );
        let shape = if self.costs.is_empty() {
            TextKind::Text
        } else {
            TextKind::Name
        };
        Some(Row {
            style: item.is_gone().then_some(Style::Dim),
            shape,
            ..Row::named(cells, "", (item.text.clone(), item.place.clone()))
        })
    }
}
