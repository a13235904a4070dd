//! Writes a baseline: what `check --save-baseline` writes, for git to keep and compare. The format
//! is described in `input/baseline.rs`.

use crate::{
    analysis::{Estimate, Inclusive, Own},
    profile::{Event, FunctionId, NEVER, Profile, costs::limited},
};
use std::{
    collections::BTreeSet,
    io::{self, Write},
};

/// At most this many labels and commits are kept of a sum of runs.
const DESCRIPTIONS: usize = 4;

/// The costs of your code, and which code that is.
pub struct BaselineOwn<'a> {
    /// The costs.
    pub own: &'a Own,
    /// The names of the chosen sets of code.
    pub code: &'a [String],
    /// Functions that were inlined somewhere. How often they ran is unknown.
    pub inlined: &'a BTreeSet<FunctionId>,
}

/// Writes the functions of a profile in the given order, with own costs if the user chose their
/// code.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    mut out: impl Write,
    profile: &Profile,
    inclusive: &Inclusive,
    own: Option<&BaselineOwn<'_>>,
    functions: &[FunctionId],
) -> io::Result<()> {
    writeln!(
        out,
        "# cgannotate baseline {}",
        if own.is_some() { 2 } else { 1 }
    )?;
    if let command @ [_, ..] = profile.command() {
        field(&mut out, "command", command)?;
    }
    // The run's label and commit, as `record` writes them. Callgrind's other descriptions change
    // from run to run.
    let said = profile.parts.iter().flat_map(|part| &part.descriptions);
    let mut said: Vec<&Vec<u8>> = said
        .filter(|d| d.starts_with(b"Label:") || d.starts_with(b"Commit:"))
        .collect();
    said.dedup();
    for description in said.into_iter().take(DESCRIPTIONS) {
        field(&mut out, "desc", description)?;
    }
    field(&mut out, "events", &profile.events.recorded().join(&b' '))?;
    // Readers of the format do not know ratios.
    for definition in profile.events.definitions() {
        let event = profile.events.find(&definition.name);
        if !event.is_some_and(Event::is_ratio) {
            field(&mut out, "event", &definition.text())?;
        }
    }
    out.write_all(b"totals: ")?;
    counts(&mut out, &profile.totals.row)?;
    out.write_all(b"\n")?;
    if let Some(parts) = profile.part_count() {
        writeln!(out, "parts: {parts}")?;
    }
    for code in own.iter().flat_map(|own| own.code) {
        out.write_all(b"own-code: ")?;
        escaped(&mut out, code.as_bytes())?;
        out.write_all(b"\n")?;
    }
    writeln!(out, "functions: {}", functions.len())?;
    let more = if own.is_some() {
        ", own cost, its least and most if it is an estimate"
    } else {
        ""
    };
    writeln!(
        out,
        "# function, file, object, calls, self cost, inclusive cost{more}"
    )?;
    for &id in functions {
        let f = profile.function(id);
        for name in [f.name, f.file, f.object] {
            escaped(&mut out, profile.name(name))?;
            out.write_all(b"\t")?;
        }
        // Unknown calls and costs are not written.
        let (called, cost) = if profile.has_inclusive() {
            (inclusive.called(id), inclusive.cost(id))
        } else {
            (0, &[][..])
        };
        if own.is_some_and(|own| own.inlined.contains(&id)) {
            out.write_all(b".\t")?
        } else {
            write!(out, "{called}\t")?
        }
        counts(&mut out, profile.self_cost(id))?;
        out.write_all(b"\t")?;
        counts(&mut out, cost)?;
        if let Some(BaselineOwn { own, .. }) = own.filter(|costs| costs.own.has(id)) {
            let events = profile.events.stored();
            let known: Vec<_> = events
                .map(|event| own.estimate(profile, id, event))
                .collect();
            let rows = [0, 1, 2].map(|at| -> Vec<i64> {
                let of = |known: &Estimate| [known.value, known.least, known.most][at];
                known.iter().map(|known| limited(of(known))).collect()
            });
            let is_exact = known.iter().all(|known| known.is_exact());
            for row in rows.iter().take(if is_exact { 1 } else { 3 }) {
                out.write_all(b"\t")?;
                counts(&mut out, row)?;
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn field(out: &mut impl Write, key: &str, value: &[u8]) -> io::Result<()> {
    write!(out, "{key}: ")?;
    out.write_all(value)?;
    out.write_all(b"\n")
}

fn counts(out: &mut impl Write, row: &[i64]) -> io::Result<()> {
    for (at, &count) in row.iter().enumerate() {
        let blank = if at == 0 { "" } else { " " };
        match count {
            NEVER => write!(out, "{blank}.")?,
            _ => write!(out, "{blank}{count}")?,
        }
    }
    Ok(())
}

/// Escapes what would end the field, make the line a comment, or is not valid UTF-8.
fn escaped(out: &mut impl Write, name: &[u8]) -> io::Result<()> {
    let comment = name.strip_prefix(b"#");
    if comment.is_some() {
        out.write_all(b"\\x23")?;
    }
    let name = comment.unwrap_or(name);
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.write_all(b"\\\\")?,
                '\t' => out.write_all(b"\\t")?,
                c if c.is_ascii_control() => write!(out, "\\x{:02x}", c as u32)?,
                c => write!(out, "{c}")?,
            }
        }
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}")?;
        }
    }
    Ok(())
}
