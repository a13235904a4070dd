//! Finds the function that an entry of debug information describes: its linkage name, its readable
//! name, and where it is declared. All entries of one function lead to one [`NameOrigin`].
//!
//! Some functions have only a short name: C++ lambdas, functions of languages without linkage
//! names, and those whose linkage name cannot be demangled. A second walk over their units adds the
//! namespaces, types and functions around them.
//!
//! For whoever changes this: names can refer to their own parts again and again, and references can
//! form a loop. So every length, depth and chain here has a limit, and the budget pays for each
//! name before it is made. A new source of names needs both.

use super::{
    Budget, LONGEST_NAME,
    budget::Spent,
    dwarf::{self, Die, Dwarf, FileTable, Scope, Slice, Unit, scope},
    elf::Trouble,
};
use crate::profile::linkage::{self, is_mangled};
use foldhash::fast::RandomState;
use gimli::{AttributeValue, UnitOffset, UnitRef};
use std::collections::{BTreeMap, HashMap, hash_map::Entry};

/// A line and a column, each 0 if it is not known.
pub(super) type LineAndColumn = (u32, u32);

pub(super) struct NameOrigin {
    /// The name that people know.
    pub name: Vec<u8>,
    /// The linkage name; empty if it is not known.
    pub symbol: Vec<u8>,
    /// The index in [`FileTable`] of the file that declares it.
    pub file: u32,
    /// Line and column of its declaration, or of its lambda's; 0 if not known.
    pub place: LineAndColumn,
    /// Its name with the numbers of Rust's closures, which linkage names omit; empty for others.
    pub numbered: Vec<u8>,
    /// Where its unit begins, if each entry of the unit is another function. `None` for Rust, whose
    /// compiler makes an entry for each caller.
    pub unit: Option<Die>,
    /// Whether the compiler wrote it: a constructor, destructor or assignment that no source has.
    pub is_generated: bool,
    /// Whether its name is the demangled linkage name.
    is_readable: bool,
}

/// Memory for one function and all that refers to it, without its names.
const ORIGIN: u64 = 512;

/// All functions, and the units where they were found.
pub(super) struct Origins<'d> {
    pub all: Vec<NameOrigin>,
    index: HashMap<Die, u32>,
    /// The first function with a symbol that can be demangled.
    by_symbol: HashMap<Vec<u8>, u32, RandomState>,
    /// By file: entries whose short names need qualifying, and the functions that each names.
    short: HashMap<u32, BTreeMap<usize, Vec<u32>>>,
    units: [Units<'d>; 2],
}

/// The units of one file, read as they are needed.
struct Units<'d> {
    dwarf: Option<&'d Dwarf<'d>>,
    starts: Option<Vec<usize>>,
    read: HashMap<usize, Unit<'d>>,
}

impl<'d> Units<'d> {
    /// Where the unit of an entry begins.
    fn start(&mut self, offset: usize, budget: &Budget) -> Result<Option<usize>, Trouble> {
        let Some(dwarf) = self.dwarf else {
            return Ok(None);
        };
        if self.starts.is_none() {
            let (mut starts, mut headers) = (Vec::new(), dwarf.units());
            while let Some(header) = headers.next()? {
                budget.look(16)?;
                budget.make(16)?;
                starts.extend(header.debug_info_offset().map(|offset| offset.0));
            }
            self.starts = Some(starts);
        }
        let starts = self.starts.as_deref().unwrap_or_default();
        Ok(starts
            .partition_point(|&s| s <= offset)
            .checked_sub(1)
            .and_then(|at| starts.get(at))
            .copied())
    }

    /// Reads the unit of an entry.
    fn unit(
        &mut self,
        offset: usize,
        budget: &Budget,
    ) -> Result<Option<UnitRef<'_, Slice<'d>>>, Trouble> {
        let (Some(dwarf), Some(start)) = (self.dwarf, self.start(offset, budget)?) else {
            return Ok(None);
        };
        let unit = match self.read.entry(start) {
            Entry::Occupied(have) => have.into_mut(),
            Entry::Vacant(place) => {
                let unit = dwarf::unit(
                    dwarf,
                    dwarf.unit_header(gimli::DebugInfoOffset(start))?,
                    budget,
                )?;
                let lists = unit.line_program.as_ref().map(|program| program.header());
                let lists = lists.map_or(0, |lists| {
                    lists.file_names().len() + lists.include_directories().len()
                });
                budget.make(2048 + 256 * lists as u64)?;
                place.insert(unit)
            }
        };
        Ok(Some(unit.unit_ref(dwarf)))
    }
}

/// A namespace, type or function around an entry.
struct EnclosingEntry {
    depth: isize,
    scope: Scope,
    name: Vec<u8>,
    place: LineAndColumn,
}

/// What entries say about a function.
#[derive(Default)]
struct Said {
    symbol: Option<Vec<u8>>,
    name: Option<Vec<u8>>,
    /// The entry that has the name.
    named_at: Option<Die>,
    file: u32,
    place: LineAndColumn,
    is_generated: bool,
}

impl<'d> Origins<'d> {
    pub(super) fn new(dwarf: &'d Dwarf<'d>) -> Origins<'d> {
        let units = |dwarf| Units {
            dwarf,
            starts: None,
            read: HashMap::new(),
        };
        Origins {
            all: Vec::new(),
            index: HashMap::new(),
            by_symbol: HashMap::default(),
            short: HashMap::new(),
            units: [units(Some(dwarf)), units(dwarf.sup())],
        }
    }

    /// The function of an entry, which may refer to another entry. `lines` is the unit whose line
    /// table has the files.
    pub(super) fn resolve(
        &mut self,
        (file, unit, lines): (u32, &UnitRef<'_, Slice<'_>>, &UnitRef<'_, Slice<'_>>),
        entry: UnitOffset,
        reference: Option<&AttributeValue<Slice<'_>>>,
        files: &mut FileTable,
        budget: &Budget,
    ) -> Result<u32, Trouble> {
        let start = start(unit);
        let here = Die {
            file,
            offset: start.saturating_add(entry.0),
        };
        let key = reference
            .and_then(|to| target(to, file, start))
            .unwrap_or(here);
        if let Some(&id) = self.index.get(&key) {
            return Ok(id);
        }
        let mut said = Said::default();
        let mut next = Some(key);
        let own = unit.header.length_including_self();
        let is_here = |at: Die| at.file == file && at.offset >= start && at.offset - start < own;
        // No real chain of references is this long.
        for _ in 0..16 {
            let Some(at) = next.take() else { break };
            budget.look(32)?;
            next = if is_here(at) {
                said.look(at, unit, lines, files, budget)?
            } else {
                let Some(units) = self.units.get_mut(at.file as usize) else {
                    break;
                };
                let Some(other) = units.unit(at.offset, budget)? else {
                    break;
                };
                said.look(at, &other, &other, files, budget)?
            };
            if said.symbol.is_some() && said.name.is_some() && said.file != 0 && said.place.0 != 0 {
                break;
            }
        }
        let id =
            u32::try_from(self.all.len()).map_err(|_| Trouble::new("it has too many functions"))?;
        let symbol = said.symbol.unwrap_or_default();
        // Many units have the same instance of a template.
        let same = self.by_symbol.get(&symbol);
        let known = match same.and_then(|&id| self.all.get(id as usize)) {
            Some(origin) => Some(origin.name.clone()),
            None => demangled(&symbol, budget)?,
        };
        let is_short =
            known.is_none() && (symbol.is_empty() || (is_mangled(&symbol) && said.name.is_some()));
        let is_readable = known.is_some();
        let is_closure = known
            .as_ref()
            .is_some_and(|name| memchr::memmem::find(name, CLOSURE).is_some());
        if let (true, Some(at)) = (is_short || is_closure, said.named_at) {
            let of_file = self.short.entry(at.file).or_default();
            of_file.entry(at.offset).or_default().push(id);
        }
        let name = match known {
            Some(name) => name,
            None if is_short => said.name.unwrap_or_else(|| b"???".to_vec()),
            None => symbol.clone(),
        };
        let begin = match language(unit, budget)? {
            Some(gimli::DW_LANG_Rust) => None,
            _ if is_here(key) => Some(start),
            _ => self
                .units
                .get_mut(key.file as usize)
                .map_or(Ok(None), |units| units.start(key.offset, budget))?,
        };
        let unit = begin.map(|offset| Die {
            file: key.file,
            offset,
        });
        budget.name(ORIGIN + 5 * symbol.len() as u64, &name)?;
        if is_readable {
            self.by_symbol.insert(symbol.clone(), id);
        }
        self.all.push(NameOrigin {
            // Lambdas and code that initialises variables are marked, too, and have lines of source.
            is_generated: said.is_generated
                && !name.starts_with(b"_")
                && memchr::memmem::find(&name, b"operator()").is_none(),
            name,
            symbol,
            file: said.file,
            place: said.place,
            numbered: Vec::new(),
            unit,
            is_readable,
        });
        self.index.insert(key, id);
        Ok(id)
    }

    /// Qualifies short names of one file with the names around them.
    pub(super) fn qualify(
        &mut self,
        file: u32,
        dwarf: &Dwarf<'_>,
        budget: &Budget,
    ) -> Result<(), Trouble> {
        let wanted = self.short.remove(&file).unwrap_or_default();
        let mut wanted: Vec<(usize, Vec<u32>)> = wanted.into_iter().rev().collect();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            let Some(start) = header.debug_info_offset().map(|offset| offset.0) else {
                continue;
            };
            let end = start.saturating_add(header.length_including_self());
            let is_here =
                |wanted: &[(usize, Vec<u32>)]| wanted.last().is_some_and(|&(at, _)| at < end);
            if !is_here(&wanted) {
                continue;
            }
            budget.look((end - start) as u64 / 4)?;
            let unit = dwarf::unit(dwarf, header, budget)?;
            let unit = unit.unit_ref(dwarf);
            if is_c(&unit, budget)? {
                while is_here(&wanted) {
                    wanted.pop();
                }
                continue;
            }
            let mut entries = unit.entries_raw(None)?;
            let mut around: Vec<EnclosingEntry> = Vec::new();
            while is_here(&wanted) && !entries.is_empty() {
                let (offset, depth) = (entries.next_offset(), entries.next_depth());
                let Some(abbreviation) = entries.read_abbreviation()? else {
                    continue;
                };
                budget.look(6 + 4 * abbreviation.attributes().len() as u64)?;
                let is_wanted = wanted
                    .last()
                    .is_some_and(|&(at, _)| at == start.saturating_add(offset.0));
                let scope = scope(abbreviation.tag());
                while around.last().is_some_and(|above| above.depth >= depth) {
                    around.pop();
                }
                if scope.is_none() && !is_wanted {
                    entries.skip_attributes(abbreviation.attributes())?;
                    continue;
                }
                let (mut name, mut place) = (None, (0, 0));
                for &spec in abbreviation.attributes() {
                    let attribute = entries.read_attribute(spec)?;
                    match attribute.name() {
                        gimli::DW_AT_name => name = text(&unit, &attribute.value(), budget)?,
                        gimli::DW_AT_decl_line => place.0 = number(&attribute),
                        gimli::DW_AT_decl_column => place.1 = number(&attribute),
                        _ => {}
                    }
                }
                if is_wanted && let Some((_, ids)) = wanted.pop() {
                    let mut whole: Vec<u8> = Vec::new();
                    for EnclosingEntry { name, .. } in &around {
                        if !name.is_empty() && whole.len() + name.len() < LONGEST_NAME {
                            whole.extend_from_slice(name);
                            whole.extend_from_slice(b"::");
                        }
                    }
                    budget.look(whole.len() as u64 / 4 + around.len() as u64 * 2)?;
                    let around_it = around.last().filter(|above| above.scope == Scope::Type);
                    for id in ids {
                        let Some(origin) = self.all.get_mut(id as usize) else {
                            continue;
                        };
                        if origin.is_readable {
                            let parts = around
                                .iter()
                                .map(|above| &above.name[..])
                                .chain(name.as_deref());
                            budget.look(8 * around.len() as u64)?;
                            budget.name(0, &origin.name)?;
                            origin.numbered = numbered(&origin.name, parts);
                        } else {
                            // Reduced debug information has no namespaces; linkage names that begin
                            // like this are in `std`.
                            let is_bare = whole.is_empty() && origin.symbol.starts_with(b"_ZSt");
                            let whole = if is_bare { &b"std::"[..] } else { &whole };
                            budget.name(origin.name.len() as u64, whole)?;
                            origin.name = [whole, &origin.name].concat();
                        }
                        // A lambda's call operator is declared where the lambda's type is.
                        if origin.place.0 == 0 {
                            origin.place = around_it.map_or((0, 0), |above| above.place);
                        }
                    }
                }
                if let Some(scope) = scope
                    && abbreviation.has_children()
                {
                    let name = match (name, scope) {
                        (Some(name), _) => name,
                        (None, Scope::Namespace) => b"(anonymous namespace)".to_vec(),
                        (None, Scope::Type | Scope::Function) => Vec::new(),
                    };
                    budget.make(128 + 2 * name.len() as u64)?;
                    around.push(EnclosingEntry {
                        depth,
                        scope,
                        name,
                        place,
                    });
                }
            }
        }
        Ok(())
    }
}

impl Said {
    /// Reads an entry of a unit, and returns the one that it refers to. `lines` is the unit whose
    /// line table has the files.
    fn look(
        &mut self,
        at: Die,
        unit: &UnitRef<'_, Slice<'_>>,
        lines: &UnitRef<'_, Slice<'_>>,
        files: &mut FileTable,
        budget: &Budget,
    ) -> Result<Option<Die>, Trouble> {
        let start = start(unit);
        let offset = UnitOffset(at.offset.saturating_sub(start));
        // A corrupt reference leads to no function; the rest may be valid.
        let Ok(mut entries) = unit.entries_raw(Some(offset)) else {
            return Ok(None);
        };
        let Ok(Some(abbreviation)) = entries.read_abbreviation() else {
            return Ok(None);
        };
        budget.look(64 + 8 * abbreviation.attributes().len() as u64)?;
        let (mut next, begin) = (None, entries.next_offset().0);
        for &spec in abbreviation.attributes() {
            let attribute = entries.read_attribute(spec)?;
            match attribute.name() {
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name
                    if self.symbol.is_none() =>
                {
                    self.symbol = text(unit, &attribute.value(), budget)?;
                }
                gimli::DW_AT_name if self.name.is_none() => {
                    self.name = text(unit, &attribute.value(), budget)?;
                    self.named_at = Some(at);
                }
                gimli::DW_AT_artificial => self.is_generated = true,
                gimli::DW_AT_decl_line if self.place.0 == 0 => self.place.0 = number(&attribute),
                gimli::DW_AT_decl_column if self.place.1 == 0 => self.place.1 = number(&attribute),
                gimli::DW_AT_decl_file if self.file == 0 => {
                    if let Some(number) = attribute.udata_value() {
                        self.file = files.id_in_unit(lines, number, budget)?;
                    }
                }
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => {
                    next = target(&attribute.value(), at.file, start);
                }
                _ => {}
            }
        }
        budget.look((entries.next_offset().0 - begin) as u64 / 8)?;
        Ok(next)
    }
}

/// Where a unit begins in its section.
fn start(unit: &UnitRef<'_, Slice<'_>>) -> usize {
    unit.header.debug_info_offset().map_or(0, |offset| offset.0)
}

/// The number of a line or a column; 0 if there is none.
pub(super) fn number(attribute: &gimli::Attribute<Slice<'_>>) -> u32 {
    attribute
        .udata_value()
        .and_then(|line| u32::try_from(line).ok())
        .unwrap_or(0)
}

/// The entry that a reference leads to.
fn target(reference: &AttributeValue<Slice<'_>>, file: u32, start: usize) -> Option<Die> {
    let (file, offset) = match *reference {
        AttributeValue::UnitRef(offset) => (file, start.checked_add(offset.0)?),
        AttributeValue::DebugInfoRef(offset) => (file, offset.0),
        AttributeValue::DebugInfoRefSup(offset) => (1, offset.0),
        _ => return None,
    };
    Some(Die { file, offset })
}

/// The text of an attribute; `None` if it is longer than any name.
fn text<'u>(
    unit: &UnitRef<'_, Slice<'u>>,
    value: &AttributeValue<Slice<'u>>,
    budget: &Budget,
) -> Result<Option<Vec<u8>>, Trouble> {
    let Ok(text) = unit.attr_string(*value) else {
        return Ok(None);
    };
    let text = text.slice();
    budget.look(1 + text.len() as u64 / 8)?;
    Ok(Some(text.to_vec()).filter(|text| text.len() <= LONGEST_NAME && !text.contains(&b'\n')))
}

/// Whether a unit is written in C, whose functions have no names around them.
fn is_c(unit: &UnitRef<'_, Slice<'_>>, budget: &Budget) -> Result<bool, Trouble> {
    Ok(matches!(
        language(unit, budget)?,
        Some(
            gimli::DW_LANG_C
                | gimli::DW_LANG_C89
                | gimli::DW_LANG_C99
                | gimli::DW_LANG_C11
                | gimli::DW_LANG_C17
                | gimli::DW_LANG_Mips_Assembler
        )
    ))
}

fn language(
    unit: &UnitRef<'_, Slice<'_>>,
    budget: &Budget,
) -> Result<Option<gimli::DwLang>, Trouble> {
    let mut entries = unit.entries_raw(None)?;
    let Some(abbreviation) = entries.read_abbreviation()? else {
        return Ok(None);
    };
    let (begin, mut language) = (entries.next_offset().0, None);
    for &spec in abbreviation.attributes() {
        let attribute = entries.read_attribute(spec)?;
        budget.look(4)?;
        if let AttributeValue::Language(found) = attribute.value() {
            language = Some(found);
            break;
        }
    }
    budget.look((entries.next_offset().0 - begin) as u64 / 8)?;
    Ok(language)
}

/// Rust's linkage names call every closure by this.
const CLOSURE: &[u8] = b"{{closure}}";

/// A Rust function's name with its closures numbered as in debug information: `main::{closure#1}`.
/// `parts` are the parts of its name there. Empty if they do not number every closure.
fn numbered<'p>(name: &[u8], parts: impl Iterator<Item = &'p [u8]>) -> Vec<u8> {
    let closures = parts.filter(|part| part.starts_with(b"{") && !part.starts_with(b"{impl#"));
    let closures: Vec<&[u8]> = closures
        .filter_map(|part| part.split_inclusive(|&c| c == b'}').next())
        .collect();
    let places: Vec<usize> = memchr::memmem::find_iter(name, CLOSURE).collect();
    let Some(first) = closures.len().checked_sub(places.len()) else {
        return Vec::new();
    };
    let (mut whole, mut from) = (Vec::new(), 0);
    for (at, closure) in places.into_iter().zip(&closures[first..]) {
        whole.extend_from_slice(&name[from..at]);
        whole.extend_from_slice(closure);
        from = at + CLOSURE.len();
    }
    whole.extend_from_slice(&name[from..]);
    whole
}

/// The name of a symbol, demangled if it is mangled.
pub(super) fn readable(name: &[u8], budget: &Budget) -> Result<Vec<u8>, Spent> {
    budget.name(64, name)?;
    Ok(demangled(name, budget)?.unwrap_or_else(|| name.to_vec()))
}

/// Demangles a linkage name. `None` if it is not mangled or not valid.
pub(super) fn demangled(symbol: &[u8], budget: &Budget) -> Result<Option<Vec<u8>>, Spent> {
    if !is_mangled(symbol) {
        return Ok(None);
    }
    // cpp_demangle takes exponential time for some invalid names, and does not count its steps.
    let steps = 64 + 16 * symbol.len() as u64;
    let known = budget.timed(steps, || linkage::demangled(symbol))?;
    let len = known.as_ref().map_or(0, |name| name.len() as u64);
    budget.look(4 * len)?;
    budget.make(len)?;
    Ok(known)
}
