//! Finds names that contain a typed text. All names are in one buffer, so that one pass over memory
//! searches them all.
//!
//! For whoever changes this: a lower-case ASCII text skips the regex engine. It looks for the byte
//! that is rarest in all names, and compares the text around each hit. That would miss non-ASCII
//! letters that fold to ASCII ones, so `folds` sends such profiles to the regex. A test compares
//! the results with those of the pattern.

use super::Data;
use memchr::{memchr2, memmem};
use regex::bytes::{Regex, RegexBuilder};

/// The number of matching names between two checks whether the search was cancelled.
const ASKED: u32 = 4096;

/// The pattern for a typed text. It ignores case unless the text has a capital letter.
pub(super) fn pattern(typed: &str) -> String {
    let either = if typed.chars().any(char::is_uppercase) {
        ""
    } else {
        "(?i)"
    };
    format!("{either}{}", regex::escape(typed))
}

/// The names of all functions.
pub(super) struct NameIndex {
    text: Vec<u8>,
    /// The end of each name, its line feed included.
    ends: Vec<usize>,
    /// How often each byte occurs.
    counts: [usize; 256],
    /// Whether the names have non-ASCII letters that case folding maps to ASCII ones.
    folds: bool,
}

/// A search method.
enum SearchMethod<'t> {
    /// Case-sensitive.
    Exact(Box<memmem::Finder<'t>>),
    /// An ASCII text in any case, found by its byte that is rarest in the names; `at` is its index.
    Either { text: &'t [u8], at: usize },
    /// Any other text.
    Pattern(Regex),
}

impl NameIndex {
    pub(super) fn new(data: &Data) -> NameIndex {
        let profile = data.profile();
        let mut text = Vec::new();
        let mut ends = Vec::with_capacity(profile.functions.len());
        for id in profile.function_ids() {
            text.extend_from_slice(profile.name_of(id));
            text.push(b'\n');
            ends.push(text.len());
        }
        let mut counts = [0; 256];
        text.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        // The long s and the Kelvin sign.
        let folds = ["ſ", "\u{212a}"]
            .iter()
            .any(|letter| memmem::find(&text, letter.as_bytes()).is_some());
        NameIndex {
            text,
            ends,
            counts,
            folds,
        }
    }

    /// For each name, whether it contains the text; `None` if the search was cancelled or the
    /// pattern is too large.
    pub(super) fn matching(&self, typed: &str, wanted: impl Fn() -> bool) -> Option<Vec<bool>> {
        let mut matching = vec![false; self.ends.len()];
        let search = self.search(typed)?;
        let (mut from, mut at, mut found) = (0, 0, 0u32);
        while let Some(place) = search.find(&self.text, from) {
            // The match is usually in one of the next names.
            let is_before = |&end: &usize| end <= place;
            let mut step = 1;
            while self.ends.get(at + step).is_some_and(is_before) {
                at += step;
                step *= 2;
            }
            let last = self.ends.len().min(at + step + 1);
            at += self
                .ends
                .get(at..last)
                .unwrap_or_default()
                .partition_point(is_before);
            let (Some(flag), Some(&end)) = (matching.get_mut(at), self.ends.get(at)) else {
                break;
            };
            *flag = true;
            from = end;
            found += 1;
            if found.is_multiple_of(ASKED) && !wanted() {
                return None;
            }
        }
        Some(matching)
    }

    fn search<'t>(&self, typed: &'t str) -> Option<SearchMethod<'t>> {
        let text = typed.as_bytes();
        if typed.chars().any(char::is_uppercase) {
            return Some(SearchMethod::Exact(Box::new(memmem::Finder::new(text))));
        }
        let count = |byte: u8| {
            let (small, capital) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
            self.counts[usize::from(small)] + self.counts[usize::from(capital)]
        };
        let rarest = (0..text.len()).min_by_key(|&at| count(text[at]));
        match rarest.filter(|_| typed.is_ascii() && !self.folds) {
            Some(at) => Some(SearchMethod::Either { text, at }),
            // Escaped text is always a valid pattern.
            None => RegexBuilder::new(&pattern(typed))
                .size_limit(1 << 24)
                .build()
                .ok()
                .map(SearchMethod::Pattern),
        }
    }
}

impl SearchMethod<'_> {
    /// The position of the next match.
    fn find(&self, names: &[u8], from: usize) -> Option<usize> {
        match self {
            SearchMethod::Exact(finder) => Some(from + finder.find(names.get(from..)?)?),
            SearchMethod::Pattern(regex) => regex.find_at(names, from).map(|found| found.start()),
            SearchMethod::Either { text, at } => {
                let byte = text[*at];
                let (small, capital) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
                let mut behind = from + at;
                loop {
                    let place = behind + memchr2(small, capital, names.get(behind..)?)?;
                    let start = place - at;
                    if names
                        .get(start..start + text.len())
                        .is_some_and(|name| name.eq_ignore_ascii_case(text))
                    {
                        return Some(start);
                    }
                    behind = place + 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Session;
    use crate::input::{Options, read_from};

    /// The search finds what the report's pattern finds.
    #[test]
    fn what_is_found_is_what_the_pattern_matches() {
        let names = [
            "main",
            "Main::main",
            "a.b*",
            "A.B",
            "ſtrange",
            "straße",
            "STRASSE",
            "ÄPFEL",
            "äpfel",
            "x",
            "\u{212a}elvin",
            "k",
        ];
        let few = [
            "main",
            "Main::main",
            "a.b*",
            "A.B",
            "x",
            "aaab",
            "AaB",
            "xmAiN",
        ];
        for names in [&names[..], &few] {
            let text: String = names
                .iter()
                .map(|name| format!("fn={name}\n1 1\n"))
                .collect();
            let profile = read_from(
                "x",
                format!("events: Ir\n{text}").as_bytes(),
                &Options::all(),
            )
            .unwrap();
            let data = Data::new(Session::new(profile), Vec::new());
            let all = NameIndex::new(&data);
            let profile = data.profile();
            for typed in [
                "main", "MAIN", "a", "A", "a.b", "aab", "b*", "s", "ss", "ß", "ä", "Ä", "k", "x",
                "in", "n\u{e4}", "zz", ":", "",
            ] {
                let regex = Regex::new(&pattern(typed)).unwrap();
                let wanted: Vec<bool> = profile
                    .function_ids()
                    .map(|id| regex.is_match(profile.name_of(id)))
                    .collect();
                assert_eq!(all.matching(typed, || true), Some(wanted), "{typed}");
            }
        }
        let text: String = (0..10_000).map(|at| format!("fn=f{at}\n1 1\n")).collect();
        let profile = read_from(
            "x",
            format!("events: Ir\n{text}").as_bytes(),
            &Options::all(),
        )
        .unwrap();
        let all = NameIndex::new(&Data::new(Session::new(profile), Vec::new()));
        assert_eq!(all.matching("f", || false), None, "nobody wants to know");
    }
}
