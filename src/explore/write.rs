//! Writes all rows of a screen as text: aligned for people or as CSV for programs.

use super::Model;
use super::place::Screen;
use super::row::{EventNames, Row, RowCell, RowSettings, RowSubject};
use super::sheet::{Sheet, SheetRows};
use super::tables::ShortTable;
use crate::profile::{joined, to_text};
use crate::text::names::width;
use crate::text::separated::{Separated, Separation};
use crate::text::{grouped, without_controls};

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
    match sheet.rows().filter(|rows| csv && !rows.names().is_empty()) {
        Some(rows) => parted(&named(rows, look)),
        None if csv => parted(&seen(sheet, look)),
        None => aligned(&seen(sheet, look)),
    }
}

/// Each row with the text that the screen shows.
fn seen(sheet: &Sheet<'_>, look: RowSettings<'_>) -> ScreenText {
    if let Sheet::Stacks(icicle, _) = sheet {
        let name = |at| {
            format!(
                "{}{}",
                "  ".repeat(icicle.depth(None, at).min(100)),
                icicle.name(look.data.profile(), at)
            )
        };
        let numbers = |at| icicle.numbers(at).into_iter().map(Some).collect();
        let lines = (0..icicle.len().min(MOST))
            .map(|at| (numbers(at), vec![name(at)]))
            .collect();
        return ScreenText {
            numbers: ["total", "least", "most", "self"].map(str::to_owned).into(),
            texts: vec!["name"],
            lines,
        };
    }
    let line = |row: Row| {
        (
            numbers(&row),
            vec![format!("{}{}", row.lead, row.text), row.place],
        )
    };
    let lines = (0..sheet.len().min(MOST))
        .filter_map(|at| sheet.row(at, look))
        .map(line)
        .collect();
    ScreenText {
        numbers: sheet
            .rows()
            .map_or_else(Vec::new, |rows| titles(rows, look)),
        texts: vec!["name", "place"],
        lines,
    }
    .without_empty_end()
}

impl ScreenText {
    /// Removes the last text column if it is empty in all rows.
    fn without_empty_end(mut self) -> ScreenText {
        if self
            .lines
            .iter()
            .all(|(_, texts)| texts.last().is_none_or(String::is_empty))
        {
            self.texts.pop();
            self.lines
                .iter_mut()
                .for_each(|(_, texts)| drop(texts.pop()));
        }
        self
    }
}

/// Each row with separate function, file and object, as in the tables of reports. Names are as
/// recorded. The last column has notes on the numbers, if there are any.
fn named(sheet: &dyn SheetRows, look: RowSettings<'_>) -> ScreenText {
    let texts = sheet.names();
    let line = |at: usize| {
        let row = sheet.row(at, look)?;
        let about = sheet.about(at, look);
        let mut cells = match about.as_ref().and_then(|about| about.label) {
            Some(label) => [
                label.name.bytes(),
                label.file,
                label.object.unwrap_or_default(),
            ]
            .map(to_text)
            .to_vec(),
            None => vec![row.text.clone(), String::new(), String::new()],
        };
        let RowSubject { what, note, .. } = about.unwrap_or_default();
        if texts.len() > cells.len() {
            cells.insert(0, what.to_owned());
        }
        cells.push(note.unwrap_or_default());
        Some((numbers(&row), cells))
    };
    let lines = (0..sheet.len().min(MOST)).filter_map(line).collect();
    ScreenText {
        numbers: titles(sheet, look),
        texts: [texts, &["note"]].concat(),
        lines,
    }
    .without_empty_end()
}

fn titles(sheet: &dyn SheetRows, look: RowSettings<'_>) -> Vec<String> {
    sheet
        .columns(look)
        .into_iter()
        .map(|column| column.title)
        .collect()
}

fn numbers(row: &Row) -> Vec<Option<i128>> {
    row.cells.iter().map(RowCell::number).collect()
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
    let widest = |at: usize| {
        let numbers = lines
            .iter()
            .filter_map(|(numbers, _)| numbers.get(at))
            .map(|&number| shown(number).len());
        numbers
            .max()
            .unwrap_or(0)
            .max(head.get(at).map_or(0, |title| width(title)))
    };
    let widths: Vec<usize> = (0..head.len()).map(widest).collect();
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
