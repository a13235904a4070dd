//! Writes the call graph in Graphviz's DOT language.

use crate::{
    analysis::callgraph::{CallGraph, GraphFunction},
    profile::to_text,
    text::{grouped, how_many, without_controls},
};
use std::io::{self, Write};

/// Names in the picture are cut to this many characters. The tooltip has the whole name.
const LONGEST: usize = 80;

/// Writes the graph. `title` names the profile, and `event` is the name of the event.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(graph: &CallGraph, title: &str, event: &str, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quoted(title))?;
    let caption = format!(
        "{event}: inclusive and self cost, {} in all; {} and {} are omitted",
        grouped(graph.total),
        how_many(graph.left_out.0, "function"),
        how_many(graph.left_out.1, "arc")
    );
    writeln!(
        out,
        "  graph [label={}, labelloc=t, fontname=\"sans-serif\"];",
        quoted(&caption)
    )?;
    writeln!(
        out,
        "  node [shape=box, fontname=\"sans-serif\", fontsize=10];"
    )?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=9];")?;
    for (at, node) in graph.nodes.iter().enumerate() {
        let width = 0.5 + 3.0 * share(node.own, graph.total);
        let (label, tip) = (quoted(&label(node, graph.total)), quoted(&whole_name(node)));
        writeln!(
            out,
            "  n{at} [label={label}, tooltip={tip}, penwidth={width:.2}];"
        )?;
    }
    for edge in &graph.edges {
        let width = 0.5 + 4.0 * share(edge.cost, graph.total);
        let cost = percent(edge.cost, graph.total);
        let label = quoted(&format!("{cost}\n{}x", grouped(edge.count)));
        writeln!(
            out,
            "  n{} -> n{} [label={label}, penwidth={width:.2}];",
            edge.caller, edge.callee
        )?;
    }
    writeln!(out, "}}")
}

fn label(node: &GraphFunction, total: i64) -> String {
    let name = to_text(node.label.name.bytes());
    let mut short: String = name.chars().take(LONGEST).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    let cycle = node.label.cycle_mark();
    // The root is not called by anything in the profile.
    let called = if node.called > 0 {
        format!("\n{}x", grouped(node.called))
    } else {
        String::new()
    };
    format!(
        "{short}{cycle}\n{}\nself {}{called}",
        percent(node.inclusive, total),
        percent(node.own, total)
    )
}

fn whole_name(node: &GraphFunction) -> String {
    let object = node
        .label
        .object
        .map_or(String::new(), |object| format!(" [{}]", to_text(object)));
    format!(
        "{}:{}{object}",
        to_text(node.label.file),
        to_text(node.label.name.bytes())
    )
}

fn percent(cost: i64, total: i64) -> String {
    match total {
        0 => grouped(cost),
        _ => format!(
            "{} ({:.2}%)",
            grouped(cost),
            cost as f64 * 100.0 / total as f64
        ),
    }
}

/// A fraction of the total, from 0 to 1.
fn share(cost: i64, total: i64) -> f64 {
    if total == 0 {
        0.0
    } else {
        (cost as f64 / total as f64).clamp(0.0, 1.0)
    }
}

/// A quoted string in DOT. In labels a backslash begins an escape: `\n` ends a line.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(without_controls(c, '\u{fffd}')),
        }
    }
    out.push('"');
    out
}
