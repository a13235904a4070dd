//! An index of numbers by keys that are stored elsewhere: functions by their names, call sites by
//! their place.

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table};
use std::hash::{BuildHasher, Hash};

/// Numbers by key. The owner of the keys decides whether a number has a key.
#[derive(Clone, Default)]
pub(crate) struct Index {
    table: HashTable<IndexEntry>,
    hasher: RandomState,
}

/// A number with the hash of its key, so that the table can grow without access to the keys.
#[derive(Clone)]
struct IndexEntry {
    hash: u32,
    number: u32,
}

impl IndexEntry {
    /// The table's hash for an entry.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Index {
    pub(super) fn hash(&self, key: impl Hash) -> u32 {
        self.hasher.hash_one(key) as u32
    }

    /// Finds the number with this key, for which `has_it` is true. Else adds `next` with this key.
    pub(crate) fn number(
        &mut self,
        key: impl Hash,
        has_it: impl Fn(u32) -> bool,
        next: u32,
    ) -> u32 {
        self.number_hashed(self.hash(key), has_it, next)
    }

    /// Like [`number`](Self::number), for a key whose hash is known.
    pub(super) fn number_hashed(
        &mut self,
        hash: u32,
        has_it: impl Fn(u32) -> bool,
        next: u32,
    ) -> u32 {
        let same = |entry: &IndexEntry| entry.hash == hash && has_it(entry.number);
        match self.table.entry(IndexEntry::spread(hash), same, |entry| {
            IndexEntry::spread(entry.hash)
        }) {
            hash_table::Entry::Occupied(entry) => entry.get().number,
            hash_table::Entry::Vacant(entry) => {
                entry.insert(IndexEntry { hash, number: next }).get().number
            }
        }
    }

    /// The number with this key, if there is one.
    pub(super) fn find(&self, key: impl Hash, has_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.find_hashed(self.hash(key), has_it)
    }

    /// Like [`find`](Self::find), for a key whose hash is known.
    pub(super) fn find_hashed(&self, hash: u32, has_it: impl Fn(u32) -> bool) -> Option<u32> {
        let same = |entry: &IndexEntry| entry.hash == hash && has_it(entry.number);
        self.table
            .find(IndexEntry::spread(hash), same)
            .map(|entry| entry.number)
    }

    /// Removes a number, if it has this key.
    pub(super) fn remove(&mut self, key: impl Hash, number: u32) {
        let hash = self.hash(key);
        if let Ok(entry) = self
            .table
            .find_entry(IndexEntry::spread(hash), |entry| entry.number == number)
        {
            entry.remove();
        }
    }

    /// Adds a number with a key that no other number has.
    pub(super) fn insert(&mut self, key: impl Hash, number: u32) {
        let hash = self.hash(key);
        self.table.insert_unique(
            IndexEntry::spread(hash),
            IndexEntry { hash, number },
            |entry| IndexEntry::spread(entry.hash),
        );
    }
}
