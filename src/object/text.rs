//! Disassembles instructions: x86 with a library, other machines with an installed `llvm-objdump`
//! or `objdump`.

use super::{
    Budget, Extent, Where,
    elf::{Elf, Machine, Symbols, Trouble, trouble},
};
use crate::profile::{Order, Syntax};
use iced_x86::{
    Decoder, DecoderOptions, Formatter, GasFormatter, Instruction, IntelFormatter, Register,
};
use std::{
    io::Read,
    path::Path,
    process::{Command, Stdio},
};

/// Of a larger function, only the parts with costs are disassembled, unless its first address has
/// one.
pub(super) const LONGEST: u64 = 256 * 1024;
/// Addresses outside known functions belong together if they are no further apart.
const CLOSE: u64 = 64;
/// An instruction at the last address of a stretch may have this many bytes more.
pub(super) const PAST: u64 = 15;
/// Memory for an instruction with its text.
const INSTRUCTION: u64 = 128;
/// An installed program may print at most this many bytes.
const MOST_TEXT: u64 = 64 << 20;

/// The stretches of code around sorted addresses: the functions that the symbol table has there, or
/// else each group of addresses close to each other. `before` returns the extent of the last
/// function that begins at an address or below it.
pub(super) fn stretches(
    addresses: &[u64],
    before: impl Fn(u64) -> Option<(u64, u64)>,
) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = Vec::new();
    for &address in addresses {
        let last = all.last().map_or(0, |(_, end)| *end);
        if address < last {
            continue;
        }
        let symbol = before(address);
        let is_in = |&(begin, end): &(u64, u64)| {
            address == begin || address < end && end - begin <= LONGEST
        };
        let function = symbol.filter(is_in);
        let (begin, end) = function.unwrap_or((address, address));
        let end = end.max(address.saturating_add(1));
        let is_close = function.is_none()
            && begin - last <= CLOSE
            && symbol.is_none_or(|(begin, _)| begin < last);
        match all.last_mut().filter(|_| begin <= last || is_close) {
            Some((_, last)) => *last = end,
            None => all.push((begin, end)),
        }
    }
    all
}

/// Starting a disassembler costs as much as many instructions. So more stretches than this are read
/// in one run, from the first to the last.
const MOST_RUNS: usize = 8;

/// Address and text of instructions: those at the sorted addresses, or all around them.
pub(super) fn texts(
    elf: &Elf,
    symbols: &Symbols,
    (addresses, extent): (&[u64], Extent),
    place: &Where,
) -> Result<Vec<(u64, String)>, Trouble> {
    let wanted =
        |address: u64| extent == Extent::Functions || addresses.binary_search(&address).is_ok();
    let mut stretches = stretches(addresses, |address| symbols.extent_before(address));
    let mut all = Vec::new();
    match (elf.machine, &place.objdump) {
        (Machine::X86(bits), None) => {
            for (begin, end) in stretches {
                let code = elf.code(begin, (end - begin).saturating_add(PAST))?;
                decode(
                    &code,
                    (bits, place.syntax),
                    (begin, end),
                    wanted,
                    &mut all,
                    &place.budget,
                )?;
            }
        }
        (_, program) => {
            if let (true, [(begin, _), .., (_, end)]) =
                (stretches.len() > MOST_RUNS, &stretches[..])
            {
                stretches = vec![(*begin, *end)];
            }
            for (begin, end) in stretches {
                let texts = by_program(elf, program.as_deref(), (begin, end), place)?;
                all.extend(texts.into_iter().filter(|&(address, _)| wanted(address)));
            }
        }
    }
    all.order_by_key(|(address, _)| *address);
    all.dedup_by_key(|(address, _)| *address);
    Ok(all)
}

/// The instructions of x86 that begin in a stretch.
pub(super) fn instructions(
    code: &[u8],
    bits: u32,
    (begin, end): (u64, u64),
) -> impl Iterator<Item = Instruction> {
    let mut decoder = Decoder::with_ip(bits, code, begin, DecoderOptions::NONE);
    std::iter::from_fn(move || {
        (decoder.can_decode() && decoder.ip() < end).then(|| decoder.decode())
    })
}

pub(super) fn decode(
    code: &[u8],
    (bits, syntax): (u32, Syntax),
    (begin, end): (u64, u64),
    wanted: impl Fn(u64) -> bool,
    all: &mut Vec<(u64, String)>,
    budget: &Budget,
) -> Result<(), Trouble> {
    let mut formatter: Box<dyn Formatter> = match syntax {
        Syntax::Att => Box::new(GasFormatter::new()),
        Syntax::Intel => Box::new(IntelFormatter::new()),
    };
    let options = formatter.options_mut();
    options.set_rip_relative_addresses(true);
    options.set_uppercase_hex(false);
    options.set_branch_leading_zeros(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_add_leading_zero_to_hex_numbers(false);
    options.set_show_branch_size(false);
    options.set_space_after_operand_separator(false);
    // As they are encoded, and as objdump prints them.
    options.set_show_zero_displacements(true);
    for instruction in instructions(code, bits, (begin, end)).filter(|one| wanted(one.ip())) {
        budget.look(64)?;
        budget.keep(INSTRUCTION)?;
        let is_scaled = syntax == Syntax::Att && instruction.memory_index() != Register::None;
        formatter.options_mut().set_always_show_scale(is_scaled);
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        all.push((instruction.ip(), text));
    }
    Ok(())
}

/// Runs an installed disassembler on a stretch.
fn by_program(
    elf: &Elf,
    program: Option<&Path>,
    (begin, end): (u64, u64),
    place: &Where,
) -> Result<Vec<(u64, String)>, Trouble> {
    let budget = &place.budget;
    let usual = [Path::new("llvm-objdump"), Path::new("objdump")];
    for program in program.as_ref().map_or(&usual[..], std::slice::from_ref) {
        let mut command = Command::new(program);
        command.args(["-d", "--no-show-raw-insn"]);
        if matches!(
            (elf.machine, place.syntax),
            (Machine::X86(_), Syntax::Intel)
        ) {
            command.args(["-M", "intel"]);
        }
        command
            .arg(format!("--start-address={begin:#x}"))
            .arg(format!("--stop-address={end:#x}"));
        command.arg("--").arg(&elf.path);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else {
            continue;
        };
        let (mut text, most) = (Vec::new(), MOST_TEXT.min(budget.room() / 8));
        if let Some(out) = child.stdout.take() {
            out.take(most).read_to_end(&mut text)?;
        }
        child.wait()?;
        if text.len() as u64 == most {
            // The rest is missing, and maybe a part of the last instruction.
            return Err(Trouble::Spent);
        }
        budget.look(16 * text.len() as u64)?;
        budget.keep(8 * text.len() as u64)?;
        let lines = String::from_utf8_lossy(&text);
        let all: Vec<(u64, String)> = lines.lines().filter_map(line).collect();
        if !all.is_empty() {
            return Ok(all);
        }
    }
    match program {
        Some(program) => Err(Trouble::new(format!(
            "`{}` does not disassemble it",
            program.display()
        ))),
        None => trouble("no disassembler knows its instructions (`--objdump PATH` names one)"),
    }
}

/// Parses a line of its output: the address, a colon, a tab, the instruction.
fn line(text: &str) -> Option<(u64, String)> {
    let (address, rest) = text.trim_start().split_once(':')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let rest = rest.trim().replace('\t', " ");
    (!rest.is_empty()).then_some((address, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_written_as_usual() {
        let code = [
            0x55, 0x48, 0x89, 0xe5, 0x8b, 0x05, 0x10, 0, 0, 0, 0xe8, 0xf1, 0xff, 0xff, 0xff, 0x74,
            0xef, 0xc3,
        ];
        let text = |syntax| {
            let mut all = Vec::new();
            decode(
                &code,
                (64, syntax),
                (0x1000, 0x1012),
                |_| true,
                &mut all,
                &Budget::default(),
            )
            .unwrap();
            all.into_iter()
                .map(|(at, text)| format!("{at:x} {text}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            text(Syntax::Att),
            [
                "1000 push %rbp",
                "1001 mov %rsp,%rbp",
                "1004 mov 0x10(%rip),%eax",
                "100a call 0x1000",
                "100f je 0x1000",
                "1011 ret"
            ]
        );
        assert_eq!(
            text(Syntax::Intel)[1..3],
            ["1001 mov rbp,rsp", "1004 mov eax,[rip+0x10]"]
        );
        assert_eq!(
            line("  401136:\tpush   %rbp"),
            Some((0x40_1136, "push   %rbp".into()))
        );
        assert_eq!(line("0000000000401136 <main>:"), None);
    }
}
