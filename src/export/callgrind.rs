//! A profile in the Callgrind format, one part, names compressed and positions relative: what `merge` and `convert` write.
//!
//! All readers must agree on its meaning, so it uses only what all agree on:
//! * The creator is cgannotate, so positions follow the specification: relative to the last cost line, calls' included.
//! * `fl=` comes before the first `fn=`; `fi=` leaves the function's file and `fe=` returns to it before the next `fn=`.
//! * `cob=`, `cfi=` come before `cfn=`; inside another file's code `cfi=` is always there, since readers differ in what
//!   they take for the file of the callee.
//! * Counts that were never written stay away at the end of a row. In the middle, where inputs record different events,
//!   they are `.`, as in Cachegrind's format: a 0 would change what a later merge writes. KCachegrind ends a row there.
//! * Ids are counted from 1 in the order of use, for every kind of names. Every name has one, so that it may begin like
//!   an id itself, and stands as it is: no name has white space around it, or a line feed.
//! * A function without costs has a line `0`: one that is only named is none to a reader.
//!
//! Addresses and jumps are written if they are asked for. An address that is not known is 0, as is the place in the callee
//! that a call goes to; where lines alone are written, that is always so.

use crate::analysis::rewrite::{CostLine, CostOf, Places, Sums};
use crate::profile::code::{Jump, Times};
use crate::profile::costs::NEVER;
use crate::profile::{FunctionId, NameId, Part, Profile};
use std::io::{self, Write};

/// Writes a profile piece by piece.
pub struct CallgrindWriter<'a, W> {
    out: W,
    profile: &'a Profile,
    objects: Ids,
    files: Ids,
    functions: Ids,
    object: NameId,
    /// The file of the last `fl=`.
    file: Option<NameId>,
    places: Places,
    /// The last address and line number written of the current function.
    last: Option<(u64, u64)>,
}

impl<'a, W: Write> CallgrindWriter<'a, W> {
    /// A writer to `out`.
    pub fn new(out: W, profile: &'a Profile, places: Places) -> Self {
        let [objects, files, functions] = [(); 3].map(|()| Ids::new(profile));
        let (object, file, last) = (NameId::EMPTY, None, None);
        CallgrindWriter { out, profile, objects, files, functions, object, file, places, last }
    }

    /// The header, up to `summary:`.
    ///
    /// # Errors
    /// Those of the output, here and below.
    pub fn header(&mut self, part: &Part, sums: &Sums) -> io::Result<()> {
        self.out.write_all(b"# callgrind format\nversion: 1\n")?;
        self.field("creator", concat!("cgannotate-", env!("CARGO_PKG_VERSION")).as_bytes())?;
        let one_line = [("pid", &part.pid), ("cmd", &part.command), ("part", &part.number), ("thread", &part.thread)];
        for (key, value) in one_line.into_iter().filter(|(_, value)| !value.is_empty()) {
            self.field(key, value)?;
        }
        for text in &part.descriptions {
            self.field("desc", text)?;
        }
        self.out.write_all(match self.places {
            Places::Lines => b"positions: line\n",
            Places::Instructions => &b"positions: instr line\n"[..],
        })?;
        let events = &self.profile.events;
        for definition in events.definitions() {
            self.field("event", &definition.text())?;
        }
        self.field("events", &events.recorded().join(&b' '))?;
        if let Some(row) = &sums.summary {
            self.out.write_all(b"summary:")?;
            self.counts(row)?;
        }
        Ok(())
    }

    /// One function with all its records.
    pub fn function(&mut self, id: FunctionId, records: &[CostLine]) -> io::Result<()> {
        let function = self.profile.function(id);
        self.out.write_all(b"\n")?;
        if self.object != function.object {
            self.object = function.object;
            self.object_name("ob", function.object)?;
        }
        if self.file != Some(function.file) {
            self.file = Some(function.file);
            self.file_name("fl", function.file)?;
        }
        self.function_name("fn", function.name)?;
        let mut file = function.file;
        self.last = None;
        for record in records {
            if record.file != file {
                file = record.file;
                self.file_name(if file == function.file { "fe" } else { "fi" }, file)?;
            }
            if let CostOf::Jump(jump, times) = record.of {
                self.jump(jump, times)?;
            }
            if let CostOf::Call { callee, count, target: (address, line) } = record.of {
                let callee = self.profile.function(callee);
                if callee.object != function.object {
                    self.object_name("cob", callee.object)?;
                }
                if callee.file != file || file != function.file {
                    self.file_name("cfi", callee.file)?;
                }
                self.function_name("cfn", callee.name)?;
                match self.places {
                    Places::Lines => writeln!(self.out, "calls={count} 0")?,
                    Places::Instructions => writeln!(self.out, "calls={count} {address:#x} {line}")?,
                }
            }
            self.position(record.address, record.line)?;
            self.counts(&record.cost)?;
        }
        if file != function.file {
            self.file_name("fe", function.file)?;
        }
        Ok(())
    }

    /// `totals:`, and all that is left in the output's buffer.
    pub fn finish(mut self, sums: &Sums) -> io::Result<()> {
        if let Some(row) = &sums.totals {
            self.out.write_all(b"\ntotals:")?;
            self.counts(row)?;
        }
        self.out.flush()
    }

    /// `key: value`.
    fn field(&mut self, key: &str, value: &[u8]) -> io::Result<()> {
        write!(self.out, "{key}: ")?;
        self.out.write_all(value)?;
        self.out.write_all(b"\n")
    }

    /// Where a jump leads, and how often. The line that it stands on follows.
    fn jump(&mut self, jump: &Jump, times: Times) -> io::Result<()> {
        if let Some(file) = jump.to_file {
            self.file_name("jfi", file)?;
        }
        if let Some(name) = jump.to_name {
            self.function_name("jfn", name)?;
        }
        match jump.conditional {
            true => write!(self.out, "jcnd={}/{}", times.taken, times.executed)?,
            false => write!(self.out, "jump={}", times.taken)?,
        }
        writeln!(self.out, " {:#x} {}", jump.to, jump.to_line)
    }

    /// Address and line number, or that alone: as they are if there is none before them in this function, else relative to
    /// those where this is shorter.
    fn position(&mut self, address: u64, line: u64) -> io::Result<()> {
        let last = self.last.replace((address, line));
        if self.places == Places::Instructions {
            match last.and_then(|(last, _)| address.checked_sub(last)) {
                Some(0) => self.out.write_all(b"* ")?,
                Some(ahead @ ..0x1_0000) if address > 0xffff => write!(self.out, "+{ahead} ")?,
                _ => write!(self.out, "{address:#x} ")?,
            }
        }
        let ahead = last.and_then(|(_, last)| line.checked_sub(last));
        match ahead {
            Some(0) => self.out.write_all(b"*"),
            Some(ahead) if digits(ahead) + 1 < digits(line) => write!(self.out, "+{ahead}"),
            _ => write!(self.out, "{line}"),
        }
    }

    /// The rest of a line: counts up to the last one that was ever written.
    fn counts(&mut self, row: &[i64]) -> io::Result<()> {
        let len = row.iter().rposition(|&count| count != NEVER).map_or(0, |last| last + 1);
        for &count in &row[..len] {
            match count {
                NEVER => self.out.write_all(b" .")?,
                _ => write!(self.out, " {count}")?,
            }
        }
        self.out.write_all(b"\n")
    }

    fn object_name(&mut self, key: &str, name: NameId) -> io::Result<()> {
        named(&mut self.out, key, &mut self.objects, name, self.profile)
    }

    fn file_name(&mut self, key: &str, name: NameId) -> io::Result<()> {
        named(&mut self.out, key, &mut self.files, name, self.profile)
    }

    fn function_name(&mut self, key: &str, name: NameId) -> io::Result<()> {
        named(&mut self.out, key, &mut self.functions, name, self.profile)
    }
}

/// `key=(id) name` where the name comes up first, `key=(id)` from then on. What is not known has no name and no id.
fn named(out: &mut impl Write, key: &str, ids: &mut Ids, name: NameId, profile: &Profile) -> io::Result<()> {
    let text = profile.name(name);
    if text.is_empty() {
        return writeln!(out, "{key}=");
    }
    let (id, new) = ids.of(name);
    write!(out, "{key}=({id})")?;
    if new {
        out.write_all(b" ")?;
        out.write_all(text)?;
    }
    out.write_all(b"\n")
}

fn digits(number: u64) -> u32 {
    number.checked_ilog10().unwrap_or(0) + 1
}

/// The ids of one kind of names.
struct Ids {
    of: Vec<u32>,
    last: u32,
}

impl Ids {
    fn new(profile: &Profile) -> Ids {
        Ids { of: vec![0; profile.names.len()], last: 0 }
    }

    /// The id of a name, and whether it has just been given.
    fn of(&mut self, name: NameId) -> (u32, bool) {
        let id = &mut self.of[name.0 as usize];
        let new = *id == 0;
        if new {
            self.last += 1;
            *id = self.last;
        }
        (*id, new)
    }
}

/// Writes a whole profile, with the records that `records` gives for every function that has any.
///
/// # Errors
/// Those of `out`.
pub fn write<'a>(
    out: impl Write,
    profile: &'a Profile,
    part: &Part,
    sums: &Sums,
    places: Places,
    records: impl Fn(FunctionId) -> Vec<CostLine<'a>>,
) -> io::Result<()> {
    let mut writer = CallgrindWriter::new(out, profile, places);
    writer.header(part, sums)?;
    for &id in &profile.recorded {
        writer.function(id, &records(id))?;
    }
    writer.finish(sums)
}
