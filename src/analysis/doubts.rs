//! Reasons why a report may show little: each is one line with the cause and the remedy.

use super::{Selection, own_code::is_of_toolchain};
use crate::profile::{Event, Events, Line, NameId, Part, Profile, to_text};
use std::{cmp::Reverse, collections::BTreeMap, fmt};

/// An executable or library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its path; empty if unknown.
    pub path: String,
    /// Its origin, which decides who can fix it.
    pub origin: ObjectOrigin,
}

/// The origin of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectOrigin {
    /// The user built it.
    Own,
    /// It was installed with the system.
    Installed,
    /// It is part of a toolchain, as distributed.
    Toolchain,
}

impl Object {
    /// The object at a path.
    pub fn new(path: &[u8]) -> Object {
        const SYSTEM: [&[u8]; 8] = [
            b"/usr/",
            b"/lib/",
            b"/lib32/",
            b"/lib64/",
            b"/bin/",
            b"/sbin/",
            b"/nix/store/",
            b"/gnu/store/",
        ];
        const BUILT: [&[u8]; 2] = [b"/usr/local/", b"/usr/src/"];
        let begins = |folders: &[&[u8]]| folders.iter().any(|folder| path.starts_with(folder));
        let origin = match begins(&SYSTEM) && !begins(&BUILT) {
            true => ObjectOrigin::Installed,
            false if is_of_toolchain(path) => ObjectOrigin::Toolchain,
            false => ObjectOrigin::Own,
        };
        Object {
            path: to_text(path),
            origin,
        }
    }

    /// The name of its file.
    pub fn name(&self) -> &str {
        match self.path.rsplit('/').next() {
            None | Some("") => "the program",
            Some(name) => name,
        }
    }

    /// How it gets lines, or why it has none.
    pub fn remedy_for_lines(&self) -> &'static str {
        match self.origin {
            ObjectOrigin::Own => {
                "compile it with -g (Rust: debug = \"line-tables-only\" in the release profile)"
            }
            ObjectOrigin::Installed => "install its debug symbols",
            ObjectOrigin::Toolchain => "its toolchain comes without debug information",
        }
    }

    /// How its functions get names, or why they have none.
    pub fn remedy_for_names(&self) -> &'static str {
        match self.origin {
            ObjectOrigin::Own => "build it without -s",
            ObjectOrigin::Installed | ObjectOrigin::Toolchain => self.remedy_for_lines(),
        }
    }

    /// The text after a remedy, if there is one.
    pub fn record_again(&self) -> &'static str {
        match self.origin {
            ObjectOrigin::Own | ObjectOrigin::Installed => " and record again",
            ObjectOrigin::Toolchain => "",
        }
    }
}

/// Whether a line is neither of the system nor of a toolchain.
pub(crate) fn is_built(profile: &Profile, line: &Line) -> bool {
    let mut places = [profile.function(line.function).object, line.file].into_iter();
    places.all(|name| Object::new(profile.name(name)).origin == ObjectOrigin::Own)
}

/// Why a report shows little.
#[derive(Clone, PartialEq, Debug)]
pub enum Doubt {
    /// There is no cost at all.
    Nothing,
    /// There is no cost at all in a profile of Callgrind.
    NothingCollected,
    /// Code of an object, with this percentage of the cost, has no files.
    NoDebugInformation(Object, f64),
    /// The profile has no source lines.
    NoLines,
    /// Functions of an object, with this percentage of the cost, have no names.
    Stripped(Object, f64),
    /// In a webgrind file, this function has this percentage of the cost, which counts recursion
    /// once per level.
    Recursion(String, f64),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Nothing => f.write_str("no function of the profile has a cost"),
            Doubt::NothingCollected => f.write_str(
                "the profile has no costs: --toggle-collect matched no function that ran, instrumentation was never switched on, or the run was killed\nhint: --toggle-collect takes the whole name with its arguments; * stands for any part",
            ),
            Doubt::NoLines => f.write_str(
                "the profile has no line numbers (--dump-line=no)\nhint: record again with --dump-line=yes to see the cost of each line",
            ),
            Doubt::NoDebugInformation(object, share) => write!(
                f,
                "{share:.0} % of the cost is code of {} without a source file\nhint: {}{}",
                object.name(),
                object.remedy_for_lines(),
                object.record_again()
            ),
            Doubt::Stripped(object, share) => write!(
                f,
                "{} has {share:.0} % of the cost and no function names: it is stripped\nhint: {}{}",
                object.name(),
                object.remedy_for_names(),
                object.record_again()
            ),
            Doubt::Recursion(name, share) => write!(
                f,
                "the inclusive cost of {name} is {share:.0} % of the whole: webgrind's format counts recursion again at each level\nhint: read the profile that the file was made from, where it counts once"
            ),
        }
    }
}

impl Doubt {
    /// The path of the object that it is about.
    pub fn path(&self) -> Option<&str> {
        match self {
            Doubt::Nothing | Doubt::NothingCollected | Doubt::NoLines | Doubt::Recursion(..) => {
                None
            }
            Doubt::NoDebugInformation(object, _) | Doubt::Stripped(object, _) => Some(&object.path),
        }
    }
}

/// Lower percentages are not mentioned.
const MUCH: f64 = 20.0;

/// Names the events whose totals do not fit in 64 bits. Only sums, which derived events are, can be
/// so large.
pub fn too_large(events: &Events, totals: &[&[i64]], show: &[Event]) -> Option<String> {
    let is_beyond = |event: &&Event| totals.iter().any(|total| events.is_beyond(total, **event));
    let names = show
        .iter()
        .filter(is_beyond)
        .map(|&event| events.text(event));
    let names: Vec<_> = names.collect();
    let largest = "9,223,372,036,854,775,807 is used instead";
    (!names.is_empty()).then(|| {
        format!(
            "totals of {} do not fit in 64 bits: {largest}",
            names.join(", ")
        )
    })
}

/// The doubts about a profile, by the first sort event.
pub fn doubts(profile: &Profile, selection: &Selection) -> Vec<Doubt> {
    let event = selection.first_event();
    if profile.format.repeats_recursion {
        return recursion(profile, event).into_iter().collect();
    }
    if !profile.format.has_debug_lines {
        return Vec::new();
    }
    let (objects, all) = objects(profile, event);
    if all == 0.0 {
        let nothing = if profile.parts.iter().any(Part::is_callgrinds) {
            Doubt::NothingCollected
        } else {
            Doubt::Nothing
        };
        return Vec::from_iter(profile.arcs.is_empty().then_some(nothing));
    }
    let mut doubts = Vec::from_iter(profile.lacks_lines().then_some(Doubt::NoLines));
    for OfObject {
        path,
        share,
        fileless,
        named,
    } in objects
    {
        // Code without a name cannot have a file; the doubt about its object covers both.
        if !named && share >= MUCH && !path.is_empty() {
            doubts.push(Doubt::Stripped(Object::new(path), share));
        } else if named && fileless >= MUCH {
            doubts.push(Doubt::NoDebugInformation(Object::new(path), fileless));
        }
    }
    doubts
}

/// The function that costs more than the whole program, if there is one.
fn recursion(profile: &Profile, event: Event) -> Option<Doubt> {
    let count = |row: &[i64]| profile.events.counted(row, event);
    let (stated, whole) = (profile.stated.as_ref()?, count(&profile.totals.row));
    let costs = profile
        .function_ids()
        .map(|id| (count(stated.inclusive(id)), id));
    let (most, id) = costs.max_by_key(|&(cost, id)| (cost, Reverse(profile.sort_key(id))))?;
    let name = to_text(profile.name_of(id));
    (whole > 0 && most > whole).then(|| Doubt::Recursion(name, most as f64 * 100.0 / whole as f64))
}

/// The cost of an object, in percent of the whole.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct OfObject<'p> {
    /// Its path; empty if unknown.
    pub path: &'p [u8],
    /// Its self cost.
    pub share: f64,
    /// The part of that in functions without a file.
    pub fileless: f64,
    /// Whether any of its functions has a name.
    pub named: bool,
}

/// The cost of each object by an event, ordered by path, and the whole cost.
pub fn objects(profile: &Profile, event: Event) -> (Vec<OfObject<'_>>, f64) {
    let count = |row: &[i64]| profile.events.counted(row, event).unsigned_abs() as f64;
    let mut all = 0.0;
    let mut objects: BTreeMap<NameId, OfObject> = BTreeMap::new();
    for id in profile.function_ids() {
        let (f, cost) = (profile.function(id), count(profile.self_cost(id)));
        let object = objects.entry(f.object).or_insert_with(|| OfObject {
            path: profile.name(f.object),
            ..OfObject::default()
        });
        object.share += cost;
        object.fileless += if f.file == NameId::UNKNOWN { cost } else { 0.0 };
        // Names are examined until one is found: there can be a million.
        object.named = object.named
            || !(f.name == NameId::UNKNOWN || profile.names.beginning(f.name).starts_with(b"0x"));
        all += cost;
    }
    let mut objects: Vec<OfObject> = objects.into_values().collect();
    objects.sort_unstable_by_key(|object| object.path);
    let percent = |cost: f64| if all == 0.0 { 0.0 } else { cost * 100.0 / all };
    for object in &mut objects {
        object.share = percent(object.share);
        object.fileless = percent(object.fileless);
    }
    (objects, all)
}
