//! The whole program in a terminal that tmux makes: it draws, is resized, stopped, killed, and
//! leaves everything as it was.

use crate::common::Stage;
use crate::common::needed::{Required, found, succeeds};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// A terminal in a server of its own.
struct Tmux {
    socket: String,
    stage: Stage,
}

/// Whether tmux is here. Where it has to be, its absence is a failure; elsewhere its tests are
/// passed over, and say so.
fn is_installed() -> bool {
    let missing = "tmux is not installed, so there is no terminal to explore in";
    found(succeeds("tmux", &["-V"]), Required::Reference, missing)
}

impl Tmux {
    /// A shell of this size in a copy of a folder of `fixtures/`.
    fn new(fixture: &str, (width, height): (u16, u16)) -> Tmux {
        let stage = Stage::of(fixture);
        std::os::unix::fs::symlink(
            env!("CARGO_BIN_EXE_cgannotate"),
            stage.dir.join("cgannotate"),
        )
        .unwrap();
        let socket = stage.dir.join("tmux").to_str().unwrap().to_owned();
        let tmux = Tmux { socket, stage };
        let (width, height) = (width.to_string(), height.to_string());
        tmux.tell(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &width,
            "-y",
            &height,
            "PS1='ready$ ' exec sh",
        ]);
        tmux.until("the shell", |screen| screen.contains("ready$"));
        tmux
    }

    fn tell(&self, words: &[&str]) -> String {
        let mut command = self.stage.any("tmux", &["-S", &self.socket]);
        let path = format!(
            "{}:{}",
            self.stage.dir.display(),
            std::env::var("PATH").unwrap()
        );
        command
            .args(words)
            .env("PATH", path)
            .env("LC_ALL", "C.UTF-8")
            .env("SHELL", "/bin/sh")
            .env_remove("NO_COLOR");
        let out = command.output().unwrap();
        assert!(
            out.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    fn screen(&self) -> String {
        self.tell(&["capture-pane", "-p"])
    }

    /// Waits until the screen is as it should be.
    fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{what}:\n{screen}"
            );
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn types(&self, text: &str) {
        self.tell(&["send-keys", "-l", text]);
    }

    fn press(&self, key: &str) {
        self.tell(&["send-keys", key]);
    }

    fn start(&self, command: &str) {
        self.types(command);
        self.press("Enter");
    }

    /// Whether the terminal is as a shell wants it: no alternate screen, no mouse, a cursor, echo.
    fn is_as_before(&self) {
        self.is_left();
        // What is typed before the shell has the terminal again is not echoed.
        self.until("a prompt", |screen| screen.trim_end().ends_with("\nready$"));
        self.start("echo still $((40 + 2))");
        let screen = self.until("an echo", |screen| screen.contains("still 42"));
        assert!(
            screen.contains("echo still $((40 + 2))"),
            "what is typed shows: {screen}"
        );
    }

    /// Waits until there is no alternate screen and no mouse, and a cursor.
    fn is_left(&self) {
        let flags = "#{alternate_on} #{mouse_any_flag} #{cursor_flag}";
        let start = Instant::now();
        loop {
            let now = self.tell(&["display-message", "-p", flags]);
            if now.trim() == "0 0 1" {
                break;
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "alternate, mouse, cursor: {now}"
            );
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux")
            .args(["-S", &self.socket, "kill-server"])
            .output();
    }
}

const START: &str = "cgannotate explore shapes.plain.out";

#[test]
fn a_profile_is_explored_in_a_terminal() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    tmux.start(START);
    let list = tmux.until("the list", |screen| {
        screen.starts_with("functions") && screen.contains('%')
    });
    assert!(
        list.trim_end()
            .lines()
            .last()
            .unwrap()
            .starts_with("$ cgannotate --auto=no"),
        "{list}"
    );
    tmux.press("v");
    let source = tmux.until("the source", |screen| {
        screen.starts_with("source of") && screen.contains("\n>")
    });
    // The cursor is at the hottest line: two keys from a cold start.
    let cursor = source.lines().find(|line| line.starts_with('>')).unwrap();
    assert!(cursor.contains('%'), "{source}");
    tmux.press("[");
    tmux.until("the list again", |screen| screen.starts_with("functions"));
    tmux.press("/");
    tmux.types("dl");
    tmux.until("a filter", |screen| screen.contains("/dl"));
    tmux.press("Enter");
    tmux.tell(&["resize-window", "-x", "150", "-y", "30"]);
    tmux.until("two panes", |screen| {
        screen.contains('│') && screen.lines().count() == 30
    });
    tmux.tell(&["resize-window", "-x", "40", "-y", "12"]);
    tmux.until("a small screen", |screen| {
        screen.lines().count() == 12 && screen.contains("dl")
    });
    tmux.press("q");
    tmux.is_as_before();
}

/// What is typed for the explorer is in the commands that it shows.
/// What is copied goes through the terminal to whoever sits at it, who may be anywhere.
#[test]
fn names_are_copied_through_the_terminal() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    tmux.tell(&["set", "-g", "set-clipboard", "on"]);
    tmux.start(START);
    let list = tmux.until("the list", |screen| {
        screen.starts_with("functions") && screen.contains("\n>")
    });
    let row = list.lines().find(|line| line.starts_with('>')).unwrap();
    tmux.press("y");
    let said = tmux.until("an answer", |screen| screen.contains("copied "));
    let said = said.lines().find_map(|line| line.split_once("copied "));
    let name = said.unwrap().1.trim_end();
    assert!(row.contains(name), "{row} {name}");
    assert_eq!(tmux.tell(&["show-buffer"]), name);
    tmux.press("q");
    tmux.is_as_before();
}

#[test]
fn commands_repeat_what_was_typed() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (200, 24));
    let typed = [
        "--fold-recursion",
        "--allow-truncated",
        "--event=Twice = 2 Ir",
        "--map=/a=b",
        "-Isrc",
        "--sources=listed",
    ];
    let words: Vec<String> = typed.iter().map(|word| format!("'{word}'")).collect();
    tmux.start(&format!(
        "cgannotate explore {} shapes.plain.out",
        words.join(" ")
    ));
    let list = tmux.until("the list", |screen| {
        screen.starts_with("functions") && screen.contains('%')
    });
    let command = list.trim_end().lines().last().unwrap();
    assert!(command.ends_with(" shapes.plain.out"), "{command}");
    assert!(typed.iter().all(|word| command.contains(word)), "{command}");
    tmux.press("q");
    tmux.is_as_before();
}

/// Rows that the terminal itself moved are those that are drawn anew.
#[test]
fn steps_at_the_edge_leave_the_right_rows() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    tmux.start(START);
    // Inclusive costs may come later than the rows, and would be a difference.
    tmux.until("the list", |screen| {
        screen.starts_with("functions")
            && screen.contains(" 1/272")
            && screen.contains(" 97,261 21.24%")
    });
    let rows = |screen: &str| {
        screen
            .lines()
            .take(22)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for (keys, row) in [
        ("jjjjjjjjjjjjjjjjjjjjjjjjjjjjjj", " 31/"),
        ("kkkkkkkkkkkkkkkkkkkkkkkkkk", " 5/"),
    ] {
        // One by one: what is typed at once is one frame.
        for key in keys.chars() {
            tmux.types(&key.to_string());
        }
        // A terminal that is slow has the first line before the last.
        let before = loop {
            let screen = tmux.until("the row", |screen| {
                screen.lines().next().unwrap().contains(row)
            });
            std::thread::sleep(Duration::from_millis(100));
            if tmux.screen() == screen {
                break screen;
            }
        };
        tmux.press("C-l");
        tmux.press("e");
        let after = tmux.until("the redrawn list", |screen| {
            screen.contains("no other event")
        });
        assert_eq!(rows(&before), rows(&after));
    }
    tmux.press("q");
    tmux.is_as_before();
}

#[test]
fn a_source_that_was_changed_is_marked() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    tmux.stage
        .date("shapes.c", SystemTime::now() + Duration::from_secs(3600));
    tmux.start(START);
    tmux.until("the list", |screen| {
        screen.starts_with("functions") && screen.contains('%')
    });
    tmux.types("/ins");
    // What is pressed next is about the row that is shown.
    tmux.until("the function", |screen| {
        screen
            .lines()
            .any(|line| line.starts_with('>') && line.contains("ins"))
    });
    for key in ["Enter", "v", "g"] {
        tmux.press(key);
    }
    tmux.until("the mark", |screen| {
        screen.contains("-- shapes.c: changed since the run; lines may have moved")
    });
}

/// It is said on the screen that is there before and behind the explorer's.
#[test]
fn own_code_that_matches_nothing_is_said() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    tmux.start(&format!("{START} --own-code=nonesuch"));
    tmux.until("the list", |screen| screen.starts_with("functions"));
    tmux.press("q");
    tmux.until("what was said", |screen| {
        screen.contains("--own-code: nothing matches `nonesuch`")
    });
}

/// Of a pack source and instructions show where nothing else is.
#[test]
fn a_pack_is_explored_without_sources_and_programs() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("pack", (100, 30));
    std::fs::remove_file(tmux.stage.dir.join("tiny.c")).unwrap();
    tmux.start("cgannotate explore tiny.cgpack");
    tmux.until("the list", |screen| {
        screen.starts_with("functions") && screen.contains("work")
    });
    tmux.press("v");
    tmux.until("the source", |screen| {
        screen.starts_with("source of work") && screen.contains("long square(long n)")
    });
    tmux.press("a");
    let code = tmux.until("the code", |screen| {
        screen.starts_with("instructions of work") && screen.contains("imul")
    });
    let imul = code
        .lines()
        .find(|line| line.contains("imul"))
        .unwrap_or_else(|| panic!("{code}"));
    assert!(imul.contains("4010"), "{imul}");
    assert!(code.contains("tiny.c:5 in "), "what is inlined: {code}");
    tmux.press("q");
    tmux.is_as_before();
}

#[test]
fn the_terminal_is_left_as_it_was_by_keys_and_signals() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    let is_on = |screen: &str| screen.starts_with("functions");
    tmux.start(START);
    tmux.until("the list", is_on);
    tmux.press("C-c");
    tmux.is_as_before();
    tmux.start(&format!("{START} & sleep 0.5; fg"));
    tmux.until("the list from the background", is_on);
    tmux.press("q");
    tmux.is_as_before();
    tmux.start("clear");
    // The first SEGV from outside only ends the handler that tells of a stack that is too small.
    let all = "TERM HUP INT QUIT ABRT ALRM BUS PROF SYS TRAP USR1 USR2 VTALRM XCPU POLL STKFLT PWR SEGV FPE ILL KILL";
    for signal in all.split(' ') {
        tmux.start(START);
        tmux.until("the list", is_on);
        let process = tmux.tell(&["list-panes", "-F", "#{pane_pid}"]);
        let out = Command::new("pkill")
            .args([&format!("-{signal}"), "-P", process.trim(), "cgannotate"])
            .output();
        assert!(out.unwrap().status.success(), "{signal}");
        if signal == "SEGV" {
            let again = || {
                Command::new("pkill")
                    .args(["-SEGV", "-P", process.trim(), "cgannotate"])
                    .status()
                    .unwrap()
            };
            let is_gone = (0..100).any(|_| !again().success());
            assert!(is_gone, "it goes on");
        }
        if ["POLL", "STKFLT", "PWR", "SEGV", "FPE", "ILL", "KILL"].contains(&signal) {
            // The prompt came before the screen on which the shell wrote it was left.
            tmux.is_left();
            tmux.press("Enter");
        }
        tmux.is_as_before();
        tmux.start("clear");
    }
    tmux.start(START);
    tmux.until("the list", is_on);
    tmux.press("C-z");
    tmux.is_as_before();
    tmux.start("fg");
    tmux.until("the list again", is_on);
    tmux.press("q");
    tmux.is_as_before();
}

/// Ctrl-Z stops an editor and the explorer with it; Ctrl-C is the editor's alone.
#[test]
fn an_editor_has_the_keys_of_the_terminal() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    tmux.stage
        .write("edit", "trap : INT\necho editing\nread line\nread line\n");
    tmux.start("export EDITOR='sh edit'");
    tmux.start(START);
    tmux.until("the list", |screen| {
        screen.starts_with("functions") && screen.contains("depth")
    });
    tmux.types("/depth");
    tmux.press("Enter");
    tmux.until("what was filtered", |screen| {
        screen.contains("with \"depth\"") && screen.contains(" 1/2\n")
    });
    tmux.types("v");
    tmux.until("the source", |screen| {
        screen.starts_with("source of depth") && screen.contains("static int depth")
    });
    tmux.types("E");
    tmux.until("the editor", |screen| screen.contains("editing"));
    tmux.press("C-z");
    tmux.until("the shell", |screen| screen.trim_end().ends_with("ready$"));
    tmux.start("fg");
    tmux.until("the editor again", |screen| {
        screen.contains("fg\n") && screen.trim_end().ends_with(START)
    });
    tmux.press("C-c");
    tmux.press("Enter");
    tmux.press("Enter");
    tmux.until("the source again", |screen| {
        screen.starts_with("source of depth")
    });
    tmux.press("q");
    tmux.is_as_before();
}

/// Two runs without a common event are refused as `diff` refuses them.
#[test]
fn runs_without_a_common_event_are_not_compared() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    tmux.stage
        .write("old", "events: Dr\nfn=f\n1 1\n")
        .write("new", "events: Ir\nfn=f\n1 1\n");
    tmux.start("cgannotate explore old new");
    tmux.until("a refusal", |screen| {
        screen.contains("the two runs have no event in common: Dr and Ir")
    });
}

/// A terminal that goes away, and whose signal comes before it is seen that it is gone.
#[test]
fn it_ends_with_its_terminal() {
    if !is_installed() {
        return;
    }
    let tmux = Tmux::new("shapes", (80, 24));
    tmux.start(START);
    tmux.until("the list", |screen| screen.starts_with("functions"));
    let shell = tmux.tell(&["list-panes", "-F", "#{pane_pid}"]);
    let found = Command::new("pgrep")
        .args(["-P", shell.trim(), "cgannotate"])
        .output()
        .unwrap();
    let process = String::from_utf8(found.stdout).unwrap().trim().to_owned();
    let kill = |signal: &str| {
        Command::new("kill")
            .args([signal, &process])
            .output()
            .unwrap()
            .status
            .success()
    };
    // One that has ended may wait to be collected.
    let goes_on = || {
        let state = Command::new("ps")
            .args(["-o", "stat=", "-p", &process])
            .output()
            .unwrap();
        !state.stdout.is_empty() && !state.stdout.starts_with(b"Z")
    };
    assert!(kill("-STOP") && goes_on(), "{process:?}");
    tmux.tell(&["kill-server"]);
    assert!(kill("-CONT"));
    let start = Instant::now();
    while goes_on() {
        if start.elapsed() > Duration::from_secs(20) {
            kill("-KILL");
            panic!("it goes on without a terminal");
        }
        std::thread::sleep(Duration::from_millis(30));
    }
}

#[test]
fn without_a_terminal_it_says_so() {
    let stage = Stage::of("shapes");
    let out = stage.run(&["explore", "shapes.plain.out"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(
        (out.status.code(), said.lines().count(), out.stdout.len()),
        (Some(2), 2, 0),
        "{said}"
    );
    assert!(said.contains("explore needs a terminal"), "{said}");
}
