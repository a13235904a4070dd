//! The command line as typed: the definitions of clap, one file for each command. Parsing checks
//! each value by itself and reads no file. `request` checks what options mean together.
//!
//! The comments of options and commands are the help that users read.

mod annotate;
mod by;
mod check;
mod code;
mod columns;
mod complete;
mod convert;
mod diff;
mod explore;
mod merge;
mod mistake;
mod narrow;
mod output;
mod own;
mod pack;
mod record;
#[cfg(feature = "serve")]
mod serve;
mod source;
mod substitution;
mod trend;
mod values;

pub use self::{
    annotate::{AnnotateArgs, Generate},
    by::ByArg,
    check::{CheckArgs, ReportArg},
    code::{BinaryArgs, CodeArgs},
    columns::ColumnArgs,
    complete::CompleteArgs,
    convert::{ConvertArgs, ToArg},
    diff::DiffArgs,
    explore::ExploreArgs,
    merge::MergeArgs,
    mistake::describe,
    narrow::{FilterArgs, NarrowArgs},
    output::{Form, OutputArgs, PAGE, ReportArgs, ScreenArgs, When},
    own::{InlinedArgs, OwnArgs},
    pack::PackArgs,
    record::RecordArgs,
    source::SourceArgs,
    trend::TrendArgs,
    values::YesNo,
};
pub(crate) use narrow::pattern;
#[cfg(feature = "serve")]
pub use serve::{McpArgs, ServeCommand};
#[cfg(test)]
pub(crate) use substitution::substitution;
use values::definition;

use crate::{
    input,
    profile::{Definition, joined},
};
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand, ValueEnum};
use std::{
    ffi::{OsStr, OsString},
    path::Path,
    sync::LazyLock,
};

/// The short help, which fits a screen of 24 lines.
pub const SHORT_HELP: &str = "\
Annotates Callgrind profiles: functions, callers and callees, source lines.

Usage: cgannotate [OPTIONS] [PROFILE|FOLDER|SOURCE]...  default: newest profile
       cgannotate COMMAND --help

  cgannotate record -- ./program         run a program under Valgrind
  cgannotate                             what is hot: functions, source lines
  cgannotate --zoom decode               one function: callers, callees, source
  cgannotate explore                     walk through it in the terminal
  cgannotate --format=html -o p.html     one page for the browser
  cgannotate diff OLD NEW                what changed, and why
  cgannotate check NEW --limit LIMIT     fail CI if a limit is exceeded
  cgannotate convert --to=folded P       flame graphs, pprof, speedscope, ...

Commands: record explore diff trend check merge pack convert help

  -n, --rows N         at most N functions
      --min 1%         functions with at least this percentage of the total
      --function REGEX, --file REGEX, --object REGEX, --not-...   filters
      --by WHAT        add up by file, object, class, line; or by thread
      --inclusive      include the cost of called functions
      --help           all options, with examples
";

/// Examples, at the end of the long help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cgannotate callgrind.out.1234                 what is hot (in a pipe: the whole report)
  cgannotate --auto=yes callgrind.out.1234      the whole report, with annotated sources
  cgannotate --zoom '^decode$' callgrind.out.1  one function: callers, callees, source
  cgannotate --min=1% --not-object=libc out     functions with at least 1 %, without libc
  cgannotate --by=file out.1 out.2              two threads or runs added up, by source file
  cgannotate --inclusive --tree out             inclusive costs, with callers and callees
  cgannotate diff OLD NEW                       what changed, and why";

/// Shows what a program's run cost: totals, functions, callers and callees, annotated source.
#[derive(Parser, Debug)]
#[command(name = "cgannotate", version, about, max_term_width = 100)]
#[command(after_long_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, args_override_self = true)]
pub struct Cli {
    /// What to do instead of the report.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What the default command takes.
    #[command(flatten)]
    pub annotate: AnnotateArgs,
}

/// The commands other than the report. A file of the same name is written `./diff`.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a program under Valgrind, then show its profile
    Record(Box<RecordArgs>),
    /// Walk through a profile in the terminal
    Explore(Box<ExploreArgs>),
    /// What changed between two runs, and why
    Diff(Box<DiffArgs>),
    /// What changed over many runs, and when
    Trend(Box<TrendArgs>),
    /// Limits and baselines for CI
    Check(CheckArgs),
    /// Add up profiles
    Merge(MergeArgs),
    /// Put profile, sources and code into one file
    Pack(PackArgs),
    /// Write a profile for other tools
    Convert(Box<ConvertArgs>),
    /// A server.
    #[cfg(feature = "serve")]
    #[command(flatten)]
    Serve(ServeCommand),
    /// What could stand at the end of a command line
    #[command(name = "__complete", hide = true)]
    Complete(CompleteArgs),
}

/// How inputs are read; the same for every command.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Read every argument as an input of this format
    #[arg(
        long,
        value_name = INPUT_FORMATS.as_str(),
        value_parser = PossibleValuesParser::new(input_formats()),
        hide_possible_values = true
    )]
    pub input_format: Option<String>,

    /// Read and sort with at most N threads, from 1 to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,

    /// Treat warnings about inputs as errors
    #[arg(long)]
    pub strict: bool,

    /// Accept truncated inputs: warn, but exit with status 0
    #[arg(long)]
    pub allow_truncated: bool,

    /// Treat recursion levels (f'2, f'3) as f, and count inclusive cost once
    #[arg(long)]
    pub fold_recursion: bool,

    /// List functions as they were recorded: chains of callers (--separate-callers), mangled names
    #[arg(long)]
    pub contexts: bool,

    /// Define an event, such as 'CEst = Ir + 10 L1m + 100 LLm'
    #[arg(long = "event", value_name = "NAME = FORMULA", value_parser = definition)]
    pub events: Vec<Definition>,

    /// Whether inputs of several programs are intended, so that nothing is reported about it.
    #[arg(skip)]
    pub of_several_programs: bool,
}

impl InputArgs {
    /// Whether an event is a ratio.
    pub fn has_ratio(&self) -> bool {
        self.events.iter().any(Definition::is_ratio)
    }
}

/// The names for `--input-format`. `auto` detects the format from the content.
fn input_formats() -> impl Iterator<Item = &'static str> {
    let formats = input::formats().filter(|format| !format.is_ours);
    std::iter::once("auto").chain(formats.map(|format| format.name))
}

static INPUT_FORMATS: LazyLock<String> = LazyLock::new(|| joined(input_formats(), "|"));

/// Which arcs are shown.
#[derive(Clone, Copy, PartialEq, ValueEnum, Debug)]
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

/// The name of the original program, which scripts use.
const ORIGINAL: &str = "callgrind_annotate";

/// Whether a word is a value of an option.
type IsValue = fn(&str) -> bool;

/// The options that need no value, and what they mean without one.
const BARE: [(&str, &str, IsValue); 2] = [
    ("--inclusive", "--inclusive=yes", |word| {
        YesNo::from_str(word, false).is_ok()
    }),
    ("--tree", "--tree=both", |word| {
        TreeArg::from_str(word, false).is_ok()
    }),
];

/// Adjusts the program's arguments before clap parses them; the first is its own name. Under the
/// name of the original, for example by a link in a container, it prints what the original prints.
/// A word after `--inclusive` or `--tree` is its value only if it is a valid one. Otherwise it is a
/// file.
pub fn meant(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments
        .first()
        .is_some_and(|name| Path::new(name).file_name() == Some(OsStr::new(ORIGINAL)))
    {
        arguments.insert(1, "--compat".into());
    }
    let end = match arguments.get(1) {
        // The words after the program's name belong to that program.
        Some(command) if command == "record" => 0,
        _ => (arguments.iter().position(|word| word == "--")).unwrap_or(arguments.len()),
    };
    for at in 0..end {
        let next = arguments.get(at + 1).and_then(|next| next.to_str());
        let bare = BARE.iter().find(|(name, _, _)| arguments[at] == *name);
        if let Some((_, meant, is_value)) = bare
            && !next.is_some_and(is_value)
        {
            arguments[at] = meant.into();
        }
    }
    arguments
}

/// Whether the short help of the report is wanted, which fits a screen. An earlier `--help` asks
/// for the long one.
pub fn wants_short_help(arguments: impl Iterator<Item = OsString>) -> bool {
    let commands = <Cli as clap::CommandFactory>::command();
    let mut before = arguments
        .take_while(|argument| argument != "--help")
        .peekable();
    let is_command = before
        .peek()
        .is_some_and(|first| commands.find_subcommand(first).is_some());
    !is_command && before.any(|argument| argument == "-h")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    /// The value names in the help are the accepted values, in the same order.
    #[test]
    fn the_help_names_each_value() {
        use clap::CommandFactory;
        let program = Cli::command();
        let mut lists = 0;
        for command in std::iter::once(&program).chain(program.get_subcommands()) {
            for arg in command
                .get_arguments()
                .filter(|arg| arg.is_hide_possible_values_set())
            {
                let values: Vec<_> = arg
                    .get_possible_values()
                    .iter()
                    .map(|value| value.get_name().to_owned())
                    .collect();
                let named: Vec<_> = arg
                    .get_value_names()
                    .unwrap_or_default()
                    .iter()
                    .map(|name| name.as_str())
                    .collect();
                // Some options take one value, others take several with commas between them.
                let between = arg
                    .get_value_delimiter()
                    .map_or("|".to_owned(), String::from);
                assert_eq!(
                    named,
                    [values.join(&between)],
                    "{} {}",
                    command.get_name(),
                    arg.get_id()
                );
                lists += 1;
            }
        }
        assert!(lists > 20, "{lists} lists");
        let check = program.find_subcommand("check").expect("a command");
        let report = check
            .get_arguments()
            .find(|arg| arg.get_id() == "reports")
            .expect("an option");
        let help = report
            .get_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(
            help.starts_with(&format!("Report as {}, to a file", check::forms("or"))),
            "{help}"
        );
    }
}
