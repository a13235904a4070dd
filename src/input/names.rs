//! Compressed names: `(12) name` says that 12 stands for a name from here on, `(12)` uses it.
//!
//! There is one table for objects, one for files and one for functions, shared by all keys of a kind. They live as long
//! as the file, over its parts. An id is no identity: several can stand for one name, and one can be given anew.

use super::lines::trim;
use crate::profile::NameId;
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// `(12) name` taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Spelled<'a> {
    /// A plain name.
    Plain(&'a [u8]),
    /// An id with its name.
    Definition(u64, &'a [u8]),
    /// An id alone.
    Reference(u64),
}

/// Takes apart what follows the `=` of a name line. Blanks around the name do not belong to it.
pub(crate) fn spelled(text: &[u8]) -> Spelled<'_> {
    let text = trim(text);
    let Some((id, rest)) = leading_id(text) else {
        return Spelled::Plain(text);
    };
    match trim(rest) {
        [] => Spelled::Reference(id),
        name => Spelled::Definition(id, name),
    }
}

/// The id of `(12)` at the start of `text`, and what follows.
pub(crate) fn leading_id(text: &[u8]) -> Option<(u64, &[u8])> {
    let rest = text.strip_prefix(b"(")?;
    let len = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if len == 0 || rest.get(len) != Some(&b')') {
        return None;
    }
    // Ids too large for 64 bits share the largest one; no file has as many names.
    let id = rest[..len].iter().fold(0u64, |id, b| id.saturating_mul(10).saturating_add(u64::from(b - b'0')));
    Some((id, &rest[len + 1..]))
}

#[derive(Clone, Copy)]
struct Entry {
    name: NameId,
    part: u32,
}

const FREE: Entry = Entry { name: NameId(u32::MAX), part: 0 };

/// What becomes of a definition.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Defined {
    /// New, or the same as before, or given anew by a new part.
    Fine,
    /// Another name than before in the same part.
    Redefined(NameId),
}

/// The names that the ids of one kind stand for.
#[derive(Default)]
pub(crate) struct IdTable {
    dense: Vec<Entry>,
    sparse: HashMap<u64, Entry, RandomState>,
    definitions: usize,
}

impl IdTable {
    /// What an id stands for.
    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<NameId> {
        match usize::try_from(id).ok().and_then(|at| self.dense.get(at)) {
            Some(entry) if entry.name != FREE.name => Some(entry.name),
            _ if self.sparse.is_empty() => None,
            _ => self.sparse.get(&id).map(|entry| entry.name),
        }
    }

    /// Lets an id stand for a name from here on. `part` counts the parts of the file.
    pub(crate) fn define(&mut self, id: u64, name: NameId, part: u32) -> Defined {
        self.definitions += 1;
        let entry = Entry { name, part };
        // The dense table stays in proportion to the definitions that were read.
        let limit = 1024 + 16 * self.definitions as u64;
        let old = if id < limit && !self.sparse.contains_key(&id) {
            let at = id as usize;
            if at >= self.dense.len() {
                self.dense.resize(at + 1, FREE);
            }
            std::mem::replace(&mut self.dense[at], entry)
        } else {
            self.sparse.insert(id, entry).unwrap_or(FREE)
        };
        if old.name == FREE.name || old.name == name || old.part != part {
            Defined::Fine
        } else {
            Defined::Redefined(old.name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_in_parentheses_are_an_id() {
        assert_eq!(spelled(b"(12) main "), Spelled::Definition(12, b"main"));
        assert_eq!(spelled(b" (007)  "), Spelled::Reference(7));
        assert_eq!(spelled(b"(1)name"), Spelled::Definition(1, b"name"));
        for plain in ["(below main)", "(12 foo", "()", "", "f(1)"] {
            assert_eq!(spelled(plain.as_bytes()), Spelled::Plain(plain.as_bytes()));
        }
    }

    #[test]
    fn huge_ids_cost_no_memory_and_survive_growth() {
        let mut ids = IdTable::default();
        assert_eq!(ids.define(5000, NameId(3), 0), Defined::Fine);
        assert_eq!(ids.define(u64::MAX, NameId(4), 0), Defined::Fine);
        assert_eq!(ids.dense.len(), 0);
        for id in 0..4000 {
            ids.define(id, NameId(9), 0);
        }
        ids.define(6000, NameId(7), 0);
        assert_eq!(ids.get(5000), Some(NameId(3)));
        assert_eq!(ids.get(u64::MAX), Some(NameId(4)));
        assert_eq!(ids.define(5000, NameId(5), 0), Defined::Redefined(NameId(3)));
        assert_eq!(ids.get(5000), Some(NameId(5)));
        assert_eq!(ids.define(5000, NameId(6), 1), Defined::Fine);
    }
}
