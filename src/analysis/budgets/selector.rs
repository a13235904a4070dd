//! Selects the functions that a limit is about.

use crate::analysis::suggestions::similar;
use crate::profile::{FunctionId, NameId, Order, Profile};
use regex::bytes::{Regex, RegexBuilder};

/// Patterns that must all match.
#[derive(Clone, Default, Debug)]
pub struct Selector {
    /// As it was typed.
    pub text: String,
    pub(super) names: Vec<NamePattern>,
    pub(super) files: Vec<NamePattern>,
    pub(super) objects: Vec<NamePattern>,
}

impl Selector {
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.files.is_empty() && self.objects.is_empty()
    }

    /// Whether it has a whole name, no pattern of one.
    pub(super) fn has_whole_name(&self) -> bool {
        self.names.iter().any(|name| name.text().is_some())
    }

    /// The functions it matches, in order of their ids.
    pub fn functions(&self, profile: &Profile) -> Vec<FunctionId> {
        // A name is looked up once: many limits on functions by name are not many readings of all names.
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

    /// What may have been meant by its name, if no function matches it: for one without its arguments, a pattern that
    /// takes it with any.
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

/// What a name is compared with.
#[derive(Clone, Debug)]
pub enum NamePattern {
    /// The whole name.
    Text(Vec<u8>),
    /// Any part of it, unless the expression is anchored.
    Regex(Regex),
}

/// Whether letters of the other case match, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    Matters,
    Ignored,
}

impl NamePattern {
    /// Parses a regular expression; the error is one line.
    pub(super) fn regex(text: &str, case: Case) -> Result<NamePattern, String> {
        match RegexBuilder::new(text)
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

    /// The whole name, if it is one.
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

    /// Like [`is`](Pattern::is), but the last components of a path are enough.
    fn is_path(&self, path: &[u8]) -> bool {
        match self {
            NamePattern::Text(text) => path
                .strip_suffix(&text[..])
                .is_some_and(|dir| dir.is_empty() || dir.ends_with(b"/")),
            NamePattern::Regex(regex) => regex.is_match(path),
        }
    }
}
