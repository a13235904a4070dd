//! The second half of the naive twin: inclusive costs, cycles and derived events, as the format
//! notes say.
use super::naive::{Cycle, Function, LEAST, MOST, Name, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// "Recommended for cgannotate": inclusive costs and cycles over the merged parts. Functions are
/// numbers here.
pub(crate) fn inclusive_costs(profile: &mut Profile) {
    let events = profile.recorded;
    let functions: Vec<Function> = profile.functions.keys().cloned().collect();
    let number = |f: &Function| {
        functions
            .binary_search(f)
            .expect("every caller and callee is a function")
    };
    let arcs: Vec<(usize, usize, u64, Vec<i64>)> = profile
        .calls
        .iter()
        .map(|((a, b), call)| (number(a), number(b), call.count, call.inclusive.clone()))
        .collect();
    let cycles = find_cycles(functions.len(), &arcs);
    let mut cycle_of = vec![None; functions.len()];
    for (cycle, members) in cycles.iter().enumerate() {
        members.iter().for_each(|f| cycle_of[*f] = Some(cycle));
    }
    let negative = events_with_negatives(profile);

    let self_costs: Vec<Vec<i64>> = profile
        .functions
        .values()
        .map(|cost| cost.self_cost.clone())
        .collect();
    let mut out: Vec<Vec<i128>> = self_costs
        .iter()
        .map(|row| row.iter().map(|c| (*c).into()).collect())
        .collect();
    let mut into = vec![vec![0i128; events]; functions.len()];
    let mut called = vec![0i128; functions.len()];
    for (a, b, count, cost) in &arcs {
        // "called = sum of counts of ALL incoming edges incl. f->f."
        called[*b] += i128::from(*count);
        // "Member incl = self + sum cost(m->y, y not in S)"; others: "out = self + sum cost(f->y, y
        // != f)".
        let inside = a == b || cycle_of[*a].is_some() && cycle_of[*a] == cycle_of[*b];
        for e in 0..events {
            if !inside {
                out[*a][e] += i128::from(cost[e]);
            }
            if a != b {
                into[*b][e] += i128::from(cost[e]);
            }
        }
    }
    // "incl = max(in, out); if the event has any negative value use out."
    let mut inclusive = out;
    for f in 0..functions.len() {
        for e in 0..events {
            if cycle_of[f].is_none() && !negative[e] {
                inclusive[f][e] = inclusive[f][e].max(into[f][e]);
            }
        }
    }
    let mut saturated = false;
    let mut clamp = |values: &[i128]| -> Vec<i64> {
        let clamped: Vec<i64> = values
            .iter()
            .map(|value| (*value).clamp(LEAST, MOST) as i64)
            .collect();
        saturated |= values
            .iter()
            .zip(&clamped)
            .any(|(value, clamped)| *value != i128::from(*clamped));
        clamped
    };

    // "Self = sum of selves; cycle incl = sum of members."
    let mut rows = Vec::new();
    for members in cycles {
        let (mut own, mut all) = (vec![0; events], vec![0; events]);
        for f in &members {
            for e in 0..events {
                own[e] += i128::from(self_costs[*f][e]);
                all[e] += inclusive[*f][e];
            }
        }
        let members = members.into_iter().map(|f| functions[f].clone()).collect();
        rows.push(Cycle {
            members,
            self_cost: clamp(&own),
            inclusive: clamp(&all),
        });
    }
    // "Number cycles by descending inclusive cost (ties by name)."
    rows.sort_by_key(|cycle| {
        let name = cycle
            .members
            .iter()
            .map(|f| (f.file.clone(), f.name.clone(), f.object.clone()))
            .min();
        (std::cmp::Reverse(cycle.inclusive.clone()), name)
    });

    for (f, cost) in profile.functions.values_mut().enumerate() {
        cost.inclusive = clamp(&inclusive[f]);
        cost.cycle = rows
            .iter()
            .position(|cycle| cycle.members.contains(&functions[f]));
        cost.called = called[f].min(u64::MAX.into()) as u64;
    }
    saturated |= called.iter().any(|called| *called > u64::MAX.into());
    profile.cycles = rows;
    if saturated {
        profile.warnings.insert((0, "saturated"));
    }
}

/// Sets of more than one function that all reach each other; self recursion is no cycle.
fn find_cycles(
    functions: usize,
    arcs: &[(usize, usize, u64, Vec<i64>)],
) -> BTreeSet<BTreeSet<usize>> {
    let mut callees = vec![BTreeSet::new(); functions];
    for (a, b, ..) in arcs {
        callees[*a].insert(*b);
    }
    let reach: Vec<Vec<bool>> = (0..functions).map(|f| reached_from(f, &callees)).collect();
    let members = |f: usize| -> BTreeSet<usize> {
        (0..functions)
            .filter(|g| reach[f][*g] && reach[*g][f])
            .collect()
    };
    (0..functions)
        .map(members)
        .filter(|members| members.len() > 1)
        .collect()
}

fn reached_from(start: usize, callees: &[BTreeSet<usize>]) -> Vec<bool> {
    let mut reached = vec![false; callees.len()];
    let mut open = vec![start];
    while let Some(f) = open.pop() {
        for g in &callees[f] {
            if !std::mem::replace(&mut reached[*g], true) {
                open.push(*g);
            }
        }
    }
    reached
}

/// Which events have a negative self cost or a negative arc, summed over the file.
fn events_with_negatives(profile: &Profile) -> Vec<bool> {
    let selves = profile.functions.values().map(|cost| &cost.self_cost);
    let rows: Vec<&Vec<i64>> = selves
        .chain(profile.calls.values().map(|call| &call.inclusive))
        .collect();
    (0..profile.recorded)
        .map(|e| rows.iter().any(|row| row[e] < 0))
        .collect()
}

// ---- derived events ----

/// coefficient and event name
type Terms = Vec<(i128, Name)>;

/// Appends the events that formulas in the file define to every row. "Recursion guarded": a formula
/// that is none, or needs itself, or needs such a one, is diagnosed and not offered.
pub(crate) fn derived_events(profile: &mut Profile, formulas: &[(Name, Option<Vec<u8>>)]) {
    let mut parsed: BTreeMap<&Name, Option<Terms>> = BTreeMap::new();
    for (name, formula) in formulas {
        // A recorded event of that name is what the file says it is.
        if let (Some(formula), false) = (formula, profile.events.contains(name)) {
            // Unless an event has this name, a name with a slash would be a ratio.
            let is_known = |term: &Name| {
                profile.events.contains(term) || formulas.iter().any(|(name, _)| name == term)
            };
            let terms = parse_formula(formula).filter(|terms| {
                (terms.iter()).all(|(_, term)| !term.contains(&b'/') || is_known(term))
            });
            parsed.insert(name, terms);
        }
    }
    let (mut offered, mut bad) = (Vec::new(), false);
    for (name, _) in formulas
        .iter()
        .filter(|(name, _)| parsed.contains_key(name))
    {
        let needed = needed(&parsed, name);
        let is_bad = |name: &Name| {
            parsed
                .get(name)
                .is_some_and(|terms| terms.is_none() || self_needing(&parsed, name))
        };
        if is_bad(name) || needed.into_iter().any(is_bad) {
            bad = true;
        } else if let Some(weights) = weights(&parsed, &profile.events, name) {
            offered.push((name.clone(), weights));
        }
    }
    if bad {
        profile.warnings.insert((0, "bad-formula"));
    }
    for (name, weights) in offered {
        profile.events.push(name);
        append(profile, &weights);
    }
}

/// "Terms `[+-]* [int] [*] name`." None if that is not what it is.
fn parse_formula(formula: &[u8]) -> Option<Terms> {
    let mut terms = Terms::new();
    let mut rest = skip_blanks(formula);
    while !rest.is_empty() || terms.is_empty() {
        let mut sign = 1;
        while let Some(b'+' | b'-') = rest.first() {
            sign = if rest[0] == b'-' { -sign } else { sign };
            rest = skip_blanks(&rest[1..]);
        }
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let mut factor: i128 = 1;
        if digits > 0 {
            factor = std::str::from_utf8(&rest[..digits])
                .ok()?
                .parse::<i64>()
                .ok()?
                .into();
            rest = skip_blanks(&rest[digits..]);
        }
        if rest.first() == Some(&b'*') {
            rest = skip_blanks(&rest[1..]);
        }
        let end = rest
            .iter()
            .position(|b| b" \t+-*".contains(b))
            .unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        terms.push((sign * factor, rest[..end].to_vec()));
        rest = skip_blanks(&rest[end..]);
    }
    Some(terms)
}

fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|b| b" \t".contains(b)).count();
    &bytes[blanks..]
}

fn self_needing(parsed: &BTreeMap<&Name, Option<Terms>>, name: &Name) -> bool {
    needed(parsed, name).contains(name)
}

/// The names that the formula of `name` leads to over any number of formulas.
fn needed<'a>(parsed: &'a BTreeMap<&Name, Option<Terms>>, name: &Name) -> BTreeSet<&'a Name> {
    let terms = |name: &Name| {
        parsed
            .get(name)
            .into_iter()
            .flatten()
            .flatten()
            .map(|(_, term)| term)
    };
    let mut needed: BTreeSet<&Name> = terms(name).collect();
    loop {
        let more: BTreeSet<&Name> = needed.iter().flat_map(|name| terms(name)).collect();
        let before = needed.len();
        needed.extend(more);
        if needed.len() == before {
            return needed;
        }
    }
}

/// What each recorded event counts in a derived one. "Unknown terms dropped, needs >= 1 known term,
/// may refer to other derived events." Recursive here, over formulas known not to be.
fn weights(
    parsed: &BTreeMap<&Name, Option<Terms>>,
    events: &[Name],
    name: &Name,
) -> Option<Vec<i128>> {
    let mut sum: Option<Vec<i128>> = None;
    for (factor, term) in parsed.get(name)?.as_ref()? {
        let term = match events.iter().position(|event| event == term) {
            Some(recorded) => Some(
                (0..events.len())
                    .map(|e| i128::from(e == recorded))
                    .collect(),
            ),
            None => weights(parsed, events, term),
        };
        let Some(term) = term else { continue };
        let sum = sum.get_or_insert(vec![0; events.len()]);
        for (sum, weight) in sum.iter_mut().zip(&term) {
            *sum = sum.saturating_add(factor.saturating_mul(*weight));
        }
    }
    sum
}

/// Appends one derived column to every row of the profile.
fn append(profile: &mut Profile, weights: &[i128]) {
    let column = |row: &mut Vec<i64>| {
        let products = row
            .iter()
            .zip(weights)
            .map(|(cost, weight)| weight.saturating_mul((*cost).into()));
        let value = products
            .fold(0i128, i128::saturating_add)
            .clamp(LEAST, MOST);
        row.push(value as i64);
    };
    column(&mut profile.totals);
    for cost in profile.functions.values_mut() {
        column(&mut cost.self_cost);
        column(&mut cost.inclusive);
    }
    profile.lines.values_mut().for_each(&column);
    for call in profile.calls.values_mut() {
        column(&mut call.inclusive);
        call.sites.values_mut().for_each(|site| column(&mut site.1));
    }
    for cycle in &mut profile.cycles {
        column(&mut cycle.self_cost);
        column(&mut cycle.inclusive);
    }
}
