//! What was typed. No input, no output, and no meaning yet: the commands give it one.
//!
//! One file a command; what several commands share stands here.

mod annotate;
mod check;
mod convert;
mod diff;
mod merge;
mod mistake;
mod narrow;

pub use annotate::{AnnotateArgs, GenerateArg, Sources};
pub use check::{CheckArgs, ReportArg};
pub use convert::{ConvertArgs, ToArg};
pub use diff::{By, DiffArgs};
pub use merge::MergeArgs;
pub use mistake::{NO_TEXT, describe};
pub(crate) use narrow::pattern;
pub use narrow::{ByArg, NarrowArgs};

use crate::analysis::Threshold;
use crate::profile::{Definition, Format, formula};
use crate::render::table::{Form, Formulas};
use crate::view::Tree;
use clap::{Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The short help: no more than a screen of 24 lines has room for.
pub const SHORT_HELP: &str = "\
Shows what a program's run cost: functions, callers and callees, source lines.

Usage: cgannotate [OPTIONS] [PROFILE|SOURCE]...   newest callgrind.out.* if none
       cgannotate diff|check|merge|convert --help

      --zoom REGEX     one function: callers, callees, annotated source
      --depth N        with --zoom, levels of callers and callees
  -n, --rows N         so many functions and no more
      --min 1%         functions with at least this share of the total
      --function REGEX, --file REGEX, --object REGEX
                       functions that match; --not-... leaves them out
      --by WHAT        add up by function, file, object or class
      --inclusive yes  count the cost of called functions too
      --tree both      show callers and callees with each function
      --auto yes       annotate the sources of what is listed
      --sort A,B       order by these events; --events lists them
  -I, --include DIR    look for sources here; --map OLD=NEW for moved ones
      --fold-recursion f'2, f'3, ... are f
  -o, --output FILE    write to a file
  -V, --version        print the version
      --help           all options, with examples
";

/// What a person does most, at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  cgannotate callgrind.out.1234                 what is hot (in a pipe: the whole report)
  cgannotate --auto=yes callgrind.out.1234      the whole report, with annotated sources
  cgannotate --zoom '^decode$' callgrind.out.1  one function: callers, callees, source
  cgannotate --min=1% --not-object=libc out     functions with 1 % or more, libc left out
  cgannotate --by=file out.1 out.2              two threads or runs summed, by source file
  cgannotate --inclusive=yes --tree=both out    with what is called, callers and callees
  cgannotate diff OLD NEW                       what got dearer, what cheaper, and why";

/// Shows what a program's run cost: totals, functions, callers and callees, annotated source.
#[derive(Parser, Debug)]
#[command(name = "cgannotate", version, about, max_term_width = 100)]
#[command(after_long_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true, args_override_self = true)]
pub struct Cli {
    /// What to do instead of the report.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What the default command takes.
    #[command(flatten)]
    pub annotate: AnnotateArgs,
}

/// The commands beside the report. A file of the same name is written `./diff`.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// What got dearer, what cheaper, and why
    Diff(Box<DiffArgs>),
    /// Budgets and regression gates for CI
    Check(CheckArgs),
    /// One profile out of many
    Merge(MergeArgs),
    /// A profile for other tools
    Convert(ConvertArgs),
}

/// How inputs are read; the same for every command.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading")]
pub struct InputArgs {
    /// Take every input for this format, and each argument for an input, instead of looking into them
    #[arg(long, value_name = "auto|callgrind|cachegrind|xdebug|webgrind|aprof", hide_possible_values = true)]
    pub input_format: Option<InputFormatArg>,

    /// Read with at most so many threads; 1 for one, without for as many as there are cores
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    /// Take any warning about an input for an error
    #[arg(long)]
    pub strict: bool,

    /// Be content with what came through of an input that is cut: warn, but exit with status 0
    #[arg(long)]
    pub allow_truncated: bool,

    /// Refuse a compressed input that grows more than so many times, beyond 2 MiB; `none` lifts the limit [default: 100]
    #[arg(long, value_name = "N|none")]
    pub max_ratio: Option<MaxRatio>,

    /// Take the recursion levels f'2, f'3, ... for the function f, and count its inclusive cost once for all
    #[arg(long)]
    pub fold_recursion: bool,

    /// Define an event, as in 'CEst = Ir + 10 L1m + 100 LLm'
    #[arg(long = "event", value_name = "NAME = FORMULA", value_parser = definition)]
    pub events: Vec<Definition>,
}

/// Where the report goes.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write to this file, all of it or nothing, instead of standard output, which is `-`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How tables are written; the same for the report and `diff`.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct TableArgs {
    /// In csv and tsv, put an apostrophe before text that a spreadsheet would take for a formula
    #[arg(long)]
    pub csv_safe: bool,
}

impl TableArgs {
    /// What becomes of formulas.
    pub fn formulas(&self) -> Formulas {
        if self.csv_safe { Formulas::Prevented } else { Formulas::Kept }
    }

    /// Whether it says anything about a report of this form.
    pub fn is_for(&self, format: FormatArg) -> bool {
        !self.csv_safe || matches!(format, FormatArg::Csv | FormatArg::Tsv)
    }
}

impl OutputArgs {
    /// The file that is wanted; `None` is standard output.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }
}

/// The formats that inputs can be taken for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum InputFormatArg {
    /// What the content says.
    Auto,
    /// Callgrind.
    Callgrind,
    /// Cachegrind.
    Cachegrind,
    /// Xdebug.
    Xdebug,
    /// webgrind.
    Webgrind,
    /// aprof.
    Aprof,
}

impl InputFormatArg {
    /// The format that is meant; `None` to look.
    pub fn format(self) -> Option<Format> {
        match self {
            InputFormatArg::Auto => None,
            InputFormatArg::Callgrind => Some(Format::Callgrind),
            InputFormatArg::Cachegrind => Some(Format::Cachegrind),
            InputFormatArg::Xdebug => Some(Format::Xdebug),
            InputFormatArg::Webgrind => Some(Format::Webgrind),
            InputFormatArg::Aprof => Some(Format::Aprof),
        }
    }
}

/// How the report looks on a terminal.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Terminal")]
pub struct ScreenArgs {
    /// Use colours: on a terminal, always or never; $NO_COLOR and $CLICOLOR_FORCE are heard
    #[arg(long, value_name = "auto|always|never", default_value = "auto", hide_possible_values = true)]
    pub color: When,

    /// Show what is longer than the screen with $CGANNOTATE_PAGER, $PAGER or `less -FRX`
    #[arg(long, value_name = "auto|always|never", default_value = "auto", hide_possible_values = true)]
    pub paging: When,

    /// Make names shorter where a line would not fit the terminal, or show them in full
    #[arg(long, value_name = "short|full", default_value = "short", hide_possible_values = true)]
    pub names: NamesArg,
}

/// When something is done.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum When {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How names are shown on a terminal.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum NamesArg {
    /// Short where lines would not fit.
    Short,
    /// In full.
    Full,
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

/// A limit of how often a compressed input may grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaxRatio(pub Option<u64>);

impl FromStr for MaxRatio {
    type Err = String;

    fn from_str(text: &str) -> Result<MaxRatio, String> {
        match text.parse() {
            _ if text == "none" => Ok(MaxRatio(None)),
            Ok(n) if n > 0 => Ok(MaxRatio(Some(n))),
            _ => Err("a number from 1 on, or none, is needed".into()),
        }
    }
}

/// The forms of a report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum FormatArg {
    /// The classic report.
    Text,
    /// One JSON document.
    Json,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// A Markdown table.
    Markdown,
}

impl FormatArg {
    /// The form of a table, if it is one.
    pub fn table(self, formulas: Formulas) -> Option<Form> {
        match self {
            FormatArg::Text | FormatArg::Json => None,
            FormatArg::Csv => Some(Form::Csv(formulas)),
            FormatArg::Tsv => Some(Form::Tsv(formulas)),
            FormatArg::Markdown => Some(Form::Markdown),
        }
    }

    /// Whether a person reads it, so that names are short and lists end where they get boring.
    pub fn is_for_people(self) -> bool {
        match self {
            FormatArg::Text | FormatArg::Markdown => true,
            FormatArg::Json | FormatArg::Csv | FormatArg::Tsv => false,
        }
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

/// Whether those who ask for help want that of the report, and no more than a screen of it. `--help` before is longer.
pub fn wants_short_help(arguments: impl Iterator<Item = OsString>) -> bool {
    let commands = <Cli as clap::CommandFactory>::command();
    let mut before = arguments.take_while(|argument| argument != "--help").peekable();
    let is_command = before.peek().is_some_and(|first| commands.find_subcommand(first).is_some());
    !is_command && before.any(|argument| argument == "-h")
}

/// A derived event: `NAME = FORMULA`, and perhaps `: long name`.
fn definition(text: &str) -> Result<Definition, String> {
    let definition = Definition::read(text.as_bytes());
    let formula = definition.formula.as_deref().ok_or("`NAME = FORMULA` is needed")?;
    if definition.name.is_empty() || definition.name.iter().any(u8::is_ascii_whitespace) {
        return Err("the event needs a name without blanks before the `=`".into());
    }
    formula::terms(formula).map_err(|problem| problem.to_string())?;
    Ok(definition)
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
