//! Suggestions ("did you mean") for unknown names of events, functions, files, objects and
//! commands.

use super::{Narrow, Pattern};
use crate::profile::{Function, NameId, Names, Order, Profile, Shares, to_text};
use regex::bytes::Regex;
use std::collections::BTreeSet;

/// The most names that are suggested.
const SUGGESTED: usize = 3;

/// Longer names are only searched for the word.
const LONGEST: usize = 64;

/// The word most similar to `word`, ignoring case. `None` if half of it or more would have to
/// change.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known
        .into_iter()
        .map(|known| (distance(word, known), known))
        .min()?;
    Some(near)
        .filter(|&(distance, known)| 2 * distance < known.len().max(word.len()))
        .map(|(_, known)| known)
}

/// The number of typing errors between two words, ignoring case: a character changed, added,
/// omitted, or swapped with the next.
fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())
}

/// A pattern that matches no name of its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmatched {
    /// The list of a [`Narrow`] that contains it, named like its option: `function` or
    /// `not-function`.
    pub filter: &'static str,
    /// The regular expression.
    pub pattern: String,
    /// Similar names.
    pub suggestions: Vec<String>,
}

/// The names that patterns can match.
pub struct Candidates<'a> {
    names: &'a Names,
    functions: Vec<Function>,
    files: BTreeSet<NameId>,
}

impl<'a> From<&'a Profile> for Candidates<'a> {
    fn from(profile: &'a Profile) -> Candidates<'a> {
        let files = profile.lines.iter().map(|line| line.file).collect();
        let mut functions = profile.functions.clone();
        // Inlined functions that reports list next to others.
        let inlined = profile
            .inlined
            .iter()
            .filter(|all| profile.code.is_some() || all.by_line.is_some());
        functions.extend(inlined.flat_map(|all| &all.functions).map(|one| Function {
            object: NameId::EMPTY,
            file: one.file,
            name: one.name,
            recorded: false,
        }));
        Candidates {
            names: &profile.names,
            functions,
            files,
        }
    }
}

/// A pattern only needs to match in one profile of the split.
impl<'a> From<&'a Shares> for Candidates<'a> {
    fn from(shares: &'a Shares) -> Candidates<'a> {
        Candidates {
            names: &shares.names,
            functions: shares.functions().copied().collect(),
            files: shares.files().collect(),
        }
    }
}

/// The patterns that match nothing. Names are suggested for the longest word of a pattern.
pub fn unmatched<'a>(known: impl Into<Candidates<'a>>, narrow: &Narrow) -> Vec<Unmatched> {
    if [&narrow.function, &narrow.file, &narrow.object]
        .iter()
        .all(|pattern| pattern.is_nothing())
    {
        return Vec::new();
    }
    let known = known.into();
    let text = |id: NameId| known.names.get(id);
    let name = |of: fn(&Function) -> NameId| -> BTreeSet<NameId> {
        known.functions.iter().map(&of).collect()
    };
    let mut unmatched = Vec::new();
    let mut look =
        |filters: [&'static str; 2], pattern: &Pattern, names: &dyn Fn() -> BTreeSet<NameId>| {
            if pattern.is_nothing() {
                return;
            }
            let names = names();
            for (filter, regexes) in filters.into_iter().zip([&pattern.only, &pattern.not]) {
                for regex in regexes
                    .iter()
                    .filter(|regex| !names.iter().any(|&id| regex.is_match(text(id))))
                {
                    let suggestions = similar(regex, names.iter().map(|&id| text(id)));
                    unmatched.push(Unmatched {
                        filter,
                        pattern: regex.as_str().to_owned(),
                        suggestions,
                    });
                }
            }
        };
    look(["function", "not-function"], &narrow.function, &|| {
        name(|f| f.name)
    });
    look(["file", "not-file"], &narrow.file, &|| {
        let mut files = name(|f| f.file);
        files.extend(&known.files);
        files
    });
    look(["object", "not-object"], &narrow.object, &|| {
        name(|f| f.object)
    });
    unmatched
}

/// Suggestions for a pattern without matches: names that contain its longest word, ignoring case,
/// shortest first. Without such names, the name whose last part is most similar to that word.
pub fn similar<'a>(regex: &Regex, names: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    let source = regex.as_str().replace("[.]", ".").replace("\\.", ".");
    let is_word = |c: char| c.is_alphanumeric() || "_:/-~.".contains(c);
    let words = source
        .split(|c| !is_word(c))
        .map(|word| word.trim_matches('.'));
    let Some(word) = words
        .max_by_key(|word| word.len())
        .filter(|word| word.len() > 1)
    else {
        return Vec::new();
    };
    let lower = word.to_lowercase();
    let names: Vec<&[u8]> = names.collect();
    let mut containing: Vec<String> = names
        .iter()
        .map(to_text)
        .filter(|n| n.to_lowercase().contains(&lower))
        .collect();
    containing.order_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    containing.dedup();
    containing.truncate(SUGGESTED);
    if !containing.is_empty() || word.len() > LONGEST {
        return containing;
    }
    let word = last_part(word);
    let names = names
        .into_iter()
        .map(|name| (last_part(&to_text(name)), to_text(name)));
    let likely = names.filter(|(part, _)| part.len().abs_diff(word.len()) * 2 < word.len());
    let near = likely
        .map(|(part, name)| (distance(&word, &part), name))
        .min();
    near.filter(|&(distance, _)| 2 * distance < word.len())
        .map(|(_, name)| name)
        .into_iter()
        .collect()
}

/// The part after the last `/`, `::` or blank, without arguments and template arguments: `multiply`
/// for `Matrix<double> multiply<double>(Matrix<double> const&)`.
fn last_part(name: &str) -> String {
    let (mut outside, mut depth) = (String::new(), 0_usize);
    for c in name.chars() {
        match c {
            '(' if depth == 0 && !outside.is_empty() => break,
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let part = outside
        .rsplit(['/', ':', ' '])
        .find(|part| !part.is_empty());
    part.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_near_in_either_case() {
        assert_eq!(nearest("ir", ["Dr", "Ir"]), Some("Ir"));
        assert_eq!(nearest("dif", ["diff", "check"]), Some("diff"));
        assert_eq!(nearest("instructions", ["Dr", "Ir"]), None);
        assert_eq!(
            nearest("mian", ["main", "mean"]),
            Some("main"),
            "two letters exchanged are one slip"
        );
    }

    #[test]
    fn names_are_near_a_pattern() {
        let names: [&[u8]; 4] = [
            b"ns::Table::insert(int)",
            b"ns::Table::grow",
            b"main",
            b"/usr/lib/libc.so.6",
        ];
        let near =
            |pattern: &str| similar(&Regex::new(pattern).expect("a pattern"), names.into_iter());
        assert_eq!(near("^Insert$"), ["ns::Table::insert(int)"]);
        assert_eq!(
            near("table::[xy]"),
            ["ns::Table::grow", "ns::Table::insert(int)"]
        );
        assert_eq!(near("^inzert$"), ["ns::Table::insert(int)"]);
        assert_eq!(near("ns::Tabel::inzert"), ["ns::Table::insert(int)"]);
        assert_eq!(near("mian"), ["main"]);
        assert_eq!(near("^LIBC[.]so[.]7$"), ["/usr/lib/libc.so.6"]);
        assert!(near("quicksort").is_empty() && near(".*").is_empty());
    }

    #[test]
    fn types_of_a_name_do_not_count() {
        for (name, last) in [
            (
                "Matrix<double> multiply<double>(Matrix<double> const&)",
                "multiply",
            ),
            ("(anonymous namespace)::grow(int) const", "grow"),
            ("<a::B as c::D<E>>::run::<u32>", "run"),
            ("operator<<", "operator"),
            ("(below main)", "(below main)"),
            ("/usr/lib/libc.so.6", "libc.so.6"),
        ] {
            assert_eq!(last_part(name), last, "{name}");
        }
    }
}
