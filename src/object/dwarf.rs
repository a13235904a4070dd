//! Reads the basics of debug information: borrowed sections, units and the names of files, all paid
//! for from the budget.

pub(super) use super::elf::Slice;
use super::{Budget, budget::Spent, elf::Trouble};
use gimli::{
    AbbreviationsCacheStrategy, AttributeValue, DwTag, EndianSlice, Reader, RunTimeEndian, Section,
    UnitRef,
};
use indexmap::IndexSet;

/// Borrowed debug information.
pub(super) type Dwarf<'d> = gimli::Dwarf<Slice<'d>>;
pub(super) type Unit<'d> = gimli::Unit<Slice<'d>>;

impl From<gimli::Error> for Trouble {
    fn from(e: gimli::Error) -> Trouble {
        Trouble::new(format!("its debug information is damaged: {e}"))
    }
}

/// The memory for one byte of an abbreviation, or of a line program's lists of folders and files.
const ABBREVIATION: u64 = 48;
const FILE_LIST: u64 = 160;

/// Reads all abbreviation tables once, since several units use one table. The budget limits how
/// much they may overlap.
pub(super) fn prepare(dwarf: &mut Dwarf<'_>, budget: &Budget) -> Result<(), Trouble> {
    let (mut offsets, mut headers) = (Vec::new(), dwarf.units());
    while let Some(header) = headers.next()? {
        budget.look(32)?;
        budget.make(32)?;
        offsets.push(header.debug_abbrev_offset().0);
    }
    offsets.sort_unstable();
    offsets.dedup();
    for at in offsets {
        let length = table_length(
            dwarf
                .debug_abbrev
                .reader()
                .slice()
                .get(at..)
                .unwrap_or_default(),
        );
        budget.look(8 * length)?;
        budget.make(ABBREVIATION * length)?;
    }
    dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::All);
    Ok(())
}

/// The length of an abbreviation table.
fn table_length(bytes: &[u8]) -> u64 {
    let mut rest = EndianSlice::new(bytes, RunTimeEndian::Little);
    let mut table = || -> gimli::Result<()> {
        while rest.read_uleb128()? != 0 {
            rest.read_uleb128()?;
            rest.read_u8()?;
            loop {
                let (name, form) = (rest.read_uleb128()?, rest.read_uleb128()?);
                if form == u64::from(gimli::DW_FORM_implicit_const.0) {
                    rest.read_sleb128()?;
                }
                if (name, form) == (0, 0) {
                    break;
                }
            }
        }
        Ok(())
    };
    // Every reader stops at the corrupt place, so the table ends there.
    let _ = table();
    (bytes.len() - rest.len()) as u64
}

/// Reads a unit: its first entry, and its line program's lists of folders and files.
pub(super) fn unit<'d>(
    dwarf: &Dwarf<'d>,
    header: gimli::UnitHeader<Slice<'d>>,
    budget: &Budget,
) -> Result<Unit<'d>, Trouble> {
    let abbreviations = dwarf.abbreviations(&header)?;
    let mut entries = header.entries_raw(&abbreviations, None)?;
    let mut lists = 0;
    if let Some(first) = entries.read_abbreviation()? {
        let begin = entries.next_offset().0;
        budget.look(64 + 8 * first.attributes().len() as u64)?;
        for &spec in first.attributes() {
            if let AttributeValue::DebugLineRef(offset) = entries.read_attribute(spec)?.value() {
                lists = lists_length(dwarf.debug_line.reader(), offset.0).unwrap_or(0);
            }
        }
        budget.look((entries.next_offset().0 - begin) as u64 / 8)?;
    }
    budget.look(4 * lists)?;
    budget.make(FILE_LIST * lists)?;
    budget.give_back(FILE_LIST * lists);
    let unit = dwarf.unit(header)?;
    let text = |text: Option<Slice<'_>>| text.map_or(0, |text| text.len() as u64);
    budget.look((text(unit.name) + text(unit.comp_dir)) / 16)?;
    Ok(unit)
}

/// The size in bytes of a line program's lists of folders and files.
fn lists_length(section: &Slice<'_>, offset: usize) -> gimli::Result<u64> {
    let mut rest = *section;
    rest.skip(offset)?;
    let (_, format) = rest.read_initial_length()?;
    if rest.read_u16()? >= 5 {
        rest.skip(2)?;
    }
    Ok(rest.read_length(format)?.min(rest.len()) as u64)
}

/// Names of files.
pub(super) struct FileTable {
    pub names: IndexSet<Vec<u8>>,
}

impl Default for FileTable {
    fn default() -> FileTable {
        FileTable {
            names: IndexSet::from([Vec::new()]),
        }
    }
}

impl FileTable {
    /// The id of a unit's file; 0 if its path is not known.
    pub(super) fn id_in_unit(
        &mut self,
        unit: &UnitRef<'_, Slice<'_>>,
        number: u64,
        budget: &Budget,
    ) -> Result<u32, Spent> {
        let mut looked = 64;
        let path = path_of(unit, number, &mut looked);
        budget.look(looked)?;
        path.map_or(Ok(0), |path| self.id(path, budget))
    }

    pub(super) fn id(&mut self, name: Vec<u8>, budget: &Budget) -> Result<u32, Spent> {
        budget.look(32 + name.len() as u64 / 2)?;
        if let Some(id) = self.names.get_index_of(&name) {
            return Ok(id as u32);
        }
        // A file is matched by all ends of its path.
        let ends = ends(&name).count();
        budget.look((ends * name.len()) as u64 / 4)?;
        budget.name(128 + 64 * ends as u64, &name)?;
        Ok(self.names.insert_full(name).0 as u32)
    }
}

/// The ends of a path, from its last part to all of them.
pub(super) fn ends(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    const MOST_PARTS: usize = 64;
    let ends = memchr::memrchr_iter(b'/', path)
        .map(|at| &path[at + 1..])
        .chain([path]);
    ends.filter(|end| !end.is_empty()).take(MOST_PARTS)
}

/// The whole path of a file; `None` if it is longer than any real path.
fn path_of(unit: &UnitRef<'_, Slice<'_>>, number: u64, looked: &mut u64) -> Option<Vec<u8>> {
    const LONGEST: usize = 4096;
    let program = unit.line_program.as_ref()?;
    let header = program.header();
    let file = header.file(number)?;
    let mut path: Vec<u8> = Vec::new();
    let mut push = |part: &[u8]| {
        *looked += part.len() as u64 / 16;
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
    // Before version 5, folder 0 is the folder of the compilation.
    if (file.directory_index() != 0 || header.version() >= 5)
        && let Some(folder) = file.directory(header)
    {
        push(unit.attr_string(folder).ok()?.slice())?;
    }
    push(unit.attr_string(file.path_name()).ok()?.slice())?;
    Some(path)
}

/// The kind of scope that an entry makes for names.
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

/// An entry of debug information, called DIE in DWARF: the number of its file, and its offset
/// there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Die {
    /// 0 is the object's own file, 1 the supplementary file (`.gnu_debugaltlink`).
    pub file: u32,
    pub offset: usize,
}

/// What names are qualified by.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scope {
    /// A namespace, which may have no name.
    Namespace,
    Type,
    Function,
}
