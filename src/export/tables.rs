//! A run as tables for databases: CSV with a heading, a record a line, one schema whatever was recorded. `docs/fleet.md`
//! says what each column means.
//!
//! Costs are in long form, a row for each event, because the runs of a fleet need not record the same events.

use crate::analysis::Keyed;
use crate::profile::{Event, FunctionId, Profile};
use std::fmt::Display;
use std::io::{self, BufWriter, Write};

/// The number of the schema: it changes when a column changes its meaning or goes, or a key is made in another way.
const SCHEMA: u32 = 1;

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// One row: what the profile says of the run as a whole.
    Runs,
    /// What a function costs.
    Functions,
    /// What a function costs at a line.
    Lines,
    /// What the calls of one function by another cost.
    Arcs,
    /// What was counted, and the totals.
    Events,
}

impl Table {
    /// All of them.
    pub const ALL: [Table; 5] = [
        Table::Runs,
        Table::Functions,
        Table::Lines,
        Table::Arcs,
        Table::Events,
    ];

    /// The name of its file.
    pub fn file(self) -> &'static str {
        match self {
            Table::Runs => "runs.csv",
            Table::Functions => "functions.csv",
            Table::Lines => "lines.csv",
            Table::Arcs => "arcs.csv",
            Table::Events => "events.csv",
        }
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Table::Runs => &[
                "schema",
                "name",
                "label",
                "commit",
                "format",
                "creator",
                "command",
                "pid",
                "parts",
                "truncated",
                "input",
                "inputs",
            ],
            Table::Functions => &[
                "function",
                "event",
                "self",
                "inclusive",
                "calls",
                "cycle",
                "members",
                "name",
                "file",
                "object",
            ],
            Table::Lines => &["function", "source", "line", "event", "self", "file"],
            Table::Arcs => &["caller", "callee", "event", "calls", "inclusive"],
            Table::Events => &["event", "number", "formula", "total", "self"],
        }
    }
}

/// A run that is written as tables.
pub struct Run<'a> {
    /// What it is called, as text.
    pub name: &'a str,
    /// Its functions.
    pub keyed: &'a Keyed,
    /// The events that are written.
    pub events: &'a [Event],
}

impl Run<'_> {
    /// Writes one of its tables.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, table: Table, out: impl Write) -> io::Result<()> {
        let mut out = Rows::new(out);
        table
            .columns()
            .iter()
            .try_for_each(|column| out.text(column.as_bytes()))?;
        out.end()?;
        match table {
            Table::Runs => self.run(&mut out)?,
            Table::Functions => self.functions(&mut out)?,
            Table::Lines => self.lines(&mut out)?,
            Table::Arcs => self.arcs(&mut out)?,
            Table::Events => self.totals(&mut out)?,
        }
        out.out.flush()
    }

    fn profile(&self) -> &Profile {
        &self.keyed.profile
    }

    fn run(&self, out: &mut Rows<impl Write>) -> io::Result<()> {
        let profile = self.profile();
        let part = profile.parts.first();
        let of_part = |text: Option<&[u8]>| text.unwrap_or_default().to_vec();
        out.number(SCHEMA)?;
        out.text(self.name.as_bytes())?;
        out.text(&of_part(part.and_then(|part| part.described(b"Label"))))?;
        out.text(&of_part(part.and_then(|part| part.described(b"Commit"))))?;
        out.text(profile.format.shown.as_bytes())?;
        out.text(&of_part(part.map(|part| &part.creator[..])))?;
        out.text(&of_part(part.map(|part| &part.command[..])))?;
        out.text(&of_part(part.map(|part| &part.pid[..])))?;
        out.count(profile.part_count())?;
        out.number(profile.is_truncated())?;
        out.text(profile.input_names().next().unwrap_or_default().as_bytes())?;
        out.number(profile.inputs.len())?;
        out.end()
    }

    fn functions(&self, out: &mut Rows<impl Write>) -> io::Result<()> {
        let profile = self.profile();
        let knows_calls = profile.has_inclusive();
        for id in profile.function_ids() {
            let function = profile.function(id);
            let total = if knows_calls {
                self.keyed.inclusive(id)
            } else {
                &[]
            };
            for [own, total] in self.counts([profile.self_cost(id), total]) {
                out.number(self.keyed.key(id))?;
                out.text(profile.events.name(total.0))?;
                out.count(own.1)?;
                out.count(total.1)?;
                out.count(knows_calls.then(|| self.keyed.called(id)))?;
                out.count(self.keyed.cycle_of(id).map(|at| at + 1))?;
                out.number(self.keyed.members(id))?;
                out.text(&profile.function_name(id).text())?;
                out.text(profile.name(function.file))?;
                out.text(profile.name(function.object))?;
                out.end()?;
            }
        }
        Ok(())
    }

    fn lines(&self, out: &mut Rows<impl Write>) -> io::Result<()> {
        let profile = self.profile();
        for line in &profile.lines {
            for [(event, own)] in self.counts([profile.line_cost(line)]) {
                out.number(self.keyed.key(line.function))?;
                out.count(self.keyed.file(line.file))?;
                out.number(line.line)?;
                out.text(profile.events.name(event))?;
                out.count(own)?;
                out.text(profile.name(line.file))?;
                out.end()?;
            }
        }
        Ok(())
    }

    fn arcs(&self, out: &mut Rows<impl Write>) -> io::Result<()> {
        let profile = self.profile();
        for arc in &profile.arcs {
            for [(event, total)] in self.counts([profile.arc_cost(arc)]) {
                out.number(self.keyed.key(arc.caller))?;
                out.number(self.keyed.key(arc.callee))?;
                out.text(profile.events.name(event))?;
                out.number(arc.count)?;
                out.count(total)?;
                out.end()?;
            }
        }
        Ok(())
    }

    fn totals(&self, out: &mut Rows<impl Write>) -> io::Result<()> {
        let profile = self.profile();
        for (at, &event) in (1..).zip(self.events) {
            let sum = |event: Event| -> i128 {
                let own = |id: FunctionId| {
                    profile
                        .self_counts(id)
                        .get(&profile.events, event)
                        .unwrap_or(0)
                };
                profile.function_ids().map(|id| i128::from(own(id))).sum()
            };
            out.text(profile.events.name(event))?;
            out.number(at)?;
            out.text(&self.formula(event))?;
            out.count(profile.totals.counts().get(&profile.events, event))?;
            out.number(sum(event))?;
            out.end()?;
        }
        Ok(())
    }

    /// The formula of a derived event, of recorded ones: `Ir + 10 L1m`.
    fn formula(&self, event: Event) -> Vec<u8> {
        let Event::Derived(at) = event else {
            return Vec::new();
        };
        let events = &self.profile().events;
        let mut text = Vec::new();
        for &(column, factor) in &events.derived()[at].terms {
            let sign: &[u8] = match (text.is_empty(), factor < 0) {
                (true, false) => b"",
                (true, true) => b"-",
                (false, false) => b" + ",
                (false, true) => b" - ",
            };
            text.extend_from_slice(sign);
            if factor.unsigned_abs() != 1 {
                text.extend_from_slice(format!("{} ", factor.unsigned_abs()).as_bytes());
            }
            text.extend_from_slice(&events.recorded()[column]);
        }
        text
    }

    /// For each event the counts of some rows, where one of them was recorded; for the first event alone where none was.
    fn counts<'r, const N: usize>(
        &'r self,
        rows: [&'r [i64]; N],
    ) -> impl Iterator<Item = [(Event, Option<i64>); N]> + 'r {
        let events = &self.profile().events;
        let of = move |event: Event| rows.map(|row| (event, events.count(row, event)));
        let recorded =
            |counts: &[(Event, Option<i64>); N]| counts.iter().any(|(_, count)| count.is_some());
        let is_none = !self.events.iter().any(|&event| recorded(&of(event)));
        let first = self.events.first().copied();
        self.events
            .iter()
            .map(move |&event| of(event))
            .filter(move |counts| {
                recorded(counts) || is_none && counts.first().map(|&(event, _)| event) == first
            })
    }
}

/// Records of a table; memory for a block of them.
struct Rows<W: Write> {
    out: BufWriter<W>,
    begun: bool,
}

impl<W: Write> Rows<W> {
    fn new(out: W) -> Self {
        Rows {
            out: BufWriter::with_capacity(256 * 1024, out),
            begun: false,
        }
    }

    fn separate(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            self.out.write_all(b",")
        } else {
            Ok(())
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.begun = false;
        self.out.write_all(b"\n")
    }

    fn number(&mut self, number: impl Display) -> io::Result<()> {
        self.separate()?;
        write!(self.out, "{number}")
    }

    /// A number, or nothing where it is not known.
    fn count(&mut self, count: Option<impl Display>) -> io::Result<()> {
        match count {
            Some(count) => self.number(count),
            None => self.separate(),
        }
    }

    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.separate()?;
        if text
            .iter()
            .all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b',' | b'\\'))
        {
            return self.out.write_all(text);
        }
        let text = escaped(text);
        if !text.contains([',', '"']) {
            return self.out.write_all(text.as_bytes());
        }
        self.out.write_all(b"\"")?;
        self.out.write_all(text.replace('"', "\"\"").as_bytes())?;
        self.out.write_all(b"\"")
    }
}

/// A name as text that gives its bytes back: a byte that is not UTF-8, a control character of ASCII, and a backslash
/// before an `x` are `\x` and two hexadecimal digits.
pub fn escaped(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    let spell = |text: &mut String, byte: u8| text.push_str(&format!("\\x{byte:02x}"));
    for chunk in name.utf8_chunks() {
        let mut characters = chunk.valid().chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\\' if characters.peek() == Some(&'x') => spell(&mut text, b'\\'),
                character if character.is_ascii_control() => spell(&mut text, character as u8),
                character => text.push(character),
            }
        }
        chunk
            .invalid()
            .iter()
            .for_each(|&byte| spell(&mut text, byte));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_that_gives_their_bytes_back() {
        for (name, text) in [
            (&b"main"[..], "main"),
            ("größe::日本語".as_bytes(), "größe::日本語"),
            (b"a\xffb\xc3", r"a\xffb\xc3"),
            (b"a\tb\x00c\x7f", r"a\x09b\x00c\x7f"),
            (br"App\Http\Kernel", r"App\Http\Kernel"),
            (br"App\xml\Node", r"App\x5cxml\Node"),
            (br"\\x41", r"\\x5cx41"),
            (b"\\\xff", r"\\xff"),
        ] {
            assert_eq!(escaped(name), text, "{name:?}");
        }
    }

    #[test]
    fn a_field_is_quoted_where_it_must_be() {
        let row = |fields: &[&[u8]]| {
            let mut bytes = Vec::new();
            let mut rows = Rows::new(&mut bytes);
            fields
                .iter()
                .for_each(|field| rows.text(field).expect("memory"));
            rows.end().expect("memory");
            drop(rows);
            String::from_utf8(bytes).expect("UTF-8")
        };
        assert_eq!(
            row(&[b"f(int, char)", b"", b"operator\"\" s", b"a b"]),
            "\"f(int, char)\",,\"operator\"\"\"\" s\",a b\n"
        );
        assert_eq!(row(&[b"a\n\xff,"]), "\"a\\x0a\\xff,\"\n");
    }
}
