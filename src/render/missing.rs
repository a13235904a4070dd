//! Source files that were not found, by the place they would be in, each with what would find them: for people, who would
//! not read a list. Part of a report and of a comparison.

use crate::source::missing::Missing;
use crate::text::escape::shown;
use crate::text::names;
use crate::text::number::grouped;
use crate::text::style::{Style, styled};
use std::io;
use termcolor::WriteColor;

/// A line or two for each group, in lines of so much width.
pub(super) fn by_root(out: &mut impl WriteColor, groups: &[Missing], room: Option<usize>) -> io::Result<()> {
    let cut = |path: &[u8], used: usize| match room {
        Some(room) => names::middle(&shown(path), room.saturating_sub(used)),
        None => String::from_utf8_lossy(path).into_owned(),
    };
    for group in groups {
        match &group.files[..] {
            [] => continue,
            [file] => {
                let file = cut(file, "  1 file: ".len());
                writeln!(out, "  1 file: {file}")?;
            }
            [first, ..] => {
                let below = first.strip_prefix(&group.root[..]).and_then(|rest| rest.strip_prefix(b"/"));
                let place = format!("  {} files below {}, as ", grouped(group.files.len() as u64), shown(&group.root));
                let example = cut(below.unwrap_or(first), names::width(&place));
                writeln!(out, "{place}{example}")?;
            }
        }
        let lines = names::command(&group.hint.to_string(), room.map(|room| room.saturating_sub(6)));
        for line in lines {
            out.write_all(b"      ")?;
            styled(out, Style::Hint, |out| out.write_all(line.as_bytes()))?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}
