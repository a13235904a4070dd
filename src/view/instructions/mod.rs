//! The instructions of one function as a value: rows in the order of addresses, and the arrows of
//! jumps.
//!
//! Costs, calls, jumps and lines come from the profile. The text of instructions, and instructions
//! without cost, come from a disassembler. Without one, there are addresses with their costs, and a
//! note that says why.

mod gutter;
pub mod list;

pub use gutter::{Gutter, Mark};

use super::{
    sources::{LineTexts, line_texts},
    totals::longest,
};
use crate::{
    analysis::{
        Label, Selection, Session,
        jumps::{JumpsFrom, jumps_of},
        loops::{CodeCosts, loops_of},
    },
    profile::{
        ChainId, Code, Counts, FunctionId, Inlined, NameId, Names, Order, Profile, carried::COLD,
        extend_with, to_text,
    },
    source::Finder,
    text::{grouped, how_many, names, number::plural, shown},
};
use gutter::Arrow;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// The result of a disassembler: the address and text of each instruction in order, or why there is
/// none.
pub type Texts = Result<Vec<(u64, String)>, String>;

/// What binaries know about a function's code.
pub struct Told {
    /// Its instructions.
    pub texts: Texts,
    /// The inlined functions and all names; `None` if there are no instructions.
    pub inlined: Option<Arc<(Inlined, Names)>>,
}

/// The options of the list.
pub struct Look<'f> {
    /// The most arrows side by side.
    pub lanes: usize,
    /// The inlined functions, if known, and their names.
    pub inlined: Option<(&'f Inlined, &'f Names)>,
    /// The finder of sources, if source lines are shown between instructions.
    pub sources: Option<&'f Finder>,
}

/// How many arrows have room in a screen of this width.
pub fn lanes(width: Option<usize>) -> usize {
    match width {
        Some(..60) => 2,
        Some(60..100) => 5,
        _ => 8,
    }
}

/// The instructions of one function.
#[derive(Default)]
pub struct Instructions<'a> {
    /// The rows, in the order of addresses.
    pub rows: Vec<CodeRow<'a>>,
    /// The arrows of jumps.
    pub gutter: Gutter,
    /// Notes about what is not known, and why, one per line.
    pub notes: Vec<String>,
    /// The number of hexadecimal digits of the longest address.
    pub digits: usize,
    /// The length of the longest count of each event, recorded events first.
    pub longest: Vec<usize>,
}

/// A row.
pub enum CodeRow<'a> {
    /// The place that the code below comes from.
    Place(CodePlace<'a>),
    /// The source of that line.
    Source(String),
    /// An instruction.
    Instruction(CodeInstruction<'a>),
    /// Calls from the instruction above.
    Call(InstructionCall<'a>),
    /// Jumps from the instruction above.
    Jump(JumpRow),
    /// The text about a loop, with its self cost, or about instructions without cost.
    Text(String, Vec<i64>),
}

impl CodeRow<'_> {
    /// The cost of the row; empty if it has none.
    pub fn counts(&self) -> Counts<'_> {
        match self {
            CodeRow::Instruction(instruction) => Counts(&instruction.cost),
            CodeRow::Call(call) => Counts(&call.cost),
            CodeRow::Text(_, cost) => Counts(cost),
            CodeRow::Place(_) | CodeRow::Source(_) | CodeRow::Jump(_) => Counts(&[]),
        }
    }
}

/// A line number as text; `?` if unknown.
pub(crate) fn line_said(line: u64) -> String {
    if line == 0 {
        "?".to_owned()
    } else {
        line.to_string()
    }
}

/// The place that code comes from.
pub struct CodePlace<'a> {
    /// The file of the code.
    pub file: &'a [u8],
    /// The line, from 1; 0 is unknown.
    pub line: u64,
    /// The functions that are inlined here, outermost first; empty for the function's own code.
    pub chain: Vec<Vec<u8>>,
}

impl CodePlace<'_> {
    /// The line number as text; `?` if unknown.
    pub fn line_said(&self) -> String {
        line_said(self.line)
    }

    /// The functions that are inlined here, without their arguments: those of templates can be
    /// longer than a line.
    pub fn inlined(&self) -> Vec<String> {
        self.chain
            .iter()
            .map(|name| names::collapse(&shown(name)))
            .collect()
    }

    /// `file:line`, and the functions that are inlined there. `file` is the file as the report
    /// prints it.
    pub fn said(&self, file: &str) -> String {
        let (line, inlined) = (self.line_said(), self.inlined());
        let chain = if inlined.is_empty() {
            String::new()
        } else {
            format!(" in {}", inlined.join(" › "))
        };
        format!("{file}:{line}{chain}")
    }
}

/// An instruction.
pub struct CodeInstruction<'a> {
    /// The address in the linked file.
    pub address: u64,
    /// The disassembly, if known.
    pub text: Option<String>,
    /// Its self cost; empty if it was not executed.
    pub(crate) cost: Cow<'a, [i64]>,
}

/// Calls of one function from one instruction.
pub struct InstructionCall<'a> {
    /// The callee.
    pub id: FunctionId,
    /// The label of the callee.
    pub callee: Label<'a>,
    /// The number of calls.
    pub count: u64,
    /// The inclusive cost; empty for recursive calls.
    pub(crate) cost: Cow<'a, [i64]>,
    /// Whether the calls are recursive. Their cost is then part of that of other calls.
    pub is_inside: bool,
}

impl InstructionCall<'_> {
    /// The text to the left of the callee's name.
    pub fn said(&self) -> String {
        let recursive = if self.is_inside { "recursive " } else { "" };
        let call = format!("{recursive}call");
        format!("=> {} of ", how_many(self.count, &call))
    }
}

/// The jumps of an instruction.
#[derive(Clone, Copy)]
pub struct JumpRow {
    /// How often it jumped.
    pub taken: u64,
    /// How often a conditional jump was executed. It is unknown if the profile has fewer executions
    /// than jumps, because Callgrind counts jumps even while it does not collect.
    pub executed: Option<u64>,
    /// The target, if it is one of several.
    pub to: Option<u64>,
}

impl JumpRow {
    /// The jumps as text.
    pub fn said(&self) -> String {
        let times = |count: u64| how_many(count, "time");
        match (self.to, self.executed) {
            (Some(to), _) => format!("to {to:x} {}", times(self.taken)),
            (None, Some(executed)) => {
                format!("taken {} of {}", grouped(self.taken), grouped(executed))
            }
            (None, None) => format!("taken {}", times(self.taken)),
        }
    }
}

/// The note if there are no instructions.
pub const UNKNOWN: &str =
    "instructions are not known: the profile has no addresses; record it with --dump-instr=yes";

/// What the profile knows of a function's instructions, by address.
#[derive(Default)]
struct CodeFacts<'a> {
    /// The self cost, and the index of the most expensive instruction at the address.
    costs: CodeCosts<'a>,
    calls: BTreeMap<u64, Vec<InstructionCall<'a>>>,
    jumps: BTreeMap<u64, JumpsFrom>,
}

impl<'a> Instructions<'a> {
    /// The instructions of a function; empty if none were recorded.
    pub fn new(
        session: &'a Session,
        selection: &Selection,
        id: FunctionId,
        texts: Texts,
        look: &Look<'_>,
    ) -> Instructions<'a> {
        let profile = session.profile();
        let Some(code) = &profile.code else {
            return Instructions {
                notes: vec![UNKNOWN.to_owned()],
                ..Instructions::default()
            };
        };
        let mut notes = Vec::new();
        let known = CodeFacts::new(session, selection, code, id);
        let texts = texts.unwrap_or_else(|why| {
            notes.push(format!("no instructions: {why}"));
            Vec::new()
        });
        if texts.is_empty() && known.costs.is_empty() && notes.is_empty() {
            notes.push("its instructions were not recorded".to_owned());
        }
        let places = known.costs.values().filter_map(|cost| {
            let (row, _) = code.instruction(cost.1)?;
            Some((profile.name(row.file), row.line))
        });
        let sources = look.sources.map(|finder| line_texts(places, finder));
        let mut walk = RowMaker {
            profile,
            code,
            known,
            inlined: look.inlined,
            sources: sources.unwrap_or_default(),
            rows: Vec::new(),
            at_rows: HashMap::new(),
            place: None,
            loops: BTreeMap::new(),
        };
        if !walk.loops() {
            let why = match profile.events.find(b"Ir") {
                Some(_) => "jump counts do not fit instruction counts",
                None => "`Ir` was not recorded",
            };
            notes.push(format!("loops are not known: {why}"));
        }
        walk.walk(texts);
        let RowMaker {
            rows,
            at_rows,
            known,
            ..
        } = walk;
        let mut arrows: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (from, jumps) in known.jumps.iter() {
            let jumped = jumps.to.iter();
            for (to, _) in jumped.filter(|&(to, &taken)| taken > 0 && to != from) {
                if let (Some(&from), Some(&to)) = (at_rows.get(from), at_rows.get(to)) {
                    arrows.entry(to).or_default().push(from);
                }
            }
        }
        let arrows = arrows.into_iter().map(|(to, from)| Arrow { to, from });
        let gutter = Gutter::new(arrows.collect(), rows.len(), look.lanes);
        if gutter.left_out > 0 {
            let (many, one) = ("have no arrow", "has no arrow");
            notes.push(plural(gutter.left_out, "long jump", many, one));
        }
        let longest = longest(&profile.events, rows.iter().map(|row| row.counts().0));
        let highest = rows.iter().rev().find_map(|row| match row {
            CodeRow::Instruction(one) => Some(one.address),
            _ => None,
        });
        let digits = highest.map_or(1, |address| format!("{address:x}").len());
        Instructions {
            rows,
            gutter,
            notes,
            digits,
            longest,
        }
    }
}

impl<'a> CodeFacts<'a> {
    fn new(
        session: &'a Session,
        selection: &Selection,
        code: &'a Code,
        id: FunctionId,
    ) -> CodeFacts<'a> {
        let profile = session.profile();
        let mut known = CodeFacts::default();
        let mut dearest: HashMap<u64, &[i64]> = HashMap::new();
        for at in code.places_of(id) {
            let Some((instruction, cost)) = code.instruction(at) else {
                continue;
            };
            let sum = known
                .costs
                .entry(instruction.address)
                .or_insert_with(|| (Cow::default(), at));
            if sum.0.is_empty() {
                sum.0 = Cow::Borrowed(cost.0);
                dearest.insert(instruction.address, cost.0);
                continue;
            }
            extend_with(sum.0.to_mut(), cost.0);
            let best = dearest.entry(instruction.address).or_default();
            if selection.compare(&profile.events, cost.0, best).is_lt() {
                (*best, sum.1) = (cost.0, at);
            }
        }
        // Calls are ordered by address and callee. Those of one callee may differ in their target
        // line.
        let mut last = None;
        for (call, count, cost) in code.calls_of(id) {
            let calls = known.calls.entry(call.address).or_default();
            let is_same =
                last.replace((call.address, call.callee)) == Some((call.address, call.callee));
            match calls.last_mut().filter(|_| is_same) {
                Some(one) => {
                    one.count = one.count.saturating_add(count);
                    extend_with(one.cost.to_mut(), cost.0);
                }
                None => {
                    let callee = Label::new(profile, call.callee).without_object();
                    let is_inside = (profile.arc(id, call.callee))
                        .is_some_and(|arc| session.inclusive().is_recursive(arc));
                    let cost = Cow::Borrowed(cost.0);
                    calls.push(InstructionCall {
                        id: call.callee,
                        callee,
                        count,
                        cost,
                        is_inside,
                    });
                }
            }
        }
        for calls in known.calls.values_mut() {
            calls
                .iter_mut()
                .filter(|call| call.is_inside)
                .for_each(|call| call.cost = Cow::default());
            calls.order_by(|a, b| {
                let costs = selection.compare(&profile.events, &a.cost, &b.cost);
                costs.then_with(|| a.callee.compare(&b.callee))
            });
        }
        known.jumps = jumps_of(profile, code, id);
        known
    }
}

/// Creates rows from what is known.
struct RowMaker<'a, 'f> {
    profile: &'a Profile,
    code: &'a Code,
    known: CodeFacts<'a>,
    inlined: Option<(&'f Inlined, &'f Names)>,
    sources: LineTexts<'a>,
    rows: Vec<CodeRow<'a>>,
    /// The index of each instruction's row, by address.
    at_rows: HashMap<u64, usize>,
    /// The place of the previous instruction.
    place: Option<(NameId, u64, ChainId)>,
    /// The texts about loops, by the addresses of their headers.
    loops: BTreeMap<u64, String>,
}

impl<'a> RowMaker<'a, '_> {
    /// Lists the loops. Returns whether the counts of jumps fit those of instructions.
    fn loops(&mut self) -> bool {
        let known = &self.known;
        let calls = |address| {
            let calls = known.calls.get(&address)?.iter();
            calls.map(|call| call.count.into()).max()
        };
        let Some(loops) = loops_of(self.profile, &known.costs, &known.jumps, calls) else {
            return known.jumps.is_empty();
        };
        for one in loops {
            let Some((row, _)) = self.code.instruction(one.header) else {
                continue;
            };
            let average = one.iterations as f64 / one.entries as f64;
            let times = how_many(one.entries, "time");
            let text = format!("loop of {average:.1} iterations, entered {times}");
            let file = shown(self.profile.name(row.file));
            let (file, line) = (names::base(&file), line_said(row.line));
            let (depth, address) = (2 * one.depth, row.address);
            let listed = format!("{:depth$}{file}:{line} at {address:x}: {text}", "");
            self.rows.push(CodeRow::Text(listed, one.cost));
            self.loops.insert(address, text);
        }
        true
    }

    /// Visits all addresses in order: those that are disassembled, and those that the profile
    /// knows.
    fn walk(&mut self, texts: Vec<(u64, String)>) {
        let mut all: BTreeMap<u64, Option<String>> = BTreeMap::new();
        let known = &self.known;
        let jumping = known.jumps.iter().filter(|(_, jumps)| jumps.taken > 0);
        let recorded = known.costs.keys().chain(known.calls.keys());
        let recorded = recorded.chain(jumping.map(|(address, _)| address));
        all.extend(recorded.map(|&address| (address, None)));
        let texts = texts.into_iter();
        all.extend(texts.map(|(address, text)| (address, Some(text))));
        let heads: BTreeSet<u64> = known
            .jumps
            .values()
            .flat_map(|jumps| jumps.to.keys().copied())
            .collect();
        let mut cold: Vec<(u64, Option<String>)> = Vec::new();
        for (address, text) in all {
            let known = &self.known;
            let is_known = known.costs.contains_key(&address)
                || known.calls.contains_key(&address)
                || known.jumps.contains_key(&address)
                || heads.contains(&address);
            if is_known {
                self.cold(&mut cold);
                self.instruction(address, text);
            } else {
                cold.push((address, text));
            }
        }
        self.cold(&mut cold);
    }

    fn cold(&mut self, cold: &mut Vec<(u64, Option<String>)>) {
        if cold.len() >= COLD {
            let text = format!("... {} instructions without cost", grouped(cold.len()));
            self.rows.push(CodeRow::Text(text, Vec::new()));
            cold.clear();
        }
        for (address, text) in cold.drain(..) {
            self.rows.push(CodeRow::Instruction(CodeInstruction {
                address,
                text,
                cost: Cow::default(),
            }));
        }
    }

    fn instruction(&mut self, address: u64, text: Option<String>) {
        let cost = self.known.costs.remove(&address);
        if let Some((_, at)) = cost
            && let Some((instruction, _)) = self.code.instruction(at)
        {
            let chain = self
                .inlined
                .map_or(ChainId::EMPTY, |(inlined, _)| inlined.chain_at(at));
            let place = (instruction.file, instruction.line, chain);
            if self.place != Some(place) {
                self.place = Some(place);
                let links = self.inlined.into_iter().flat_map(|(inlined, names)| {
                    let name = |function: u32| inlined.functions[function as usize].name;
                    inlined
                        .inwards_out(chain)
                        .map(move |link| names.get(name(link.function)).to_vec())
                });
                let mut chain: Vec<Vec<u8>> = links.collect();
                chain.reverse();
                let file = self.profile.name(instruction.file);
                self.rows.push(CodeRow::Place(CodePlace {
                    file,
                    line: instruction.line,
                    chain,
                }));
                let source = self.sources.get(&(file, instruction.line));
                let source = source.and_then(|(_, text)| Some(text.as_ref()?.trim_ascii_end()));
                let source = source.filter(|text| !text.is_empty());
                self.rows.extend(source.map(to_text).map(CodeRow::Source));
            }
        }
        if let Some(text) = self.loops.remove(&address) {
            self.rows.push(CodeRow::Text(text, Vec::new()));
        }
        self.at_rows.insert(address, self.rows.len());
        self.rows.push(CodeRow::Instruction(CodeInstruction {
            address,
            text,
            cost: cost.unwrap_or_default().0,
        }));
        let calls = self.known.calls.remove(&address).unwrap_or_default();
        self.rows.extend(calls.into_iter().map(CodeRow::Call));
        let Some(jumps) = self.known.jumps.get(&address) else {
            return;
        };
        if jumps.conditional {
            self.rows.push(CodeRow::Jump(JumpRow {
                taken: jumps.taken,
                executed: jumps.executed,
                to: None,
            }));
        } else if jumps.to.len() > 1 {
            let row = |(&to, &taken)| JumpRow {
                taken,
                executed: None,
                to: Some(to),
            };
            self.rows
                .extend(jumps.to.iter().map(row).map(CodeRow::Jump));
        }
    }
}
