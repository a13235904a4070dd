//! Resolves compressed names: `(12) name` defines that 12 means a name from here on, `(12)` uses
//! it.
//!
//! There is one table each for objects, files and functions, which all keys of that kind share. The
//! tables live as long as the file, across parts. An id does not identify a function: several ids
//! can mean one name, and a file can redefine an id.
//!
//! A name can be composed of ids, as Callgrind's undocumented `--compress-mangled=yes` writes it.
//! Any name can look like that, so names in cgannotate's own files are never composed.
//!
//! For whoever changes this: the parser calls [`NameTables`] for every name line, so the usual
//! forms must stay fast: a lone id, and a name that repeats the last one. Ids and names come from
//! the file. The size of the tables and of composed names must stay in proportion to the bytes that
//! were read.

use crate::{
    input::{excerpt::shown, number::digits},
    profile::{Head, NameId, WarningKind},
};
use foldhash::HashMap;

/// The text of a name line, parsed.
#[derive(Debug, PartialEq)]
pub(crate) enum NameText<'a> {
    /// A name without an id.
    Plain(&'a [u8]),
    /// An id with its name.
    Definition(u64, &'a [u8]),
    /// An id alone.
    Reference(u64),
}

/// Parses the text after the `=` of a name line. White space around the name is not part of it.
pub(crate) fn spelled(text: &[u8]) -> NameText<'_> {
    let text = text.trim_ascii();
    let Some((id, rest)) = leading_id(text) else {
        return NameText::Plain(text);
    };
    match rest.trim_ascii() {
        [] => NameText::Reference(id),
        name => NameText::Definition(id, name),
    }
}

/// The id of a lone `(12)`, the form of most name lines.
#[inline]
fn plain_reference(text: &[u8]) -> Option<u64> {
    match text {
        [b'(', id @ .., b')'] => digits(id),
        _ => None,
    }
}

/// The id of `(12)` at the start of `text`, and the rest.
fn leading_id(text: &[u8]) -> Option<(u64, &[u8])> {
    let rest = text.strip_prefix(b"(")?;
    let end = memchr::memchr(b')', rest)?;
    // Ids too large for 64 bits share the largest one; no file has as many names.
    Some((digits(&rest[..end])?, &rest[end + 1..]))
}

/// The name of an id, and the part of the file that defined it.
#[derive(Clone)]
struct IdDefinition {
    name: NameId,
    part: u32,
}

const FREE: IdDefinition = IdDefinition {
    name: NameId(u32::MAX),
    part: 0,
};

/// The names of the ids of one kind.
#[derive(Default)]
struct IdTable {
    /// The definitions of small ids, indexed by id.
    dense: Vec<IdDefinition>,
    sparse: HashMap<u64, IdDefinition>,
    definitions: u64,
}

impl IdTable {
    /// The name of an id.
    #[inline]
    fn get(&self, id: u64) -> Option<NameId> {
        let dense = usize::try_from(id).ok().and_then(|at| self.dense.get(at));
        match dense {
            Some(&IdDefinition { name, .. }) if name != FREE.name => Some(name),
            _ if self.sparse.is_empty() => None,
            _ => self.sparse.get(&id).map(|definition| definition.name),
        }
    }

    /// Defines an id from here on. `part` is the index of the part in the file. Returns the id's
    /// previous name if the same part gave it a different one.
    fn define(&mut self, id: u64, name: NameId, part: u32) -> Option<NameId> {
        self.definitions += 1;
        // The dense table stays in proportion to the definitions that were read. Its initial
        // allowance is for writers that number all names of a program and write only some of them.
        let limit = (1 << 19) + 16 * self.definitions;
        let new = IdDefinition { name, part };
        let old = if id < limit && !self.sparse.contains_key(&id) {
            let at = id as usize;
            if at >= self.dense.len() {
                self.dense.resize(at + 1, FREE);
            }
            std::mem::replace(&mut self.dense[at], new)
        } else {
            self.sparse.insert(id, new).unwrap_or(FREE)
        };
        let is_another = old.name != FREE.name && old.name != name && old.part == part;
        is_another.then_some(old.name)
    }
}

/// The kinds of names.
#[derive(Clone, Copy)]
pub(crate) enum NameKind {
    /// `ob=`, `cob=`
    Objects,
    /// `fl=`, `fi=`, `fe=`, `cfi=`, `cfl=`, `jfi=`
    Files,
    /// `fn=`, `cfn=`, `jfn=`, `frfn=`
    Functions,
}

/// The position of the parser, for messages and limits.
#[derive(Clone, Copy)]
pub(crate) struct ReadPosition {
    pub line: u64,
    /// Counts the parts of the file.
    pub part: u32,
    /// How many bytes have been read.
    pub read: u64,
}

/// The total length that composed names may have beyond 8 times the length of the file.
const LONGEST_EXPANSIONS: u64 = 1 << 20;

/// The names of all ids of one file.
pub(crate) struct NameTables {
    tables: [IdTable; 3],
    /// The total length of composed names.
    expanded: u64,
    /// Whether names can be composed of ids.
    pub composes: bool,
    /// A prefix to remove from file names, such as the current directory.
    strip: Vec<u8>,
}

impl NameTables {
    pub(crate) fn new(strip: &[u8]) -> NameTables {
        NameTables {
            tables: Default::default(),
            expanded: 0,
            composes: true,
            strip: strip.to_vec(),
        }
    }

    /// Resolves the text after `=` to a name.
    pub(crate) fn name(
        &mut self,
        names: NameKind,
        value: &[u8],
        at: ReadPosition,
        head: &mut Head,
    ) -> NameId {
        if let Some(id) = plain_reference(value) {
            return self.reference(names, id, at, head);
        }
        let (id, text) = match spelled(value) {
            NameText::Reference(id) => return self.reference(names, id, at, head),
            NameText::Definition(id, text) => (Some(id), text),
            NameText::Plain(text) => (None, text),
        };
        let expanded = match (names, id) {
            (NameKind::Functions, Some(_)) if self.composes => self.expand(text, at, head),
            _ => None,
        };
        let text = expanded.as_deref().unwrap_or(text);
        let text = match names {
            NameKind::Files => text
                .strip_prefix(&self.strip[..])
                .filter(|t| !t.is_empty())
                .unwrap_or(text),
            NameKind::Objects | NameKind::Functions => text,
        };
        let unknown = match names {
            NameKind::Objects => NameId::EMPTY,
            NameKind::Files | NameKind::Functions => NameId::UNKNOWN,
        };
        // Every part defines its ids again, usually as the previous part did.
        let before = id
            .and_then(|id| self.tables[names as usize].get(id))
            .filter(|&before| head.names.is(before, text));
        let name = before.unwrap_or_else(|| head.names.intern_or(text, unknown));
        if let Some(id) = id
            && let Some(old) = self.tables[names as usize].define(id, name, at.part)
        {
            let text = |name: NameId| shown(&head.names.lent(name).text());
            let (old, new, one) = (text(old), text(name), one(names));
            let message = || format!("{one} ({id}) was `{old}` and is `{new}` from here on");
            head.warn(Some(at.line), WarningKind::RedefinedId, message);
        }
        name
    }

    /// The name of an id, or the id's own text if it was never defined.
    #[inline]
    fn reference(&mut self, names: NameKind, id: u64, at: ReadPosition, head: &mut Head) -> NameId {
        match self.tables[names as usize].get(id) {
            Some(name) => name,
            None => self.undefined(names, id, at, head),
        }
    }

    #[cold]
    fn undefined(&mut self, names: NameKind, id: u64, at: ReadPosition, head: &mut Head) -> NameId {
        let message = || format!("{} ({id}) was not defined before", one(names));
        head.warn(Some(at.line), WarningKind::UndefinedId, message);
        let name = head.names.intern(format!("({id})").as_bytes());
        // A later definition in this part must not count as a redefinition.
        self.tables[names as usize].define(id, name, at.part.wrapping_sub(1));
        name
    }

    /// Resolves a composed name, as `--compress-mangled=yes` writes it: `(10)'2'(20)` is
    /// `foo'2'main`.
    fn expand(&mut self, text: &[u8], at: ReadPosition, head: &mut Head) -> Option<Vec<u8>> {
        if !text.starts_with(b"(") {
            return None;
        }
        let is_id = |piece: &[u8]| leading_id(piece).is_some_and(|(_, rest)| rest.is_empty());
        let is_level = |piece: &[u8]| !piece.is_empty() && piece.iter().all(u8::is_ascii_digit);
        let pieces = || text.split(|&b| b == b'\'');
        let (first, rest) = (pieces().next()?, || pieces().skip(1));
        if !is_id(first)
            || rest().next().is_none()
            || !rest().all(|piece| is_id(piece) || is_level(piece))
        {
            return None;
        }
        let mut name = Vec::new();
        for (number, piece) in pieces().enumerate() {
            if number > 0 {
                name.push(b'\'');
            }
            match leading_id(piece) {
                Some((id, _)) => {
                    let known = self.reference(NameKind::Functions, id, at, head);
                    head.names
                        .lent(known)
                        .pieces()
                        .for_each(|piece| name.extend_from_slice(piece));
                }
                None => name.extend_from_slice(piece),
            }
            // Names of names of names could double in length with every line.
            if self.expanded + name.len() as u64 > LONGEST_EXPANSIONS + 8 * at.read {
                let message = || {
                    "the names that this name is made of are too long together; it is used as written".into()
                };
                head.warn(Some(at.line), WarningKind::MalformedLine, message);
                return None;
            }
        }
        self.expanded += name.len() as u64;
        Some(name)
    }
}

/// The word for a kind of name in messages.
fn one(names: NameKind) -> &'static str {
    match names {
        NameKind::Objects => "object",
        NameKind::Files => "file",
        NameKind::Functions => "function",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_in_parentheses_are_an_id() {
        assert_eq!(spelled(b"(12) main "), NameText::Definition(12, b"main"));
        assert_eq!(spelled(b" (007)  "), NameText::Reference(7));
        assert_eq!(spelled(b"(1)name"), NameText::Definition(1, b"name"));
        for plain in ["(below main)", "(12 foo", "()", "", "f(1)"] {
            assert_eq!(spelled(plain.as_bytes()), NameText::Plain(plain.as_bytes()));
        }
    }

    #[test]
    fn huge_ids_cost_no_memory_and_survive_growth() {
        let mut ids = IdTable::default();
        let far = 5_000_000;
        assert_eq!(ids.define(far, NameId(3), 0), None);
        assert_eq!(ids.define(u64::MAX, NameId(4), 0), None);
        assert_eq!(ids.dense.len(), 0);
        for id in 0..300_000 {
            ids.define(id, NameId(9), 0);
        }
        ids.define(far + 1, NameId(7), 0);
        assert!(ids.dense.len() as u64 > far);
        assert_eq!(ids.get(far), Some(NameId(3)));
        assert_eq!(ids.get(u64::MAX), Some(NameId(4)));
        assert_eq!(ids.define(far, NameId(5), 0), Some(NameId(3)));
        assert_eq!(ids.get(far), Some(NameId(5)));
        assert_eq!(ids.define(far, NameId(6), 1), None);
    }
}
