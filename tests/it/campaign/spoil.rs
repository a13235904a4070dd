//! Profiles spoilt in ways that know what they are made of: lines and numbers (`twin/mutate.rs`),
//! names, blocks of lines, fields of binary files, compressed streams.

use super::fixtures::Fixtures;
use crate::twin::mutate::{Rng, mutate};
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use sha2::{Digest, Sha256};
use std::io::Write;

/// What a name can be.
const NAMES: [&[u8]; 28] = [
    b"",
    b" ",
    b"#",
    b"#priv",
    b"(3) x",
    b"(3)",
    b"(99)'(98)",
    b"f'2",
    b"'2",
    b"a'b'c",
    b"tab\there",
    b"cr\rcr\r",
    b"\x1b[31mred\x1b[0m",
    b"\x1b]52;c;Zm9v\x07",
    b"\xc2\x9b31m\xe2\x80\xae\xe2\x80\xa8",
    b"\xff\xfe\xc3",
    b"nul\0nul",
    b"=cmd|' /C calc'!A0",
    b"a,b;\"c\"|d`e<f>&g",
    b"???",
    b"php::x;y",
    b"_RNvNtNtCs1_5krate1a1b",
    b"_RINvC1aINtB0_1bpEE",
    b"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
    b"ns::T<int, std::vector<a, b> >::f(lambda(int)#1) const [clone .cold]",
    b"0x4011a0",
    b"../../../../a/./b//c.c",
    b"C:\\Users\\x y\\z.c",
];

/// A spoilt copy; once in a while it is left as it is.
pub(crate) fn spoil(rng: &mut Rng, good: &[u8], fixtures: &Fixtures) -> Vec<u8> {
    if rng.one_in(16) {
        return good.to_vec();
    }
    let packed = [&b"\x1f\x8b"[..], b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"]
        .iter()
        .any(|magic| good.starts_with(magic));
    let mut bytes = good.to_vec();
    for _ in 0..1 + rng.below(3) {
        if bytes.get(257..262) == Some(b"ustar") && !rng.one_in(6) {
            bytes = spoil_pack(rng, bytes, fixtures);
            continue;
        }
        bytes = if packed || is_binary(&bytes) {
            spoil_binary(rng, bytes)
        } else {
            spoil_text(rng, bytes, fixtures)
        };
    }
    if rng.one_in(20) && bytes.len() < 20_000 {
        bytes = pack(rng, &bytes);
        if rng.one_in(2) {
            bytes = spoil_binary(rng, bytes);
        }
    }
    bytes
}

/// A pack whose sums are right, one file of which is not: its list of files, a profile, a source,
/// what is told of the code.
fn spoil_pack(rng: &mut Rng, tar: Vec<u8>, fixtures: &Fixtures) -> Vec<u8> {
    let mut files: Vec<([u8; 512], Vec<u8>)> = Vec::new();
    let mut rest = &tar[..];
    while let Some((header, behind)) = rest.split_first_chunk::<512>() {
        let digits = std::str::from_utf8(&header[124..135]).ok();
        let Some(size) = digits.and_then(|digits| usize::from_str_radix(digits, 8).ok()) else {
            break;
        };
        let Some(bytes) = behind.get(..size) else {
            break;
        };
        files.push((*header, bytes.to_vec()));
        rest = behind.get(size.next_multiple_of(512)..).unwrap_or_default();
    }
    let hash = |bytes: &[u8]| {
        Sha256::digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let chosen = rng.below(files.len() as u64) as usize;
    let Some((_, bytes)) = files.get_mut(chosen) else {
        return tar;
    };
    let before = hash(bytes);
    *bytes = if is_binary(bytes) {
        spoil_binary(rng, bytes.clone())
    } else {
        spoil_text(rng, bytes.clone(), fixtures)
    };
    let after = hash(bytes);
    if let Some((_, manifest)) = files.first_mut().filter(|_| chosen > 0) {
        *manifest = String::from_utf8_lossy(manifest)
            .replace(&before, &after)
            .into_bytes();
    }
    let mut out = Vec::new();
    for (mut header, bytes) in files {
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[148..156].copy_from_slice(b"        ");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(header);
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

/// webgrind's files begin with the number of their version.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(64).filter(|&&b| b == 0).count() > 4
}

fn spoil_text(rng: &mut Rng, bytes: Vec<u8>, fixtures: &Fixtures) -> Vec<u8> {
    match rng.below(12) {
        0 => {
            // A second file behind or before it.
            let other = fixtures.pick(rng).1;
            if rng.one_in(2) {
                [bytes, other].concat()
            } else {
                [other, bytes].concat()
            }
        }
        1 => repeat(rng, &bytes),
        2 => {
            let other = fixtures.pick(rng).1;
            splice(rng, &bytes, &other)
        }
        3 | 4 => rename(rng, &bytes),
        5 => cut(rng, bytes),
        6 => flip(rng, bytes),
        _ => mutate(rng.below(u64::MAX), &bytes),
    }
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&b| b == b'\n').collect()
}

/// From a line to a later one.
fn range(rng: &mut Rng, lines: usize, most: u64) -> (usize, usize) {
    let from = rng.below(lines as u64) as usize;
    (from, (from + 1 + rng.below(most) as usize).min(lines))
}

/// A block of lines again and again, up to some hundred kilobytes.
fn repeat(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let lines = lines(bytes);
    let (from, to) = range(rng, lines.len(), 40);
    let block = lines[from..to].concat();
    let most = if rng.one_in(10) { 300_000 } else { 8000 };
    let times = 1 + rng.below(most) as usize / block.len().max(1);
    [
        lines[..to].concat(),
        block.repeat(times),
        lines[to..].concat(),
    ]
    .concat()
}

/// A block of another profile's lines.
fn splice(rng: &mut Rng, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let (mine, theirs) = (lines(bytes), lines(other));
    let at = rng.below(mine.len() as u64 + 1) as usize;
    let (from, to) = range(rng, theirs.len(), 30);
    [
        mine[..at].concat(),
        theirs[from..to.max(from)].concat(),
        mine[at..].concat(),
    ]
    .concat()
}

/// The name in a line that has one, at times everywhere: behind `fn=(3) `, `cfn=`, `cmd: `, or the
/// fields of a baseline.
fn rename(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let new = rng.pick(&NAMES);
    let lines = lines(bytes);
    let has_name = |line: &[u8]| name_of(line).is_some();
    let count = lines.iter().filter(|line| has_name(line)).count() as u64;
    let (all, chosen) = (rng.one_in(6), rng.below(count));
    let mut seen = 0;
    let mut out = Vec::with_capacity(bytes.len() + 100);
    for line in lines {
        match name_of(line) {
            Some((from, to)) => {
                let here = all || seen == chosen;
                out.extend(if here {
                    [&line[..from], new, &line[to..]].concat()
                } else {
                    line.to_vec()
                });
                seen += 1;
            }
            None => out.extend(line),
        }
    }
    out
}

/// Where the name stands in a line.
fn name_of(line: &[u8]) -> Option<(usize, usize)> {
    let end = line.strip_suffix(b"\n").unwrap_or(line).len();
    if let Some(tab) = line.iter().position(|&b| b == b'\t') {
        return Some((0, tab));
    }
    let sign = line.iter().take(12).position(|&b| b == b'=' || b == b':')?;
    let mut from = sign + 1;
    if line[from..].starts_with(b"(") {
        let closed = line.iter().position(|&b| b == b')')?;
        from = closed + 1 + usize::from(line.get(closed + 1) == Some(&b' '));
    }
    (from < end).then_some((from, end))
}

fn cut(rng: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(rng.below(bytes.len() as u64 + 1) as usize);
    bytes
}

fn flip(rng: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + rng.below(8) {
        let at = rng.below(bytes.len() as u64) as usize;
        if let Some(byte) = bytes.get_mut(at) {
            *byte = rng.below(256) as u8;
        }
    }
    bytes
}

fn spoil_binary(rng: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    match rng.below(6) {
        0 => cut(rng, bytes),
        1 | 2 => flip(rng, bytes),
        3 if bytes.len() >= 8 => {
            // A field of four bytes, where webgrind's stand.
            let at = rng.below(bytes.len() as u64 / 4) as usize * 4;
            let length = bytes.len() as u32;
            let new = rng.pick(&[
                0,
                1,
                2,
                7,
                40,
                0x7fff_ffff,
                0xffff_ffff,
                length - 1,
                length,
                length + 1,
            ]);
            bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
            bytes
        }
        4 => {
            let (from, size) = (
                rng.below(bytes.len() as u64) as usize,
                1 + rng.below(64) as usize,
            );
            let piece = bytes[from..(from + size).min(bytes.len())].to_vec();
            let at = rng.below(bytes.len() as u64 + 1) as usize;
            bytes.splice(at..at, piece);
            bytes
        }
        _ => {
            let from = rng.below(bytes.len() as u64) as usize;
            let to = (from + 1 + rng.below(64) as usize).min(bytes.len());
            bytes.drain(from.min(to)..to);
            bytes
        }
    }
}

/// Compressed, at times twice.
fn pack(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let once = match rng.below(4) {
        0 | 1 => {
            let mut out = GzEncoder::new(Vec::new(), Compression::fast());
            out.write_all(bytes).expect("memory");
            out.finish().expect("memory")
        }
        2 => {
            let mut out = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).expect("options");
            out.write_all(bytes).expect("memory");
            out.finish().expect("memory")
        }
        _ => compress_to_vec(bytes, CompressionLevel::Fastest),
    };
    if rng.one_in(12) {
        pack(rng, &once)
    } else {
        once
    }
}
