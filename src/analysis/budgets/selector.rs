//! Selects the functions of a limit.

use crate::{
    analysis::suggestions::similar,
    profile::{FunctionId, NameId, Order, Profile, linkage},
};
use regex::bytes::{Regex, RegexBuilder};

/// Patterns that must all match.
#[derive(Clone, Default, Debug)]
pub struct Selector {
    /// The text as the user typed it.
    pub text: String,
    pub(super) names: Vec<NamePattern>,
    pub(super) files: Vec<NamePattern>,
    pub(super) objects: Vec<NamePattern>,
}

impl Selector {
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.files.is_empty() && self.objects.is_empty()
    }

    /// Whether it contains a whole name, not only patterns of names.
    pub(super) fn has_whole_name(&self) -> bool {
        self.names.iter().any(|name| name.text().is_some())
    }

    /// The functions that it matches, in the order of their ids.
    pub fn functions(&self, profile: &Profile) -> Vec<FunctionId> {
        // A whole name is looked up once, so that many limits do not each read all names.
        let (texts, patterns): (Vec<_>, Vec<_>) =
            self.names.iter().partition(|p| p.text().is_some());
        let looked_up: Option<Vec<NameId>> = texts
            .iter()
            .map(|p| profile.names.find(p.text()?))
            .collect();
        let Some(looked_up) = looked_up else {
            return Vec::new();
        };
        let is_named = |id: &FunctionId| {
            looked_up
                .iter()
                .all(|&name| profile.function(*id).name == name)
                && (patterns.is_empty() || {
                    let name = profile.function_name(*id).text();
                    patterns.iter().all(|p| p.is(&name))
                })
        };
        profile
            .function_ids()
            .filter(is_named)
            .filter(|&id| self.is_of_places(profile, id))
            .collect()
    }

    /// Whether a function is in its files and objects.
    fn is_of_places(&self, profile: &Profile, id: FunctionId) -> bool {
        let f = profile.function(id);
        let (file, object) = (profile.name(f.file), profile.name(f.object));
        self.files.iter().all(|p| p.is_path(file)) && self.objects.iter().all(|p| p.is_path(object))
    }

    /// Suggestions for its name, if no function matches it. For a name without arguments, the
    /// suggestion is a pattern that matches it with any arguments.
    pub(super) fn near(&self, profile: &Profile) -> Vec<String> {
        let [pattern] = &self.names[..] else {
            return Vec::new();
        };
        let of_places = profile
            .function_ids()
            .filter(|&id| self.is_of_places(profile, id));
        let mut names: Vec<&[u8]> = of_places.map(|id| profile.name_of(id)).collect();
        names.order_by(|a, b| a.cmp(b));
        names.dedup();
        if names.iter().any(|name| pattern.is(name)) {
            return Vec::new();
        }
        match pattern {
            NamePattern::Regex(regex) => similar(regex, names.into_iter()),
            NamePattern::Text(text) => {
                let whole = regex::escape(&String::from_utf8_lossy(text));
                let has_arguments = |name: &&[u8]| {
                    name.strip_prefix(&text[..])
                        .is_some_and(|rest| rest.starts_with(b"("))
                };
                if names.iter().any(has_arguments) {
                    return vec![format!("/^{}\\(/", whole.replace('/', "\\/"))];
                }
                Regex::new(&whole)
                    .map_or_else(|_| Vec::new(), |regex| similar(&regex, names.into_iter()))
            }
        }
    }
}

/// A pattern for a name.
#[derive(Clone, Debug)]
pub enum NamePattern {
    /// The whole name.
    Text(Vec<u8>),
    /// A regular expression, which matches any part of the name unless it is anchored.
    Regex(Regex),
}

/// Whether upper and lower case differ.
#[derive(PartialEq)]
pub(super) enum Case {
    Matters,
    Ignored,
}

impl NamePattern {
    /// The whole name. A linkage name also means the name that people know.
    pub(super) fn whole(text: &str) -> NamePattern {
        let is_mangled = linkage::demangled(text.as_bytes()).is_some();
        let both = NamePattern::regex(text, Case::Matters).ok();
        both.filter(|_| is_mangled)
            .unwrap_or_else(|| NamePattern::Text(text.into()))
    }

    /// Parses a regular expression. The error is one line.
    pub(super) fn regex(text: &str, case: Case) -> Result<NamePattern, String> {
        match RegexBuilder::new(&linkage::pattern(text))
            .case_insensitive(case == Case::Ignored)
            .build()
        {
            Ok(regex) => Ok(NamePattern::Regex(regex)),
            Err(e) => {
                let full = e.to_string();
                let reason = full.lines().last().unwrap_or_default().trim();
                Err(format!(
                    "not a regular expression: {}",
                    reason.strip_prefix("error: ").unwrap_or(reason)
                ))
            }
        }
    }

    /// The whole name, if the pattern is one.
    fn text(&self) -> Option<&[u8]> {
        match self {
            NamePattern::Text(text) => Some(text),
            NamePattern::Regex(_) => None,
        }
    }

    fn is(&self, name: &[u8]) -> bool {
        match self {
            NamePattern::Text(text) => text == name,
            NamePattern::Regex(regex) => regex.is_match(name),
        }
    }

    /// Like [`is`](Self::is), but the last components of a path are enough.
    fn is_path(&self, path: &[u8]) -> bool {
        match self {
            NamePattern::Text(text) => path
                .strip_suffix(&text[..])
                .is_some_and(|dir| dir.is_empty() || dir.ends_with(b"/")),
            NamePattern::Regex(regex) => regex.is_match(path),
        }
    }
}
