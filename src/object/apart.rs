//! Gives different names to different functions. Where one file has several functions of one name,
//! this adds what distinguishes them. A name that occurs once stays as it is, so that it is the
//! same in other builds.
//!
//! Entries that debug information declares at one place of one file are one function, in however
//! many units. Line tables lack both linkage names and places of declarations. There, the lines of
//! the code decide: entries whose lines overlap are one function. Two kinds of entries stay apart.
//! One is inlined into the other, like a closure into the function around it. Or both are in one
//! unit, and the compiler makes one entry per function.
//!
//! For whoever changes this: comparisons match functions of two builds by these names. So a choice
//! should depend on places in the source, not on addresses or the order of units. Each entry is
//! compared with at most [`MOST_BEFORE`] functions: all with all would take quadratic time.

use super::{
    Budget,
    budget::Spent,
    dwarf::Die,
    names::{LineAndColumn, NameOrigin},
    walk::{Found, NONE},
};
use crate::profile::NameId;
use std::collections::{BTreeMap, HashMap, HashSet};

/// An entry is compared with at most this many functions that begin before it.
const MOST_BEFORE: usize = 16;

/// At most this many functions around one are searched for others of its name.
const MOST_AROUND: usize = 64;

/// The entries of one function.
struct SameFunction {
    /// Where it begins, and its last line.
    first: LineAndColumn,
    last: u32,
    is_declared: bool,
    units: HashSet<Die>,
    /// Whether nothing distinguishes its entries, though they may be several functions.
    is_several: bool,
    members: Vec<usize>,
}

/// Renames the functions. `files` has equal names for files that the profile knows as one.
pub(super) fn tell_apart(
    found: &mut Found,
    files: &[NameId],
    budget: &Budget,
) -> Result<(), Spent> {
    // Sorting compares the names, twice.
    let steps = u64::from(found.origins.len().max(1).ilog2() + 1);
    for origin in &found.origins {
        budget.look(200 + steps * (8 + origin.name.len() as u64 / 16))?;
    }
    find_files(found);
    for all in by_name(&found.origins, files) {
        let mut numbered = all.iter().map(|&at| &found.origins[at].numbered);
        let first = numbered.next();
        if numbered.any(|other| Some(other) != first) {
            for at in all {
                let origin = &mut found.origins[at];
                if !origin.numbered.is_empty() {
                    origin.name = std::mem::take(&mut origin.numbered);
                }
            }
        }
    }
    let mut is_inlined = vec![false; found.origins.len()];
    for node in found.nodes.iter().filter(|node| node.parent != NONE) {
        is_inlined[node.origin as usize] = true;
    }
    let places = places(found, files);
    let mut groups = by_name(&found.origins, files);
    // Line tables have one more entry for a function that was also called.
    groups
        .iter_mut()
        .for_each(|all| all.retain(|&at| is_inlined[at] || is_declared(&found.origins[at])));
    groups.retain(|all| all.len() > 1);
    let around = around(found, &groups, budget)?;
    for mut all in groups {
        all.sort_by_key(|&at| places[at]);
        let functions = functions(&all, &found.origins, &places, &around);
        let mut lines: HashMap<u32, u32> = HashMap::new();
        let mut begin: HashMap<LineAndColumn, u32> = HashMap::new();
        for one in &functions {
            *lines.entry(one.first.0).or_default() += 1;
            *begin.entry(one.first).or_default() += 1;
        }
        for one in &functions {
            let (line, column) = one.first;
            let is_several = one.is_several || begin.get(&one.first) > Some(&1);
            let note = match (lines.len() > 1, is_several) {
                (false, false) if functions.len() == 1 => continue,
                (_, _) if line == 0 => " (line unknown)".to_owned(),
                (false, true) => " (several functions)".to_owned(),
                (_, true) => format!(" (several at line {line})"),
                (_, false) if lines.get(&line) > Some(&1) => format!(" (line {line}:{column})"),
                (_, false) => format!(" (line {line})"),
            };
            for &at in &one.members {
                found.origins[at].name.extend_from_slice(note.as_bytes());
            }
        }
    }
    Ok(())
}

/// Whether debug information says which function it is.
fn is_declared(origin: &NameOrigin) -> bool {
    !origin.symbol.is_empty() || origin.place.0 != 0
}

/// The entries of each name and file that has several.
fn by_name(origins: &[NameOrigin], files: &[NameId]) -> Vec<Vec<usize>> {
    let mut all: BTreeMap<(&[u8], NameId), Vec<usize>> = BTreeMap::new();
    for (at, origin) in origins.iter().enumerate() {
        all.entry((&origin.name, files[origin.file as usize]))
            .or_default()
            .push(at);
    }
    all.into_values().filter(|all| all.len() > 1).collect()
}

/// The functions that the entries of one name and file belong to. The entries are sorted by place.
fn functions(
    all: &[usize],
    origins: &[NameOrigin],
    places: &[(LineAndColumn, u32)],
    around: &HashMap<usize, HashSet<usize>>,
) -> Vec<SameFunction> {
    let mut functions: Vec<SameFunction> = Vec::new();
    let mut known: HashMap<usize, usize> = HashMap::new();
    for &at in all {
        let (origin, (first, last)) = (&origins[at], places[at]);
        let is_declared = is_declared(origin);
        let others: HashSet<usize> = around
            .get(&at)
            .into_iter()
            .flatten()
            .filter_map(|other| known.get(other))
            .copied()
            .collect();
        let is_it = |&(number, one): &(usize, &SameFunction)| match (one.is_declared, is_declared) {
            (true, true) => one.first == first,
            (false, false) => {
                let is_other = others.contains(&number)
                    || origin.unit.is_some_and(|unit| one.units.contains(&unit));
                one.last >= first.0 && !is_other
            }
            _ => false,
        };
        let before = functions.len().saturating_sub(MOST_BEFORE);
        let fits = functions.iter().enumerate().skip(before).filter(is_it);
        let best =
            fits.max_by_key(|(number, one)| (one.first == first, one.first.0 == first.0, *number));
        let number = best.map_or(functions.len(), |(number, _)| number);
        if number == functions.len() {
            let (units, members) = (HashSet::new(), Vec::new());
            functions.push(SameFunction {
                first,
                last,
                is_declared,
                units,
                is_several: false,
                members,
            });
        }
        let one = &mut functions[number];
        let is_again = origin.unit.is_some_and(|unit| !one.units.insert(unit));
        one.is_several |=
            origin.symbol.is_empty() && (is_again || (first.0 == 0 && !one.members.is_empty()));
        one.last = one.last.max(last);
        one.members.push(at);
        known.insert(at, number);
    }
    functions
}

/// For entries of line tables: the entries of the same name and file around or inside each.
fn around(
    found: &Found,
    groups: &[Vec<usize>],
    budget: &Budget,
) -> Result<HashMap<usize, HashSet<usize>>, Spent> {
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for (group, all) in groups.iter().enumerate() {
        group_of.extend(
            all.iter()
                .filter(|&&at| !is_declared(&found.origins[at]))
                .map(|&at| (at, group)),
        );
    }
    let mut around: HashMap<usize, HashSet<usize>> = HashMap::new();
    for node in &found.nodes {
        let at = node.origin as usize;
        let Some(group) = group_of.get(&at) else {
            continue;
        };
        let above = std::iter::successors(found.nodes.get(node.parent as usize), |n| {
            found.nodes.get(n.parent as usize)
        });
        for other in above.take(MOST_AROUND).map(|node| node.origin as usize) {
            budget.look(8)?;
            if other != at && group_of.get(&other) == Some(group) {
                budget.look(40)?;
                let is_new = around.entry(at).or_default().insert(other);
                budget.make(if is_new { 128 } else { 0 })?;
                around.entry(other).or_default().insert(at);
            }
        }
    }
    Ok(around)
}

/// Finds the file of each function without a declared one: the file with most of its code. A call
/// of an inlined function is code of the caller.
fn find_files(found: &mut Found) {
    let mut votes: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut code = vec![0u64; found.nodes.len()];
    for (&node, &(file, _)) in found.of.iter().zip(&found.lines) {
        let Some(innermost) = found.nodes.get(node as usize) else {
            continue;
        };
        code[node as usize] += 1;
        *votes.entry((innermost.origin, file)).or_default() += 1;
    }
    // A parent comes before its children.
    for (at, node) in found.nodes.iter().enumerate().rev() {
        if let Some(outer) = found.nodes.get(node.parent as usize) {
            *votes.entry((outer.origin, node.call.0)).or_default() += code[at];
            code[node.parent as usize] += code[at];
        }
    }
    let mut best: HashMap<u32, (u64, u32)> = HashMap::new();
    for ((origin, file), votes) in votes.into_iter().filter(|&((_, file), _)| file != 0) {
        let most = best.entry(origin).or_default();
        if votes > most.0 {
            *most = (votes, file);
        }
    }
    for (at, origin) in (0u32..).zip(&mut found.origins) {
        if origin.file == 0 {
            origin.file = best.get(&at).map_or(0, |&(_, file)| file);
        }
    }
}

/// Where each function begins in its file, and its last line. Without a declaration, its code and
/// its calls of inlined functions decide.
fn places(found: &Found, files: &[NameId]) -> Vec<(LineAndColumn, u32)> {
    let mut all: Vec<(LineAndColumn, u32)> = found
        .origins
        .iter()
        .map(|origin| (origin.place, origin.place.0))
        .collect();
    let mut add = |at: u32, (file, line): (u32, u32), column: u32| {
        let origin = &found.origins[at as usize];
        let is_here = files[file as usize] == files[origin.file as usize];
        if line > 0 && !is_declared(origin) && is_here {
            let (first, last) = &mut all[at as usize];
            *first = if *last == 0 {
                (line, column)
            } else {
                (*first).min((line, column))
            };
            *last = (*last).max(line);
        }
    };
    for ((&node, &place), &column) in found.of.iter().zip(&found.lines).zip(&found.columns) {
        if let Some(innermost) = found.nodes.get(node as usize) {
            add(innermost.origin, place, column);
        }
    }
    for node in &found.nodes {
        if let Some(outer) = found.nodes.get(node.parent as usize) {
            add(outer.origin, node.call, node.column);
        }
    }
    all
}
