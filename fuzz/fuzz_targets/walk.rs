//! Binaries made of pieces that fit together: abbreviations, entries of their forms that refer to one another, line programs,
//! ranges, symbols, and a profile of their addresses. So nearly every input gets as far as the walk over the entries. Each
//! piece can be repeated, as whoever wants to make it expensive would do.
#![no_main]

#[path = "../../tests/it/common/binary.rs"]
#[allow(dead_code, reason = "the tests need more of it")]
mod binary;

use binary::{START, Section, abbreviation, at, code, elf, lines, section, symbols, uleb, unit};
use cgannotate::input::{self, Options};
use cgannotate::object::{
    Extent, Where, carry, disassemble, find_inlined, find_inlined_by_line,
};
use cgannotate::profile::{Collect, Profile};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Where the binary lies.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let shared = PathBuf::from("/dev/shm");
    let folder = if shared.is_dir() {
        shared
    } else {
        std::env::temp_dir()
    };
    folder.join(format!("cgannotate-fuzz.{}.walk", std::process::id()))
});

const TAGS: [u64; 8] = [0x11, 0x2e, 0x2e, 0x1d, 0x1d, 0x39, 0x02, 0x3c];
/// Names of attributes, each with a form that it usually has.
const ATTRIBUTES: [(u64, u64); 19] = [
    (0x03, 0x08),
    (0x03, 0x0e),
    (0x6e, 0x0e),
    (0x6e, 0x08),
    (0x10, 0x17),
    (0x11, 0x01),
    (0x12, 0x06),
    (0x12, 0x0b),
    (0x13, 0x0b),
    (0x1b, 0x08),
    (0x31, 0x13),
    (0x47, 0x13),
    (0x31, 0x10),
    (0x55, 0x17),
    (0x58, 0x0b),
    (0x59, 0x0b),
    (0x3a, 0x0b),
    (0x3b, 0x0b),
    (0x3f, 0x19),
];
const TEXTS: [&[u8]; 10] = [
    b"f",
    b"",
    b"x.c",
    b"/a/b",
    b"_Z1fI1aEvv",
    b"_ZN1a1bIJS_S_EE1cEv",
    b"_RNvC1a1b",
    b"_ZN1a17h0123456789abcdefE",
    b"_Z1fIXonclL_Z1aEEEv",
    b"////////////////////////////////",
];

/// A text: one of ours, or some of them again and again.
fn text(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let one = u.choose(&TEXTS)?.to_vec();
    Ok(again(&one, times(u, 9)?))
}

/// How often something is there: mostly once, sometimes up to a power of two.
fn times(u: &mut Unstructured<'_>, most: u32) -> Result<usize> {
    if u.ratio(7, 8)? {
        Ok(1)
    } else {
        Ok(1 << u.int_in_range(0..=most)?)
    }
}

/// Bytes again and again, but no more than a megabyte of them: what is meant to be large is what is made of them.
fn again(bytes: &[u8], times: usize) -> Vec<u8> {
    bytes.repeat(times.min((1 << 20) / bytes.len().max(1)).max(1))
}

/// A list of up to so many of something.
fn list<T>(
    u: &mut Unstructured<'_>,
    most: usize,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..u.int_in_range(0..=most)?).map(|_| one(u)).collect()
}

/// The value of an attribute, by its form.
fn value(u: &mut Unstructured<'_>, form: u64, entries: &[u32]) -> Result<Vec<u8>> {
    Ok(match form {
        0x01 => (START + u64::from(u.arbitrary::<u8>()?))
            .to_le_bytes()
            .to_vec(),
        0x06 => u32::from(u.arbitrary::<u8>()?).to_le_bytes().to_vec(),
        0x08 => [&text(u)?[..], &[0]].concat(),
        0x0b => vec![u.arbitrary()?],
        0x0e => u32::from(u.arbitrary::<u16>()?).to_le_bytes().to_vec(),
        0x10 | 0x13 if u.ratio(7, 8)? && !entries.is_empty() => {
            u.choose(entries)?.to_le_bytes().to_vec()
        }
        0x10 | 0x13 | 0x17 => u32::from(u.arbitrary::<u16>()? & 0x3f)
            .to_le_bytes()
            .to_vec(),
        _ => Vec::new(),
    })
}

fn sections(u: &mut Unstructured<'_>) -> Result<Vec<Section>> {
    let mut kinds: Vec<(u64, Vec<(u64, u64)>)> = Vec::new();
    let mut table = Vec::new();
    for number in 1..=u.int_in_range(1..=8)? {
        let (tag, children) = (*u.choose(&TAGS)?, u.arbitrary()?);
        let mut attributes = list(u, 6, |u| Ok(*u.choose(&ATTRIBUTES)?))?;
        let more = vec![(0x3f, 0x19); times(u, 14)? - 1];
        attributes.extend(more);
        table.extend(abbreviation(number, tag, children, &attributes));
        kinds.push((number, attributes));
    }
    table.push(0);
    let mut info = Vec::new();
    for _ in 0..u.int_in_range(1..=4)? {
        let (mut entries, mut starts) = (Vec::new(), Vec::new());
        for _ in 0..u.int_in_range(1..=24)? {
            starts.push(
                info.len() as u32 * u32::from(u.arbitrary::<bool>()?) + 11 + entries.len() as u32,
            );
            let (number, attributes) = u.choose(&kinds)?;
            let mut entry = if u.ratio(1, 6)? {
                vec![0]
            } else {
                uleb(*number)
            };
            if entry != [0] {
                for &(_, form) in attributes {
                    entry.extend(value(u, form, &starts)?);
                }
            }
            entries.extend(again(&entry, times(u, 12)?));
        }
        info.extend(again(&unit(0, &entries), times(u, 10)?));
    }
    let names = |u: &mut Unstructured<'_>, behind: &[u8]| -> Result<Vec<u8>> {
        let all = list(u, 6, |u| Ok([&text(u)?[..], &[0], behind].concat()))?;
        let all = all
            .into_iter()
            .filter(|name| name[0] != 0)
            .collect::<Vec<_>>()
            .concat();
        Ok(again(&all, times(u, 10)?))
    };
    let (folders, files) = (names(u, &[])?, names(u, &[1, 0, 0])?);
    let mut program = Vec::new();
    for _ in 0..u.int_in_range(0..=12)? {
        let one = match u.int_in_range(0..=5)? {
            0 => at(START + u64::from(u.arbitrary::<u8>()?)),
            1 => [&[4][..], &uleb(u.arbitrary::<u8>()?.into())].concat(),
            2 => [&[2][..], &uleb(u.arbitrary::<u16>()?.into())].concat(),
            3 => vec![0, 1, 1],
            4 => vec![1],
            _ => vec![u.arbitrary()?],
        };
        program.extend(again(&one, times(u, 12)?));
    }
    let range = |u: &mut Unstructured<'_>| {
        let (begin, length) = (
            u64::from(u.arbitrary::<u8>()?),
            u64::from(u.arbitrary::<u8>()?),
        );
        Ok([begin, begin + length].map(u64::to_le_bytes).concat())
    };
    let ranges = again(&list(u, 8, range)?.concat(), times(u, 12)?);
    let strings = list(u, 8, |u| Ok([&text(u)?[..], &[0]].concat()))?.concat();
    let functions = list(u, 8, |u| {
        let (name, address) = (
            u.arbitrary::<u8>()?,
            START + u64::from(u.arbitrary::<u8>()?),
        );
        Ok(vec![
            (name.into(), address, u64::from(u.arbitrary::<u32>()?));
            times(u, 12)?
        ])
    })?;
    let mut all = vec![
        code(256 * times(u, 10)?),
        section(".debug_abbrev", table),
        section(".debug_info", info),
    ];
    all.push(section(".debug_line", lines(&folders, &files, &program)));
    all.push(section(".debug_ranges", ranges));
    all.push(section(".debug_str", [&strings[..], &[0]].concat()));
    all.extend(symbols(
        all.len() as u32,
        functions.concat().into_iter(),
        [&[0][..], &strings].concat(),
    ));
    Ok(all)
}

fn profile(u: &mut Unstructured<'_>) -> Result<Profile> {
    let by_line = u.arbitrary()?;
    let mut text = format!(
        "positions: {}\nevents: Ir\nob={}\n",
        if by_line { "line" } else { "instr line" },
        FILE.display()
    );
    for name in ["f", "0x401000", "a::b"] {
        text += &format!("fl=x.c\nfn={name}\n");
        for row in list(u, 16, |u| u.arbitrary::<u8>())? {
            text += &if by_line {
                format!("{row} 1\n")
            } else {
                format!("{:#x} {} 1\n", START + u64::from(row), row % 8)
            };
        }
    }
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    Ok(input::read_from("fuzz", text.as_bytes(), &options).expect("a profile"))
}

fuzz_target!(|bytes: &[u8]| {
    let mut u = Unstructured::new(bytes);
    let (Ok(mut profile), Ok(sections)) = (profile(&mut u), sections(&mut u)) else {
        return;
    };
    std::fs::write(&*FILE, elf(&sections)).expect("space for the input");
    let place = Where {
        force: true,
        ..Where::default()
    };
    match profile.code.is_some() {
        true => find_inlined(&mut profile, &place),
        false => find_inlined_by_line(&mut profile, &place),
    }
    carry(&profile, &place, cgannotate::object::CarriedFor::Pack);
    let Some(id) = profile.function_ids().next() else {
        return;
    };
    let (object, asked) = (
        profile.function(id).object,
        (&[START, START + 9][..], Extent::Functions),
    );
    let _ = disassemble(
        &profile,
        profile.inlined.as_deref(),
        object,
        asked,
        &place,
    );
});
