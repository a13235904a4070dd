//! `cgannotate lsp` as an editor talks to it.

use crate::common::needed::{Required, found, starts};
use crate::common::{Stage, day};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// The second line has 30 bytes and 27 code units of UTF-16.
const SOURCE: &str = "\
int work(int n)
{ return n * n; } /* ü𝄞 */

int main(void)
{
    work(3); memcpy(a, b, 8);
    return 0;
}
";

/// Of 10,000 instructions, `memcpy` takes 2,500 for line 6.
const PROFILE: &str = "\
# callgrind format
cmd: ./prog
positions: line
events: Ir

ob=./prog
fl=a.c
fn=work
1 3000
2 4000

fn=main
5 50
6 401
cfn=work
calls=10 1
6 7000
cob=/usr/lib/libc.so.6
cfi=/usr/src/string.c
cfn=memcpy
calls=4 1
6 2500
7 49

ob=/usr/lib/libc.so.6
fl=/usr/src/string.c
fn=memcpy
1 2500
";

/// A folder with the source and its newer profile.
fn stage() -> Stage {
    let stage = Stage::empty();
    stage.write("a.c", SOURCE).date("a.c", day(1));
    stage
        .write("callgrind.out.1", PROFILE)
        .date("callgrind.out.1", day(2));
    stage
}

struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    last: u64,
    /// Messages that are not responses.
    others: Vec<Value>,
}

fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Editor {
    /// Starts the server without a message.
    fn new(stage: &Stage) -> Editor {
        let mut command = stage.command(&["lsp"]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut server = command.spawn().unwrap();
        let (sender, messages) = mpsc::channel();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        thread::spawn(move || {
            loop {
                let mut header = String::new();
                if output.read_line(&mut header).unwrap() == 0 {
                    return;
                }
                let length = header.trim().strip_prefix("Content-Length: ").unwrap();
                let mut message = vec![0; length.parse::<usize>().unwrap() + 2];
                output.read_exact(&mut message).unwrap();
                let message = message.strip_prefix(b"\r\n").unwrap();
                if sender
                    .send(serde_json::from_slice(message).unwrap())
                    .is_err()
                {
                    return;
                }
            }
        });
        Editor {
            input: server.stdin.take(),
            server,
            messages,
            last: 0,
            others: Vec::new(),
        }
    }

    /// Opens the folder.
    fn open(stage: &Stage, client: Value, options: Value) -> Editor {
        let mut editor = Editor::new(stage);
        let root = address(&stage.dir);
        let params =
            json!({"rootUri": root, "capabilities": client, "initializationOptions": options});
        editor.ask("initialize", params);
        editor.tell("initialized", json!({}));
        editor
    }

    /// Opens the folder and `a.c`.
    fn plain(stage: &Stage) -> Editor {
        let mut editor = Editor::open(stage, json!({}), Value::Null);
        editor.edit("didOpen", &stage.dir.join("a.c"), SOURCE);
        editor
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        // The server may end before it has read all of an invalid message.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    fn send(&mut self, message: &str) {
        self.write(format!("Content-Length: {}\r\n\r\n{message}", message.len()).as_bytes());
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.send(&message.to_string());
        self.last
    }

    fn receive(&mut self) -> Value {
        self.messages.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    /// The response to a request.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.others.push(message);
        }
    }

    fn edit(&mut self, how: &str, path: &Path, text: &str) {
        self.tell(
            &format!("textDocument/{how}"),
            json!({
                "textDocument": {"uri": address(path), "languageId": "c", "version": 1, "text": text},
                "contentChanges": [{"text": text}],
            }),
        );
    }

    fn lists(&mut self, method: &str, path: &Path) -> Vec<Value> {
        let range =
            json!({"start": {"line": 0, "character": 0}, "end": {"line": 99_999, "character": 0}});
        let params = json!({"textDocument": {"uri": address(path)}, "range": range});
        let result = self.ask(method, params)["result"].take();
        let mut list = result.as_array().cloned().unwrap_or_default();
        list.sort_by_key(|one| place(one).to_owned().to_string());
        list
    }

    /// Each line with a lens, from 1, and its title.
    fn lenses(&mut self, path: &Path) -> Vec<(u64, String)> {
        let lenses = self.lists("textDocument/codeLens", path);
        let mut lenses: Vec<_> = lenses
            .iter()
            .map(|lens| {
                (
                    line(lens),
                    lens["command"]["title"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        lenses.sort();
        lenses
    }

    /// Each line with a hint, from 1, and its label.
    fn hints(&mut self, path: &Path) -> Vec<(u64, String)> {
        let hints = self.lists("textDocument/inlayHint", path);
        let mut hints: Vec<_> = hints
            .iter()
            .map(|hint| (line(hint), hint["label"].as_str().unwrap().to_owned()))
            .collect();
        hints.sort();
        hints
    }

    fn hover(&mut self, path: &Path, line: u64) -> Option<String> {
        let position = json!({"line": line - 1, "character": 0});
        let params = json!({"textDocument": {"uri": address(path)}, "position": position});
        let text = self.ask("textDocument/hover", params)["result"]["contents"]["value"].take();
        text.as_str().map(str::to_owned)
    }

    fn command(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({"command": format!("cgannotate.{name}"), "arguments": arguments});
        self.ask("workspace/executeCommand", params)["result"].take()
    }

    /// The texts of messages for the user, so far.
    fn shown(&self) -> Vec<String> {
        let shown = self
            .others
            .iter()
            .filter(|one| one["method"] == "window/showMessage");
        shown
            .map(|one| one["params"]["message"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Ends the session, and returns the exit status.
    fn end(mut self) -> Option<i32> {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        self.server.wait().unwrap().code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn place(one: &Value) -> &Value {
    one.get("position").unwrap_or(&one["range"]["start"])
}

fn line(one: &Value) -> u64 {
    place(one)["line"].as_u64().unwrap() + 1
}

fn owned(texts: &[(u64, &str)]) -> Vec<(u64, String)> {
    texts
        .iter()
        .map(|&(line, text)| (line, text.to_owned()))
        .collect()
}

/// The hints of the plain profile.
fn usual() -> Vec<(u64, String)> {
    owned(&[
        (1, "3,000 Ir (30.0 %)"),
        (2, "4,000 Ir (40.0 %)"),
        (5, "50 Ir (0.5 %)"),
        (6, "2,901 Ir (29.0 %)"),
    ])
}

/// Added up by hand. Line 7 has 0.49 %, and line 5 has 0.5 %.
#[test]
fn functions_have_lenses_and_hot_lines_have_hints() {
    let stage = stage();
    let mut editor = Editor::plain(&stage);
    let file = stage.dir.join("a.c");
    assert_eq!(
        editor.lenses(&file),
        owned(&[
            (
                1,
                "own 7,000 Ir (70.0 %), inclusive 7,000 Ir (70.0 %), 10 calls"
            ),
            (
                5,
                "own 3,000 Ir (30.0 %), inclusive 10,000 Ir (100.0 %), 0 calls"
            ),
        ])
    );
    assert_eq!(editor.hints(&file), usual());
    // The editor asks for the lines that it shows.
    let range = |first, last| json!({"start": {"line": first, "character": 0}, "end": {"line": last, "character": 9}});
    let uri = json!({"uri": address(&file)});
    let mut some = |first, last| {
        let params = json!({"textDocument": uri, "range": range(first, last)});
        let hints = editor.ask("textDocument/inlayHint", params)["result"].take();
        let mut lines: Vec<u64> = hints.as_array().unwrap().iter().map(line).collect();
        lines.sort();
        lines
    };
    assert_eq!(some(1, 4), [2, 5]);
    assert_eq!(some(2, 3), [0_u64; 0]);
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_hover_shows_callers_and_callees() {
    let stage = stage();
    let mut editor = Editor::plain(&stage);
    let file = stage.dir.join("a.c");
    assert_eq!(
        editor.hover(&file, 6).unwrap(),
        "**2,901 Ir (29.0 %)**\n\n\
         callees (1):\n\n- `work`: 7,000 Ir (70.0 %), 10 calls\n\n\
         library functions (1):\n\n- `memcpy`: 2,500 Ir (25.0 %), 4 calls\n\n\
         `main`: own 3,000 Ir (30.0 %), inclusive 10,000 Ir (100.0 %), 0 calls"
    );
    let work = editor.hover(&file, 2).unwrap();
    assert!(
        work.ends_with("callers (1):\n\n- `main`: 7,000 Ir (70.0 %), 10 calls"),
        "{work}"
    );
    assert_eq!(editor.hover(&file, 3), None);
    // Also below 0.5 %.
    assert!(
        editor
            .hover(&file, 7)
            .unwrap()
            .starts_with("**49 Ir (0.5 %)**")
    );
}

/// The ends of lines in the unit that the editor counts in, without a carriage return.
#[test]
fn positions_are_in_the_units_of_the_editor() {
    for (encodings, name, end) in [
        (json!(["utf-16"]), "utf-16", 27),
        (json!(["utf-32", "utf-16", "utf-8"]), "utf-8", 30),
        (Value::Null, "utf-16", 27),
    ] {
        for ends in ["\n", "\r\n"] {
            let stage = stage();
            let file = stage.dir.join("ü 1.c");
            let text = SOURCE.replace('\n', ends);
            stage.write("ü 1.c", &text).date("ü 1.c", day(1));
            let profile = PROFILE.replace("fl=a.c", "fl=ü 1.c");
            stage.write("callgrind.out.1", profile);
            let mut editor = Editor::new(&stage);
            let client = json!({"general": {"positionEncodings": encodings}});
            let params = json!({"rootUri": address(&stage.dir), "capabilities": client});
            let answer = editor.ask("initialize", params);
            assert_eq!(answer["result"]["capabilities"]["positionEncoding"], name);
            // Some editors escape what need not be, and all must escape the space.
            let uri = format!("file://{}/%C3%BC%201%2ec", stage.dir.display());
            let document = json!({"uri": uri, "languageId": "c", "version": 1, "text": text});
            editor.tell("textDocument/didOpen", json!({"textDocument": document}));
            let range =
                json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}});
            let params = json!({"textDocument": {"uri": uri}, "range": range});
            let hints = editor.ask("textDocument/inlayHint", params);
            assert_eq!(
                hints["result"][0]["position"],
                json!({"line": 1, "character": end}),
                "{file:?}"
            );
            let hottest = editor.command("hottestLine", json!([]));
            assert_eq!(hottest["uri"], uri);
            editor.tell("textDocument/didClose", json!({"textDocument": document}));
            let hottest = editor.command("hottestLine", json!([]));
            assert_eq!(
                hottest["uri"],
                format!("file://{}/%C3%BC%201.c", stage.dir.display())
            );
            assert_eq!(
                hottest["range"]["end"],
                json!({"line": 1, "character": end})
            );
        }
    }
}

#[test]
fn lenses_and_hints_can_be_switched_off() {
    let stage = stage();
    let mut editor = Editor::new(&stage);
    let options = json!({"lenses": false, "hints": false});
    let answer = editor.ask("initialize", json!({"initializationOptions": options}));
    let can = &answer["result"]["capabilities"];
    assert_eq!(can.get("codeLensProvider"), None);
    assert_eq!(can["inlayHintProvider"], false);
    assert_eq!(can["hoverProvider"], true);
    let mut editor = Editor::new(&stage);
    let answer = editor.ask(
        "initialize",
        json!({"initializationOptions": {"lenses": true}}),
    );
    let can = &answer["result"]["capabilities"];
    assert_eq!(can["codeLensProvider"], json!({}));
    assert_eq!(can["inlayHintProvider"], true);
}

/// A document has at most 50 hints and 50 lenses, a list in a hover at most five rows.
#[test]
fn the_most_expensive_are_shown_where_there_are_many() {
    for count in [50, 51] {
        let stage = stage();
        let mut profile = String::from("cmd: ./prog\nevents: Ir\nob=./prog\nfl=a.c\n");
        for line in 1..=count {
            profile += &format!("fn=f{line}\n{line} {}\n", 1000 + line);
        }
        let text = "x\n".repeat(count);
        stage
            .write("a.c", &text)
            .date("a.c", day(1))
            .write("callgrind.out.1", profile);
        let mut editor = Editor::plain(&stage);
        let file = stage.dir.join("a.c");
        editor.edit("didChange", &file, &text);
        let hints = editor.hints(&file);
        assert_eq!(hints.len(), 50);
        assert_eq!(hints[0].0, count as u64 - 49, "the cheapest is omitted");
        assert_eq!(editor.lenses(&file).len(), 50);
    }
    for count in [5, 6] {
        let stage = stage();
        let mut profile =
            String::from("cmd: ./prog\nevents: Ir\nob=./prog\nfl=a.c\nfn=main\n1 5\n");
        for nth in 1..=count {
            profile += &format!("cfn=f{nth}\ncalls=1 2\n1 {}\n", 100 + nth);
        }
        for nth in 1..=count {
            profile += &format!("fn=f{nth}\n2 {}\n", 100 + nth);
        }
        stage.write("callgrind.out.1", profile);
        let mut editor = Editor::plain(&stage);
        let file = stage.dir.join("a.c");
        let hover = editor.hover(&file, 1).unwrap();
        assert!(hover.contains(&format!("callees ({count}):")), "{hover}");
        assert_eq!(hover.matches("\n- ").count(), 5, "{hover}");
        assert_eq!(hover.contains("`f1`"), count == 5);
        let functions = editor.hover(&file, 2).unwrap();
        assert_eq!(functions.matches("own").count(), 5, "{functions}");
    }
}

/// The cost of library code that two functions call is divided among them.
#[test]
fn estimates_are_marked() {
    let stage = stage();
    let call = |cost| format!("cob=/usr/lib/libc.so.6\ncfi=x.c\ncfn=sort\ncalls=1 1\n+0 {cost}\n");
    let profile = format!(
        "cmd: ./prog\nevents: Ir\nob=./prog\nfl=a.c\nfn=one\n1 10\n{}fn=two\n2 10\n{}fn=compare\n6 500\n\n\
         ob=/usr/lib/libc.so.6\nfl=x.c\nfn=sort\n1 1500\ncob=./prog\ncfi=a.c\ncfn=compare\ncalls=9 6\n1 500\n",
        call(900),
        call(1100)
    );
    stage.write("callgrind.out.1", profile);
    let report = stage.report(&["--own", "callgrind.out.1"]);
    let mut editor = Editor::plain(&stage);
    let file = stage.dir.join("a.c");
    let is_estimated = report.contains("estimated");
    assert!(is_estimated, "{report}");
    let hints = editor.hints(&file);
    assert!(hints[0].1.starts_with('~'), "{hints:?}");
    assert!(editor.lenses(&file)[0].1.starts_with("own ~"));
}

/// Sums that do not fit are limited. If the total is 0, every percentage is 0.
#[test]
fn extreme_counts_have_hints() {
    let stage = stage();
    let file = stage.dir.join("a.c");
    let most = i64::MAX;
    for (lines, hints, share) in [
        (format!("1 {most}\nfn=g\n1 {most}\n2 -3\n"), 1, "100.0 %"),
        ("1 0\n".to_owned(), 0, "0.0 %"),
        ("1 7\n2 -7\n".to_owned(), 0, "0.0 %"),
    ] {
        stage.write(
            "callgrind.out.1",
            format!("events: Ir\nob=p\nfl=a.c\nfn=f\n{lines}"),
        );
        let mut editor = Editor::plain(&stage);
        assert_eq!(editor.hints(&file).len(), hints, "{lines}");
        let hover = editor.hover(&file, 1).unwrap();
        assert!(hover.contains(&format!("({share})**")), "{hover}");
    }
}

/// Costs of one file under several names are added up.
#[test]
fn several_names_of_a_file_are_one() {
    let stage = stage();
    let name = stage.dir.join("x/../a.c");
    fs::create_dir(stage.dir.join("x")).unwrap();
    let profile = PROFILE.replace(
        "fn=main\n",
        &format!("fl={}\nfn=more\n1 100\nfl=a.c\nfn=main\n", name.display()),
    );
    stage.write("callgrind.out.1", profile);
    let mut editor = Editor::plain(&stage);
    let hints = editor.hints(&stage.dir.join("a.c"));
    assert_eq!(hints[0], (1, "3,100 Ir (30.7 %)".to_owned()));
}

/// A file of the same name elsewhere has no costs. A source elsewhere has them if the profile has
/// its whole path.
#[test]
fn files_outside_of_the_folder_are_told_apart() {
    let (stage, other) = (stage(), Stage::empty());
    other.write("a.c", SOURCE).date("a.c", day(1));
    other.write("b.c", SOURCE).date("b.c", day(1));
    let mut editor = Editor::plain(&stage);
    editor.edit("didOpen", &other.dir.join("a.c"), SOURCE);
    assert_eq!(editor.hints(&other.dir.join("a.c")), []);
    assert_eq!(editor.hints(&stage.dir.join("a.c")).len(), 4);
    let profile = PROFILE.replace("fl=a.c", &format!("fl={}/b.c", other.dir.display()));
    stage
        .write("callgrind.out.2", profile)
        .date("callgrind.out.2", day(3));
    let mut editor = Editor::plain(&stage);
    editor.edit("didOpen", &other.dir.join("b.c"), SOURCE);
    assert_eq!(editor.hints(&other.dir.join("b.c")), usual());
    for uri in [
        "untitled:Untitled-1",
        "file:///no/such/file",
        "file://%2",
        "",
    ] {
        let document = json!({"uri": uri, "languageId": "c", "version": 1, "text": SOURCE});
        editor.tell("textDocument/didOpen", json!({"textDocument": document}));
        let answer = editor.ask(
            "textDocument/codeLens",
            json!({"textDocument": {"uri": uri}}),
        );
        assert_eq!(answer["result"], Value::Null, "{uri}");
    }
}

/// The server warns once.
#[test]
fn an_edited_text_has_no_costs_without_hashes() {
    let stage = stage();
    let file = stage.dir.join("a.c");
    let mut editor = Editor::plain(&stage);
    assert_eq!(editor.hints(&file), usual());
    for round in 0..2 {
        editor.edit("didChange", &file, &format!("\n{SOURCE}"));
        assert_eq!(editor.hints(&file), []);
        assert_eq!(editor.lenses(&file), []);
        let shown = editor.shown();
        assert_eq!(shown.len(), 1, "{round}: {shown:?}");
        assert!(
            shown[0]
                .ends_with("a.c: not known to be as it was recorded, so its costs are not shown")
        );
        editor.edit("didChange", &file, SOURCE);
        assert_eq!(editor.hints(&file), usual());
    }
    // A file that was saved after the recording was edited, too.
    stage.date("a.c", day(3));
    let mut editor = Editor::plain(&stage);
    assert_eq!(editor.hints(&file), []);
    assert_eq!(editor.shown().len(), 1);
}

/// A program that was compiled and recorded, and an editor with its source; `None`, said where a
/// person sees it, without the tools.
fn recorded(source: &str) -> Option<(Stage, PathBuf, Editor)> {
    let is_there = starts("valgrind", &["--version"]) && starts("cc", &["--version"]);
    if !found(is_there, Required::Tools, "valgrind or a C compiler") {
        return None;
    }
    let stage = Stage::empty();
    stage.write("w.c", source);
    let mut compiler = stage.any("cc", &["-g", "-O0", "-o", "w", "w.c"]);
    assert!(compiler.status().unwrap().success());
    let out = stage.run(&["record", "--", "./w"]);
    assert!(out.status.success(), "{out:?}");
    let file = stage.dir.join("w.c");
    let mut editor = Editor::open(&stage, json!({}), Value::Null);
    editor.edit("didOpen", &file, source);
    Some((stage, file, editor))
}

/// With hashes, costs follow their lines.
#[test]
fn costs_follow_the_lines_of_an_edited_text() {
    let source = "int work(int n) {\n    int sum = 0;\n    for (int i = 0; i < n; i++)\n        sum += i * i;\n    return sum;\n}\nint main(void) {\n    return work(100000) == 7;\n}\n";
    let Some((stage, file, mut editor)) = recorded(source) else {
        return;
    };
    let before = editor.hints(&file);
    let lines = |hints: &[(u64, String)]| hints.iter().map(|(line, _)| *line).collect::<Vec<_>>();
    assert_eq!(lines(&before), [3, 4]);
    let lenses = editor.lenses(&file);
    assert_eq!(lines(&lenses), [1, 7]);
    // Lines are added above, and one of two hot lines changes. Then only line ends change.
    let edited = format!(
        "/* new */\n\n{}",
        source.replace("sum += i * i", "sum += i * 3")
    );
    editor.edit("didChange", &file, &edited);
    assert_eq!(editor.hints(&file), [(5, before[0].1.clone())]);
    editor.edit("didChange", &file, &source.replace('\n', "\r\n"));
    assert_eq!(editor.hints(&file), before);
    editor.edit(
        "didChange",
        &file,
        &source.replace("    int sum", "\n    int sum"),
    );
    assert_eq!(lines(&editor.hints(&file)), [4, 5]);
    // Both functions change places; the lenses stay at them.
    let (work, main) = source.split_at(source.find("int main").unwrap());
    editor.edit("didChange", &file, &format!("{main}{work}"));
    assert_eq!(lines(&editor.hints(&file)), [6, 7]);
    assert_eq!(lines(&editor.lenses(&file)), [1, 4]);
    assert_eq!(editor.shown(), [""; 0]);
    // A source that was edited after the program was built is not what ran.
    stage.write("w.c", format!("\n\n{source}"));
    let out = stage.run(&["record", "--", "./w"]);
    assert!(out.status.success(), "{out:?}");
    let mut editor = Editor::open(&stage, json!({}), Value::Null);
    editor.edit("didOpen", &file, &format!("\n\n{source}"));
    assert_eq!(editor.hints(&file), []);
    assert_eq!(editor.shown().len(), 1);
}

/// A line that was changed has no cost, and neither has another line with its old text.
#[test]
fn a_line_of_the_same_text_gets_no_cost() {
    let source = "int hot(int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++)\n        s ^= i;\n    return s;\n}\nint cold(int n) {\n    int s = 1;\n    for (int i = 9; i < n; i++)\n        s ^= i;\n    return s;\n}\nint main(int n, char **v) {\n    return n > 5 ? cold(n) : hot(100000) == 7;\n}\n";
    let Some((_stage, file, mut editor)) = recorded(source) else {
        return;
    };
    let lines =
        |hints: Vec<(u64, String)>| hints.into_iter().map(|(line, _)| line).collect::<Vec<_>>();
    assert_eq!(lines(editor.hints(&file)), [3, 4]);
    editor.edit(
        "didChange",
        &file,
        &source.replacen("s ^= i;", "s ^= i + 1;", 1),
    );
    assert_eq!(lines(editor.hints(&file)), [3]);
}

/// Costs of another file with the same name are not those of a document.
#[test]
fn another_file_of_the_same_name_adds_no_costs() {
    let stage = stage();
    stage.write(
        "callgrind.out.1",
        PROFILE.replace(
            "fn=main\n",
            "fl=/build/other/a.c\nfn=other\n2 3500\nfl=a.c\nfn=main\n",
        ),
    );
    let mut editor = Editor::plain(&stage);
    let file = stage.dir.join("a.c");
    let hints = editor.hints(&file);
    assert_eq!(
        hints.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
        [1, 2, 6],
        "{hints:?}"
    );
    assert!(hints[1].1.starts_with("4,000 Ir"), "{hints:?}");
}

/// A pack has whole sources, with which an edited text is compared.
#[test]
fn costs_of_a_pack_follow_all_lines() {
    let stage = stage();
    stage.report(&["pack", "callgrind.out.1", "-o", "callgrind.out.2"]);
    stage.date("callgrind.out.2", day(4)).date("a.c", day(5));
    let file = stage.dir.join("a.c");
    let mut editor = Editor::plain(&stage);
    assert_eq!(editor.hints(&file), usual());
    editor.edit(
        "didChange",
        &file,
        &SOURCE.replace("int main", "\nint main"),
    );
    let moved = [(1, 0), (2, 1), (6, 2), (7, 3)].map(|(line, at)| (line, usual()[at].1.clone()));
    assert_eq!(editor.hints(&file), moved);
    assert!(
        editor
            .hover(&file, 8)
            .unwrap()
            .starts_with("**49 Ir (0.5 %)**")
    );
    assert_eq!(editor.shown(), [""; 0]);
}

#[test]
fn commands_go_to_hot_lines() {
    let stage = stage();
    stage.write("b.c", "int more;\n").date("b.c", day(1));
    stage.write(
        "callgrind.out.1",
        PROFILE.replace("fn=main\n", "fl=b.c\nfn=more\n1 3500\nfl=a.c\nfn=main\n"),
    );
    let client = json!({"window": {"showDocument": {"support": true}}});
    let mut editor = Editor::open(&stage, client, Value::Null);
    let [a, b] = ["a.c", "b.c"].map(|name| address(&stage.dir.join(name)));
    let place = |value: &Value| {
        assert_eq!(value["range"]["start"]["character"], 0);
        (value["uri"].as_str().unwrap().to_owned(), line(value))
    };
    let hottest = editor.command("hottestLine", json!([]));
    assert_eq!(place(&hottest), (a.clone(), 2));
    let shown = editor.others.pop().unwrap();
    assert_eq!(shown["method"], "window/showDocument");
    assert_eq!(shown["params"]["uri"], a);
    assert_eq!(shown["params"]["selection"], hottest["range"]);
    assert_eq!(
        place(&editor.command("hottestLine", json!([b]))),
        (b.clone(), 1)
    );
    let mut at = (a.clone(), 2);
    for next in [(b, 1), (a.clone(), 1), (a.clone(), 6), (a, 2)] {
        at = place(&editor.command("nextHotLine", json!([at.0, at.1 - 1])));
        assert_eq!(at, next, "the last one, 0.37 %, is no hot line");
    }
    assert_eq!(
        editor.command("hottestLine", json!(["file:///none"]))["uri"],
        at.0
    );
    let params = json!({"command": "cgannotate.nothing"});
    assert_eq!(
        editor.ask("workspace/executeCommand", params)["error"]["code"],
        -32602
    );
}

/// The changes are those of `diff`.
#[test]
fn hints_are_changes_since_a_baseline() {
    let stage = stage();
    let old = PROFILE
        .replace("2 4000", "2 4400")
        .replace("5 50", "5 49")
        .replace("\n1 3000", "\n1 6000")
        .replace("cmd:", "creator: callgrind-3.19.0\ncmd:");
    stage.write("old", old).date("old", day(1));
    let want = owned(&[(1, "-3,000 Ir -50.0 %"), (2, "-400 Ir -9.1 %")]);
    let report = stage.report(&[
        "diff",
        "--own",
        "--by=line",
        "--format=csv",
        "old",
        "callgrind.out.1",
    ]);
    for change in [",-3000", ",-400", ",1"] {
        assert!(report.contains(change), "{report}");
    }
    let file = stage.dir.join("a.c");
    let mut editor = Editor::plain(&stage);
    assert_eq!(editor.hints(&file), usual());
    assert_eq!(editor.command("compare", json!(["old"])), Value::Null);
    assert_eq!(editor.hints(&file), want);
    let hover = editor.hover(&file, 2).unwrap();
    assert!(hover.contains("change: -400 Ir -9.1 %"), "{hover}");
    editor.command("compare", json!([null]));
    assert_eq!(editor.hints(&file), usual());
    // A baseline that cannot be read is reported, and ends the comparison.
    editor.command("compare", json!(["missing"]));
    assert_eq!(editor.hints(&file), usual());
    assert_eq!(editor.shown(), ["missing: no such profile"]);
    stage.write("other", PROFILE.replace("events: Ir", "events: Dw"));
    editor.command("compare", json!([address(&stage.dir.join("other"))]));
    assert_eq!(editor.hints(&file), usual());
    assert_eq!(editor.shown()[1..], ["the older run counted other events"]);
    let mut editor = Editor::open(&stage, json!({}), json!({"baseline": "old"}));
    editor.edit("didOpen", &file, SOURCE);
    assert_eq!(editor.hints(&file), want);
}

#[test]
fn a_profile_can_be_named() {
    let stage = stage();
    let file = stage.dir.join("a.c");
    stage.add("runs/callgrind.out.7", PROFILE.replace("2 4000", "2 5000"));
    for (named, first) in [
        ("runs", "3,000 Ir (27.3 %)"),
        ("runs/callgrind.out.7", "3,000 Ir (27.3 %)"),
    ] {
        let mut editor = Editor::open(&stage, json!({}), json!({"profile": named}));
        editor.edit("didOpen", &file, SOURCE);
        assert_eq!(editor.hints(&file)[0].1, first);
    }
    let mut editor = Editor::open(&stage, json!({}), json!({"profile": "none"}));
    editor.edit("didOpen", &file, SOURCE);
    assert_eq!(editor.hints(&file), []);
    assert_eq!(editor.hints(&file), []);
    assert_eq!(editor.shown(), ["none: no such profile"]);
    // Folders below are not searched. A folder without a profile needs no message.
    fs::remove_file(stage.dir.join("callgrind.out.1")).unwrap();
    let mut editor = Editor::plain(&stage);
    assert_eq!(editor.hints(&file), []);
    assert_eq!(editor.shown(), [""; 0]);
}

/// It is read when it no longer changes. Then the editor is asked for new requests.
#[test]
fn a_new_recording_is_picked_up() {
    let stage = stage();
    stage.write("callgrind.out.1", "this is no profile");
    let client = json!({"workspace": {"codeLens": {"refreshSupport": true}, "inlayHint": {"refreshSupport": true}}});
    let mut editor = Editor::open(&stage, client, Value::Null);
    let file = stage.dir.join("a.c");
    editor.edit("didOpen", &file, SOURCE);
    assert_eq!(editor.hints(&file), []);
    let shown = editor.shown();
    assert!(
        shown.len() == 1 && shown[0].starts_with("callgrind.out.1: "),
        "{shown:?}"
    );
    let refreshed = |editor: &mut Editor| {
        for what in ["codeLens", "inlayHint"] {
            assert_eq!(
                editor.receive()["method"],
                format!("workspace/{what}/refresh")
            );
        }
    };
    stage.write("callgrind.out.2", PROFILE);
    refreshed(&mut editor);
    assert_eq!(editor.hints(&file), usual());
    stage.write("callgrind.out.3", PROFILE.replace("2 4000", "2 5000"));
    refreshed(&mut editor);
    assert_eq!(editor.hints(&file)[0].1, "3,000 Ir (27.3 %)");
    assert_eq!(editor.shown().len(), 1);
}

/// The server asks above 1 GB. At 1 GB it reads the file, which is not a profile.
#[test]
fn a_very_large_profile_is_only_read_after_a_question() {
    let stage = stage();
    let file = stage.dir.join("a.c");
    for (length, is_asked) in [(1_000_000_000, false), (1_000_000_001, true)] {
        stage.write("callgrind.out.1", "no profile\n");
        let profile = File::options()
            .write(true)
            .open(stage.dir.join("callgrind.out.1"));
        profile.unwrap().set_len(length).unwrap();
        let mut editor = Editor::plain(&stage);
        assert_eq!(editor.hints(&file), []);
        let message = editor.others.pop().unwrap();
        assert!(editor.others.is_empty());
        let method = if is_asked {
            "window/showMessageRequest"
        } else {
            "window/showMessage"
        };
        assert_eq!(message["method"], method, "{length}");
        if is_asked {
            assert_eq!(message["params"]["actions"], json!([{"title": "Read"}]));
            let answer = |result| {
                json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string()
            };
            editor.send(&answer(Value::Null));
            assert_eq!(editor.hints(&file), []);
            assert!(editor.others.is_empty());
            editor.send(&answer(json!({"title": "Read"})));
            assert_eq!(editor.hints(&file), []);
            assert_eq!(editor.others[0]["method"], "window/showMessage");
        }
    }
}

#[test]
fn a_cancelled_request_is_answered_with_an_error() {
    let stage = stage();
    let mut editor = Editor::plain(&stage);
    // All arrive before the first is answered.
    let uri = json!({"textDocument": {"uri": address(&stage.dir.join("a.c"))}});
    let mut all = String::new();
    for message in [
        json!({"id": 71, "method": "textDocument/codeLens", "params": uri}),
        json!({"id": 72, "method": "textDocument/codeLens", "params": uri}),
        json!({"id": "73", "method": "textDocument/codeLens", "params": uri}),
        json!({"method": "$/cancelRequest", "params": {"id": 72}}),
        json!({"method": "$/cancelRequest", "params": {"id": 73}}),
        json!({"method": "$/cancelRequest", "params": {}}),
    ] {
        let message = message.to_string();
        all += &format!("Content-Length: {}\r\n\r\n{message}", message.len());
    }
    editor.write(all.as_bytes());
    let mut answers: Vec<Value> = (0..3).map(|_| editor.receive()).collect();
    answers.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(answers[0]["id"], "73");
    assert!(answers[0]["result"].is_array());
    assert!(answers[1]["result"].is_array());
    assert_eq!(answers[2]["error"]["code"], -32800);
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn an_invalid_message_is_answered_with_an_error() {
    let stage = stage();
    let mut editor = Editor::new(&stage);
    assert_eq!(
        editor.ask("textDocument/hover", json!({}))["error"]["code"],
        -32002
    );
    editor.send("{\"id\": 1, \"method\": ");
    let answer = editor.receive();
    assert_eq!(
        (&answer["error"]["code"], &answer["id"]),
        (&json!(-32700), &Value::Null)
    );
    for nothing in ["[]", "7", "{}"] {
        editor.send(nothing);
        assert_eq!(editor.receive()["error"]["code"], -32600, "{nothing}");
    }
    editor.ask(
        "initialize",
        json!({"rootUri": 7, "initializationOptions": [], "capabilities": "x"}),
    );
    assert_eq!(editor.ask("initialize", json!({}))["error"]["code"], -32601);
    assert_eq!(
        editor.ask("textDocument/rename", json!({}))["error"]["code"],
        -32601
    );
    assert_eq!(
        editor.ask("workspace/symbol", json!({}))["error"]["code"],
        -32601
    );
    editor.tell("$/unknown", json!({}));
    for method in ["didOpen", "didChange", "didClose"] {
        for params in [
            json!(null),
            json!([]),
            json!({"textDocument": 7, "contentChanges": 7}),
        ] {
            editor.tell(&format!("textDocument/{method}"), params);
        }
    }
    for method in ["codeLens", "inlayHint", "hover"] {
        for params in [json!(null), json!([]), json!({"textDocument": 7})] {
            let answer = editor.ask(&format!("textDocument/{method}"), params);
            assert_eq!(answer["result"], Value::Null);
        }
    }
    editor.edit("didOpen", &stage.dir.join("a.c"), SOURCE);
    let uri = address(&stage.dir.join("a.c"));
    let params = json!({"textDocument": {"uri": uri}, "position": {"line": -1}});
    assert_eq!(
        editor.ask("textDocument/hover", params)["result"],
        Value::Null
    );
    let params = json!({"command": "cgannotate.nextHotLine", "arguments": [uri, "x"]});
    assert_eq!(
        line(&editor.ask("workspace/executeCommand", params)["result"]),
        2
    );
    assert_eq!(editor.ask("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(
        editor.ask("textDocument/hover", json!({}))["error"]["code"],
        -32600
    );
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().unwrap().code(), Some(0));
}

/// The exit status is 1 without `shutdown`.
#[test]
fn the_server_ends_with_the_editor() {
    let stage = stage();
    let mut editor = Editor::plain(&stage);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().unwrap().code(), Some(1));
    for (input, is_fatal) in [
        (&b"Content-Length: 100\r\n\r\n{}"[..], true),
        (b"Content-Length: x\r\n\r\n{}", true),
        (b"Content-Length: 99999999999999999999\r\n\r\n{}", true),
        (b"Content-Length: 1\r\n\r\n{}{}{}\r\n\r\n", true),
        (b"\r\n", true),
        (b"", false),
    ] {
        let mut editor = Editor::plain(&stage);
        editor.write(input);
        editor.input = None;
        let status = editor.server.wait().unwrap().code();
        assert_eq!(status, Some(1), "{input:?}");
        if is_fatal {
            continue;
        }
        let mut editor = Editor::plain(&stage);
        editor.ask("shutdown", Value::Null);
        editor.input = None;
        assert_eq!(editor.server.wait().unwrap().code(), Some(0));
    }
}
