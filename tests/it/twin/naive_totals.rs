//! The totals of the naive twin: what the percentages are of, as the format notes say.
use super::naive::{Context, Name, Reader};
use super::naive_lines::{Header, Kind, Line};
use std::collections::BTreeSet;

/// The base of the percentages.
pub(crate) struct Base {
    sums: Vec<i128>,
    /// What all parts cost.
    computed: Vec<i128>,
    /// Of every part that states or costs anything.
    pub(crate) sources: BTreeSet<&'static str>,
}

impl Base {
    pub(crate) fn new(columns: usize) -> Base {
        Base {
            sums: vec![0; columns],
            computed: vec![0; columns],
            sources: BTreeSet::new(),
        }
    }

    /// "Base per column = summary, else totals, else computed; multi-part: sum over parts"; a zero
    /// column is no column. "Never mismatch-warn on summary, only on totals": with line and kind of
    /// `mismatch`.
    pub(crate) fn add_part(
        &mut self,
        part: &Context,
        reader: &mut Reader,
        mismatch: (u64, &'static str),
    ) {
        let nothing = vec![0; self.sums.len()];
        let mut summary = part.summary.clone().unwrap_or_else(|| nothing.clone());
        let totals = part.totals.as_ref().unwrap_or(&nothing);
        // Where `summary:` is less than the lines, they have what it leaves out: signal handlers,
        // for one.
        let agrees = part.totals.is_some()
            && totals
                .iter()
                .zip(&part.computed)
                .all(|(stated, sum)| i128::from(*stated) == (*sum).min(i64::MAX.into()));
        let is_less = |stated: i64, sum: i128| {
            stated != 0
                && (i128::from(stated) < sum.min(i64::MAX.into()) || stated == i64::MAX && agrees)
        };
        let less: Vec<bool> = summary
            .iter()
            .zip(&part.computed)
            .map(|(stated, sum)| is_less(*stated, *sum))
            .collect();
        if less.contains(&true) && !agrees {
            reader.warn(0, "low-summary");
        }
        if summary
            .iter()
            .zip(&less)
            .any(|(stated, less)| *stated != 0 && !less)
        {
            self.sources.insert("summary");
        } else {
            summary = nothing.clone();
            if totals != &nothing {
                self.sources.insert("totals");
            } else if part.computed.iter().any(|sum| *sum != 0) {
                self.sources.insert("computed");
            }
        }
        for column in 0..self.sums.len() {
            let computed = reader.clamp(0, part.computed[column]);
            self.computed[column] += part.computed[column];
            self.sums[column] += match (summary[column], totals[column]) {
                (1.., _) | (..0, _) if less[column] => part.computed[column],
                (0, 0) => part.computed[column],
                (0, total) => total.into(),
                (total, _) => total.into(),
            };
            if part.totals.is_some() && totals[column] != computed {
                reader.warn(mismatch.0, mismatch.1);
            }
        }
    }

    /// One count a column: a zero column is none over all parts either.
    pub(crate) fn totals(&self) -> impl Iterator<Item = i128> {
        self.sums
            .iter()
            .zip(&self.computed)
            .map(|(&sum, &computed)| if sum == 0 { computed } else { sum })
    }

    /// The weakest source of all parts.
    pub(crate) fn source(&self) -> &'static str {
        match self.sources.first() {
            None => "computed",
            Some(&"summary") if self.sources.contains("totals") => "totals",
            Some(source) => source,
        }
    }
}

/// Callgrind's `summary:` is at most a few counts above the lines, but for system calls, if
/// `totals:` says what they cost.
pub(crate) fn has_high_summary(part: &Context, columns: &[(Name, usize)]) -> bool {
    let is_sum = |at: usize| match &part.totals {
        Some(totals) => i128::from(totals[at]) == part.computed[at].min(i64::MAX.into()),
        None => false,
    };
    let is_high = |at: usize, stated: i64| {
        let sum = part.computed[at];
        stated != i64::MAX
            && i128::from(stated) > sum + sum / 100 + 1000
            && !columns[at].0.starts_with(b"sys")
    };
    let mut summary = part.summary.iter().flatten().enumerate();
    (0..part.computed.len()).all(is_sum) && summary.any(|(at, stated)| is_high(at, *stated))
}

/// Callgrind writes `summary:` into the header of a part that has a body, and `totals:` at its end:
/// whether the latter is missing.
pub(crate) fn lacks_totals(part: &[Line], header: &Header, read: &Context) -> bool {
    let body = part
        .iter()
        .position(|(_, kind)| matches!(kind, Kind::Spec(..) | Kind::Numbers(_)));
    let summary = part
        .iter()
        .rposition(|(_, kind)| matches!(kind, Kind::Header("summary", _)));
    let announced = summary.is_some() && body > summary;
    read.totals.is_none() && (header.xtree || header.writer_rule && (announced || body.is_none()))
}
