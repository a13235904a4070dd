//! Parses formulas of derived events: sums of multiples of events, and ratios of such sums.
//! Each part of a formula must be a number, or such a sum or ratio.
//!
//! ```text
//! definition := name ["=" sum] [":" long name] | name long name
//! sum        := product (["+" | "-"] product)*
//! product    := factor (["*" | "/"] factor)*
//!               the operator can be missing after an integer
//! factor     := ("+" | "-")* (integer | name | '"' name '"' | "(" sum ")")
//! ```
//!
//! Names can contain operators and colons, as in `cycles:u`. The separator is the first colon next
//! to a blank, or else the first; colons in quotes never count.

use std::mem;

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
#[derive(Clone, Debug)]
pub struct Term<'a> {
    /// The factor of the event.
    pub factor: i64,
    /// The event.
    pub name: &'a [u8],
    /// The byte offset of its name in the formula.
    pub at: usize,
}

impl PartialEq for Term<'_> {
    /// Whether they mean the same, wherever they are.
    fn eq(&self, other: &Term<'_>) -> bool {
        (self.factor, self.name) == (other.factor, other.name)
    }
}

/// The terms of a user's formula: those of a sum or of a numerator, and those of a denominator, if
/// it is a ratio.
///
/// # Errors
/// Says which is the first part that does not belong there.
pub fn terms(formula: &[u8]) -> Result<[Vec<Term<'_>>; 2], String> {
    FormulaParser::whole(formula, true)
}

/// The terms of a sum, whose names can have slashes and begin with parentheses.
pub(super) fn sum(formula: &[u8]) -> Result<Vec<Term<'_>>, String> {
    let [terms, _] = FormulaParser::whole(formula, false)?;
    Ok(terms)
}

/// A sum as profiles can have it.
pub(super) fn written(sum: &[Term<'_>]) -> Vec<u8> {
    let terms = sum
        .iter()
        .map(|term| [format!("{} * \"", term.factor).as_bytes(), term.name, b"\""].concat());
    terms.collect::<Vec<_>>().join(&b" + "[..])
}

/// The most parentheses inside each other.
const MAX_DEPTH: usize = 32;

const LARGE: &str = "a factor that does not fit in 64 bits";

fn wrong(at: usize, what: &str) -> String {
    format!("{what} at character {} of the formula", at + 1)
}

/// A numerator and a denominator, both sums. A term without a name is a number.
type Fraction<'a> = [Vec<Term<'a>>; 2];

/// The denominator of what is not a ratio.
const ONE: Term<'_> = Term {
    factor: 1,
    name: b"",
    at: 0,
};

/// The product of two sums, one of which must be a number.
fn product<'a>(a: &[Term<'a>], b: &[Term<'a>], what: &str) -> Result<Vec<Term<'a>>, String> {
    let (sum, number) = match (a, b) {
        ([number], sum) | (sum, [number]) if number.name.is_empty() => (sum, number.factor),
        _ => return Err(wrong(b[0].at, what)),
    };
    let multiplied = sum.iter().map(|term| {
        let factor = term.factor.checked_mul(number);
        let factor = factor.ok_or_else(|| wrong(term.at, LARGE))?;
        Ok(Term { factor, ..*term })
    });
    multiplied.collect()
}

/// Reads a formula from left to right.
struct FormulaParser<'a> {
    formula: &'a [u8],
    at: usize,
    depth: usize,
    has_ratios: bool,
    /// Whether the last factor was a number, after which an operator is not necessary.
    follows_number: bool,
}

impl<'a> FormulaParser<'a> {
    /// The next byte that is not a blank.
    fn peek(&mut self) -> Option<u8> {
        self.at = skip_blanks(self.formula, self.at);
        self.formula.get(self.at).copied()
    }

    /// Whether the next byte is this sign of ratios.
    fn is_next(&mut self, sign: u8) -> bool {
        self.has_ratios && self.peek() == Some(sign)
    }

    fn whole(formula: &'a [u8], has_ratios: bool) -> Result<Fraction<'a>, String> {
        let mut parser = FormulaParser {
            formula,
            at: 0,
            depth: 0,
            has_ratios,
            follows_number: false,
        };
        let [above, mut below] = parser.sum()?;
        if parser.peek().is_some() {
            return Err(wrong(parser.at, "a parenthesis that was never opened"));
        }
        if below == [ONE] {
            below.clear();
        }
        match above.iter().chain(&below).find(|term| term.name.is_empty()) {
            Some(number) => Err(wrong(number.at, "a number without an event")),
            None => Ok([above, below]),
        }
    }

    fn sum(&mut self) -> Result<Fraction<'a>, String> {
        let [mut above, mut below] = self.product()?;
        while self.peek().is_some() && !self.is_next(b')') {
            let [mut more, per] = self.product()?;
            if per != below {
                const SUM: &str = "a sum of ratios and events";
                above = product(&above, &per, SUM)?;
                more = product(&more, &below, SUM)?;
                below = product(&below, &per, SUM)?;
            }
            above.extend(more);
        }
        Ok([above, below])
    }

    fn product(&mut self) -> Result<Fraction<'a>, String> {
        const PRODUCT: &str = "a product of events";
        let [mut above, mut below] = self.factor()?;
        while self.has_ratios {
            let divides = self.is_next(b'/');
            match self.peek() {
                Some(sign) if sign == b'*' || divides => self.at += 1,
                Some(b'+' | b'-') | None => break,
                Some(_) if self.follows_number && !self.is_next(b')') => {}
                Some(b'(') => return Err(wrong(self.at, "no operator")),
                Some(_) => break,
            }
            let [mut times, mut per] = self.factor()?;
            if divides {
                mem::swap(&mut times, &mut per);
            }
            (above, below) = (
                product(&above, &times, PRODUCT)?,
                product(&below, &per, PRODUCT)?,
            );
        }
        Ok([above, below])
    }

    fn factor(&mut self) -> Result<Fraction<'a>, String> {
        let mut factor: i64 = 1;
        while let Some(sign @ (b'+' | b'-')) = self.peek() {
            factor = if sign == b'-' { -factor } else { factor };
            self.at += 1;
        }
        let at = self.at;
        let rest = &self.formula[at..];
        let number = |factor| vec![Term { factor, at, ..ONE }];
        self.follows_number = false;
        if self.is_next(b'(') {
            self.at += 1;
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(wrong(at, "too many parentheses"));
            }
            let [above, below] = self.sum()?;
            if !self.is_next(b')') {
                return Err(wrong(at, "a parenthesis that is never closed"));
            }
            self.at += 1;
            self.depth -= 1;
            self.follows_number = false;
            return Ok([product(&above, &number(factor), "")?, below]);
        }
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            self.at += digits;
            self.follows_number = true;
            let digits = std::str::from_utf8(&rest[..digits]).ok();
            let parsed: Option<i64> = digits.and_then(|digits| digits.parse().ok());
            let parsed = parsed.ok_or_else(|| wrong(at, LARGE))?;
            if self.is_next(b'.') {
                return Err(wrong(at, "a number that is not an integer"));
            }
            if self.has_ratios {
                return Ok([number(factor * parsed), vec![ONE]]);
            }
            factor *= parsed;
        }
        // In a profile, a name follows each number, and may be one.
        if !self.has_ratios && self.peek() == Some(b'*') {
            self.at += 1;
        }
        self.peek();
        let at = self.at;
        let rest = &self.formula[at..];
        let (name, len) = match rest.strip_prefix(b"\"") {
            Some(rest) => {
                let len = memchr::memchr(b'"', rest)
                    .ok_or_else(|| wrong(at, "a quote that is never closed"))?;
                (&rest[..len], len + 2)
            }
            None => {
                let mut open = 0;
                let is_name = |b: &&u8| match **b {
                    b'(' => {
                        open += 1;
                        true
                    }
                    b')' if self.has_ratios => {
                        open -= 1;
                        open >= 0
                    }
                    b'/' => !self.has_ratios,
                    b'+' | b'-' | b'*' => false,
                    _ => !is_blank(b),
                };
                let len = rest.iter().take_while(is_name).count();
                (&rest[..len], len)
            }
        };
        if name.is_empty() {
            return Err(wrong(at, "the name of an event is missing"));
        }
        self.at += len;
        Ok([vec![Term { factor, name, at }], vec![ONE]])
    }
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
            ("2 * (a + b)", "2 a, 2 b"),
            ("a / b * 100", "100 a / 1 b"),
            ("1 - a / b", "1 b, -1 a / 1 b"),
            (
                "100 * (1 - (a - 2 (b + c)) / d)",
                "100 d, -100 a, 200 b, 200 c / 1 d",
            ),
            ("-(a - b) / (2 * -c) / 5", "-1 a, 1 b / -10 c"),
            ("3 / b * c", "3 c / 1 b"),
            ("a / c + b / c", "1 a, 1 b / 1 c"),
            ("a / 1", "1 a"),
            ("Time_(10ns) / Ir", "1 Time_(10ns) / 1 Ir"),
            ("(cycles:u)/(b)", "1 cycles:u / 1 b"),
            ("\"a/(b)\" / \"(c)\"", "1 a/(b) / 1 (c)"),
        ] {
            assert_eq!(shown(formula), terms, "{formula}");
        }
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let missing = "the name of an event is missing";
        let long = "a factor that does not fit in 64 bits";
        let alone = "a number without an event";
        let product = "a product of events";
        let sum = "a sum of ratios and events";
        let opened = "a parenthesis that was never opened";
        let closed = "a parenthesis that is never closed";
        for (formula, what, at) in [
            ("", missing, 1),
            ("Ir + ", missing, 6),
            ("Ir / ()", missing, 7),
            ("Ir + 99999999999999999999 Dr", long, 6),
            ("9223372036854775807 * (2 * Ir) / Dr", long, 28),
            ("Ir + Dr) / (Dw", opened, 8),
            ("Ir / (Dw", closed, 6),
            ("2 * (Ir / (Dw)", closed, 5),
            ("(Ir) (Dr)", "no operator", 6),
            ("2 \"Ir", "a quote that is never closed", 3),
            ("a * b", product, 5),
            ("a / b / c", product, 9),
            ("a / 2 b", product, 7),
            ("5", alone, 1),
            ("a / 0", alone, 5),
            ("a / 2", alone, 5),
            ("1000 / a", alone, 1),
            ("(a + 5) / b", alone, 6),
            ("a / ", missing, 5),
            ("/ b", missing, 1),
            ("a / b + c", sum, 5),
            ("a + b / c", sum, 9),
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
