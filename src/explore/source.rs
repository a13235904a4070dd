//! The source of one function: the self cost of each line, and below each line its calls.
//!
//! Inlined code can come from several files, which follow each other.

use super::{
    Data,
    comparison::RunComparison,
    place::{Aim, Sort},
    row::{Row, RowCell, RowColumn, RowSettings},
    sheet::SheetRows,
};
use crate::{
    analysis::{difference::ChangeRef, own::subtract},
    profile::{FunctionId, NameId},
    source::{Finder, PAST_END, SourceFile},
    text::{Style, escape, grouped, number::divided},
    view::{
        Age, ArcRow, FileCosts,
        annotation::of_line,
        figures::{self, own_word},
        zoom::{self, FilesOf},
    },
};
use std::{collections::BTreeMap, rc::Rc};

/// The most characters of a line that are shown. Generated code can have very long lines.
const LONGEST: usize = 2000;

const TAB: usize = 8;

/// A source in memory with the ends of its lines.
pub(super) struct SourceText {
    file: SourceFile,
    age: Age,
    ends: Vec<usize>,
}

/// A source, or the reason why it is missing.
pub(super) type FoundSource = Result<Rc<SourceText>, String>;

impl SourceText {
    /// Reads the source with this name.
    pub(super) fn read(finder: &Finder, name: &[u8]) -> FoundSource {
        let file = finder.open(name).map_err(|why| why.to_string())?;
        let age = Age::new(file.modified, finder.recorded());
        let mut end = 0;
        let ends = file.lines().map(|line| {
            end += line.len();
            end
        });
        let ends = ends.collect();
        Ok(Rc::new(SourceText { file, age, ends }))
    }

    /// A line from 1, as it is displayed.
    fn line(&self, number: u64) -> Option<String> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = at
            .checked_sub(1)
            .map_or(Some(0), |before| self.ends.get(before).copied())?;
        Some(shown(&self.file.bytes()[start..*self.ends.get(at)?]))
    }
}

/// Expands tabs and escapes control characters.
fn shown(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = &line[..line.len().min(4 * LONGEST)];
    let mut out = String::new();
    for (at, piece) in String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line))
        .split('\t')
        .enumerate()
    {
        if at > 0 {
            out.push_str(&" ".repeat(TAB - crate::text::names::width(&out) % TAB));
        }
        out.push_str(&escape::text(piece));
    }
    out.chars().take(LONGEST).collect()
}

/// The rows of a function's source.
pub(super) struct Source<'d> {
    pub id: FunctionId,
    data: &'d Data,
    event: usize,
    /// The older run, if changes are shown.
    before: Option<&'d RunComparison>,
    /// The costs of lines in both runs.
    changes: BTreeMap<(NameId, u64), ChangeRef<'d>>,
    files: Vec<(NameId, FileCosts<'d>, FoundSource)>,
    rows: Vec<At>,
}

/// A row: what it shows of a line.
#[derive(Clone, Copy)]
struct At {
    /// The index of the file.
    file: usize,
    /// 0 if the line is not known, and for the heading of a file.
    line: u64,
    what: LinePart,
}

#[derive(Clone, Copy, PartialEq)]
enum LinePart {
    Heading,
    Line,
    /// A call, by its index.
    Call(usize),
    /// The cost of the opened line without its library functions.
    Itself,
    /// A library function that the opened line paid for, by its index.
    Library(usize),
}

impl<'d> Source<'d> {
    /// The rows of a function; `source` returns the source of a file name.
    pub(super) fn new(
        look: RowSettings<'d>,
        id: FunctionId,
        line: Option<(NameId, u64)>,
        mut source: impl FnMut(&[u8]) -> FoundSource,
    ) -> Source<'d> {
        let RowSettings {
            data,
            event,
            before,
            ..
        } = look;
        let profile = data.profile();
        let changes = before.map_or_else(BTreeMap::new, |before| before.lines(id));
        let were = before.map_or_else(Vec::new, |before| were(before, event, id, &changes));
        let files = zoom::files(
            &data.session,
            data.selection(event),
            id,
            FilesOf::All(&were),
        )
        .files;
        let files = files.into_iter().map(|costs| {
            let name = profile.names.find(costs.name).unwrap_or(NameId::UNKNOWN);
            let source = source(costs.name);
            (name, costs, source)
        });
        let files: Vec<_> = files.collect();
        let mut rows = Vec::new();
        for (file, (name, costs, source)) in files.iter().enumerate() {
            let mut add = |line, what| rows.push(At { file, line, what });
            add(0, LinePart::Heading);
            let mut known: Vec<u64> = costs.lines.iter().map(|(number, _)| *number).collect();
            let compared = changes.range((*name, 0)..=(*name, u64::MAX));
            known.extend(compared.map(|((_, number), _)| number));
            if let Ok(text) = source {
                known.extend(1..=text.ends.len() as u64);
            }
            known.sort_unstable();
            known.dedup();
            for number in known {
                add(number, LinePart::Line);
                if line == Some((*name, number)) {
                    add(number, LinePart::Itself);
                    let library = 0..of_line(&costs.below, number).len();
                    library.for_each(|nth| add(number, LinePart::Library(nth)));
                }
                let calls = 0..of_line(&costs.calls, number).len();
                calls.for_each(|nth| add(number, LinePart::Call(nth)));
            }
        }
        Source {
            id,
            data,
            event,
            before,
            changes,
            files,
            rows,
        }
    }

    /// The file and line of a row.
    fn line(&self, row: At) -> (NameId, u64) {
        (self.files[row.file].0, row.line)
    }

    fn line_cost(&self, row: At) -> Option<&[i64]> {
        let lines = &self.files[row.file].1.lines;
        let at = lines.binary_search_by_key(&row.line, |(line, _)| *line);
        Some(&lines[at.ok()?].1)
    }

    /// The cost of a line in both runs.
    fn changed(&self, row: At) -> Option<ChangeRef<'d>> {
        self.changes.get(&self.line(row)).copied()
    }

    /// The calls of a line.
    fn calls(&self, row: At) -> &[ArcRow<'d>] {
        of_line(&self.files[row.file].1.calls, row.line)
    }

    /// The library functions that a line paid for.
    fn below(&self, row: At) -> &[ArcRow<'d>] {
        of_line(&self.files[row.file].1.below, row.line)
    }

    fn count(&self, row: &[i64]) -> i64 {
        self.data.count(self.event, row)
    }

    /// The self cost of a line.
    fn own(&self, row: At) -> i64 {
        self.line_cost(row).map_or(0, |cost| self.count(cost))
    }

    fn costs(&self, at: usize, look: RowSettings<'_>) -> Option<Row> {
        let whole = look.count(self.data.session.inclusive().whole(self.id));
        let at = *self.rows.get(at)?;
        let (_, costs, source) = &self.files[at.file];
        Some(match at.what {
            LinePart::Heading => {
                let name = escape::shown(self.data.shown(costs.name));
                let text = match source {
                    Ok(text) if text.age == Age::Newer => {
                        format!("-- {name}: changed since the run; lines may have moved")
                    }
                    Ok(_) => format!("-- {name}"),
                    Err(why) => format!("-- {name}: {}", escape::text(why)),
                };
                Row {
                    style: Some(Style::Heading),
                    ..Row::words(vec![None, None], text)
                }
            }
            LinePart::Line => {
                let cost = self.line_cost(at);
                let text = match source {
                    _ if at.line == 0 => "(a line that is not known)".into(),
                    Ok(text) => text.line(at.line).unwrap_or_else(|| PAST_END.into()),
                    Err(_) => String::new(),
                };
                let own = cost.and_then(|cost| look.cost(look.count(cost), whole));
                Row {
                    style: None,
                    ..Row::words(vec![own, Some(RowCell::Line(at.line))], text)
                }
            }
            LinePart::Itself => {
                let mut cost = self.line_cost(at)?.to_vec();
                for row in self.below(at) {
                    subtract(&mut cost, &row.cost);
                }
                let cost = look.cost(look.count(&cost), whole);
                Row::words(vec![cost, None], "  *  the line itself")
            }
            LinePart::Library(nth) => {
                let row = self.below(at).get(nth)?;
                let cost = look.count(&row.cost);
                let (events, event) = look.counted();
                let each = cost.and_then(|cost| divided(cost, row.count));
                let lead = lead(row.count, "~>");
                let each = each.map(|each| format!("{} each", figures::said(events, event, each)));
                let cells = vec![look.cost(cost, whole), None];
                Row::named(cells, lead, look.label(&row.label)).noted(each)
            }
            LinePart::Call(nth) => {
                let call = self.calls(at).get(nth)?;
                let cost = look.count(&call.cost).filter(|_| !call.is_inside);
                let cells = vec![cost.and_then(|cost| look.cost(Some(cost), whole)), None];
                let lead = lead(call.count, "=>");
                let (style, note) = match call.is_inside {
                    true => (Style::Dim, Some("within recursion".to_owned())),
                    false => (Style::Call, None),
                };
                Row {
                    style: Some(style),
                    ..Row::named(cells, lead, look.label(&call.label)).noted(note)
                }
            }
        })
    }
}

/// The arrow to a called function and the number of calls, or this arrow if none were counted.
fn lead(calls: u64, uncounted: &str) -> String {
    match calls {
        0 => format!("  {uncounted} "),
        calls => format!("  => {}x ", grouped(calls)),
    }
}

impl SheetRows for Source<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self, look: RowSettings<'_>) -> Vec<RowColumn> {
        let change = look.before.map(|_| RowColumn::new("change"));
        let own = [
            RowColumn::new(format!(
                "{} {}",
                look.event_name(),
                own_word(&look.data.session)
            )),
            RowColumn::new("line"),
        ];
        change.into_iter().chain(own).collect()
    }

    fn row(&self, at: usize, look: RowSettings<'_>) -> Option<Row> {
        let mut row = self.costs(at, look)?;
        if let Some(before) = look.before {
            // The older run's calls are matched by function, not by line.
            let line = Some(*self.rows.get(at)?).filter(|row| row.what == LinePart::Line);
            let rows = line.and_then(|line| self.changed(line));
            let counts = rows.and_then(|rows| before.counts(look.event, rows));
            let change = look.change(counts.filter(|counts| *counts != (None, None)));
            row.cells.insert(0, change);
        }
        Some(row)
    }

    /// The function that a row calls; for a line, its most expensive callee.
    fn function(&self, at: usize) -> Option<FunctionId> {
        let row = *self.rows.get(at)?;
        let call = match row.what {
            LinePart::Heading => return Some(self.id),
            LinePart::Call(nth) => nth,
            LinePart::Line => 0,
            LinePart::Itself | LinePart::Library(_) => return None,
        };
        self.data.find(&self.calls(row).get(call)?.label)
    }

    fn place(&self, at: usize) -> Option<(NameId, u64)> {
        let mut row = *self.rows.get(at)?;
        if row.what == LinePart::Heading {
            let mut lines = self.files[row.file].1.lines.iter().map(|(line, _)| *line);
            row.line = lines.find(|&line| line > 0)?;
        }
        Some(self.line(row))
    }

    fn library(&self, at: usize) -> Option<(NameId, u64)> {
        let row = *self.rows.get(at)?;
        let is_paying = row.what == LinePart::Line && !self.below(row).is_empty();
        is_paying.then(|| self.line(row))
    }

    /// The line with the greatest change of self cost if changes are shown, else the one with the
    /// greatest self cost.
    fn heart(&self) -> usize {
        let now = |row| i128::from(self.own(row));
        let change = |before: &RunComparison, row| {
            let change = self.changed(row);
            change.map_or(0, |change| before.delta(self.event, change).abs())
        };
        let largest = |size: &dyn Fn(At) -> i128| {
            let rows = self.rows.iter().enumerate().rev();
            let sizes = rows
                .filter(|(_, row)| row.what == LinePart::Line)
                .map(|(at, row)| (size(*row), at))
                .filter(|(size, _)| *size > 0);
            sizes.max_by_key(|(size, _)| *size).map(|(_, at)| at)
        };
        // Only functions of both runs have changes.
        let is_both = |before: &&RunComparison| {
            before
                .pair(self.id)
                .is_some_and(|(_, pair)| pair.old.is_some())
        };
        let before = self.before.filter(is_both);
        let changed = before.and_then(|before| largest(&|row| change(before, row)));
        changed.or_else(|| largest(&now)).unwrap_or(0)
    }

    /// The calls of a line count, too.
    fn is_hot(&self, at: usize) -> bool {
        let row = self.rows[at];
        let calls = self.calls(row).iter().filter(|call| !call.is_inside);
        let costs = calls.map(|call| self.count(&call.cost));
        let cost = costs.fold(self.own(row), i64::saturating_add);
        row.what == LinePart::Line && self.data.is_hot(self.event, cost, self.id)
    }

    fn aim(&self, at: usize) -> Option<Aim> {
        let above = (0..=at).rev().map(|at| self.rows.get(at).copied());
        let (below, row) = above
            .flatten()
            .enumerate()
            .find(|(_, row)| matches!(row.what, LinePart::Heading | LinePart::Line))?;
        let (file, line) = self.line(row);
        Some(match row.what {
            LinePart::Heading => Aim::File(file),
            _ => Aim::Line(file, line, below),
        })
    }

    fn find(&self, aim: Aim) -> Option<usize> {
        let find = |what, place| {
            let is_it = |row: &At| row.what == what && self.line(*row) == place;
            self.rows.iter().position(is_it)
        };
        match aim {
            Aim::Nothing | Aim::Function(_) => None,
            Aim::Heart => Some(self.heart()),
            Aim::File(file) => find(LinePart::Heading, (file, 0)),
            Aim::Line(file, line, below) => {
                let line = find(LinePart::Line, (file, line)).map(|row| row + below);
                line.or_else(|| Some(self.heart()))
            }
        }
    }
}

/// The files with at least 1 % of the function's old cost. The comparison shows them even if their
/// cost is gone.
fn were(
    before: &RunComparison,
    event: usize,
    id: FunctionId,
    changes: &BTreeMap<(NameId, u64), ChangeRef<'_>>,
) -> Vec<NameId> {
    let was = |change| {
        let counts = before.counts(event, change).unwrap_or_default();
        counts.0.unwrap_or(0)
    };
    let whole = before
        .function(id, Sort::Inclusive)
        .or(before.function(id, Sort::Own));
    let whole = whole.map_or(0, was).unsigned_abs();
    let mut sums: BTreeMap<NameId, i64> = BTreeMap::new();
    for (&(file, _), &change) in changes {
        let sum = sums.entry(file).or_default();
        *sum = sum.saturating_add(was(change));
    }
    sums.retain(|_, sum| *sum != 0 && u128::from(sum.unsigned_abs()) * 100 >= u128::from(whole));
    sums.into_keys().collect()
}
