//! Reads binaries and debug files for reports that need inlined functions or instructions.

use crate::{
    analysis::{OwnCode, Set},
    cli::{BinaryArgs, ExploreArgs},
    commands::console,
    explore::{Inliner, Teller},
    object::{self, Budget, Extent, Where},
    profile::{FunctionId, Inlined, NameId, Names, Profile},
    request::annotate::{AnnotateRequest, AskedPage, zoom_pattern},
    source::Map,
    view::instructions::{Texts, Told, list::InstructionList},
};
use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Mutex},
};

/// Where to look for the binaries of profiles. `--map` applies to sources and binaries alike.
pub(super) fn searched(profiles: &[PathBuf], debug_dirs: &[PathBuf], maps: &[Map]) -> Where {
    Where {
        maps: maps.to_vec(),
        debug_dirs: debug_dirs.to_vec(),
        profiles: profiles.to_vec(),
        budget: console::budget(),
        ..Where::default()
    }
}

/// The same, as options say.
fn place(binaries: &BinaryArgs, maps: &[Map], profiles: &[PathBuf]) -> Where {
    Where {
        force: binaries.force,
        objdump: binaries.objdump.clone(),
        syntax: binaries.asm_syntax.unwrap_or_default(),
        ..searched(profiles, &binaries.debug_dirs, maps)
    }
}

fn of_report(request: &AnnotateRequest, profiles: &[PathBuf]) -> Where {
    let args = &request.args;
    place(&args.code.binaries, &args.source.maps, profiles)
}

/// Finds inlined functions if the request needs them: by instruction, or by line if the profile
/// has no instructions. With `--asm` alone, only objects with functions that match `--zoom` are
/// read.
pub(super) fn ask(profile: &mut Profile, request: &AnnotateRequest, profiles: &[PathBuf]) {
    let place = of_report(request, profiles);
    if profile.code.as_ref().is_none_or(|code| code.is_empty()) {
        if request.args.code.inlined && request.own.is_none() && !profile.lines.is_empty() {
            object::find_inlined_by_line(profile, &place);
        }
        return;
    }
    match &request.page {
        _ if request.args.code.inlined => object::find_inlined(profile, &place),
        AskedPage::Zoom { pattern, .. } if request.args.code.asm => {
            let regex = zoom_pattern(pattern).ok();
            let is_meant = |name: &[u8]| match &regex {
                Some(regex) => regex.is_match(name),
                None => name == pattern.as_bytes(),
            };
            let meant = profile.function_ids().map(|id| profile.function(id));
            let objects: HashSet<NameId> = meant
                .filter(|f| is_meant(profile.name(f.name)))
                .map(|f| f.object)
                .collect();
            object::find_inlined_in(profile, &place, |object| objects.contains(&object));
        }
        _ => {}
    }
}

/// Finds the functions that are inlined into your code, if instructions were recorded.
pub(super) fn ask_of_own(profile: &mut Profile, request: &AnnotateRequest, profiles: &[PathBuf]) {
    let set = Set::own(Vec::new());
    let own = OwnCode::new(profile, &set);
    let of_own = profile.function_ids().filter(|&id| own.has(id));
    let objects: HashSet<NameId> = of_own.map(|id| profile.function(id).object).collect();
    let place = Where {
        is_quick: true,
        ..of_report(request, profiles)
    };
    object::find_inlined_in(profile, &place, |object| objects.contains(&object));
}

/// Finds inlined functions for commands other than the report.
pub(super) fn inline(
    profile: &mut Profile,
    profiles: &[PathBuf],
    debug_dirs: &[PathBuf],
    maps: &[Map],
) {
    let place = searched(profiles, debug_dirs, maps);
    place.budget.begin_profile();
    object::find_inlined(profile, &place);
}

/// Disassembles the code around the instructions of a function.
pub(super) fn texts(
    profile: &Profile,
    id: FunctionId,
    request: &AnnotateRequest,
    profiles: &[PathBuf],
) -> Texts {
    let inlined = profile.inlined.as_deref();
    texts_at(profile, inlined, id, &of_report(request, profiles))
}

fn texts_at(profile: &Profile, inlined: Option<&Inlined>, id: FunctionId, place: &Where) -> Texts {
    let Some(code) = &profile.code else {
        return Ok(Vec::new());
    };
    let mut addresses: Vec<u64> = code
        .places_of(id)
        .filter_map(|at| code.instruction(at))
        .map(|(one, _)| one.address)
        .collect();
    addresses.dedup();
    let (object, wanted) = (
        profile.function(id).object,
        (&addresses[..], Extent::Functions),
    );
    object::disassemble(profile, inlined, object, wanted, place)
}

/// Returns a closure that disassembles one function after another. It keeps the inlined
/// functions of the last object, for further functions of it.
pub(super) fn teller(args: &ExploreArgs, profiles: &[PathBuf]) -> Teller {
    let place = place(&args.binaries, &args.source.maps, profiles);
    type InlinedOfObject = Arc<(Inlined, Names)>;
    let last: Mutex<Option<(NameId, InlinedOfObject)>> = Mutex::new(None);
    Box::new(move |profile, id| {
        let object = profile.function(id).object;
        let mut last = last.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = last
            .as_ref()
            .filter(|(of, _)| *of == object)
            .map(|(_, known)| known.clone());
        // Each question gets the budget of a whole report.
        let place = Where {
            budget: Budget::default(),
            ..place.clone()
        };
        let inlined = known
            .or_else(|| object::inlined_in(profile, &place, |other| other == object).map(Arc::new));
        *last = inlined.clone().map(|known| (object, known));
        let known = inlined.as_ref().map(|known| &known.0);
        Told {
            texts: texts_at(profile, known, id, &place),
            inlined,
        }
    })
}

/// Returns a closure that finds inlined functions.
pub(super) fn inliner(args: &ExploreArgs, profiles: &[PathBuf]) -> Inliner {
    let place = place(&args.binaries, &args.source.maps, profiles);
    Box::new(move |profile| object::find_inlined(profile, &place))
}

/// Adds the text of instructions to a list.
pub(super) fn fill(
    list: &mut InstructionList<'_>,
    profile: &Profile,
    request: &AnnotateRequest,
    profiles: &[PathBuf],
) {
    let place = of_report(request, profiles);
    let texts: Vec<_> = (list.wanted().into_iter())
        .map(|(object, addresses)| {
            let wanted = (&addresses[..], Extent::Addresses);
            (
                object,
                object::disassemble(profile, profile.inlined.as_deref(), object, wanted, &place),
            )
        })
        .collect();
    list.say(texts);
}
