//! Decompresses gzip, zstd and xz inputs while they are read. Their first bytes identify them.
//!
//! Invariant: all bytes before a truncation or corruption come out, and then an error that says
//! where it is. Several members, frames or streams are one input, as after `cat a.gz b.gz`; zeros
//! between and after them are padding. A ratio to the input bounds the output. The bytes in a
//! decoder's window count as output, so the ratio bounds window memory, too. Without a ratio, only
//! the limits of the windows remain. `sniff.rs` calls this file.

use super::codec::{Codec, RatioExceeded};
use flate2::bufread::GzDecoder;
use lzma_rust2::{Action, Status, XzStream};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::{
    error::Error,
    io::{self, BufRead, Read},
};

/// This much output is always allowed, so that a small profile with repeated lines is not an error.
/// If every three bytes are a separate line, this much takes 50 MB of memory.
const FREE: u64 = 2 * 1024 * 1024;

/// How many compressed bytes one read asks for.
const BLOCK: usize = 64 * 1024;

/// The step in which zstd is decoded: the most that one of its blocks holds. The decoder does not
/// say how much it has decoded.
const STEP: usize = 128 * 1024;

/// The largest window allowed for xz, in KiB. By default the `xz` command uses at most 64 MiB. For
/// zstd the limit is 128 MiB, the default of its command.
const XZ_MEMORY: u32 = 256 * 1024;

/// At least the length of the longest magic number.
const LONGEST_MAGIC: usize = 6;

/// A reader of the decompressed bytes of a source.
pub(crate) struct Decompressor<R> {
    state: DecoderState<R>,
    /// The decoder of the current or last member.
    codec: Codec,
    /// The tables of the last zstd frame, reused for the next: a file can have many small frames.
    frames: Option<Box<FrameDecoder>>,
    /// The bytes that came out.
    out: u64,
    /// The least number of bytes that zstd has decoded over all frames. Some of them may still be
    /// in its window.
    decoded: u64,
    max_ratio: Option<u64>,
}

enum DecoderState<R> {
    /// Before the first member, and between two.
    Between(Input<R>),
    Gzip(Box<GzDecoder<Input<R>>>),
    /// With the error to report after the bytes in the decoder's window.
    Zstd(Input<R>, Box<FrameDecoder>, Option<io::Error>),
    /// Likewise, but xz holds no bytes back.
    Xz(Input<R>, Box<XzStream>, Option<io::Error>),
    Ended,
}

impl<R: Read> Decompressor<R> {
    /// Decompresses a source that begins with the magic of `codec`.
    pub(crate) fn new(codec: Codec, source: R, max_ratio: Option<u64>) -> Decompressor<R> {
        Decompressor {
            state: DecoderState::Between(Input::new(source)),
            codec,
            frames: None,
            out: 0,
            decoded: 0,
            max_ratio,
        }
    }

    /// The number of compressed bytes consumed so far.
    fn taken(&self) -> u64 {
        match &self.state {
            DecoderState::Between(input)
            | DecoderState::Zstd(input, ..)
            | DecoderState::Xz(input, ..) => input.taken,
            DecoderState::Gzip(decoder) => decoder.get_ref().taken,
            DecoderState::Ended => u64::MAX,
        }
    }

    /// Begins the next member, if there is one.
    fn next_member(&mut self, mut input: Input<R>) -> io::Result<DecoderState<R>> {
        let next = loop {
            let ahead = match input.ahead(LONGEST_MAGIC) {
                Ok(ahead) => ahead,
                Err(e) => return Err(input.cut(self.codec, &e)),
            };
            match ahead.iter().position(|&b| b != 0) {
                _ if ahead.is_empty() => return Ok(DecoderState::Ended),
                Some(0) => break Codec::detect(ahead),
                zeros => {
                    let zeros = zeros.unwrap_or(ahead.len());
                    input.consume(zeros);
                }
            }
        };
        let Some(codec) = next else {
            let message = format!("the data after byte {} is not compressed", input.taken);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        };
        self.codec = codec;
        match codec {
            Codec::Gzip => Ok(DecoderState::Gzip(Box::new(GzDecoder::new(input)))),
            Codec::Zstd => self.next_frame(input),
            Codec::Xz => Ok(DecoderState::Xz(
                input,
                Box::new(XzStream::new_mem_limit(false, XZ_MEMORY)),
                None,
            )),
        }
    }

    /// Begins a zstd frame, or skips one without data.
    fn next_frame(&mut self, mut input: Input<R>) -> io::Result<DecoderState<R>> {
        let mut decoder = self.frames.take().unwrap_or_default();
        match decoder.init(&mut input) {
            Ok(()) => Ok(DecoderState::Zstd(input, decoder, None)),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                self.frames = Some(decoder);
                let length = u64::from(length);
                match io::copy(&mut input.by_ref().take(length), &mut io::sink()) {
                    Ok(skipped) if skipped == length => Ok(DecoderState::Between(input)),
                    Ok(_) => {
                        Err(input.cut(self.codec, &io::Error::from(io::ErrorKind::UnexpectedEof)))
                    }
                    Err(e) => Err(input.cut(self.codec, &e)),
                }
            }
            Err(e) => Err(input.cut(self.codec, &e)),
        }
    }

    /// The next output. `None` means that the state has changed and the caller must ask again.
    fn step(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        match std::mem::replace(&mut self.state, DecoderState::Ended) {
            DecoderState::Between(input) => {
                self.state = self.next_member(input)?;
                Ok(None)
            }
            DecoderState::Gzip(mut decoder) => match decoder.read(out) {
                Ok(0) => {
                    self.state = DecoderState::Between(decoder.into_inner());
                    Ok(None)
                }
                Ok(n) => {
                    self.state = DecoderState::Gzip(decoder);
                    Ok(Some(n))
                }
                Err(e) => Err(decoder.get_mut().cut(self.codec, &e)),
            },
            DecoderState::Zstd(mut input, mut decoder, mut error) => {
                if decoder.can_collect() > 0 {
                    let read = decoder.read(out).map(Some);
                    self.state = DecoderState::Zstd(input, decoder, error);
                    return read;
                }
                if let Some(e) = error {
                    return Err(e);
                }
                if decoder.is_finished() {
                    let stated = decoder.get_checksum_from_data();
                    if stated.is_some() && stated != decoder.get_calculated_checksum() {
                        return Err(
                            input.cut(self.codec, &io::Error::other("the checksum differs"))
                        );
                    }
                    self.frames = Some(decoder);
                    self.state = DecoderState::Between(input);
                    return Ok(None);
                }
                if let Err(e) =
                    decoder.decode_blocks(&mut input, BlockDecodingStrategy::UptoBytes(STEP))
                {
                    error = Some(input.cut(self.codec, &e));
                    // The decoder holds a window of bytes back until the frame ends. An empty last
                    // block with a checksum ends it. If that fails, too, no more bytes come out.
                    const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];
                    let _ = decoder.decode_blocks(&END[..], BlockDecodingStrategy::All);
                } else if !decoder.is_finished() {
                    self.decoded = self.decoded.saturating_add(STEP as u64);
                }
                self.state = DecoderState::Zstd(input, decoder, error);
                Ok(None)
            }
            DecoderState::Xz(mut input, mut decoder, error) => {
                if let Some(e) = error {
                    return Err(e);
                }
                let ahead = match input.ahead(1) {
                    Ok(ahead) => ahead,
                    Err(e) => return Err(input.cut(self.codec, &e)),
                };
                let action = if ahead.is_empty() {
                    Action::Finish
                } else {
                    Action::Run
                };
                let (taken, given) = (decoder.total_in(), decoder.total_out());
                let result = decoder.process(ahead, out, action);
                // An error can come together with output.
                let given = usize::try_from(decoder.total_out() - given)
                    .unwrap_or(0)
                    .min(out.len());
                input.consume(usize::try_from(decoder.total_in() - taken).unwrap_or(0));
                self.state = match result {
                    Ok(r) if matches!(r.status, Status::StreamEnd) => DecoderState::Between(input),
                    result => {
                        let error = result.err().map(|e| input.cut(self.codec, &e));
                        DecoderState::Xz(input, decoder, error)
                    }
                };
                Ok((given > 0).then_some(given))
            }
            DecoderState::Ended => Ok(Some(0)),
        }
    }
}

/// After an error, the input ends.
impl<R: Read> Read for Decompressor<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let step = self.step(out);
            if let Ok(Some(n)) = step {
                self.out = self.out.saturating_add(n as u64);
            }
            if let (Ok(_), Some(max)) = (&step, self.max_ratio)
                && self.out.max(self.decoded) > FREE.max(self.taken().saturating_mul(max))
            {
                self.state = DecoderState::Ended;
                return Err(io::Error::other(RatioExceeded(max)));
            }
            match step {
                Ok(None) => {}
                Ok(Some(n)) => return Ok(n),
                Err(e) => {
                    self.state = DecoderState::Ended;
                    return Err(e);
                }
            }
        }
    }
}

/// A buffered source that counts consumed bytes and keeps its own error, because decoders replace
/// it by theirs.
struct Input<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    taken: u64,
    failed: Option<io::Error>,
}

impl<R: Read> Input<R> {
    fn new(source: R) -> Input<R> {
        Input {
            source,
            buffer: vec![0; BLOCK],
            start: 0,
            end: 0,
            taken: 0,
            failed: None,
        }
    }

    /// The next bytes: at least `n`, unless the input ends before.
    fn ahead(&mut self, n: usize) -> io::Result<&[u8]> {
        if self.start > 0 && self.end - self.start < n {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < n {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    let kind = e.kind();
                    self.failed = Some(e);
                    return Err(kind.into());
                }
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// The cause of a decoder's failure: an error of the source, the end of the input, or
    /// corruption.
    fn cut(&mut self, codec: Codec, found: &(dyn Error + 'static)) -> io::Error {
        if let Some(e) = self.failed.take() {
            return e;
        }
        let (codec, at) = (codec.name(), self.taken);
        let (kind, message) = if is_end(found) {
            (
                io::ErrorKind::UnexpectedEof,
                format!("the {codec} data ends in the middle, after byte {at}"),
            )
        } else {
            (
                io::ErrorKind::InvalidData,
                format!("the {codec} data is damaged at or before byte {at} ({found})"),
            )
        };
        io::Error::new(kind, message)
    }
}

fn is_end(mut error: &(dyn Error + 'static)) -> bool {
    loop {
        if error
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::UnexpectedEof)
        {
            return true;
        }
        match error.source() {
            Some(source) => error = source,
            None => return false,
        }
    }
}

impl<R: Read> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.ahead(1)
    }

    fn consume(&mut self, n: usize) {
        let n = n.min(self.end - self.start);
        self.start += n;
        self.taken += n as u64;
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let ahead = self.fill_buf()?;
        let n = ahead.len().min(out.len());
        out[..n].copy_from_slice(&ahead[..n]);
        self.consume(n);
        Ok(n)
    }
}
