//! The sources and the code information that an input contains. With them, a report needs no file
//! of the machine that recorded the profile. A pack is such an input. A profile of `record` has
//! details at its end, which hold less: no sources, and no machine code.
//!
//! `input` fills it. `source` and `object` ask it before they ask the disk. Comparisons and sums read
//! its build ids and facts.

use super::{inlined::State, to_text};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
    time::SystemTime,
};

/// The sources and code information of one input.
#[derive(Clone, Default, Debug)]
pub struct Carried {
    /// The pack, or the profile with details, as the user named it.
    pub input: PathBuf,
    /// Whether it is the details of a profile, not a pack.
    pub is_details: bool,
    /// The folder in which it was made, with a final slash. Reports remove it from names. Empty if
    /// unknown.
    pub folder: Vec<u8>,
    /// Whether its profiles are of a program and of the processes that it started, all recorded on
    /// request.
    pub with_children: bool,
    /// What the run depended on besides the program's source: a name and a value of each.
    pub facts: BTreeMap<String, String>,
    /// The modification time of the oldest profile in it.
    pub recorded: Option<SystemTime>,
    /// Sources, by their names in the profile.
    pub sources: HashMap<Vec<u8>, CarriedSource>,
    /// Hashes of lines of your files that have a cost, by file and line.
    /// Only details have them.
    pub lines: BTreeMap<String, BTreeMap<u64, u32>>,
    /// The names of sources that it lacks, because they were not found or were omitted on purpose.
    pub missing: HashSet<Vec<u8>>,
    /// The code of executables and libraries, by their names in the profile.
    pub objects: BTreeMap<Vec<u8>, CarriedObject>,
}

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarriedSource {
    /// Its path, if it was not found under its name in the profile.
    pub found: Option<Vec<u8>>,
    /// When it was last changed.
    pub modified: Option<SystemTime>,
    /// Its content, shared by all names of the same file.
    pub bytes: Arc<[u8]>,
}

/// What is known about the code of an executable or library.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CarriedObject {
    /// The file with its debug information, possibly the object itself.
    pub found: Option<PathBuf>,
    /// The result of reading it.
    pub state: State,
    /// The reason for `state`; may be empty.
    pub why: String,
    /// The build id, in hexadecimal digits.
    pub build_id: Option<String>,
    /// The bits of an x86 processor, 32 or 64; 0 for any other.
    pub bits: u32,
    /// File names, which the other fields refer to by index.
    pub files: Vec<Vec<u8>>,
    /// All functions that are inlined anywhere.
    pub functions: Vec<CarriedFunction>,
    /// Chains of inlined functions. Number 0 is the empty chain, which is not in the list; the
    /// first one here is number 1.
    pub chains: Vec<CarriedLink>,
    /// The chain of each range of addresses. The ranges are sorted and do not overlap.
    pub runs: Vec<CarriedRun>,
    /// Names of functions that the profile only knows by address, by any of their addresses.
    pub names: BTreeMap<u64, Vec<u8>>,
    /// Addresses of functions that the compiler wrote, one of each.
    pub generated: BTreeSet<u64>,
    /// Where functions of the symbol table begin and end, for those that addresses with cost
    /// follow.
    pub symbols: BTreeMap<u64, u64>,
    /// Pieces of machine code, by the address of their first byte.
    pub code: BTreeMap<u64, CarriedCode>,
}

/// This many successive instructions without cost, or more, are replaced by their number.
pub const COLD: usize = 4;

/// A piece of machine code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CarriedCode {
    /// The number of instructions without cost right before it, whose bytes are unknown.
    pub cold: u64,
    /// The address after it.
    pub end: u64,
    /// Its bytes, and possibly some after it: the instruction at its last address may be longer.
    pub bytes: Vec<u8>,
}

/// A function that is inlined somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarriedFunction {
    /// Its readable name.
    pub name: Vec<u8>,
    /// The linker's name, or empty if it is the same.
    pub symbol: Vec<u8>,
    /// The file that declares it, as an index in [`CarriedObject::files`].
    pub file: u32,
    /// Whether the compiler wrote it.
    pub is_generated: bool,
}

/// The innermost function of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CarriedLink {
    /// The number of the chain around it, which is smaller than its own.
    pub outer: u32,
    /// The function, as an index in [`CarriedObject::functions`].
    pub function: u32,
    /// The file that calls it, as an index in [`CarriedObject::files`].
    pub file: u32,
    /// The line of the call; 0 if unknown.
    pub line: u64,
}

/// A range of addresses with the same chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CarriedRun {
    /// The first address.
    pub first: u64,
    /// The last address.
    pub last: u64,
    /// The number of the chain.
    pub chain: u32,
}

impl Carried {
    /// The source with a name, which may lack the folder. `None` if nothing is known about it, and
    /// an error if it is known to be missing.
    pub fn source(&self, name: &[u8]) -> Option<Result<&CarriedSource, MissingSource>> {
        let whole = || [&self.folder[..], name].concat();
        if let Some(source) = self
            .sources
            .get(name)
            .or_else(|| self.sources.get(&whole()))
        {
            return Some(Ok(source));
        }
        (self.missing.contains(name) || self.missing.contains(&whole()))
            .then_some(Err(MissingSource))
    }

    /// The hashes of the lines of a file, whose name may lack the folder.
    pub fn hashes(&self, file: &[u8]) -> Option<&BTreeMap<u64, u32>> {
        let whole = || to_text([&self.folder, file].concat());
        let lines = self.lines.get(&to_text(file));
        lines.or_else(|| self.lines.get(&whole()))
    }

    /// A name as reports show it.
    pub fn without_folder<'n>(&self, name: &'n [u8]) -> &'n [u8] {
        name.strip_prefix(&self.folder[..])
            .filter(|rest| !rest.is_empty())
            .unwrap_or(name)
    }
}

/// The source is known to be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MissingSource;

impl CarriedObject {
    /// The range around an address; `None` if nothing is known about the address.
    pub fn run(&self, address: u64) -> Option<&CarriedRun> {
        let behind = self.runs.partition_point(|run| run.first <= address);
        let run = self.runs.get(behind.checked_sub(1)?)?;
        (address <= run.last).then_some(run)
    }
}
