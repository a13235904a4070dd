//! Collects what a reader finds and freezes it into a [`Profile`].
//!
//! Readers name functions by object, file and name, then add self costs and calls.
//!
//! For whoever changes this: a plain cost line touches no table. The self cost of a source line
//! adds up in one short row, which is stored when the line changes. That of a function adds up in
//! another, which is stored when the function changes. Plain counts are so small that sums need no
//! overflow check for [`UNCHECKED`] lines. The sums are stored after exactly that many lines, so
//! that an overflow is reported at the same line however lines are grouped.

mod absorb;
mod callees;
mod contexts;

use super::{
    Order, Overflow,
    body::Body,
    contexts::CallersSearch,
    extend_with,
    split::{PartKey, assemble, warn_saturated},
    *,
};
use crate::profile::calls::SiteKey;
use std::{collections::HashMap, path::Path};

/// The most counts of a plain line, so that its columns can be added without a check of their
/// number.
const ROOM: usize = 32;

/// This many lines can be added up without overflow checks, because plain counts are below 10^15.
const UNCHECKED: u32 = 4096;

/// Sums of plain lines; only the first `len` columns are in use.
#[derive(Default)]
struct Pending {
    counts: [i64; ROOM],
    len: usize,
}

/// Builds a profile from the records of a reader.
#[derive(Default)]
pub(crate) struct Builder {
    pub head: Head,
    collect: Collect,
    /// Which functions stay separate.
    pub separate: Separate,
    /// Finds callers in names.
    callers: CallersSearch,
    /// The body of the current part.
    body: Body,
    split: Option<Bodies>,
    /// How many counts the other bodies have space for.
    set_aside: usize,
    /// The function that self costs belong to.
    pub current: Option<FunctionId>,
    /// The sums of the current function's plain lines that are not stored yet, without those in
    /// `at_line`.
    pending: Pending,
    pending_lines: u32,
    /// The sums at the current source line, or in the current file if only files are wanted.
    at_line: Pending,
    /// The file, number and row of that line. If a file needs only one row, this is the first known
    /// number, and the row is not known yet.
    stands: Option<(NameId, u64, u32)>,
    /// Whether a sum overflowed that belongs to no single input line.
    over: Overflow,
    /// For every command, the first input that forks: its index, its process and the cost of the
    /// fork.
    forks: HashMap<Text, (usize, Text, i64)>,
}

/// The bodies of a split reading.
struct Bodies {
    by: SplitBy,
    /// Whether the current part has no body yet.
    open: bool,
    /// The index of the current body. Its place in `all` is empty while it is in use.
    at: usize,
    /// Boxed, so that freezing a body frees its memory.
    #[expect(clippy::vec_box, reason = "bodies are freed one by one")]
    all: Vec<Box<Body>>,
    index: HashMap<PartKey, usize>,
}

impl Builder {
    pub(crate) fn new(input: &Path, collect: Collect, split: Option<SplitBy>) -> Builder {
        Builder {
            head: Head::new(input),
            collect,
            split: split.map(|by| Bodies {
                by,
                open: true,
                at: 0,
                all: Vec::new(),
                index: HashMap::new(),
            }),
            ..Builder::default()
        }
    }

    pub(crate) fn begin_part(&mut self) {
        self.finish_function();
        if let Some(bodies) = &mut self.split {
            bodies.open = true;
        }
    }

    /// Finds or adds the function with these three names. The header of the current part must be
    /// known.
    pub(crate) fn function(&mut self, object: NameId, file: NameId, name: NameId) -> FunctionId {
        if self.split.as_ref().is_some_and(|bodies| bodies.open) {
            self.choose_body();
        }
        self.body.function(object, file, name)
    }

    /// Switches to the body of the current part.
    #[cold]
    fn choose_body(&mut self) {
        self.finish_function();
        let at = self.head.parts.len().saturating_sub(1);
        let Some(bodies) = &mut self.split else {
            return;
        };
        bodies.open = false;
        let key = PartKey::new(bodies.by, at, self.head.part());
        let chosen = bodies.find(key);
        self.set_aside += self.body.allocated();
        bodies.swap(&mut self.body, chosen);
        self.set_aside = self.set_aside.saturating_sub(self.body.allocated());
        if !self.head.format.has_lines {
            // The file only lists its parts: one sum has the costs of all of them.
            self.head
                .parts
                .iter_mut()
                .for_each(|part| part.body = Some(chosen));
        }
        self.head.part().body = Some(chosen);
    }

    pub(crate) fn functions(&self) -> usize {
        self.body.functions.len()
    }

    /// Makes a function the one that self costs belong to, and stores the cost of the previous one.
    pub(crate) fn enter(&mut self, function: FunctionId) -> Overflow {
        if self.current == Some(function) {
            return false;
        }
        let over = self.leave();
        self.current = Some(function);
        self.body.record(function);
        over
    }

    /// Stores the current function's cost. Every change of function or part calls this.
    pub(crate) fn leave(&mut self) -> Overflow {
        let over = self.store();
        (self.current, self.stands) = (None, None);
        over
    }

    fn store(&mut self) -> Overflow {
        let Some(function) = self.current else {
            return false;
        };
        let mut over = self.store_line();
        let counts = &self.pending.counts[..self.pending.len];
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
            return false;
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

    pub(crate) fn known(&self, function: FunctionId) -> &Function {
        &self.body.functions[function.index()]
    }

    /// Stores the current function's cost. An overflow here belongs to no single line, so it only
    /// causes a warning at the end.
    pub(crate) fn finish_function(&mut self) {
        let over = self.leave();
        self.over |= over;
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

    /// Adds counts without a line to the current function.
    pub(crate) fn add_self_unplaced(&mut self, counts: &[i64]) -> Overflow {
        let Some(function) = self.current else {
            return false;
        };
        let mut over = self.store() | self.body.self_costs.add(function.0, counts);
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

    /// Moves the next plain lines to this source line.
    #[inline(always)]
    pub(crate) fn move_to(&mut self, file: NameId, line: u64) -> Overflow {
        match self.collect.lines {
            Lines::None => return false,
            Lines::All if self.stands.is_some_and(|(f, l, _)| (f, l) == (file, line)) => {
                return false;
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

    /// Like [`move_to`](Self::move_to), if a file needs only one row.
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
            return false;
        }
        self.change_file(file, line)
    }

    #[inline(never)]
    fn change_file(&mut self, file: NameId, line: u64) -> Overflow {
        let over = self.store_line();
        self.stands = self.current.map(|_| (file, line, 0));
        over
    }

    /// The row of the current function in a file. `freeze` merges several such rows.
    #[inline(never)]
    fn row_of_file(&mut self, file: NameId, line: u64) -> u32 {
        self.current
            .map_or(0, |function| self.body.lines.row(function, file, line))
    }

    /// Whether a run of up to 16 plain lines can be added at once. No line is shorter than four of
    /// its 64 bytes. It is false shortly before the sums are stored. They are stored after the same
    /// number of lines however lines are grouped into runs, so that an overflow is reported at the
    /// same line.
    #[inline(always)]
    pub(crate) fn takes_runs(&self) -> bool {
        self.pending_lines <= UNCHECKED - 16
    }

    /// The sums to which plain lines of the current function and source line may add their counts.
    #[inline(always)]
    pub(crate) fn sums(&mut self) -> &mut [i64; ROOM] {
        if self.collect.lines == Lines::None {
            &mut self.pending.counts
        } else {
            &mut self.at_line.counts
        }
    }

    /// Records that `lines` plain lines were added to the first `counts` sums: one line, or a run
    /// if [`takes_runs`](Self::takes_runs).
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
            false
        }
    }

    /// Whether line numbers matter.
    #[inline(always)]
    pub(crate) fn wants_positions(&self) -> bool {
        self.collect.wants_lines()
    }

    /// Whether calls are collected.
    pub(crate) fn wants_calls(&self) -> bool {
        self.collect.calls != Calls::None
    }

    /// Whether this call must be stored. If calls are not wanted, it must only if its two names do not
    /// show where the callers begin: then the names of all calls decide.
    pub(crate) fn needs_call(&mut self, caller: Option<FunctionId>, callee: NameId) -> bool {
        let (names, functions) = (&self.head.names, &self.body.functions);
        let name = |id: FunctionId| functions[id.index()].name;
        self.collect.calls != Calls::None
            || matches!(self.separate, Separate::Levels | Separate::Nothing)
                && names.may_have_callers(callee)
                && !caller.is_some_and(|id| self.callers.call(names, name(id), callee))
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
            return false;
        };
        // Sometimes only a call reveals where a function begins.
        let over = if self.collect.lines == Lines::Firsts {
            self.move_to(file, line)
        } else {
            false
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
        if !self.needs_call(Some(caller), self.known(callee).name) {
            return false;
        }
        let key = match self.collect.calls {
            Calls::None | Calls::Arcs => (caller, callee, NameId::UNKNOWN, 0),
            Calls::Sites => (caller, callee, file, line),
        };
        self.body.calls.add(key, [count], counts)
    }

    /// Replaces the files of calls where `file` returns one.
    pub(crate) fn place_calls(&mut self, file: impl Fn(SiteKey) -> Option<NameId>) {
        self.body.calls.place(file);
    }

    /// Whether single instructions are collected.
    pub(crate) fn wants_code(&self) -> bool {
        self.collect.code
    }

    /// The single instructions of the current part.
    pub(crate) fn code(&mut self) -> &mut Code {
        self.body.code.get_or_insert_default()
    }

    /// Adds what the input states about a whole function.
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

    /// Sets the costs of your functions that a baseline states.
    pub(crate) fn state_own(&mut self, own: StatedOwn) {
        self.body.stated.get_or_insert_default().own = Some(Box::new(own));
    }

    /// Whether parts are kept separate.
    pub(crate) fn is_split(&self) -> bool {
        self.split.is_some()
    }

    pub(crate) fn split_by(&self) -> Option<SplitBy> {
        self.split.as_ref().map(|bodies| bodies.by)
    }

    /// Adds complete trees of calls between functions of the current part.
    pub(crate) fn add_trees(&mut self, trees: Forest) {
        if self.split.as_ref().is_none_or(|bodies| !bodies.open) {
            self.body.add_trees(trees);
        }
    }

    /// Drops the tree of calls of the current part, and with it the tree of every sum that includes
    /// the part.
    pub(crate) fn lose_trees(&mut self) {
        self.body.lose_trees();
    }

    /// The reason to stop reading after this many bytes, if there is one.
    pub(crate) fn full(&self, read: u64) -> Option<Full> {
        let events = self.head.events.recorded().len();
        // A part has up to three rows.
        let room = self.body.allocated() + self.set_aside + 3 * events * self.head.parts.len();
        Full::reached(self.body.is_full(), room, events, read)
    }

    /// Sets the costs by input size of the functions of the current part.
    pub(crate) fn set_sizes(&mut self, sizes: Sizes) {
        self.body.sizes = Some(Box::new(sizes));
    }

    /// Ends the reading: joins functions, resolves derived events, and warns about those that cannot
    /// be computed.
    fn close(&mut self) {
        self.finish_function();
        self.join_functions();
        for (name, problem) in self.head.events.resolve() {
            let name = to_text(&name);
            self.head.warn(None, WarningKind::BadFormula, || {
                format!("the derived event {name} is omitted: {problem}")
            });
        }
    }

    /// Freezes a reading that is not split.
    pub(crate) fn finish(mut self) -> Profile {
        self.close();
        let (totals, over_total) = Totals::from_parts(&self.head.parts, &self.head.events);
        let (body, over) = self.body.freeze(self.collect.lines);
        if self.over | over | over_total {
            warn_saturated(&mut self.head);
        }
        let names = std::mem::take(&mut self.head.names);
        assemble(self.head, names.into(), totals, body)
    }

    /// Freezes a split reading into one profile per group of parts.
    pub(crate) fn finish_split(mut self, by: SplitBy) -> Shares {
        self.close();
        let Some(mut bodies) = self.split else {
            return Shares::new(self.head, by, Vec::new());
        };
        bodies.swap(&mut self.body, usize::MAX);
        let mut places: Vec<Vec<usize>> = Vec::new();
        for (at, part) in self.head.parts.iter().enumerate() {
            // A part without cost has no body yet.
            let body = part
                .body
                .unwrap_or_else(|| bodies.find(PartKey::new(by, at, part)));
            places.resize_with(bodies.all.len(), Vec::new);
            places[body].push(at);
        }
        let Bodies { all, index, .. } = bodies;
        drop(index);
        let mut shares = Vec::with_capacity(all.len());
        let mut over = self.over;
        for (mut places, body) in places.into_iter().zip(all) {
            places.shrink_to_fit();
            let (totals, over_total) = Totals::from_parts(
                places.iter().map(|&at| &self.head.parts[at]),
                &self.head.events,
            );
            let (frozen, over_body) = body.freeze(self.collect.lines);
            over |= over_total | over_body;
            // The box reuses the memory of a body that was frozen before.
            shares.push((places, totals, Box::new(frozen)));
        }
        if over {
            warn_saturated(&mut self.head);
        }
        shares.order_by(|(a, ..), (b, ..)| a.cmp(b));
        Shares::new(self.head, by, shares)
    }
}

impl Bodies {
    /// Finds or adds the body with this key, and returns its index.
    fn find(&mut self, key: PartKey) -> usize {
        *self.index.entry(key).or_insert_with(|| {
            self.all.push(Box::default());
            self.all.len() - 1
        })
    }

    /// Puts the current body back, and takes the one at index `at`, if it exists.
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
