//! The terminal: it turns input into events and performs the effects that the model requests. The
//! terminal is restored whatever ends the program: a key, an error, a signal or a panic.

use super::{
    Canvas, Colours, Effect, Lenses, Message, Model, Mouse, Outside, Terminal, draw,
    guard::{Guard, give_back},
    outside, update,
    worker::Worker,
};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use crossterm::event::{
    self as input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use std::{
    io::{self, BufWriter, Stdout, Write},
    sync::Arc,
    time::Duration,
};

/// The interval between checks for signals while idle.
const IDLE: Duration = Duration::from_millis(50);

/// The interval while the worker is busy.
const BUSY: Duration = Duration::from_millis(4);

/// A typical frame has 3 kB, so the buffer makes it one write.
const BUFFER: usize = 64 * 1024;

/// Restores the terminal before a panic message is printed.
fn heed_panics() {
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        told(panic);
    }));
}

/// The terminal. Its buffer makes each frame one write.
type Shown = Terminal<BufWriter<Stdout>>;

/// The size of the terminal, limited to that of a large screen. A terminal that reports a larger
/// size cannot exhaust the memory.
fn size() -> io::Result<(u16, u16)> {
    const MOST: (u16, u16) = (2000, 1000);
    let (width, height) = crossterm::terminal::size()?;
    Ok((width.min(MOST.0), height.min(MOST.1)))
}

/// Runs the explorer until the user quits. It does not wait for the worker then.
///
/// # Errors
/// Returns an error if the terminal cannot be used.
pub fn run(lenses: &Arc<Lenses>, outside: &Outside<'_>, colours: Colours) -> io::Result<()> {
    heed_panics();
    let mut signals = signals::Signals::new()?;
    let _guard = Guard::take()?;
    let mut screen = Terminal::new(BufWriter::with_capacity(BUFFER, io::stdout()));
    let (mut model, effects) = Model::new(lenses, outside.finder, size()?);
    let no_thread = |why| io::Error::other(format!("no more threads can be started: {why}"));
    let mut worker = Worker::start(lenses).map_err(no_thread)?;
    let mut to_do = effects;
    let mut is_old = true;
    loop {
        while let Some(effect) = (!to_do.is_empty()).then(|| to_do.remove(0)) {
            match effect {
                Effect::Work(work) => worker.ask(work),
                Effect::Quit => return Ok(()),
                Effect::Redraw => screen.clear(),
                Effect::Suspend => {
                    give_back();
                    signals::stop();
                    again(&mut screen)?;
                }
                Effect::Copy(text) => copy(&text)?,
                Effect::Write(file, text) => {
                    let said = outside::written(&file, || Ok(text.into_bytes()));
                    to_do.extend(update(&mut model, Message::Said(said)));
                }
                Effect::Page(file) => {
                    give_back();
                    let data = lenses.data(model.spot.here().lens);
                    let said = outside::written(&file, || (outside.page)(&data.session));
                    again(&mut screen)?;
                    to_do.extend(update(&mut model, Message::Said(said)));
                }
                Effect::Edit(file, line) => {
                    let said = match outside.editor(&file, line) {
                        Ok(mut editor) => {
                            give_back();
                            let done = editor.spawn().and_then(|child| signals.while_runs(child));
                            again(&mut screen)?;
                            outside::said(&editor, done)
                        }
                        Err(why) => Some(why),
                    };
                    to_do.extend(
                        said.into_iter()
                            .flat_map(|why| update(&mut model, Message::Said(why))),
                    );
                }
            }
            is_old = true;
        }
        // Crossterm can lose a resize event if a key arrives at the same time.
        let now = size()?;
        if now != model.size {
            to_do.extend(update(&mut model, Message::Resize(now.0, now.1)));
            is_old = true;
            continue;
        }
        if is_old {
            let (width, height) = model.size;
            let mut canvas = Canvas::new(width, height);
            draw(&model, colours, &mut canvas);
            screen.show(canvas)?;
            is_old = false;
        }
        if waiting::wait(if worker.open > 0 { BUSY } else { IDLE })? {
            return Ok(());
        }
        match signals.next() {
            None => {}
            Some(signals::Meaning::Stop) => to_do.push(Effect::Suspend),
            Some(signals::Meaning::Continue) => again(&mut screen)?,
            Some(signals::Meaning::End(signal)) => {
                give_back();
                signals::die(signal);
            }
        }
        // A short wait, because crossterm can lose a notification of keys; the next one makes up
        // for it.
        if input::poll(Duration::from_millis(1))? {
            // Handles pending input until an effect is due: only the last frame is visible.
            loop {
                if let Some(event) = event(input::read()?) {
                    to_do.extend(update(&mut model, event));
                    is_old = true;
                }
                if !to_do.is_empty() || !input::poll(Duration::ZERO)? {
                    break;
                }
            }
        }
        for (work, answer) in worker.done() {
            to_do.extend(update(&mut model, Message::Done(work, answer)));
            is_old = true;
        }
    }
}

/// Takes the terminal again and redraws, because another program may have written to it.
fn again(screen: &mut Shown) -> io::Result<()> {
    std::mem::forget(Guard::take()?);
    screen.clear();
    Ok(())
}

/// The event for an input, if it has a meaning here.
fn event(event: input::Event) -> Option<Message> {
    match event {
        input::Event::Key(key) if key.kind != KeyEventKind::Release => {
            Some(Message::Key(name(key)?))
        }
        input::Event::Resize(width, height) => Some(Message::Resize(width, height)),
        input::Event::Mouse(mouse) => {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => Mouse::Click,
                MouseEventKind::ScrollUp => Mouse::Up,
                MouseEventKind::ScrollDown => Mouse::Down,
                _ => return None,
            };
            Some(Message::Mouse(kind, mouse.column, mouse.row))
        }
        _ => None,
    }
}

/// The name of a key as in the table of keys.
fn name(key: KeyEvent) -> Option<String> {
    let mut buffer = [0; 4];
    let name = match key.code {
        KeyCode::Char(' ') => "Space",
        KeyCode::Char(character) => character.encode_utf8(&mut buffer),
        KeyCode::Enter => "Enter",
        KeyCode::Backspace => "Backspace",
        KeyCode::Left => "Left",
        KeyCode::Right => "Right",
        KeyCode::Up => "Up",
        KeyCode::Down => "Down",
        KeyCode::Home => "Home",
        KeyCode::End => "End",
        KeyCode::PageUp => "PageUp",
        KeyCode::PageDown => "PageDown",
        KeyCode::Tab => "Tab",
        KeyCode::Esc => "Esc",
        _ => return None,
    };
    match key.modifiers {
        with if with.contains(KeyModifiers::CONTROL) => {
            Some(format!("Ctrl-{}", name.to_lowercase()))
        }
        with if with.contains(KeyModifiers::ALT) => None,
        _ => Some(name.to_owned()),
    }
}

/// Copies a text to the clipboard of the user's terminal, also over ssh (OSC 52).
fn copy(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    write!(out, "\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text))?;
    out.flush()
}

/// Waits for input. Returns whether the terminal is gone, so that no input will come. Crossterm would
/// wait for keys forever.
#[cfg(unix)]
mod waiting {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::io;
    use std::time::Duration;

    pub(super) fn wait(time: Duration) -> io::Result<bool> {
        let terminal = io::stdout();
        let mut fds = [PollFd::new(&terminal, PollFlags::IN)];
        let time = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(time.subsec_nanos()),
        };
        match poll(&mut fds, Some(&time)) {
            // A signal, such as a resize or a hangup.
            Err(rustix::io::Errno::INTR) => wait(Duration::ZERO),
            Err(why) => Err(why.into()),
            Ok(_)
                if fds[0]
                    .revents()
                    .intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) =>
            {
                Ok(true)
            }
            Ok(_) => Ok(false),
        }
    }

    /// Whether the terminal is gone.
    pub(super) fn is_gone() -> bool {
        wait(Duration::ZERO).is_ok_and(|is_gone| is_gone)
    }
}

/// Waits for input.
#[cfg(not(unix))]
mod waiting {
    use super::input;
    use std::io;
    use std::time::Duration;

    pub(super) fn wait(time: Duration) -> io::Result<bool> {
        input::poll(time).map(|_| false)
    }
}

/// Signals.
#[cfg(unix)]
mod signals {
    use super::{give_back, waiting};
    use signal_hook::consts::{
        SIGABRT, SIGALRM, SIGBUS, SIGCONT, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM,
        SIGTRAP, SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use std::process::{Child, ExitStatus};
    use std::sync::Arc;
    use std::time::Duration;
    use std::{io, thread};

    /// The time for an orderly exit.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// The interval between checks of the program that uses the terminal.
    const LOOK: Duration = Duration::from_millis(20);

    /// Signals that end the explorer, even while another program uses the terminal. An abort of the
    /// explorer itself does not wait for this code. The shell that [`Guard`](super::Guard) starts
    /// handles that and signals that cannot be caught.
    const ENDING: [i32; 12] = [
        SIGHUP, SIGTERM, SIGABRT, SIGALRM, SIGBUS, SIGPROF, SIGSYS, SIGTRAP, SIGUSR1, SIGUSR2,
        SIGVTALRM, SIGXCPU,
    ];

    /// What to do about a signal.
    pub(super) enum Meaning {
        /// Stop the process.
        Stop,
        /// Redraw.
        Continue,
        /// End the process.
        End(i32),
    }

    /// The pending signals.
    pub(super) struct Signals(signal_hook::iterator::Signals);

    impl Signals {
        /// Installs the handlers.
        ///
        /// A second thread ends the process if the main loop does not. If the terminal disappears
        /// while crossterm reads keys, crossterm loops forever. That thread also checks whether the
        /// terminal is gone, because there may be no signal for that.
        pub(super) fn new() -> io::Result<Signals> {
            let mut last = signal_hook::iterator::Signals::new(ENDING)?;
            thread::Builder::new().spawn(move || {
                loop {
                    thread::sleep(PATIENCE);
                    let gone = || waiting::is_gone().then_some(SIGHUP);
                    if let Some(signal) = last.pending().next().or_else(gone) {
                        thread::sleep(PATIENCE);
                        give_back();
                        die(signal);
                    }
                }
            })?;
            // A file that exceeds the size limit is then a write error.
            signal_hook::flag::register(SIGXFSZ, Arc::default())?;
            let typed = [SIGCONT, SIGINT, SIGQUIT, SIGTSTP];
            signal_hook::iterator::Signals::new(typed.into_iter().chain(ENDING)).map(Signals)
        }

        pub(super) fn next(&mut self) -> Option<Meaning> {
            let came: Vec<i32> = self.0.pending().collect();
            let end = came
                .iter()
                .find(|signal| ![SIGCONT, SIGTSTP].contains(signal));
            match end {
                Some(&signal) => Some(Meaning::End(signal)),
                None if came.contains(&SIGTSTP) => Some(Meaning::Stop),
                None => came.contains(&SIGCONT).then_some(Meaning::Continue),
            }
        }

        /// Waits for a program that uses the terminal. The explorer stops together with it, and
        /// leaves keyboard signals to the program.
        pub(super) fn while_runs(&mut self, mut program: Child) -> io::Result<ExitStatus> {
            loop {
                let done = program.try_wait()?;
                match self.next() {
                    Some(Meaning::Stop) if done.is_none() => stop(),
                    Some(Meaning::End(signal)) if ENDING.contains(&signal) => die(signal),
                    _ => {}
                }
                match done {
                    Some(status) => return Ok(status),
                    None => thread::sleep(LOOK),
                }
            }
        }
    }

    /// Stops the process as Ctrl-Z does, until it is continued.
    pub(super) fn stop() {
        let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
    }

    /// Ends the process by a signal, so that its parent sees that signal.
    pub(super) fn die(signal: i32) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

/// Other systems have no signals.
#[cfg(not(unix))]
mod signals {
    use std::io;
    use std::process::{Child, ExitStatus};

    #[allow(
        dead_code,
        reason = "whoever asks has an answer to each, and none comes here"
    )]
    pub(super) enum Meaning {
        Stop,
        Continue,
        End(i32),
    }

    pub(super) struct Signals;

    impl Signals {
        pub(super) fn new() -> io::Result<Signals> {
            Ok(Signals)
        }

        pub(super) fn next(&mut self) -> Option<Meaning> {
            None
        }

        pub(super) fn while_runs(&mut self, mut program: Child) -> io::Result<ExitStatus> {
            program.wait()
        }
    }

    pub(super) fn stop() {}

    pub(super) fn die(_: i32) {}
}
