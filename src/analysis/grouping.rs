//! What costs are added up by, beside functions and lines.

use super::class::class;
use crate::profile::{FunctionId, NameId, Profile};
use std::iter::once;

/// What costs are added up by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupBy {
    /// The function's name, whatever file and object it is in.
    Function,
    /// The file that code stands in: inlined code counts for its own.
    File,
    /// The object.
    Object,
    /// The class, type or module that the function's name begins with.
    Class,
}

impl GroupBy {
    /// Its word in singular and plural.
    pub(crate) fn nouns(self) -> [&'static str; 2] {
        match self {
            GroupBy::Function => ["function", "functions"],
            GroupBy::File => ["file", "files"],
            GroupBy::Object => ["object", "objects"],
            GroupBy::Class => ["class", "classes"],
        }
    }

    /// What stands in the place of a name where there is none.
    pub fn none(self) -> &'static str {
        match self {
            GroupBy::Function | GroupBy::File | GroupBy::Object => "???",
            GroupBy::Class => "(no class)",
        }
    }

    /// What a function's code in a file is added up to; empty for what has no name.
    pub(crate) fn name(self, profile: &Profile, id: FunctionId, file: NameId) -> &[u8] {
        let f = profile.function(id);
        match self {
            GroupBy::Function => profile.name(f.name),
            GroupBy::File => profile.name(file),
            GroupBy::Object => profile.name(f.object),
            GroupBy::Class => class(profile.name(f.name)).unwrap_or_default(),
        }
    }

    /// Gives what a function costs itself in each file that has to be told from others.
    pub(crate) fn pieces<'p>(
        self,
        profile: &'p Profile,
        id: FunctionId,
        mut give: impl FnMut(NameId, &mut dyn Iterator<Item = &'p [i64]>),
    ) {
        let lines = profile.lines_of(id);
        // Some formats say nothing of lines.
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
