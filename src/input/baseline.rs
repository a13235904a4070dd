//! Reads baselines: the functions of a run with their costs, as text that git can compare.
//!
//! ```text
//! file     := "# cgannotate baseline " ("1" | "2") header* function*
//!                                              version 2 has costs of your code
//! header   := "command: " text | "desc: " text | "events: " name…
//!           | "event: " definition | "totals: " counts | "functions: " number
//!           | "own-code: " pattern             which code is yours, one pattern a line, escaped
//!           | "parts: " number                 how many parts the profiles had, if known
//! function := name TAB file TAB object TAB (calls | ".") TAB counts TAB counts own?
//!                                              the self counts, then the inclusive counts
//! own      := TAB counts (TAB counts TAB counts)?
//!                                              of your functions; the bounds follow an estimate
//! counts   := (integer | ".") (" " …)*         in the order of `events:`; unknown ones may be
//!                                              omitted at the end
//! ```
//!
//! In names, `\\`, `\t` and `\xNN` are escapes for bytes that text cannot hold. A leading `#` is
//! written `\x23`, so that every line after the first that begins with `#` is a comment.
//! `functions:` ends the header with the number of functions, and the last line ends with a line
//! feed. Both reveal a truncated or badly merged file. A file of another version, or with any
//! fault, is an error; it is never read in part. `export/baseline.rs` writes the format.

use super::{
    Error, Options,
    error::ErrorReason,
    excerpt::shown,
    format::FormatReader,
    number::{Count, count, parsed},
};
use crate::profile::{
    Builder, CallRecords, Definition, End, Format, NEVER, NameId, Part, Separate, StatedOwn,
    callers::without_level, costs::MAX_EVENTS, extend_with,
};
use std::{borrow::Cow, collections::HashSet, io::Read};

/// How every baseline begins; the version follows.
const MAGIC: &[u8] = b"# cgannotate baseline ";

/// The versions that can be read. Version 2 has costs of your code.
const VERSIONS: [&str; 2] = ["1", "2"];

pub(super) struct Baseline;

impl FormatReader for Baseline {
    fn format(&self) -> &'static Format {
        &Format {
            name: "baseline",
            shown: "baseline",
            is_ours: true,
            is_original: false,
            has_lines: false,
            has_debug_lines: false,
            calls: CallRecords::Inclusive,
            ..Format::CALLGRIND
        }
    }

    fn is_mine(&self, start: &[u8]) -> bool {
        start.starts_with(MAGIC)
    }

    /// With folded recursion, the self costs of all levels add up. If the file has levels,
    /// inclusive costs and calls are then unknown, because a baseline does not record who called
    /// whom.
    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        options: &Options,
    ) -> Result<(), Error> {
        let file = builder.head.input().to_owned();
        let malformed =
            |line, what: &str| Err(Error::new(&file, line, ErrorReason::malformed(what)));
        let mut bytes = Vec::new();
        source
            .read_to_end(&mut bytes)
            .map_err(|e| Error::new(&file, None, e))?;
        if bytes.last() != Some(&b'\n') {
            let line = bytes.split(|&b| b == b'\n').count() as u64;
            return malformed(Some(line), "the baseline ends in the middle of this line");
        }
        let folded = (options.separate == Separate::Nothing
            && bytes.split(|&b| b == b'\n').any(has_level))
        .then(HashSet::new);
        let mut reader = BaselineReader {
            builder,
            strip: &options.strip,
            events: 0,
            stated: None,
            functions: 0,
            own: StatedOwn::default(),
            folded,
            row: Vec::new(),
            inclusive: Vec::new(),
        };
        reader.builder.head.parts.push(Part {
            creator: (*b"cgannotate").into(),
            end: End::Whole,
            ..Part::default()
        });
        let mut rest = &bytes[..];
        for number in 1u64.. {
            let Some(end) = memchr::memchr(b'\n', rest) else {
                break;
            };
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            rest = &rest[end + 1..];
            reader
                .line(line, number)
                .or_else(|what| malformed(Some(number), &what))?;
        }
        if !reader.own.code.is_empty() {
            let own = std::mem::take(&mut reader.own);
            reader.builder.state_own(own);
        }
        match reader.stated {
            Some(stated) if stated == reader.functions => {}
            Some(stated) => {
                let what = format!(
                    "the baseline should have {stated} functions, but has {}",
                    reader.functions
                );
                return malformed(None, &what);
            }
            None => {
                return malformed(None, "the baseline has no `functions:` line");
            }
        }
        if builder.leave() {
            return malformed(None, "the counts of the baseline do not fit in 64 bits");
        }
        Ok(())
    }
}

struct BaselineReader<'a> {
    builder: &'a mut Builder,
    strip: &'a [u8],
    events: usize,
    stated: Option<u64>,
    functions: u64,
    own: StatedOwn,
    /// The functions as the file names them, if it has recursion levels and they are folded.
    folded: Option<HashSet<[NameId; 3]>>,
    /// The rows of the current function, reused for the next: a history has hundreds of baselines.
    row: Vec<i64>,
    inclusive: Vec<i64>,
}

/// The most fields that a function can have.
const FIELDS: usize = 9;

impl BaselineReader<'_> {
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), String> {
        if let Some(version) = line.strip_prefix(MAGIC).filter(|_| number == 1) {
            if !VERSIONS.iter().any(|known| version == known.as_bytes()) {
                return Err(format!(
                    "version {} of baselines is not known ({} are)",
                    shown(version),
                    VERSIONS.join(" and ")
                ));
            }
            return Ok(());
        }
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(());
        }
        if self.stated.is_some() && memchr::memchr(b'\t', line).is_some() {
            return self.function(line);
        }
        let malformed = || format!("not a line of a baseline: `{}`", shown(line));
        let (key, value) = memchr::memmem::find(line, b": ")
            .map_or((&b""[..], line), |at| (&line[..at], &line[at + 2..]));
        match key {
            b"command" => self.builder.head.part().command = value.into(),
            b"desc" => self.builder.head.part().descriptions.push(value.into()),
            b"events" => self.name_events(value)?,
            b"event" => {
                self.builder.head.events.define(Definition::read(value));
            }
            b"totals" => {
                let mut row = Vec::new();
                counts(value, self.events, &mut row)?;
                self.builder.head.part().summary = Some(row);
            }
            b"own-code" => self.own.code.push(unescaped(value)?.into_owned()),
            b"functions" => {
                self.stated = Some(parsed(value).ok_or_else(malformed)?);
            }
            b"parts" => {
                self.builder.head.part().sum_of = Some(parsed(value).ok_or_else(malformed)?);
            }
            _ if line.contains(&b'\t') => return self.function(line),
            _ => return Err(malformed()),
        }
        Ok(())
    }

    fn name_events(&mut self, value: &[u8]) -> Result<(), String> {
        let names: Vec<Vec<u8>> = value
            .split(|&b| b == b' ')
            .filter(|name| !name.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        if self.events > 0 || names.is_empty() || names.len() > MAX_EVENTS {
            return Err("a baseline has one `events:` line that names its events".into());
        }
        self.builder.head.events.columns(&names);
        self.events = names.len();
        Ok(())
    }

    fn function(&mut self, line: &[u8]) -> Result<(), String> {
        let (mut fields, mut found, mut begin) = ([&b""[..]; FIELDS], 0, 0);
        for end in memchr::memchr_iter(b'\t', line).chain([line.len()]) {
            if let Some(field) = fields.get_mut(found) {
                *field = &line[begin..end];
            }
            (found, begin) = (found + 1, end + 1);
        }
        let [name, file, object, calls, own, inclusive, more @ ..] = fields;
        let Some(own_costs) = found.checked_sub(FIELDS - more.len()) else {
            return Err(format!(
                "a function has 6 fields, but this line has {found}"
            ));
        };
        if !matches!(
            (own_costs, self.own.code.is_empty()),
            (0, _) | (1 | 3, false)
        ) {
            return Err(format!(
                "a function has 6 fields, one of your code 7 or 9, but this line has {found}"
            ));
        }
        if self.events == 0 {
            return Err("a function before the `events:` line".into());
        }
        let (name, file, object) = (unescaped(name)?, unescaped(file)?, unescaped(object)?);
        let file = file
            .strip_prefix(self.strip)
            .filter(|rest| !rest.is_empty())
            .unwrap_or(&file);
        let is_uncounted = calls == b"." && !self.own.code.is_empty();
        let calls = parsed(calls)
            .or(is_uncounted.then_some(0))
            .ok_or("the fourth field is not a valid call count")?;
        counts(own, self.events, &mut self.row)?;
        counts(inclusive, self.events, &mut self.inclusive)?;
        let names = &mut self.builder.head.names;
        let object = names.intern_or(&object, NameId::EMPTY);
        let ids = [
            object,
            names.intern_or(file, NameId::UNKNOWN),
            names.intern_or(&name, NameId::UNKNOWN),
        ];
        let before = self.builder.functions();
        let (id, is_new) = match &mut self.folded {
            Some(seen) => {
                let short = without_level(&name)
                    .map_or(ids[2], |short| self.builder.head.names.intern(&short));
                (
                    self.builder.function(ids[0], ids[1], short),
                    seen.insert(ids),
                )
            }
            None => {
                let id = self.builder.function(ids[0], ids[1], ids[2]);
                (id, self.builder.functions() > before)
            }
        };
        if !is_new {
            return Err(format!("a second line for {}", shown(&name)));
        }
        self.builder.enter(id);
        self.builder.add_self_unplaced(&self.row);
        if self.folded.is_none() {
            self.builder.state(id, &self.inclusive, calls, 0);
        }
        if is_uncounted {
            self.own.uncounted.insert(id);
        }
        if own_costs > 0 {
            let [value, least, most] = more;
            let bounds = if own_costs == 1 {
                [value; 3]
            } else {
                [value, least, most]
            };
            let mut rows = [const { Vec::new() }; 3];
            for (bound, row) in bounds.into_iter().zip(&mut rows) {
                counts(bound, self.events, row)?;
            }
            // The bounds of the sum are the sums of the levels' bounds.
            for (sum, row) in self.own.costs.entry(id).or_default().iter_mut().zip(&rows) {
                if extend_with(sum, row) {
                    return Err(
                        "the own costs of recursion levels do not fit in 64 bits together".into(),
                    );
                }
            }
        }
        self.functions += 1;
        Ok(())
    }
}

/// Whether a line is a function with a recursion level in its name.
fn has_level(line: &[u8]) -> bool {
    let name = memchr::memchr(b'\t', line).and_then(|end| unescaped(&line[..end]).ok());
    name.is_some_and(|name| without_level(&name).is_some())
}

/// Reads the counts of a field into `row`, and replaces what was there.
fn counts(field: &[u8], events: usize, row: &mut Vec<i64>) -> Result<(), String> {
    row.clear();
    for text in field.split(|&b| b == b' ').filter(|text| !text.is_empty()) {
        row.push(match count(text) {
            Count::Is(count) => count,
            Count::Never => NEVER,
            Count::Beyond(_) | Count::Fraction | Count::Garbage => {
                return Err(format!("`{}` is not a valid count", shown(text)));
            }
        });
    }
    if row.len() > events {
        return Err(format!(
            "{} counts, but `events:` names {events}",
            row.len()
        ));
    }
    Ok(())
}

fn unescaped(field: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if memchr::memchr(b'\\', field).is_none() {
        return Ok(Cow::Borrowed(field));
    }
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            out.push(first);
            continue;
        }
        let (byte, len) = match rest {
            [b'\\', ..] => (b'\\', 1),
            [b't', ..] => (b'\t', 1),
            [b'x', high, low, ..] => {
                let digit = |b: &u8| char::from(*b).to_digit(16);
                let (Some(high), Some(low)) = (digit(high), digit(low)) else {
                    return Err(format!("`{}` has an unknown escape", shown(field)));
                };
                ((high * 16 + low) as u8, 3)
            }
            _ => return Err(format!("`{}` has an unknown escape", shown(field))),
        };
        if byte == b'\n' {
            return Err(format!(
                "`{}` has a line feed, but a name must be one line",
                shown(field)
            ));
        }
        out.push(byte);
        rest = &rest[len..];
    }
    Ok(Cow::Owned(out))
}
