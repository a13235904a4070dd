//! What is hot, on one screen: as many functions and source lines as fit between the totals and what to type next.

use super::next::{Next, beyond_one, next};
use super::overview::{HotLine, Overview};
use super::surface::Surface;
use crate::analysis::{Selection, Session};
use crate::profile::{Events, Totals};
use crate::source::Finder;
use crate::text::escape::shown;
use crate::text::names;
use crate::text::number::{duration, grouped};
use std::borrow::Cow;
use std::path::PathBuf;

/// How many functions and lines it shows at least.
const ROWS: usize = 6;

/// The lines of a terminal that does not say how many it has.
const HEIGHT: usize = 24;

/// How many lines stand around totals, functions and source lines, the shell's prompt included.
const AROUND: usize = 11;

/// How wide the place of a source line is at most.
const PLACE: usize = 24;

/// The screen.
pub struct FirstScreen<'a> {
    /// The inputs as they were named.
    pub inputs: Vec<Cow<'a, str>>,
    /// What 100 % is.
    pub totals: &'a Totals,
    /// The totals of all events that show, as they stand.
    pub totals_in_lines: Vec<String>,
    /// The dearest functions and lines.
    pub overview: Overview<'a>,
    /// Where each of the lines is, `file.c:12`.
    pub places: Vec<String>,
    /// What each of them says, where its source was found.
    pub texts: Vec<Option<Vec<u8>>>,
    /// What to type next.
    pub commands: Vec<Next>,
}

impl<'a> FirstScreen<'a> {
    /// Fills the surface. Above the screen, `above` lines are taken already; `inputs` are named in the commands.
    pub fn new(
        session: &'a Session,
        selection: &Selection,
        finder: &Finder,
        surface: Surface,
        above: usize,
        inputs: &[PathBuf],
    ) -> FirstScreen<'a> {
        let profile = session.profile();
        let totals = totals_in_lines(&profile.events, selection, &profile.totals, surface.width);
        let room = surface.height.unwrap_or(HEIGHT).saturating_sub(AROUND + above + totals.len()).max(ROWS);
        let look = |room: usize| Overview::new(profile, selection, session.inclusive(), room - room / 3, room / 3);
        let mut overview = look(room);
        let commands = |width| match selection.sort.first() {
            Some(&event) => next(&overview, &profile.events, event, inputs, width),
            None => Vec::new(),
        };
        // Broken lines keep commands whole, at the cost of rows; they are not to take most of the screen.
        let broken = commands(surface.width);
        let left = room.saturating_sub(beyond_one(&broken));
        let commands = if left < ROWS { commands(None) } else { broken };
        if (ROWS..room).contains(&left) {
            overview = look(left);
        }
        FirstScreen {
            inputs: profile.input_names().collect(),
            totals: &profile.totals,
            totals_in_lines: totals,
            places: overview.lines.iter().map(place).collect(),
            texts: overview.lines.iter().map(|line| text(line, finder)).collect(),
            overview,
            commands,
        }
    }
}

/// What a line of a source says.
fn text(hot: &HotLine<'_>, finder: &Finder) -> Option<Vec<u8>> {
    let source = finder.open(hot.file).ok()?;
    let at = usize::try_from(hot.line).ok()?.checked_sub(1)?;
    source.lines().nth(at).map(|text| text.trim_ascii().to_vec())
}

/// The totals of all events that show, in as many lines as that takes.
fn totals_in_lines(events: &Events, selection: &Selection, totals: &Totals, width: Option<usize>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for &event in &selection.show {
        let count = events.count(&totals.row, event).unwrap_or(0);
        let count = match events.tick(event) {
            Some(tick) => duration(count, tick),
            None => u64::try_from(count).map_or_else(|_| count.to_string(), grouped),
        };
        let piece = format!("{} {count}", shown(events.name(event)));
        match lines.last_mut() {
            Some(line) if width.is_none_or(|width| names::width(line) + 2 + names::width(&piece) <= width) => {
                line.push_str("  ");
                line.push_str(&piece);
            }
            _ => lines.push(piece),
        }
    }
    lines
}

/// `file.c:12`, without folders.
fn place(line: &HotLine<'_>) -> String {
    let number = format!(":{}", line.line);
    let file = shown(line.file);
    names::middle(names::base(&file), PLACE.saturating_sub(number.len())) + &number
}
