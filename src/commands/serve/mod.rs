//! Answers questions of editors and assistants about a profile, on standard input and output.

mod documents;
pub(super) mod mcp;
mod messages;
mod recording;
