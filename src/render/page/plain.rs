//! Writes the part of a page that can be read before its script runs, without a script, and on
//! paper.

use super::shell::Escaped;
use crate::{
    analysis::difference::Change,
    profile::{Event, joined},
    text::{grouped, names, shown, signed},
    view::whole::{Compared, Whole},
};
use std::fmt::Write;

/// The most functions in the table.
const ROWS: usize = 50;
/// The most characters of a name.
const NAME: usize = 300;

/// The totals and the hottest functions of a profile.
pub(super) fn report(whole: &Whole<'_>, title: &str) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "<h1>{}</h1>", Escaped(title));
    let (profile, events) = (whole.profile, &whole.profile.events);
    let total = |event: Event| events.counted(&profile.totals.row, event);
    let totals = whole.events.iter();
    let totals = totals.map(|&e| format!("{} {}", shown(events.name(e)), grouped(total(e))));
    let _ = writeln!(out, "<p>{}</p>", Escaped(&joined(totals, ", ")));
    let Some(&event) = whole.events.get(whole.first) else {
        return out;
    };
    let share = |count: i64| match total(event) {
        0 => String::new(),
        _ if !events.has_shares(event) => String::new(),
        total => format!("{:.2} %", count as f64 / total as f64 * 100.0),
    };
    let cell = |row: &[i64]| match events.count(row, event) {
        None => "<td>.</td><td></td>".to_owned(),
        Some(count) => format!("<td>{}</td><td>{}</td>", grouped(count), share(count)),
    };
    let name = Escaped(&shown(events.name(event))).to_string();
    let rows = whole.functions.len().min(ROWS);
    let _ = writeln!(
        out,
        "<table>\n<caption>The {rows} of {} functions with the largest self cost</caption>\n<thead><tr>\
         <th scope=\"col\" colspan=\"2\">{name}, self</th><th scope=\"col\" colspan=\"2\">{name}, inclusive</th>\
         <th scope=\"col\">calls</th><th scope=\"col\">function</th><th scope=\"col\">file</th></tr></thead>\n<tbody>",
        profile.functions.len()
    );
    for function in whole.functions.iter().take(ROWS) {
        let f = profile.function(function.id);
        let short = |name: &[u8]| Escaped(&names::middle(&shown(name), NAME)).to_string();
        let _ = writeln!(
            out,
            "<tr>{}{}<td>{}</td><th scope=\"row\">{}</th><td>{}</td></tr>",
            cell(function.self_cost.0),
            cell(function.inclusive.0),
            whole
                .counted(function.id, function.called)
                .map_or("not counted".into(), grouped),
            short(profile.name(f.name)) + whole.reach(function.id).words(),
            short(profile.name(f.file)),
        );
    }
    let _ = writeln!(out, "</tbody>\n</table>");
    out
}

/// The totals and the largest changes of a comparison.
pub(super) fn comparison(compared: &Compared<'_>, title: &str) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "<h1>{}</h1>", Escaped(title));
    let events = compared.difference.events();
    let Some(&event) = compared.events.get(compared.first) else {
        return out;
    };
    let name = Escaped(&shown(events.name(event))).to_string();
    let cells = |change: &Change| {
        let (old, new) = change.counts(events, event);
        let count = |count: Option<i64>| count.map_or(".".into(), grouped);
        format!(
            "<td>{}</td><td>{}</td><td>{}</td>",
            signed(change.delta(events, event)),
            count(old),
            count(new)
        )
    };
    let rows = compared.rows.len().min(ROWS);
    let _ = writeln!(
        out,
        "<table>\n<caption>The {rows} largest changes of self cost, {name}</caption>\n<thead><tr><th scope=\"col\">change</th>\
         <th scope=\"col\">old</th><th scope=\"col\">new</th><th scope=\"col\">function</th></tr></thead>\n<tbody>\n\
         <tr>{}<th scope=\"row\">the whole run</th></tr>",
        cells(&compared.difference.frame.total)
    );
    for row in compared.rows.iter().take(ROWS) {
        let name = names::middle(&shown(row.row.label().name.bytes()), NAME);
        let _ = writeln!(
            out,
            "<tr>{}<th scope=\"row\">{}</th></tr>",
            cells(&row.row.own),
            Escaped(&name)
        );
    }
    let _ = writeln!(out, "</tbody>\n</table>");
    out
}
