//! `cgannotate lsp`: a language server, which shows costs in an editor.
//!
//! A thread reads messages, so that a cancelled request is known before it is answered. The profile
//! is read when a request first needs it.

use super::{
    costs::{DocumentCosts, ServedProfile, View},
    messages::{
        Fault, Framing, INVALID_PARAMETERS, INVALID_REQUEST, NOT_JSON, UNKNOWN_METHOD, response,
    },
};
use crate::{
    commands::{console::capture, named::newest_profile},
    fs::{regular, size},
    input,
    profile::{names::to_path, path_bytes},
};
use anyhow::{Context, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use serde_json::{Value, json};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    env, io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, SystemTime},
};

/// How often the server looks for a new recording while no message arrives.
const LOOK: Duration = Duration::from_secs(2);

/// The server asks before it reads a profile with more bytes. It reads a baseline of any size.
const LARGE: u64 = 1_000_000_000;

/// Errors of the Language Server Protocol.
const NOT_INITIALIZED: i64 = -32002;
const CANCELLED: i64 = -32800;

/// The requests that need a profile.
const REQUESTS: [&str; 4] = [
    "textDocument/codeLens",
    "textDocument/hover",
    "textDocument/inlayHint",
    "workspace/executeCommand",
];

/// The characters that are percent-encoded in the address of a file.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_');

/// The commands of `workspace/executeCommand`.
const HOTTEST: &str = "cgannotate.hottestLine";
const NEXT: &str = "cgannotate.nextHotLine";
const COMPARE: &str = "cgannotate.compare";

/// The question whether to read a large profile, and the answer.
const QUESTION: &str = "window/showMessageRequest";
const READ: &str = "Read";

/// The newest file of a profile, its length and its time.
type Stamp = Option<(PathBuf, u64, Option<SystemTime>)>;

type Messages = Receiver<Result<Value>>;

#[derive(Default)]
struct LanguageServer {
    queue: VecDeque<Value>,
    /// The parameters of `initialize`; null before it.
    client: Value,
    is_shut_down: bool,
    /// The files that are open, by address: their paths without links, and their texts.
    documents: HashMap<String, (PathBuf, String)>,
    /// Those whose costs cannot be shown, which was reported once.
    reported: HashSet<String>,
    /// The older run to compare with; may be empty.
    baseline: PathBuf,
    /// The recording that was read, or could not be, and what was seen at the last look.
    read: Stamp,
    seen: Stamp,
    /// Whether requests about costs get null, because there is no profile that can be read.
    is_without: bool,
    /// Whether a large profile may be read.
    is_allowed: bool,
}

/// Serves until the editor ends the session.
pub(super) fn run() -> Result<ExitCode> {
    let (sender, messages) = mpsc::channel();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let end = json!({"method": "exit"});
        loop {
            // Invalid JSON becomes a string, which is not a valid message.
            let message = Framing::Headers.read(&mut input).map(|message| {
                let message = message.unwrap_or_else(|| Ok(end.clone()));
                message.unwrap_or_else(|why| why.to_string().into())
            });
            let is_last = message.as_ref().map_or(true, |message| *message == end);
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
    });
    let mut server = LanguageServer::default();
    loop {
        if let Some(status) = server.converse(&messages, None)? {
            return Ok(status);
        }
        match server.recording() {
            Ok(Some(recording)) => {
                if let Some(status) = server.converse(&messages, Some(&View::new(&recording)))? {
                    return Ok(status);
                }
            }
            Ok(None) => server.is_without = true,
            Err(why) => {
                server.is_without = true;
                server.show(1, &format!("{why:#}"))?;
            }
        }
    }
}

impl LanguageServer {
    fn send(&self, message: Value) -> io::Result<()> {
        Framing::Headers.write(&message, &mut io::stdout())
    }

    /// Sends a request. Its method is its id. Only the answer to [`QUESTION`] is used.
    fn request(&self, method: &str, params: Value) -> io::Result<()> {
        self.send(json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
    }

    /// Shows a message: 1 is an error, 2 a warning.
    fn show(&self, kind: u8, text: &str) -> io::Result<()> {
        let params = json!({"type": kind, "message": text});
        self.send(json!({"jsonrpc": "2.0", "method": "window/showMessage", "params": params}))
    }

    /// Whether the client has a capability, which `what` points to in JSON.
    fn can(&self, what: &str) -> bool {
        self.client["capabilities"].pointer(what) == Some(&true.into())
    }

    fn option(&self, name: &str) -> &Value {
        &self.client["initializationOptions"][name]
    }

    /// Asks the editor to request lenses and hints again.
    fn refresh(&mut self) -> io::Result<()> {
        self.is_without = false;
        for what in ["codeLens", "inlayHint"] {
            if self.can(&format!("/workspace/{what}/refreshSupport")) {
                self.request(&format!("workspace/{what}/refresh"), Value::Null)?;
            }
        }
        Ok(())
    }

    fn named(&self) -> &Path {
        self.option("profile").as_str().unwrap_or_default().as_ref()
    }

    fn stamp(&self) -> Stamp {
        let path = newest(self.named())?;
        let meta = regular(&path)?;
        Some((path, meta.len(), meta.modified().ok()))
    }

    /// Reads the profile. `None` if nobody recorded one, or if it is large and the user did not
    /// allow it.
    fn recording(&mut self) -> Result<Option<ServedProfile>> {
        self.read = self.stamp();
        self.seen = self.read.clone();
        if self.read.is_none() && self.named().as_os_str().is_empty() {
            return Ok(None);
        }
        let files = files(self.named())?;
        if !self.is_allowed && size(&files).is_none_or(|size| size > LARGE) {
            let text = format!("{}: more than 1 GB to read", files[0].display());
            let question = json!({"type": 3, "message": text, "actions": [{"title": READ}]});
            self.request(QUESTION, question)?;
            return Ok(None);
        }
        if !self.baseline.as_os_str().is_empty() {
            let older = self::files(&self.baseline);
            match older.and_then(|older| self.served(&files, &older)) {
                Ok(recording) => return Ok(Some(recording)),
                Err(why) => self.show(1, &format!("{why:#}"))?,
            }
            self.baseline.clear();
        }
        self.served(&files, &[]).map(Some)
    }

    /// Reads a run, and shows its notes.
    fn served(&self, files: &[PathBuf], older: &[PathBuf]) -> Result<ServedProfile> {
        let (served, _, notes) = capture(|| ServedProfile::read(files, older, true))?;
        notes.iter().try_for_each(|note| self.show(2, note))?;
        Ok(served)
    }

    /// The next message; `None` if it is time to look for a new recording.
    fn next(&mut self, messages: &Messages) -> Result<Option<Value>> {
        loop {
            let wait = match self.queue.front() {
                Some(_) => Duration::ZERO,
                None => LOOK,
            };
            let message = match messages.recv_timeout(wait) {
                Ok(message) => message?,
                Err(_) => return Ok(self.queue.pop_front()),
            };
            if message["method"] != "$/cancelRequest" {
                self.queue.push_back(message);
                continue;
            }
            let id = &message["params"]["id"];
            let is_meant = |one: &Value| one["method"].is_string() && one.get("id") == Some(id);
            if let Some(at) = self.queue.iter().position(is_meant) {
                self.queue.remove(at);
                let fault = Fault(CANCELLED, "the request was cancelled".into());
                self.send(response(id, Err(fault)))?;
            }
        }
    }

    /// Whether there is another recording, which did not change between two looks.
    fn is_outdated(&mut self) -> bool {
        let now = self.stamp();
        let is_new = now == self.seen && now != self.read;
        self.seen = now;
        is_new
    }

    /// Answers until the session ends, which gives the exit status, or until another recording must
    /// be read.
    fn converse(
        &mut self,
        messages: &Messages,
        view: Option<&View<'_>>,
    ) -> Result<Option<ExitCode>> {
        let mut known = HashMap::new();
        loop {
            let Some(message) = self.next(messages)? else {
                if (view.is_some() || self.is_without) && self.is_outdated() {
                    self.refresh()?;
                    return Ok(None);
                }
                continue;
            };
            let (id, params) = (message.get("id"), &message["params"]);
            let fault = |code, text: &str| Err(Fault(code, text.into()));
            let result = match (message["method"].as_str(), id) {
                (None, _) if message.is_string() => fault(NOT_JSON, &message.to_string()),
                (None, None) => fault(INVALID_REQUEST, "neither a request nor a response"),
                (None, Some(id)) => {
                    if id == QUESTION && message["result"]["title"] == READ {
                        self.is_allowed = true;
                        self.refresh()?;
                    }
                    continue;
                }
                (Some("exit"), _) => return Ok(Some(u8::from(!self.is_shut_down).into())),
                (Some(method), None) => {
                    known.remove(&self.follow(method, params));
                    continue;
                }
                (Some("initialize"), _) if self.client.is_null() => self.initialize(params),
                _ if self.client.is_null() => fault(NOT_INITIALIZED, "initialize comes first"),
                _ if self.is_shut_down => fault(INVALID_REQUEST, "already shut down"),
                (Some("shutdown"), _) => {
                    self.is_shut_down = true;
                    Ok(Value::Null)
                }
                (Some("workspace/executeCommand"), Some(id)) if params["command"] == COMPARE => {
                    let name = params["arguments"][0].as_str().unwrap_or_default();
                    self.baseline = path(name).unwrap_or_else(|| name.into());
                    self.send(response(id, Ok(Value::Null)))?;
                    self.refresh()?;
                    return Ok(None);
                }
                (Some(method), _) => match view {
                    _ if !REQUESTS.contains(&method) => fault(UNKNOWN_METHOD, method),
                    Some(view) => self.answer(method, params, view, &mut known),
                    None if self.is_without => Ok(Value::Null),
                    None => {
                        self.queue.push_front(message);
                        return Ok(None);
                    }
                },
            };
            self.send(response(id.unwrap_or(&Value::Null), result))?;
        }
    }

    fn initialize(&mut self, params: &Value) -> Result<Value, Fault> {
        self.client = params.clone();
        self.baseline = self.option("baseline").as_str().unwrap_or_default().into();
        let root = params["workspaceFolders"][0]["uri"].as_str();
        if let Some(root) = root.or(params["rootUri"].as_str()).and_then(path) {
            // If this fails, the server looks for profiles in the folder where it was started.
            let _ = env::set_current_dir(root);
        }
        let mut can = json!({
            "positionEncoding": if self.counts_bytes() { "utf-8" } else { "utf-16" },
            "textDocumentSync": 1,
            "hoverProvider": true,
            "inlayHintProvider": *self.option("hints") != false,
            "executeCommandProvider": {"commands": [HOTTEST, NEXT, COMPARE]},
        });
        if *self.option("lenses") != false {
            can["codeLensProvider"] = json!({});
        }
        Ok(json!({"capabilities": can}))
    }

    /// Whether positions count bytes, not UTF-16 code units.
    fn counts_bytes(&self) -> bool {
        let known = &self.client["capabilities"]["general"]["positionEncodings"];
        known
            .as_array()
            .is_some_and(|all| all.contains(&"utf-8".into()))
    }

    /// The range of a line, from 0, without its end. `None` if there is no such line.
    fn range(&self, lines: &[&str], line: usize) -> Option<Value> {
        let text = lines.get(line)?;
        let end = if self.counts_bytes() {
            text.len()
        } else {
            text.encode_utf16().count()
        };
        let position = |character| json!({"line": line, "character": character});
        Some(json!({"start": position(0), "end": position(end)}))
    }

    /// Follows what happens to a document, and returns its address.
    fn follow(&mut self, method: &str, params: &Value) -> String {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        let text = match method {
            "textDocument/didOpen" => document["text"].as_str(),
            "textDocument/didChange" => {
                let last = params["contentChanges"]
                    .as_array()
                    .and_then(|all| all.last());
                last.and_then(|last| last["text"].as_str())
            }
            "textDocument/didClose" => {
                self.documents.remove(&uri);
                None
            }
            _ => None,
        };
        if let Some((path, text)) = real(&uri).zip(text) {
            self.documents.insert(uri.clone(), (path, text.to_owned()));
        }
        uri
    }

    /// Answers a request about costs. `known` has the costs of documents by their addresses.
    fn answer<'a>(
        &mut self,
        method: &str,
        params: &Value,
        view: &View<'a>,
        known: &mut HashMap<String, DocumentCosts<'a>>,
    ) -> Result<Value, Fault> {
        if method == "workspace/executeCommand" {
            return match params["command"].as_str() {
                Some(HOTTEST | NEXT) => Ok(self.visit(view, params)),
                _ => Err(Fault(INVALID_PARAMETERS, "unknown command".into())),
            };
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some((path, text)) = self.documents.get(uri) else {
            return Ok(Value::Null);
        };
        if !known.contains_key(uri) {
            let shown = view.shown(path, text);
            if shown.is_none() && self.reported.insert(uri.to_owned()) {
                let why = "not known to be as it was recorded, so its costs are not shown";
                // If this cannot be written, neither can the answer, which reports it.
                let _ = self.show(2, &format!("{}: {why}", path.display()));
            }
            known.insert(uri.to_owned(), shown.unwrap_or_default());
        }
        let shown = &known[uri];
        let lines: Vec<&str> = text.lines().collect();
        let line = |place: &Value| place["line"].as_u64().map(|line| line as usize);
        Ok(match method {
            "textDocument/codeLens" => {
                let lens = |(_, line, title)| {
                    let command = json!({"title": title, "command": ""});
                    Some(json!({"range": self.range(&lines, line)?, "command": command}))
                };
                view.lenses(shown).into_iter().filter_map(lens).collect()
            }
            "textDocument/inlayHint" => {
                let [first, last] = ["start", "end"].map(|end| line(&params["range"][end]));
                let hint = |(_, line, label)| {
                    if Some(line) < first || last.is_some_and(|last| line > last) {
                        return None;
                    }
                    let end = &self.range(&lines, line)?["end"];
                    Some(json!({"position": end, "label": label, "paddingLeft": true}))
                };
                view.hints(shown).into_iter().filter_map(hint).collect()
            }
            _ => {
                let costs = line(&params["position"]).and_then(|line| shown.get(&line));
                let text = costs.map(|costs| view.hover(costs));
                text.map_or(
                    Value::Null,
                    |text| json!({"contents": {"kind": "markdown", "value": text}}),
                )
            }
        })
    }

    /// Shows the hottest line of a file, or of the program if no file is named, or the hot line
    /// after another one. Returns its place.
    fn visit(&self, view: &View<'_>, params: &Value) -> Value {
        let arguments = &params["arguments"];
        let here = arguments[0].as_str().and_then(real);
        let mut hot = Vec::new();
        for (path, text) in view.hot_files().collect::<BTreeMap<_, _>>() {
            let is_here = here.as_ref() == Some(&path);
            if params["command"] == HOTTEST && here.is_some() && !is_here {
                continue;
            }
            let mut open = self.documents.iter();
            let (uri, text) = match open.find(|(_, (document, _))| *document == path) {
                Some((uri, (_, text))) => (uri.clone(), text.clone()),
                None => (address(&path), text),
            };
            let lines: Vec<&str> = text.lines().collect();
            for (cost, line, _) in view.hints(&view.shown(&path, &text).unwrap_or_default()) {
                if let Some(range) = self.range(&lines, line) {
                    let is_here = is_here && arguments[1] == line;
                    hot.push((
                        Reverse(cost.unsigned_abs()),
                        is_here,
                        json!({"uri": uri, "range": range}),
                    ));
                }
            }
        }
        hot.sort_by_key(|(cost, ..)| *cost);
        let at = hot.iter().position(|(_, is_here, _)| *is_here);
        let Some((.., place)) = hot.get(at.map_or(0, |at| (at + 1) % hot.len())) else {
            return Value::Null;
        };
        if self.can("/window/showDocument/support") {
            let show = json!({"uri": place["uri"], "takeFocus": true, "selection": place["range"]});
            let _ = self.request("window/showDocument", show);
        }
        place.clone()
    }
}

/// A profile, or the newest file in a folder.
fn newest(named: &Path) -> Option<PathBuf> {
    match named.is_file() {
        true => Some(named.to_owned()),
        false => newest_profile(named),
    }
}

/// The files of a profile, or of the newest run in a folder.
fn files(named: &Path) -> Result<Vec<PathBuf>> {
    let newest = newest(named);
    let newest = newest.with_context(|| format!("{}: no such profile", named.display()))?;
    Ok(if newest == named {
        vec![newest]
    } else {
        input::of_run(&newest)
    })
}

/// The path in the address of a file.
fn path(address: &str) -> Option<PathBuf> {
    let path: Vec<u8> = percent_decode_str(address.strip_prefix("file://")?).collect();
    Some(to_path(&path))
}

/// The path in an address after links are followed; `None` if there is no such file.
fn real(address: &str) -> Option<PathBuf> {
    path(address)?.canonicalize().ok()
}

/// The address of a file.
fn address(path: &Path) -> String {
    format!("file://{}", percent_encode(path_bytes(path), ENCODED))
}
