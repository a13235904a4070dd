//! The costs of single instructions (`--dump-instr=yes`): their self cost, their calls, and jumps.
//!
//! They are only collected when [`Collect::code`](super::Collect) asks for it. Addresses are those
//! of the linked file, as in debug information and disassemblies, wherever the program was loaded.

use super::{ColumnMap, Costs, Counts, FunctionId, NameId, Overflow, keyed::KeyTable};
use std::ops::Range;

/// An instruction with a self cost. One address can have several: of several functions, or of lines
/// of several files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Instruction {
    /// The function that the cost belongs to. The address is in this function's object.
    pub function: FunctionId,
    /// The address in the linked file.
    pub address: u64,
    /// The source file of the code.
    pub file: NameId,
    /// The line, from 1; 0 if unknown.
    pub line: u64,
}

/// The syntax of x86 instructions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Syntax {
    /// The syntax of the GNU tools: `mov %rsp,%rbp`
    #[default]
    Att,
    /// The syntax of Intel's manuals: `mov rbp,rsp`
    Intel,
}

/// Calls from one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallFrom {
    /// The caller.
    pub caller: FunctionId,
    /// The address of the calling instruction, in the caller's object.
    pub address: u64,
    /// The callee.
    pub callee: FunctionId,
    /// The address of the callee in its object, if it was recorded.
    pub target: Option<u64>,
    /// The line at which the callee begins; 0 if unknown.
    pub target_line: u64,
    /// The source file of the call.
    pub file: NameId,
    /// The line of the call, from 1; 0 if unknown.
    pub line: u64,
}

/// Jumps from one instruction to another (`--collect-jumps=yes`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Jump {
    /// The function that it leaves.
    pub function: FunctionId,
    /// The address of the jump, in the function's object.
    pub from: u64,
    /// The target address, in the same object.
    pub to: u64,
    /// The target line; 0 if unknown.
    pub to_line: u64,
    /// The target file, if the profile names it.
    pub to_file: Option<NameId>,
    /// The name of the target function, if the profile names it.
    pub to_name: Option<NameId>,
    /// The source file of the jump.
    pub file: NameId,
    /// The line of the jump, from 1; 0 if unknown.
    pub line: u64,
    /// Whether it is conditional.
    pub conditional: bool,
}

/// How often a jump or call was executed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Times {
    /// How often jumps were taken, or calls made.
    pub taken: u64,
    /// How often conditional jumps were executed, taken or not.
    pub executed: u64,
}

/// All instructions of a profile. They are sorted once all are added.
#[derive(Clone, Default)]
pub struct Code {
    /// By function, address, file and line.
    instructions: KeyTable<Instruction, 0>,
    /// By caller, address and callee.
    calls: KeyTable<CallFrom, 1>,
    /// By function and address.
    jumps: KeyTable<Jump, 2>,
}

impl Code {
    /// The instructions with their self cost, by function, address, file and line.
    pub fn instructions(
        &self,
    ) -> impl ExactSizeIterator<Item = (&Instruction, Counts<'_>)> + Clone {
        let all = self.instructions.rows.iter();
        all.map(|row| (&row.key, self.instructions.counts(row)))
    }

    /// The instruction at an index of that order, and its self cost.
    pub fn instruction(&self, at: usize) -> Option<(&Instruction, Counts<'_>)> {
        let row = self.instructions.rows.get(at)?;
        Some((&row.key, self.instructions.counts(row)))
    }

    /// The indices of a function's instructions in that order.
    pub fn places_of(&self, id: FunctionId) -> Range<usize> {
        range(&self.instructions.rows, id, |row| row.key.function)
    }

    /// The first instruction at an address, among these indices of one function.
    pub(crate) fn find(&self, places: Range<usize>, address: u64) -> Option<usize> {
        let rows = self.instructions.rows.get(places.clone())?;
        let at = rows.partition_point(|row| row.key.address < address);
        (rows.get(at)?.key.address == address).then_some(places.start + at)
    }

    /// The calls with their number and inclusive cost, by caller, address and callee.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = (&CallFrom, u64, Counts<'_>)> + Clone {
        self.calls_in(0..self.calls.rows.len())
    }

    /// The calls of one function.
    pub fn calls_of(
        &self,
        id: FunctionId,
    ) -> impl ExactSizeIterator<Item = (&CallFrom, u64, Counts<'_>)> + Clone {
        self.calls_in(range(&self.calls.rows, id, |row| row.key.caller))
    }

    fn calls_in(
        &self,
        places: Range<usize>,
    ) -> impl ExactSizeIterator<Item = (&CallFrom, u64, Counts<'_>)> + Clone {
        let rows = self.calls.rows[places].iter();
        rows.map(|row| (&row.key, row.times[0], self.calls.counts(row)))
    }

    /// The jumps and how often they were taken, by function and address.
    pub fn jumps(&self) -> impl ExactSizeIterator<Item = (&Jump, Times)> + Clone {
        self.jumps_in(0..self.jumps.rows.len())
    }

    fn jumps_in(
        &self,
        places: Range<usize>,
    ) -> impl ExactSizeIterator<Item = (&Jump, Times)> + Clone {
        let times = |[taken, executed]: [u64; 2]| Times { taken, executed };
        let rows = self.jumps.rows[places].iter();
        rows.map(move |row| (&row.key, times(row.times)))
    }

    /// The jumps of one function.
    pub fn jumps_of(&self, id: FunctionId) -> impl Iterator<Item = (&Jump, Times)> + Clone {
        self.jumps_in(range(&self.jumps.rows, id, |row| row.key.function))
    }

    /// The code of some functions. The targets of calls to other functions become unknown.
    pub(crate) fn kept(&self, stays: impl Fn(FunctionId) -> bool) -> Code {
        let mut kept = Code::default();
        for (&key, cost) in self.instructions().filter(|(key, _)| stays(key.function)) {
            kept.add_instruction(key, cost.0);
        }
        for (&call, count, cost) in self.calls().filter(|(call, ..)| stays(call.caller)) {
            let target = call.target.filter(|_| stays(call.callee));
            kept.add_calls(CallFrom { target, ..call }, count, cost.0);
        }
        for (&jump, times) in self.jumps().filter(|(jump, _)| stays(jump.function)) {
            kept.add_jumps(jump, times);
        }
        kept.finish()
    }

    /// Whether nothing was recorded with an address.
    pub fn is_empty(&self) -> bool {
        self.instructions.rows.is_empty()
            && self.calls.rows.is_empty()
            && self.jumps.rows.is_empty()
    }
}

/// The range of a function's entries among entries ordered by function.
pub(crate) fn range<K>(
    keys: &[K],
    id: FunctionId,
    function: impl Fn(&K) -> FunctionId,
) -> Range<usize> {
    keys.partition_point(|key| function(key) < id)..keys.partition_point(|key| function(key) <= id)
}

/// While a profile is read.
impl Code {
    pub(crate) fn add_instruction(&mut self, key: Instruction, counts: &[i64]) -> Overflow {
        self.instructions.add(key, [], counts)
    }

    pub(crate) fn add_calls(&mut self, key: CallFrom, count: u64, counts: &[i64]) -> Overflow {
        self.calls.add(key, [count], counts)
    }

    pub(crate) fn add_jumps(&mut self, key: Jump, times: Times) -> Overflow {
        self.jumps.add(key, [times.taken, times.executed], &[])
    }

    /// The tables of costs.
    pub(super) fn costs(&self) -> [&Costs; 3] {
        [
            &self.instructions.costs,
            &self.calls.costs,
            &self.jumps.costs,
        ]
    }

    /// Adds another table, whose functions and names get new ids.
    pub(super) fn absorb(
        &mut self,
        other: Code,
        functions: &[FunctionId],
        names: &[NameId],
        columns: &mut ColumnMap,
    ) -> Overflow {
        let function = |id: FunctionId| functions[id.index()];
        let name = |id: NameId| names[id.0 as usize];
        let mut over = self
            .instructions
            .absorb(&other.instructions, columns, |key| Instruction {
                function: function(key.function),
                file: name(key.file),
                ..key
            });
        over |= self.calls.absorb(&other.calls, columns, |key| CallFrom {
            caller: function(key.caller),
            callee: function(key.callee),
            file: name(key.file),
            ..key
        });
        over | self.jumps.absorb(&other.jumps, columns, |key| Jump {
            function: function(key.function),
            file: name(key.file),
            to_file: key.to_file.map(name),
            to_name: key.to_name.map(name),
            ..key
        })
    }

    /// The instructions, calls and jumps in their order.
    pub(super) fn finish(mut self) -> Code {
        self.instructions.sort();
        self.calls.sort();
        self.jumps.sort();
        self
    }
}
