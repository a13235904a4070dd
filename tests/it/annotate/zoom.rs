//! One function on a page: what it and its calls cost adds up, in the profiles of `fixtures/`.

use crate::common::{LISTED, Stage, assert_same, fixtures};
use cgannotate::analysis::{Inclusive, Selection, Session, Threshold};
use cgannotate::export::callgrind;
use cgannotate::input::{self, Options};
use cgannotate::profile::{Counts, Profile, Separate};
use cgannotate::view::steps::{Steps, Sum};
use cgannotate::view::zoom::Zoom;
use std::collections::BTreeMap;

/// Recorded from the start of a program to its end, so that every call's inside was seen.
const WHOLE: [&str; 6] = [
    "shapes/shapes.plain.out",
    "cxx/inventory.out",
    "rust/balls.out",
    "callers/words.recs4.toggle.out",
    "interpreter/dash.out",
    "instr/inventory.instr-jumps.out",
];

fn read(profile: &str, separate: Separate) -> (Profile, Selection) {
    let path = fixtures().join(profile).to_str().unwrap().to_owned();
    let profile = input::read(
        &[path],
        &Options {
            separate,
            ..Options::all()
        },
    )
    .unwrap();
    let selection = Selection::new(&profile.events, &[], &[], &Threshold::whole(99)).unwrap();
    (profile, selection)
}

/// The first event's count.
fn count(row: Counts<'_>) -> i64 {
    row.recorded().next().flatten().unwrap_or(0)
}

/// The costs of a function's callees and its self cost add up to its inclusive cost, those of its
/// callers' calls to that of its calls, and the counts of the calls to how often it was called.
/// What a page says is left (a call from outside the profile, a signal handler) is checked against
/// the profile's own records.
#[test]
fn callees_and_callers_add_up() {
    let (mut functions, mut unexplained, mut summed_up) = (0, 0, 0);
    for name in WHOLE {
        for separate in [Separate::Levels, Separate::Nothing] {
            let (profile, mut selection) = read(name, separate);
            let session = Session::new(profile);
            let profile = session.profile();
            for id in profile.function_ids() {
                // On every other page, what is beyond two rows is summed up.
                selection.narrow.rows = if id.index() % 2 == 0 { None } else { Some(2) };
                let zoom = Zoom::new(&session, &selection, id, 1);
                let sum = |steps: &Steps<'_>| {
                    let more = steps.more.as_ref().map_or(0, |more| count(more.counts()));
                    steps
                        .steps
                        .iter()
                        .map(|step| count(step.counts()))
                        .sum::<i64>()
                        + more
                };
                let inside = sum(&zoom.callees) + count(zoom.self_counts());
                let label = zoom.label.name.to_string();
                assert_eq!(
                    inside + count(zoom.callees.rest_counts()),
                    count(zoom.inclusive_counts()),
                    "{name} {label}"
                );
                let counts = |more: &Option<Sum>| more.as_ref().map_or(0, |more| more.calls);
                let calls = zoom
                    .callers
                    .steps
                    .iter()
                    .map(|step| step.count.unwrap())
                    .sum::<u64>();
                let calls = calls + counts(&zoom.callers.more);
                let within = &zoom.recursive_callers;
                let recursive =
                    within.calls.iter().map(|call| call.count).sum::<u64>() + counts(&within.more);
                summed_up += usize::from(zoom.callers.more.is_some());
                assert_eq!(calls + recursive, zoom.calls, "{name} {label}");
                assert_eq!(recursive, zoom.recursive_calls);
                if zoom.cycle.is_empty() {
                    assert_eq!(
                        sum(&zoom.callers) + count(zoom.callers.rest_counts()),
                        count(zoom.inclusive_counts()),
                        "{label}"
                    );
                }
                functions += 1;
                unexplained += usize::from(count(zoom.callees.rest_counts()) != 0);
            }
        }
    }
    assert!(functions > 3000 && summed_up > 0, "{functions} {summed_up}");
    assert!(
        unexplained * 50 < functions,
        "{unexplained} of {functions} functions have cost that no callee explains"
    );
}

/// By hand: `main` calls `f` twice for 60 and `g` once for 20; `f` calls itself, and `h` for 30 in
/// all; `g` calls `h` for 10. So three quarters of what `h` costs come by way of `f`.
const TREE: &str = "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 5\ncfn=f\ncalls=2 1\n2 60\ncfn=g\ncalls=1 1\n3 20\n\
    fn=f\n10 30\ncfn=f\ncalls=7 1\n11 25\ncfn=h\ncalls=3 1\n12 30\nfn=g\n20 10\ncfn=h\ncalls=1 1\n21 10\nfn=h\n30 40\n";

const SOURCE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\nfn f\n  f\n  h\n}\n";

/// By hand: `a` and `b` call each other. What `main` calls is their cycle: `a` and `b` cost 45
/// themselves, `leaf` 45 for them.
const CYCLE: &str = "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 10\ncfn=a\ncalls=1 1\n2 90\n\
    fn=a\n10 20\ncfn=b\ncalls=3 1\n11 100\ncfn=leaf\ncalls=1 1\n12 15\n\
    fn=b\n20 25\ncfn=a\ncalls=2 1\n21 60\ncfn=leaf\ncalls=2 1\n22 30\nfn=leaf\n30 45\n";

#[test]
fn shares_of_a_member_of_a_cycle_are_of_the_cycle() {
    let stage = Stage::empty();
    stage.write("p", CYCLE);
    let page = stage.report(&["--auto=no", "--zoom=^a$", "p"]);
    let squeezed = page
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n");
    for lines in [
        "100 (100.0%) PROGRAM TOTALS (calculated)\n90 (90.00%) its cycle: all members and what they called\n\
         35 (35.00%) inclusive: it and what it called outside its cycle\n20 (20.00%) self: the function itself\n",
        "Ir callers (100% is what its cycle costs)\n",
        "90 (100.0%) < a.c:main (1x)\n. < a.c:b <cycle 1> (2x, recursive:",
        "20 (22.22%) * self\n15 (16.67%) > a.c:leaf (1x)\n. > a.c:b <cycle 1> (3x, recursive:",
    ] {
        assert!(squeezed.contains(lines), "{lines}\n{page}");
    }
}

/// A function has code in many files; what those have that are not shown stands below, by the sites
/// in JSON.
#[test]
fn files_with_little_of_a_function_are_added_up() {
    let profile = "inventory.instr-jumps.out";
    let stage = Stage::of("instr");
    let json = stage.json(&[profile]);
    let functions = json["functions"].as_array().unwrap();
    let main = functions
        .iter()
        .position(|function| function["name"] == "main")
        .unwrap();
    let mut costs: BTreeMap<&str, i64> = BTreeMap::new();
    for line in json["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["function"] == main)
    {
        *costs.entry(line["file"].as_str().unwrap()).or_default() +=
            line["self"][0].as_i64().unwrap();
    }
    for call in json["calls"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|call| call["caller"] == main)
    {
        for site in call["sites"].as_array().unwrap() {
            *costs.entry(site["file"].as_str().unwrap()).or_default() +=
                site["inclusive"][0].as_i64().unwrap();
        }
    }
    let (whole, own) = (
        functions[main]["inclusive"][0].as_i64().unwrap(),
        functions[main]["file"].as_str().unwrap(),
    );
    assert_eq!(costs.values().sum::<i64>(), whole);
    let (little, shown): (BTreeMap<_, _>, _) = costs
        .into_iter()
        .partition(|&(file, cost)| file != own && cost * 100 < whole);
    let page = stage.report(&[
        LISTED,
        "--zoom=^main$",
        "--auto=yes",
        "--show-percs=no",
        profile,
    ]);
    let sum: i64 = little.values().sum();
    let below = format!(
        "{sum}  lines and calls in {} more files with less than 1% each\n",
        little.len()
    );
    assert!(
        little.len() > 5 && page.replace(',', "").ends_with(&format!("{below}\n")),
        "{below}\n{page}"
    );
    let (found, named) = page.split_once("could not be found").unwrap();
    assert!(found.contains(&format!("source: {own}")), "{page}");
    assert!(
        shown.len() > 5
            && shown
                .keys()
                .all(|file| *file == own || named.contains(file)),
        "{shown:?}\n{page}"
    );
}

/// One call is a number of calls like any other.
#[test]
fn one_recursive_call_is_reported() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 2\n1 20\nfn=f\n2 10\ncfn=f\ncalls=1 2\n2 5\n",
    );
    let page = stage.report(&["--zoom=^f$", "p"]);
    let calls = "Calls:            2, 1 of them recursive\n";
    assert!(page.contains(calls), "{page}");
    let page = stage.report(&["--zoom=^main$", "p"]);
    assert!(!page.contains("recursive"), "{page}");
}

#[test]
fn a_page_is_what_the_calls_say() {
    let stage = Stage::empty();
    stage
        .write("p", TREE)
        .write("a.c", SOURCE)
        .date("a.c", crate::common::day(1));
    let page = stage.report(&[LISTED, "--zoom=^f$", "--context=0", "p"]);
    for line in [
        "Function:         a.c:f\nCalls:            9, 7 of them recursive\n",
        "85 (100.0%)  PROGRAM TOTALS (calculated)\n60 (70.59%)  inclusive: it and what it called\n30 (35.29%)  self",
        "60 (100.0%)  < a.c:main (2x, 30 each)\n .           < a.c:f (7x, recursive:",
        "30 (50.00%)  *  self\n30 (50.00%)  > a.c:h (3x, 10 each)\n .           > a.c:f (7x, recursive:",
        "30 (50.00%)  fn f\n",
        " .           f\n .           => a.c:f (7x, recursive)\n",
        " .           h\n30 (50.00%)  => a.c:h (3x)\n",
    ] {
        let squeezed = |text: &str| {
            text.lines()
                .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert!(squeezed(&page).contains(&squeezed(line)), "{line}\n{page}");
    }
    // Two levels up: 30 of 40 through `f`, 10 through `g`; all of it from `main`.
    let page = stage.report(&["--auto=no", "--zoom=h", "--depth=2", "p"]);
    let rows: Vec<String> = page
        .lines()
        .filter(|line| line.contains(" < "))
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        rows,
        [
            "30 (75.00%) < a.c:f (3x, 10 each)",
            "30 (75.00%) < a.c:main (2x, 15 each)",
            "10 (25.00%) < a.c:g (1x)",
            "10 (25.00%) < a.c:main (1x)"
        ],
        "main is the only caller of either, so that nothing is estimated"
    );
    // Where `f` has another caller, nobody knows which of the two it called `h` for; nor what is
    // above them.
    let other = TREE
        .replace(
            "\nfn=g\n",
            "\nfn=other\n40 1\ncfn=f\ncalls=1 1\n41 40\nfn=g\n",
        )
        .replace("10 30\n", "10 70\n");
    let page = stage.write("p", other).report(&[
        "--auto=no",
        "--zoom=h",
        "--depth=3",
        "--show-percs=no",
        "p",
    ]);
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.contains(" < "))
        .map(|line| line.trim())
        .collect();
    assert_eq!(
        rows,
        [
            "30  < a.c:f (3x, 10 each)",
            "18    < a.c:main (estimated)",
            "12    < a.c:other (estimated)",
            "10  < a.c:g (1x)",
            "10    < a.c:main (1x)"
        ]
    );
}

/// Folded, a function that recurses has the inclusive cost of the first level's calls from outside:
/// `fib` of shapes.c is called by `main` only, and costs what that call does; its self cost is that
/// of all levels. A profile that is folded later is written as one that is read so.
#[test]
fn levels_are_folded() {
    let (levels, _) = read("shapes/shapes.plain.out", Separate::Levels);
    let (folded, _) = read("shapes/shapes.plain.out", Separate::Nothing);
    let written = |profile: &Profile| {
        let mut out = Vec::new();
        callgrind::write(&mut out, profile, 1).unwrap();
        let text = String::from_utf8(out).unwrap();
        text[text.find("\nfn=").unwrap()..].to_owned()
    };
    let later = cgannotate::analysis::levels::folded(&levels);
    assert_same("folded later", &written(&folded), &written(&later));
    let named = |profile: &Profile, name: &str| {
        profile
            .function_ids()
            .filter(|&id| profile.name(profile.function(id).name) == name.as_bytes())
            .collect::<Vec<_>>()
    };
    for (first, second) in [("fib", "fib'2"), ("ins", "ins'2")] {
        let (one, two, whole) = (
            named(&levels, first)[0],
            named(&levels, second)[0],
            named(&folded, first)[0],
        );
        assert!(named(&folded, second).is_empty());
        let sum = count(levels.self_counts(one)) + count(levels.self_counts(two));
        assert_eq!(count(folded.self_counts(whole)), sum, "{first}");
        let outside = levels
            .arcs
            .iter()
            .filter(|arc| arc.callee == one)
            .map(|arc| count(levels.arc_counts(arc)));
        assert_eq!(
            count(Inclusive::new(&folded).counts(whole)),
            outside.sum::<i64>(),
            "{first}"
        );
    }
    let report =
        Stage::of("shapes").report(&[LISTED, "--fold-recursion", "--auto=no", "shapes.plain.out"]);
    assert!(!report.contains("'2"), "{report}");
}

#[test]
fn what_cannot_be_zoomed_is_said() {
    let stage = Stage::empty();
    stage.write("p", TREE);
    let run = |args: &[&str]| {
        let out = stage.run(args);
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    assert_eq!(
        run(&["--zoom=nothing", "p"]),
        (
            Some(2),
            "cgannotate: --zoom: no function matches `nothing`\n".into()
        )
    );
    let (status, said) = run(&["--zoom=^[fgh]$", "--auto=no", "p"]);
    assert_eq!(
        (status, &said[..]),
        (
            Some(0),
            "cgannotate: --zoom: 2 more functions match, such as h; the most expensive is shown\n"
        )
    );
    let (status, said) = run(&["--zoom=^Main$", "p"]);
    assert_eq!(
        (status, &said[..]),
        (
            Some(2),
            "cgannotate: --zoom: no function matches `^Main$`\nhint: did you mean main?\n"
        )
    );
    let (_, said) = run(&["--zoom=f", "--not-function=f", "p"]);
    assert_eq!(
        said,
        "cgannotate: --zoom: another filter excludes what matches `f`\n"
    );
    let (_, said) = run(&["--zoom=f", "--function=^main$", "p"]);
    assert_eq!(
        said,
        "cgannotate: --zoom: another filter excludes what matches `f`\n"
    );
    let (status, said) = run(&["--zoom=(", "p"]);
    assert_eq!(
        (status, &said[..]),
        (
            Some(2),
            "cgannotate: --zoom: `(` is not a valid regular expression: unclosed group\n"
        )
    );
}

/// A pattern is looked for anywhere in a name, but who types a whole name means it, however cheap
/// it is and whatever else has it: the one that was compiled with a file and ran code of its own.
#[test]
fn a_whole_name_wins_over_a_pattern() {
    let stage = Stage::empty();
    let text = "version: 1\nevents: Ir\nob=/lib/ld.so\nfl=???\nfn=(below main)\n0 5\ncob=/bin/p\ncfi=m.c\ncfn=main\n\
        calls=1 1\n0 90\nfn=init\n0 60\nob=/bin/p\nfl=m.c\nfn=main\n1 20\ncfn=domain\ncalls=1 9\n2 40\n\
        fn=domain\n9 40\nfn=init\n20 7\nfn=operator*(A)\n30 1\nfn=operator+(A)\n31 2\nfn=a(\\cart\n32 1\n";
    stage.write("p", text);
    let zoom = |args: &[&str]| {
        let out = stage.run(&[args, &["--auto=no", "p"]].concat());
        let said = String::from_utf8(out.stderr).unwrap();
        let page = String::from_utf8(out.stdout).unwrap();
        let name = page
            .lines()
            .find_map(|line| line.strip_prefix("Function:"))
            .unwrap_or("")
            .trim()
            .to_owned();
        (name, said)
    };
    let of = |name: &str, said: &str| (name.to_owned(), said.to_owned());
    let others = "cgannotate: --zoom: 2 more functions match, such as (below main); the one with exactly that name is shown\n";
    assert_eq!(zoom(&["--zoom=main"]), of("m.c:main [/bin/p]", others));
    let twin =
        "cgannotate: --zoom: init of ??? matches, too; the one with source and code is shown\n";
    assert_eq!(zoom(&["--zoom=init"]), of("m.c:init [/bin/p]", twin));
    assert_eq!(
        zoom(&["--zoom=operator*(A)"]),
        of("m.c:operator*(A) [/bin/p]", "")
    );
    assert_eq!(
        zoom(&["--zoom=a(\\cart"]),
        of("m.c:a(\\cart [/bin/p]", ""),
        "no pattern at all"
    );
    assert_eq!(zoom(&["--zoom=mai"]).0, "???:(below main) [/lib/ld.so]");
    let nothing = "cgannotate: --zoom: no function matches `mian`\nhint: did you mean main?\n";
    assert_eq!(zoom(&["--zoom=mian"]), of("", nothing));
}

/// A level of a recursion is not the whole of it, and who names the function may not know of
/// levels.
#[test]
fn levels_are_pointed_out() {
    let stage = Stage::of("shapes");
    let said = |args: &[&str]| {
        let out = stage.run(&[args, &["--auto=no", "shapes.plain.out"]].concat());
        assert_eq!(out.status.code(), Some(0));
        String::from_utf8(out.stderr).unwrap()
    };
    let hint = "cgannotate: --zoom: fib'2 is another recursion level of fib\nhint: --fold-recursion joins them\n";
    assert_eq!(said(&["--zoom=^fib$"]), hint);
    assert_eq!(
        said(&["--zoom=fib"]),
        hint,
        "that the other level matches is no news then"
    );
    assert_eq!(said(&["--zoom=fib", "--fold-recursion"]), "");
    assert_eq!(said(&["--zoom=^main$"]), "");
    // With callers behind the name, the level stands before them.
    stage.write(
        "callers",
        "version: 1\nevents: Ir\nfl=a.c\nfn=f'main\n1 5\nfn=f'2'main\n2 2\n",
    );
    let out = stage.run(&["--zoom=^f'main$", "--auto=no", "callers"]);
    let hint = "cgannotate: --zoom: f'2'main is another recursion level of f'main\nhint: --fold-recursion joins them\n";
    assert_eq!(String::from_utf8_lossy(&out.stderr), hint);
    // Functions of two files are two, whatever their names.
    stage.write(
        "p",
        "version: 1\nevents: Ir\nfl=a.c\nfn=f\n1 5\nfl=b.c\nfn=f\n1 3\nfn=f'2\n2 2\n",
    );
    let out = stage.run(&["--zoom=^f$", "--auto=no", "p"]);
    assert_eq!(
        String::from_utf8_lossy(&out.stderr),
        "cgannotate: --zoom: f of b.c matches, too; the most expensive is shown\n"
    );
}

/// Cachegrind records no calls: what a function costs with them is not known, and not its self cost
/// once more.
#[test]
fn without_calls_there_is_no_inclusive_cost() {
    let stage = Stage::of("shapes");
    let page = stage.report(&["--zoom=ins", "--auto=no", "shapes.cg.out"]);
    assert!(
        page.contains("\nCalls:            not recorded, so the inclusive cost is not known\n"),
        "{page}"
    );
    assert!(page.contains(" self: the function itself\n"), "{page}");
    for word in ["inclusive:", "callers", "callees"] {
        assert!(!page.contains(word), "{word}: {page}");
    }
    let word = "cgannotate: the profile has no calls, so inclusive costs are not known; these are self costs\n";
    for form in ["text", "csv", "json", "markdown"] {
        let form = format!("--format={form}");
        let own = stage.run(&[&form, "--auto=no", "--inclusive=no", "shapes.cg.out"]);
        let inclusive = stage.run(&[&form, "--auto=no", "--inclusive=yes", "shapes.cg.out"]);
        assert!(
            own.stderr.is_empty() && inclusive.status.success(),
            "{form}"
        );
        assert_eq!(String::from_utf8(inclusive.stderr).unwrap(), word, "{form}");
        assert_eq!(own.stdout, inclusive.stdout, "{form}");
    }
    let report = stage.json(&["shapes.cg.out"]);
    let functions = report["functions"].as_array().unwrap();
    assert!(
        functions.len() > 50
            && functions
                .iter()
                .all(|function| function["inclusive"].is_null())
    );
    std::fs::write(
        stage.dir.join("old"),
        "desc: I1 cache: \nevents: Ir\nfl=a.c\nfn=f\n1 5\nsummary: 5\n",
    )
    .unwrap();
    std::fs::write(
        stage.dir.join("new"),
        "desc: I1 cache: \nevents: Ir\nfl=a.c\nfn=f\n1 7\nsummary: 7\n",
    )
    .unwrap();
    let change = stage.json(&["diff", "--input-format=cachegrind", "old", "new"]);
    assert_eq!(
        change["functions"][0]["self"]["change"],
        serde_json::json!([2])
    );
    assert!(change["functions"][0]["inclusive"].is_null());
}

/// `leaf` is called by 30 functions, `aN` for N of its 465, and `hub` is in a cycle of ten.
#[test]
fn many_callers_and_large_cycles_are_summed_up() {
    let stage = Stage::empty();
    let mut text = "version: 1\nevents: Ir\nfl=a.c\n".to_owned();
    for n in 1..=30 {
        text += &format!("fn=a{n}\n1 0\ncfn=leaf\ncalls=2 1\n1 {n}\n");
    }
    text += "fn=leaf\n9 465\n";
    for n in 0..9 {
        text += &format!(
            "fn=ring{n}\n1 {}\ncfn=ring{}\ncalls=3 1\n1 7\n",
            10 - n,
            (n + 1) % 9
        );
        text += "cfn=hub\ncalls=4 1\n1 1\n";
    }
    text += "fn=hub\n1 1\ncfn=ring0\ncalls=1 1\n1 1\n";
    stage.write("p", text);
    let has = |args: &[&str], lines: &[&str]| {
        let page = stage.report(&[args, &["--auto=no", "p"]].concat());
        let page: Vec<String> = page
            .lines()
            .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        lines.iter().for_each(|line| {
            assert!(
                page.iter().any(|have| have == line),
                "{line}\n{}",
                page.join("\n")
            )
        });
    };
    // All with at least half a per cent, which is 2.3 of 465, have a row of their own.
    has(
        &["--zoom=leaf"],
        &[
            "3 ( 0.65%) < a.c:a3 (2x, 2 each)",
            "3 ( 0.65%) < (2 more functions, 4x)",
        ],
    );
    has(
        &["--zoom=leaf", "-n1"],
        &[
            "30 ( 6.45%) < a.c:a30 (2x, 15 each)",
            "435 (93.55%) < (29 more functions, 58x)",
        ],
    );
    // 5 % of the program's 520 are 26.
    has(
        &["--zoom=leaf", "--min=5%"],
        &[
            "26 ( 5.59%) < a.c:a26 (2x, 13 each)",
            "325 (69.89%) < (25 more functions, 50x)",
        ],
    );
    has(
        &["--zoom=leaf", "--min=5%", "-n1"],
        &["435 (93.55%) < (29 more functions, 58x)"],
    );
    let head = "Cycle: <cycle 1>, 10 functions that call each other; also";
    has(
        &["--zoom=hub"],
        &[
            head,
            "a.c:ring0",
            "a.c:ring4",
            "and 4 more",
            ". < (4 more functions, 16x, recursive)",
        ],
    );
}

/// A tree as deep as its input is long, and one that would double with every level.
#[test]
fn trees_are_as_deep_as_the_program() {
    let stage = Stage::empty();
    let mut chain = String::from("events: Ir\nfl=a.c\n");
    for at in 0..20_000 {
        chain += &format!(
            "fn=f{at}\n1 1\ncfn=f{}\ncalls=1 1\n1 {}\n",
            at + 1,
            20_000 - at
        );
    }
    stage.write("chain", chain + "fn=f20000\n1 1\n");
    let report = stage.report(&["--zoom=^f0$", "--depth=12000", "--auto=no", "chain"]);
    assert_eq!(report.matches(" > ").count(), 12_000);

    // Of costs above and below zero every callee seems to be dearer than all of its caller.
    let mut ladder = String::from("events: Ir\nfl=a.c\n");
    for at in 0..40 {
        for side in ["f", "g"] {
            ladder += &format!("fn={side}{at}\n1 1\n");
            for (callee, cost) in [("f", 1_000_001), ("g", -1_000_000)] {
                ladder += &format!("cfn={callee}{}\ncalls=1 1\n1 {cost}\n", at + 1);
            }
        }
    }
    stage.write("ladder", ladder);
    let report = stage.report(&["--zoom=^f0$", "--depth=60", "--auto=no", "ladder"]);
    assert_eq!(
        report
            .matches("deeper levels are omitted: the tree is too large")
            .count(),
        1
    );
    assert!(report.lines().count() < 101_000);
}

/// Names in a sentence are short, however long those of templates are.
#[test]
fn what_is_said_of_long_names_is_short() {
    let stage = Stage::empty();
    let name = |n: usize| {
        format!(
            "ns::table<{}>::insert(int)",
            vec!["std::vector<int>"; n].join(", ")
        )
    };
    let (f, g) = (name(80), name(90));
    let returns = "fn=Matrix<double> multiply<double>(Matrix<double> const&)";
    stage.write(
        "p",
        format!("events: Ir\nfl=a.cc\nfn={f}\n1 10\nfn={f}'2\n2 5\nfn={g}\n3 4\n{returns}\n4 4\n"),
    );
    for (args, pieces) in [
        (
            &["--zoom=insert", "--auto=no", "p"][..],
            &[
                "ns::table<…>::insert(…)",
                "recursion level of",
                "matches, too",
            ][..],
        ),
        (
            &["--zoom=^insrt$", "p"],
            &["did you mean ns::table<…>::insert(…)"],
        ),
        (
            &["--zoom=multipy", "p"],
            &["did you mean Matrix<double> multiply<double>(", "?\n"],
        ),
    ] {
        let err = String::from_utf8(stage.run(args).stderr).unwrap();
        assert!(err.lines().all(|line| line.chars().count() < 250), "{err}");
        assert!(pieces.iter().all(|piece| err.contains(piece)), "{err}");
    }
}
