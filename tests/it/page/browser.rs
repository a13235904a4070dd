//! A real browser, driven over its own protocol: messages of JSON through two FIFOs, each ended by
//! a zero byte.

use crate::common::Stage;
use crate::common::needed::{Required, found};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take before the test gives up; a loaded machine is slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// A page of its own in a headless browser. A browser takes seconds to start, so that the next test
/// gets it.
pub struct Browser {
    process: Option<Process>,
    /// What keeps the page apart from those of other tests, and the page.
    context: Value,
    session: Option<String>,
    /// What it told without being asked, such as requests and complaints.
    pub told: Vec<Value>,
}

/// A browser that runs. It ends when nobody can write to it any more.
struct Process {
    to: File,
    from: Receiver<Value>,
    last: u64,
}

/// Browsers that no test has at present.
static IDLE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// The program, from where Debian and others put it.
fn program() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
}

impl Process {
    fn start() -> Option<Process> {
        let program = program();
        let missing = "there is no browser, so a page was not tried in one (Debian: chromium)";
        found(program.is_some(), Required::Browser, missing);
        let program = program?;
        // The shell removes it when the browser has ended, which may be after the last test.
        let stage = Stage::empty();
        let home = stage.dir.clone();
        std::mem::forget(stage);
        let fifo = |name: &str| {
            let path = home.join(name);
            assert!(
                Command::new("mkfifo")
                    .arg(&path)
                    .status()
                    .unwrap()
                    .success()
            );
            // Open at both ends, so that nobody waits for anybody.
            File::options().read(true).write(true).open(&path).unwrap()
        };
        let (to, from) = (fifo("in"), fifo("out"));
        let script = "home=$1; shift; \"$@\" 3<\"$home/in\" 4>\"$home/out\"; rm -rf \"$home\"";
        let mut child = Command::new("sh")
            .args(["-c", script, "sh"])
            .args([&home, &program])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .arg(format!("--user-data-dir={}", home.join("user").display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::spawn(move || child.wait());
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut message = Vec::new();
            while from
                .read_until(0, &mut message)
                .is_ok_and(|count| count > 0)
            {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else {
                    break;
                };
                if sender.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        Some(Process {
            to,
            from: receiver,
            last: 0,
        })
    }

    fn tell(&mut self, message: &Value) {
        let mut bytes = serde_json::to_vec(message).unwrap();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
    }
}

impl Browser {
    /// Starts one, or takes one that another test started. `None`, which is said where nobody can
    /// miss it, if there is none and none is required.
    pub fn start(width: u32, height: u32) -> Option<Browser> {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let process = idle.or_else(Process::start)?;
        let mut browser = Browser {
            process: Some(process),
            context: Value::Null,
            session: None,
            told: Vec::new(),
        };
        let context = browser.call("Target.createBrowserContext", json!({}));
        browser.context = context["browserContextId"].clone();
        let page = json!({ "url": "about:blank", "browserContextId": browser.context });
        let target = browser.call("Target.createTarget", page)["targetId"].clone();
        let attached = browser.call(
            "Target.attachToTarget",
            json!({ "targetId": target, "flatten": true }),
        );
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        let listen = "window.violations = []; addEventListener('securitypolicyviolation', (e) => \
                      violations.push(e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample));";
        browser.call(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": listen }),
        );
        browser.resize(width, height);
        Some(browser)
    }

    /// Makes the window as large as that.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.eval("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))");
    }

    /// Asks for something and waits for the answer.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.try_call(method, params)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The same, or what was wrong.
    fn try_call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let process = self.process.as_mut().unwrap();
        process.last += 1;
        let mut message = json!({ "id": process.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        process.tell(&message);
        loop {
            let mut answer = process
                .from
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|e| panic!("{method}: {e}"));
            if answer["id"] == json!(process.last) {
                return if answer["error"].is_null() {
                    Ok(answer["result"].take())
                } else {
                    Err(answer["error"].take())
                };
            }
            // Pages of tests before this one may have had a last word.
            if self.session.as_deref() == answer["sessionId"].as_str() {
                self.told.push(answer);
            }
        }
    }

    /// What an expression is in the page. A promise is waited for.
    pub fn eval(&mut self, expression: &str) -> Value {
        self.try_eval(expression)
            .unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_eval(&mut self, expression: &str) -> Result<Value, Value> {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.try_call("Runtime.evaluate", params)?;
        match answer["exceptionDetails"].take() {
            Value::Null => Ok(answer["result"]["value"].take()),
            thrown => Err(thrown),
        }
    }

    pub fn text(&mut self, expression: &str) -> String {
        let value = self.eval(expression);
        value
            .as_str()
            .unwrap_or_else(|| panic!("{expression}: {value}"))
            .to_owned()
    }

    /// Waits until something holds. A page that is being loaded again may go while it is asked.
    pub fn wait(&mut self, condition: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.try_eval(&format!("Boolean({condition})")) {
                Ok(Value::Bool(true)) => return,
                Ok(_) => {}
                Err(error) if error["message"] == "Inspected target navigated or closed" => {}
                Err(error) => panic!("{condition}: {error}"),
            }
            assert!(Instant::now() < end, "never so: {condition}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens a file and waits until its script has drawn it.
    pub fn open(&mut self, file: &Path, fragment: &str) {
        self.told.clear();
        // Another fragment alone would not load the file again.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.call(
            "Page.navigate",
            json!({ "url": format!("file://{}{fragment}", file.display()) }),
        );
        self.wait("document.documentElement?.classList.contains('ready')");
    }

    /// Presses a key. A name such as `Enter`, or a character.
    pub fn press(&mut self, key: &str) {
        self.hold(key, 1);
    }

    /// Holds a key until it was sent so many times.
    pub fn hold(&mut self, key: &str, times: usize) {
        let text = match key {
            "Enter" => "\r",
            _ if key.chars().count() == 1 => key,
            _ => "",
        };
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "PageUp" => 33,
            "PageDown" => 34,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        let kind = if text.is_empty() {
            "rawKeyDown"
        } else {
            "keyDown"
        };
        for nth in 0..times {
            let repeats = nth > 0;
            let down = json!({
                "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code, "autoRepeat": repeats
            });
            self.call("Input.dispatchKeyEvent", down);
        }
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
        );
    }

    /// Types a text into what has the focus.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// The names of what has a role, as a screen reader gets them.
    pub fn accessible(&mut self, role: &str) -> Vec<String> {
        self.call("Accessibility.enable", json!({}));
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().unwrap().iter();
        let nodes =
            nodes.filter(|node| node["role"]["value"] == role && node["ignored"] != json!(true));
        nodes
            .map(|node| {
                node["name"]["value"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect()
    }

    /// What was asked of the network beside the file itself, what the policy forbade, and what went
    /// wrong.
    pub fn complaints(&mut self) -> Vec<String> {
        let violations = self.eval("violations");
        let mut found: Vec<String> = violations
            .as_array()
            .unwrap()
            .iter()
            .map(|v| format!("forbidden: {v}"))
            .collect();
        for told in &self.told {
            let params = &told["params"];
            match told["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" if params["type"] != "Document" => {
                    found.push(format!("request: {}", params["request"]["url"]));
                }
                "Runtime.exceptionThrown" => {
                    found.push(format!("exception: {}", params["exceptionDetails"]))
                }
                "Log.entryAdded" => found.push(format!("log: {}", params["entry"]["text"])),
                "Page.javascriptDialogOpening" => {
                    found.push(format!("dialog: {}", params["message"]))
                }
                _ => {}
            }
        }
        found
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // What a test that failed left of its browser is for nobody.
        if thread::panicking() {
            return;
        }
        self.session = None;
        self.call(
            "Target.disposeBrowserContext",
            json!({ "browserContextId": self.context }),
        );
        IDLE.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(self.process.take());
    }
}
