//! The events that the explorer receives and the effects that it requests.
//! [`update`](super::update()) maps one to the other.

use super::work::{Answer, Work};

/// An input to the model.
pub enum Message {
    /// A key, named as in the table of keys: `j`, `Enter`, `Ctrl-c`.
    Key(String),
    /// A mouse action at a column and a row.
    Mouse(Mouse, u16, u16),
    /// The new width and height of the terminal.
    Resize(u16, u16),
    /// An answer of the worker.
    Done(Work, Answer),
    /// A message to show.
    Said(String),
}

/// Mouse actions.
#[derive(Clone, Copy, Debug)]
pub enum Mouse {
    /// A click.
    Click,
    /// Wheel up.
    Up,
    /// Wheel down.
    Down,
}

/// A request of the model.
#[derive(PartialEq, Debug)]
pub enum Effect {
    /// Work. It cancels earlier work.
    Work(Work),
    /// Copy this text to the clipboard.
    Copy(String),
    /// Open the editor at this line of a source.
    Edit(Vec<u8>, u64),
    /// Write the second text to a new file, named by the first.
    Write(String, String),
    /// Write an HTML page to this new file.
    Page(String),
    /// Redraw the whole screen.
    Redraw,
    /// Stop the process, as Ctrl-Z does.
    Suspend,
    /// Quit.
    Quit,
}
