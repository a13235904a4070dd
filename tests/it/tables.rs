//! Lists as CSV, TSV and Markdown, read by readers that are not ours.

use crate::common::fixture;
use crate::common::{Stage, profiles};
use serde_json::Value;

/// The rows of a CSV or TSV document, the names of the columns first.
fn rows(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
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
            Event::Start(Tag::TableHead | Tag::TableRow) => tables.last_mut().unwrap().push(Vec::new()),
            Event::Start(Tag::TableCell) => tables.last_mut().unwrap().last_mut().unwrap().push(String::new()),
            Event::Text(text) if inside => {
                tables.last_mut().unwrap().last_mut().unwrap().last_mut().unwrap().push_str(&text);
            }
            Event::Html(html) | Event::InlineHtml(html) if inside => panic!("markup in a table: {html}"),
            _ => {}
        }
    }
    tables
}

#[test]
fn a_row_is_a_function_with_plain_integers() {
    let stage = Stage::empty();
    for name in profiles() {
        let file = fixture(&name);
        let json: Value = serde_json::from_str(&stage.report(&["--format=json", &file])).unwrap();
        let events: Vec<&str> = json["events"].as_array().unwrap().iter().map(|e| e.as_str().unwrap()).collect();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for (option, key) in [("--inclusive=no", "self"), ("--inclusive=yes", "inclusive")] {
            let csv = rows(&stage.report(&["--format=csv", option, &file]), b',');
            let tsv = rows(&stage.report(&["--format=tsv", option, &file]), b'\t');
            assert_eq!(csv, tsv, "{name}");
            let names: Vec<&str> = events.iter().copied().chain(["function", "file", "object"]).collect();
            assert_eq!(csv[0], names, "{name}");
            // Of a format without calls only self costs are known.
            let key = if json["functions"][0]["inclusive"].is_null() { "self" } else { key };
            let want: Vec<Vec<String>> = (json["functions"].as_array().unwrap().iter())
                .map(|f| {
                    let counts = f[key].as_array().unwrap().iter().map(text);
                    counts.chain(["name", "file", "object"].map(|key| text(&f[key]))).collect()
                })
                .collect();
            let (mut want, mut got) = (want, csv[1..].to_vec());
            // Functions without a record of their own are not in a list of self costs.
            if key == "self" {
                want.retain(|row| row[..events.len()].iter().any(|count| count != "0") || got.contains(row));
            }
            want.sort();
            got.sort();
            assert_eq!(want, got, "{name} {option}");
        }
    }
}

#[test]
fn a_row_can_be_a_line_or_a_group() {
    let stage = Stage::empty();
    let file = fixture("cxx/inventory.out");
    let json: Value = serde_json::from_str(&stage.report(&["--format=json", &file])).unwrap();
    let lines = rows(&stage.report(&["--format=csv", "--by=line", &file]), b',');
    assert_eq!(lines[0], ["Ir", "file", "line", "function", "object"]);
    let mut want: Vec<Vec<String>> = (json["lines"].as_array().unwrap().iter())
        .map(|line| {
            let function = &json["functions"][line["function"].as_u64().unwrap() as usize];
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            [&line["self"][0], &line["file"], &line["line"], &function["name"], &function["object"]].map(text).to_vec()
        })
        .collect();
    let costs: Vec<i64> = lines[1..].iter().map(|row| row[0].parse().unwrap()).collect();
    assert!(costs.is_sorted_by(|a, b| a >= b));
    let mut got = lines[1..].to_vec();
    want.sort();
    got.sort();
    assert_eq!(want, got);
    let total: i64 = json["totals"][0].as_i64().unwrap();
    for by in ["function", "file", "object", "class"] {
        let table = rows(&stage.report(&["--format=csv", &format!("--by={by}"), &file]), b',');
        assert_eq!(table[0], ["Ir", by]);
        assert_eq!(table[1..].iter().map(|row| row[0].parse::<i64>().unwrap()).sum::<i64>(), total, "{by}");
    }
}

#[test]
fn csv_is_quoted_and_ends_lines_as_the_rfc_says() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir cpu,ms\nfl=a,b.c\nfn=f<int, \"x\">\\t\n1 -5 7\nfn=g\th\n1 3\n");
    let csv = stage.report(&["--format=csv", "p"]);
    let want =
        "Ir,\"cpu,ms\",function,file,object\r\n3,0,g\th,\"a,b.c\",\r\n-5,7,\"f<int, \"\"x\"\">\\t\",\"a,b.c\",\r\n";
    assert_eq!(csv, want);
    let tsv = stage.report(&["--format=tsv", "p"]);
    assert_eq!(tsv, "Ir\tcpu,ms\tfunction\tfile\tobject\n3\t0\tg\\th\ta,b.c\t\n-5\t7\tf<int, \"x\">\\\\t\ta,b.c\t\n");
}

#[test]
fn markdown_is_a_table_that_unfolds() {
    let stage = Stage::empty();
    let file = fixture("shapes/shapes.plain.out");
    let text = stage.report(&["--format=markdown", "--threshold=100", &file]);
    let tables = tables(&text);
    assert_eq!(tables[0][0], ["Ir", "function", "file", "object"]);
    assert_eq!(tables[0][1], ["457,867", "(total)", "", ""]);
    // The dearest function by callgrind_annotate's report on this profile.
    let object = "/usr/lib/x86_64-linux-gnu/libc.so.6";
    assert_eq!(tables[0][2], ["66,447 (14.51 %)", "msort_with_tmp.part.0'2", "./stdlib/./stdlib/msort.c", object]);
    let csv = rows(&stage.report(&["--format=csv", &file]), b',');
    let functions = |table: &[Vec<String>], skip: usize| -> Vec<String> {
        table[skip..].iter().map(|row| row[1].clone()).collect()
    };
    let both = [functions(&tables[0], 2), functions(&tables[1], 1)].concat();
    assert_eq!((tables.len(), both), (2, functions(&csv, 1)));
    assert!(text.contains(&format!("<details><summary>{} more</summary>", csv.len() - 1 - 20)));
}

#[test]
fn markdown_stays_within_64_kb_and_has_no_markup_from_names() {
    let stage = Stage::empty();
    let mut profile = String::from("events: Ir\nfl=a|b_<c>.c\n");
    for n in 0..5000 {
        profile += &format!("fn=*f*|{n}`<b>&{}\n1 {}\n", "x<y>".repeat(n % 300), 10_000 - n);
    }
    stage.write("p", profile);
    let text = stage.report(&["--format=markdown", "p"]);
    assert!(text.len() > 40_000 && text.len() < 64_000, "{}", text.len());
    let tables = tables(&text);
    assert_eq!(tables[0][2][1], "*f*|0`<b>&");
    assert_eq!(tables[0][3][1], "*f*|1`<b>&x<y>");
    // Without the total and what was left out.
    let shown: usize = tables.iter().map(|table| table.len() - 1).sum::<usize>() - 2;
    let csv = rows(&stage.report(&["--format=csv", "--threshold=99", "p"]), b',');
    let missing = csv.len() - 1 - shown;
    assert!(
        missing > 0 && text.replace(',', "").contains(&format!("\n{missing} rows have no room here.\n")),
        "{missing}"
    );
}

#[test]
fn a_comparison_is_a_table_too() {
    let stage = Stage::empty();
    let (old, new) = (fixture("diff/server/server.old.out"), fixture("diff/server/server.new.out"));
    let json: Value = serde_json::from_str(&stage.report(&["diff", "--format=json", &old, &new])).unwrap();
    let csv = rows(&stage.report(&["diff", "--format=csv", &old, &new]), b',');
    assert_eq!(csv[0], ["Ir old", "Ir new", "Ir change", "status", "function", "file", "object"]);
    let change: i64 = csv[1..].iter().map(|row| row[2].parse::<i64>().unwrap()).sum();
    // The program's costs are chosen: fixtures/README.md.
    let of = |name: &str| {
        csv.iter().find(|row| row[4] == name).map(|row| (row[0].as_str(), row[1].as_str(), row[3].as_str()))
    };
    assert_eq!(of("checksum"), Some(("3300", "7350", "changed")));
    assert_eq!(of("log_line").map(|row| row.2), Some("new"));
    assert_eq!(of("log_text").map(|row| row.2), Some("gone"));
    let lines = rows(&stage.report(&["diff", "--format=tsv", "--by=line", &old, &new]), b'\t');
    assert_eq!(lines[0], ["Ir old", "Ir new", "Ir change", "file", "old line", "new line", "function"]);
    assert_eq!(lines[1..].iter().map(|row| row[2].parse::<i64>().unwrap()).sum::<i64>(), change);
    let text = stage.report(&["diff", "--format=markdown", &old, &new]);
    let table = &tables(&text)[0];
    let number = |text: &String| text.replace(',', "").parse::<i64>().unwrap();
    assert_eq!(table[1][3], "(total)");
    assert_eq!(number(&table[1][2]), change);
    assert_eq!(table[2..].iter().map(|row| number(&row[2])).sum::<i64>(), change, "the rows add up");
    assert!(json.is_object());
}

#[test]
fn options_that_a_table_has_no_place_for_are_refused() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfl=a\nfn=f\n1 1\n").write("a", "x\n");
    for args in [
        &["--format=csv", "--compat", "p"][..],
        &["--format=csv", "--split=part", "p"],
        &["--format=tsv", "--tree=both", "p"],
        &["--format=markdown", "--zoom=f", "p"],
        &["--format=csv", "p", "a"],
        &["--format=json", "--by=line", "p"],
        &["--format=xml", "p"],
    ] {
        let out = stage.run(args);
        assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{args:?}");
    }
}

/// A spreadsheet runs what it takes for a formula. Only text is changed, and only where that is asked for.
#[test]
fn formulas_are_text_where_that_is_asked_for() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir =Ev\nfl=@file\nob=+ob\nfn==HYPERLINK(\"x\",1)\n1 -5 7\nfn=-n\n1 3\nfn=x=1\n1 2\nfn=(1) +1\r\t2\n1 1\n",
    );
    let cells = |options: &[&str], separator| rows(&stage.report(&[options, &["p"]].concat()), separator);
    let plain = cells(&["--format=csv"], b',');
    assert_eq!(plain[0], ["Ir", "=Ev", "function", "file", "object"]);
    assert_eq!(plain[1], ["3", "0", "-n", "@file", "+ob"]);
    let safe = cells(&["--format=csv", "--csv-safe"], b',');
    assert_eq!(safe[0], ["Ir", "'=Ev", "function", "file", "object"]);
    assert_eq!(safe[1], ["3", "0", "'-n", "'@file", "'+ob"]);
    assert_eq!(safe[2], ["2", "0", "x=1", "'@file", "'+ob"]);
    assert_eq!(safe[3], ["1", "0", "'+1\r\t2", "'@file", "'+ob"]);
    assert_eq!(safe[4], ["-5", "7", "'=HYPERLINK(\"x\",1)", "'@file", "'+ob"], "a number below zero is a number");
    let tsv = cells(&["--format=tsv", "--csv-safe", "--by=line"], b'\t');
    assert_eq!(tsv[1], ["3", "0", "'@file", "1", "'-n", "'+ob"]);
    stage.write("q", "events: Ir =Ev\nfl=@file\nob=+ob\nfn=-n\n1 2\n");
    let diff = rows(&stage.report(&["diff", "--format=csv", "--csv-safe", "--show=Ir", "p", "q"]), b',');
    let row = diff.iter().find(|row| row[4] == "'-n").unwrap();
    assert_eq!(row[..], ["3", "2", "-1", "changed", "'-n", "'@file", "'+ob"]);
    for args in [
        &["--csv-safe", "p"][..],
        &["--csv-safe", "--format=markdown", "p"],
        &["--csv-safe", "--format=json", "p"],
        &["diff", "--csv-safe", "p", "q"],
    ] {
        let out = stage.run(args);
        let err = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && err.contains("--csv-safe is for"), "{args:?}: {err}");
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
    let counts: Vec<[&str; 4]> =
        csv[1..].iter().map(|row| [&row[0], &row[1], &row[2], &row[4]].map(|s| &**s)).collect();
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
