//! Binaries and their debug files: which functions were inlined where, and what the instructions are.
//!
//! ```text
//! find (where files are) -> elf (sections of one) -> debug, walk, names, apart (what debug information says of addresses)
//!                                                 \-> x86 (where instructions begin, and their text)
//! ```
//!
//! What an input brings along of its binaries (`carried`) is asked before them. Whether a binary is the one that ran is
//! told by its content (`judge`), since profiles have no build ids. Files are read, never mapped, and none is trusted: what
//! it may cost to read them is in proportion to their own size (`budget`).

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

use crate::profile::inlined::{ChainId, Debug, Inlined, InlinedFunction, Link, State};
use crate::profile::{Code, FunctionId, NameId, Names, Profile, Syntax};
use crate::source::Map;
pub use budget::Budget;
use budget::Spent;
pub use by_line::find_inlined_by_line;
use carried::Known;
pub use carried::carry;
use dwarf::ends;
use elf::Trouble;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use walk::{Found, NONE};

/// Names of functions have no more bytes; what is longer is no name.
const LONGEST_NAME: usize = 16 * 1024;

/// What the user said about where binaries and debug files are.
#[derive(Clone, Default, Debug)]
pub struct Where {
    /// Folders that are elsewhere here.
    pub maps: Vec<Map>,
    /// Folders with binaries and debug files.
    pub debug_dirs: Vec<PathBuf>,
    /// The profiles: binaries may lie beside them.
    pub profiles: Vec<PathBuf>,
    /// Whether a binary is used that is not the one that ran.
    pub force: bool,
    /// The program that disassembles, if one was named.
    pub objdump: Option<PathBuf>,
    /// How instructions of x86 are written.
    pub syntax: Syntax,
    /// What reading them may cost, in all that is asked with it or a clone.
    pub budget: Budget,
}

/// What a binary has to say of its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tells {
    /// Source lines: it or its debug file has debug information.
    Lines,
    /// Names of functions and no lines.
    Names,
    /// It was stripped, which leaves the names of the functions that others call in it.
    Exports,
    /// Neither: it was stripped.
    Nothing,
}

/// What a binary tells; `None` if it cannot be read as one.
pub fn tells(path: &std::path::Path) -> Option<Tells> {
    let found = Where::default()
        .binary(path.as_os_str().as_encoded_bytes())
        .ok()?;
    let exports = || {
        found
            .elf
            .symbols()
            .is_ok_and(|symbols| !symbols.all.is_empty())
    };
    Some(match found.debug().has(".debug_line") {
        true => Tells::Lines,
        false if found.elf.has(".symtab") => Tells::Names,
        false if exports() => Tells::Exports,
        false => Tells::Nothing,
    })
}

/// The functions that a program's file names, as people know them; none if it cannot be read.
pub fn function_names(path: &std::path::Path) -> Vec<Vec<u8>> {
    let Ok(binary) = Where::default().binary(path.as_os_str().as_encoded_bytes()) else {
        return Vec::new();
    };
    let symbols = binary.symbols().unwrap_or_default();
    symbols
        .all
        .iter()
        .map_while(|symbol| names::readable(symbols.name(symbol), &binary.elf.budget).ok())
        .collect()
}

/// What is asked about one object.
struct Asked {
    /// The addresses, in order, each once.
    addresses: Vec<u64>,
    /// Every row: the place of the address, its cost, and the line that Valgrind had, if it had one.
    rows: Vec<judge::Row>,
}

/// Finds out which functions were inlined where, and gives names to functions that have none.
pub fn find_inlined(profile: &mut Profile, place: &Where) {
    find_inlined_in(profile, place, |_, _| true);
}

/// The same for those objects that are wanted.
pub fn find_inlined_in(
    profile: &mut Profile,
    place: &Where,
    wanted: impl Fn(&Profile, NameId) -> bool,
) {
    if let Some((inlined, names)) = inlined_in(profile, place, |object| wanted(profile, object)) {
        profile.names = Arc::new(names);
        profile.inlined = Some(Box::new(inlined));
    }
}

/// Which functions were inlined where in those objects that are wanted, and the names of the profile with theirs; nothing if
/// the profile has no instructions.
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
        if carried::known(profile, &name, place).is_some() {
            let debug = carried::fill(profile, object, &places, &mut inlined, all);
            inlined.debug.extend(debug);
            continue;
        }
        place.budget.begin();
        let asked = Asked::new(code, &places, &place.budget);
        let (mut debug, (mut found, symbols)) = match ask(place, &name, &asked) {
            Ok((debug, found)) => (Debug { object, ..debug }, found),
            Err((debug, why)) => {
                inlined.debug.push(Debug {
                    object,
                    why: why.to_string(),
                    ..debug
                });
                continue;
            }
        };
        let recorded = places
            .iter()
            .filter_map(|&at| code.instruction(at))
            .map(|(instruction, _)| instruction.file);
        let files = files(all, recorded, &found, &place.budget);
        let files = files.and_then(|files| {
            let file = |file: u32| files.get(file as usize).copied();
            apart::tell_apart(&mut found, file, &place.budget)?;
            Ok(files)
        });
        let files = match files {
            Ok(files) => files,
            Err(spent) => {
                inlined.debug.push(Debug {
                    state: State::None,
                    why: Trouble::from(spent).to_string(),
                    ..debug
                });
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
            let place = (&found, node, &symbols, &place.budget);
            if let Err(spent) = name_it(profile, function, address, place, all, &mut inlined) {
                debug.why = Trouble::from(spent).to_string();
            }
        }
        inlined.debug.push(debug);
    }
    Some((inlined, names))
}

/// The places of the instructions of each object that is wanted, by the object's name.
fn objects(
    profile: &Profile,
    code: &Code,
    wanted: impl Fn(NameId) -> bool,
) -> BTreeMap<Vec<u8>, (NameId, Vec<usize>)> {
    let mut objects: HashMap<NameId, (bool, Vec<usize>)> = HashMap::new();
    for (at, (instruction, _)) in code.instructions().enumerate() {
        let object = profile.function(instruction.function).object;
        // Code of no known object was made while the program ran, or is a stub of the loader's.
        let is_known = || !matches!(profile.name(object), b"" | b"???");
        let (is_wanted, places) = objects
            .entry(object)
            .or_insert_with(|| (is_known() && wanted(object), Vec::new()));
        if *is_wanted {
            places.push(at);
        }
    }
    let wanted = objects.into_iter().filter(|(_, (is_wanted, _))| *is_wanted);
    wanted
        .map(|(object, (_, places))| (profile.name(object).to_vec(), (object, places)))
        .collect()
}

impl Asked {
    /// About the instructions at some places.
    fn new(code: &Code, places: &[usize], budget: &Budget) -> Asked {
        // The profile is read, too, which has at least so many bytes for each.
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
                Some(judge::Row {
                    address: addresses.binary_search(&instruction.address).ok()?,
                    cost: cost
                        .recorded()
                        .next()
                        .flatten()
                        .map_or(0, i64::unsigned_abs),
                    line: Some(instruction.line).filter(|&line| line > 0),
                })
            });
        let rows = rows.collect();
        Asked { addresses, rows }
    }
}

/// Whether a function was recorded by its address alone, or not even that.
fn is_nameless(names: &Names, name: NameId) -> bool {
    names.beginning(name).starts_with(b"0x") || names.is(name, b"???")
}

/// Gives a function that was recorded by its address a name.
fn name_it(
    profile: &Profile,
    id: FunctionId,
    address: u64,
    (found, mut node, symbols, budget): (&Found, u32, &elf::Symbols, &Budget),
    names: &mut Names,
    inlined: &mut Inlined,
) -> Result<(), Spent> {
    if inlined.names.contains_key(&id) || !is_nameless(names, profile.function(id).name) {
        return Ok(());
    }
    while let Some(outer) = found
        .nodes
        .get(node as usize)
        .filter(|node| node.parent != NONE)
    {
        node = outer.parent;
    }
    let origin = found
        .nodes
        .get(node as usize)
        .and_then(|node| found.origins.get(node.origin as usize));
    let known = match (origin, symbols.at(address)) {
        (Some(origin), _) => origin.name.clone(),
        (None, Some(symbol)) => names::readable(symbols.name(symbol), budget)?,
        (None, None) => return Ok(()),
    };
    if !known.is_empty() {
        inlined.names.insert(id, names.intern(&known));
    }
    Ok(())
}

/// The names that the profile has for the files of debug information; a file that it does not know keeps its own.
/// If no name is the same, two files are one if their paths have the longest common end, and neither has as long a one with
/// another: the writer of the profile may omit a folder, or the sources were moved.
fn files(
    names: &mut Names,
    recorded: impl Iterator<Item = NameId>,
    found: &Found,
    budget: &Budget,
) -> Result<Vec<NameId>, Spent> {
    if found.files.names.is_empty() {
        return Ok(Vec::new());
    }
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

/// The chain of every node, in the words of the profile.
fn chains(
    found: &Found,
    files: &[NameId],
    inlined: &mut Inlined,
    names: &mut Names,
) -> Vec<ChainId> {
    let file = |at: u32| files.get(at as usize).copied().unwrap_or(NameId::UNKNOWN);
    let mut functions: Vec<Option<u32>> = vec![None; found.origins.len()];
    let mut chains: Vec<ChainId> = Vec::with_capacity(found.nodes.len());
    for node in &found.nodes {
        if node.parent == NONE {
            chains.push(ChainId::EMPTY);
            continue;
        }
        let function = functions.get(node.origin as usize).copied().flatten();
        let function = function.unwrap_or_else(|| {
            inlined.function(inlined_function(found, node.origin, files, names))
        });
        if let Some(place) = functions.get_mut(node.origin as usize) {
            *place = Some(function);
        }
        // A parent comes before its children.
        let outer = chains
            .get(node.parent as usize)
            .copied()
            .unwrap_or(ChainId::EMPTY);
        let (call_file, line) = node.call;
        chains.push(inlined.chain(Link {
            outer,
            function,
            file: file(call_file),
            line: line.into(),
        }));
    }
    chains
}

/// A function of debug information.
fn inlined_function(
    found: &Found,
    origin: u32,
    files: &[NameId],
    names: &mut Names,
) -> InlinedFunction {
    let origin = found
        .origins
        .get(origin as usize)
        .cloned()
        .unwrap_or_default();
    let name = names.intern_or(&origin.name, NameId::UNKNOWN);
    let symbol = if origin.symbol == origin.name {
        &b""[..]
    } else {
        &origin.symbol
    };
    let symbol = names.intern_or(symbol, NameId::EMPTY);
    InlinedFunction {
        name,
        symbol,
        file: files
            .get(origin.file as usize)
            .copied()
            .unwrap_or(NameId::UNKNOWN),
    }
}

/// What the debug information of an object says, and what became of looking for it; or why it says nothing.
type Answer = Result<Told, (Debug, Trouble)>;
type Told = (Debug, (Found, elf::Symbols));

/// Looks for an object, and asks the debug information of the one that ran: the first that has any. Else the first that was
/// stripped answers, or one that is used by force. If none does, the first says why.
fn ask(place: &Where, name: &[u8], asked: &Asked) -> Answer {
    let nothing = || Debug {
        object: NameId::EMPTY,
        found: None,
        state: State::None,
        why: String::new(),
    };
    let (mut best, mut first): (Option<(Fitness, _)>, _) = (None, None);
    for binary in place.binaries(name) {
        match binary
            .map_err(|why| (nothing(), why))
            .and_then(|binary| ask_one(place, &binary, asked, nothing()))
        {
            Ok((Fitness::Whole, answer)) => return Ok(answer),
            Ok((fitness, answer)) => {
                if best.as_ref().is_none_or(|(best, _)| fitness > *best) {
                    best = Some((fitness, answer));
                }
            }
            Err(refused) => drop(first.get_or_insert(refused)),
        }
    }
    match best {
        Some((_, answer)) => Ok(answer),
        None => Err(first.unwrap_or_else(|| (nothing(), place.missing(find::NOWHERE)))),
    }
}

/// How good the answer of a binary is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fitness {
    /// It is another binary, which is used all the same.
    Forced,
    /// It is the one that ran, without debug information.
    Stripped,
    /// It is the one that ran, with debug information.
    Whole,
}

/// Asks the debug information of a binary, if it is the one that ran.
fn ask_one(
    place: &Where,
    binary: &find::Binary,
    asked: &Asked,
    mut debug: Debug,
) -> Result<(Fitness, Told), (Debug, Trouble)> {
    debug.found = Some(binary.debug().path.clone());
    let symbols = binary.symbols().map_err(|why| (debug.clone(), why))?;
    let has_debug = binary.debug().has_debug_information();
    let found = if has_debug {
        debug::find(place, binary, &asked.addresses)
    } else {
        Ok(Found::default())
    };
    let (found, problem) = match found {
        Ok(found) => (found, None),
        Err(why) => (Found::default(), Some(why)),
    };
    // What was skipped says nothing about which binary it is.
    if let Some(why) = problem.clone().filter(|why| *why == Trouble::Spent) {
        return Err((debug, why));
    }
    let judged =
        judge::judge(&binary.elf, &symbols, &found, asked).map_err(|why| (debug.clone(), why))?;
    if !judged.is_it() && !place.force {
        debug.state = State::OtherBinary;
        return Err((debug, Trouble::new(judged.words())));
    }
    match problem {
        Some(why) => Err((debug, why)),
        None => {
            debug.state = if has_debug { State::Used } else { State::None };
            debug.why = match (judged.is_it(), has_debug) {
                (false, _) => format!("{}; used all the same", judged.words()),
                (true, false) => "no debug information was found".to_owned(),
                (true, true) => String::new(),
            };
            let fitness = match (judged.is_it(), has_debug) {
                (false, _) => Fitness::Forced,
                (true, false) => Fitness::Stripped,
                (true, true) => Fitness::Whole,
            };
            Ok((fitness, (debug, (found, symbols))))
        }
    }
}

/// Which instructions are disassembled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Those at the addresses.
    Addresses,
    /// Those, and all that are in the same functions.
    Functions,
}

/// Address and text of instructions of an object, in the order of their addresses: of those at some addresses, which are in
/// order, or of the functions around them. What was found of inlined functions need not be looked for again.
///
/// # Errors
/// Why there are none, in words: the binary is not here, it is not the one that ran, or nothing knows its instructions.
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
        return Err("it is not known which object the code is in".into());
    }
    let words = |why: Trouble| format!("{}: {why}", String::from_utf8_lossy(name));
    match carried::known(profile, name, place) {
        Some(Known::One(known)) => {
            let texts = carried::texts(known, (addresses, extent), place);
            return texts.map_err(words);
        }
        Some(Known::Different) => return Err(words(Trouble::new(carried::DIFFERENT))),
        None => {}
    }
    // The whole object is judged, not what is wanted of it.
    let known =
        inlined.and_then(|inlined| inlined.debug.iter().find(|debug| debug.object == object));
    let (state, why, found) = match known {
        Some(debug) => (debug.state, debug.why.clone(), debug.found.clone()),
        None => {
            let places = objects(profile, code, |other| other == object)
                .remove(name)
                .map(|(_, places)| places);
            match ask(
                place,
                name,
                &Asked::new(code, &places.unwrap_or_default(), &place.budget),
            ) {
                Ok((debug, _)) => (debug.state, debug.why, debug.found),
                Err((debug, why)) => (debug.state, why.to_string(), debug.found),
            }
        }
    };
    if state == State::OtherBinary && !place.force {
        return Err(words(Trouble::new(why)));
    }
    let binary = place.binary_used(name, found.as_deref()).map_err(words)?;
    let symbols = binary.symbols().map_err(words)?;
    text::texts(&binary.elf, &symbols, (addresses, extent), place).map_err(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What files of debug information are called, if the profile has these.
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
            // Two recorded files could be it.
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
