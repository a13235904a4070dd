//! Draws the model. It makes only the visible rows.

use super::{
    Canvas, Mode, Model,
    canvas::{Area, Paint},
    command::command,
    help,
    place::{Lens, Pane, Place, Screen, Within},
    row::{Row, RowCell, RowColumn, RowCost, RowSettings, TextKind},
    sheet::Sheet,
    stacks::Icicle,
};
use crate::{
    analysis::{Folds, GroupBy},
    profile::joined,
    text::{
        Style, escape, grouped,
        names::{base, front, middle, shorten, truncated, width},
        number::{amount, percent, push_share, signed_amount},
    },
};
use std::cmp::Ordering;

/// Names keep at least this many columns; number columns that do not fit are omitted.
const NAMES: usize = 24;

/// The keys named on the message line while it is free; `draw` takes the first text that fits.
const HINTS: [&str; 3] = [
    "? keys  / filter  Enter in  Backspace out  q quit",
    "? keys  / filter  Enter in  q quit",
    "? keys",
];

/// The column where the right pane begins.
pub(super) fn split(width: u16) -> u16 {
    width / 2 + 1
}

/// Which attributes the terminal gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// The colours that every terminal has.
    Basic,
    /// Only bold, dim and reverse.
    None,
}

/// Draws the whole screen.
pub fn draw(model: &Model<'_>, colours: Colours, canvas: &mut Canvas) {
    let area = canvas.area();
    if area.width < 4 || area.height < 3 {
        return;
    }
    let pen = &mut Pen { colours, canvas };
    let here = model.spot.here();
    let room = usize::from(area.width);
    let heading = heading(model, room);
    pen.line(area.y, area, &heading, Some(Style::Heading));
    let body = Area {
        y: area.y + 1,
        height: area.height.saturating_sub(3),
        ..area
    };
    if let Mode::Help(top) = model.mode {
        keys(model, top, body, pen);
    } else if model.is_wide() {
        let at = split(area.width);
        let left = Area {
            width: at - 1,
            ..body
        };
        pane(model, Pane::Left, left, pen);
        let between = Area {
            x: at - 1,
            width: 1,
            ..body
        };
        for y in body.y..body.bottom() {
            pen.line(y, between, "│", Some(Style::Dim));
        }
        pane(model, Pane::Right, body.after(body.x + at), pen);
    } else {
        pane(model, model.spot.focus, body, pen);
    }
    let (text, style) = match (&model.mode, &model.said) {
        (Mode::Filter(_), _) => (format!("/{}▏", escape::text(&here.filter)), None),
        (Mode::Command(text), _) => (format!(":{}▏", escape::text(text)), None),
        (Mode::Write(text), _) => (format!("write to: {}▏", escape::text(text)), None),
        (_, Some(said)) => (escape::text(said).into_owned(), Some(Style::Warning)),
        (Mode::Help(top), _) => {
            let (all, rows) = (
                help::lines(model.kind(), room).len(),
                usize::from(body.height),
            );
            let text = match all > rows {
                true => format!(
                    "{} to {} of {all}: Down, Up; any other key goes back",
                    top + 1,
                    all.min(top + rows)
                ),
                false => "any other key goes back".into(),
            };
            (text, Some(Style::Dim))
        }
        _ => {
            let keys = HINTS.iter().find(|keys| width(keys) <= room).unwrap_or(&"");
            ((*keys).to_owned(), Some(Style::Dim))
        }
    };
    pen.line(area.bottom() - 2, area, &text, style);
    let command = match command(model.lenses, model.event, model.changes, here) {
        Ok(command) => format!("$ {}", escape::text(&command)),
        Err(why) => format!("({why})"),
    };
    let shown = truncated(&command, room);
    pen.line(area.bottom() - 1, area, &shown, Some(Style::Hint));
}

/// Describes which functions a list holds.
fn functions(within: &Within, look: RowSettings<'_>) -> String {
    match within {
        Within::All => "functions".to_owned(),
        Within::Group(by, name) => {
            let name = look.data.shown_group(*by, name);
            format!("functions of {} {}", by.nouns()[0], escape::shown(name))
        }
        Within::Cycle(at) => format!("functions of cycle {}", at + 1),
        Within::Marked(_) => "marked functions".to_owned(),
    }
}

/// Describes the profile and the current screen.
fn heading(model: &Model<'_>, room: usize) -> String {
    let here = model.spot.here();
    let look = model.look(here);
    let what = match &here.screen {
        Screen::Functions(within) => functions(within, look),
        Screen::Gone(within) if *within != Within::All => {
            format!("gone {}", functions(within, look))
        }
        Screen::Calls(id) | Screen::Source(id) | Screen::Instructions(id) => {
            format!("{} of {}", here.screen.kind().name(), look.function(*id).0)
        }
        Screen::Stacks(_, Some(_)) => "stacks inside a frame".to_owned(),
        Screen::Stacks(Some(id), None) => {
            format!("stacks around {}", look.function(*id).0)
        }
        other => other.kind().name().to_owned(),
    };
    let own = match here.lens {
        Lens::Whole | Lens::Folded => "",
        Lens::Own | Lens::OwnFolded => ", only your code",
        Lens::Inlined if look.data.session.folds().is_some_and(Folds::knows_inlined) => {
            ", your code with inlined functions"
        }
        Lens::Inlined => ", only your code (inlined functions are not known)",
    };
    let folded = if here.lens.is_folded() {
        ", recursion folded"
    } else {
        ""
    };
    let filter = if here.filter.is_empty() {
        String::new()
    } else {
        format!(" with \"{}\"", escape::text(&here.filter))
    };
    let title = format!("{what}{filter}{own}{folded}");
    let sheet = model.sheet();
    let rows = match sheet {
        Sheet::Waiting => "…".to_owned(),
        Sheet::Stacks(..) | Sheet::Nothing(_) => String::new(),
        Sheet::Rows(rows) if rows.len() == 0 => "no rows".to_owned(),
        Sheet::Rows(rows) => {
            let (at, of) = rows.position(here.row);
            let of = of.map_or("…".to_owned(), grouped);
            format!("{}/{of}", grouped(at))
        }
    };
    let end = format!("{}  {rows}", look.event_name());
    let left = room.saturating_sub(width(&end) + 2);
    let title = middle(&title, left);
    format!(
        "{title}{}  {end}",
        " ".repeat(left.saturating_sub(width(&title)))
    )
}

/// Draws the list of keys.
fn keys(model: &Model<'_>, top: usize, area: Area, pen: &mut Pen<'_>) {
    let lines = help::lines(model.kind(), usize::from(area.width));
    for ((names, does), y) in lines.iter().skip(top).zip(area.y..area.bottom()) {
        let x = pen.line(y, area, names, Some(Style::Call));
        pen.line(y, area.after(x), does, None);
    }
}

/// Draws one pane: its column titles and rows.
fn pane(model: &Model<'_>, which: Pane, area: Area, pen: &mut Pen<'_>) {
    let (place, sheet) = model.pane(which);
    let look = model.look(place);
    if let Sheet::Stacks(icicle, root) = sheet {
        return frames(icicle, *root, place, look, area, pen);
    }
    let height = usize::from(area.height.saturating_sub(1));
    let rows: Vec<Row> = (place.top..place.top + height)
        .map_while(|at| sheet.row(at, look))
        .collect();
    let columns = sheet
        .rows()
        .map_or_else(Vec::new, |rows| rows.columns(look));
    let widths = fitted(&columns, &rows, look, usize::from(area.width));
    let head = widths
        .iter()
        .map(|fit| format!("{:>width$}", fit.title(&columns), width = fit.width));
    let head = format!(" {} ", joined(head, " "));
    pen.line(area.y, area, &head, Some(Style::Dim));
    for ((row, y), at) in rows.iter().zip(area.y + 1..).zip(place.top..) {
        let is_here = at == place.row && which == model.spot.focus;
        let is_marked = || {
            sheet
                .function(at)
                .is_some_and(|id| model.marked.contains(&(place.lens, id)))
        };
        let mark = match at == place.row {
            true if is_here => ">",
            _ if !model.marked.is_empty() && is_marked() => "*",
            true => "·",
            false => " ",
        };
        let area = Area {
            y,
            height: 1,
            ..area
        };
        draw_row(row, &widths, area, mark, pen);
        if is_here {
            pen.canvas.reverse(area);
        }
    }
    if rows.is_empty() {
        let words = match (sheet, place.filter.is_empty()) {
            (Sheet::Waiting, _) => "…",
            (Sheet::Nothing(why), _) => why,
            (_, false) => "no name contains this; Esc shows all again",
            _ if matches!(
                place.screen,
                Screen::Functions(Within::Group(GroupBy::File, _))
            ) =>
            {
                "no function is defined in this file: its code was inlined into others"
            }
            (_, true) => "nothing to show",
        };
        pen.line(area.y + 1, area, words, Some(Style::Dim));
    }
}

/// Draws stacks, one row per depth, and below them a description of the frame at the cursor.
fn frames(
    icicle: &Icicle,
    root: Option<usize>,
    place: &Place,
    look: RowSettings<'_>,
    area: Area,
    pen: &mut Pen<'_>,
) {
    pen.line(area.y, area, &icicle.basis, Some(Style::Dim));
    let rows = usize::from(area.height.saturating_sub(3));
    let profile = look.data.profile();
    for span in icicle.spans(root, place.row, area.width, place.top..place.top + rows) {
        let y = area.y + 1 + (span.depth - place.top) as u16;
        let (x, room) = (area.x + span.from, span.to - span.from);
        let name = icicle.name(profile, span.frame);
        // The first cell separates adjacent frames, also without colours.
        let text = match room {
            1 => "▏".to_owned(),
            room => format!("▏{}", shorten(&name, usize::from(room) - 1)),
        };
        let (cost, total) = icicle.share(span.frame);
        let hot = |count: i128| i64::try_from(count).unwrap_or(i64::MAX);
        let style = Style::of_share(hot(cost), hot(total));
        let cells = format!(
            "{text}{}",
            " ".repeat(usize::from(room).saturating_sub(width(&text)))
        );
        let area = Area {
            x,
            y,
            width: room,
            height: 1,
        };
        pen.line(y, area, &cells, Some(style));
        if span.frame == place.row {
            pen.canvas.reverse(area);
        }
    }
    if area.height < 4 || icicle.len() == 0 {
        return;
    }
    let (cost, total) = icicle.share(place.row);
    let share = if total > 0 {
        format!("{:.2}% ", cost as f64 * 100.0 / total as f64)
    } else {
        String::new()
    };
    let name = shorten(&icicle.name(profile, place.row), usize::from(area.width));
    pen.line(area.bottom() - 2, area, &name, Some(Style::Heading));
    let said = format!("{share}{}", icicle.said(place.row));
    pen.line(area.bottom() - 1, area, &said, None);
}

/// A column that fits.
struct ColumnFit {
    column: usize,
    width: usize,
    form: CostForm,
}

/// Which parts of a cost are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CostForm {
    Both,
    Share,
}

impl ColumnFit {
    fn title(&self, columns: &[RowColumn]) -> String {
        let Some(column) = columns.get(self.column) else {
            return String::new();
        };
        // If the title does not fit, only its words lose their end: the arrow of the sort order
        // stays.
        let sorts = if column.sorts { "↓" } else { "" };
        format!(
            "{}{sorts}",
            front(&column.title, self.width.saturating_sub(width(sorts)))
        )
    }
}

/// The first columns that leave room for names. If even the first does not fit, the sort column
/// with percentages only.
fn fitted(
    columns: &[RowColumn],
    rows: &[Row],
    look: RowSettings<'_>,
    room: usize,
) -> Vec<ColumnFit> {
    let title = |column: usize| {
        columns
            .get(column)
            .map_or(0, |of| width(&of.title) + usize::from(of.sorts))
    };
    let widest = |column: usize, form: CostForm| {
        let cells = rows.iter().filter_map(|row| row.cells.get(column));
        let total = if column == 0 && form == CostForm::Both {
            width(&amount(look.data.total(look.event), look.tick()))
        } else {
            0
        };
        let title = if form == CostForm::Share {
            0
        } else {
            title(column)
        };
        cells
            .map(|cell| width(&text(cell, form)))
            .max()
            .unwrap_or(0)
            .max(title)
            .max(total)
    };
    let names = NAMES.max(room * 2 / 5).min(room);
    let mut left = room.saturating_sub(names + 2);
    let mut fits = Vec::new();
    for column in 0..columns.len() {
        let need = widest(column, CostForm::Both) + 1;
        if need > left {
            break;
        }
        left -= need;
        fits.push(ColumnFit {
            column,
            width: need - 1,
            form: CostForm::Both,
        });
    }
    if fits.is_empty() && !columns.is_empty() {
        let column = columns.iter().position(|column| column.sorts).unwrap_or(0);
        let width = widest(column, CostForm::Share).max(title(column).min(left.saturating_sub(1)));
        fits.push(ColumnFit {
            column,
            width,
            form: CostForm::Share,
        });
    }
    fits
}

fn text(cell: &Option<RowCell>, form: CostForm) -> String {
    let Some(cell) = *cell else {
        return String::new();
    };
    match cell {
        RowCell::Times(count) | RowCell::Line(count) => grouped(count),
        RowCell::Change(change) => {
            let percent = percent(change.old, change.new);
            let difference = change.difference();
            match form {
                _ if difference == 0 => "=".to_owned(),
                CostForm::Both => {
                    format!("{} {percent:>8}", signed_amount(difference, change.tick))
                }
                CostForm::Share => percent,
            }
        }
        RowCell::Cost(RowCost { count, of, tick }) => {
            let share = of.map(|of| share(count.unwrap_or(0), of));
            let count = count.map_or_else(|| ".".to_owned(), |count| amount(count, tick));
            match (share, form) {
                (None, _) => count,
                (Some(share), CostForm::Both) => format!("{count} {share}"),
                (Some(share), CostForm::Share) => share,
            }
        }
    }
}

/// A percentage such as `12.34%`, in at most seven characters if possible.
fn share(count: i64, total: i64) -> String {
    let mut cell = Vec::new();
    push_share(&mut cell, count, total);
    String::from_utf8_lossy(&cell)
        .trim_start_matches(" (")
        .trim_end_matches(')')
        .to_owned()
}

fn draw_row(row: &Row, widths: &[ColumnFit], area: Area, mark: &str, pen: &mut Pen<'_>) {
    let mut x = area.x;
    let mut put = |x: &mut u16, text: &str, style: Option<Style>| {
        *x = pen.line(area.y, area.after(*x), text, style);
    };
    put(&mut x, mark, None);
    for (nth, fit) in widths.iter().enumerate() {
        let cell = row.cells.get(fit.column).unwrap_or(&None);
        let cell_text = text(cell, fit.form);
        let style = match cell {
            Some(RowCell::Cost(RowCost {
                count: Some(count),
                of: Some(of),
                ..
            })) => Style::of_share(*count, *of),
            Some(RowCell::Change(change)) => match change.difference().cmp(&0) {
                Ordering::Greater => Style::Dearer,
                Ordering::Less => Style::Cheaper,
                Ordering::Equal => Style::Dim,
            },
            _ => Style::Dim,
        };
        let gap = usize::from(nth > 0) + fit.width.saturating_sub(width(&cell_text));
        put(&mut x, &" ".repeat(gap), None);
        put(&mut x, &cell_text, Some(style));
    }
    put(&mut x, " ", None);
    put(&mut x, &row.lead, Some(Style::Dim));
    let room = usize::from(area.after(x).width);
    match row.shape {
        TextKind::Text => put(&mut x, &row.text, row.style),
        TextKind::Name => {
            put(&mut x, &shorten(&row.text, room), row.style);
            let room = usize::from(area.after(x).width);
            if room > 8 {
                let place = format!("  {}", place(&row.place, room - 2));
                put(&mut x, &place, Some(Style::Dim));
            }
        }
    }
}

/// Shortens a place such as `dir/file.c [libfoo.so]` to `room` columns. It omits directories first,
/// then the object.
fn place(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let (note, of) = text
        .rsplit_once("; ")
        .map_or((String::new(), text), |(note, of)| {
            (format!("{note}; "), of)
        });
    let (path, object) = of.split_at(of.rfind(" [").unwrap_or(of.len()));
    let file = note + base(path);
    let both = format!("{file}{object}");
    if width(&both) <= room {
        both
    } else {
        middle(&file, room)
    }
}

struct Pen<'c> {
    colours: Colours,
    canvas: &'c mut Canvas,
}

impl Pen<'_> {
    /// Draws one line of text, as far as the area is wide. Returns the column after it.
    fn line(&mut self, y: u16, area: Area, text: &str, style: Option<Style>) -> u16 {
        let mut spec = style.map(Style::spec).unwrap_or_default();
        if self.colours == Colours::None {
            spec.set_fg(None);
        }
        let paint = Paint {
            spec,
            ..Paint::default()
        };
        self.canvas.write(area.x, y, text, area.width, paint)
    }
}
