//! The options that suggested commands repeat.

use crate::cli::{AnnotateArgs, BinaryArgs, CodeArgs, InputArgs, OwnArgs, SourceArgs};
use crate::profile::Syntax;
use crate::source::Search;
use crate::view::next::Typed;
use regex::bytes::Regex;

/// The options of a report that its other pages take, too. Each page decides how much it lists.
pub(super) fn of_report(args: &AnnotateArgs) -> Typed {
    let listed = |name: &str, events: Vec<&str>| {
        (!events.is_empty()).then(|| format!("--{name}={}", events.join(",")))
    };
    // The first shown event orders the first screen, but no other page.
    let columns = &args.columns;
    let order = columns.sort.iter().map(|(event, _)| &**event);
    let first = columns
        .show
        .iter()
        .map(String::as_str)
        .take(usize::from(columns.sort.is_empty()));
    let sort = listed("sort", order.chain(first).collect());
    let show = listed("show", columns.show.iter().map(String::as_str).collect());
    let shares = (!columns.show_percs.is_yes()).then(|| "--show-percs=no".to_owned());
    let patterns = |name: &'static str, all: &[Regex]| -> Vec<String> {
        all.iter()
            .map(|regex| format!("--{name}={regex}"))
            .collect()
    };
    let filters = &args.narrow.filters;
    let others = [
        ("not-function", &filters.not_function),
        ("file", &filters.file),
        ("not-file", &filters.not_file),
        ("object", &filters.object),
        ("not-object", &filters.not_object),
    ];
    Typed {
        columns: show.into_iter().chain(sort).chain(shares).collect(),
        filters: others
            .into_iter()
            .flat_map(|(name, all)| patterns(name, all))
            .collect(),
        functions: patterns("function", &filters.function),
        order: args
            .inclusive
            .is_yes()
            .then(|| "--inclusive=yes".to_owned()),
    }
}

/// The options that another command repeats to read the same inputs and find their sources.
pub(super) fn of_inputs(
    input: &InputArgs,
    own: &OwnArgs,
    code: Option<&CodeArgs>,
    source: &SourceArgs,
) -> Vec<String> {
    let flags = [
        ("--fold-recursion", input.fold_recursion),
        ("--contexts", input.contexts),
        ("--allow-truncated", input.allow_truncated),
    ];
    let mut again: Vec<String> = flags
        .into_iter()
        .filter(|flag| flag.1)
        .map(|flag| flag.0.to_owned())
        .collect();
    if let Some(format) = &input.input_format {
        again.push(format!("--input-format={format}"));
    }
    again.extend(
        input
            .events
            .iter()
            .map(|event| format!("--event={}", String::from_utf8_lossy(&event.text()))),
    );
    again.extend(own.own.then(|| "--own".to_owned()));
    let sets = [("own-code", &own.own_code), ("fold", &own.fold)];
    again.extend(
        sets.iter()
            .flat_map(|(name, all)| all.iter().map(move |regex| format!("--{name}={regex}"))),
    );
    if let Some(code) = code.filter(|_| own.set().is_some()) {
        again.extend(code.inlined.then(|| "--inlined".to_owned()));
        again.extend(places(&code.binaries));
    }
    again.extend(
        source
            .include
            .iter()
            .map(|folder| format!("-I{}", folder.display())),
    );
    again.extend(source.maps.iter().map(|map| format!("--map={map}")));
    again.extend((source.sources == Search::Listed).then(|| "--sources=listed".to_owned()));
    again
}

/// The options that locate binaries.
fn places(args: &BinaryArgs) -> Vec<String> {
    let force = args.force.then(|| "--force".to_owned());
    let folders = args.debug_dirs.iter();
    force
        .into_iter()
        .chain(folders.map(|folder| format!("--debug-dir={}", folder.display())))
        .collect()
}

/// The options that locate binaries, and those that choose how instructions are written.
pub(super) fn of_binaries(args: &BinaryArgs) -> Vec<String> {
    let mut again = places(args);
    if let Some(Syntax::Intel) = args.asm_syntax {
        again.push("--asm-syntax=intel".into());
    }
    let program = args.objdump.iter();
    again.extend(program.map(|program| format!("--objdump={}", program.display())));
    again
}
