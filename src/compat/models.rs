//! The original's numbers as report models.

use super::{Key, Ledger};
use crate::{
    analysis::{Cost, Label, Reach, Selection, cut::Reached},
    profile::{NameId, Order, sum_rows},
    view::{
        ArcRow, FileCosts, FunctionRow, FunctionRows, ListFrame, ListedArcs, Listing, PastEnd,
        ProgramTotals, totals::longest,
    },
};
use std::{borrow::Cow, collections::HashMap};

/// The listed callers of each function, or its callees, with their costs and counts.
type Arcs = HashMap<Key, Vec<(Key, u32, u64)>>;

impl Ledger {
    fn label(&self, key: Key) -> Label<'_> {
        let f = &self.functions[key as usize];
        let name = |id: NameId| self.head.names.get(id);
        Label {
            file: name(f.file),
            name: self.head.names.lent(f.name),
            object: f.object.map(name),
            cycle: None,
        }
    }

    /// The function list. With inclusive costs, it ends when the total without the last function's
    /// cost reaches the threshold.
    pub(crate) fn listing(&self, selection: &Selection, tree: ListedArcs) -> Listing<'_> {
        let events = &self.head.events;
        let cost = |key: Key| {
            self.functions[key as usize]
                .total
                .map(|row| self.rows.row(row))
                .unwrap_or_default()
        };
        let mut keys: Vec<Key> = (0..self.functions.len() as Key)
            .filter(|&key| self.functions[key as usize].total.is_some())
            .collect();
        let longest = longest(events, keys.iter().map(|&key| cost(key)));
        keys.order_by(|&a, &b| {
            selection
                .compare(events, cost(a), cost(b))
                .then_with(|| self.label(a).compare(&self.label(b)))
        });

        let (mut callers, mut callees) = (Arcs::new(), Arcs::new());
        let whole = self.calls.iter().filter(|((.., line), _)| line.is_none());
        for (&(from, to, _), &(row, count)) in whole {
            if tree.callers {
                callers.entry(to).or_default().push((from, row, count));
            }
            if tree.callees {
                callees.entry(from).or_default().push((to, row, count));
            }
        }
        let mut progress = Reached::new(selection, events, &[&self.totals]);
        let mut rows = Vec::new();
        for key in keys {
            if progress.is_done() {
                break;
            }
            if self.by == Cost::Inclusive {
                progress.replace(cost(key));
            } else {
                progress.add(cost(key));
            }
            let mut label = self.label(key);
            label.object = label.object.filter(|o| !o.is_empty());
            let unknown = label.file == b"???" && label.name == b"???".into();
            let calls = |of: &Arcs| {
                let arcs = of.get(&key).into_iter().flatten().filter(|_| !unknown);
                let cost = |row| Cow::Borrowed(self.rows.row(row));
                let call = |&(other, row, count)| ArcRow {
                    label: self.label(other),
                    count,
                    cost: cost(row),
                    is_inside: false,
                };
                let mut calls: Vec<ArcRow> = arcs.map(call).collect();
                ArcRow::order(&mut calls, selection, events);
                calls
            };
            rows.push(FunctionRow {
                id: None,
                label,
                cost: cost(key),
                reach: Reach::Called,
                estimated: None,
                callers: calls(&callers),
                callees: calls(&callees),
            });
        }
        let totals = ProgramTotals {
            cost: &self.totals,
            source: self.source,
        };
        Listing {
            rows: FunctionRows::made(rows),
            frame: ListFrame::of_functions(totals, longest),
            tree,
        }
    }

    /// The files of the listed functions. Like the original, it takes the text before the first
    /// colon as the file.
    pub(crate) fn chosen<'a>(&'a self, listing: &Listing<'a>) -> Vec<&'a [u8]> {
        let mut files: Vec<&[u8]> = listing
            .rows
            .labels()
            .filter_map(|label| label.file.split(|&b| b == b':').next())
            .filter(|file| file != b"???")
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Files by cost, the most expensive first, ties by name.
    pub(crate) fn in_order<'a>(
        &self,
        files: Vec<&'a [u8]>,
        selection: &Selection,
    ) -> Vec<&'a [u8]> {
        let mut costs: Vec<(&[u8], Vec<i64>)> = files
            .into_iter()
            .map(|file| {
                let lines = self.head.names.find(file);
                let lines = lines.and_then(|id| self.lines.get(&id));
                let rows = lines.into_iter().flat_map(|lines| lines.values());
                (file, sum_rows(rows.map(|&row| self.rows.row(row))))
            })
            .collect();
        costs.order_by(|a, b| {
            selection
                .compare(&self.head.events, &a.1, &b.1)
                .then_with(|| a.0.cmp(b.0))
        });
        costs.into_iter().map(|(file, _)| file).collect()
    }

    /// The cost of one file; `None` if the profile says nothing about it.
    pub(crate) fn costs(&self, file: &[u8], selection: &Selection) -> Option<FileCosts<'_>> {
        let events = &self.head.events;
        let id = self.head.names.find(file)?;
        let lines: Vec<_> = self
            .lines
            .get(&id)?
            .iter()
            .map(|(&line, &row)| (line, Cow::Borrowed(self.rows.row(row))))
            .collect();
        let longest = longest(events, lines.iter().map(|(_, cost)| &cost[..]));
        let mut calls: Vec<(u64, Vec<ArcRow<'_>>)> = Vec::new();
        for (&line, (caller, callees)) in self.called_from.get(&id).into_iter().flatten() {
            let arc = |callee: &Key| {
                self.calls
                    .get(&(*caller, *callee, None))
                    .map(|&(row, _)| self.rows.row(row))
            };
            let mut callees: Vec<Key> = callees
                .iter()
                .copied()
                .filter(|c| arc(c).is_some())
                .collect();
            callees.order_by(|a, b| {
                selection
                    .compare(
                        events,
                        arc(a).unwrap_or_default(),
                        arc(b).unwrap_or_default(),
                    )
                    .then_with(|| self.label(*a).compare(&self.label(*b)))
            });
            let list = callees
                .into_iter()
                .filter_map(|callee| {
                    let &(row, count) = self.calls.get(&(*caller, callee, Some(line)))?;
                    let cost = Cow::Borrowed(self.rows.row(row));
                    Some(ArcRow {
                        label: self.label(callee),
                        count,
                        cost,
                        is_inside: false,
                    })
                })
                .collect();
            calls.push((line, list));
        }
        Some(FileCosts {
            name: self.head.names.get(id),
            lines,
            calls,
            longest,
            past_end: PastEnd::Cost,
            ..FileCosts::default()
        })
    }
}

/// The original's 100 % below the annotated sources: the totals, but at least the annotated cost.
pub(crate) fn whole_of(totals: &[i64], covered: &[i64]) -> Vec<i64> {
    let mut whole = totals.to_vec();
    for (have, &count) in whole.iter_mut().zip(covered) {
        *have = if *have == 0 { count } else { count.max(*have) };
    }
    whole
}
