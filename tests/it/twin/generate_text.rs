//! The spelling of a generated profile: lines, names and numbers in the many ways producers write
//! them.
use super::generate::{Position, Writer};
use super::naive::Name;

impl Writer {
    // ---- lines ----

    pub(crate) fn line(&mut self, text: impl AsRef<[u8]>) {
        self.lines += 1;
        self.out.extend(text.as_ref());
        if self.dialect.sloppy && self.spell.one_in(12) {
            self.out.extend(b" \t");
        }
        self.out.extend(if self.dialect.crlf {
            &b"\r\n"[..]
        } else {
            b"\n"
        });
    }

    pub(crate) fn warn(&mut self, kind: &'static str) {
        self.truth.warnings.insert((self.lines, kind));
    }

    /// Lines that mean nothing, anywhere.
    pub(crate) fn noise(&mut self) {
        if self.dialect.sloppy && self.spell.one_in(8) {
            let noise = self.spell.pick(&[
                "",
                "# fn=(1) nobody",
                "  ",
                "#",
                "rec=1",
                "ln=5",
                "desc: Trigger: x",
            ]);
            self.line(noise);
        }
        if self.dialect.odd && self.spell.one_in(25) {
            let (line, kind) = self.spell.pick(&[
                ("<html>", "malformed-line"),
                ("fn", "malformed-line"),
                ("12abc 5", "malformed-line"),
                ("xyz=1", "malformed-line"),
                ("frobnicate: yes", "unknown-header"),
            ]);
            self.line(line);
            self.warn(kind);
        }
    }

    pub(crate) fn number(&mut self, value: u64, hex: bool) -> String {
        match hex || self.dialect.sloppy && self.spell.one_in(15) {
            true => format!("{value:#x}"),
            false => value.to_string(),
        }
    }

    // ---- names ----

    /// A position specification.
    pub(crate) fn named(&mut self, key: &str, table: usize, name: &[u8]) {
        let value = self.name(table, name);
        let blank = if self.dialect.sloppy && self.spell.one_in(8) {
            " "
        } else {
            ""
        };
        self.line(
            [
                blank.as_bytes(),
                key.as_bytes(),
                b"=",
                blank.as_bytes(),
                &value,
            ]
            .concat(),
        );
        let redefined = std::mem::take(&mut self.redefined);
        if redefined {
            self.warn("redefined-id");
        }
    }

    /// The text of a name: plain, defining an id, or by its id.
    fn name(&mut self, table: usize, name: &[u8]) -> Name {
        let unknown = if table == 0 {
            name.is_empty()
        } else {
            name == b"???"
        };
        if unknown && (table == 0 || self.spell.one_in(2)) {
            return Name::new();
        }
        // One name of a table may stay plain amid ids, as gperftools' short ones do.
        if !self.dialect.compress[table] || self.spell.one_in(20) {
            return name.to_vec();
        }
        if let Some(id) = self.ids[table].get(name)
            && !self.spell.one_in(15)
        {
            return format!("({id})").into();
        }
        let known: Vec<u64> = self.defined[table].keys().copied().collect();
        let id = match self.ids[table].get(name) {
            Some(id) => *id,
            None if self.dialect.odd && !known.is_empty() && self.spell.one_in(6) => {
                self.spell.pick(&known)
            }
            None => known.last().map_or(0, |last| last + 1) + self.spell.below(3),
        };
        let text = if table == 2 {
            self.context_name(name)
        } else {
            name.to_vec()
        };
        if let Some((old, part)) = self.defined[table].insert(id, (name.to_vec(), self.part))
            && old != name
        {
            self.ids[table].remove(&old);
            self.redefined = part == self.part;
        }
        self.ids[table].insert(name.to_vec(), id);
        let blank = if self.dialect.sloppy && self.spell.one_in(4) {
            ""
        } else {
            " "
        };
        let zeros = if self.dialect.sloppy && self.spell.one_in(4) {
            "00"
        } else {
            ""
        };
        [format!("({zeros}{id}){blank}").as_bytes(), &text].concat()
    }

    /// `foo'2'main` may be written `(10)'2'(20)`: Valgrind's --compress-mangled.
    fn context_name(&mut self, name: &[u8]) -> Name {
        let pieces: Vec<&[u8]> = name.split(|b| *b == b'\'').collect();
        let mut text = Vec::new();
        for piece in &pieces {
            match self.ids[2].get(*piece) {
                Some(id) => text.push(format!("({id})").into_bytes()),
                None if !text.is_empty() && piece.iter().all(u8::is_ascii_digit) => {
                    text.push(piece.to_vec())
                }
                None => return name.to_vec(),
            }
        }
        if pieces.len() > 1 && self.spell.one_in(2) {
            text.join(&b'\'')
        } else {
            name.to_vec()
        }
    }

    // ---- numbers ----

    /// The line the position columns can say.
    pub(crate) fn source_line(&self, at: Position) -> u64 {
        if self.positions.contains(&"line") {
            at.2
        } else {
            0
        }
    }

    /// A cost row in the order of the union of events.
    pub(crate) fn cost(&mut self) -> Vec<i64> {
        let mut row = vec![0; self.truth.events.len()];
        for event in &self.events {
            let column = self
                .truth
                .events
                .iter()
                .position(|e| e == event)
                .expect("a known event");
            let size = self.rng.pick(&[1, 10, 1000, 1 << 40]);
            row[column] = self.rng.below(size) as i64;
            if self.dialect.negative && self.rng.one_in(4) {
                row[column] = -row[column];
            }
        }
        row
    }

    /// Position and costs; no costs for the source line of a jump. Only some lines move the base.
    pub(crate) fn numbers(&mut self, at: Position, row: Option<&[i64]>, is_self: bool) {
        let mut words = self.position(at);
        if let Some(row) = row {
            let of = |event: &Name| {
                row[self
                    .truth
                    .events
                    .iter()
                    .position(|e| e == event)
                    .expect("a known event")]
            };
            let costs: Vec<i64> = self.events.iter().map(of).collect();
            let mut costs = if self.spell.one_in(3) {
                costs.iter().map(i64::to_string).collect()
            } else {
                trimmed(&costs)
            };
            for (index, cost) in costs.iter_mut().enumerate() {
                if cost == "0"
                    && self.dialect.sloppy
                    && (index > 0 || !words.is_empty())
                    && self.spell.one_in(4)
                {
                    *cost = ".".into();
                } else if let (Ok(value), true) = (cost.parse(), self.dialect.sloppy) {
                    *cost = self.number(value, false);
                }
            }
            if costs == ["0"] && !words.is_empty() && self.spell.one_in(2) {
                costs.clear();
            }
            words.extend(costs);
        }
        let blank = if self.dialect.sloppy {
            self.spell.pick(&[" ", "  ", "\t"])
        } else {
            " "
        };
        let before = if self.dialect.sloppy && self.spell.one_in(8) {
            " "
        } else {
            ""
        };
        let after = if self.dialect.sloppy && self.spell.one_in(12) {
            " # asm 5"
        } else {
            ""
        };
        self.line(format!("{before}{}{after}", words.join(blank)));
        if is_self || !self.dialect.writer {
            self.state.base = Some(at);
        }
    }

    pub(crate) fn target(&mut self, at: Position) -> String {
        let target = (
            at.0 + self.spell.below(40),
            at.1,
            at.2 + self.spell.below(40),
        );
        self.position(target).join(" ")
    }

    fn position(&mut self, at: Position) -> Vec<String> {
        let mut words = Vec::new();
        for column in self.positions.clone() {
            let pick = |at: Position| match column {
                "instr" => at.0,
                "bb" => at.1,
                _ => at.2,
            };
            let (value, base) = (pick(at), self.state.base.map(pick));
            words.push(match base {
                Some(base) if self.dialect.relative && self.spell.one_in(2) => {
                    match (value, base) {
                        _ if value == base && !self.spell.one_in(4) => "*".into(),
                        _ if value < base => format!("-{}", self.number(base - value, false)),
                        _ => format!("+{}", self.number(value - base, false)),
                    }
                }
                _ if self.dialect.sloppy && self.spell.one_in(12) => {
                    format!("{value}+{}", self.spell.below(9))
                }
                _ => self.number(value, column != "line"),
            });
        }
        words
    }
}

/// Trailing zeros left out, but always one number, as Valgrind writes them.
pub(crate) fn trimmed(row: &[i64]) -> Vec<String> {
    let end = row.iter().rposition(|n| *n != 0).unwrap_or(0);
    row[..=end].iter().map(i64::to_string).collect()
}
