//! Loads the sections of debug information, from as many files as they stand in, and walks over them.

use super::Where;
use super::dwarf::{Dwarf, Slice, Unit};
use super::elf::{Elf, Trouble};
use super::find::Binary;
use super::walk::{Found, Split, Take, Walk};
use gimli::{DwarfPackageSections, DwarfSections, RunTimeEndian, SectionId};

/// What a file's debug information says of some addresses, which are in order and each there once.
pub(super) fn find(place: &Where, binary: &Binary, addresses: &[u64]) -> Result<Found, Trouble> {
    let elf = binary.debug();
    let (sections, bytes) = load(elf)?;
    let alternate = place.alternate(elf);
    let shared = alternate.as_ref().map(load).transpose()?;
    let endian = elf.endian;
    let (shared, more) = shared.map_or((None, 0), |(sections, bytes)| (Some(sections), bytes));
    let dwarf = sections.borrow_with_sup(shared.as_ref(), |bytes| Slice::new(bytes, endian));
    let mut split = SplitFiles { place, elf, package: Package::Unknown };
    Walk::new(addresses, &dwarf, bytes + more).run(&dwarf, &mut split)
}

/// The sections, and how many bytes they have.
fn load(elf: &Elf) -> Result<(DwarfSections<Vec<u8>>, u64), Trouble> {
    let mut bytes = 0;
    let sections = DwarfSections::load(|id| {
        let contents = section(elf, id, id.name())?;
        bytes += contents.len() as u64;
        Ok::<_, Trouble>(contents)
    })?;
    Ok((sections, bytes))
}

/// The sections that say which function and line an address is in; the others stay where they are.
fn section(elf: &Elf, id: SectionId, name: &str) -> Result<Vec<u8>, Trouble> {
    match id {
        SectionId::DebugAbbrev
        | SectionId::DebugAddr
        | SectionId::DebugInfo
        | SectionId::DebugLine
        | SectionId::DebugLineStr
        | SectionId::DebugRanges
        | SectionId::DebugRngLists
        | SectionId::DebugStr
        | SectionId::DebugStrOffsets
        | SectionId::DebugCuIndex => elf.contents(name),
        _ => Ok(Vec::new()),
    }
}

/// The file of a binary's split units.
enum Package {
    /// It was not looked for yet.
    Unknown,
    None,
    Is(Box<DwarfPackageSections<Vec<u8>>>, RunTimeEndian),
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
                    // All of them: its index speaks of each.
                    let sections = DwarfPackageSections::load(|id| {
                        id.dwo_name().map_or(Ok::<_, Trouble>(Vec::new()), |name| elf.contents(name))
                    })?;
                    Package::Is(Box::new(sections), elf.endian)
                }
            };
        }
        Ok(&self.package)
    }
}

impl Split for SplitFiles<'_> {
    fn with_unit(&mut self, parent: &Dwarf<'_>, skeleton: &Unit<'_>, take: Take<'_>) -> Result<(), Trouble> {
        let Some(id) = skeleton.dwo_id else { return Ok(()) };
        if let Package::Is(sections, endian) = self.package()? {
            let empty = Slice::new(&[], *endian);
            let package = sections.borrow(|bytes| Slice::new(bytes, *endian), empty)?;
            if let Some(dwo) = package.find_cu(id, parent)? {
                return take(&dwo);
            }
        }
        let text = |value| parent.attr_string(skeleton, value).map(|text| text.slice());
        let Some(Ok(name)) = skeleton.dwo_name()?.map(text) else { return Ok(()) };
        let folder = skeleton.comp_dir.map_or(&b""[..], |folder| folder.slice());
        for path in self.place.split(self.elf, folder, name) {
            let Ok(elf) = Elf::open(&path) else { continue };
            let sections =
                DwarfSections::load(|id| id.dwo_name().map_or(Ok(Vec::new()), |name| section(&elf, id, name)));
            let Ok(sections) = sections else { continue };
            let mut dwo: Dwarf<'_> = sections.borrow(|bytes| Slice::new(bytes, elf.endian));
            dwo.make_dwo(parent);
            // A file of another build has another number.
            let Ok(Some(header)) = dwo.units().next() else { continue };
            if dwo.unit(header).is_ok_and(|unit| unit.dwo_id == Some(id)) {
                return take(&dwo);
            }
        }
        Ok(())
    }
}
