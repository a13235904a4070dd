//! Splits a function name into function, recursion level and callers, which `--separate-recs` and
//! `--separate-callers` append.
//!
//! For whoever changes this: a quote begins a level or a caller, but quotes also occur in
//! lifetimes, characters and lambdas. So only a quote outside of brackets counts, and brackets must
//! be distinguished from operators and comparisons. [`CallerPieces`] walks the name once, without
//! allocation, because every name of a profile passes here.

/// Removes the recursion level from a name: `f` for `f'2`. Returns `None` if it has none.
pub(crate) fn without_level(name: &[u8]) -> Option<Vec<u8>> {
    let [function, level, callers] = pieces(name);
    (!level.is_empty()).then(|| [function, callers].concat())
}

/// The length of the recursion level that begins with this quote; 0 if it begins none.
pub(super) fn level(name: &[u8]) -> usize {
    let digits = name[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let ends = matches!(name.get(1 + digits), None | Some(b'\''));
    if digits > 0 && ends { 1 + digits } else { 0 }
}

/// The open brackets, innermost last, and which of them are `<`. Between other brackets, `<` can be
/// an operator, as in `a<(1<2)>`.
#[derive(Default)]
struct Brackets {
    angles: u128,
    depth: usize,
}

impl Brackets {
    /// The depth up to which brackets are distinguished. A deeper `<` is never an operator.
    const MOST: usize = 128;

    fn open(&mut self, is_angle: bool) {
        if self.depth < Self::MOST {
            self.angles = self.angles << 1 | u128::from(is_angle);
        }
        self.depth += 1;
    }

    fn close(&mut self, is_angle: bool) {
        if self.depth > Self::MOST {
            self.depth -= 1;
            return;
        }
        let inner = (self.angles.trailing_ones() as usize).min(self.depth);
        let closed = match is_angle {
            true => inner.min(1),
            // It also closes operators that looked like brackets.
            false if inner < self.depth => inner + 1,
            false => 0,
        };
        self.depth -= closed;
        self.angles = self.angles.checked_shr(closed as u32).unwrap_or(0);
    }
}

/// The pieces of a name: where each ends, and how many brackets are open after it.
///
/// An operator of several characters is one piece, so that no bracket in it opens or closes
/// anything.
#[derive(Default)]
pub(crate) struct CallerPieces<'a> {
    name: &'a [u8],
    open: Brackets,
    at: usize,
}

impl<'a> CallerPieces<'a> {
    pub(crate) fn new(name: &'a [u8]) -> CallerPieces<'a> {
        CallerPieces {
            name,
            ..CallerPieces::default()
        }
    }
}

impl Iterator for CallerPieces<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        /// Longer ones come first.
        const SIGNS: [&[u8]; 14] = [
            b"operator<=>",
            b"operator<<=",
            b"operator>>=",
            b"operator->*",
            b"operator<<",
            b"operator>>",
            b"operator<=",
            b"operator>=",
            b"operator->",
            b"operator<",
            b"operator>",
            b"operator()",
            b"->",
            b"(anonymous namespace)",
        ];
        let rest = &self.name[self.at..];
        let first = *rest.first()?;
        let sign = SIGNS
            .iter()
            .find(|sign| matches!(first, b'o' | b'-' | b'(') && rest.starts_with(sign));
        self.at += match (sign, first) {
            (Some(sign), _) => sign.len(),
            (None, b'<' | b'(' | b'[' | b'{') => {
                self.open.open(first == b'<');
                1
            }
            (None, b'>' | b')' | b']' | b'}') => {
                self.open.close(first == b'>');
                1
            }
            // A character of several bytes is one piece.
            _ => {
                1 + rest[1..]
                    .iter()
                    .take_while(|&&byte| byte & 0xc0 == 0x80)
                    .count()
            }
        };
        Some((self.at, self.open.depth))
    }
}

/// Splits Rust's `<T as Trait>::f` into `T` and the text after the bracket.
pub(crate) fn implementor(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut at, mut end) = (0, None);
    for (next, open) in CallerPieces::new(name).take_while(|_| name.starts_with(b"<")) {
        if open == 1 && name[at..].starts_with(b" as ") {
            end = end.or(Some(at));
        }
        if open == 0 {
            return Some((&name[1..end.unwrap_or(at)], &name[next..]));
        }
        at = next;
    }
    None
}

/// Whether a text is the whole function, if a quote follows it.
pub(super) fn is_whole(text: &[u8]) -> bool {
    let opens = |byte: &u8| matches!(byte, b'<' | b'(' | b'[' | b'{');
    !text.is_empty() && !text.ends_with(b"::") && !text.iter().any(opens)
}

/// Splits a name into its function, recursion level and callers: `f`, `'2` and `'g'main` for
/// `f'2'g'main`. The last two can be empty.
///
/// Quotes in brackets are lifetimes or characters, and those of `'lambda'` and `'unnamed'` belong
/// to the name.
pub(crate) fn pieces(name: &[u8]) -> [&[u8]; 3] {
    // Most names have no quote, and most others begin their callers at the first.
    let Some(quote) = memchr::memchr(b'\'', name) else {
        return [name, b"", b""];
    };
    let (function, rest) = name.split_at(quote);
    if is_whole(function) {
        let (level, callers) = rest.split_at(level(rest));
        return [function, level, callers];
    }
    let (mut at, mut quoted) = (0, 0);
    for (end, depth) in CallerPieces::new(name) {
        let rest = &name[at..];
        if rest[0] == b'\'' && at >= quoted {
            let begins = at == 0 || name[..at].ends_with(b"::");
            if begins
                && [&b"'lambda"[..], b"'unnamed"]
                    .iter()
                    .any(|word| rest.starts_with(word))
            {
                quoted = at
                    + rest[1..]
                        .iter()
                        .position(|&b| b == b'\'')
                        .map_or(1, |closing| closing + 2);
            } else if depth == 0 && at > 0 {
                let (level, callers) = rest.split_at(level(rest));
                return [&name[..at], level, callers];
            }
        }
        at = end;
    }
    [name, b"", b""]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_at_the_end() {
        for (name, want) in [
            ("f", None),
            ("f'2", Some("f")),
            ("f'12", Some("f")),
            ("'2", None),
            ("f'2x", None),
            ("f'2'main", Some("f'main")),
            ("a<'b>::c'3", Some("a<'b>::c")),
            ("a<'2'>::b", None),
            ("operator<'2", Some("operator<")),
            ("f'", None),
            ("", None),
        ] {
            let without = without_level(name.as_bytes());
            assert_eq!(without, want.map(|name| name.as_bytes().to_vec()), "{name}");
        }
    }

    #[test]
    fn functions_are_told_from_levels_and_callers() {
        for (name, want) in [
            ("f", ["f", "", ""]),
            ("f'2", ["f", "'2", ""]),
            ("f'g'main", ["f", "", "'g'main"]),
            ("f'2'g'main", ["f", "'2", "'g'main"]),
            ("main'(below main)", ["main", "", "'(below main)"]),
            ("(below main)'f", ["(below main)", "", "'f"]),
            ("f'2x", ["f", "", "'2x"]),
            ("a<'b>::c(&'d e)'3'g", ["a<'b>::c(&'d e)", "'3", "'g"]),
            (
                "f()::'lambda0'(int)::operator()(int)'main",
                ["f()::'lambda0'(int)::operator()(int)", "", "'main"],
            ),
            ("'unnamed'::f'2", ["'unnamed'::f", "'2", ""]),
            ("f'lambda_user", ["f", "", "'lambda_user"]),
            ("operator<'main", ["operator<", "", "'main"]),
            (
                "a::operator->'b::operator<< <c>",
                ["a::operator->", "", "'b::operator<< <c>"],
            ),
            ("'2", ["'2", "", ""]),
            ("f<'g", ["f<'g", "", ""]),
            ("f'", ["f", "", "'"]),
            ("", ["", "", ""]),
        ] {
            assert_eq!(pieces(name.as_bytes()), want.map(str::as_bytes), "{name}");
        }
    }
}
