//! Makes profiles of any size for the benchmarks: the same arguments always give the same bytes.
//!
//!     rustc --edition 2024 -O benches/scale.rs
//!     ./scale parts callgrind.out.1234 1G > big.out     a real profile again and again, as further parts of one file
//!     ./scale synthetic 50M > big.out                   one part of made-up functions, in the shapes of a real one
//!     ./scale shape lines 50000 old > big.out           so many of one thing, the rest being as small as can be
//!
//! A size is a number of bytes, or of thousands (`k`), millions (`M`) or billions (`G`) of them; what is written is the
//! smallest whole profile that is at least so long.
//!
//! The synthetic profile is what Callgrind writes for an optimized program with debugging information under
//! `--dump-instr=yes --collect-jumps=yes --cache-sim=yes --branch-sim=yes`. Its costs are consistent: the self cost and
//! the call costs of a function add up to its inclusive cost, the self costs of all functions to the totals and to the
//! inclusive cost of `main`. The weights in the code were counted in recorded profiles of rustc and CPython: a line of
//! cost has 14 bytes and five tokens on average, zeros at its end are absent, and of a hundred lines three are calls
//! and five are jumps.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a program of its own, outside of the library's rules

mod shapes;

use shapes::Shape;
use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let done = match arguments[..] {
        ["parts", path, size] => match (std::fs::read(path), parse_size(size)) {
            (Ok(profile), Some(size)) => repeat_parts(&profile, size, out),
            (Err(error), _) => Err(error),
            (_, None) => return usage(),
        },
        ["synthetic", size] => match parse_size(size) {
            Some(size) => synthesize(size, out),
            None => return usage(),
        },
        ["shape", kind, count, run @ ("old" | "new")] => {
            match (Shape::named(kind), parse_size(count)) {
                (Some(shape), Some(count)) => shape.write(count, run, out),
                _ => return usage(),
            }
        }
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scale: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: scale parts PROFILE SIZE | scale synthetic SIZE | scale shape SHAPE COUNT old|new\n\
         sizes such as 500k, 50M, 1G; shapes: {}",
        Shape::ALL.map(|(name, _)| name).join(" ")
    );
    ExitCode::from(2)
}

fn parse_size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['k', 'M', 'G']);
    let unit = match &text[digits.len()..] {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

// ---------------------------------------------------------------------------------------------------------------------
// parts

/// The profile as it is, then its parts again and again under further numbers. Every copy defines its names anew under
/// the same ids, has its own summary and totals, and so is what Callgrind writes with `--combine-dumps=yes`.
fn repeat_parts(profile: &[u8], size: u64, mut out: impl Write) -> io::Result<()> {
    // What belongs to the whole file (version, creator, pid, cmd) ends where the first part begins.
    let begins_a_part = |line: &[u8]| {
        [&b"part:"[..], b"positions:", b"events:"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let lines = || profile.split_inclusive(|&byte| byte == b'\n');
    let Some(first) = lines().position(begins_a_part) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "no line `events:`: this is no profile",
        ));
    };
    let numbered = lines().any(|line| line.starts_with(b"part:"));

    out.write_all(profile)?;
    let mut written = profile.len() as u64;
    let mut part = lines()
        .filter(|line| line.starts_with(b"part:"))
        .count()
        .max(1);
    while written < size {
        let mut copy = Vec::with_capacity(profile.len() + 64);
        copy.push(b'\n');
        if !numbered {
            part += 1;
            writeln!(copy, "part: {part}")?;
        }
        for line in lines().skip(first) {
            if line.starts_with(b"part:") {
                part += 1;
                writeln!(copy, "part: {part}")?;
            } else {
                copy.extend_from_slice(line);
            }
        }
        out.write_all(&copy)?;
        written += copy.len() as u64;
    }
    out.flush()
}

// ---------------------------------------------------------------------------------------------------------------------
// synthetic

const NAMES: &str = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim";
const EVENTS: usize = 13;
const IR: usize = 0;
const DR: usize = 1;
const DW: usize = 2;
const I1MR: usize = 3;
const D1MR: usize = 4;
const D1MW: usize = 5;
const ILMR: usize = 6;
const BC: usize = 9;
const BI: usize = 11;

/// One count for each event.
type Counts = [u64; EVENTS];

/// Writes the body twice, the first time only to learn the totals that the header announces.
fn synthesize(size: u64, mut out: impl Write) -> io::Result<()> {
    let totals = Generator::new(io::sink()).body(size)?;
    write!(
        out,
        "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd:  ./synthetic\npart: 1\n\n\n\
         desc: I1 cache: 32768 B, 64 B, 8-way associative\ndesc: D1 cache: 49152 B, 64 B, 12-way associative\n\
         desc: LL cache: 33554432 B, 64 B, 16-way associative\n\ndesc: Timerange: Basic block 0 - {}\n\
         desc: Trigger: Program termination\n\npositions: instr line\nevents: {NAMES}\nsummary:",
        totals[BC]
    )?;
    write_counts(&mut out, &totals)?;
    write!(out, "\n\n")?;
    Generator::new(&mut out).body(size)?;
    write!(out, "totals:")?;
    write_counts(&mut out, &totals)?;
    out.flush()
}

/// The counts, each after a blank, without the zeros at their end; the first is always there.
fn write_counts(out: &mut impl Write, counts: &Counts) -> io::Result<()> {
    let used = counts.iter().rposition(|&count| count != 0).unwrap_or(0);
    for count in &counts[..=used] {
        write!(out, " {count}")?;
    }
    writeln!(out)
}

fn add(to: &mut Counts, counts: &Counts) {
    to.iter_mut()
        .zip(counts)
        .for_each(|(sum, count)| *sum += count);
}

/// SplitMix64: any seed will do, and the numbers are the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// The value whose share of the weights, which add up to 1000, was hit.
    fn weighted<T: Copy>(&mut self, table: &[(u64, T)]) -> T {
        let mut hit = self.below(1000);
        for &(weight, value) in table {
            if hit < weight {
                return value;
            }
            hit -= weight;
        }
        table[table.len() - 1].1
    }
}

/// A function that has been written and whose callers are still to come.
#[derive(Clone, Copy)]
struct Callee {
    function: usize,
    home: Home,
    address: u64,
    line: u64,
    /// The part of its inclusive cost that no call has taken yet.
    left: Counts,
}

/// The ids of a function's file and object.
#[derive(Clone, Copy, PartialEq)]
struct Home {
    file: usize,
    object: usize,
}

/// Files 1 to HEADERS hold code that is inlined everywhere, those after them hold the functions.
const HEADERS: usize = 40;
const FUNCTIONS_PER_FILE: usize = 24;
const FILES_PER_OBJECT: usize = 120;
/// At most so many functions wait for a caller.
const WAITING: usize = 400;

fn home(function: usize) -> Home {
    let file = function / FUNCTIONS_PER_FILE;
    Home {
        file: HEADERS + 1 + file,
        object: 1 + file / FILES_PER_OBJECT,
    }
}

struct Generator<W> {
    out: W,
    written: u64,
    /// The function being written.
    text: Vec<u8>,
    random: Random,
    waiting: VecDeque<Callee>,
    totals: Counts,
    functions: usize,
    /// One bit for each header whose name has been written: later uses are the bare id.
    headers_named: u64,
    address: u64,
}

impl<W: Write> Generator<W> {
    fn new(out: W) -> Self {
        Generator {
            out,
            written: 0,
            text: Vec::new(),
            random: Random(1),
            waiting: VecDeque::new(),
            totals: [0; EVENTS],
            functions: 0,
            headers_named: 0,
            address: 0x40_1000,
        }
    }

    /// Callees first, `main` last: it calls all that nobody else has called.
    fn body(mut self, size: u64) -> io::Result<Counts> {
        while self.written < size {
            self.function()?;
        }
        let home = Home {
            file: HEADERS,
            object: 0,
        };
        write!(
            self.text,
            "ob=(0) /usr/bin/synthetic\nfl=({HEADERS}) src/main.c\nfn=(0) main\n0x400000 3"
        )?;
        self.counts(&std::array::from_fn(|event| u64::from(event == IR)))?;
        while let Some(callee) = self.waiting.pop_front() {
            self.call(&callee, 1, &callee.left, home)?;
        }
        writeln!(self.text)?;
        self.out.write_all(&self.text)?;
        Ok(self.totals)
    }

    fn function(&mut self) -> io::Result<()> {
        let function = self.functions + 1;
        let before = home(self.functions);
        let home = home(function);
        self.functions = function;
        let first = function == 1;
        if first || home.object != before.object {
            writeln!(
                self.text,
                "ob=({0}) /usr/lib/x86_64-linux-gnu/libpart{0}.so.1",
                home.object
            )?;
        }
        if first || home != before {
            writeln!(
                self.text,
                "fl=({}) src/{}.c",
                home.file,
                words(home.file, "/")
            )?;
        }
        writeln!(self.text, "fn=({function}) {}", words(function, "::"))?;

        self.address = (self.address + 64) & !15;
        let mut line = 20 + self.random.below(1500);
        let entry = Callee {
            function,
            home,
            address: self.address,
            line,
            left: [0; EVENTS],
        };
        let mut inclusive: Counts = [0; EVENTS];
        let mut inlined = false;
        let blocks = self.random.weighted(&[
            (300, 2),
            (250, 6),
            (220, 15),
            (140, 40),
            (80, 100),
            (10, 400),
        ]);
        for block in 0..blocks {
            // All instructions of a basic block are executed equally often.
            let digits = self
                .random
                .weighted(&[(480, 1), (280, 2), (180, 3), (50, 4), (10, 6)]);
            let executed = 1 + self.random.below(10u64.pow(digits as u32) - 1);
            if block > 0 && self.random.below(1000) < 120 {
                inlined = !inlined;
                self.inline(inlined, home)?;
            }
            for instruction in 0..self
                .random
                .weighted(&[(200, 2), (300, 4), (300, 6), (200, 9)])
            {
                if block == 0 && instruction == 0 {
                    write!(self.text, "0x{:x} {line}", self.address)?;
                } else {
                    self.step(&mut line)?;
                }
                let counts = self.instruction(executed);
                add(&mut inclusive, &counts);
                self.counts(&counts)?;
            }
            if self.random.below(1000) < 280 {
                self.jump(executed)?;
            }
            if self.random.below(1000) < 150 {
                // Inside inlined code the current file is a header, of which nobody is called.
                let from = if inlined {
                    Home { file: 0, ..home }
                } else {
                    home
                };
                self.call_one_that_waits(executed, from, &mut inclusive)?;
            }
        }
        if inlined {
            self.inline(false, home)?;
        }
        writeln!(self.text)?;

        self.waiting.push_back(Callee {
            left: inclusive,
            ..entry
        });
        self.written += self.text.len() as u64;
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    /// Into code that comes from a header, or back to the function's file.
    fn inline(&mut self, inlined: bool, home: Home) -> io::Result<()> {
        if !inlined {
            return writeln!(self.text, "fe=({})", home.file);
        }
        let header = 1 + self.random.below(HEADERS as u64 - 1) as usize;
        if self.headers_named >> header & 1 == 1 {
            return writeln!(self.text, "fi=({header})");
        }
        self.headers_named |= 1 << header;
        writeln!(
            self.text,
            "fi=({header}) /usr/include/{}.h",
            words(header, "/")
        )
    }

    /// On to the next instruction, which is mostly of the same line.
    fn step(&mut self, line: &mut u64) -> io::Result<()> {
        let bytes = self.random.weighted(&[
            (230, 3),
            (200, 4),
            (140, 5),
            (130, 2),
            (110, 7),
            (90, 6),
            (80, 8),
            (20, 10),
        ]);
        self.address += bytes;
        let lines = self.random.weighted(&[
            (640, 0),
            (140, 1),
            (60, 2),
            (40, 3),
            (40, 7),
            (40, 35),
            (40, 160),
        ]);
        if lines == 0 {
            write!(self.text, "+{bytes} *")
        } else if *line <= lines || self.random.below(1000) < 600 {
            *line += lines;
            write!(self.text, "+{bytes} +{lines}")
        } else {
            *line -= lines;
            write!(self.text, "+{bytes} -{lines}")
        }
    }

    /// What one instruction costs: arithmetic, a load, a store or a branch, with a miss here and there.
    fn instruction(&mut self, executed: u64) -> Counts {
        let mut counts: Counts = [0; EVENTS];
        let missed = 1 + self.random.below(executed);
        counts[IR] = executed;
        let what = self
            .random
            .weighted(&[(470, IR), (230, DR), (150, DW), (140, BC), (10, BI)]);
        counts[what] = executed;
        // The miss of each is at a fixed distance: D1 for loads and stores, mispredictions for branches.
        let (chance, miss) = match what {
            IR => (30, I1MR),
            DR => (100, D1MR),
            DW => (80, D1MW),
            _ => (560, what + 1),
        };
        if self.random.below(1000) < chance {
            counts[miss] = missed;
            // Few of those that miss the first level miss the last one too.
            if miss < ILMR && self.random.below(1000) < 400 {
                counts[miss + ILMR - I1MR] = 1;
            }
        }
        counts
    }

    fn counts(&mut self, counts: &Counts) -> io::Result<()> {
        add(&mut self.totals, counts);
        write_counts(&mut self.text, counts)
    }

    fn jump(&mut self, executed: u64) -> io::Result<()> {
        let away = 8 + self.random.below(90);
        let sign = if self.random.below(1000) < 700 {
            '+'
        } else {
            '-'
        };
        if self.random.below(1000) < 650 {
            let followed = 1 + self.random.below(executed);
            write!(self.text, "jcnd={followed}/{executed} ")?;
        } else {
            write!(self.text, "jump={executed} ")?;
        }
        writeln!(self.text, "{sign}{away} +1\n* * ")
    }

    /// A call takes half of what is left of its callee's cost, or, where too many wait, all that is left of the oldest.
    fn call_one_that_waits(
        &mut self,
        count: u64,
        from: Home,
        inclusive: &mut Counts,
    ) -> io::Result<()> {
        let (callee, cost) = if self.waiting.len() > WAITING {
            let Some(callee) = self.waiting.pop_front() else {
                return Ok(());
            };
            (callee, callee.left)
        } else {
            let chosen = self.random.below(self.waiting.len().max(1) as u64) as usize;
            let Some(callee) = self.waiting.get_mut(chosen) else {
                return Ok(());
            };
            let cost = callee.left.map(|left| left.div_ceil(2));
            callee
                .left
                .iter_mut()
                .zip(cost)
                .for_each(|(left, cost)| *left -= cost);
            (*callee, cost)
        };
        add(inclusive, &cost);
        self.call(&callee, count, &cost, from)
    }

    fn call(&mut self, callee: &Callee, count: u64, cost: &Counts, from: Home) -> io::Result<()> {
        if callee.home.object != from.object {
            writeln!(self.text, "cob=({})", callee.home.object)?;
        }
        if callee.home.file != from.file {
            writeln!(self.text, "cfi=({})", callee.home.file)?;
        }
        write!(
            self.text,
            "cfn=({})\ncalls={count} 0x{:x} {}\n* *",
            callee.function, callee.address, callee.line
        )?;
        write_counts(&mut self.text, cost)
    }
}

/// A name for a number, of three words and the number itself.
fn words(number: usize, between: &str) -> String {
    const WORDS: [&str; 16] = [
        "alloc", "visit", "table", "emit", "symbol", "resolve", "hash", "core", "lower",
        "iterator", "type", "query", "node", "interval", "block", "reserve",
    ];
    let [first, second, third] = [number, number / 16, number / 256].map(|index| WORDS[index % 16]);
    format!("{first}{between}{second}{between}{third}_{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_on_and_the_header_stays_one() {
        let profile = b"version: 1\ncmd: x\npart: 1\n\nevents: Ir\nfn=(1) f\n1 2\ntotals: 2\n";
        let mut scaled = Vec::new();
        repeat_parts(profile, 2 * profile.len() as u64, &mut scaled).unwrap();
        let text = String::from_utf8(scaled).unwrap();
        assert_eq!(text.matches("version:").count(), 1);
        assert_eq!(text.matches("totals: 2\n").count(), 3);
        let parts: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("part:"))
            .collect();
        assert_eq!(parts, ["part: 1", "part: 2", "part: 3"]);
    }

    #[test]
    fn parts_are_numbered_where_the_profile_did_not() {
        let mut scaled = Vec::new();
        repeat_parts(b"positions: line\nevents: Ir\n1 2\n", 40, &mut scaled).unwrap();
        assert_eq!(
            scaled,
            b"positions: line\nevents: Ir\n1 2\n\npart: 2\npositions: line\nevents: Ir\n1 2\n"
        );
    }

    #[test]
    fn synthetic_costs_add_up() {
        let mut profile = Vec::new();
        synthesize(300_000, &mut profile).unwrap();
        assert!(profile.len() >= 300_000);
        let text = String::from_utf8(profile).unwrap();

        let (mut own, mut inclusive_of_main, mut in_main) = (0, 1, false);
        let mut before = "";
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                in_main = name.ends_with(" main");
            }
            if line.starts_with(['0', '+', '*']) && !before.starts_with('j') {
                let instructions: u64 = line.split(' ').nth(2).unwrap().parse().unwrap();
                if !before.starts_with("calls=") {
                    own += instructions;
                } else if in_main {
                    inclusive_of_main += instructions;
                }
            }
            before = line;
        }
        let totals = |key: &str| -> u64 {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix(key))
                .unwrap();
            line.split(' ').nth(1).unwrap().parse().unwrap()
        };
        assert_eq!(
            [own, inclusive_of_main, totals("totals:")],
            [totals("summary:"); 3]
        );
    }
}
