//! What was typed. No input, no output, and no meaning yet: the commands give it one.

use crate::analysis::{Threshold, Tree};
use clap::{Parser, ValueEnum};
use std::str::FromStr;

/// Shows what a program's run cost: totals, functions, callers and callees, annotated source.
#[derive(Parser, Debug)]
#[command(name = "cgannotate", version, about, max_term_width = 100)]
pub struct Cli {
    /// What the default command takes.
    #[command(flatten)]
    pub annotate: AnnotateArgs,
}

/// The options of the report on one profile, or on the sum of several.
#[derive(clap::Args, Debug)]
pub struct AnnotateArgs {
    /// Profiles, and source files to annotate; what is a profile is told by its content [newest callgrind.out.*]
    #[arg(value_name = "PROFILE|SOURCE")]
    pub files: Vec<String>,

    /// Show only these events, in this order
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub show: Vec<String>,

    /// Order by these events; each can have a threshold of its own, as in Ir:90,Dr:50
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub sort: Vec<SortKey>,

    /// List functions until they make up this percentage of the first sort event
    #[arg(long, value_name = "0-100", default_value = "99", value_parser = threshold)]
    pub threshold: Threshold,

    /// Show the percentage of each count
    #[arg(long, value_name = "yes|no", default_value = "yes", hide_possible_values = true)]
    pub show_percs: YesNo,

    /// Annotate the sources of the functions that are listed
    #[arg(long, value_name = "yes|no", default_value = "yes", hide_possible_values = true)]
    pub auto: YesNo,

    /// Lines of source to show around annotated ones
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub context: u64,

    /// Count the cost of called functions too
    #[arg(long, value_name = "yes|no", default_value = "no", hide_possible_values = true)]
    pub inclusive: YesNo,

    /// Show the callers or the called functions of each function, or both
    #[arg(long, value_name = "none|caller|calling|both", default_value = "none", hide_possible_values = true)]
    pub tree: TreeArg,

    /// Look for sources below this folder too
    #[arg(short = 'I', long, value_name = "DIR")]
    pub include: Vec<String>,

    /// Print what callgrind_annotate prints, its faults included (one profile of one part)
    #[arg(long)]
    pub compat: bool,
}

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

/// Which arcs are shown.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum TreeArg {
    /// None.
    None,
    /// Callers.
    Caller,
    /// Called functions.
    Calling,
    /// Both.
    Both,
}

impl From<TreeArg> for Tree {
    fn from(arg: TreeArg) -> Tree {
        Tree {
            callers: matches!(arg, TreeArg::Caller | TreeArg::Both),
            callees: matches!(arg, TreeArg::Calling | TreeArg::Both),
        }
    }
}

/// An event to sort by: `Ir`, `Ir:90`, `Ir:90%`.
#[derive(Clone, PartialEq, Debug)]
pub struct SortKey {
    /// The event's name.
    pub event: String,
    /// Its own threshold.
    pub threshold: Option<Threshold>,
}

impl FromStr for SortKey {
    type Err = String;

    fn from_str(text: &str) -> Result<SortKey, String> {
        match text.split_once(':') {
            None => Ok(SortKey { event: text.to_owned(), threshold: None }),
            Some((event, percent)) => Ok(SortKey { event: event.to_owned(), threshold: Some(threshold(percent)?) }),
        }
    }
}

/// A percentage from 0 to 100; a percent sign may follow.
fn threshold(text: &str) -> Result<Threshold, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match number.parse::<f64>() {
        Ok(percent) if plain && percent <= 100.0 => Ok(Threshold { text: number.to_owned(), percent }),
        _ => Err("a percentage from 0 to 100 is needed".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn thresholds_keep_their_text() {
        assert_eq!(threshold("99.950%"), Ok(Threshold { text: "99.950".into(), percent: 99.95 }));
        for bad in ["", "-1", "101", "1e1", "x", "inf"] {
            assert!(threshold(bad).is_err(), "{bad}");
        }
    }
}
