//! What is seen, as a text: all rows of a screen, aligned for people or parted by commas for programs.

use super::model::Model;
use super::place::Screen;
use super::row::{Cell, Look, Names, Row};
use super::sheet::Sheet;
use super::tables::Table;
use crate::text::escape::without_controls;
use crate::text::names::width;
use crate::text::number::grouped_signed;

/// The numbers of a row, and its text.
type Line = (Vec<Option<i128>>, String);

/// No more rows than this are written.
const MOST: usize = 1_000_000;

/// The rows of the pane with the keys. Stacks are frames here, each with its depth as an indent.
pub(super) fn text(model: &Model<'_>, csv: bool) -> String {
    let (place, sheet) = (model.spot.here(), model.sheet());
    // A warning is a row, however many it needs on the screen.
    let whole = matches!(place.screen, Screen::Warnings).then(|| Table::warnings(model.lenses.whole(), place, None));
    let whole = whole.map(Sheet::Table);
    let sheet = match (sheet, &whole) {
        (Sheet::Table(_), Some(whole)) => whole,
        _ => sheet,
    };
    // Counts are written as they are, and a time is no count.
    let look = Look { names: Names::Recorded, ..model.look(place) };
    let (head, rows): (Vec<String>, Vec<Line>) = match sheet {
        Sheet::Stacks(icicle, _) => {
            let name = |at| format!("{}{}", "  ".repeat(icicle.depth(None, at)), icicle.name(look.data.profile(), at));
            let numbers = |at| icicle.numbers(at).into_iter().map(Some).collect();
            let rows = (0..icicle.len().min(MOST)).map(|at| (numbers(at), name(at))).collect();
            (["total", "least", "most", "self"].map(str::to_owned).into(), rows)
        }
        _ => {
            let head = sheet.columns(look).into_iter().map(|column| column.title).collect();
            let line = |row: Row| {
                let place = if row.place.is_empty() { String::new() } else { format!("  {}", row.place) };
                let numbers = row.cells.iter().map(Cell::number).collect();
                (numbers, format!("{}{}{place}", row.lead, row.text))
            };
            (head, (0..sheet.len().min(MOST)).filter_map(|at| sheet.row(at, look)).map(line).collect())
        }
    };
    if csv { parted(&head, &rows) } else { aligned(&head, &rows) }
}

fn parted(head: &[String], rows: &[Line]) -> String {
    let quoted = |text: &str| {
        let text: String = text.chars().map(|character| without_controls(character, ' ')).collect();
        format!("\"{}\"", text.replace('"', "\"\""))
    };
    let mut out = String::new();
    for title in head {
        out.push_str(&quoted(title));
        out.push(',');
    }
    out.push_str("\"name\"\n");
    for (numbers, text) in rows {
        for number in numbers {
            out.push_str(&number.map_or(String::new(), |number| number.to_string()));
            out.push(',');
        }
        out.push_str(&quoted(text.trim()));
        out.push('\n');
    }
    out
}

fn aligned(head: &[String], rows: &[Line]) -> String {
    let shown = |number: Option<i128>| number.map_or_else(|| ".".to_owned(), grouped_signed);
    let widest = |at: usize| {
        let numbers = rows.iter().filter_map(|(numbers, _)| numbers.get(at)).map(|&number| shown(number).len());
        numbers.max().unwrap_or(0).max(head.get(at).map_or(0, |title| width(title)))
    };
    let widths: Vec<usize> = (0..head.len()).map(widest).collect();
    let mut out = String::new();
    let mut line = |cells: Vec<String>, text: &str| {
        for (cell, width) in cells.iter().zip(&widths) {
            out.push_str(&format!("{cell:>width$}  "));
        }
        out.push_str(text);
        out.push('\n');
    };
    line(head.to_vec(), "");
    rows.iter().for_each(|(numbers, text)| line(numbers.iter().map(|&number| shown(number)).collect(), text));
    out
}
