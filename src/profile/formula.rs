//! Parses formulas of derived events: sums of multiples of events, and ratios of such sums.
//!
//! ```text
//! definition := name ["=" formula] [":" long name] | name long name
//! formula    := sum | part "/" part
//! part       := term | [integer] ["*"] "(" sum ")"
//! sum        := term+
//! term       := ("+" | "-")* [integer] ["*"] (name | '"' name '"')
//! ```
//!
//! Names can contain operators and colons, as in `cycles:u`. The separator is the first colon next
//! to a blank, or else the first; colons in quotes never count.

/// An `event:` line: a long name, a formula, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The event's short name.
    pub name: Vec<u8>,
    /// The formula as written, if there is one.
    pub formula: Option<Vec<u8>>,
    /// The long name, if there is one.
    pub long_name: Option<Vec<u8>>,
}

impl Definition {
    /// Splits the text after `event:` into its parts. It does not parse the formula.
    pub fn read(text: &[u8]) -> Definition {
        let split = |text: &'_ [u8], at: Option<usize>| match at {
            Some(at) => (
                trim(&text[..at]).to_vec(),
                Some(trim(&text[at + 1..]).to_vec()),
            ),
            None => (trim(text).to_vec(), None),
        };
        let is_alone = |&at: &usize| {
            at == 0 || is_blank(&text[at - 1]) || text.get(at + 1).is_none_or(is_blank)
        };
        let colons = || signs(text, b':');
        let (short, mut long_name) =
            split(text, colons().find(is_alone).or_else(|| colons().next()));
        let (mut name, formula) = split(&short, signs(&short, b'=').next());
        if (&formula, &long_name) == (&None, &None)
            && let Some(blank) = name.iter().position(is_blank)
        {
            long_name = Some(trim(&name.split_off(blank)).to_vec());
        }
        Definition {
            name,
            formula,
            long_name,
        }
    }

    /// Whether the event is a ratio.
    pub fn is_ratio(&self) -> bool {
        signs(self.formula.as_deref().unwrap_or_default(), b'/')
            .next()
            .is_some()
    }

    /// The text that [`read`](Definition::read) parses.
    pub fn text(&self) -> Vec<u8> {
        let mut text = self.name.clone();
        for (sign, more) in [(b" = ", &self.formula), (b" : ", &self.long_name)] {
            if let Some(more) = more {
                text.extend_from_slice(sign);
                text.extend_from_slice(more);
            }
        }
        text
    }
}

/// The positions of a character outside of quotes.
fn signs(text: &[u8], sign: u8) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    (0..).zip(text).filter_map(move |(at, &b)| {
        quoted ^= b == b'"';
        (b == sign && !quoted).then_some(at)
    })
}

/// A blank of the format. Any other byte belongs to a name.
pub(crate) fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trim(text: &[u8]) -> &[u8] {
    let text = &text[skip_blanks(text, 0)..];
    &text[..text
        .iter()
        .rposition(|b| !is_blank(b))
        .map_or(0, |at| at + 1)]
}

/// One term of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// The factor of the event.
    pub factor: i64,
    /// The event.
    pub name: &'a [u8],
    /// The byte offset of its name in the formula.
    pub at: usize,
}

/// The terms of a formula, at least one of a sum: those of a sum or of a numerator, and those of a
/// denominator, if it is a ratio.
///
/// # Errors
/// Says which is the first part that does not belong there.
pub fn terms(formula: &[u8]) -> Result<[Vec<Term<'_>>; 2], String> {
    let Some(slash) = signs(formula, b'/').next() else {
        return Ok([sum(formula, 0)?, Vec::new()]);
    };
    let below = skip_blanks(formula, slash + 1);
    if formula.get(below).is_some_and(u8::is_ascii_digit) {
        return Err(wrong(below, "a number below the `/`, without parentheses,"));
    }
    Ok([part(&formula[..slash], 0)?, part(formula, below)?])
}

const LARGE: &str = "a factor that does not fit in 64 bits";

fn wrong(at: usize, what: &str) -> String {
    format!("{what} at character {} of the formula", at + 1)
}

/// The terms of a part of a ratio that begins at `at` and ends with the text.
fn part(text: &[u8], at: usize) -> Result<Vec<Term<'_>>, String> {
    let Some(open) = signs(text, b'(').find(|&open| open >= at) else {
        let terms = sum(text, at)?;
        return match terms.get(1) {
            Some(term) => Err(wrong(term.at, "a sum in a ratio, without parentheses,")),
            None => Ok(terms),
        };
    };
    let before = trim(&text[at..open]);
    let factor = match trim(before.strip_suffix(b"*").unwrap_or(before)) {
        b"" => Some(1),
        digits => std::str::from_utf8(digits)
            .ok()
            .and_then(|n| n.parse().ok()),
    };
    let inside = text.trim_ascii_end().strip_suffix(b")");
    let (Some(factor), Some(inside)) = (factor, inside) else {
        return Err(wrong(open, "parentheses that are not `N * (A + B)`"));
    };
    let mut terms = sum(inside, open + 1)?;
    for term in &mut terms {
        let product = term.factor.checked_mul(factor);
        term.factor = product.ok_or_else(|| wrong(term.at, LARGE))?;
    }
    Ok(terms)
}

/// The terms of a sum that begins at `at` and ends with the text, at least one.
pub(super) fn sum(formula: &[u8], at: usize) -> Result<Vec<Term<'_>>, String> {
    let mut terms = Vec::new();
    let mut at = skip_blanks(formula, at);
    while at < formula.len() || terms.is_empty() {
        let mut factor: i64 = 1;
        while let Some(sign @ (b'+' | b'-')) = formula.get(at) {
            factor = if *sign == b'-' { -factor } else { factor };
            at = skip_blanks(formula, at + 1);
        }
        let digits = formula[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        if digits > 0 {
            let number = std::str::from_utf8(&formula[at..at + digits])
                .ok()
                .and_then(|n| n.parse::<i64>().ok());
            factor *= number.ok_or_else(|| wrong(at, LARGE))?;
            at = skip_blanks(formula, at + digits);
        }
        if formula.get(at) == Some(&b'*') {
            at = skip_blanks(formula, at + 1);
        }
        let rest = &formula[at..];
        let (name, len) = match rest.strip_prefix(b"\"") {
            Some(rest) => {
                let len = memchr::memchr(b'"', rest)
                    .ok_or_else(|| wrong(at, "a quote that is never closed"))?;
                (&rest[..len], len + 2)
            }
            None => {
                let len = rest
                    .iter()
                    .take_while(|b| !is_blank(b) && !matches!(b, b'+' | b'-' | b'*'))
                    .count();
                (&rest[..len], len)
            }
        };
        if name.is_empty() {
            return Err(wrong(at, "the name of an event is missing"));
        }
        terms.push(Term { factor, name, at });
        at = skip_blanks(formula, at + len);
    }
    Ok(terms)
}

fn skip_blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&b| is_blank(b)).count()
}

/// How many built-in events are KCachegrind's.
const KCACHEGRIND: usize = 5;

/// Derived events that need no definition, as in KCachegrind. They are added when a user asks for
/// them by name.
///
/// The last five are as gungraun defines them.
const BUILT_IN: [(&[u8], &[u8]); KCACHEGRIND + 5] = [
    (b"L1m", b"I1mr + D1mr + D1mw"),
    (b"L2m", b"I2mr + D2mr + D2mw"),
    (b"LLm", b"ILmr + DLmr + DLmw"),
    (b"Bm", b"Bcm + Bim"),
    (b"CEst", b"Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm"),
    (b"TotalRW", b"Ir + Dr + Dw"),
    (b"L1hits", b"TotalRW - L1m"),
    (b"LLhits", b"L1m - LLm"),
    (b"RamHits", b"LLm"),
    (b"EstimatedCycles", b"L1hits + 5 LLhits + 35 RamHits"),
];

/// Whether a built-in event means nothing without one of its terms.
pub(super) fn needs_all(name: &[u8]) -> bool {
    built_in_names()
        .skip(KCACHEGRIND)
        .any(|known| known == name)
}

/// The names of the built-in events.
pub fn built_in_names() -> impl Iterator<Item = &'static [u8]> {
    BUILT_IN.iter().map(|&(name, _)| name)
}

/// The formula of a built-in event.
pub fn built_in(name: &[u8]) -> Option<&'static [u8]> {
    BUILT_IN
        .iter()
        .find(|(n, _)| *n == name)
        .map(|&(_, formula)| formula)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The terms of both parts.
    fn shown(formula: &str) -> String {
        let shown = |term: &Term<'_>| {
            let name = String::from_utf8_lossy(term.name);
            format!("{} {name}", term.factor)
        };
        let parts = terms(formula.as_bytes()).unwrap_or_else(|why| panic!("{formula}: {why}"));
        let parts = parts.map(|terms| terms.iter().map(shown).collect::<Vec<_>>().join(", "));
        parts.join(" / ").trim_end_matches(" / ").to_owned()
    }

    #[test]
    fn formulas_are_sums_of_multiples_or_ratios_of_them() {
        for (formula, terms) in [
            ("Ir + 10 L1m+100*LLm", "1 Ir, 10 L1m, 100 LLm"),
            ("-2Dr - -Ir", "-2 Dr, 1 Ir"),
            ("a b", "1 a, 1 b"),
            ("100 * (a + b) / (c - 2 d)", "100 a, 100 b / 1 c, -2 d"),
            (" 3(2 a ) / -b ", "6 a / -1 b"),
            ("\"a/(b)\" / \"(c)\"", "1 a/(b) / 1 (c)"),
        ] {
            assert_eq!(shown(formula), terms, "{formula}");
        }
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let missing = "the name of an event is missing";
        let long = "a factor that does not fit in 64 bits";
        let around = "parentheses that are not `N * (A + B)`";
        let sum = "a sum in a ratio, without parentheses,";
        let below = "a number below the `/`, without parentheses,";
        for (formula, what, at) in [
            ("", missing, 1),
            ("Ir + ", missing, 6),
            ("Ir / ()", missing, 7),
            ("Ir + 99999999999999999999 Dr", long, 6),
            ("9223372036854775807 * (2 * Ir) / Dr", long, 28),
            ("Ir + Dr) / (Dw", sum, 6),
            ("Ir / (Dw", around, 6),
            ("-(Ir) / Dr", around, 2),
            ("(Ir) * 2 / Dr", around, 1),
            ("Time_(10ns) / Ir", around, 6),
            ("2 \"Ir", "a quote that is never closed", 3),
            ("a / b / c", sum, 7),
            ("a / 0", below, 5),
            ("a / 2 b", below, 5),
            ("a / ", missing, 5),
            ("/ b", missing, 1),
            ("a / b + c", sum, 9),
            ("a + b / c", sum, 5),
        ] {
            let why = format!("{what} at character {at} of the formula");
            assert_eq!(terms(formula.as_bytes()), Err(why), "{formula}");
        }
    }

    #[test]
    fn definitions_have_up_to_three_pieces() {
        let d = Definition::read(b" Sum = Ir + 2 Dr : Long : name ");
        assert_eq!(
            (&d.name[..], d.formula.as_deref()),
            (&b"Sum"[..], Some(&b"Ir + 2 Dr"[..]))
        );
        assert_eq!(d.long_name.as_deref(), Some(&b"Long : name"[..]));
    }
}
