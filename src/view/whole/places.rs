//! The objects and files of a page. A profile can have very many that cost almost nothing, and
//! their names alone would fill a page. Those are added up.

use super::PagePlace;
use crate::{
    profile::{extend_with, sum_rows},
    view::groups::Group,
};
use std::collections::{BTreeMap, HashMap};

/// Up to this many, all are shown.
const MOST: usize = 2000;

/// The names of the rows of added-up objects and files.
const OTHERS: [&[u8]; 2] = [b"(other objects)", b"(other files)"];

/// The places on the page, and for each of `all` its index there. Places that are `used` or cost
/// enough are kept. The others are added up per object, if the object has a kept place or costs
/// enough, and otherwise in one row.
pub(super) fn places<'a>(
    all: &[PagePlace<'a>],
    used: &[bool],
    enough: impl Fn(&[i64]) -> bool,
) -> (Vec<PagePlace<'a>>, Vec<usize>) {
    if all.len() <= MOST {
        return (all.to_vec(), (0..all.len()).collect());
    }
    let keeps: Vec<bool> = all
        .iter()
        .zip(used)
        .map(|(place, &used)| used || enough(&place.cost))
        .collect();
    let mut objects: HashMap<&[u8], (bool, Vec<i64>)> = HashMap::new();
    for (place, &keeps) in all.iter().zip(&keeps) {
        let (is_kept, sum) = objects.entry(place.object).or_default();
        *is_kept |= keeps;
        extend_with(sum, &place.cost);
    }
    let shown = |place: &PagePlace<'a>, keeps: bool| match objects.get(place.object) {
        _ if keeps => [place.object, place.file],
        Some((is_kept, sum)) if *is_kept || enough(sum) => [place.object, OTHERS[1]],
        _ => OTHERS,
    };
    let rows = all.iter().zip(&keeps);
    add_up(rows.map(|(place, &keeps)| (shown(place, keeps), place.functions, &place.cost[..])))
}

/// Adds up the functions and costs of each object and file, by name. Also returns the index of each
/// row's sum.
pub(super) fn add_up<'a, 'c>(
    rows: impl Iterator<Item = ([&'a [u8]; 2], u64, &'c [i64])> + Clone,
) -> (Vec<PagePlace<'a>>, Vec<usize>) {
    let mut sums: BTreeMap<[&[u8]; 2], PagePlace<'a>> = BTreeMap::new();
    for ([object, file], functions, cost) in rows.clone() {
        let sum = sums.entry([object, file]).or_insert_with(|| PagePlace {
            object,
            file,
            functions: 0,
            cost: Vec::new(),
        });
        sum.functions += functions;
        extend_with(&mut sum.cost, cost);
    }
    let at: HashMap<[&[u8]; 2], usize> = sums.keys().copied().zip(0..).collect();
    let of = rows.map(|(names, ..)| at.get(&names).copied().unwrap_or(0));
    let of = of.collect();
    (sums.into_values().collect(), of)
}

/// The files of code on the page, most expensive first.
pub(super) fn files<'a>(all: &[Group<'a>], enough: impl Fn(&[i64]) -> bool) -> Vec<Group<'a>> {
    if all.len() <= MOST {
        return all.to_vec();
    }
    let (mut kept, others): (Vec<Group<'a>>, Vec<Group<'a>>) =
        all.iter().cloned().partition(|row| enough(&row.cost));
    let rest = Group {
        name: OTHERS[1],
        cost: sum_rows(others.iter().map(|row| &row.cost[..])),
    };
    kept.extend((!others.is_empty()).then_some(rest));
    kept
}
