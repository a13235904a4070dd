//! Servers on standard input and output that answer questions about a profile.

mod documents;
pub(super) mod mcp;
mod messages;
mod recording;
