//! Where the user is: a screen, its filter, order and lens, and the selected row. All are plain
//! values, so going back restores the exact state.

use crate::{
    analysis::GroupBy,
    profile::{FunctionId, NameId, SplitBy},
};
use std::iter;

/// A screen and its subject.
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
    /// Cycles of functions.
    Cycles,
    /// Stacks: all, or those around a function; whole, or those below this frame.
    Stacks(Option<FunctionId>, Option<usize>),
    /// Costs by part or by thread.
    Parts(SplitBy),
    /// Warnings about the inputs and doubts about the comparison.
    Warnings,
    /// Functions that only the older run has: all, or those of an object, a file or a class.
    Gone(Within),
}

/// Which functions a list holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Within {
    /// All.
    All,
    /// Those of an object, a file or a class.
    Group(GroupBy, Vec<u8>),
    /// The members of a cycle, by its index.
    Cycle(usize),
    /// The marked ones.
    Marked(Vec<FunctionId>),
}

/// The variant of the profile: whose code, and whether recursion is folded. Profiles are kept in
/// this order, the recorded one first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lens {
    /// All, as recorded.
    #[default]
    Whole,
    /// Recursion levels such as `f'2` are one function.
    Folded,
    /// Only your code. The cost of library code is attributed to its callers.
    Own,
    /// Like `Own`, and recursion levels are one function.
    OwnFolded,
    /// Like `Own`, and your inlined functions are functions like others.
    Inlined,
}

impl Lens {
    pub(super) fn is_folded(self) -> bool {
        matches!(self, Lens::Folded | Lens::OwnFolded)
    }
}

/// The kind of a screen. It decides what keys do there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Functions.
    Functions,
    /// Objects, files or classes.
    Groups(GroupBy),
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
    /// Functions that only the older run has.
    Gone,
    /// Callers and callees.
    Calls,
    /// Source.
    Source,
    /// Instructions.
    Instructions,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 13] = [
        Kind::Functions,
        Kind::Groups(GroupBy::Object),
        Kind::Groups(GroupBy::File),
        Kind::Groups(GroupBy::Class),
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

    /// The name to type after `:`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Functions => "functions",
            Kind::Groups(by) => by.nouns()[1],
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

    /// The screen of the whole profile; `None` if the screen is about one function.
    pub fn screen(self) -> Option<Screen> {
        Some(match self {
            Kind::Functions => Screen::Functions(Within::All),
            Kind::Groups(by) => Screen::Groups(by),
            Kind::Cycles => Screen::Cycles,
            Kind::Stacks => Screen::Stacks(None, None),
            Kind::Parts => Screen::Parts(SplitBy::Part),
            Kind::Threads => Screen::Parts(SplitBy::Thread),
            Kind::Warnings => Screen::Warnings,
            Kind::Gone => Screen::Gone(Within::All),
            Kind::Calls | Kind::Source | Kind::Instructions => return None,
        })
    }
}

impl Screen {
    /// The kind of the screen.
    pub fn kind(&self) -> Kind {
        match self {
            Screen::Functions(_) => Kind::Functions,
            &Screen::Groups(by) => Kind::Groups(by),
            Screen::Calls(_) => Kind::Calls,
            Screen::Source(_) => Kind::Source,
            Screen::Instructions(_) => Kind::Instructions,
            Screen::Cycles => Kind::Cycles,
            Screen::Stacks(..) => Kind::Stacks,
            Screen::Parts(SplitBy::Thread) => Kind::Threads,
            Screen::Parts(_) => Kind::Parts,
            Screen::Warnings => Kind::Warnings,
            Screen::Gone(_) => Kind::Gone,
        }
    }
}

/// The sort order of rows.
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
    /// The absolute change of self cost since the older run.
    Change,
}

impl Sort {
    /// All sort orders, in the order in which a key offers them.
    pub const ALL: [Sort; 5] = [
        Sort::Own,
        Sort::Inclusive,
        Sort::Calls,
        Sort::Name,
        Sort::Change,
    ];
}

/// Where to move the cursor once there are rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    /// The cursor stays.
    Nothing,
    /// To the most important row: the hottest line, or the function between its callers and
    /// callees.
    Heart,
    /// To a function.
    Function(FunctionId),
    /// To the heading of a file.
    File(NameId),
    /// To a line of a file, or to the row this far below it.
    Line(NameId, u64, usize),
}

/// The state of one pane.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The screen.
    pub screen: Screen,
    /// The variant of the profile.
    pub lens: Lens,
    /// The sort order, if the screen has a choice.
    pub sort: Sort,
    /// The text that names must contain.
    pub filter: String,
    /// The row of the cursor.
    pub row: usize,
    /// The first visible row.
    pub top: usize,
    /// The pending target of the cursor.
    pub aim: Aim,
    /// The line of a source whose library functions are listed.
    pub opened: Option<(NameId, u64)>,
}

impl Place {
    /// A screen in its initial state.
    pub fn new(screen: Screen, lens: Lens) -> Place {
        Place {
            screen,
            lens,
            sort: Sort::Own,
            filter: String::new(),
            row: 0,
            top: 0,
            aim: Aim::Heart,
            opened: None,
        }
    }
}

/// The state of both panes.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot {
    /// The left pane, or the only one.
    pub left: Place,
    /// The right pane, which is about the selected row of the left one.
    pub right: Option<Place>,
    /// The pane that receives keys.
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
    /// A newly opened screen.
    pub fn new(left: Place) -> Spot {
        Spot {
            left,
            right: None,
            focus: Pane::Left,
        }
    }

    /// The panes, the left one first.
    pub(super) fn places(&mut self) -> impl Iterator<Item = &mut Place> {
        iter::once(&mut self.left).chain(&mut self.right)
    }

    /// The focused pane.
    pub fn here(&self) -> &Place {
        match (&self.right, self.focus) {
            (Some(right), Pane::Right) => right,
            _ => &self.left,
        }
    }

    /// The focused pane.
    pub fn here_mut(&mut self) -> &mut Place {
        match (&mut self.right, self.focus) {
            (Some(right), Pane::Right) => right,
            _ => &mut self.left,
        }
    }
}
