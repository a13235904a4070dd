//! Parses the text of a limit into an [`Expression`]. [The parent module](super) has the grammar.

use super::{
    Bound, Expression, Metric, MetricKind, NamePattern, Selector,
    expression::{Fold, Number},
    selector::Case,
};
use std::fmt;

/// An error in a limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitError {
    /// The limit as the user typed it.
    pub text: String,
    /// The byte offset of the error.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for LimitError {
    /// Writes the message, then the limit with a mark under the error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| {
            text.chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect::<String>()
        };
        let before = self.text.get(..self.at).unwrap_or(&self.text);
        write!(
            f,
            "{}\n  {}\n  {:width$}^",
            self.message,
            shown(&self.text),
            "",
            width = before.chars().count()
        )
    }
}

impl std::error::Error for LimitError {}

const DIGITS: usize = 18;
const PREFIXES: [&str; 3] = ["name:", "file:", "object:"];

impl Expression {
    /// Parses a limit.
    ///
    /// # Errors
    /// Returns what is wrong, and where.
    pub fn parse(text: &str) -> Result<Expression, LimitError> {
        let mut parser = Parser {
            text,
            at: 0,
            has_no_regex: false,
        };
        let (fold, metrics) = parser.quantity()?;
        parser.need("<=")?;
        let mut bounds = vec![parser.bound()?];
        loop {
            parser.blanks();
            if parser.rest().is_empty() {
                break;
            }
            if !parser.take("&") {
                return parser.problem("the limit should end here, or go on with `&`");
            }
            bounds.push(parser.bound()?);
        }
        Ok(Expression {
            text: text.to_owned(),
            fold,
            metrics,
            bounds,
        })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Whether no regular expression ends in the rest of the text.
    has_no_regex: bool,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, sign: &str) -> bool {
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    fn need(&mut self, sign: &str) -> Result<(), LimitError> {
        self.blanks();
        if self.take(sign) {
            Ok(())
        } else {
            self.problem(&format!("`{sign}` is needed here"))
        }
    }

    fn problem<T>(&self, message: &str) -> Result<T, LimitError> {
        self.problem_at(self.at, message)
    }

    fn problem_at<T>(&self, at: usize, message: &str) -> Result<T, LimitError> {
        Err(LimitError {
            text: self.text.to_owned(),
            at,
            message: message.to_owned(),
        })
    }

    /// Takes the longest prefix of the rest in which all characters are wanted.
    fn run(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// What is measured.
    fn quantity(&mut self) -> Result<(Fold, Vec<Metric>), LimitError> {
        self.blanks();
        let start = self.at;
        let fold = match self.run(|c| c.is_ascii_alphanumeric()) {
            "sum" => Fold::Sum,
            "max" => Fold::Max,
            _ => {
                self.at = start;
                let metric = self.metric()?;
                let fold = match metric.kind {
                    MetricKind::Growth => Fold::Max,
                    _ => Fold::Sum,
                };
                return Ok((fold, vec![metric]));
            }
        };
        self.need("(")?;
        let mut metrics = vec![self.metric()?];
        loop {
            self.blanks();
            if self.take(")") {
                let growths = metrics
                    .iter()
                    .filter(|metric| metric.kind == MetricKind::Growth)
                    .count();
                if growths > 0 && (growths < metrics.len() || fold == Fold::Sum) {
                    return self.problem_at(
                        start,
                        "growth exponents can be combined only with each other, and only by max",
                    );
                }
                return Ok((fold, metrics));
            }
            if !self.take(",") {
                return self.problem("`,` or `)` is needed here");
            }
            metrics.push(self.metric()?);
        }
    }

    fn metric(&mut self) -> Result<Metric, LimitError> {
        self.blanks();
        let start = self.at;
        let word = self.run(|c| c.is_ascii_alphanumeric() || c == '_');
        let kind = match word {
            "total" => MetricKind::Total,
            "self" => MetricKind::SelfCost,
            "incl" => MetricKind::Inclusive,
            "own" => MetricKind::Own,
            "calls" => MetricKind::Calls,
            "growth" => MetricKind::Growth,
            "" => {
                return self.problem(
                    "a quantity is needed here, such as `incl.Ir(main)`, `total.Ir` or `calls(malloc)`",
                );
            }
            other => {
                let message = format!(
                    "`{other}` is not a valid quantity (expected total, self, incl, own, calls, growth, sum or max)"
                );
                return self.problem_at(start, &message);
            }
        };
        let event = match kind {
            MetricKind::Calls | MetricKind::Growth => None,
            _ => Some(self.event(word)?),
        };
        let of = match kind {
            MetricKind::Total => None,
            _ => Some(self.selector()?),
        };
        Ok(Metric { kind, event, of })
    }

    fn event(&mut self, of: &str) -> Result<String, LimitError> {
        if !self.take(".") {
            let example = if of == "total" {
                "total.Ir".to_owned()
            } else {
                format!("{of}.Ir(main)")
            };
            return self.problem(&format!("an event is needed here, as in `{example}`"));
        }
        let start = self.at;
        let name = match self.quoted()? {
            Some(name) => name,
            None => self
                .run(|c| !c.is_whitespace() && !"()<>=&,\"".contains(c))
                .to_owned(),
        };
        if name.is_empty() {
            self.problem_at(start, "the name of an event is needed here")
        } else {
            Ok(name)
        }
    }

    /// Text in quotation marks, if the rest begins with one; `\"` and `\\` are escapes.
    fn quoted(&mut self) -> Result<Option<String>, LimitError> {
        let start = self.at;
        if !self.take("\"") {
            return Ok(None);
        }
        let mut text = String::new();
        let mut signs = self.rest().char_indices();
        while let Some((at, c)) = signs.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(Some(text));
                }
                '\\' => match signs.next() {
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    Some((_, c)) => text.extend(['\\', c]),
                    None => break,
                },
                c => text.push(c),
            }
        }
        self.problem_at(start, "this `\"` is never closed")
    }

    fn selector(&mut self) -> Result<Selector, LimitError> {
        self.blanks();
        let open = self.at;
        self.need("(")?;
        let mut selector = Selector::default();
        loop {
            self.blanks();
            let start = self.at;
            if self.take(")") {
                if selector.is_empty() {
                    return self.problem_at(
                        start,
                        "a function is needed here: a name, /regex/, file: or object:",
                    );
                }
                selector.text = self.text[open + 1..start].trim().to_owned();
                return Ok(selector);
            }
            if self.rest().is_empty() {
                return self.problem_at(open, "this `(` is never closed");
            }
            let prefix = PREFIXES.iter().position(|prefix| self.take(prefix));
            if prefix.is_none() && !selector.is_empty() {
                return self.problem("`)`, `file:` or `object:` is needed here");
            }
            let pattern = self.pattern(open)?;
            let terms = match prefix {
                Some(1) => &mut selector.files,
                Some(2) => &mut selector.objects,
                _ => &mut selector.names,
            };
            terms.push(pattern);
        }
    }

    fn pattern(&mut self, open: usize) -> Result<NamePattern, LimitError> {
        let start = self.at;
        if let Some(text) = self.quoted()? {
            return Ok(NamePattern::whole(&text));
        }
        if let Some((regex, flags_at, end)) = self.regex() {
            let case = if flags_at < end {
                Case::Ignored
            } else {
                Case::Matters
            };
            self.at = end;
            return NamePattern::regex(regex, case)
                .or_else(|message| self.problem_at(start, &message));
        }
        // Names contain parentheses, in pairs.
        let mut depth = 0usize;
        let rest = self.rest();
        let end = rest.char_indices().find(|&(at, c)| match c {
            '(' => {
                depth += 1;
                false
            }
            ')' if depth == 0 => true,
            ')' => {
                depth -= 1;
                false
            }
            // A prefix counts after the last of several blanks, so that each position is compared
            // once.
            c => {
                c.is_whitespace()
                    && depth == 0
                    && PREFIXES
                        .iter()
                        .any(|p| rest[at + c.len_utf8()..].starts_with(p))
            }
        });
        let Some((len, _)) = end else {
            return self.problem_at(open, "this `(` is never closed");
        };
        let text = rest[..len].trim_end();
        self.at += len;
        if text.is_empty() {
            return self.problem_at(start, "a pattern is needed here: text, \"text\" or /regex/");
        }
        Ok(NamePattern::whole(text))
    }

    /// A regular expression, from `/` to the first `/` at the end of a term. A path does not end
    /// with `/`. Returns it, and the range of its flags.
    fn regex(&mut self) -> Option<(&'a str, usize, usize)> {
        let inner = self
            .rest()
            .strip_prefix('/')
            .filter(|_| !self.has_no_regex)?;
        let mut escaped = false;
        for (at, c) in inner.char_indices() {
            let slash = c == '/' && !escaped;
            escaped = c == '\\' && !escaped;
            if !slash {
                continue;
            }
            let after = &inner[at + 1..];
            let flags = after.len() - after.strip_prefix('i').unwrap_or(after).len();
            if at > 0 && after[flags..].starts_with(|c: char| c == ')' || c.is_whitespace()) {
                let flags_at = self.at + 1 + at + 1;
                return Some((&inner[..at], flags_at, flags_at + flags));
            }
        }
        // An expression that begins further on does not end either.
        self.has_no_regex = true;
        None
    }

    fn bound(&mut self) -> Result<Bound, LimitError> {
        self.blanks();
        let start = self.at;
        if self.run(|c| c.is_ascii_alphabetic()) == "noise" {
            return Ok(Bound::Noise);
        }
        self.at = start;
        let sign = if self.take("+") {
            Some(1)
        } else if self.take("-") {
            Some(-1)
        } else {
            None
        };
        let number = self.number(sign.unwrap_or(1))?;
        let percent = self.take("%");
        match (sign, percent) {
            (None, false) => Ok(Bound::Most(number)),
            (Some(_), false) => Ok(Bound::More(number)),
            (Some(_), true) => Ok(Bound::Percent(number)),
            (None, true) => self.problem_at(
                start,
                "a percentage is relative to the baseline and needs a sign: `+3%`",
            ),
        }
    }

    fn number(&mut self, sign: i128) -> Result<Number, LimitError> {
        let start = self.at;
        let whole = self.run(|c| c.is_ascii_digit());
        let decimals = if self.take(".") {
            self.run(|c| c.is_ascii_digit())
        } else {
            ""
        };
        if whole.is_empty() {
            return self.problem_at(
                start,
                "a number is needed here, such as `12M`, `+3%` or `+50k`, or `noise`",
            );
        }
        let digits = format!("{whole}{decimals}");
        let Some(value) = digits
            .parse::<i128>()
            .ok()
            .filter(|_| digits.len() <= DIGITS)
        else {
            return self.problem_at(start, &format!("a number of more than {DIGITS} digits"));
        };
        let of = decimals.chars().fold(1i128, |of, _| of * 10);
        let suffix_at = self.at;
        let times = match self.run(|c| c.is_alphanumeric() || c == '_' || c == ',') {
            "" => 1,
            "k" | "K" => 1000,
            "M" => 1_000_000,
            "G" => 1_000_000_000,
            "T" => 1_000_000_000_000,
            other if other.starts_with(',') => {
                return self
                    .problem_at(suffix_at, "a number has no commas here: `1000000` or `1M`");
            }
            other => {
                let message = format!("`{other}` is not a valid multiple (expected k, M, G or T)");
                return self.problem_at(suffix_at, &message);
            }
        };
        Ok(Number {
            part: sign * value * times,
            of,
        })
    }
}
