//! Lines and groups of a profile as rows of JSON, for assistants.

use super::costs::View;
use crate::{
    analysis::{GroupBy, Selection},
    profile::{Function, Profile, to_text},
    source::Finder,
    view::{Groups, line_list::LineList},
};
use serde_json::{Map, Value, json};
use std::{collections::HashMap, path::Path};

/// The most library functions of a line.
const LIBRARY: usize = 3;

/// The names of the events in rows, and their totals.
pub(super) fn document(profile: &Profile, selection: &Selection) -> Map<String, Value> {
    let names = selection
        .show
        .iter()
        .map(|&event| profile.events.text(event));
    Map::from_iter([
        ("events".to_owned(), names.collect()),
        (
            "totals".to_owned(),
            counts(profile, selection, &profile.totals.row),
        ),
    ])
}

/// The counts of a row in the order of the events; null if unknown.
fn counts(profile: &Profile, selection: &Selection, row: &[i64]) -> Value {
    let count = |&event| profile.events.count(row, event);
    selection.show.iter().map(count).collect()
}

/// Groups of functions with their self costs.
pub(super) fn groups(profile: &Profile, selection: &Selection, by: GroupBy) -> Value {
    let groups = Groups::new(profile, selection, by);
    let rows = groups.rows.iter().map(|group| {
        json!({"name": to_text(group.name), "self": counts(profile, selection, &group.cost)})
    });
    rows.collect()
}

/// Lines with their costs, their texts where `may_show` allows it, and the library code that they
/// paid for. Adds a note for each file that [`View::places`] does not know the lines of.
pub(super) fn lines(
    view: &View<'_>,
    selection: &Selection,
    finder: &Finder,
    may_show: impl Fn(&Path) -> bool,
    notes: &mut Vec<String>,
) -> Value {
    let (session, profile) = (view.session, view.session.profile());
    let name = |id| to_text(profile.name(id));
    let mut text = |file| {
        let source = finder.open(profile.name(file)).ok()?;
        let path = source.path.canonicalize().unwrap_or(source.path.clone());
        if !source.is_carried() && !may_show(&path) {
            return None;
        }
        let text = to_text(source.bytes());
        let places = view.places(file, &(source, path), &text);
        if places.is_none() {
            notes.push(format!(
                "{}: not known to be as it was recorded",
                name(file)
            ));
        }
        Some((places?, text))
    };
    let list = LineList::new(session, selection);
    let mut texts = HashMap::new();
    let rows = list.lines.iter().zip(list.rows()).map(|(line, row)| {
        let function = profile.function(line.function);
        let mut json = json!({
            "file": to_text(row.file), "line": line.line, "function": name(function.name),
            "object": name(function.object), "cost": counts(profile, selection, row.cost),
        });
        if let Some((places, text)) = texts.entry(line.file).or_insert_with(|| text(line.file))
            && let Some(text) = places.get(&line.line).and_then(|&at| text.lines().nth(at))
        {
            json["text"] = text.trim().into();
        }
        if let Some(folds) = session.folds() {
            json["estimated"] = view.is_estimate(line.function).into();
            let mut library: Vec<_> = folds.below([*line]).into_values().flatten().collect();
            library.sort_by(|(_, (_, a)), (_, (_, b))| selection.compare(&profile.events, a, b));
            let code = |(function, (calls, cost)): (Function, (u64, Vec<i64>))| {
                let cost = counts(profile, selection, &cost);
                json!({"name": name(function.name), "calls": calls, "cost": cost})
            };
            json["library"] = library.into_iter().take(LIBRARY).map(code).collect();
        }
        json
    });
    rows.collect()
}
