//! Interned names: every object, file and function name is stored once, as bytes, and named by a [`NameId`].
//!
//! Two names are always there: the empty one (an unknown object) and `???` (an unknown file or function).
//!
//! Names have no white space around them and no line feeds, whatever format they come from: so every format that we
//! write can hold every name and gives it back unchanged.

use super::by_number::Number;
use super::index::Index;
use std::cmp::Ordering;

/// One interned name. Ids are dense and given in order of first appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NameId(pub(crate) u32);

impl NameId {
    /// The empty name: an object that is not known.
    pub const EMPTY: NameId = NameId(0);
    /// `???`: a file or a function that is not known.
    pub const UNKNOWN: NameId = NameId(1);

    /// The id as an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Number for NameId {
    fn number(self) -> u64 {
        self.0.into()
    }
}

/// All names of a profile.
#[derive(Clone)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    index: Index,
}

impl Default for Names {
    fn default() -> Self {
        Names::found_by(Index::default())
    }
}

impl Names {
    fn found_by(index: Index) -> Names {
        let mut names = Names { bytes: Vec::new(), ends: Vec::new(), index };
        names.intern(b"");
        names.intern(b"???");
        names
    }

    /// A table without further names in which names have the hashes that they have here.
    pub(crate) fn like(&self) -> Names {
        Names::found_by(self.index.like())
    }

    /// The hashes of all names that have one, by their ids.
    pub(crate) fn hashes(&self) -> Vec<Option<u32>> {
        let mut hashes = vec![None; self.len()];
        self.index.hashed().for_each(|(id, hash)| hashes[id as usize] = Some(hash));
        hashes
    }

    /// The id of a name from an input, or `unknown` if the name is empty.
    pub(crate) fn intern_or(&mut self, name: &[u8], unknown: NameId) -> NameId {
        match name.trim_ascii() {
            [] => unknown,
            name => self.intern(name),
        }
    }

    /// The id of `name`, which must not contain a line feed. A new name is stored, without white space around it.
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        let name = name.trim_ascii();
        self.intern_hashed(name, self.index.hash(name))
    }

    /// The id of a name that is stored in a table [like](Self::like) this one, with its hash there.
    pub(crate) fn intern_hashed(&mut self, name: &[u8], hash: u32) -> NameId {
        let (bytes, ends) = (&self.bytes, &self.ends);
        let next = u32::try_from(ends.len()).unwrap_or(u32::MAX);
        let id = self.index.number_hashed(hash, |id| slice(bytes, ends, NameId(id)) == name, next);
        if id == next {
            self.bytes.extend_from_slice(name);
            self.ends.push(self.bytes.len());
        }
        NameId(id)
    }

    /// An id whose name is not known yet: its name is empty, and nothing finds it.
    pub(crate) fn unnamed(&mut self) -> NameId {
        let id = NameId(u32::try_from(self.ends.len()).unwrap_or(u32::MAX));
        self.ends.push(self.bytes.len());
        id
    }

    /// The id of `name` if it occurs in the profile.
    pub fn find(&self, name: &[u8]) -> Option<NameId> {
        self.index.find(name, |id| self.get(NameId(id)) == name).map(NameId)
    }

    /// The bytes of a name.
    pub fn get(&self, id: NameId) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never true: two names are always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// The order of two names. Equal ids are not compared as bytes: very many functions may share one very long name.
pub(crate) fn order(a: &[u8], b: &[u8]) -> Ordering {
    if std::ptr::eq(a, b) { Ordering::Equal } else { a.cmp(b) }
}

/// The sort key of a function: file, name, object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SortKey<'a>(pub(super) [&'a [u8]; 3]);

impl<'a> SortKey<'a> {
    /// The key of a file alone.
    pub(crate) fn file(name: &'a [u8]) -> SortKey<'a> {
        SortKey([name, &[], &[]])
    }

    /// File, name and object.
    pub fn names(&self) -> (&'a [u8], &'a [u8], &'a [u8]) {
        (self.0[0], self.0[1], self.0[2])
    }
}

impl Ord for SortKey<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().zip(other.0).map(|(a, b)| order(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for SortKey<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: NameId) -> &'a [u8] {
    let at = id.0 as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &bytes[start..ends[at]]
}

/// A name without its recursion level: `f` for `f'2`, and `f'caller` for `f'2'caller` (`--separate-callers` puts
/// callers behind the level). `None` if there is no level.
pub(crate) fn without_level(name: &[u8]) -> Option<Vec<u8>> {
    for (quote, _) in name.iter().enumerate().skip(1).filter(|&(_, &b)| b == b'\'') {
        let level = level(&name[quote..]);
        if level > 0 {
            return Some([&name[..quote], &name[quote + level..]].concat());
        }
    }
    None
}

/// How long the recursion level is that begins with this quote; 0 if none does.
fn level(name: &[u8]) -> usize {
    let digits = name[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let ends = matches!(name.get(1 + digits), None | Some(b'\''));
    if digits > 0 && ends { 1 + digits } else { 0 }
}

/// A name's function, recursion level and callers, of which it may have none: `f`, `'2` and `'g'main` of `f'2'g'main`.
///
/// Quotes in brackets are lifetimes or letters, and those of `'lambda'` and `'unnamed'` belong to the name.
pub(crate) fn pieces(name: &[u8]) -> [&[u8]; 3] {
    const SIGNS: [&[u8]; 5] = [b"operator<<", b"operator>>", b"operator<", b"operator>", b"->"];
    let (mut depth, mut at) = (0usize, 0);
    // Most names have no quote.
    let end = if name.contains(&b'\'') { name.len() } else { 0 };
    while at < end {
        let rest = &name[at..];
        let begins = at == 0 || name[..at].ends_with(b"::");
        at += match rest[0] {
            b'o' | b'-' => SIGNS.iter().find(|sign| rest.starts_with(sign)).map_or(1, |sign| sign.len()),
            b'<' | b'(' | b'[' | b'{' => {
                depth += 1;
                1
            }
            b'>' | b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                1
            }
            b'\'' if begins && [&b"'lambda"[..], b"'unnamed"].iter().any(|word| rest.starts_with(word)) => {
                rest[1..].iter().position(|&b| b == b'\'').map_or(1, |closing| closing + 2)
            }
            b'\'' if depth == 0 && at > 0 => {
                let (level, callers) = rest.split_at(level(rest));
                return [&name[..at], level, callers];
            }
            _ => 1,
        };
    }
    [name, b"", b""]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_file_then_name_then_object() {
        let key = |text: &'static str| {
            let mut names = text.split(' ').map(str::as_bytes);
            SortKey(std::array::from_fn(|_| names.next().unwrap_or_default()))
        };
        let sorted = ["a.c f", "a.c f lib", "a.c g", "b.c a", "b.c a lib"].map(key);
        assert!(sorted.is_sorted());
        assert_eq!(sorted[1].cmp(&sorted[1]), Ordering::Equal);
        assert_eq!(sorted[3].cmp(&key("b.c a")), Ordering::Equal);
    }

    #[test]
    fn levels_are_told_from_callers() {
        for (name, want) in [
            ("f", None),
            ("f'2", Some("f")),
            ("f'2'main", Some("f'main")),
            ("f'g'main", None),
            ("f'12'g'main", Some("f'g'main")),
            ("'2", None),
            ("f'2x", None),
            ("a<'b>::c'3", Some("a<'b>::c")),
        ] {
            assert_eq!(without_level(name.as_bytes()), want.map(|w| w.as_bytes().to_vec()), "{name}");
        }
    }

    #[test]
    fn functions_are_told_from_levels_and_callers() {
        for (name, want) in [
            ("f", ["f", "", ""]),
            ("f'2", ["f", "'2", ""]),
            ("f'g'main", ["f", "", "'g'main"]),
            ("f'2'g'main", ["f", "'2", "'g'main"]),
            ("main'(below main)", ["main", "", "'(below main)"]),
            ("(below main)'f", ["(below main)", "", "'f"]),
            ("f'2x", ["f", "", "'2x"]),
            ("a<'b>::c(&'d e)'3'g", ["a<'b>::c(&'d e)", "'3", "'g"]),
            ("f()::'lambda0'(int)::operator()(int)'main", ["f()::'lambda0'(int)::operator()(int)", "", "'main"]),
            ("'unnamed'::f'2", ["'unnamed'::f", "'2", ""]),
            ("f'lambda_user", ["f", "", "'lambda_user"]),
            ("operator<'main", ["operator<", "", "'main"]),
            ("a::operator->'b::operator<< <c>", ["a::operator->", "", "'b::operator<< <c>"]),
            ("'2", ["'2", "", ""]),
            ("f<'g", ["f<'g", "", ""]),
            ("f'", ["f", "", "'"]),
            ("", ["", "", ""]),
        ] {
            assert_eq!(pieces(name.as_bytes()), want.map(str::as_bytes), "{name}");
        }
    }
}
