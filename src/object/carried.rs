//! What packs and the details of recordings include about the code: collected from a profile and
//! its binaries, and used later instead of the binaries.
//!
//! What a pack knows of an object decides, even if it found no debug information. So its report is
//! the same on a computer with other binaries. If it found none, and the user gives `--map` or
//! `--debug-dir`, the disk is asked. Details have no machine code: the disk is asked for that, and
//! the binary must have the build id that was recorded.

use super::{
    Extent, Where,
    elf::{Machine, Trouble, trouble, unless_spent},
    find::Binary,
    text,
};
use crate::profile::{
    Carried, ChainId, Inlined, InlinedFunction, NameId, Names, Order, Profile,
    carried::{COLD, CarriedCode, CarriedFunction, CarriedLink, CarriedObject, CarriedRun},
    inlined::{Debug, Link, State},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::PathBuf,
};

/// What the inputs know of an object.
pub(super) enum KnownObject<'p> {
    /// All that know it agree. Details of one build can be of different addresses.
    Same(Vec<&'p CarriedObject>),
    /// Several know it, and differ.
    Different,
}

/// What packs know of an object, with its machine code; `None` if the disk must be asked.
pub(super) fn known_by_packs<'p>(
    profile: &'p Profile,
    name: &[u8],
    place: &Where,
) -> Option<KnownObject<'p>> {
    let packs = profile.carried.iter().filter(|carried| !carried.is_details);
    let all = packs.filter_map(|carried| carried.objects.get(name));
    agreed(all.collect(), place, |a, b| a == b)
}

/// What packs or details know of an object; `None` if the disk must be asked. An input without
/// details of it may be of another build.
pub(super) fn known<'p>(
    profile: &'p Profile,
    name: &[u8],
    place: &Where,
) -> Option<KnownObject<'p>> {
    let details = |input: &PathBuf| {
        let mut all = profile.carried.iter();
        let details = all.find(|carried| carried.is_details && carried.input == *input)?;
        let object = details.objects.get(name);
        object.filter(|object| !object.runs.is_empty())
    };
    known_by_packs(profile, name, place).or_else(|| {
        let all = profile.inputs.iter().map(details);
        agreed(all.collect::<Option<_>>()?, place, |a, b| {
            a.build_id == b.build_id
        })
    })
}

fn agreed<'p>(
    all: Vec<&'p CarriedObject>,
    place: &Where,
    agree: impl Fn(&CarriedObject, &CarriedObject) -> bool,
) -> Option<KnownObject<'p>> {
    let first = *all.first()?;
    let is_asked_for = !(place.maps.is_empty() && place.debug_dirs.is_empty());
    match all.iter().all(|other| agree(first, other)) {
        _ if is_asked_for && first.state != State::Used => None,
        true => Some(KnownObject::Same(all)),
        false => Some(KnownObject::Different),
    }
}

/// Sets which functions were inlined at the instructions `places`, and names functions without a
/// name.
pub(super) fn fill(
    profile: &Profile,
    object: NameId,
    places: &[usize],
    (inlined, names): (&mut Inlined, &mut Names),
    place: &Where,
) -> Option<Debug> {
    let name = profile.name(object);
    let KnownObject::Same(all) = known(profile, name, place)? else {
        return Some(Debug {
            state: State::OtherBinary,
            why: DIFFERENT.into(),
            ..Debug::new(object)
        });
    };
    let carried = profile
        .carried
        .iter()
        .find(|carried| carried.objects.contains_key(name))?;
    let mut chains = Vec::new();
    for known in &all {
        chains.push(chains_of(known, carried, inlined, names)?);
    }
    let code = profile.code.as_ref();
    let (mut cost, mut told) = (0u128, 0u128);
    for &at in places {
        let Some((instruction, row)) = code.and_then(|code| code.instruction(at)) else {
            continue;
        };
        let own = u128::from(row.size());
        cost += own;
        let chain = all
            .iter()
            .zip(&chains)
            .find_map(|(known, chains)| chains.get(known.run(instruction.address)?.chain as usize));
        if let Some(&chain) = chain {
            told += own;
            inlined.set(at, chain);
        }
        let function = instruction.function;
        if all
            .iter()
            .any(|known| known.generated.contains(&instruction.address))
        {
            inlined.generated.insert(function);
        }
        if !super::is_nameless(&profile.names, profile.function(function).name) {
            continue;
        }
        let mut known = all.iter();
        if let Some(name) = known.find_map(|known| known.names.get(&instruction.address)) {
            inlined
                .names
                .entry(function)
                .or_insert_with(|| names.intern(name));
        }
    }
    let known = *all.first()?;
    let mut why = known.why.clone();
    let mut thousandths = 1000;
    if told < cost && known.state == State::Used {
        // Rounded down, so that almost all does not look like all.
        thousandths = told.saturating_mul(1000) / cost;
        why = format!(
            "inlined functions are known for {}.{} % of its cost",
            thousandths / 10,
            thousandths % 10
        );
    }
    Some(Debug {
        object,
        found: known.found.clone(),
        state: known.state,
        why,
        known_thousandths: Some(thousandths),
    })
}

/// The chains of an object, by number.
fn chains_of(
    known: &CarriedObject,
    carried: &Carried,
    inlined: &mut Inlined,
    names: &mut Names,
) -> Option<Vec<ChainId>> {
    let files: Vec<NameId> = (known.files.iter())
        .map(|file| names.intern_or(as_read(file, carried, names), NameId::UNKNOWN))
        .collect();
    let file = |at: u32| files.get(at as usize).copied().unwrap_or(NameId::UNKNOWN);
    let functions: Vec<u32> = (known.functions.iter())
        .map(|one| {
            let name = names.intern_or(&one.name, NameId::UNKNOWN);
            let symbol = names.intern_or(&one.symbol, NameId::EMPTY);
            inlined.function(InlinedFunction {
                name,
                symbol,
                file: file(one.file),
                is_generated: one.is_generated,
            })
        })
        .collect();
    let mut chains = vec![ChainId::EMPTY];
    for link in &known.chains {
        let outer = chains
            .get(link.outer as usize)
            .copied()
            .unwrap_or(ChainId::EMPTY);
        let function = functions.get(link.function as usize).copied()?;
        chains.push(inlined.chain(Link {
            outer,
            function,
            file: file(link.file),
            line: link.line,
        }));
    }
    Some(chains)
}

/// The name that the profile has for a file; it may have been read without the pack's folder.
fn as_read<'n>(file: &'n [u8], carried: &Carried, names: &Names) -> &'n [u8] {
    let short = carried.without_folder(file);
    if names.find(file).is_none() && names.find(short).is_some() {
        short
    } else {
        file
    }
}

/// Address and text of instructions: those at the sorted addresses, or all around them. An
/// instruction that the pack only counts has an empty text.
pub(super) fn texts(
    known: &CarriedObject,
    (addresses, extent): (&[u64], Extent),
    place: &Where,
) -> Result<Vec<(u64, String)>, Trouble> {
    let budget = &place.budget;
    if known.bits == 0 && !known.code.is_empty() {
        return trouble("without the binary, only x86 instructions can be decoded");
    }
    let before = |address| {
        let symbol = known.symbols.range(..=address).next_back();
        symbol.map(|(&begin, &end)| (begin, end))
    };
    let stretches = text::stretches(addresses, before);
    let mut all: Vec<(u64, String)> = Vec::new();
    let mut pieces: BTreeMap<u64, &CarriedCode> = BTreeMap::new();
    for &(begin, end) in &stretches {
        // A piece can begin before the function does.
        let first = known
            .code
            .range(..=begin)
            .next_back()
            .map_or(begin, |(&first, _)| first);
        for (&at, piece) in known.code.range(first..) {
            let cold = at.saturating_sub(piece.cold);
            if cold >= end {
                break;
            }
            pieces.insert(at, piece);
            budget.look(64)?;
            budget.make(64)?;
            if extent == Extent::Functions && cold.max(begin) < at.min(end) {
                let cold = cold.max(begin)..at.min(end);
                let count = cold.end - cold.start;
                budget.look(count.saturating_mul(8))?;
                budget.keep(count.saturating_mul(64))?;
                all.extend(cold.map(|address| (address, String::new())));
            }
        }
    }
    let is_wanted = |address| match extent {
        Extent::Addresses => addresses.binary_search(&address).is_ok(),
        Extent::Functions => {
            let last = stretches
                .partition_point(|&(begin, _)| begin <= address)
                .checked_sub(1);
            last.is_some_and(|last| address < stretches[last].1)
        }
    };
    for (at, piece) in pieces {
        budget.earn(piece.bytes.len() as u64);
        text::decode(
            &piece.bytes,
            (known.bits, place.syntax),
            (at, piece.end),
            is_wanted,
            &mut all,
            budget,
        )?;
    }
    all.order_by_key(|(address, _)| *address);
    all.dedup_by_key(|(address, _)| *address);
    match all.is_empty() && (known.code.is_empty() || !addresses.is_empty()) {
        true if known.why.is_empty() => trouble("the pack does not have its machine code"),
        true => trouble(&known.why),
        false => Ok(all),
    }
}

/// The reason if inputs differ about an object.
pub(super) const DIFFERENT: &str = "the inputs have different builds of it";

/// The build id that was recorded with the profile. `None` if details do not have the object,
/// `Some(None)` if the object has no build id.
pub(super) fn build_id<'p>(profile: &'p Profile, name: &[u8]) -> Option<Option<&'p str>> {
    let mut details = profile.carried.iter().filter(|carried| carried.is_details);
    details.find_map(|carried| Some(carried.objects.get(name)?.build_id.as_deref()))
}

/// Fails if the binary has another build id than the one that was recorded.
pub(super) fn check_build(profile: &Profile, name: &[u8], binary: &Binary) -> Result<(), Trouble> {
    match build_id(profile, name) {
        Some(id) if binary.build_id().as_deref() != id => {
            trouble("it is a different build: its build id is not the recorded one")
        }
        _ => Ok(()),
    }
}

/// What is made of what is known of objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CarriedFor {
    /// Details of a profile.
    Details,
    /// A pack, which also has machine code.
    Pack,
}

/// Collects what is known of a profile's objects, by name: the functions inlined at their
/// instructions, and for packs the machine code that reports show.
/// [`find_inlined`](super::find_inlined) must run before.
pub fn carry(
    profile: &Profile,
    place: &Where,
    made: CarriedFor,
) -> BTreeMap<Vec<u8>, CarriedObject> {
    let debug = profile.inlined.iter().flat_map(|inlined| &inlined.debug);
    let debug: HashMap<NameId, &Debug> = debug.map(|debug| (debug.object, debug)).collect();
    let mut places = BTreeMap::new();
    let mut executed: HashMap<NameId, BTreeSet<u64>> = HashMap::new();
    if let Some(code) = &profile.code {
        places = super::objects(profile, code, |_| true);
        let run = code
            .instructions()
            .map(|(one, _)| (one.function, one.address));
        let called = code.calls().map(|(call, ..)| (call.caller, call.address));
        let jumps = code
            .jumps()
            .flat_map(|(jump, _)| [jump.from, jump.to].map(|address| (jump.function, address)));
        for (id, address) in run.chain(called).chain(jumps) {
            let object = profile.function(id).object;
            executed.entry(object).or_default().insert(address);
        }
    }
    let objects: BTreeSet<NameId> = profile
        .function_ids()
        .map(|id| profile.function(id).object)
        .collect();
    let mut all = BTreeMap::new();
    for object in objects {
        let name = profile.name(object);
        if matches!(name, b"" | b"???") {
            continue;
        }
        if let Some(KnownObject::Same(known)) = known_by_packs(profile, name, place) {
            all.insert(name.to_vec(), known[0].clone());
            continue;
        }
        place.budget.begin();
        let debug = debug.get(&object).copied().cloned().unwrap_or(Debug {
            // Without addresses, no binary could help, wherever it is.
            why: "the profile has no addresses of its instructions".into(),
            ..Debug::new(object)
        });
        let mut carried = CarriedObject {
            found: debug.found,
            state: debug.state,
            why: debug.why,
            ..CarriedObject::default()
        };
        inlined(
            profile,
            places.get(name).map_or(&[], |(_, places)| places),
            |_| true,
            &mut carried,
        );
        if let Ok(binary) = place.binary_used(name, carried.found.as_deref())
            && carried.state != State::OtherBinary
            && check_build(profile, name, &binary).is_ok()
        {
            carried.build_id = binary.build_id();
            if let (true, Machine::X86(bits), Some(executed)) = (
                made == CarriedFor::Pack,
                binary.elf.machine,
                executed.get(&object),
            ) {
                carried.bits = bits;
                let done = machine_code(
                    &binary,
                    &executed.iter().copied().collect::<Vec<_>>(),
                    &mut carried,
                );
                if let Err(why) = done {
                    carried.code.clear();
                    // The inlined functions that were found stay, so there is nothing to explain.
                    if carried.state != State::Used {
                        carried.why = why.to_string();
                    }
                }
            }
        }
        all.insert(name.to_vec(), carried);
    }
    all
}

/// Limits details to the most expensive ranges of addresses, at most `most` of all objects together:
/// first those of objects that are `yours`. Returns the cost of the others.
pub fn limit(
    profile: &Profile,
    details: &mut BTreeMap<Vec<u8>, CarriedObject>,
    most: usize,
    yours: impl Fn(&[u8]) -> bool,
) -> u64 {
    let Some(code) = &profile.code else { return 0 };
    let own = code
        .instructions()
        .map(|(one, row)| (one.function, one.address, row.size(), row.size()));
    let called = (code.calls()).map(|(call, _, row)| (call.caller, call.address, row.size(), 0));
    // The cost with calls decides: they are attributed to the line of the chain, too.
    let mut costs: HashMap<(NameId, u64), (u64, u64)> = HashMap::new();
    for (function, address, with_calls, own) in own.chain(called) {
        let object = profile.function(function).object;
        if let Some(run) = details
            .get(profile.name(object))
            .and_then(|known| known.run(address))
        {
            let cost = costs.entry((object, run.first)).or_default();
            *cost = (cost.0.saturating_add(with_calls), cost.1 + own);
        }
    }
    let mut ranges: Vec<_> = costs.into_iter().collect();
    ranges.order_by_key(|&(range, cost)| (!yours(profile.name(range.0)), Reverse(cost.0), range));
    let omitted = ranges.split_off(most.min(ranges.len()));
    let kept: HashSet<(NameId, u64)> = ranges.into_iter().map(|(range, _)| range).collect();
    for (name, (object, places)) in super::objects(profile, code, |_| true) {
        let Some(known) = details.get_mut(&name) else {
            continue;
        };
        let rest = CarriedObject {
            found: known.found.take(),
            state: known.state,
            why: std::mem::take(&mut known.why),
            build_id: known.build_id.take(),
            ..CarriedObject::default()
        };
        let whole = std::mem::replace(known, rest);
        let is_kept =
            |address| (whole.run(address)).is_some_and(|run| kept.contains(&(object, run.first)));
        inlined(profile, &places, is_kept, known);
    }
    omitted.iter().map(|(_, (_, own))| own).sum()
}

/// Collects what was inlined at an object's instructions whose addresses are `kept`. Chains and
/// functions keep their order, which reports follow.
fn inlined(
    profile: &Profile,
    places: &[usize],
    kept: impl Fn(u64) -> bool,
    carried: &mut CarriedObject,
) {
    let (Some(inlined), Some(code)) = (&profile.inlined, &profile.code) else {
        return;
    };
    let all = || (places.iter()).filter_map(|&at| Some((at, code.instruction(at)?.0)));
    let text = |name: NameId| profile.name(name).to_vec();
    let mut used: BTreeSet<ChainId> = BTreeSet::new();
    for (at, _) in all().filter(|(_, one)| kept(one.address)) {
        let mut chain = inlined.chain_at(at);
        while let Some(link) = inlined.link(chain).filter(|_| used.insert(chain)) {
            chain = link.outer;
        }
    }
    let links = || used.iter().filter_map(|&chain| inlined.link(chain));
    let functions: BTreeSet<u32> = links().map(|link| link.function).collect();
    let mut files: HashMap<NameId, u32> = HashMap::new();
    let mut file = |name: NameId| {
        let next = files.len() as u32;
        *files.entry(name).or_insert_with(|| {
            carried.files.push(text(name));
            next
        })
    };
    for one in functions
        .iter()
        .filter_map(|&function| inlined.functions.get_index(function as usize))
    {
        let function = CarriedFunction {
            name: text(one.name),
            symbol: text(one.symbol),
            file: file(one.file),
            is_generated: one.is_generated,
        };
        carried.functions.push(function);
    }
    let functions: HashMap<u32, u32> = functions.into_iter().zip(0..).collect();
    let numbers: HashMap<ChainId, u32> = used.iter().copied().zip(1..).collect();
    let number = |chain: ChainId| numbers.get(&chain).copied().unwrap_or(0);
    for link in links() {
        let function = functions.get(&link.function).copied().unwrap_or(0);
        carried.chains.push(CarriedLink {
            outer: number(link.outer),
            function,
            file: file(link.file),
            line: link.line,
        });
    }
    let mut chains: BTreeMap<u64, Option<u32>> = BTreeMap::new();
    for (at, instruction) in all() {
        let chain = kept(instruction.address).then(|| number(inlined.chain_at(at)));
        chains.insert(instruction.address, chain);
        // One address is enough to identify the function.
        let function = instruction.function;
        if chain.is_some() && code.places_of(function).start == at {
            let name = inlined.names.get(&function);
            let name = name.map(|&name| (instruction.address, text(name)));
            carried.names.extend(name);
            if inlined.generated.contains(&function) {
                carried.generated.insert(instruction.address);
            }
        }
    }
    let mut before = None;
    for (address, chain) in chains {
        match (carried.runs.last_mut(), chain) {
            (Some(run), Some(_)) if chain == before => run.last = address,
            (_, Some(chain)) => carried.runs.push(CarriedRun {
                first: address,
                last: address,
                chain,
            }),
            (_, None) => {}
        }
        before = chain;
    }
}

/// Collects the machine code of the functions around the sorted addresses `executed`. Reports only
/// count the instructions of long stretches that did not run, about half of a usual function. So
/// their number is enough.
fn machine_code(
    binary: &Binary,
    executed: &[u64],
    carried: &mut CarriedObject,
) -> Result<(), Trouble> {
    let symbols = binary.symbols()?;
    let before = |address| symbols.extent_before(address);
    carried.symbols = executed
        .iter()
        .filter_map(|&address| before(address))
        .collect();
    // Each function by itself, as a report may ask for it alone.
    let functions = executed.chunk_by(|&a, &b| before(a) == before(b));
    for (begin, end) in functions.flat_map(|addresses| text::stretches(addresses, before)) {
        let code = binary
            .elf
            .code(begin, (end - begin).saturating_add(text::PAST));
        let Some(code) = unless_spent(code)? else {
            continue;
        };
        // At worst, each byte is an instruction and a piece of its own.
        binary.elf.budget.look(16 * code.len() as u64)?;
        binary.elf.budget.keep(16 * code.len() as u64)?;
        let instructions = text::instructions(&code, carried.bits, (begin, end));
        let instructions: Vec<(u64, u64)> =
            instructions.map(|one| (one.ip(), one.next_ip())).collect();
        let ran = |(from, to): (u64, u64)| {
            executed
                .get(executed.partition_point(|&at| at < from))
                .is_some_and(|&at| at < to)
        };
        let (mut at, mut piece) = (begin, CarriedCode::default());
        let mut add = |at: u64, piece: CarriedCode| {
            let known = carried.code.entry(at).or_default();
            known.cold = known.cold.max(piece.cold);
            if known.bytes.is_empty() {
                (known.end, known.bytes) =
                    (at.saturating_add(piece.bytes.len() as u64), piece.bytes);
            }
        };
        for run in instructions.chunk_by(|&a, &b| ran(a) == ran(b)) {
            let (Some(&first), Some(&(_, last))) = (run.first(), run.last()) else {
                continue;
            };
            if ran(first) || run.len() < COLD {
                let bytes = code.get((first.0 - begin) as usize..(last - begin) as usize);
                piece.bytes.extend_from_slice(bytes.unwrap_or_default());
            } else {
                let next = CarriedCode {
                    cold: run.len() as u64,
                    ..CarriedCode::default()
                };
                add(
                    std::mem::replace(&mut at, last.min(end)),
                    std::mem::replace(&mut piece, next),
                );
            }
        }
        add(at, piece);
    }
    carried
        .code
        .retain(|_, piece| piece.cold > 0 || !piece.bytes.is_empty());
    Ok(())
}
