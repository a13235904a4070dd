//! Interned names: every object, file and function name is stored once, as bytes, and identified by
//! a [`NameId`].
//!
//! Two names always exist: the empty one (an unknown object) and `???` (an unknown file or
//! function).
//!
//! Names have no white space around them and no line feeds, in any format. So every format that
//! cgannotate writes can hold every name and returns it unchanged.
//!
//! For whoever changes this: with `--separate-callers`, names are long and have long common ends,
//! so the table stores them in pieces (see [`Names`]). Whether a name is cut, and where, depends on
//! its text alone. So each name has exactly one form, and equal names have equal ids. Hashes are
//! combined from the pieces, so that no lookup needs the whole text. The test at the end compares
//! the table with plain strings.

use super::{Name, index::Index};
use std::{
    borrow::{Borrow, Cow},
    cmp::Ordering,
    fmt::Debug,
    path::PathBuf,
    sync::OnceLock,
};

/// One interned name. Ids are dense, in order of first appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub struct NameId(pub(crate) u32);

impl NameId {
    /// The empty name: an unknown object.
    pub const EMPTY: NameId = NameId(0);
    /// `???`: an unknown file or function.
    pub const UNKNOWN: NameId = NameId(1);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names of a profile.
///
/// With `--separate-callers` a name consists of a function and all its callers (`f'g'main`), and
/// very many names end alike. So a long name is stored as its function and the name of its caller
/// (`f` and `g'main`), which other names share. A run of rustc with 15 callers each has 728 MB of
/// names; its whole profile takes less than a third of that. [`get`](Names::get) builds the text of
/// such a name and keeps it. A [`Name`] is written, compared and ordered without the text.
#[derive(Clone)]
pub struct Names {
    places: Vec<StoredName>,
    bytes: Vec<u8>,
    index: Index,
    texts: NameTexts,
    /// Where the current name is cut; kept so that a lookup allocates nothing.
    cuts: Vec<Cut>,
}

/// The place of a name.
#[derive(Clone, Copy)]
struct StoredName {
    /// The start and length of its bytes, or of its function's bytes.
    start: usize,
    len: usize,
    /// The names of its function and its caller if they are stored separately; else both are
    /// [`WHOLE`].
    function: NameId,
    caller: NameId,
}

/// Replaces function and caller of a name that is stored whole.
const WHOLE: NameId = NameId(u32::MAX);

/// The texts of names that are stored as function and caller, if someone asked for them, by name
/// id. A clone of the table has none: they can be built again.
#[derive(Default)]
struct NameTexts(OnceLock<Vec<OnceLock<Box<[u8]>>>>);

impl Clone for NameTexts {
    fn clone(&self) -> Self {
        NameTexts::default()
    }
}

/// A quote at which a name is cut. It has two hashes: of the text between the previous cut and this
/// quote, and of the whole name from the previous cut on.
#[derive(Clone)]
struct Cut {
    start: usize,
    quote: usize,
    function: u32,
    whole: u32,
}

/// Whether a name of this many bytes and quotes is stored as a function and its caller. That takes
/// up to 70 bytes if nothing is shared. It depends on the text alone, so that every name is stored
/// in one way.
fn is_chain(len: usize, quotes: usize) -> bool {
    quotes > 0 && quotes <= len / 48
}

impl Default for Names {
    fn default() -> Self {
        let (places, bytes, index, texts, cuts) = Default::default();
        let mut names = Names {
            places,
            bytes,
            index,
            texts,
            cuts,
        };
        names.intern(b"");
        names.intern(b"???");
        names
    }
}

impl Names {
    /// The id of a name from an input, or `unknown` if the name is empty.
    pub(crate) fn intern_or(&mut self, name: &[u8], unknown: NameId) -> NameId {
        match name.trim_ascii() {
            [] => unknown,
            name => self.intern(name),
        }
    }

    /// The id of `name`, which must not contain a line feed. A new name is stored without white
    /// space around it.
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        let name = name.trim_ascii();
        let mut cuts = std::mem::take(&mut self.cuts);
        let (last, hash) = self.cut(name, &mut cuts);
        // Usually the caller's name exists already.
        let known =
            |(at, cut): (usize, &Cut)| Some((at, self.find_hashed(&name[cut.start..], cut.whole)?));
        let (new, mut id) = match cuts.iter().enumerate().find_map(known) {
            Some(found) => found,
            None => (cuts.len(), self.intern_whole(&name[last..], hash)),
        };
        for cut in cuts[..new].iter().rev() {
            let function = self.intern_whole(&name[cut.start..cut.quote], cut.function);
            id = self.intern_chain(function, id, cut.whole);
        }
        self.cuts = cuts;
        id
    }

    /// Finds the cuts of a name. Returns the start of the text after the last cut, and its hash.
    fn cut(&self, name: &[u8], cuts: &mut Vec<Cut>) -> (usize, u32) {
        cuts.clear();
        let mut start = 0;
        if is_chain(name.len(), 1) {
            let mut quotes = memchr::memchr_iter(b'\'', name);
            let mut left = quotes.clone().count();
            while is_chain(name.len() - start, left)
                && let Some(quote) = quotes.next()
            {
                cuts.push(Cut {
                    start,
                    quote,
                    function: self.index.hash(&name[start..quote]),
                    whole: 0,
                });
                (start, left) = (quote + 1, left - 1);
            }
        }
        let hash = self.index.hash(&name[start..]);
        cuts.iter_mut().rev().fold(hash, |caller, cut| {
            cut.whole = self.chain_hash(cut.function, caller);
            cut.whole
        });
        (start, hash)
    }

    /// The hash of a name, from the hashes of its function and its caller.
    fn chain_hash(&self, function: u32, caller: u32) -> u32 {
        self.index.hash([function, caller])
    }

    fn find_hashed(&self, name: &[u8], hash: u32) -> Option<NameId> {
        self.index
            .find_hashed(hash, |id| self.is(NameId(id), name))
            .map(NameId)
    }

    /// The id of a name that is stored whole.
    fn intern_whole(&mut self, name: &[u8], hash: u32) -> NameId {
        let (places, bytes) = (&self.places, &self.bytes);
        let is_same = |id: u32| {
            let place = places[id as usize];
            place.caller == WHOLE && place.bytes(bytes) == name
        };
        let next = self.next();
        let id = NameId(self.index.number_hashed(hash, is_same, next.0));
        if id == next {
            self.push(StoredName {
                start: self.bytes.len(),
                len: name.len(),
                function: WHOLE,
                caller: WHOLE,
            });
            self.bytes.extend_from_slice(name);
        }
        id
    }

    /// The id of a name that is stored as a function, itself stored whole, and its caller.
    fn intern_chain(&mut self, function: NameId, caller: NameId, hash: u32) -> NameId {
        let places = &self.places;
        let is_same = |id: u32| {
            (places[id as usize].function, places[id as usize].caller) == (function, caller)
        };
        let next = self.next();
        let id = NameId(self.index.number_hashed(hash, is_same, next.0));
        if id == next {
            self.push(StoredName {
                function,
                caller,
                ..self.places[function.index()]
            });
        }
        id
    }

    fn next(&self) -> NameId {
        NameId(u32::try_from(self.places.len()).unwrap_or(u32::MAX))
    }

    fn push(&mut self, place: StoredName) {
        self.places.push(place);
        if let Some(texts) = self.texts.0.get_mut() {
            texts.push(OnceLock::new());
        }
    }

    /// Adds all names of another table, and returns their ids here.
    pub(crate) fn absorb(&mut self, other: &Names) -> Vec<NameId> {
        let mut all: Vec<(NameId, u32)> = Vec::with_capacity(other.len());
        for place in &other.places {
            let (id, hash) = if place.caller == WHOLE {
                let name = place.bytes(&other.bytes);
                let hash = self.index.hash(name);
                (self.intern_whole(name, hash), hash)
            } else {
                let [function, caller] = [place.function, place.caller].map(|id| all[id.index()]);
                let hash = self.chain_hash(function.1, caller.1);
                (self.intern_chain(function.0, caller.0, hash), hash)
            };
            all.push((id, hash));
        }
        all.into_iter().map(|(id, _)| id).collect()
    }

    /// The id of `name` if it occurs in the profile, even if only as a caller in another name.
    pub fn find(&self, name: &[u8]) -> Option<NameId> {
        let mut cuts = Vec::new();
        let (_, hash) = self.cut(name, &mut cuts);
        self.find_hashed(name, cuts.first().map_or(hash, |cut| cut.whole))
    }

    /// The text of a name. For a name with many callers, the first call builds the text, which is
    /// kept.
    pub fn get(&self, id: NameId) -> &[u8] {
        let place = self.places[id.index()];
        if place.caller == WHOLE {
            return place.bytes(&self.bytes);
        }
        let texts = self
            .texts
            .0
            .get_or_init(|| self.places.iter().map(|_| OnceLock::new()).collect());
        texts[id.index()].get_or_init(|| Name::chain(self, id).joined().into())
    }

    /// A name, without building its text.
    pub fn lent(&self, id: NameId) -> Name<'_> {
        match self.parts(id) {
            (name, None) => name.into(),
            (_, Some(_)) => Name::chain(self, id),
        }
    }

    /// The stored pieces of a name: its function and its caller, or the whole name.
    pub(super) fn parts(&self, id: NameId) -> (&[u8], Option<NameId>) {
        let place = self.places[id.index()];
        (
            place.bytes(&self.bytes),
            Some(place.caller).filter(|&caller| caller != WHOLE),
        )
    }

    /// For two names that are stored as the same function with a caller: the length of the
    /// function, and the callers.
    pub(super) fn callers_of_one(&self, a: NameId, b: NameId) -> Option<(usize, NameId, NameId)> {
        let (a, b) = (self.places[a.index()], self.places[b.index()]);
        (a.function == b.function && a.caller != WHOLE && b.caller != WHOLE)
            .then_some((a.len, a.caller, b.caller))
    }

    /// The text before one of the quotes in a name, or the whole name. It shows how the name
    /// begins.
    pub(crate) fn beginning(&self, id: NameId) -> &[u8] {
        self.parts(id).0
    }

    /// Whether this is the text of a name.
    pub(crate) fn is(&self, mut id: NameId, mut text: &[u8]) -> bool {
        while let (function, Some(caller)) = self.parts(id) {
            match text
                .strip_prefix(function)
                .and_then(|text| text.strip_prefix(b"'"))
            {
                Some(rest) => (id, text) = (caller, rest),
                None => return false,
            }
        }
        self.parts(id).0 == text
    }

    /// Whether a name has a quote, after which there may be callers.
    pub(crate) fn may_have_callers(&self, id: NameId) -> bool {
        let (name, caller) = self.parts(id);
        caller.is_some() || memchr::memchr(b'\'', name).is_some()
    }

    /// The ids of all names, in order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NameId> + use<> {
        (0..self.next().0).map(NameId)
    }

    /// The number of stored names: those of the profile, and the pieces of some of them.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Never true: two names always exist.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

impl StoredName {
    fn bytes(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.start + self.len]
    }
}

/// Caches a change of names, so that it is computed once per name.
#[derive(Default)]
pub(crate) struct Changed(Vec<Option<NameId>>);

impl Changed {
    /// The changed name.
    pub(crate) fn rename(
        &mut self,
        names: &mut Names,
        id: NameId,
        change: impl FnOnce(&[u8]) -> Cow<'_, [u8]>,
    ) -> NameId {
        if let Some(&Some(known)) = self.0.get(id.index()) {
            return known;
        }
        let changed = change(&names.lent(id).text()).into_owned();
        let changed = names.intern(&changed);
        if self.0.len() <= id.index() {
            self.0.resize(id.index() + 1, None);
        }
        self.0[id.index()] = Some(changed);
        changed
    }
}

/// Orders two names. The same text in memory is not compared: very many functions may have one very
/// long name.
pub(crate) fn order(a: &[u8], b: &[u8]) -> Ordering {
    if std::ptr::eq(a, b) {
        Ordering::Equal
    } else {
        a.cmp(b)
    }
}

/// Removes the hash at the end of Rust's legacy symbol names.
pub(crate) fn without_hash(name: &[u8]) -> &[u8] {
    match name.len().checked_sub(19).map(|at| name.split_at(at)) {
        Some((plain, hash))
            if hash.starts_with(b"::h") && hash[3..].iter().all(u8::is_ascii_hexdigit) =>
        {
            plain
        }
        _ => name,
    }
}

/// Bytes as text; those that are not UTF-8 are replaced.
pub(crate) fn to_text(bytes: impl AsRef<[u8]>) -> String {
    String::from_utf8_lossy(bytes.as_ref()).into_owned()
}

/// The name of an enum's variant as reports and documents write it: `low-summary` for `LowSummary`.
pub(crate) fn kebab_case(variant: impl Debug) -> String {
    let mut name = String::new();
    for letter in format!("{variant:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Texts with a separator between them.
pub(crate) fn joined<T: Borrow<str>>(texts: impl IntoIterator<Item = T>, by: &str) -> String {
    texts.into_iter().collect::<Vec<_>>().join(by)
}

/// The name as a path of this system.
#[cfg(unix)]
pub(crate) fn to_path(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

/// The name as a path of this system.
#[cfg(not(unix))]
pub(crate) fn to_path(name: &[u8]) -> PathBuf {
    PathBuf::from(to_text(name))
}

/// The bytes of a path.
pub(crate) fn path_bytes(path: &(impl AsRef<std::ffi::OsStr> + ?Sized)) -> &[u8] {
    path.as_ref().as_encoded_bytes()
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    let digits = bytes.as_ref().iter().map(|byte| format!("{byte:02x}"));
    digits.collect()
}

/// The text after the last slash of a path.
pub(crate) fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}

/// Removes build hashes from the path of a file or object: `-0123456789abcdef` at the end of a
/// component (Cargo's), and the commit in `/rustc/<40 digits>/`.
pub fn normalised_path(path: &[u8]) -> Cow<'_, [u8]> {
    let hash = |digits: &[u8]| {
        digits
            .iter()
            .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let component = |part: &[u8]| -> usize {
        match part.len() {
            40 if hash(part) => 0,
            len if len > 17 && part[len - 17] == b'-' && hash(&part[len - 16..]) => len - 17,
            len => len,
        }
    };
    if path
        .split(|&b| b == b'/')
        .all(|part| component(part) == part.len())
    {
        return Cow::Borrowed(path);
    }
    let parts: Vec<&[u8]> = path
        .split(|&b| b == b'/')
        .map(|part| &part[..component(part)])
        .collect();
    Cow::Owned(parts.join(&b'/'))
}

/// The stable part of a command: without the folder of its program, Cargo's hash, and the numbers
/// of a benchmark, which change if another one is added.
pub fn run_of(command: &[u8]) -> (Vec<u8>, Vec<&[u8]>) {
    let mut words = command.trim_ascii().split(|&b| b == b' ');
    let program = normalised_path(base_name(words.next().unwrap_or_default())).into_owned();
    let mut arguments: Vec<&[u8]> = words.collect();
    if arguments
        .first()
        .is_some_and(|&first| first == b"--gungraun-run" || first == b"--iai-run")
    {
        let is_digit = |&b: &u8| b.is_ascii_digit() || b == b'-';
        arguments.retain(|word| !word.iter().all(is_digit));
    }
    (program, arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with few and many callers, with hardly more than quotes, and with none.
    fn spelled() -> Vec<Vec<u8>> {
        let long = "a_function_with_a_name_of_some_length(int, char const*)";
        let mut names: Vec<String> = ["", "???", "f", "f'2", "'"].map(String::from).into();
        for callers in 1..40 {
            names.push(
                (0..callers)
                    .map(|at| format!("{long}{}'", at % 3))
                    .collect::<String>()
                    + "main",
            );
            names.push("'".repeat(callers / 4) + &long.repeat(callers / 3));
            names.push(format!("{}'", long.repeat(3)) + &"'x".repeat(callers));
            names.push(format!("{}'{long}{long}'", "y".repeat(callers)));
        }
        names.into_iter().map(String::into_bytes).collect()
    }

    #[test]
    fn names_are_found_and_given_back_as_they_were() {
        let (texts, mut names) = (spelled(), Names::default());
        let ids: Vec<NameId> = texts.iter().map(|text| names.intern(text)).collect();
        for (text, &id) in texts.iter().zip(&ids) {
            assert_eq!(names.intern(text), id);
            assert_eq!(names.find(text), Some(id));
            assert_eq!(names.get(id), text);
            assert_eq!(names.lent(id).pieces().collect::<Vec<_>>().concat(), *text);
            assert!(names.is(id, text) && !names.is(id, &[text, &b"x"[..]].concat()));
        }
        assert_eq!(
            names.find(b"nobody's name, which is long enough to be stored as that of a caller's"),
            None
        );
        assert!(names.places.iter().any(|place| place.caller != WHOLE));
    }

    #[test]
    fn names_are_the_same_when_another_table_takes_them() {
        let (mut of, mut into) = (Names::default(), Names::default());
        spelled().iter().for_each(|text| _ = of.intern(text));
        spelled()
            .iter()
            .step_by(3)
            .for_each(|text| _ = into.intern(text));
        let ids = into.absorb(&of);
        for text in spelled() {
            let id = of.find(&text).expect("it was interned");
            assert_eq!(into.find(&text), Some(ids[id.index()]));
        }
    }

    #[test]
    fn lent_names_are_ordered_as_their_texts() {
        let mut names = Names::default();
        let (texts, mut others) = (spelled(), Names::default());
        for a in &texts {
            for b in &texts {
                let (x, y, z) = (names.intern(a), names.intern(b), others.intern(b));
                assert_eq!(names.lent(x).cmp(&names.lent(y)), a.cmp(b));
                assert_eq!(names.lent(x).cmp(&others.lent(z)), a.cmp(b));
                let differ = names
                    .lent(x)
                    .pieces()
                    .behind(7)
                    .differ(others.lent(z).pieces().behind(7));
                let [a, b] = [a, b].map(|text| text.get(7..).unwrap_or_default());
                let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
                assert_eq!(differ, (a != b).then(|| (common, a.cmp(b))));
            }
        }
    }
}
