//! What an input brings along beside its costs: sources, and what is known of its code, so that a report needs no file of
//! the machine that recorded it. A pack is such an input.
//!
//! `input` fills it; `source` and `object` ask it before they ask the disk. Nobody else has to know of it.

use super::inlined::State;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// What one input brings along.
#[derive(Clone, Default, Debug)]
pub struct Carried {
    /// The input, as it was named.
    pub input: PathBuf,
    /// The folder that it was made in, with a final slash: reports show the names below it without it. Empty if unknown.
    pub folder: Vec<u8>,
    /// Whether its profiles are of a program and of those that it started, which were recorded, too, as was asked for.
    pub with_children: bool,
    /// When the oldest of its profiles was written.
    pub recorded: Option<SystemTime>,
    /// Sources, by their names in the profile.
    pub sources: HashMap<Vec<u8>, CarriedSource>,
    /// Names of sources that it does not have: they were not found when it was made, or were left out.
    pub missing: HashSet<Vec<u8>>,
    /// What is known of the code of executables and libraries, by their names in the profile.
    pub objects: BTreeMap<Vec<u8>, CarriedObject>,
}

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarriedSource {
    /// Where it was found, if not under its name in the profile.
    pub found: Option<Vec<u8>>,
    /// When it was changed last.
    pub modified: Option<SystemTime>,
    /// Its contents, which other names for the same file share.
    pub bytes: Arc<[u8]>,
}

/// What is known of the code of an executable or library.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CarriedObject {
    /// The file with its debug information, or its own.
    pub found: Option<PathBuf>,
    /// What was found in it.
    pub state: State,
    /// Why, in words; empty if there is nothing to say.
    pub why: String,
    /// What tells its build from others, in hexadecimal digits.
    pub build_id: Option<String>,
    /// The bits of an x86 processor, 32 or 64; 0 for any other.
    pub bits: u32,
    /// Names of files, by which the others call them by their place here.
    pub files: Vec<Vec<u8>>,
    /// Functions that are inlined anywhere.
    pub functions: Vec<CarriedFunction>,
    /// Chains of inlined functions. Number 0 is the empty one and not among them; the first here is number 1.
    pub chains: Vec<CarriedLink>,
    /// Which addresses have which chain: apart from each other, in order.
    pub runs: Vec<CarriedRun>,
    /// Names of functions that the profile knows by address alone, by any of their addresses.
    pub names: BTreeMap<u64, Vec<u8>>,
    /// Where the functions of the symbol table begin and end, as far as addresses with cost follow them.
    pub symbols: BTreeMap<u64, u64>,
    /// Pieces of machine code by the address of their first byte.
    pub code: BTreeMap<u64, CarriedCode>,
}

/// So many instructions without cost, and more, are shown by their number alone.
pub const COLD: usize = 4;

/// A piece of machine code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CarriedCode {
    /// How many instructions without cost end where it begins: their bytes are not known.
    pub cold: u64,
    /// The address behind it.
    pub end: u64,
    /// Its bytes, and maybe some behind it: the last address of it may be the start of a longer instruction.
    pub bytes: Vec<u8>,
}

/// A function that is inlined somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarriedFunction {
    /// Its name as people know it.
    pub name: Vec<u8>,
    /// The linker's name, if it differs; else empty.
    pub symbol: Vec<u8>,
    /// The file that declares it, by its place in [`CarriedObject::files`].
    pub file: u32,
}

/// The innermost function of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CarriedLink {
    /// The number of the chain around it, which is smaller than its own.
    pub outer: u32,
    /// The function, by its place in [`CarriedObject::functions`].
    pub function: u32,
    /// The file that it was called from, by its place in [`CarriedObject::files`].
    pub file: u32,
    /// The line there; 0 if that is not known.
    pub line: u64,
}

/// Addresses that have the same chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CarriedRun {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
    /// The number of the chain.
    pub chain: u32,
}

impl Carried {
    /// The source with a name, which may lack the folder: `None` where nothing is known of it, and an error where it is
    /// known to be missing.
    pub fn source(&self, name: &[u8]) -> Option<Result<&CarriedSource, Missing>> {
        let whole = || [&self.folder[..], name].concat();
        if let Some(source) = self
            .sources
            .get(name)
            .or_else(|| self.sources.get(&whole()))
        {
            return Some(Ok(source));
        }
        (self.missing.contains(name) || self.missing.contains(&whole())).then_some(Err(Missing))
    }

    /// A name as reports show it.
    pub fn without_folder<'n>(&self, name: &'n [u8]) -> &'n [u8] {
        name.strip_prefix(&self.folder[..])
            .filter(|rest| !rest.is_empty())
            .unwrap_or(name)
    }
}

/// It is known not to be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing;

impl CarriedObject {
    /// The number of the chain of an address; `None` if nothing is known of the address.
    pub fn chain(&self, address: u64) -> Option<u32> {
        let behind = self.runs.partition_point(|run| run.first <= address);
        let run = self.runs.get(behind.checked_sub(1)?)?;
        (address <= run.last).then_some(run.chain)
    }
}
