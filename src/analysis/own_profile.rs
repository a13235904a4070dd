//! A profile of your code alone: attributed costs replace self costs, so that every view, table and
//! format shows them. Bounds of estimates are kept separately.

use super::{
    Estimate, Own, OwnCode, Set,
    beginnings::{TENTH, beginnings},
    inlined::parts,
    inlined_as_functions::{InlinedFunctions, inlined_as_functions},
    own::subtract,
    own_code::ProgramPlaces,
    own_lines::{LibraryCode, OwnLines, add_library},
    webgrind::first_line,
};
use crate::profile::{
    CallTable, Event, Folded, Function, FunctionId, InlinedFunction, Line, NameId, Profile, Relaid,
    StatedCosts, inlined::State,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The percentage of the totals above which cost outside your code causes a note.
const QUARTER: f64 = 25.0;

/// The cost that is not attributed to your code.
#[derive(Clone, PartialEq, Debug)]
pub struct OutsideCost<'f> {
    /// Its percentage of the totals.
    pub share: f64,
    /// The library functions in which at least a tenth of it begins, most expensive first.
    pub begins: Vec<OutsideStart<'f>>,
}

/// A function in which cost outside your code begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OutsideStart<'f> {
    /// The function.
    pub name: &'f [u8],
    /// Its object; empty if unknown.
    pub object: &'f [u8],
    /// The percentage of the totals that begins there.
    pub share: f64,
}

/// What is known about a profile of your code in addition to its costs.
pub struct Folds {
    /// The set as one line of text.
    pub said: String,
    /// The number of functions that are yours.
    pub count: usize,
    rest: Vec<i64>,
    /// Where that cost begins, if it is large: function, object and cost.
    begins: Vec<([Vec<u8>; 2], Vec<i64>)>,
    /// The row of the cost that is not attributed to your code, if there is any.
    pub(crate) rest_row: Option<FunctionId>,
    /// The lower and upper bounds of estimates.
    bounds: HashMap<FunctionId, [Vec<i64>; 2]>,
    /// The library code below each line, by the line's row.
    below: HashMap<u32, LibraryCode>,
    /// The rows that are not real lines but code inlined from library files.
    inlined: HashSet<u32>,
    /// Inlined functions, if their chains are known: the number of places, and how else they run.
    functions: Option<HashMap<FunctionId, (u64, Reach)>>,
}

/// How the code of a function is reached.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reach {
    /// It is called, and not known to be inlined.
    #[default]
    Called,
    /// It is inlined wherever it runs.
    Inlined,
    /// It is called in some places and inlined in others.
    CalledAndInlined,
}

impl Reach {
    /// How the code of a function is reached, if it is in a profile of your code.
    pub(crate) fn new(folds: Option<&Folds>, id: FunctionId) -> Reach {
        let inlined = folds.and_then(|folds| folds.inlined(id));
        inlined.map_or(Reach::Called, |&(_, reach)| reach)
    }

    /// The text after a function's name in a list; empty if it is called.
    pub fn words(self) -> &'static str {
        match self {
            Reach::Called => "",
            Reach::Inlined => " (inlined)",
            Reach::CalledAndInlined => " (called and inlined)",
        }
    }

    /// The number of calls of such code. `None` if it is only inlined, because nobody counts that.
    pub fn counted(self, calls: u64) -> Option<u64> {
        Some(calls).filter(|&calls| calls > 0 || self == Reach::Called)
    }
}

/// Which calls between your functions are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Between {
    /// None.
    Nothing,
    /// All known calls.
    Calls,
}

/// A profile in which inlined functions of yours are functions like others, if inlined code is
/// known.
pub struct WithInlined {
    /// The profile. The functions of the original profile keep their ids; those that are only
    /// inlined follow.
    pub profile: Profile,
    program: ProgramPlaces,
    chains: Option<InlinedFunctions>,
}

impl WithInlined {
    /// Attributes the cost of inlined code to your function: to the inlined function if it is
    /// yours, else to the one that it was inlined into.
    pub fn new(profile: Profile, set: &Set) -> WithInlined {
        WithInlined::from_chains(&profile, set).unwrap_or_else(|| WithInlined {
            program: ProgramPlaces::new(&profile, set),
            profile,
            chains: None,
        })
    }

    /// Like [`new`](Self::new), if chains of inlined functions are known.
    pub(crate) fn from_chains(profile: &Profile, set: &Set) -> Option<WithInlined> {
        parts(profile)?;
        let program = ProgramPlaces::new(profile, set);
        let code = OwnCode::with_program(profile, set, program.clone());
        let (relaid, chains) = inlined_as_functions(profile, &code)?;
        Some(WithInlined {
            profile: profile.relaid(relaid),
            program,
            chains: Some(chains),
        })
    }

    /// Your code in this profile, with inlined functions.
    pub fn code<'a>(&'a self, set: &'a Set) -> OwnCode<'a> {
        OwnCode::with_program(&self.profile, set, self.program.clone())
    }

    /// The own costs of lines.
    pub fn own_lines(&self, code: &OwnCode<'_>, own: &Own) -> OwnLines {
        let mut lines = OwnLines::new(&self.profile, code, own);
        if let (Some(chains), Some(known)) = (&self.chains, &self.profile.inlined) {
            for line in &lines.lines {
                let under = chains.under.get(&(line.function, line.file, line.line));
                for (&number, cost) in under.into_iter().flatten() {
                    let InlinedFunction { name, file, .. } = known.functions[number as usize];
                    let function = Function {
                        object: NameId::EMPTY,
                        file,
                        name,
                        recorded: false,
                    };
                    add_library(lines.below.entry(line.row).or_default(), function, 0, cost);
                }
            }
        }
        lines
    }

    /// The functions that are inlined wherever they run.
    pub fn only_inlined(&self) -> impl Iterator<Item = FunctionId> {
        let called = self
            .chains
            .as_ref()
            .map_or(usize::MAX, |chains| chains.called);
        self.profile
            .function_ids()
            .filter(move |id| id.index() >= called)
    }

    /// The functions that are inlined somewhere.
    pub fn inlined(&self) -> impl Iterator<Item = FunctionId> {
        self.chains
            .iter()
            .flat_map(|chains| chains.places.keys().copied())
    }

    /// The number of places where a function is inlined; `None` if it is unknown for all functions.
    pub fn places(&self, id: FunctionId) -> Option<u64> {
        self.chains
            .as_ref()
            .map(|chains| chains.places.get(&id).copied().unwrap_or(0))
    }
}

/// Whether the code that is inlined into your functions is known. Two runs can only be compared if
/// it is known for both.
pub fn tells_inlined(profile: &Profile, set: &Set) -> bool {
    let Some((_, inlined)) = parts(profile) else {
        return false;
    };
    let code = OwnCode::new(profile, set);
    profile.function_ids().any(|id| {
        let object = profile.function(id).object;
        let mut all = inlined.debug.iter();
        code.has(id) && all.any(|debug| debug.object == object && debug.state == State::Used)
    })
}

impl Folds {
    /// Attributes library code to its callers. Needs the arcs, and the call sites for lines. If
    /// inlined code is known, inlined functions of yours become functions like others. `strip` is
    /// removed from file names after the decision which code is yours.
    pub fn new(profile: Profile, set: &Set, between: Between, strip: &[u8]) -> (Profile, Folds) {
        let with_inlined = WithInlined::new(profile, set);
        let code = with_inlined.code(set);
        let profile = &with_inlined.profile;
        let mut own = Own::new(profile, &code);
        let kept: Vec<bool> = profile.function_ids().map(|id| code.has(id)).collect();
        let OwnLines {
            lines,
            costs: line_costs,
            below,
            inlined,
            ..
        } = if profile.lines.is_empty() {
            OwnLines::default()
        } else {
            with_inlined.own_lines(&code, &own)
        };
        let (calls, called) = match between {
            Between::Nothing => Default::default(),
            Between::Calls => (calls(profile, &code, &own), called(profile, &code)),
        };
        let (said, count) = (code.said(), code.count());
        let begins = if is_much(&own.rest, profile) {
            beginnings(profile, &own)
        } else {
            Vec::new()
        };
        let named = |(id, row): (FunctionId, Vec<i64>)| {
            let function = profile.function(id);
            (
                [function.name, function.object].map(|name| profile.name(name).to_vec()),
                row,
            )
        };
        let begins = begins.into_iter().map(named).collect();
        let rest = (set.rest(), &own.rest[..]);
        let folded = Folded {
            kept: &kept,
            costs: Relaid {
                functions: profile.functions.clone(),
                self_costs: std::mem::take(&mut own.values),
                lines,
                line_costs,
                calls,
            },
            strip,
            rest,
        };
        let (mut profile, ids) = with_inlined.profile.folded(folded);
        if !called.is_empty() {
            let mut stated = StatedCosts::default();
            for (&id, &count) in &called {
                let Some(id) = ids[id.index()] else { continue };
                stated.add(id, &[], count, first_line(&profile, id));
            }
            profile.stated = Some(stated);
        }
        let rest_row = profile.function_ids().nth(count);
        let new = |(id, bounds): (Option<FunctionId>, &[Vec<i64>; 2])| {
            let id = id.map_or(rest_row, |id| ids[id.index()])?;
            Some((id, bounds.clone()))
        };
        let bounds = own.estimated().filter_map(new).collect();
        let functions = with_inlined.chains.map(|chains| {
            let known = |(id, places): (FunctionId, u64)| {
                let reach = if id.index() < chains.called {
                    Reach::CalledAndInlined
                } else {
                    Reach::Inlined
                };
                Some((ids[id.index()]?, (places, reach)))
            };
            chains.places.into_iter().filter_map(known).collect()
        });
        (
            profile,
            Folds {
                said,
                count,
                rest: own.rest,
                begins,
                rest_row,
                bounds,
                below,
                inlined,
                functions,
            },
        )
    }

    /// The number of places where a function is inlined; `None` if it is unknown for all functions.
    pub fn places(&self, id: FunctionId) -> Option<u64> {
        self.functions.as_ref()?;
        Some(self.inlined(id).map_or(0, |&(places, _)| places))
    }

    /// Whether inlined functions of yours are functions like others.
    pub fn knows_inlined(&self) -> bool {
        self.functions.is_some()
    }

    fn inlined(&self, id: FunctionId) -> Option<&(u64, Reach)> {
        self.functions.as_ref()?.get(&id)
    }

    /// The estimate of a function's attributed cost, if it is not exact.
    pub fn estimated(&self, profile: &Profile, id: FunctionId, event: Event) -> Option<Estimate> {
        let bounds = self.bounds.get(&id)?;
        Some(super::own::estimate(
            profile,
            profile.self_cost(id),
            Some(bounds),
            event,
        ))
        .filter(|e| !e.is_exact())
    }

    /// How far estimated costs can be below and above their values.
    pub(crate) fn slack(
        &self,
        profile: &Profile,
    ) -> impl Iterator<Item = (FunctionId, [Vec<i64>; 2])> {
        self.bounds.iter().map(|(&id, [least, most])| {
            let (mut below, mut above) = (profile.self_cost(id).to_vec(), most.clone());
            subtract(&mut below, least);
            subtract(&mut above, profile.self_cost(id));
            (id, [below, above])
        })
    }

    /// The cost that is not attributed to your code, if it is large.
    pub fn outside(&self, profile: &Profile, event: Event) -> Option<OutsideCost<'_>> {
        let count = |row: &[i64]| profile.events.counted(row, event) as f64;
        let share = |row: &[i64]| count(row) * 100.0 / count(&profile.totals.row);
        let all = share(&self.rest);
        let begins = self
            .begins
            .iter()
            .map(|([name, object], row)| OutsideStart {
                name,
                object,
                share: share(row),
            });
        let mut begins: Vec<OutsideStart> = begins
            .filter(|begins| begins.share >= all / TENTH)
            .collect();
        begins.sort_by(|a, b| {
            b.share
                .total_cmp(&a.share)
                .then_with(|| (a.name, a.object).cmp(&(b.name, b.object)))
        });
        (all > QUARTER).then_some(OutsideCost { share: all, begins })
    }

    /// The number of functions with an estimated cost.
    pub fn estimates(&self) -> usize {
        self.bounds
            .keys()
            .filter(|&&id| Some(id) != self.rest_row)
            .count()
    }

    /// Whether this is not a real line but code inlined from library files.
    pub(crate) fn is_inlined(&self, line: &Line) -> bool {
        self.inlined.contains(&line.row)
    }

    /// The library code below lines of one file, by line.
    pub(crate) fn below<'l>(
        &self,
        lines: impl IntoIterator<Item = &'l Line>,
    ) -> BTreeMap<u64, LibraryCode> {
        let mut all: BTreeMap<u64, LibraryCode> = BTreeMap::new();
        for line in lines {
            for (&function, (calls, cost)) in self.below.get(&line.row).into_iter().flatten() {
                add_library(all.entry(line.line).or_default(), function, *calls, cost);
            }
        }
        all
    }
}

/// Whether a large part of the totals is not attributed to your code, for any recorded event.
fn is_much(rest: &[i64], profile: &Profile) -> bool {
    let mut counts = rest.iter().zip(&profile.totals.row);
    counts.any(|(&rest, &total)| rest > 0 && rest as f64 * 100.0 > total as f64 * QUARTER)
}

/// How often your functions are called, even by library code.
fn called(profile: &Profile, code: &OwnCode<'_>) -> HashMap<FunctionId, u64> {
    let mut called: HashMap<FunctionId, u64> = HashMap::new();
    for arc in profile.arcs.iter().filter(|arc| code.has(arc.callee)) {
        let count = called.entry(arc.callee).or_default();
        *count = count.saturating_add(arc.count);
    }
    if let Some(stated) = &profile.stated {
        let known = called
            .iter_mut()
            .map(|(&id, count)| (stated.calls(id), count));
        known
            .filter(|&(stated, _)| stated > 0)
            .for_each(|(stated, count)| *count = stated);
    }
    called
}

/// The calls between your functions: recorded ones, and those through library functions that only
/// one function of yours reaches. The call site of the latter is unknown.
fn calls(profile: &Profile, code: &OwnCode<'_>, own: &Own) -> CallTable {
    let mut calls = CallTable::default();
    for arc in profile.arcs.iter().filter(|arc| code.has(arc.callee)) {
        let node = own.passing.node[arc.caller.index()];
        let through = own
            .passing
            .label
            .get(node as usize)
            .filter(|&&owner| (owner as usize) < profile.functions.len());
        match (code.has(arc.caller), through) {
            (true, _) => {
                for (site, cost) in profile.known_sites(arc) {
                    let key = (arc.caller, arc.callee, site.file, site.line);
                    calls.add(key, [site.count], cost);
                }
            }
            (false, Some(&owner)) => {
                let caller = FunctionId(owner);
                let file = profile.function(caller).file;
                calls.add(
                    (caller, arc.callee, file, 0),
                    [arc.count],
                    profile.arc_cost(arc),
                );
            }
            (false, None) => {}
        }
    }
    calls
}
