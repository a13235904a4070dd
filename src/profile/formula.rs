//! Parses formulas of derived events: sums of multiples of events.
//!
//! ```text
//! definition := name ["=" formula] [":" long name] | name long name
//! formula    := term+
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

/// The terms of a formula, at least one.
///
/// # Errors
/// Says which is the first part that is not a term.
pub fn terms(formula: &[u8]) -> Result<Vec<Term<'_>>, String> {
    let wrong = |at: usize, what: &str| format!("{what} at character {} of the formula", at + 1);
    let mut terms = Vec::new();
    let mut at = skip_blanks(formula, 0);
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
            factor *= number.ok_or_else(|| wrong(at, "a factor that does not fit in 64 bits"))?;
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

    fn sum(formula: &str) -> Vec<(i64, &str)> {
        terms(formula.as_bytes())
            .unwrap()
            .iter()
            .map(|t| (t.factor, std::str::from_utf8(t.name).unwrap()))
            .collect()
    }

    #[test]
    fn formulas_are_sums_of_multiples() {
        assert_eq!(
            sum("Ir + 10 L1m+100*LLm"),
            [(1, "Ir"), (10, "L1m"), (100, "LLm")]
        );
        assert_eq!(sum("-2Dr - -Ir"), [(-2, "Dr"), (1, "Ir")]);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let wrong = |formula: &str| terms(formula.as_bytes()).unwrap_err();
        let missing = "the name of an event is missing at character";
        assert_eq!(wrong(""), format!("{missing} 1 of the formula"));
        assert_eq!(wrong("Ir + "), format!("{missing} 6 of the formula"));
        assert_eq!(
            wrong("Ir + 99999999999999999999 Dr"),
            "a factor that does not fit in 64 bits at character 6 of the formula"
        );
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
