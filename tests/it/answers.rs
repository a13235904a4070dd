//! What is printed, byte by byte: `fixtures/answers/*.txt` are commands with what they print, of a
//! program that has a little of everything. Whoever changes what is printed on purpose has the
//! files written by `ANSWERS=write cargo test answers`, and reads what changed in them.
//!
//! A line `$ ARGUMENTS` runs the program, `80x24$ ARGUMENTS` on a terminal of this size;
//! `explore 80x24 NEW OLD: KEYS` presses keys, one after the other, and shows the last screen.

use crate::annotate::first_screen::{on_screen, plain};
use crate::common::binary::{START, abbreviation, at, code, elf, lines, section, unit};
use crate::common::{Stage, day, difference, fixtures};
use crate::explore::{Walk, whole};
use crate::page::data;
use cgannotate::explore::Lenses;
use cgannotate::input::{self, Options};
use cgannotate::profile::{Collect, Profile};
use cgannotate::view::next::{Again, Word};
use flate2::read::GzDecoder;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;

/// What all commands run in: two runs of the program, and its sources; the same by instructions,
/// with a binary; runs of which a trend is made; and files in other formats.
pub fn stage() -> Stage {
    let stage = Stage::of("answers");
    for (name, count) in [
        ("src/main.c", 80),
        ("src/graph.c", 50),
        ("src/sort.c", 40),
        ("src/tree.h", 20),
        ("src/list.h", 10),
    ] {
        let text: String = (1..=count)
            .map(|line| format!("{name}\tline {line};\n"))
            .collect();
        stage.add(name, text).date(name, day(1));
    }
    for at in 0..9 {
        let (f, g) = (if at < 5 { 1000 } else { 1300 }, 500 + 10 * (at % 3));
        let text = format!(
            "events: Ir\nfl=a.c\nfn=f\n1 {f}\nfn=g\n2 {g}\nfn=h\n3 {}\n",
            100 - at
        );
        stage.add(&format!("runs/run-{at}"), text);
    }
    stage.write("bin", binary());
    for name in ["old.out", "new.out"] {
        stage.date(name, day(2));
    }
    stage
}

/// A function `f` of 40 instructions, in which `middle` is inlined, and in that `inner`, with lines
/// of two files; behind it a function `leaf` of 8.
fn binary() -> Vec<u8> {
    const STRING: u64 = 8;
    let table = [
        abbreviation(1, 0x11, true, &[(3, STRING), (0x1b, STRING), (0x10, 0x17)]),
        abbreviation(2, 0x2e, false, &[(3, STRING), (0x3a, 0x0b)]),
        abbreviation(
            3,
            0x2e,
            true,
            &[(0x11, 1), (0x12, 6), (3, STRING), (0x3a, 0x0b)],
        ),
        abbreviation(
            4,
            0x1d,
            true,
            &[
                (0x31, 0x13),
                (0x11, 1),
                (0x12, 6),
                (0x58, 0x0b),
                (0x59, 0x0b),
            ],
        ),
        vec![0],
    ];
    let mut info = b"\x01main.c\0\0\0\0\0\0".to_vec();
    let middle = 11 + info.len() as u32;
    info.extend(b"\x02middle\0\x01");
    let inner = 11 + info.len() as u32;
    info.extend(b"\x02inner\0\x02");
    info.extend(
        [
            &[3][..],
            &START.to_le_bytes(),
            &40u32.to_le_bytes(),
            b"f\0\x01",
        ]
        .concat(),
    );
    for (origin, from, length, line) in [(middle, 10, 25u32, 5u8), (inner, 15, 10, 8)] {
        let from = (START + from).to_le_bytes();
        let call = [1, line];
        info.extend(
            [
                &[4][..],
                &origin.to_le_bytes(),
                &from,
                &length.to_le_bytes(),
                &call,
            ]
            .concat(),
        );
    }
    info.extend([0; 3]);
    let leaf = (START + 40).to_le_bytes();
    info.extend([&[3][..], &leaf, &8u32.to_le_bytes(), b"leaf\0\x01\0\0"].concat());
    // Lines 4, 8, 3 of the other file, 9, 6, 20 and 21.
    let rows = [
        &at(START)[..],
        &[3, 3, 1, 2, 10, 3, 4, 1, 2, 5, 4, 2, 3, 123, 1],
        &[2, 10, 4, 1, 3, 6, 1, 2, 10, 3, 125, 1, 2, 5],
        &[3, 14, 1, 2, 4, 3, 1, 1, 2, 4, 0, 1, 1],
    ];
    let files = b"main.c\0\0\0\0list.h\0\0\0\0";
    elf(&[
        code(48),
        section(".debug_abbrev", table.concat()),
        section(".debug_info", unit(0, &info)),
        section(".debug_line", lines(b"", files, &rows.concat())),
    ])
}

/// A profile of a file here, as it is explored.
fn read(stage: &Stage, name: &str) -> Profile {
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    let mut profile = input::read(&[stage.dir.join(name)], &options).unwrap();
    profile.events.show_durations();
    profile
}

/// What keys lead to.
fn explored(stage: &Stage, words: &str) -> String {
    let (what, keys) = words.split_once(':').unwrap();
    let what: Vec<&str> = what.split(' ').collect();
    let (width, height) = what[0].split_once('x').unwrap();
    let size = (width.parse().unwrap(), height.parse().unwrap());
    let named = |name: &str| vec![Word::Literal(name.to_owned())];
    let again = Again {
        options: vec![],
        inputs: named(what[1]),
    };
    let lenses: Lenses = whole(read(stage, what[1]), again);
    let lenses = match what.get(2) {
        Some(old) => lenses.beside(read(stage, old), named(old)),
        None => lenses,
    };
    let path = stage.dir.join(what[1]);
    let mut walk = Walk::new(&lenses, path.to_str().unwrap(), size);
    for key in keys.split_whitespace() {
        match key.strip_prefix('"') {
            Some(typed) => walk.types(typed),
            None => walk.press(&[key]),
        };
    }
    let lines = walk.screen(size);
    let mut text: String = lines
        .iter()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect();
    for effect in &walk.asked {
        writeln!(text, "{effect:?}").unwrap();
    }
    text
}

/// What a command prints: what is no text is taken apart.
fn printed(stage: &Stage, arguments: &str, size: Option<(u16, u16)>) -> String {
    let line = format!("exec \"$0\" {arguments}");
    let words = ["-c", &line, env!("CARGO_BIN_EXE_cgannotate")];
    if let Some((columns, rows)) = size {
        let mut command = stage.any("sh", &words);
        command.env("CGANNOTATE_PAGER", "sed s/^/paged:/");
        let (text, success) = on_screen(columns, rows, command);
        return plain(&text) + if success { "" } else { "(failed)\n" };
    }
    let out = stage.any("sh", &words).output().unwrap();
    let mut text = match std::str::from_utf8(&out.stdout) {
        Ok(page) if page.starts_with("<!doctype") => columns(page),
        Ok(json) if json.starts_with('{') => pretty(json),
        Ok(text) => text.to_owned(),
        Err(_) if !out.stdout.starts_with(b"\x1f\x8b") => {
            let lines = out.stdout.chunks(16);
            lines.map(|bytes| format!("{bytes:02x?}\n")).collect()
        }
        Err(_) => {
            let mut bytes = Vec::new();
            GzDecoder::new(&out.stdout[..])
                .read_to_end(&mut bytes)
                .unwrap();
            message(&bytes, 0).unwrap()
        }
    };
    for line in String::from_utf8_lossy(&out.stderr).lines() {
        writeln!(text, "! {line}").unwrap();
    }
    if out.status.code() != Some(0) {
        writeln!(text, "(status {:?})", out.status.code()).unwrap();
    }
    text
}

/// What a page shows without its scripts, and the data for them, a column a line.
pub fn columns(page: &str) -> String {
    let from = page.find("<main").unwrap();
    let until = page.find("</main>").unwrap();
    let mut text = page[from..until].to_owned();
    for (name, column) in data(page).0 {
        let column = format!("{column:?}")
            .replace("Some(", "")
            .replace("), ", ", ");
        writeln!(text, "{name}: {column}").unwrap();
    }
    text
}

fn pretty(json: &str) -> String {
    // What is several documents stays as it is.
    let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(json) else {
        return json.to_owned();
    };
    let mut text = String::new();
    for (name, value) in fields {
        match value
            .as_array()
            .filter(|all| all.iter().any(|one| one.is_object()))
        {
            Some(all) => {
                writeln!(text, "{name}:").unwrap();
                all.iter()
                    .for_each(|one| writeln!(text, "  {one}").unwrap());
            }
            None => writeln!(text, "{name}: {value}").unwrap(),
        }
    }
    text
}

/// A number of protocol buffers.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0u64, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte < 0x80 {
            return Some(number);
        }
    }
}

/// A message of protocol buffers: numbers, texts, and messages in it; nothing if it is none.
fn message(mut bytes: &[u8], depth: usize) -> Option<String> {
    let mut text = String::new();
    while !bytes.is_empty() {
        let key = number(&mut bytes)?;
        write!(text, "{:1$}{2}: ", "", 2 * depth, key >> 3).unwrap();
        if key & 7 == 0 {
            writeln!(text, "{}", number(&mut bytes)?).unwrap();
            continue;
        }
        let length = usize::try_from(number(&mut bytes)?).ok()?;
        let (mut inside, rest) = bytes.split_at_checked(length).filter(|_| key & 7 == 2)?;
        bytes = rest;
        match std::str::from_utf8(inside) {
            Ok(inside) if !inside.contains(char::is_control) => {
                writeln!(text, "{inside:?}").unwrap();
            }
            _ => match message(inside, depth + 1) {
                Some(message) => write!(text, "\n{message}").unwrap(),
                None => {
                    let numbers: Vec<u64> = std::iter::from_fn(|| number(&mut inside)).collect();
                    writeln!(text, "{numbers:?}").unwrap();
                }
            },
        }
    }
    Some(text)
}

/// Whether a line of a file of answers asks for something.
fn asks(line: &str) -> bool {
    line.starts_with("explore ") && line.contains(':')
        || line.starts_with("$ ")
        || line.split_once("$ ").is_some_and(|(size, _)| {
            size.split_once('x')
                .is_some_and(|(a, b)| a.parse::<u16>().is_ok() && b.parse::<u16>().is_ok())
        })
}

/// Asks all of a file again.
fn same(name: &str) {
    let path = fixtures().join("answers").join(name);
    let wanted = fs::read_to_string(&path).unwrap();
    let mut found = String::new();
    for line in wanted.lines().filter(|line| asks(line)) {
        // Each has a folder of its own: some write files.
        let stage = stage();
        let text = match (line.strip_prefix("explore "), line.split_once("$ ")) {
            (Some(words), _) => explored(&stage, words),
            (None, Some(("", arguments))) => printed(&stage, arguments, None),
            (None, Some((size, arguments))) => {
                let (columns, rows) = size.split_once('x').unwrap();
                let size = (columns.parse().unwrap(), rows.parse().unwrap());
                printed(&stage, arguments, Some(size))
            }
            (None, None) => unreachable!(),
        };
        let text = text
            .replace(stage.dir.to_str().unwrap(), "/here")
            .replace(env!("CARGO_PKG_VERSION"), "VERSION");
        // No answer looks like a question.
        writeln!(found, "{line}").unwrap();
        for line in text.lines() {
            writeln!(found, "{}", format!("    {line}").trim_end()).unwrap();
        }
    }
    if std::env::var_os("ANSWERS").is_some_and(|how| how == "write") {
        return fs::write(&path, found).unwrap();
    }
    if let Some(first) = difference(&wanted, &found) {
        panic!("{}\n{first}", path.display());
    }
}

#[test]
fn reports_are_as_they_were() {
    same("reports.txt");
}

#[test]
fn comparisons_are_as_they_were() {
    same("comparisons.txt");
}

#[test]
fn documents_are_as_they_were() {
    same("documents.txt");
}

#[test]
fn terminals_show_what_they_did() {
    same("terminals.txt");
}

#[test]
fn screens_of_the_explorer_are_as_they_were() {
    same("explorer.txt");
}
