//! The details of a recording: a pack without profiles, as comment lines at the end of the profile.
//! Other programs skip comments. `docs/pack.md` describes them.
//!
//! ```text
//! desc: Details: at the end of the file     in the header, so that others need no hash
//! #cgannotate-1 SHA-256 of all bytes before this line
//! #cgannotate-1 a pack, in base64
//! ```

use super::Contents;
use crate::profile::hex;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use memchr::memmem;
use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// How the lines begin, with the end of the line before.
const MARK: &[u8] = b"\n#cgannotate-1 ";

/// The line of the header that announces details.
const ANNOUNCED: &str = "\ndesc: Details: at the end of the file";

/// That line is looked for in this many bytes.
const HEADER: usize = 64 * 1024;

/// The most bytes of details; `record` omits those of the cheapest code.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// How many characters a line has after its mark.
const COLUMNS: usize = 1024;

/// The hash of a profile, which its details begin with.
///
/// # Errors
/// The profile cannot be read.
pub(crate) fn hashed(profile: impl Read) -> io::Result<String> {
    let mut profile = super::read::Hashed::new(profile);
    io::copy(&mut profile, &mut io::sink())?;
    Ok(hex(profile.hash.finalize()))
}

/// The hashes of a source file that details keep: of the whole text, then of each line.
#[cfg(feature = "cli")]
pub(crate) fn source_hashes(text: &[u8]) -> Vec<u32> {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let texts = std::iter::once(text).chain(lines);
    let hash = |text| {
        let hash = Sha256::digest(text);
        let first = hash.first_chunk();
        first.map_or(0, |first| u32::from_be_bytes(*first))
    };
    texts.map(hash).collect()
}

/// The lines to append to a profile that ends with a line feed.
///
/// # Errors
/// As [`write`](super::write).
pub(crate) fn lines(hash: &str, contents: &Contents) -> io::Result<Vec<u8>> {
    let mut pack = Vec::new();
    super::write(contents, &mut pack)?;
    let text = BASE64_STANDARD.encode(pack);
    let all = [hash.as_bytes()]
        .into_iter()
        .chain(text.as_bytes().chunks(COLUMNS));
    Ok(all
        .flat_map(|line| [&MARK[1..], line, b"\n"].concat())
        .collect())
}

/// Reads a profile, and keeps the details at its end.
pub(crate) struct DetailsReader<R> {
    source: R,
    /// The hash of the profile so far.
    hash: Sha256,
    /// What was not hashed yet: the end of the last piece, or all details.
    rest: Vec<u8>,
    state: DetailsState,
}

#[derive(PartialEq)]
enum DetailsState {
    /// The header does not announce them, as far as it was read.
    Unannounced,
    Announced,
    Found,
}

impl<R> DetailsReader<R> {
    pub(crate) fn new(source: R) -> DetailsReader<R> {
        DetailsReader {
            source,
            hash: Sha256::new(),
            rest: Vec::new(),
            state: DetailsState::Unannounced,
        }
    }

    /// Takes the next piece of the input.
    fn piece(&mut self, bytes: &[u8]) {
        let is_unannounced = self.state == DetailsState::Unannounced;
        if is_unannounced && self.rest.len() >= HEADER {
            return;
        }
        // What does not fit is dropped, so that the last line has no end.
        let room = LONGEST.saturating_sub(self.rest.len());
        self.rest.extend_from_slice(&bytes[..bytes.len().min(room)]);
        let header = &self.rest[..self.rest.len().min(HEADER)];
        if is_unannounced && memmem::find(header, ANNOUNCED.as_bytes()).is_some() {
            self.state = DetailsState::Announced;
        }
        if self.state == DetailsState::Announced {
            let found = memmem::find(&self.rest, MARK);
            let end = found.map_or(self.rest.len().saturating_sub(MARK.len() - 1), |at| at + 1);
            self.hash.update(&self.rest[..end]);
            self.rest.drain(..end);
            if found.is_some() {
                self.state = DetailsState::Found;
            }
        }
    }

    /// The pack at the end of the input, if there is one.
    ///
    /// # Errors
    /// A sentence says why it cannot be used.
    pub(crate) fn pack(&mut self) -> Result<Option<Vec<u8>>, &'static str> {
        match self.state {
            DetailsState::Unannounced => return Ok(None),
            DetailsState::Announced => return Err("they are missing"),
            DetailsState::Found => {}
        }
        let whole = self.rest.strip_suffix(b"\n");
        let whole = whole.ok_or("they are truncated or too long")?;
        let mut lines = whole
            .split(|&byte| byte == b'\n')
            .map(|line| line.strip_prefix(&MARK[1..]));
        if lines.next().flatten() != Some(hex(self.hash.finalize_reset()).as_bytes()) {
            return Err("the profile was changed after it was recorded");
        }
        let text: Option<Vec<&[u8]>> = lines.collect();
        let text = text.ok_or("other lines follow them")?.concat();
        let pack = BASE64_STANDARD.decode(text);
        pack.map(|pack| Some(pack).filter(|pack| !pack.is_empty()))
            .map_err(|_| "they are corrupt")
    }
}

impl<R: Read> Read for DetailsReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(out)?;
        self.piece(&out[..n]);
        Ok(n)
    }
}
