//! Arguments in, exit status out.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    // clap's own short help is longer than a screen.
    if std::env::args_os().nth(1).is_some_and(|first| first == "-h") {
        let _ = std::io::stdout().write_all(cgannotate::cli::SHORT_HELP.as_bytes());
        return ExitCode::SUCCESS;
    }
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
