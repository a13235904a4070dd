//! Interprets records: decides which function, file and line every cost and call belongs to.
//!
//! Rules: format notes, sections 1.6 to 1.8. The first cost or call of a function creates it, not
//! its name line, with the object and file that are current at that moment. The cost line after
//! `calls=` resolves the callee, whatever the order of the lines before it.
//!
//! For whoever changes this: [`CursorState`] is the whole context of a line, and a self cost line
//! is the hot path. So name lines only set `moved`, and [`Cursor::apply_name_lines`] does the work
//! before the next self cost. Under Callgrind's own rule, `fi=` holds for calls and jumps at once.
//! It holds for self costs only if no call or jump used it. A change of these rules needs a fixture
//! from the writer that it is for.

use super::{
    complete,
    records::{CostKind, CountsAre, JumpTo, NameOf, PositionRule, Records, SumLine},
    runs::MOST_FIELDS,
};
use crate::profile::{
    Builder, ColumnMap, Full, FunctionId, Head, NEVER, NameId, PEAK, Part,
    code::{CallFrom, Instruction, Jump, Times},
};
use foldhash::HashSet;

/// The function of costs between `fl=` and `fn=`, named as in cg_annotate.
const UNSPECIFIED: &[u8] = b"<unspecified>";

/// Whether Valgrind or cgannotate wrote a part: they give callees all their names.
fn names_callees(part: &Part) -> bool {
    part.is_callgrinds() || part.is_ours() || part.creator.starts_with(b"xtree-")
}

/// Interprets the records of one file.
pub(crate) struct Cursor<'a> {
    builder: &'a mut Builder,
    pub(super) columns: ColumnMap,
    rule: PositionRule,
    /// Whether a function ends when its file does.
    pub(in crate::input) ends_with_file: bool,

    /// The context of the next line.
    here: CursorState,
    warned_no_function: bool,
    /// How many descriptions of this part were examined, and the events whose totals are peaks
    /// according to them.
    peaks: (usize, HashSet<Vec<u8>>),
}

/// The context that the lines so far leave behind.
#[derive(Default)]
struct CursorState {
    object: NameId,
    /// The file of the last `fl=`.
    pub(super) file: Option<NameId>,
    /// Whether this part has an `fl=` line. Some writers write `fi=` instead.
    has_fl: bool,
    function: CurrentFunction,
    /// The file of the current code. Under the writer's rule, the file of the last self cost line.
    code_file: NameId,
    /// Under the writer's rule, the file of an `fi=`/`fe=` since the last self cost line. It holds
    /// for calls and jumps up to the next self cost line.
    moved_to: Option<NameId>,
    /// Whether a call or jump used `moved_to`. The next self cost line then returns to the file of
    /// the previous one.
    move_used: bool,

    callee_object: Option<NameId>,
    callee_file: Option<NameId>,
    callee: Option<NameId>,
    count: u64,
    /// Whether the cost of a `calls=` is still missing.
    call_waits: bool,
    /// Whether the file or object of the caller follows that `calls=`.
    caller_named: bool,
    /// The target of the last `calls=`, if addresses are wanted.
    target: (Option<u64>, u64),
    jump: Option<JumpTo>,
    /// Whether anything above changed since the last self cost line.
    moved: bool,
}

impl CursorState {
    /// The context at the start of a part.
    fn new() -> CursorState {
        CursorState {
            code_file: NameId::UNKNOWN,
            moved: true,
            ..CursorState::default()
        }
    }

    /// A function of the current object begins, in the current file.
    #[inline]
    fn enter(&mut self, name: NameId) {
        self.function = CurrentFunction::Named(self.object, name);
        self.code_file = self.file.unwrap_or(NameId::UNKNOWN);
        (self.moved_to, self.move_used) = (None, false);
    }
}

/// The function of the last `fn=` line.
#[derive(Default)]
enum CurrentFunction {
    /// This part has no `fn=` yet.
    #[default]
    None,
    /// The object and name of a function without cost or calls so far.
    Named(NameId, NameId),
    /// A function that exists in the profile.
    Is(FunctionId),
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(builder: &'a mut Builder) -> Cursor<'a> {
        Cursor {
            builder,
            columns: ColumnMap::default(),
            rule: PositionRule::Specification,
            ends_with_file: false,
            here: CursorState::new(),
            warned_no_function: false,
            peaks: Default::default(),
        }
    }

    /// Makes the current function exist in the profile.
    fn enter_function(&mut self, line: u64) {
        let file = self.here.file.unwrap_or(NameId::UNKNOWN);
        let id = match self.here.function {
            CurrentFunction::Is(_) => return,
            CurrentFunction::Named(object, name) => self.builder.function(object, file, name),
            CurrentFunction::None => {
                if !self.warned_no_function {
                    self.warned_no_function = true;
                    self.builder.head.warn_before_function(line);
                }
                self.builder
                    .function(self.here.object, file, NameId::UNKNOWN)
            }
        };
        self.here.function = CurrentFunction::Is(id);
        let over = self.builder.enter(id);
        self.builder.head.saturated(over, line);
    }

    /// Sets the file of the next functions, and of the current one unless it already has a cost.
    fn function_file(&mut self, file: NameId) {
        self.here.file = Some(file);
        if let CurrentFunction::Is(_) = self.here.function {
            self.move_to(file);
        } else {
            self.here.code_file = file;
            (self.here.moved_to, self.here.move_used) = (None, false);
        }
    }

    /// In Cachegrind's files a function ends with its file: the costs after `fl=` have no function
    /// until the next `fn=`. Other writers of such files put `fn=` before `fl=`.
    fn end_function(&mut self) {
        if let CurrentFunction::Named(..) = self.here.function {
            return;
        }
        let name = self.builder.head.names.intern(UNSPECIFIED);
        self.here.enter(name);
    }

    /// Sets the file of the code that follows.
    fn move_to(&mut self, file: NameId) {
        match self.rule {
            PositionRule::Writer => (self.here.moved_to, self.here.move_used) = (Some(file), false),
            PositionRule::Specification | PositionRule::Inclusive => self.here.code_file = file,
        }
    }

    fn call(&mut self, at: u64, counts: &[i64], address: Option<u64>, line: u64) {
        self.here.call_waits = false;
        self.enter_function(line);
        let file = self.here.moved_to.unwrap_or(self.here.code_file);
        self.here.move_used = true;
        let name = self
            .here
            .callee
            .unwrap_or_else(|| self.builder.head.unknown_callee(line));
        if let (PositionRule::Inclusive, Some(&cost)) = (self.rule, counts.first())
            && cost != NEVER
        {
            let over = self.builder.add_self(file, at, &[-cost]);
            self.builder.head.saturated(over, line);
        }
        if !self.builder.needs_call(self.builder.current, name) {
            (self.here.callee_object, self.here.callee_file) = (None, None);
            return;
        }
        let caller_object = match self.here.function {
            CurrentFunction::Is(id) => self.builder.known(id).object,
            _ => self.here.object,
        };
        let callee = self.builder.function(
            self.here.callee_object.take().unwrap_or(caller_object),
            self.here.callee_file.take().unwrap_or(self.here.code_file),
            name,
        );
        let mut over = self
            .builder
            .add_call(callee, file, at, self.here.count, counts);
        // No code is at 0: it means that the address is unknown.
        if let Some(address) = address.filter(|&address| address > 0)
            && let Some(caller) = self.builder.current
        {
            let (target, target_line) = self.here.target;
            let target = target.filter(|&target| target > 0);
            let calls = CallFrom {
                caller,
                address,
                callee,
                target,
                target_line,
                file,
                line: at,
            };
            over |= self
                .builder
                .code()
                .add_calls(calls, self.here.count, counts);
        }
        self.builder.head.saturated(over, line);
    }

    /// Adds a jump, whose source the current cost line gives.
    fn add_jump(&mut self, jump: JumpTo, from: u64, at: u64, line: u64) {
        let (Some(to), to_line) = jump.target else {
            return;
        };
        self.enter_function(line);
        let Some(function) = self.builder.current else {
            return;
        };
        let file = self.here.moved_to.unwrap_or(self.here.code_file);
        let times = Times {
            taken: jump.taken,
            executed: jump.executed.unwrap_or(0),
        };
        let (to_file, to_name, conditional) = (jump.file, jump.function, jump.executed.is_some());
        let jump = Jump {
            function,
            from,
            to,
            to_line,
            to_file,
            to_name,
            file,
            line: at,
            conditional,
        };
        let over = self.builder.code().add_jumps(jump, times);
        self.builder.head.saturated(over, line);
    }
}

impl Cursor<'_> {
    /// Applies all changes by name lines, calls and jumps since the last self cost line.
    fn apply_name_lines(&mut self, line: u64) {
        self.here.moved = false;
        self.enter_function(line);
        if let Some(file) = self.here.moved_to.take() {
            if !self.here.move_used {
                self.here.code_file = file;
            }
            self.here.move_used = false;
        }
        (self.here.callee_object, self.here.callee_file) = (None, None);
    }

    #[inline(never)]
    fn call_or_jump(&mut self, of: CostKind, at: u64, counts: &[i64], form: CountsAre, line: u64) {
        let address = if let CountsAre::Careful(address) = form {
            address
        } else {
            None
        };
        if of == CostKind::Jump {
            if let (Some(jump), Some(from)) = (self.here.jump.take(), address) {
                self.add_jump(jump, from, at, line);
            }
            self.here.move_used = self.here.moved_to.is_some();
            return;
        }
        let mut columns = std::mem::take(&mut self.columns);
        self.call(at, columns.place(counts), address, line);
        self.columns = columns;
    }
}

impl Records for Cursor<'_> {
    const RUNS: bool = true;

    fn head(&mut self) -> &mut Head {
        &mut self.builder.head
    }

    fn begin_part(&mut self) {
        self.builder.begin_part();
        (self.here, self.warned_no_function, self.peaks) =
            (CursorState::new(), false, Default::default());
    }

    fn events(&mut self, names: &[Vec<u8>]) -> bool {
        let head = &mut self.builder.head;
        let fit = self.columns.map(&mut head.events, names);
        // A merged profile marks the peaks of Xdebug's runs in its descriptions. In a merge of
        // merges they do not add up either.
        let Some(part) = head.parts.last() else {
            return fit;
        };
        if part.is_ours() {
            // Examine only the descriptions since the last `events:` line: a header can have many
            // lines of both.
            let (seen, peaks) = &mut self.peaks;
            let new = part.descriptions.get(*seen..).unwrap_or_default();
            peaks.extend(
                new.iter()
                    .filter_map(|line| line.strip_prefix(PEAK))
                    .map(<[u8]>::to_vec),
            );
            *seen = part.descriptions.len();
            names
                .iter()
                .filter(|name| peaks.contains(*name))
                .for_each(|name| head.events.set_peak(name));
        }
        fit
    }

    fn rule(&mut self, creator: &[u8]) -> PositionRule {
        self.rule = match creator {
            _ if creator.starts_with(b"callgrind-") => PositionRule::Writer,
            _ if creator.starts_with(b"remake") => PositionRule::Inclusive,
            _ => PositionRule::Specification,
        };
        self.rule
    }

    fn name(&mut self, of: NameOf, name: NameId) {
        self.here.moved = true;
        match of {
            NameOf::Function => {
                self.here.enter(name);
                if !self.here.call_waits {
                    (
                        self.here.callee_object,
                        self.here.callee_file,
                        self.here.callee,
                    ) = (None, None, None);
                }
            }
            NameOf::Object => self.here.object = name,
            NameOf::File => {
                self.here.has_fl = true;
                self.function_file(name);
                if self.ends_with_file {
                    self.end_function();
                }
            }
            NameOf::Inlined if self.here.has_fl => self.move_to(name),
            NameOf::Inlined => self.function_file(name),
            NameOf::CalleeObject => self.here.callee_object = Some(name),
            NameOf::CalleeFile => self.here.callee_file = Some(name),
            NameOf::Callee => self.here.callee = Some(name),
        }
    }

    fn calls(&mut self, count: u64) {
        (
            self.here.count,
            self.here.call_waits,
            self.here.caller_named,
        ) = (count, true, false);
    }

    /// Whether a name after `calls=` belongs to the caller. Some writers repeat the caller there,
    /// its file first. An `fn=` without a file before it begins another function.
    fn keeps_call(&mut self, of: NameOf) -> bool {
        self.here.caller_named |= matches!(of, NameOf::Object | NameOf::File | NameOf::Inlined);
        self.here.caller_named && !of.is_of_callee() && !self.builder.head.part().is_callgrinds()
    }

    /// Forgets the names of the callee: the next call must name its own.
    fn forget_call(&mut self) {
        self.here.call_waits = false;
        (self.here.callee_object, self.here.callee_file) = (None, None);
    }

    fn wants_callees(&self) -> bool {
        self.builder.wants_calls()
    }

    fn wants_addresses(&self) -> bool {
        self.builder.wants_code()
    }

    fn target(&mut self, target: (Option<u64>, u64)) {
        self.here.target = target;
    }

    fn jump(&mut self, jump: JumpTo) {
        self.here.jump = Some(jump);
    }

    fn wants_positions(&self) -> bool {
        self.builder.wants_positions()
    }

    #[inline(always)]
    fn run(&mut self, at: u64, line: u64) -> Option<&mut [i64; MOST_FIELDS]> {
        if !self.columns.is_identity() || !self.builder.takes_runs() {
            return None;
        }
        if self.here.moved {
            self.apply_name_lines(line);
        }
        let over = self.builder.move_to(self.here.code_file, at);
        self.builder.head.saturated(over, line);
        Some(self.builder.sums())
    }

    #[inline(always)]
    fn summed(&mut self, counts: usize, lines: u32, line: u64) {
        let over = self.builder.summed(counts, lines);
        self.builder.head.saturated(over, line);
    }

    #[inline(always)]
    fn cost(&mut self, of: CostKind, at: u64, counts: &[i64], form: CountsAre, line: u64) {
        if of != CostKind::SelfCost {
            return self.call_or_jump(of, at, counts, form, line);
        }
        if self.here.moved {
            self.apply_name_lines(line);
        }
        let over = if form == CountsAre::Plain && self.columns.is_identity() {
            self.builder.add_plain(self.here.code_file, at, counts)
        } else {
            let counts = self.columns.place(counts);
            let over = self.builder.add_self(self.here.code_file, at, counts);
            match (form, self.builder.current) {
                (CountsAre::Careful(Some(address @ 1..)), Some(function)) => {
                    let instruction = Instruction {
                        function,
                        address,
                        file: self.here.code_file,
                        line: at,
                    };
                    over | self.builder.code().add_instruction(instruction, counts)
                }
                _ => over,
            }
        };
        self.builder.head.saturated(over, line);
    }

    fn totals(&mut self, of: SumLine, counts: &[i64]) {
        of.put(self.builder.head.part(), self.columns.place(counts));
    }

    fn full(&self, read: u64) -> Option<Full> {
        self.builder.full(read)
    }

    fn end(&mut self) {
        self.builder.finish_function();
        if !self.builder.head.parts.iter().any(names_callees) {
            self.builder.find_callees();
        }
        complete::warn_of_cuts(&mut self.builder.head);
        complete::warn_of_totals(&mut self.builder.head);
    }
}
