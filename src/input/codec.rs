//! Detects which compression format an input has. The feature `compression` decompresses it.

use std::{error::Error, fmt};

/// The largest output for each byte of input. Real profiles stay below 60 (one of
/// `--separate-callers=16` with xz). A decompression bomb reaches 700 to 1000 with gzip, and 7000
/// and more with the others. Memory grows with the output, so this also limits how much more memory
/// a compressed input can take than an uncompressed one.
pub(crate) const MAX_RATIO: u64 = 100;

/// The compression formats.
#[derive(Clone, Copy)]
pub(crate) enum Codec {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// The .xz file format, 1.2.
    Xz,
}

impl Codec {
    /// Detects the format from the first bytes; `None` if the input is not compressed.
    pub(crate) fn detect(start: &[u8]) -> Option<Codec> {
        match start {
            [0x1f, 0x8b, 8, ..] => Some(Codec::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Codec::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Codec::Xz),
            _ => None,
        }
    }

    /// The name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
            Codec::Zstd => "zstd",
            Codec::Xz => "xz",
        }
    }
}

/// The output exceeds the ratio. It becomes [`ErrorKind::Ratio`](super::ErrorKind).
#[derive(Debug)]
pub(crate) struct RatioExceeded(pub(crate) u64);

impl fmt::Display for RatioExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it expands to more than {} times its size", self.0)
    }
}

impl Error for RatioExceeded {}
