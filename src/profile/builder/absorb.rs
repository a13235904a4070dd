//! Adds the reading of another input.

use crate::profile::{
    Builder, CallRecords, ColumnMap, FORKS, Full, Head, Text, WarningKind, run_of, split::PartKey,
    to_text,
};
use std::{
    collections::hash_map::Entry,
    path::{Path, PathBuf},
};

impl Builder {
    /// Why another reading cannot be added, or `None`. Costs by input size can only be added to
    /// others of the same metric.
    pub(crate) fn conflict(&self, other: &Builder) -> Option<String> {
        match (&self.body.sizes, &other.body.sizes) {
            (None, None) => None,
            (Some(sizes), Some(more)) => sizes.differs(more).or_else(|| {
                let (a, b) = (self.head.events.recorded(), other.head.events.recorded());
                (a != b).then(|| "it measures cost differently from the reports before it".into())
            }),
            _ => Some("aprof's reports can be added to each other only".into()),
        }
    }

    /// What this reading records about calls: the calls with their costs, only the inclusive cost of
    /// each function, or nothing. Different kinds of records do not add up.
    fn knows_calls_from(&self) -> Option<CallRecords> {
        let stated = self.body.stated.as_ref();
        match self.head.format.calls {
            CallRecords::Possible if self.body.calls.iter().next().is_none() => None,
            CallRecords::Inclusive => stated
                .filter(|stated| stated.has_inclusive_or_calls())
                .map(|_| CallRecords::Inclusive),
            _ => Some(CallRecords::All),
        }
    }

    /// Adds another reading; its parts come after the existing ones. Both must be split alike.
    ///
    /// # Errors
    /// Fails if the sum would be too large.
    pub(crate) fn absorb(&mut self, mut other: Builder) -> Result<(), Full> {
        self.finish_function();
        other.finish_function();
        if self.split.is_none() {
            self.check_alike(&mut other);
            self.check_forked(&mut other);
            self.head.mixes_calls |=
                other.head.mixes_calls || self.knows_calls_from() != other.knows_calls_from();
        }
        // iai measures what it costs to start a bench. That is subtracted from one bench.
        let is_calibration = |one: &Builder| {
            let name = one.head.input().file_name().unwrap_or_default();
            name.to_string_lossy().contains("out.iai_calibration")
        };
        let is_negative = self.split.is_none()
            && self.head.inputs.len() == 1
            && !is_calibration(self)
            && is_calibration(&other);
        let inputs = self.head.inputs.len();
        let mut over = other.over;
        let names = self.head.names.absorb(&other.head.names);
        self.callers.absorb(other.callers, &self.head.names, &names);
        let mut columns = ColumnMap::default();
        columns.is_negative = is_negative;
        if !columns.map(&mut self.head.events, other.head.events.recorded()) {
            return Err(Full::Events);
        }
        let events = self.head.events.recorded().len();
        for definition in other.head.events.definitions() {
            self.head.events.define(definition.clone());
        }
        other
            .head
            .events
            .peaks()
            .for_each(|name| self.head.events.set_peak(name));

        let parts = self.head.parts.len();
        let mut places = Vec::new();
        match (&mut self.split, other.split.take()) {
            (Some(bodies), Some(mut more)) => {
                more.swap(&mut other.body, usize::MAX);
                let mut keys: Vec<(usize, PartKey)> =
                    more.index.into_iter().map(|(key, at)| (at, key)).collect();
                keys.sort_unstable_by_key(|&(at, _)| at);
                for ((_, key), body) in keys.into_iter().zip(more.all) {
                    let at = bodies.find(key.behind(inputs, parts));
                    bodies.swap(&mut self.body, at);
                    over |= self.body.absorb(*body, &names, &mut columns, events)?;
                    places.push(at);
                }
            }
            _ => over |= self.body.absorb(other.body, &names, &mut columns, events)?,
        }

        for head in [&mut self.head, &mut other.head] {
            head.formats.resize(head.inputs.len(), head.format);
        }
        self.head.formats.append(&mut other.head.formats);
        self.head.inputs.append(&mut other.head.inputs);
        self.head.carried.append(&mut other.head.carried);
        for mut part in other.head.parts {
            part.input += inputs;
            part.body = part.body.and_then(|at| places.get(at).copied());
            for row in [&mut part.summary, &mut part.totals].into_iter().flatten() {
                *row = columns.place(row).to_vec();
            }
            part.self_cost = columns.place(&part.self_cost).to_vec();
            self.head.parts.push(part);
        }
        self.head.warnings.append(other.head.warnings, parts);
        self.over |= over;
        Ok(())
    }

    /// Warns if the sum of two readings means little, because they have different commands or no
    /// event in common.
    fn check_alike(&self, other: &mut Builder) {
        let first = self
            .head
            .inputs
            .first()
            .map_or(Path::new(""), PathBuf::as_path)
            .display();
        let command = |head: &Head| {
            head.parts
                .iter()
                .map(|p| p.command.clone())
                .find(|c| !c.is_empty())
        };
        if let (Some(mine), Some(theirs)) = (command(&self.head), command(&other.head))
            && run_of(&mine) != run_of(&theirs)
        {
            let [mine, theirs] = [mine, theirs].map(to_text);
            other.head.warn(None, WarningKind::MixedInputs, || {
                format!("the command is `{theirs}`, but in {first} it is `{mine}`")
            });
        }
        let (mine, theirs) = (self.head.events.recorded(), other.head.events.recorded());
        if !theirs.iter().any(|event| mine.contains(event)) {
            let [mine, theirs] = [mine, theirs].map(|e| to_text(e.join(&b' ')));
            other.head.warn(None, WarningKind::MixedInputs, || {
                format!("the events are {theirs}, but in {first} they are {mine}")
            });
        }
    }

    /// Warns if one process seems to be a fork of the other, because both then include the parent's
    /// cost before the fork. A fork costs the child a different amount than its parent, while two
    /// runs of one program usually fork at the same cost.
    fn check_forked(&mut self, other: &mut Builder) {
        if self.head.inputs.len() == 1 {
            self.forks = self
                .fork()
                .map(|(command, pid, cost)| (command, (0, pid, cost)))
                .into_iter()
                .collect();
        }
        let Some((command, pid, cost)) = other.fork() else {
            return;
        };
        match self.forks.entry(command) {
            Entry::Vacant(free) => {
                free.insert((self.head.inputs.len(), pid, cost));
            }
            Entry::Occupied(first) if first.get().1 != pid && first.get().2 != cost => {
                let first = self.head.inputs[first.get().0].display();
                other.head.warn(None, WarningKind::ForkedInputs, || {
                    format!(
                        "its process and that of {first} seem to be forked from each other: both count the cost of the parent before the fork; `cgannotate record --children` avoids this"
                    )
                });
            }
            Entry::Occupied(_) => {}
        }
    }

    /// For a process that forked or was forked, and whose counts were never reset: its command, its
    /// number and the cost of the fork functions.
    fn fork(&self) -> Option<(Text, Text, i64)> {
        let part = self.head.parts.first()?;
        let is_whole = part
            .described(b"Timerange")
            .is_some_and(|range| range.starts_with(b"Basic block 0 "));
        let forks = self
            .body
            .functions
            .iter()
            .enumerate()
            .filter(|(_, function)| {
                let name = self.head.names.beginning(function.name);
                is_whole && FORKS.iter().any(|fork| fork.as_bytes() == name)
            });
        let costs =
            forks.filter_map(|(at, _)| self.body.self_costs.row(at as u32).first().copied());
        let cost = costs.reduce(i64::saturating_add)?;
        Some((part.command.clone(), part.pid.clone(), cost))
    }
}
