//! Writes the keys of the JSON report about binaries: `inlined`, `debug` and the single
//! instructions. They exist only if requested.

use super::json_parts::{Document, Figure, JsonCounts, JsonList, JsonText, event_figure};
use crate::{
    analysis::{OrderedProfile, inlined::cost_by_chain, jumps::jumps_of},
    profile::{Code, Inlined, NameId, Order},
};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// The self cost of a function by chain of inlined functions.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct OfChain<'a> {
    /// The index of the function in `functions`.
    function: u32,
    /// The inlined functions, the outermost first. It is empty for the function itself.
    chain: Vec<JsonFrame<'a>>,
    /// The self cost per event. The costs of all chains of a function add up to its `self`.
    #[serde(rename = "self")]
    self_cost: Vec<Option<Figure>>,
}

/// An inlined function.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonFrame<'a> {
    /// The demangled name.
    name: JsonText<'a>,
    /// The mangled name, if it differs from `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<JsonText<'a>>,
    /// The file that declares the function.
    file: JsonText<'a>,
    /// The line of `call_file` with the call that was inlined.
    line: u64,
    /// The file with the call that was inlined.
    call_file: JsonText<'a>,
}

/// The debug information of an object.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonDebug<'a> {
    /// The object as the profile names it.
    object: JsonText<'a>,
    /// The file that was found for it. Null if there is none.
    found: Option<Cow<'a, str>>,
    /// Whether the file is used. `other-binary` is a file that is not the binary that ran.
    state: String,
    /// The reason, a text for people. It may be empty.
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
                    let mut frames: Vec<JsonFrame> = (inlined.inwards_out(chain))
                        .filter_map(|link| {
                            let function = inlined.functions.get_index(link.function as usize)?;
                            Some(JsonFrame {
                                name: JsonText(profile.name(function.name)),
                                symbol: Some(JsonText(profile.name(function.symbol)))
                                    .filter(|_| function.symbol != NameId::EMPTY),
                                file: JsonText(profile.name(function.file)),
                                line: link.line,
                                call_file: JsonText(profile.name(link.file)),
                            })
                        })
                        .collect();
                    frames.reverse();
                    let count = |&event| event_figure(event, profile.events.count(&cost, event));
                    OfChain {
                        function,
                        chain: frames,
                        self_cost: whole.events.iter().map(count).collect(),
                    }
                })
            })
    };
    report.field("inlined", JsonList(chains))?;
    let debug = || {
        inlined.debug.iter().map(|debug| JsonDebug {
            object: JsonText(profile.name(debug.object)),
            found: debug.found.as_deref().map(|path| path.to_string_lossy()),
            state: debug.state.name(),
            why: &debug.why,
        })
    };
    report.field("debug", JsonList(debug))
}

/// The self cost of an instruction.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonInstruction<'a> {
    /// The index of the function in `functions`.
    function: u32,
    /// The address in the linked file, as `objdump` shows it.
    address: u64,
    /// The file of the source line.
    file: JsonText<'a>,
    /// The source line. It is 0 if it is unknown.
    line: u64,
    /// The cost of the instruction without calls.
    #[serde(rename = "self")]
    self_cost: JsonCounts<'a>,
}

/// The calls from an instruction to a function.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct CallInstruction<'a> {
    /// The index of the calling function in `functions`.
    caller: u32,
    /// The address of the calling instruction in the linked file.
    address: u64,
    /// The index of the called function in `functions`.
    callee: u32,
    /// The address where the callee starts. Null if it is not recorded.
    target: Option<u64>,
    /// The number of calls.
    count: u64,
    /// The cost of the calls.
    inclusive: JsonCounts<'a>,
}

/// The jumps from an instruction to another.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonJump {
    /// The index of the function in `functions`.
    function: u32,
    /// The address of the jump in the linked file.
    from: u64,
    /// The address of its target in the linked file.
    to: u64,
    /// How often it jumped there.
    taken: u64,
    /// How often the instruction was executed. Null if the jump is not conditional, or if this
    /// would be less than `taken`.
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
    let mut all: Vec<JsonInstruction> = (code.instructions())
        .filter_map(|(instruction, cost)| {
            Some(JsonInstruction {
                function: whole.place(instruction.function)?,
                address: instruction.address,
                file: JsonText(profile.name(instruction.file)),
                line: instruction.line,
                self_cost: JsonCounts::new(whole, cost.0),
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
                inclusive: JsonCounts::new(whole, cost.0),
            })
        })
        .collect();
    calls.order_by_key(|one| (object(one.caller), one.address, one.caller, one.callee));
    report.field("call_instructions", calls)?;
    let mut jumps: Vec<JsonJump> = Vec::new();
    for (function, &id) in (0..).zip(&whole.functions) {
        for (&from, all) in &jumps_of(profile, code, id) {
            let executed = all.executed;
            jumps.extend(all.to.iter().map(|(&to, &taken)| JsonJump {
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
