//! Where lists end, and what has a row of its own.

use super::{flat, written};
use crate::common::Stage;

/// The functions of a table, by name.
fn listed(stage: &Stage, args: &[&str]) -> Vec<String> {
    let text = stage.report(&[&["--format=tsv"], args].concat());
    let rows = text
        .lines()
        .skip(1)
        .map(|line| line.split('\t').nth(4).unwrap().to_owned());
    rows.filter(|name| name.starts_with('f')).collect()
}

/// Lists end with the row whose sum is the threshold's share, and a share that is asked for is
/// enough.
#[test]
fn lists_end_where_the_threshold_is_reached() {
    let stage = Stage::empty();
    for (first, rows) in [(900, 1), (899, 2)] {
        stage.write(
            "p",
            flat([("f1".into(), first), ("f2".into(), 1000 - first)]),
        );
        assert_eq!(
            listed(&stage, &["--threshold=90", "p"]).len(),
            rows,
            "{first}"
        );
    }
    // Inclusive costs: what has as much as the threshold leaves.
    for (second, rows) in [(100, 2), (99, 1)] {
        let text = written(&[
            ("f1", 1000 - second, &[("f2", 1, second)]),
            ("f2", second, &[]),
        ]);
        stage.write("p", text);
        assert_eq!(
            listed(&stage, &["--threshold=90", "--inclusive=yes", "p"]).len(),
            rows,
            "{second}"
        );
    }
    for (second, rows) in [(50, 2), (49, 1)] {
        stage.write(
            "p",
            flat([("f1".into(), 1000 - second), ("f2".into(), second)]),
        );
        assert_eq!(
            listed(&stage, &["--threshold=100", "--min=5%", "p"]).len(),
            rows,
            "{second}"
        );
    }
    // All of it is all functions, with or without cost.
    stage.write("p", flat([("f1".into(), 1000), ("f2".into(), 0)]));
    assert_eq!(
        listed(&stage, &["--threshold=100", "--inclusive=yes", "p"]).len(),
        2
    );
    assert_eq!(
        listed(&stage, &["--threshold=99.9999", "--inclusive=yes", "p"]).len(),
        1
    );
    assert_eq!(
        stage.run(&["--threshold=100.1", "p"]).status.code(),
        Some(2)
    );
    // Nothing of it is no function, even with all cost.
    assert_eq!(
        listed(&stage, &["--threshold=0", "--inclusive=yes", "p"]).len(),
        0
    );
}

/// Changes are listed until they have the threshold's share of all that changed.
#[test]
fn changes_end_where_the_threshold_is_reached() {
    let stage = Stage::empty();
    for (first, rows) in [(900, 1), (899, 2)] {
        stage.write("old", flat([("f1".into(), 10), ("f2".into(), 10)]));
        stage.write(
            "new",
            flat([("f1".into(), 10 + first), ("f2".into(), 1010 - first)]),
        );
        let text = stage.report(&["diff", "--threshold=90", "old", "new"]);
        assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("f1") || line.starts_with("f2"))
                .count(),
            rows,
            "{text}"
        );
    }
}

fn squeezed(text: &str) -> String {
    text.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect()
}

/// The page of a function names five others of a cycle, and six where that is all.
#[test]
fn five_members_of_a_cycle_are_named() {
    let stage = Stage::empty();
    for (members, left) in [(6, None), (7, None), (8, Some("and 2 more"))] {
        let mut text = String::from("events: Ir\nfl=a.c\n");
        for at in 0..members {
            text += &format!(
                "fn=ring{at}\n1 10\ncfn=ring{}\ncalls=3 1\n1 7\n",
                (at + 1) % members
            );
        }
        stage.write("p", text);
        let page = squeezed(&stage.report(&["--zoom=^ring0$", "--auto=no", "p"]));
        let named = (1..members)
            .filter(|at| {
                page.contains(&format!("\na.c:ring{at}\n"))
                    || page.contains(&format!("; also a.c:ring{at}\n"))
            })
            .count();
        assert_eq!(
            page.lines().find(|line| line.starts_with("and ")),
            left,
            "{page}"
        );
        assert!(
            named >= members - 1 - if left.is_some() { 2 } else { 0 } - 1,
            "{named} {page}"
        );
    }
}

/// Twenty callers have rows however little they cost, and one more if that is all; beyond that,
/// those with half a percent.
#[test]
fn callers_with_little_cost_are_added_up() {
    let stage = Stage::empty();
    let rows = |costs: &[u64]| {
        let mut text = String::from("events: Ir\nfl=a.c\n");
        for (at, cost) in costs.iter().enumerate() {
            text += &format!("fn=a{at}\n1 0\ncfn=leaf\ncalls=1 1\n1 {cost}\n");
        }
        stage.write(
            "p",
            text + &format!("fn=leaf\n9 {}\n", costs.iter().sum::<u64>()),
        );
        let page = stage.report(&["--zoom=^leaf$", "--auto=no", "p"]);
        (
            page.matches(" < a.c:a").count(),
            page.contains("more functions"),
        )
    };
    let few = |count: usize| [&[1_000_000][..], &vec![1; count - 1]].concat();
    assert_eq!(
        [rows(&few(20)), rows(&few(21)), rows(&few(22))],
        [(20, false), (21, false), (20, true)]
    );
    let of = |twentyfirst: u64| {
        // Twenty that cost 300 or more, the one, and nine of 1; 60,000 in all.
        let mut costs = vec![300; 19];
        costs.extend([twentyfirst, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        costs.push(60_000 - costs.iter().sum::<u64>());
        costs
    };
    assert_eq!([rows(&of(300)).0, rows(&of(299)).0], [21, 20]);
}

/// Fifty levels of a tree are indented.
#[test]
fn deep_levels_stand_below_one_another() {
    let stage = Stage::empty();
    let mut text = String::from("events: Ir\nfl=a.c\n");
    (0..54).for_each(|at| {
        text += &format!("fn=f{at}\n1 1\ncfn=f{}\ncalls=1 1\n1 {}\n", at + 1, 54 - at)
    });
    stage.write("p", text + "fn=f54\n1 1\n");
    let page = stage.report(&["--zoom=^f0$", "--depth=60", "--auto=no", "p"]);
    let column = |at: usize| {
        let line = page
            .lines()
            .find(|line| line.contains(&format!("a.c:f{at} ")))
            .unwrap_or_else(|| panic!("{at}: {page}"));
        line.find(" > ").unwrap()
    };
    // The first level below the function is not indented.
    assert_eq!(column(51) - column(50), column(2) - column(1));
    assert_eq!(column(52), column(51));
}

/// A tenth of all is red, a hundredth is yellow.
#[test]
fn colours_begin_at_a_tenth_and_a_hundredth() {
    let stage = Stage::empty();
    let (red, yellow, dim) = ("\x1b[31m", "\x1b[33m", "\x1b[2m");
    for (cost, colour) in [
        (10_000_000, red),
        (9_999_999, yellow),
        (1_000_000, yellow),
        (999_999, dim),
    ] {
        stage.write(
            "p",
            flat([("f1".into(), 100_000_000 - cost), ("f2".into(), cost)]),
        );
        let text = stage.report(&["--color=always", "--threshold=100", "--auto=no", "p"]);
        let line = text.lines().find(|line| line.ends_with("f2")).unwrap();
        let comma = line.find(',').unwrap();
        let before = &line[..=line[..comma].rfind(|c: char| !c.is_ascii_digit()).unwrap()];
        assert!(before.ends_with(colour), "{cost}: {line:?}");
    }
}

/// Shares have two digits behind the point, and one where that makes them too wide.
#[test]
fn shares_are_five_characters_wide() {
    let stage = Stage::empty();
    let shares = |costs: [i64; 2]| {
        let text = format!(
            "creator: by hand\nevents: Ir\nfl=a.c\nfn=f1\n1 {}\nfn=f2\n1 {}\n",
            costs[0], costs[1]
        );
        stage.write("p", text);
        let text = stage.report(&["--threshold=100", "--auto=no", "p"]);
        let line = text
            .lines()
            .find(|line| line.ends_with(":f2"))
            .unwrap()
            .to_owned();
        line[line.find('(').unwrap()..=line.find(')').unwrap()].to_owned()
    };
    for (cost, words) in [
        (9_990, "( 9.99%)"),
        (10_000, "(10.00%)"),
        (10_010, "(10.01%)"),
        (19_980, "(19.98%)"),
        (99_994, "(99.99%)"),
        (99_996, "(100.0%)"),
        (-9_994, "(-9.99%)"),
        (-9_996, "(-10.0%)"),
    ] {
        assert_eq!(shares([100_000 - cost, cost]), words);
    }
    for (cost, words) in [(99_994, "99,994 (99.99%)"), (99_996, "99,996 (100.0%)")] {
        let text = format!("a ./x\nf ./x y\nr a /x 1\np 1 1 100000 1\nr b /x 2\np 2 1 {cost} 1\n");
        stage.write("p", text);
        let text = stage.report(&["p"]);
        assert!(
            text.lines()
                .any(|line| line.contains(words) && line.contains("b [/x]")),
            "{text}"
        );
    }
}

/// A file with a hundredth of a function is shown with it.
#[test]
fn files_with_a_hundredth_of_a_function_are_shown() {
    let stage = Stage::empty();
    for (cost, is_shown) in [(1000, true), (999, false)] {
        stage.write(
            "p",
            format!(
                "creator: by hand\nevents: Ir\nfl=a.c\nfn=f\n1 {}\nfi=b.h\n2 {cost}\n",
                100_000 - cost
            ),
        );
        stage.write("a.c", "one\n").write("b.h", "one\ntwo\n");
        let text = stage.report(&["--zoom=^f$", "--auto=yes", "p"]);
        assert_eq!(text.contains("source: b.h"), is_shown, "{text}");
        assert_eq!(text.contains("1 more file"), !is_shown, "{text}");
    }
}

/// Three of the program's objects are named where own code is.
#[test]
fn three_objects_of_own_code_are_named() {
    let stage = Stage::empty();
    for objects in [2, 3, 4] {
        let objects = (0..objects).map(|at| format!("ob=/x{at}/a\nfl=f.c\nfn=f{at}\n1 10\n"));
        let objects = objects.collect::<String>();
        stage.write(
            "p",
            format!("creator: callgrind-3.19.0\ncmd: ./a\nevents: Ir\n{objects}"),
        );
        let text = stage.report(&["--own", "--auto=no", "p"]);
        let line = text.lines().find(|line| line.starts_with("Whose cost:"));
        let named = line.unwrap().matches("/a, ").count();
        assert_eq!(named, objects.matches("fn=").count().min(3), "{text}");
    }
}
