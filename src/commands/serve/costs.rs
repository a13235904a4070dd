//! A recording, and its costs at the lines of a document.

use super::moved::moved;
use crate::{
    analysis::{
        Folds, Label, OwnCode, Reach, Selection, Session, Set,
        difference::{LineDifference, Matching, Rules, Shifts},
        own_profile::Between,
    },
    cli::InputArgs,
    commands::{code::inline, inputs, own},
    pack::details::source_hashes,
    profile::{
        CallEdge, Collect, Event, FunctionId, NameId, Profile,
        names::{base_name, to_path},
        path_bytes, to_text,
    },
    source::{Finder, SearchPaths, SourceFile},
    text::{
        escape, how_many, names,
        number::{percent, signed_amount},
    },
    view::{
        Age, ArcRow, Files,
        figures::{self, own_word},
    },
};
use anyhow::{Context, Result};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Component, Path, PathBuf},
};

/// A lens or a hint needs at least this percentage of the total.
const LEAST: f64 = 0.5;

/// The most lenses and the most hints of a document.
const MOST: usize = 50;

/// The most rows of a list in a hover.
const ROWS: usize = 5;

/// The heading of library functions whose cost is attributed to a line.
const LIBRARY: &str = "library functions";

/// The old and new counts of lines, by file.
type ChangedCounts = HashMap<Vec<u8>, Vec<(u64, [i64; 2])>>;

/// A profile of your code, if any is yours, and what changed since a baseline.
pub(super) struct ServedProfile {
    pub(super) session: Session,
    selection: Selection,
    event: Event,
    changes: Option<ChangedCounts>,
    finder: Finder,
}

impl ServedProfile {
    /// Reads a run, and compares it with an older one if that has any files. `with_own` attributes
    /// library code to your code, if any is yours.
    pub(super) fn read(
        files: &[PathBuf],
        older: &[PathBuf],
        with_own: bool,
    ) -> Result<ServedProfile> {
        let input = InputArgs {
            fold_recursion: true,
            ..InputArgs::default()
        };
        // Inlined functions cannot be compared unless both runs know them.
        let is_small = with_own && older.is_empty() && own::is_small(files);
        let collect = Collect {
            code: is_small,
            ..Collect::ALL
        };
        let mut profile = input.read(files, collect, Vec::new())?;
        if is_small {
            inline(&mut profile, files, &[], &[]);
        }
        inputs::show_times(&mut profile.events, false)?;
        let old = match older {
            [] => None,
            _ => Some(input.read(older, Collect::ALL, Vec::new())?),
        };
        let set = Set::own(Vec::new());
        let has_yours = |run: &Profile| OwnCode::new(run, &set).count() > 0;
        let is_yours = with_own && has_yours(&profile) && old.as_ref().is_none_or(has_yours);
        let session = |profile| {
            if !is_yours {
                return Session::new(profile);
            }
            let (profile, folds) = Folds::new(profile, &set, Between::Calls, &[]);
            Session::folded(profile, folds)
        };
        let (session, old) = (session(profile), old.map(session));
        let new = session.profile();
        let mut selection = Selection::whole(new.events.stored().collect());
        selection.begin_with_cost(&new.events, new.totals.counts());
        let event = selection.sort.first().copied();
        let event = event.context("the profile has no events")?;
        let changes = |old: Session| {
            let matching = Matching::new(old.profile(), new, &Rules::default());
            let events = matching.events();
            let event = events.find(new.events.name(event));
            let event = event.context("the older run counted other events")?;
            let (shifts, by) = (Shifts::new(&matching), Selection::whole(vec![event]));
            let lines = LineDifference::new(&matching, &shifts, &by);
            let files = lines.files(None);
            let counts = files.iter().map(|file| {
                let lines = file.lines();
                let lines = lines.map(|(line, change)| (line, change.counted(events, event)));
                (file.name.to_vec(), lines.collect())
            });
            anyhow::Ok(counts.collect())
        };
        let changes = old.map(changes).transpose()?;
        // Documents are compared with files on disk, so this does not look for sources in packs.
        let finder = Finder::new(SearchPaths {
            profiles: files.to_vec(),
            ..SearchPaths::default()
        });
        Ok(ServedProfile {
            changes,
            selection,
            event,
            finder,
            session,
        })
    }
}

/// The costs of a line.
#[derive(Default)]
pub(super) struct LineCosts<'a> {
    own: i64,
    /// The old and the new count, if the line changed.
    change: [i64; 2],
    /// What is called here, by kind.
    lists: BTreeMap<&'static str, Vec<ArcRow<'a>>>,
    /// Functions whose file is this one and that have cost here.
    functions: BTreeSet<FunctionId>,
}

/// The costs of a document by line, from 0.
pub(super) type DocumentCosts<'a> = BTreeMap<usize, LineCosts<'a>>;

/// Answers for one recording.
pub(super) struct View<'a> {
    of: &'a ServedProfile,
    pub(super) session: &'a Session,
    profile: &'a Profile,
    event: Event,
    files: Files<'a>,
    /// The files with lines, and their costs.
    costs: BTreeMap<NameId, i64>,
}

impl<'a> View<'a> {
    pub(super) fn new(of: &'a ServedProfile) -> View<'a> {
        let profile = of.session.profile();
        let mut costs = BTreeMap::new();
        for line in &profile.lines {
            let count = profile.events.counted(profile.line_cost(line), of.event);
            let sum: &mut i64 = costs.entry(line.file).or_default();
            *sum = sum.saturating_add(count);
        }
        View {
            files: Files::new(&of.session),
            session: &of.session,
            event: of.event,
            profile,
            costs,
            of,
        }
    }

    fn count(&self, row: &[i64]) -> i64 {
        let events = &self.profile.events;
        events.counted(row, self.event)
    }

    fn share(&self, count: i64) -> f64 {
        match self.count(&self.profile.totals.row) {
            0 => 0.0,
            total => count as f64 * 100.0 / total as f64,
        }
    }

    /// `12,345 Ir (3.4 %)`
    fn said(&self, count: i64) -> String {
        let (events, event) = (&self.profile.events, self.event);
        let name = String::from_utf8_lossy(figures::name(events, event));
        let said = figures::said(events, event, count.into());
        format!("{said} {name} ({:.1} %)", self.share(count))
    }

    /// The source of a file, and its path without links.
    pub(super) fn source(&self, file: NameId) -> Option<(SourceFile, PathBuf)> {
        let name = self.profile.name(file);
        let source = self.of.finder.open(name).ok()?;
        let path = source.path.canonicalize().ok()?;
        Some((source, path))
    }

    /// Whether a file is the one at a path: its name leads there, the path ends with its name, or
    /// no other file is found there.
    fn is_at(&self, file: NameId, path: &Path) -> bool {
        let name = self.profile.name(file);
        let own = to_path(name);
        let parts = own
            .components()
            .filter(|part| matches!(part, Component::Normal(_)));
        let parts: PathBuf = parts.collect();
        let mut others = self.costs.keys().filter(|&&other| {
            let base = base_name(self.profile.name(other));
            other != file && base == base_name(name)
        });
        path.ends_with(parts)
            || own.canonicalize().is_ok_and(|own| own == path)
            || !others.any(|&other| self.source(other).is_some_and(|(_, found)| found == path))
    }

    /// Where the recorded lines of a file are in a text, from 0. `None` if this is unknown: the
    /// profile has neither details nor a pack and the text was edited, or they have no lines of an
    /// expensive file. The map is empty if they have none of a cheap file, or if another file is at
    /// the path.
    pub(super) fn places(
        &self,
        file: NameId,
        (source, path): &(SourceFile, PathBuf),
        text: &str,
    ) -> Option<BTreeMap<u64, usize>> {
        if !self.is_at(file, path) {
            return Some(BTreeMap::new());
        }
        let name = self.profile.name(file);
        let hashes = source_hashes(text.as_bytes());
        let carried = || self.profile.carried.iter();
        let packed = carried().find_map(|pack| Some((pack, pack.source(name)?.ok()?)));
        let recorded = carried().find_map(|details| details.hashes(name)).cloned();
        let recorded = recorded.or_else(|| {
            let (pack, source) = packed?;
            let is_older = Age::new(source.modified, pack.recorded) == Age::Older;
            is_older.then(|| (0..).zip(source_hashes(&source.bytes)).collect())
        });
        let all = || (1..).zip(0..hashes.len()).collect();
        if let Some(recorded) = recorded {
            let is_same = recorded.get(&0) == hashes.first();
            return Some(if is_same {
                all()
            } else {
                moved(&recorded, &hashes[1..])
            });
        }
        // Details have no hashes of a file that is newer than the program: it may be another text.
        let is_known = packed.is_none() && !carried().any(|details| details.is_details);
        let saved = String::from_utf8_lossy(source.bytes());
        let is_edited = Age::new(source.modified, self.of.finder.recorded()) == Age::Newer
            || !saved.lines().eq(text.lines());
        let is_hot = self.share(self.costs[&file]).abs() >= LEAST;
        match is_known && !is_edited {
            true => Some(all()),
            false if is_known || is_hot => None,
            false => Some(BTreeMap::new()),
        }
    }

    /// The costs of a document. `None` if [`View::places`] does not know the lines of a file.
    pub(super) fn shown(&self, path: &Path, text: &str) -> Option<DocumentCosts<'a>> {
        let profile = self.profile;
        let mut shown = DocumentCosts::new();
        for &file in self.costs.keys() {
            let name = profile.name(file);
            if base_name(name) != base_name(path_bytes(path)) {
                continue;
            }
            let Some(source) = self.source(file).filter(|(_, found)| found == path) else {
                continue;
            };
            let places = self.places(file, &source, text)?;
            let Some(costs) = self.files.costs(file, &self.of.selection) else {
                continue;
            };
            let mut at = |line, add: &mut dyn FnMut(&mut LineCosts<'a>)| {
                if let Some(&at) = places.get(&line) {
                    add(shown.entry(at).or_default());
                }
            };
            for (line, row) in &costs.lines {
                at(*line, &mut |costs| {
                    costs.own = costs.own.saturating_add(self.count(row))
                });
            }
            for (kind, rows) in [("callees", costs.calls), (LIBRARY, costs.below)] {
                for (line, rows) in rows {
                    at(line, &mut |costs| {
                        costs
                            .lists
                            .entry(kind)
                            .or_default()
                            .extend_from_slice(&rows);
                    });
                }
            }
            for line in self.files.lines_in(file) {
                if profile.function(line.function).file == file {
                    at(line.line, &mut |costs| {
                        costs.functions.insert(line.function);
                    });
                }
            }
            let mut changes = self.of.changes.iter();
            for &(line, change) in changes.find_map(|all| all.get(name)).into_iter().flatten() {
                at(line, &mut |costs| {
                    costs.change = [0, 1].map(|run| costs.change[run].saturating_add(change[run]));
                });
            }
        }
        Some(shown)
    }

    /// The rows with at least [`LEAST`] percent, the most expensive first, at most [`MOST`]. Rows
    /// with the same cost are in the order of their lines.
    fn hottest<T>(&self, rows: impl Iterator<Item = (i64, usize, T)>) -> Vec<(i64, usize, T)> {
        let mut rows: Vec<_> = rows
            .filter(|row| self.share(row.0).abs() >= LEAST)
            .collect();
        rows.sort_by_key(|row| (Reverse(row.0.unsigned_abs()), row.1));
        rows.truncate(MOST);
        rows
    }

    /// Texts at the end of hot lines, the hottest line first: its own cost, or the change since the
    /// baseline.
    pub(super) fn hints(&self, shown: &DocumentCosts<'a>) -> Vec<(i64, usize, String)> {
        let is_compared = self.of.changes.is_some();
        let rows = shown.iter().map(|(&line, costs)| {
            let [old, new] = costs.change;
            let delta = new.saturating_sub(old);
            let count = if is_compared { delta } else { costs.own };
            (count, line, costs)
        });
        let text = |(count, line, costs): (i64, usize, &LineCosts<'_>)| {
            let text = match is_compared {
                true => self.changed(costs),
                false => self.line(costs),
            };
            (count, line, text)
        };
        self.hottest(rows).into_iter().map(text).collect()
    }

    /// The change of a line since the baseline.
    fn changed(&self, costs: &LineCosts<'_>) -> String {
        let (events, [old, new]) = (&self.profile.events, costs.change);
        let change = signed_amount(i128::from(new) - i128::from(old), events.tick(self.event));
        let name = events.text(self.event);
        format!("{change} {name} {}", percent(Some(old), Some(new)))
    }

    /// The own cost of a line, with a mark if it is an estimate.
    fn line(&self, costs: &LineCosts<'_>) -> String {
        let is_estimate = costs.lists.contains_key(LIBRARY)
            && costs.functions.iter().any(|&id| self.is_estimate(id));
        let mark = if is_estimate { "~" } else { "" };
        mark.to_owned() + &self.said(costs.own)
    }

    pub(super) fn is_estimate(&self, id: FunctionId) -> bool {
        let estimate = |folds: &Folds| folds.estimated(self.profile, id, self.event);
        self.session.folds().and_then(estimate).is_some()
    }

    /// Texts above expensive functions, the highest inclusive cost first.
    pub(super) fn lenses(&self, shown: &DocumentCosts<'a>) -> Vec<(i64, usize, String)> {
        let mut seen = HashSet::new();
        let mut rows = Vec::new();
        for (&line, costs) in shown {
            for &id in costs.functions.iter().filter(|&&id| seen.insert(id)) {
                rows.push((self.count(self.session.inclusive().cost(id)), line, id));
            }
        }
        let text = |(cost, line, id)| (cost, line, self.function(id));
        self.hottest(rows.into_iter())
            .into_iter()
            .map(text)
            .collect()
    }

    /// `own 12,345 Ir (3.4 %), inclusive 45,678 Ir (12.6 %), 400 calls`
    fn function(&self, id: FunctionId) -> String {
        let (session, profile) = (self.session, self.profile);
        let about = if self.is_estimate(id) { "~" } else { "" };
        let own = self.said(self.count(profile.self_cost(id)));
        let own = format!("{} {about}{own}", own_word(session));
        if !profile.has_inclusive() {
            return own;
        }
        let inclusive = session.inclusive();
        let calls = Reach::new(session.folds(), id).counted(inclusive.called(id));
        let calls = calls.map_or("inlined".into(), |calls| how_many(calls, "call"));
        let inclusive = self.said(self.count(inclusive.cost(id)));
        format!("{own}, inclusive {inclusive}, {calls}")
    }

    /// What is known about a line, as Markdown.
    pub(super) fn hover(&self, costs: &LineCosts<'a>) -> String {
        let (session, profile) = (self.session, self.profile);
        let mut text = format!("**{}**", self.line(costs));
        if self.of.changes.is_some() {
            text += &format!("\n\nchange: {}", self.changed(costs));
        }
        for (kind, rows) in &costs.lists {
            text += &self.list(kind, rows);
        }
        for &id in costs.functions.iter().take(ROWS) {
            text += &format!(
                "\n\n`{}`: {}",
                code(Label::new(profile, id)),
                self.function(id)
            );
            let caller = |arc: &'a CallEdge| ArcRow {
                label: Label::new(profile, arc.caller),
                count: arc.count,
                cost: session.inclusive().capped(arc, profile.arc_cost(arc)),
                is_inside: false,
            };
            let mut callers: Vec<ArcRow> = profile.arcs_to(id).map(caller).collect();
            ArcRow::order(&mut callers, &self.of.selection, &profile.events);
            text += &self.list("callers", &callers);
        }
        text
    }

    fn list(&self, heading: &str, rows: &[ArcRow<'_>]) -> String {
        let mut text = String::new();
        for (nth, row) in rows.iter().take(ROWS).enumerate() {
            if nth == 0 {
                text += &format!("\n\n{heading} ({}):\n", rows.len());
            }
            text += &format!(
                "\n- `{}`: {}",
                code(row.label),
                self.said(self.count(&row.cost))
            );
            if row.count > 0 {
                text += &format!(", {}", how_many(row.count, "call"));
            }
        }
        text
    }

    /// The files with at least [`LEAST`] percent of the cost: their paths and texts.
    pub(super) fn hot_files(&self) -> impl Iterator<Item = (PathBuf, String)> {
        let files = self
            .costs
            .iter()
            .filter(|(_, cost)| self.share(**cost).abs() >= LEAST);
        let sources = files.filter_map(|(&file, _)| self.source(file));
        sources.map(|(source, path)| (path, to_text(source.bytes())))
    }
}

/// The name of a function between backticks.
fn code(label: Label<'_>) -> String {
    escape::text(&names::in_a_sentence(&label.name.text())).replace('`', "'")
}
