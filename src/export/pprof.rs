//! Writes pprof's `profile.proto`, gzipped:
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>. It needs two encodings of
//! protocol buffers: varints with seven bits per byte, and fields with a length.
//!
//! Every event is a sample type. A function of the profile is a function in this format, and an
//! object is a mapping. The line at the end of a stack is a location; the outer frames have no
//! line. Bounds of estimates are labels of the samples.

use super::frames::{self, text};
use crate::{
    analysis::{
        Frame,
        samples::{Sample, Samples, SourcePlace},
    },
    profile::{NameId, Profile, base_name, to_text},
};
use flate2::{Compression, GzBuilder};
use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use std::{
    hash::Hash,
    io::{self, Write},
};

/// A message under construction.
#[derive(Default)]
struct ProtoMessage(Vec<u8>);

impl ProtoMessage {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Writes a number field. 0 is the default, so it is not written.
    fn number(&mut self, field: u64, number: impl Into<u64>) {
        let number = number.into();
        if number != 0 {
            self.varint(field << 3);
            self.varint(number);
        }
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.bytes_of_two(field, bytes, b"");
    }

    fn message(&mut self, field: u64, fill: impl FnOnce(&mut ProtoMessage)) {
        let mut inner = ProtoMessage::default();
        fill(&mut inner);
        self.bytes(field, &inner.0);
    }

    /// Writes a field whose bytes come in two pieces.
    fn bytes_of_two(&mut self, field: u64, first: &[u8], second: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint((first.len() + second.len()) as u64);
        self.0.extend_from_slice(first);
        self.0.extend_from_slice(second);
    }
}

/// The string table. Its first string is empty.
struct Strings(IndexSet<String, RandomState>);

impl Strings {
    fn place(&mut self, text: &str) -> u64 {
        let known = self.0.get_index_of(text);
        known.unwrap_or_else(|| self.0.insert_full(text.to_owned()).0) as u64
    }
}

/// What has numbers from 1, in their order.
type Numbered<K> = IndexSet<K, RandomState>;

fn number_of<K: Hash + Eq>(all: &mut Numbered<K>, key: K) -> u64 {
    all.insert_full(key).0 as u64 + 1
}

/// A frame, and a source line in it.
type FrameLine = (Frame, Option<SourcePlace>);

/// Writes all samples. `remark` says where the stacks come from; it becomes a comment of the
/// profile.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    profile: &Profile,
    samples: &Samples,
    remark: &str,
    out: impl Write,
) -> io::Result<()> {
    // The gzip header has no name and no time, so the same input always gives the same bytes.
    let mut out = GzBuilder::new().mtime(0).write(out, Compression::default());
    let mut writer = PprofWriter {
        profile,
        samples,
        strings: Strings(IndexSet::from_iter([String::new()])),
        spots: Numbered::default(),
        functions: Numbered::default(),
        objects: Numbered::default(),
        file: ProtoMessage::default(),
        chain: Chain::default(),
        around: vec![0; samples.links.len()],
        scratch: [ProtoMessage::default(), ProtoMessage::default()],
    };
    writer.types();
    // pprof treats the first object as the program.
    if let Some(object) = program(profile) {
        number_of(&mut writer.objects, object);
    }
    for sample in &samples.samples {
        writer.sample(sample);
        if writer.file.0.len() > 1 << 16 {
            out.write_all(&writer.file.0)?;
            writer.file.0.clear();
        }
    }
    writer.tables();
    writer.comments(remark);
    for text in &writer.strings.0 {
        writer.file.bytes(6, text.as_bytes());
    }
    out.write_all(&writer.file.0)?;
    out.finish()?.flush()
}

/// The object with the name of the command.
fn program(profile: &Profile) -> Option<NameId> {
    let command = profile
        .parts
        .first()?
        .command
        .split(|&b| b == b' ')
        .next()?;
    let program = Some(base_name(command)).filter(|name| !name.is_empty())?;
    let mut objects = profile.functions.iter().map(|function| function.object);
    objects.find(|&object| base_name(profile.name(object)) == program)
}

struct PprofWriter<'a> {
    profile: &'a Profile,
    samples: &'a Samples,
    strings: Strings,
    spots: Numbered<FrameLine>,
    /// By frame and file, because inlined code is in another file than its function.
    functions: Numbered<(Frame, Option<NameId>)>,
    objects: Numbered<NameId>,
    file: ProtoMessage,
    chain: Chain,
    /// The numbers of locations without a line, by link; 0 if not assigned yet.
    around: Vec<u64>,
    scratch: [ProtoMessage; 2],
}

/// What consecutive samples at the end of one chain have in common.
#[derive(Default)]
struct Chain {
    link: Option<u32>,
    /// The numbers of the outer locations.
    outer: ProtoMessage,
    labels: ProtoMessage,
}

impl PprofWriter<'_> {
    fn types(&mut self) {
        for &event in &self.samples.events {
            let kind = self.strings.place(&self.event_name(event));
            let unit = self.strings.place("count");
            self.file.message(1, |m| {
                m.number(1, kind);
                m.number(2, unit);
            });
        }
        if let Some(&first) = self.samples.events.first() {
            // The default sample type. Without it, pprof shows the last one.
            let name = self.strings.place(&self.event_name(first));
            self.file.number(14, name);
        }
    }

    fn event_name(&self, event: usize) -> String {
        to_text(&self.profile.events.recorded()[event])
    }

    fn sample(&mut self, sample: &Sample) {
        let [mut numbers, mut whole] = std::mem::take(&mut self.scratch);
        numbers.0.clear();
        whole.0.clear();
        numbers.varint(self.location(sample.link, sample.place));
        if self.chain.link != Some(sample.link) {
            self.enter(sample.link);
        }
        whole.bytes_of_two(1, &numbers.0, &self.chain.outer.0);
        numbers.0.clear();
        sample
            .counts
            .iter()
            .for_each(|&count| numbers.varint(bits(count)));
        whole.bytes(2, &numbers.0);
        self.file.bytes_of_two(2, &whole.0, &self.chain.labels.0);
        self.scratch = [numbers, whole];
    }

    /// The number of a frame's location.
    fn location(&mut self, link: u32, place: Option<SourcePlace>) -> u64 {
        let at = link as usize;
        if place.is_none() && self.around[at] != 0 {
            return self.around[at];
        }
        let number = number_of(&mut self.spots, (self.samples.links[at].frame, place));
        if place.is_none() {
            self.around[at] = number;
        }
        number
    }

    /// Prepares the common data of the samples at the end of a chain.
    fn enter(&mut self, link: u32) {
        let mut chain = std::mem::take(&mut self.chain);
        chain.outer.0.clear();
        chain.labels.0.clear();
        chain.link = Some(link);
        let mut at = self.samples.links[link as usize].outer;
        while let Some(link) = at {
            chain.outer.varint(self.location(link, None));
            at = self.samples.links[link as usize].outer;
        }
        for (column, &event) in self.samples.events.iter().enumerate() {
            if let Some(known) = self.samples.known.get(&(link, column)) {
                let name = self.event_name(event);
                for (what, bound) in [("least", known.least), ("most", known.most)] {
                    let name = self.strings.place(&format!("{name}_of_stack_at_{what}"));
                    chain.labels.message(3, |m| {
                        m.number(1, name);
                        m.number(3, bits(bound));
                    });
                }
            }
        }
        self.chain = chain;
    }

    /// Writes the tables that samples refer to: locations, functions, objects. Each refers to the
    /// next.
    fn tables(&mut self) {
        let spots = std::mem::take(&mut self.spots);
        for (number, (frame, place)) in (1u64..).zip(spots) {
            let function = match frame {
                Frame::Function(id) => Some(*self.profile.function(id)),
                Frame::Cycle(_) | Frame::Small | Frame::Inlined(_) => None,
            };
            let mapping =
                function.map_or(0, |function| number_of(&mut self.objects, function.object));
            let file = place.map(|place| place.file);
            let file = file.or_else(|| frames::file(self.profile, frame));
            let function = number_of(&mut self.functions, (frame, file));
            self.file.message(4, |m| {
                m.number(1, number);
                m.number(2, mapping);
                m.message(4, |m| {
                    m.number(1, function);
                    m.number(2, place.map_or(0, |place| place.line));
                });
            });
        }
        let functions = std::mem::take(&mut self.functions);
        // Many functions have the same file, and its name can be long.
        let mut files: HashMap<NameId, u64> = HashMap::from_iter([(NameId::UNKNOWN, 0)]);
        for (number, (frame, file)) in (1u64..).zip(functions) {
            let name = self.strings.place(&text(self.profile, frame));
            let file = file.unwrap_or(NameId::UNKNOWN);
            let file = *files.entry(file).or_insert_with(|| self.name(file));
            self.file.message(5, |m| {
                m.number(1, number);
                m.number(2, name);
                m.number(3, name);
                m.number(4, file);
            });
        }
        let objects = std::mem::take(&mut self.objects);
        for (number, object) in (1u64..).zip(objects) {
            let name = self.name(object);
            self.file.message(3, |m| {
                m.number(1, number);
                m.number(5, name);
                // `has_functions`, `has_filenames`, `has_line_numbers`: pprof need not symbolize
                // it.
                (7..=9).for_each(|field| m.number(field, 1u64));
            });
        }
    }

    fn name(&mut self, id: NameId) -> u64 {
        self.strings.place(&to_text(self.profile.name(id)))
    }

    fn comments(&mut self, remark: &str) {
        let command = to_text(self.profile.command());
        let program = concat!("written by cgannotate ", env!("CARGO_PKG_VERSION"));
        for text in [program, &command, remark]
            .into_iter()
            .filter(|text| !text.is_empty())
        {
            let text = self.strings.place(text);
            self.file.number(13, text);
        }
    }
}

/// Converts a count to 64 bits, saturating.
fn bits(count: i128) -> u64 {
    count.clamp(i64::MIN.into(), i64::MAX.into()) as i64 as u64
}
