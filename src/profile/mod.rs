//! The model: the content of one or more profiles, after reading and before any analysis.
//!
//! A [`Profile`] holds events, interned names, functions with their self cost, lines, arcs with
//! their call sites, and the parts it was read from. It does not know about files, analyses or
//! reports. `input` fills it through a `Builder`, and everything else only reads it.

mod beside;
mod body;
mod builder;
pub(crate) mod callers;
mod calls;
mod calltree;
pub mod carried;
pub mod code;
mod columns;
pub(crate) mod contexts;
pub(crate) mod costs;
pub mod events;
mod folded;
mod format;
pub mod formula;
mod grouped;
pub(crate) mod head;
mod index;
pub mod inlined;
mod kept;
mod keyed;
mod lines;
pub(crate) mod linkage;
mod name;
pub mod names;
mod own;
mod relaid;
pub(crate) mod reshape;
pub mod sizes;
mod sorting;
mod split;
mod stated;
mod totals;
pub mod warnings;

pub use self::{
    beside::TooMany,
    calltree::{CallTree, Context},
    carried::Carried,
    code::{Code, Syntax},
    contexts::Separate,
    costs::Counts,
    events::{Event, Events},
    format::{CallRecords, EndMark, Format, Php},
    formula::Definition,
    inlined::{ChainId, Inlined, InlinedFunction},
    name::{Name, Pieces, SortKey},
    names::{NameId, Names, normalised_path},
    own::{Named, ProfileBuilder, Refused},
    sizes::Sizes,
    split::{Share, Shares, SplitBy},
    stated::{StatedCosts, StatedOwn},
    totals::{Totals, TotalsSource},
    warnings::{Warning, WarningKind, Warnings},
};
pub(crate) use self::{
    builder::Builder,
    calls::CallTable,
    calltree::Forest,
    columns::ColumnMap,
    contexts::Contexts,
    costs::{Costs, NEVER, Overflow, extend_with, is_free, sum_rows},
    events::PEAK,
    folded::Folded,
    grouped::Grouped,
    head::{Full, Head},
    lines::LineTable,
    names::{base_name, hex, joined, order, path_bytes, run_of, to_text, without_hash},
    relaid::Relaid,
    sorting::Order,
};

use std::{
    borrow::Cow,
    ops::Range,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

/// A function, as an index in [`Profile::functions`]. Ids are dense, in order of first appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub(crate) u32);

impl FunctionId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function, identified by object, file and name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Function {
    /// The object (executable or library); empty if unknown.
    pub object: NameId,
    /// The file that defines it; `???` if unknown.
    pub file: NameId,
    /// Its name; `???` if unknown.
    pub name: NameId,
    /// Whether it has its own cost lines or calls. If not, it is only known as a callee.
    pub recorded: bool,
}

impl Function {
    /// Its object, file and name.
    pub(crate) fn names(&self) -> [NameId; 3] {
        [self.object, self.file, self.name]
    }
}

/// The self cost of one function at one line of one file. For inlined code, the file differs from
/// the function's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// The function that the cost belongs to.
    pub function: FunctionId,
    /// The file of the code.
    pub file: NameId,
    /// The line, from 1; 0 if unknown.
    pub line: u64,
    pub(crate) row: u32,
}

impl Line {
    /// Sorts lines by function, file and line.
    fn by_place(lines: &mut [Line]) {
        lines.sort_unstable_by_key(|line| (line.function, line.file, line.line));
    }
}

/// All calls from one function to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallEdge {
    /// The caller.
    pub caller: FunctionId,
    /// The callee.
    pub callee: FunctionId,
    /// The number of calls. 0 means that the call began before the profile did, or that calls were
    /// not counted.
    pub count: u64,
    pub(crate) row: u32,
    pub(crate) sites: Range<u32>,
}

impl CallEdge {
    /// Keeps the arcs whose ends both have a new id, and sets those ids.
    fn keep(arcs: &mut Vec<CallEdge>, new: impl Fn(FunctionId) -> Option<FunctionId>) {
        arcs.retain_mut(|arc| {
            let ends = new(arc.caller).zip(new(arc.callee));
            (arc.caller, arc.callee) = ends.unwrap_or((arc.caller, arc.callee));
            ends.is_some()
        });
    }
}

/// The part of an arc that comes from one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The file of the call.
    pub file: NameId,
    /// The line of the call, from 1; 0 if unknown.
    pub line: u64,
    /// The number of calls from this line.
    pub count: u64,
    pub(crate) row: u32,
}

impl Site {
    /// Sorts the sites of an arc by file and line.
    fn by_place(sites: &mut [Site]) {
        sites.sort_unstable_by_key(|site| (site.file, site.line));
    }
}

/// A line of a header. It is shared, because a part inherits lines from an earlier part: many parts
/// may repeat one long line.
pub type Text = std::sync::Arc<[u8]>;

/// Whether a part has its end, which a truncated file lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum End {
    /// The part is complete: it ends with its writer's end marker, or with a sum of all its costs.
    Whole,
    /// The end marker of its writer is missing.
    Missing,
    /// Its writer is not known to mark the end, so truncation between two lines cannot be detected.
    #[default]
    Unmarked,
}

/// The header of one part. A file has one part, or many: dumps, threads, runs.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its input, as an index in the profile's inputs.
    pub input: usize,
    /// `creator:`.
    pub creator: Text,
    /// `cmd:`.
    pub command: Text,
    /// `pid:`.
    pub pid: Text,
    /// `part:`.
    pub number: Text,
    /// `thread:`.
    pub thread: Text,
    /// `desc:` lines, in order.
    pub descriptions: Vec<Vec<u8>>,
    /// The header lines of a webgrind file, to write them again.
    pub(crate) lines: Vec<Text>,
    pub(crate) summary: Option<Vec<i64>>,
    pub(crate) totals: Option<Vec<i64>>,
    pub(crate) self_cost: Vec<i64>,
    /// Whether its end is there.
    pub end: End,
    /// The number of its last line, if its end is missing.
    pub(crate) unfinished: Option<u64>,
    /// The number of its last line, if that has no line feed. Its last number may be truncated,
    /// unless a sum checks it.
    pub(crate) unended: Option<u64>,
    /// The number of parts that it is the sum of, if its writer states it.
    pub(crate) sum_of: Option<u64>,
    /// The body with its costs, if parts are kept separate.
    pub(crate) body: Option<usize>,
    /// Whether its lines begin with addresses of instructions.
    pub(crate) has_addresses: bool,
    /// Whether its lines have no source line numbers (`--dump-line=no`).
    pub(crate) lacks_lines: bool,
}

impl Part {
    /// Why it was written (`desc: Trigger:`).
    pub fn trigger(&self) -> Option<&[u8]> {
        self.described(b"Trigger")
    }

    /// The name that the program gave it, as in `CALLGRIND_DUMP_STATS_AT("phase 1")`.
    pub fn name(&self) -> Option<&[u8]> {
        self.trigger()?.strip_prefix(b"Client Request: ")
    }

    /// Its number and its name.
    pub(crate) fn title(&self, number: usize) -> String {
        match self.name() {
            Some(name) => format!("{number}: {}", to_text(name)),
            None => number.to_string(),
        }
    }

    /// The text field for a key of the header.
    pub(crate) fn field(&mut self, key: &[u8]) -> Option<&mut Text> {
        Some(match key {
            b"creator" => &mut self.creator,
            b"cmd" => &mut self.command,
            b"pid" => &mut self.pid,
            b"part" => &mut self.number,
            b"thread" => &mut self.thread,
            _ => return None,
        })
    }

    /// Whether its creator is Callgrind, by its own claim.
    pub(crate) fn names_callgrind(&self) -> bool {
        self.creator.starts_with(b"callgrind-")
    }

    /// Whether Callgrind really wrote it: Callgrind writes descriptions in every part.
    pub(crate) fn is_callgrinds(&self) -> bool {
        self.names_callgrind() && !self.descriptions.is_empty()
    }

    /// Whether another program claims to be Callgrind.
    pub(crate) fn poses_as_callgrind(&self) -> bool {
        self.names_callgrind() && self.descriptions.is_empty()
    }

    /// Whether cgannotate wrote it.
    pub(crate) fn is_ours(&self) -> bool {
        self.creator.starts_with(b"cgannotate")
    }

    /// The text of its first `desc:` line of a kind, such as `Label` for `desc: Label: nightly`.
    pub fn described(&self, kind: &[u8]) -> Option<&[u8]> {
        self.descriptions
            .iter()
            .find_map(|line| line.strip_prefix(kind)?.strip_prefix(b":"))
            .map(<[u8]>::trim_ascii)
    }
}

/// The functions of C libraries that fork a process, by their names in symbol tables.
pub(crate) const FORKS: [&str; 8] = [
    "fork",
    "__fork",
    "__libc_fork",
    "_Fork",
    "arch_fork",
    "vfork",
    "__vfork",
    "__libc_vfork",
];

/// What to collect for a report. Less is faster.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Collect {
    /// How precisely to locate self cost.
    pub lines: Lines,
    /// How precisely to locate calls.
    pub calls: Calls,
    /// Whether to collect single instructions, if they were recorded.
    pub code: bool,
}

/// How precisely self cost is located.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lines {
    /// Not at all.
    #[default]
    None,
    /// By function and file: one row for each, at line 0.
    Files,
    /// By function and file, with the first known line of a cost there, even a call's. One row for
    /// each, without its cost.
    Firsts,
    /// By function, file and line.
    All,
}

/// How precisely calls are located.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Calls {
    /// Not at all.
    #[default]
    None,
    /// By caller and callee.
    Arcs,
    /// By caller, callee and line.
    Sites,
}

impl Collect {
    /// Everything except single instructions, because there are many more of them than lines.
    pub const ALL: Collect = Collect {
        lines: Lines::All,
        calls: Calls::Sites,
        code: false,
    };

    /// Everything.
    pub const CODE: Collect = Collect {
        code: true,
        ..Collect::ALL
    };

    /// Functions with their self cost, and nothing else.
    pub const FUNCTIONS: Collect = Collect {
        lines: Lines::None,
        calls: Calls::None,
        code: false,
    };

    /// Whether source line numbers matter.
    pub(crate) fn wants_lines(&self) -> bool {
        matches!(self.lines, Lines::Firsts | Lines::All) || self.calls == Calls::Sites || self.code
    }
}

/// One profile, or the sum of several.
#[derive(Clone, Default)]
pub struct Profile {
    /// The format of the first input.
    pub format: &'static Format,
    /// The inputs, as the user named them.
    pub inputs: Vec<PathBuf>,
    /// The parts, in the order in which they were read.
    pub parts: Vec<Part>,
    /// The events.
    pub events: Events,
    /// All names.
    pub names: Arc<Names>,
    /// All functions with a cost line, a call, or a caller.
    pub functions: Vec<Function>,
    /// The functions with their own records, in the order of their first records.
    pub recorded: Vec<FunctionId>,
    /// The lines, ordered by function, file and line, as precise as [`Lines`] asks for.
    pub lines: Vec<Line>,
    /// The arcs, ordered by caller and callee.
    pub arcs: Vec<CallEdge>,
    /// The base of all percentages.
    pub totals: Totals,
    /// The problems of the inputs.
    pub warnings: Warnings,
    /// The sources and code information of the inputs.
    pub carried: Vec<Arc<Carried>>,
    /// Inclusive costs and calls that the inputs state for whole functions, if all inputs do.
    pub stated: Option<StatedCosts>,
    /// The contexts of the functions, if they were recorded and joined.
    pub(crate) contexts: Option<Arc<Contexts>>,
    /// Every chain of callers, if all inputs record them.
    pub tree: Option<CallTree>,
    /// Costs by input size, from aprof's reports.
    pub sizes: Option<Sizes>,
    /// Single instructions, if they were asked for and any input has them.
    pub code: Option<Code>,
    /// The functions that were inlined at these instructions, if debug information was read.
    pub inlined: Option<Arc<Inlined>>,
    /// Whether some inputs have calls and others have none, so that inclusive costs would be
    /// incomplete.
    pub mixes_calls: bool,
    sites: Vec<Site>,
    self_costs: Costs,
    /// The costs of lines, and of arcs and call sites. A profile with other names shares them.
    line_costs: Arc<Costs>,
    call_costs: Arc<Costs>,
    /// Indices in `arcs`, ordered by callee and caller; computed on first use.
    by_callee: OnceLock<Grouped<u32>>,
}

impl Profile {
    /// The names of the inputs as text, with replacements for bytes that are not UTF-8.
    pub fn input_names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.inputs.iter().map(|input| input.to_string_lossy())
    }

    /// The name of one input; empty if there is none.
    pub(crate) fn input_name(&self, at: usize) -> Cow<'_, str> {
        self.input_names().nth(at).unwrap_or_default()
    }

    /// Whether an input was truncated. The profile then holds what could be read.
    pub fn is_truncated(&self) -> bool {
        self.warnings.has(WarningKind::Truncated)
    }

    /// Whether no part has source line numbers.
    pub fn lacks_lines(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|part| part.lacks_lines)
    }

    /// The first pack or details that say what the run depended on.
    pub(crate) fn with_facts(&self) -> Option<&Carried> {
        let mut all = self.carried.iter().map(|carried| &**carried);
        all.find(|carried| !carried.facts.is_empty())
    }

    /// The first details with facts, if they have hashes of source lines.
    pub(crate) fn line_hashes(&self) -> Option<&Carried> {
        self.with_facts()
            .filter(|carried| !carried.lines.is_empty())
    }

    /// Whether addresses of instructions were recorded, even if they were not collected.
    pub fn has_addresses(&self) -> bool {
        self.parts.iter().any(|part| part.has_addresses)
    }

    /// Whether inclusive costs are known. Cachegrind records no calls, so they are unknown there.
    /// For a sum, all inputs must know them.
    pub fn has_inclusive(&self) -> bool {
        match self.format.calls {
            _ if self.mixes_calls => false,
            CallRecords::Possible => !self.arcs.is_empty(),
            CallRecords::Inclusive => self
                .stated
                .as_ref()
                .is_some_and(|stated| stated.has_inclusive_or_calls()),
            CallRecords::All | CallRecords::Absent => true,
        }
    }

    /// The number of parts (dumps, threads, runs) that the profile is the sum of. `None` if an
    /// input is a sum that does not state it.
    pub fn part_count(&self) -> Option<u64> {
        self.parts.iter().try_fold(0u64, |sum, part| {
            sum.checked_add(if part.is_ours() { part.sum_of? } else { 1 })
        })
    }

    /// The function with an id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &[u8] {
        self.names.get(id)
    }

    /// The text of a function's name.
    pub(crate) fn name_of(&self, id: FunctionId) -> &[u8] {
        self.name(self.function(id).name)
    }

    /// The command of the first part; empty if it has none.
    pub(crate) fn command(&self) -> &[u8] {
        self.parts.first().map_or(&[], |part| &part.command)
    }

    /// The name of a function, as a borrowed [`Name`].
    pub fn function_name(&self, id: FunctionId) -> Name<'_> {
        self.names.lent(self.function(id).name)
    }

    /// The ids of all functions.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + Clone + use<> {
        (0..self.functions.len() as u32).map(FunctionId)
    }

    /// The self cost of a function.
    pub fn self_counts(&self, id: FunctionId) -> Counts<'_> {
        Counts(self.self_cost(id))
    }

    pub(crate) fn self_cost(&self, id: FunctionId) -> &[i64] {
        self.self_costs.row(id.0)
    }

    /// Whether the total of an event, or its self cost of any function or line, is below zero.
    pub(crate) fn has_below_zero(&self, event: Event) -> bool {
        let is_below = |row: &[i64]| self.events.count(row, event).is_some_and(|count| count < 0);
        // A derived event can be below zero even if nothing else is.
        let may_be = matches!(event, Event::Derived(_))
            || self.self_costs.negative
            || self.line_costs.negative;
        is_below(&self.totals.row)
            || may_be && self.function_ids().any(|id| is_below(self.self_cost(id)))
            || may_be && self.lines.iter().any(|line| is_below(self.line_cost(line)))
    }

    /// The self cost of a line.
    pub fn line_counts(&self, line: &Line) -> Counts<'_> {
        Counts(self.line_cost(line))
    }

    pub(crate) fn line_cost(&self, line: &Line) -> &[i64] {
        self.line_costs.row(line.row)
    }

    /// The lines of one function, by file and line.
    pub fn lines_of(&self, id: FunctionId) -> &[Line] {
        &self.lines[code::range(&self.lines, id, |line| line.function)]
    }

    /// The arcs of one caller, by callee.
    pub fn arcs_of(&self, caller: FunctionId) -> &[CallEdge] {
        &self.arcs[code::range(&self.arcs, caller, |arc| arc.caller)]
    }

    /// The first line of a function in its own file, if any has a cost.
    pub(crate) fn first_line(&self, id: FunctionId) -> Option<u64> {
        let file = self.function(id).file;
        let mut lines = self.lines_of(id).iter();
        let first = lines.find(|line| line.file == file && line.line > 0)?;
        Some(first.line)
    }

    /// The arc from one function to another.
    pub(crate) fn arc(&self, caller: FunctionId, callee: FunctionId) -> Option<&CallEdge> {
        let arcs = self.arcs_of(caller);
        let at = arcs.binary_search_by_key(&callee, |arc| arc.callee).ok()?;
        arcs.get(at)
    }

    /// The arcs to one callee, by caller.
    pub fn arcs_to(&self, callee: FunctionId) -> impl ExactSizeIterator<Item = &CallEdge> {
        let arcs = (0..)
            .zip(&self.arcs)
            .map(|(at, arc)| (arc.callee.index(), at));
        let by_callee = self
            .by_callee
            .get_or_init(|| Grouped::new(self.functions.len(), arcs));
        by_callee
            .group(callee.index())
            .iter()
            .map(|&at| &self.arcs[at as usize])
    }

    /// The inclusive cost of all calls of an arc.
    pub fn arc_counts(&self, arc: &CallEdge) -> Counts<'_> {
        Counts(self.arc_cost(arc))
    }

    pub(crate) fn arc_cost(&self, arc: &CallEdge) -> &[i64] {
        self.call_costs.row(arc.row)
    }

    /// The call sites of an arc, by file and line; empty unless they were collected.
    pub fn sites(&self, arc: &CallEdge) -> &[Site] {
        &self.sites[arc.sites.start as usize..arc.sites.end as usize]
    }

    /// The call sites of an arc with their costs. Calls whose sites were not collected are at line 0
    /// of the caller's file.
    pub(crate) fn known_sites(
        &self,
        arc: &CallEdge,
    ) -> impl Iterator<Item = (Site, &[i64])> + Clone {
        let sites = self.sites(arc);
        let whole = Site {
            file: self.function(arc.caller).file,
            line: 0,
            count: arc.count,
            row: arc.row,
        };
        let whole = sites.is_empty().then(|| (whole, self.arc_cost(arc)));
        let sites = sites.iter().map(|site| (*site, self.site_cost(site)));
        sites.chain(whole)
    }

    /// The inclusive cost of the calls from a site.
    pub fn site_counts(&self, site: &Site) -> Counts<'_> {
        Counts(self.site_cost(site))
    }

    pub(crate) fn site_cost(&self, site: &Site) -> &[i64] {
        self.call_costs.row(site.row)
    }

    /// The sort key of a function: file, name, object.
    pub fn sort_key(&self, id: FunctionId) -> SortKey<'_> {
        let f = self.function(id);
        SortKey([f.file, f.name, f.object].map(|id| self.names.lent(id)))
    }
}
