//! Decides which code is yours and which is library code. Only the profile counts, never the disk,
//! because a CI machine and a laptop with other folders must agree.
//!
//! Without patterns, the rule is, in this order. System libraries, toolchains, fetched packages and
//! program start are never yours. Then these are yours: the object of the program that was run,
//! relative paths, and files below the folder that most of the program's files have in common. With
//! patterns, exactly the objects, files and names that match are yours, and the first part of the
//! rule still holds.
//!
//! The rule also applies to lines, because code of another file can be inlined into a function.
//!
//! For whoever changes this: a rule may look at names in the profile only. The decision for an
//! object and a file is made once per pair, because very many functions have the same pair.
//! `foreign.rs` has the names of system and toolchain code.

mod foreign;

use crate::profile::{FunctionId, NameId, Profile, joined, to_text};
pub(super) use foreign::is_of_toolchain;
use foreign::{is_foreign_file, is_foreign_object, is_relative, is_runtime};
use regex::bytes::Regex;
use std::collections::{BTreeSet, HashMap};

/// Deeper folders are not distinguished.
const DEPTH: usize = 64;

/// Which code is library code, whose cost is attributed to its callers.
#[derive(Clone, Default, Debug)]
pub struct Set {
    /// The patterns of your code. `None` means that all code is yours; no pattern means the rule.
    pub own: Option<Vec<Regex>>,
    /// Additional library code, by object, file or function.
    pub fold: Vec<Regex>,
}

impl Set {
    /// Your code by these patterns, or by the rule if there are none.
    pub fn own(patterns: Vec<Regex>) -> Set {
        Set {
            own: Some(patterns),
            ..Set::default()
        }
    }

    /// Whether all code is yours.
    pub fn is_all(&self) -> bool {
        self.own.is_none() && self.fold.is_empty()
    }

    /// The name of the row with the cost that is not attributed to your code.
    pub fn rest(&self) -> &'static str {
        if self.own.is_some() {
            "(not under your code)"
        } else {
            "(folded code without callers)"
        }
    }

    /// The patterns, or the name of the rule. Profiles can only be compared if these are the same.
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

/// Which functions and files of a profile are yours.
pub struct OwnCode<'a> {
    profile: &'a Profile,
    set: &'a Set,
    functions: Vec<bool>,
    program: ProgramPlaces,
}

/// What the rule takes from a profile as it was recorded.
#[derive(Clone, Default)]
pub(super) struct ProgramPlaces {
    /// The objects of the programs that were run.
    objects: BTreeSet<NameId>,
    /// The folder that most of their files have in common.
    folder: Option<Vec<u8>>,
}

impl ProgramPlaces {
    /// Finds what the set needs in a profile.
    pub(super) fn new(profile: &Profile, set: &Set) -> ProgramPlaces {
        let Some(patterns) = &set.own else {
            return ProgramPlaces::default();
        };
        let objects = programs(profile);
        let folder = if patterns.is_empty() {
            folder(profile, &objects)
        } else {
            None
        };
        ProgramPlaces {
            folder: folder.map(<[u8]>::to_vec),
            objects,
        }
    }
}

impl<'a> OwnCode<'a> {
    /// Decides for every function of a profile.
    pub fn new(profile: &'a Profile, set: &'a Set) -> OwnCode<'a> {
        OwnCode::with_program(profile, set, ProgramPlaces::new(profile, set))
    }

    /// Like [`new`](Self::new), with a known program, so that functions added to the profile do not
    /// change the rule.
    pub(super) fn with_program(
        profile: &'a Profile,
        set: &'a Set,
        program: ProgramPlaces,
    ) -> OwnCode<'a> {
        let mut code = OwnCode {
            profile,
            set,
            functions: Vec::new(),
            program,
        };
        // Very many functions have the same object and file.
        let mut places: HashMap<[NameId; 2], [bool; 2]> = HashMap::new();
        let is_generated = |id| {
            let inlined = profile.inlined.as_ref();
            set.own.is_some() && inlined.is_some_and(|inlined| inlined.generated.contains(&id))
        };
        let own = profile.function_ids().map(|id| {
            let [object, file, name] = profile.function(id).names();
            let [is_own, is_foreign] = *places.entry([object, file]).or_insert_with(|| {
                [
                    code.place(object, file),
                    code.is_foreign_place(object, file),
                ]
            });
            let name = profile.names.lent(name).text();
            code.may_be(&name)
                && !is_generated(id)
                && (code.is_named(&name) || is_own)
                && !is_foreign
        });
        let own: Vec<bool> = own.collect();
        code.functions = own;
        code
    }

    /// Whether a function is yours.
    pub fn has(&self, id: FunctionId) -> bool {
        self.functions[id.index()]
    }

    /// The number of functions that are yours.
    pub fn count(&self) -> usize {
        self.functions.iter().filter(|&&own| own).count()
    }

    /// Whether a function that was inlined into an object is yours.
    pub(super) fn has_inlined(&self, object: NameId, name: &[u8], file: NameId) -> bool {
        self.may_be(name)
            && (self.is_named(name) || self.place(object, file))
            && !self.is_foreign_place(object, file)
    }

    /// Whether code of a file is yours if it is in a function of yours.
    pub(crate) fn has_file(&self, id: FunctionId, file: NameId) -> bool {
        let function = self.profile.function(id);
        file == function.file
            || !self.is_foreign_place(function.object, file)
                && (self.is_named(&self.profile.function_name(id).text())
                    || self.place(function.object, file))
    }

    /// Whether a function with this name can be yours.
    fn may_be(&self, name: &[u8]) -> bool {
        !(matches(&self.set.fold, name) || self.set.own.is_some() && is_runtime(name))
    }

    /// Whether the name alone makes a function yours.
    fn is_named(&self, name: &[u8]) -> bool {
        self.set.own.as_ref().is_some_and(|own| matches(own, name))
    }

    /// Whether an object and a file are always library code.
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

    /// Whether an object and a file are yours, if nothing makes them library code.
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

    /// The set as one line of text.
    pub fn said(&self) -> String {
        let list = |all: &[Regex]| joined(all.iter().map(|r| format!("`{r}`")), ", ");
        let said = match &self.set.own {
            None => String::new(),
            Some(own) if !own.is_empty() => {
                format!(
                    "what matches {}, except libraries of the system and toolchains",
                    list(own)
                )
            }
            Some(_) => {
                let mut what: Vec<String> = self
                    .program
                    .objects
                    .iter()
                    .take(3)
                    .map(|&id| to_text(self.profile.name(id)))
                    .collect();
                what.push("relative paths".into());
                what.extend(
                    self.program
                        .folder
                        .as_ref()
                        .map(|folder| format!("files below {}", to_text(folder))),
                );
                format!(
                    "{}, except libraries of the system, toolchains and packages",
                    what.join(", ")
                )
            }
        };
        let fold = list(&self.set.fold);
        let count = format!("{} of {} functions", self.count(), self.functions.len());
        match (&self.set.own, fold.is_empty()) {
            (Some(_), true) => format!("your code is {said}: {count}"),
            (Some(_), false) => {
                format!("your code is {said}, without what matches {fold}: {count}")
            }
            (None, _) => {
                format!("what matches {fold} is attributed to its callers; {count} remain")
            }
        }
    }
}

fn matches(patterns: &[Regex], name: &[u8]) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(name))
}

/// The objects that are programs: those that the commands name, else all that are not libraries.
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
        .filter_map(|part| part.command.split(|&b| b == b' ').next())
        .map(base)
        .collect();
    let named: BTreeSet<NameId> = programs
        .iter()
        .copied()
        .filter(|&id| commands.contains(base(profile.name(id))))
        .collect();
    if named.is_empty() { programs } else { named }
}

/// The text after the last slash.
fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/' || b == b'\\')
        .next()
        .unwrap_or_default()
}

/// The deepest folder that holds more than half of a program's files, without those of toolchains
/// and packages. `None` for the root folder.
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
    // Two folders with more than half of the files each have a file in common, so one contains the
    // other.
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
