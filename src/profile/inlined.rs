//! The chain of inlined functions of every instruction of [`Code`](super::Code), outermost first.
//! The reader of debug information fills it.

use super::{FunctionId, NameId, names::kebab_case};
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
};

/// A function that was inlined somewhere, identified by name and file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InlinedFunction {
    /// Its readable name.
    pub name: NameId,
    /// The linker's name, or empty if it is the same.
    pub symbol: NameId,
    /// The file that declares it or has its code; `???` if unknown.
    pub file: NameId,
    /// Whether the compiler wrote it: a constructor, destructor or assignment that no source has.
    pub is_generated: bool,
}

/// A chain, by its index in [`Inlined`]. The first chain is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ChainId(u32);

impl ChainId {
    /// Nothing is inlined: the code is the function's own.
    pub const EMPTY: ChainId = ChainId(0);

    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The innermost function of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Link {
    /// The chain around it.
    pub outer: ChainId,
    /// The function, as an index in [`Inlined::functions`].
    pub function: u32,
    /// The file that calls it.
    pub file: NameId,
    /// The line of the call; 0 if unknown.
    pub line: u64,
}

/// The debug information of one object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Debug {
    /// The object, as it was recorded.
    pub object: NameId,
    /// The file with the debug information, or the binary if there is none.
    pub found: Option<PathBuf>,
    /// The result of reading it.
    pub state: State,
    /// The reason for `state`; may be empty.
    pub why: String,
    /// If a pack or the details of a profile have it: for how many thousandths of its cost.
    pub known_thousandths: Option<u128>,
}

impl Debug {
    /// Before the search.
    pub(crate) fn new(object: NameId) -> Debug {
        Debug {
            object,
            ..Debug::default()
        }
    }
}

/// What an executable or a library lacks, with its debug file.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lack {
    /// Source lines.
    Lines,
    /// Source lines, and the names of all functions that it does not export.
    MostNames,
    /// Source lines and names.
    Names,
}

/// The result of the search for an object's debug information.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    /// The debug information is used.
    Used,
    /// No debug information was found.
    #[default]
    None,
    /// The binary is not the one that ran.
    OtherBinary,
}

impl State {
    /// The name in documents.
    pub fn name(self) -> String {
        kebab_case(self)
    }
}

/// The function whose code is at a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineOwner {
    /// The function of the line itself.
    Function,
    /// An inlined function, as an index in [`Inlined::functions`].
    Inlined(u32),
    /// Several functions.
    Several,
}

/// Chains of inlined functions.
#[derive(Clone, Default)]
pub struct Inlined {
    /// All functions that are inlined anywhere.
    pub functions: IndexSet<InlinedFunction, RandomState>,
    /// The debug information of each object, ordered by name.
    pub debug: Vec<Debug>,
    /// Names of functions that had none when they were recorded.
    pub names: HashMap<FunctionId, NameId>,
    /// The functions that the compiler wrote: code that uses them pays for them.
    pub generated: HashSet<FunctionId>,
    /// Whose code is at lines, by their rows. Nothing more is known if no instruction addresses
    /// were recorded.
    pub(crate) by_line: Option<HashMap<u32, LineOwner>>,
    /// All chains by their ids. The empty one has a link that no other has.
    links: IndexSet<Link, RandomState>,
    of: Vec<ChainId>,
}

impl Inlined {
    /// Starts with this number of instructions, none of them inlined.
    pub(crate) fn new(instructions: usize) -> Inlined {
        let none = Link {
            outer: ChainId::EMPTY,
            function: u32::MAX,
            file: NameId::UNKNOWN,
            line: 0,
        };
        Inlined {
            links: IndexSet::from_iter([none]),
            of: vec![ChainId::EMPTY; instructions],
            ..Inlined::default()
        }
    }

    /// Finds or adds a function, and returns its number.
    pub(crate) fn function(&mut self, function: InlinedFunction) -> u32 {
        self.functions.insert_full(function).0 as u32
    }

    /// Finds or adds the chain that ends with a link.
    pub(crate) fn chain(&mut self, link: Link) -> ChainId {
        ChainId(self.links.insert_full(link).0 as u32)
    }

    /// Sets the chain of an instruction, by its index in
    /// [`Code::instructions`](super::Code::instructions).
    pub(crate) fn set(&mut self, instruction: usize, chain: ChainId) {
        if let Some(place) = self.of.get_mut(instruction) {
            *place = chain;
        }
    }

    /// The chain of an instruction, by its index in
    /// [`Code::instructions`](super::Code::instructions).
    pub fn chain_at(&self, instruction: usize) -> ChainId {
        self.of.get(instruction).copied().unwrap_or(ChainId::EMPTY)
    }

    /// The innermost function of a chain; `None` if it is empty.
    pub fn link(&self, chain: ChainId) -> Option<&Link> {
        self.links
            .get_index(chain.index())
            .filter(|_| chain != ChainId::EMPTY)
    }

    /// The links of a chain, innermost first.
    pub fn inwards_out(&self, chain: ChainId) -> impl Iterator<Item = &Link> + Clone {
        std::iter::successors(self.link(chain), |link| self.link(link.outer))
    }
}
