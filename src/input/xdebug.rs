//! Interprets Xdebug's records: Callgrind's format, with a block for every single call, in the
//! order in which calls end.
//!
//! ```text
//! block := "fl=" file, "fn=" function, cost, call*    one call of the function, with its self cost
//! call  := "cfl=" file, "cfn=" function, "calls=1 0 0", cost
//!                                                     a call in it; its block came before
//! ```
//!
//! The tree of calls can be rebuilt from this: a block with k calls owns the last k blocks that no
//! other block owns. The tree gives inclusive costs that count recursion once, which call edges
//! cannot give for a recursive program. It also gives the file of the callee, which Xdebug before
//! 2.1 does not write.
//!
//! A run may lack its summary, because the program was killed or the file truncated. Then its tree
//! is a forest: the outermost calls that ended are roots. The last block may lack calls, so nobody
//! knows which blocks it owns: it is a root, too.
//!
//! Blocks may not match the calls: Fibers end in another order than they began. Then a warning says
//! so, there is no tree, and inclusive costs come from the call edges. Files of sums (`calls=N`,
//! which Xdebug 2 could write) have no blocks of single calls, and so no tree.

use super::{
    Error, Options,
    callgrind::{
        CallgrindParser,
        complete::check_last_number,
        recognise::{Dialect, dialect},
        records::{CostKind, CountsAre, NameOf, Records, SumLine},
    },
    format::FormatReader,
};
use crate::profile::{
    Builder, ColumnMap, End, EndMark, Forest, Format, Full, FunctionId, Head, NameId, Php,
    WarningKind,
};
use std::{collections::HashMap, io::Read, ops::Range};

pub(super) struct Xdebug;

impl FormatReader for Xdebug {
    fn format(&self) -> &'static Format {
        &Format {
            name: "xdebug",
            has_debug_lines: false,
            end: EndMark::RunSummaries,
            php: Php::Calls,
            ..Format::CALLGRIND
        }
    }

    fn is_mine(&self, start: &[u8]) -> bool {
        dialect(start) == Some(Dialect::Xdebug)
    }

    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        options: &Options,
    ) -> Result<(), Error> {
        let mut blocks = CallBlocks::new(builder);
        CallgrindParser::new(&mut blocks, &options.strip).read(source, options.block)
    }
}

/// Whether the tree of calls can be rebuilt.
#[derive(PartialEq)]
enum CallOrder {
    /// So far every block matches its calls.
    Whole,
    /// The tree is not needed: the file holds sums, or nobody asks for a tree.
    NotSought,
    /// It is impossible; a warning was given.
    Broken,
}

struct BlockCall {
    object: Option<NameId>,
    file: Option<NameId>,
    name: NameId,
    count: u64,
    line: u64,
    /// Its counts, among those of the block's calls.
    cost: Range<usize>,
}

/// The file of functions that are not written in PHP. The lines of their blocks are those of their
/// callers.
pub(super) const INTERNAL: &[u8] = b"php:internal";

/// A call by an internal function: the caller, the callee, and the line.
type InternalCall = (FunctionId, FunctionId, u64);

/// Collects the records of one block at a time.
struct CallBlocks<'a> {
    builder: &'a mut Builder,
    columns: ColumnMap,
    order: CallOrder,
    forest: Forest,
    /// The last function that had a block, by name.
    known: HashMap<NameId, FunctionId>,

    object: NameId,
    file: NameId,
    function: Option<(NameId, NameId)>,
    /// The line of the block's first self cost; `None` if it has none yet.
    first_line: Option<u64>,
    self_cost: Vec<i64>,
    calls: Vec<BlockCall>,
    counts: Vec<i64>,
    callees: Vec<FunctionId>,
    /// Calls by internal functions whose file is not known yet: no function with a file has called
    /// them.
    waiting: Vec<InternalCall>,
    /// For each block whose caller was not read yet, the index of its first call in `waiting`.
    starts: Vec<usize>,
    /// The file of each call by an internal function; `None` if it occurs in several.
    places: HashMap<InternalCall, Option<NameId>>,

    callee: (Option<NameId>, Option<NameId>, Option<NameId>),
    count: u64,
    /// The input line of the last cost.
    line: u64,
    /// Whether the `summary:` of the run is in the block of `{main}`, as Xdebug before 2.8 writes
    /// it. That block is then the last, and the caller of all others.
    summary_in_main: bool,
    /// How many blocks of the run no other block owns; `None` if that is unknown.
    roots: Option<usize>,
    /// The largest first count of a self cost, and its line in the input.
    greatest: (i64, u64),
}

impl<'a> CallBlocks<'a> {
    fn new(builder: &'a mut Builder) -> CallBlocks<'a> {
        CallBlocks {
            order: if builder.wants_calls() {
                CallOrder::Whole
            } else {
                CallOrder::NotSought
            },
            builder,
            columns: ColumnMap::default(),
            forest: Forest::new(),
            known: HashMap::new(),
            object: NameId::EMPTY,
            file: NameId::UNKNOWN,
            function: None,
            first_line: None,
            self_cost: Vec::new(),
            calls: Vec::new(),
            counts: Vec::new(),
            callees: Vec::new(),
            waiting: Vec::new(),
            starts: Vec::new(),
            places: HashMap::new(),
            callee: (None, None, None),
            count: 0,
            line: 0,
            summary_in_main: false,
            roots: Some(0),
            greatest: (0, 0),
        }
    }

    /// The function of the current block. Its first cost or call creates it.
    fn enter(&mut self, line: u64) -> FunctionId {
        let (object, name) = self.function.unwrap_or_else(|| {
            self.builder.head.warn_before_function(line);
            (NameId::EMPTY, NameId::UNKNOWN)
        });
        self.function = Some((object, name));
        let id = self.builder.function(object, self.file, name);
        let over = self.builder.enter(id);
        self.builder.head.saturated(over, line);
        id
    }

    fn is_internal(&self) -> bool {
        self.builder.head.names.get(self.file) == INTERNAL
    }

    /// Sets the file of the calls in `waiting` from index `first`; `None` if it is unknown.
    fn place_waiting(&mut self, first: usize, file: Option<NameId>) {
        for call in self.waiting.drain(first..) {
            let known = self.places.entry(call).or_insert(file);
            *known = known.filter(|&known| file == Some(known));
        }
    }

    /// Sets the files of all calls by internal functions.
    fn place_calls(&mut self) {
        let places = std::mem::take(&mut self.places);
        self.builder.place_calls(|(caller, callee, _, line)| {
            places
                .get(&(caller, callee, line))
                .map(|file| file.unwrap_or(NameId::UNKNOWN))
        });
    }

    fn self_cost(&mut self, at: u64, counts: &[i64], line: u64) {
        // Xdebug writes one self cost per block, before its calls. Any other self cost still
        // belongs to the block.
        self.enter(line);
        self.greatest = self
            .greatest
            .max((counts.first().copied().unwrap_or(0), line));
        let at_line = if self.is_internal() { 0 } else { at };
        let over = self.builder.add_self(self.file, at_line, counts);
        let over = over | crate::profile::costs::extend_with(&mut self.self_cost, counts);
        self.first_line.get_or_insert(at);
        self.builder.head.saturated(over, line);
    }

    fn call(&mut self, at: u64, counts: &[i64], line: u64) {
        // The name stays for another `calls=` of the block.
        let (object, file) = (self.callee.0.take(), self.callee.1.take());
        let name = self
            .callee
            .2
            .unwrap_or_else(|| self.builder.head.unknown_callee(line));
        let start = self.counts.len();
        self.counts.extend_from_slice(counts);
        self.calls.push(BlockCall {
            object,
            file,
            name,
            count: self.count,
            line: at,
            cost: start..self.counts.len(),
        });
        if self.count != 1 && self.order == CallOrder::Whole {
            self.order = CallOrder::NotSought;
        }
    }

    /// Ends the block: resolves the callees of its calls and adds it to the tree. The last block of
    /// a run may be incomplete.
    fn end_block(&mut self, is_last: bool) {
        let line = self.line;
        if self.first_line.is_none() && self.calls.is_empty() {
            if self.summary_in_main {
                // The block of `{main}` must follow, and it has no cost.
                self.roots = Some(0);
            }
            self.function = None;
            return;
        }
        let singles = self.calls.iter().all(|call| call.count == 1);
        let others = self
            .roots
            .filter(|_| singles)
            .and_then(|roots| roots.checked_sub(self.calls.len()));
        self.roots = others.map(|others| others + 1);
        let lacks_calls = self.summary_in_main && others.is_some_and(|others| others > 0);
        let is_cut = is_last && (lacks_calls || self.builder.head.part().unfinished.is_some());
        if is_cut {
            self.end_trees();
        }
        let id = self.enter(line);
        let object = self.builder.known(id).object;
        self.callees.clear();
        if let Some(last) = self
            .forest
            .last(self.calls.len())
            .filter(|_| self.order == CallOrder::Whole)
        {
            self.callees.extend(last);
        }
        let mut fits = self.callees.len() == self.calls.len();
        let is_internal = self.is_internal();
        let owned = self.starts.len().saturating_sub(self.calls.len());
        let first = self
            .starts
            .get(owned)
            .copied()
            .unwrap_or(self.waiting.len());
        self.starts.truncate(owned);
        self.starts.push(first);
        if !is_internal {
            self.place_waiting(
                first,
                Some(self.file).filter(|_| self.order == CallOrder::Whole),
            );
        }
        for (at, call) in self.calls.iter().enumerate() {
            let owned = self
                .callees
                .get(at)
                .copied()
                .filter(|&c| self.builder.known(c).name == call.name);
            let callee = match (
                call.file,
                owned.or_else(|| self.known.get(&call.name).copied()),
            ) {
                (Some(file), _) => {
                    self.builder
                        .function(call.object.unwrap_or(object), file, call.name)
                }
                (None, Some(known)) => known,
                (None, None) => {
                    self.builder
                        .function(call.object.unwrap_or(object), self.file, call.name)
                }
            };
            fits &= owned == Some(callee);
            let counts = &self.counts[call.cost.clone()];
            if is_internal
                && self.waiting.get(first..).and_then(<[_]>::last) != Some(&(id, callee, call.line))
            {
                self.waiting.push((id, callee, call.line));
            }
            let over =
                self.builder
                    .add_call_from(id, callee, (self.file, call.line), call.count, counts);
            self.builder.head.saturated(over, line);
        }
        if !fits && !is_cut && self.order == CallOrder::Whole {
            self.lose_tree();
            let head = &mut self.builder.head;
            head.warn_of_part(head.parts.len().checked_sub(1), None, WarningKind::BrokenOrder, || {
                format!(
                    "up to line {line}, calls do not end in the order in which they began, as with Fibers: the tree of calls is not exact, and inclusive costs are computed from the calls between functions"
                )
            });
        }
        if self.order == CallOrder::Whole {
            let calls = self.calls.iter();
            let costs = calls.map(|call| &self.counts[call.cost.clone()]);
            self.forest.end_call(id, &self.self_cost, costs);
        }
        self.known.insert(self.builder.known(id).name, id);
        let first_line = self.first_line.unwrap_or(0);
        self.builder.state(id, &[], 1, first_line);

        self.function = None;
        self.first_line = None;
        self.self_cost.clear();
        self.calls.clear();
        self.counts.clear();
    }

    #[cold]
    fn lose_tree(&mut self) {
        self.order = CallOrder::Broken;
        self.forest = Forest::new();
        self.builder.lose_trees();
    }

    /// Makes the calls whose callers were not read yet outermost calls.
    fn end_trees(&mut self) {
        self.place_waiting(0, None);
        self.starts.clear();
        self.forest.end_run();
    }

    fn end_run(&mut self) {
        self.builder.leave();
        self.end_trees();
        let is_alone = self.roots.replace(0).is_none_or(|roots| roots == 1);
        let lacks_calls = std::mem::take(&mut self.summary_in_main) && !is_alone;
        let Some(last) = self.builder.head.parts.len().checked_sub(1) else {
            return;
        };
        check_last_number(&mut self.builder.head, last);
        let part = &mut self.builder.head.parts[last];
        part.end = match part.summary {
            _ if part.unfinished.is_some() || lacks_calls => End::Missing,
            Some(_) => End::Whole,
            None => End::Unmarked,
        };
        let line = part.unfinished;
        if part.end == End::Missing {
            let head = &mut self.builder.head;
            head.warn_of_part(Some(last), line, WarningKind::Truncated, || if lacks_calls { "the last block of a run, that of {main}, is incomplete: the file is truncated".into() } else {
                    "a run has no summary: it was killed, or the file is truncated; its total is added up, and \
                          stacks begin at the outermost calls that ended"
                        .into()
                });
        }
        // Xdebug 2 reads the time of day, which can go back, and writes a negative duration as an
        // unsigned number.
        let summary = self
            .builder
            .head
            .part()
            .summary
            .as_ref()
            .and_then(|row| row.first().copied());
        let (greatest, line) = std::mem::take(&mut self.greatest);
        if let Some(summary) =
            summary.filter(|&summary| greatest > summary.max(i64::from(i32::MAX)))
        {
            self.builder.head.warn(Some(line), WarningKind::WrappedCount, || {
                format!(
                    "a cost of {greatest} in a run of {summary}: the clock went back, and a negative cost was written as a huge number"
                )
            });
        }
    }
}

impl Records for CallBlocks<'_> {
    const FIRST_SUMMARY: bool = true;

    fn head(&mut self) -> &mut Head {
        &mut self.builder.head
    }

    fn begin_part(&mut self) {
        self.end_block(true);
        self.end_run();
        if self.builder.is_split() {
            // The next run may belong to another profile of the split, where functions have
            // different ids.
            self.place_calls();
            let trees = std::mem::replace(&mut self.forest, Forest::new());
            match self.order {
                CallOrder::Whole => self.builder.add_trees(trees),
                CallOrder::Broken => self.order = CallOrder::Whole,
                CallOrder::NotSought => {}
            }
            self.known.clear();
        }
        self.builder.begin_part();
        (self.object, self.file) = (NameId::EMPTY, NameId::UNKNOWN);
        self.callee = (None, None, None);
    }

    fn events(&mut self, names: &[Vec<u8>]) -> bool {
        let head = &mut self.builder.head;
        let fit = self.columns.map(&mut head.events, names);
        for name in names.iter().filter(|name| name.starts_with(b"Memory")) {
            head.events.set_peak(name);
        }
        fit
    }

    fn name(&mut self, of: NameOf, name: NameId) {
        match of {
            NameOf::Function => {
                self.end_block(false);
                self.function = Some((self.object, name));
                self.callee = (None, None, None);
            }
            NameOf::Object => self.object = name,
            NameOf::File | NameOf::Inlined => {
                self.end_block(false);
                self.file = name;
            }
            NameOf::CalleeObject => self.callee.0 = Some(name),
            NameOf::CalleeFile => self.callee.1 = Some(name),
            NameOf::Callee => self.callee.2 = Some(name),
        }
    }

    fn calls(&mut self, count: u64) {
        self.count = count;
    }

    fn cost(&mut self, of: CostKind, at: u64, counts: &[i64], _form: CountsAre, line: u64) {
        let mut columns = std::mem::take(&mut self.columns);
        let counts = columns.place(counts);
        self.line = line;
        match of {
            CostKind::SelfCost => self.self_cost(at, counts, line),
            CostKind::Call => self.call(at, counts, line),
            CostKind::Jump => {}
        }
        self.columns = columns;
    }

    fn summary_line(&mut self) -> bool {
        self.summary_in_main =
            self.function.is_some() && self.first_line.is_none() && self.calls.is_empty();
        !self.summary_in_main
    }

    fn totals(&mut self, of: SumLine, counts: &[i64]) {
        of.put(self.builder.head.part(), self.columns.place(counts));
    }

    fn full(&self, read: u64) -> Option<Full> {
        if self.forest.is_full() {
            Some(Full::Tables)
        } else {
            self.builder.full(read)
        }
    }

    fn end(&mut self) {
        self.end_block(true);
        self.end_run();
        self.place_calls();
        if self.builder.functions() == 0 && !self.builder.is_split() {
            self.builder.head.warn(None, WarningKind::NoFunctions, || {
                "the profile has no functions: the program ended, or was killed, before any function returned".into()
            });
        }
        if self.order == CallOrder::Whole {
            self.builder
                .add_trees(std::mem::replace(&mut self.forest, Forest::new()));
        }
    }
}
