//! What can complete the last word of a command line. Shells ask by a hidden command. clap's
//! definition of the command line gives the answers, or tells what in a profile gives them.

use crate::{analysis::GroupBy, cli::Cli, export::check::CheckForm};
use clap::builder::{StyledStr, ValueHint};
use clap::{Arg, Command, CommandFactory, ValueEnum};
use std::{ffi::OsString, path::PathBuf};

/// How the last word can be completed.
#[derive(Debug)]
pub struct Asked {
    /// The part of the word that precedes each answer, such as `--sort=Ir,`.
    pub before: String,
    /// The part of the answer that is already typed.
    pub typed: String,
    /// The answers that the command line defines, each with a short explanation.
    pub words: Vec<(String, String)>,
    /// The source of further answers.
    pub other: Other,
    /// The inputs that earlier words name.
    pub inputs: Vec<PathBuf>,
}

/// Where further answers come from.
#[derive(PartialEq, Debug)]
pub enum Other {
    /// None.
    Nothing,
    /// Names of files.
    Files,
    /// Names of folders.
    Folders,
    /// Events of the profile.
    Events,
    /// Functions of the profile, by their names.
    Functions,
    /// Patterns of functions of the profile, its files, or its executables and libraries.
    Patterns(GroupBy),
}

impl Asked {
    /// Finds out how the last of these words can be completed.
    pub fn new(words: &[OsString]) -> Asked {
        let mut program = Cli::command();
        program.build();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let (last, before) = words
            .split_last()
            .map_or(("", &[][..]), |(last, before)| (last.as_ref(), before));
        let command = before
            .first()
            .and_then(|first| program.find_subcommand(first.as_ref()));
        let is_first = before.is_empty();
        let before = if command.is_some() {
            &before[1..]
        } else {
            before
        };
        let command = command.unwrap_or(&program);

        let mut asked = Asked {
            before: String::new(),
            typed: last.to_owned(),
            words: Vec::new(),
            other: Other::Files,
            inputs: Vec::new(),
        };
        // The option whose value comes next.
        let (mut open, mut ended) = (None, false);
        for word in before {
            match open.take() {
                _ if ended => asked.inputs.push(PathBuf::from(&**word)),
                Some(_) => {}
                None if word == "--" => ended = true,
                None if word.starts_with('-') && word.len() > 1 => {
                    open =
                        option(command, word).filter(|arg| takes_value(arg) && !word.contains('='));
                }
                None => asked.inputs.push(PathBuf::from(&**word)),
            }
        }
        match (open, last.split_once('=')) {
            (Some(arg), _) => asked.value(arg, ""),
            _ if ended => {}
            (None, Some((name, value))) if name.starts_with("--") => match option(command, name) {
                Some(arg) => {
                    asked.typed = value.to_owned();
                    asked.value(arg, &format!("{name}="));
                }
                None => asked.other = Other::Nothing,
            },
            (None, _) if last.starts_with('-') => asked.options(command),
            (None, _) if is_first => {
                let commands = program
                    .get_subcommands()
                    .filter(|command| !command.is_hide_set());
                asked.words = commands
                    .map(|command| (command.get_name().to_owned(), text(command.get_about())))
                    .collect();
            }
            (None, _) => {}
        }
        asked
    }

    /// Completes the value of an option. `before` precedes it in the same word.
    fn value(&mut self, arg: &Arg, before: &str) {
        // In a list, the last value is being typed.
        let start = arg
            .get_value_delimiter()
            .and_then(|delimiter| self.typed.rfind(delimiter))
            .map_or(0, |at| at + 1);
        self.before = format!("{before}{}", &self.typed[..start]);
        self.typed.drain(..start);
        let values = match arg.get_id().as_str() {
            // clap does not know these values, because the name of a file can follow each.
            "reports" => CheckForm::value_variants()
                .iter()
                .filter_map(ValueEnum::to_possible_value)
                .collect(),
            _ => arg.get_possible_values(),
        };
        self.words = values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| (value.get_name().to_owned(), text(value.get_help())))
            .collect();
        self.other = match (arg.get_id().as_str(), arg.get_value_hint()) {
            ("show" | "sort", _) => Other::Events,
            ("zoom", _) => Other::Functions,
            ("function" | "not_function", _) => Other::Patterns(GroupBy::Function),
            ("file" | "not_file", _) => Other::Patterns(GroupBy::File),
            ("object" | "not_object", _) => Other::Patterns(GroupBy::Object),
            ("output" | "config" | "save_baseline", _) | (_, ValueHint::FilePath) => Other::Files,
            (_, ValueHint::DirPath) => Other::Folders,
            _ => Other::Nothing,
        };
    }

    fn options(&mut self, command: &Command) {
        self.other = Other::Nothing;
        let args = command.get_arguments().filter(|arg| !arg.is_hide_set());
        self.words = args
            .filter_map(|arg| {
                let equals = if takes_value(arg) { "=" } else { "" };
                Some((
                    format!("--{}{equals}", arg.get_long()?),
                    text(arg.get_help()),
                ))
            })
            .collect();
    }
}

/// The option that a word names: `--show`, `--show=Ir`, `-n`.
fn option<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let name = word.split('=').next().unwrap_or(word);
    command
        .get_arguments()
        .find(|arg| match name.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            None => arg.get_short().is_some_and(|short| {
                name.strip_prefix('-') == Some(short.encode_utf8(&mut [0; 4]))
            }),
        })
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn text(help: Option<&StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Asked {
        Asked::new(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_word_says_what_is_asked_for() {
        for (line, before, typed, other) in [
            ("--zoom=ma", "--zoom=", "ma", Other::Functions),
            ("out --zoom ma", "", "ma", Other::Functions),
            ("--sort=Ir,D", "--sort=Ir,", "D", Other::Events),
            ("diff --show D", "", "D", Other::Events),
            ("-I /us", "", "/us", Other::Folders),
            ("--output=x", "--output=", "x", Other::Files),
            ("--nonsense=x", "", "--nonsense=x", Other::Nothing),
            ("--auto=yes ou", "", "ou", Other::Files),
            ("-n 3 ou", "", "ou", Other::Files),
            ("check ou", "", "ou", Other::Files),
            ("-- --zoom=", "", "--zoom=", Other::Files),
            ("", "", "", Other::Files),
        ] {
            let asked = asked(line);
            assert_eq!(
                (&asked.before[..], &asked.typed[..], asked.other),
                (before, typed, other),
                "{line}"
            );
        }
        assert_eq!(
            asked("diff a --sort Ir b --zo").inputs,
            [PathBuf::from("a"), PathBuf::from("b")]
        );
    }

    #[test]
    fn words_are_those_of_the_command_line() {
        let words = |line: &str| {
            asked(line)
                .words
                .into_iter()
                .map(|(word, _)| word)
                .collect::<Vec<_>>()
        };
        assert_eq!(words("--tree=c"), ["none", "caller", "calling", "both"]);
        assert_eq!(words("--tree c"), words("--tree="));
        assert_eq!(
            words("check --report="),
            ["text", "markdown", "json", "junit", "github"]
        );
        assert!(
            words("--f").contains(&"--format=".to_owned())
                && words("-").contains(&"--compat".to_owned())
        );
        assert!(
            words("check --").contains(&"--limit=".to_owned())
                && !words("check --").contains(&"--zoom=".to_owned())
        );
        assert!(words("d").contains(&"diff".to_owned()) && words("out d").is_empty());
        assert!(
            !words("").iter().any(|word| word.starts_with('_')),
            "what is hidden stays so"
        );
    }
}
