//! Binaries with debug information, made piece by piece: small ones that no compiler would make.
//! The fuzzer makes its own of these pieces.

/// A section of an ELF file.
pub struct Section {
    /// What it is called.
    pub name: &'static str,
    /// Its type.
    pub kind: u32,
    /// Its flags.
    pub flags: u64,
    /// Where it is in memory; code has an address.
    pub address: u64,
    /// The section that it refers to.
    pub link: u32,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// Where the code begins.
pub const START: u64 = 0x40_1000;

/// A section of debug information.
pub fn section(name: &'static str, bytes: Vec<u8>) -> Section {
    Section {
        name,
        kind: 1,
        flags: 0,
        address: 0,
        link: 0,
        bytes,
    }
}

/// The code: instructions of one byte.
pub fn code(length: usize) -> Section {
    Section {
        flags: 6,
        address: START,
        ..section(".text", vec![0x90; length])
    }
}

/// A symbol table of functions, each with its name's place, its address and its size, and the
/// names. They come behind so many sections.
pub fn symbols(
    behind: u32,
    all: impl Iterator<Item = (u32, u64, u64)>,
    names: Vec<u8>,
) -> [Section; 2] {
    let mut bytes = vec![0; 24];
    for (name, address, size) in all {
        bytes.extend(name.to_le_bytes());
        bytes.extend([2, 0, 1, 0]);
        bytes.extend(address.to_le_bytes());
        bytes.extend(size.to_le_bytes());
    }
    let table = Section {
        kind: 2,
        link: behind + 2,
        ..section(".symtab", bytes)
    };
    let names = Section {
        kind: 3,
        ..section(".strtab", names)
    };
    [table, names]
}

/// An ELF file of 64 bits for amd64. Sections are numbered from 1.
pub fn elf(sections: &[Section]) -> Vec<u8> {
    let mut names = vec![0];
    let mut places = Vec::new();
    for section in sections {
        places.push(names.len() as u32);
        names.extend(section.name.as_bytes());
        names.push(0);
    }
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let mut heads = vec![0; 64];
    file.resize(64, 0);
    let names = section("", names);
    for (section, place) in sections.iter().zip(places).chain([(&names, 0)]) {
        heads.extend(place.to_le_bytes());
        heads.extend(section.kind.to_le_bytes());
        heads.extend(
            [
                section.flags,
                section.address,
                file.len() as u64,
                section.bytes.len() as u64,
            ]
            .map(u64::to_le_bytes)
            .concat(),
        );
        heads.extend(section.link.to_le_bytes());
        heads.extend(0u32.to_le_bytes());
        heads.extend([1u64, 24].map(u64::to_le_bytes).concat());
        file.extend(&section.bytes);
    }
    let table = file.len() as u64;
    let count = sections.len() as u16 + 2;
    file[16..24].copy_from_slice(&[2, 0, 62, 0, 1, 0, 0, 0]);
    file[24..32].copy_from_slice(&START.to_le_bytes());
    file[40..48].copy_from_slice(&table.to_le_bytes());
    for (at, half) in [(52, 64), (58, 64), (60, count), (62, count - 1)] {
        file[at..at + 2].copy_from_slice(&u16::to_le_bytes(half));
    }
    file.extend(heads);
    file
}

/// A number in LEB128.
pub fn uleb(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// An abbreviation: its code, its tag, whether it has children, and names and forms of its
/// attributes.
pub fn abbreviation(code: u64, tag: u64, children: bool, attributes: &[(u64, u64)]) -> Vec<u8> {
    let mut bytes = [uleb(code), uleb(tag), vec![children.into()]].concat();
    attributes
        .iter()
        .for_each(|&(name, form)| bytes.extend([uleb(name), uleb(form)].concat()));
    bytes.extend([0, 0]);
    bytes
}

/// Bytes behind their length.
pub fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

/// A unit of DWARF 4, with the place of its abbreviations.
pub fn unit(abbreviations: u32, entries: &[u8]) -> Vec<u8> {
    sized(&[&[4, 0][..], &abbreviations.to_le_bytes(), &[8], entries].concat())
}

/// A unit of DWARF 5 of the kinds that are split.
pub fn unit_of(kind: u8, id: u64, entries: &[u8]) -> Vec<u8> {
    sized(&[&[5, 0, kind, 8, 0, 0, 0, 0][..], &id.to_le_bytes(), entries].concat())
}

/// A line program of DWARF 4: folders, files, instructions.
pub fn lines(folders: &[u8], files: &[u8], program: &[u8]) -> Vec<u8> {
    let fixed = [1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
    let lists = [&fixed[..], folders, &[0], files, &[0]].concat();
    sized(&[&[4, 0][..], &sized(&lists), program].concat())
}

/// The instruction of a line program that goes to an address.
pub fn at(address: u64) -> Vec<u8> {
    [&[0, 9, 2][..], &address.to_le_bytes()].concat()
}
