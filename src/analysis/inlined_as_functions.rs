//! Turns inlined functions of your code into functions.
//!
//! Each unit of self cost belongs to the innermost frame of your code on its stack, and an inlined
//! function is a frame, too. If chains of inlined functions are known, an instruction and its calls
//! are attributed to the innermost function of yours in its chain. It goes to the line of its code,
//! or to the line that called the library function whose code it is. Between the frames are calls
//! with a count of 0, because only their cost is known. The result is a profile like any other, for
//! [`super::own`] and all views.
//!
//! Instructions without a chain, and costs without addresses, stay where they are.

use super::{
    OwnCode,
    inlined::{chain_at, parts},
    own::subtract,
};
use crate::profile::{
    CallTable, ChainId, Costs, Function, FunctionId, Inlined, LineTable, NameId, Profile, Relaid,
    extend_with, is_free, without_hash,
};
use foldhash::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A line of a function.
pub(super) type FunctionLine = (FunctionId, NameId, u64);

/// For lines of your functions, the cost of each library function that is inlined there, by number.
pub(super) type LibraryLines = BTreeMap<FunctionLine, BTreeMap<u32, Vec<i64>>>;

/// What is known about inlined functions in addition to the resulting profile.
pub(super) struct InlinedFunctions {
    /// What is inlined into lines.
    pub under: LibraryLines,
    /// The number of places where each function of yours is inlined.
    pub places: BTreeMap<FunctionId, u64>,
    /// The number of functions that were called. The functions after them are inlined everywhere.
    pub called: usize,
}

/// The owner of the code with a chain.
struct ChainOwner {
    owner: FunctionId,
    /// The line in the owner; `None` is the line of the code itself.
    place: Option<(NameId, u64)>,
    /// The library function that is inlined there.
    under: Option<u32>,
    /// The calls between frames of your code, from the outer function inwards: caller, callee, and
    /// line.
    steps: Vec<(FunctionId, FunctionId, NameId, u64)>,
}

/// Turns inlined functions into functions.
struct Maker<'a> {
    code: &'a OwnCode<'a>,
    profile: &'a Profile,
    inlined: &'a Inlined,
    functions: Vec<Function>,
    self_costs: Costs,
    /// Functions by object, name and file.
    index: HashMap<(NameId, &'a [u8], NameId), FunctionId>,
    /// The function that each inlined one became, by object and number; `None` for library
    /// functions.
    known: HashMap<(NameId, u32), Option<FunctionId>>,
}

/// Moves costs and calls to the functions that they belong to. Returns `None` if chains are not
/// known.
pub(super) fn inlined_as_functions(
    profile: &Profile,
    code: &OwnCode<'_>,
) -> Option<(Relaid, InlinedFunctions)> {
    let (instructions, inlined) = parts(profile)?;
    let mut maker = Maker::new(profile, code, inlined);
    let (mut lines, mut calls) = (LineTable::default(), CallTable::default());
    let (mut under, mut places): (LibraryLines, BTreeMap<FunctionId, u64>) = Default::default();
    for id in profile.function_ids() {
        let mut frames: BTreeMap<ChainId, Option<ChainOwner>> = BTreeMap::new();
        let mut moved: BTreeMap<(NameId, u64), Vec<i64>> = BTreeMap::new();
        let at_places = instructions.places_of(id);
        for at in at_places.clone() {
            let Some((instruction, cost)) = instructions.instruction(at) else {
                continue;
            };
            let chain = inlined.chain_at(at);
            let Some(to) = frames
                .entry(chain)
                .or_insert_with(|| maker.frames(id, chain))
            else {
                continue;
            };
            for &step in &to.steps {
                calls.add(step, [0], cost.0);
            }
            let here = (instruction.file, instruction.line);
            let place = to.place.unwrap_or(here);
            if let Some(function) = to.under {
                let at_line = under.entry((to.owner, place.0, place.1)).or_default();
                extend_with(at_line.entry(function).or_default(), cost.0);
            }
            if to.owner != id {
                maker.self_costs.add(to.owner.0, cost.0);
            }
            if (to.owner, place) != (id, here) {
                lines.add(to.owner, place.0, place.1, cost.0);
                extend_with(moved.entry(here).or_default(), cost.0);
                if to.owner != id {
                    maker.take(id, cost.0);
                }
            }
        }
        for line in profile.lines_of(id) {
            let mut left = profile.line_cost(line).to_vec();
            if let Some(moved) = moved.get(&(line.file, line.line)) {
                subtract(&mut left, moved);
                if is_free(&left) {
                    continue;
                }
            }
            lines.add(id, line.file, line.line, &left);
        }
        // Only what was recorded for a call site can be moved away from it.
        let mut sites: BTreeMap<(FunctionId, NameId, u64), (u64, Vec<i64>)> = BTreeMap::new();
        for arc in profile.arcs_of(id) {
            for site in profile.sites(arc) {
                sites.insert(
                    (arc.callee, site.file, site.line),
                    (site.count, profile.site_cost(site).to_vec()),
                );
            }
        }
        for (call, count, cost) in instructions.calls_of(id) {
            let chain = chain_at(instructions, inlined, at_places.clone(), call.address);
            let Some(to) = frames
                .entry(chain)
                .or_insert_with(|| maker.frames(id, chain))
            else {
                continue;
            };
            let Some(site) = sites
                .get_mut(&(call.callee, call.file, call.line))
                .filter(|site| site.0 >= count)
            else {
                continue;
            };
            let (file, line) = to.place.unwrap_or((call.file, call.line));
            for &step in &to.steps {
                calls.add(step, [0], cost.0);
            }
            site.0 -= count;
            subtract(&mut site.1, cost.0);
            calls.add((to.owner, call.callee, file, line), [count], cost.0);
        }
        for ((callee, file, line), (count, cost)) in sites {
            let is_moved = count == 0 && is_free(&cost);
            if !is_moved {
                calls.add((id, callee, file, line), [count], &cost);
            }
        }
        maker.count_places(id, frames.keys(), &mut places);
    }
    let (lines, line_costs) = lines.finish();
    let called = profile.functions.len();
    let Maker {
        functions,
        self_costs,
        ..
    } = maker;
    Some((
        Relaid {
            functions,
            self_costs,
            lines,
            line_costs,
            calls,
        },
        InlinedFunctions {
            under,
            places,
            called,
        },
    ))
}

impl<'a> Maker<'a> {
    fn new(profile: &'a Profile, code: &'a OwnCode<'a>, inlined: &'a Inlined) -> Maker<'a> {
        let mut functions = profile.functions.clone();
        let (mut self_costs, mut index) = (Costs::default(), HashMap::default());
        for id in profile.function_ids() {
            let row = self_costs.push();
            self_costs.add(row, profile.self_cost(id));
            let function = &mut functions[id.index()];
            if let Some(&name) = inlined.names.get(&id) {
                function.name = name;
            }
            index
                .entry((
                    function.object,
                    without_hash(profile.name(function.name)),
                    function.file,
                ))
                .or_insert(id);
        }
        Maker {
            code,
            profile,
            inlined,
            functions,
            self_costs,
            index,
            known: HashMap::default(),
        }
    }

    /// Subtracts cost from a function.
    fn take(&mut self, id: FunctionId, cost: &[i64]) {
        let mut left = self.self_costs.row(id.0).to_vec();
        subtract(&mut left, cost);
        self.self_costs.set(id.0, &left);
    }

    /// The function of yours that an inlined function is, whether it is also called or not; `None`
    /// for a library function.
    fn function(&mut self, object: NameId, number: u32) -> Option<FunctionId> {
        if let Some(&known) = self.known.get(&(object, number)) {
            return known;
        }
        let found = self.inlined.functions.get_index(number as usize).copied();
        let own = found.filter(|inlined| {
            // What the compiler wrote belongs to the line that uses it.
            !inlined.is_generated
                && self
                    .code
                    .has_inlined(object, self.profile.name(inlined.name), inlined.file)
        });
        let id = own.map(|inlined| {
            let key = (
                object,
                without_hash(self.profile.name(inlined.name)),
                inlined.file,
            );
            *self.index.entry(key).or_insert_with(|| {
                let (file, name) = (inlined.file, inlined.name);
                self.functions.push(Function {
                    object,
                    file,
                    name,
                    recorded: true,
                });
                FunctionId(self.self_costs.push())
            })
        });
        self.known.insert((object, number), id);
        id
    }

    /// The owner of a function's code with a chain; `None` if that is the function itself.
    fn frames(&mut self, id: FunctionId, chain: ChainId) -> Option<ChainOwner> {
        let inlined = self.inlined;
        let mut links: Vec<_> = inlined.inwards_out(chain).collect();
        links.reverse();
        let object = self.profile.function(id).object;
        let (mut owner, mut inside) = (id, 0);
        let mut is_own = self.code.has(id);
        let mut steps = Vec::new();
        for (at, link) in links.iter().enumerate() {
            let Some(function) = self.function(object, link.function) else {
                continue;
            };
            // The call to it leaves its caller where the first function inside the caller is
            // called.
            let from = links[inside];
            if function != owner {
                steps.push((owner, function, from.file, from.line));
            }
            (owner, inside, is_own) = (function, at + 1, true);
        }
        let next = links.get(inside).filter(|_| is_own);
        if !is_own || (next.is_none() && owner == id) {
            return None;
        }
        let place = next.map(|link| (link.file, link.line));
        Some(ChainOwner {
            owner,
            place,
            under: next.map(|link| link.function),
            steps,
        })
    }

    /// Counts the places in one function where functions of yours are inlined.
    fn count_places<'c>(
        &self,
        id: FunctionId,
        chains: impl Iterator<Item = &'c ChainId>,
        places: &mut BTreeMap<FunctionId, u64>,
    ) {
        let object = self.profile.function(id).object;
        let mut seen: BTreeSet<ChainId> = BTreeSet::new();
        for &chain in chains {
            let mut at = chain;
            while let Some(link) = self.inlined.link(at) {
                if !seen.insert(at) {
                    break;
                }
                if let Some(&Some(function)) = self.known.get(&(object, link.function)) {
                    *places.entry(function).or_default() += 1;
                }
                at = link.outer;
            }
        }
    }
}
