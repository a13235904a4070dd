//! What needs no report: explanations of events, completions, the manual page.

use super::manual;
use crate::{
    cli::{Cli, Generate},
    profile::{Events, to_text},
};
use anyhow::Result;
use clap::CommandFactory;
use std::io::Write;

/// The events that Callgrind and other tools record, and derived ones, with their explanations.
const WORDS: &str = "\
Ir          instructions executed
Dr          data reads
Dw          data writes
I1mr        first-level instruction cache misses
D1mr        first-level data cache read misses
D1mw        first-level data cache write misses
ILmr        last-level cache instruction misses
DLmr        last-level cache data read misses
DLmw        last-level cache data write misses
I2mr        second-level cache instruction misses (old name of ILmr)
D2mr        second-level cache data read misses (old name of DLmr)
D2mw        second-level cache data write misses (old name of DLmw)
Bc          conditional branches
Bcm         conditional branches mispredicted
Bi          indirect branches
Bim         indirect branches mispredicted
Ge          global bus events: locked instructions
sysCount    system calls
sysTime     time in system calls
sysCpuTime  processor time in system calls
L1m         first-level cache misses: I1mr + D1mr + D1mw
LLm         last-level cache misses: ILmr + DLmr + DLmw
L2m         second-level cache misses: I2mr + D2mr + D2mw
Bm          branches mispredicted: Bcm + Bim
CEst        estimated cycles: Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm
TotalRW     instructions and accesses to data: Ir + Dr + Dw
L1hits      first-level cache hits: TotalRW - L1m
LLhits      last-level cache hits: L1m - LLm
RamHits     accesses to memory: LLm
EstimatedCycles gungraun's estimate: L1hits + 5 LLhits + 35 RamHits
totB        bytes allocated in all
curB        bytes in use
Time        time
";

/// Prints events with their explanations: those of a profile, or all known ones.
pub(super) fn events(events: Option<&Events>, mut out: impl Write) -> Result<()> {
    let Some(events) = events else {
        return Ok(out.write_all(WORDS.as_bytes())?);
    };
    for (name, words) in in_words(events) {
        writeln!(out, "{}", format!("{name:11} {words}").trim_end())?;
    }
    Ok(())
}

/// The events of a profile and those that can be derived from them, with their explanations.
pub(super) fn in_words(events: &Events) -> Vec<(String, String)> {
    let known = |name: &[u8]| {
        let mut all = WORDS.lines().filter_map(|line| line.split_once(' '));
        all.find(|(known, _)| known.as_bytes() == name)
            .map(|(_, words)| words.trim_start().to_owned())
    };
    let events = events.with_built_in();
    let all = events.all().map(|event| {
        let name = events.name(event);
        let words = events.long_name(name).map(to_text);
        let words = words.or_else(|| known(name)).unwrap_or_default();
        (to_text(name), words)
    });
    all.collect()
}

/// The names of the commands that are not hidden.
pub(super) fn commands() -> Vec<String> {
    let program = Cli::command();
    let commands = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    commands
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// Prints the manual page, or the completions for a shell.
pub(super) fn generate(what: Generate, mut out: impl Write) -> Result<()> {
    let script = match what {
        Generate::Man => return manual::manual(Cli::command(), out),
        Generate::Bash => include_str!("completions/cgannotate.bash"),
        Generate::Zsh => include_str!("completions/cgannotate.zsh"),
        Generate::Fish => include_str!("completions/cgannotate.fish"),
    };
    Ok(out.write_all(script.as_bytes())?)
}
