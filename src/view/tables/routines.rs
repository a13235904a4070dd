//! Routines and their input sizes as tables.

use super::{Cell, Column, Rows, Table, lists::title, named, triple};
use crate::{
    analysis::routines::{RoutineDetail, Routines},
    profile::to_text,
    view::rest,
};

/// The table of routines. With `shares`, costs have percentages.
pub fn routines<'a>(routines: &'a Routines<'a>, shares: bool) -> Table<'a, impl Rows<'a>> {
    let event = routines.profile.events.recorded().first();
    let event = event.map_or_else(String::new, to_text);
    let cost = |name| Column {
        name,
        whole: shares.then_some(routines.total.into()),
    };
    let mut columns = vec![cost(event.clone()), cost(format!("{event} inclusive"))];
    columns.extend(
        [
            "calls",
            "sizes",
            "least size",
            "greatest size",
            "growth",
            "exponent",
        ]
        .map(Column::plain),
    );
    let outside = routines.rows.iter().any(|row| row.outside.is_some());
    if outside {
        columns.extend(["from system", "from threads"].map(Column::plain));
    }
    columns.extend(["function", "object"].map(Column::plain));
    let names = columns.len() - 2;
    let filled = |counts: [Cell<'a>; 3], words| {
        let mut cells = Vec::from(counts);
        cells.resize(names, Cell::Empty);
        cells.extend([words, Cell::Empty]);
        cells
    };
    let total = if routines.has_self {
        count(routines.total)
    } else {
        Cell::Empty
    };
    let total = filled(
        [total, count(routines.total), count(routines.total_calls)],
        named(b"(total)"),
    );
    let rest = rest::of_routines(routines).map(|(own, calls, words)| {
        let [own, calls] = [own.map(count), calls.map(count)].map(Option::unwrap_or_default);
        filled([own, Cell::Empty, calls], Cell::Text(words))
    });
    let rest = rest.collect();
    let rows = routines.rows.iter().map(move |row| {
        let [least, greatest] = row
            .range
            .map(|(least, greatest)| [least, greatest].map(count))
            .unwrap_or_default();
        let shape = row.growth.map(|growth| growth.fit.shape.name());
        let mut cells = vec![
            row.self_cost.map_or(Cell::Empty, count),
            count(row.inclusive),
            count(row.calls),
            count(row.sizes as u64),
            least,
            greatest,
            shape.map_or(Cell::Empty, |shape| Cell::Text(shape.to_owned())),
            decimal(row.growth.map(|growth| growth.exponent())),
        ];
        if outside {
            let shares = row
                .outside
                .map(|from| [from.system, from.threads].map(Some));
            cells.extend(shares.unwrap_or_default().map(decimal));
        }
        let [name, _, object] = triple(&row.label);
        cells.extend([name, object]);
        cells.into_iter()
    });
    Table {
        title: title(routines.profile),
        columns,
        total: Some(total),
        rest,
        rows,
    }
}

/// The cost of one routine by input size.
pub fn sizes<'a>(zoom: &'a RoutineDetail<'a>) -> Table<'a, impl Rows<'a>> {
    let names = [
        "size",
        "calls",
        "least",
        "mean",
        "greatest",
        "variance",
        "cost/n",
        "cost/(n log n)",
        "cost/n^2",
        "expected",
    ];
    let rows = zoom.sizes.iter().map(|size| {
        let cells = [
            count(size.size),
            count(size.point.calls),
            size.point.least.map_or(Cell::Empty, count),
            decimal(Some(size.mean)),
            size.point.most.map_or(Cell::Empty, count),
            decimal(size.variance),
            decimal(Some(size.by_n)),
            decimal(size.by_n_log_n),
            decimal(Some(size.by_n_squared)),
            decimal(size.expected),
        ];
        cells.into_iter()
    });
    let growth = zoom.routine.growth.map_or(String::new(), |growth| {
        format!(": {}, n^{:.2}", growth.fit.shape.name(), growth.exponent())
    });
    let title = format!("{}{growth}", zoom.routine.label.name);
    Table {
        title,
        columns: names.map(Column::plain).to_vec(),
        total: None,
        rest: Vec::new(),
        rows,
    }
}

fn count<'a>(count: impl Into<i128>) -> Cell<'a> {
    Cell::Count(count.into())
}

fn decimal<'a>(number: Option<f64>) -> Cell<'a> {
    number.map_or(Cell::Empty, |number| Cell::Decimal(number, 4))
}
