//! Reads binaries and their debug files: which functions were inlined where, and which instructions
//! there are.
//!
//! ```text
//! find: where files are ─▶ elf: the sections of a file
//!         ├─▶ debug, walk, names, apart: what debug information says of addresses
//!         └─▶ x86, text: where instructions begin, and their text
//! ```
//!
//! A pack includes what it needs of its binaries (`carried`), and is asked before the disk.
//! Profiles have no build ids, so `judge` detects from a binary's content whether it is the one
//! that ran. Files are read, never mapped, and none is trusted: reading one costs work and memory
//! in proportion to its size (`budget`).

mod apart;
mod budget;
mod by_line;
mod carried;
mod debug;
mod dwarf;
mod elf;
mod find;
mod judge;
mod names;
mod text;
mod walk;
mod x86;

pub use self::{
    budget::Budget,
    by_line::find_inlined_by_line,
    carried::{CarriedFor, carry, limit},
};
use crate::{
    profile::{
        ChainId, Code, FunctionId, Inlined, InlinedFunction, NameId, Names, Profile, Syntax,
        inlined::{Debug, Lack, Link, State},
        path_bytes,
    },
    source::Map,
};
use budget::Spent;
use carried::KnownObject;
use dwarf::ends;
use elf::Trouble;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
};
use walk::{Found, NONE};

/// Names of functions have at most this many bytes; a longer text is not taken as a name.
const LONGEST_NAME: usize = 16 * 1024;

/// From this many thousandths of an object's cost on, details are enough.
const ENOUGH: u128 = 990;

/// Where the user says that binaries and debug files are.
#[derive(Clone, Default, Debug)]
pub struct Where {
    /// Where recorded folders are now (`--map OLD=NEW`).
    pub maps: Vec<Map>,
    /// Folders with binaries and debug files.
    pub debug_dirs: Vec<PathBuf>,
    /// The profiles; binaries may be in their folders.
    pub profiles: Vec<PathBuf>,
    /// Whether to use a binary that is not the one that ran.
    pub force: bool,
    /// Whether details that know almost all need no binary: reading one takes longer than the rest.
    pub is_quick: bool,
    /// The disassembler, if the user names one.
    pub objdump: Option<PathBuf>,
    /// The syntax of x86 instructions.
    pub syntax: Syntax,
    /// What reading may cost, for this value and all its clones together.
    pub budget: Budget,
}

/// What an executable or a library lacks; `None` if nothing, or if it cannot be read.
pub fn lack(path: &std::path::Path) -> Option<Lack> {
    let found = binary(path)?;
    let exports = || {
        let symbols = found.elf.symbols();
        symbols.is_ok_and(|symbols| !symbols.all.is_empty())
    };
    match found.debug().has(".debug_line") {
        true => None,
        false if found.elf.has(".symtab") => Some(Lack::Lines),
        false if exports() => Some(Lack::MostNames),
        false => Some(Lack::Names),
    }
}

/// The compiler of a binary, as it calls itself in the debug information.
pub fn compiler(path: &std::path::Path) -> Option<String> {
    debug::compiler(binary(path)?.debug()).ok().flatten()
}

fn binary(path: &std::path::Path) -> Option<find::Binary> {
    Where::default().binary(path_bytes(path)).ok()
}

/// The demangled names of a binary's functions; empty if it cannot be read.
pub fn function_names(path: &std::path::Path) -> Vec<Vec<u8>> {
    let Some(binary) = binary(path) else {
        return Vec::new();
    };
    let symbols = binary.symbols().unwrap_or_default();
    symbols
        .all
        .iter()
        .map_while(|symbol| names::readable(symbols.name(symbol), &binary.elf.budget).ok())
        .collect()
}

/// What to find out about one object.
struct AskedAddresses {
    /// Sorted, each once.
    addresses: Vec<u64>,
    /// Every row: the index of its address, its cost, and the line that Valgrind recorded, if any.
    rows: Vec<judge::CostRow>,
}

/// Finds out which functions were inlined where, and names functions that have no name.
pub fn find_inlined(profile: &mut Profile, place: &Where) {
    find_inlined_in(profile, place, |_| true);
}

/// Like [`find_inlined`], for the objects that `wanted` accepts.
pub fn find_inlined_in(profile: &mut Profile, place: &Where, wanted: impl Fn(NameId) -> bool) {
    if let Some((inlined, names)) = inlined_in(profile, place, wanted) {
        profile.names = Arc::new(names);
        profile.inlined = Some(Arc::new(inlined));
    }
}

/// Which functions were inlined where in the objects that `wanted` accepts, and the profile's names
/// with those that were added. `None` if the profile has no instructions.
pub fn inlined_in(
    profile: &Profile,
    place: &Where,
    wanted: impl Fn(NameId) -> bool,
) -> Option<(Inlined, Names)> {
    let code = profile.code.as_ref()?;
    let mut names = Names::clone(&profile.names);
    let all = &mut names;
    let mut inlined = Inlined::new(code.instructions().len());
    for (name, (object, places)) in objects(profile, code, wanted) {
        let known = carried::fill(profile, object, &places, (&mut inlined, all), place);
        let enough = if place.is_quick { ENOUGH } else { 1000 };
        let is_enough = |known: &Debug| known.known_thousandths.is_none_or(|known| known >= enough);
        if known.as_ref().is_some_and(is_enough)
            || carried::known_by_packs(profile, &name, place).is_some()
        {
            inlined.debug.extend(known);
            continue;
        }
        place.budget.begin();
        let asked = AskedAddresses::new(code, &places, &place.budget);
        let (mut debug, (mut found, symbols)) = match ask(profile, place, object, &asked) {
            Ok(facts) => facts,
            // Details omit what does not fit.
            Err(debug) => {
                inlined.debug.push(known.unwrap_or(debug));
                continue;
            }
        };
        let recorded = places
            .iter()
            .filter_map(|&at| code.instruction(at))
            .map(|(instruction, _)| instruction.file);
        let files = files(all, recorded, &found, &place.budget);
        let files = files.and_then(|files| {
            apart::tell_apart(&mut found, &files, &place.budget)?;
            Ok(files)
        });
        let files = match files {
            Ok(files) => files,
            Err(spent) => {
                debug.state = State::None;
                debug.why = Trouble::from(spent).to_string();
                inlined.debug.push(debug);
                continue;
            }
        };
        let chains = chains(&found, &files, &mut inlined, all);
        for at in places {
            let Some((instruction, _)) = code.instruction(at) else {
                continue;
            };
            let Ok(address) = asked.addresses.binary_search(&instruction.address) else {
                continue;
            };
            let node = found.of.get(address).copied().unwrap_or(NONE);
            if let Some(&chain) = chains.get(node as usize) {
                inlined.set(at, chain);
            }
            let (function, address) = (instruction.function, instruction.address);
            if found.root(node).is_some_and(|root| root.is_generated) {
                inlined.generated.insert(function);
            }
            let place = (&found, node, &symbols, &place.budget);
            if let Err(spent) = name_it(profile, function, address, place, all, &mut inlined) {
                debug.why = Trouble::from(spent).to_string();
            }
        }
        inlined.debug.push(debug);
    }
    Some((inlined, names))
}

/// The indices of the instructions of each wanted object, by the object's name.
fn objects(
    profile: &Profile,
    code: &Code,
    wanted: impl Fn(NameId) -> bool,
) -> BTreeMap<Vec<u8>, (NameId, Vec<usize>)> {
    let mut objects: HashMap<NameId, (bool, Vec<usize>)> = HashMap::new();
    // By function, because there are many instructions.
    let range = |id| (id, code.places_of(id));
    let functions = profile.function_ids().map(range);
    for (id, range) in functions.filter(|(_, range)| !range.is_empty()) {
        let object = profile.function(id).object;
        // Code without a known object was generated while the program ran, or is a stub of the
        // loader.
        let is_known = || !matches!(profile.name(object), b"" | b"???");
        let (is_wanted, places) = objects
            .entry(object)
            .or_insert_with(|| (is_known() && wanted(object), Vec::new()));
        if *is_wanted {
            places.extend(range);
        }
    }
    let wanted = objects.into_iter().filter(|(_, (is_wanted, _))| *is_wanted);
    wanted
        .map(|(object, (_, places))| (profile.name(object).to_vec(), (object, places)))
        .collect()
}

impl AskedAddresses {
    fn new(code: &Code, places: &[usize], budget: &Budget) -> AskedAddresses {
        // The profile is input, too: it has at least this many bytes for each instruction.
        budget.earn(4 * places.len() as u64);
        let row = |&at: &usize| code.instruction(at);
        let mut addresses: Vec<u64> = places
            .iter()
            .filter_map(row)
            .map(|(i, _)| i.address)
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        let rows = places
            .iter()
            .filter_map(row)
            .filter_map(|(instruction, cost)| {
                Some(judge::CostRow {
                    address: addresses.binary_search(&instruction.address).ok()?,
                    cost: cost.size(),
                    line: Some(instruction.line).filter(|&line| line > 0),
                })
            });
        let rows = rows.collect();
        AskedAddresses { addresses, rows }
    }
}

/// Whether a function was recorded by its address alone, or not even that.
fn is_nameless(names: &Names, name: NameId) -> bool {
    names.beginning(name).starts_with(b"0x") || names.is(name, b"???")
}

/// Names a function that was recorded by its address.
fn name_it(
    profile: &Profile,
    id: FunctionId,
    address: u64,
    (found, node, symbols, budget): (&Found, u32, &elf::Symbols, &Budget),
    names: &mut Names,
    inlined: &mut Inlined,
) -> Result<(), Spent> {
    if inlined.names.contains_key(&id) || !is_nameless(names, profile.function(id).name) {
        return Ok(());
    }
    let known = match (found.root(node), symbols.at(address)) {
        (Some(root), _) => root.name.clone(),
        (None, Some(symbol)) => names::readable(symbols.name(symbol), budget)?,
        (None, None) => return Ok(()),
    };
    if !known.is_empty() {
        inlined.names.insert(id, names.intern(&known));
    }
    Ok(())
}

/// Maps the files of debug information to the profile's names; a file that the profile does not
/// know keeps its own.
///
/// Without an equal name, two files are one if their paths have the longest common end. Neither may
/// have as long an end in common with another file. The writer of the profile may omit a folder, or
/// somebody moved the sources.
fn files(
    names: &mut Names,
    recorded: impl Iterator<Item = NameId>,
    found: &Found,
    budget: &Budget,
) -> Result<Vec<NameId>, Spent> {
    let ids: BTreeSet<NameId> = recorded.collect();
    let recorded: BTreeMap<&[u8], NameId> = ids.into_iter().map(|id| (names.get(id), id)).collect();
    for name in recorded.keys() {
        budget.look(((2 + ends(name).count()) * name.len()) as u64 / 4)?;
    }
    let all: HashSet<&[u8]> = found.files.names.iter().map(Vec::as_slice).collect();
    let mut by_end: HashMap<&[u8], Option<NameId>> = HashMap::new();
    for (&name, &id) in recorded.iter().filter(|(name, _)| !all.contains(*name)) {
        for end in ends(name) {
            by_end
                .entry(end)
                .and_modify(|one| *one = None)
                .or_insert(Some(id));
        }
    }
    let other = all.iter().filter(|name| !recorded.contains_key(*name));
    let all_ends: HashSet<&[u8]> = other.flat_map(|name| ends(name)).collect();
    let known = |name: &Vec<u8>| {
        let same = || {
            let end = ends(name)
                .take_while(|end| by_end.contains_key(end))
                .last()?;
            let id = by_end.get(end).copied().flatten()?;
            let best = ends(names.get(id))
                .take_while(|end| all_ends.contains(end))
                .last();
            (best == Some(end)).then_some(id)
        };
        recorded.get(&name[..]).copied().or_else(same)
    };
    let known: Vec<Option<NameId>> = found.files.names.iter().map(known).collect();
    let own = |(file, known): (&Vec<u8>, Option<NameId>)| {
        known.unwrap_or_else(|| names.intern_or(file, NameId::UNKNOWN))
    };
    Ok(found.files.names.iter().zip(known).map(own).collect())
}

/// Makes the chain of every node, with the profile's names.
fn chains(
    found: &Found,
    files: &[NameId],
    inlined: &mut Inlined,
    names: &mut Names,
) -> Vec<ChainId> {
    let mut functions: Vec<Option<u32>> = vec![None; found.origins.len()];
    let mut chains: Vec<ChainId> = Vec::with_capacity(found.nodes.len());
    for node in &found.nodes {
        if node.parent == NONE {
            chains.push(ChainId::EMPTY);
            continue;
        }
        let function = *functions[node.origin as usize].get_or_insert_with(|| {
            inlined.function(inlined_function(found, node.origin, files, names))
        });
        let (file, line) = node.call;
        chains.push(inlined.chain(Link {
            // A parent comes before its children.
            outer: chains[node.parent as usize],
            function,
            file: files[file as usize],
            line: line.into(),
        }));
    }
    chains
}

fn inlined_function(
    found: &Found,
    origin: u32,
    files: &[NameId],
    names: &mut Names,
) -> InlinedFunction {
    let origin = &found.origins[origin as usize];
    let name = names.intern_or(&origin.name, NameId::UNKNOWN);
    let symbol = match origin.symbol == origin.name {
        true => NameId::EMPTY,
        false => names.intern_or(&origin.symbol, NameId::EMPTY),
    };
    InlinedFunction {
        name,
        symbol,
        file: files[origin.file as usize],
        is_generated: origin.is_generated,
    }
}

type ObjectFacts = (Found, elf::Symbols);

/// Looks for an object, and asks the debug information of the binary that ran.
///
/// The first binary with debug information answers. Otherwise the first stripped one answers, or
/// one that `--force` accepts. If none answers, the first says why.
fn ask(
    profile: &Profile,
    place: &Where,
    object: NameId,
    asked: &AskedAddresses,
) -> Result<(Debug, ObjectFacts), Debug> {
    let name = profile.name(object);
    let refused = |debug: Debug, why: Trouble| Debug {
        why: why.to_string(),
        ..debug
    };
    let (mut best, mut first): (Option<(Fitness, _)>, _) = (None, None);
    for binary in place.binaries(name) {
        let mut debug = Debug::new(object);
        let answer = binary.and_then(|binary| {
            if !place.force {
                carried::check_build(profile, name, &binary)?;
            }
            ask_one(place, &binary, asked, &mut debug)
        });
        match answer {
            Ok((Fitness::Whole, facts)) => return Ok((debug, facts)),
            Ok((fitness, facts)) => {
                if best.as_ref().is_none_or(|(best, _)| fitness > *best) {
                    best = Some((fitness, (debug, facts)));
                }
            }
            Err(why) => drop(first.get_or_insert_with(|| refused(debug, why))),
        }
    }
    match best {
        Some((_, answer)) => Ok(answer),
        None => {
            Err(first.unwrap_or_else(|| refused(Debug::new(object), place.missing(find::NOWHERE))))
        }
    }
}

/// How good the answer of a binary is, from worst to best.
#[derive(PartialEq, PartialOrd)]
enum Fitness {
    /// It is another binary, used by force.
    Forced,
    /// It is the one that ran, without debug information.
    Stripped,
    /// It is the one that ran, with debug information.
    Whole,
}

/// Asks the debug information of a binary, if that is the one that ran. `debug` is filled in even
/// if it says nothing.
fn ask_one(
    place: &Where,
    binary: &find::Binary,
    asked: &AskedAddresses,
    debug: &mut Debug,
) -> Result<(Fitness, ObjectFacts), Trouble> {
    debug.found = Some(binary.debug().path.clone());
    let symbols = binary.symbols()?;
    let has_debug = binary.debug().has_debug_information();
    let (mut found, mut problem) = (Found::default(), None);
    if has_debug {
        match debug::find(place, binary, &asked.addresses) {
            Ok(known) => found = known,
            // An exhausted budget says nothing about which binary this is.
            Err(Trouble::Spent) => return Err(Trouble::Spent),
            Err(why) => problem = Some(why),
        }
    }
    let judged = judge::judge(&binary.elf, &symbols, &found, asked)?;
    if !judged.is_it() && !place.force {
        debug.state = State::OtherBinary;
        return Err(Trouble::new(judged.words()));
    }
    if let Some(why) = problem {
        return Err(why);
    }
    debug.state = if has_debug { State::Used } else { State::None };
    let (fitness, why) = match (judged.is_it(), has_debug) {
        (false, _) => (Fitness::Forced, format!("{}; used anyway", judged.words())),
        (true, false) => (Fitness::Stripped, "no debug information was found".into()),
        (true, true) => (Fitness::Whole, String::new()),
    };
    debug.why = why;
    Ok((fitness, (found, symbols)))
}

/// Which instructions are disassembled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Those at the addresses.
    Addresses,
    /// All in the functions that have one of the addresses.
    Functions,
}

/// Disassembles instructions of an object: address and text, sorted by address. `addresses` must be
/// sorted. `inlined` saves a second search for the binary.
///
/// # Errors
/// A sentence says why there are none: the binary is missing, it is not the one that ran, or no
/// disassembler knows its instructions.
pub fn disassemble(
    profile: &Profile,
    inlined: Option<&Inlined>,
    object: NameId,
    (addresses, extent): (&[u64], Extent),
    place: &Where,
) -> Result<Vec<(u64, String)>, String> {
    let Some(code) = &profile.code else {
        return Err("the profile has no instruction addresses".into());
    };
    place.budget.begin();
    let name = profile.name(object);
    if matches!(name, b"" | b"???") {
        return Err("the object of the code is not known".into());
    }
    let words = |why: Trouble| format!("{}: {why}", String::from_utf8_lossy(name));
    match carried::known_by_packs(profile, name, place) {
        Some(KnownObject::Same(known)) => {
            let texts = carried::texts(known[0], (addresses, extent), place);
            return texts.map_err(words);
        }
        Some(KnownObject::Different) => return Err(words(Trouble::new(carried::DIFFERENT))),
        None => {}
    }
    // All instructions of the object decide whether the binary is the one that ran, not only the
    // wanted ones.
    let known = inlined
        .filter(|_| carried::build_id(profile, name) != Some(None))
        .and_then(|inlined| inlined.debug.iter().find(|debug| debug.object == object));
    let debug = known.cloned().unwrap_or_else(|| {
        let mut wanted = objects(profile, code, |other| other == object);
        let (_, places) = wanted.remove(name).unwrap_or_default();
        let asked = AskedAddresses::new(code, &places, &place.budget);
        let (Ok((debug, _)) | Err(debug)) = ask(profile, place, object, &asked);
        debug
    });
    if debug.state == State::OtherBinary && !place.force {
        return Err(words(Trouble::new(debug.why)));
    }
    let binary = place
        .binary_used(name, debug.found.as_deref())
        .map_err(words)?;
    if !place.force {
        carried::check_build(profile, name, &binary).map_err(words)?;
    }
    let symbols = binary.symbols().map_err(words)?;
    text::texts(&binary.elf, &symbols, (addresses, extent), place).map_err(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The profile's name for each of these files of debug information, if the profile has the
    /// files `recorded`.
    fn known<'r>(recorded: &[&'r str], debug: &[&str]) -> Vec<Option<&'r str>> {
        let mut names = Names::default();
        let ids: Vec<NameId> = recorded
            .iter()
            .map(|name| names.intern(name.as_bytes()))
            .collect();
        let mut found = Found::default();
        for name in debug {
            found
                .files
                .id(name.as_bytes().to_vec(), &Budget::default())
                .unwrap();
        }
        let ids_of_recorded = ids.iter().copied();
        let known = files(&mut names, ids_of_recorded, &found, &Budget::default()).unwrap();
        known[1..]
            .iter()
            .map(|id| ids.iter().position(|one| one == id).map(|at| recorded[at]))
            .collect()
    }

    #[test]
    fn files_are_known_by_the_ends_of_their_names() {
        for (recorded, debug, want) in [
            (
                &["/w/a.c", "/w/pick.h"][..],
                &["/w/a.c", "/w/entry.c"][..],
                &[Some("/w/a.c"), None][..],
            ),
            // The sources were moved; the profile names a file without its folder.
            (
                &["/old/src/a.c", "b.c"],
                &["/new/src/a.c", "/new/src/b.c"],
                &[Some("/old/src/a.c"), Some("b.c")],
            ),
            // The header of another folder was not recorded.
            (
                &["/old/x/u.h"],
                &["/new/x/u.h", "/new/y/u.h"],
                &[Some("/old/x/u.h"), None],
            ),
            (
                &["/w/x/u.h"],
                &["/w/x/u.h", "/w/y/u.h"],
                &[Some("/w/x/u.h"), None],
            ),
            // Both recorded files could be it.
            (&["/one/u.h", "/two/u.h"], &["/w/u.h"], &[None]),
            (
                &["./elf/../x/u.h"],
                &["./elf/../x/u.h", "/usr/x/u.h"],
                &[Some("./elf/../x/u.h"), None],
            ),
            (&["/w/ab.c"], &["/w/b.c"], &[None]),
        ] {
            assert_eq!(known(recorded, debug), want, "{recorded:?} {debug:?}");
        }
    }
}
