//! Finds what debug information says of single addresses: the functions that were inlined there,
//! and the source line.
//!
//! One walk over the entries of each unit, without recursion, marks every wanted address with the
//! function that covers it. A child comes after its parent, so the last mark is the innermost.
//!
//! For whoever changes this: the walk must keep the order of the entries, or the marks are wrong. A
//! hostile file can repeat ranges, nest functions around an address and let tables overlap without
//! end. Each of these loops pays the budget; a new loop must do so, too.

use super::{
    Budget,
    budget::Spent,
    dwarf::{self, Dwarf, FileTable, Slice, Unit},
    elf::{Trouble, trouble, unless_spent},
    names::{self, NameOrigin, Origins},
};
use gimli::{AttributeValue, UnitRef};

/// The deepest nesting of inlined functions; a deeper one counts as part of the last.
const DEEPEST: u32 = 500;

/// At most this many further lines are kept per address, on average.
const MOST_OTHERS: usize = 4;

/// Memory for a node and all that is made of it.
const NODE: u64 = 256;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// A function that covers addresses: an outer one, or one that was inlined into its parent.
pub(super) struct InlineNode {
    pub parent: u32,
    /// The index of its function in [`Origins`].
    pub origin: u32,
    /// Where it was called: the index of the file in [`Found::files`], and the line.
    pub call: (u32, u32),
    /// The column of the call; 0 if not known.
    pub column: u32,
    /// The number of nodes around it.
    depth: u32,
}

/// What is known of the wanted addresses.
#[derive(Default)]
pub(super) struct Found {
    pub nodes: Vec<InlineNode>,
    /// The innermost function at each address, or [`NONE`].
    pub of: Vec<u32>,
    /// File and line of each address; line 0 is not known.
    pub lines: Vec<(u32, u32)>,
    /// The file that Valgrind records for each address. Where the file changes and the line number
    /// does not, Valgrind has one row for both, with the first file.
    pub recorded: Vec<u32>,
    /// The column of each address; 0 is not known.
    pub columns: Vec<u32>,
    /// Further lines of addresses, each with the index of its address. If the linker folded
    /// identical functions into one, the units of all of them describe it.
    pub others: Vec<(usize, u32)>,
    /// The files; the first has no name.
    pub files: FileTable,
    pub origins: Vec<NameOrigin>,
    /// Where the outer functions begin that cover any of the addresses.
    pub starts: Vec<u64>,
}

impl Found {
    /// The node, if it is a function that was inlined.
    pub(super) fn inlined(&self, node: u32) -> Option<&InlineNode> {
        let node = self.nodes.get(node as usize)?;
        Some(node).filter(|node| node.parent != NONE)
    }

    /// The function that a node is in, or is.
    pub(super) fn root(&self, mut node: u32) -> Option<&NameOrigin> {
        while let Some(inner) = self.inlined(node) {
            node = inner.parent;
        }
        let root = self.nodes.get(node as usize)?;
        self.origins.get(root.origin as usize)
    }
}

/// What to do with debug information that was found.
pub(super) type Take<'t> = &'t mut dyn FnMut(&Dwarf<'_>) -> Result<(), Trouble>;

/// The state of a walk over debug information.
pub(super) struct DebugWalk<'w, 'd> {
    /// Sorted, each once.
    addresses: &'w [u64],
    found: Found,
    origins: Origins<'d>,
    /// The number of files so far: the object's own, the shared one, and one for each split unit.
    files: u32,
    /// Valgrind's last row: its end, its line and its file.
    run: (u64, u32, u32),
    budget: &'w Budget,
}

/// The ids of a unit's files that were asked for, by their numbers.
type UnitFiles = Vec<Option<u32>>;

/// The ranges of an entry.
#[derive(Default)]
struct Ranges<'d> {
    low: Option<u64>,
    high: Option<u64>,
    size: Option<u64>,
    list: Option<AttributeValue<Slice<'d>>>,
}

impl<'d> Ranges<'d> {
    /// Takes an attribute if it is about ranges.
    fn take(
        &mut self,
        unit: &UnitRef<'_, Slice<'d>>,
        attribute: &gimli::Attribute<Slice<'d>>,
    ) -> Result<(), gimli::Error> {
        match attribute.name() {
            gimli::DW_AT_low_pc => self.low = unit.attr_address(attribute.value())?,
            gimli::DW_AT_high_pc => match attribute.value() {
                AttributeValue::Udata(size) => self.size = Some(size),
                value => self.high = unit.attr_address(value)?,
            },
            gimli::DW_AT_ranges => self.list = Some(attribute.value()),
            _ => {}
        }
        Ok(())
    }

    /// Passes each range to `give`: its first address and its end. A size may be any number.
    fn each(
        &self,
        unit: &UnitRef<'_, Slice<'d>>,
        budget: &Budget,
        mut give: impl FnMut(u64, u64) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        if let Some(list) = self.list {
            if let Some(mut list) = unit.attr_ranges(list)? {
                // Entries of the list that are not ranges are paid for, too.
                while let Some(raw) = list.next_raw()? {
                    budget.look(8)?;
                    if let Some(range) = list.convert_raw(raw)? {
                        give(range.begin, range.end)?;
                    }
                }
            }
        } else if let Some(low) = self.low {
            let end = self.high.or(self.size.map(|size| low.wrapping_add(size)));
            give(low, end.unwrap_or(low))?;
        }
        Ok(())
    }
}

impl<'w, 'd> DebugWalk<'w, 'd> {
    /// Starts a walk; `addresses` must be sorted, each once.
    pub(super) fn new(
        addresses: &'w [u64],
        dwarf: &'d Dwarf<'d>,
        budget: &'w Budget,
    ) -> DebugWalk<'w, 'd> {
        let count = addresses.len();
        let found = Found {
            of: vec![NONE; count],
            lines: vec![(0, 0); count],
            recorded: vec![0; count],
            columns: vec![0; count],
            ..Found::default()
        };
        DebugWalk {
            addresses,
            found,
            origins: Origins::new(dwarf),
            files: 2,
            run: (0, 0, 0),
            budget,
        }
    }

    /// Walks over all units. `split` passes on the debug information of a unit that has it in a
    /// separate file, if there is any.
    pub(super) fn run(
        mut self,
        dwarf: &'d Dwarf<'d>,
        mut split: impl FnMut(&Dwarf<'_>, &Unit<'_>, Take<'_>) -> Result<(), Trouble>,
    ) -> Result<Found, Trouble> {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            self.budget.look(32)?;
            if matches!(
                header.type_(),
                gimli::UnitType::Type { .. }
                    | gimli::UnitType::SplitType { .. }
                    | gimli::UnitType::Partial
            ) {
                continue;
            }
            let unit = dwarf::unit(dwarf, header, self.budget)?;
            if self.covers_none(&unit.unit_ref(dwarf))? {
                continue;
            }
            let mut files = UnitFiles::new();
            self.lines(&unit.unit_ref(dwarf), &mut files)?;
            if unit.dwo_id.is_some() {
                split(dwarf, &unit, &mut |dwo| {
                    let Some(header) = dwo.units().next()? else {
                        return Ok(());
                    };
                    let mut inner = dwarf::unit(dwo, header, self.budget)?;
                    inner.copy_relocated_attributes(&unit);
                    let number = self.files;
                    self.files = number.saturating_add(1);
                    self.entries(
                        (number, dwo, &inner),
                        Some(&unit.unit_ref(dwarf)),
                        &mut files,
                    )?;
                    self.origins.qualify(number, dwo, self.budget)
                })?;
            } else {
                self.entries((0, dwarf, &unit), None, &mut files)?;
            }
        }
        self.origins.qualify(0, dwarf, self.budget)?;
        if let Some(shared) = dwarf.sup() {
            self.origins.qualify(1, shared, self.budget)?;
        }
        self.found.origins = self.origins.all;
        self.found.others.sort_unstable();
        self.found.starts.sort_unstable();
        self.found.starts.dedup();
        Ok(self.found)
    }

    /// The indices of the addresses in a range. One that begins at 0 is of a function that the
    /// linker removed.
    fn within(&self, begin: u64, end: u64) -> std::ops::Range<usize> {
        if begin == 0 || begin >= end {
            return 0..0;
        }
        let first = self.addresses.partition_point(|&a| a < begin);
        first..first + self.addresses[first..].partition_point(|&a| a < end)
    }

    /// Whether a unit lists its addresses, and none of them is wanted.
    fn covers_none(&mut self, unit: &UnitRef<'_, Slice<'_>>) -> Result<bool, Trouble> {
        let Ok(mut entries) = unit.entries_raw(None) else {
            return Ok(false);
        };
        let Ok(Some(abbreviation)) = entries.read_abbreviation() else {
            return Ok(false);
        };
        let mut ranges = Ranges::default();
        for &spec in abbreviation.attributes() {
            let Ok(attribute) = entries.read_attribute(spec) else {
                return Ok(false);
            };
            if ranges.take(unit, &attribute).is_err() {
                return Ok(false);
            }
        }
        let (mut any, mut wanted) = (false, false);
        let read = ranges.each(unit, self.budget, |begin, end| {
            self.budget.look(16)?;
            any |= begin < end;
            wanted |= !self.within(begin, end).is_empty();
            Ok(())
        });
        // A corrupt list does not make the rest of the unit useless; an exhausted budget ends the
        // walk.
        Ok(unless_spent(read)?.is_some() && any && !wanted)
    }

    /// Reads the source lines of the addresses in a unit.
    fn lines(
        &mut self,
        unit: &UnitRef<'_, Slice<'_>>,
        files: &mut UnitFiles,
    ) -> Result<(), Trouble> {
        let Some(program) = unit.line_program.clone() else {
            return Ok(());
        };
        // Pays for instructions without rows, and for files that the program defines.
        let length = program.header().raw_program_buf().len() as u64;
        self.budget.look(2 * length)?;
        self.budget.make(32 * length)?;
        self.budget.give_back(32 * length);
        let mut rows = program.rows();
        // Address, file, line and column of the previous row; `None` where a sequence begins.
        let mut last: Option<(u64, u64, u32, u32)> = None;
        loop {
            self.budget.look(4)?;
            let Some((_, row)) = rows.next_row()? else {
                return Ok(());
            };
            let now = row.address();
            if let Some((begin, file, line, column)) = last
                && begin < now
            {
                let covered = self.within(begin, now);
                self.budget.look(16 + covered.len() as u64)?;
                let file = self.file(unit, files, file)?;
                let is_one = (self.run.0, self.run.1) == (begin, line);
                self.run = (now, line, if is_one { self.run.2 } else { file });
                if !covered.is_empty() {
                    let most = MOST_OTHERS.saturating_mul(self.addresses.len());
                    for (at, place) in covered.clone().zip(&mut self.found.lines[covered]) {
                        if *place == (0, 0) {
                            *place = (file, line);
                            self.found.recorded[at] = self.run.2;
                            self.found.columns[at] = column;
                        } else if place.1 != line && self.found.others.len() < most {
                            self.budget.make(32)?;
                            self.found.others.push((at, line));
                        }
                    }
                }
            }
            let line = row
                .line()
                .map_or(0, |line| u32::try_from(line.get()).unwrap_or(0));
            let column = match row.column() {
                gimli::ColumnType::LeftEdge => 0,
                gimli::ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(0),
            };
            last = (!row.end_sequence()).then_some((now, row.file_index(), line, column));
        }
    }

    /// The id of a unit's file, by its number in the unit.
    fn file(
        &mut self,
        unit: &UnitRef<'_, Slice<'_>>,
        files: &mut UnitFiles,
        number: u64,
    ) -> Result<u32, Spent> {
        let Some(program) = &unit.line_program else {
            return Ok(0);
        };
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        if at > program.header().file_names().len() {
            return Ok(0);
        }
        if files.len() <= at {
            files.resize(at + 1, None);
        }
        if let Some(id) = files[at] {
            return Ok(id);
        }
        let id = self.found.files.id_in_unit(unit, number, self.budget)?;
        files[at] = Some(id);
        Ok(id)
    }

    /// Walks over a unit's entries. `lines` is the unit with the files, if that is another one.
    fn entries<'u>(
        &mut self,
        (number, dwarf, unit): (u32, &Dwarf<'u>, &Unit<'u>),
        lines: Option<&UnitRef<'_, Slice<'u>>>,
        files: &mut UnitFiles,
    ) -> Result<(), Trouble> {
        let unit = unit.unit_ref(dwarf);
        let lines = lines.unwrap_or(&unit);
        self.budget
            .look(unit.header.length_including_self() as u64 / 4)?;
        let mut entries = unit.entries_raw(None)?;
        // The functions around the next entry: depth, and the node, if the function covers any
        // address.
        let mut around: Vec<(isize, u32)> = Vec::new();
        while !entries.is_empty() {
            let (offset, depth) = (entries.next_offset(), entries.next_depth());
            let Some(abbreviation) = entries.read_abbreviation()? else {
                continue;
            };
            let tag = abbreviation.tag();
            self.budget
                .look(6 + 4 * abbreviation.attributes().len() as u64)?;
            while around.last().is_some_and(|&(above, _)| above >= depth) {
                around.pop();
            }
            if !matches!(
                tag,
                gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine
            ) {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let (mut ranges, mut origin) = (Ranges::default(), None);
            let mut call: (Option<u64>, u32) = (None, 0);
            let mut column = 0;
            for &spec in abbreviation.attributes() {
                let attribute = entries.read_attribute(spec)?;
                match attribute.name() {
                    gimli::DW_AT_abstract_origin => origin = Some(attribute.value()),
                    gimli::DW_AT_call_file => call.0 = attribute.udata_value(),
                    gimli::DW_AT_call_line => call.1 = names::number(&attribute),
                    gimli::DW_AT_call_column => column = names::number(&attribute),
                    _ => ranges.take(&unit, &attribute)?,
                }
            }
            let is_outer = tag == gimli::DW_TAG_subprogram;
            let parent = if is_outer {
                NONE
            } else {
                around.last().map_or(NONE, |&(_, node)| node)
            };
            let depth_of = self
                .found
                .nodes
                .get(parent as usize)
                .map_or(0, |node| node.depth.saturating_add(1));
            let node = if depth_of > DEEPEST {
                parent
            } else if is_outer || parent != NONE {
                self.cover(&unit, &ranges, |walk| {
                    let origin = walk.origins.resolve(
                        (number, &unit, lines),
                        offset,
                        origin.as_ref(),
                        &mut walk.found.files,
                        walk.budget,
                    )?;
                    let file = call
                        .0
                        .map_or(Ok(0), |number| walk.file(lines, files, number))?;
                    Ok(InlineNode {
                        parent,
                        origin,
                        call: (file, call.1),
                        column,
                        depth: depth_of,
                    })
                })?
            } else {
                NONE
            };
            if abbreviation.has_children() {
                self.budget.make(16)?;
                around.push((depth, node));
            }
        }
        Ok(())
    }

    /// Marks the addresses in an entry's ranges, with a new node if there are any.
    fn cover<'u>(
        &mut self,
        unit: &UnitRef<'_, Slice<'u>>,
        ranges: &Ranges<'u>,
        node: impl FnOnce(&mut Self) -> Result<InlineNode, Trouble>,
    ) -> Result<u32, Trouble> {
        let mut covered = Vec::new();
        let mut starts = Vec::new();
        ranges.each(unit, self.budget, |begin, end| {
            let range = self.within(begin, end);
            self.budget.look(16 + range.len() as u64 / 4)?;
            if !range.is_empty() {
                self.budget.make(48)?;
                covered.push(range);
                starts.push(begin);
            }
            Ok(())
        })?;
        if covered.is_empty() {
            return Ok(NONE);
        }
        self.budget.look(200)?;
        self.budget.keep(NODE)?;
        let node = node(self)?;
        let Ok(id) = u32::try_from(self.found.nodes.len()) else {
            return trouble("it has too many functions");
        };
        if node.parent == NONE {
            self.found.starts.append(&mut starts);
        }
        self.found.nodes.push(node);
        for range in covered {
            self.found.of[range].fill(id);
        }
        Ok(id)
    }
}
