//! How much is printed of what there is much of.

use super::{all_of, flat};
use crate::common::Stage;

/// Of a kind of warnings 10 are printed and 1000 are kept.
#[test]
fn warnings_are_printed_and_kept_up_to_a_number() {
    for (count, printed, more) in [(10, 10, false), (11, 10, true)] {
        let stage = Stage::empty();
        stage.write(
            "p",
            format!("events: Ir\nfn=f\n1 1\n{}", "what is this\n".repeat(count)),
        );
        let text = all_of(&stage, &["p"]);
        assert_eq!(text.matches("[malformed-line]").count(), printed, "{text}");
        assert_eq!(
            text.contains("1 more warning of the kind malformed-line"),
            more,
            "{text}"
        );
    }
    for (count, kept) in [(999, 999), (1000, 1000), (1001, 1000)] {
        let stage = Stage::empty();
        stage.write(
            "p",
            format!("events: Ir\nfn=f\n1 1\n{}", "what is this\n".repeat(count)),
        );
        let warnings = stage.json(&["p"])["warnings"].as_array().unwrap().clone();
        assert_eq!(warnings.len(), kept);
    }
}

fn checked(stage: &Stage, args: &[&str]) -> String {
    String::from_utf8(stage.run(&[&["check", "new"], args].concat()).stdout).unwrap()
}

/// GitHub shows ten annotations.
#[test]
fn ten_limits_are_annotated() {
    let stage = Stage::empty();
    stage.write("new", flat([("f".into(), 100)]));
    for (limits, shown) in [(9, 9), (10, 10), (11, 10)] {
        let limits: Vec<String> = (0..limits)
            .map(|n| format!("--limit=total.Ir <= {n}"))
            .collect();
        let args: Vec<&str> = ["--report=github"]
            .into_iter()
            .chain(limits.iter().map(String::as_str))
            .collect();
        assert_eq!(checked(&stage, &args).lines().count(), shown);
    }
}

/// Five functions are named with an exceeded limit, of those that grew by a hundredth of all that
/// grew.
#[test]
fn functions_that_grew_are_named() {
    let named = |grown: &[u64]| {
        let stage = Stage::empty();
        let run = |more: &dyn Fn(u64) -> u64| {
            flat(
                grown
                    .iter()
                    .zip(0..)
                    .map(|(&by, at)| (format!("f{at}"), 10 + more(by))),
            )
        };
        stage.write("old", run(&|_| 0)).write("new", run(&|by| by));
        let text = checked(&stage, &["--baseline=old", "--limit=total.Ir <= +0"]);
        text.lines()
            .filter(|line| line.starts_with("           f"))
            .count()
    };
    assert_eq!(
        [named(&[10; 4]), named(&[10; 5]), named(&[10; 6])],
        [4, 5, 5]
    );
    assert_eq!(
        [named(&[990_000, 10_000]), named(&[990_001, 9_999])],
        [2, 1]
    );
}

/// A job's summary has 60,000 bytes at most: a quarter for doubts, a half for those and the table
/// of limits.
#[test]
fn the_summary_of_check_is_filled_to_its_last_byte() {
    let stage = Stage::empty();
    stage.write("new", flat([("f".into(), 100)]));
    // The table.
    let table = |pad: usize| {
        let name = |n: usize| {
            format!(
                "limit {n:04}{}",
                if n == 0 {
                    "x".repeat(pad)
                } else {
                    String::new()
                }
            )
        };
        let limits = (0..2000).map(|n| {
            format!(
                "[[limit]]\nname = '{}'\nexpression = 'total.Ir <= {}'\n",
                name(n),
                1000 + n
            )
        });
        stage.write("cgannotate.toml", limits.collect::<String>());
        let text = checked(&stage, &["--report=markdown"]);
        text[..text
            .find("| | ")
            .map_or(text.len(), |_| text.rfind("\n| | ").unwrap() + 1)]
            .len()
    };
    let left = 30_000 - table(0);
    assert_eq!(table(left), 30_000);
    assert!(table(left + 1) < 30_000);
    // Doubts, each a line of the same length but for a digit.
    let parts: String = (1000..3000)
        .map(|n| format!("part: {n}\nfn=f\n1 1\n\n"))
        .collect();
    stage.write(
        "cgannotate.toml",
        "[[limit]]\nexpression = 'total.Ir <= 1'\n",
    );
    stage.write(
        "new",
        format!("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\nevents: Ir\n{parts}"),
    );
    let text = checked(&stage, &["--report=markdown"]);
    let (doubts, _) = text.split_once(" more\n").unwrap();
    let doubts = &doubts[..doubts.rfind("* ").unwrap()];
    let line = doubts.lines().last().unwrap().len() + 1;
    assert!(
        doubts.len() <= 15_000 && doubts.len() + line > 15_000,
        "{} and {line}",
        doubts.len()
    );
    // What stands below it.
    let whole = |pad: usize| {
        let functions = (0..5).map(|n| {
            (
                format!("f{n}{}", "x".repeat(if n == 0 { 900 + pad } else { 900 })),
                100 - n,
            )
        });
        stage.write("new", flat(functions));
        let limits = (0..40)
            .map(|n| format!("[[limit]]\nname = 'limit {n:04}'\nexpression = 'total.Ir <= {n}'\n"));
        stage.write("cgannotate.toml", limits.collect::<String>());
        checked(&stage, &["--report=markdown"])
    };
    let text = whole(0);
    // In each part the one name is longer, so that it is counted as often as it is there.
    let parts = text.matches("<details>").count();
    assert!(parts > 5 && parts < 40, "{parts}");
    let room = (60_000 - text.len()) / parts;
    assert!(whole(room).matches("<details>").count() == parts && whole(room).len() <= 60_000);
    assert!(whole(room + 1).matches("<details>").count() < parts);
}

/// A comment has 20 open rows, 60,000 bytes, and 300 letters of a name.
#[test]
fn tables_for_comments_have_their_size() {
    let stage = Stage::empty();
    let text_of = |rows: usize| {
        stage.write("p", flat((0..rows).map(|at| (format!("f{at:04}"), 100))));
        stage.report(&["--format=markdown", "--threshold=100", "p"])
    };
    for (rows, folded) in [(19, false), (20, false), (21, true)] {
        assert_eq!(text_of(rows).contains("<details>"), folded, "{rows}");
    }
    for (letters, cut) in [(300, false), (301, true)] {
        stage.write("p", flat([("x".repeat(letters), 100)]));
        let text = stage.report(&["--format=markdown", "p"]);
        let name = "x".repeat(300) + if cut { "…" } else { "" };
        assert!(text.contains(&format!("| {name} |")), "{letters}");
    }
    // What is open and the rows that are folded are 60,000 bytes at most; what folds them and says
    // so comes on top.
    let of = |pad: usize| {
        let name = |at: usize| {
            format!(
                "f{at:04}{}",
                if at == 0 {
                    "x".repeat(pad)
                } else {
                    String::new()
                }
            )
        };
        stage.write("p", flat((0..1800).map(|at| (name(at), 100))));
        let text = stage.report(&["--format=markdown", "--threshold=100", "p"]);
        let (open, folded) = text.split_once("\n<details>").unwrap();
        let rows = folded
            .lines()
            .filter(|line| line.contains("| f0") || line.contains("| f1"));
        (
            open.len() + rows.clone().map(|row| row.len() + 1).sum::<usize>(),
            rows.count(),
        )
    };
    let (used, rows) = of(0);
    assert_eq!(of(60_000 - used), (60_000, rows));
    assert_eq!(of(60_001 - used).1, rows - 1);
}

/// Names have 80 letters in a picture of calls.
#[test]
fn names_in_pictures_are_cut() {
    let stage = Stage::empty();
    for (letters, cut) in [(80, false), (81, true)] {
        stage.write("p", flat([("x".repeat(letters), 100)]));
        let text = stage.report(&["convert", "--to=dot", "p"]);
        let label = text
            .split("label=\"")
            .find(|label| label.starts_with('x'))
            .unwrap();
        assert_eq!(label.starts_with(&("x".repeat(80) + "…")), cut, "{text}");
    }
}

/// Ten files are named, and ten processes.
#[test]
fn ten_inputs_are_named() {
    let stage = Stage::empty();
    for (inputs, is_counted) in [(10, false), (11, true)] {
        let names: Vec<String> = (0..inputs).map(|n| format!("p.{n}")).collect();
        for (n, name) in names.iter().enumerate() {
            stage.write(
                name,
                format!("pid: {n}\ncmd: ./app\npart: 1\nevents: Ir\nfn=f\n1 1\n"),
            );
        }
        let text = stage.report(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(text.contains("and 1 more"), is_counted, "{text}");
        assert_eq!(text.contains("11 processes"), is_counted, "{text}");
        assert_eq!(text.contains("PIDs 0 1 2"), !is_counted, "{text}");
    }
}

/// `convert` says how much is in small stacks from a hundredth on.
#[test]
fn many_small_stacks_are_noted() {
    let stage = Stage::empty();
    for (last, noted) in [(0, false), (1, true)] {
        let leaves = (0..101)
            .map(|at| (format!("leaf{at}"), 99))
            .chain([("last".into(), last)]);
        let leaves: Vec<(String, u64)> = leaves.collect();
        let sum: u64 = leaves.iter().map(|leaf| leaf.1).sum();
        let calls = leaves
            .iter()
            .map(|(name, cost)| format!("cfn={name}\ncalls=1 1\n1 {cost}\n"))
            .collect::<String>();
        stage.write(
            "p",
            flat([("main".into(), 1_000_000 - sum)])
                + &calls
                + flat(leaves).split_once("fl=a.c\n").unwrap().1,
        );
        for to in ["folded", "pprof"] {
            let text = all_of(&stage, &["convert", "--to", to, "p", "-o", "out"]);
            assert_eq!(
                text.contains("1.0 % of the self cost is in `(small stacks)`"),
                noted,
                "{to}: {text}"
            );
        }
    }
}

/// A stack has 5,000 frames.
#[test]
fn deep_stacks_end() {
    let stage = Stage::empty();
    for (depth, ends) in [(5000, false), (5001, true)] {
        let mut text = String::from("events: Ir\nfl=a.c\n");
        (1..depth)
            .for_each(|at| text += &format!("fn=f{at}\n1 0\ncfn=f{}\ncalls=1 1\n1 100\n", at + 1));
        stage.write("p", text + &format!("fn=f{depth}\n1 100\n"));
        for to in ["folded", "pprof"] {
            let args = ["convert", "--to", to, "p", "-o", "out"];
            assert_eq!(
                all_of(&stage, &args).contains("stacks end after"),
                ends,
                "{depth}"
            );
        }
    }
}
