//! Writes stacks as a flame graph: one SVG with a script to search it and to enlarge a frame, which
//! loads nothing. Frames are as wide as their cost, their callees above them. A frame whose cost is
//! not exact is paler.

use super::frames::text;
use crate::analysis::stacks::{Basis, Stacks};
use crate::profile::{Profile, to_text};
use crate::text::markup::xml;
use crate::text::number::grouped_signed;
use std::io::{self, Write};

/// The size of the picture and of a frame, in pixels.
const WIDTH: f64 = 1200.0;
const ROW: u32 = 17;

/// Narrower frames are not drawn: no screen shows them.
const LEAST_WIDTH: f64 = 0.1;

/// Writes all stacks. `event` is the name of their event.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    profile: &Profile,
    stacks: &Stacks,
    event: &[u8],
    mut out: impl Write,
) -> io::Result<()> {
    let (whole, event) = (stacks.certain.of, xml(&to_text(event)));
    let on_screen = |cost: i128| cost as f64 / whole.max(1) as f64 * WIDTH;
    let drawn = stacks
        .stacks
        .iter()
        .filter(|stack| on_screen(stack.total) >= LEAST_WIDTH);
    let rows = drawn.map(|stack| stack.depth + 1).max();
    let height = (rows.unwrap_or(0) + 2) * ROW;
    let about = match stacks.basis {
        Basis::Recorded | Basis::Flat => event.clone(),
        Basis::Estimated => format!(
            "{event}, estimated: the stacks of {} of the self cost are certain, and pale frames are not exact",
            stacks.certain.percent()
        ),
    };
    let command = xml(&to_text(profile.command()));
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n\
         <style>{}</style>\n<text class=\"about\" x=\"4\" y=\"13\">{command}: {about} (/ searches)</text>\n<g id=\"frames\">",
        include_str!("flamegraph.css")
    )?;
    // The right end of what is drawn of each open frame.
    let mut ends: Vec<i128> = vec![0];
    for stack in &stacks.stacks {
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
        let (bounds, class) = if known.is_exact() {
            (String::new(), "exact")
        } else {
            let [least, most] = [known.least(), known.most()].map(share);
            (format!(", certainly {least:.1} to {most:.1} %"), "about")
        };
        let name = xml(&name);
        let y = height - (stack.depth + 2) * ROW;
        writeln!(
            out,
            "<svg class=\"{class}\" x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\"><title>{name}: {} {event} ({:.1} %{bounds})</title>\
             <rect width=\"100%\" height=\"100%\" fill=\"hsl({} 80% 62%)\"/><text x=\"3\" y=\"12\">{name}</text></svg>",
            ROW - 1,
            grouped_signed(i64::try_from(stack.total).unwrap_or(i64::MAX)),
            share(stack.total),
            hue % 55
        )?;
    }
    writeln!(
        out,
        "</g>\n<script><![CDATA[\n{}]]></script>\n</svg>",
        include_str!("flamegraph.js")
    )
}
