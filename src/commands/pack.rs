//! `cgannotate pack`: writes profiles, sources and code into one file.

use super::{
    Usage,
    console::say,
    inputs, named,
    output::{self, Output},
    page,
    workflow::Content,
};
use crate::{
    analysis::{Selection, Session, Threshold, cut},
    cli::PackArgs,
    input,
    pack::{self, Contents, PackedProfile},
    profile::{
        Carried, Collect, NameId, Order, Profile,
        carried::{CarriedObject, CarriedSource},
        path_bytes,
    },
    source::{self, Finder, Search, SearchPaths},
    text::{grouped, how_many, shown, some},
    view::Files,
};
use anyhow::{Result, bail};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    io::Write,
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

/// By default, the sources of this percentage of the cost are packed, as in the report.
const HOT: u8 = 99;

/// The most folders by which sources are listed.
const FOLDERS: usize = 12;

/// Lists what goes into the pack before anything is written.
pub(super) fn run(args: &PackArgs) -> Result<ExitCode> {
    if !args.dry_run {
        output::keep_from_terminal(&args.output, "pack")?;
    }
    let [files] = named::inputs([&args.files])?;
    let to = args.output.file().filter(|_| !args.dry_run);
    output::keep_inputs(to, &files)?;
    if let Some(stream) = files
        .iter()
        .find(|file| file.metadata().is_ok_and(|meta| !meta.is_file()))
    {
        bail!(Usage(format!(
            "{}: a pack can only be made of files, because they are read twice",
            stream.display()
        )));
    }
    let profile = args.input.read(&files, Collect::CODE, Vec::new())?;
    let status = args.input.status(&profile.warnings);
    let (contents, outside) = gather(args, &files, profile)?;
    list(&contents);
    outside.iter().for_each(|file| page::say_outside(file));
    if !args.dry_run {
        let mut out = Output::open(&args.output, Content::Bytes)?;
        // The profiles are in memory, too, and larger.
        let mut packed = Vec::new();
        pack::write(&contents, &mut packed)?;
        out.write_all(&packed)?;
        out.finish()?;
        let bytes = grouped(packed.len());
        let place = to.map_or("standard output".into(), |file| file.display().to_string());
        say(format!("{place}: {bytes} bytes"));
    }
    Ok(status)
}

/// Collects what to pack. Also returns which of the sources are from outside the project.
fn gather(
    args: &PackArgs,
    files: &[PathBuf],
    mut profile: Profile,
) -> Result<(Contents, Vec<PathBuf>)> {
    let threshold = (args.threshold.clone()).unwrap_or_else(|| Threshold::whole(HOT));
    let selection = Selection::new(&profile.events, &[], &[], &threshold)?;
    let objects = objects(args, files, &mut profile);
    let session = Session::new(profile);
    let (profile, dear) = (session.profile(), dear(&session, &selection));
    let mut contents = Contents {
        recorded_by: args
            .recorded_by
            .iter()
            .map(|word| word.as_encoded_bytes().to_vec())
            .collect(),
        carried: Carried {
            folder: source::folder(profile),
            facts: profile
                .with_facts()
                .map(|one| one.facts.clone())
                .unwrap_or_default(),
            objects,
            ..Carried::default()
        },
        ..Contents::default()
    };
    let options = args.input.options(Collect::ALL, Vec::new());
    let mut commands: HashMap<usize, &[u8]> = HashMap::new();
    for part in profile.parts.iter().filter(|part| !part.command.is_empty()) {
        commands.entry(part.input).or_insert(&part.command);
    }
    for file in files {
        for one in input::unpacked(file, &options).map_err(inputs::advised)? {
            let at = contents.profiles.len();
            contents.profiles.push(PackedProfile {
                path: one.path,
                modified: one.modified,
                bytes: one.bytes,
                command: commands
                    .get(&at)
                    .map(|command| command.to_vec())
                    .unwrap_or_default(),
            });
        }
    }
    let finder = Finder::new(SearchPaths {
        include: args.include.clone(),
        maps: args.maps.clone(),
        search: Search::Everywhere,
        profiles: files.to_vec(),
        carried: profile.carried.clone(),
    });
    let mut outside = Vec::new();
    // A profile can have many names for one file.
    let mut known: HashSet<Arc<[u8]>> = HashSet::new();
    for (id, name) in hit(profile).into_iter().map(|id| (id, profile.name(id))) {
        if !dear.contains(&id) {
            contents.missing.insert(name.to_vec(), CHEAP.into());
            continue;
        }
        match finder.open_to_pass_on(name) {
            Ok(source)
                if is_left_out(args, name) || is_left_out(args, path_bytes(&source.path)) =>
            {
                contents.missing.insert(name.to_vec(), LEFT_OUT.into());
            }
            Ok(source) => {
                if source.is_from_outside() {
                    outside.push(source.path.clone());
                }
                let path = path_bytes(&source.path);
                let found = Some(path.to_vec()).filter(|path| path != name);
                let bytes = known.get(source.bytes()).cloned().unwrap_or_else(|| {
                    let bytes: Arc<[u8]> = source.bytes().into();
                    known.insert(Arc::clone(&bytes));
                    bytes
                });
                let source = CarriedSource {
                    found,
                    modified: source.modified,
                    bytes,
                };
                contents.carried.sources.insert(name.to_vec(), source);
            }
            Err(why) => {
                contents.missing.insert(name.to_vec(), why.to_string());
            }
        }
    }
    Ok((contents, outside))
}

/// Whether `--exclude` omits what has this name.
fn is_left_out(args: &PackArgs, name: &[u8]) -> bool {
    args.exclude.iter().any(|pattern| pattern.is_match(name))
}

/// Why something that was found is not packed.
const LEFT_OUT: &str = "omitted by --exclude";

/// Why a source was not looked for.
const CHEAP: &str = "it costs little";

/// The files that the annotated report shows, and those with calls that are as expensive. If all of
/// the cost is asked for, all files with costs.
fn dear(session: &Session, selection: &Selection) -> BTreeSet<NameId> {
    let profile = session.profile();
    if selection.everything {
        return hit(profile);
    }
    let mut files: BTreeSet<NameId> = Files::new(session).chosen(selection).into_iter().collect();
    let sites = profile.arcs.iter().flat_map(|arc| profile.sites(arc));
    let dear = sites.filter(|site| cut::has_a_share(selection, profile, profile.site_cost(site)));
    files.extend(dear.map(|site| site.file));
    files
}

/// The files that have lines with costs, calls or inlined code.
fn hit(profile: &Profile) -> BTreeSet<NameId> {
    let lines = profile.lines.iter().map(|line| line.file);
    let sites = profile
        .arcs
        .iter()
        .flat_map(|arc| profile.sites(arc))
        .map(|site| site.file);
    let mut files: BTreeSet<NameId> = lines.chain(sites).collect();
    if let Some(inlined) = &profile.inlined {
        let chains = (0..profile
            .code
            .as_ref()
            .map_or(0, |code| code.instructions().len()))
            .map(|at| inlined.chain_at(at));
        let chains: BTreeSet<_> = chains.collect();
        files.extend(
            chains
                .into_iter()
                .flat_map(|chain| inlined.inwards_out(chain))
                .map(|link| link.file),
        );
    }
    files.retain(|&file| !matches!(profile.name(file), b"" | b"???"));
    files
}

/// What is known about the code of objects.
fn objects(
    args: &PackArgs,
    files: &[PathBuf],
    profile: &mut Profile,
) -> BTreeMap<Vec<u8>, CarriedObject> {
    let place = super::code::searched(files, &args.debug_dirs, &args.maps);
    crate::object::find_inlined(profile, &place);
    let mut objects = crate::object::carry(profile, &place, crate::object::CarriedFor::Pack);
    for (_, object) in objects
        .iter_mut()
        .filter(|(name, _)| is_left_out(args, name))
    {
        *object = CarriedObject {
            why: LEFT_OUT.into(),
            ..CarriedObject::default()
        };
    }
    objects
}

/// Lists what goes in, by folder and size, and what does not.
fn list(contents: &Contents) {
    let names = named::shown(contents.profiles.iter().map(|profile| &profile.path));
    let bytes = contents
        .profiles
        .iter()
        .map(|profile| profile.bytes.len())
        .sum();
    say(format!(
        "{}: {}",
        amount("profile", names.len(), bytes),
        some(&names)
    ));
    for (folder, (files, bytes)) in folders(&contents.carried) {
        say(format!("{} below {folder}", amount("source", files, bytes)));
    }
    let code = |object: &CarriedObject| {
        object
            .code
            .values()
            .map(|piece| piece.bytes.len())
            .sum::<usize>()
    };
    let with_code: Vec<_> = contents
        .carried
        .objects
        .iter()
        .filter(|(_, object)| code(object) > 0)
        .collect();
    if !with_code.is_empty() {
        let bytes = with_code.iter().map(|(_, object)| code(object)).sum();
        let names: Vec<String> = with_code.iter().map(|(name, _)| shown(name)).collect();
        say(format!(
            "machine code of {}: {}",
            amount("object", names.len(), bytes),
            some(&names)
        ));
    }
    let (cheap, missing): (Vec<_>, Vec<_>) =
        contents.missing.iter().partition(|(_, why)| *why == CHEAP);
    let sources = |count: usize| how_many(count, "source");
    if !missing.is_empty() {
        let names: Vec<String> = missing
            .iter()
            .map(|(name, why)| format!("{} ({why})", shown(name)))
            .collect();
        say(format!(
            "omitted: {}: {}",
            sources(names.len()),
            some(&names)
        ));
    }
    if !cheap.is_empty() {
        let all = sources(cheap.len());
        say(format!(
            "omitted: {all} with little cost\nhint: --threshold=100 packs these, too"
        ));
    }
    let unknown = contents
        .carried
        .objects
        .iter()
        .filter(|(_, object)| !object.why.is_empty());
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    unknown.for_each(|(name, object)| by_reason.entry(&object.why).or_default().push(shown(name)));
    for (why, objects) in by_reason {
        say(format!(
            "inlined functions are not known in {}: {why}",
            some(&objects)
        ));
    }
}

/// `12 sources, 3,456 bytes`
fn amount(what: &str, count: usize, bytes: usize) -> String {
    format!("{}, {} bytes", how_many(count, what), grouped(bytes))
}

/// Counts sources and bytes by folder. Folders are as deep as possible while there are at most
/// [`FOLDERS`] of them.
fn folders(carried: &Carried) -> Vec<(String, (usize, usize))> {
    let below = |depth: usize| {
        let mut folders: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (name, source) in &carried.sources {
            let path = carried.without_folder(source.found.as_ref().unwrap_or(name));
            let all = path.split(|&byte| byte == b'/');
            let parents = all.clone().count() - 1;
            let parts: Vec<&[u8]> = all
                .take(parents.min(depth + usize::from(path.starts_with(b"/"))))
                .collect();
            let folder = match &parts[..] {
                [] => ".".into(),
                [b""] => "/".into(),
                parts => shown(&parts.join(&b'/')),
            };
            let sum = folders.entry(folder).or_default();
            *sum = (sum.0 + 1, sum.1 + source.bytes.len());
        }
        folders
    };
    let few = (1..8)
        .rev()
        .map(below)
        .find(|folders| folders.len() <= FOLDERS)
        .unwrap_or_else(|| below(1));
    let mut all: Vec<_> = few.into_iter().collect();
    all.order_by(|a, b| b.1.1.cmp(&a.1.1).then_with(|| a.0.cmp(&b.0)));
    all
}
