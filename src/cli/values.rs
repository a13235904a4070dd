//! Parses values of options and checks each by itself.

use crate::profile::{Definition, formula};
use clap::ValueEnum;
use std::ffi::OsString;
use std::str::FromStr;

/// `yes` or `no`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

impl YesNo {
    /// Whether it is yes.
    pub fn is_yes(self) -> bool {
        self == YesNo::Yes
    }
}

/// A number of bytes, in thousands with `k`, in millions with `M`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteSize(pub u64);

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<ByteSize, String> {
        let (digits, unit) = match text.strip_suffix(['k', 'K', 'M']) {
            Some(digits) => (digits, if text.ends_with('M') { 1_000_000 } else { 1000 }),
            None => (text, 1),
        };
        let size = digits
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(unit));
        size.filter(|&size| size > 0)
            .map(ByteSize)
            .ok_or_else(|| "a number of bytes is needed, as in 500k or 2M".into())
    }
}

/// A percentage as it was typed: its text is part of the report.
#[derive(Clone, PartialEq, Debug)]
pub struct Percentage {
    /// Without the percent sign.
    pub text: String,
    /// Between 0 and 100.
    pub percent: f64,
}

/// A percentage from 0 to 100; a percent sign may follow.
pub(super) fn percentage(text: &str) -> Result<Percentage, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match number.parse::<f64>() {
        Ok(percent) if plain && percent <= 100.0 => Ok(Percentage {
            text: number.to_owned(),
            percent,
        }),
        _ => Err("a percentage from 0 to 100 is needed".into()),
    }
}

/// An event to sort by: `Ir`, `Ir:90`, `Ir:90%`.
#[derive(Clone, PartialEq, Debug)]
pub struct SortArg {
    /// The event's name.
    pub event: String,
    /// Its own threshold.
    pub threshold: Option<Percentage>,
}

impl FromStr for SortArg {
    type Err = String;

    fn from_str(text: &str) -> Result<SortArg, String> {
        let is_percent = |end: &str| {
            end.bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'%'))
        };
        // Names have colons, too: `cycles:u`.
        match text.rsplit_once(':').filter(|(_, end)| is_percent(end)) {
            None => Ok(SortArg {
                event: text.to_owned(),
                threshold: None,
            }),
            Some((event, percent)) => Ok(SortArg {
                event: event.to_owned(),
                threshold: Some(percentage(percent)?),
            }),
        }
    }
}

/// A folder of another machine and what stands for it here, in bytes as the system has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapArg {
    /// The folder; never empty.
    pub old: Vec<u8>,
    /// What stands for it.
    pub new: Vec<u8>,
}

impl MapArg {
    /// `OLD=NEW`; the first equals sign parts them.
    pub(super) fn read(text: OsString) -> Result<MapArg, String> {
        let text = text.as_encoded_bytes();
        let at = memchr::memchr(b'=', text).ok_or("OLD=NEW is needed")?;
        let (old, new) = (text[..at].to_vec(), text[at + 1..].to_vec());
        if old.is_empty() {
            return Err("OLD=NEW is needed, and OLD is empty".into());
        }
        Ok(MapArg { old, new })
    }
}

/// A derived event: `NAME = FORMULA`, and perhaps `: long name`.
pub(super) fn definition(text: &str) -> Result<Definition, String> {
    let definition = Definition::read(text.as_bytes());
    let formula = definition
        .formula
        .as_deref()
        .ok_or("`NAME = FORMULA` is needed")?;
    if definition.name.is_empty() || definition.name.iter().any(u8::is_ascii_whitespace) {
        return Err("the event needs a name without blanks before the `=`".into());
    }
    formula::terms(formula).map_err(|problem| problem.to_string())?;
    Ok(definition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_keep_their_text() {
        assert_eq!(
            percentage("99.950%"),
            Ok(Percentage {
                text: "99.950".into(),
                percent: 99.95
            })
        );
        for bad in ["", "-1", "101", "1e1", "x", "inf"] {
            assert!(percentage(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_have_units() {
        let size = |text: &str| text.parse::<ByteSize>().map(|size| size.0).ok();
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
        let read = |text: &str| MapArg::read(text.into());
        assert_eq!(
            read("/a=b=c"),
            Ok(MapArg {
                old: b"/a".to_vec(),
                new: b"b=c".to_vec()
            })
        );
        assert_eq!(
            read("/a="),
            Ok(MapArg {
                old: b"/a".to_vec(),
                new: Vec::new()
            })
        );
        assert!(read("/build").is_err() && read("=x").is_err());
    }
}
