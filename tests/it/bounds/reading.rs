//! How much of an input is read.

use super::{all_of, read};
use crate::common::Stage;
use crate::common::amount::is_long;
use cgannotate::input::{self, Options};
use cgannotate::profile::Profile;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

fn tried(text: &str) -> Result<Profile, String> {
    input::read_from("p", text.as_bytes(), &Options::all()).map_err(|error| error.to_string())
}

/// The names of the warnings.
fn warned(profile: &Profile) -> Vec<String> {
    profile
        .warnings
        .kept()
        .iter()
        .map(|warning| warning.to_string())
        .collect()
}

fn joined(count: usize, make: impl Fn(usize) -> String) -> String {
    (0..count).map(make).collect()
}

/// A profile has 256 events, and 256 that are derived of them.
#[test]
fn events_end_at_256() {
    for (count, is_read) in [(256, true), (257, false)] {
        let events = joined(count, |at| format!(" e{at}"));
        assert_eq!(
            tried(&format!("events:{events}\nfn=f\n1 1\n")).is_ok(),
            is_read,
            "{count}"
        );
        let parts = joined(count, |at| format!("events: e{at}\nfn=f\n1 1\n"));
        assert_eq!(tried(&parts).is_ok(), is_read, "{count} in parts");
        let derived = joined(count, |at| format!("event: d{at} = 2 Ir\n"));
        let profile = read(&format!("{derived}events: Ir\nfn=f\n1 1\n"));
        assert_eq!(
            warned(&profile).is_empty(),
            is_read,
            "{count} derived: {:?}",
            warned(&profile)
        );
    }
}

/// Formulas refer to one another 32 times in a row.
#[test]
fn formulas_refer_to_32_others() {
    for (count, is_known) in [(32, true), (33, false)] {
        let chain = joined(count - 1, |at| format!("event: E{at} = E{}\n", at + 1));
        let profile = read(&format!(
            "{chain}event: E{} = Ir\nevents: Ir\nfn=f\n1 1\n",
            count - 1
        ));
        assert_eq!(
            profile.events.find(b"E0").is_some(),
            is_known,
            "{count}: {:?}",
            warned(&profile)
        );
    }
}

/// All formulas together have 2^20 terms.
#[test]
fn formulas_have_a_number_of_terms() {
    // Events of 128 columns, each a sum of the one before and itself: 256 terms a line; 248 lines
    // of 32 such.
    let columns = joined(250, |at| format!(" e{at}"));
    let wide = format!(
        "event: W0 ={}\n",
        joined(250, |at| format!(
            " {}e{at}",
            if at > 0 { "+ " } else { "" }
        ))
    );
    let of = |left: usize| {
        // 250 for the first; then 20 times 250 a line, and what is left in the last.
        let lines = joined(209, |at| {
            format!("event: V{at} = {}\n", vec!["W0"; 20].join(" + "))
        });
        let rest = (1 << 20) - 250 - 209 * 20 * 250;
        let last = format!("event: L = {}\n", vec!["e0"; rest + left - 1].join(" + "));
        read(&format!("{wide}{lines}{last}events:{columns}\nfn=f\n1 1\n"))
    };
    let (most, more) = (of(1), of(2));
    assert!(most.events.find(b"L").is_some(), "{:?}", warned(&most));
    assert!(more.events.find(b"L").is_none());
}

/// Names that are made of names have 1 MiB, and 8 bytes for each byte that was read.
#[test]
fn names_of_names_have_room() {
    let count = |copies: usize| {
        let start = format!("events: Ir\nfn=(1) {}\n1 1\n", "n".repeat(10_000));
        let profile = read(&format!(
            "{start}fn=(2) {}\n1 1\n",
            vec!["(1)"; copies].join("'")
        ));
        warned(&profile).len()
    };
    // 1,048,576 and eight times 10,500 or so are 1,132,500 or so: 113 copies of 10,001 bytes.
    assert_eq!([count(113), count(114)], [0, 1]);
}

/// Rows of more than 48 events that are mostly empty have 2^20 counts and 4 for each byte that was
/// read.
#[test]
fn rows_that_are_mostly_empty_have_room() {
    let of = |events: usize, rows: usize| {
        let names = joined(events, |at| format!(" e{at}"));
        let body = joined(rows, |at| format!("{at} 1\n"));
        tried(&format!(
            "events:{names}\nfn=f\n1 1\nevents: e{}\nfn=f\n{body}",
            events - 1
        ))
        .is_ok()
    };
    // A row takes 8 bytes here, so 32 of its 49 counts: 17 are left, of which 2^20 are 61,680 rows.
    assert!(of(49, 20_000));
    assert!(!of(49, 65_000));
    assert!(of(48, 65_000));
    if is_long() {
        assert!(of(49, 58_000));
    }
}

/// The format is looked for in the first 64 KiB.
#[test]
fn the_format_is_looked_for_at_the_beginning() {
    let of = |before: usize| {
        let comments = format!("#{}\n", "x".repeat(before - 2));
        tried(&format!("{comments}events: Ir\nfn=f\n1 1\n")).is_ok()
    };
    assert!(of(64 * 1024 - "events:".len()));
    assert!(!of(64 * 1024 - "events".len()));
}

/// Versions of formats that are read.
#[test]
fn versions_are_known_up_to_one() {
    for (version, is_read) in [(0, true), (6, true), (7, false)] {
        let text = format!(
            "c -------------- aprof-tools\nv {version}\na ./x\nf ./x\nr \"main\" \"/x\" 1\n"
        );
        let error = tried(&text).err().unwrap_or_default();
        assert_eq!(
            !error.contains("(0 to 6 are)"),
            is_read,
            "{version}: {error}"
        );
    }
    for (version, is_read) in [(3u32, false), (4, true), (7, true), (8, false)] {
        let bytes: Vec<u8> = [version, 12, 0]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect();
        let error = input::read_from("p", &bytes[..], &Options::all())
            .err()
            .map_or_else(String::new, |e| e.to_string());
        assert_eq!(!error.contains("version"), is_read, "{version}: {error}");
    }
    for (version, is_read) in [(1, true), (2, false)] {
        let profile = tried(&format!("version: {version}\nevents: Ir\nfn=f\n1 1\n"));
        assert_eq!(profile.is_ok(), is_read, "{version}");
    }
}

/// A hundred bytes come out of each, and 2 MiB in any case; the library can be given another
/// number.
#[test]
fn compressed_input_unpacks_to_a_hundred_times_its_size() {
    // Letters that do not shrink, and others that vanish.
    let packed = |letters: usize, bytes: usize| {
        let mut out = GzEncoder::new(Vec::new(), Compression::best());
        out.write_all(b"events: Ir\nfn=f\n1 1\n#").unwrap();
        let mut seed = 1u32;
        let noise = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b' ' + (seed >> 24) as u8 % 95
        });
        out.write_all(&noise.take(letters).collect::<Vec<u8>>())
            .unwrap();
        out.write_all(&[vec![b'x'; bytes], vec![b'\n']].concat())
            .unwrap();
        out.finish().unwrap()
    };
    let is_read = |packed: &[u8], ratio| {
        let options = Options {
            max_ratio: Some(ratio),
            ..Options::all()
        };
        input::read_from("p", packed, &options).is_ok()
    };
    // It is looked at again and again, at the latest after 128 KiB.
    let step = 256 << 10;
    assert!(is_read(&packed(0, (2 << 20) - 100), 100));
    assert!(!is_read(&packed(0, (2 << 20) + step), 100));
    let size = packed(60_000, 5 << 20).len();
    let (most, more) = (
        packed(60_000, 97 * size - 60_000),
        packed(60_000, 105 * size + step),
    );
    assert!(
        is_read(&most, 100) && !is_read(&more, 100) && is_read(&more, 120),
        "{size}"
    );
    let stage = Stage::empty();
    stage.write("p", most).write("q", more);
    let is_refused = |name| all_of(&stage, &[name]).contains("expands to more than 100 times");
    assert!(!is_refused("p") && is_refused("q"));
}

/// A line has 64 MiB.
#[test]
fn lines_have_64_mib() {
    for (bytes, is_read) in [(64 << 20, true), ((64 << 20) + 2, false)] {
        if is_read && !is_long() {
            continue;
        }
        let line = "#".to_owned() + &"x".repeat(bytes - 2);
        let profile = read(&format!("events: Ir\nfn=f\n1 1\n{line}\n2 2\n"));
        assert_eq!(
            warned(&profile).is_empty(),
            is_read,
            "{:?}",
            warned(&profile)
        );
    }
}
