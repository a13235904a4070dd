//! Styles and their colors. Meaning never depends on color alone: without color, the text is the
//! same.

use std::io;
use termcolor::{Color, ColorSpec, WriteColor};

/// The role of a piece of a report.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    /// A heading.
    Heading,
    /// A cost of at least a tenth of the whole.
    Hot,
    /// A cost of at least a hundredth.
    Warm,
    /// A smaller cost.
    Cold,
    /// Context around a name: a file, an object, a rule.
    Dim,
    /// A call from a source line.
    Call,
    /// A warning.
    Warning,
    /// A command to type next.
    Hint,
    /// A cost that grew, a limit that is exceeded.
    Dearer,
    /// A cost that fell, a limit that is not exceeded.
    Cheaper,
}

impl Style {
    /// The style of a count that is part of a total.
    pub(crate) fn of_share(count: i64, total: i64) -> Style {
        let (count, total) = (i128::from(count).abs(), i128::from(total).abs());
        match total {
            0 => Style::Cold,
            _ if count * 10 >= total => Style::Hot,
            _ if count * 100 >= total => Style::Warm,
            _ => Style::Cold,
        }
    }

    pub(crate) fn spec(self) -> ColorSpec {
        let mut spec = ColorSpec::new();
        match self {
            Style::Heading => spec.set_bold(true),
            Style::Hot => spec.set_fg(Some(Color::Red)).set_bold(true),
            Style::Warm => spec.set_fg(Some(Color::Yellow)),
            Style::Cold | Style::Dim => spec.set_dimmed(true),
            Style::Dearer => spec.set_fg(Some(Color::Red)),
            Style::Cheaper => spec.set_fg(Some(Color::Green)),
            Style::Call | Style::Hint => spec.set_fg(Some(Color::Cyan)),
            Style::Warning => spec.set_fg(Some(Color::Magenta)),
        };
        spec
    }
}

/// Writes something in a style.
pub(crate) fn styled<W: WriteColor + ?Sized>(
    out: &mut W,
    style: Style,
    write: impl FnOnce(&mut W) -> io::Result<()>,
) -> io::Result<()> {
    if !out.supports_color() {
        return write(out);
    }
    out.set_color(&style.spec())?;
    write(out)?;
    out.reset()
}

/// Writes text in a style.
pub(crate) fn write_styled(
    out: &mut (impl WriteColor + ?Sized),
    style: Style,
    text: impl AsRef<[u8]>,
) -> io::Result<()> {
    styled(out, style, |out| out.write_all(text.as_ref()))
}

/// A rule of at most 80 characters. Padding by a format writes dashes one by one, and a report with
/// many parts has a million of them.
pub(crate) fn rule(out: &mut (impl io::Write + ?Sized), width: usize) -> io::Result<()> {
    const RULE: [u8; 81] = {
        let mut line = [b'-'; 81];
        line[80] = b'\n';
        line
    };
    out.write_all(&RULE[80 - width.min(80)..])
}
