//! Arguments in, exit status out.

use cgannotate::{cli, commands};
use clap::Parser;
use clap::error::ErrorKind;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::Cli::try_parse() {
        Ok(cli) => commands::run(cli),
        // A failure to print help leaves nothing better to do.
        Err(e) => match e.kind() {
            // clap's own short help is longer than a screen.
            ErrorKind::DisplayHelp if cli::wants_short_help(std::env::args_os().skip(1)) => {
                let _ = std::io::stdout().write_all(cli::SHORT_HELP.as_bytes());
                ExitCode::SUCCESS
            }
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                let _ = e.print();
                ExitCode::SUCCESS
            }
            _ => commands::refuse(&cli::describe(&e)),
        },
    }
}
