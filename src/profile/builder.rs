//! Collects what a reader finds and freezes it into a [`Profile`].
//!
//! Readers name functions by object, file and name, then add self costs and calls. The self cost of a function is added up
//! in one short row and stored when the function changes, and that of a source line when the line changes, so that a cost
//! line touches no table.

mod absorb;
mod callees;

use super::Order;
use super::body::Body;
use super::code::{CallFrom, Instruction, Jump, Times};
use super::costs::{Overflow, extend_with};
use super::split::{Key, assemble, warn_saturated};
use super::*;
use crate::profile::calls::SiteKey;
use absorb::weight;
use std::collections::HashMap;
use std::path::Path;

/// The most counts of a plain line: its columns can then be added without a check of their number.
const ROOM: usize = 32;

/// Plain counts are below 10^15, so that this many lines can be added up without overflow checks.
const UNCHECKED: u32 = 4096;

/// Sums of plain lines; the first `len` columns are written.
#[derive(Default)]
struct Pending {
    counts: [i64; ROOM],
    len: usize,
}

/// Builds a profile from what a reader finds.
pub(crate) struct Builder {
    pub(crate) head: Head,
    collect: Collect,
    /// The body that is being filled.
    body: Body,
    split: Option<Bodies>,
    /// How many counts the bodies that are not being filled have space for.
    set_aside: usize,
    current: Option<FunctionId>,
    /// Self cost of the current function by plain lines that is not stored yet, without what is in `at_line`.
    pending: Pending,
    pending_lines: u32,
    /// Likewise at the current source line, or in the current file if that is all that is wanted.
    at_line: Pending,
    /// The file, number and row of that line. Where one row does for all lines of a file, the first number that is known, and
    /// no row yet.
    stands: Option<(NameId, u64, u32)>,
    /// Whether a sum overflowed that belongs to no single input line.
    over: Overflow,
    /// No sum of costs or calls is larger than this, whatever the signs: everything that was stored, added up.
    weight: u64,
    /// For every command the first input that forks: its place, its process and what that cost.
    forks: HashMap<Text, (usize, Text, i64)>,
}

/// The bodies of a reading whose parts are told apart.
struct Bodies {
    by: SplitBy,
    /// Whether the current part has no body yet.
    open: bool,
    /// Which of them is `body` now; its place in the list is empty meanwhile.
    at: usize,
    /// Boxed, so that freezing a body frees its memory.
    #[expect(clippy::vec_box, reason = "bodies are freed one by one")]
    all: Vec<Box<Body>>,
    index: HashMap<Key, usize>,
}

impl Builder {
    pub(crate) fn new(input: &Path, collect: Collect, split: Option<SplitBy>) -> Builder {
        Builder {
            head: Head::new(input),
            collect,
            body: Body::default(),
            split: split.map(|by| Bodies {
                by,
                open: true,
                at: 0,
                all: Vec::new(),
                index: HashMap::new(),
            }),
            current: None,
            set_aside: 0,
            pending: Pending::default(),
            pending_lines: 0,
            at_line: Pending::default(),
            stands: None,
            over: Overflow::No,
            weight: 0,
            forks: HashMap::new(),
        }
    }

    /// Begins a part.
    pub(crate) fn begin_part(&mut self) {
        self.finish_function();
        if let Some(bodies) = &mut self.split {
            bodies.open = true;
        }
    }

    /// The function with these three names. The header of the current part must be known.
    pub(crate) fn function(&mut self, object: NameId, file: NameId, name: NameId) -> FunctionId {
        if self.split.as_ref().is_some_and(|bodies| bodies.open) {
            self.choose_body();
        }
        self.body.function(object, file, name)
    }

    /// Makes the body of the current part the one that is filled.
    #[cold]
    fn choose_body(&mut self) {
        self.finish_function();
        let at = self.head.parts.len().saturating_sub(1);
        let Some(bodies) = &mut self.split else {
            return;
        };
        bodies.open = false;
        let key = Key::of(bodies.by, at, self.head.part());
        let chosen = bodies.find(key);
        self.set_aside += self.body.allocated();
        bodies.swap(&mut self.body, chosen);
        self.set_aside = self.set_aside.saturating_sub(self.body.allocated());
        if !self.head.format.has_lines {
            // Its parts are only said to have been: all their costs are in one sum.
            self.head
                .parts
                .iter_mut()
                .for_each(|part| part.body = Some(chosen));
        }
        self.head.part().body = Some(chosen);
    }

    /// How many functions there are.
    pub(crate) fn functions(&self) -> usize {
        self.body.functions.len()
    }

    /// Makes a function the one that self costs belong to, and stores the last one's cost.
    pub(crate) fn enter(&mut self, function: FunctionId) -> Overflow {
        if self.current == Some(function) {
            return Overflow::No;
        }
        let over = self.leave();
        self.current = Some(function);
        self.body.record(function);
        over
    }

    /// Stores the current function's cost. Called at every change of function or part.
    pub(crate) fn leave(&mut self) -> Overflow {
        let over = self.store();
        (self.current, self.stands) = (None, None);
        over
    }

    /// Stores all pending sums.
    fn store(&mut self) -> Overflow {
        let Some(function) = self.current else {
            return Overflow::No;
        };
        let mut over = self.store_line();
        let counts = &self.pending.counts[..self.pending.len];
        self.weight = self.weight.saturating_add(weight(counts));
        over |= self.body.self_costs.add(function.0, counts);
        if let Some(part) = self.head.parts.last_mut() {
            over |= extend_with(&mut part.self_cost, counts);
        }
        (self.pending, self.pending_lines) = (Pending::default(), 0);
        over
    }

    /// Stores the pending sums of the current source line.
    #[inline(always)]
    fn store_line(&mut self) -> Overflow {
        let Some((file, line, row)) = self.stands else {
            return Overflow::No;
        };
        let row = if self.collect.lines == Lines::All {
            row
        } else {
            self.row_of_file(file, line)
        };
        let counts = &mut self.at_line.counts[..self.at_line.len];
        let kept = if self.collect.lines == Lines::Firsts {
            &[]
        } else {
            &*counts
        };
        let over = self.body.lines.add_to_row(row, kept);
        self.pending.len = self.pending.len.max(counts.len());
        for (sum, count) in self.pending.counts.iter_mut().zip(counts) {
            *sum = sum.wrapping_add(std::mem::take(count));
        }
        self.at_line.len = 0;
        over
    }

    /// The name of a function.
    pub(crate) fn name_of(&self, function: FunctionId) -> NameId {
        self.body.functions[function.index()].name
    }

    /// Stores the current function's cost. An overflow here belongs to no single line and is noted for a warning at the
    /// end.
    pub(crate) fn finish_function(&mut self) {
        let over = self.leave();
        self.over |= over;
    }

    /// The file of a function.
    pub(crate) fn file_of(&self, function: FunctionId) -> NameId {
        self.body.functions[function.index()].file
    }

    /// The object of a function.
    pub(crate) fn object_of(&self, function: FunctionId) -> NameId {
        self.body.functions[function.index()].object
    }

    /// Adds the counts of any cost line to the current function.
    pub(crate) fn add_self(&mut self, file: NameId, line: u64, counts: &[i64]) -> Overflow {
        let mut over = self.add_self_unplaced(counts);
        let (line, counts) = match self.collect.lines {
            Lines::None => return over,
            Lines::Files => (0, counts),
            Lines::Firsts => (line, &counts[..0]),
            Lines::All => (line, counts),
        };
        if let Some(function) = self.current {
            over |= self.body.lines.add(function, file, line, counts);
        }
        over
    }

    /// Adds counts to the current function that belong to no line.
    pub(crate) fn add_self_unplaced(&mut self, counts: &[i64]) -> Overflow {
        let Some(function) = self.current else {
            return Overflow::No;
        };
        let mut over = self.store() | self.body.self_costs.add(function.0, counts);
        self.weight = self.weight.saturating_add(weight(counts));
        if let Some(part) = self.head.parts.last_mut() {
            over |= extend_with(&mut part.self_cost, counts);
        }
        over
    }

    /// Adds counts that are all present, not negative, and below 10^15.
    #[inline(always)]
    pub(crate) fn add_plain(&mut self, file: NameId, line: u64, counts: &[i64]) -> Overflow {
        let over = self.move_to(file, line);
        for (sum, &count) in self.sums().iter_mut().zip(counts) {
            *sum = sum.wrapping_add(count);
        }
        over | self.summed(counts.len(), 1)
    }

    /// The plain lines from here on stand at this source line.
    #[inline(always)]
    pub(crate) fn move_to(&mut self, file: NameId, line: u64) -> Overflow {
        match self.collect.lines {
            Lines::None => return Overflow::No,
            Lines::All if self.stands.is_some_and(|(f, l, _)| (f, l) == (file, line)) => {
                return Overflow::No;
            }
            Lines::All => {}
            Lines::Files | Lines::Firsts => return self.move_to_file(file, line),
        }
        let over = self.store_line();
        self.stands = self
            .current
            .map(|function| (file, line, self.body.lines.row(function, file, line)));
        over
    }

    /// The same where one row does for all lines of a file.
    #[inline(always)]
    fn move_to_file(&mut self, file: NameId, line: u64) -> Overflow {
        let line = if self.collect.lines == Lines::Files {
            0
        } else {
            line
        };
        if let Some((at, first, _)) = &mut self.stands
            && *at == file
        {
            *first = if *first == 0 { line } else { *first };
            return Overflow::No;
        }
        self.change_file(file, line)
    }

    #[inline(never)]
    fn change_file(&mut self, file: NameId, line: u64) -> Overflow {
        let over = self.store_line();
        self.stands = self.current.map(|_| (file, line, 0));
        over
    }

    /// The row of the current function in a file. Of several that come about, `freeze` makes one.
    #[inline(never)]
    fn row_of_file(&mut self, file: NameId, line: u64) -> u32 {
        self.current
            .map_or(0, |function| self.body.lines.row(function, file, line))
    }

    /// Whether a run of up to 16 plain lines can be added at once (none is shorter than four of its 64 bytes). False
    /// shortly before the sums are stored: they are stored after the same number of lines however lines are grouped
    /// into runs, so that an overflow is reported at the same line.
    #[inline(always)]
    pub(crate) fn takes_runs(&self) -> bool {
        self.pending_lines <= UNCHECKED - 16
    }

    /// Where the counts of plain lines of the current function, at the current source line, may be added.
    #[inline(always)]
    pub(crate) fn sums(&mut self) -> &mut [i64; ROOM] {
        if self.collect.lines == Lines::None {
            &mut self.pending.counts
        } else {
            &mut self.at_line.counts
        }
    }

    /// Notes that so many plain lines were added to the first `counts` sums: one line, or a run if
    /// [`takes_runs`](Self::takes_runs).
    #[inline(always)]
    pub(crate) fn summed(&mut self, counts: usize, lines: u32) -> Overflow {
        let sums = if self.collect.lines == Lines::None {
            &mut self.pending
        } else {
            &mut self.at_line
        };
        sums.len = sums.len.max(counts);
        self.pending_lines += lines;
        if self.pending_lines >= UNCHECKED {
            self.store()
        } else {
            Overflow::No
        }
    }

    /// Whether numbers of lines matter.
    #[inline(always)]
    pub(crate) fn wants_positions(&self) -> bool {
        self.collect.wants_lines()
    }

    /// Whether calls are collected at all.
    pub(crate) fn wants_calls(&self) -> bool {
        self.collect.calls != Calls::None
    }

    /// Adds a call from the current function.
    pub(crate) fn add_call(
        &mut self,
        callee: FunctionId,
        file: NameId,
        line: u64,
        count: u64,
        counts: &[i64],
    ) -> Overflow {
        let Some(caller) = self.current else {
            return Overflow::No;
        };
        // Where a function begins may be known from a call alone.
        let over = if self.collect.lines == Lines::Firsts {
            self.move_to(file, line)
        } else {
            Overflow::No
        };
        over | self.add_call_from(caller, callee, (file, line), count, counts)
    }

    /// Adds a call from any function, at a file and line.
    pub(crate) fn add_call_from(
        &mut self,
        caller: FunctionId,
        callee: FunctionId,
        (file, line): (NameId, u64),
        count: u64,
        counts: &[i64],
    ) -> Overflow {
        let key = match self.collect.calls {
            Calls::None => return Overflow::No,
            Calls::Arcs => (caller, callee, NameId::UNKNOWN, 0),
            Calls::Sites => (caller, callee, file, line),
        };
        self.weight = self
            .weight
            .saturating_add(weight(counts))
            .saturating_add(count);
        self.body.calls.add(key, count, counts)
    }

    /// Gives calls another file, where there is one.
    pub(crate) fn place_calls(&mut self, file: impl Fn(SiteKey) -> Option<NameId>) {
        self.body.calls.place(file);
    }

    /// Whether single instructions are collected.
    pub(crate) fn wants_code(&self) -> bool {
        self.collect.code
    }

    /// Adds self cost of an instruction of the current function.
    pub(crate) fn add_instruction(
        &mut self,
        address: u64,
        file: NameId,
        line: u64,
        counts: &[i64],
    ) -> Overflow {
        let Some(function) = self.current else {
            return Overflow::No;
        };
        let code = self.body.code.get_or_insert_default();
        code.add_instruction(
            Instruction {
                function,
                address,
                file,
                line,
            },
            counts,
        )
    }

    /// Adds calls from an instruction.
    pub(crate) fn add_calls_from(
        &mut self,
        calls: CallFrom,
        count: u64,
        counts: &[i64],
    ) -> Overflow {
        self.body
            .code
            .get_or_insert_default()
            .add_calls(calls, count, counts)
    }

    /// Adds jumps of the current function, which replaces the function in the key.
    pub(crate) fn add_jumps(&mut self, jump: Jump, times: Times) -> Overflow {
        let Some(function) = self.current else {
            return Overflow::No;
        };
        self.weight = self
            .weight
            .saturating_add(times.taken)
            .saturating_add(times.executed);
        self.body
            .code
            .get_or_insert_default()
            .add_jumps(Jump { function, ..jump }, times)
    }

    /// The function that self costs belong to.
    pub(crate) fn current(&self) -> Option<FunctionId> {
        self.current
    }

    /// Adds what the input states of a whole function.
    pub(crate) fn state(
        &mut self,
        function: FunctionId,
        inclusive: &[i64],
        calls: u64,
        line: u64,
    ) -> Overflow {
        self.body
            .stated
            .get_or_insert_default()
            .add(function, inclusive, calls, line)
    }

    /// Own costs of functions, as a baseline states them.
    pub(crate) fn state_own(&mut self, own: StatedOwn) {
        self.body.stated.get_or_insert_default().own = Some(Box::new(own));
    }

    /// Whether parts are told apart.
    pub(crate) fn is_split(&self) -> bool {
        self.split.is_some()
    }

    /// By what costs are told apart, if they are.
    pub(crate) fn split_by(&self) -> Option<SplitBy> {
        self.split.as_ref().map(|bodies| bodies.by)
    }

    /// Adds complete trees of calls that belong to the functions of the current part.
    pub(crate) fn add_trees(&mut self, trees: Forest) {
        if self.split.as_ref().is_none_or(|bodies| !bodies.open) {
            self.body.add_trees(trees);
        }
    }

    /// Notes that the tree of calls of the current part cannot be known, and so not that of any sum with it.
    pub(crate) fn lose_trees(&mut self) {
        self.body.lose_trees();
    }

    /// Why reading must stop after this many bytes; `None` if it need not.
    pub(crate) fn full(&self, read: u64) -> Option<Full> {
        let events = self.head.events.recorded().len();
        // A part has up to three rows.
        let room = self.body.allocated() + self.set_aside + 3 * events * self.head.parts.len();
        Full::of(self.body.is_full(), room, events, read)
    }

    /// Costs by input size of the functions of the current part.
    pub(crate) fn set_sizes(&mut self, sizes: Sizes) {
        self.body.sizes = Some(Box::new(sizes));
    }

    /// Finishes the whole reading: resolves derived events and adds the warnings about them.
    fn close(&mut self) {
        self.finish_function();
        for (name, problem) in self.head.events.resolve() {
            let name = String::from_utf8_lossy(&name).into_owned();
            self.head.warn(None, WarningKind::BadFormula, || {
                format!("the derived event {name} is left out: {problem}")
            });
        }
    }

    /// Freezes what was collected. Only for a reading that is not split.
    pub(crate) fn finish(mut self) -> Profile {
        self.close();
        let (totals, over_total) = Totals::of(&self.head.parts, &self.head.events);
        let (body, over) = self.body.freeze(self.collect.lines);
        if self.over | over | over_total == Overflow::Saturated {
            warn_saturated(&mut self.head);
        }
        let names = std::mem::take(&mut self.head.names);
        assemble(self.head, names.into(), totals, body)
    }

    /// Freezes what was collected into one profile for each share.
    pub(crate) fn finish_split(mut self, by: SplitBy) -> Shares {
        self.close();
        let mut bodies = self.split.unwrap_or(Bodies {
            by,
            open: false,
            at: 0,
            all: Vec::new(),
            index: HashMap::new(),
        });
        bodies.swap(&mut self.body, usize::MAX);
        let mut places: Vec<Vec<usize>> = Vec::new();
        for (at, part) in self.head.parts.iter().enumerate() {
            // A part without cost has none yet.
            let body = part
                .body
                .unwrap_or_else(|| bodies.find(Key::of(by, at, part)));
            places.resize_with(bodies.all.len(), Vec::new);
            places[body].push(at);
        }
        let Bodies { all, index, .. } = bodies;
        drop(index);
        let mut shares = Vec::with_capacity(all.len());
        let mut over = self.over;
        for (mut places, body) in places.into_iter().zip(all) {
            places.shrink_to_fit();
            let (totals, over_total) = Totals::of(
                places.iter().map(|&at| &self.head.parts[at]),
                &self.head.events,
            );
            let (frozen, over_body) = body.freeze(self.collect.lines);
            over |= over_total | over_body;
            // The box takes the place of one that was frozen before.
            shares.push((places, totals, Box::new(frozen)));
        }
        if over == Overflow::Saturated {
            warn_saturated(&mut self.head);
        }
        shares.order_by(|(a, ..), (b, ..)| a.cmp(b));
        Shares::new(self.head, by, shares)
    }
}

impl Bodies {
    /// The place of the body with this key.
    fn find(&mut self, key: Key) -> usize {
        *self.index.entry(key).or_insert_with(|| {
            self.all.push(Box::default());
            self.all.len() - 1
        })
    }

    /// Puts the current body back in its place and takes the one at `at`, if there is one.
    fn swap(&mut self, hand: &mut Body, at: usize) {
        if let Some(place) = self.all.get_mut(self.at) {
            std::mem::swap(&mut **place, hand);
        }
        self.at = at;
        if let Some(place) = self.all.get_mut(at) {
            std::mem::swap(&mut **place, hand);
        }
    }
}
