//! What is own code and what is foreign, decided from what is recorded and nothing else: a CI machine and a laptop, where
//! other folders are, must agree.
//!
//! Without patterns the rule is, in this order: libraries of the system, toolchains and packages that were fetched are
//! foreign, and so is what starts a program; then own is what is in the program's own object (the one that was run), what
//! stands in relative paths, and what is below the folder that most of the program's files share. With patterns, what
//! one of them matches is own, by object, file or name, and nothing else; the first part of the rule stands.
//!
//! The same is asked of lines, for code of another file can be inlined into a function.

mod foreign;

use crate::profile::{FunctionId, NameId, Profile};
pub(super) use foreign::is_of_toolchain;
use foreign::{is_foreign_file, is_foreign_object, is_relative, is_runtime};
use regex::bytes::Regex;
use std::collections::{BTreeSet, HashMap};

/// Folders deeper than this are not told apart.
const DEPTH: usize = 64;

/// Which code is foreign: what it costs is charged to its callers.
#[derive(Clone, Default, Debug)]
pub struct Set {
    /// What is own, if anything but all code is.
    pub own: Option<Vec<Regex>>,
    /// Objects, files and functions that are foreign besides.
    pub fold: Vec<Regex>,
}

impl Set {
    /// Own code by these patterns, or by the rule if there are none.
    pub fn own(patterns: Vec<Regex>) -> Set {
        Set {
            own: Some(patterns),
            ..Set::default()
        }
    }

    /// Whether nothing is foreign.
    pub fn is_all(&self) -> bool {
        self.own.is_none() && self.fold.is_empty()
    }

    /// What the cost is called that is not under what is own.
    pub fn rest(&self) -> &'static str {
        if self.own.is_some() {
            "(not under own code)"
        } else {
            "(folded code without callers)"
        }
    }

    /// What was said of it: the patterns, or the rule's name. Profiles can be compared if these are the same.
    pub fn names(&self) -> Vec<String> {
        let typed = |what: &str, all: &[Regex]| {
            all.iter().map(|r| format!("{what}{r}")).collect::<Vec<_>>()
        };
        let mut names = match &self.own {
            Some(own) if own.is_empty() => vec!["(by rule)".to_owned()],
            Some(own) => typed("", own),
            None => Vec::new(),
        };
        names.extend(typed("not ", &self.fold));
        names
    }
}

/// The own code of a profile.
pub struct OwnCode<'a> {
    profile: &'a Profile,
    set: &'a Set,
    functions: Vec<bool>,
    program: Program,
}

/// What the rule takes from a profile as it was recorded.
#[derive(Clone, Default, Debug)]
pub(super) struct Program {
    /// The objects that were run.
    objects: BTreeSet<NameId>,
    /// The folder that most of their files share.
    folder: Option<Vec<u8>>,
}

impl Program {
    /// Of a profile, as far as a set asks for it.
    pub(super) fn new(profile: &Profile, set: &Set) -> Program {
        let Some(patterns) = &set.own else {
            return Program::default();
        };
        let objects = programs(profile);
        let folder = if patterns.is_empty() {
            folder(profile, &objects)
        } else {
            None
        };
        Program {
            folder: folder.map(<[u8]>::to_vec),
            objects,
        }
    }
}

impl<'a> OwnCode<'a> {
    /// Decides for every function of a profile.
    pub fn new(profile: &'a Profile, set: &'a Set) -> OwnCode<'a> {
        OwnCode::of(profile, set, Program::new(profile, set))
    }

    /// The same where the program is known already, so that functions that came to the profile change nothing.
    pub(super) fn of(profile: &'a Profile, set: &'a Set, program: Program) -> OwnCode<'a> {
        let mut code = OwnCode {
            profile,
            set,
            functions: Vec::new(),
            program,
        };
        let (mut known, mut foreign): (HashMap<[NameId; 2], bool>, HashMap<[NameId; 2], bool>) =
            Default::default();
        let own = profile.functions.iter().map(|function| {
            // Very many functions share one object and one file.
            let by_place = |known: &mut HashMap<[NameId; 2], bool>| {
                *known
                    .entry([function.object, function.file])
                    .or_insert_with(|| code.place(function.object, function.file))
            };
            let name = profile.names.lent(function.name).text();
            code.may_be(&name)
                && (code.is_named(&name) || by_place(&mut known))
                && !*foreign
                    .entry([function.object, function.file])
                    .or_insert_with(|| code.is_foreign_place(function.object, function.file))
        });
        let own: Vec<bool> = own.collect();
        code.functions = own;
        code
    }

    /// Whether a function is own code.
    pub fn has(&self, id: FunctionId) -> bool {
        self.functions[id.index()]
    }

    /// How many functions are.
    pub fn count(&self) -> usize {
        self.functions.iter().filter(|&&own| own).count()
    }

    /// Whether a function that was inlined into an object is own.
    pub(super) fn has_inlined(&self, object: NameId, name: &[u8], file: NameId) -> bool {
        self.may_be(name)
            && (self.is_named(name) || self.place(object, file))
            && !self.is_foreign_place(object, file)
    }

    /// Whether code of a file is own where it is in an own function.
    pub(crate) fn has_file(&self, id: FunctionId, file: NameId) -> bool {
        let function = self.profile.function(id);
        file == function.file
            || !self.is_foreign_place(function.object, file)
                && (self.is_named(&self.profile.function_name(id).text())
                    || self.place(function.object, file))
    }

    /// Whether a name alone makes a function foreign.
    fn may_be(&self, name: &[u8]) -> bool {
        !(matches(&self.set.fold, name) || self.set.own.is_some() && is_runtime(name))
    }

    /// Whether a name alone makes a function own.
    fn is_named(&self, name: &[u8]) -> bool {
        self.set.own.as_ref().is_some_and(|own| matches(own, name))
    }

    /// Whether what is in an object and a file is foreign whatever else is said.
    fn is_foreign_place(&self, object: NameId, file: NameId) -> bool {
        let (object_name, file_name) = (self.profile.name(object), self.profile.name(file));
        let by_rule = || {
            is_foreign_file(file_name)
                || (is_foreign_object(object_name) && !self.program.objects.contains(&object))
        };
        (self.set.own.is_some() && by_rule())
            || matches(&self.set.fold, object_name)
            || matches(&self.set.fold, file_name)
    }

    /// Whether what is in an object and a file is own, if nothing makes it foreign.
    fn place(&self, object: NameId, file: NameId) -> bool {
        let (object_name, file_name) = (self.profile.name(object), self.profile.name(file));
        match &self.set.own {
            None => true,
            Some(own) if !own.is_empty() => matches(own, object_name) || matches(own, file_name),
            Some(_) => {
                self.program.objects.contains(&object)
                    || is_relative(file_name)
                    || self
                        .program
                        .folder
                        .as_ref()
                        .is_some_and(|folder| is_below(file_name, folder))
            }
        }
    }

    /// The set in a line.
    pub fn said(&self) -> String {
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let list = |all: &[Regex]| {
            all.iter()
                .map(|r| format!("`{r}`"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let said = match &self.set.own {
            None => String::new(),
            Some(own) if !own.is_empty() => {
                format!(
                    "what matches {}, but for libraries of the system and toolchains",
                    list(own)
                )
            }
            Some(_) => {
                let mut what: Vec<String> = self
                    .program
                    .objects
                    .iter()
                    .take(3)
                    .map(|&id| text(self.profile.name(id)))
                    .collect();
                what.push("relative paths".into());
                what.extend(
                    self.program
                        .folder
                        .as_ref()
                        .map(|folder| format!("files below {}", text(folder))),
                );
                format!(
                    "{}, but for libraries of the system, toolchains and packages",
                    what.join(", ")
                )
            }
        };
        let fold = list(&self.set.fold);
        let count = format!("{} of {} functions", self.count(), self.functions.len());
        match (&self.set.own, fold.is_empty()) {
            (Some(_), true) => format!("own code is {said}: {count}"),
            (Some(_), false) => format!("own code is {said}, without what matches {fold}: {count}"),
            (None, _) => {
                format!("charged to its callers is what matches {fold}; {count} are left")
            }
        }
    }
}

fn matches(patterns: &[Regex], name: &[u8]) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(name))
}

/// The objects that are programs: those that the commands name, or else all that are no library.
fn programs(profile: &Profile) -> BTreeSet<NameId> {
    let objects: BTreeSet<NameId> = profile
        .functions
        .iter()
        .map(|function| function.object)
        .collect();
    let is_library = |name: &[u8]| {
        let base = base(name);
        base.ends_with(b".so")
            || base.windows(4).any(|part| part == b".so.")
            || base.starts_with(b"[")
    };
    let is_program = |&id: &NameId| {
        id != NameId::EMPTY && id != NameId::UNKNOWN && !is_library(profile.name(id))
    };
    let programs: BTreeSet<NameId> = objects.into_iter().filter(is_program).collect();
    let commands: BTreeSet<&[u8]> = profile
        .parts
        .iter()
        .map(|part| base(first_word(&part.command)))
        .collect();
    let named: BTreeSet<NameId> = programs
        .iter()
        .copied()
        .filter(|&id| commands.contains(base(profile.name(id))))
        .collect();
    if named.is_empty() { programs } else { named }
}

fn first_word(command: &[u8]) -> &[u8] {
    command.split(|&b| b == b' ').next().unwrap_or_default()
}

/// What stands behind the last slash.
fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/' || b == b'\\')
        .next()
        .unwrap_or_default()
}

/// The deepest folder that holds more than half of a program's files, those of toolchains and packages left out. The
/// folder of all files is none.
fn folder<'a>(profile: &'a Profile, program: &BTreeSet<NameId>) -> Option<&'a [u8]> {
    let is_program = |object: NameId| program.is_empty() || program.contains(&object);
    let files: BTreeSet<NameId> = profile
        .functions
        .iter()
        .filter(|function| is_program(function.object))
        .map(|function| function.file)
        .collect();
    let names = files.into_iter().map(|id| profile.name(id));
    let own = names.filter(|name| *name != b"???" && !is_relative(name) && !is_foreign_file(name));
    let mut all = 0usize;
    let mut folders: HashMap<&[u8], usize> = HashMap::new();
    for name in own {
        all += 1;
        let slashes = name
            .iter()
            .enumerate()
            .filter(|(_, b)| matches!(b, b'/' | b'\\'))
            .map(|(at, _)| at);
        for end in slashes.filter(|&end| end > 0).take(DEPTH) {
            *folders.entry(&name[..end]).or_default() += 1;
        }
    }
    // Two that hold more than half have one in common, so that one lies in the other.
    let shared = folders
        .into_iter()
        .filter(|&(_, count)| count * 2 > all)
        .map(|(folder, _)| folder);
    shared
        .max_by_key(|folder| folder.len())
        .filter(|folder| folder.iter().filter(|b| matches!(b, b'/' | b'\\')).count() > 1)
}

fn is_below(file: &[u8], folder: &[u8]) -> bool {
    file.strip_prefix(folder)
        .is_some_and(|rest| matches!(rest.first(), Some(b'/' | b'\\')))
}
