//! What inputs bring along of the code: taken from a profile with its binaries, to be packed, and used in their place where
//! they are not.
//!
//! What a pack knows of an object is what counts, found or not: so its report is the same on a machine that has other
//! binaries. Only where the pack has nothing of an object and the user says where it is, the disk is asked.

use super::elf::{Elf, Machine};
use super::text::{self, Syntax};
use super::{Extent, Where};
use crate::profile::carried::{CarriedCode, CarriedFunction, CarriedLink, CarriedObject, CarriedRun};
use crate::profile::inlined::{ChainId, Debug, Inlined, InlinedFunction, Link, State};
use crate::profile::{Carried, FunctionId, NameId, Names, Profile};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What the inputs know of an object.
pub(super) enum Known<'p> {
    /// This.
    One(&'p CarriedObject),
    /// Several know of it, and not the same.
    Different,
}

/// What the inputs know of an object; `None` if the disk is to be asked.
pub(super) fn known<'p>(profile: &'p Profile, name: &[u8], place: &Where) -> Option<Known<'p>> {
    let mut all = profile.carried.iter().filter_map(|carried| carried.objects.get(name));
    let first = all.next()?;
    let is_asked_for = !(place.maps.is_empty() && place.debug_dirs.is_empty());
    match all.all(|other| other == first) {
        _ if is_asked_for && first.state != State::Used => None,
        true => Some(Known::One(first)),
        false => Some(Known::Different),
    }
}

/// Says which functions were inlined at the instructions at some places, and gives names to functions that have none.
pub(super) fn fill(
    profile: &Profile,
    object: NameId,
    places: &[usize],
    inlined: &mut Inlined,
    names: &mut Names,
) -> Option<Debug> {
    let name = profile.name(object);
    let debug = Debug { object, found: None, state: State::OtherBinary, why: DIFFERENT.into() };
    let known = match known(profile, name, &Where::default())? {
        Known::One(known) => known,
        Known::Different => return Some(debug),
    };
    let carried = profile.carried.iter().find(|carried| carried.objects.contains_key(name))?;
    let files: Vec<NameId> =
        (known.files.iter()).map(|file| names.intern_or(as_read(file, carried, names), NameId::UNKNOWN)).collect();
    let file = |at: u32| files.get(at as usize).copied().unwrap_or(NameId::UNKNOWN);
    let functions: Vec<u32> = (known.functions.iter())
        .map(|one| {
            let name = names.intern_or(&one.name, NameId::UNKNOWN);
            let symbol = names.intern_or(&one.symbol, NameId::EMPTY);
            inlined.function(InlinedFunction { name, symbol, file: file(one.file) })
        })
        .collect();
    let mut chains = vec![ChainId::EMPTY];
    for link in &known.chains {
        let outer = chains.get(link.outer as usize).copied().unwrap_or(ChainId::EMPTY);
        let function = functions.get(link.function as usize).copied()?;
        chains.push(inlined.chain(Link { outer, function, file: file(link.file), line: link.line }));
    }
    let code = profile.code.as_ref();
    let (mut cost, mut told) = (0u128, 0u128);
    for &at in places {
        let Some((instruction, row)) = code.and_then(|code| code.instruction(at)) else { continue };
        let own = row.recorded().next().flatten().map_or(0, i64::unsigned_abs);
        cost += u128::from(own);
        if let Some(&chain) = known.chain(instruction.address).and_then(|chain| chains.get(chain as usize)) {
            told += u128::from(own);
            inlined.set(at, chain);
        }
        let function = instruction.function;
        let name = known
            .names
            .get(&instruction.address)
            .filter(|_| super::is_nameless(&profile.names, profile.function(function).name));
        if let Some(name) = name {
            inlined.names.entry(function).or_insert_with(|| names.intern(name));
        }
    }
    let mut why = known.why.clone();
    if told < cost && known.state == State::Used {
        // Rounded down: all of it is not nearly all of it.
        let tenths = told.saturating_mul(1000) / cost.max(1);
        why = format!("the pack tells what is inlined for {}.{} % of its cost", tenths / 10, tenths % 10);
    }
    Some(Debug { object, found: known.found.clone(), state: known.state, why })
}

/// A file as the profile calls it, which may have been read without the folder of the pack.
fn as_read<'n>(file: &'n [u8], carried: &Carried, names: &Names) -> &'n [u8] {
    let short = carried.without_folder(file);
    if names.find(file).is_none() && names.find(short).is_some() { short } else { file }
}

/// Address and text of instructions: of those at some addresses, which are in order, or of the pieces around them.
pub(super) fn texts(
    known: &CarriedObject,
    (addresses, extent): (&[u64], Extent),
    syntax: Syntax,
) -> Result<Vec<(u64, String)>, String> {
    let mut wanted = BTreeSet::new();
    for &address in addresses {
        let piece = known.code.range(..=address).next_back();
        let piece = piece.filter(|(_, piece)| address < piece.end);
        wanted.extend(piece.map(|(&begin, _)| begin));
    }
    if wanted.is_empty() {
        return Err("the pack does not have its machine code: it cost little".into());
    }
    if known.bits == 0 {
        return Err("only instructions of x86 can be told without the binary".into());
    }
    let mut all = Vec::new();
    for (begin, piece) in wanted.into_iter().filter_map(|begin| known.code.get_key_value(&begin)) {
        let is_wanted = |address| extent == Extent::Functions || addresses.binary_search(&address).is_ok();
        text::decode(&piece.bytes, known.bits, (*begin, piece.end), syntax, is_wanted, &mut all);
    }
    Ok(all)
}

/// Code that did not run is kept between pieces that are no further apart.
const CLOSE: u64 = 64;

/// How many bytes are kept behind a piece.
const PAST: u64 = 15;

/// Why nothing is told where packs know different things of an object.
pub(super) const DIFFERENT: &str = "the packs have different builds of it";

/// What is known of the objects of a profile, by name, once [`find_inlined`](super::find_inlined) has asked: what is inlined
/// in some functions, and their machine code as far as it ran.
pub fn carry(profile: &Profile, functions: &[FunctionId], place: &Where) -> BTreeMap<Vec<u8>, CarriedObject> {
    let debug = profile.inlined.iter().flat_map(|inlined| &inlined.debug);
    let debug: HashMap<NameId, &Debug> = debug.map(|debug| (debug.object, debug)).collect();
    let mut places: HashMap<NameId, Vec<usize>> = HashMap::new();
    for &id in functions {
        let own = profile.code.iter().flat_map(|code| code.places_of(id));
        places.entry(profile.function(id).object).or_default().extend(own);
    }
    let objects: BTreeSet<NameId> = profile.function_ids().map(|id| profile.function(id).object).collect();
    let mut all = BTreeMap::new();
    for object in objects {
        let name = profile.name(object);
        if matches!(name, b"" | b"???") {
            continue;
        }
        if let Some(Known::One(known)) = known(profile, name, place) {
            all.insert(name.to_vec(), known.clone());
            continue;
        }
        let debug = debug.get(&object);
        let binary = place.binary_used(name, debug.and_then(|debug| debug.found.as_deref()));
        let mut carried = CarriedObject {
            found: debug.and_then(|debug| debug.found.clone()),
            state: debug.map_or(State::None, |debug| debug.state),
            // Of what has no addresses nothing could be told wherever it is.
            why: debug.map_or("the profile has no addresses of its instructions", |debug| &debug.why).to_owned(),
            ..CarriedObject::default()
        };
        let places = places.get(&object).map_or(&[][..], Vec::as_slice);
        if carried.state == State::Used {
            inlined(profile, places, &mut carried);
        }
        if let Ok(binary) = binary.as_ref().map_err(drop)
            && carried.state != State::OtherBinary
        {
            carried.build_id = binary.elf.build_id().map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect());
            let instruction = |&at: &usize| Some(profile.code.as_ref()?.instruction(at)?.0.address);
            let addresses = places.iter().filter_map(instruction).collect();
            carried.bits = if let Machine::X86(bits) = binary.elf.machine { bits } else { 0 };
            carried.code = machine_code(&binary.elf, &addresses);
        }
        all.insert(name.to_vec(), carried);
    }
    all
}

/// What was inlined at an object's instructions.
fn inlined(profile: &Profile, places: &[usize], carried: &mut CarriedObject) {
    let (Some(inlined), Some(code)) = (&profile.inlined, &profile.code) else { return };
    let text = |name: NameId| profile.name(name).to_vec();
    let mut places_of_files: HashMap<NameId, u32> = HashMap::new();
    let mut file = |name: NameId, files: &mut Vec<Vec<u8>>| {
        *places_of_files.entry(name).or_insert_with(|| {
            files.push(text(name));
            files.len() as u32 - 1
        })
    };
    let mut functions: HashMap<u32, u32> = HashMap::new();
    let mut numbers: HashMap<ChainId, u32> = [(ChainId::EMPTY, 0)].into();
    let mut chains: BTreeMap<u64, u32> = BTreeMap::new();
    for &at in places {
        let Some((instruction, _)) = code.instruction(at) else { continue };
        // From the outermost inwards: what is around a chain has its number first.
        let mut of = inlined.of(at);
        let mut new = Vec::new();
        while !numbers.contains_key(&of) {
            new.push(of);
            of = inlined.link(of).map_or(ChainId::EMPTY, |link| link.outer);
        }
        for chain in new.into_iter().rev() {
            let Some(link) = inlined.link(chain) else { continue };
            let next = functions.len() as u32;
            let function = *functions.entry(link.function).or_insert(next);
            if function == next
                && let Some(one) = inlined.functions.get(link.function as usize)
            {
                let file = file(one.file, &mut carried.files);
                carried.functions.push(CarriedFunction { name: text(one.name), symbol: text(one.symbol), file });
            }
            let outer = numbers.get(&link.outer).copied().unwrap_or(0);
            let file = file(link.file, &mut carried.files);
            carried.chains.push(CarriedLink { outer, function, file, line: link.line });
            numbers.insert(chain, carried.chains.len() as u32);
        }
        chains.insert(instruction.address, numbers.get(&inlined.of(at)).copied().unwrap_or(0));
        if let Some(&name) = inlined.names.get(&instruction.function) {
            // Any one address tells which function is meant.
            let first = code.places_of(instruction.function).next().and_then(|at| code.instruction(at));
            carried.names.extend(first.map(|(first, _)| (first.address, text(name))));
        }
    }
    for (address, chain) in chains {
        match carried.runs.last_mut() {
            Some(run) if run.chain == chain => run.last = address,
            _ => carried.runs.push(CarriedRun { first: address, last: address, chain }),
        }
    }
}

/// The machine code at some addresses, and between those that lie close together; nothing where it cannot be read. What never
/// ran is half of a usual function, and no report lists its instructions.
fn machine_code(elf: &Elf, addresses: &BTreeSet<u64>) -> BTreeMap<u64, CarriedCode> {
    let mut stretches: Vec<(u64, u64)> = Vec::new();
    for &address in addresses {
        let end = address.saturating_add(1);
        match stretches.last_mut().filter(|(_, last)| address.saturating_sub(*last) <= CLOSE) {
            Some((_, last)) => *last = end,
            None => stretches.push((address, end)),
        }
    }
    let mut pieces = BTreeMap::new();
    for (begin, end) in stretches {
        let Ok(bytes) = elf.code(begin, end.saturating_sub(begin).saturating_add(PAST)) else { continue };
        if !bytes.is_empty() {
            pieces.insert(begin, CarriedCode { end, bytes });
        }
    }
    pieces
}
