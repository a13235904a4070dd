//! Finds the kinds of bytes (digits, blanks, line feeds) in a window of text as bit masks, and
//! reads numbers eight digits at a time.
//!
//! For whoever changes this: all field ends are found at once, so that no field waits for the
//! previous one. Eight bytes become a number without a branch on the number of digits, which a
//! processor cannot predict. If [`ByteMarks::find`] examines only the first
//! half, the second half counts as other bytes.

use super::bytes::Sixteen;

/// How many bytes the masks cover.
pub(super) const WIDTH: usize = 64;

/// How many bytes must be readable from the first byte of a line.
pub(super) const WINDOW: usize = 80;

/// The positions of each kind of byte: bit n is byte n.
pub(super) struct ByteMarks {
    pub blanks: u64,
    pub digits: u64,
    /// Plus and minus.
    pub signs: u64,
    pub stars: u64,
    /// Line feeds.
    pub feeds: u64,
}

impl ByteMarks {
    /// Examines the first half of the bytes, and the second half unless the first is `enough`.
    #[inline(always)]
    pub(super) fn find(
        window: &[u8; WINDOW],
        enough: impl FnOnce(&ByteMarks) -> bool,
    ) -> ByteMarks {
        let half = |at: usize| window[at..at + 32].first_chunk().map_or([0; 5], bits);
        let [blanks, digits, signs, stars, feeds] = half(0);
        let low = ByteMarks {
            blanks,
            digits,
            signs,
            stars,
            feeds,
        };
        if enough(&low) {
            return low;
        }
        let [blanks, digits, signs, stars, feeds] = half(32).map(|bits| bits << 32);
        ByteMarks {
            blanks: low.blanks | blanks,
            digits: low.digits | digits,
            signs: low.signs | signs,
            stars: low.stars | stars,
            feeds: low.feeds | feeds,
        }
    }

    /// The positions of all other bytes, and of bytes that were not examined.
    #[inline(always)]
    pub(super) fn others(&self) -> u64 {
        !(self.blanks | self.digits | self.signs | self.stars | self.feeds)
    }
}

/// The position of the first line feed among the first 32 bytes of a line.
#[inline(always)]
pub(super) fn feed(window: &[u8; WINDOW]) -> Option<usize> {
    let bytes = window.first_chunk().map_or([0; 32], |bytes| *bytes);
    let feeds = both(halves(&bytes), |bytes| bytes.equal(b'\n'));
    (feeds != 0).then(|| feeds.trailing_zeros() as usize)
}

/// The positions of `byte`.
#[inline(always)]
pub(super) fn equal(window: &[u8; WINDOW], byte: u8) -> u64 {
    let half = |at: usize| {
        let bytes = window[at..at + 32]
            .first_chunk()
            .map_or([0; 32], |bytes| *bytes);
        both(halves(&bytes), |bytes| bytes.equal(byte))
    };
    half(0) | half(32) << 32
}

/// The positions of blanks, digits, signs, stars and line feeds among 32 bytes.
#[inline(always)]
fn bits(bytes: &[u8; 32]) -> [u64; 5] {
    let halves = halves(bytes);
    let equal = |byte| both(halves, |bytes| bytes.equal(byte));
    let signs = both(halves, |bytes| bytes.either(b'+', b'-'));
    [
        equal(b' '),
        both(halves, Sixteen::digits),
        signs,
        equal(b'*'),
        equal(b'\n'),
    ]
}

#[inline(always)]
fn halves(bytes: &[u8; 32]) -> [Sixteen; 2] {
    let half = |at: usize| {
        bytes[at..at + 16]
            .first_chunk()
            .map_or([0; 16], |half| *half)
    };
    [Sixteen::new(&half(0)), Sixteen::new(&half(16))]
}

#[inline(always)]
fn both([low, high]: [Sixteen; 2], find: impl Fn(Sixteen) -> u16) -> u64 {
    u64::from(find(low)) | u64::from(find(high)) << 16
}

/// The value of one to eight digits. They are shifted to the top of a word, so that the zeros below
/// act as leading zeros. Multiplications then combine them to pairs, fours and eights.
#[inline(always)]
pub(super) fn number(window: &[u8; WINDOW], at: usize, len: usize) -> i64 {
    const LOW: u64 = 0x0000_00ff_0000_00ff;
    // A field begins before the line's end, so the remainder changes nothing; it saves a bounds
    // check.
    let at = at % WIDTH;
    let word = window[at..at + 8]
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let digits =
        (word ^ 0x3030_3030_3030_3030) << (64usize.wrapping_sub(8usize.wrapping_mul(len)) % 64);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (pairs & LOW).wrapping_mul(0x000f_4240_0000_0064);
    let low = ((pairs >> 16) & LOW).wrapping_mul(0x0000_2710_0000_0001);
    (high.wrapping_add(low) >> 32) as i64
}
