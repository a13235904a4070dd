//! Writes the keys of the JSON report about binaries: `inlined`, `debug` and the single
//! instructions. They exist only if requested.

use super::json_parts::{Counts, Document, List, Text};
use crate::analysis::OrderedProfile;
use crate::analysis::inlined::cost_by_chain;
use crate::analysis::jumps::jumps_of;
use crate::profile::{Code, Inlined, NameId, Order};
use std::borrow::Cow;
use std::io::{self, Write};

#[derive(serde::Serialize)]
struct OfChain<'a> {
    function: u32,
    chain: Vec<Frame<'a>>,
    #[serde(rename = "self")]
    self_cost: Vec<i64>,
}

/// An inlined function. It is declared in `file` and called from `line` of `call_file`.
#[derive(serde::Serialize)]
struct Frame<'a> {
    name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<Text<'a>>,
    file: Text<'a>,
    line: u64,
    call_file: Text<'a>,
}

#[derive(serde::Serialize)]
struct Debug<'a> {
    object: Text<'a>,
    found: Option<Cow<'a, str>>,
    state: &'static str,
    why: &'a str,
}

/// Writes the self cost by chain of inlined functions, and the debug info of each object.
pub(super) fn inlined(
    whole: &OrderedProfile<'_>,
    code: &Code,
    inlined: &Inlined,
    report: &mut Document<impl Write>,
) -> io::Result<()> {
    let profile = whole.profile;
    let chains = || {
        (0..)
            .zip(&whole.functions)
            .flat_map(move |(function, &id)| {
                let chains = cost_by_chain(profile, code, inlined, id);
                chains.into_iter().map(move |(chain, cost)| {
                    let mut frames: Vec<Frame> = (inlined.inwards_out(chain))
                        .filter_map(|link| {
                            let function = inlined.functions.get(link.function as usize)?;
                            Some(Frame {
                                name: Text(profile.name(function.name)),
                                symbol: Some(Text(profile.name(function.symbol)))
                                    .filter(|_| function.symbol != NameId::EMPTY),
                                file: Text(profile.name(function.file)),
                                line: link.line,
                                call_file: Text(profile.name(link.file)),
                            })
                        })
                        .collect();
                    frames.reverse();
                    let count = |&event| profile.events.counted(&cost, event);
                    OfChain {
                        function,
                        chain: frames,
                        self_cost: whole.events.iter().map(count).collect(),
                    }
                })
            })
    };
    report.field("inlined", List(chains))?;
    let debug = || {
        inlined.debug.iter().map(|debug| Debug {
            object: Text(profile.name(debug.object)),
            found: debug.found.as_deref().map(|path| path.to_string_lossy()),
            state: debug.state.name(),
            why: &debug.why,
        })
    };
    report.field("debug", List(debug))
}

#[derive(serde::Serialize)]
struct Instruction<'a> {
    function: u32,
    address: u64,
    file: Text<'a>,
    line: u64,
    #[serde(rename = "self")]
    self_cost: Counts<'a>,
}

#[derive(serde::Serialize)]
struct CallInstruction<'a> {
    caller: u32,
    address: u64,
    callee: u32,
    target: Option<u64>,
    count: u64,
    inclusive: Counts<'a>,
}

#[derive(serde::Serialize)]
struct Jump {
    function: u32,
    from: u64,
    to: u64,
    taken: u64,
    executed: Option<u64>,
}

/// Writes single instructions, their calls and their jumps, ordered by object and address.
pub(super) fn instructions(
    whole: &OrderedProfile<'_>,
    code: &Code,
    report: &mut Document<impl Write>,
) -> io::Result<()> {
    let profile = whole.profile;
    let object = |function: u32| {
        let id = whole.functions.get(function as usize).copied();
        id.map_or(&b""[..], |id| profile.name(profile.function(id).object))
    };
    let mut all: Vec<Instruction> = (code.instructions())
        .filter_map(|(instruction, cost)| {
            Some(Instruction {
                function: whole.place(instruction.function)?,
                address: instruction.address,
                file: Text(profile.name(instruction.file)),
                line: instruction.line,
                self_cost: Counts::new(whole, cost.0),
            })
        })
        .collect();
    all.order_by_key(|one| (object(one.function), one.address, one.function, one.line));
    report.field("instructions", all)?;
    let mut calls: Vec<CallInstruction> = (code.calls())
        .filter_map(|(call, count, cost)| {
            Some(CallInstruction {
                caller: whole.place(call.caller)?,
                address: call.address,
                callee: whole.place(call.callee)?,
                target: call.target,
                count,
                inclusive: Counts::new(whole, cost.0),
            })
        })
        .collect();
    calls.order_by_key(|one| (object(one.caller), one.address, one.caller, one.callee));
    report.field("call_instructions", calls)?;
    let mut jumps: Vec<Jump> = Vec::new();
    for (function, &id) in (0..).zip(&whole.functions) {
        for (&from, all) in &jumps_of(profile, code, id) {
            let executed = all.executed;
            jumps.extend(all.to.iter().map(|(&to, &taken)| Jump {
                function,
                from,
                to,
                taken,
                executed,
            }));
        }
    }
    jumps.order_by_key(|one| (object(one.function), one.from, one.to, one.function));
    report.field("jumps", jumps)
}
