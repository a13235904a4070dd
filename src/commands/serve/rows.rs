//! Lines and groups of a profile as rows of JSON, for assistants.

use super::costs::View;
use crate::analysis::{GroupBy, Selection};
use crate::profile::{Function, Profile, to_text};
use crate::view::line_list::LineList;
use crate::view::{Age, Groups};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

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
    let row = |group: crate::view::groups::Group<'_>| json!({"name": to_text(group.name), "self": counts(profile, selection, &group.cost)});
    groups.rows.into_iter().map(row).collect()
}

/// Lines with their costs, their texts where `may_show` allows it, and the library code that they
/// paid for. Adds a note for each file that was edited.
pub(super) fn lines(
    view: &View<'_>,
    selection: &Selection,
    may_show: impl Fn(&Path) -> bool,
    notes: &mut Vec<String>,
) -> Value {
    let (session, profile) = (view.session(), view.session().profile());
    let list = LineList::new(session, selection);
    let mut texts = BTreeMap::new();
    let rows = list.lines.iter().zip(list.rows()).map(|(line, row)| {
        let function = profile.function(line.function);
        let text = texts.entry(line.file).or_insert_with(|| {
            let name = profile.name(line.file);
            let packed = profile.carried.iter();
            let packed = packed.filter_map(|pack| Some((pack, pack.source(name)?.ok()?)));
            for (pack, source) in packed {
                if Age::new(source.modified, pack.recorded) == Age::Older {
                    let text = String::from_utf8_lossy(&source.bytes).into_owned();
                    return ((1..).zip(0..text.lines().count()).collect(), text);
                }
            }
            let Some(source) = view.source(line.file).filter(|(_, path)| may_show(path)) else {
                return Default::default();
            };
            let text = String::from_utf8_lossy(source.0.bytes()).into_owned();
            let places = view.places(line.file, &source, &text);
            if places.is_none() {
                notes.push(format!("{}: not as it was recorded, so its text is left out", to_text(name)));
            }
            (places.unwrap_or_default(), text)
        });
        let text = text.0.get(&line.line).and_then(|&at| text.1.lines().nth(at));
        let mut json = json!({
            "file": to_text(row.file), "line": line.line, "function": to_text(profile.name(function.name)),
            "object": to_text(profile.name(function.object)), "cost": counts(profile, selection, row.cost),
        });
        if let Some(text) = text {
            json["text"] = text.trim().into();
        }
        if let Some(folds) = session.folds() {
            json["estimated"] = view.is_estimate(line.function).into();
            let mut library: Vec<_> = folds.below([*line]).into_values().flatten().collect();
            library.sort_by(|(_, (_, a)), (_, (_, b))| selection.compare(&profile.events, a, b));
            let code = |(function, (calls, cost)): (Function, (u64, Vec<i64>))| {
                let cost = counts(profile, selection, &cost);
                json!({"name": to_text(profile.name(function.name)), "calls": calls, "cost": cost})
            };
            json["library"] = library.into_iter().take(LIBRARY).map(code).collect();
        }
        json
    });
    rows.collect()
}
