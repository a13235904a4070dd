//! Interned names: every object, file and function name is stored once, as bytes, and named by a [`NameId`].
//!
//! Two names are always there: the empty one (an unknown object) and `???` (an unknown file or function).

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table};
use std::hash::BuildHasher;

/// One interned name. Ids are dense and given in order of first appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NameId(pub u32);

impl NameId {
    /// The empty name: an object that is not known.
    pub const EMPTY: NameId = NameId(0);
    /// `???`: a file or a function that is not known.
    pub const UNKNOWN: NameId = NameId(1);
}

/// All names of a profile.
#[derive(Clone)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    table: HashTable<Entry>,
    hasher: RandomState,
}

/// A name in the table. With its hash there, the table can grow without a look at the names themselves.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    id: NameId,
}

impl Entry {
    /// The hash that the table goes by.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Default for Names {
    fn default() -> Self {
        let mut names =
            Names { bytes: Vec::new(), ends: Vec::new(), table: HashTable::new(), hasher: RandomState::default() };
        names.intern(b"");
        names.intern(b"???");
        names
    }
}

impl Names {
    /// The id of `name`, which is stored if it is new.
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        let hash = self.hash(name);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let same = |entry: &Entry| entry.hash == hash && slice(bytes, ends, entry.id) == name;
        match self.table.entry(Entry::spread(hash), same, |entry| Entry::spread(entry.hash)) {
            hash_table::Entry::Occupied(entry) => entry.get().id,
            hash_table::Entry::Vacant(entry) => {
                let id = NameId(u32::try_from(self.ends.len()).unwrap_or(u32::MAX));
                entry.insert(Entry { hash, id });
                self.bytes.extend_from_slice(name);
                self.ends.push(self.bytes.len());
                id
            }
        }
    }

    fn hash(&self, name: &[u8]) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    /// The id of `name` if it occurs in the profile.
    pub fn find(&self, name: &[u8]) -> Option<NameId> {
        let hash = self.hash(name);
        let same = |entry: &Entry| entry.hash == hash && self.get(entry.id) == name;
        self.table.find(Entry::spread(hash), same).map(|entry| entry.id)
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

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: NameId) -> &'a [u8] {
    let at = id.0 as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &bytes[start..ends[at]]
}
