//! Keys and the mouse as terminals send them: the program shows what the model shows after the keys
//! of these names.

use super::emulator::Emulator;
use super::{Walk, lenses};
use crate::annotate::first_screen::terminal;
use crate::common::Stage;
use cgannotate::explore::{Message, Mouse};
use std::fs::File;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SIZE: (u16, u16) = (100, 30);

/// What is sent, and what it is called.
const KEYS: [(&str, &str); 44] = [
    ("\x1b[B", "Down"),
    ("\x1b[B", "Down"),
    ("\x1b[A", "Up"),
    ("\x1b[6~", "PageDown"),
    ("\x1b[5~", "PageUp"),
    ("\x06", "Ctrl-f"),
    ("\x02", "Ctrl-b"),
    (" ", "Space"),
    ("\x1b[H", "Home"),
    ("\x1b[F", "End"),
    ("\x1b[1~", "Home"),
    ("\x1b[4~", "End"),
    ("\x1bOH", "Home"),
    ("\x1bOB", "Down"),
    ("\x1bOA", "Up"),
    ("j", "j"),
    ("\r", "Enter"),
    ("\x1b[B", "Down"),
    ("\x7f", "Backspace"),
    ("\x1b[C", "Right"),
    ("\x1b[D", "Left"),
    ("]", "]"),
    ("[", "["),
    ("\t", "Tab"),
    ("\t", "Tab"),
    ("/", "/"),
    ("m", "m"),
    ("é", "é"),
    ("\x7f", "Backspace"),
    ("\x1b[B", "Down"),
    ("\r", "Enter"),
    ("/", "/"),
    ("x", "x"),
    ("\x15", "Ctrl-u"),
    ("\x1b", "Esc"),
    ("/", "/"),
    ("\x15", "Ctrl-u"),
    ("\r", "Enter"),
    ("?", "?"),
    ("\x1b[B", "Down"),
    ("\x1b", "Esc"),
    (":", ":"),
    ("\x03", "Ctrl-c"),
    ("G", "G"),
];

/// The same of the mouse, at a row.
const MOUSE: [(&str, Mouse, u16); 4] = [
    ("\x1b[<65;6;9M", Mouse::Down, 8),
    ("\x1b[<65;6;9M", Mouse::Down, 8),
    ("\x1b[<64;6;9M", Mouse::Up, 8),
    ("\x1b[<0;6;6M", Mouse::Click, 5),
];

/// A terminal with the program.
struct Session {
    typed: File,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Session {
    /// Waits until it shows this.
    fn until(&self, what: &str, wanted: &[String]) {
        let start = Instant::now();
        loop {
            let before = self.shown.lock().unwrap().len();
            std::thread::sleep(Duration::from_millis(10));
            let bytes = self.shown.lock().unwrap().clone();
            // What is half sent cannot be read.
            if bytes.len() != before {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // After what takes the terminal, and without half a sequence at the end.
            let mut drawn = text.split_once("\x1b[?25l").map_or("", |(_, drawn)| drawn);
            if let Some((whole, last)) = drawn.rsplit_once('\x1b')
                && !last.contains(|c: char| c.is_ascii_alphabetic())
            {
                drawn = whole;
            }
            let mut screen = Emulator::new(SIZE);
            screen.take(drawn.as_bytes());
            let lines: Vec<String> = (0..SIZE.1).map(|y| screen.line(usize::from(y))).collect();
            if lines == wanted {
                return;
            }
            let waited = start.elapsed();
            assert!(
                waited < Duration::from_secs(30),
                "{what}: {lines:#?} {wanted:#?}"
            );
        }
    }
}

#[test]
fn terminals_send_keys_by_other_names() {
    let fixture = "shapes/shapes.plain.out";
    let (stage, data) = (Stage::of("shapes"), lenses(fixture));
    let mut walk = Walk::new(&data, fixture, SIZE);
    let mut command = stage.command(&["explore", "shapes.plain.out"]);
    let (master, open) = terminal(SIZE.0, SIZE.1, &mut command);
    let kept = open();
    command.stdin(open()).stdout(open()).stderr(open());
    let mut child = command.spawn().unwrap();
    let mut session = Session {
        typed: File::from(master),
        shown: Arc::default(),
    };
    let (mut reads, sees) = (session.typed.try_clone().unwrap(), session.shown.clone());
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = reads.read(&mut bytes) {
            sees.lock().unwrap().extend_from_slice(&bytes[..count]);
        }
    });
    session.until("the beginning", &walk.screen(SIZE));
    let mut unseen = Vec::new();
    for (at, (sent, name)) in KEYS.iter().enumerate() {
        let before = walk.screen(SIZE);
        walk.press(&[name]);
        session.typed.write_all(sent.as_bytes()).unwrap();
        let after = walk.screen(SIZE);
        unseen.extend((after == before).then_some((at, name)));
        session.until(&format!("{name}, the {at}th"), &after);
    }
    assert!(unseen.is_empty(), "nobody sees what these do: {unseen:?}");
    walk.press(&["g"]);
    session.typed.write_all(b"g").unwrap();
    for (sent, mouse, y) in MOUSE {
        walk.happens(Message::Mouse(mouse, 5, y));
        session.typed.write_all(sent.as_bytes()).unwrap();
        session.until(&format!("{mouse:?}"), &walk.screen(SIZE));
    }
    session.typed.write_all(b"q").unwrap();
    assert!(child.wait().unwrap().success());
    drop(kept);
}
