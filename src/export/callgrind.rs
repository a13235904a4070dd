//! Writes a profile in the Callgrind format, for `merge` and `convert`: one part, compressed names,
//! relative positions.
//!
//! All readers must understand the file in the same way, so it uses only what all agree on:
//! * The creator is cgannotate, so positions follow the specification: each is relative to the last
//!   cost line, those of calls included.
//! * `fl=` comes before the first `fn=`. `fi=` leaves the function's file, and `fe=` returns to it
//!   before the next `fn=`.
//! * `cob=` and `cfi=` come before `cfn=`. Inside another file's code there is always a `cfi=`,
//!   because readers disagree about the callee's default file.
//! * Counts that were never written are omitted at the end of a row. In the middle, where inputs
//!   record different events, they are `.`, as in Cachegrind's format. A 0 would change what a
//!   later merge writes. KCachegrind ends the row at a `.`.
//! * Ids are counted from 1 in the order of use, for each kind of name. Every name has an id, so a
//!   name may itself begin like an id. Names are written as they are: none has white space around
//!   it or contains a line feed.
//! * A function without costs has a line `0`, because readers ignore a function that is only named.
//!
//! Addresses and jumps are written if the profile has them. An unknown address is 0, and so is an
//! unknown target of a call. Without addresses, the target of every call is 0.

use crate::{
    analysis::rewrite::{self, CostLine, CostOf, Sums},
    profile::{
        Function, FunctionId, NEVER, NameId, Part, Profile,
        code::{Jump, Times},
        costs::{extend_with, trimmed},
        head::CALLS_UNKNOWN,
    },
    text::number::push_number,
};
use foldhash::HashMap;
use std::io::{self, Write};

/// Bytes are written in pieces of this size.
const PIECE: usize = 64 * 1024;

/// Writes a profile piece by piece.
struct ProfileWriter<'a, W> {
    out: W,
    /// The bytes that are not written yet.
    text: Vec<u8>,
    profile: &'a Profile,
    /// The ids of objects, files and functions.
    ids: [HashMap<NameId, u32>; 3],
    object: NameId,
    /// The file of the last `fl=`.
    file: Option<NameId>,
    /// The last address and line number that were written for the current function.
    last: Option<(u64, u64)>,
    /// Costs and numbers of executions are divided by this.
    runs: usize,
    /// The counts that were last written, and the sum of self costs.
    row: Vec<i64>,
    sum: Vec<i64>,
}

/// The mean of runs, rounded to the nearest integer, halves to the even one: others would add up.
pub(crate) fn mean(sum: i128, runs: usize) -> i128 {
    if runs < 2 {
        return sum;
    }
    let runs = runs as i128;
    let (mean, rest) = (sum.div_euclid(runs), sum.rem_euclid(runs));
    mean + i128::from(2 * rest > runs || 2 * rest == runs && mean % 2 != 0)
}

impl<W: Write> ProfileWriter<'_, W> {
    /// Writes the header, up to `summary:`.
    fn header(&mut self, part: &Part, sums: &Sums) {
        self.push(b"# callgrind format\nversion: 1\n");
        self.field(
            "creator",
            concat!("cgannotate-", env!("CARGO_PKG_VERSION")).as_bytes(),
        );
        let one_line = [
            ("pid", &part.pid),
            ("cmd", &part.command),
            ("part", &part.number),
            ("thread", &part.thread),
        ];
        for (key, value) in one_line.into_iter().filter(|(_, value)| !value.is_empty()) {
            self.field(key, value);
        }
        for text in part
            .descriptions
            .iter()
            .filter(|text| *text != CALLS_UNKNOWN && !text.starts_with(b"Details:"))
        {
            self.field("desc", text);
        }
        if !self.profile.has_inclusive() {
            self.field("desc", CALLS_UNKNOWN);
        }
        self.push(match self.profile.code {
            None => b"positions: line\n",
            Some(_) => b"positions: instr line\n",
        });
        let events = &self.profile.events;
        for definition in events.definitions() {
            self.field("event", &definition.text());
        }
        self.field("events", &events.recorded().join(&b' '));
        if let Some(row) = &sums.summary {
            self.push(b"summary:");
            self.counts(row);
        }
    }

    /// Writes one function with all its records.
    ///
    /// # Errors
    /// Fails if writing to the output fails.
    fn function(&mut self, id: FunctionId, records: &[CostLine]) -> io::Result<()> {
        let function = self.profile.function(id);
        self.push(b"\n");
        if self.object != function.object {
            self.object = function.object;
            self.name(b"ob", function.object);
        }
        if self.file != Some(function.file) {
            self.file = Some(function.file);
            self.name(b"fl", function.file);
        }
        self.name(b"fn", function.name);
        let mut file = function.file;
        self.last = None;
        for record in records {
            if record.file != file {
                file = record.file;
                self.name(if file == function.file { b"fe" } else { b"fi" }, file);
            }
            match record.of {
                CostOf::Own => {}
                CostOf::Jump(jump, times) => self.jump(jump, times),
                CostOf::Call {
                    callee,
                    count,
                    target,
                } => self.call(function, file, (callee, count, target)),
            }
            self.position(record.address, record.line);
            self.counts(record.cost);
            if let CostOf::Own = record.of {
                extend_with(&mut self.sum, &self.row);
            }
            if self.text.len() >= PIECE {
                self.write_out()?;
            }
        }
        if file != function.file {
            self.name(b"fe", function.file);
        }
        Ok(())
    }

    /// Writes `totals:` and everything that is still in memory.
    ///
    /// # Errors
    /// Fails if writing to the output fails.
    fn finish(mut self, sums: &Sums) -> io::Result<Vec<i64>> {
        if let Some(row) = &sums.totals {
            self.push(b"\ntotals:");
            self.counts(row);
        }
        self.write_out()?;
        self.out.flush()?;
        Ok(self.sum)
    }

    fn write_out(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    fn number(&mut self, before: &[u8], number: u64) {
        self.push(before);
        push_number(&mut self.text, number);
    }

    fn address(&mut self, address: u64) {
        // This allocates nothing, and writing to a vector cannot fail.
        let _ = write!(self.text, "{address:#x}");
    }

    /// Writes `key: value`.
    fn field(&mut self, key: &str, value: &[u8]) {
        [key.as_bytes(), b": ", value, b"\n"]
            .into_iter()
            .for_each(|piece| self.push(piece));
    }

    /// The mean of a number of executions.
    fn times(&self, sum: u64) -> u64 {
        mean(sum.into(), self.runs) as u64
    }

    /// Writes which function is called from code in `file`, how often, and the target.
    fn call(
        &mut self,
        caller: &Function,
        file: NameId,
        (callee, count, to): (FunctionId, u64, (u64, u64)),
    ) {
        let callee = self.profile.function(callee);
        if callee.object != caller.object {
            self.name(b"cob", callee.object);
        }
        if callee.file != file || file != caller.file {
            self.name(b"cfi", callee.file);
        }
        self.name(b"cfn", callee.name);
        self.number(b"calls=", self.times(count).max(count.min(1)));
        self.push(b" ");
        match self.profile.code {
            None => self.push(b"0"),
            Some(_) => {
                self.address(to.0);
                self.number(b" ", to.1);
            }
        }
        self.push(b"\n");
    }

    /// Writes the target of a jump and how often it was taken. The line of the jump itself follows.
    fn jump(&mut self, jump: &Jump, times: Times) {
        if let Some(file) = jump.to_file {
            self.name(b"jfi", file);
        }
        if let Some(name) = jump.to_name {
            self.name(b"jfn", name);
        }
        if jump.conditional {
            self.number(b"jcnd=", self.times(times.taken));
            self.number(b"/", self.times(times.executed));
        } else {
            self.number(b"jump=", self.times(times.taken))
        }
        self.push(b" ");
        self.address(jump.to);
        self.number(b" ", jump.to_line);
        self.push(b"\n");
    }

    /// Writes the address and line number, or only the line number. The first of a function is
    /// absolute. Later ones are relative if that is shorter.
    fn position(&mut self, address: u64, line: u64) {
        let last = self.last.replace((address, line));
        if self.profile.code.is_some() {
            match last.and_then(|(last, _)| address.checked_sub(last)) {
                Some(0) => self.push(b"*"),
                Some(ahead @ ..0x1_0000) if address > 0xffff => self.number(b"+", ahead),
                _ => self.address(address),
            }
            self.push(b" ");
        }
        let ahead = last.and_then(|(_, last)| line.checked_sub(last));
        match ahead {
            Some(0) => self.push(b"*"),
            Some(ahead) if digits(ahead) + 1 < digits(line) => self.number(b"+", ahead),
            _ => self.number(b"", line),
        }
    }

    /// Writes the rest of a line: the counts up to the last one that was ever written.
    fn counts(&mut self, row: &[i64]) {
        self.row.clear();
        for &count in trimmed(row) {
            let count = match count {
                NEVER => NEVER,
                count => mean(count.into(), self.runs) as i64,
            };
            self.row.push(count);
            match count {
                NEVER => self.push(b" ."),
                _ => self.number(if count < 0 { b" -" } else { b" " }, count.unsigned_abs()),
            }
        }
        self.push(b"\n");
    }

    /// Writes `key=(id) name` at the first use of a name, `key=(id)` afterwards. An unknown name
    /// gets no id.
    fn name(&mut self, key: &[u8], name: NameId) {
        self.push(key);
        self.push(b"=");
        let names = &self.profile.names;
        if !names.is(name, b"") {
            let [objects, files, functions] = &mut self.ids;
            let ids = match key {
                [.., b'o', b'b'] => objects,
                [.., b'f', b'n'] => functions,
                _ => files,
            };
            let next = ids.len() as u32 + 1;
            let id = *ids.entry(name).or_insert(next);
            self.number(b"(", id.into());
            self.push(b")");
            if id == next {
                self.push(b" ");
                names.lent(name).pieces().for_each(|piece| self.push(piece));
            }
        }
        self.push(b"\n");
    }
}

fn digits(number: u64) -> u32 {
    number.checked_ilog10().unwrap_or(0) + 1
}

/// Writes the mean of runs, given their sum as one profile, in canonical order. Returns the sum of
/// the self costs that were written. If there are several runs, it is also the total.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(out: impl Write, profile: &Profile, runs: usize) -> io::Result<Vec<i64>> {
    let mut sums = match runs {
        1 => rewrite::sums(profile),
        _ => Sums::default(),
    };
    let mut writer = ProfileWriter {
        out,
        text: Vec::new(),
        profile,
        ids: Default::default(),
        object: NameId::EMPTY,
        file: None,
        last: None,
        runs,
        row: Vec::new(),
        sum: Vec::new(),
    };
    writer.header(&rewrite::header(profile), &sums);
    for &id in &profile.recorded {
        writer.function(id, &rewrite::records(profile, id))?;
    }
    if runs > 1 {
        (sums.totals, writer.runs) = (Some(writer.sum.clone()), 1);
    }
    writer.finish(&sums)
}
