//! Reads the files of Cachegrind, cg_diff and cg_merge. They have Callgrind's lines without calls,
//! and inlined code of a function is a separate function.

use super::{
    Error, Options,
    callgrind::{
        CallgrindParser, Cursor,
        recognise::{Dialect, dialect},
    },
    format::FormatReader,
};
use crate::profile::{Builder, CallRecords, EndMark, Format};
use std::io::Read;

pub(super) struct Cachegrind;

impl FormatReader for Cachegrind {
    fn format(&self) -> &'static Format {
        &Format {
            name: "cachegrind",
            shown: "cachegrind",
            calls: CallRecords::Possible,
            end: EndMark::Summary,
            ..Format::CALLGRIND
        }
    }

    fn is_mine(&self, start: &[u8]) -> bool {
        dialect(start) == Some(Dialect::Cachegrind)
    }

    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        options: &Options,
    ) -> Result<(), Error> {
        let mut cursor = Cursor::new(builder);
        cursor.ends_with_file = true;
        CallgrindParser::new(&mut cursor, &options.strip).read(source, options.block)
    }
}
