//! Finds inlined functions where no instruction addresses were recorded. The cost of a function at
//! a line belongs to the inlined function that has all of the function's code at this line. If
//! several have some of it, the owner is not known.
//!
//! The functions of a profile are found in the binary by their names. Functions with a name or an
//! address in common can have the same code: recursion levels, contexts, aliases, static functions
//! of several files. A function without a symbol can have any code of the object.
//!
//! For whoever changes this: what is looked up may be more than a function's code, but never less.
//! With less, a line could be attributed to an inlined function that has only a part of its code.

use super::{
    Budget, Where, apart,
    budget::Spent,
    debug,
    elf::{Elf, Symbol, Symbols, Trouble, unless_spent},
    files,
    find::Binary,
    inlined_function, judge, names,
    walk::{Found, NONE},
};
use crate::profile::{
    FunctionId, Inlined, InlinedFunction, Line, NameId, Names, Profile,
    callers::pieces,
    inlined::{Debug, LineOwner, State},
    without_hash,
};
use std::{
    collections::{BTreeMap, HashMap},
    iter,
    sync::Arc,
};

/// Memory for an address, and the steps of looking it up once its debug information is known.
const ADDRESS: u64 = 24;
const LOOKING: u64 = 60;

/// Functions with code in common, by the number of one of their names.
type CodeGroup = u32;

/// Where a piece of code begins and ends, and its group.
type CodeRange = (u64, u64, CodeGroup);

/// The group of functions that can have any code.
const ANY: CodeGroup = 0;

/// A line of a group's code. A line that is not known has no file.
type LinePlace = (CodeGroup, Option<NameId>, u64);

/// The owner of each recorded line, as far as it is known.
type Innermost = HashMap<LinePlace, Option<LineOwner>>;

/// Finds out which inlined functions the lines of a profile belong to.
pub fn find_inlined_by_line(profile: &mut Profile, place: &Where) {
    let mut inlined = Inlined::new(0);
    let mut names = Arc::clone(&profile.names);
    let all = Arc::make_mut(&mut names);
    let mut objects: BTreeMap<Vec<u8>, (NameId, Vec<FunctionId>)> = BTreeMap::new();
    for id in profile
        .function_ids()
        .filter(|&id| !profile.lines_of(id).is_empty())
    {
        let object = profile.function(id).object;
        if !matches!(profile.name(object), b"" | b"???") {
            objects
                .entry(profile.name(object).to_vec())
                .or_insert_with(|| (object, Vec::new()))
                .1
                .push(id);
        }
    }
    let mut owners: HashMap<u32, LineOwner> = HashMap::new();
    for (name, (object, functions)) in objects {
        place.budget.begin();
        let mut debug = Debug::new(object);
        match ask(
            profile,
            &name,
            &functions,
            place,
            &mut debug,
            (&mut inlined, all),
        ) {
            Err(why) => debug.why = why.to_string(),
            Ok(known) => owners.extend(known),
        }
        inlined.debug.push(debug);
    }
    inlined.by_line = Some(owners);
    profile.names = names;
    profile.inlined = Some(Arc::new(inlined));
}

/// Asks the debug information of one object, if it is of the program that ran, for each row's
/// owner.
fn ask(
    profile: &Profile,
    name: &[u8],
    functions: &[FunctionId],
    place: &Where,
    debug: &mut Debug,
    (inlined, all): (&mut Inlined, &mut Names),
) -> Result<Vec<(u32, LineOwner)>, Trouble> {
    let binary = place.binary_or_first(name, Elf::has_debug_information)?;
    debug.found = Some(binary.debug().path.clone());
    if !binary.debug().has_debug_information() {
        return Err(place.missing("no debug information was found"));
    }
    let code = SharedCode::new(profile, functions, &binary, &place.budget)?;
    let mut found = debug::find(place, &binary, &code.addresses)?;
    let lines = || functions.iter().flat_map(|&id| profile.lines_of(id));
    let files = files(all, lines().map(|line| line.file), &found, &place.budget)?;
    let mut innermost: Innermost = lines()
        .filter_map(|line| Some((code.place(line)?, None)))
        .collect();
    // Addresses at lines that were not recorded must not distinguish functions.
    for at in 0..found.of.len() {
        if !code
            .places(&found, &files, at)
            .any(|place| innermost.contains_key(&place))
        {
            found.of[at] = NONE;
        }
    }
    apart::tell_apart(&mut found, &files, &place.budget)?;
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    for (at, &node) in found.of.iter().enumerate() {
        for place in code.places(&found, &files, at) {
            let Some(owner) = innermost.get_mut(&place) else {
                continue;
            };
            let one = match found.inlined(node) {
                None => LineOwner::Function,
                Some(node) => {
                    let number = || {
                        // Instances of one function count as one.
                        inlined.function(InlinedFunction {
                            symbol: NameId::EMPTY,
                            ..inlined_function(&found, node.origin, &files, all)
                        })
                    };
                    LineOwner::Inlined(*numbers.entry(node.origin).or_insert_with(number))
                }
            };
            *owner = match *owner {
                Some(have) if have != one => Some(LineOwner::Several),
                _ => Some(one),
            };
        }
    }
    // Without addresses, only the lines show whether this is the binary that ran.
    let (mut whole, mut there) = (0u128, 0u128);
    let mut known = Vec::new();
    for line in lines() {
        // Code that was not looked up may belong to several.
        let owner = match code.place(line) {
            Some(place) => innermost.get(&place).copied().flatten(),
            None => Some(LineOwner::Several).filter(|_| line.line > 0),
        };
        known.extend(owner.map(|owner| (line.row, owner)));
        if line.line > 0 {
            let cost = u128::from(profile.line_counts(line).size());
            whole += cost;
            if owner.is_some() {
                there += cost;
            }
        }
    }
    if there * 100 < whole * 99 && !place.force {
        debug.state = State::OtherBinary;
        let share = judge::share(there, whole);
        return Err(Trouble::new(format!(
            "it is not the binary that ran: only {share} of its cost is on lines that it has"
        )));
    }
    debug.state = State::Used;
    if code.skipped > 0 {
        debug.why = format!(
            "the code of {} of its functions was skipped: reading it would take more work than its \
             size allows",
            code.skipped
        );
    }
    Ok(known)
}

/// The code that functions can have.
struct SharedCode {
    /// Sorted.
    addresses: Vec<u64>,
    /// The group of each address; [`ANY`] if no function has the name of its symbol.
    of: Vec<CodeGroup>,
    groups: HashMap<FunctionId, CodeGroup>,
    /// The number of functions with too much code to look up.
    skipped: usize,
}

impl SharedCode {
    fn new(
        profile: &Profile,
        functions: &[FunctionId],
        binary: &Binary,
        budget: &Budget,
    ) -> Result<SharedCode, Trouble> {
        let mut keys: HashMap<Vec<u8>, CodeGroup> = HashMap::new();
        let mut groups: HashMap<FunctionId, CodeGroup> = HashMap::new();
        for &id in functions {
            let name = profile.function_name(id).text();
            // The profile is input, too.
            budget.earn(name.len() as u64);
            let next = keys.len() as u32 + 1;
            let key = key(pieces(&name)[0], budget)?;
            groups.insert(id, *keys.entry(key).or_insert(next));
        }
        // A stripped library still has the names of its exports, and its debug file has all names.
        let mut tables: Vec<Symbols> = Vec::new();
        for elf in iter::once(&binary.elf).chain(&binary.debug) {
            tables.extend(unless_spent(elf.symbols())?);
        }
        let named = |symbols: &Symbols, symbol: &Symbol| {
            let group = keys.get(&key(symbols.name(symbol), budget)?);
            let (begin, end) = symbol.extent();
            Ok(group.map(|&group| (begin, end, group)))
        };
        let all = tables.iter().flat_map(|table| {
            table
                .all
                .iter()
                .chain(&table.aliases)
                .map(move |one| (table, one))
        });
        let each = all.filter_map(|(table, one)| named(table, one).transpose());
        let mut symbols = each.collect::<Result<Vec<CodeRange>, Spent>>()?;
        symbols.retain(|&(begin, end, _)| begin < end);
        symbols.sort_unstable();
        let (mut ranges, mut parents) = merged(symbols, keys.len());
        let mut root = |group| first(&mut parents, group);
        // Reading the code first earns the budget that looking it up costs, if the file really has
        // it.
        let pays = |begin: u64, end: u64| {
            let _ = binary.elf.code(begin, end - begin);
            let fits = (end - begin)
                .checked_mul(LOOKING)
                .is_some_and(|steps| budget.look(steps).is_ok());
            fits && budget.make(ADDRESS * (end - begin)).is_ok()
        };
        let mut is_whole: HashMap<CodeGroup, bool> = HashMap::new();
        ranges.retain(|&(begin, end, group)| {
            let fits = pays(begin, end);
            *is_whole.entry(group).or_insert(true) &= fits;
            fits
        });
        let sections = binary
            .elf
            .sections
            .iter()
            .filter(|section| section.is_code());
        let mut spans: Vec<(u64, u64)> = sections
            .map(|section| (section.address, section.end()))
            .collect();
        spans.sort_unstable();
        let mut is_any = None;
        let mut skipped = 0;
        groups.retain(|&id, group| {
            *group = root(*group);
            let whole = is_whole.get(group);
            if whole.is_some() || !profile.lines_of(id).iter().any(|line| line.line > 0) {
                skipped += usize::from(whole == Some(&false));
                return whole == Some(&true);
            }
            let fits =
                *is_any.get_or_insert_with(|| spans.iter().all(|&(begin, end)| pays(begin, end)));
            skipped += usize::from(!fits);
            *group = ANY;
            fits
        });
        if is_any != Some(true) {
            spans = ranges.iter().map(|&(begin, end, _)| (begin, end)).collect();
        }
        let (mut addresses, mut of) = (Vec::new(), Vec::new());
        let mut ranges = ranges.into_iter().peekable();
        for (begin, end) in spans {
            let begin = addresses
                .last()
                .map_or(begin, |&last: &u64| begin.max(last.saturating_add(1)));
            for address in begin..end {
                while ranges.next_if(|range| range.1 <= address).is_some() {}
                addresses.push(address);
                of.push(
                    ranges
                        .peek()
                        .filter(|range| range.0 <= address)
                        .map_or(ANY, |range| range.2),
                );
            }
        }
        Ok(SharedCode {
            addresses,
            of,
            groups,
            skipped,
        })
    }

    /// The place of a recorded line; `None` if the code of its function is not known.
    fn place(&self, line: &Line) -> Option<LinePlace> {
        Some((
            *self.groups.get(&line.function)?,
            Some(line.file).filter(|_| line.line > 0),
            line.line,
        ))
    }

    /// The places at which an address may have been recorded.
    fn places(
        &self,
        found: &Found,
        files: &[NameId],
        at: usize,
    ) -> impl Iterator<Item = LinePlace> + use<> {
        let (file, line) = found.lines[at];
        // A line that is not known has no file.
        let known =
            [file, found.recorded[at]].map(|file| Some(files[file as usize]).filter(|_| line > 0));
        [ANY, self.of[at]]
            .into_iter()
            .flat_map(move |group| known.map(|file| (group, file, u64::from(line))))
    }
}

/// Merges overlapping ranges into one, and the functions of all their names into one group. Also
/// returns the parents of all groups, for [`first`].
fn merged(symbols: Vec<CodeRange>, groups: usize) -> (Vec<CodeRange>, Vec<CodeGroup>) {
    let mut ranges: Vec<CodeRange> = Vec::new();
    let mut parents: Vec<CodeGroup> = (0..=groups as u32).collect();
    for (begin, end, group) in symbols {
        match ranges.last_mut().filter(|last| begin < last.1) {
            Some(last) => {
                last.1 = last.1.max(end);
                let (a, b) = (first(&mut parents, last.2), first(&mut parents, group));
                parents[a.max(b) as usize] = a.min(b);
            }
            None => ranges.push((begin, end, group)),
        }
    }
    ranges
        .iter_mut()
        .for_each(|range| range.2 = first(&mut parents, range.2));
    (ranges, parents)
}

/// The first of the groups that were merged with one.
fn first(parents: &mut [CodeGroup], mut group: CodeGroup) -> CodeGroup {
    while parents[group as usize] != group {
        parents[group as usize] = parents[parents[group as usize] as usize];
        group = parents[group as usize];
    }
    group
}

/// What a function's name and its symbol have in common, whoever demangled them: no version, no
/// clone suffix, no hash, no blanks. The unlikely part of a function has a symbol of its own
/// (`f.cold`); jumps between the two do not leave the function.
fn key(name: &[u8], budget: &Budget) -> Result<Vec<u8>, Spent> {
    let name = name
        .split(|&b| b == b'@')
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or(name);
    budget.look(32 + name.len() as u64)?;
    let known = names::demangled(name, budget)?;
    let name = known.as_deref().unwrap_or(name);
    let end = [&b" [clone "[..], b".cold"]
        .iter()
        .filter_map(|sign| memchr::memmem::find(name, sign))
        .min();
    let name = end.filter(|&at| at > 0).map_or(name, |at| &name[..at]);
    Ok(without_hash(name)
        .iter()
        .copied()
        .filter(|&b| b != b' ')
        .collect())
}
