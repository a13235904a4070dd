//! Own costs from arcs against the runs that the arcs were recorded of: each unit belongs to the
//! innermost own function of its stack, and bounds hold where the arcs cannot tell which that is.

use super::mutate::Rng;
use super::programs::{self, Run};
use super::seeds;
use crate::common::amount::{at_least, rounds};
use crate::common::fixtures;
use cgannotate::analysis::own_lines::OwnLines;
use cgannotate::analysis::{Own, OwnCode, Set};
use cgannotate::input::{self, Options};
use cgannotate::profile::Event;
use regex::bytes::Regex;
use std::collections::BTreeMap;

const IR: Event = Event::Recorded(0);

/// The innermost own function of a stack and its line, if there is one.
fn owner(run: &Run, own: &[bool], call: usize, line: u64) -> Option<(usize, u64)> {
    let mut chain = run.chain(call);
    chain.last_mut().unwrap().1 = line;
    chain.into_iter().rev().find(|&(function, _)| own[function])
}

/// Holds own costs against a run: how many functions were compared, and how many of them are an
/// estimate.
fn check(what: &str, run: &Run, own: &[bool]) -> [usize; 2] {
    let text = run.recorded(|function| {
        if own[function] {
            "own.c".into()
        } else {
            "lib.c".into()
        }
    });
    let profile = input::read_from("run", text.as_bytes(), &Options::all()).unwrap();
    let set = Set::own(vec![Regex::new("^own").unwrap()]);
    let code = OwnCode::new(&profile, &set);
    let costs = Own::new(&profile, &code);
    let lines = OwnLines::new(&profile, &code, &costs);

    let (mut functions, mut by_line): (BTreeMap<String, i128>, BTreeMap<(String, u64), i128>) =
        Default::default();
    let (mut nobody, mut total) = (0, 0);
    for (at, call) in run.calls.iter().enumerate() {
        for (&line, &cost) in &call.own {
            let cost = i128::from(cost);
            total += cost;
            match owner(run, own, at, line) {
                Some((function, line)) => {
                    *functions.entry(format!("f{function}")).or_default() += cost;
                    *by_line.entry((format!("f{function}"), line)).or_default() += cost;
                }
                None => nobody += cost,
            }
        }
    }
    let name = |id| String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned();
    let (mut sum, mut of_lines) = (0, BTreeMap::new());
    for line in &lines.lines {
        let known = lines.estimate(&profile, line, IR);
        let truth = by_line
            .remove(&(name(line.function), line.line))
            .unwrap_or_default();
        assert!(
            (known.least..=known.most).contains(&truth),
            "{what}: line {} of {} cost {truth}, not {known:?}",
            line.line,
            name(line.function)
        );
        *of_lines.entry(line.function).or_insert(0) += known.value;
    }
    assert!(
        by_line.values().all(|&cost| cost == 0),
        "{what}: lines are missing: {by_line:?}"
    );
    let mut seen = [0, 0];
    for id in profile.function_ids() {
        let known = costs.estimate(&profile, id, IR);
        let truth = functions.remove(&name(id)).unwrap_or_default();
        assert!(
            (known.least..=known.most).contains(&truth),
            "{what}: {} cost {truth}, not {known:?}",
            name(id)
        );
        assert_eq!(
            known.value,
            of_lines.get(&id).copied().unwrap_or_default(),
            "{what}: the lines of {}",
            name(id)
        );
        assert!(
            code.has(id) || known.most == 0,
            "{what}: {} is foreign",
            name(id)
        );
        sum += known.value;
        seen[0] += 1;
        seen[1] += usize::from(!known.is_exact());
    }
    let rest = costs.rest(&profile, IR);
    assert!(
        (rest.least..=rest.most).contains(&nobody),
        "{what}: not under own code is {nobody}, not {rest:?}"
    );
    assert_eq!(sum + rest.value, total, "{what}");
    seen
}

fn some(rng: &mut Rng, functions: usize) -> Vec<bool> {
    let one_in = 2 + rng.below(3);
    (0..functions).map(|_| rng.one_in(one_in)).collect()
}

#[test]
fn own_costs_hold() {
    let mut seen = [0, 0];
    for seed in seeds(3000) {
        let run = programs::run(seed);
        let own = some(&mut Rng::new(!seed), run.functions);
        let of_this = check(&format!("seed {seed}"), &run, &own);
        (0..2).for_each(|at| seen[at] += of_this[at]);
    }
    assert!(
        std::env::var_os("TWIN_SEED").is_some()
            || seen[1] > at_least(150) && seen[0] > at_least(10_000),
        "{seen:?}"
    );
}

/// The trees that Xdebug wrote, as arcs only, with other functions own each time.
#[test]
fn own_costs_hold_for_recorded_trees() {
    let mut seen = 0;
    for name in [
        "app-x320",
        "app-x353",
        "app74-x298",
        "append-x320",
        "hard-nofibers-x353",
        "long43-x320",
        "utf8-x320",
    ] {
        let path = fixtures().join("xdebug").join(format!("{name}.xdebug"));
        let profile = input::read(&[&path], &Options::all()).unwrap();
        for event in (0..profile.events.recorded().len()).map(Event::Recorded) {
            let Some(run) = Run::of_tree(&profile, event) else {
                continue;
            };
            for seed in 0..rounds(20) {
                seen += check(name, &run, &some(&mut Rng::new(seed), run.functions))[0];
            }
        }
    }
    assert!(seen > at_least(1000), "{seen}");
}

fn own_of(text: &str, pattern: &str) -> (Vec<(String, [i128; 3])>, [i128; 3]) {
    let profile = input::read_from("p", text.as_bytes(), &Options::all()).unwrap();
    let set = Set::own(vec![Regex::new(pattern).unwrap()]);
    let costs = Own::new(&profile, &OwnCode::new(&profile, &set));
    let numbers = |known: cgannotate::analysis::Estimate| [known.least, known.value, known.most];
    let all = profile.function_ids().map(|id| {
        let name = String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned();
        (name, numbers(costs.estimate(&profile, id, IR)))
    });
    (all.collect(), numbers(costs.rest(&profile, IR)))
}

/// Two own functions sort by comparisons of their own: what qsort itself cost cannot be told apart,
/// all else can. By hand: a calls qsort for 60, b for 40; qsort has 20 itself and 10 in memcpy, the
/// comparison 70 with 30 in strcmp.
#[test]
fn what_two_can_own_is_divided() {
    let text = "events: Ir\nfl=own.c\nfn=a\n1 5\ncfi=lib.c\ncfn=qsort\ncalls=1 1\n2 60\nfn=b\n1 7\ncfi=lib.c\ncfn=qsort\ncalls=1 1\n2 40\n\
        fn=compare\n1 40\ncfi=lib.c\ncfn=strcmp\ncalls=9 1\n2 30\nfl=lib.c\nfn=qsort\n1 20\ncfn=memcpy\ncalls=1 1\n2 10\n\
        cfi=own.c\ncfn=compare\ncalls=9 1\n3 70\nfn=strcmp\n1 30\nfn=memcpy\n1 10\n";
    let (all, rest) = own_of(text, "^own");
    let of = |name: &str| {
        all.iter()
            .find(|(other, _)| other == name)
            .map(|(_, known)| *known)
            .unwrap()
    };
    assert_eq!(of("a"), [5, 5 + 18, 35]);
    assert_eq!(of("b"), [7, 7 + 12, 37]);
    assert_eq!(of("compare"), [70; 3]);
    assert_eq!((of("qsort"), rest), ([0; 3], [0; 3]));
}
