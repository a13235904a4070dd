//! The servers, and the options of `cgannotate mcp`.

use clap::Subcommand;
use std::{ffi::OsString, path::PathBuf};

/// The servers.
#[derive(Subcommand, Debug)]
pub enum ServeCommand {
    /// Answer AI assistants about a profile (MCP server)
    Mcp(McpArgs),
    /// Show costs in an editor: a language server
    Lsp,
}

/// An MCP server: the Model Context Protocol on standard input and output.
///
/// Assistants can name profiles below the current folder only. They get source text from there and
/// from packs only.
#[derive(clap::Args, Debug)]
pub struct McpArgs {
    /// The profile to answer about if a request names none [default: the newest in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub profile: Option<PathBuf>,

    /// Let assistants record the program after `--`, and no other
    #[arg(long, requires = "program")]
    pub allow_record: bool,

    /// End a recording after this time
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub time_limit: u64,

    /// The program to record, and its arguments
    #[arg(last = true, value_name = "PROGRAM [ARG]", requires = "allow_record")]
    pub program: Vec<OsString>,
}
