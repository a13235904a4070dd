//! `mcp`: the MCP server, with a client that sends it requests.

use crate::common::{Stage, day, fixture};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// A server, and a client that talks to it.
struct Client {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Client {
    fn new(stage: &Stage, args: &[&str]) -> Client {
        let path = std::env::var("PATH").unwrap();
        let mut server = stage
            .command(&[&["mcp"], args].concat())
            .env(
                "PATH",
                format!("{}:{path}", stage.dir.join("bin").display()),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Client {
            to: server.stdin.take(),
            from: BufReader::new(server.stdout.take().unwrap()),
            server,
        }
    }

    /// Sends a line and reads the next.
    fn line(&mut self, line: &str) -> Value {
        writeln!(self.to.as_ref().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let asked = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params});
        let answer = self.line(&asked.to_string());
        assert_eq!(
            (&answer["jsonrpc"], &answer["id"]),
            (&json!("2.0"), &json!("a"))
        );
        answer
    }

    /// Calls a tool. Returns the text of the answer, as an error if it is one.
    fn text(&mut self, tool: &str, arguments: &Value) -> Result<String, String> {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        if result["isError"] == true {
            Err(text)
        } else {
            Ok(text)
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let text = self.text(tool, arguments).unwrap();
        let most = arguments["max_bytes"].as_u64().unwrap_or(4096);
        assert!(text.len() as u64 <= most, "{tool}: {} bytes", text.len());
        serde_json::from_str(&text).unwrap()
    }

    fn error(&mut self, tool: &str, arguments: &Value) -> String {
        self.text(tool, arguments).unwrap_err()
    }

    /// Ends the input. Returns the status.
    fn end(mut self) -> Option<i32> {
        drop(self.to.take());
        self.server.wait().unwrap().code()
    }
}

/// The program of `fixtures/shapes` with its source.
fn shapes() -> Stage {
    Stage::of("shapes")
}

const PROFILE: [&str; 2] = ["--profile", "shapes.plain.out"];

#[test]
fn a_client_learns_the_version_and_the_tools() {
    let stage = shapes();
    let mut client = Client::new(&stage, &PROFILE);
    for (wanted, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("1999-01-01", "2025-06-18"),
    ] {
        let answer = client.ask("initialize", &json!({"protocolVersion": wanted}));
        assert_eq!(answer["result"]["protocolVersion"], given);
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}));
    }
    // A notification gets no answer: the next line answers the next request.
    let notification = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\n";
    client
        .to
        .as_ref()
        .unwrap()
        .write_all(notification.as_bytes())
        .unwrap();
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    let names = |client: &mut Client| -> Vec<String> {
        let answer = client.ask("tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        for tool in &tools {
            assert_eq!(
                tool["inputSchema"]["properties"]["max_bytes"]["maximum"],
                1 << 20
            );
        }
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let always = [
        "summary",
        "functions",
        "function",
        "lines",
        "groups",
        "compare",
        "history",
    ];
    assert_eq!(names(&mut client), always);
    assert_eq!(client.end(), Some(0));
    let mut client = Client::new(&stage, &["--allow-record", "--", "./run"]);
    assert_eq!(names(&mut client), [&always[..], &["record"]].concat());
}

#[test]
fn invalid_requests_are_errors_and_the_server_continues() {
    let stage = shapes();
    let mut client = Client::new(&stage, &PROFILE);
    assert_eq!(client.line("{nonsense")["error"]["code"], -32700);
    assert_eq!(client.line("[]")["error"]["code"], -32600);
    assert_eq!(
        client.ask("tools/make", &json!({}))["error"]["code"],
        -32601
    );
    let unknown = client.ask("tools/call", &json!({"name": "record", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    for (tool, arguments, why) in [
        ("lines", json!({"rows": "3"}), "rows: invalid value \"3\""),
        ("lines", json!({"rows": 0}), "rows: invalid value 0"),
        ("lines", json!({"roads": 3}), "unknown parameter `roads`"),
        ("compare", json!({}), "missing parameter \"old\""),
        (
            "function",
            json!({"name": "main"}),
            "missing parameter \"hash\"",
        ),
        (
            "functions",
            json!({"function": "("}),
            "--function: `(` is not a valid regular expression",
        ),
        ("functions", json!({"event": "Drift"}), "Drift"),
        (
            "summary",
            json!({"profile": "nothing"}),
            "nothing: not a file below ",
        ),
        (
            "summary",
            json!({"max_bytes": 100}),
            "max_bytes: 100 is too small for this answer",
        ),
    ] {
        let error = client.error(tool, &arguments);
        assert!(error.contains(why), "{tool} {arguments}: {error}");
    }
    assert_eq!(
        client.call("summary", &json!({}))["from_profile"]["totals"],
        json!([457_867])
    );
}

#[test]
fn numbers_are_those_of_the_json_report() {
    let stage = shapes();
    let mut client = Client::new(&stage, &PROFILE);
    let profile = "shapes.plain.out";
    let whole = stage.json(&["-n5", "--fold-recursion", profile]);
    let summary = client.call("summary", &json!({}));
    for key in ["profile", "events", "totals", "functions"] {
        assert_eq!(summary["from_profile"][key], whole[key], "{key}");
    }
    let inclusive = client.call(
        "functions",
        &json!({"inclusive": true, "rows": 3, "object": "shapes$"}),
    );
    let whole = stage.json(&[
        "-n3",
        "--fold-recursion",
        "--inclusive=yes",
        "--object=shapes$",
        profile,
    ]);
    assert_eq!(inclusive["from_profile"]["functions"], whole["functions"]);
    // One function: its callers and callees have names instead of indexes.
    let hash = &summary["hash"];
    let asked = json!({"hash": hash, "name": "main", "max_bytes": 50_000});
    let main = &client.call("function", &asked)["from_profile"];
    let whole = stage.json(&["-n10", "--fold-recursion", "--zoom=^main$", profile]);
    assert_eq!(
        (&main["zoom"]["self"], &main["zoom"]["inclusive"]),
        (&json!([9619]), &json!([335_171]))
    );
    for list in ["zoom_callers", "zoom_callees"] {
        let (rows, all) = (
            main[list].as_array().unwrap(),
            whole[list].as_array().unwrap(),
        );
        assert_eq!(rows.len(), all.len());
        for (row, expected) in rows.iter().zip(all) {
            let function = &whole["functions"][expected["function"].as_u64().unwrap() as usize];
            assert_eq!(
                [
                    &row["function"],
                    &row["file"],
                    &row["object"],
                    &row["count"],
                    &row["inclusive"]
                ],
                [
                    &function["name"],
                    &function["file"],
                    &function["object"],
                    &expected["count"],
                    &expected["inclusive"]
                ]
            );
        }
    }
    // Its most expensive lines.
    let lines = main["lines"].as_array().unwrap();
    let first = &lines[0];
    assert_eq!(
        [&first["line"], &first["self"]],
        [&json!(26), &json!([6800])]
    );
    assert_eq!(lines.len(), 10);
    let lists = client.call("compare", &json!({"old": "shapes.instronly.out"}));
    let whole = stage.json(&[
        "diff",
        "-n5",
        "--fold-recursion",
        "shapes.instronly.out",
        profile,
    ]);
    assert_eq!(lists["from_profile"]["total"], whole["total"]);
    let both = ["shapes.plain.out", "shapes.nocompress.out"];
    let lists = client.call("history", &json!({"profiles": both, "max_bytes": 50_000}));
    assert_eq!(
        lists["from_profile"]["rows"],
        stage.json(&["trend", "-n5", "--fold-recursion", both[0], both[1]])["rows"]
    );
}

/// Tools answer about formats without calls or lines, or say why they cannot.
#[test]
fn other_formats_have_answers() {
    let stage = Stage::empty();
    for (name, kind, has_lines) in [
        ("cachegrind/matrix.cg-nosim.out", "cachegrind", true),
        ("webgrind/app-x320-v7.webgrind", "webgrind", false),
        ("aprof/algos-v6.aprof", "aprof", false),
        ("own/shop.xdebug", "callgrind", true),
    ] {
        let bytes = fs::read(fixture(name)).unwrap();
        stage.write("p", bytes);
        let mut client = Client::new(&stage, &["--profile", "p"]);
        let summary = client.call("summary", &json!({}));
        assert_eq!(summary["from_profile"]["profile"]["format"], kind);
        let function = summary["from_profile"]["functions"][0]["name"].clone();
        let named = json!({"hash": summary["hash"], "name": function});
        let zoomed = client.call("function", &named);
        assert_eq!(
            zoomed["from_profile"]["zoom"]["function"], function,
            "{name}"
        );
        let self_cost = &summary["from_profile"]["functions"][0]["self"];
        assert_eq!(zoomed["from_profile"]["zoom"]["self"], *self_cost, "{name}");
        let groups = client.call("groups", &json!({"by": "file"}));
        assert!(
            groups["from_profile"]["groups"][0]["self"][0].as_i64() > Some(0),
            "{name}"
        );
        let lines = client.call("lines", &json!({"all_code": true}));
        let lines = lines["from_profile"]["lines"].as_array().unwrap().len();
        assert_eq!(lines > 0, has_lines, "{name}");
        assert_eq!(client.end(), Some(0), "{name}");
    }
}

#[test]
fn lines_have_library_code_and_text() {
    let stage = shapes();
    let mut client = Client::new(&stage, &PROFILE);
    let answer = client.call("lines", &json!({}));
    assert_eq!(answer["from_profile"]["totals"], json!([457_867]));
    let lines = answer["from_profile"]["lines"].as_array().unwrap();
    let line = lines.iter().find(|line| line["line"] == 27).unwrap();
    assert_eq!(line["text"], "qsort(v, n, sizeof *v, cmp);");
    assert_eq!(
        [&line["cost"], &line["estimated"]],
        [&json!([82325]), &json!(false)]
    );
    assert_eq!(line["library"][0]["name"], "qsort");
    assert_eq!(line["library"][0]["cost"], json!([81693]));
    // All code, with self cost only.
    let answer = client.call("lines", &json!({"all_code": true, "rows": 1}));
    let line = &answer["from_profile"]["lines"][0];
    assert_eq!((&line["cost"], &line["line"]), (&json!([28605]), &json!(8)));
    assert_eq!(line.get("library"), None);
}

/// Functions of the same name have rows of their own, and names are as in other answers.
#[test]
fn lines_belong_to_their_functions() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir line\nob=/a\nfl=h.h\nfn=f\n3 100 1\nob=/b\nfn=f\n3 40 2\nfl=c.c\nfn=App\\0123\n7 9 0\nfn=0123\n8 5 0\n");
    let mut client = Client::new(&stage, &["--profile", "p"]);
    let answer = client.call("lines", &json!({"all_code": true}));
    assert_eq!(answer["from_profile"]["events"], json!(["Ir", "line"]));
    let lines = answer["from_profile"]["lines"].as_array().unwrap();
    let rows: Vec<_> = lines
        .iter()
        .map(|row| {
            (
                row["function"].as_str().unwrap(),
                row["object"].as_str().unwrap(),
                row["cost"].clone(),
            )
        })
        .collect();
    assert_eq!(
        rows[..2],
        [("f", "/a", json!([100, 1])), ("f", "/b", json!([40, 2]))]
    );
    assert_eq!(
        rows[2..],
        [
            ("App\\0123", "/b", json!([9, 0])),
            ("0123", "/b", json!([5, 0]))
        ]
    );
}

/// Of a source that was edited since, no line has a text.
#[test]
fn edited_sources_have_no_text() {
    let stage = shapes();
    stage.date("shapes.plain.out", day(2));
    for (time, count) in [(day(1), 1), (day(3), 0)] {
        stage.date("shapes.c", time);
        let mut client = Client::new(&stage, &PROFILE);
        let answer = client.call("lines", &json!({"rows": 2}));
        let lines = answer["from_profile"]["lines"].as_array().unwrap().clone();
        let texts = lines.iter().filter(|line| line.get("text").is_some());
        assert_eq!(texts.count(), count);
        let notes = answer["notes"].to_string();
        assert_eq!(
            notes.contains("shapes.c: not known to be as it was recorded"),
            count == 0,
            "{notes}"
        );
    }
}

/// A run with a file for each thread is one run.
#[test]
fn a_run_has_all_its_threads() {
    let stage = Stage::empty();
    for (thread, cost) in [("01", 10), ("02", 30)] {
        stage.write(
            &format!("callgrind.out.7-{thread}"),
            format!("version: 1\npid: 7\nthread: {thread}\nevents: Ir\nfn=main\n1 {cost}\n"),
        );
    }
    let mut client = Client::new(&stage, &[]);
    let answer = client.call("summary", &json!({}));
    assert_eq!(answer["from_profile"]["totals"], json!([40]));
    let asked = json!({"hash": answer["hash"], "name": "main"});
    assert_eq!(
        client.call("function", &asked)["from_profile"]["zoom"]["self"],
        json!([40])
    );
}

#[test]
fn groups_add_up_functions() {
    let stage = shapes();
    let mut client = Client::new(&stage, &PROFILE);
    for by in ["object", "file"] {
        let answer = client.call("groups", &json!({"by": by, "rows": 2}));
        let rows = answer["from_profile"]["groups"].as_array().unwrap().clone();
        let by_option = format!("--by={by}");
        let table = stage.report(&[&by_option, "-n2", "--format=tsv", "shapes.plain.out"]);
        let listed: Vec<&str> = table.lines().skip(1).collect();
        let shown = |row: &Value| format!("{}\t{}", row["self"][0], row["name"].as_str().unwrap());
        let shown: Vec<String> = rows.iter().map(shown).collect();
        assert!(
            listed
                .iter()
                .zip(&shown)
                .all(|(listed, shown)| listed.starts_with(&shown[..])),
            "{listed:?} {shown:?}"
        );
        assert_eq!(listed.len(), 2);
    }
}

/// `function` finds a function by the shortened name of an earlier answer.
#[test]
fn shortened_names_are_found() {
    let stage = Stage::empty();
    let name = "a".repeat(200);
    stage.write("p", format!("events: Ir\nfn=main\n1 5\ncfn={name}\ncalls=2 9\n1 70\n3 6\ncfn={name}\ncalls=1 9\n3 30\nfn={name}\n9 100\n"));
    let mut client = Client::new(&stage, &[]);
    let answer = client.call("functions", &json!({"profile": "p", "rows": 1}));
    let shortened = &answer["from_profile"]["functions"][0]["name"];
    assert_eq!(*shortened, "a".repeat(120) + "…");
    // The hash alone identifies the profile.
    let answer = client.call(
        "function",
        &json!({"hash": answer["hash"], "name": shortened}),
    );
    let zoomed = &answer["from_profile"];
    assert_eq!(zoomed["zoom"]["self"], json!([100]));
    let caller = &zoomed["zoom_callers"][0];
    assert_eq!(
        (&caller["function"], &caller["count"]),
        (&json!("main"), &json!(3))
    );
    let lines: Vec<_> = caller["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|site| (&site["line"], &site["count"]))
        .collect();
    assert_eq!(lines, [(&json!(1), &json!(2)), (&json!(3), &json!(1))]);
}

/// A caller lists the five lines with the most expensive calls.
#[test]
fn five_lines_with_calls_are_listed() {
    for (written, shown) in [(5, 5), (6, 5)] {
        let stage = Stage::empty();
        let call = |line: u64| format!("cfn=work\ncalls=1 9\n{line} {}\n", line * 10);
        let calls: String = (1..=written).map(call).collect();
        stage.write(
            "p",
            format!("events: Ir\nfn=main\n1 5\n{calls}fn=work\n9 1000\n"),
        );
        let mut client = Client::new(&stage, &["--profile", "p"]);
        let hash = client.call("summary", &json!({}))["hash"].clone();
        let answer = client.call("function", &json!({"hash": hash, "name": "work"}));
        let sites = answer["from_profile"]["zoom_callers"][0]["sites"]
            .as_array()
            .unwrap()
            .clone();
        let lines: Vec<u64> = sites
            .iter()
            .map(|site| site["line"].as_u64().unwrap())
            .collect();
        let wanted: Vec<u64> = (1..=written).rev().take(shown).collect();
        assert_eq!(lines, wanted);
    }
}

/// The answer about a line with this text, which calls four library functions.
fn library_calls(text: &str) -> Value {
    let stage = Stage::empty();
    let calls = |(at, cost): (usize, u64)| {
        format!("cob=/usr/lib/libc.so.6\ncfi=l.c\ncfn=lib{at}\ncalls=1 0\n1 {cost}\n")
    };
    let calls: String = [10, 40, 20, 30]
        .into_iter()
        .enumerate()
        .map(calls)
        .collect();
    stage.write("p", format!("events: Ir\nfl=a.c\nfn=main\n1 5\n{calls}"));
    stage.write("a.c", text);
    Client::new(&stage, &[]).call("lines", &json!({"profile": "p"}))["from_profile"]["lines"][0]
        .clone()
}

#[test]
fn lines_have_three_library_functions() {
    let line = library_calls("calls();\n");
    let library = line["library"].as_array().unwrap();
    let names: Vec<&Value> = library.iter().map(|code| &code["name"]).collect();
    assert_eq!(names, ["lib1", "lib3", "lib2"]);
}

#[test]
fn long_lines_are_shortened() {
    for (written, shown) in [(120, ""), (121, "…")] {
        let text = library_calls(&format!("  {}\n", "x".repeat(written)))["text"].clone();
        assert_eq!(text, "x".repeat(120) + shown, "{written}");
    }
}

#[test]
fn rows_have_a_limit() {
    let stage = Stage::empty();
    let function = |at: usize| format!("fn=f{at}{}\n1 {}\n", "x".repeat(100), at + 1);
    let functions: String = (0..1200).map(function).collect();
    stage.write("p", format!("events: Ir\n{functions}"));
    let asked = json!({"profile": "p", "rows": 9999, "max_bytes": 1 << 30});
    let text = Client::new(&stage, &[]).text("functions", &asked).unwrap();
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        answer["from_profile"]["functions"]
            .as_array()
            .unwrap()
            .len(),
        1000
    );
    assert_eq!(answer["omitted"], json!({}));
}

/// An answer has at most `max_bytes`, and counts the rows that it omits.
#[test]
fn answers_fit_and_count_omitted_rows() {
    let stage = shapes();
    let mut client = Client::new(&stage, &PROFILE);
    let rows = |answer: &Value| {
        answer["from_profile"]["functions"]
            .as_array()
            .unwrap()
            .len()
    };
    let cut = client.call("functions", &json!({"rows": 100}));
    assert!((10..100).contains(&rows(&cut)), "{}", rows(&cut));
    assert_eq!(cut["omitted"]["functions"], 100 - rows(&cut));
    let whole = client.call("functions", &json!({"rows": 100, "max_bytes": 1 << 20}));
    assert_eq!((rows(&whole), &whole["omitted"]), (100, &json!({})));
    let notes = whole["notes"].as_array().unwrap();
    assert_eq!(notes, &["functions: `rows` allows 100 at most"]);
    // Lists of events are not limited by `rows`.
    let answer = client.call("functions", &json!({"rows": 1}));
    assert_eq!(
        answer["notes"],
        json!(["functions: `rows` allows 1 at most"])
    );
    // A row that fits is not omitted.
    let first = &whole["from_profile"]["functions"][rows(&cut)];
    assert!(cut.to_string().len() + first.to_string().len() > 4000);
}

/// Names are valid for one profile only, so a question with the hash of another one is refused.
#[test]
fn an_outdated_hash_is_refused() {
    let stage = shapes();
    let mut client = Client::new(&stage, &PROFILE);
    let hash = client.call("summary", &json!({}))["hash"].clone();
    let asked = json!({"hash": hash, "name": "main"});
    client.call("function", &asked);
    let changed = fs::read_to_string(stage.dir.join("shapes.plain.out")).unwrap();
    stage.write("shapes.plain.out", format!("{changed}# another run\n"));
    let error = client.error("function", &asked);
    assert!(error.contains("changed since that answer"), "{error}");
}

/// Arguments cannot name profiles outside the folder, and a profile cannot name sources there.
#[test]
fn nothing_outside_the_folder_is_shown() {
    let stage = Stage::empty();
    let text = "events: Ir\nfl=/outside.c\nfn=main\n1 10\nfl=link.c\nfn=other\n1 20\nfl=in.c\nfn=third\n1 30\n";
    stage.add("outside.c", "int outside;\n");
    stage.add("in/in.c", "int inside;\n");
    let outside = stage.dir.join("outside.c");
    symlink(&outside, stage.dir.join("in/link.c")).unwrap();
    stage.add(
        "in/p",
        text.replace("/outside.c", outside.to_str().unwrap()),
    );
    stage.add("q", text);
    stage.add("in/.secret.c", "int hidden;\n");
    stage.add("in/key.pem", "PRIVATE\n");
    stage.add(
        "in/s",
        "events: Ir\nfl=.secret.c\nfn=main\n1 10\nfl=key.pem\nfn=other\n1 20\n",
    );
    stage.add("in/folder/callgrind.out.1", text);
    symlink(stage.dir.join("q"), stage.dir.join("in/q")).unwrap();
    let inner = Stage {
        dir: stage.dir.join("in"),
    };
    let mut client = Client::new(&inner, &[]);
    for name in [
        "../q",
        "q",
        "folder",
        "-",
        "/dev/stdin",
        outside.to_str().unwrap(),
    ] {
        let error = client.error("summary", &json!({"profile": name}));
        assert!(error.contains("not a file below"), "{name}: {error}");
    }
    for asked in [
        json!({"profile": "p", "all_code": true}),
        json!({"profile": "p"}),
    ] {
        let answer = client.call("lines", &asked);
        let lines = answer["from_profile"]["lines"].as_array().unwrap();
        let shown: Vec<&str> = lines
            .iter()
            .filter_map(|line| line["text"].as_str())
            .collect();
        assert_eq!(shown, ["int inside;"], "{asked}");
    }
    // Hidden files, and what is no source.
    let answer = client.call("lines", &json!({"profile": "s", "all_code": true}));
    assert!(!answer.to_string().contains("hidden") && !answer.to_string().contains("PRIVATE"));
    assert_eq!(answer["from_profile"]["lines"].as_array().unwrap().len(), 2);
    std::mem::forget(inner);
}

/// A script in place of Valgrind, which copies `p` to the profile. For `wait` it never ends, for
/// `none` it writes no profile, and for `fails` it exits with status 3.
fn recorder() -> Stage {
    let stage = Stage::empty();
    stage.write("p", "version: 1\npid: 77\nevents: Ir\nfn=main\n1 10\n");
    stage.add(
        "bin/valgrind",
        "#!/bin/sh\ncase $1 in --version) echo valgrind-3.19.0; exit;; esac\nfor word; do case $word in\n\
         --callgrind-out-file=*) out=${word#*=};;\n--log-file=*) log=${word#*=};;\n*/wait) sleep 1000;;\n*/none) exit 1;;\n*/fails) status=3;;\nesac; done\n\
         cat p >\"$(echo \"$out\" | sed s/%p/77/)\"\n: >\"$(echo \"$log\" | sed s/%p/77/)\"\necho to standard output\nexit $status\n",
    );
    for name in ["run", "wait", "none", "fails"] {
        stage.add(name, "#!/bin/sh\n");
    }
    for program in ["bin/valgrind", "run", "wait", "none", "fails"] {
        fs::set_permissions(stage.dir.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    stage
}

#[test]
fn a_program_is_recorded_if_the_command_line_allows_it() {
    let stage = recorder();
    let mut client = Client::new(&stage, &["--allow-record", "--", "./run"]);
    let answer = client.call("record", &json!({}));
    assert_eq!(answer["from_profile"]["totals"], json!([10]));
    // Questions are about the new profile from then on.
    assert_eq!(client.call("summary", &json!({}))["hash"], answer["hash"]);
    assert_eq!(answer["notes"], json!([]));
    let mut client = Client::new(&stage, &["--allow-record", "--", "./fails"]);
    let answer = client.call("record", &json!({}));
    assert_eq!(
        answer["notes"],
        json!(["the program ended with exit status: 3"])
    );
    let mut client = Client::new(&stage, &["--allow-record", "--", "./none"]);
    let error = client.error("record", &json!({}));
    assert!(
        error.starts_with("record: no profile was written"),
        "{error}"
    );
}

#[test]
fn a_recording_has_a_time_limit() {
    let stage = recorder();
    let mut client = Client::new(
        &stage,
        &["--allow-record", "--time-limit=1", "--", "./wait"],
    );
    let begin = Instant::now();
    assert_eq!(
        client.error("record", &json!({})),
        "record: time limit of 1 s exceeded"
    );
    assert!(begin.elapsed() < Duration::from_secs(60));
}
