//! What the arguments of the report name: profiles, and sources to annotate. Only the content
//! distinguishes them.

use super::console::say;
use crate::{
    analysis::suggestions::nearest,
    fs::{names_in, regular},
    input,
    profile::Order,
    record,
    request::annotate::{AnnotateRequest, AskedPage},
    text::{names, shell::is_plain, some},
    view::next::Word,
};
use anyhow::{Context, Result, bail};
use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// How many files are suggested at most.
const NEAR: usize = 3;

/// The files that arguments name.
pub(super) struct NamedFiles {
    /// The profiles, which are summed.
    pub profiles: Vec<PathBuf>,
    /// The sources to annotate.
    pub sources: Vec<PathBuf>,
}

impl NamedFiles {
    /// The first argument is a profile. A later one is a profile if its content is, else a source.
    /// Without arguments, these are the profiles of the newest run in this folder.
    pub(super) fn new(request: &AnnotateRequest) -> Result<NamedFiles> {
        let is_original = matches!(request.page, AskedPage::Original(_));
        // `callgrind_annotate` would take the others for sources.
        let files = if is_original {
            request.args.files.clone()
        } else {
            without_bases(&request.args.files)
        };
        let Some((first, rest)) = files.split_first() else {
            let newest = newest_where_none_is_named()?;
            let profiles = if is_original {
                vec![newest]
            } else {
                input::of_run(&newest)
            };
            say(match &profiles[..] {
                [one] => format!(
                    "reading {}, the newest profile in this folder",
                    one.display()
                ),
                [first, others @ ..] => {
                    let (first, others) = (first.display(), others.len());
                    format!(
                        "reading {first} and {others} more, which the newest run in this folder wrote"
                    )
                }
                [] => String::new(),
            });
            return Ok(NamedFiles {
                profiles,
                sources: Vec::new(),
            });
        };
        let mut profiles = found([first]);
        if !is_there(first) && profiles == [first.clone()] {
            // Other missing names may have been meant as profiles, too.
            all_there(&files)?;
        }
        let given = request.args.input.format().is_some();
        let mut sources = Vec::new();
        for name in rest {
            match name {
                _ if is_original => sources.push(name.clone()),
                _ if meant(name).is_some() => profiles.extend(found([name])),
                _ if given || input::is_profile(name) => profiles.push(name.clone()),
                _ => sources.push(name.clone()),
            }
        }
        if let Some(program) = sources.iter().find(|name| input::is_program(name)) {
            bail!(
                "{}: this is an executable, not a profile or a source",
                program.display()
            );
        }
        let mut seen = HashSet::new();
        sources.retain(|name| seen.insert(name.clone()));
        Ok(NamedFiles { profiles, sources })
    }
}

/// Profiles as shell words: each by its name, or all by a pattern that matches nothing else. Empty
/// if some of them can be read only once.
pub(super) fn in_words(profiles: &[PathBuf]) -> Vec<Word> {
    if !profiles.iter().all(|name| input::is_lasting(name)) {
        return Vec::new();
    }
    match pattern(profiles) {
        Some(pattern) => vec![Word::Shell(pattern)],
        None => profiles.iter().map(|name| Word::path(name)).collect(),
    }
}

/// Returns `callgrind.out.77*` for at least three files of one folder, if it matches no other file.
fn pattern(names: &[PathBuf]) -> Option<String> {
    let [first, _, _, ..] = names else {
        return None;
    };
    let folder = first.parent()?;
    let of = |name: &PathBuf| {
        Some(name.file_name()?.to_str()?.to_owned()).filter(|_| name.parent() == Some(folder))
    };
    let mut files: Vec<String> = names.iter().map(of).collect::<Option<_>>()?;
    files.order();
    files.dedup();
    let (least, most) = (files.first()?, files.last()?);
    let common = least
        .bytes()
        .zip(most.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let begin = least
        .get(..common)
        .filter(|begin| begin.len() > 2 && !begin.starts_with(['.', '-']))?;
    let mut matching = Vec::new();
    for name in names_in(folder) {
        // The empty file of a run with threads is skipped when it is read.
        let is_empty = || regular(folder.join(&name)).is_some_and(|meta| meta.len() == 0);
        if name.as_encoded_bytes().starts_with(begin.as_bytes()) && !is_empty() {
            matching.push(name.into_string().ok()?);
        }
    }
    matching.order();
    let text = folder.join(begin).to_str()?.to_owned();
    (matching == files && files.len() == names.len() && is_plain(&text)).then(|| format!("{text}*"))
}

/// Returns the input files that lists of names mean. A folder means the newest run in it. The
/// number of a process means the files that it wrote in this folder. The name of a run means the
/// newest run that was recorded under it. A file with such a name comes first. Several missing
/// names are reported here. A single one is reported when it is read, unless it is the number of a
/// process.
pub(super) fn inputs<const N: usize>(lists: [&[PathBuf]; N]) -> Result<[Vec<PathBuf>; N]> {
    let lists = lists.map(|names| found(&without_bases(names)));
    all_there(lists.iter().flatten())?;
    Ok(lists)
}

/// Removes the empty files of runs that wrote one file per thread, if other files hold the cost.
fn without_bases(names: &[PathBuf]) -> Vec<PathBuf> {
    let (bases, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
        names.iter().partition(|name| input::is_empty_base(name));
    if others.is_empty() {
        return names.to_vec();
    }
    let bases = shown(bases);
    if !bases.is_empty() {
        say(format!(
            "{}: skipped: it is empty, and its run wrote other files",
            some(&bases)
        ));
    }
    others.into_iter().cloned().collect()
}

fn found<'n>(names: impl IntoIterator<Item = &'n PathBuf>) -> Vec<PathBuf> {
    let mut inputs = Vec::new();
    for name in names {
        match meant(name) {
            None => inputs.push(name.clone()),
            Some((what, files, skipped)) => {
                say(format!(
                    "reading {}, of {what} {}",
                    shown(&files).join(", "),
                    name.display()
                ));
                if !skipped.is_empty() {
                    say(format!(
                        "skipped (copies, files of other tools, or not profiles): {}",
                        shown(&skipped).join(", ")
                    ));
                }
                inputs.extend(files);
            }
        }
    }
    inputs
}

/// Resolves a name that is a folder, the number of a process, or the name of a run. Returns which
/// of these it is, its files, and the files that do not count.
fn meant(name: &Path) -> Option<(&'static str, Vec<PathBuf>, Vec<PathBuf>)> {
    if is_there(name) {
        let newest = newest_profile(name).filter(|_| name.as_os_str() != "-")?;
        return Some(("the newest run in", input::of_run(&newest), Vec::new()));
    }
    let (of_process, skipped) = process(name).map(input::of_process).unwrap_or_default();
    let meant = if of_process.is_empty() {
        (
            "the newest run called",
            record::newest_run(name.as_os_str()),
            skipped,
        )
    } else {
        ("process", of_process, skipped)
    };
    (!meant.1.is_empty()).then_some(meant)
}

/// The number of a process, if a name can be one.
pub(super) fn process(name: &Path) -> Option<&str> {
    name.to_str()
        .filter(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()))
}

/// Names of files as text for people.
pub(super) fn shown(names: impl IntoIterator<Item = impl AsRef<Path>>) -> Vec<String> {
    names
        .into_iter()
        .map(|name| name.as_ref().display().to_string())
        .collect()
}

fn is_there(name: &Path) -> bool {
    name.as_os_str() == "-"
        || input::run_in(name).is_some()
        || !matches!(name.metadata(), Err(e) if e.kind() == io::ErrorKind::NotFound)
}

/// Fails if several names have no file, or if a process number has no profile.
fn all_there<'n>(names: impl IntoIterator<Item = &'n PathBuf>) -> Result<()> {
    let missing = shown(names.into_iter().filter(|name| !is_there(name)));
    match missing.split_last() {
        Some((last, others @ [_, ..])) => {
            let near: Vec<String> = missing
                .iter()
                .flat_map(|name| near(Path::new(name)))
                .collect();
            bail!(
                "{} and {last}: no such files{}",
                others.join(", "),
                names::hint(&near)
            )
        }
        Some((number, [])) if process(Path::new(number)).is_some() => {
            let (_, skipped) = input::of_process(number);
            bail!(
                "{number}: no such file, and no profile of this process{}",
                names::hint(&shown(&skipped))
            )
        }
        _ => Ok(()),
    }
}

/// Suggests names for a missing one: `foo.123` for `foo`, else a similar name of a file or run in
/// the same folder.
pub(super) fn near(name: &Path) -> Vec<String> {
    let (Some(typed), Some(folder)) = (name.file_name().and_then(OsStr::to_str), name.parent())
    else {
        return Vec::new();
    };
    let here = crate::fs::folder(folder);
    let files = names_in(folder).filter(|file| !here.join(file).is_dir());
    let mut files: Vec<String> = files.filter_map(|file| file.into_string().ok()).collect();
    files.order();
    let of_process = |file: &&String| {
        let rest = file
            .strip_prefix(typed)
            .and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut meant: Vec<&str> = files
        .iter()
        .filter(of_process)
        .take(NEAR)
        .map(String::as_str)
        .collect();
    if meant.is_empty() {
        let runs = files
            .iter()
            .filter_map(|file| record::name_of_run(file))
            .filter(|_| here != folder);
        meant.extend(nearest(typed, files.iter().map(String::as_str).chain(runs)));
    }
    shown(meant.into_iter().map(|file| folder.join(file)))
}

/// The newest profile in this folder, for a command without inputs.
pub(super) fn newest_where_none_is_named() -> Result<PathBuf> {
    newest_profile(Path::new("")).context(
        "no profile is named, and this folder has no callgrind.out.* or cachegrind.out.*\nhint: `cgannotate record -- PROGRAM` writes one",
    )
}

/// The newest `callgrind.out.*` in a folder, else the newest `cachegrind.out.*`. The empty path is
/// this folder.
pub(super) fn newest_profile(folder: &Path) -> Option<PathBuf> {
    by_age(folder).pop()
}

/// These files of a folder, the newest last.
pub(super) fn by_age(folder: &Path) -> Vec<PathBuf> {
    // An empty file belongs to a run that is still going on, or that wrote other files.
    let mut found: Vec<(bool, bool, SystemTime, OsString)> = names_in(folder)
        .filter_map(|name| {
            let begins = |start: &[u8]| name.as_encoded_bytes().starts_with(start);
            let (callgrind, cachegrind) = (begins(b"callgrind.out"), begins(b"cachegrind.out"));
            if !(callgrind || cachegrind) || record::is_set_aside(&name) {
                return None;
            }
            // This follows links. A FIFO is skipped, because reading it could block.
            let meta = regular(folder.join(&name))?;
            Some((meta.len() > 0, callgrind, meta.modified().ok()?, name))
        })
        .collect();
    found.order();
    let names = found.into_iter().map(|(.., name)| name);
    names.map(|name| folder.join(name)).collect()
}
