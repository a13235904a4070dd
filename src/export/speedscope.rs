//! Writes speedscope's file format (<https://www.speedscope.app/file-format-schema.json>) as one
//! evented profile. Time is cost: a frame stays open for its inclusive cost, and its self cost
//! comes first.

use super::{
    frames::{file, text},
    json_parts::{GENERATOR, JsonList},
};
use crate::{
    analysis::{Basis, Frame, Stack, Stacks},
    profile::{NameId, Profile, to_text},
};
use indexmap::IndexSet;
use serde::Serialize;
use std::io::{self, Write};

/// The document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Speedscope<E> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: String,
    active_profile_index: usize,
    shared: SharedFrames,
    profiles: [Evented<E>; 1],
}

#[derive(Serialize)]
struct SharedFrames {
    frames: Vec<FrameRecord>,
}

#[derive(Serialize)]
struct FrameRecord {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Evented<E> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    start_value: i128,
    end_value: i128,
    events: E,
}

/// A frame opens or closes.
#[derive(Serialize)]
struct EventRecord {
    #[serde(rename = "type")]
    kind: &'static str,
    frame: usize,
    at: i128,
}

/// Writes all stacks. `event` is the name of their event.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    profile: &Profile,
    stacks: &Stacks,
    event: &[u8],
    mut out: impl Write,
) -> io::Result<()> {
    // The distinct frames, and the frame at the end of every stack.
    let mut frames = IndexSet::new();
    let place = |stack: &Stack| frames.insert_full(stack.frame).0;
    let ends: Vec<usize> = stacks.stacks.iter().map(place).collect();
    let event = to_text(event);
    let name = match stacks.basis {
        Basis::Recorded | Basis::Flat => event,
        Basis::Estimated => format!("{event} (stacks estimated from calls)"),
    };
    let outermost = stacks.stacks.iter().filter(|stack| stack.depth == 0);
    let document = Speedscope {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: GENERATOR,
        name: to_text(profile.command()),
        active_profile_index: 0,
        shared: SharedFrames {
            frames: (frames.iter())
                .map(|&frame| record(profile, frame))
                .collect(),
        },
        profiles: [Evented {
            kind: "evented",
            name,
            unit: "none",
            start_value: 0,
            end_value: outermost.map(|stack| stack.total).sum(),
            events: JsonList(|| events(&stacks.stacks, &ends)),
        }],
    };
    serde_json::to_writer(&mut out, &document)?;
    out.write_all(b"\n")
}

fn record(profile: &Profile, frame: Frame) -> FrameRecord {
    let file = file(profile, frame).filter(|&file| file != NameId::UNKNOWN);
    FrameRecord {
        name: text(profile, frame),
        file: file.map(|file| to_text(profile.name(file))),
    }
}

/// The events, in order. `frames` has the frame at the end of each stack.
fn events(stacks: &[Stack], frames: &[usize]) -> impl Iterator<Item = EventRecord> {
    // The open frames, and where they close. After the last stack, all close.
    let mut open: Vec<(usize, i128)> = Vec::new();
    let mut at = 0;
    let all = stacks.iter().zip(frames).map(Some).chain([None]);
    all.flat_map(move |next| {
        let mut events = Vec::new();
        let event = |kind, frame, at| EventRecord { kind, frame, at };
        let depth = next.map_or(0, |(stack, _)| stack.depth as usize);
        for (frame, end) in open.drain(depth.min(open.len())..).rev() {
            at = end;
            events.push(event("C", frame, at));
        }
        if let Some((stack, &frame)) = next {
            events.push(event("O", frame, at));
            open.push((frame, at + stack.total));
            at += stack.own;
        }
        events
    })
}
