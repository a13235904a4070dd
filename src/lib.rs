//! Reads Callgrind profiles and says what the run cost.
//!
//! ```text
//! input -> profile <- analysis <- report        commands wire them; main knows cli and commands only
//! ```
pub mod analysis;
pub mod cli;
pub mod commands;
mod compat;
pub mod input;
pub mod profile;
pub mod report;
pub mod source;
