//! Starts a pager once a report is longer than the screen. If the user quits it early, the work
//! ends quietly. If it fails, the report is shown without it.
//!
//! For whoever changes this: a pager that cannot run often fails only after it was sent something.
//! What was sent is therefore kept until it exceeds a pipe, because the pager must then have read
//! some of it.

use super::{console::say, part::leave_interrupts_to_pager};
use crate::env::Environment;
use std::{
    io::{self, Write},
    process::{Child, Command, Stdio},
};

/// The default pager: with colors, and without a separate screen for short texts.
const DEFAULT: &str = "less -FRX";

/// Standard output, through a pager if needed.
pub(super) struct Pager {
    command: Command,
    /// The command as the user typed it.
    typed: String,
    /// Whether the user chose this pager.
    chosen: bool,
    /// How many lines fit without a pager.
    rows: usize,
    lines: usize,
    state: PagerState,
}

enum PagerState {
    /// Text that fits on the screen so far.
    Waiting(Vec<u8>),
    /// The pager runs. What was sent is kept as long as the pager may not have read any of it.
    Running(Child, Option<Vec<u8>>),
    /// It could not be started, or failed at once.
    Plain,
    /// The user has quit it.
    Left,
}

/// The size of a pipe. A pager that was sent more has begun to read.
const PIPE: usize = 64 * 1024;

impl Pager {
    /// The user's pager, on a screen of `height` lines. `None` if the user wants none.
    pub(super) fn new(terminal: &Environment, height: usize) -> Option<Pager> {
        let text = terminal.pager.as_deref().unwrap_or(DEFAULT);
        let words: Vec<&str> = text.split_whitespace().collect();
        let (program, arguments) = match words.split_first()? {
            _ if needs_shell(text) => ("sh", &["-c", text][..]),
            (&"cat", []) => return None,
            (program, arguments) => (*program, arguments),
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        if !terminal.less {
            command.env("LESS", "FRX");
        }
        // Without a locale, `less` would show bytes outside ASCII as numbers, which would not fit
        // the lines.
        if !terminal.less_charset {
            command.env("LESSCHARSET", "utf-8");
        }
        Some(Pager {
            command,
            typed: text.to_owned(),
            chosen: terminal.pager.is_some(),
            // The prompt needs a line.
            rows: height.saturating_sub(1),
            lines: 0,
            state: PagerState::Waiting(Vec::new()),
        })
    }

    fn start(&mut self) -> io::Result<()> {
        let PagerState::Waiting(text) = std::mem::replace(&mut self.state, PagerState::Plain)
        else {
            return Ok(());
        };
        // The terminal sends an interrupt to the pager and to this program. Only the pager decides
        // what it means.
        leave_interrupts_to_pager(true);
        match self.command.spawn() {
            Ok(child) => self.state = PagerState::Running(child, Some(Vec::new())),
            Err(e) => {
                leave_interrupts_to_pager(false);
                // Small systems have no `less`. Users who did not ask for it do not miss it.
                if self.chosen || e.kind() != io::ErrorKind::NotFound {
                    let program = self.command.get_program().display();
                    say(format!("{program}: the pager cannot be started: {e}"));
                }
            }
        }
        self.write_all(&text)
    }

    /// Writes the rest, and waits until the user quits the pager.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.state, PagerState::Left) {
            PagerState::Waiting(text) => print(&text),
            PagerState::Running(child, sent) => self.ended(child, sent),
            PagerState::Plain | PagerState::Left => Ok(()),
        }
    }

    /// Waits for the pager to end. If it failed and all that it was sent is kept, prints that
    /// without it.
    fn ended(&mut self, mut child: Child, sent: Option<Vec<u8>>) -> io::Result<()> {
        drop(child.stdin.take());
        let status = child.wait();
        leave_interrupts_to_pager(false);
        let status = status?;
        // A pager that a signal ended was in use.
        if let Some(sent) = sent
            && status.code().is_some_and(|code| code != 0)
        {
            say(format!(
                "{}: the pager failed ({status}); the report is printed without it",
                self.typed
            ));
            self.state = PagerState::Plain;
            print(&sent)?;
        }
        Ok(())
    }
}

/// Writes text to standard output, without a pager.
fn print(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()
}

/// Whether the pager needs a shell: its command has quotes, variables, pipes or the like.
fn needs_shell(text: &str) -> bool {
    let assigns = text
        .split_whitespace()
        .next()
        .is_some_and(|first| first.contains('='));
    cfg!(unix) && (assigns || text.contains(|c| "|&;<>()$`\\\"'*?[]#~".contains(c)))
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            PagerState::Waiting(text) => {
                text.extend_from_slice(bytes);
                self.lines += memchr::memchr_iter(b'\n', bytes).count();
                if self.lines > self.rows {
                    self.start()?;
                }
                Ok(bytes.len())
            }
            PagerState::Running(child, sent) => {
                let written = child
                    .stdin
                    .as_mut()
                    .ok_or(io::ErrorKind::BrokenPipe.into())
                    .and_then(|to| to.write(bytes));
                match written {
                    Ok(count) => {
                        *sent = sent.take().filter(|sent| sent.len() + count <= PIPE);
                        if let Some(sent) = sent {
                            sent.extend_from_slice(bytes.get(..count).unwrap_or_default());
                        }
                        Ok(count)
                    }
                    Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                        self.finish()?;
                        match self.state {
                            PagerState::Plain => self.write(bytes),
                            _ => Err(e),
                        }
                    }
                    Err(e) => Err(e),
                }
            }
            PagerState::Left => Err(io::ErrorKind::BrokenPipe.into()),
            PagerState::Plain => io::stdout().lock().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            PagerState::Waiting(_) | PagerState::Left => Ok(()),
            PagerState::Running(child, _) => child.stdin.as_mut().map_or(Ok(()), Write::flush),
            PagerState::Plain => io::stdout().lock().flush(),
        }
    }
}

impl Drop for Pager {
    /// If the work ended early, the pager has the terminal until the user quits it.
    fn drop(&mut self) {
        let _ = self.finish();
    }
}
