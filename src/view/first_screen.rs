//! Fills the first screen: the functions and source lines that fit between the totals and the
//! suggested commands.

use super::{
    Age, Surface,
    figures::{self, Figures, PercentColumns},
    next::{Again, Next, Typed, next},
    overview::{Hot, HotLine, Overview, Whose},
    sources::line_texts,
};
use crate::{
    analysis::{Cost, Folds, Selection, Session},
    profile::{Event, Events, Profile, Totals},
    source::{Finder, PAST_END},
    text::{names, shown, wrapped},
};
use std::borrow::Cow;

/// The screen has at least this many functions and lines; other parts are dropped for them.
const ROWS: usize = 6;

/// The assumed height of a terminal of unknown height.
const HEIGHT: usize = 24;

/// The most columns of a source line's place.
const PLACE: usize = 24;

/// The columns reserved for names if only one event has columns.
const NAMES: usize = 20;

/// The columns reserved for names before further events get columns.
const NAMES_BESIDE_MORE: usize = 30;

/// The contents of the first screen.
pub struct FirstScreen<'a> {
    /// The inputs as the user named them; empty if they do not fit.
    pub inputs: Vec<Cow<'a, str>>,
    /// The totals, which are 100 %.
    pub totals: &'a Totals,
    /// The totals of all shown events, as text.
    pub totals_in_lines: Vec<String>,
    /// The hottest functions and lines.
    pub overview: Overview<'a>,
    /// The events whose self costs are shown.
    pub own: Vec<Event>,
    /// The word for self costs: "own" if library code is attributed to its callers.
    pub own_word: &'static str,
    /// The events whose inclusive costs are shown.
    pub inclusive: Vec<Event>,
    /// Which counts have percentages.
    pub shares: PercentColumns,
    /// The place of each line: `file.c:12`.
    pub places: Vec<String>,
    /// The text of each line if its source was found, and whether the source is newer than the
    /// profile.
    pub texts: Vec<Option<(Age, Vec<u8>)>>,
    /// Suggested commands.
    pub commands: Vec<Next>,
    /// Whether costs of shown events are not attributed to any function.
    pub nowhere: bool,
    /// Remarks about what did not fit.
    pub missing: Vec<String>,
    /// Whether blank lines separate the parts.
    pub spacing: Spacing,
}

/// The space between the parts of the screen.
#[derive(Clone, Copy)]
pub enum Spacing {
    /// A blank line.
    Blank,
    /// None: the screen is too low.
    Tight,
}

/// The options of the first screen.
pub struct ScreenOptions<'s> {
    /// Events, order and filters.
    pub selection: &'s Selection,
    /// Whether the user chose the events. If not, the sort event comes first.
    pub is_asked: bool,
    /// Which counts should have percentages.
    pub shares: PercentColumns,
    /// The cost that orders functions.
    pub by: Cost,
    /// The finder of sources.
    pub finder: &'s Finder,
    /// The surface.
    pub surface: Surface,
    /// How many lines of the surface are already used.
    pub above: usize,
    /// The options that suggested commands repeat.
    pub again: &'s Again,
    /// The options of this page that other pages also take.
    pub typed: &'s Typed,
    /// Options that would show what is inlined into your code; empty if they were given.
    pub to_inlined: &'s [&'s str],
}

impl<'a> FirstScreen<'a> {
    /// Fills the surface.
    pub fn new(session: &'a Session, look: &ScreenOptions<'_>) -> FirstScreen<'a> {
        let profile = session.profile();
        let (selection, surface) = (look.selection, look.surface);
        let height = surface.height.unwrap_or(HEIGHT);
        let hot = Hot::new(session, selection, look.by, height.max(ROWS));
        let mut totals_in_lines = totals_in_lines(
            &profile.events,
            selection,
            &profile.totals.row,
            surface.width,
        );
        let own_word = figures::own_word(session);
        let (own, inclusive, shares, missing) = columns(profile, look, own_word);
        let missing = missing.map(|text| wrapped(&text, surface.width.unwrap_or(usize::MAX)));
        let missing = missing.iter().flat_map(|text| text.lines());
        let mut missing: Vec<String> = missing.map(str::to_owned).collect();

        // The commands are about one function, whether or not it has room.
        let to_inlined = hot.inlined().map_or(&[][..], |_| look.to_inlined);
        let hottest = hot.first(|file| look.finder.open(file).is_ok());
        // Its lines then have the costs that they have here.
        let in_zoom = match hot.whose {
            Whose::Own => to_inlined.get(..1).unwrap_or_default(),
            Whose::All => &[],
        };
        let mut commands = next(
            hottest.map(|name| (name, in_zoom)),
            to_inlined,
            (look.again, look.typed),
            surface.width,
        );
        // The shell's prompt takes a line.
        let room = height.saturating_sub(1 + look.above);
        let nowhere = hot.has_nowhere(&own);
        let needs = Needs {
            totals: totals_in_lines.len(),
            commands: &commands,
            missing: missing.len(),
            hot: &hot,
            nowhere,
        };
        let (plan, rows) = needs.plan(room);
        // A request for your code with inlined functions is a request for lines.
        let usual = if session.folds().is_some_and(Folds::knows_inlined) {
            rows * 2 / 3
        } else {
            rows / 3
        };
        let beside = rows.saturating_sub(hot.functions.len());
        let line_rows = if plan.lines {
            hot.lines.len().min(usual.max(beside))
        } else {
            0
        };
        let function_rows = match selection.narrow.rows {
            // The user asked for this number, even if it does not fit.
            Some(asked) => asked,
            None => rows - line_rows,
        };
        totals_in_lines.truncate(plan.totals);
        commands.truncate(plan.commands);
        missing.truncate(if plan.missing { missing.len() } else { 0 });
        let overview = hot.cut(function_rows, line_rows);
        let places = || overview.lines.iter().map(|line| (line.file, line.line));
        let found = line_texts(places(), look.finder);
        let text = |place| {
            let (age, text) = found.get(&place)?;
            let text = text.as_deref().unwrap_or(PAST_END.as_bytes());
            Some((*age, text.trim_ascii().to_vec()))
        };
        FirstScreen {
            inputs: if plan.title {
                profile.input_names().collect()
            } else {
                Vec::new()
            },
            totals: &profile.totals,
            totals_in_lines,
            own,
            own_word,
            inclusive,
            shares,
            places: overview.lines.iter().map(place).collect(),
            texts: places().map(text).collect(),
            overview,
            commands,
            nowhere,
            missing,
            spacing: if plan.blanks {
                Spacing::Blank
            } else {
                Spacing::Tight
            },
        }
    }
}

/// The sizes of the screen's parts, in lines.
struct Needs<'n> {
    totals: usize,
    commands: &'n [Next],
    missing: usize,
    hot: &'n Hot<'n>,
    nowhere: bool,
}

/// The parts of the screen that are shown.
#[derive(Clone, Copy)]
struct Plan {
    title: bool,
    totals: usize,
    blanks: bool,
    lines: bool,
    commands: usize,
    missing: bool,
    /// The plan is used only if it leaves this many rows of functions and lines.
    least: usize,
}

impl Needs<'_> {
    /// Chooses the parts that fit, and the number of rows. Parts are dropped in this order:
    /// commands, one by one; remarks about missing columns; source lines; totals of further events;
    /// blank lines; everything but the functions.
    fn plan(&self, room: usize) -> (Plan, usize) {
        let all = self.commands.len();
        let whole = Plan {
            title: true,
            totals: self.totals,
            blanks: true,
            lines: !self.hot.lines.is_empty(),
            commands: all,
            missing: true,
            least: ROWS,
        };
        let none = Plan {
            commands: 0,
            ..whole
        };
        let silent = Plan {
            missing: false,
            least: ROWS - 1,
            ..none
        };
        let short = Plan {
            lines: false,
            least: 3,
            ..silent
        };
        let plain = Plan {
            totals: self.totals.min(1),
            ..short
        };
        let tight = Plan {
            blanks: false,
            least: 2,
            ..plain
        };
        let bare = Plan {
            title: false,
            totals: 0,
            ..tight
        };
        let rows = self.hot.functions.len() + self.hot.lines.len();
        let plans = (1..=all).rev().map(|commands| Plan { commands, ..whole });
        let mut plans = plans.chain([none, silent, short, plain, tight]);
        let fits = |plan: &Plan| room >= self.lines(plan) + plan.least.min(rows);
        let plan = plans.find(fits).unwrap_or(bare);
        (plan, room.saturating_sub(self.lines(&plan)).max(1))
    }

    /// The lines of a plan without those rows. They include headings, the row of unlisted
    /// functions, and the row of costs not attributed to any function.
    fn lines(&self, plan: &Plan) -> usize {
        let blank = usize::from(plan.blanks);
        let commands: usize = self
            .commands
            .iter()
            .take(plan.commands)
            .map(|next| next.lines.len())
            .sum();
        let missing = if plan.missing { self.missing } else { 0 };
        let head = usize::from(plan.title) + plan.totals;
        head + if head > 0 { blank } else { 0 }
            + 2
            + usize::from(self.nowhere)
            + if plan.lines {
                let hot = self.hot;
                1 + blank
                    + usize::from(hot.unplaced.is_some())
                    + usize::from(hot.inlined().is_some())
            } else {
                0
            }
            + commands
            + missing
            + if commands + missing > 0 { blank } else { 0 }
    }
}

/// Chooses the self costs, inclusive costs and percentages that fit, with a remark about the
/// others. Self costs come before inclusive costs. If the user chose no events, the first event's
/// inclusive cost comes before other events.
fn columns(
    profile: &Profile,
    look: &ScreenOptions<'_>,
    own_word: &str,
) -> (Vec<Event>, Vec<Event>, PercentColumns, Option<String>) {
    let events = &profile.events;
    let selection = look.selection;
    let mut show = selection.show.clone();
    if let (false, Some(first)) = (look.is_asked, selection.sort.first()) {
        show.retain(|event| event != first);
        show.insert(0, *first);
    }
    let own = show.iter().map(|&event| (event, Cost::Own));
    let mut wanted: Vec<(Event, Cost)> = own.collect();
    match (look.is_asked, wanted.first().copied()) {
        _ if !profile.has_inclusive() => {}
        (true, _) => wanted.extend(show.iter().map(|&event| (event, Cost::Inclusive))),
        (false, Some((first, _))) => wanted.insert(1, (first, Cost::Inclusive)),
        (false, None) => {}
    }
    let longest = super::totals::longest(events, [&profile.totals.row[..]]);
    let width = |at: usize, share: bool| {
        let (event, cost) = wanted[at];
        let share = share && events.has_shares(event);
        1 + figures::width(events, event, &longest, share).max(names::width(&title(
            events,
            event,
            (cost, own_word),
            show.len(),
        )))
    };
    let first = |at: usize| wanted[at].0 == wanted[0].0;
    let fit = |names: usize| match look.surface.width {
        // Another blank separates figures and names.
        Some(screen) => Figures::fit(
            wanted.len(),
            1,
            look.shares,
            screen.saturating_sub(names + 1),
            first,
            width,
        ),
        None => Figures {
            columns: wanted.len(),
            shares: look.shares,
        },
    };
    let fitting = match fit(NAMES_BESIDE_MORE) {
        Figures { columns: 0..=2, .. } => {
            let tight = fit(NAMES);
            Figures {
                columns: tight.columns.min(2),
                ..tight
            }
        }
        fitting => fitting,
    };
    let chosen = |cost: Cost| {
        let columns = wanted
            .iter()
            .take(fitting.columns)
            .filter(move |column| column.1 == cost);
        columns.map(|column| column.0).collect::<Vec<Event>>()
    };
    let name = |event: &Event| shown(events.name(*event));
    let own = chosen(Cost::Own);
    let names: Vec<String> = show.iter().map(name).collect();
    let of_events = Figures {
        columns: own.len(),
        ..fitting
    };
    // On a narrow screen a remark about a single event would say nothing new.
    let missing = if names.len() > 1 {
        of_events.missing(&names, look.shares)
    } else {
        None
    };
    (own, chosen(Cost::Inclusive), fitting.shares, missing)
}

/// The heading of a cost column. Self costs have the word `own_word`.
pub(crate) fn title(
    events: &Events,
    event: Event,
    (cost, own_word): (Cost, &str),
    of: usize,
) -> String {
    let name = shown(figures::name(events, event));
    match cost {
        Cost::Own => format!("{name} {own_word}"),
        Cost::Inclusive if of > 1 => format!("{name} incl."),
        Cost::Inclusive => "inclusive".into(),
    }
}

/// The totals of all shown events, in as many lines as needed.
pub(crate) fn totals_in_lines(
    events: &Events,
    selection: &Selection,
    totals: &[i64],
    width: Option<usize>,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for &event in &selection.show {
        let count = match events.count(totals, event) {
            None if event.is_ratio() => ".".into(),
            count => figures::said(events, event, count.unwrap_or(0).into()),
        };
        let piece = format!("{} {count}", shown(figures::name(events, event)));
        match lines.last_mut() {
            Some(line)
                if width
                    .is_none_or(|width| names::width(line) + 2 + names::width(&piece) <= width) =>
            {
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
