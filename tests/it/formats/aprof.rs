//! aprof's reports, against what aprof-plot shows of the same files (`fixtures/aprof/expected`). Of
//! files that it refuses, figures were taken from the files themselves.

use super::walk;
use crate::common::amount::some;
use crate::common::{counts, is_read_or_refused};
use cgannotate::analysis::Inclusive;
use cgannotate::analysis::growth::{self, Growth, GrowthShape};
use cgannotate::analysis::routines::named;
use cgannotate::input::{self, Options, read_from};
use cgannotate::profile::{FunctionId, Profile, WarningKind};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/aprof")
}

fn read(name: &str) -> Profile {
    read_from(
        name,
        &fs::read(folder().join(name)).unwrap()[..],
        &Options::all(),
    )
    .unwrap()
}

fn run(args: &[&str]) -> (String, String, Option<i32>) {
    let program = env!("CARGO_BIN_EXE_cgannotate");
    let out = Command::new(program)
        .args(args)
        .current_dir(folder())
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    (
        String::from_utf8_lossy(&out.stdout).into_owned(),
        String::from_utf8_lossy(&out.stderr).into_owned(),
        out.status.code(),
    )
}

fn routine(profile: &Profile, name: &str) -> FunctionId {
    match named(profile, name.as_bytes())[..] {
        [id] => id,
        ref found => panic!("{} routines {name}", found.len()),
    }
}

fn growth_of(profile: &Profile, name: &str) -> Option<Growth> {
    Growth::new(profile, routine(profile, name))
}

fn near(ours: f64, theirs: f64, parts: f64) {
    assert!(
        (ours - theirs).abs() <= theirs.abs() / parts + 1e-9,
        "{ours} and {theirs}"
    );
}

/// A1, A8, A9, A10: aprof-plot's routine table, of every file that it reads: `cost_cumul`,
/// `cost_self`, number of sizes, calls, least and greatest size, balance point.
#[test]
fn the_routine_table_is_aprof_plots() {
    for name in [
        "algos-v6",
        "algos-v6-cct",
        "algos-v6-drms",
        "algos-v2-derived",
    ] {
        let profile = read(&format!("{name}.aprof"));
        assert!(
            profile.warnings.is_empty(),
            "{name}: {:?}",
            profile.warnings.kept()
        );
        let inclusive = Inclusive::new(&profile);
        let sizes = profile.sizes.as_ref().unwrap();
        let text = fs::read_to_string(folder().join(format!("expected/{name}.table.tsv"))).unwrap();
        let mut rows = 0;
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[0] {
                "total_cost" => assert_eq!(
                    counts(profile.totals.counts()),
                    [fields[1].parse::<i64>().unwrap()]
                ),
                "routines" => assert_eq!(profile.functions.len().to_string(), fields[1]),
                "total_self_cost" => {
                    let sum: i64 = profile
                        .function_ids()
                        .map(|id| counts(profile.self_counts(id))[0])
                        .sum();
                    assert_eq!(sum.to_string(), fields[1]);
                }
                "total_calls" => {
                    let sum: u64 = profile.function_ids().map(|id| inclusive.called(id)).sum();
                    assert_eq!(sum.to_string(), fields[1]);
                }
                "contexts" => {
                    // aprof-plot counts the root above them all.
                    let contexts = profile
                        .tree
                        .as_ref()
                        .map_or(0, |tree| tree.contexts.len() + 1);
                    assert_eq!(contexts.to_string(), fields[1], "{name}");
                }
                id if id.parse::<u64>().is_ok() => {
                    // Names are unique in these reports.
                    let id = routine(&profile, fields[15]);
                    let points: Vec<u64> = sizes.points(id).map(|(size, _)| size).collect();
                    let balance =
                        growth::balance(&profile, id).map_or("NaN".into(), |b| format!("{b:.4}"));
                    let ours = [
                        counts(inclusive.counts(id))[0].to_string(),
                        counts(profile.self_counts(id))[0].to_string(),
                        points.len().to_string(),
                        inclusive.called(id).to_string(),
                        points[0].to_string(),
                        points.last().unwrap().to_string(),
                        balance,
                    ];
                    let theirs = [1, 3, 5, 6, 8, 9, 10].map(|at| fields[at]);
                    assert_eq!(
                        ours.each_ref().map(String::as_str),
                        theirs,
                        "{name}: {line}"
                    );
                    rows += 1;
                }
                _ => {}
            }
        }
        assert_eq!(rows, 122, "{name}");
    }
}

/// A2 and the points of all routines that aprof-plot was asked for.
#[test]
fn the_points_are_aprof_plots() {
    let profile = read("algos-v6.aprof");
    let text = fs::read_to_string(folder().join("expected/algos-v6.routines.tsv")).unwrap();
    let (mut current, mut points) = (profile.function_ids().next().unwrap(), 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields[0] == "routine" {
            current = routine(&profile, fields[2]);
        } else if let Ok(size) = fields[0].parse::<u64>() {
            let sizes = profile.sizes.as_ref().unwrap();
            let (_, point) = sizes.points(current).find(|&(at, _)| at == size).unwrap();
            let number = |at: usize| fields[at].parse::<f64>().unwrap();
            assert_eq!(point.least.unwrap() as f64, number(1));
            near((point.mean() * 10.0).ceil() / 10.0, number(2), 1e9);
            assert_eq!(point.most.unwrap() as f64, number(3));
            assert_eq!(
                [point.calls as f64, point.sum as f64, point.real as f64],
                [4, 5, 6].map(number)
            );
            assert_eq!(point.own.unwrap() as f64, number(7));
            assert!(
                (point.variance().unwrap() - number(10)).abs() <= number(10) * 1e-5 + 1e-3,
                "{line}"
            );
            points += 1;
        }
    }
    assert!(points > 100, "{points}");
    let insertion = routine(&profile, "insertion_sort");
    let (size, point) = profile
        .sizes
        .as_ref()
        .unwrap()
        .points(insertion)
        .last()
        .unwrap();
    assert_eq!(
        (size, point.least, point.most, point.calls, point.sum),
        (258, Some(32_694), Some(66_048), 2, 98_742)
    );
    assert_eq!(
        (point.mean(), point.variance()),
        (49_371.0, Some(278_122_329.0))
    );
}

/// A3: aprof-plot's fits of `a + b n^c`, by another method.
#[test]
fn powers_fit_as_aprof_plots_do() {
    let profile = read("algos-v6.aprof");
    let names = BTreeMap::from([
        (85, "insertion_sort"),
        (87, "merge_sort"),
        (88, "lin_sum"),
        (89, "bin_search"),
        (91, "count_zero"),
    ]);
    let text = fs::read_to_string(folder().join("expected/algos-v6.fits.tsv")).unwrap();
    assert_eq!(text.lines().count(), names.len());
    for line in text.lines() {
        let fields: Vec<f64> = line
            .split('\t')
            .map(|field| field.parse().unwrap())
            .collect();
        let power = growth_of(&profile, names[&(fields[0] as i32)])
            .unwrap()
            .power;
        for (ours, theirs) in [power.a, power.b, power.c, power.r2]
            .into_iter()
            .zip(&fields[1..])
        {
            near(ours, *theirs, 2e4);
        }
    }
}

/// A4: the words for growth, fitted to the greatest cost by size.
#[test]
fn growth_has_a_name() {
    let profile = read("algos-v6.aprof");
    let fit = |name| growth_of(&profile, name).map(|growth| growth.fit);
    let insertion = fit("insertion_sort").unwrap();
    assert_eq!(insertion.shape, GrowthShape::Quadratic);
    near(insertion.r2, 0.999_997, 1e6);
    near(insertion.b, 0.992_89, 1e5);
    let merge = fit("merge_sort").unwrap();
    assert_eq!(merge.shape, GrowthShape::Linearithmic);
    near(merge.r2, 0.999_913, 1e6);
    assert_eq!(fit("lin_sum").unwrap().shape, GrowthShape::Linear);
    assert_eq!(fit("bin_search").unwrap().shape, GrowthShape::Linear);
    // One size, and two.
    assert_eq!((fit("constant"), fit("fill")), (None, None));
}

/// Made-up costs whose growth is known.
#[test]
fn growth_of_known_costs() {
    let sizes = || (1..=40).map(|k| f64::from(k * k));
    for (shape, ..) in growth::SHAPES {
        let points: Vec<(f64, f64)> = sizes().map(|n| (n, 1000.0 + 7.0 * shape.at(n))).collect();
        let growth = Growth::of_points(&points).unwrap();
        assert_eq!(growth.fit.shape, shape);
        assert!(growth.fit.r2 > 0.999_999, "{shape:?}: {growth:?}");
    }
    for c in [0.3, 0.75, 1.0, 1.6, 2.5, 3.33] {
        let points: Vec<(f64, f64)> = sizes().map(|n| (n, 50.0 + 3.0 * n.powf(c))).collect();
        near(Growth::of_points(&points).unwrap().exponent(), c, 1e5);
    }
    // Noise around a constant is a constant, and so is a cost that falls.
    let noise: Vec<(f64, f64)> = (1..=40)
        .map(|k| (f64::from(k), 1000.0 + f64::from(k * 7919 % 13)))
        .collect();
    assert_eq!(
        Growth::of_points(&noise).unwrap().fit.shape,
        GrowthShape::Constant
    );
    let falls: Vec<(f64, f64)> = (1..=40)
        .map(|k| (f64::from(k), 1000.0 / f64::from(k)))
        .collect();
    assert_eq!(Growth::of_points(&falls).unwrap().exponent(), 0.0);
    assert_eq!(Growth::of_points(&noise[..4]), None);
}

/// A5: recursion. The sum over all activations is more than what the routine cost.
#[test]
fn recursion_is_counted_once() {
    let profile = read("algos-v6.aprof");
    let merge = routine(&profile, "merge_sort");
    let sum: i64 = profile
        .sizes
        .as_ref()
        .unwrap()
        .points(merge)
        .map(|(_, point)| point.sum)
        .sum();
    assert!(sum > 4 * 112_341, "{sum}");
    assert_eq!(
        (
            counts(Inclusive::new(&profile).counts(merge)),
            counts(profile.self_counts(merge))
        ),
        (vec![112_341], vec![112_341])
    );
    assert_eq!(
        format!("{:.4}", growth::balance(&profile, merge).unwrap()),
        "14.8438"
    );
}

/// A7: quotes in names and in the command, which aprof-plot refuses.
#[test]
fn quotes_in_names() {
    let profile = read("cxx-v6.aprof");
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings.kept());
    assert_eq!(
        (profile.format.name, profile.functions.len()),
        ("aprof", 135)
    );
    assert_eq!(
        (
            counts(profile.totals.counts()),
            &profile.parts[0].command[..]
        ),
        (vec![71_196], &b"./cxx two words quo\"te"[..])
    );
    let km = routine(&profile, "operator\"\" _km(unsigned long long)");
    assert_eq!(
        profile.sizes.as_ref().unwrap().linkage(km),
        Some(&b"_Zli3_kmy"[..])
    );
    assert_eq!(routine(&profile, "_Zli3_kmy"), km);
    let loops = named(&profile, b"__introsort_loop");
    assert_eq!(loops.len(), 1);
    assert_eq!(counts(profile.self_counts(loops[0])), [7_148]);
    assert_eq!(profile.sizes.as_ref().unwrap().points(loops[0]).len(), 38);
    let quotes = read_from(
        "x",
        &b"a x\nf x\nr \"f\" \"g\" \"h\" \"/tmp/x\" 7\np 7 1 1 1 1 1 1 1 1 1 1 1\n"[..],
        &Options::all(),
    );
    let quotes = quotes.unwrap();
    assert_eq!(quotes.name(quotes.functions[0].name), b"f\" \"g\" \"h");
}

/// A8: shares of the input that came from outside.
#[test]
fn drms() {
    let text = "c report generated by aprof (valgrind) \nv 6\nk 100\nm bb-count\ni drms\nt 4\na x\nf x\n\
                r \"f\" \"x\" 1\np 1 10 5 5 10 50 2 10 10 5 5 50 0 0 4 6 0 0\np 1 20 5 5 5 25 1 5 5 5 5 25 0 0 0 4 0 0\n";
    let profile = read_from("x", text.as_bytes(), &Options::all()).unwrap();
    let routines = cgannotate::analysis::routines::RoutineDetail::new(
        &profile,
        profile.function_ids().next().unwrap(),
    );
    // Of 2 x 10 + 20 cells, 4 came from the system and 10 from other threads.
    let outside = routines.routine.outside.unwrap();
    assert_eq!((outside.system, outside.threads), (0.1, 0.25));
}

/// A9: calling contexts.
#[test]
fn contexts_are_a_tree() {
    let profile = read("algos-v6-cct.aprof");
    let tree = profile.tree.as_ref().unwrap();
    assert_eq!(tree.contexts.len(), 217);
    let (main, merge) = (routine(&profile, "main"), routine(&profile, "merge_sort"));
    let insertion = routine(&profile, "insertion_sort");
    let mut chain = Vec::new();
    walk(tree, |context, callers| {
        let cost = counts(tree.inclusive_counts(context))[0];
        if context.function == merge {
            assert_eq!(callers[callers.len() - 2 - chain.len()], main);
            chain.push(cost);
        }
        if context.function == insertion {
            assert_eq!((callers[callers.len() - 2], cost), (main, 762_560));
        }
    });
    assert_eq!(
        chain,
        [
            112_341, 99_394, 86_388, 73_299, 59_910, 45_978, 31_181, 15_504, 2_992
        ]
    );
    let (json, ..) = run(&["--format=json", "algos-v6-cct.aprof"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["contexts"].as_array().map(Vec::len), Some(217));
    let (text, complaints, status) = run(&["--tree=calling", "algos-v6-cct.aprof"]);
    assert_eq!((complaints.as_str(), status), ("", Some(0)));
    assert!(
        text.contains(
            "762,560 (82.60%)  762,560 (82.60%)     44        insertion_sort [/srv/r4/aprof/algos]"
        ),
        "{text}"
    );
}

/// A10: older versions say less.
#[test]
fn older_versions() {
    let (v0, v2) = (
        read("algos-v0-derived.aprof"),
        read("algos-v2-derived.aprof"),
    );
    let insertion = routine(&v0, "insertion_sort");
    assert_eq!(Inclusive::new(&v0).called(insertion), 44);
    let (size, point) = v0.sizes.as_ref().unwrap().points(insertion).last().unwrap();
    assert_eq!(
        (size, point.mean(), point.most, point.own),
        (258, 49_371.0, None, None)
    );
    assert!(counts(v0.self_counts(insertion)).is_empty());
    let insertion = routine(&v2, "insertion_sort");
    assert_eq!(
        v2.sizes
            .as_ref()
            .unwrap()
            .points(insertion)
            .last()
            .unwrap()
            .1
            .variance(),
        None
    );
    // A saved favourite is no command.
    let text = "a ./x\nf ./x y\nr main /x 1\np 1 2 3 1\nfav main\n";
    let profile = read_from("x", text.as_bytes(), &Options::all()).unwrap();
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings.kept());
    assert_eq!(profile.parts[0].command[..], *b"./x y");
}

/// The reports of several threads of one process.
#[test]
fn reports_are_summed() {
    let name = folder().join("algos-v6.aprof").to_str().unwrap().to_owned();
    let (once, twice) = (
        read("algos-v6.aprof"),
        input::read(&[name.clone(), name.clone()], &Options::all()).unwrap(),
    );
    let merge = routine(&once, "merge_sort");
    assert_eq!(counts(twice.totals.counts()), [2 * 923_245]);
    assert_eq!(counts(Inclusive::new(&twice).counts(merge)), [2 * 112_341]);
    assert_eq!(Inclusive::new(&twice).called(merge), 2 * 5_698);
    let points = |profile: &Profile| -> Vec<(u64, u64, Option<i64>, Option<f64>)> {
        let sizes = profile.sizes.as_ref().unwrap();
        sizes
            .points(merge)
            .map(|(size, p)| (size, p.calls, p.most, p.variance()))
            .collect()
    };
    for (one, two) in points(&once).into_iter().zip(points(&twice)) {
        assert_eq!((one.0, 2 * one.1, one.2, one.3), two);
    }
    // What does not belong together is refused.
    for other in ["algos-v6-drms.aprof", "../shapes/shapes.plain.out"] {
        let other = folder().join(other).to_str().unwrap().to_owned();
        let error = input::read(&[name.clone(), other], &Options::all())
            .err()
            .unwrap();
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

/// Own costs, and calls where a row has them, of all rows are the totals, whatever is left out:
/// 923,245 and 11,884 of the report, of which its routines have 923,209.
#[test]
fn rows_add_up_to_the_totals() {
    for args in [
        &[][..],
        &["-n", "3"],
        &["--min=4"],
        &["--threshold=50"],
        &["--function=sort"],
        &["--inclusive=yes", "-n", "3"],
    ] {
        let args = [args, &["algos-v6.aprof"]].concat();
        let (text, ..) = run(&args);
        let (_, rows) = text.split_once("PROGRAM TOTALS\n").unwrap();
        let number = |text: &str| text.replace(',', "").parse::<i64>().expect(text);
        let own = rows
            .lines()
            .filter(|line| !line.trim_start().starts_with('-'));
        assert_eq!(
            own.map(|line| number(line.split_whitespace().next().unwrap()))
                .sum::<i64>(),
            923_245,
            "{text}"
        );
        assert!(
            text.contains("  (not attributed to any function)\n"),
            "{text}"
        );

        let (table, ..) = run(&[&["--format=markdown"][..], &args].concat());
        let cells = |line: &str| {
            line.split('|')
                .map(|cell| cell.trim().to_owned())
                .collect::<Vec<_>>()
        };
        let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| bb-count ");
        let rows: Vec<_> = table.lines().filter(is_row).map(cells).collect();
        let sum = |column: usize| -> i64 {
            rows[1..]
                .iter()
                .filter(|row| !row[column].is_empty())
                .map(|row| number(row[column].split(' ').next().unwrap()))
                .sum()
        };
        assert_eq!(
            (number(&rows[0][1]), number(&rows[0][3])),
            (923_245, 11_884),
            "{table}"
        );
        assert_eq!((sum(1), sum(3)), (923_245, 11_884), "{table}");
    }
    let (text, ..) = run(&["-n", "3", "algos-v6.aprof"]);
    assert!(
        text.contains(" 19,510 ( 2.11%)                     6,076 "),
        "{text}"
    );
    assert!(text.contains(" (119 routines omitted)\n"), "{text}");
    // Where own costs are not recorded, there is only how many are left out.
    let (text, ..) = run(&["-n", "3", "algos-v0-derived.aprof"]);
    assert!(
        text.contains("(119 routines omitted)\n") && !text.contains("in no function"),
        "{text}"
    );
    let cells = |line: &str| {
        line.split_whitespace()
            .take(2)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let main = text.lines().find(|line| line.contains("  below_main ["));
    assert_eq!(main.map(cells).as_deref(), Some("- 923,243"), "{text}");
}

/// The report in the terminal.
#[test]
fn table_and_zoom() {
    let (text, complaints, status) = run(&["algos-v6.aprof"]);
    assert_eq!((complaints.as_str(), status), ("", Some(0)));
    let row = |name: &str| {
        text.lines()
            .find(|line| line.contains(&format!("  {name} [")))
            .unwrap()
    };
    assert!(row("insertion_sort").contains(
        "762,560 (82.60%)  762,560 (82.60%)      44     22      6..258      n^2      2.01"
    ));
    assert!(
        row("merge_sort").contains(" 5,698     75      2..258  n log n      1.17"),
        "{}",
        row("merge_sort")
    );
    assert!(
        row("constant").contains("     22      1           4        -         -"),
        "{}",
        row("constant")
    );
    assert!(
        text.contains("923,245 (100.0%)  923,245 (100.0%)  11,884"),
        "{text}"
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.contains("[/srv/r4/aprof/algos]"))
            .count(),
        122
    );
    let (text, _, status) = run(&["--zoom", "insertion_sort", "algos-v6.aprof"]);
    assert_eq!(status, Some(0));
    assert!(
        text.contains(" 258      2  32,694  49371.0    66,048  256.0000"),
        "{text}"
    );
    assert!(
        text.contains("Growth:           n^2: -99 + 0.9929 n^2 (R2 0.999997)"),
        "{text}"
    );
    // In a language without UTF-8, which run() sets.
    assert!(
        text.is_ascii() && text.contains("oo") && text.contains("(both axes logarithmic)"),
        "{text}"
    );
    let (json, ..) = run(&["--format=json", "algos-v6.aprof"]);
    assert!(
        json.contains(r#""format":"aprof""#)
            && json.contains(r#"{"size":258,"calls":2,"least":32694,"greatest":66048,"#)
    );
    assert!(json.contains(r#""growth":{"shape":"n^2","a":-9"#), "{json}");
    assert!(
        !json.contains(r#""lines""#)
            && !json.contains(r#""calls":["#)
            && !json.contains(r#""cycles""#)
    );
    let (_, complaints, status) = run(&["--zoom", "no such", "algos-v6.aprof"]);
    assert_eq!(status, Some(2));
    assert!(
        complaints.contains("no routine is called `no such`"),
        "{complaints}"
    );
}

/// What is wrong is said, or refused; nothing is allocated for what is not there.
#[test]
fn hostile_reports() {
    let head = "c report generated by aprof (valgrind) \nv 6\nk 5\nm bb-count\na x\nf x\nr \"f\" \"x\" 1\n";
    let warned = |lines: &str| {
        let profile =
            read_from("x", format!("{head}{lines}\n").as_bytes(), &Options::all()).unwrap();
        let kinds: Vec<WarningKind> = profile.warnings.kept().iter().map(|w| w.kind).collect();
        (kinds, profile)
    };
    for (lines, kind) in [
        ("p 9 1 1 1 1 1 1 1 1 1 1 1", WarningKind::UndefinedId),
        (
            "p 18446744073709551615 1 1 1 1 1 1 1 1 1 1 1",
            WarningKind::MalformedLine,
        ),
        ("p 1 1 1 1", WarningKind::MalformedLine),
        ("p 1 1 1 1 1 1 1 1 1 1 1 1 1", WarningKind::MalformedLine),
        ("p 1 1 -1 1 1 1 1 1 1 1 1 1", WarningKind::MalformedLine),
        ("q 4 1 1 1 1 1 1 1 1 1 1 1", WarningKind::UndefinedId),
        ("x 1 0 99", WarningKind::BrokenOrder),
        ("x 7 0 -1", WarningKind::BrokenOrder),
        ("x 1 0 0", WarningKind::BrokenOrder),
        ("r \"f\" \"x\" 1", WarningKind::MalformedLine),
        ("r f", WarningKind::MalformedLine),
        ("r \"f\" 3", WarningKind::MalformedLine),
        ("u 1 x", WarningKind::MalformedLine),
        ("nonsense", WarningKind::MalformedLine),
    ] {
        assert_eq!(warned(lines).0, [kind], "{lines}");
    }
    let huge = "18446744073709551615";
    let (_, profile) = warned(&format!(
        "p 1 {huge} {huge} {huge} {huge} {huge} {huge} {huge} {huge} {huge} {huge} {huge}"
    ));
    assert_eq!(counts(profile.totals.counts()), [i64::MAX]);
    let error = read_from(
        "x",
        &b"c report generated by aprof\nv 7\n"[..],
        &Options::all(),
    )
    .err()
    .unwrap();
    assert_eq!(
        error.to_string(),
        "x:2: version 7 of aprof's format is not known (0 to 6 are)"
    );
}

/// Cut anywhere, or with any byte changed, a report is read or refused.
#[test]
fn broken_reports() {
    for name in ["algos-v6-cct.aprof", "algos-v0-derived.aprof"] {
        let whole = fs::read(folder().join(name)).unwrap();
        let whole = &whole[..whole.len().min(4000)];
        for end in some((0..whole.len()).step_by(3).collect()) {
            is_read_or_refused(
                &format!("{name}: the first {end} bytes"),
                read_from("x", &whole[..end], &Options::all()),
            );
        }
        for at in some((0..whole.len()).step_by(7).collect()) {
            for value in [b' ', b'"', b'9', b'\n'] {
                let mut changed = whole.to_vec();
                changed[at] = value;
                is_read_or_refused(
                    &format!("{name}: {value} at {at}"),
                    read_from("x", &changed[..], &Options::all()),
                );
            }
        }
    }
}

/// Two runs: a routine that grows worse now comes first.
#[test]
fn growth_is_compared() {
    let report = |cost: fn(u64) -> u64, other: fn(u64) -> u64| {
        let mut text =
            String::from("c report generated by aprof\nv 2\nk 5\nm bb-count\na x\nf x\n");
        for (id, cost) in [(1, cost), (2, other)] {
            text += &format!("r \"f{id}\" \"x\" {id}\n");
            for n in (8..200).step_by(8) {
                let c = cost(n);
                text += &format!("p {id} {n} {c} {c} {c} 1 {c} {c}\n");
            }
        }
        read_from("x", text.as_bytes(), &Options::all()).unwrap()
    };
    let n_log_n: fn(u64) -> u64 = |n| (10.0 * n as f64 * (n as f64).log2()) as u64;
    let square: fn(u64) -> u64 = |n| 3 * n * n;
    let (old, new) = (report(n_log_n, square), report(square, n_log_n));
    let changes = growth::compare(&old, &new);
    let names: Vec<&[u8]> = changes
        .iter()
        .map(|c| new.name(new.function(c.new).name))
        .collect();
    assert_eq!(names, [b"f1", b"f2"]);
    assert_eq!(
        (changes[0].before.fit.shape, changes[0].after.fit.shape),
        (GrowthShape::Linearithmic, GrowthShape::Quadratic)
    );
    assert!(growth::compare(&old, &old).is_empty());
}

/// The same through `diff` and `check`: the first line, and limits on the exponent, absolute and
/// against a baseline.
#[test]
fn diff_and_check_know_growth() {
    let report = |name: &str, power: f64| {
        let mut text = String::from(
            "c report generated by aprof\nv 2\nk 5\nm bb-count\na x\nf x\nr \"sort_rows\" \"x\" 1\n",
        );
        for n in (8..200).step_by(8) {
            let c = (10.0 * f64::from(n).powf(power)).round();
            text += &format!("p 1 {n} {c} {c} {c} 1 {c} {c}\n");
        }
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) = (report("old.aprof", 1.1), report("new.aprof", 2.0));
    let (text, _, status) = run(&["diff", &old, &new]);
    assert_eq!(status, Some(0));
    assert_eq!(
        text.lines().next(),
        Some("sort_rows grows worse: n log n -> n^2 (exponent 1.10 -> 2.00)"),
        "{text}"
    );
    let (json, ..) = run(&["diff", "--format=json", &old, &new]);
    assert!(
        json.contains(r#""growth":["#) && json.contains(r#""shape":"n^2""#),
        "{json}"
    );
    let check = |profile: &str, limit: &str| {
        run(&["check", profile, "--limit", limit, "--baseline", &old]).2
    };
    assert_eq!(check(&old, "growth(sort_rows) <= 1.2"), Some(0));
    assert_eq!(check(&new, "growth(sort_rows) <= 1.2"), Some(3));
    assert_eq!(check(&new, "growth(sort_rows) <= +0.1"), Some(3));
    assert_eq!(check(&new, "growth(sort_rows) <= +0.9"), Some(0));
    assert_eq!(check(&new, "growth(sort_rows) <= 2"), Some(0));
    assert_eq!(check(&new, "growth(other) <= 2"), Some(4));
    assert_eq!(
        check(&new, "sum(growth(sort_rows), calls(sort_rows)) <= 2"),
        Some(2)
    );
    let (text, ..) = run(&["check", &new, "--limit", "growth(sort_rows) <= 1.2"]);
    assert!(text.contains("2.000, at most 1.200"), "{text}");
    // A saved baseline has no sizes to judge growth by, which is no reason to pass.
    let saved = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("saved.baseline")
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        run(&[
            "check",
            &old,
            "--limit",
            "growth(sort_rows) <= 1.2",
            "--save-baseline",
            &saved
        ])
        .2,
        Some(0)
    );
    let limit = [
        "check",
        &new,
        "--limit",
        "growth(sort_rows) <= +0.1",
        "--allow-missing",
        "--baseline",
        &saved,
    ];
    let (text, _, status) = run(&limit);
    assert_eq!(status, Some(4));
    assert!(
        text.contains("the baseline has no costs by input size"),
        "{text}"
    );
    // A routine with too few sizes cannot be judged.
    let algos = folder().join("algos-v6.aprof").to_str().unwrap().to_owned();
    assert_eq!(
        run(&["check", &algos, "--limit", "growth(fill) <= 2"]).2,
        Some(4)
    );
    assert_eq!(
        run(&["check", &algos, "--limit", "growth(merge_sort) <= 1.2"]).2,
        Some(0)
    );
}

/// A1, A2 and A4 as tables: aprof-plot's numbers of `insertion_sort`, and of its greatest size.
#[test]
fn tables() {
    let table = |args: &[&str]| {
        let (text, complaints, status) = run(args);
        assert_eq!((complaints.as_str(), status), ("", Some(0)), "{args:?}");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let csv = table(&["--format=csv", "algos-v6.aprof"]);
    assert_eq!(csv.len(), 123);
    assert_eq!(
        csv[0],
        "bb-count,bb-count inclusive,calls,sizes,least size,greatest size,growth,exponent,function,object"
    );
    assert_eq!(
        csv[1],
        "762560,762560,44,22,6,258,n^2,2.0089,insertion_sort,/srv/r4/aprof/algos"
    );
    assert!(
        csv.contains(&"28798,34518,66,2,2,3,,,fill,/srv/r4/aprof/algos".to_owned()),
        "{}",
        csv[3]
    );
    let sizes = table(&["--format=csv", "--zoom=^insertion", "algos-v6.aprof"]);
    assert_eq!(sizes.len(), 23);
    assert!(
        sizes[22].starts_with("258,2,32694,49371.0000,66048,278122329.0000,256.0000,"),
        "{sizes:?}"
    );
    // Versions 0 and 1 know no self cost, and version 0 no extremes.
    let csv = table(&["--format=csv", "algos-v0-derived.aprof"]);
    assert!(
        csv.iter()
            .any(|row| row.starts_with(",762560,44,22,6,258,n^2,2.0")),
        "{}",
        csv[4]
    );
    let sizes = table(&[
        "--format=csv",
        "--zoom=insertion_sort",
        "algos-v0-derived.aprof",
    ]);
    assert!(
        sizes[22].starts_with("258,2,,49371.0000,,,191.3605,"),
        "{sizes:?}"
    );
    let csv = table(&["--format=tsv", "algos-v6-drms.aprof"]);
    assert!(
        csv[0].contains("\tfrom system\tfrom threads\tfunction\t"),
        "{csv:?}"
    );
    let markdown = table(&["--format=markdown", "--rows=1", "algos-v6.aprof"]);
    assert!(
        markdown.contains(&"| 762,560 (82.60 %) | 762,560 (82.60 %) | 44 | 22 | 6 | 258 | n^2 | 2.0089 | insertion\\_sort | /srv/r4/aprof/algos |".to_owned()),
        "{markdown:#?}"
    );
    // Sums are sums in this format, too.
    let objects = table(&["--format=csv", "--by=object", "algos-v6.aprof"]);
    assert_eq!(objects[1], "923209,/srv/r4/aprof/algos");
    assert!(
        table(&["--by=object", "algos-v6.aprof"])
            .iter()
            .any(|line| line.ends_with(" /srv/r4/aprof/algos"))
    );
}

/// A report with calling contexts that was cut: contexts are defined at its end, but what is there
/// of a routine stands below it, and is not lost. (The figures are those of the whole report.) Half
/// a line is said once.
#[test]
fn a_report_that_was_cut() {
    let whole = fs::read_to_string(folder().join("algos-v6-cct.aprof")).unwrap();
    let end = whole.find("\nx ").unwrap();
    let profile = read_from("x", &whole.as_bytes()[..=end], &Options::all()).unwrap();
    let [warning] = profile.warnings.kept() else {
        panic!("{:?}", profile.warnings.kept())
    };
    assert!(
        warning.message.contains("calling contexts of 391 lines"),
        "{warning}"
    );
    let inclusive = Inclusive::new(&profile);
    for (name, cost) in [("merge_sort", 112_341), ("insertion_sort", 762_560)] {
        assert_eq!(counts(inclusive.counts(routine(&profile, name))), [cost]);
    }
    let profile = read_from("x", &whole.as_bytes()[..end - 4], &Options::all()).unwrap();
    let kinds: Vec<WarningKind> = profile.warnings.kept().iter().map(|w| w.kind).collect();
    assert_eq!(kinds, [WarningKind::Truncated, WarningKind::UndefinedId]);
}

/// A recursion of 50,000 levels: its tree takes room for its names, not for blanks before them.
#[test]
fn a_deep_tree_fits() {
    let contexts: String = (0..50_000)
        .map(|n| format!("x 1 {} {n}\n", n + 1))
        .collect();
    let contexts = contexts.replacen("x 1 1 0\n", "x 1 1 -1\n", 1);
    let text =
        format!("c report generated by aprof\nv 6\nk 5\na x\nf x\nr \"f\" \"x\" 1\n{contexts}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deep.aprof");
    fs::write(&path, text).unwrap();
    let (text, complaints, status) = run(&["--tree=calling", path.to_str().unwrap()]);
    assert_eq!((complaints.as_str(), status), ("", Some(0)));
    assert_eq!(
        text.lines().filter(|line| line.ends_with("f [x]")).count(),
        50_001
    );
    assert!(
        text.ends_with("(level 50000) f [x]\n") && text.len() < 10_000_000,
        "{}",
        text.len()
    );
}

/// What other formats have no place for is said, and stacks are no estimate where there are no
/// calls to estimate from.
#[test]
fn conversion_says_what_is_lost() {
    let (folded, complaints, _) = run(&["convert", "--to=folded", "algos-v6.aprof"]);
    assert!(
        folded.starts_with("insertion_sort 762560\nmerge_sort 112341\n"),
        "{folded}"
    );
    assert!(
        complaints.contains("no calls were recorded:") && !complaints.contains("estimated"),
        "{complaints}"
    );
    // With calling contexts the stacks are known.
    let (folded, complaints, _) = run(&["convert", "--to=folded", "algos-v6-cct.aprof"]);
    assert!(
        folded.contains(";main;insertion_sort 762560\n") && complaints.is_empty(),
        "{folded}"
    );
    // Filters do not keep contexts, and sizes are lost with filters and without.
    let (_, complaints, _) = run(&[
        "convert",
        "--to=folded",
        "algos-v6-cct.aprof",
        "--not-function=^main$",
    ]);
    assert!(
        complaints.contains("calling contexts, which filters remove"),
        "{complaints}"
    );
    let (_, complaints, _) = run(&[
        "convert",
        "--to=webgrind",
        "algos-v6.aprof",
        "--not-function=^main$",
    ]);
    assert!(
        complaints.contains("cannot hold costs by input size"),
        "{complaints}"
    );
    for format in ["--to=webgrind", "--to=callgrind"] {
        let out = Command::new(env!("CARGO_BIN_EXE_cgannotate"))
            .args(["convert", format, "algos-v6.aprof"])
            .current_dir(folder())
            .output()
            .unwrap();
        assert!(
            String::from_utf8_lossy(&out.stderr).contains("cannot hold costs by input size"),
            "{format}"
        );
    }
    let events = Command::new(env!("CARGO_BIN_EXE_cgannotate"))
        .args(["convert", "--to=webgrind", "matrix.cachebranch.toggle.out"])
        .current_dir(folder().join("../cache"))
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&events.stderr)
            .contains("has only one event; omitted: Dr, Dw, I1mr"),
        "{events:?}"
    );
}

/// What is asked of the events is answered whatever else is asked.
#[test]
fn events_are_listed_of_a_report_as_of_any_profile() {
    for more in [&[][..], &["--by=file"], &["--zoom", "mergesort"]] {
        let (text, _, status) = run(&[&["--events", "algos-v6.aprof"][..], more].concat());
        assert_eq!(status, Some(0), "{text}");
        assert!(
            !text.contains("routine") && text.lines().count() < 10,
            "{more:?}: {text}"
        );
    }
}

/// Version 0 has no banner: it begins with the command or the program.
#[test]
fn version_0_begins_with_either_line() {
    let body = "r sort_it 0x8048474 NONE 1\np 1 3 4 1\np 1 16 523 1\nr main 0x80485f4 NONE 0\np 0 134 900 1\n";
    for head in [
        "f ./s -n 5\na ./s\n",
        "a ./s\nf ./s -n 5\n",
        "f ./s -n 5\n",
        "a ./s\n",
    ] {
        let profile =
            input::read_from("x", format!("{head}{body}").as_bytes(), &Options::all()).unwrap();
        let names: Vec<_> = profile
            .functions
            .iter()
            .map(|f| profile.name(f.name))
            .collect();
        assert_eq!(
            (profile.format.name, names),
            ("aprof", vec![&b"sort_it"[..], b"main"]),
            "{head}"
        );
    }
    for other in ["f 1 2 3\nf 2 3 4\n", "a\nb\n", "f x\nv 1\ng y\n"] {
        assert!(
            input::read_from("x", other.as_bytes(), &Options::all()).is_err(),
            "{other}"
        );
    }
}
