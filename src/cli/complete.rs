//! The hidden command by which shells complete what somebody types.

use std::ffi::OsString;

/// The words that were typed.
#[derive(clap::Args, Debug)]
pub struct CompleteArgs {
    /// All words after the program's name up to the cursor, the last of which can be empty
    #[arg(last = true)]
    pub words: Vec<OsString>,
}
