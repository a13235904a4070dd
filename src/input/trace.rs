//! Reads Xdebug's function traces in the format for programs (`xdebug.trace_format=1`), versions 2
//! to 4: each call when it begins, and when it ends.
//!
//! ```text
//! trace := "Version: " version, "File format: " number, "TRACE START" …, record*, total,
//!          "TRACE END" …
//! entry := level number "0" time memory name is_user included file line …
//! exit  := level number "1" time memory
//! total := "" "" "" time memory
//! ```
//!
//! Tabs separate the fields. Times are in seconds; file and line are those of the call. Records of
//! other kinds are values that were returned or assigned, and are skipped.
//!
//! The time between two records belongs to the innermost open call. So stacks are exact, also those
//! of calls that do not end: they last until the last record. If a Fiber is suspended, its calls
//! end. A trace does not say where a function is defined, but the first call by it shows the file.

use super::{
    Error, Options, excerpt::shown, format::FormatReader, lines, number::parsed, xdebug::INTERNAL,
};
use crate::profile::{
    Builder, ColumnMap, End, EndMark, Forest, Format, Full, FunctionId, Head, NameId, Part, Php,
    WarningKind, costs::add_to,
};
use foldhash::{HashMap, fast::RandomState};
use indexmap::IndexMap;
use std::{array::from_fn, io::Read, mem::replace};

/// The events of Xdebug's profiles.
const EVENTS: [&[u8]; 2] = [b"Time_(10ns)", b"Memory_(bytes)"];

pub(super) struct XdebugTrace;

impl FormatReader for XdebugTrace {
    fn format(&self) -> &'static Format {
        &Format {
            name: "xdebug-trace",
            shown: "xdebug-trace",
            is_original: false,
            has_debug_lines: false,
            end: EndMark::TraceEnd,
            php: Php::Calls,
            ..Format::CALLGRIND
        }
    }

    fn is_mine(&self, start: &[u8]) -> bool {
        let format = start.split(|&b| b == b'\n').nth(1).unwrap_or_default();
        start.starts_with(b"Version: ")
            && matches!(
                format.strip_prefix(b"File format: "),
                Some([b'2'..=b'4', ..])
            )
    }

    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        options: &Options,
    ) -> Result<(), Error> {
        let begin = || TraceReader {
            tree: Forest::new(),
            ..TraceReader::default()
        };
        let mut trace = begin();
        let end = lines::each(builder, source, options, |builder, text, line| {
            if let Some(version) = text.strip_prefix(b"Version: ") {
                replace(&mut trace, begin()).end(builder, line);
                builder.begin_part();
                builder.head.parts.push(Part {
                    creator: [b"xdebug ", version.trim_ascii()].concat().into(),
                    end: End::Missing,
                    ..Part::default()
                });
            }
            // Half a number is a different number.
            if text.ends_with(b"\n") {
                trace.record(builder, text.trim_ascii_end(), line, &options.strip);
            }
            if text.starts_with(b"TRACE END") {
                builder.head.part().end = End::Whole;
            }
            if trace.tree.is_full() {
                return Err(Error::new(builder.head.input(), None, Full::Tables));
            }
            Ok(())
        })?;
        if builder.head.parts.is_empty() {
            return Err(Error::no_profile(
                builder.head.input(),
                "this is not a profile",
            ));
        }
        trace.end(builder, end.line);
        if builder.functions() == 0 && !builder.is_split() {
            builder.head.warn(None, WarningKind::NoFunctions, || {
                "the trace has no calls".into()
            });
        }
        Ok(())
    }
}

struct OpenCall {
    number: u64,
    name: NameId,
    /// Its number in `sites`, as the function of its chain in the tree.
    site: FunctionId,
    node: u32,
    self_cost: [i64; 2],
    inclusive: [i64; 2],
}

/// One run.
#[derive(Default)]
struct TraceReader {
    /// The file of each function.
    files: HashMap<NameId, NameId>,
    /// The names of functions with the files and lines of calls, by the fields that state them.
    sites: IndexMap<Vec<u8>, (NameId, NameId, u64), RandomState>,
    /// The tree of calls. Calls from other lines have other chains.
    tree: Forest,
    open: Vec<OpenCall>,
    /// Time and memory of the last record.
    last: Option<[i64; 2]>,
    /// The time since the first record, and the peak of memory.
    total: [i64; 2],
}

impl TraceReader {
    /// Reads one record. Lines of the header are none.
    fn record(&mut self, builder: &mut Builder, text: &[u8], at: u64, strip: &[u8]) {
        let head = &mut builder.head;
        let mut each = text.splitn(6, |&b| b == b'\t');
        let [_, number, kind, time, memory, fields] = from_fn(|_| each.next().unwrap_or_default());
        let (Some(seconds), Some(memory)) = (parsed::<f64>(time), parsed(memory)) else {
            // Values that were returned or assigned have no time, and totals no number.
            let heads = [&b"Version: "[..], b"File format: ", b"TRACE "];
            let is_known =
                matches!(kind, b"R" | b"A") || heads.iter().any(|head| text.starts_with(head));
            if !is_known && !text.is_empty() {
                head.warn(Some(at), WarningKind::MalformedLine, || {
                    format!("`{}` has no time and memory, so it is skipped", shown(text))
                });
            }
            return;
        };
        // The time and memory since the last record are those of the innermost open call.
        let now = [(seconds * 1e8).round() as i64, memory];
        let last = self.last.replace(now).unwrap_or(now);
        let mut passed: [i64; 2] = from_fn(|c| now[c].saturating_sub(last[c]));
        if passed[0] < 0 {
            passed[0] = 0;
            head.warn(Some(at), WarningKind::WrappedCount, || {
                "the clock went back; the time since the previous record counts as 0".into()
            });
        }
        self.total[1] = self.total[1].max(memory);
        let mut over = add_to(&mut self.total[..1], &passed);
        if let Some(call) = self.open.last_mut() {
            over |= add_to(&mut call.self_cost, &passed);
        }
        head.saturated(over, at);
        let number = parsed(number).unwrap_or(u64::MAX);
        if kind == b"0" {
            return self.begin_call(head, number, fields, strip);
        }
        match self.open.binary_search_by_key(&number, |call| call.number) {
            _ if kind != b"1" || self.open.is_empty() => {}
            Ok(ended) => (ended..self.open.len()).for_each(|_| self.end_call()),
            Err(_) if head.warnings.has(WarningKind::BrokenOrder) => {}
            Err(_) => head.warn(Some(at), WarningKind::BrokenOrder, || {
                "this call is not open: a Fiber may have been suspended; from here on, the time of a \
                 resumed Fiber counts as that of the call that resumes it"
                    .into()
            }),
        }
    }

    /// Opens a call, of the fields after the memory.
    fn begin_call(&mut self, head: &mut Head, number: u64, fields: &[u8], strip: &[u8]) {
        let mut ends = memchr::memchr_iter(b'\t', fields);
        let fields = &fields[..ends.nth(4).unwrap_or(fields.len())];
        let known = self.sites.get_index_of(fields);
        let site = known.unwrap_or_else(|| self.add_site(head, fields, strip));
        let (name, file, _) = self.sites[site];
        let caller = self.open.last().map(|call| {
            if let Some(home @ &mut NameId::UNKNOWN) = self.files.get_mut(&call.name) {
                *home = file;
            }
            call.node
        });
        let site = FunctionId(site as u32);
        self.open.push(OpenCall {
            number,
            name,
            site,
            node: self.tree.context(caller, site, 1, &[], &[]),
            self_cost: [0; 2],
            inclusive: [0; 2],
        });
    }

    fn add_site(&mut self, head: &mut Head, fields: &[u8], strip: &[u8]) -> usize {
        let mut each = fields.split(|&b| b == b'\t');
        let [name, is_user, included, file, line] = from_fn(|_| each.next().unwrap_or_default());
        if head.part().command.is_empty() {
            head.part().command = file.into();
        }
        // Names and files are those of Xdebug's profiles.
        let (name, home) = match is_user {
            b"0" => ([b"php::", name].concat(), INTERNAL),
            _ if name == b"{main}" => (name.to_vec(), file),
            _ if included.is_empty() || name == b"eval" => (name.to_vec(), &b""[..]),
            _ => ([name, b"::", included].concat(), included),
        };
        let name = head.names.intern_or(&name, NameId::UNKNOWN);
        let [file, home] = [file, home].map(|file| {
            let short = file.strip_prefix(strip).unwrap_or(file);
            head.names.intern_or(short, NameId::UNKNOWN)
        });
        self.files.entry(name).or_insert(home);
        let line = parsed::<u32>(line).map_or(0, u64::from);
        let site = (name, file, line);
        self.sites.insert_full(fields.to_vec(), site).0
    }

    /// Ends the innermost open call.
    fn end_call(&mut self) {
        let Some(mut call) = self.open.pop() else {
            return;
        };
        add_to(&mut call.inclusive, &call.self_cost);
        let caller = self.open.last_mut().map(|caller| {
            add_to(&mut caller.inclusive, &call.inclusive);
            caller.node
        });
        self.tree
            .context(caller, call.site, 0, &call.self_cost, &call.inclusive);
    }

    /// Ends the run, if it has begun. By now, the files of functions are known.
    fn end(mut self, builder: &mut Builder, line: u64) {
        let Some(part) = builder.head.parts.last_mut() else {
            return;
        };
        part.summary = Some(self.total.to_vec());
        if part.end != End::Whole {
            builder.head.warn(Some(line), WarningKind::Truncated, || {
                "the trace has no `TRACE END`: the program was killed, or the file is truncated; \
                 calls that did not end last until here"
                    .into()
            });
        }
        while !self.open.is_empty() {
            self.end_call();
        }
        let events = &mut builder.head.events;
        _ = ColumnMap::default().map(events, &EVENTS.map(Vec::from));
        events.set_peak(EVENTS[1]);
        let tree = self.tree.finish().0;
        let mut trees = Forest::new();
        let mut chain = Vec::new();
        for context in &tree.contexts {
            let (name, place, line) = self.sites[context.function.index()];
            let file = self.files[&name];
            let function = builder.function(NameId::EMPTY, file, name);
            let [own, all] = [tree.self_cost(context), tree.inclusive(context)];
            builder.enter(function);
            builder.add_self(file, 0, own);
            builder.state(function, &[], context.calls, 0);
            chain.truncate(context.depth as usize);
            let caller = chain.last().map(|&(caller, node)| {
                builder.add_call_from(caller, function, (place, line), context.calls, all);
                node
            });
            chain.push((
                function,
                trees.context(caller, function, context.calls, own, all),
            ));
        }
        builder.leave();
        builder.add_trees(trees);
    }
}
