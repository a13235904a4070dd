//! Stacks from arcs against the runs that the arcs were recorded of: what is said of a frame must
//! hold.

use super::programs::{self, Run};
use super::seeds;
use crate::common::amount::at_least;
use crate::common::fixtures;
use cgannotate::analysis::Inclusive;
use cgannotate::analysis::{Basis, Frame, Stacks};
use cgannotate::input::{self, Options};
use cgannotate::profile::{Event, FunctionId, Profile};
use std::collections::BTreeMap;

type Path = Vec<(u8, usize)>;

/// A chain of functions as stacks show it: of each run inside one cycle the cycle and its last
/// member.
fn shown(inclusive: &Inclusive, chain: &[FunctionId]) -> Path {
    let mut path: Path = Vec::new();
    for &function in chain {
        let last = (0, function.index());
        match inclusive.cycle_of(function) {
            Some(cycle) if path.len() > 1 && path[path.len() - 2] == (1, cycle) => {
                let end = path.len() - 1;
                path[end] = last;
            }
            Some(cycle) => path.extend([(1, cycle), last]),
            None if path.last() == Some(&last) => {}
            None => path.push(last),
        }
    }
    path
}

/// What the frames of all stacks truly cost: themselves, and in all.
#[derive(Default)]
struct Truth {
    frames: BTreeMap<Path, [i128; 2]>,
}

impl Truth {
    fn add(&mut self, path: &Path, own: i128) {
        for end in 1..=path.len() {
            self.frames.entry(path[..end].to_vec()).or_default()[1] += own;
        }
        self.frames.entry(path.clone()).or_default()[0] += own;
    }
}

/// How many frames were compared, and how many of them were exact.
fn compare(what: &str, profile: &Profile, event: Event, truth: &Truth) -> [usize; 2] {
    let stacks =
        Stacks::new(profile, &Inclusive::new(profile), event, 0.0).expect("no cost below zero");
    assert_ne!(stacks.basis, Basis::Recorded, "{what}");
    let mut path: Path = Vec::new();
    let (mut seen, mut certain) = ([0, 0], 0);
    for stack in &stacks.stacks {
        path.truncate(stack.depth as usize);
        path.push(match stack.frame {
            Frame::Function(id) => (0, id.index()),
            Frame::Cycle(cycle) => (1, cycle),
            Frame::Small | Frame::Inlined(_) => {
                panic!("{what}: nothing is too small, or asked to be inlined")
            }
        });
        let [own, total] = truth.frames.get(&path).copied().unwrap_or_default();
        let known = (stack.own_known, stack.total_known);
        assert!(
            (known.0.least..=known.0.most).contains(&own),
            "{what}: {path:?} cost {own} itself, not {:?}",
            known.0
        );
        assert!(
            (known.1.least..=known.1.most).contains(&total),
            "{what}: {path:?} cost {total}, not {:?}",
            known.1
        );
        certain += known.0.least;
        seen[0] += 1;
        seen[1] += usize::from(known.1.is_exact());
    }
    assert!(
        stacks.certain.complete && stacks.certain.cost <= stacks.certain.of,
        "{what}"
    );
    assert_eq!(stacks.certain.cost, certain, "{what}");
    seen
}

/// The same of the stacks around each function that is in no cycle: its callers upside down, and its
/// callees. Those next to it are exact. Returns how many frames there were.
fn compare_around(what: &str, profile: &Profile, truth: &Truth) -> usize {
    let inclusive = Inclusive::new(profile);
    let mut seen = 0;
    for function in profile.function_ids() {
        if inclusive.cycle_of(function).is_some() {
            continue;
        }
        let stacks = Stacks::around(profile, &inclusive, Event::Recorded(0), function, 0.0);
        let stacks = stacks.expect("no cost below zero");
        for (side, stacks) in ["callers", "callees"].into_iter().zip(stacks) {
            let mut path: Path = Vec::new();
            for stack in stacks {
                path.truncate(stack.depth as usize);
                path.push(match stack.frame {
                    Frame::Function(id) => (0, id.index()),
                    Frame::Cycle(cycle) => (1, cycle),
                    _ => panic!("{what}: nothing is too small, or asked to be inlined"),
                });
                let mut real = path.clone();
                if side == "callers" {
                    real.reverse();
                }
                let all = truth.frames.iter();
                let there = all.filter(|(path, _)| path.ends_with(&real));
                let total: i128 = there.map(|(_, [_, total])| total).sum();
                let known = stack.total_known;
                assert!(
                    (known.least..=known.most).contains(&total),
                    "{what}: {side} {path:?} cost {total}, not {known:?}"
                );
                assert!(stack.depth > 1 || known.is_exact(), "{what}: {path:?}");
                seen += 1;
            }
        }
    }
    seen
}

fn read(run: &Run) -> Profile {
    let text = run.recorded(|_| "f".into());
    input::read_from("run", text.as_bytes(), &Options::all()).unwrap()
}

/// Holds what the arcs of a run say against the run.
fn check(what: &str, run: &Run) -> [usize; 2] {
    let profile = read(run);
    compare(what, &profile, Event::Recorded(0), &truth(run, &profile))
}

/// What the frames of a run truly cost in all, by the names of the functions from the outermost on;
/// `<cycle 1>` is a cycle, by its place from 1.
pub(crate) fn totals(run: &Run) -> BTreeMap<Vec<String>, i128> {
    let profile = read(run);
    let name = |&(kind, at): &(u8, usize)| match kind {
        0 => profile
            .function_ids()
            .nth(at)
            .map(|id| profile.name(profile.function(id).name).to_vec()),
        _ => Some(format!("<cycle {}>", at + 1).into_bytes()),
    };
    let path = |path: &Path| {
        path.iter()
            .map(|step| String::from_utf8(name(step).unwrap()).unwrap())
            .collect()
    };
    truth(run, &profile)
        .frames
        .iter()
        .map(|(frames, [_, total])| (path(frames), *total))
        .collect()
}

fn truth(run: &Run, profile: &Profile) -> Truth {
    let inclusive = Inclusive::new(profile);
    let name = |id: FunctionId| {
        String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned()
    };
    let ids: BTreeMap<String, FunctionId> =
        profile.function_ids().map(|id| (name(id), id)).collect();
    let mut truth = Truth::default();
    for (at, call) in run.calls.iter().enumerate() {
        if call.own.values().any(|&cost| cost > 0) {
            let chain = run
                .chain(at)
                .into_iter()
                .map(|(function, _)| ids[&format!("f{function}")]);
            truth.add(
                &shown(&inclusive, &chain.collect::<Vec<_>>()),
                call.own.values().map(|&cost| i128::from(cost)).sum(),
            );
        }
    }
    truth
}

#[test]
fn what_is_said_of_frames_holds() {
    let (mut seen, mut around) = ([0, 0], 0);
    for seed in seeds(10_000) {
        let run = programs::run(seed);
        let of_this = check(&format!("seed {seed}"), &run);
        if seed % 10 == 0 {
            let profile = read(&run);
            around += compare_around(&format!("seed {seed}"), &profile, &truth(&run, &profile));
        }
        (0..2).for_each(|at| seen[at] += of_this[at]);
    }
    // Enough of both kinds to say something.
    assert!(
        std::env::var_os("TWIN_SEED").is_some()
            || around > at_least(10_000)
                && seen[1] > at_least(10_000)
                && seen[0] - seen[1] > at_least(10_000),
        "{seen:?}"
    );
}

/// Xdebug writes every call, so that its chains are known; arcs that are made of them must not say
/// otherwise.
#[test]
fn what_is_said_of_frames_holds_for_recorded_trees() {
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
            seen += Run::of_tree(&profile, event).map_or(0, |run| check(name, &run)[0]);
        }
    }
    assert!(seen > 200, "{seen}");
}

/// Where recording began late, nothing is certain below what ran already; a lone chain of calls is.
#[test]
fn what_was_recorded_in_part_proves_no_least() {
    let certain = |text: &str| {
        let profile = input::read_from("p", text.as_bytes(), &Options::all()).unwrap();
        Stacks::new(&profile, &Inclusive::new(&profile), Event::Recorded(0), 0.0)
            .unwrap()
            .certain
            .cost
    };
    let chain = "events: Ir\nfn=a\n1 1\ncfn=b\ncalls=1 1\n1 100\nfn=b\n1 10\ncfn=c\ncalls=1 1\n1 90\nfn=c\n1 90\n";
    assert_eq!(certain(chain), 101);
    // 50 of what b does no call of it accounts for: only what a did itself is where it is.
    assert_eq!(certain(&chain.replace("1 10\n", "1 60\n")), 1);
}
