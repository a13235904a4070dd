//! Writes a run as CSV tables for databases, with a heading and one record per line. The schema is
//! the same for every profile. `docs/fleet.md` describes the columns.
//!
//! Costs have one row per event, because the runs of a fleet may record different events.

use crate::{
    analysis::Keyed,
    profile::{Event, NameId, Part, Profile},
    text::separated::{Separated, Separation},
};
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// The version of the schema. It changes if a column is removed or changes its meaning, or if keys
/// are made differently.
const SCHEMA: u64 = 1;

/// A table.
pub struct FleetTable {
    /// The file name.
    pub file: &'static str,
    columns: &'static str,
    rows: fn(&RunTables<'_>, &mut Separated<'_>),
}

/// The metadata of the run in one row, the costs of functions and lines, the calls of one function
/// by another, and the totals of events.
pub const FLEET_TABLES: [FleetTable; 5] = [
    FleetTable {
        file: "runs.csv",
        columns: "schema name label commit format creator command pid parts truncated input inputs",
        rows: |run, rows| run.run(rows),
    },
    FleetTable {
        file: "functions.csv",
        columns: "function event self inclusive calls cycle members name file object",
        rows: |run, rows| run.functions(rows),
    },
    FleetTable {
        file: "lines.csv",
        columns: "function source line event self file",
        rows: |run, rows| run.lines(rows),
    },
    FleetTable {
        file: "arcs.csv",
        columns: "caller callee event calls inclusive",
        rows: |run, rows| run.arcs(rows),
    },
    FleetTable {
        file: "events.csv",
        columns: "event number formula total self",
        rows: |run, rows| run.totals(rows),
    },
];

/// A run to be written as tables.
pub struct RunTables<'a> {
    /// The name of the run.
    pub name: &'a str,
    /// Its functions.
    pub keyed: &'a Keyed,
    /// The events to write.
    pub events: &'a [Event],
}

impl RunTables<'_> {
    /// Writes one table.
    ///
    /// # Errors
    /// Fails if writing to `out` fails.
    pub fn write(&self, table: &FleetTable, mut out: impl Write) -> io::Result<()> {
        let mut rows = Separated::new(&mut out, Separation::Lines);
        table
            .columns
            .split(' ')
            .for_each(|column| rows.text(column));
        rows.end_row();
        (table.rows)(self, &mut rows);
        rows.finish()
    }

    fn profile(&self) -> &Profile {
        &self.keyed.profile
    }

    fn name(&self, name: NameId) -> Cow<'_, str> {
        escaped(self.profile().name(name))
    }

    fn event(&self, event: Event) -> Cow<'_, str> {
        escaped(self.profile().events.name(event))
    }

    fn run(&self, rows: &mut Separated<'_>) {
        let profile = self.profile();
        let part = profile.parts.first();
        let of_part =
            |of: fn(&Part) -> Option<&[u8]>| escaped(part.and_then(of).unwrap_or_default());
        rows.number(SCHEMA.into());
        rows.text(self.name);
        rows.text(&of_part(|part| part.described(b"Label")));
        rows.text(&of_part(|part| part.described(b"Commit")));
        rows.text(profile.format.shown);
        rows.text(&of_part(|part| Some(&part.creator)));
        rows.text(&of_part(|part| Some(&part.command)));
        rows.text(&of_part(|part| Some(&part.pid)));
        rows.count(profile.part_count());
        rows.text(&profile.is_truncated().to_string());
        rows.text(&escaped(profile.input_name(0).as_bytes()));
        rows.number(profile.inputs.len() as i128);
        rows.end_row();
    }

    fn functions(&self, rows: &mut Separated<'_>) {
        let profile = self.profile();
        let knows_calls = profile.has_inclusive();
        for id in profile.function_ids() {
            let function = profile.function(id);
            let total = if knows_calls {
                self.keyed.inclusive.cost(id)
            } else {
                &[]
            };
            for (event, [own, total]) in self.counts([profile.self_cost(id), total]) {
                rows.text(&self.keyed.key(id).to_string());
                rows.text(&self.event(event));
                rows.count(own);
                rows.count(total);
                rows.count(knows_calls.then(|| self.keyed.inclusive.called(id)));
                rows.count(self.keyed.inclusive.cycle_of(id).map(|at| at as u64 + 1));
                rows.number(self.keyed.members(id).into());
                rows.text(&escaped(&profile.function_name(id).text()));
                rows.text(&self.name(function.file));
                rows.text(&self.name(function.object));
                rows.end_row();
            }
        }
    }

    fn lines(&self, rows: &mut Separated<'_>) {
        let profile = self.profile();
        for line in &profile.lines {
            for (event, [own]) in self.counts([profile.line_cost(line)]) {
                rows.text(&self.keyed.key(line.function).to_string());
                let file = self.keyed.file(line.file);
                rows.text(&file.map_or_else(String::new, |key| key.to_string()));
                rows.number(line.line.into());
                rows.text(&self.event(event));
                rows.count(own);
                rows.text(&self.name(line.file));
                rows.end_row();
            }
        }
    }

    fn arcs(&self, rows: &mut Separated<'_>) {
        let profile = self.profile();
        for arc in &profile.arcs {
            for (event, [total]) in self.counts([profile.arc_cost(arc)]) {
                rows.text(&self.keyed.key(arc.caller).to_string());
                rows.text(&self.keyed.key(arc.callee).to_string());
                rows.text(&self.event(event));
                rows.number(arc.count.into());
                rows.count(total);
                rows.end_row();
            }
        }
    }

    fn totals(&self, rows: &mut Separated<'_>) {
        let profile = self.profile();
        for (at, &event) in (1..).zip(self.events) {
            let counted = profile.events.counter(event);
            let own = profile
                .function_ids()
                .map(|id| counted(profile.self_cost(id)));
            rows.text(&self.event(event));
            rows.number(at);
            rows.text(&escaped(&self.formula(event)));
            rows.count(profile.totals.counts().get(&profile.events, event));
            rows.number(own.sum());
            rows.end_row();
        }
    }

    /// The formula of a derived event, in terms of recorded ones: `Ir + 10 L1m`.
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

    /// The counts of some rows for each event that at least one of them recorded. If no event was
    /// recorded, returns only the first event.
    fn counts<'r, const N: usize>(
        &'r self,
        rows: [&'r [i64]; N],
    ) -> impl Iterator<Item = (Event, [Option<i64>; N])> + 'r {
        let events = &self.profile().events;
        let of = move |event: Event| rows.map(|row| events.count(row, event));
        let recorded = move |event: Event| of(event).iter().any(Option::is_some);
        let is_none = !self.events.iter().any(|&event| recorded(event));
        let nth = self.events.iter().enumerate();
        nth.filter(move |&(at, &event)| recorded(event) || is_none && at == 0)
            .map(move |(_, &event)| (event, of(event)))
    }
}

/// Encodes a name as text without loss. Bytes that are not valid UTF-8, ASCII control characters
/// and a backslash before an `x` become `\x` and two hexadecimal digits.
pub fn escaped(name: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(name)
        && name
            .iter()
            .all(|byte| !byte.is_ascii_control() && *byte != b'\\')
    {
        return text.into();
    }
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
    text.into()
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
            let mut rows = Separated::new(&mut bytes, Separation::Lines);
            fields.iter().for_each(|field| rows.text(&escaped(field)));
            rows.end_row();
            rows.finish().expect("memory");
            String::from_utf8(bytes).expect("UTF-8")
        };
        assert_eq!(
            row(&[b"f(int, char)", b"", b"operator\"\" s", b"a b"]),
            "\"f(int, char)\",,\"operator\"\"\"\" s\",a b\n"
        );
        assert_eq!(row(&[b"a\n\xff,"]), "\"a\\x0a\\xff,\"\n");
    }
}
