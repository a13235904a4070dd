//! Splits one reading into several profiles instead of their sum.
//!
//! Each part of an input belongs to one group, chosen by its [`PartKey`]. The builder computes the
//! key at the first function of a part, because the header is complete by then.

use super::{
    CallRecords, Function, Head, NameId, Names, Part, Profile, Text, Totals, Warning, WarningKind,
    Warnings, body::Frozen, names::kebab_case, to_text,
};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// How parts are grouped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum SplitBy {
    /// Every part is separate.
    Part,
    /// By thread of a process.
    Thread,
    /// By process.
    Pid,
    /// By run. A run is a process if the parts name it, else a part: some programs append their
    /// runs to one file.
    Run,
    /// By input.
    Input,
    /// By trigger: the parts of one name (`CALLGRIND_DUMP_STATS_AT`) are added up.
    Trigger,
}

impl SplitBy {
    /// The name in options and reports.
    pub fn name(self) -> String {
        kebab_case(self)
    }
}

/// The group that a part belongs to.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum PartKey {
    /// By its index among all parts.
    Part(usize),
    /// By process and thread.
    Thread(Text, Text),
    Pid(Text),
    Input(usize),
    Trigger(Text),
}

impl PartKey {
    /// The key of the part at index `at` of all parts.
    pub(super) fn new(by: SplitBy, at: usize, part: &Part) -> PartKey {
        match by {
            SplitBy::Part => PartKey::Part(at),
            SplitBy::Thread => PartKey::Thread(part.pid.clone(), part.thread.clone()),
            SplitBy::Run if part.pid.is_empty() => PartKey::Part(at),
            SplitBy::Pid | SplitBy::Run => PartKey::Pid(part.pid.clone()),
            SplitBy::Input => PartKey::Input(part.input),
            SplitBy::Trigger => PartKey::Trigger(part.trigger().unwrap_or_default().into()),
        }
    }

    /// The key after this many inputs and parts were put before it.
    pub(super) fn behind(self, inputs: usize, parts: usize) -> PartKey {
        match self {
            PartKey::Part(at) => PartKey::Part(at + parts),
            PartKey::Input(at) => PartKey::Input(at + inputs),
            _ => self,
        }
    }
}

/// The profile of one group of parts.
pub struct Share {
    /// What distinguishes it: the number of the part, the number of the thread or process from its
    /// header, or the name of the input. Parts are counted from 1 over all inputs.
    pub value: String,
    /// Its profile, with the inputs that it has a part of and the warnings about its parts. A
    /// warning about a whole input goes to the first group of that input.
    pub profile: Profile,
}

/// An iterator over the groups of a split, in the order of their first parts. It builds each
/// profile on demand.
pub struct Shares {
    /// The head that all groups have in common, without the names.
    pub(super) head: Head,
    pub(crate) names: Arc<Names>,
    pub(super) by: SplitBy,
    pub(super) bodies: std::vec::IntoIter<(Vec<usize>, Totals, Box<Frozen>)>,
    /// The warnings of each group.
    warnings: std::vec::IntoIter<Warnings>,
}

impl Shares {
    /// `bodies` holds the parts of each group as indices in the head, its totals and its tables.
    pub(super) fn new(
        mut head: Head,
        by: SplitBy,
        bodies: Vec<(Vec<usize>, Totals, Box<Frozen>)>,
    ) -> Shares {
        let names = Arc::new(std::mem::take(&mut head.names));
        let mut share_of = vec![0; head.parts.len()];
        for (share, (places, ..)) in bodies.iter().enumerate() {
            for &part in places {
                share_of[part] = share;
            }
        }
        let first_part_of: HashMap<&Path, usize> = head
            .parts
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(at, part)| Some((head.inputs.get(part.input)?.as_path(), at)))
            .collect();
        let share = |w: &Warning| {
            // A warning about a whole input goes only to its first group.
            let first = || first_part_of.get(w.file.as_path()).copied();
            let part = w.part.or_else(first);
            part.and_then(|part| share_of.get(part).copied())
                .unwrap_or(0)
        };
        let warnings = head.warnings.share_out(bodies.len(), share).into_iter();
        Shares {
            head,
            names,
            by,
            bodies: bodies.into_iter(),
            warnings,
        }
    }

    /// The warnings of all groups.
    pub fn warnings(&self) -> &Warnings {
        &self.head.warnings
    }

    /// The functions of the remaining groups. A function of several groups comes once for each.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.bodies
            .as_slice()
            .iter()
            .flat_map(|(.., body)| &body.functions)
    }

    /// The files of the lines in the remaining groups, one per line.
    pub fn files(&self) -> impl Iterator<Item = NameId> {
        self.bodies
            .as_slice()
            .iter()
            .flat_map(|(.., body)| &body.lines)
            .map(|line| line.file)
    }

    /// The value that distinguishes the group with this first part.
    pub(super) fn value(&self, first: usize) -> String {
        let Some(part) = self.head.parts.get(first) else {
            return String::new();
        };
        match self.by {
            SplitBy::Run if !part.pid.is_empty() => to_text(&part.pid),
            SplitBy::Part | SplitBy::Run => part.title(first + 1),
            SplitBy::Thread => to_text(&part.thread),
            SplitBy::Pid => to_text(&part.pid),
            SplitBy::Trigger => to_text(part.name().or(part.trigger()).unwrap_or_default()),
            SplitBy::Input => self
                .head
                .inputs
                .get(part.input)
                .map_or(String::new(), |input| input.display().to_string()),
        }
    }
}

impl Iterator for Shares {
    type Item = Share;

    fn next(&mut self) -> Option<Share> {
        let (places, totals, body) = self.bodies.next()?;
        let value = self.value(places.first().copied().unwrap_or_default());
        let (mut parts, mut inputs) = (Vec::new(), Vec::<usize>::new());
        for part in places.iter().filter_map(|&at| self.head.parts.get(at)) {
            if inputs.last() != Some(&part.input) {
                inputs.push(part.input);
            }
            parts.push(Part {
                input: inputs.len() - 1,
                ..part.clone()
            });
        }
        let format = |&at: &usize| {
            self.head
                .formats
                .get(at)
                .copied()
                .unwrap_or(self.head.format)
        };
        let has_calls = |at: &usize| format(at).calls != CallRecords::Possible;
        let mixes_calls = inputs.iter().any(has_calls) && !inputs.iter().all(has_calls);
        let format = inputs.first().map_or(self.head.format, format);
        let inputs: Vec<PathBuf> = inputs
            .iter()
            .filter_map(|&at| self.head.inputs.get(at).cloned())
            .collect();
        let head = Head {
            events: self.head.events.clone(),
            warnings: self.warnings.next().unwrap_or_default(),
            parts,
            inputs,
            format,
            mixes_calls,
            carried: self.head.carried.clone(),
            ..Head::default()
        };
        Some(Share {
            value,
            profile: assemble(head, Arc::clone(&self.names), totals, *body),
        })
    }
}

/// Adds a warning about sums that overflowed.
pub(super) fn warn_saturated(head: &mut Head) {
    let file = head.inputs.first().cloned().unwrap_or_default();
    let message = || "a sum does not fit in 64 bits; the limit is used instead".into();
    head.warnings
        .add(None, &file, None, WarningKind::Saturated, message);
}

/// Assembles a profile.
pub(super) fn assemble(head: Head, names: Arc<Names>, totals: Totals, body: Frozen) -> Profile {
    let contexts = body.contexts.map(|mut contexts| {
        let profile = Arc::make_mut(&mut contexts.profile);
        profile.names = Arc::clone(&names);
        profile.events = head.events.clone();
        Arc::from(contexts)
    });
    Profile {
        contexts,
        format: head.format,
        mixes_calls: head.mixes_calls,
        inputs: head.inputs,
        parts: head.parts,
        events: head.events,
        names,
        functions: body.functions,
        recorded: body.recorded,
        lines: body.lines,
        arcs: body.arcs,
        totals,
        warnings: head.warnings,
        carried: head.carried,
        stated: body.stated.map(|stated| *stated),
        tree: body.tree.map(|tree| *tree),
        sizes: body.sizes.map(|sizes| *sizes),
        code: body.code.map(|code| *code),
        inlined: None,
        sites: body.sites,
        self_costs: body.self_costs,
        line_costs: Arc::new(body.line_costs),
        call_costs: Arc::new(body.call_costs),
        by_callee: OnceLock::new(),
    }
}
