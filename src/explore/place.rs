//! Where one is: a screen, what chooses and orders its rows, and the row. Plain values: what Back restores is what was.

use crate::analysis::GroupBy;
use crate::profile::{FunctionId, NameId, SplitBy};

/// A screen with what it is about.
#[derive(Clone, PartialEq, Debug)]
pub enum Screen {
    /// Functions.
    Functions(Within),
    /// Self cost by object, file or class.
    Groups(GroupBy),
    /// Callers and callees of a function.
    Calls(FunctionId),
    /// Source of a function.
    Source(FunctionId),
    /// Instructions of a function.
    Instructions(FunctionId),
    /// Functions that call each other in circles.
    Cycles,
    /// Stacks: all, or those that go through this frame.
    Stacks(Option<usize>),
    /// What the parts cost, or the threads.
    Parts(SplitBy),
    /// What was wrong with the inputs, and what makes a comparison doubtful.
    Warnings,
    /// Functions that only the older run has: all, or those of an object, a file or a class.
    Gone(Within),
}

/// Which functions.
#[derive(Clone, PartialEq, Debug)]
pub enum Within {
    /// All.
    All,
    /// Those of an object, a file or a class.
    Group(GroupBy, Vec<u8>),
    /// The members of a cycle, by its number.
    Cycle(usize),
    /// Those that were marked.
    Marked(Vec<FunctionId>),
}

/// Whose cost it is, and how recursion is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lens {
    /// Whose code.
    pub code: Code,
    /// Levels of recursion.
    pub levels: Levels,
}

/// Whose code is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Code {
    /// All.
    #[default]
    All,
    /// The own one, with what foreign code did for it.
    Own,
}

/// How functions are taken that are levels of one recursion, `f'2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Levels {
    /// Each for itself.
    #[default]
    Apart,
    /// Together.
    Folded,
}

/// What kind of screen it is, which decides what keys do there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Functions.
    Functions,
    /// Objects.
    Objects,
    /// Files.
    Files,
    /// Classes.
    Classes,
    /// Cycles.
    Cycles,
    /// Stacks.
    Stacks,
    /// Parts.
    Parts,
    /// Threads.
    Threads,
    /// Warnings.
    Warnings,
    /// Functions of the older run alone.
    Gone,
    /// Callers and callees.
    Calls,
    /// Source.
    Source,
    /// Instructions.
    Instructions,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 13] = [
        Kind::Functions,
        Kind::Objects,
        Kind::Files,
        Kind::Classes,
        Kind::Cycles,
        Kind::Stacks,
        Kind::Parts,
        Kind::Threads,
        Kind::Warnings,
        Kind::Gone,
        Kind::Calls,
        Kind::Source,
        Kind::Instructions,
    ];

    /// The name that is typed after `:`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Functions => "functions",
            Kind::Objects => "objects",
            Kind::Files => "files",
            Kind::Classes => "classes",
            Kind::Cycles => "cycles",
            Kind::Stacks => "stacks",
            Kind::Parts => "parts",
            Kind::Threads => "threads",
            Kind::Warnings => "warnings",
            Kind::Gone => "gone",
            Kind::Calls => "calls",
            Kind::Source => "source",
            Kind::Instructions => "instructions",
        }
    }

    /// The screen of the whole profile; nothing if it is about one function.
    pub fn screen(self) -> Option<Screen> {
        Some(match self {
            Kind::Functions => Screen::Functions(Within::All),
            Kind::Objects => Screen::Groups(GroupBy::Object),
            Kind::Files => Screen::Groups(GroupBy::File),
            Kind::Classes => Screen::Groups(GroupBy::Class),
            Kind::Cycles => Screen::Cycles,
            Kind::Stacks => Screen::Stacks(None),
            Kind::Parts => Screen::Parts(SplitBy::Part),
            Kind::Threads => Screen::Parts(SplitBy::Thread),
            Kind::Warnings => Screen::Warnings,
            Kind::Gone => Screen::Gone(Within::All),
            Kind::Calls | Kind::Source | Kind::Instructions => return None,
        })
    }
}

impl Screen {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Screen::Functions(_) => Kind::Functions,
            Screen::Groups(GroupBy::Object | GroupBy::Function) => Kind::Objects,
            Screen::Groups(GroupBy::File) => Kind::Files,
            Screen::Groups(GroupBy::Class) => Kind::Classes,
            Screen::Calls(_) => Kind::Calls,
            Screen::Source(_) => Kind::Source,
            Screen::Instructions(_) => Kind::Instructions,
            Screen::Cycles => Kind::Cycles,
            Screen::Stacks(_) => Kind::Stacks,
            Screen::Parts(SplitBy::Thread) => Kind::Threads,
            Screen::Parts(_) => Kind::Parts,
            Screen::Warnings => Kind::Warnings,
            Screen::Gone(_) => Kind::Gone,
        }
    }
}

/// What rows are ordered by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Self cost.
    Own,
    /// Inclusive cost.
    Inclusive,
    /// Calls.
    Calls,
    /// Names.
    Name,
    /// The change of self cost since the older run, up or down.
    Change,
}

impl Sort {
    /// What follows it.
    pub fn next(self) -> Sort {
        match self {
            Sort::Own => Sort::Inclusive,
            Sort::Inclusive => Sort::Calls,
            Sort::Calls => Sort::Name,
            Sort::Name => Sort::Change,
            Sort::Change => Sort::Own,
        }
    }
}

/// Where the cursor goes as soon as there are rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    /// It is where it belongs.
    Nothing,
    /// To what matters most: the hottest line, the function between its callers and callees.
    Heart,
    /// To a function.
    Function(FunctionId),
    /// To the heading of a file.
    File(NameId),
    /// To a line of a file, or so many rows below it.
    Line(NameId, u64, usize),
}

/// Where one is in a pane.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The screen.
    pub screen: Screen,
    /// Whose cost it is.
    pub lens: Lens,
    /// The order of its rows, where that can be chosen.
    pub sort: Sort,
    /// What names contain.
    pub filter: String,
    /// The row of the cursor.
    pub row: usize,
    /// The first row that shows.
    pub top: usize,
    /// Where the cursor is still to go.
    pub aim: Aim,
}

impl Place {
    /// A screen as it is first seen.
    pub fn new(screen: Screen, lens: Lens) -> Place {
        Place {
            screen,
            lens,
            sort: Sort::Own,
            filter: String::new(),
            row: 0,
            top: 0,
            aim: Aim::Heart,
        }
    }
}

/// Where one is, in both panes.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot {
    /// The left pane, or the only one.
    pub left: Place,
    /// What is beside it: something about its row.
    pub right: Option<Place>,
    /// Where the keys go.
    pub focus: Pane,
}

/// One of the panes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pane {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

impl Spot {
    /// A screen that has just been opened.
    pub fn new(screen: Screen, lens: Lens) -> Spot {
        Spot {
            left: Place::new(screen, lens),
            right: None,
            focus: Pane::Left,
        }
    }

    /// The place where the keys go.
    pub fn here(&self) -> &Place {
        match (&self.right, self.focus) {
            (Some(right), Pane::Right) => right,
            _ => &self.left,
        }
    }

    /// The same, to be changed.
    pub fn here_mut(&mut self) -> &mut Place {
        match (&mut self.right, self.focus) {
            (Some(right), Pane::Right) => right,
            _ => &mut self.left,
        }
    }
}

/// Up or down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Towards the beginning.
    Up,
    /// Towards the end.
    Down,
}

impl Way {
    /// The next of so many rows, from one on, that is wanted.
    pub(super) fn find(
        self,
        from: usize,
        rows: usize,
        is_wanted: impl Fn(&usize) -> bool,
    ) -> Option<usize> {
        match self {
            Way::Down => (from + 1..rows).find(is_wanted),
            Way::Up => (0..from.min(rows)).rev().find(is_wanted),
        }
    }
}
