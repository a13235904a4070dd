//! Servers on standard input and output that answer questions about a profile.

mod costs;
mod documents;
mod lsp;
mod mcp;
mod messages;
mod moved;
mod recording;
mod rows;

use crate::{
    cli::{self, Cli, ServeCommand},
    request::{Request, Usage},
};
use anyhow::Result;
use clap::Parser;
use std::{ffi::OsString, iter, process::ExitCode};

/// Serves until the client ends the session.
pub(super) fn run(server: &ServeCommand) -> Result<ExitCode> {
    match server {
        ServeCommand::Mcp(args) => mcp::run(args),
        ServeCommand::Lsp => lsp::run(),
    }
}

/// The request of a command line without the program's name.
fn requested(words: impl IntoIterator<Item = OsString>) -> Result<Request> {
    let words = iter::once("cgannotate".into()).chain(words);
    let cli = Cli::try_parse_from(words).map_err(|e| Usage(cli::describe(&e)))?;
    Ok(Request::new(cli)?)
}
