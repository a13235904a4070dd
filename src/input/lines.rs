//! Lends the input in blocks of whole lines, so that the parser walks them without a search for
//! each line's end. Only a line that crosses a block's end is copied.
//!
//! For whoever changes this: the parser looks at a line through a window of fixed size, so
//! [`PADDING`] bytes must be readable after every block. The tests hold this for blocks of any
//! size, down to one byte.

use super::{Error, Options};
pub(crate) use crate::profile::formula::is_blank;
use crate::profile::{Builder, WarningKind};
use std::io::{self, Read};

/// Readable bytes of any value after a block, so that a line can be read through a window of fixed
/// size.
const PADDING: usize = super::marks::WINDOW;

/// How much is read at a time by default.
pub(crate) const BLOCK: usize = 256 * 1024;

/// Longer lines are skipped: no real name is this long, and memory must stay in proportion.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// What [`LineBlocks::next`] found.
pub(crate) enum Block {
    /// Whole lines, each with its line feed, at this range of [`LineBlocks::bytes`].
    Lines(std::ops::Range<usize>),
    /// One line that was too long and was skipped.
    TooLong,
    /// The end.
    End,
}

pub(crate) struct LineBlocks<R> {
    source: R,
    buffer: Vec<u8>,
    /// The first byte that was not lent yet.
    start: usize,
    /// The end of the bytes that were read.
    filled: usize,
    ended: bool,
    /// Whether the last line lacks its line feed.
    pub unended: bool,
}

/// How an input ended.
pub(super) struct LinesEnd {
    /// The number of lines.
    pub line: u64,
    /// Whether the last line has no line feed.
    pub is_unended: bool,
    /// Whether reading failed.
    pub is_cut: bool,
}

/// Reads each line of an input. Warns if one is too long, or if reading fails after the first.
pub(super) fn each(
    builder: &mut Builder,
    source: impl Read,
    options: &Options,
    mut read: impl FnMut(&mut Builder, &[u8], u64) -> Result<(), Error>,
) -> Result<LinesEnd, Error> {
    let (mut line, mut is_cut) = (0, false);
    let mut blocks = LineBlocks::new(source, options.block);
    loop {
        match blocks.next() {
            Ok(Block::Lines(range)) => {
                for text in blocks.bytes()[range].split_inclusive(|&b| b == b'\n') {
                    line += 1;
                    read(builder, text, line)?;
                }
            }
            Ok(Block::TooLong) => {
                line += 1;
                builder.head.warn(Some(line), WarningKind::LongLine, || {
                    "a line of more than 64 MiB is skipped".into()
                });
            }
            Ok(Block::End) => break,
            Err(e) if line == 0 => return Err(Error::new(builder.head.input(), None, e)),
            Err(e) => {
                is_cut = true;
                builder.head.warn(Some(line), WarningKind::Truncated, || {
                    format!("the input is truncated after this line: {e}")
                });
            }
        }
    }
    let is_unended = blocks.unended;
    Ok(LinesEnd {
        line,
        is_unended,
        is_cut,
    })
}

impl<R: Read> LineBlocks<R> {
    pub(crate) fn new(source: R, block: usize) -> LineBlocks<R> {
        LineBlocks {
            source,
            buffer: vec![0; block.max(1) + PADDING],
            start: 0,
            filled: 0,
            ended: false,
            unended: false,
        }
    }

    /// The buffer that the ranges of [`Block::Lines`] index. At least [`PADDING`] bytes follow each
    /// range.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// The next whole lines. When it returns an error, it has lent all whole lines before the
    /// error. It drops an incomplete last line, because half a number is a different number.
    pub(crate) fn next(&mut self) -> io::Result<Block> {
        self.move_to_front();
        let mut searched = 0;
        loop {
            if let Some(at) = memchr::memrchr(b'\n', &self.buffer[searched..self.filled]) {
                self.start = searched + at + 1;
                return Ok(Block::Lines(0..self.start));
            }
            searched = self.filled;
            if self.ended {
                if self.filled == 0 {
                    return Ok(Block::End);
                }
                // The last line lacks its line feed; there is room for one in the padding.
                self.buffer[self.filled] = b'\n';
                self.filled += 1;
                self.start = self.filled;
                self.unended = true;
                if self.buffer.len() < self.filled + PADDING {
                    self.buffer.resize(self.filled + PADDING, 0);
                }
                return Ok(Block::Lines(0..self.start));
            }
            if self.filled >= LONGEST_LINE {
                return self.skip_line();
            }
            let room = self.buffer.len() - PADDING;
            if self.filled == room {
                self.buffer.resize(2 * room + PADDING, 0);
            }
            self.read_more()?;
        }
    }

    fn move_to_front(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.start = 0;
        }
    }

    fn read_more(&mut self) -> io::Result<()> {
        let room = self.buffer.len() - PADDING;
        loop {
            match self.source.read(&mut self.buffer[self.filled..room]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    self.ended = true;
                    self.filled = 0;
                    return Err(e);
                }
            }
            return Ok(());
        }
    }

    /// Drops the rest of a line that is too long.
    fn skip_line(&mut self) -> io::Result<Block> {
        loop {
            self.start = 0;
            self.filled = 0;
            self.read_more()?;
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[..self.filled]) {
                self.start = at + 1;
                return Ok(Block::TooLong);
            }
            if self.ended {
                return Ok(Block::TooLong);
            }
        }
    }
}

/// `text` without leading blanks.
pub(crate) fn trim_start(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|b| is_blank(b)).count()..]
}

/// The fields of `text`, separated by blanks.
pub(crate) fn fields(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(is_blank).filter(|field| !field.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, block: usize) -> String {
        let mut blocks = LineBlocks::new(text.as_bytes(), block);
        let mut out = Vec::new();
        while let Block::Lines(range) = blocks.next().unwrap() {
            assert!(blocks.bytes().len() >= range.end + PADDING);
            assert_eq!(blocks.bytes()[range.end - 1], b'\n');
            out.extend_from_slice(&blocks.bytes()[range]);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn any_block_size_gives_the_same_lines() {
        for block in [1, 2, 7, 100] {
            assert_eq!(
                lines("a\nbcdefghijklmnop\n\nq", block),
                "a\nbcdefghijklmnop\n\nq\n",
                "{block}"
            );
            assert_eq!(lines("", block), "");
            assert_eq!(lines("\n", block), "\n");
        }
    }
}
