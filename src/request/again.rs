//! The options that suggested commands repeat.

use crate::{
    cli::{AnnotateArgs, BinaryArgs, CodeArgs, InputArgs, OwnArgs, SourceArgs},
    profile::{Syntax, to_text},
    source::Search,
    view::next::Typed,
};
use std::fmt::Display;

/// `--NAME=VALUE` for each of the values.
fn each(name: &str, values: impl IntoIterator<Item = impl Display>) -> Vec<String> {
    let values = values.into_iter();
    values.map(|value| format!("--{name}={value}")).collect()
}

/// The options among these that were given.
fn given<const N: usize>(options: [(&str, bool); N]) -> impl Iterator<Item = String> {
    let given = options.into_iter().filter(|option| option.1);
    given.map(|option| option.0.to_owned())
}

/// The options of a report that its other pages take, too. Each page decides how much it lists.
pub(super) fn of_report(args: &AnnotateArgs) -> Typed {
    let listed = |name: &str, events: Vec<&str>| {
        (!events.is_empty()).then(|| format!("--{name}={}", events.join(",")))
    };
    // The first shown event orders the first screen, but no other page.
    let columns = &args.columns;
    let shown = || columns.show.iter().map(String::as_str);
    let order = columns.sort.iter().map(|(event, _)| &**event);
    let first = shown().take(usize::from(columns.sort.is_empty()));
    let sort = listed("sort", order.chain(first).collect());
    let show = listed("show", shown().collect());
    let shares = given([("--show-percs=no", !columns.show_percs.is_yes())]);
    let filters = &args.narrow.filters;
    Typed {
        columns: show.into_iter().chain(sort).chain(shares).collect(),
        filters: [
            each("not-function", &filters.not_function),
            each("file", &filters.file),
            each("not-file", &filters.not_file),
            each("object", &filters.object),
            each("not-object", &filters.not_object),
        ]
        .concat(),
        functions: each("function", &filters.function),
        order: given([("--inclusive=yes", args.inclusive.is_yes())]).next(),
    }
}

/// The options that another command repeats to read the same inputs and find their sources.
pub(super) fn of_inputs(
    input: &InputArgs,
    own: &OwnArgs,
    code: Option<&CodeArgs>,
    source: &SourceArgs,
) -> Vec<String> {
    let mut again: Vec<String> = given([
        ("--fold-recursion", input.fold_recursion),
        ("--contexts", input.contexts),
        ("--allow-truncated", input.allow_truncated),
    ])
    .collect();
    again.extend(each("input-format", &input.input_format));
    let events = input.events.iter();
    again.extend(each("event", events.map(|event| to_text(event.text()))));
    again.extend(given([("--own", own.own)]));
    again.extend(each("own-code", &own.own_code));
    again.extend(each("fold", &own.fold));
    if let Some(code) = code.filter(|_| own.set().is_some()) {
        again.extend(given([("--inlined", code.inlined)]));
        again.extend(places(&code.binaries));
    }
    let folders = source.include.iter();
    again.extend(folders.map(|folder| format!("-I{}", folder.display())));
    again.extend(each("map", &source.maps));
    let is_listed = source.sources == Search::Listed;
    again.extend(given([("--sources=listed", is_listed)]));
    again
}

/// The options that locate binaries.
fn places(args: &BinaryArgs) -> Vec<String> {
    let folders = args.debug_dirs.iter().map(|folder| folder.display());
    let folders = each("debug-dir", folders);
    given([("--force", args.force)]).chain(folders).collect()
}

/// The options that locate binaries, and those that choose how instructions are written.
pub(super) fn of_binaries(args: &BinaryArgs) -> Vec<String> {
    let mut again = places(args);
    let is_intel = args.asm_syntax == Some(Syntax::Intel);
    again.extend(given([("--asm-syntax=intel", is_intel)]));
    let program = args.objdump.iter().map(|program| program.display());
    again.extend(each("objdump", program));
    again
}
