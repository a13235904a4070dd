//! Xdebug's function traces.

use super::walk;
use crate::common::{Stage, counts, is_read_or_refused};
use cgannotate::input::{self, Options};
use cgannotate::profile::{FunctionId, Profile, WarningKind};
use std::collections::HashMap;

const HEAD: &str = "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-26 19:14:10.334796]\n";
const END: &str = "\t\t\t0.001\t900\nTRACE END   [2026-11-26 19:14:10.334892]\n\n";

fn read(text: &str) -> Profile {
    input::read_from("x", text.as_bytes(), &Options::all()).unwrap()
}

fn fixture(name: &str) -> Profile {
    let path = crate::common::fixtures().join("xdebug").join(name);
    input::read(&[path], &Options::all()).unwrap()
}

/// Each stack with its calls, time and memory.
fn stacks(profile: &Profile) -> Vec<(String, u64, Vec<i64>)> {
    let mut stacks = Vec::new();
    let tree = profile.tree.as_ref().unwrap();
    walk(tree, |context, chain| {
        let names = chain
            .iter()
            .map(|&id| profile.name(profile.function(id).name));
        let names: Vec<_> = names.map(String::from_utf8_lossy).collect();
        stacks.push((
            names.join(";"),
            context.calls,
            counts(tree.self_counts(context)),
        ));
    });
    stacks
}

fn shown(profile: &Profile) -> Vec<String> {
    let stacks = stacks(profile).into_iter();
    stacks
        .map(|(names, calls, cost)| format!("{names} {calls}x {} {}", cost[0], cost[1]))
        .collect()
}

/// A profile and a trace of one program have the same calls, and the same files as far as the trace
/// shows them.
#[test]
fn a_trace_has_the_tree_of_the_profile() {
    for (profile, trace) in [
        ("app-x320.xdebug", "trace-app-x320.xt.gz"),
        ("append-x320.xdebug", "trace-append-x320.xt"),
    ] {
        let [profile, trace] = [profile, trace].map(fixture);
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings.kept());
        let calls = |of: &Profile| {
            let mut calls: Vec<_> = stacks(of)
                .into_iter()
                .map(|(names, n, _)| (names, n))
                .collect();
            calls.sort();
            calls
        };
        let mut theirs = calls(&profile);
        if trace.parts.len() == 3 {
            // Only the trace has the function that runs at exit.
            let name = "{closure:/srv/r4/php/src/exit.php:4-4}";
            theirs.push((name.into(), 1));
            theirs.push((format!("{name};php::strtoupper"), 1));
            theirs.sort();
        }
        assert_eq!(calls(&trace), theirs);
        let files = |of: &Profile| -> HashMap<String, String> {
            let text = |id| String::from_utf8_lossy(of.name(id)).into_owned();
            let functions = of.function_ids().map(|id| of.function(id));
            functions.map(|f| (text(f.name), text(f.file))).collect()
        };
        let (known, shown) = (files(&profile), files(&trace));
        let unknown = shown.iter().filter(|(_, file)| *file == "???").count();
        assert!(unknown * 3 < shown.len(), "{shown:?}");
        for (name, file) in &shown {
            if let Some(of_profile) = known
                .get(name)
                .filter(|_| file != "???" && name != "{main}")
            {
                assert_eq!(file, of_profile, "{name}");
            }
        }
        // Calls have the places that the profile has.
        let sites = |of: &Profile| {
            let name = |id: FunctionId| {
                String::from_utf8_lossy(of.name(of.function(id).name)).into_owned()
            };
            let mut sites: Vec<_> = (of.arcs.iter())
                .flat_map(|arc| of.sites(arc).iter().map(move |site| (arc, site)))
                .map(|(arc, site)| (name(arc.caller), name(arc.callee), site.line, site.count))
                .filter(|(_, callee, ..)| !callee.contains("strtoupper"))
                .collect();
            sites.sort();
            sites
        };
        assert_eq!(sites(&trace), sites(&profile));
    }
}

/// All costs of the lists are in the tree, and the total is from the first record to the last.
#[test]
fn the_sums_are_those_of_the_records() {
    for (name, time, peak) in [
        ("trace-app-x320.xt.gz", None, None),
        (
            "trace-append-x320.xt",
            Some(6_800 + 8_000 + 5_300),
            Some(392_296),
        ),
        ("trace-part-x320.xt", Some(3_700), Some(392_480)),
        ("trace-killed-x320.xt", Some(550_100), Some(391_576)),
        ("trace-fibers-x320.xt", Some(72_700), Some(458_896)),
    ] {
        let profile = fixture(name);
        let total = counts(profile.totals.counts());
        assert!(
            time.is_none_or(|time| time == total[0]),
            "{name}: {total:?}"
        );
        assert!(
            peak.is_none_or(|peak| peak == total[1]),
            "{name}: {total:?}"
        );
        let mut sums: HashMap<FunctionId, [i64; 2]> = HashMap::new();
        let tree = profile.tree.as_ref().unwrap();
        for context in &tree.contexts {
            for (sum, cost) in sums
                .entry(context.function)
                .or_default()
                .iter_mut()
                .zip(counts(tree.self_counts(context)))
            {
                *sum += cost;
            }
        }
        for id in profile.function_ids() {
            assert_eq!(sums[&id][..], counts(profile.self_counts(id)), "{name}");
        }
        assert!(
            sums.values().map(|sum| sum[0]).sum::<i64>() <= total[0],
            "{name}"
        );
    }
}

/// What did not end lasts until the last record, below its callers.
#[test]
fn a_killed_program_has_whole_stacks() {
    let profile = fixture("trace-killed-x320.xt");
    assert_eq!(
        shown(&profile),
        [
            "{main} 1x 1500 0",
            "{main};outer 1x 5200 0",
            "{main};outer;inner 3x 4200 -80",
            "{main};outer;inner;php::usleep 3x 538900 120",
            "{main};outer;inner;php::getmypid 1x 300 0",
            "{main};outer;inner;php::exec 1x 0 0",
        ]
    );
    assert!(profile.is_truncated());
    let stage = Stage::of("xdebug");
    let out = stage.run(&[
        "check",
        "trace-killed-x320.xt",
        "--limit",
        "total.\"Time_(10ns)\" <= 1G",
    ]);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(
        out.status.code() == Some(4) && said.contains("a run has no `TRACE END`"),
        "{out:?}"
    );
}

/// A trace can begin and end in the middle of calls.
#[test]
fn calls_around_the_trace_are_unknown() {
    let profile = fixture("trace-part-x320.xt");
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings.kept());
    let roots: Vec<String> = shown(&profile)
        .into_iter()
        .filter(|stack| !stack.contains(';'))
        .collect();
    assert_eq!(
        roots,
        ["inner 2x 1200 -208", "helper 1x 200 0", "ends 1x 300 0"]
    );
    assert!(
        shown(&profile)
            .iter()
            .any(|stack| stack.starts_with("ends;php::xdebug_stop_trace 1x 100"))
    );
}

#[test]
fn appended_traces_are_runs() {
    let stage = Stage::of("xdebug");
    let file = "trace-append-x320.xt";
    let changed = stage.json(&["diff", &format!("{file}:1"), &format!("{file}:3")]);
    assert_eq!(changed["total"]["old"][0], 6_800);
    assert_eq!(changed["total"]["new"][0], 5_300);
    let stacks = stage.report(&["convert", "--to=folded", "-o-", "trace-append-x320.xt:2"]);
    assert!(
        stacks.contains("{main};outer;inner 1200\n") && !stacks.contains("alpha"),
        "{stacks}"
    );
}

/// The time of a Fiber is that of who resumes it, and the first line with such time is named.
#[test]
fn fibers_are_reported() {
    let profile = fixture("trace-fibers-x320.xt");
    let [warning] = profile.warnings.kept() else {
        panic!("{:?}", profile.warnings.kept())
    };
    assert_eq!(
        (warning.kind, warning.line),
        (WarningKind::BrokenOrder, Some(82))
    );
    let stacks = shown(&profile);
    let fiber = "{main};run_fibers;php::Fiber->start;inner_fiber;work";
    assert!(
        stacks.iter().any(|stack| stack.starts_with(fiber)),
        "{stacks:?}"
    );
}

#[test]
fn names_are_those_of_profiles() {
    let calls = "1\t0\t0\t0.5\t100\t{main}\t1\t\t/a.php\t0\t0\n\
        2\t1\t0\t0.50000001\t100\trequire\t1\t/b.php\t/a.php\t7\n\
        2\t1\t1\t0.50000003\t130\n\
        2\t2\t0\t0.50000003\t130\teval\t1\t'f(1);'\t/a.php\t8\n\
        3\t3\t0\t0.50000004\t130\tstrlen\t0\t\t/a.php(8) : eval()'d code\t1\t1\t'\t0\t'\n\
        3\t3\t1\t0.50000009\t140\n3\t3\tR\t\t\t12\n2\t\tA\t\t\t\t\t\t/a.php\t5\t$f = []\n\
        2\t2\t1\t0.50000009\t120\n1\t0\t1\t0.5000001\t90\n";
    for version in 2..=4 {
        let head = HEAD.replace("format: 4", &format!("format: {version}"));
        let profile = read(&format!("{head}{calls}{}", END.replace("0.001", "0.6")));
        assert!(profile.warnings.is_empty(), "{:?}", profile.warnings.kept());
        assert_eq!(
            shown(&profile),
            [
                "{main} 1x 2 -30",
                "{main};require::/b.php 1x 2 30",
                "{main};eval 1x 1 -20",
                "{main};eval;php::strlen 1x 5 10",
            ]
        );
        let file = |at: usize| {
            let function = profile.function(profile.function_ids().nth(at).unwrap());
            String::from_utf8_lossy(profile.name(function.file)).into_owned()
        };
        assert_eq!(
            [0, 1, 2, 3].map(file),
            [
                "/a.php",
                "/b.php",
                "/a.php(8) : eval()'d code",
                "php:internal"
            ]
        );
        assert_eq!(counts(profile.totals.counts()), [10_000_000, 900]);
    }
    for version in ["1", "5", "x", ""] {
        let head = HEAD.replace("format: 4", &format!("format: {version}"));
        let refused = input::read_from("x", format!("{head}{calls}").as_bytes(), &Options::all());
        let why = refused.err().unwrap().to_string();
        assert!(why.contains("x: this is not a profile"), "{version}: {why}");
    }
}

/// Lines that make no sense are skipped, with a warning, and nothing is counted twice.
#[test]
fn corrupt_lines_are_reported() {
    let entry = |number: &str, time: &str, name: &str| {
        format!("1\t{number}\t0\t{time}\t100\t{name}\t1\t\t/a.php\t3\t0\n")
    };
    let exit = |number: &str, time: &str| format!("1\t{number}\t1\t{time}\t100\n");
    let [f, g] = [entry("1", "0.1", "f"), entry("2", "0.2", "g")];
    for (text, kind, expected) in [
        // An end without a beginning.
        (
            format!("{f}{}{}", exit("7", "0.2"), exit("1", "0.3")),
            Some(WarningKind::BrokenOrder),
            "f 1x 20000000 0",
        ),
        (
            format!("{}{f}{}", exit("7", "0.1"), exit("1", "0.3")),
            None,
            "f 1x 20000000 0",
        ),
        // A call that ends before the calls by it.
        (
            format!("{f}{g}{}", exit("1", "0.3")),
            None,
            "f 1x 10000000 0, f;g 1x 10000000 0",
        ),
        // The clock goes back.
        (
            format!("{f}{g}{}{}", exit("2", "0.15"), exit("1", "0.25")),
            Some(WarningKind::WrappedCount),
            "f 1x 20000000 0, f;g 1x 0 0",
        ),
        // Numbers that are none.
        (
            format!("{f}{}{}", entry("2", "x", "g"), exit("1", "0.3")),
            Some(WarningKind::MalformedLine),
            "f 1x 20000000 0",
        ),
        (
            format!(
                "{f}1\t1\t1\t0.3\t99999999999999999999\n{}",
                exit("1", "0.3")
            ),
            Some(WarningKind::MalformedLine),
            "f 1x 20000000 0",
        ),
        // A sum that does not fit.
        (
            format!(
                "{f}{}{}{}",
                exit("5", "1e300"),
                exit("5", "0.1"),
                exit("1", "1e300")
            ),
            Some(WarningKind::Saturated),
            "f 1x 9223372036854775807 0",
        ),
        (
            format!("{f}nothing\n{}", exit("1", "0.3")),
            Some(WarningKind::MalformedLine),
            "f 1x 20000000 0",
        ),
        (
            format!("{f}1\t1\tR\t\t\t7\n\n\t\t\n{}", exit("1", "0.3")),
            None,
            "f 1x 20000000 0",
        ),
    ] {
        let profile = read(&format!("{HEAD}{text}{}", END.replace("0.001", "0.3")));
        assert_eq!(shown(&profile).join(", "), expected, "{text}");
        let has = |kind| profile.warnings.has(kind);
        assert!(
            kind.is_none_or(has),
            "{text}: {:?}",
            profile.warnings.kept()
        );
        assert!(
            kind.is_some() || profile.warnings.is_empty(),
            "{:?}",
            profile.warnings.kept()
        );
    }
}

#[test]
fn cut_anywhere() {
    for name in ["trace-append-x320.xt", "trace-part-x320.xt"] {
        let bytes = std::fs::read(crate::common::fixtures().join("xdebug").join(name)).unwrap();
        for end in 0..bytes.len() {
            let cut = &bytes[..end];
            let what = format!("{name} {end}");
            is_read_or_refused(&what, input::read_from("x", cut, &Options::all()));
        }
    }
}

/// Chains as deep as the trace is long, and ends in any order, take no more than n log n.
#[test]
fn deep_and_disordered_traces_take_no_time() {
    let mut text = String::from(HEAD);
    for number in 0..20_000 {
        text += &format!("1\t{number}\t0\t0.1\t1\tf\t1\t\t/a.php\t1\t0\n");
    }
    for number in 0..20_000 {
        text += &format!("1\t{}\t1\t0.1\t1\n", 30_000 + number);
    }
    let profile = read(&(text + END));
    assert_eq!(profile.tree.as_ref().unwrap().contexts.len(), 20_000);
}
