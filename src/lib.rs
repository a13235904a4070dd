//! Reads Callgrind profiles and says what the run cost.
//!
//! ```text
//! input -> profile <- analysis <- report        commands wire them; main knows cli and commands only
//! ```
pub mod profile;
pub mod input;
pub mod analysis;
pub mod source;
pub mod report;
mod compat;
