//! The only table of keys. The explorer, its `?` list and the documents all read it.

use super::{place::Kind, stacks::Towards};
use crate::analysis::GroupBy;

/// What a key does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Move up.
    Up,
    /// Move down.
    Down,
    /// Move up by one screen.
    PageUp,
    /// Move down by one screen.
    PageDown,
    /// Go to the first row.
    First,
    /// Go to the last row.
    Last,
    /// Open the screen about the selected row.
    Enter,
    /// Go back in the history.
    Back,
    /// Go forward in the history.
    Forward,
    /// Switch to the other pane.
    OtherPane,
    /// Type a filter for names.
    Filter,
    /// Remove the filter.
    Unfilter,
    /// Sort by the next column.
    Sort,
    /// Select the next event.
    NextEvent,
    /// Switch between percentages of the total, of the screen's function, and none.
    Shares,
    /// Switch between self and inclusive cost.
    OtherCost,
    /// Show the stacks around the selected function.
    Around,
    /// Show only your code, or all code.
    Own,
    /// Fold recursion levels.
    Fold,
    /// Show or hide changes.
    Compare,
    /// Mark a function.
    Mark,
    /// List the marked functions.
    Marked,
    /// Go to the next frame in this direction.
    Frame(Towards),
    /// Write the screen to a file.
    Write,
    /// Go to the next expensive line.
    NextHot,
    /// Go to the previous expensive line.
    PreviousHot,
    /// Open a screen of this kind. One about a function is about that of the selected row.
    Open(Kind),
    /// Type a command.
    Command,
    /// Copy the name or the source location.
    Copy,
    /// Copy the command that prints the screen.
    CopyCommand,
    /// Open the editor.
    Edit,
    /// Show the keys.
    Help,
    /// Redraw the screen.
    Redraw,
    /// Stop the process, as Ctrl-Z does.
    Suspend,
    /// Quit.
    Quit,
}

/// Keys with the same action.
pub struct KeyBinding {
    /// The names of the keys, with blanks between them.
    pub names: &'static str,
    /// The action.
    pub action: Action,
    /// The description of the action.
    pub does: &'static str,
    /// Whether the keys work on a screen.
    pub is_on: fn(Kind) -> bool,
}

fn has_rows(kind: Kind) -> bool {
    kind != Kind::Stacks
}

fn has_filter(kind: Kind) -> bool {
    has_rows(kind) && kind != Kind::Calls && !is_code(kind)
}

fn has_order(kind: Kind) -> bool {
    matches!(kind, Kind::Functions | Kind::Groups(_) | Kind::Cycles)
}

/// Whether rows or frames are about functions.
fn has_functions(kind: Kind) -> bool {
    matches!(kind, Kind::Functions | Kind::Calls) || is_code(kind) || is_stacks(kind)
}

/// Whether rows stay in the order of the code and have costs.
fn is_code(kind: Kind) -> bool {
    matches!(kind, Kind::Source | Kind::Instructions)
}

fn is_stacks(kind: Kind) -> bool {
    kind == Kind::Stacks
}

/// All keys.
pub const KEYS: &[KeyBinding] = &[
    on("Up k", Action::Up, "a row up", has_rows),
    on("Down j", Action::Down, "a row down", has_rows),
    on(
        "Up k",
        Action::Frame(Towards::Outside),
        "the frame around this one",
        is_stacks,
    ),
    on(
        "Down j",
        Action::Frame(Towards::Inside),
        "the most expensive frame inside this one",
        is_stacks,
    ),
    on(
        "Left h",
        Action::Frame(Towards::Left),
        "the frame to the left",
        is_stacks,
    ),
    on(
        "Right l",
        Action::Frame(Towards::Right),
        "the frame to the right",
        is_stacks,
    ),
    on("PageUp Ctrl-b", Action::PageUp, "a screen up", has_rows),
    on(
        "PageDown Ctrl-f Space",
        Action::PageDown,
        "a screen down",
        has_rows,
    ),
    key("Home g", Action::First, "the first row"),
    key("End G", Action::Last, "the last row"),
    key(
        "Enter",
        Action::Enter,
        "open the row; a frame of stacks gets the whole width",
    ),
    on("Right l", Action::Enter, "the same", has_rows),
    key("Backspace [", Action::Back, "back to the previous screen"),
    on("Left h", Action::Back, "the same", has_rows),
    key("]", Action::Forward, "forward again"),
    key("Tab", Action::OtherPane, "the other pane"),
    on(
        "/",
        Action::Filter,
        "filter names as they are typed; capitals count if there are any",
        has_filter,
    ),
    on(
        "Esc",
        Action::Unfilter,
        "all names again, without the filter",
        has_filter,
    ),
    on("s", Action::Sort, "order by the next column", has_order),
    on(
        "i",
        Action::OtherCost,
        "order by self or by inclusive cost",
        |kind| kind == Kind::Functions,
    ),
    key("e", Action::NextEvent, "count the next event"),
    key(
        "%",
        Action::Shares,
        "percentages of the total, of what the screen is about, or only counts",
    ),
    key(
        "o",
        Action::Own,
        "only your code; then with inlined functions; or all again",
    ),
    key(
        "f",
        Action::Fold,
        "recursion levels as one function; or each as its own again",
    ),
    key(
        "d",
        Action::Compare,
        "changes since the older run, or only costs",
    ),
    on(
        "c",
        Action::Open(Kind::Calls),
        "callers and callees of the row's function",
        has_functions,
    ),
    on(
        "v",
        Action::Open(Kind::Source),
        "source of the row's function",
        has_functions,
    ),
    on(
        "a",
        Action::Open(Kind::Instructions),
        "instructions of the row's function, or of the row's line of source",
        has_functions,
    ),
    on(
        "t",
        Action::Around,
        "stacks around the row's function: its callers, and its callees",
        has_functions,
    ),
    on(
        "m",
        Action::Mark,
        "mark or unmark the row's function",
        has_functions,
    ),
    key("'", Action::Marked, "the marked functions"),
    on(
        "n",
        Action::NextHot,
        "the next expensive line or instruction",
        is_code,
    ),
    on("N", Action::PreviousHot, "the one before", is_code),
    key("1", Action::Open(Kind::Functions), "functions"),
    key("2", Action::Open(Kind::Groups(GroupBy::Object)), "objects"),
    key("3", Action::Open(Kind::Groups(GroupBy::File)), "files"),
    key("4", Action::Open(Kind::Groups(GroupBy::Class)), "classes"),
    key("5", Action::Open(Kind::Cycles), "cycles"),
    key("6", Action::Open(Kind::Stacks), "stacks"),
    key("7", Action::Open(Kind::Parts), "parts"),
    key("8", Action::Open(Kind::Threads), "threads"),
    key("9", Action::Open(Kind::Warnings), "warnings"),
    key(
        "0",
        Action::Open(Kind::Gone),
        "functions that only the older run has",
    ),
    key(
        ":",
        Action::Command,
        "type the name of a screen; Tab completes it",
    ),
    key(
        "y",
        Action::Copy,
        "copy the name or the place to the clipboard",
    ),
    key(
        "Y",
        Action::CopyCommand,
        "copy the command of the last line to the clipboard",
    ),
    key(
        "w",
        Action::Write,
        "write the screen to a file as text or .csv, or the profile as a page (.html)",
    ),
    key("E", Action::Edit, "open the place in $VISUAL or $EDITOR"),
    key("?", Action::Help, "the keys of this screen"),
    key("Ctrl-l", Action::Redraw, "draw the screen again"),
    key("Ctrl-z", Action::Suspend, "suspend; `fg` resumes"),
    key(
        "q Ctrl-c",
        Action::Quit,
        "quit; Ctrl-c cancels what is being typed",
    ),
];

const fn key(names: &'static str, action: Action, does: &'static str) -> KeyBinding {
    KeyBinding {
        names,
        action,
        does,
        is_on: |_| true,
    }
}

const fn on(
    names: &'static str,
    action: Action,
    does: &'static str,
    is_on: fn(Kind) -> bool,
) -> KeyBinding {
    KeyBinding {
        names,
        action,
        does,
        is_on,
    }
}

/// The action of a key on a screen.
pub fn action(name: &str, kind: Kind) -> Option<Action> {
    KEYS.iter()
        .find(|key| (key.is_on)(kind) && key.names.split(' ').any(|known| known == name))
        .map(|key| key.action)
}
