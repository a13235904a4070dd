//! Prints routines and their input sizes as text.

use super::{
    NAME,
    plot::{self, short},
};
use crate::{
    analysis::{
        Growth, Label,
        growth::{Fit, GrowthShape},
        routines::{OutsideShares, Routine, RoutineDetail, Routines},
    },
    profile::{joined, to_text},
    text::{
        grouped,
        number::{push_count, push_share},
        style,
    },
    view::rest,
};
use std::io::{self, Write};

/// The columns that are removed first if names have no room.
const GO: &str = "threads|system|exponent|sizes|input size|calls|self";

/// Removes columns of numbers until names have room within `width`. Returns the removed headings.
fn leave_out(rows: &mut [Vec<String>], width: usize) -> Vec<&'static str> {
    let mut gone = Vec::new();
    for heading in GO.split('|') {
        let taken: usize = (0..rows[0].len())
            .map(|at| 2 + rows.iter().map(|row| row[at].len()).max().unwrap_or(0))
            .sum();
        if taken + NAME <= width {
            break;
        }
        if let Some(at) = rows[0].iter().position(|cell| cell == heading) {
            rows.iter_mut().for_each(|row| drop(row.remove(at)));
            gone.push(heading);
        }
    }
    gone
}

/// Prints the table of routines. A `width` limits it to a screen.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn table(mut out: impl Write, routines: &Routines<'_>, width: Option<usize>) -> io::Result<()> {
    let profile = routines.profile;
    let part = profile.parts.first();
    rule(&mut out)?;
    let input = joined(profile.input_names(), "', '");
    writeln!(
        out,
        "Profile data file '{input}' (aprof, version {})",
        routines.version
    )?;
    rule(&mut out)?;
    let command = part.map(|p| to_text(&p.command)).filter(|c| !c.is_empty());
    writeln!(
        out,
        "Profiled target:  {}",
        command.as_deref().unwrap_or("(unknown)")
    )?;
    let measure = profile
        .events
        .recorded()
        .first()
        .map_or_else(String::new, to_text);
    // aprof builds that write this name count ticks of the time stamp counter all the same.
    let ticks = if measure == "time-usec" {
        " (ticks of the time stamp counter)"
    } else {
        ""
    };
    writeln!(out, "Cost:             {measure}{ticks}")?;
    let cell = routines.cell.map_or(String::new(), |bytes| match bytes {
        1 => ", in bytes".into(),
        _ => format!(", in cells of {bytes} bytes"),
    });
    writeln!(out, "Input size:       {}{cell}", routines.metric.name())?;
    writeln!(
        out,
        "Routines:         {}, {} listed; {} calls",
        grouped(routines.count),
        grouped(routines.rows.len()),
        grouped(routines.total_calls)
    )?;
    writeln!(
        out,
        "Growth:           of the greatest cost by size; `-` with fewer than five sizes"
    )?;
    writeln!(out)?;

    let outside = routines.rows.iter().any(|row| row.outside.is_some());
    let head = "self|inclusive|calls|sizes|input size|growth|exponent";
    let mut rows = vec![titles(head)];
    if outside {
        rows[0].extend(titles("system|threads"));
    }
    let total = Some(routines.total);
    let own = total.filter(|_| routines.has_self);
    let totals = [
        cost(own, routines.total),
        cost(total, routines.total),
        grouped(routines.total_calls),
    ];
    let columns = rows[0].len();
    let filled = |cells: [String; 3]| {
        let mut cells = cells.to_vec();
        cells.resize(columns, String::new());
        cells
    };
    rows.push(filled(totals));
    for row in &routines.rows {
        let mut cells = cells(row, routines.total);
        if outside {
            cells.extend(outside_cells(row.outside));
        }
        rows.push(cells);
    }
    let rest: Vec<_> = rest::of_routines(routines).collect();
    for &(own, calls, _) in &rest {
        let own = routines.has_self.then(|| cost(own, routines.total));
        rows.push(filled([
            own.unwrap_or_default(),
            String::new(),
            calls.map_or_else(String::new, grouped),
        ]));
    }
    let gone = width.map_or_else(Vec::new, |width| leave_out(&mut rows, width));
    let names: Vec<String> = ["routine".to_owned(), "PROGRAM TOTALS".to_owned()]
        .into_iter()
        .chain(routines.rows.iter().map(|row| name(&row.label)))
        .chain(rest.into_iter().map(|(.., words)| words))
        .collect();
    rule(&mut out)?;
    print(&mut out, &rows, &names, 2)?;
    if !gone.is_empty() {
        writeln!(out, "\nno room for: {}", gone.join(", "))?;
    }
    out.flush()
}

/// Prints rows of cells in right-aligned columns, with a name after each row. The first `headings`
/// rows are each followed by a rule.
fn print(
    out: &mut impl Write,
    rows: &[Vec<String>],
    names: &[String],
    headings: usize,
) -> io::Result<()> {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    for (at, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, &width)| format!("{cell:>width$}"));
        writeln!(out, "{}", joined(cells.chain(names.get(at).cloned()), "  "))?;
        if at < headings {
            rule(&mut *out)?;
        }
    }
    Ok(())
}

/// Deeper levels of a tree are not indented further. Recursion can be many thousands of levels
/// deep, and each line would be as long.
const DEEPEST: usize = 50;

/// Prints the tree of calling contexts, which follows the table.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn contexts(mut out: impl Write, routines: &Routines<'_>) -> io::Result<()> {
    let Routines {
        contexts, total, ..
    } = routines;
    writeln!(out)?;
    if contexts.is_empty() {
        return writeln!(
            out,
            "The report has no calling contexts (aprof records them with --collect-cct)."
        );
    }
    let mut rows = vec![titles("inclusive|self|calls")];
    let mut names = vec!["calling context".to_owned()];
    for row in contexts {
        rows.push(vec![
            cost(Some(row.inclusive), *total),
            cost(Some(row.self_cost), *total),
            grouped(row.context.calls),
        ]);
        let depth = row.context.depth as usize;
        let level = if depth > DEEPEST {
            format!("(level {}) ", depth + 1)
        } else {
            String::new()
        };
        names.push(format!(
            "{:1$}{level}{2}",
            "",
            2 * depth.min(DEEPEST),
            name(&row.label)
        ));
    }
    rule(&mut out)?;
    print(&mut out, &rows, &names, 1)?;
    out.flush()
}

/// Prints one routine.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn zoom(mut out: impl Write, zoom: &RoutineDetail<'_>, is_unicode: bool) -> io::Result<()> {
    let row = &zoom.routine;
    rule(&mut out)?;
    writeln!(out, "{}", name(&row.label))?;
    if let Some(linkage) = zoom.linkage {
        writeln!(out, "{}", to_text(linkage))?;
    }
    rule(&mut out)?;
    writeln!(out, "Self cost:        {}", cost(row.self_cost, zoom.total))?;
    writeln!(
        out,
        "Inclusive cost:   {}",
        cost(Some(row.inclusive), zoom.total)
    )?;
    let range = row.range.map_or(String::new(), |(least, most)| {
        format!(", from {least} to {most}")
    });
    writeln!(
        out,
        "Calls:            {} with {} input sizes{range}",
        grouped(row.calls),
        row.sizes
    )?;
    match &row.growth {
        Some(growth) => {
            writeln!(
                out,
                "Growth:           {} (R2 {:.6})",
                formula(&growth.fit),
                growth.fit.r2
            )?;
            let p = growth.power;
            writeln!(
                out,
                "As a power:       {} {} {} n^{:.5} (R2 {:.6})",
                short(p.a),
                sign(p.b),
                short(p.b.abs()),
                p.c,
                p.r2
            )?;
        }
        None => writeln!(out, "Growth:           - (fewer than five input sizes)")?,
    }
    if let Some(balance) = zoom.balance {
        writeln!(
            out,
            "Half of the cost: at {balance:.4} % of the way from the least size to the greatest"
        )?;
    }
    if let Some(outside) = row.outside {
        writeln!(
            out,
            "Input:            {} from the system, {} from other threads",
            share(outside.system),
            share(outside.threads)
        )?;
    }
    writeln!(out)?;

    let head = "size|calls|least|mean|greatest|cost/n|cost/(n log n)|cost/n^2|expected";
    let mut rows = vec![titles(head)];
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    for size in &zoom.sizes {
        rows.push(vec![
            grouped(size.size),
            grouped(size.point.calls),
            or_dash(size.point.least.map(count)),
            format!("{:.1}", size.mean),
            or_dash(size.point.most.map(count)),
            format!("{:.4}", size.by_n),
            or_dash(size.by_n_log_n.map(|by| format!("{by:.4}"))),
            format!("{:.4}", size.by_n_squared),
            or_dash(size.expected.map(|cost| format!("{cost:.1}"))),
        ]);
    }
    print(&mut out, &rows, &[], 1)?;
    if zoom.sizes.len() > 1 {
        let growth = row.growth.as_ref();
        writeln!(
            out,
            "\nGreatest cost by input size{}:\n",
            if growth.is_some() {
                ", and what fits it best"
            } else {
                ""
            }
        )?;
        let points: Vec<(f64, f64)> = zoom
            .sizes
            .iter()
            .map(|s| (s.size as f64, s.worst))
            .collect();
        plot::write(
            &mut out,
            &points,
            growth.map(|g| &g.fit),
            zoom.axes,
            is_unicode,
        )?;
    }
    out.flush()
}

fn cells(row: &Routine<'_>, total: i64) -> Vec<String> {
    vec![
        cost(row.self_cost, total),
        cost(Some(row.inclusive), total),
        grouped(row.calls),
        row.sizes.to_string(),
        row.range.map_or("-".into(), |(least, most)| {
            if least == most {
                least.to_string()
            } else {
                format!("{least}..{most}")
            }
        }),
        row.growth
            .map_or("-".into(), |growth| growth.fit.shape.name().to_owned()),
        row.growth.map_or("-".into(), |growth: Growth| {
            format!("{:.2}", growth.exponent())
        }),
    ]
}

/// The fractions of a routine's input that came from outside.
fn outside_cells(outside: Option<OutsideShares>) -> [String; 2] {
    outside.map_or_else(
        || ["-".into(), "-".into()],
        |from| [share(from.system), share(from.threads)],
    )
}

fn formula(fit: &Fit) -> String {
    match fit.shape {
        GrowthShape::Constant => format!("1: {}", short(fit.a)),
        shape => format!(
            "{}: {} {} {} {0}",
            shape.name(),
            short(fit.a),
            sign(fit.b),
            short(fit.b.abs())
        ),
    }
}

fn sign(b: f64) -> char {
    if b < 0.0 { '-' } else { '+' }
}

fn share(part: f64) -> String {
    format!("{:.0}%", part * 100.0)
}

fn count(count: i64) -> String {
    let mut cell = Vec::new();
    push_count(&mut cell, count);
    to_text(cell)
}

/// A cost and its percentage of the total.
fn cost(cost: Option<i64>, total: i64) -> String {
    match cost {
        None => "-".into(),
        Some(0) => "0         ".into(),
        Some(cost) => {
            let mut cell = Vec::new();
            push_count(&mut cell, cost);
            push_share(&mut cell, cost, total);
            to_text(cell)
        }
    }
}

fn name(label: &Label<'_>) -> String {
    let name = to_text(label.name.bytes());
    match label.object {
        Some(object) => format!("{name} [{}]", to_text(object)),
        None => name,
    }
}

fn titles(headings: &str) -> Vec<String> {
    headings.split('|').map(str::to_owned).collect()
}

fn rule(out: &mut impl Write) -> io::Result<()> {
    style::rule(out, 80)
}
