//! Arguments in, exit status out.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match cgannotate::cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // A failure to print the help or the error leaves nothing better to do.
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { 2 } else { 0 });
        }
    };
    cgannotate::commands::run(cli)
}
