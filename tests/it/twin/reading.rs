//! The library's reading brought into the twin's form, and the comparisons.

use super::generate::Truth;
use super::naive::{self, Call, Cost, Cycle, Fatal, Function, Name, Profile};
use cgannotate::analysis::Inclusive;
use cgannotate::input::{self, ErrorKind, Options};
use cgannotate::profile::{self, Collect, Counts, Event, FunctionId, WarningKind};
use std::collections::BTreeMap;
use std::io::Read;

/// What the library refuses by its first bytes alone; the twin takes anything for a profile.
pub(crate) const NO_PROFILE: &str = "no profile";

/// Yields at most so many bytes at a time.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

/// The library's reading, `block` bytes at a time from a source that yields at most `most`.
pub(crate) fn library(bytes: &[u8], block: usize, most: usize) -> Result<Profile, Fatal> {
    read(bytes, block, most).map(|profile| reading(&profile))
}

fn read(bytes: &[u8], block: usize, most: usize) -> Result<profile::Profile, Fatal> {
    read_with(
        bytes,
        most,
        &Options {
            block,
            // The twin keeps names as they were recorded.
            separate: profile::Separate::Everything,
            ..Options::all()
        },
    )
}

pub(crate) fn read_with(
    bytes: &[u8],
    most: usize,
    options: &Options,
) -> Result<profile::Profile, Fatal> {
    input::read_from("x.out", Trickle(bytes, most), options).map_err(|error| {
        let message = match error.kind() {
            ErrorKind::NoProfile => NO_PROFILE.into(),
            _ => error.to_string(),
        };
        Fatal {
            line: error.line().unwrap_or(0),
            message,
        }
    })
}

/// Everything that a profile says, with all ids: two readings of one input that differ in any way
/// differ here.
pub(crate) fn everything(bytes: &[u8], options: &Options) -> Result<Vec<String>, Fatal> {
    let p = read_with(bytes, usize::MAX, options)?;
    let mut out: Vec<String> = p.parts.iter().map(|part| format!("{part:?}")).collect();
    out.push(format!(
        "{:?} {:?} {:?}",
        p.events.recorded(),
        p.totals,
        p.recorded
    ));
    out.extend(
        p.warnings
            .kept()
            .iter()
            .map(|warning| format!("{warning:?}")),
    );
    for (id, f) in p.function_ids().zip(&p.functions) {
        let names = [f.object, f.file, f.name].map(|name| p.name(name).escape_ascii().to_string());
        out.push(format!("{f:?} {names:?} {:?}", p.self_counts(id)));
    }
    out.extend(
        p.lines
            .iter()
            .map(|l| format!("{:?} {:?}", (l.function, l.file, l.line), p.line_counts(l))),
    );
    for arc in &p.arcs {
        out.push(format!(
            "{:?} {:?}",
            (arc.caller, arc.callee, arc.count),
            p.arc_counts(arc)
        ));
        let sites = p.sites(arc).iter();
        out.extend(
            sites.map(|s| format!("    {:?} {:?}", (s.file, s.line, s.count), p.site_counts(s))),
        );
    }
    if let Some(code) = &p.code {
        out.extend(code.instructions().map(|one| format!("{one:?}")));
        out.extend(code.calls().map(|one| format!("{one:?}")));
        out.extend(code.jumps().map(|one| format!("{one:?}")));
    }
    Ok(out)
}

/// What a list of functions shows, from a reading that collects `collect`; `None` where a sum did
/// not fit, for then the order of adding shows. Without lines, a line number that cannot be is no
/// matter.
pub(crate) fn listed(bytes: &[u8], collect: Collect) -> Option<Result<Vec<String>, u64>> {
    let p = match read_with(
        bytes,
        usize::MAX,
        &Options {
            collect,
            ..Options::all()
        },
    ) {
        Ok(profile) => profile,
        Err(fatal) => return Some(Err(fatal.line)),
    };
    let mut out = vec![format!("{:?}", p.totals)];
    out.extend(p.parts.iter().map(|part| format!("{part:?}")));
    for &id in &p.recorded {
        let f = p.function(id);
        let [object, file, name] = [f.object, f.file, f.name].map(|id| p.name(id).escape_ascii());
        out.push(format!("{object} {file}:{name}: {:?}", p.self_counts(id)));
    }
    let kept = p.warnings.kept().iter();
    if kept.clone().any(|warning| {
        warning.kind == WarningKind::Saturated && !warning.message.contains("line number")
    }) {
        return None;
    }
    // Only the first few of a kind are kept.
    let of_lines =
        |kind: WarningKind| matches!(kind, WarningKind::NegativeLine | WarningKind::Saturated);
    out.extend(
        kept.filter(|w| !of_lines(w.kind))
            .map(|w| format!("{:?} {}", w.line, w.message)),
    );
    Some(Ok(out))
}

/// The library's reading of several files, summed.
pub(crate) fn merged(seed: u64, files: &[Vec<u8>]) -> Result<Profile, Fatal> {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let names: Vec<String> = (0..files.len())
        .map(|at| {
            folder
                .join(format!("twin-{}-{seed}-{at}.out", std::process::id()))
                .display()
                .to_string()
        })
        .collect();
    for (name, bytes) in names.iter().zip(files) {
        std::fs::write(name, bytes).expect("the folder can be written");
    }
    let options = Options {
        separate: profile::Separate::Everything,
        ..Options::all()
    };
    let sum = input::read(&names, &options).map(|profile| reading(&profile));
    names
        .iter()
        .for_each(|name| std::fs::remove_file(name).expect("it was written"));
    sum.map_err(|error| Fatal {
        line: error.line().unwrap_or(0),
        message: error.to_string(),
    })
}

/// What does not depend on the spelling: no warnings, which have lines, and no derived events,
/// whose order is that of the header.
pub(crate) fn without_spelling(read: Result<Profile, Fatal>) -> Result<Profile, Fatal> {
    read.map(|mut profile| {
        let recorded = profile.recorded;
        let cut = |row: &mut Vec<i64>| row.truncate(recorded);
        profile.warnings.clear();
        profile.events.truncate(recorded);
        cut(&mut profile.totals);
        for cost in profile.functions.values_mut() {
            cut(&mut cost.self_cost);
            cut(&mut cost.inclusive);
        }
        profile.lines.values_mut().for_each(cut);
        for call in profile.calls.values_mut() {
            cut(&mut call.inclusive);
            call.sites.values_mut().for_each(|site| cut(&mut site.1));
        }
        for cycle in &mut profile.cycles {
            cut(&mut cycle.self_cost);
            cut(&mut cycle.inclusive);
        }
        profile
    })
}

/// Reads with the library and the twin, which must agree; the twin's reading. Xdebug's files say
/// more than the twin knows of.
pub(crate) fn both(label: &str, bytes: &[u8]) -> Result<Profile, Fatal> {
    let twin = naive::read(bytes);
    match read(bytes, 256 * 1024, usize::MAX) {
        Err(fatal) if fatal.message == NO_PROFILE => {}
        Ok(profile) if profile.format.name == "xdebug" => {}
        // How it ends its files is a matter of `tests/it/cuts.rs`.
        Ok(profile) if profile.format.name == "cachegrind" && profile.is_truncated() => {}
        library => agree(
            label,
            bytes,
            &library.map(|profile| reading(&profile)),
            &twin,
        ),
    }
    twin
}

/// Two readings are the same; of errors, the lines are.
pub(crate) fn agree(
    label: &str,
    bytes: &[u8],
    a: &Result<Profile, Fatal>,
    b: &Result<Profile, Fatal>,
) {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            same(
                label,
                bytes,
                "the reading",
                &described(&comparable(a)),
                &described(&comparable(b)),
            );
        }
        (Err(a), Err(b)) => assert_eq!(a.line, b.line, "{label}: {a:?}, {b:?}\n{}", shown(bytes)),
        _ => panic!(
            "{label}: {:?}, {:?}\n{}",
            a.as_ref().err(),
            b.as_ref().err(),
            shown(bytes)
        ),
    }
}

/// Where a sum did not fit, the order of adding shows; then it is enough that both said so.
fn comparable(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    // Which last numbers can be checked is a matter of `tests/it/cuts.rs`.
    profile
        .warnings
        .retain(|(_, kind)| *kind != "unchecked-end");
    let all = profile.warnings.len();
    profile.warnings.retain(|(_, kind)| *kind != "saturated");
    if profile.warnings.len() < all {
        profile.warnings.insert((0, "saturated"));
        let mut forget = |row: &mut Vec<i64>| row.fill(0);
        forget(&mut profile.totals);
        for cost in profile.functions.values_mut() {
            forget(&mut cost.self_cost);
            forget(&mut cost.inclusive);
        }
        profile.lines.values_mut().for_each(&mut forget);
        for call in profile.calls.values_mut() {
            forget(&mut call.inclusive);
            call.sites.values_mut().for_each(|site| forget(&mut site.1));
        }
        profile.cycles.clear();
        profile
            .functions
            .values_mut()
            .for_each(|cost| cost.cycle = None);
        // Only sums that are wrong by less than the limit differ in this.
        profile
            .warnings
            .retain(|(_, kind)| *kind != "totals-mismatch");
    }
    profile
}

/// Fails with the differences and the profile.
pub(crate) fn same(label: &str, bytes: &[u8], what: &str, a: &[String], b: &[String]) {
    if a != b {
        let only = |these: &[String], those: &[String]| -> String {
            these
                .iter()
                .filter(|line| !those.contains(line))
                .take(12)
                .map(|line| format!("  {line}\n"))
                .collect()
        };
        let (left, right) = (only(a, b), only(b, a));
        panic!(
            "{label}: {what} differs\n--- only one:\n{left}--- only the other:\n{right}--- of\n{}",
            shown(bytes)
        );
    }
}

/// The one line that each function has in each file where no more is collected.
pub(crate) fn firsts(p: &profile::Profile) -> BTreeMap<(Function, Name), u64> {
    let name = |id| p.name(id).to_vec();
    let function = |id: FunctionId| {
        let f = p.function(id);
        Function {
            object: name(f.object),
            file: name(f.file),
            name: name(f.name),
        }
    };
    p.lines
        .iter()
        .map(|line| ((function(line.function), name(line.file)), line.line))
        .collect()
}

fn function(f: &Function) -> String {
    format!(
        "{} {}:{}",
        f.object.escape_ascii(),
        f.file.escape_ascii(),
        f.name.escape_ascii()
    )
}

/// A profile as lines of text.
fn described(p: &Profile) -> Vec<String> {
    let events: Vec<String> = p
        .events
        .iter()
        .map(|event| event.escape_ascii().to_string())
        .collect();
    let mut out = vec![
        format!(
            "events {events:?}, {} recorded, {} parts",
            p.recorded, p.parts
        ),
        format!("totals {:?} {}", p.totals, p.totals_source),
    ];
    out.extend(
        p.functions
            .iter()
            .map(|(f, cost)| format!("function {}: {cost:?}", function(f))),
    );
    out.extend(p.lines.iter().map(|((f, file, line), cost)| {
        format!("line {} of {}: {cost:?}", at(file, *line), function(f))
    }));
    for ((a, b), call) in &p.calls {
        out.push(format!(
            "{} calls {}: {} {:?}",
            function(a),
            function(b),
            call.count,
            call.inclusive
        ));
        out.extend(
            call.sites
                .iter()
                .map(|((file, line), site)| format!("    at {}: {site:?}", at(file, *line))),
        );
    }
    for (number, cycle) in p.cycles.iter().enumerate() {
        let members: Vec<String> = cycle.members.iter().map(function).collect();
        out.push(format!(
            "cycle {number} {:?} {:?} of {members:?}",
            cycle.self_cost, cycle.inclusive
        ));
    }
    out.extend(
        p.warnings
            .iter()
            .map(|warning| format!("warning {warning:?}")),
    );
    out
}

fn at(file: &[u8], line: u64) -> String {
    format!("{}:{line}", file.escape_ascii())
}

/// What the reading of a generated profile says of what it was made from.
pub(crate) fn same_as_truth(label: &str, bytes: &[u8], read: &Profile, truth: &Truth) {
    let row = |row: &Vec<i64>| row[..read.recorded].to_vec();
    let mut out = vec![format!(
        "{:?} {:?}",
        &read.events[..read.recorded],
        (read.parts, row(&read.totals))
    )];
    out.extend(read.lines.iter().map(|((f, file, line), cost)| {
        format!(
            "line {} of {}: {:?}",
            at(file, *line),
            function(f),
            row(cost)
        )
    }));
    for ((a, b), call) in &read.calls {
        for ((file, line), (count, cost)) in &call.sites {
            out.push(format!(
                "{} calls {} at {}: {count} {:?}",
                function(a),
                function(b),
                at(file, *line),
                row(cost)
            ));
        }
    }
    out.extend(read.warnings.iter().map(|warning| format!("{warning:?}")));

    let mut want = vec![format!(
        "{:?} {:?}",
        truth.events,
        (truth.parts, &truth.totals)
    )];
    want.extend(truth.lines.iter().map(|((f, file, line), cost)| {
        format!("line {} of {}: {cost:?}", at(file, *line), function(f))
    }));
    want.extend(
        truth
            .calls
            .iter()
            .map(|((a, b, file, line), (count, cost))| {
                format!(
                    "{} calls {} at {}: {count} {cost:?}",
                    function(a),
                    function(b),
                    at(file, *line)
                )
            }),
    );
    // Of a last line without a line feed, what does not add up says that it is cut.
    let lines = bytes.split(|&b| b == b'\n').count() as u64;
    let half = (lines, "truncated");
    let is_half = !bytes.ends_with(b"\n") && read.warnings.contains(&half);
    let mut told = truth.warnings.clone();
    // Earlier parts can have sums that do not add up, too.
    if is_half && told.contains(&(0, "totals-mismatch")) {
        told.insert(half);
        if !read.warnings.contains(&(0, "totals-mismatch")) {
            told.remove(&(0, "totals-mismatch"));
        }
    }
    want.extend(told.iter().map(|warning| format!("{warning:?}")));
    same(label, bytes, "what the profile was made from", &out, &want);
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(20_000)]);
    text.split('\n')
        .enumerate()
        .map(|(at, line)| format!("{:4} {line:?}\n", at + 1))
        .collect()
}

/// The library's profile by names.
pub(crate) fn reading(p: &profile::Profile) -> Profile {
    let inclusive = Inclusive::new(p);
    let name = |id| p.name(id).to_vec();
    let function = |id: FunctionId| {
        let f = p.function(id);
        Function {
            object: name(f.object),
            file: name(f.file),
            name: name(f.name),
        }
    };
    let recorded = p.events.recorded().len();
    let all: Vec<Event> = (0..recorded)
        .map(Event::Recorded)
        .chain((0..p.events.derived().len()).map(Event::Derived))
        .collect();
    let row = |row: Counts<'_>| -> Vec<i64> {
        all.iter()
            .map(|&e| row.get(&p.events, e).unwrap_or(0))
            .collect()
    };

    let functions = p.function_ids().map(|id| {
        let cost = Cost {
            self_cost: row(p.self_counts(id)),
            inclusive: row(inclusive.counts(id)),
            called: inclusive.called(id),
            cycle: inclusive.cycle_of(id),
        };
        (function(id), cost)
    });
    let lines = p.lines.iter().map(|line| {
        (
            (function(line.function), name(line.file), line.line),
            row(p.line_counts(line)),
        )
    });
    let mut calls = BTreeMap::new();
    for arc in &p.arcs {
        let sites = p
            .sites(arc)
            .iter()
            .map(|s| ((name(s.file), s.line), (s.count, row(p.site_counts(s)))))
            .collect();
        let call = Call {
            count: arc.count,
            inclusive: row(p.arc_counts(arc)),
            sites,
        };
        let old = calls.insert((function(arc.caller), function(arc.callee)), call);
        assert!(old.is_none(), "an arc stands there twice");
    }
    let cycles = inclusive.cycles.iter().map(|cycle| {
        let mut members: Vec<Function> = cycle.members.iter().map(|&id| function(id)).collect();
        members.sort();
        Cycle {
            members,
            self_cost: row(cycle.self_counts()),
            inclusive: row(cycle.inclusive_counts()),
        }
    });
    let warnings = p
        .warnings
        .kept()
        .iter()
        .map(|w| (w.line.unwrap_or(0), &*w.kind.name().leak()));
    let inclusive_warning = inclusive.saturated.then_some((0, "saturated"));
    let read = Profile {
        events: all.iter().map(|&e| p.events.name(e).to_vec()).collect(),
        recorded,
        totals: row(p.totals.counts()),
        totals_source: p.totals.source.name().leak(),
        parts: p.parts.len(),
        functions: functions.collect(),
        lines: lines.collect(),
        firsts: BTreeMap::new(),
        calls,
        cycles: cycles.collect(),
        warnings: warnings.chain(inclusive_warning).collect(),
    };
    assert_eq!(
        read.functions.len(),
        p.functions.len(),
        "a function stands there twice"
    );
    assert_eq!(read.lines.len(), p.lines.len(), "a line stands there twice");
    read
}
