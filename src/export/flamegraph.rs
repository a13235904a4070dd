//! Writes stacks as a flame graph: one SVG with a script to search it and to enlarge a frame, which
//! loads nothing. Frames are as wide as their cost, their callees above them. A frame whose cost is
//! not exact is paler.

use super::frames::text;
use crate::{
    analysis::stacks::{Basis, Stacks},
    profile::{Profile, to_text},
    text::{
        markup::xml,
        number::{grouped, signed},
    },
    view::whole::StacksBefore,
};
use std::io::{self, Write};

/// The size of the picture and of a frame, in pixels.
const WIDTH: f64 = 1200.0;
const ROW: u32 = 17;

/// Narrower frames are not drawn: no screen shows them.
const LEAST_WIDTH: f64 = 0.1;

/// Writes all stacks. `event` is the name of their event. In a comparison, `since` has their costs in
/// the old run. The color of a frame is then its change: red is more expensive, blue is cheaper.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    profile: &Profile,
    stacks: &Stacks,
    event: &[u8],
    since: Option<&StacksBefore>,
    mut out: impl Write,
) -> io::Result<()> {
    let (whole, event) = (stacks.certain.of, xml(&to_text(event)));
    let on_screen = |cost: i128| cost as f64 / whole.max(1) as f64 * WIDTH;
    let drawn = stacks
        .stacks
        .iter()
        .filter(|stack| on_screen(stack.total) >= LEAST_WIDTH);
    let rows = drawn.map(|stack| stack.depth + 1).max();
    let height = (rows.unwrap_or(0) + 3) * ROW;
    let about = match stacks.basis {
        Basis::Recorded | Basis::Flat => event.clone(),
        Basis::Estimated => format!(
            "{event}, estimated: the stacks of {} of the self cost are certain, and pale frames are not exact",
            stacks.certain.percent()
        ),
    };
    let help = since.map_or("/ searches, Escape goes back".into(), |(_, gone)| {
        let gone = grouped(*gone);
        format!("red frames are more expensive than in the old run, blue ones cheaper; stacks of {gone} {event} are gone")
    });
    let command = xml(&to_text(profile.command()));
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n\
         <style>{}</style>\n<text class=\"about\" x=\"4\" y=\"13\">{command}: {about}</text>\n\
         <text class=\"about\" x=\"4\" y=\"30\">{help}</text>\n<g id=\"frames\">",
        include_str!("flamegraph.css")
    )?;
    // The right end of what is drawn of each open frame.
    let mut ends: Vec<i128> = vec![0];
    for (at, stack) in stacks.stacks.iter().enumerate() {
        ends.truncate(stack.depth as usize + 1);
        let left = ends.pop().unwrap_or(0);
        ends.extend([left + stack.total, left + stack.own]);
        let [x, width] = [left, stack.total].map(on_screen);
        if width < LEAST_WIDTH {
            continue;
        }
        let name = text(profile, stack.frame);
        let hue = name.bytes().fold(0u32, |hue, byte| {
            hue.wrapping_mul(31).wrapping_add(byte.into())
        });
        let known = stack.total_known;
        let share = |cost: i128| cost as f64 * 100.0 / whole.max(1) as f64;
        let before = since.map(|(before, _)| before[at]);
        let mut words = String::new();
        if !known.is_exact() {
            let [least, most] = [known.least, known.most].map(share);
            words = format!(", certainly {least:.1} to {most:.1} %");
        }
        let class = match before.map_or(known.is_exact(), |(_, is_exact)| is_exact) {
            true => "exact",
            false => "about",
        };
        let mut color = format!("{} 80% 62%", hue % 55);
        if let Some((old, _)) = before {
            let change = stack.total - old;
            words += &format!(", {} since the old run", signed(change));
            let paler = change.abs() as f64 / stack.total.max(old) as f64;
            let hue = if change > 0 { 10 } else { 215 };
            color = format!("{hue} 80% {:.0}%", 94.0 - 40.0 * paler);
        }
        let name = xml(&name);
        let y = height - (stack.depth + 2) * ROW;
        writeln!(
            out,
            "<svg class=\"{class}\" x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\"><title>{name}: {} {event} ({:.1} %{words})</title>\
             <rect width=\"100%\" height=\"100%\" fill=\"hsl({color})\"/><text x=\"3\" y=\"12\">{name}</text></svg>",
            ROW - 1,
            grouped(stack.total),
            share(stack.total)
        )?;
    }
    writeln!(
        out,
        "</g>\n<script><![CDATA[\n{}]]></script>\n</svg>",
        include_str!("flamegraph.js")
    )
}
