//! A pager that starts when a report turns out to be longer than the screen. Quitting it early ends the work quietly.

use crate::source::Terminal;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What shows the report where nothing else is asked for: escape codes for colours, no new screen for short texts.
const DEFAULT: &str = "less -FRX";

/// Standard output, or the pager before it.
pub(super) struct Pager {
    command: Vec<String>,
    /// Whether somebody asked for this one.
    chosen: bool,
    less_is_set: bool,
    charset_is_set: bool,
    /// How many lines show without it.
    room: usize,
    lines: usize,
    state: State,
}

enum State {
    /// What fits on the screen so far.
    Waiting(Vec<u8>),
    /// It runs.
    Running(Child),
    /// It could not be started, or is not wanted.
    Plain,
}

impl Pager {
    /// The user's pager, on a screen of so many lines; `None` if they want none.
    pub(super) fn new(terminal: &Terminal, height: usize) -> Option<Pager> {
        let text = terminal.pager.as_deref().unwrap_or(DEFAULT);
        let command: Vec<String> = match needs_shell(text) {
            true => ["sh", "-c", text].map(str::to_owned).into(),
            false => text.split_whitespace().map(str::to_owned).collect(),
        };
        let wanted = !command.is_empty() && command != ["cat"];
        // The prompt needs a line.
        let room = height.saturating_sub(1);
        let state = State::Waiting(Vec::new());
        wanted.then_some(Pager {
            command,
            chosen: terminal.pager.is_some(),
            less_is_set: terminal.less,
            charset_is_set: terminal.less_charset,
            room,
            lines: 0,
            state,
        })
    }

    fn start(&mut self) -> io::Result<()> {
        let State::Waiting(text) = std::mem::replace(&mut self.state, State::Plain) else { return Ok(()) };
        let Some((program, arguments)) = self.command.split_first() else { return Ok(()) };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        if !self.less_is_set {
            command.env("LESS", "FRX");
        }
        // Without a locale, `less` would show the bytes of all but ASCII as numbers, which no line has room for.
        if !self.charset_is_set {
            command.env("LESSCHARSET", "utf-8");
        }
        // The terminal sends an interrupt to the pager and to this program; the pager alone is to decide what it means.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::new(AtomicBool::new(false)));
        match command.spawn() {
            Ok(child) => self.state = State::Running(child),
            // Small systems have no `less`; who did not ask for it does not miss it.
            Err(e) if !self.chosen && e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => super::complain(&format!("{program}: the pager cannot be started: {e}")),
        }
        self.write_all(&text)
    }

    /// Writes what is left and waits until the reader is done.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.state, State::Plain) {
            State::Waiting(text) => {
                let mut out = io::stdout().lock();
                out.write_all(&text)?;
                out.flush()
            }
            State::Running(mut child) => {
                drop(child.stdin.take());
                child.wait().map(|_| ())
            }
            State::Plain => Ok(()),
        }
    }
}

/// Whether a pager is more than a program and its arguments: quotes, variables, pipes, as shells take them.
fn needs_shell(text: &str) -> bool {
    let assigns = text.split_whitespace().next().is_some_and(|first| first.contains('='));
    cfg!(unix) && (assigns || text.contains(|c| "|&;<>()$`\\\"'*?[]#~".contains(c)))
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Waiting(text) => {
                text.extend_from_slice(bytes);
                self.lines += memchr::memchr_iter(b'\n', bytes).count();
                if self.lines > self.room {
                    self.start()?;
                }
                Ok(bytes.len())
            }
            State::Running(child) => match &mut child.stdin {
                Some(stdin) => stdin.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
            State::Plain => io::stdout().lock().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Waiting(_) => Ok(()),
            State::Running(child) => child.stdin.as_mut().map_or(Ok(()), Write::flush),
            State::Plain => io::stdout().lock().flush(),
        }
    }
}

impl Drop for Pager {
    /// Where the work ended early, the pager still has the terminal until its reader leaves it.
    fn drop(&mut self) {
        let _ = self.finish();
    }
}
