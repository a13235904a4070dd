//! The container of a pack: a POSIX tar file (ustar) of plain files with short names.
//!
//! It is written here, because a pack needs only a few dozen lines of it. Everything else that a
//! tar file can hold is refused: links, devices, folders, other systems' names. No file is ever
//! written under a name from a pack.

use crate::profile::to_text;
use std::io::{self, Read, Write};

/// The size of a tar block.
const BLOCK: usize = 512;

/// The places of the fields of a header.
mod field {
    use std::ops::Range;
    pub(super) const NAME: Range<usize> = 0..100;
    pub(super) const MODE: Range<usize> = 100..107;
    pub(super) const OWNER: Range<usize> = 108..115;
    pub(super) const GROUP: Range<usize> = 116..123;
    pub(super) const SIZE: Range<usize> = 124..136;
    pub(super) const TIME: Range<usize> = 136..147;
    pub(super) const SUM: Range<usize> = 148..156;
    pub(super) const KIND: usize = 156;
    pub(super) const MAGIC: Range<usize> = 257..262;
    pub(super) const VERSION: Range<usize> = 263..265;
    pub(super) const PREFIX: usize = 345;
}

/// The magic word of every header.
const MAGIC: &[u8] = b"ustar";

/// Whether bytes begin like a tar file whose first entry has a name.
pub(crate) fn begins_with(start: &[u8], name: &str) -> bool {
    start.get(field::MAGIC) == Some(MAGIC)
        && start
            .get(field::NAME)
            .is_some_and(|field| text(field) == name.as_bytes())
}

/// Bytes up to the first zero.
fn text(field: &[u8]) -> &[u8] {
    memchr::memchr(0, field).map_or(field, |end| &field[..end])
}

/// The sum of a header's bytes, with blanks in place of the sum's field.
fn sum(mut header: [u8; BLOCK]) -> u64 {
    header[field::SUM].fill(b' ');
    header.into_iter().map(u64::from).sum()
}

/// A number in octal digits, with blanks or zeros around it.
fn octal(field: &[u8]) -> Option<u64> {
    let text = str::from_utf8(field).ok()?.trim_ascii_start();
    let digits = text.trim_end_matches(['\0', ' ']);
    let value = u64::from_str_radix(digits, 8).ok()?;
    (!digits.starts_with('+')).then_some(value)
}

/// Why a file is not a tar file of plain files; the source of an [`io::Error`].
#[derive(Debug)]
pub(crate) struct NotThis(String);

impl std::fmt::Display for NotThis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotThis {}

fn not_this(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, NotThis(why.into()))
}

/// The files of a tar file, one after the other. Reading gives the contents of the last one
/// returned.
pub(crate) struct Entries<R> {
    source: R,
    /// Unread bytes of the entry.
    left: u64,
    /// Bytes after it, up to the next block.
    padding: u64,
}

impl<R: Read> Entries<R> {
    pub(crate) fn new(source: R) -> Entries<R> {
        Entries {
            source,
            left: 0,
            padding: 0,
        }
    }

    /// The name of the next file; `None` at the end of the archive.
    ///
    /// # Errors
    /// The source fails, it is not a tar file of plain files, or something follows the end.
    pub(crate) fn next_entry(&mut self) -> io::Result<Option<String>> {
        let rest = self.left.saturating_add(self.padding);
        (self.left, self.padding) = (0, 0);
        if io::copy(&mut self.source.by_ref().take(rest), &mut io::sink())? < rest {
            return Err(cut());
        }
        let header = self.block()?;
        if header == [0; BLOCK] {
            return self.end().map(|()| None);
        }
        let (name, size) = head(&header).map_err(not_this)?;
        self.left = size;
        self.padding = size.next_multiple_of(BLOCK as u64) - size;
        Ok(Some(name))
    }

    fn block(&mut self) -> io::Result<[u8; BLOCK]> {
        let mut block = [0; BLOCK];
        self.source
            .read_exact(&mut block)
            .map_err(|e| match e.kind() {
                // A decompressor's own error says more.
                io::ErrorKind::UnexpectedEof if e.get_ref().is_none() => cut(),
                _ => e,
            })?;
        Ok(block)
    }

    /// Two blocks of zeros end a tar file; only zeros may follow.
    fn end(&mut self) -> io::Result<()> {
        if self.block()? != [0; BLOCK] {
            return Err(not_this("an entry has no header"));
        }
        for byte in io::BufReader::new(&mut self.source).bytes() {
            if byte? != 0 {
                return Err(not_this("something follows its end"));
            }
        }
        Ok(())
    }
}

fn cut() -> io::Error {
    not_this("it is truncated")
}

impl<R: Read> Read for Entries<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(out.len());
        let n = self.source.read(&mut out[..most])?;
        if n == 0 && most > 0 {
            return Err(cut());
        }
        self.left -= n as u64;
        Ok(n)
    }
}

/// The name and size in a header, or what is wrong with it.
fn head(header: &[u8; BLOCK]) -> Result<(String, u64), String> {
    if header[field::MAGIC] != *MAGIC || octal(&header[field::SUM]) != Some(sum(*header)) {
        return Err("a header of an entry is damaged".into());
    }
    let name = to_text(text(&header[field::NAME]));
    if !matches!(header[field::KIND], b'0' | 0) {
        return Err(format!("`{name}` is not a regular file"));
    }
    if header[field::PREFIX] != 0 {
        return Err(format!("the name of `{name}` is too long"));
    }
    match octal(&header[field::SIZE]) {
        Some(size) => Ok((name, size)),
        None => Err(format!("the size of `{name}` is not a number")),
    }
}

/// Writes a file into a tar file. The name has at most 100 bytes.
///
/// # Errors
/// `out` fails, or the file has 8 GiB or more.
pub(crate) fn append(
    out: &mut impl Write,
    name: &str,
    bytes: &[u8],
    modified: u64,
) -> io::Result<()> {
    if bytes.len() as u64 >= 1 << 33 {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{name}: it is too large for a pack"),
        ));
    }
    let mut header = [0; BLOCK];
    let mut put = |at: std::ops::Range<usize>, text: &[u8]| {
        header[at.start..][..text.len()].copy_from_slice(text)
    };
    put(field::NAME, name.as_bytes());
    put(field::MODE, b"0000644");
    put(field::OWNER, b"0000000");
    put(field::GROUP, b"0000000");
    put(field::SIZE, format!("{:011o}", bytes.len()).as_bytes());
    put(
        field::TIME,
        format!("{:011o}", modified.min((1 << 33) - 1)).as_bytes(),
    );
    put(field::KIND..field::KIND + 1, b"0");
    put(field::MAGIC, MAGIC);
    put(field::VERSION, b"00");
    let sum = format!("{:06o}\0 ", sum(header));
    header[field::SUM].copy_from_slice(sum.as_bytes());
    out.write_all(&header)?;
    out.write_all(bytes)?;
    let padding = bytes.len().next_multiple_of(BLOCK) - bytes.len();
    out.write_all(&[0; BLOCK][..padding])
}

/// Ends a tar file.
///
/// # Errors
/// `out` fails.
pub(crate) fn finish(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[0; 2 * BLOCK])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut out = Vec::new();
        append(&mut out, "a", b"some text", 1_700_000_000).unwrap();
        append(&mut out, "b/c", &[7; 1024], 0).unwrap();
        append(&mut out, "empty", b"", 0).unwrap();
        finish(&mut out).unwrap();
        out
    }

    /// The files, each with its contents; or the first error.
    fn read(tar: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
        let mut entries = Entries::new(tar);
        let mut all = Vec::new();
        while let Some(name) = entries.next_entry().map_err(|e| e.to_string())? {
            let mut bytes = Vec::new();
            entries.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
            all.push((name, bytes));
        }
        Ok(all)
    }

    #[test]
    fn what_is_written_is_read() {
        let all = read(&written()).unwrap();
        assert_eq!(
            all,
            [
                ("a".into(), b"some text".to_vec()),
                ("b/c".into(), vec![7; 1024]),
                ("empty".into(), Vec::new())
            ]
        );
        assert!(begins_with(&written(), "a") && !begins_with(&written(), "b"));
        // The caller need not read the entries.
        let whole = written();
        let mut entries = Entries::new(&whole[..]);
        let names = std::iter::from_fn(|| entries.next_entry().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["a", "b/c", "empty"]);
    }

    #[test]
    fn a_cut_is_seen_everywhere() {
        let whole = written();
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), Err("it is truncated".into()), "{end}");
        }
        assert!(read(&[&whole[..], &[0; 8192]].concat()).is_ok());
        assert_eq!(
            read(&[&whole[..], b"x"].concat()),
            Err("something follows its end".into())
        );
    }

    /// A header with another field, and the right sum.
    fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut tar = written();
        tar[at..at + bytes.len()].copy_from_slice(bytes);
        let mut header = [0; BLOCK];
        header.copy_from_slice(&tar[..BLOCK]);
        let sum = format!("{:06o}\0 ", sum(header));
        tar[field::SUM].copy_from_slice(sum.as_bytes());
        tar
    }

    #[test]
    fn only_plain_files_are_taken() {
        for kind in b"1234567xgLKSV" {
            assert_eq!(
                read(&with(field::KIND, &[*kind])),
                Err("`a` is not a regular file".into()),
                "{kind}"
            );
        }
        assert_eq!(
            read(&with(field::PREFIX, b"p")),
            Err("the name of `a` is too long".into())
        );
        for size in [
            &b"-0000000001\0"[..],
            b"\x80\0\0\0\0\0\0\0\0\0\0\x09",
            b"99999999999\0",
            b"           \0",
            b"1 2        \0",
        ] {
            assert_eq!(
                read(&with(field::SIZE.start, size)),
                Err("the size of `a` is not a number".into()),
                "{size:?}"
            );
        }
        // The largest possible size, without its bytes.
        assert_eq!(
            read(&with(field::SIZE.start, b"777777777777")),
            Err("it is truncated".into())
        );
        let mut damaged = written();
        damaged[0] = b'b';
        assert_eq!(
            read(&damaged),
            Err("a header of an entry is damaged".into())
        );
    }
}
