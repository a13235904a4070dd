//! A borrowed name, which can be written, compared and ordered without the text of all its callers
//! in memory.

use super::{NameId, Names, order};
use std::{borrow::Cow, cmp::Ordering, fmt};

/// A name of a profile, or any other text.
#[derive(Clone, Copy, Default)]
pub struct Name<'a> {
    text: &'a [u8],
    /// A name that is stored as a chain; its text is not here.
    chain: Option<(&'a Names, NameId)>,
}

impl<'a> Name<'a> {
    /// The name of a chain.
    pub(super) fn chain(names: &'a Names, id: NameId) -> Name<'a> {
        Name {
            text: b"",
            chain: Some((names, id)),
        }
    }

    /// The text of the name. For a name with many callers, the first call builds the text, which
    /// then lives as long as the profile.
    pub fn bytes(self) -> &'a [u8] {
        self.chain.map_or(self.text, |(names, id)| names.get(id))
    }

    /// The text of the name, which is not stored.
    pub fn text(self) -> Cow<'a, [u8]> {
        match self.chain {
            None => Cow::Borrowed(self.text),
            Some(_) => Cow::Owned(self.joined()),
        }
    }

    pub(super) fn len(self) -> usize {
        self.pieces().map(<[u8]>::len).sum()
    }

    pub(super) fn joined(self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.len());
        self.pieces()
            .for_each(|piece| text.extend_from_slice(piece));
        text
    }

    /// The text of the name, piece by piece.
    pub fn pieces(self) -> Pieces<'a> {
        let name = |(names, id)| NameRest::Name(names, id);
        Pieces {
            piece: self.text,
            rest: self.chain.map_or(NameRest::Nothing, name),
        }
    }
}

impl<'a> From<&'a [u8]> for Name<'a> {
    fn from(text: &'a [u8]) -> Name<'a> {
        Name { text, chain: None }
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Name<'a> {
    fn from(text: &'a [u8; N]) -> Name<'a> {
        Name::from(&text[..])
    }
}

/// Replaces bytes that are not UTF-8.
impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces()
            .try_for_each(|piece| f.write_str(&String::from_utf8_lossy(piece)))
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// Names have the order of their texts.
impl Ord for Name<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.chain, other.chain) {
            (None, None) => order(self.text, other.text),
            _ => self
                .pieces()
                .differ(other.pieces())
                .map_or(Ordering::Equal, |(_, order)| order),
        }
    }
}

impl PartialOrd for Name<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Name<'_> {}

/// The rest of a name: pieces that together are its text. No piece is empty.
#[derive(Clone, Copy)]
pub struct Pieces<'a> {
    piece: &'a [u8],
    rest: NameRest<'a>,
}

/// What follows a piece.
#[derive(Clone, Copy)]
enum NameRest<'a> {
    Nothing,
    Name(&'a Names, NameId),
    /// A quote, and the name of the caller.
    Caller(&'a Names, NameId),
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while self.piece.is_empty() {
            (self.piece, self.rest) = match self.rest {
                NameRest::Nothing => return None,
                NameRest::Caller(names, caller) => (&b"'"[..], NameRest::Name(names, caller)),
                NameRest::Name(names, id) => {
                    let (function, caller) = names.parts(id);
                    (
                        function,
                        caller.map_or(NameRest::Nothing, |caller| NameRest::Caller(names, caller)),
                    )
                }
            };
        }
        Some(std::mem::take(&mut self.piece))
    }
}

impl<'a> Pieces<'a> {
    /// Skips this many bytes. The result is empty if the name is not longer.
    pub(crate) fn behind(mut self, mut bytes: usize) -> Pieces<'a> {
        while bytes > 0
            && let Some(piece) = self.next()
        {
            let taken = bytes.min(piece.len());
            self.piece = &piece[taken..];
            bytes -= taken;
        }
        self
    }

    /// The length of the common beginning of two names, and their order; `None` if they are equal.
    pub(crate) fn differ(mut self, mut other: Pieces<'a>) -> Option<(usize, Ordering)> {
        let mut common = 0;
        loop {
            if let Some((names, a, b)) = self.both_at(&other) {
                if a == b {
                    return None;
                }
                // Names of one function are equal up to their callers, so the function's text need
                // not be compared.
                if let Some((len, a, b)) = names.callers_of_one(a, b) {
                    (self.rest, other.rest) = (NameRest::Name(names, a), NameRest::Name(names, b));
                    common += len + 1;
                    continue;
                }
            }
            let (a, b) = (self.next(), other.next());
            let (Some(a), Some(b)) = (a, b) else {
                return a.or(b).map(|_| (common, a.cmp(&b)));
            };
            let both = a.len().min(b.len());
            let same = in_common(&a[..both], &b[..both]);
            if same < both {
                return Some((common + same, a[same].cmp(&b[same])));
            }
            (self.piece, other.piece) = (&a[both..], &b[both..]);
            common += both;
        }
    }

    /// The two names, if both iterators are at the beginning of a name of the same table.
    fn both_at(&self, other: &Pieces<'_>) -> Option<(&'a Names, NameId, NameId)> {
        let (NameRest::Name(names, a), NameRest::Name(others, b)) = (self.rest, other.rest) else {
            return None;
        };
        let is_at = self.piece.is_empty() && other.piece.is_empty() && std::ptr::eq(names, others);
        is_at.then_some((names, a, b))
    }
}

/// The length in bytes of the common beginning of two texts.
fn in_common(a: &[u8], b: &[u8]) -> usize {
    let eights = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let common = 8 * eights.take_while(|(a, b)| a == b).count();
    let rest = a[common..].iter().zip(&b[common..]);
    common + rest.take_while(|(a, b)| a == b).count()
}

/// The sort key of a function: file, name, object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct SortKey<'a>(pub(super) [Name<'a>; 3]);
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_file_then_name_then_object() {
        let key = |text: &'static str| {
            let mut names = text.split(' ').map(str::as_bytes);
            SortKey(std::array::from_fn(|_| {
                names.next().unwrap_or_default().into()
            }))
        };
        let sorted = ["a.c f", "a.c f lib", "a.c g", "b.c a", "b.c a lib"].map(key);
        assert!(sorted.is_sorted());
        assert_eq!(sorted[1].cmp(&sorted[1]), Ordering::Equal);
        assert_eq!(sorted[3].cmp(&key("b.c a")), Ordering::Equal);
    }
}
