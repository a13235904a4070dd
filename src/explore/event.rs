//! What happens to the explorer, and what it asks for. Between the two stands [`update`](super::update()), which does neither.

use super::work::{Answer, Work};
use crate::source::SourceFile;
use crate::view::sources::Age;

/// Something happened.
pub enum Event {
    /// A key, by its name as in the table of keys: `j`, `Enter`, `Ctrl-c`.
    Key(String),
    /// The mouse.
    Mouse(Mouse, u16, u16),
    /// The terminal has another size.
    Resize(u16, u16),
    /// The worker has done something.
    Done(Work, Answer),
    /// A source was looked for. It may have changed since the run.
    Opened(Vec<u8>, Result<(Age, SourceFile), String>),
    /// There is something to say.
    Said(String),
}

/// What the mouse did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mouse {
    /// A click.
    Click,
    /// The wheel went up.
    Up,
    /// The wheel went down.
    Down,
}

/// Something is to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Work of a generation: what was asked for before is no longer wanted.
    Work(u64, Work),
    /// Read the source of this name.
    Open(Vec<u8>),
    /// Give this to the clipboard.
    Copy(String),
    /// Show this line of a source in the editor.
    Edit(Vec<u8>, u64),
    /// Write a text to a new file.
    Write(String, String),
    /// Write a page for browsers to a new file.
    Page(String),
    /// Draw the screen from the beginning.
    Redraw,
    /// Let the shell go on.
    Suspend,
    /// End.
    Quit,
}
