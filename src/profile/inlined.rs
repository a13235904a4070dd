//! Which functions were inlined where: for every instruction of [`Code`](super::Code), the chain of inlined functions,
//! outermost first. Filled by the reader of debug information.

use super::by_number::Number;
use super::{FunctionId, NameId};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::path::PathBuf;

/// A function that was inlined somewhere, identified by name and file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InlinedFunction {
    /// Its name as people know it.
    pub name: NameId,
    /// The linker's name, if it differs; else empty.
    pub symbol: NameId,
    /// The file that declares it, or where its code stands; `???` if not known.
    pub file: NameId,
}

/// A chain by its place in [`Inlined`]. The first is the empty one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ChainId(u32);

impl ChainId {
    /// Nothing is inlined there: the code is the function's own.
    pub const EMPTY: ChainId = ChainId(0);

    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Number for ChainId {
    fn number(self) -> u64 {
        self.0.into()
    }
}

/// The innermost function of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Link {
    /// The chain around it.
    pub outer: ChainId,
    /// Which function, by its place in [`Inlined::functions`].
    pub function: u32,
    /// The file it was called from.
    pub file: NameId,
    /// The line it was called from; 0 if that is not known.
    pub line: u64,
}

/// What was found for one object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Debug {
    /// The object as it was recorded.
    pub object: NameId,
    /// The file with the debug information, or the binary if there is none.
    pub found: Option<PathBuf>,
    /// The result.
    pub state: State,
    /// Why, in words; empty if there is nothing to say.
    pub why: String,
}

/// The result of looking for an object's debug information.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    /// It is used.
    Used,
    /// There is none.
    #[default]
    None,
    /// The binary is not the one that ran.
    OtherBinary,
}

impl State {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            State::Used => "used",
            State::None => "none",
            State::OtherBinary => "other-binary",
        }
    }
}

/// Whose code stands at a line of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineOwner {
    /// The function's own.
    Function,
    /// That of an inlined function, by its place in [`Inlined::functions`].
    Inlined(u32),
    /// That of several functions.
    Several,
}

/// Chains of inlined functions.
#[derive(Clone, Default)]
pub struct Inlined {
    /// All functions that are inlined anywhere.
    pub functions: Vec<InlinedFunction>,
    /// What was found for each object, ordered by name.
    pub debug: Vec<Debug>,
    /// Names of functions that had none when they were recorded.
    pub names: HashMap<FunctionId, NameId>,
    /// Whose code stands at lines, by their rows: all that is known where no instruction addresses were recorded.
    pub(crate) by_line: Option<HashMap<u32, LineOwner>>,
    links: Vec<Link>,
    of: Vec<ChainId>,
    index: HashMap<Link, ChainId, RandomState>,
    functions_index: HashMap<InlinedFunction, u32, RandomState>,
}

#[cfg_attr(
    not(feature = "object"),
    allow(dead_code, reason = "only who reads debug information fills it")
)]
impl Inlined {
    /// Starts with so many instructions, none of them inlined.
    pub(crate) fn new(instructions: usize) -> Inlined {
        let none = Link {
            outer: ChainId::EMPTY,
            function: u32::MAX,
            file: NameId::UNKNOWN,
            line: 0,
        };
        Inlined {
            links: vec![none],
            of: vec![ChainId::EMPTY; instructions],
            ..Inlined::default()
        }
    }

    /// The number of a function; a new function is added.
    pub(crate) fn function(&mut self, function: InlinedFunction) -> u32 {
        *self.functions_index.entry(function).or_insert_with(|| {
            self.functions.push(function);
            (self.functions.len() - 1) as u32
        })
    }

    /// The chain that ends with a link; a new chain is added.
    pub(crate) fn chain(&mut self, link: Link) -> ChainId {
        *self.index.entry(link).or_insert_with(|| {
            self.links.push(link);
            ChainId((self.links.len() - 1) as u32)
        })
    }

    /// Says which chain an instruction has, by its place in the order of [`Code::instructions`](super::Code::instructions).
    pub(crate) fn set(&mut self, instruction: usize, chain: ChainId) {
        if let Some(place) = self.of.get_mut(instruction) {
            *place = chain;
        }
    }

    /// The chain of an instruction, by its place in the order of [`Code::instructions`](super::Code::instructions).
    pub fn of(&self, instruction: usize) -> ChainId {
        self.of.get(instruction).copied().unwrap_or(ChainId::EMPTY)
    }

    /// The innermost function of a chain; `None` if it is empty.
    pub fn link(&self, chain: ChainId) -> Option<&Link> {
        self.links
            .get(chain.index())
            .filter(|_| chain != ChainId::EMPTY)
    }

    /// The links of a chain, innermost first.
    pub fn inwards_out(&self, chain: ChainId) -> impl Iterator<Item = &Link> + Clone {
        std::iter::successors(self.link(chain), |link| self.link(link.outer))
    }

    /// How many chains there are, the empty one too.
    pub fn chains(&self) -> usize {
        self.links.len()
    }
}
