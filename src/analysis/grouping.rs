//! What costs are added up by, beside functions and lines.

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
}
