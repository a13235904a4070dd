//! The request of `record`: the program, and the options for Callgrind.

use super::{Usage, annotate};
use crate::{
    cli::{Cli, RecordArgs},
    profile::FORKS,
    record::{Built, FileNaming, Program, TargetKind},
};
use clap::{Parser, ValueEnum};
use std::ffi::OsString;

/// What to record, and how.
#[derive(Debug)]
pub struct RecordRequest {
    /// The arguments.
    pub args: RecordArgs,
    /// The program to run.
    pub program: Program,
    /// The options for Callgrind, without file names and the number of callers.
    pub options: Vec<OsString>,
    /// How the output files are named.
    pub files: FileNaming,
    /// The report on the recorded profile, still without its files.
    pub report: annotate::AnnotateRequest,
}

impl RecordRequest {
    /// Interprets the arguments.
    ///
    /// # Errors
    /// If no program is named, or a name or label is invalid.
    pub fn new(args: RecordArgs) -> Result<RecordRequest, Usage> {
        let files = match (&args.name, &args.output) {
            (Some(name), _) => {
                FileNaming::named(name).ok_or_else(|| Usage(format!("--name {name}: {NAME}")))?
            }
            (None, Some(path)) => FileNaming::Begin(path.clone()),
            (None, None) => FileNaming::Begin("callgrind.out".into()),
        };
        if args
            .label
            .as_ref()
            .is_some_and(|label| label.contains(['\n', '\r']))
        {
            return Err(Usage("--label must be one line".into()));
        }
        Ok(RecordRequest {
            program: program(&args)?,
            options: options(&args),
            files,
            report: report(&args)?,
            args,
        })
    }
}

/// The message for an invalid name of a run.
const NAME: &str = "a name has letters, digits, `-` and `_`, and begins with a letter";

fn program(args: &RecordArgs) -> Result<Program, Usage> {
    let Some(cargo) = &args.cargo else {
        return match args.command.split_first() {
            None => Err(Usage(
                "no program is named\nhint: `cgannotate record -- PROGRAM ARGS...`".into(),
            )),
            Some((name, rest)) => Ok(Program::Named {
                name: name.clone(),
                args: rest.to_vec(),
            }),
        };
    };
    let kind = cargo.first().map_or("", String::as_str);
    let kind = TargetKind::from_str(kind, false).map_err(|_| {
        Usage(format!(
            "--cargo: invalid value `{kind}` (expected bench, test, run, example)"
        ))
    })?;
    Ok(Program::Cargo(Built {
        kind,
        name: cargo.get(1).cloned(),
        args: args.command.clone(),
    }))
}

/// Returns the options for Callgrind. Instruction addresses take 15 % more time and twice the file
/// size. Inlined functions and instructions need them. `--valgrind=--dump-instr=no` comes later and
/// turns them off.
fn options(args: &RecordArgs) -> Vec<OsString> {
    let mut options: Vec<OsString> = vec!["--dump-instr=yes".into()];
    let asked = [
        (args.cache, "--cache-sim=yes"),
        (args.threads, "--separate-threads=yes"),
        (args.children, "--trace-children=yes"),
    ];
    options.extend(
        asked
            .into_iter()
            .filter(|(is_asked, _)| *is_asked)
            .map(|(_, option)| option.into()),
    );
    if args.children {
        // A forked process begins with its parent's counts, unless they were dumped just before.
        // They then go into the parent's file.
        options.push("--combine-dumps=yes".into());
        options.extend(
            FORKS
                .iter()
                .map(|function| format!("--dump-before={function}").into()),
        );
    }
    options.extend(
        args.only
            .iter()
            .map(|function| format!("--toggle-collect={function}").into()),
    );
    options.extend_from_slice(&args.valgrind);
    options
}

/// The request for the default report.
fn report(args: &RecordArgs) -> Result<annotate::AnnotateRequest, Usage> {
    let mut plain = Cli::try_parse_from(["cgannotate"])
        .map_err(|e| Usage(e.to_string()))?
        .annotate;
    plain.report.screen = args.screen;
    plain.input.of_several_programs = args.children;
    annotate::AnnotateRequest::new(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Command;

    fn request(line: &str) -> Result<RecordRequest, String> {
        let words = ["cgannotate", "record"]
            .into_iter()
            .chain(line.split(' ').filter(|word| !word.is_empty()));
        match Cli::try_parse_from(words)
            .map_err(|e| e.to_string())?
            .command
        {
            Some(Command::Record(args)) => RecordRequest::new(*args).map_err(|usage| usage.0),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn options_of_the_program_are_its_own() {
        let request = request("--cache -- ls --cache -l").expect("a request");
        assert_eq!(request.options, ["--dump-instr=yes", "--cache-sim=yes"]);
        assert_eq!(
            request.program,
            Program::Named {
                name: "ls".into(),
                args: vec!["--cache".into(), "-l".into()]
            }
        );
    }

    #[test]
    fn what_valgrind_is_given_comes_last() {
        let request = request("--only f --valgrind --dump-instr=no -- x").expect("a request");
        assert_eq!(
            request.options,
            ["--dump-instr=yes", "--toggle-collect=f", "--dump-instr=no"]
        );
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        for (line, problem) in [
            (
                "",
                "no program is named\nhint: `cgannotate record -- PROGRAM ARGS...`",
            ),
            (
                "--cargo all",
                "--cargo: invalid value `all` (expected bench, test, run, example)",
            ),
            (
                "--name 7 x",
                "--name 7: a name has letters, digits, `-` and `_`, and begins with a letter",
            ),
        ] {
            assert_eq!(request(line).map(|_| ()), Err(problem.to_owned()), "{line}");
        }
    }
}
