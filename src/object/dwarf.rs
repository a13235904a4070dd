//! What reading debug information takes: borrowed sections, a limit to the work, names of files.

use super::elf::{Trouble, trouble};
use gimli::{DwTag, EndianSlice, RunTimeEndian, UnitRef};
use std::collections::HashMap;

/// Borrowed debug information.
pub(super) type Slice<'d> = EndianSlice<'d, RunTimeEndian>;
pub(super) type Dwarf<'d> = gimli::Dwarf<Slice<'d>>;
pub(super) type Unit<'d> = gimli::Unit<Slice<'d>>;

impl From<gimli::Error> for Trouble {
    fn from(e: gimli::Error) -> Trouble {
        Trouble(format!("its debug information is damaged: {e}"))
    }
}

/// How much work is left.
pub(super) struct Budget(u64);

impl Budget {
    /// For so many bytes of debug information and so many addresses.
    pub(super) fn new(bytes: u64, addresses: usize) -> Budget {
        Budget((1 << 20) + 16 * bytes + 256 * addresses as u64)
    }

    pub(super) fn spend(&mut self, work: u64) -> Result<(), Trouble> {
        match self.0.checked_sub(work) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => trouble("its debug information repeats itself without end"),
        }
    }
}

/// Names of files, each once.
pub(super) struct Files {
    pub(super) names: Vec<Vec<u8>>,
    index: HashMap<Vec<u8>, u32>,
}

impl Default for Files {
    fn default() -> Files {
        Files { names: vec![Vec::new()], index: HashMap::new() }
    }
}

impl Files {
    pub(super) fn id(&mut self, name: Vec<u8>) -> u32 {
        *self.index.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() as u32 - 1
        })
    }
}

/// The whole name of a file. One that is longer than any path is none.
pub(super) fn path(unit: &UnitRef<'_, Slice<'_>>, number: u64) -> Option<Vec<u8>> {
    const LONGEST: usize = 4096;
    let program = unit.line_program.as_ref()?;
    let header = program.header();
    let file = header.file(number)?;
    let mut path: Vec<u8> = Vec::new();
    let mut push = |part: &[u8]| {
        if part.starts_with(b"/") {
            path.clear();
        } else if !path.is_empty() && !path.ends_with(b"/") {
            path.push(b'/');
        }
        if path.len() + part.len() > LONGEST {
            return None;
        }
        path.extend_from_slice(part);
        Some(())
    };
    if let Some(folder) = &unit.comp_dir {
        push(folder.slice())?;
    }
    // In the older versions, folder 0 is the one that it was compiled in.
    if (file.directory_index() != 0 || header.version() >= 5)
        && let Some(folder) = file.directory(header)
    {
        push(unit.attr_string(folder).ok()?.slice())?;
    }
    push(unit.attr_string(file.path_name()).ok()?.slice())?;
    Some(path)
}

/// Entries that names are qualified by.
pub(super) fn scope(tag: DwTag) -> Option<Scope> {
    Some(match tag {
        gimli::DW_TAG_namespace | gimli::DW_TAG_module => Scope::Namespace,
        gimli::DW_TAG_structure_type
        | gimli::DW_TAG_class_type
        | gimli::DW_TAG_union_type
        | gimli::DW_TAG_enumeration_type
        | gimli::DW_TAG_interface_type => Scope::Type,
        gimli::DW_TAG_subprogram => Scope::Function,
        _ => return None,
    })
}

/// An entry of debug information, which DWARF calls DIE: the number of the file, and its place there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Die {
    /// 0 is the object's own, 1 the one that it shares with others.
    pub(super) file: u32,
    pub(super) offset: usize,
}

/// What names are qualified by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// A namespace, which may have no name.
    Namespace,
    /// A type.
    Type,
    /// A function.
    Function,
}
