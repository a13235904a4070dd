//! Finds names that contain what is typed. All names stand in one piece, so that the search runs through memory without a stop.

use super::data::Data;
use memchr::{memchr2, memmem};
use regex::bytes::{Regex, RegexBuilder};

/// Between how many names that match is asked whether anybody still wants to know.
const ASKED: u32 = 4096;

/// What a typed text means in names: it is contained; capitals count if there are any.
pub(super) fn pattern(typed: &str) -> String {
    let either = if typed.chars().any(char::is_uppercase) {
        ""
    } else {
        "(?i)"
    };
    format!("{either}{}", regex::escape(typed))
}

/// All names of functions.
pub(super) struct Names {
    text: Vec<u8>,
    /// Where each ends, its line feed included.
    ends: Vec<usize>,
    /// How often each byte occurs.
    counts: [usize; 256],
    /// Whether there are letters outside of ASCII that are capitals or small ones of letters within.
    folds: bool,
}

/// How a text is looked for.
enum Search<'t> {
    /// As it stands.
    Exact(Box<memmem::Finder<'t>>),
    /// Letters of ASCII, be they capitals or not, by the byte of it that names have least often.
    Either { text: &'t [u8], at: usize },
    /// Others.
    Pattern(Regex),
}

impl Names {
    pub(super) fn new(data: &Data) -> Names {
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
        // The long s, and the sign of Kelvin.
        let folds = ["ſ", "\u{212a}"]
            .iter()
            .any(|letter| memmem::find(&text, letter.as_bytes()).is_some());
        Names {
            text,
            ends,
            counts,
            folds,
        }
    }

    /// Which names contain a text; nothing if nobody wants to know any more.
    pub(super) fn matching(&self, typed: &str, wanted: impl Fn() -> bool) -> Option<Vec<bool>> {
        let mut matching = vec![false; self.ends.len()];
        let search = self.search(typed)?;
        let (mut from, mut at, mut found) = (0, 0, 0u32);
        while let Some(place) = search.find(&self.text, from) {
            // It is mostly in one of the next names.
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

    fn search<'t>(&self, typed: &'t str) -> Option<Search<'t>> {
        let text = typed.as_bytes();
        if typed.chars().any(char::is_uppercase) {
            return Some(Search::Exact(Box::new(memmem::Finder::new(text))));
        }
        let count = |byte: u8| {
            let (small, capital) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
            self.counts[usize::from(small)] + self.counts[usize::from(capital)]
        };
        let rarest = (0..text.len()).min_by_key(|&at| count(text[at]));
        match rarest.filter(|_| typed.is_ascii() && !self.folds) {
            Some(at) => Some(Search::Either { text, at }),
            // A text without an end is none; and what is escaped is a pattern.
            None => RegexBuilder::new(&pattern(typed))
                .size_limit(1 << 24)
                .build()
                .ok()
                .map(Search::Pattern),
        }
    }
}

impl Search<'_> {
    /// Where the next one begins.
    fn find(&self, names: &[u8], from: usize) -> Option<usize> {
        match self {
            Search::Exact(finder) => Some(from + finder.find(names.get(from..)?)?),
            Search::Pattern(regex) => regex.find_at(names, from).map(|found| found.start()),
            Search::Either { text, at } => {
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

    /// Whatever is typed is found as the pattern of the report finds it.
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
            let all = Names::new(&data);
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
        let all = Names::new(&Data::new(Session::new(profile), Vec::new()));
        assert_eq!(all.matching("f", || false), None, "nobody wants to know");
    }
}
