//! Writes speedscope's file format (<https://www.speedscope.app/file-format-schema.json>) as one
//! evented profile. Time is cost: a frame stays open for its inclusive cost, and its self cost
//! comes first.

use super::frames::{inlined, text};
use crate::analysis::{Basis, Frame, Stack, Stacks};
use crate::profile::{Profile, to_text};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use std::collections::HashMap;
use std::io::{self, Write};

/// The distinct frames, and the frame at the end of every stack.
struct Frames {
    all: Vec<Frame>,
    of: Vec<usize>,
}

impl Frames {
    fn new(stacks: &[Stack]) -> Frames {
        let mut frames = Frames {
            all: Vec::new(),
            of: Vec::with_capacity(stacks.len()),
        };
        let mut places: HashMap<Frame, usize> = HashMap::new();
        for stack in stacks {
            let at = *places.entry(stack.frame).or_insert(frames.all.len());
            if at == frames.all.len() {
                frames.all.push(stack.frame);
            }
            frames.of.push(at);
        }
        frames
    }
}

#[derive(serde::Serialize)]
struct FrameRecord {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

#[derive(serde::Serialize)]
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
    let frames = Frames::new(&stacks.stacks);
    let event = String::from_utf8_lossy(event);
    let command = to_text(profile.command());
    let name = match stacks.basis {
        Basis::Recorded | Basis::Flat => event.into_owned(),
        Basis::Estimated => format!("{event} (stacks estimated from calls)"),
    };
    let mut json = serde_json::Serializer::new(&mut out);
    let mut file = json.serialize_map(None)?;
    file.serialize_entry(
        "$schema",
        "https://www.speedscope.app/file-format-schema.json",
    )?;
    file.serialize_entry(
        "exporter",
        concat!("cgannotate ", env!("CARGO_PKG_VERSION")),
    )?;
    file.serialize_entry("name", &command)?;
    file.serialize_entry("activeProfileIndex", &0)?;
    let records: Vec<FrameRecord> = frames
        .all
        .iter()
        .map(|&frame| record(profile, frame))
        .collect();
    file.serialize_entry("shared", &HashMap::from([("frames", records)]))?;
    file.serialize_entry(
        "profiles",
        &[Evented {
            name,
            frames: &frames,
            stacks: &stacks.stacks,
        }],
    )?;
    SerializeMap::end(file)?;
    out.write_all(b"\n")
}

fn record(profile: &Profile, frame: Frame) -> FrameRecord {
    let file = match frame {
        Frame::Function(id) => Some(profile.name(profile.function(id).file)),
        Frame::Inlined(at) => inlined(profile, at).map(|function| profile.name(function.file)),
        Frame::Cycle(_) | Frame::Small => None,
    };
    let file = file.filter(|&file| file != b"???").map(to_text);
    FrameRecord {
        name: text(profile, frame),
        file,
    }
}

struct Evented<'a> {
    name: String,
    frames: &'a Frames,
    stacks: &'a [Stack],
}

impl serde::Serialize for Evented<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let end: i128 = self
            .stacks
            .iter()
            .filter(|stack| stack.depth == 0)
            .map(|stack| stack.total)
            .sum();
        let mut profile = serializer.serialize_map(None)?;
        profile.serialize_entry("type", "evented")?;
        profile.serialize_entry("name", &self.name)?;
        profile.serialize_entry("unit", "none")?;
        profile.serialize_entry("startValue", &0)?;
        profile.serialize_entry("endValue", &end)?;
        profile.serialize_entry("events", &FrameEvents(self))?;
        profile.end()
    }
}

struct FrameEvents<'a>(&'a Evented<'a>);

impl serde::Serialize for FrameEvents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Evented { frames, stacks, .. } = self.0;
        let mut events = serializer.serialize_seq(None)?;
        // The open frames, and where they close.
        let mut open: Vec<(usize, i128)> = Vec::new();
        let mut at = 0;
        for (stack, &frame) in stacks.iter().zip(&frames.of) {
            while open.len() > stack.depth as usize {
                if let Some((frame, end)) = open.pop() {
                    at = end;
                    events.serialize_element(&EventRecord {
                        kind: "C",
                        frame,
                        at,
                    })?;
                }
            }
            events.serialize_element(&EventRecord {
                kind: "O",
                frame,
                at,
            })?;
            open.push((frame, at + stack.total));
            at += stack.own;
        }
        while let Some((frame, at)) = open.pop() {
            events.serialize_element(&EventRecord {
                kind: "C",
                frame,
                at,
            })?;
        }
        events.end()
    }
}
