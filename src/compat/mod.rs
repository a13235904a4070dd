//! `--compat`: the numbers of `callgrind_annotate`, faults included, on files with one part.
//!
//! The same parser feeds a second aggregation, which identifies functions by `file:function` alone.
//! So inlined code becomes a function of its own, and functions of two objects are one. Calls
//! counted zero times are self cost. The inclusive cost of a function is the sum of all calls to
//! it. The results are the report models of the analyses, so only `commands` knows this module.
//!
//! For whoever changes this: every oddity here is the original's, and tests compare the output with
//! its own. Correct a number in `analysis`, never here.

mod models;

pub(crate) use models::whole_of;

use crate::{
    analysis::Cost,
    input::{
        self, Error, Options,
        callgrind::{
            complete,
            records::{CostKind, CountsAre, NameOf, Records, SumLine},
        },
    },
    profile::{Costs, Full, Head, NameId, Part, TotalsSource, extend_with, sum_rows},
};

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

/// A function as the original knows it.
type Key = u32;

struct OriginalFunction {
    file: NameId,
    name: NameId,
    /// The object of its last `fn=` line; functions that were only inlined or called have none.
    object: Option<NameId>,
    /// Its cost, committed when another function begins.
    total: Option<u32>,
    /// The sum of the calls to it.
    incoming: Option<u32>,
}

/// What the original keeps of a profile.
#[derive(Default)]
pub(crate) struct Ledger {
    pub head: Head,
    strip: Vec<u8>,
    by: Cost,

    functions: Vec<OriginalFunction>,
    keys: HashMap<(NameId, NameId), Key>,
    rows: Costs,
    stripped: HashMap<NameId, NameId>,

    object: NameId,
    file: Option<NameId>,
    function_name: Option<NameId>,
    current: Option<Key>,
    current_row: u32,
    callee_file: Option<NameId>,
    callee: Option<Key>,
    pending_calls: u64,

    /// Self cost by file and line.
    lines: HashMap<NameId, BTreeMap<u64, u32>>,
    /// Cost and count by caller and callee, and by caller, callee and line.
    calls: HashMap<(Key, Key, Option<u64>), (u32, u64)>,
    /// The functions called from a line, and the first function that called from it.
    called_from: HashMap<NameId, BTreeMap<u64, (Key, Vec<Key>)>>,
    /// The same calls, to recognize a repeated one.
    known_calls: HashSet<(NameId, u64, Key)>,

    pub totals: Vec<i64>,
    source: TotalsSource,
}

/// Reads a profile like the original.
pub(crate) fn read(
    name: &Path,
    by: Cost,
    strip: &[u8],
    options: &Options,
) -> Result<Ledger, Error> {
    let mut rows = Costs::default();
    let current_row = rows.push();
    let mut ledger = Ledger {
        head: Head::new(name),
        strip: strip.to_vec(),
        by,
        rows,
        current_row,
        ..Ledger::default()
    };
    input::read_records(name, &mut ledger, options)?;
    Ok(ledger)
}

impl Ledger {
    /// The part whose header the report shows.
    pub(crate) fn part(&self) -> Part {
        self.head.parts.first().cloned().unwrap_or_default()
    }

    fn key(&mut self, file: NameId, name: NameId) -> Key {
        *self.keys.entry((file, name)).or_insert_with(|| {
            self.functions.push(OriginalFunction {
                file,
                name,
                object: None,
                total: None,
                incoming: None,
            });
            (self.functions.len() - 1) as Key
        })
    }

    /// Only callers' files lose the current directory, so a callee in the same file is another
    /// function.
    fn strip(&mut self, file: NameId) -> NameId {
        if let Some(&known) = self.stripped.get(&file) {
            return known;
        }
        let text = self.head.names.get(file);
        // The names of a pack are those of the folder where it was made.
        let folder = self.head.folder.as_ref().unwrap_or(&self.strip);
        let short = match text.strip_prefix(&folder[..]) {
            Some(short) if !short.is_empty() => short.to_vec(),
            _ => return file,
        };
        let short = self.head.names.intern(&short);
        self.stripped.insert(file, short);
        short
    }

    fn commit(&mut self) {
        if let Some(current) = self.current {
            self.functions[current as usize].total = Some(self.current_row);
        }
    }

    fn enter(&mut self, key: Key) {
        self.current = Some(key);
        self.current_row = match self.functions[key as usize].total {
            Some(row) => row,
            None => self.rows.push(),
        };
    }

    /// A named file has a table of its lines, even an empty one.
    fn enter_file(&mut self, file: NameId) {
        self.file = Some(file);
        self.lines.entry(file).or_default();
    }

    fn unknown_file(&self) -> NameId {
        self.file.unwrap_or(NameId::EMPTY)
    }

    fn call(&mut self, line: u64, counts: &[i64]) {
        let count = std::mem::take(&mut self.pending_calls);
        let file = self.unknown_file();
        let caller = self
            .current
            .unwrap_or_else(|| self.key(file, NameId::EMPTY));
        let callee = self.callee.unwrap_or_else(|| self.key(file, NameId::EMPTY));

        for line in [None, Some(line)] {
            let (row, counted) = self
                .calls
                .entry((caller, callee, line))
                .or_insert_with(|| (self.rows.push(), 0));
            *counted = counted.saturating_add(count);
            self.rows.add(*row, counts);
        }
        let (_, callees) = self
            .called_from
            .entry(file)
            .or_default()
            .entry(line)
            .or_insert((caller, Vec::new()));
        if self.known_calls.insert((file, line, callee)) {
            callees.push(callee);
        }
        let incoming = &mut self.functions[callee as usize].incoming;
        let row = *incoming.get_or_insert_with(|| self.rows.push());
        self.rows.add(row, counts);
        if self.by == Cost::Inclusive {
            self.rows.add(self.current_row, counts);
        }
    }
}

impl Records for Ledger {
    fn head(&mut self) -> &mut Head {
        &mut self.head
    }

    fn begin_part(&mut self) {}

    fn events(&mut self, names: &[Vec<u8>]) -> bool {
        self.head.events.columns(names).is_some()
    }

    fn name(&mut self, of: NameOf, name: NameId) {
        match of {
            NameOf::Function => {
                self.commit();
                let key = self.key(self.unknown_file(), name);
                self.function_name = Some(name);
                self.functions[key as usize].object = Some(self.object);
                self.enter(key);
            }
            NameOf::Object => self.object = name,
            NameOf::File => {
                let file = self.strip(name);
                self.enter_file(file);
            }
            NameOf::Inlined => {
                self.commit();
                let file = self.strip(name);
                self.enter_file(file);
                let key = self.key(file, self.function_name.unwrap_or(NameId::EMPTY));
                self.enter(key);
            }
            NameOf::CalleeObject => {}
            NameOf::CalleeFile => self.callee_file = Some(name),
            NameOf::Callee => {
                let file = self.callee_file.take().unwrap_or(self.unknown_file());
                self.callee = Some(self.key(file, name));
            }
        }
    }

    fn calls(&mut self, count: u64) {
        self.pending_calls = count;
    }

    fn cost(&mut self, _of: CostKind, at: u64, counts: &[i64], _form: CountsAre, _line: u64) {
        if self.pending_calls > 0 {
            self.call(at, counts);
            return;
        }
        extend_with(&mut self.head.part().self_cost, counts);
        self.rows.add(self.current_row, counts);
        if let Some(file) = self.file {
            let row = *self
                .lines
                .entry(file)
                .or_default()
                .entry(at)
                .or_insert_with(|| self.rows.push());
            self.rows.add(row, counts);
        }
    }

    fn totals(&mut self, of: SumLine, counts: &[i64]) {
        of.put(self.head.part(), counts);
    }

    fn full(&self, read: u64) -> Option<Full> {
        Full::reached(
            self.rows.is_full(),
            self.rows.allocated(),
            self.head.events.recorded().len(),
            read,
        )
    }

    fn end(&mut self) {
        complete::warn_of_cuts(&mut self.head);
        if let (Some(file), Some(name)) = (self.file, self.function_name) {
            let key = self.key(file, name);
            self.functions[key as usize].total = Some(self.current_row);
        }
        if self.by == Cost::Inclusive {
            for function in &mut self.functions {
                function.total = function.incoming.or(function.total);
            }
        }
        let stated = |row: &Option<Vec<i64>>| row.clone().filter(|r| r.iter().any(|&c| c > 0));
        let part = self.head.parts.last().cloned().unwrap_or_default();
        match stated(&part.summary).or_else(|| stated(&part.totals)) {
            Some(row) => (self.totals, self.source) = (row, TotalsSource::Totals),
            None => {
                let rows = self.functions.iter().filter_map(|f| f.total);
                self.totals = sum_rows(rows.map(|row| self.rows.row(row)));
            }
        }
        self.head.events.resolve();
    }
}
