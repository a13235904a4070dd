//! The report on one profile as a value, without the annotated sources, which [`super::sources`]
//! lends one by one.

use super::{
    About, Groups, Listing, Zoom,
    first_screen::FirstScreen,
    inlined::{InlinedList, InlinedPlaces},
    instructions::list::InstructionList,
    line_list::LineList,
};

/// A page.
pub enum Page<'a> {
    /// The first screen.
    FirstScreen(Box<FirstScreen<'a>>),
    /// The head of the report, and a list.
    List {
        /// The head.
        about: Box<About<'a>>,
        /// The list.
        list: List<'a>,
        /// Which comes first.
        begins: Begins,
    },
    /// One function in full.
    Zoom(Box<Zoom<'a>>),
    /// The places of a function that is only inlined.
    Places(Box<InlinedPlaces<'a>>),
}

/// What a list begins with.
pub enum Begins {
    /// The head, as scripts expect it.
    WithHeader,
    /// The list, below a title if there are several. The head follows it.
    WithAnswer(Option<String>),
}

/// A list.
pub enum List<'a> {
    /// Functions.
    Functions(Box<Listing<'a>>),
    /// Self costs per group of functions.
    Groups(Box<Groups<'a>>),
    /// Functions that were called or inlined.
    Inlined(Box<InlinedList<'a>>),
    /// Self costs of lines of functions.
    Lines(Box<LineList<'a>>),
    /// Self costs of instructions.
    Instructions(Box<InstructionList<'a>>),
}

impl List<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            List::Functions(listing) => listing.rows.len(),
            List::Groups(groups) => groups.rows.len(),
            List::Inlined(list) => list.rows.len(),
            List::Lines(list) => list.lines.len(),
            List::Instructions(list) => list.rows.len(),
        }
    }
}
