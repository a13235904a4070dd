//! Groups of costs other than functions and lines.

use super::class::class;
use crate::profile::{FunctionId, NameId, Profile};
use std::iter::once;

/// How costs are grouped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum GroupBy {
    /// By the function's name, in any file and object.
    Function,
    /// By the file of the code. Inlined code counts for its own file.
    File,
    /// By object.
    Object,
    /// By the class, type or module at the beginning of the function's name.
    Class,
}

impl GroupBy {
    /// Its noun in singular and plural.
    pub(crate) fn nouns(self) -> [&'static str; 2] {
        match self {
            GroupBy::Function => ["function", "functions"],
            GroupBy::File => ["file", "files"],
            GroupBy::Object => ["object", "objects"],
            GroupBy::Class => ["class", "classes"],
        }
    }

    /// The text for a missing name.
    pub fn none(self) -> &'static str {
        match self {
            GroupBy::Function | GroupBy::File | GroupBy::Object => "???",
            GroupBy::Class => "(no class)",
        }
    }

    /// A group's name, or the text for a missing one.
    pub(crate) fn or_none(self, name: &[u8]) -> &[u8] {
        if name.is_empty() {
            self.none().as_bytes()
        } else {
            name
        }
    }

    /// Whether groups are named by paths.
    pub(crate) fn is_path(self) -> bool {
        matches!(self, GroupBy::File | GroupBy::Object)
    }

    /// The group of code with these names: of its function, its file and its object. Empty if it
    /// has no name.
    pub(crate) fn group(self, [name, file, object]: [&[u8]; 3]) -> &[u8] {
        match self {
            GroupBy::Function => name,
            GroupBy::File => file,
            GroupBy::Object => object,
            GroupBy::Class => class(name).unwrap_or_default(),
        }
    }

    /// The group of a function's code in a file; empty if it has no name.
    pub(crate) fn name(self, profile: &Profile, id: FunctionId, file: NameId) -> &[u8] {
        let f = profile.function(id);
        self.group([f.name, file, f.object].map(|name| profile.name(name)))
    }

    /// Passes the self cost of a function to `give`, once for each file that must be distinguished.
    pub(crate) fn pieces<'p>(
        self,
        profile: &'p Profile,
        id: FunctionId,
        mut give: impl FnMut(NameId, &mut dyn Iterator<Item = &'p [i64]>),
    ) {
        let lines = profile.lines_of(id);
        // Some formats have no lines.
        if self != GroupBy::File || lines.is_empty() {
            let file = profile.function(id).file;
            return give(file, &mut once(profile.self_cost(id)));
        }
        for piece in lines.chunk_by(|a, b| a.file == b.file) {
            let mut costs = piece.iter().map(|line| profile.line_cost(line));
            give(piece[0].file, &mut costs);
        }
    }
}
