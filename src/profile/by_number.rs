//! A map ordered by its keys, which are numbers: ids, lines, addresses.
//!
//! For whoever changes this: the compiler generates a separate `BTreeMap` for each pair of key and
//! value, six thousand lines of LLVM IR each. This crate has dozens of such pairs. Here one tree of
//! numbers holds the index of each value in a list, and only the list is generated per pair. Its
//! functions must behave like those of `BTreeMap`.

use std::collections::{BTreeMap, btree_map};

/// A possible key. Its number is unique and has the order of the key.
pub(crate) trait NumberKey: Copy {
    /// The number of the key.
    fn number(self) -> u64;
}

impl NumberKey for u64 {
    fn number(self) -> u64 {
        self
    }
}

impl NumberKey for u32 {
    fn number(self) -> u64 {
        self.into()
    }
}

impl NumberKey for usize {
    fn number(self) -> u64 {
        self as u64
    }
}

/// The map. Its functions work as those of `BTreeMap`.
#[derive(Clone, Debug)]
pub(crate) struct ByNumber<K, V> {
    /// The index in `list` of each key's value.
    places: BTreeMap<u64, usize>,
    /// The entries in insertion order; `None` where one was removed.
    list: Vec<Option<(K, V)>>,
}

impl<K, V> Default for ByNumber<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> ByNumber<K, V> {
    pub(crate) const fn new() -> ByNumber<K, V> {
        ByNumber {
            places: BTreeMap::new(),
            list: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The entries in the order of their keys.
    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            places: self.places.values(),
            list: &self.list,
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The values in insertion order, mutable.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.list.iter_mut().flatten().map(|(_, value)| value)
    }
}

impl<K: NumberKey, V> ByNumber<K, V> {
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let &at = self.places.get(&key.number())?;
        self.list[at].as_ref().map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let &at = self.places.get(&key.number())?;
        self.list[at].as_mut().map(|(_, value)| value)
    }

    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.places.contains_key(&key.number())
    }

    /// The place of a key's value, new if the key is new.
    fn place(&mut self, key: K) -> &mut Option<(K, V)> {
        let next = self.list.len();
        let at = *self.places.entry(key.number()).or_insert(next);
        if at == next {
            self.list.push(None);
        }
        &mut self.list[at]
    }

    /// The value of a key, which `make` makes if there is none.
    pub(crate) fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        &mut self.place(key).get_or_insert_with(|| (key, make())).1
    }

    /// The value of a key, or a default one that is inserted.
    pub(crate) fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert_with(key, V::default)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        *self.place(key) = Some((key, value));
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.places.remove(&key.number())?;
        self.list[at].take().map(|(_, value)| value)
    }
}

impl<K: NumberKey, V> Extend<(K, V)> for ByNumber<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        entries
            .into_iter()
            .for_each(|(key, value)| self.insert(key, value));
    }
}

/// Borrows the entries in the order of their keys.
pub(crate) struct Iter<'a, K, V> {
    places: btree_map::Values<'a, u64, usize>,
    list: &'a [Option<(K, V)>],
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.list[*self.places.next()?].as_ref()?;
        Some((key, value))
    }
}

impl<'a, K, V> IntoIterator for &'a ByNumber<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V> IntoIterator for ByNumber<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(mut self) -> Self::IntoIter {
        let places = self.places.into_values();
        let entries: Vec<_> = places.filter_map(|at| self.list[at].take()).collect();
        entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_what_a_tree_does() {
        let (mut tree, mut map) = (BTreeMap::new(), ByNumber::new());
        let mut state = 1u64;
        for step in 0..2000u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let key = (state >> 33) % 50;
            match state >> 60 {
                0..4 => {
                    tree.insert(key, step);
                    map.insert(key, step);
                }
                4..8 => assert_eq!(tree.remove(&key), map.remove(&key)),
                8..12 => *tree.entry(key).or_default() += step,
                _ => assert_eq!(
                    tree.entry(key).or_insert(step),
                    map.or_insert_with(key, || step)
                ),
            }
            if (8..12).contains(&(state >> 60)) {
                *map.or_default(key) += step;
            }
            assert_eq!(
                (tree.get(&key), tree.contains_key(&key)),
                (map.get(&key), map.contains_key(&key))
            );
            assert_eq!(tree.get_mut(&key), map.get_mut(&key));
            assert_eq!((tree.len(), tree.is_empty()), (map.len(), map.is_empty()));
            assert!(
                tree.iter().eq(map.iter())
                    && tree.keys().eq(map.keys())
                    && tree.values().eq(map.values())
            );
        }
        assert!(!tree.is_empty() && tree.into_iter().eq(map));
    }
}
