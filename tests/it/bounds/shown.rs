//! What is worth a word, and how much of it.

use super::{all_of, flat, read, written};
use crate::common::Stage;
use cgannotate::analysis::doubts::doubts;
use cgannotate::analysis::growth::Growth;
use cgannotate::analysis::routines::{Axes, RoutineDetail};
use cgannotate::analysis::{Selection, selection::Threshold};

/// Of objects without debug information those with a fifth of the cost are told.
#[test]
fn doubts_begin_at_a_fifth() {
    for (cost, told) in [(200, 1), (199, 0)] {
        for name in ["f", "0x1130"] {
            let text = format!(
                "events: Ir\nob=/x\nfl=a.c\nfn=g\n1 {}\nob=/y\nfl=???\nfn={name}\n0 {cost}\n",
                1000 - cost
            );
            let profile = read(&text);
            let selection =
                Selection::new(&profile.events, &[], &[], &Threshold::whole(99)).unwrap();
            assert_eq!(doubts(&profile, &selection).len(), told, "{cost} {name}");
        }
    }
}

/// More than a quarter of the cost outside own code is told, and three functions in which it
/// begins, if each has a tenth of that.
#[test]
fn a_quarter_outside_own_code_is_told() {
    let said = |own: u64, others: &[u64]| {
        let others = others
            .iter()
            .enumerate()
            .map(|(at, cost)| format!("fn=other{at}\n0 {cost}\n"));
        let stage = Stage::empty();
        stage.write(
            "p",
            format!(
                "creator: by hand\ncmd: ./a\nevents: Ir\nob=/home/me/a\nfl=own.c\nfn=main\n1 {own}\nob=/lib/libb.so\nfl=???\n{}",
                others.collect::<String>()
            ),
        );
        String::from_utf8(stage.run(&["--own", "--auto=no", "p"]).stderr).unwrap()
    };
    assert_eq!(
        [said(750, &[250]).is_empty(), said(749, &[251]).is_empty()],
        [true, false]
    );
    let named = |others: &[u64]| said(100, others).matches("begins in").count();
    assert_eq!([named(&[30; 3]), named(&[30; 4])], [3, 3]);
    assert_eq!([named(&[450, 450, 100]), named(&[450, 451, 99])], [3, 2]);
    // A name in a sentence has sixty columns.
    for (letters, is_cut) in [(60, false), (61, true)] {
        let stage = Stage::empty();
        let name = "x".repeat(letters);
        let text = format!(
            "creator: by hand\ncmd: ./a\nevents: Ir\nob=/home/me/a\nfl=own.c\nfn=main\n1 1\nob=\nfl=???\nfn={name}\n0 9\n"
        );
        stage.write("p", text);
        let said = String::from_utf8(stage.run(&["--own", "--auto=no", "p"]).stderr).unwrap();
        assert_eq!(
            (said.contains(&name), said.contains('…')),
            (!is_cut, is_cut),
            "{said}"
        );
    }
}

/// Three names are suggested, of which those with more than 64 letters have the word in them; 200
/// columns of each.
#[test]
fn names_are_suggested() {
    let stage = Stage::empty();
    let suggested = |names: &[String], pattern: &str| {
        stage.write("p", flat(names.iter().map(|name| (name.clone(), 10))));
        let text = all_of(&stage, &["--function", pattern, "p"]);
        text.split_once("did you mean ")
            .map_or(String::new(), |(_, names)| {
                names.trim_end().trim_end_matches(['?', ')']).to_owned()
            })
    };
    let few = |count: usize| (0..count).map(|at| format!("word{at}")).collect::<Vec<_>>();
    let count = |names: &str| names.split(", ").filter(|name| !name.is_empty()).count();
    assert_eq!(
        [2, 3, 4].map(|all| count(&suggested(&few(all), "WORD"))),
        [2, 3, 3]
    );
    for (letters, is_near) in [(64, true), (65, false)] {
        let name = "n".repeat(letters - 1) + "a";
        let typed = format!("^{}b$", "n".repeat(letters - 1));
        assert_eq!(suggested(&[name], &typed).is_empty(), !is_near, "{letters}");
    }
    for (letters, is_cut) in [(200, false), (201, true)] {
        assert_eq!(
            suggested(&["W".repeat(letters)], &"w".repeat(5)).contains('…'),
            is_cut,
            "{letters}"
        );
    }
}

/// A percentage has twelve digits, if fewer do not tell it from its limit.
#[test]
fn percentages_have_as_many_digits_as_they_need() {
    let stage = Stage::empty();
    let said = |old: u64, new: u64| {
        stage
            .write("old", flat([("f".into(), old)]))
            .write("new", flat([("f".into(), new)]));
        let text = all_of(
            &stage,
            &["check", "new", "--baseline=old", "--limit=total.Ir <= +1%"],
        );
        text.split_once(" %)")
            .unwrap()
            .0
            .rsplit('+')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(said(100, 105), "5.0");
    assert_eq!(
        said(100_000_000_000_000, 101_000_000_000_001),
        "1.000000000001"
    );
    // As many digits as there are at most do not tell it from 1 %.
    assert_eq!(
        said(1_000_000_000_000_000, 1_010_000_000_000_001),
        "1.000000000000"
    );
}

/// A baseline has four labels of a sum.
#[test]
fn a_baseline_has_four_labels() {
    for (runs, labels) in [(4, 4), (5, 4)] {
        let stage = Stage::empty();
        let names: Vec<String> = (0..runs).map(|at| format!("p{at}")).collect();
        for name in &names {
            stage.write(
                name,
                format!("desc: Label: {name}\nevents: Ir\nfn=f\n1 10\n"),
            );
        }
        let args = [
            &["check"],
            &names.iter().map(String::as_str).collect::<Vec<_>>()[..],
            &["--save-baseline=b"],
        ];
        assert!(stage.run(&args.concat()).status.success());
        assert_eq!(
            std::fs::read_to_string(stage.dir.join("b"))
                .unwrap()
                .matches("Label:")
                .count(),
            labels
        );
    }
}

/// Growth is told from five sizes on; costs of sizes that span more than 32 times are drawn by
/// their logarithms.
#[test]
fn growth_needs_five_sizes() {
    let points: Vec<(f64, f64)> = (1..=5).map(|n| (f64::from(n), f64::from(10 * n))).collect();
    assert_eq!(
        [4, 5].map(|sizes| Growth::of_points(&points[..sizes]).is_some()),
        [false, true]
    );
    let is_logarithmic = |last: u64| {
        let points: String = [1, 2, 3, last]
            .iter()
            .map(|n| format!("p 1 {n} {n}0 1\n"))
            .collect();
        let profile = read(&format!("a ./x\nf ./x y\nr main /x 1\n{points}"));
        RoutineDetail::new(&profile, profile.function_ids().next().unwrap()).axes
            == Axes::Logarithmic
    };
    assert_eq!([32, 33].map(is_logarithmic), [false, true]);
}

/// Three options are named in place of a file that is empty, and three of what there is more of.
#[test]
fn three_of_several_are_named() {
    for threads in 2..=4 {
        let stage = Stage::empty();
        stage.write("callgrind.out.7", "");
        for at in 1..=threads {
            stage.write(&format!("callgrind.out.7-0{at}"), flat([("f".into(), 10)]));
        }
        let text = all_of(&stage, &["callgrind.out.7"]);
        assert_eq!(
            text.matches("callgrind.out.7-").count(),
            threads.min(3),
            "{text}"
        );
        assert_eq!(text.contains(", …"), threads > 3, "{text}");
    }
    for others in 2..=4 {
        let stage = Stage::empty();
        let names: Vec<String> = (0..=others).map(|at| format!("p{at}")).collect();
        for name in &names {
            stage.write(name, "events: Ir\nfn=f\n1 10\nwhat is this\n");
        }
        let text = all_of(
            &stage,
            &names.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        assert_eq!(text.contains("also in p1, p2, p3"), others >= 3, "{text}");
        assert_eq!(text.contains("and 1 more"), others == 4, "{text}");
    }
}

/// The parts of a change are told that would not be printed as 0.
#[test]
fn parts_that_would_be_printed_as_nothing_are_left_out() {
    for more in [5, 4] {
        // Of a thousand calls, in each of which one place costs so many thousandths more, another 1
        // less in all.
        let run = |own: u64, callee: u64| {
            written(&[
                ("main", 10, &[("f", 1000, own + callee)]),
                ("f", own, &[("g", 1000, callee)]),
                ("g", callee, &[]),
            ])
        };
        let stage = Stage::empty();
        stage
            .write("old", run(100_000, 100_000))
            .write("new", run(100_000 + more, 100_000 - more + 9));
        let text = all_of(&stage, &["diff", "old", "new"])
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let sentence = text.split(" f +").nth(1).unwrap_or_default();
        assert_eq!(
            sentence.contains("in the function itself"),
            more == 5,
            "{more}: {text}"
        );
    }
}

/// Noise has two digits behind the point below ten percent.
#[test]
fn noise_has_its_digits() {
    let stage = Stage::empty();
    for (range, words) in [(99, "noise 9.90 %"), (100, "noise 10.0 %")] {
        let _ = std::fs::remove_dir_all(stage.dir.join("runs"));
        std::fs::create_dir(stage.dir.join("runs")).unwrap();
        for at in 0..30 {
            let cost = [1000, 1000, 1000 + range, 1000, 1000][at * 7 % 5];
            stage.write(&format!("runs/{at}"), flat([("f".into(), cost)]));
        }
        let text = stage.report(&["trend", "--rows=1", "runs"]);
        assert!(text.contains(words), "{text}");
    }
}

/// Numbers of a drawing have as many digits as say enough.
#[test]
fn numbers_of_drawings_are_short() {
    for (number, words) in [
        (0.0, "0"),
        (1e15, "1.000e15"),
        (999_999_999_999_999.0, "999999999999999"),
        (0.000_999, "9.990e-4"),
        (100.25, "100"),
        (99.25, "99.25"),
    ] {
        assert_eq!(cgannotate::render::plot::short(number), words);
    }
    assert!(!cgannotate::render::plot::short(0.001).contains('e'));
}
