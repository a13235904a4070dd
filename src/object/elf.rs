//! Reads ELF files piece by piece: the section table, and the contents of requested sections.
//!
//! A file is never trusted. Every offset is checked against its length. Bytes are paid for as they
//! arrive. A compressed section may grow only as much as [`Budget::may_grow`] allows. Only regular
//! files are opened.

use super::{Budget, budget::Spent};
use crate::fs::open_regular;
use flate2::read::ZlibDecoder;
use gimli::{EndianSlice, Reader, RunTimeEndian};
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::{
    cell::RefCell,
    fmt,
    fs::{File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// Bytes of a file, in its byte order.
pub(super) type Slice<'b> = EndianSlice<'b, RunTimeEndian>;

/// A file is read in pieces of this many bytes.
const PIECE: u64 = 1 << 20;
/// The largest zstd window for a small section: that of the highest usual level.
const MOST_WINDOW: u64 = 8 << 20;
/// The steps of opening a file, which are mostly the system's.
const OPENING: u64 = 10_000;
/// The most sections of one file. Objects compiled with one section per function have more, but
/// programs do not have them after linking.
const MOST_SECTIONS: u64 = 1 << 16;

/// Why a file says nothing.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The budget is exhausted, so that no other file would help.
    Spent,
    Other(String),
}

impl Trouble {
    pub(super) fn new(why: impl Into<String>) -> Trouble {
        Trouble::Other(why.into())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Spent => f.write_str(
                "skipped: reading it would take more work or memory than its size allows",
            ),
            Trouble::Other(why) => f.write_str(why),
        }
    }
}

impl From<Spent> for Trouble {
    fn from(_: Spent) -> Trouble {
        Trouble::Spent
    }
}

/// Returns `None` for a corrupt file; only an exhausted budget is an error.
pub(super) fn unless_spent<T>(read: Result<T, Trouble>) -> Result<Option<T>, Trouble> {
    match read {
        Err(Trouble::Spent) => Err(Trouble::Spent),
        read => Ok(read.ok()),
    }
}

impl From<FrameDecoderError> for Trouble {
    fn from(e: FrameDecoderError) -> Trouble {
        Trouble::new(e.to_string())
    }
}

impl From<io::Error> for Trouble {
    fn from(e: io::Error) -> Trouble {
        Trouble::new(e.to_string())
    }
}

pub(super) fn trouble<T>(why: &str) -> Result<T, Trouble> {
    Err(Trouble::new(why))
}

/// The instruction sets that are distinguished.
#[derive(Clone, Copy)]
pub(super) enum Machine {
    /// 32 or 64 bits.
    X86(u32),
    /// The machine's number in the header, and the least distance between two instructions.
    Other(u16, u64),
}

/// An open ELF file.
pub(super) struct Elf {
    pub path: PathBuf,
    file: RefCell<File>,
    len: u64,
    /// Which file it is, whatever its path.
    id: (u64, u64),
    pub budget: Budget,
    /// The bytes of an address: 4 or 8.
    address_size: u8,
    pub endian: RunTimeEndian,
    pub machine: Machine,
    pub sections: Vec<ElfSection>,
}

pub(super) struct ElfSection {
    pub name: Vec<u8>,
    kind: u32,
    flags: u64,
    pub address: u64,
    offset: u64,
    pub size: u64,
    link: u32,
}

impl ElfSection {
    /// Whether it holds code that is in the file.
    pub(super) fn is_code(&self) -> bool {
        self.flags & 4 != 0 && self.kind != NOBITS
    }

    pub(super) fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }
}

const NOTE: u32 = 7;
const NOBITS: u32 = 8;
const SYMBOLS: u32 = 2;
const DYNAMIC_SYMBOLS: u32 = 11;
const COMPRESSED: u64 = 0x800;

impl Elf {
    /// Opens a file and reads its section table.
    pub(super) fn open(path: &Path, budget: &Budget) -> Result<Elf, Trouble> {
        budget.look(OPENING + path.as_os_str().len() as u64)?;
        let (file, meta) = open_regular(path).map_err(|e| Trouble::new(e.to_string()))?;
        let mut elf = Elf {
            path: path.to_owned(),
            file: RefCell::new(file),
            len: meta.len(),
            id: identity(path, &meta),
            budget: budget.clone(),
            address_size: 8,
            endian: RunTimeEndian::Little,
            machine: Machine::Other(0, 1),
            sections: Vec::new(),
        };
        elf.read_headers()?;
        Ok(elf)
    }

    /// Reads the fields of a header one after the other.
    fn fields<'b>(&self, bytes: &'b [u8]) -> Slice<'b> {
        Slice::new(bytes, self.endian)
    }

    fn read_headers(&mut self) -> Result<(), Trouble> {
        let head = self.at(0, 64.min(self.len))?;
        if !head.starts_with(b"\x7fELF") {
            return trouble("it is not an ELF file");
        }
        self.address_size = if head.get(4) == Some(&2) { 8 } else { 4 };
        self.endian = if head.get(5) == Some(&2) {
            RunTimeEndian::Big
        } else {
            RunTimeEndian::Little
        };
        let table = self
            .table(head.get(16..).unwrap_or_default())
            .map_err(|_| Trouble::new("its header is truncated"))?;
        let (offset, size, mut count, mut names) = table;
        if offset == 0 || size == 0 {
            return trouble("it has no section table");
        }
        let first = self
            .header(&self.at(offset, size)?)
            .map_err(|_| Trouble::new("its section table is truncated"))?;
        // Numbers that do not fit the header are in the first section's.
        if count == 0 {
            count = first.1.size;
        }
        if names == 0xffff {
            names = first.1.link;
        }
        if count > MOST_SECTIONS {
            return trouble("it has too many sections");
        }
        let all = self.at(offset, size.saturating_mul(count))?;
        self.budget.make(4 * all.len() as u64)?;
        let headers: Vec<(u32, ElfSection)> = all
            .chunks_exact(size as usize)
            .filter_map(|one| self.header(one).ok())
            .collect();
        let Some((_, strings)) = headers.get(names as usize) else {
            return trouble("its sections have no names");
        };
        let strings = self.at(strings.offset, strings.size)?;
        for (name, mut section) in headers {
            // Names can overlap, so each of them could be as long as the table.
            section.name = name_at(&strings, name, 64).to_vec();
            self.sections.push(section);
        }
        Ok(())
    }

    /// Where the section table is, the size of an entry, how many there are, and which section has
    /// the names.
    fn table(&mut self, head: &[u8]) -> gimli::Result<(u64, u64, u64, u32)> {
        let (mut fields, size) = (self.fields(head), self.address_size);
        // The type of the file.
        fields.skip(2)?;
        let machine = fields.read_u16()?;
        // The version, where the program begins, and the program headers.
        fields.skip(4 + 2 * usize::from(size))?;
        let sections = fields.read_address(size)?;
        // Flags, the size of this header, the size of a program header, and their number.
        fields.skip(10)?;
        let (size, count, names) = (fields.read_u16()?, fields.read_u16()?, fields.read_u16()?);
        self.machine = match machine {
            3 => Machine::X86(32),
            62 => Machine::X86(64),
            // AArch64, PowerPC (both), MIPS, SPARC (both): every instruction has four bytes.
            183 | 20 | 21 | 8 | 2 | 43 => Machine::Other(machine, 4),
            // ARM, RISC-V, S390: two or four bytes.
            40 | 243 | 22 => Machine::Other(machine, 2),
            other => Machine::Other(other, 1),
        };
        Ok((sections, size.into(), count.into(), names.into()))
    }

    /// The offset of a section's name, and the section without it.
    fn header(&self, bytes: &[u8]) -> gimli::Result<(u32, ElfSection)> {
        let mut fields = self.fields(bytes);
        let (name, kind) = (fields.read_u32()?, fields.read_u32()?);
        let mut address = || fields.read_address(self.address_size);
        let section = ElfSection {
            name: Vec::new(),
            kind,
            flags: address()?,
            address: address()?,
            offset: address()?,
            size: address()?,
            link: fields.read_u32()?,
        };
        Ok((name, section))
    }

    /// Reads bytes of the file in pieces, so that a false size allocates nothing.
    fn at(&self, offset: u64, size: u64) -> Result<Vec<u8>, Trouble> {
        if offset.checked_add(size).is_none_or(|end| end > self.len) {
            return trouble("truncated: a part of it is beyond the end of the file");
        }
        let mut bytes = Vec::new();
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(offset))?;
        while (bytes.len() as u64) < size {
            let (have, piece) = (bytes.len(), PIECE.min(size - bytes.len() as u64));
            self.budget.look(64 + piece / 8)?;
            self.budget.make(piece)?;
            if file.by_ref().take(piece).read_to_end(&mut bytes)? as u64 != piece {
                return trouble("truncated: a part of it is beyond the end of the file");
            }
            self.budget
                .earn_once(self.id, offset + have as u64, &bytes[have..]);
        }
        Ok(bytes)
    }

    /// The first section with a name.
    pub(super) fn section(&self, name: &[u8]) -> Option<&ElfSection> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// The section with the code at an address.
    pub(super) fn code_section(&self, address: u64) -> Option<&ElfSection> {
        self.sections
            .iter()
            .find(|s| s.is_code() && s.address <= address && address < s.end())
    }

    /// Whether it has a section with contents, under this name or the older compressed one.
    pub(super) fn has(&self, name: &str) -> bool {
        let has = |name: &str| self.in_file(name).is_some_and(|section| section.size > 0);
        has(name) || older(name).is_some_and(|older| has(&older))
    }

    pub(super) fn has_debug_information(&self) -> bool {
        self.has(".debug_info")
    }

    /// Whether it has debug information, and not the build id of another binary than this.
    pub(super) fn explains(&self, id: Option<&[u8]>) -> bool {
        let both = id.zip(self.build_id());
        self.has_debug_information() && both.is_none_or(|(wanted, found)| wanted == found)
    }

    /// The first section with a name, if the file has its contents.
    fn in_file(&self, name: &str) -> Option<&ElfSection> {
        self.section(name.as_bytes()).filter(|s| s.kind != NOBITS)
    }

    /// The decompressed contents of a section; empty if it is missing.
    pub(super) fn contents(&self, name: &str) -> Result<Vec<u8>, Trouble> {
        if let Some(section) = self.in_file(name) {
            let bytes = self.at(section.offset, section.size)?;
            return match section.flags & COMPRESSED {
                0 => Ok(bytes),
                _ => self.unpacked(&bytes),
            };
        }
        let Some(section) = older(name).and_then(|older| self.in_file(&older)) else {
            return Ok(Vec::new());
        };
        let bytes = self.at(section.offset, section.size)?;
        // The older form: a magic word, then the size as a big-endian number.
        let Some((size, rest)) = bytes
            .strip_prefix(b"ZLIB")
            .and_then(<[u8]>::split_first_chunk::<8>)
        else {
            return Ok(bytes);
        };
        self.inflate(rest, u64::from_be_bytes(*size))
    }

    fn unpacked(&self, bytes: &[u8]) -> Result<Vec<u8>, Trouble> {
        let (mut fields, address) = (self.fields(bytes), usize::from(self.address_size));
        let mut header = || -> gimli::Result<(u32, u64)> {
            let kind = fields.read_u32()?;
            fields.skip(address - 4)?;
            let size = fields.read_address(self.address_size)?;
            // The alignment.
            fields.skip(address)?;
            Ok((kind, size))
        };
        match header() {
            Ok((1, size)) => self.inflate(fields.slice(), size),
            Ok((2, size)) => self.decode_frames(fields.slice(), size),
            Ok(_) => trouble("a section is compressed in an unknown way"),
            Err(_) => trouble("a compressed section is truncated"),
        }
    }

    fn check_growth(&self, packed: &[u8], size: u64) -> Result<(), Trouble> {
        let packed = packed.len() as u64;
        if !Budget::may_grow(packed, size) {
            return trouble("a compressed section expands too much");
        }
        Ok(self.budget.look(4 * packed)?)
    }

    /// Decompresses a section of `size` bytes. Pays for what comes out, whatever the header says.
    fn inflate(&self, packed: &[u8], size: u64) -> Result<Vec<u8>, Trouble> {
        self.check_growth(packed, size)?;
        let mut stream = ZlibDecoder::new(packed);
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < size {
            let have = bytes.len() as u64;
            let end = size.min(have + PIECE);
            stream.by_ref().take(end - have).read_to_end(&mut bytes)?;
            if bytes.len() as u64 != end {
                return trouble("a compressed section is truncated");
            }
            self.budget.unpack(end - have)?;
        }
        Ok(bytes)
    }

    /// Decodes a section's zstd frames. A decoder returns nothing before its window is full, so
    /// each piece is paid for before it is decoded.
    fn decode_frames(&self, mut rest: &[u8], size: u64) -> Result<Vec<u8>, Trouble> {
        self.check_growth(rest, size)?;
        let (mut bytes, mut decoded) = (Vec::new(), 0);
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(size.max(MOST_WINDOW));
        while (bytes.len() as u64) < size {
            if decoder.is_finished() {
                self.budget.look(OPENING)?;
                decoder.init(&mut rest)?;
            }
            if decoded >= size {
                return trouble("a compressed section is larger than its header says");
            }
            let end = size.min(decoded + PIECE);
            self.budget.unpack(end - decoded)?;
            decoder.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBytes(PIECE as usize))?;
            decoder.collect_to_writer(&mut bytes)?;
            decoded = if decoder.is_finished() {
                bytes.len() as u64
            } else {
                end
            };
        }
        bytes.truncate(size as usize);
        Ok(bytes)
    }

    /// The code from an address to the end of its section, at most `most` bytes. Pays for decoding,
    /// too.
    pub(super) fn code(&self, from: u64, most: u64) -> Result<Vec<u8>, Trouble> {
        self.budget.look(16 + self.sections.len() as u64 / 4)?;
        let Some(section) = self.code_section(from) else {
            return Ok(Vec::new());
        };
        let (before, left) = (from - section.address, (section.end() - from).min(most));
        self.budget.look(left.saturating_mul(4))?;
        self.at(section.offset.saturating_add(before), left)
    }

    /// The build id, which differs from build to build.
    pub(super) fn build_id(&self) -> Option<Vec<u8>> {
        let notes = self
            .sections
            .iter()
            .filter(|s| s.kind == NOTE && s.size < 1 << 16);
        notes.take(64).find_map(|section| {
            let notes = self.at(section.offset, section.size).ok()?;
            build_id(self.fields(&notes)).ok()
        })
    }

    /// The name of another file in a section, and what follows it: the checksum of a debug file
    /// (`.gnu_debuglink`), or the build id of a supplementary file (`.gnu_debugaltlink`).
    pub(super) fn link(&self, section: &str) -> Option<(Vec<u8>, Vec<u8>)> {
        let bytes = self.contents(section).ok()?;
        let end = memchr::memchr(0, &bytes)?;
        Some((bytes[..end].to_vec(), bytes[end + 1..].to_vec()))
    }

    /// The functions of its symbol table, sorted by address.
    pub(super) fn symbols(&self) -> Result<Symbols, Trouble> {
        let mut symbols = Symbols::default();
        let table = |kind: u32| self.sections.iter().find(|s| s.kind == kind && s.size > 0);
        let Some(section) = table(SYMBOLS).or_else(|| table(DYNAMIC_SYMBOLS)) else {
            return Ok(symbols);
        };
        let Some(strings) = self
            .sections
            .get(section.link as usize)
            .filter(|s| s.kind != NOBITS)
        else {
            return Ok(symbols);
        };
        let bytes = self.at(section.offset, section.size)?;
        self.budget.look(4 * section.size)?;
        self.budget.make(5 * section.size)?;
        symbols.strings = self.at(strings.offset, strings.size)?;
        for entry in bytes.chunks_exact(8 + 2 * usize::from(self.address_size)) {
            symbols.all.extend(self.symbol(entry).ok().flatten());
        }
        // Of several symbols at one address the largest stays, then the first by name, whatever the
        // order of the table.
        let strings = &symbols.strings;
        let text = |at: u32| name_at(strings, at, 256);
        symbols.all.sort_by(|a, b| {
            (a.address, b.size)
                .cmp(&(b.address, a.size))
                .then_with(|| text(a.name).cmp(text(b.name)))
        });
        symbols.all.dedup_by(|other, first| {
            let is_alias = other.address == first.address;
            symbols.aliases.extend(is_alias.then_some(*other));
            is_alias
        });
        Ok(symbols)
    }

    /// A function that is in this file.
    fn symbol(&self, entry: &[u8]) -> gimli::Result<Option<Symbol>> {
        let size = self.address_size;
        let name = self.fields(entry).read_u32()?;
        let (kind, place) = match size {
            8 => (4, 8),
            _ => (12, 4),
        };
        let mut kind = self.fields(&entry[kind..]);
        let (info, _, section) = (kind.read_u8()?, kind.read_u8()?, kind.read_u16()?);
        let mut place = self.fields(&entry[place..]);
        let (address, size) = (place.read_address(size)?, place.read_address(size)?);
        // Functions, and those that the loader chooses (IFUNC). Bit 0 of ARM's addresses is the
        // kind of code.
        let address = if matches!(self.machine, Machine::Other(40, _)) {
            address & !1
        } else {
            address
        };
        let symbol = Symbol {
            address,
            size,
            name,
        };
        Ok(Some(symbol).filter(|_| matches!(info & 15, 2 | 10) && section != 0 && address != 0))
    }
}

/// The build id among notes.
fn build_id(mut notes: Slice<'_>) -> gimli::Result<Vec<u8>> {
    let padding = |size: u32| size.wrapping_neg() as usize & 3;
    loop {
        let (name, size, kind) = (notes.read_u32()?, notes.read_u32()?, notes.read_u32()?);
        let text = notes.split(name as usize)?;
        notes.skip(padding(name))?;
        let described = notes.split(size as usize)?;
        if kind == 3 && text.slice() == b"GNU\0" && size > 1 {
            return Ok(described.to_vec());
        }
        notes.skip(padding(size))?;
    }
}

/// The name of a section of debug information if it is compressed in the older way.
fn older(name: &str) -> Option<String> {
    let rest = name.strip_prefix(".debug")?;
    Some(format!(".zdebug{rest}"))
}

/// The name at a place in a table of names, no more than its first bytes.
fn name_at(names: &[u8], at: u32, most: usize) -> &[u8] {
    let from = names.get(at as usize..).unwrap_or_default();
    let from = &from[..from.len().min(most)];
    memchr::memchr(0, from).map_or(from, |end| &from[..end])
}

/// The numbers of a file, which are the same for all its paths.
#[cfg(unix)]
fn identity(_: &Path, meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

/// A number for a file's path, on systems without numbers of files.
#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> (u64, u64) {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    path.canonicalize()
        .unwrap_or_else(|_| path.to_owned())
        .hash(&mut hasher);
    (0, hasher.finish())
}

/// A function of the symbol table.
#[derive(Clone, Copy)]
pub(super) struct Symbol {
    pub address: u64,
    pub size: u64,
    name: u32,
}

impl Symbol {
    /// Where it begins and ends.
    pub(super) fn extent(&self) -> (u64, u64) {
        (self.address, self.address.saturating_add(self.size))
    }
}

/// The functions of a symbol table by address, one for each address.
#[derive(Default)]
pub(super) struct Symbols {
    pub all: Vec<Symbol>,
    /// The other functions at the same addresses.
    pub aliases: Vec<Symbol>,
    strings: Vec<u8>,
}

impl Symbols {
    /// The last function that begins at an address or below it.
    pub(super) fn before(&self, address: u64) -> Option<&Symbol> {
        let at = self.all.partition_point(|symbol| symbol.address <= address);
        self.all.get(at.checked_sub(1)?)
    }

    /// Where that function begins and ends.
    pub(super) fn extent_before(&self, address: u64) -> Option<(u64, u64)> {
        self.before(address).map(Symbol::extent)
    }

    /// The function that contains an address, by its size.
    pub(super) fn at(&self, address: u64) -> Option<&Symbol> {
        self.before(address)
            .filter(|symbol| address == symbol.address || address - symbol.address < symbol.size)
    }

    pub(super) fn name(&self, symbol: &Symbol) -> &[u8] {
        name_at(&self.strings, symbol.name, super::LONGEST_NAME)
    }
}
