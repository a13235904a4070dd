//! Writes the numerous records of the JSON report: functions, lines and calls.
//!
//! For whoever changes this: the records are written byte by byte, because a serializer takes three
//! times as long. The bytes must be those of the serializer. Keys that few reports have
//! go through it, see [`JsonRows::end_record`].

use super::json_parts::event_figure;
use crate::{
    analysis::OrderedProfile,
    profile::{FunctionId, Profile, Site},
    text::number::push_number,
};
use serde::Serialize;
use std::io::{self, Write};

/// Bytes are written in pieces of this size.
const PIECE: usize = 256 * 1024;

/// Writes the array of one key.
pub(super) struct JsonRows<'a, W> {
    out: W,
    buffer: Vec<u8>,
    whole: &'a OrderedProfile<'a>,
    /// The last file and its JSON text, because most rows have the same file as the previous row.
    last_file: (&'a [u8], Vec<u8>),
    is_first: bool,
}

impl<'a, W: Write> JsonRows<'a, W> {
    pub(super) fn new(out: W, whole: &'a OrderedProfile<'a>) -> JsonRows<'a, W> {
        JsonRows {
            out,
            buffer: vec![b'['],
            whole,
            last_file: (b"", b"\"\"".to_vec()),
            is_first: true,
        }
    }

    /// Writes a function with the keys that every report has, then those of `more`. `of` is the
    /// profile of the report, or one whose further functions only occur inlined; nobody recorded
    /// the costs and calls of those.
    pub(super) fn function(
        &mut self,
        of: &'a Profile,
        id: FunctionId,
        more: Option<impl Serialize>,
    ) -> io::Result<()> {
        let (profile, inclusive) = (self.whole.profile, self.whole.inclusive);
        let known = Some(id).filter(|_| std::ptr::eq(of, profile));
        let f = of.function(id);
        self.begin(b"\"object\":")?;
        push_text(&mut self.buffer, of.name(f.object));
        self.push(b",\"file\":");
        self.file(of.name(f.file));
        self.push(b",\"name\":");
        push_text(&mut self.buffer, &of.function_name(id).text());
        self.push(b",\"self\":");
        self.counts(known.map_or(&[], |id| profile.self_cost(id)));
        if profile.has_inclusive() {
            let total: &[i64] = known.map_or(&[], |id| inclusive.cost(id));
            self.push(b",\"inclusive\":");
            self.counts(total);
            let called = known.map_or(0, |id| inclusive.called(id));
            self.number(b",\"called\":", called);
            self.per_call(total, called);
        } else {
            self.push(b",\"inclusive\":null,\"called\":null,\"per_call\":null");
        }
        match known.and_then(|id| inclusive.cycle_of(id)) {
            Some(at) => self.number(b",\"cycle\":", at as u64 + 1),
            None => self.push(b",\"cycle\":null"),
        }
        self.end_record(more)
    }

    /// Writes a line of a function, then the keys of `more`. `function` is the index of the
    /// function in the report.
    pub(super) fn line(
        &mut self,
        function: u32,
        file: &'a [u8],
        line: u64,
        cost: &[i64],
        more: Option<impl Serialize>,
    ) -> io::Result<()> {
        self.begin(b"")?;
        self.number(b"\"function\":", function.into());
        self.push(b",\"file\":");
        self.file(file);
        self.number(b",\"line\":", line);
        self.push(b",\"self\":");
        self.counts(cost);
        self.end_record(more)
    }

    /// Writes the calls between two functions, with their cost and their call sites. `caller` and
    /// `callee` are indexes of functions in the report.
    pub(super) fn call(
        &mut self,
        caller: u32,
        callee: u32,
        count: u64,
        cost: &[i64],
        sites: &[&Site],
    ) -> io::Result<()> {
        let profile = self.whole.profile;
        self.begin(b"")?;
        self.number(b"\"caller\":", caller.into());
        self.number(b",\"callee\":", callee.into());
        self.number(b",\"count\":", count);
        self.push(b",\"inclusive\":");
        self.counts(cost);
        self.push(b",\"sites\":[");
        for (at, site) in sites.iter().enumerate() {
            self.push(if at == 0 {
                b"{\"file\":"
            } else {
                b",{\"file\":"
            });
            self.file(profile.name(site.file));
            self.number(b",\"line\":", site.line);
            self.number(b",\"count\":", site.count);
            self.push(b",\"inclusive\":");
            self.counts(profile.site_cost(site));
            self.push(b"}");
        }
        self.push(b"]}");
        Ok(())
    }

    /// Ends a record with the keys of `more`, which the serializer writes.
    fn end_record(&mut self, more: Option<impl Serialize>) -> io::Result<()> {
        let Some(more) = more else {
            self.push(b"}");
            return Ok(());
        };
        let at = self.buffer.len();
        serde_json::to_writer(&mut self.buffer, &more)?;
        // The keys continue the record instead of beginning one.
        self.buffer[at] = b',';
        Ok(())
    }

    /// Ends the array.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.push(b"]");
        self.out.write_all(&self.buffer)
    }

    fn begin(&mut self, key: &[u8]) -> io::Result<()> {
        if self.buffer.len() >= PIECE {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        if !std::mem::take(&mut self.is_first) {
            self.push(b",");
        }
        self.push(b"\n{");
        self.push(key);
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    fn number(&mut self, key: &[u8], number: u64) {
        self.push(key);
        push_number(&mut self.buffer, number);
    }

    fn file(&mut self, name: &'a [u8]) {
        if !std::ptr::eq(self.last_file.0, name) {
            self.last_file.0 = name;
            self.last_file.1.clear();
            push_text(&mut self.last_file.1, name);
        }
        self.buffer.extend_from_slice(&self.last_file.1);
    }

    /// The cost per call, rounded to hundredths, or null without calls.
    fn per_call(&mut self, row: &[i64], calls: u64) {
        self.push(b",\"per_call\":");
        if calls == 0 {
            return self.push(b"null");
        }
        let whole = self.whole;
        for (at, &event) in whole.events.iter().enumerate() {
            self.push(if at == 0 { b"[" } else { b"," });
            if event.is_ratio() {
                self.push(b"null");
                continue;
            }
            let each = whole.profile.events.counted(row, event) as f64 / calls as f64;
            // Writing into memory does not fail.
            let _ = write!(self.buffer, "{each:.2}");
        }
        self.push(b"]");
    }

    /// A row of counts, one number per event. A count that was never written is 0.
    fn counts(&mut self, row: &[i64]) {
        self.buffer.push(b'[');
        let whole = self.whole;
        for (at, &event) in whole.events.iter().enumerate() {
            if at > 0 {
                self.buffer.push(b',');
            }
            let count = whole.profile.events.count(row, event);
            if event.is_ratio() {
                // Writing into memory does not fail.
                let _ = serde_json::to_writer(&mut self.buffer, &event_figure(event, count));
                continue;
            }
            let count = count.unwrap_or(0);
            if count < 0 {
                self.buffer.push(b'-');
            }
            push_number(&mut self.buffer, count.unsigned_abs());
        }
        self.buffer.push(b']');
    }
}

/// Writes a name in quotes. Bytes that are not valid UTF-8 become U+FFFD.
fn push_text(out: &mut Vec<u8>, name: &[u8]) {
    let is_plain = |&byte: &u8| (0x20..0x80).contains(&byte) && byte != b'"' && byte != b'\\';
    // Without an early exit the compiler can vectorize the loop.
    if name.iter().fold(true, |plain, byte| plain & is_plain(byte)) {
        out.push(b'"');
        out.extend_from_slice(name);
        out.push(b'"');
    } else {
        let _ = serde_json::to_writer(out, &String::from_utf8_lossy(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_the_serializer_writes_them() {
        let names: [&[u8]; 9] = [
            b"",
            b"main",
            b"a b/c.c",
            b"\"",
            b"\"q\"",
            b"back\\slash",
            b"tab\tnul\0\x1f\x7f",
            "\u{e4}\u{1f600}".as_bytes(),
            b"\xffx\xc3",
        ];
        for name in names {
            let mut out = Vec::new();
            push_text(&mut out, name);
            assert_eq!(
                String::from_utf8(out).unwrap(),
                serde_json::to_string(&String::from_utf8_lossy(name)).unwrap()
            );
        }
    }
}
