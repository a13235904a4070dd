//! Writes folded stacks for flame-graph tools, one per line: `main;decode;malloc 1200`.

use super::frames::text;
use crate::{
    analysis::{Basis, Stacks},
    profile::Profile,
};
use std::io::{self, Write};

/// The outermost frame of estimated stacks. The format has no other way to mark them.
const ESTIMATED: &str = "(stacks estimated from calls)";

/// Writes all stacks with a self cost.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(profile: &Profile, stacks: &Stacks, mut out: impl Write) -> io::Result<()> {
    let mut line = String::new();
    // The end of each open frame in the line.
    let mut ends: Vec<usize> = Vec::new();
    for stack in &stacks.stacks {
        ends.truncate(stack.depth as usize);
        line.truncate(ends.last().copied().unwrap_or(0));
        if line.is_empty() && stacks.basis == Basis::Estimated {
            line.push_str(ESTIMATED);
        }
        if !line.is_empty() {
            line.push(';');
        }
        // A `;` would begin another frame.
        line.extend(
            text(profile, stack.frame)
                .chars()
                .map(|c| if c == ';' { ':' } else { c }),
        );
        ends.push(line.len());
        if stack.own != 0 {
            writeln!(out, "{line} {}", stack.own)?;
        }
    }
    Ok(())
}
