//! The only table of keys. The explorer, its `?` list and the documents all read it.

use super::place::Kind;

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
    /// Show callers and callees of the selected function.
    Calls,
    /// Show the source of the selected function.
    Source,
    /// Show the instructions of the selected function.
    Instructions,
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
    /// Go to the parent frame.
    Outside,
    /// Go to the most expensive child frame.
    Inside,
    /// Go to the frame to the left.
    FrameLeft,
    /// Go to the frame to the right.
    FrameRight,
    /// Write the screen to a file.
    Write,
    /// Go to the next expensive line.
    NextHot,
    /// Go to the previous expensive line.
    PreviousHot,
    /// Open a screen of this kind.
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
pub struct Key {
    /// The names of the keys.
    pub names: &'static [&'static str],
    /// The action.
    pub action: Action,
    /// The description of the action.
    pub does: &'static str,
    /// The screens on which the keys work; empty means everywhere.
    pub on: &'static [Kind],
}

/// Screens made of rows.
const ROWS: &[Kind] = &[
    Kind::Functions,
    Kind::Objects,
    Kind::Files,
    Kind::Classes,
    Kind::Cycles,
    Kind::Parts,
    Kind::Threads,
    Kind::Warnings,
    Kind::Gone,
    Kind::Calls,
    Kind::Source,
    Kind::Instructions,
];

/// Screens with a filter: all in [`ROWS`] but the last three.
const FILTERED: &[Kind] = ROWS.split_at(ROWS.len() - 3).0;

/// Screens with a sort order.
const ORDERED: &[Kind] = &[
    Kind::Functions,
    Kind::Objects,
    Kind::Files,
    Kind::Classes,
    Kind::Cycles,
];

/// Screens whose rows or frames are functions.
const WITH_FUNCTIONS: &[Kind] = &[
    Kind::Functions,
    Kind::Calls,
    Kind::Source,
    Kind::Instructions,
    Kind::Stacks,
];

/// Screens whose rows stay in the order of the code and have costs.
const IN_PLACES: &[Kind] = &[Kind::Source, Kind::Instructions];

const STACKS: &[Kind] = &[Kind::Stacks];

/// All keys.
pub const KEYS: &[Key] = &[
    on(&["Up", "k"], Action::Up, "a row up", ROWS),
    on(&["Down", "j"], Action::Down, "a row down", ROWS),
    on(
        &["Up", "k"],
        Action::Outside,
        "the frame around this one",
        STACKS,
    ),
    on(
        &["Down", "j"],
        Action::Inside,
        "the most expensive frame inside this one",
        STACKS,
    ),
    on(
        &["Left", "h"],
        Action::FrameLeft,
        "the frame to the left",
        STACKS,
    ),
    on(
        &["Right", "l"],
        Action::FrameRight,
        "the frame to the right",
        STACKS,
    ),
    on(&["PageUp", "Ctrl-b"], Action::PageUp, "a screen up", ROWS),
    on(
        &["PageDown", "Ctrl-f", "Space"],
        Action::PageDown,
        "a screen down",
        ROWS,
    ),
    key(&["Home", "g"], Action::First, "the first row"),
    key(&["End", "G"], Action::Last, "the last row"),
    key(
        &["Enter"],
        Action::Enter,
        "into what the row is about; a frame of stacks gets the whole width",
    ),
    on(&["Right", "l"], Action::Enter, "the same", ROWS),
    key(&["Backspace", "["], Action::Back, "back to where one was"),
    on(&["Left", "h"], Action::Back, "the same", ROWS),
    key(&["]"], Action::Forward, "forward again"),
    key(&["Tab"], Action::OtherPane, "the other pane"),
    on(
        &["/"],
        Action::Filter,
        "filter names as they are typed; capitals count if there are any",
        FILTERED,
    ),
    on(
        &["Esc"],
        Action::Unfilter,
        "all names again, without the filter",
        FILTERED,
    ),
    on(&["s"], Action::Sort, "order by the next column", ORDERED),
    on(
        &["i"],
        Action::OtherCost,
        "order by self or by inclusive cost",
        &[Kind::Functions],
    ),
    key(&["e"], Action::NextEvent, "count the next event"),
    key(
        &["%"],
        Action::Shares,
        "shares of the total, of what the screen is about, or counts alone",
    ),
    key(
        &["o"],
        Action::Own,
        "only my code, with what library code did for it; or all again",
    ),
    key(
        &["f"],
        Action::Fold,
        "recursion levels as one function; or each as its own again",
    ),
    key(
        &["d"],
        Action::Compare,
        "changes since the older run, or costs alone",
    ),
    on(
        &["c"],
        Action::Calls,
        "callers and callees of the row's function",
        WITH_FUNCTIONS,
    ),
    on(
        &["v"],
        Action::Source,
        "source of the row's function",
        WITH_FUNCTIONS,
    ),
    on(
        &["a"],
        Action::Instructions,
        "instructions of the row's function, or of the row's line of source",
        WITH_FUNCTIONS,
    ),
    on(
        &["m"],
        Action::Mark,
        "mark the row's function, or take the mark off",
        WITH_FUNCTIONS,
    ),
    key(&["'"], Action::Marked, "the marked functions"),
    on(
        &["n"],
        Action::NextHot,
        "the next line or instruction that costs much",
        IN_PLACES,
    ),
    on(&["N"], Action::PreviousHot, "the one before", IN_PLACES),
    key(&["1"], Action::Open(Kind::Functions), "functions"),
    key(&["2"], Action::Open(Kind::Objects), "objects"),
    key(&["3"], Action::Open(Kind::Files), "files"),
    key(&["4"], Action::Open(Kind::Classes), "classes"),
    key(&["5"], Action::Open(Kind::Cycles), "cycles"),
    key(&["6"], Action::Open(Kind::Stacks), "stacks"),
    key(&["7"], Action::Open(Kind::Parts), "parts"),
    key(&["8"], Action::Open(Kind::Threads), "threads"),
    key(&["9"], Action::Open(Kind::Warnings), "warnings"),
    key(
        &["0"],
        Action::Open(Kind::Gone),
        "functions that only the older run has",
    ),
    key(
        &[":"],
        Action::Command,
        "type the name of a screen; Tab completes it",
    ),
    key(
        &["y"],
        Action::Copy,
        "copy the name or the place to the clipboard",
    ),
    key(
        &["Y"],
        Action::CopyCommand,
        "copy the command of the last line to the clipboard",
    ),
    key(
        &["w"],
        Action::Write,
        "write what is seen to a file: as text, .csv, or all as a page, .html",
    ),
    key(&["E"], Action::Edit, "open the place in $VISUAL or $EDITOR"),
    key(&["?"], Action::Help, "the keys of this screen"),
    key(&["Ctrl-l"], Action::Redraw, "draw the screen again"),
    key(
        &["Ctrl-z"],
        Action::Suspend,
        "let the shell go on; `fg` comes back",
    ),
    key(
        &["q", "Ctrl-c"],
        Action::Quit,
        "end; Ctrl-c gives up what is being typed",
    ),
];

const fn key(names: &'static [&'static str], action: Action, does: &'static str) -> Key {
    Key {
        names,
        action,
        does,
        on: &[],
    }
}

const fn on(
    names: &'static [&'static str],
    action: Action,
    does: &'static str,
    on: &'static [Kind],
) -> Key {
    Key {
        names,
        action,
        does,
        on,
    }
}

impl Key {
    /// Whether the key works on a screen.
    pub fn is_on(&self, kind: Kind) -> bool {
        self.on.is_empty() || self.on.contains(&kind)
    }
}

/// The action of a key on a screen.
pub fn action(name: &str, kind: Kind) -> Option<Action> {
    KEYS.iter()
        .find(|key| key.is_on(kind) && key.names.contains(&name))
        .map(|key| key.action)
}
