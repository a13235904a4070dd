//! Inlined functions where no instruction addresses were recorded: what a function cost at a line of a file belongs to the
//! inlined function that has all of the function's code at this line. Where several have some, it is not known whose it is.
//!
//! The functions of a profile are found in the binary by their names. All addresses of each are looked up, which gives, for
//! every function, file and line, the innermost functions there.

use super::elf::{Symbols, Trouble};
use super::walk::{Found, NONE};
use super::{Where, apart, debug, names};
use crate::profile::callers::without_level;
use crate::profile::inlined::{Debug, Inlined, InlinedFunction, LineOwner, State};
use crate::profile::{FunctionId, Line, NameId, Names, Profile};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// So many addresses of an object are looked up; functions beyond that stay unknown.
const MOST_ADDRESSES: usize = 4_000_000;

/// A line of a function.
type Place = (FunctionId, NameId, u64);

/// The innermost functions at each line: an inlined one by its number, or `None` for the function itself.
type Innermost = BTreeMap<Place, LineOwner>;

/// Finds out which inlined functions the lines of a profile belong to.
pub fn find_inlined_by_line(profile: &mut Profile, place: &Where) {
    let mut inlined = Inlined::new(0);
    let mut names = Arc::clone(&profile.names);
    let all = Arc::make_mut(&mut names);
    let mut objects: BTreeMap<Vec<u8>, (NameId, Vec<FunctionId>)> = BTreeMap::new();
    for id in profile.function_ids().filter(|&id| !profile.lines_of(id).is_empty()) {
        let object = profile.function(id).object;
        if !matches!(profile.name(object), b"" | b"???") {
            objects.entry(profile.name(object).to_vec()).or_insert_with(|| (object, Vec::new())).1.push(id);
        }
    }
    let mut owners: HashMap<u32, LineOwner> = HashMap::new();
    for (name, (object, functions)) in objects {
        let mut debug = Debug { object, found: None, state: State::None, why: String::new() };
        match ask(profile, &name, &functions, place, &mut debug, (&mut inlined, all)) {
            Err(Trouble(why)) => debug.why = why,
            Ok(innermost) => {
                for &id in &functions {
                    for line in profile.lines_of(id) {
                        if let Some(&owner) = innermost.get(&place_of(line)) {
                            owners.insert(line.row, owner);
                        }
                    }
                }
            }
        }
        inlined.debug.push(debug);
    }
    inlined.by_line = Some(owners);
    profile.names = names;
    profile.inlined = Some(Box::new(inlined));
}

fn place_of(line: &Line) -> Place {
    (line.function, line.file, line.line)
}

/// Asks the debug information of one object, if that is of the program that ran.
fn ask(
    profile: &Profile,
    name: &[u8],
    functions: &[FunctionId],
    place: &Where,
    debug: &mut Debug,
    (inlined, all): (&mut Inlined, &mut Names),
) -> Result<Innermost, Trouble> {
    let binary = place.binary_with_debug(name)?;
    debug.found = Some(binary.debug().path.clone());
    if !binary.debug().has_debug_information() {
        return Err(Trouble("it has no debug information, and none was found for it".to_owned()));
    }
    // A stripped library still has the names of what it exports, and its debug file all of them.
    let (few, many) = (binary.elf.symbols().unwrap_or_default(), binary.debug().symbols().unwrap_or_default());
    let symbols = if many.all.len() > few.all.len() { many } else { few };
    let (addresses, of) = addresses(profile, functions, &symbols);
    let mut found = debug::find(place, &binary, &addresses)?;
    let files = files(profile, functions, &found);
    // A file that the profile does not know has its own name.
    apart::tell_apart(&mut found, |file| files.get(file as usize).copied().flatten().ok_or(file));
    let innermost = innermost(&found, &of, &files, inlined, all);
    // Without addresses, lines alone tell whether this is the binary that ran.
    let (mut whole, mut there) = (0u128, 0u128);
    let known: std::collections::HashSet<FunctionId> = of.iter().copied().collect();
    for line in functions.iter().filter(|id| known.contains(id)).flat_map(|&id| profile.lines_of(id)) {
        let counts = profile.line_counts(line).recorded().next().flatten().map_or(0, i64::unsigned_abs);
        if line.line > 0 {
            whole += u128::from(counts);
            there += if innermost.contains_key(&place_of(line)) { u128::from(counts) } else { 0 };
        }
    }
    if there * 100 < whole * 99 && !place.force {
        debug.state = State::OtherBinary;
        let tenths = (there * 1000).checked_div(whole).unwrap_or(0);
        let share = format!("{}.{} %", tenths / 10, tenths % 10);
        return Err(Trouble(format!("it is not the binary that ran: {share} of its cost is on lines that it has")));
    }
    debug.state = State::Used;
    Ok(innermost)
}

/// The addresses of the functions, in order, and which function each is of.
fn addresses(profile: &Profile, functions: &[FunctionId], symbols: &Symbols) -> (Vec<u64>, Vec<FunctionId>) {
    let plain = |name: &[u8]| names::demangled(name).unwrap_or_else(|| name.to_vec());
    let mut by_name: HashMap<Vec<u8>, FunctionId> = HashMap::new();
    for &id in functions {
        let name = profile.function_name(id).text();
        let plain_name = without_level(&name).unwrap_or_else(|| name.into_owned());
        by_name.entry(plain(&plain_name)).or_insert(id);
        by_name.entry(plain_name).or_insert(id);
    }
    let (mut addresses, mut of) = (Vec::new(), Vec::new());
    for symbol in &symbols.all {
        let name = symbols.name(symbol);
        let id = by_name.get(name).or_else(|| by_name.get(&plain(name)));
        let Some(&id) = id.filter(|_| (addresses.len() as u64).saturating_add(symbol.size) <= MOST_ADDRESSES as u64)
        else {
            continue;
        };
        let from = addresses.last().map_or(symbol.address, |&last: &u64| symbol.address.max(last.saturating_add(1)));
        for address in from..symbol.address.saturating_add(symbol.size) {
            addresses.push(address);
            of.push(id);
        }
    }
    (addresses, of)
}

/// What the profile calls the files of debug information: the same name, or one that is the end of the other.
fn files(profile: &Profile, functions: &[FunctionId], found: &Found) -> Vec<Option<NameId>> {
    let mut known: HashMap<&[u8], NameId> = HashMap::new();
    for line in functions.iter().flat_map(|&id| profile.lines_of(id)) {
        known.insert(profile.name(line.file), line.file);
    }
    let of = |name: &Vec<u8>| {
        let ends = memchr::memchr_iter(b'/', name).map(|at| &name[at + 1..]);
        std::iter::once(&name[..]).chain(ends).find_map(|end| known.get(end).copied())
    };
    found.files.names.iter().map(of).collect()
}

/// The innermost functions of all lines.
fn innermost(
    found: &Found,
    of: &[FunctionId],
    files: &[Option<NameId>],
    inlined: &mut Inlined,
    names: &mut Names,
) -> Innermost {
    let mut functions: HashMap<u32, u32> = HashMap::new();
    let mut lines = Innermost::new();
    for ((&id, &node), &(file, line)) in of.iter().zip(&found.of).zip(&found.lines) {
        let Some(file) = files.get(file as usize).copied().flatten().filter(|_| line > 0) else { continue };
        let owner = match found.nodes.get(node as usize).filter(|node| node.parent != NONE) {
            None => LineOwner::Function,
            Some(node) => LineOwner::Inlined(*functions.entry(node.origin).or_insert_with(|| {
                let origin = found.origins.get(node.origin as usize).cloned().unwrap_or_default();
                let name = names.intern_or(&origin.name, NameId::UNKNOWN);
                let path = found.files.names.get(origin.file as usize).map_or(&b""[..], Vec::as_slice);
                let known = files.get(origin.file as usize).copied().flatten();
                let file = known.unwrap_or_else(|| names.intern_or(path, NameId::UNKNOWN));
                inlined.function(InlinedFunction { name, symbol: NameId::EMPTY, file })
            })),
        };
        let have = lines.entry((id, file, line.into())).or_insert(owner);
        if *have != owner {
            *have = LineOwner::Several;
        }
    }
    lines
}
