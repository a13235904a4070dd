//! Routines by the size of their input as tables.

use super::table::{Cell, Form, Row, Table, write};
use crate::analysis::routines::{Routines, Size, Zoom};
use std::io::{self, Write};

/// Writes the table of routines. `shares` are those of costs in Markdown.
///
/// # Errors
/// Those of `out`, here and below.
pub fn table<'a>(
    form: Form,
    routines: &'a Routines<'a>,
    shares: bool,
    title: String,
    out: impl Write,
) -> io::Result<()> {
    let event = routines.profile.events.recorded().first();
    let event = event.map_or_else(String::new, |name| String::from_utf8_lossy(name).into_owned());
    let mut columns = vec![event.clone(), format!("{event} inclusive")];
    columns.extend(["calls", "sizes", "least size", "greatest size", "growth", "exponent"].map(str::to_owned));
    let outside = routines.rows.iter().any(|row| row.outside.is_some());
    if outside {
        columns.extend(["from system", "from threads"].map(str::to_owned));
    }
    columns.extend(["function", "object"].map(str::to_owned));
    let cost = |cost: i64| Cell::Count(cost.into(), shares.then_some(routines.total.into()));
    let number = |number: u64| Cell::Count(number.into(), None);
    let own = routines.rows.iter().any(|row| row.self_cost.is_some());
    let mut total = vec![if own { Cell::Count(routines.total_self.into(), None) } else { Cell::Empty }];
    total.extend([Cell::Count(routines.total.into(), None), number(routines.total_calls)]);
    total.resize(columns.len() - 2, Cell::Empty);
    total.extend([Cell::Name(b"(total)"), Cell::Empty]);
    let rows = routines.rows.iter().map(|row| {
        let mut cells = vec![row.self_cost.map_or(Cell::Empty, cost), cost(row.inclusive), number(row.calls)];
        cells.push(number(row.sizes as u64));
        let range = row.range.map_or([None; 2], |(least, greatest)| [Some(least), Some(greatest)]);
        cells.extend(range.map(|size| size.map_or(Cell::Empty, number)));
        cells.push(row.growth.map_or(Cell::Empty, |growth| Cell::Text(growth.fit.shape.name().to_owned())));
        cells.push(row.growth.map_or(Cell::Empty, |growth| Cell::Decimal(growth.exponent(), 4)));
        if outside {
            let shares = row.outside.map_or([None; 2], |s| [Some(s.system), Some(s.threads)]);
            cells.extend(shares.map(|share| share.map_or(Cell::Empty, |share| Cell::Decimal(share, 4))));
        }
        cells.extend([Cell::Name(row.label.name), row.label.object.map_or(Cell::Empty, Cell::Name)]);
        move |row: &mut Row<'a>| row.extend(cells)
    });
    write(form, Table { title, columns, total: Some(total), rest: None, rows }, out)
}

/// Writes what one routine cost by size.
///
/// # Errors
/// Those of `out`.
pub fn sizes(form: Form, zoom: &Zoom<'_>, out: impl Write) -> io::Result<()> {
    let names =
        ["size", "calls", "least", "mean", "greatest", "variance", "cost/n", "cost/(n log n)", "cost/n^2", "expected"];
    let count = |count: Option<i64>| count.map_or(Cell::Empty, |count| Cell::Count(count.into(), None));
    let decimal = |number: Option<f64>| number.map_or(Cell::Empty, |number| Cell::Decimal(number, 4));
    let rows = zoom.sizes.iter().map(|size: &Size| {
        let cells = vec![
            Cell::Count(size.size.into(), None),
            Cell::Count(size.point.calls.into(), None),
            count(size.point.least),
            decimal(Some(size.mean)),
            count(size.point.most),
            decimal(size.variance),
            decimal(Some(size.by_n)),
            decimal(size.by_n_log_n),
            decimal(Some(size.by_n_squared)),
            decimal(size.expected),
        ];
        move |row: &mut Row<'_>| row.extend(cells)
    });
    let growth = zoom
        .routine
        .growth
        .map_or(String::new(), |growth| format!(": {}, n^{:.2}", growth.fit.shape.name(), growth.exponent()));
    let title = format!("{}{growth}", String::from_utf8_lossy(zoom.routine.label.name));
    let columns = names.map(str::to_owned).to_vec();
    write(form, Table { title, columns, total: None, rest: None, rows }, out)
}
