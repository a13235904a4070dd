//! Reports an error in the command line in one line. clap takes several lines, and its usage text
//! does not fit a screen.

use super::Cli;
use crate::profile::joined;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};
use std::{
    error::Error,
    num::{IntErrorKind, ParseIntError},
};

/// Describes an error in one line, without the program's name. Not meant for help and version.
pub fn describe(error: &clap::Error) -> String {
    let strings = |kind| match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(many)) => many.clone(),
        _ => Vec::new(),
    };
    let first = |kind| strings(kind).into_iter().next().unwrap_or_default();
    let option = first(ContextKind::InvalidArg);
    let name = option.split([' ', '=', '[']).next().unwrap_or_default();
    let value = first(ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => format!("{option}: a value is needed"),
        ErrorKind::InvalidValue => {
            let hint = match first(ContextKind::SuggestedValue) {
                near if near.is_empty() => String::new(),
                near => format!("\nhint: did you mean {near}?"),
            };
            format!(
                "{name}: invalid value `{value}` (expected {}){hint}",
                strings(ContextKind::ValidValue).join(", ")
            )
        }
        ErrorKind::ValueValidation => match why(error) {
            why if why.contains(&format!("`{value}`")) => format!("{name}: {why}"),
            why => format!("{name} {value}: {why}"),
        },
        ErrorKind::UnknownArgument => unknown(name, &first(ContextKind::SuggestedArg), error),
        ErrorKind::MissingRequiredArgument => {
            format!(
                "{} is required\nhint: see --help",
                strings(ContextKind::InvalidArg).join(" and ")
            )
        }
        ErrorKind::ArgumentConflict => {
            let others = strings(ContextKind::PriorArg);
            let others = others
                .iter()
                .filter_map(|other| other.split([' ', '=']).next());
            format!("{name} cannot be used with {}", joined(others, " and "))
        }
        ErrorKind::InvalidUtf8 => "the value of an option that takes text is not UTF-8".into(),
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            line.strip_prefix("error: ").unwrap_or(line).to_owned()
        }
    }
}

/// Options of other programs, and their names here.
const ELSEWHERE: [(&str, &str); 5] = [
    ("--no-pager", "--paging=never"),
    ("--pager", "--paging"),
    ("--no-color", "--color=never"),
    ("--no-colour", "--color=never"),
    ("--colour", "--color"),
];

/// Describes an unknown option. `near` is a similar one.
fn unknown(option: &str, near: &str, error: &clap::Error) -> String {
    let here = ELSEWHERE
        .iter()
        .find(|(elsewhere, here)| *elsewhere == option && takes(error, here));
    let commands = commands_with(option);
    let hint = if let Some((_, here)) = here {
        format!("use {here}")
    } else if !near.is_empty() {
        format!("did you mean {near}?")
    } else if option.parse::<i64>().is_ok() {
        "a number must be at least 0".into()
    } else if commands.is_empty() {
        "--help lists all options".into()
    } else {
        format!("it is an option of {}", commands.join(" and of "))
    };
    format!("unknown option {option}\nhint: {hint}")
}

/// Whether the command that was typed has an option. A value may follow it, as in `--paging=never`.
fn takes(error: &clap::Error, option: &str) -> bool {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(text)) => text.to_string(),
        _ => String::new(),
    };
    let whole = Cli::command();
    let command = usage
        .split_whitespace()
        .find_map(|word| whole.find_subcommand(word))
        .unwrap_or(&whole);
    has(command, option.split('=').next().unwrap_or_default())
}

fn has(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|arg| {
        arg.get_long()
            .is_some_and(|long| option.strip_prefix("--") == Some(long))
    })
}

/// The message of an option's own parser.
fn why(error: &clap::Error) -> String {
    let Some(source) = error.source() else {
        return "invalid value".into();
    };
    match source
        .downcast_ref::<ParseIntError>()
        .map(ParseIntError::kind)
    {
        Some(IntErrorKind::PosOverflow) => "the number is too large".into(),
        Some(IntErrorKind::Zero) => "a number of at least 1 is needed".into(),
        Some(_) => "a whole number is needed".into(),
        None => source.to_string(),
    }
}

/// The commands that have an option, to suggest after it was given to another command.
fn commands_with(option: &str) -> Vec<String> {
    let whole = Cli::command();
    let report = has(&whole, option).then(|| "the report".to_owned());
    let others = whole
        .get_subcommands()
        .filter(|command| has(command, option));
    report
        .into_iter()
        .chain(others.map(|command| format!("`{} {}`", whole.get_name(), command.get_name())))
        .collect()
}
