//! Arguments in, exit status out.

use cgannotate::request::Request;
use cgannotate::{cli, commands};
use clap::Parser;
use clap::error::ErrorKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::Cli::try_parse_from(cli::meant(std::env::args_os())) {
        Ok(cli) => commands::run(Request::new(cli)),
        Err(e) => match e.kind() {
            // clap's own short help is longer than a screen.
            ErrorKind::DisplayHelp if cli::wants_short_help(std::env::args_os().skip(1)) => {
                commands::answer(|out| out.write_all(cli::SHORT_HELP.as_bytes()))
            }
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => commands::answer(|_| e.print()),
            _ => commands::refuse(&cli::describe(&e)),
        },
    }
}
