//! Loads the sections of debug information, from as many files as contain them, and walks over
//! them.

use super::{
    Budget, Where,
    dwarf::{self, Dwarf, Slice, Unit},
    elf::{Elf, Trouble, unless_spent},
    find::Binary,
    walk::{DebugWalk, Found, Take},
};
use gimli::{DwarfPackageSections, DwarfSections, Endianity, RunTimeEndian, SectionId};
use std::{collections::HashMap, sync::Arc};

/// What a file's debug information says about the sorted, distinct `addresses`.
pub(super) fn find(place: &Where, binary: &Binary, addresses: &[u64]) -> Result<Found, Trouble> {
    let elf = binary.debug();
    let sections = load(elf)?;
    let alternate = place.alternate(elf);
    let shared = alternate.as_ref().map(load).transpose()?;
    let (endian, budget) = (elf.endian, &place.budget);
    let mut dwarf = sections.borrow_with_sup(shared.as_ref(), |bytes| Slice::new(bytes, endian));
    dwarf::prepare(&mut dwarf, budget)?;
    if let Some(shared) = dwarf.sup.as_mut().and_then(Arc::get_mut) {
        dwarf::prepare(shared, budget)?;
    }
    budget.look(64 * addresses.len() as u64)?;
    budget.make(24 * addresses.len() as u64)?;
    let mut split = SplitFiles {
        place,
        elf,
        package: Package::Unknown,
    };
    let walk = DebugWalk::new(addresses, &dwarf, budget);
    walk.run(&dwarf, |parent, skeleton, take| {
        split.with_unit(parent, skeleton, take)
    })
}

/// The compiler of the first unit, as it calls itself.
pub(super) fn compiler(elf: &Elf) -> Result<Option<String>, Trouble> {
    let sections = load(elf)?;
    let dwarf = sections.borrow(|bytes| Slice::new(bytes, elf.endian));
    let Some(header) = dwarf.units().next()? else {
        return Ok(None);
    };
    let unit = dwarf::unit(&dwarf, header, &elf.budget)?;
    let mut entries = unit.entries();
    let first = entries.next_dfs()?;
    let producer = first.and_then(|first| first.attr_value(gimli::DW_AT_producer));
    let name = producer.and_then(|value| dwarf.attr_string(&unit, value).ok());
    Ok(name.map(|name| name.to_string_lossy().into_owned()))
}

fn load(elf: &Elf) -> Result<DwarfSections<Vec<u8>>, Trouble> {
    DwarfSections::load(|id| section(elf, id, id.name()))
}

/// Loads a section that says which function and line an address is in; other sections stay empty.
fn section(elf: &Elf, id: SectionId, name: &str) -> Result<Vec<u8>, Trouble> {
    match id {
        // A final zero ends the last text. Without it, each lookup could search to the end of the
        // section.
        SectionId::DebugStr | SectionId::DebugLineStr => {
            let mut texts = elf.contents(name)?;
            texts.push(0);
            Ok(texts)
        }
        SectionId::DebugAbbrev
        | SectionId::DebugAddr
        | SectionId::DebugInfo
        | SectionId::DebugLine
        | SectionId::DebugRanges
        | SectionId::DebugRngLists
        | SectionId::DebugStrOffsets
        | SectionId::DebugCuIndex => elf.contents(name),
        _ => Ok(Vec::new()),
    }
}

/// The package of a binary's split units.
enum Package {
    /// Nobody looked for it yet.
    Unknown,
    None,
    /// Its sections, and each unit's row of its index.
    Is(
        Box<DwarfPackageSections<Vec<u8>>>,
        RunTimeEndian,
        HashMap<u64, u32>,
    ),
}

/// Each unit's row of the index. The index is a hash table that may be full of collisions, so that
/// one lookup could take as long as the table is.
fn rows(
    index: &[u8],
    endian: RunTimeEndian,
    budget: &Budget,
) -> Result<HashMap<u64, u32>, Trouble> {
    const HEADER: usize = 16;
    budget.look(8 * index.len() as u64)?;
    budget.make(4 * index.len() as u64)?;
    let slots = index
        .get(12..HEADER)
        .map_or(0, |slots| endian.read_u32(slots) as usize);
    let rest = index.get(HEADER..).unwrap_or_default();
    let Some((ids, rows)) = slots
        .checked_mul(8)
        .and_then(|ids| rest.split_at_checked(ids))
    else {
        return Ok(HashMap::new());
    };
    let slots = ids.chunks_exact(8).zip(rows.chunks_exact(4));
    let all = slots.map(|(id, row)| (endian.read_u64(id), endian.read_u32(row)));
    Ok(all.filter(|&(_, row)| row != 0).collect())
}

struct SplitFiles<'f> {
    place: &'f Where,
    elf: &'f Elf,
    package: Package,
}

impl SplitFiles<'_> {
    fn package(&mut self) -> Result<&Package, Trouble> {
        if matches!(self.package, Package::Unknown) {
            self.package = match self.place.package(self.elf) {
                None => Package::None,
                Some(elf) => {
                    // All sections, since the index refers to each.
                    let sections = DwarfPackageSections::load(|id| {
                        id.dwo_name().map_or(Ok(Vec::new()), |name| match id {
                            SectionId::DebugStr => section(&elf, id, name),
                            _ => elf.contents(name),
                        })
                    })?;
                    let rows = rows(
                        &elf.contents(SectionId::DebugCuIndex.name())?,
                        elf.endian,
                        &self.place.budget,
                    )?;
                    Package::Is(Box::new(sections), elf.endian, rows)
                }
            };
        }
        Ok(&self.package)
    }

    fn with_unit(
        &mut self,
        parent: &Dwarf<'_>,
        skeleton: &Unit<'_>,
        take: Take<'_>,
    ) -> Result<(), Trouble> {
        let Some(id) = skeleton.dwo_id else {
            return Ok(());
        };
        let budget = &self.place.budget;
        budget.look(256)?;
        if let Package::Is(sections, endian, rows) = self.package()? {
            let empty = Slice::new(&[], *endian);
            let package = sections.borrow(|bytes| Slice::new(bytes, *endian), empty)?;
            if let Some(&row) = rows.get(&id.0) {
                let mut dwo = package.cu_sections(row, parent)?;
                dwarf::prepare(&mut dwo, budget)?;
                return take(&dwo);
            }
        }
        let text = |value| parent.attr_string(skeleton, value).map(|text| text.slice());
        let Some(Ok(name)) = skeleton.dwo_name()?.map(text) else {
            return Ok(());
        };
        let folder = skeleton.comp_dir.map_or(&b""[..], |folder| folder.slice());
        for path in self.place.split(self.elf, folder, name) {
            let sections = Elf::open(&path, budget).and_then(|elf| {
                let one = |id: SectionId| {
                    id.dwo_name()
                        .map_or(Ok(Vec::new()), |name| section(&elf, id, name))
                };
                Ok((DwarfSections::load(one)?, elf.endian))
            });
            let Some((sections, endian)) = unless_spent(sections)? else {
                continue;
            };
            let mut dwo: Dwarf<'_> = sections.borrow(|bytes| Slice::new(bytes, endian));
            dwo.make_dwo(parent);
            dwarf::prepare(&mut dwo, budget)?;
            // A file of another build has another number.
            let Ok(Some(header)) = dwo.units().next() else {
                continue;
            };
            let unit = unless_spent(dwarf::unit(&dwo, header, budget))?;
            if unit.is_some_and(|unit| unit.dwo_id == Some(id)) {
                return take(&dwo);
            }
        }
        Ok(())
    }
}
