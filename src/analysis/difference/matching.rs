//! Matches the functions of two profiles.
//!
//! Both profiles get one set of names. Paths that only differ in their prefix get one name. So do
//! functions that only differ in the parts that change from build to build. Functions with the same
//! object, file and name are then the same. Of the rest, functions that moved to another file or
//! object are paired first, then those that were renamed. Nothing here depends on which side is
//! old.

use super::{
    Exactness, How, Matching, OldOrNew, ProfileRef, Rules, Side, builds, names,
    namespaces::renamed_namespaces,
    objects::renamed,
    paths::Aliases,
    raw::{CommonNames, Placed, Raw},
    renames,
    siblings::{SiblingName, is_short, told_apart},
    sides::UNPAIRED,
};
use crate::{
    analysis::at_once::at_once,
    profile::{Function, FunctionId, NameId, Names, Profile, names::Changed, reshape::Shape},
};
use foldhash::{HashMap, HashSet};
use std::{collections::BTreeMap, sync::Arc};

impl<'a> Matching<'a> {
    /// Matches two profiles. Both must have been read with lines and call sites.
    pub fn new(
        old: impl Into<ProfileRef<'a>>,
        new: impl Into<ProfileRef<'a>>,
        rules: &Rules,
    ) -> Matching<'a> {
        Matching::with_threads(old, new, rules, 1)
    }

    /// Like [`new`](Self::new), with this number of threads for slow parts. The result does not
    /// depend on it.
    pub fn with_threads(
        old: impl Into<ProfileRef<'a>>,
        new: impl Into<ProfileRef<'a>>,
        rules: &Rules,
        threads: usize,
    ) -> Matching<'a> {
        let (old, new): (ProfileRef<'a>, ProfileRef<'a>) = (old.into(), new.into());
        let (events, old_columns, new_columns) = old.events.shared(&new.events);
        let mut names = Names::default();
        let first = [&old_columns, &new_columns]
            .map(|columns| columns.first().copied().unwrap_or(usize::MAX));
        let [old_canon, new_canon] = canonical(&mut names, [&old, &new], rules, first);
        let names = Arc::new(names);
        let shape = |canon: Canon, columns| {
            let shape = Shape {
                names: Arc::clone(&names),
                functions: canon.functions,
                files: canon.files,
                events: events.clone(),
                columns,
            };
            (shape, canon.shown)
        };
        let (old_shape, new_shape) = (shape(old_canon, old_columns), shape(new_canon, new_columns));
        let (old, new) = at_once(
            threads,
            || Side::new(old.clone(), &old_shape),
            || Side::new(new.clone(), &new_shape),
        );
        let mut matching = Matching {
            old,
            new,
            pairs: Vec::new(),
        };
        matching.match_same();
        if rules.exactness == Exactness::Normalised {
            matching.match_moved();
            renames::pair(&mut matching);
        }
        matching.match_alone();
        matching
    }

    fn match_same(&mut self) {
        let key = |profile: &Profile, id| profile.function(id).names();
        let news: HashMap<[NameId; 3], FunctionId> = self
            .new
            .profile
            .function_ids()
            .map(|id| (key(&self.new.profile, id), id))
            .collect();
        self.old.pair_of.fill(UNPAIRED);
        self.new.pair_of.fill(UNPAIRED);
        for old in self.old.profile.function_ids() {
            if let Some(&new) = news.get(&key(&self.old.profile, old)) {
                let is_renamed = self.old.shown(old) != self.new.shown(new);
                let how = if is_renamed { How::Renamed } else { How::Same };
                self.pair(Some(old), Some(new), how);
            }
        }
    }

    /// Pairs functions by a name that no other unpaired function has: first within an object, then
    /// within a file.
    fn match_moved(&mut self) {
        let qualifiers: [fn(&Function) -> NameId; 2] = [|f| f.object, |f| f.file];
        for within in qualifiers {
            let unique = |side: &Side| {
                let mut found: BTreeMap<(NameId, NameId), Option<FunctionId>> = BTreeMap::new();
                for id in side.unpaired() {
                    let f = side.profile.function(id);
                    if !names::is_named(&side.profile.names, f.name) {
                        continue;
                    }
                    found
                        .entry((within(f), f.name))
                        .and_modify(|only| *only = None)
                        .or_insert(Some(id));
                }
                found
            };
            let (olds, news) = (unique(&self.old), unique(&self.new));
            for (key, old) in olds {
                if let (Some(_), Some(&Some(new))) = (old, news.get(&key)) {
                    self.pair(old, Some(new), How::Moved);
                }
            }
        }
    }

    fn match_alone(&mut self) {
        for id in self.old.unpaired().collect::<Vec<_>>() {
            self.pair(Some(id), None, How::Alone);
        }
        for id in self.new.unpaired().collect::<Vec<_>>() {
            self.pair(None, Some(id), How::Alone);
        }
    }
}

/// The common names of functions and files of one side, and the names to show if these differ.
struct Canon {
    functions: Vec<[NameId; 3]>,
    files: Vec<NameId>,
    shown: HashMap<FunctionId, NameId>,
}

/// Computes the common names of both sides.
///
/// Names are compared as ids, because many functions can have the same name, which may be as long
/// as a file. So each name is examined once, not once per function.
fn canonical(
    names: &mut Names,
    profiles: [&Profile; 2],
    rules: &Rules,
    columns: [usize; 2],
) -> [Canon; 2] {
    let mut common = CommonNames {
        names,
        normal: Changed::default(),
    };
    let mut raws = profiles.map(|profile| Raw::new(profile, rules, &mut common));
    if rules.exactness == Exactness::Normalised {
        let costs = [0, 1].map(|run| raws[run].costs(columns[run]));
        for (old, new) in renamed_namespaces(common.names, costs.each_ref()) {
            let name = old.clone().min(new.clone());
            for (raw, space) in raws.iter_mut().zip([&old, &new]) {
                raw.rename(space, &name, &mut common);
            }
        }
    }
    let of_runs = raws.each_ref().map(|raw| raw.paths(&raw.files));
    let files = Aliases::new(of_runs, rules.exactness);
    let of_runs = raws.each_ref().map(|raw| raw.paths(&raw.objects));
    let mut objects = Aliases::new(of_runs.clone(), rules.exactness);
    if rules.exactness == Exactness::Normalised {
        let [olds, news] =
            [0, 1].map(|run| raws[run].by_object(names, &objects.0[run].names, &of_runs[1 - run]));
        for (old, new) in renamed(olds, news) {
            objects.pair(old, new);
        }
    }
    let objects =
        [0, 1].map(|run| raws[run].common(&raws[run].objects, names, &objects.0[run].names));
    let mut files =
        [0, 1].map(|run| raws[run].common(&raws[run].files, names, &files.0[run].names));
    let places = [0, 1].map(|run| {
        let functions = raws[run].profile.functions.iter();
        let place = functions.map(|f| (objects[run][f.object.index()], files[run][f.file.index()]));
        place.collect::<Vec<_>>()
    });
    let mut apart: [HashMap<FunctionId, [NameId; 2]>; 2] = Default::default();
    let mut normal = NormalNames::default();
    if rules.exactness == Exactness::Normalised {
        normal = without_numbers(&places, &raws, columns, names, &mut apart);
    }
    [0, 1].map(|run| {
        let raw = &raws[run];
        let ids = || raw.profile.function_ids();
        let functions = (places[run].iter().zip(&raw.names).zip(ids()))
            .map(|((&(object, file), name), id)| {
                let changes =
                    name.normal != name.own && normal.contains(&(object, file, name.normal));
                let name = match apart[run].get(&id) {
                    Some(&[name, _]) => name,
                    None if changes => name.normal,
                    None => name.own,
                };
                [object, file, name]
            })
            .collect();
        let renamed = ids().zip(&raw.names).zip(&raw.before);
        let renamed = renamed
            .filter(|((_, name), before)| name.own != before.own)
            .map(|((id, _), before)| (id, before.own));
        let apart = apart[run].iter().map(|(&id, &[_, shown])| (id, shown));
        Canon {
            functions,
            files: std::mem::take(&mut files[run]),
            shown: renamed.chain(apart).collect(),
        }
    })
}

/// Names without the parts that change from build to build, with the object and file of each.
type NormalNames = HashSet<(NameId, NameId, NameId)>;

/// Finds functions that are the same except for the parts that change from build to build. If both
/// sides have exactly the same functions, nothing changed, and each keeps its name. Adds to `apart`
/// the names of functions that such a part distinguishes: those to compare, and those to show.
fn without_numbers(
    places: &[Vec<(NameId, NameId)>; 2],
    raws: &[Raw<'_>; 2],
    columns: [usize; 2],
    names: &mut Names,
    apart: &mut [HashMap<FunctionId, [NameId; 2]>; 2],
) -> NormalNames {
    let mut all = Vec::new();
    for (side, (places, raw)) in [OldOrNew::Old, OldOrNew::New]
        .into_iter()
        .zip(places.iter().zip(raws))
    {
        let functions = places
            .iter()
            .zip(&raw.names)
            .zip(raw.profile.function_ids());
        all.extend(functions.map(|((&place, &name), id)| Placed {
            place,
            name,
            side,
            id,
        }));
    }
    all.sort_unstable();
    let mut normal = NormalNames::default();
    // Once per group: its size may be that of the profile.
    for group in all.chunk_by(|a, b| (a.place, a.name.normal) == (b.place, b.name.normal)) {
        if let Some(told) = told_apart(group, raws, columns, names) {
            for one in told {
                apart[one.side as usize].insert(one.id, [one.name, one.shown]);
            }
        } else if !keeps_names(group, names) || is_mangled_alone(group, names) {
            let ((object, file), name) = (group[0].place, group[0].name);
            normal.insert((object, file, name.normal));
        }
    }
    for told in without_types(&all, names) {
        apart[told.side as usize]
            .entry(told.id)
            .or_insert([told.name, told.shown]);
    }
    normal
}

/// Matches functions of one file and object, if only one run has type arguments in their names.
fn without_types(all: &[Placed], names: &mut Names) -> Vec<SiblingName> {
    let mut alone = Vec::new();
    for group in all.chunk_by(|a, b| (a.place, a.name.normal) == (b.place, b.name.normal)) {
        let name = group[0].name.normal;
        if group.iter().all(|function| function.side == group[0].side) && is_short(names, name) {
            let (text, has_none) = builds::without_types(&names.lent(name).text());
            alone.push((group[0].place, names.intern(&text), has_none, group));
        }
    }
    alone.sort_unstable_by_key(|&(place, name, ..)| (place, name));
    let mut told = Vec::new();
    for same in alone.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let of = |side| same.iter().filter(move |(.., group)| group[0].side == side);
        let has_none = |side| of(side).count() > 0 && of(side).all(|&(_, _, has_none, _)| has_none);
        let is_both = of(OldOrNew::Old).count() > 0 && of(OldOrNew::New).count() > 0;
        if !is_both || !(has_none(OldOrNew::Old) || has_none(OldOrNew::New)) {
            continue;
        }
        for &(_, name, _, group) in same {
            let shown = if of(group[0].side).count() > 1 {
                name
            } else {
                group[0].name.normal
            };
            told.extend(group.iter().map(|&Placed { side, id, .. }| SiblingName {
                side,
                id,
                name,
                shown,
            }));
        }
    }
    told
}

/// Whether similar functions keep their own names. Functions named by addresses do so if half of
/// the addresses are equal. Then the program is the same, and ran other code. The functions are
/// ordered by name.
fn keeps_names(group: &[Placed], names: &Names) -> bool {
    let (mut old, mut new, mut both) = (0, 0, 0);
    for same in group.chunk_by(|a, b| a.name == b.name) {
        // The old ones come first.
        let has = |side, at: Option<&Placed>| {
            usize::from(at.is_some_and(|function| function.side == side))
        };
        let (is_old, is_new) = (
            has(OldOrNew::Old, same.first()),
            has(OldOrNew::New, same.last()),
        );
        (old, new, both) = (old + is_old, new + is_new, both + is_old * is_new);
    }
    let addresses = || {
        group
            .iter()
            .all(|function| builds::is_address(names.beginning(function.name.own)))
    };
    (both == old && both == new) || (2 * both >= old.min(new).max(1) && addresses())
}

/// Whether each side has one function with the same mangled name, if names are kept. Then the
/// demangled name is enough.
fn is_mangled_alone(group: &[Placed], names: &Names) -> bool {
    let is_mangled = |name: &[u8]| name.starts_with(b"_R") || name.starts_with(b"_ZN");
    group.len() == 2 && is_mangled(names.beginning(group[0].name.own))
}
