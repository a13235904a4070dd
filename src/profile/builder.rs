//! Collects what a reader finds and freezes it into a [`Profile`].
//!
//! Readers name functions by object, file and name, then add self costs and calls. A function's self cost is added up in
//! one short row and stored when the function changes, so that a cost line touches no table but its line's.

use super::calls::CallTable;
use super::costs::{Costs, MAX_EVENTS, NEVER, extend_with};
use super::lines::LineTable;
use super::*;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The least columns that the sums of the current function have room for, so that a line's counts can be added without
/// looking at how many there may be.
const ROOM: usize = 32;

/// What every way to aggregate needs from the header and the names of its inputs.
pub(crate) struct Head {
    pub(crate) names: Names,
    pub(crate) events: Events,
    pub(crate) warnings: Warnings,
    pub(crate) parts: Vec<Part>,
    pub(crate) inputs: Vec<String>,
    pub(crate) format: Format,
}

impl Head {
    /// The head of the input called `input`.
    pub(crate) fn new(input: &str) -> Head {
        Head {
            names: Names::default(),
            events: Events::default(),
            warnings: Warnings::default(),
            parts: Vec::new(),
            inputs: vec![input.to_owned()],
            format: Format::Callgrind,
        }
    }

    /// The part that is being read.
    pub(crate) fn part(&mut self) -> &mut Part {
        if self.parts.is_empty() {
            self.parts.push(Part::default());
        }
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    /// Warns of something in the input that is being read.
    #[cold]
    pub(crate) fn warn(&mut self, line: Option<u64>, kind: Kind, message: impl FnOnce() -> String) {
        let file = self.inputs.last().map_or("", String::as_str);
        self.warnings.add(file, line, kind, message);
    }
}

/// A profile in the making.
pub(crate) struct Builder {
    pub(crate) head: Head,
    collect: Collect,
    functions: Vec<Function>,
    recorded: Vec<FunctionId>,
    index: HashTable<FunctionId>,
    self_costs: Costs,
    current: Option<FunctionId>,
    /// Self cost of the current function by plain lines, not stored yet; the first `pending_len` columns are written.
    pending: Vec<i64>,
    pending_len: usize,
    pending_lines: u32,
    lines: LineTable,
    calls: CallTable,
    /// Whether a sum did not fit that no line can be blamed for.
    over: bool,
    stated: Option<Stated>,
    /// The tree of calls, if the reader could build it.
    pub(crate) forest: Option<Forest>,
    hasher: RandomState,
}

impl Builder {
    pub(crate) fn new(input: &str, collect: Collect) -> Builder {
        Builder {
            head: Head::new(input),
            collect,
            functions: Vec::new(),
            recorded: Vec::new(),
            index: HashTable::new(),
            self_costs: Costs::default(),
            current: None,
            pending: vec![0; ROOM],
            pending_len: 0,
            pending_lines: 0,
            lines: LineTable::default(),
            calls: CallTable::default(),
            over: false,
            stated: None,
            forest: None,
            hasher: RandomState::default(),
        }
    }

    /// Makes room for rows of so many columns.
    pub(crate) fn reserve_columns(&mut self, columns: usize) {
        if self.pending.len() < columns {
            self.pending.resize(columns.min(MAX_EVENTS), 0);
        }
    }

    /// The function with these three names.
    pub(crate) fn function(&mut self, object: NameId, file: NameId, name: NameId) -> FunctionId {
        let key = (object.0, file.0, name.0);
        let hash = self.hasher.hash_one(key);
        let functions = &self.functions;
        if let Some(&id) = self.index.find(hash, |id| names_of(&functions[id.index()]) == key) {
            return id;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Function { object, file, name, recorded: false });
        self.self_costs.push();
        let (functions, hasher) = (&self.functions, &self.hasher);
        self.index.insert_unique(hash, id, |id| hasher.hash_one(names_of(&functions[id.index()])));
        id
    }

    /// Makes a function the one that self costs belong to. True if storing the last one's cost overflowed.
    pub(crate) fn enter(&mut self, function: FunctionId) -> bool {
        if self.current == Some(function) {
            return false;
        }
        let over = self.leave();
        self.current = Some(function);
        self.record(function);
        over
    }

    /// A function has a record of its own.
    fn record(&mut self, function: FunctionId) {
        let recorded = &mut self.functions[function.index()].recorded;
        if !std::mem::replace(recorded, true) {
            self.recorded.push(function);
        }
    }

    /// Stores the current function's cost. Called at every change of function or part.
    pub(crate) fn leave(&mut self) -> bool {
        let over = self.store();
        self.current = None;
        over
    }

    /// Moves what is pending to where it belongs.
    fn store(&mut self) -> bool {
        let Some(function) = self.current else { return false };
        let counts = &mut self.pending[..self.pending_len];
        let mut over = self.self_costs.add(function.0, counts);
        if let Some(part) = self.head.parts.last_mut() {
            over |= extend_with(&mut part.self_cost, counts);
        }
        counts.fill(0);
        (self.pending_len, self.pending_lines) = (0, 0);
        over
    }

    /// The name of a function.
    pub(crate) fn name_of(&self, function: FunctionId) -> NameId {
        self.functions[function.index()].name
    }

    /// Stores the current function's cost where no line can be blamed if it does not fit.
    pub(crate) fn settle(&mut self) {
        self.over |= self.leave();
    }

    /// The file of a function.
    pub(crate) fn file_of(&self, function: FunctionId) -> NameId {
        self.functions[function.index()].file
    }

    /// The object of a function.
    pub(crate) fn object_of(&self, function: FunctionId) -> NameId {
        self.functions[function.index()].object
    }

    /// Adds the counts of a cost line to the current function, whatever they are; true if a sum did not fit.
    pub(crate) fn add_self(&mut self, file: NameId, line: u64, counts: &[i64]) -> bool {
        let mut over = self.add_self_unplaced(counts);
        if self.collect.lines
            && let Some(function) = self.current
        {
            over |= self.lines.add(function, file, line, counts);
        }
        over
    }

    /// Adds counts to the current function that belong to no line; true if a sum did not fit.
    pub(crate) fn add_self_unplaced(&mut self, counts: &[i64]) -> bool {
        let Some(function) = self.current else { return false };
        let mut over = self.store() | self.self_costs.add(function.0, counts);
        if let Some(part) = self.head.parts.last_mut() {
            over |= extend_with(&mut part.self_cost, counts);
        }
        over
    }

    /// Adds counts that are all there, not negative, and below 10^15; true if a sum did not fit.
    #[inline(always)]
    pub(crate) fn add_plain(&mut self, file: NameId, line: u64, counts: &[i64]) -> bool {
        for (sum, &count) in self.pending.iter_mut().zip(counts) {
            *sum = sum.wrapping_add(count);
        }
        let mut over = self.summed(counts.len());
        if self.collect.lines
            && let Some(function) = self.current
        {
            over |= self.lines.add(function, file, line, counts);
        }
        over
    }

    /// The current function's sums, to which the counts of plain lines may be added if only functions are wanted.
    #[inline(always)]
    pub(crate) fn sums<const N: usize>(&mut self) -> Option<&mut [i64; N]> {
        if self.wants_positions() { None } else { self.pending.first_chunk_mut() }
    }

    /// The first `n` sums have got the counts of one plain line; true if a sum did not fit.
    #[inline(always)]
    pub(crate) fn summed(&mut self, n: usize) -> bool {
        // So many counts below 10^15 can be added up unchecked.
        const UNCHECKED: u32 = 4096;
        self.pending_len = self.pending_len.max(n);
        self.pending_lines += 1;
        self.pending_lines == UNCHECKED && self.store()
    }

    /// Whether it matters where costs and calls stand.
    #[inline(always)]
    pub(crate) fn wants_positions(&self) -> bool {
        self.collect.lines || self.collect.calls == Calls::Sites
    }

    /// Whether calls are collected at all.
    pub(crate) fn wants_calls(&self) -> bool {
        self.collect.calls != Calls::None
    }

    /// Adds a call from the current function; true if a sum did not fit.
    pub(crate) fn add_call(&mut self, callee: FunctionId, file: NameId, line: u64, count: u64, counts: &[i64]) -> bool {
        match self.current {
            Some(caller) => self.add_call_from(caller, callee, (file, line), count, counts),
            None => false,
        }
    }

    /// Adds a call from any function, at a file and line; true if a sum did not fit.
    pub(crate) fn add_call_from(
        &mut self,
        caller: FunctionId,
        callee: FunctionId,
        (file, line): (NameId, u64),
        count: u64,
        counts: &[i64],
    ) -> bool {
        let key = match self.collect.calls {
            Calls::None => return false,
            Calls::Arcs => (caller, callee, NameId::UNKNOWN, 0),
            Calls::Sites => (caller, callee, file, line),
        };
        self.calls.add(key, count, counts)
    }

    /// Adds what the input states of a whole function; true if a sum did not fit.
    pub(crate) fn state(&mut self, function: FunctionId, inclusive: &[i64], calls: u64, line: u64) -> bool {
        self.stated.get_or_insert_default().add(function, inclusive, calls, line)
    }

    /// True when a table is at its limit and reading must stop.
    pub(crate) fn is_full(&self) -> bool {
        self.lines.is_full() || self.calls.is_full() || self.self_costs.is_full()
    }

    /// Adds all that another reading collected; its parts come after the ones already here.
    pub(crate) fn absorb(&mut self, mut other: Builder) {
        other.settle();
        self.settle();
        let mut over = other.over;
        let names: Vec<NameId> = (0..other.head.names.len() as u32)
            .map(|n| self.head.names.intern(other.head.names.get(NameId(n))))
            .collect();
        let name = |id: NameId| names[id.0 as usize];
        let functions: Vec<FunctionId> =
            (other.functions.iter()).map(|f| self.function(name(f.object), name(f.file), name(f.name))).collect();
        for id in other.recorded {
            self.record(functions[id.index()]);
        }

        let mut columns = Columns::default();
        columns.map(&mut self.head.events, other.head.events.recorded());
        self.reserve_columns(self.head.events.recorded().len());
        for definition in other.head.events.definitions() {
            self.head.events.define(definition.clone());
        }

        other.head.events.peaks().for_each(|name| self.head.events.set_peak(name));

        for (old, &new) in functions.iter().enumerate() {
            over |= self.self_costs.add(new.0, columns.place(other.self_costs.row(old as u32)));
        }
        for line in other.lines.iter() {
            let counts = columns.place(other.lines.cost(line.row));
            over |= self.lines.add(functions[line.function.index()], name(line.file), line.line, counts);
        }
        for ((caller, callee, file, line), count, counts) in other.calls.iter() {
            let key = (functions[caller.index()], functions[callee.index()], name(file), line);
            over |= self.calls.add(key, count, columns.place(counts));
        }

        match (&mut self.stated, &other.stated) {
            (Some(stated), Some(more)) => over |= stated.absorb(more, &functions, &mut columns),
            // What one input states and another does not cannot be added up; it is computed for both.
            (stated, _) => *stated = None,
        }
        match (&mut self.forest, other.forest.take()) {
            (Some(forest), Some(more)) => forest.absorb(more, &functions, &mut columns),
            (forest, _) => *forest = None,
        }

        let first = self.head.inputs.len();
        self.head.inputs.append(&mut other.head.inputs);
        for mut part in other.head.parts {
            part.input += first;
            for row in [&mut part.summary, &mut part.totals].into_iter().flatten() {
                *row = columns.place(row).to_vec();
            }
            part.self_cost = columns.place(&part.self_cost).to_vec();
            self.head.parts.push(part);
        }
        self.head.warnings.append(other.head.warnings);
        self.over |= over;
    }

    /// Freezes what was collected.
    pub(crate) fn finish(mut self) -> Profile {
        self.settle();
        let mut over = self.over;
        for (name, problem) in self.head.events.resolve() {
            let name = String::from_utf8_lossy(&name).into_owned();
            self.head.warn(None, Kind::BadFormula, || format!("the derived event {name} is left out: {problem}"));
        }
        let (totals, over_total) = Totals::of(&self.head.parts, &self.head.events);
        let (arcs, arc_costs, sites, site_costs, over_arc) = self.calls.finish();
        over |= over_total | over_arc;
        let tree = self.forest.map(|forest| {
            let (tree, over_tree) = forest.finish();
            over |= over_tree;
            let stated = self.stated.get_or_insert_default();
            over |= tree.state_inclusive(self.functions.len(), stated);
            tree
        });
        if over {
            let file = self.head.inputs.first().cloned().unwrap_or_default();
            self.head
                .warnings
                .add(&file, None, Kind::Saturated, || "a sum does not fit in 64 bits; the limit stands for it".into());
        }
        let (lines, line_costs) = self.lines.finish();
        Profile {
            format: self.head.format,
            inputs: self.head.inputs,
            parts: self.head.parts,
            events: self.head.events,
            names: self.head.names,
            functions: self.functions,
            recorded: self.recorded,
            lines,
            arcs,
            totals,
            warnings: self.head.warnings,
            stated: self.stated,
            tree,
            sites,
            self_costs: self.self_costs,
            line_costs,
            arc_costs,
            site_costs,
        }
    }
}

fn names_of(f: &Function) -> (u32, u32, u32) {
    (f.object.0, f.file.0, f.name.0)
}

/// Brings the columns of one event list into the order of another. Events are the same if their names are.
#[derive(Default)]
pub(crate) struct Columns {
    /// The target column of every source column; empty if they are the same.
    targets: Vec<usize>,
    row: Vec<i64>,
}

impl Columns {
    /// Maps the columns `names` into `events`, which gets those it lacks.
    pub(crate) fn map(&mut self, events: &mut Events, names: &[Vec<u8>]) {
        self.targets.clear();
        for (at, name) in names.iter().enumerate() {
            let nth = names[..at].iter().filter(|n| *n == name).count();
            self.targets.push(events.column(name, nth));
        }
        if self.targets.iter().enumerate().all(|(at, &target)| at == target) {
            self.targets.clear();
        }
        self.row = vec![NEVER; self.targets.iter().map(|t| t + 1).max().unwrap_or(0)];
    }

    /// Whether the columns are the same in both.
    #[inline]
    pub(crate) fn is_identity(&self) -> bool {
        self.targets.is_empty()
    }

    /// `counts` with every count in its target column.
    #[inline]
    pub(crate) fn place<'a>(&'a mut self, counts: &'a [i64]) -> &'a [i64] {
        if self.targets.is_empty() {
            return counts;
        }
        self.row.fill(NEVER);
        let mut len = 0;
        for (&count, &target) in counts.iter().zip(&self.targets) {
            self.row[target] = count;
            len = len.max(target + 1);
        }
        &self.row[..len]
    }
}
