//! Lists as CSV, TSV and Markdown, read by readers that are not ours.

use crate::common::amount::some;
use crate::common::fixture;
use crate::common::{Stage, profiles};
use serde_json::Value;

/// The rows of a CSV or TSV document, the names of the columns first.
fn rows(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .from_reader(text.as_bytes());
    reader
        .records()
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

/// Cells of every table of a Markdown document.
fn tables(markdown: &str) -> Vec<Vec<Vec<String>>> {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut inside = false;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Table(_)) => (inside, _) = (true, tables.push(Vec::new())),
            Event::End(pulldown_cmark::TagEnd::Table) => inside = false,
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                tables.last_mut().unwrap().push(Vec::new())
            }
            Event::Start(Tag::TableCell) => tables
                .last_mut()
                .unwrap()
                .last_mut()
                .unwrap()
                .push(String::new()),
            Event::Text(text) if inside => {
                tables
                    .last_mut()
                    .unwrap()
                    .last_mut()
                    .unwrap()
                    .last_mut()
                    .unwrap()
                    .push_str(&text);
            }
            Event::Html(html) | Event::InlineHtml(html) if inside => {
                panic!("markup in a table: {html}")
            }
            _ => {}
        }
    }
    tables
}

/// Every cost of every function is what the JSON report says of it, in the same order.
#[test]
fn a_row_is_a_function_with_all_its_costs() {
    let stage = Stage::empty();
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    for name in some(profiles())
        .into_iter()
        .chain(["cachegrind/matrix.cg-branch.out".to_owned()])
    {
        let file = fixture(&name);
        let json = stage.json(&[&file]);
        let csv = rows(&stage.report(&["--format=csv", &file]), b',');
        let tsv = rows(&stage.report(&["--format=tsv", &file]), b'\t');
        assert_eq!(csv, tsv, "{name}");
        let named = |what: &str| {
            let events = json["events"].as_array().unwrap().iter();
            events
                .map(|event| format!("{}{what}", event.as_str().unwrap()))
                .collect::<Vec<_>>()
        };
        let columns = [
            named(""),
            named(" inclusive"),
            vec!["calls".into()],
            named(" per call"),
            ["function", "file", "object"].map(str::to_owned).into(),
        ];
        assert_eq!(csv[0], columns.concat(), "{name}");
        // What nobody knows is empty.
        let empty = vec![String::new(); named("").len()];
        let mut want: Vec<Vec<String>> = (json["functions"].as_array().unwrap().iter())
            .map(|f| {
                let called = f["called"].as_u64();
                let costs = |key: &str| {
                    f[key]
                        .as_array()
                        .map_or(empty.clone(), |row| row.iter().map(text).collect())
                };
                let each = match called {
                    Some(calls @ 1..) => (costs("inclusive").iter())
                        .map(|cost| format!("{:.2}", cost.parse::<f64>().unwrap() / calls as f64))
                        .collect(),
                    _ => empty.clone(),
                };
                [
                    costs("self"),
                    costs("inclusive"),
                    vec![called.map_or(String::new(), |calls| calls.to_string())],
                    each,
                    ["name", "file", "object"].map(|key| text(&f[key])).into(),
                ]
                .concat()
            })
            .collect();
        let mut got = csv[1..].to_vec();
        // The JSON report orders by these, too.
        if name == "shapes/shapes.plain.out" {
            assert_eq!(got, want, "{name}");
        }
        got.sort();
        want.sort();
        assert_eq!(got, want, "{name}");
    }
    let file = fixture("shapes/shapes.plain.out");
    let of = |options: &[&str]| stage.report(&[&[&file[..]], options].concat());
    let by = rows(&of(&["--format=csv", "--inclusive", "-n", "2"]), b',');
    assert_eq!(
        (by.len(), &by[1][1][..]),
        (3, "457867"),
        "inclusive costs order"
    );
    let markdown = &tables(&of(&["--format=markdown", "-n", "2"]))[0];
    assert_eq!(markdown[1], ["457,867", "", "", "", "(total)", "", ""]);
    let number = |text: &String| {
        let digits = text.split(' ').next().unwrap().replace(',', "");
        digits.parse::<i64>().unwrap()
    };
    assert_eq!(
        markdown[2..].iter().map(|row| number(&row[0])).sum::<i64>(),
        457_867,
        "self costs add up"
    );
    assert_eq!(markdown[4][1..3], ["", ""], "inclusive ones do not");
}

#[test]
fn a_row_can_be_a_line_or_a_group() {
    let stage = Stage::empty();
    let file = fixture("cxx/inventory.out");
    let json = stage.json(&[&file]);
    let lines = rows(&stage.report(&["--format=csv", "--by=line", &file]), b',');
    assert_eq!(lines[0], ["Ir", "file", "line", "function", "object"]);
    let mut want: Vec<Vec<String>> = (json["lines"].as_array().unwrap().iter())
        .map(|line| {
            let function = &json["functions"][line["function"].as_u64().unwrap() as usize];
            let text = |value: &Value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            };
            [
                &line["self"][0],
                &line["file"],
                &line["line"],
                &function["name"],
                &function["object"],
            ]
            .map(text)
            .to_vec()
        })
        .collect();
    let costs: Vec<i64> = lines[1..]
        .iter()
        .map(|row| row[0].parse().unwrap())
        .collect();
    assert!(costs.is_sorted_by(|a, b| a >= b));
    let mut got = lines[1..].to_vec();
    want.sort();
    got.sort();
    assert_eq!(want, got);
    let total: i64 = json["totals"][0].as_i64().unwrap();
    for by in ["function", "file", "object", "class"] {
        let table = rows(
            &stage.report(&["--format=csv", &format!("--by={by}"), &file]),
            b',',
        );
        assert_eq!(table[0], ["Ir", by]);
        assert_eq!(
            table[1..]
                .iter()
                .map(|row| row[0].parse::<i64>().unwrap())
                .sum::<i64>(),
            total,
            "{by}"
        );
    }
}

#[test]
fn csv_is_quoted_and_ends_lines_as_the_rfc_says() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir cpu,ms\nfl=a,b.c\nfn=f<int, \"x\">\\t\n1 -5 7\nfn=g\th\n1 3\n",
    );
    let csv = stage.report(&["--format=csv", "p"]);
    let want = "Ir,\"cpu,ms\",Ir inclusive,\"cpu,ms inclusive\",calls,Ir per call,\"cpu,ms per call\",function,file,object\r\n\
                3,0,3,0,0,,,g\th,\"a,b.c\",\r\n-5,7,-5,7,0,,,\"f<int, \"\"x\"\">\\t\",\"a,b.c\",\r\n";
    assert_eq!(csv, want);
    let tsv = stage.report(&["--format=tsv", "p"]);
    assert_eq!(
        tsv,
        "Ir\tcpu,ms\tIr inclusive\tcpu,ms inclusive\tcalls\tIr per call\tcpu,ms per call\tfunction\tfile\tobject\n\
         3\t0\t3\t0\t0\t\t\tg\\th\ta,b.c\t\n-5\t7\t-5\t7\t0\t\t\tf<int, \"x\">\\\\t\ta,b.c\t\n"
    );
}

#[test]
fn markdown_is_a_table_that_unfolds() {
    let stage = Stage::empty();
    let file = fixture("shapes/shapes.plain.out");
    let text = stage.report(&["--format=markdown", "--threshold=100", &file]);
    let tables = tables(&text);
    let columns = [
        "Ir",
        "Ir inclusive",
        "calls",
        "Ir per call",
        "function",
        "file",
        "object",
    ];
    assert_eq!(tables[0][0], columns);
    assert_eq!(tables[0][1], ["457,867", "", "", "", "(total)", "", ""]);
    // The dearest function by callgrind_annotate's report on this profile.
    let object = "/usr/lib/x86_64-linux-gnu/libc.so.6";
    assert_eq!(tables[0][2][0], "66,447 (14.51 %)");
    assert_eq!(
        tables[0][2][4..],
        [
            "msort_with_tmp.part.0'2",
            "./stdlib/./stdlib/msort.c",
            object
        ]
    );
    let csv = rows(&stage.report(&["--format=csv", &file]), b',');
    let functions = |table: &[Vec<String>], skip: usize| -> Vec<String> {
        table[skip..].iter().map(|row| row[4].clone()).collect()
    };
    let both = [functions(&tables[0], 2), functions(&tables[1], 1)].concat();
    assert_eq!((tables.len(), both), (2, functions(&csv, 1)));
    assert!(text.contains(&format!(
        "<details><summary>{} more</summary>",
        csv.len() - 1 - 20
    )));
}

#[test]
fn markdown_stays_within_64_kb_and_has_no_markup_from_names() {
    let stage = Stage::empty();
    let mut profile = String::from("events: Ir\nfl=a|b_<c>.c\n");
    for n in 0..5000 {
        profile += &format!(
            "fn=*f*|{n}`<b>&{}\n1 {}\n",
            "x<y>".repeat(n % 300),
            10_000 - n
        );
    }
    stage.write("p", profile);
    let text = stage.report(&["--format=markdown", "p"]);
    assert!(text.len() > 40_000 && text.len() < 64_000, "{}", text.len());
    let tables = tables(&text);
    assert_eq!(tables[0][2][4], "*f*|0`<b>&");
    assert_eq!(tables[0][3][4], "*f*|1`<b>&x<y>");
    // Without the total and what was left out.
    let shown: usize = tables.iter().map(|table| table.len() - 1).sum::<usize>() - 2;
    let csv = rows(
        &stage.report(&["--format=csv", "--threshold=99", "p"]),
        b',',
    );
    let missing = csv.len() - 1 - shown;
    assert!(
        missing > 0
            && text
                .replace(',', "")
                .contains(&format!("\n{missing} rows have no room here.\n")),
        "{missing}"
    );
}

#[test]
fn a_comparison_is_a_table_too() {
    let stage = Stage::empty();
    let (old, new) = (
        fixture("diff/server/server.old.out"),
        fixture("diff/server/server.new.out"),
    );
    let json = stage.json(&["diff", &old, &new]);
    let csv = rows(&stage.report(&["diff", "--format=csv", &old, &new]), b',');
    assert_eq!(
        csv[0],
        [
            "Ir old",
            "Ir new",
            "Ir change",
            "status",
            "function",
            "file",
            "object"
        ]
    );
    let change: i64 = csv[1..]
        .iter()
        .map(|row| row[2].parse::<i64>().unwrap())
        .sum();
    // The program's costs are chosen: fixtures/README.md.
    let of = |name: &str| {
        csv.iter()
            .find(|row| row[4] == name)
            .map(|row| (row[0].as_str(), row[1].as_str(), row[3].as_str()))
    };
    assert_eq!(of("checksum"), Some(("3300", "7350", "changed")));
    assert_eq!(of("log_line").map(|row| row.2), Some("new"));
    assert_eq!(of("log_text").map(|row| row.2), Some("gone"));
    let lines = rows(
        &stage.report(&["diff", "--format=tsv", "--by=line", &old, &new]),
        b'\t',
    );
    assert_eq!(
        lines[0],
        [
            "Ir old",
            "Ir new",
            "Ir change",
            "file",
            "old line",
            "new line",
            "function"
        ]
    );
    assert_eq!(
        lines[1..]
            .iter()
            .map(|row| row[2].parse::<i64>().unwrap())
            .sum::<i64>(),
        change
    );
    let text = stage.report(&["diff", "--format=markdown", &old, &new]);
    let table = &tables(&text)[0];
    let number = |text: &String| text.replace(',', "").parse::<i64>().unwrap();
    assert_eq!(table[1][3], "(total)");
    assert_eq!(number(&table[1][2]), change);
    assert_eq!(
        table[2..].iter().map(|row| number(&row[2])).sum::<i64>(),
        change,
        "the rows add up"
    );
    assert!(json.is_object());
}

#[test]
fn options_that_a_table_has_no_place_for_are_refused() {
    let stage = Stage::empty();
    stage
        .write("p", "events: Ir\nfl=a\nfn=f\n1 1\n")
        .write("a", "x\n");
    for args in [
        &["--format=csv", "--compat", "p"][..],
        &["--format=csv", "--split=part", "p"],
        &["--format=tsv", "--tree=both", "p"],
        &["--format=markdown", "--zoom=f", "--own", "p"],
        &["--format=csv", "p", "a"],
        &["--format=json", "--by=line", "p"],
        &["--format=xml", "p"],
    ] {
        let out = stage.run(args);
        assert_eq!(
            (out.status.code(), out.stdout.len()),
            (Some(2), 0),
            "{args:?}"
        );
    }
}

/// Counts of any length, and rows that are not written to their end.
#[test]
fn counts_are_written_as_they_are() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: A B C\nfl=f\nfn=g\n1 9223372036854775807 -9223372036854775807 10\n2 9\n3 . 5\n4\n5 0 -1 99\n",
    );
    let csv = rows(&stage.report(&["--format=csv", "--by=line", "p"]), b',');
    let counts: Vec<[&str; 4]> = csv[1..]
        .iter()
        .map(|row| [&row[0], &row[1], &row[2], &row[4]].map(|s| &**s))
        .collect();
    assert_eq!(
        counts,
        [
            ["9223372036854775807", "-9223372036854775807", "10", "1"],
            ["9", "0", "0", "2"],
            ["0", "-1", "99", "5"],
            ["0", "5", "0", "3"],
            ["0", "0", "0", "4"],
        ]
    );
}

/// The page of a function as rows: those of the text report, with its numbers.
#[test]
fn one_function_is_a_table() {
    let stage = Stage::empty();
    let file = fixture("shapes/shapes.plain.out");
    let csv = rows(
        &stage.report(&["--format=csv", "--zoom=^main$", "--depth=2", &file]),
        b',',
    );
    assert_eq!(
        csv[0],
        [
            "Ir",
            "what",
            "level",
            "calls",
            "estimated",
            "function",
            "file",
            "object"
        ]
    );
    let of = |what: &str, level: &str| -> Vec<Vec<&str>> {
        let wanted = csv[1..]
            .iter()
            .filter(|row| row[1] == what && row[2] == level);
        wanted
            .map(|row| {
                [&row[0], &row[3], &row[4], &row[5]]
                    .map(String::as_str)
                    .to_vec()
            })
            .collect()
    };
    // By callgrind_annotate's report on this profile, and its calls of `ins`.
    assert_eq!(of("inclusive", ""), [["335171", "1", "", "main"]]);
    assert_eq!(of("self", ""), [["9619", "", "", "main"]]);
    assert_eq!(of("caller", "1"), [["335171", "1", "", "(below main)"]]);
    assert_eq!(of("callee", "1")[0], ["152091", "400", "", "ins"]);
    let callees: i64 = of("callee", "1")
        .iter()
        .map(|row| row[0].parse::<i64>().unwrap())
        .sum();
    assert_eq!(callees + 9619, 335_171);
    assert!(
        of("callee", "2").contains(&vec!["3014", "", "yes", "_dl_fixup"]),
        "{csv:?}"
    );
    let few = rows(
        &stage.report(&["--format=tsv", "--zoom=^main$", "-n", "1", &file]),
        b'\t',
    );
    let (left_out, rest) = (few.last().unwrap(), callees - 152_091);
    assert_eq!(
        left_out[..3],
        [rest.to_string(), "callee".into(), "1".into()]
    );
    assert_eq!(
        (left_out[5].as_str(), few.len()),
        ("(9 omitted)", 1 + 2 + 1 + 2)
    );
    let markdown = &tables(&stage.report(&["--format=markdown", "--zoom=^main$", &file]))[0];
    assert_eq!(
        markdown[4][0], "152,091 (45.38 %)",
        "shares are of the function"
    );
    // Recursive calls have no cost of their own.
    stage.write(
        "p",
        "events: Ir\nfl=a\nfn=f\n1 5\ncfn=f\ncalls=3 1\n2 9\nfn=g\n3 1\ncfn=f\ncalls=1 1\n4 5\n",
    );
    let csv = rows(&stage.report(&["--format=csv", "--zoom=f", "p"]), b',');
    assert!(
        csv.contains(
            &["", "recursive callee", "1", "3", "", "f", "a", ""]
                .map(str::to_owned)
                .to_vec()
        ),
        "{csv:?}"
    );
    // Without calls there is nothing but its own cost.
    let flat = rows(
        &stage.report(&[
            "--format=csv",
            "--zoom=^main$",
            &fixture("cachegrind/matrix.cg-nosim.out"),
        ]),
        b',',
    );
    assert_eq!((flat.len(), flat[1][1].as_str()), (2, "self"));
    // Nothing is printed for a name that nothing has.
    let out = stage.run(&["--format=csv", "--zoom=mian", &file]);
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.code() == Some(2) && out.stdout.is_empty() && err.contains("did you mean main"),
        "{err}"
    );
}

/// Every thread, part, process or run has the column that it has alone with `--split`, and together
/// they are the sum.
#[test]
fn threads_and_parts_stand_beside_each_other() {
    let stage = Stage::empty();
    let files = [
        "threads/workers.out-01",
        "threads/workers.combined.out",
        "parts/phases.parts.out",
    ]
    .map(fixture);
    for by in ["thread", "part", "pid", "run"] {
        let paths: Vec<&str> = files.iter().map(String::as_str).collect();
        let option = format!("--by={by}");
        let csv = rows(
            &stage.report(&[&["--format=csv", &option], &paths[..]].concat()),
            b',',
        );
        let tsv = rows(
            &stage.report(&[&["--format=tsv", &option], &paths[..]].concat()),
            b'\t',
        );
        assert_eq!(csv, tsv, "{by}");
        let split =
            stage.report(&[&["--format=json", &format!("--split={by}")], &paths[..]].concat());
        let shares: Vec<Value> = serde_json::Deserializer::from_str(&split)
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(csv[0].len(), 1 + shares.len() + 3, "{by}: {:?}", csv[0]);
        for (at, share) in shares.iter().enumerate() {
            let value = share["profile"]["split"]["value"]
                .as_str()
                .filter(|value| !value.is_empty())
                .unwrap_or("?");
            assert!(
                csv[0][at + 1].ends_with(&format!("{by} {value}")),
                "{:?}",
                csv[0]
            );
            let mut want: Vec<[&str; 3]> = Vec::new();
            let mut sum = 0;
            for f in share["functions"].as_array().unwrap() {
                let cost = f["self"][0].as_i64().unwrap();
                let names = ["name", "file", "object"].map(|key| f[key].as_str().unwrap());
                let row = csv.iter().find(|row| row[row.len() - 3..] == names);
                let have = row.map_or(0, |row| row[at + 1].parse::<i64>().unwrap());
                assert_eq!(have, cost, "{by} {value}: {names:?}");
                (sum, _) = (sum + cost, want.push(names));
            }
            let column: i64 = csv[1..]
                .iter()
                .map(|row| row[at + 1].parse::<i64>().unwrap())
                .sum();
            assert_eq!(column, sum, "{by} {value}");
        }
        for row in &csv[1..] {
            let counts: Vec<i64> = row[..row.len() - 3]
                .iter()
                .map(|count| count.parse().unwrap())
                .collect();
            assert_eq!(counts[0], counts[1..].iter().sum::<i64>(), "{row:?}");
        }
    }
}

#[test]
fn columns_of_threads_are_named_ordered_and_bounded() {
    let stage = Stage::empty();
    let part = |pid: u32, thread: u32, f: u32, g: u32| {
        format!(
            "pid: {pid}\nthread: {thread}\npart: 1\nevents: Ir Dr\nfl=a.c\nfn=f\n1 {f} 1\nfn=g\n2 {g} 2\n"
        )
    };
    stage.write(
        "p",
        part(7, 1, 10, 70) + &part(7, 2, 90, 3) + &part(7, 1, 1, 5),
    );
    stage.write("q", part(8, 1, 2, 0));
    let csv = |args: &[&str]| rows(&stage.report(&[&["--format=csv"], args].concat()), b',');
    let head = |names: &[&'static str]| {
        names
            .iter()
            .copied()
            .chain(["function", "file", "object"])
            .collect::<Vec<_>>()
    };
    let threads = csv(&["--by=thread", "p"]);
    assert_eq!(threads[0], head(&["Ir", "thread 1", "thread 2"]));
    assert_eq!(
        threads[1..],
        [
            ["101", "11", "90", "f", "a.c", ""],
            ["78", "75", "3", "g", "a.c", ""]
        ]
    );
    let both = csv(&["--by=thread", "p", "q"]);
    assert_eq!(
        both[0],
        head(&["Ir", "pid 7 thread 1", "pid 7 thread 2", "pid 8 thread 1"])
    );
    assert_eq!(both[2][..4], ["78", "75", "3", "0"]);
    // Of several events each has its columns, and the order of rows is that of one of them.
    let events = csv(&["--by=pid", "--show=Dr,Ir", "--sort=Dr", "p", "q"]);
    assert_eq!(
        events[0],
        head(&["Dr", "Dr pid 7", "Dr pid 8", "Ir", "Ir pid 7", "Ir pid 8"])
    );
    assert_eq!(events[1], ["8", "6", "2", "78", "78", "0", "g", "a.c", ""]);
    let derived = csv(&[
        "--by=run",
        "--event=S = Ir + Dr",
        "--show=S",
        "--sort=S",
        "p",
        "q",
    ]);
    assert_eq!(derived[1], ["107", "104", "3", "f", "a.c", ""]);
    let few = stage.report(&["--by=thread", "--function=f", "p"]);
    assert!(few.starts_with("Ir by thread\n---"), "{few}");
    assert!(
        few.contains("\n179 (100.0%) 86 (100.0%) 93 (100.0%)  PROGRAM TOTALS"),
        "{few}"
    );
    assert!(
        few.contains("\n 78 (43.58%) 75 (87.21%)  3 ( 3.23%)  (1 function omitted)"),
        "{few}"
    );
    let refused = |args: &[&str]| {
        let out = stage.run(args);
        assert_eq!(
            (out.status.code(), out.stdout.len()),
            (Some(2), 0),
            "{args:?}"
        );
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(
        refused(&["--by=thread", "--sort=Dr", "--show=Ir", "p"]).contains("hint: add Dr to --show")
    );
    assert!(
        refused(&["--by=thread", "--format=json", "p"])
            .contains("--by is for text, csv, tsv and markdown")
    );
    stage.write("a.c", "x\n");
    assert!(refused(&["--by=thread", "p", "a.c"]).contains("does not annotate sources"));
    // Each share is a column of every row: there is an end to them.
    let many: String = (0..300).map(|n| part(7, n, 1, 1)).collect();
    stage.write("many", many);
    let err = refused(&["--by=thread", "many"]);
    assert!(
        err.contains(
            "300 columns are too many; at most 255 fit side by side\nhint: use --split=thread"
        ),
        "{err}"
    );
}

/// A comment has room for 60,000 bytes of rows. The row that reaches that is in it, and the first
/// that does not fit ends it.
#[test]
fn the_last_row_of_markdown_fits() {
    let stage = Stage::empty();
    // Of each row but the last, the length is the same.
    let rows = 500;
    let of = |last: usize| {
        let name = |n: usize| {
            format!(
                "{n:04}{}",
                "x".repeat(if n + 1 == rows { last } else { 100 })
            )
        };
        let functions: String = (0..rows)
            .map(|n| format!("fn={}\n1 {}\n", name(n), 9000 - n))
            .collect();
        stage.write("p", format!("events: Ir\nfl=a.c\n{functions}"));
        stage.report(&["--format=markdown", "--threshold=100", "p"])
    };
    let mut ends = Vec::new();
    for last in [1, 100] {
        let text = of(last);
        let shown = text
            .lines()
            .filter(|line| line.starts_with("| ") && line.contains('x'))
            .count();
        let end = text.rfind("</details>").unwrap();
        // The names of the columns stand there twice.
        let heading = text.find("(total)").unwrap();
        assert!(end <= 60_000 + heading, "{end}");
        let row = text
            .lines()
            .filter(|line| line.contains("0100x"))
            .map(str::len)
            .next()
            .unwrap()
            + 1;
        assert!(
            shown == rows || end + row > 60_000,
            "another row had room: {shown} {end}"
        );
        ends.push(shown);
    }
    assert!(ends[0] < rows, "{ends:?}");
}
