//! Plots costs by input size in a terminal: points, and the curve that fits them.

use crate::analysis::{growth::Fit, routines::Axes};
use std::io::{self, Write};

const WIDTH: usize = 64;
const HEIGHT: usize = 16;

/// Plots `points` and, if there is one, the fitted curve. With fewer than two different sizes it
/// prints nothing.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    mut out: impl Write,
    points: &[(f64, f64)],
    fit: Option<&Fit>,
    axes: Axes,
    is_unicode: bool,
) -> io::Result<()> {
    let (Some(&(first, _)), Some(&(last, _))) = (points.first(), points.last()) else {
        return Ok(());
    };
    if first >= last {
        return Ok(());
    }
    let [dot, curve, side, corner, axis] = if is_unicode {
        ['●', '·', '│', '└', '─']
    } else {
        ['o', '.', '|', '+', '-']
    };
    let scale = |value: f64| match axes {
        Axes::Linear => value,
        Axes::Logarithmic => value.ln(),
    };
    let unscale = |value: f64| match axes {
        Axes::Linear => value,
        Axes::Logarithmic => value.exp(),
    };
    let top = points.iter().map(|p| p.1).fold(f64::MIN, f64::max);
    let bottom = match axes {
        Axes::Linear => 0.0,
        Axes::Logarithmic => points.iter().map(|p| p.1).fold(f64::MAX, f64::min),
    };
    let (left, right) = (scale(first), scale(last));
    let (low, high) = (
        scale(bottom),
        scale(top).max(scale(bottom) + f64::MIN_POSITIVE),
    );
    let cell = |at: f64, from: f64, to: f64, cells: usize| -> Option<usize> {
        let place = (at - from) / (to - from) * (cells - 1) as f64;
        (place.is_finite() && (-0.5..cells as f64 - 0.5).contains(&place))
            .then(|| place.round() as usize)
    };
    let mut grid = vec![[' '; WIDTH]; HEIGHT];
    if let Some(fit) = fit {
        #[allow(clippy::needless_range_loop)] // the row depends on the column
        for column in 0..WIDTH {
            let n = unscale(left + (right - left) * column as f64 / (WIDTH - 1) as f64);
            if let Some(row) = cell(scale(fit.at(n)), low, high, HEIGHT) {
                grid[row][column] = curve;
            }
        }
    }
    for &(n, cost) in points {
        if let (Some(row), Some(column)) = (
            cell(scale(cost), low, high, HEIGHT),
            cell(scale(n), left, right, WIDTH),
        ) {
            grid[row][column] = dot;
        }
    }
    let labels = [short(top), short(bottom)];
    let margin = labels.iter().map(String::len).max().unwrap_or(0);
    for (at, row) in grid.iter().enumerate().rev() {
        let label = match at {
            _ if at == HEIGHT - 1 => &labels[0],
            0 => &labels[1],
            _ => "",
        };
        let line: String = row.iter().collect();
        writeln!(out, "  {label:>margin$} {side}{}", line.trim_end())?;
    }
    writeln!(
        out,
        "  {:margin$} {corner}{}",
        "",
        axis.to_string().repeat(WIDTH)
    )?;
    let (first, last) = (short(first), short(last));
    let room = WIDTH.saturating_sub(first.len());
    let both = match axes {
        Axes::Linear => "",
        Axes::Logarithmic => "  (both axes logarithmic)",
    };
    writeln!(out, "  {:margin$}  {first}{last:>room$}{both}", "")
}

/// Formats a number with few digits.
pub fn short(number: f64) -> String {
    let size = number.abs();
    if size >= 1e15 || (size < 1e-3 && size > 0.0) {
        format!("{number:.3e}")
    } else if size >= 100.0 || number.fract() == 0.0 {
        format!("{number:.0}")
    } else if size >= 1.0 {
        format!("{number:.2}")
    } else {
        format!("{number:.4}")
    }
}
