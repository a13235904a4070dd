//! The inclusive costs of functions that were inlined, called, or both.
//!
//! The code of such a function is in several places: in functions of the profile that are the same
//! function, and in others that it was inlined into. If one of these places is called from another,
//! its cost is part of that one's cost, and must count once. How much of it came that way is known
//! if all calls of a function came that way, or none. Otherwise it is estimated from the proportion
//! of the calls.

use super::components::Components;
use crate::profile::{FunctionId, NEVER, Profile, costs::count, extend_with, sum_rows};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The places of one function's code. They must be added in the order of functions.
#[derive(Default)]
pub(super) struct CodePlaces<'a> {
    /// The functions of the profile that are the same function, with their inclusive costs.
    called: Vec<(FunctionId, &'a [i64])>,
    /// The functions that it was inlined into, with the cost of its code there and of the calls
    /// from it.
    inlined: Vec<(FunctionId, Vec<i64>)>,
    /// The calls from its inlined code: caller, callee, and cost.
    calls: Vec<(FunctionId, FunctionId, &'a [i64])>,
}

impl<'a> CodePlaces<'a> {
    /// Adds a function of the profile that is the same function.
    pub(super) fn call(&mut self, id: FunctionId, inclusive: &'a [i64]) {
        self.called.push((id, inclusive));
    }

    /// Adds the cost of its code in another function, or of a call from there.
    pub(super) fn inline(&mut self, into: FunctionId, cost: &[i64]) {
        if self.inlined.last().is_none_or(|(last, _)| *last != into) {
            self.inlined.push((into, Vec::new()));
        }
        if let Some((_, sum)) = self.inlined.last_mut() {
            extend_with(sum, cost);
        }
    }

    /// Adds a call from its code in another function, if the cost is not part of another call's.
    pub(super) fn call_from(&mut self, caller: FunctionId, callee: FunctionId, cost: &'a [i64]) {
        self.inline(caller, cost);
        self.calls.push((caller, callee, cost));
    }

    fn all(&self) -> impl Iterator<Item = (FunctionId, &[i64])> {
        let inlined = self.inlined.iter().map(|(id, cost)| (*id, &cost[..]));
        self.called.iter().copied().chain(inlined)
    }
}

/// A profile with its groups of functions that call each other.
pub(super) struct InlinedCalls<'a> {
    profile: &'a Profile,
    component: Vec<u32>,
    /// The functions of each component.
    members: Vec<Vec<FunctionId>>,
}

impl<'a> InlinedCalls<'a> {
    pub(super) fn new(profile: &'a Profile) -> InlinedCalls<'a> {
        let Components {
            of: component,
            count,
        } = Components::new(profile, |_| true);
        let mut members = vec![Vec::new(); count];
        profile
            .function_ids()
            .for_each(|id| members[component[id.index()] as usize].push(id));
        InlinedCalls {
            profile,
            component,
            members,
        }
    }

    /// The inclusive cost of a function with code in these places, and whether it is an estimate.
    pub(super) fn inclusive(&self, places: &CodePlaces<'_>) -> (Vec<i64>, bool) {
        let below = self.below(places);
        let (mut inclusive, mut is_estimate) = (Vec::new(), false);
        for (id, cost) in places.all() {
            match below.get(&self.component[id.index()]) {
                Some(share) => {
                    extend_with(&mut inclusive, &share.rest_of(cost));
                    is_estimate |= share.is_partial();
                }
                None => _ = extend_with(&mut inclusive, cost),
            }
        }
        (inclusive, is_estimate)
    }

    /// For each component that is called from one of the places, directly or not, how much of its
    /// cost came from there.
    fn below(&self, places: &CodePlaces<'_>) -> BTreeMap<u32, CallShare> {
        let of = |id: FunctionId| self.component[id.index()];
        let all: BTreeSet<u32> = places.all().map(|(id, _)| of(id)).collect();
        let Some(&least) = all.first().filter(|_| all.len() > 1) else {
            return BTreeMap::new();
        };
        let mut open: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
        let reach = |open: &mut BTreeMap<u32, Vec<i64>>,
                     caller: FunctionId,
                     callee: FunctionId,
                     cost: &[i64]| {
            if of(callee) >= least && of(callee) != of(caller) {
                extend_with(open.entry(of(callee)).or_default(), cost);
            }
        };
        for &(caller, callee, cost) in &places.calls {
            reach(&mut open, caller, callee, cost);
        }
        let is_it = |id: FunctionId| {
            places
                .called
                .binary_search_by_key(&id, |&(called, _)| called)
                .is_ok()
        };
        for &(id, _) in &places.called {
            for arc in self.profile.arcs_of(id) {
                reach(&mut open, id, arc.callee, self.profile.arc_cost(arc));
            }
        }
        let mut from_inlined: HashMap<(FunctionId, FunctionId), Vec<i64>> = HashMap::new();
        for &(caller, callee, cost) in &places.calls {
            extend_with(from_inlined.entry((caller, callee)).or_default(), cost);
        }
        let mut found = BTreeMap::new();
        // Callees have smaller numbers, so all callers of a component come before it.
        while let Some((component, came)) = open.pop_last() {
            let members = &self.members[component as usize];
            let into = members.iter().flat_map(|&id| self.profile.arcs_to(id));
            let into = into.filter(|arc| of(arc.caller) != component);
            let all = sum_rows(into.map(|arc| self.profile.arc_cost(arc)));
            let share = CallShare { came, all };
            for &id in members.iter().filter(|&&id| !is_it(id)) {
                for arc in self.profile.arcs_of(id) {
                    let mut cost = self.profile.arc_cost(arc).to_vec();
                    // The calls from its own code there were already followed.
                    if let Some(own) = from_inlined.get(&(id, arc.callee)) {
                        super::own::subtract(&mut cost, own);
                    }
                    reach(&mut open, id, arc.callee, &share.part(&cost));
                }
            }
            found.insert(component, share);
        }
        found
    }
}

/// How much of the cost of all calls came one way.
struct CallShare {
    came: Vec<i64>,
    all: Vec<i64>,
}

impl CallShare {
    /// The cost that came this way, and the whole cost, for one event.
    fn counts(&self, at: usize) -> (i128, i128) {
        (count(&self.came, at).into(), count(&self.all, at).into())
    }

    /// The same proportion of another cost, event by event.
    fn part(&self, cost: &[i64]) -> Vec<i64> {
        let share = |(at, &cost): (usize, &i64)| match (cost, self.counts(at)) {
            (NEVER, _) => NEVER,
            // If no call for it came this way, nothing did.
            (_, (0, _)) => 0,
            (cost, (came, all)) if came == all => cost,
            (cost, (came, all)) if all > 0 => {
                let part = i128::from(cost) * came.clamp(0, all) / all;
                // It is at most the cost.
                i64::try_from(part).unwrap_or(cost)
            }
            _ => 0,
        };
        cost.iter().enumerate().map(share).collect()
    }

    /// Whether it is neither zero nor everything, for any event.
    fn is_partial(&self) -> bool {
        (0..self.all.len())
            .map(|at| self.counts(at))
            .any(|(came, all)| came != 0 && came != all)
    }

    /// A cost without that proportion.
    fn rest_of(&self, cost: &[i64]) -> Vec<i64> {
        let mut rest = cost.to_vec();
        super::own::subtract(&mut rest, &self.part(cost));
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Inclusive;
    use crate::input::{Options, read_from};

    /// `x` is inlined into `f`, where it costs 10 and calls `g` for 60, and into `g`, where it
    /// costs 25. `g` costs 60, and in addition the calls from main.
    #[test]
    fn what_is_below_another_place_counts_once() {
        for (from_main, inclusive) in [(0, 70), (40, 80)] {
            let main = if from_main > 0 {
                format!("cfn=g\ncalls=1 1\n2 {from_main}\n")
            } else {
                String::new()
            };
            let g = 60 + from_main;
            let text = format!(
                "version: 1\nevents: Ir\n\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 1\n1 100\n{main}fn=f\n3 40\ncfn=g\ncalls=1 1\n4 60\n\
                 fn=g\n5 {g}\n"
            );
            let profile = read_from("p", text.as_bytes(), &Options::all()).expect("a profile");
            let find = |name: &[u8]| {
                profile
                    .function_ids()
                    .find(|&id| profile.name_of(id) == name)
                    .expect("a function")
            };
            let (f, g) = (find(b"f"), find(b"g"));
            let mut places = CodePlaces::default();
            places.inline(f, &[10]);
            places.call_from(f, g, &[60]);
            places.inline(g, &[25]);
            let calls = InlinedCalls::new(&profile);
            let is_estimate = from_main > 0;
            assert_eq!(
                calls.inclusive(&places),
                (vec![inclusive], is_estimate),
                "{from_main} from main"
            );

            // A function that is called, and inlined into one of its callees.
            let all = Inclusive::new(&profile);
            let mut places = CodePlaces::default();
            places.call(f, all.cost(f));
            places.inline(g, &[25]);
            let inclusive = 100 + if is_estimate { 10 } else { 0 };
            assert_eq!(calls.inclusive(&places), (vec![inclusive], is_estimate));
        }
    }

    /// If calls have no count of an event, no cost of that event is inside them: `g` has 7 Dr
    /// without calls, 3 of them in `x`.
    #[test]
    fn what_no_call_counted_is_not_below_one() {
        let text = "version: 1\nevents: Ir Dr\n\nfl=a.c\nfn=f\n3 40 1\ncfn=g\ncalls=1 1\n4 60 0\nfn=g\n5 60 7\n";
        let profile = read_from("p", text.as_bytes(), &Options::all()).expect("a profile");
        let ids: Vec<FunctionId> = profile.function_ids().collect();
        let mut places = CodePlaces::default();
        places.inline(ids[0], &[10, 0]);
        places.call_from(ids[0], ids[1], &[60, 0]);
        places.inline(ids[1], &[25, 3]);
        assert_eq!(
            InlinedCalls::new(&profile).inclusive(&places),
            (vec![70, 3], false)
        );
    }
}
