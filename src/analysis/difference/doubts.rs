//! Reasons why two runs may not be comparable.

use super::{
    Matching, Side,
    builds::{Varies, reduced},
};
use crate::{
    analysis::doubts::{Object, ObjectOrigin, is_built},
    profile::{Event, Events, FunctionId, Profile, base_name, joined, run_of, to_text},
};
use std::collections::{BTreeMap, BTreeSet};

/// The reasons why two runs may not be comparable.
pub fn doubts(old: &Profile, new: &Profile) -> Vec<String> {
    let mut doubts = Vec::from_iter(unchanged_source(old, new));
    let lacking = |a: &Profile, b: &Profile| {
        let names = a
            .events
            .recorded()
            .iter()
            .filter(|name| !b.events.recorded().contains(name));
        joined(names.map(to_text), ", ")
    };
    for (who, missing) in [("old", lacking(old, new)), ("new", lacking(new, old))] {
        if !missing.is_empty() {
            doubts.push(format!(
                "only the {who} run has {missing}; only events of both runs are compared"
            ));
        }
    }
    // A baseline was saved from a profile of any format.
    let is_baseline = [old, new].iter().any(|profile| profile.format.is_ours);
    if old.format != new.format && !is_baseline {
        let (old, new) = (old.format.shown, new.format.shown);
        doubts.push(format!(
            "the formats differ, {old} and {new}: they may name functions differently"
        ));
    }
    let [was, is] =
        [old, new].map(|profile| profile.parts.first().map_or(&b""[..], |part| &part.creator));
    if was != is && !is_baseline {
        doubts.push(format!(
            "the profiles were written by different programs, {} and {}",
            text(was),
            text(is)
        ));
    }
    doubts.extend(run_differences(old, new));
    doubts
}

/// How two runs differ, besides in the program: the command, libraries, and the facts that `record`
/// wrote.
pub(crate) fn run_differences(old: &Profile, new: &Profile) -> Vec<String> {
    let mut all = Vec::new();
    let [was, is] = [old, new].map(|profile| profile.command());
    if run_of(was) != run_of(is) {
        all.push(format!(
            "the commands differ: `{}` and `{}`",
            text(was),
            text(is)
        ));
    }
    all.extend(variants(old, new));
    let (Some(was), Some(is)) = (old.with_facts(), new.with_facts()) else {
        return all;
    };
    let names: BTreeSet<&String> = was.facts.keys().chain(is.facts.keys()).collect();
    for name in names {
        let [was, is] = [was, is].map(|one| one.facts.get(name));
        // A file can be an output, which is not there before the first run.
        if was != is && (name.starts_with('$') || was.is_some() && is.is_some()) {
            let [was, is] = [was, is].map(|value| value.map_or("none", String::as_str));
            all.push(format!(
                "{name} differs: {was} in the old run, {is} in the new run"
            ));
        }
    }
    for (name, object) in &was.objects {
        let other = is.objects.get(name);
        let other = other.and_then(|other| other.build_id.as_ref());
        let builds = object.build_id.as_ref().zip(other);
        let object = Object::new(name);
        if builds.is_some_and(|(was, is)| was != is) && object.origin != ObjectOrigin::Own {
            all.push(format!("{}: the runs used different builds", object.path));
        }
    }
    all
}

/// A function of the C library that ran in another variant, such as `__memcpy_sse2_unaligned`: the
/// library chooses one for the processor.
fn variants(old: &Profile, new: &Profile) -> Option<String> {
    let [was, is] = [old, new].map(|profile| {
        let is_libc = |id: &FunctionId| {
            base_name(profile.name(profile.function(*id).object)).starts_with(b"libc")
        };
        let names = profile.function_ids().filter(is_libc);
        let names = names.map(|id| profile.name_of(id));
        let all: BTreeSet<_> = names
            .map(|name| (reduced(name, Varies::Parts), name))
            .collect();
        all
    });
    was.difference(&is).find_map(|(base, old)| {
        let (_, new) = is.difference(&was).find(|(other, _)| other == base)?;
        Some(format!(
            "the C library chose other functions for the processor, such as {} in the old run and {} in the new run",
            text(old),
            text(new)
        ))
    })
}

/// A change of less than this percentage of the old run needs no explanation.
const WORTH_A_REASON: f64 = 1.0;

/// A smaller percentage of the change is not reported: it says little.
const MOST: f64 = 50.0;

/// Code that both runs can have.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum SharedText<'p> {
    /// A line of yours, by its function and the hash of its text.
    Line(&'p [u8], u32),
    /// The lines of a function without hashes, and whether you built it.
    Function(&'p [u8], bool),
}

/// Says which part of the change is in code whose source did not change, if both runs have hashes of
/// its lines. The system and toolchains did not change. Needs lines.
pub(crate) fn unchanged_source(old: &Profile, new: &Profile) -> Option<String> {
    let (was, is) = (old.line_hashes()?, new.line_hashes()?);
    let mut costs: BTreeMap<SharedText<'_>, [f64; 2]> = BTreeMap::new();
    let count = |row: &[i64]| row.first().map_or(0.0, |&cost| cost.max(0) as f64);
    for (at, (profile, carried)) in [(old, was), (new, is)].into_iter().enumerate() {
        for lines in (profile.lines).chunk_by(|a, b| (a.function, a.file) == (b.function, b.file)) {
            let hashes = carried.hashes(profile.name(lines[0].file));
            let name = profile.name_of(lines[0].function);
            let is_built = is_built(profile, &lines[0]);
            for line in lines {
                let code = match hashes.and_then(|hashes| hashes.get(&line.line)) {
                    Some(&hash) => SharedText::Line(name, hash),
                    None => SharedText::Function(name, is_built),
                };
                costs.entry(code).or_default()[at] += count(profile.line_cost(line));
            }
        }
    }
    let [mut unchanged, mut unknown, mut library] = [0.0; 3];
    // What each function of yours costs more, and whether some line ran in one run alone: an edited
    // line has two hashes, and changes what the compiler makes of the lines around it.
    let mut functions: BTreeMap<&[u8], (f64, bool)> = BTreeMap::new();
    for (code, cost) in costs {
        let more: f64 = cost[1] - cost[0];
        match code {
            SharedText::Line(name, _) => {
                let (sum, is_edited) = functions.entry(name).or_default();
                *sum += more;
                *is_edited |= cost.contains(&0.0);
            }
            SharedText::Function(_, true) => unknown += more.abs(),
            SharedText::Function(_, false) => library += more.abs(),
        }
    }
    // A macro or a type has no line with a cost.
    let files = was.lines.keys().filter(|&name| {
        let [was, is] = [was, is].map(|carried| carried.lines.get(name)?.get(&0));
        was != is && is.is_some()
    });
    let files: Vec<&String> = files.collect();
    // An edit can be why the code that is called costs more.
    if files.is_empty() {
        unchanged += library;
    } else {
        unknown += library;
    }
    for (more, is_edited) in functions.into_values() {
        if is_edited {
            unknown += more.abs();
        } else {
            unchanged += more.abs();
        }
    }
    let all = unchanged + unknown;
    let percent = (unchanged * 100.0 / all).floor();
    let least = if unknown > 0.0 { "at least " } else { "" };
    let edits = match &files[..] {
        [] => String::new(),
        [one] => format!("; {one} was edited"),
        [one, more @ ..] => format!("; {one} and {} more files were edited", more.len()),
    };
    (all * 100.0 >= count(&old.totals.row) * WORTH_A_REASON && percent >= MOST).then(|| {
        format!("{least}{percent} % of the change is in code whose source did not change{edits}")
    })
}

fn text(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        "(unknown)".into()
    } else {
        to_text(bytes)
    }
}

/// Reports the percentages of both runs in functions that the other run does not have, if both are
/// high: names may have changed.
pub fn unpaired(matching: &Matching<'_>, event: Event) -> Option<String> {
    let events = matching.events();
    let count = events.counter(event);
    let share = |side: &Side<'_>, run: usize| {
        let alone = (matching.pairs.iter())
            .map(|pair| pair.ids())
            .filter(|ids| ids[1 - run].is_none());
        let cost: i128 = alone
            .filter_map(|ids| Some(count(side.profile.self_cost(ids[run]?))))
            .sum();
        let total = count(&side.profile.totals.row);
        if total > 0 {
            cost as f64 * 100.0 / total as f64
        } else {
            0.0
        }
    };
    let (old, new) = (share(&matching.old, 0), share(&matching.new, 1));
    (old >= 10.0 && new >= 10.0).then(|| format!(
        "{old:.0} % of the old cost and {new:.0} % of the new are in functions that the other run does not have; if names changed, match them with --mod-funcname and --mod-filename"
    ))
}

/// Reports that the runs have no event in common, if so.
pub fn incomparable(old: &Profile, new: &Profile) -> Option<String> {
    let shared = old.events.shared(&new.events).0;
    let (old, new) = (names(&old.events), names(&new.events));
    shared
        .recorded()
        .is_empty()
        .then(|| format!("the two runs have no event in common: {old} and {new}"))
}

/// The names of the recorded events, joined.
pub fn names(events: &Events) -> String {
    joined(events.recorded().iter().map(to_text), ", ")
}
