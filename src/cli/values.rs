//! Parses the values of options. Each is checked by itself.

use crate::{
    analysis::{Cost, Threshold},
    profile::{Definition, formula},
    source::Map,
};
use clap::ValueEnum;
use std::ffi::OsString;

/// `yes` or `no`.
#[derive(Clone, Copy, PartialEq, ValueEnum, Debug)]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

impl YesNo {
    /// Whether this is [`YesNo::Yes`].
    pub fn is_yes(self) -> bool {
        self == YesNo::Yes
    }

    /// The cost that orders rows: inclusive for yes, self for no.
    pub(crate) fn cost(self) -> Cost {
        match self {
            YesNo::Yes => Cost::Inclusive,
            YesNo::No => Cost::Own,
        }
    }
}

/// Parses a number of bytes. `k` means thousands and `M` millions.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K', 'M']) {
        Some(digits) => (digits, if text.ends_with('M') { 1_000_000 } else { 1000 }),
        None => (text, 1),
    };
    let number = digits.parse::<usize>().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .filter(|&size| size > 0)
        .ok_or_else(|| "a number of bytes is needed, as in 500k or 2M".into())
}

/// Parses a percentage from 0 to 100. A percent sign may follow. The report repeats its text.
pub(super) fn threshold(text: &str) -> Result<Threshold, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match number.parse::<f64>() {
        Ok(percent) if plain && percent <= 100.0 => Ok(Threshold {
            text: number.to_owned(),
            percent,
        }),
        _ => Err("a percentage from 0 to 100 is needed".into()),
    }
}

/// Parses a percentage of a total.
pub(super) fn share(text: &str) -> Result<f64, String> {
    Ok(threshold(text)?.percent)
}

/// Parses `OLD=NEW`. The paths can be any bytes, and the first equals sign separates them.
pub(super) fn map(text: OsString) -> Result<Map, String> {
    let text = text.as_encoded_bytes();
    let at = memchr::memchr(b'=', text).ok_or("OLD=NEW is needed")?;
    match at {
        0 => Err("OLD=NEW is needed, and OLD is empty".into()),
        _ => Ok(Map::new(&text[..at], &text[at + 1..])),
    }
}

/// Parses a derived event: `NAME = FORMULA`, optionally followed by `: long name`.
pub(super) fn definition(text: &str) -> Result<Definition, String> {
    let definition = Definition::read(text.as_bytes());
    let formula = definition
        .formula
        .as_deref()
        .ok_or("`NAME = FORMULA` is needed")?;
    if definition.name.is_empty() || definition.name.iter().any(u8::is_ascii_whitespace) {
        return Err("the event needs a name without blanks before the `=`".into());
    }
    formula::terms(formula)?;
    Ok(definition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_keep_their_text() {
        assert_eq!(
            threshold("99.950%"),
            Ok(Threshold {
                text: "99.950".into(),
                percent: 99.95
            })
        );
        for bad in ["", "-1", "101", "1e1", "x", "inf"] {
            assert!(threshold(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_have_units() {
        let size = |text: &str| size(text).ok();
        assert_eq!(
            ["7", "500k", "2M", "3K"].map(size),
            [Some(7), Some(500_000), Some(2_000_000), Some(3000)]
        );
        for bad in [
            "",
            "0",
            "k",
            "-1",
            "1.5M",
            "2G",
            "99999999999999999999",
            "99999999999999999k",
        ] {
            assert_eq!(size(bad), None, "{bad}");
        }
    }

    #[test]
    fn both_sides_of_a_map_are_needed() {
        let read = |text: &str| map(text.into());
        assert_eq!(read("/a=b=c"), Ok(Map::new(b"/a", b"b=c")));
        assert_eq!(read("/a="), Ok(Map::new(b"/a", b"")));
        assert!(read("/build").is_err() && read("=x").is_err());
    }
}
