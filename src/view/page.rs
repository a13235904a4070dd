//! The report on one profile as a value: what comes before its annotated sources, which are lent one by one
//! ([`super::sources`]).

use super::first_screen::FirstScreen;
use super::inlined::{InlinedList, InlinedPlaces};
use super::instructions::list::InstructionList;
use super::line_list::LineList;
use super::zoom::Zoom;
use super::{About, Groups, Listing};

/// A page.
pub enum Page<'a> {
    /// What is hot.
    FirstScreen(Box<FirstScreen<'a>>),
    /// What was read, and a list.
    List {
        /// What was read.
        about: Box<About<'a>>,
        /// The list.
        list: List<'a>,
        /// Which of the two comes first.
        begins: Begins,
    },
    /// One function in full.
    Zoom(Box<Zoom<'a>>),
    /// Where one function is inlined that was not called.
    Places(Box<InlinedPlaces<'a>>),
}

/// What a list begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Begins {
    /// What was read and how, as scripts expect it.
    WithHeader,
    /// The answer, perhaps below a title that tells it from others; below it, what the header says.
    WithAnswer(Option<String>),
}

/// A list.
pub enum List<'a> {
    /// Functions in their files.
    Functions(Box<Listing<'a>>),
    /// Self costs added up by something else.
    Groups(Box<Groups<'a>>),
    /// Functions that were called, and functions that were inlined.
    Inlined(Box<InlinedList<'a>>),
    /// Self costs of lines of functions.
    Lines(Box<LineList<'a>>),
    /// Self costs of instructions.
    Instructions(Box<InstructionList<'a>>),
}

impl List<'_> {
    /// How many rows it has.
    pub fn len(&self) -> usize {
        match self {
            List::Functions(listing) => listing.rows.len(),
            List::Groups(groups) => groups.rows.len(),
            List::Inlined(list) => list.rows.len(),
            List::Lines(list) => list.lines.len(),
            List::Instructions(list) => list.rows.len(),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
