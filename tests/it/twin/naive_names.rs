//! The names of the naive twin: ids learnt, looked up and expanded, as the format notes say.
use super::naive::{Name, Reader};
use super::naive_lines::split_id;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Table {
    Objects,
    Files,
    Functions,
}

impl Reader {
    /// A name as text: ids resolved and learnt, white space around it trimmed, unknown files and
    /// functions `???`.
    pub(crate) fn name(&mut self, table: Table, line: u64, value: &[u8]) -> Name {
        let value = value.trim_ascii();
        let name = match split_id(value) {
            None => value.to_vec(),
            Some((id, b"")) => self.look_up(table, line, id),
            Some((id, name)) => self.define(table, line, id, name),
        };
        if name.is_empty() && table != Table::Objects {
            b"???".to_vec()
        } else {
            name
        }
    }

    /// "Undefined: warn once, placeholder `(7)`."
    fn look_up(&mut self, table: Table, line: u64, id: String) -> Name {
        let key = (table, id);
        if let Some((name, _)) = self.ids.get(&key) {
            return name.clone();
        }
        let placeholder = format!("({})", key.1).into_bytes();
        if self.undefined.insert(key) {
            self.warn(line, "undefined-id");
        }
        placeholder
    }

    /// "Redefinition rebinds to the end of the file"; it warns within one part and for another name
    /// only.
    fn define(&mut self, table: Table, line: u64, id: String, name: &[u8]) -> Name {
        let name = if table == Table::Functions {
            self.expand(line, name)
        } else {
            name.to_vec()
        };
        let old = self.ids.insert((table, id), (name.clone(), self.part));
        if old.is_some_and(|(old, part)| part == self.part && old != name) {
            self.warn(line, "redefined-id");
        }
        name
    }

    /// "Expand ids only if the whole name matches `^\(\d+\)('(\d+|\(\d+\)))+$`": (10)'2'(20) is
    /// foo'2'main.
    fn expand(&mut self, line: u64, name: &[u8]) -> Name {
        let pieces: Vec<&[u8]> = name.split(|b| *b == b'\'').collect();
        let is_id = |piece: &[u8]| split_id(piece).is_some_and(|(_, rest)| rest.is_empty());
        let is_level = |piece: &[u8]| !piece.is_empty() && piece.iter().all(u8::is_ascii_digit);
        if pieces.len() < 2
            || !is_id(pieces[0])
            || !pieces[1..].iter().all(|p| is_id(p) || is_level(p))
        {
            return name.to_vec();
        }
        let mut expanded = Vec::new();
        for piece in pieces {
            expanded.push(match split_id(piece) {
                Some((id, _)) => self.look_up(Table::Functions, line, id),
                None => piece.to_vec(),
            });
        }
        expanded.join(&b'\'')
    }

    /// "Hidden options: `frfn=`, `rec=`, `bb=`, `ln=`, `mp=`: ignore but learn ids."
    pub(crate) fn ignored(&mut self, line: u64, key: &str, value: &[u8]) {
        if let ("frfn", Some((id, name @ [_, ..]))) = (key, split_id(value)) {
            self.define(Table::Functions, line, id, name);
        }
    }
}
