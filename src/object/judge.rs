//! Decides whether a binary is the one that ran. A profile has no build id, and a file's time is
//! only a hint, so the content decides. Costs must be at starts of instructions, and debug
//! information must have the lines that Valgrind recorded.

use super::{
    AskedAddresses,
    elf::{Elf, Machine, Symbols, Trouble},
    walk::Found,
    x86,
};

/// One row of costs.
pub(super) struct CostRow {
    /// The index of its address.
    pub address: usize,
    /// Its cost of the first event.
    pub cost: u64,
    /// The line that Valgrind recorded.
    pub line: Option<u64>,
}

/// Four costs: in all, at starts of instructions, on rows with lines, and on rows whose lines
/// agree.
#[derive(Default)]
pub(super) struct Judgement {
    cost: u128,
    on_starts: u128,
    with_lines: u128,
    agree: u128,
}

impl Judgement {
    /// At least 99.9 % of the cost is at starts of instructions, and for 99 % of the cost with
    /// lines, the lines agree.
    pub(super) fn is_it(&self) -> bool {
        self.on_starts * 1000 >= self.cost * 999 && self.agree * 100 >= self.with_lines * 99
    }

    /// The reason to refuse it, as a sentence.
    pub(super) fn words(&self) -> String {
        let lines = match self.with_lines {
            0 => String::new(),
            all => format!(
                " and {} of it on the recorded lines",
                share(self.agree, all)
            ),
        };
        format!(
            "it is not the binary that ran: only {} of its cost is on its instructions{lines}",
            share(self.on_starts, self.cost)
        )
    }
}

/// A percentage, rounded down, so that just below a limit does not look like the limit.
pub(super) fn share(part: u128, whole: u128) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(1000);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Compares a binary with the costs recorded for it.
pub(super) fn judge(
    elf: &Elf,
    symbols: &Symbols,
    found: &Found,
    asked: &AskedAddresses,
) -> Result<Judgement, Trouble> {
    // A debug file alone has no code to compare with.
    let has_code = elf.sections.iter().any(|section| section.is_code());
    let is_start = match elf.machine {
        _ if !has_code => vec![true; asked.addresses.len()],
        Machine::X86(bits) => x86::on_starts(elf, bits, symbols, &found.starts, &asked.addresses)?,
        Machine::Other(_, step) => {
            elf.budget
                .look((asked.addresses.len() * elf.sections.len()) as u64 / 4)?;
            let is_code = |address| elf.code_section(address).is_some();
            asked
                .addresses
                .iter()
                .map(|&address| address % step == 0 && is_code(address))
                .collect()
        }
    };
    let has_lines = found.lines.iter().any(|&(_, line)| line > 0);
    let is_other = |address: usize, line: u64| {
        u32::try_from(line).is_ok_and(|line| found.others.binary_search(&(address, line)).is_ok())
    };
    let mut judged = Judgement::default();
    for row in &asked.rows {
        let cost = u128::from(row.cost);
        judged.cost += cost;
        if is_start.get(row.address) == Some(&true) {
            judged.on_starts += cost;
        }
        if let (Some(line), true) = (row.line, has_lines) {
            judged.with_lines += cost;
            let known = found
                .lines
                .get(row.address)
                .map_or(0, |&(_, line)| u64::from(line));
            // Only the line: for code of an included file, Valgrind sometimes records the file
            // around it.
            if known == line || is_other(row.address, line) {
                judged.agree += cost;
            }
        }
    }
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No binary with a percentage exact to a digit can be made by hand.
    #[test]
    fn a_binary_is_the_one_that_ran_by_almost_all_of_its_cost() {
        let judged = |on_starts, agree| Judgement {
            cost: 10_000,
            on_starts,
            with_lines: 1000,
            agree,
        };
        assert!(judged(9990, 990).is_it());
        assert!(!judged(9989, 1000).is_it());
        assert!(!judged(10_000, 989).is_it());
        assert!(
            judged(9989, 1000).words().contains("99.8 % of its cost"),
            "{}",
            judged(9989, 1000).words()
        );
    }
}
