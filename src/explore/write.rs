//! Writes all rows of a screen as text: aligned for people or as CSV for programs.

use super::{
    Model,
    place::Screen,
    row::{EventNames, RowSettings, RowSubject},
    sheet::{Sheet, SheetRows},
    stacks::Icicle,
    tables::ShortTable,
};
use crate::{
    profile::{joined, to_text},
    text::{
        grouped,
        names::width,
        separated::{Separated, Separation},
        without_controls,
    },
};

/// The most rows that are written.
const MOST: usize = 1_000_000;

/// The written content of a screen.
struct ScreenText {
    /// The titles of the number columns.
    numbers: Vec<String>,
    /// The titles of the text columns.
    texts: Vec<&'static str>,
    lines: Vec<WrittenRow>,
}

/// The numbers and the texts of a row.
type WrittenRow = (Vec<Option<i128>>, Vec<String>);

/// The rows of the focused pane. Stacks are frames, indented by depth.
pub(super) fn text(model: &Model<'_>, csv: bool) -> String {
    let (place, sheet) = (model.spot.here(), model.sheet());
    // A warning is one row here, even if the screen wraps it.
    let warnings = || Sheet::new(ShortTable::warnings(&model.lenses.whole, place, None));
    let whole = matches!(place.screen, Screen::Warnings).then(warnings);
    let sheet = match (sheet, &whole) {
        (Sheet::Rows(_), Some(whole)) => whole,
        _ => sheet,
    };
    // Counts are written as recorded. A time would not be a count.
    let look = RowSettings {
        names: EventNames::Recorded,
        ..model.look(place)
    };
    let written = match sheet {
        Sheet::Stacks(icicle, _) => frames(icicle, look),
        _ => rows(sheet, look, csv),
    };
    if csv {
        parted(&written)
    } else {
        aligned(&written)
    }
}

fn frames(icicle: &Icicle, look: RowSettings<'_>) -> ScreenText {
    let line = |at| {
        let name = icicle.name(look.data.profile(), at);
        let indent = "  ".repeat(icicle.depth(None, at).min(100));
        let numbers = icicle.numbers(at).into_iter().map(Some).collect();
        (numbers, vec![indent + &name])
    };
    ScreenText {
        numbers: ["total", "least", "most", "self"].map(str::to_owned).into(),
        texts: vec!["name"],
        lines: (0..icicle.len().min(MOST)).map(line).collect(),
    }
}

/// Each row with the text that the screen shows, or in CSV with separate function, file and object,
/// as in the tables of reports. Names are as recorded there, and notes on the numbers follow. The
/// last column is omitted if it is empty in all rows.
fn rows(sheet: &Sheet<'_>, look: RowSettings<'_>, csv: bool) -> ScreenText {
    let rows = sheet.rows();
    let names = rows.filter(|_| csv).map_or(&[][..], SheetRows::names);
    let line = |at: usize| {
        let row = sheet.row(at, look)?;
        let numbers = (row.cells.iter())
            .map(|cell| cell.as_ref()?.number())
            .collect();
        if names.is_empty() {
            return Some((numbers, vec![row.lead + &row.text, row.place]));
        }
        let about = rows.and_then(|rows| rows.about(at, look));
        let RowSubject { what, label, note } = about.unwrap_or_default();
        let mut cells = match label {
            Some(label) => [
                label.name.bytes(),
                label.file,
                label.object.unwrap_or_default(),
            ]
            .map(to_text)
            .to_vec(),
            None => vec![row.text, String::new(), String::new()],
        };
        if names.len() > cells.len() {
            cells.insert(0, what.to_owned());
        }
        cells.push(note.unwrap_or_default());
        Some((numbers, cells))
    };
    let mut lines: Vec<WrittenRow> = (0..sheet.len().min(MOST)).filter_map(line).collect();
    let mut texts = match names {
        [] => vec!["name", "place"],
        _ => [names, &["note"]].concat(),
    };
    let mut ends = lines.iter().filter_map(|(_, texts)| texts.last());
    if ends.all(String::is_empty) {
        texts.pop();
        lines.iter_mut().for_each(|(_, texts)| drop(texts.pop()));
    }
    let columns = rows.map_or_else(Vec::new, |rows| rows.columns(look));
    ScreenText {
        numbers: columns.into_iter().map(|column| column.title).collect(),
        texts,
        lines,
    }
}

fn parted(written: &ScreenText) -> String {
    let mut out = Vec::new();
    let mut rows = Separated::new(&mut out, Separation::Quoted);
    let text = |rows: &mut Separated<'_>, text: &str| {
        let text = text.chars();
        let text: String = text
            .map(|character| without_controls(character, ' '))
            .collect();
        rows.text(text.trim());
    };
    let numbers = written.numbers.iter().map(String::as_str);
    numbers
        .chain(written.texts.iter().copied())
        .for_each(|title| text(&mut rows, title));
    rows.end_row();
    for (numbers, texts) in &written.lines {
        numbers.iter().for_each(|&number| rows.count(number));
        texts.iter().for_each(|words| text(&mut rows, words));
        rows.end_row();
    }
    // Writing to memory cannot fail.
    let _ = rows.finish();
    to_text(&out)
}

fn aligned(
    ScreenText {
        numbers: head,
        lines,
        ..
    }: &ScreenText,
) -> String {
    let shown = |number: Option<i128>| number.map_or_else(|| ".".to_owned(), grouped);
    let widths = head.iter().enumerate().map(|(at, title)| {
        let numbers = lines.iter().filter_map(|(numbers, _)| numbers.get(at));
        let widest = numbers.map(|&number| shown(number).len()).max();
        widest.unwrap_or(0).max(width(title))
    });
    let widths: Vec<usize> = widths.collect();
    let mut out = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = String>, text: &str| {
        for (cell, width) in cells.zip(&widths) {
            out.push_str(&format!("{cell:>width$}  "));
        }
        out.push_str(text);
        out.push('\n');
    };
    line(&mut head.iter().cloned(), "");
    for (numbers, texts) in lines {
        let texts = texts.iter().map(String::as_str);
        let texts = joined(texts.filter(|text| !text.is_empty()), "  ");
        line(&mut numbers.iter().map(|&number| shown(number)), &texts);
    }
    out
}
