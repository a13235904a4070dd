//! Instructions by cost. A row is the cost of one function at one instruction of one line.

use super::{Texts, UNKNOWN};
use crate::{
    analysis::{Ending, Label, Selection, Session, cut::left_over},
    profile::{Code, NameId, Order, sum_rows},
    text::how_many,
    view::{ListFrame, totals::widen},
};
use std::collections::{BTreeMap, HashMap};

/// The noun for one row, and for several.
const NOUNS: [&str; 2] = ["instruction", "instructions"];

/// The list of instructions.
pub struct InstructionList<'a> {
    /// The instructions that pass the filters, most expensive first; ties by object, address, file
    /// and line.
    pub rows: Vec<InstructionRow<'a>>,
    /// The totals, the rest, and the widths.
    pub frame: ListFrame<'a>,
    /// The number of hexadecimal digits of the longest address.
    pub digits: usize,
    /// Notes about what is not known, and why, one per line.
    pub notes: Vec<String>,
}

/// One row.
pub struct InstructionRow<'a> {
    /// The address in the linked file.
    pub address: u64,
    /// The disassembly, if known.
    pub text: Option<String>,
    /// The file of the code.
    pub file: &'a [u8],
    /// The line, from 1; 0 is unknown.
    pub line: u64,
    /// The function.
    pub function: Label<'a>,
    pub(crate) cost: &'a [i64],
    object: NameId,
}

impl<'a> InstructionList<'a> {
    /// Lists the instructions of a profile, without their text.
    pub fn new(session: &'a Session, selection: &Selection) -> InstructionList<'a> {
        let profile = session.profile();
        let events = &profile.events;
        let Some(code) = &profile.code else {
            let left_out = profile.function_ids().map(|id| profile.self_cost(id));
            let mut frame = ListFrame::new(profile, NOUNS, std::iter::empty(), 0, left_out);
            widen(&mut frame.longest, events, [&profile.totals.row[..]]);
            return InstructionList {
                rows: Vec::new(),
                frame,
                digits: 1,
                notes: vec![UNKNOWN.into()],
            };
        };
        let object = |at: usize| {
            code.instruction(at)
                .map_or(NameId::EMPTY, |(i, _)| profile.function(i.function).object)
        };
        let costs = code.instructions().map(|(_, cost)| cost.0);
        let mut all: Vec<(usize, &[i64])> = costs.enumerate().collect();
        all.order_by(|&(a, cost_of_a), &(b, cost_of_b)| {
            let key = |at: usize| {
                code.instruction(at)
                    .map(|(i, _)| (i.address, profile.name(i.file), i.line))
            };
            selection
                .compare(events, cost_of_a, cost_of_b)
                .then_with(|| profile.name(object(a)).cmp(profile.name(object(b))))
                .then_with(|| key(a).cmp(&key(b)))
                .then_with(|| a.cmp(&b))
        });
        let wanted = |&(at, _): &(usize, &[i64])| {
            code.instruction(at)
                .is_some_and(|(i, _)| selection.narrow.takes(profile, i.function, i.file))
        };
        let ending = Ending { profile, selection };
        let (listed, left_out) = ending.divided(all, |&(_, cost)| cost, wanted);
        let without = without_address(session, code);
        let others = left_out.iter().map(|&(_, cost)| cost);
        let others = others.chain(without.iter().map(|cost| &cost[..]));
        let (shown, count) = (listed.iter().map(|&(_, cost)| cost), left_out.len());
        let frame = ListFrame::new(profile, NOUNS, shown, count, others);
        let row = |(at, _): (usize, &[i64])| {
            let (instruction, cost) = code.instruction(at)?;
            Some(InstructionRow {
                address: instruction.address,
                text: None,
                file: profile.name(instruction.file),
                line: instruction.line,
                function: Label::new(profile, instruction.function),
                cost: cost.0,
                object: object(at),
            })
        };
        let rows: Vec<InstructionRow> = listed.into_iter().filter_map(row).collect();
        let highest = rows.iter().map(|row| row.address).max().unwrap_or(0);
        InstructionList {
            rows,
            frame,
            digits: format!("{highest:x}").len(),
            notes: Vec::new(),
        }
    }

    /// The distinct addresses of each object's rows, in order.
    pub fn wanted(&self) -> BTreeMap<NameId, Vec<u64>> {
        let mut wanted: BTreeMap<NameId, Vec<u64>> = BTreeMap::new();
        for row in &self.rows {
            wanted.entry(row.object).or_default().push(row.address);
        }
        for addresses in wanted.values_mut() {
            addresses.sort_unstable();
            addresses.dedup();
        }
        wanted
    }

    /// Sets the text of instructions, by object.
    pub fn say(&mut self, texts: impl IntoIterator<Item = (NameId, Texts)>) {
        let mut known: HashMap<NameId, Vec<(u64, String)>> = HashMap::new();
        for (object, texts) in texts {
            match texts {
                Ok(texts) => drop(known.insert(object, texts)),
                Err(why) => {
                    let rows = self.rows.iter().filter(|row| row.object == object).count();
                    self.notes.push(if rows < self.rows.len() {
                        format!("{} without text: {why}", how_many(rows, "instruction"))
                    } else {
                        format!("no instructions: {why}")
                    });
                }
            }
        }
        for row in &mut self.rows {
            let texts = known.get(&row.object).map_or(&[][..], |texts| texts);
            let at = texts.binary_search_by_key(&row.address, |(address, _)| *address);
            row.text = at.ok().map(|at| texts[at].1.clone());
        }
        self.notes.order();
    }
}

/// The costs of functions that are not in instructions, because an input has no addresses.
fn without_address(session: &Session, code: &Code) -> Vec<Vec<i64>> {
    let profile = session.profile();
    let mut all = Vec::new();
    for id in profile.function_ids() {
        let places = code.places_of(id).filter_map(|at| code.instruction(at));
        let sum = sum_rows(places.map(|(_, cost)| cost.0));
        let whole = profile.self_cost(id);
        if sum != whole {
            all.push(if sum.is_empty() {
                whole.to_vec()
            } else {
                left_over(&profile.events, whole, &sum)
            });
        }
    }
    all
}
