//! Appends details to a recorded profile: what is known at that time of its binaries, its sources
//! and the machine. Later reports and comparisons need them.

use super::{code, console::say};
use crate::{
    analysis::doubts::{Object, ObjectOrigin, is_built},
    input::{self, Options},
    object,
    pack::{
        Contents,
        details::{LONGEST, hashed, lines, source_hashes},
    },
    profile::{Calls, Carried, Collect, FunctionId, NameId, Profile, names::to_path, to_text},
    source::{Finder, SearchPaths},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs::File,
    io::{self, Write},
    iter,
    path::Path,
};

/// Details have at most this percentage of the size of their profile.
const SHARE: u64 = 12;

/// Details can always have this many bytes, which is enough for the build ids and the functions
/// that are inlined in the hottest code.
const ALWAYS: u64 = 8 * 1024;

/// Appends the details. Reports if they are incomplete or cannot be written.
pub(super) fn append(file: &Path, facts: &BTreeMap<String, String>) {
    let said = match try_append(file, facts) {
        Ok(share) if share < 0.05 => return,
        Ok(share) => format!(
            "details omit the inlined functions of code with {share:.1} % of the cost: they are limited to {SHARE} % of the profile (8 KiB, if that is more) and to 16 MiB"
        ),
        Err(e) => format!("details are not appended: {e}"),
    };
    say(format!("{}: {said}", file.display()));
}

/// Omits the cheapest addresses if details are too long. Returns their percentage of the cost.
fn try_append(file: &Path, facts: &BTreeMap<String, String>) -> io::Result<f64> {
    let options = Options {
        collect: Collect {
            calls: Calls::Arcs,
            ..Collect::CODE
        },
        ..Options::all()
    };
    let mut profile = input::read(&[file], &options).map_err(io::Error::other)?;
    let place = code::searched(&[file.to_owned()], &[], &[]);
    object::find_inlined(&mut profile, &place);
    let (size, hash) = (file.metadata()?.len(), hashed(File::open(file)?)?);
    let most = (size * SHARE / 100).clamp(ALWAYS, LONGEST as u64);
    let mut contents = Contents {
        carried: Carried {
            objects: object::carry(&profile, &place, object::CarriedFor::Details),
            facts: facts.clone(),
            lines: hashes(&profile, true),
            ..Carried::default()
        },
        ..Contents::default()
    };
    let mut omitted = 0;
    let mut fewer = Some(hashes(&profile, false));
    let details = loop {
        let mut details = lines(&hash, &contents)?;
        let objects = &mut contents.carried.objects;
        let ranges: usize = objects.values().map(|object| object.runs.len()).sum();
        if details.len() as u64 <= most {
            break details;
        }
        if let Some(fewer) = fewer.take() {
            contents.carried.lines = fewer;
            continue;
        }
        if ranges == 0 && !contents.carried.lines.is_empty() {
            contents.carried.lines.clear();
        } else if ranges == 0 {
            let end = details.iter().position(|&byte| byte == b'\n');
            details.truncate(end.map_or(0, |end| end + 1));
            break details;
        }
        // Half of the ranges need about 70 % of the bytes, as files and functions have several.
        // Compressing takes most of the time, so this rarely needs a third attempt.
        let fits = ranges as f64 * (most as f64 / details.len() as f64).powi(2);
        let yours = |name: &[u8]| Object::new(name).origin == ObjectOrigin::Own;
        omitted += object::limit(&profile, objects, fits as usize, yours);
    };
    File::options()
        .append(true)
        .open(file)?
        .write_all(&details)?;
    Ok(omitted as f64 * 100.0 / profile.totals.counts().size().max(1) as f64)
}

/// Hashes of your files, as line 0, and of their lines in functions that have a 10,000th of the
/// cost, or a call with as much. These are all lines with cost, or only those that have as much. A
/// file that is newer than its executable or library has none, because it may not be what ran.
fn hashes(profile: &Profile, all_lines: bool) -> BTreeMap<String, BTreeMap<u64, u32>> {
    let finder = Finder::new(SearchPaths::default());
    let mut sources: HashMap<NameId, Option<Vec<u32>>> = HashMap::new();
    let mut all: BTreeMap<String, BTreeMap<u64, u32>> = BTreeMap::new();
    let count = |row: &[i64]| row.first().copied().unwrap_or(0);
    let least = count(&profile.totals.row) / 10_000;
    let is_worth_it = |id: &FunctionId| {
        let calls = profile.arcs_of(*id).iter().map(|arc| profile.arc_cost(arc));
        let mut rows = iter::once(profile.self_cost(*id)).chain(calls);
        rows.any(|row| count(row) >= least)
    };
    let functions = profile.function_ids().filter(is_worth_it);
    for line in functions.flat_map(|id| profile.lines_of(id)) {
        if !all_lines && count(profile.line_cost(line)) < least || !is_built(profile, line) {
            continue;
        }
        let name = profile.name(line.file);
        let source = sources.entry(line.file).or_insert_with(|| {
            let object = to_path(profile.name(profile.function(line.function).object));
            let built = object.metadata().and_then(|about| about.modified()).ok();
            let source = finder.open(name).ok();
            let source = source.filter(|source| source.modified <= built)?;
            Some(source_hashes(source.bytes()))
        });
        let Some(source) = source else { continue };
        if let Some(&hash) = source.get(line.line as usize) {
            let hashes = all.entry(to_text(name)).or_default();
            hashes.extend([(0, source[0]), (line.line, hash)]);
        }
    }
    // `lsp` must know which texts are repeated: these do not show where a line went after an edit.
    for (file, source) in sources {
        if let (Some(hashes), Some(source)) = (all.get_mut(&to_text(profile.name(file))), source) {
            let known: HashSet<u32> = hashes.values().copied().collect();
            let repeated = (0..).zip(source).filter(|(_, hash)| known.contains(hash));
            hashes.extend(repeated);
        }
    }
    all
}
