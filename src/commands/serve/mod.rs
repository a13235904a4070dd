//! Servers on standard input and output that answer questions about a profile.

mod costs;
mod documents;
pub(super) mod lsp;
pub(super) mod mcp;
mod messages;
mod moved;
mod recording;
mod rows;
