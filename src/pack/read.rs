//! Reads packs: the manifest first, then each file as it comes. Profiles are read from the stream;
//! sources and code are kept in memory.

use super::{
    MANIFEST, code,
    manifest::{Manifest, ManifestName, ObjectEntry, PackEntry, ProfileEntry},
    tar::{Entries, NotThis},
};
use crate::profile::{
    Carried, Collect, base_name,
    carried::{CarriedObject, CarriedSource},
    hex,
    inlined::State,
    names::to_path,
};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

/// Why reading a pack stopped.
pub(crate) enum Stopped<E> {
    /// An error of the system or the decompressor.
    Io(io::Error),
    /// It is not a complete pack, for this reason.
    Damaged(String),
    /// An error of the code that reads a profile.
    Reader(E),
}

impl<E> From<io::Error> for Stopped<E> {
    fn from(e: io::Error) -> Self {
        match e.downcast::<NotThis>() {
            Ok(why) => Stopped::Damaged(why.to_string()),
            Err(e) => Stopped::Io(e),
        }
    }
}

/// A profile in a pack.
pub(crate) struct InnerProfile<'p> {
    /// Its name in messages and reports: the pack, as if it were a folder, and its name there.
    pub path: PathBuf,
    /// When it was written.
    pub modified: Option<SystemTime>,
    /// The folder that is stripped from names.
    pub folder: &'p [u8],
}

/// Reads a pack, and passes its profiles to `profile`, one after the other. A third of a pack is
/// what is known of the code. It is parsed only if code is collected, and its hash is always
/// checked.
///
/// # Errors
/// The pack is corrupt, or a profile in it is.
pub(crate) fn read<E>(
    name: &Path,
    source: &mut dyn Read,
    collect: Collect,
    mut profile: impl FnMut(InnerProfile<'_>, &mut dyn Read) -> Result<(), E>,
) -> Result<Carried, Stopped<E>> {
    let mut entries = Entries::new(source);
    if entries.next_entry()?.as_deref() != Some(MANIFEST) {
        return damaged(format!("it does not begin with {MANIFEST}"));
    }
    let manifest = Manifest::read(&contents(&mut entries)?).map_err(Stopped::Damaged)?;
    let mut wanted = plan(&manifest)?;
    let mut carried = Carried {
        input: name.to_owned(),
        folder: manifest.folder.0.clone(),
        facts: manifest.facts.clone(),
        lines: manifest.lines.clone(),
        with_children: manifest.has_children(),
        missing: manifest
            .missing
            .iter()
            .map(|missing| missing.name.0.clone())
            .collect(),
        ..Carried::default()
    };
    // The hash and the contents of each file but the profiles, by its name in the pack.
    let mut files: HashMap<String, (String, Arc<[u8]>)> = HashMap::new();
    while let Some(entry) = entries.next_entry()? {
        match wanted.remove(&entry[..]) {
            None => {
                return damaged(format!(
                    "{MANIFEST} does not list `{entry}`, or the pack has it twice"
                ));
            }
            Some(Some(listed)) => {
                let modified = listed.file.time();
                carried.recorded = [carried.recorded, modified].into_iter().flatten().min();
                let inner = InnerProfile {
                    path: name.join(base(&listed.path)),
                    modified,
                    folder: &carried.folder,
                };
                let mut hashed = Hashed::new(&mut entries);
                profile(inner, &mut hashed).map_err(Stopped::Reader)?;
                io::copy(&mut hashed, &mut io::sink())?;
                check(&listed.file, &hex(hashed.hash.finalize()))?;
            }
            Some(None) => {
                let bytes = contents(&mut entries)?;
                let hash = hex(Sha256::digest(&bytes));
                files.insert(entry, (hash, bytes.into()));
            }
        }
    }
    if let Some(name) = wanted.keys().min() {
        return damaged(format!(
            "{MANIFEST} lists `{name}`, which the pack does not have"
        ));
    }
    let file = |listed: &PackEntry| -> Result<Arc<[u8]>, Stopped<E>> {
        let (hash, bytes) = files.get(&listed.entry).cloned().unwrap_or_default();
        check(listed, &hash)?;
        Ok(bytes)
    };
    for listed in &manifest.sources {
        let source = CarriedSource {
            found: listed.found.as_ref().map(|name| name.0.clone()),
            modified: listed.file.time(),
            bytes: file(&listed.file)?,
        };
        let name = listed.name.0.clone();
        if carried.sources.insert(name, source).is_some() {
            return damaged(format!("{MANIFEST} has a source twice"));
        }
    }
    for (at, listed) in manifest.objects.iter().enumerate() {
        let part = |part: &Option<PackEntry>| part.as_ref().map(file).transpose();
        let [json, code] = [part(&listed.inlined)?, part(&listed.code)?]
            .map(|bytes| bytes.filter(|_| collect.code));
        let object = code::read(json.as_deref(), code.as_deref()).and_then(|object| {
            let state = state(listed)?;
            let found = listed
                .found
                .as_ref()
                .map(|ManifestName(name)| to_path(name));
            Ok(CarriedObject {
                found,
                state,
                why: listed.why.clone(),
                build_id: listed.build_id.clone(),
                ..object
            })
        });
        let object = object.map_err(|why| Stopped::Damaged(format!("object {}: {why}", at + 1)))?;
        if carried
            .objects
            .insert(listed.name.0.clone(), object)
            .is_some()
        {
            return damaged(format!("{MANIFEST} has an object twice"));
        }
    }
    Ok(carried)
}

fn damaged<T, E>(why: String) -> Result<T, Stopped<E>> {
    Err(Stopped::Damaged(why))
}

/// The files of a pack, by their names there. Those of profiles come with what is listed of them.
fn plan<E>(manifest: &Manifest) -> Result<HashMap<&str, Option<&ProfileEntry>>, Stopped<E>> {
    let profiles = manifest
        .profiles
        .iter()
        .map(|listed| (&listed.file, Some(listed)));
    let sources = manifest.sources.iter().map(|listed| &listed.file);
    let objects = manifest
        .objects
        .iter()
        .flat_map(|listed| listed.inlined.iter().chain(&listed.code));
    let mut plan = HashMap::new();
    for (file, profile) in profiles.chain(sources.chain(objects).map(|file| (file, None))) {
        // Sources that are one file with several names have one entry.
        let before = plan.insert(&file.entry[..], profile);
        if before.is_some_and(|before| before.or(profile).is_some()) {
            return damaged(format!("{MANIFEST} has `{}` twice", file.entry));
        }
    }
    Ok(plan)
}

fn state(listed: &ObjectEntry) -> Result<State, String> {
    let all = [State::Used, State::None, State::OtherBinary];
    all.into_iter()
        .find(|state| state.name() == listed.state)
        .ok_or_else(|| format!("`{}` is not a valid state", listed.state))
}

/// The contents of an entry. Memory grows with the bytes that come, whatever size the header
/// claims.
fn contents<R: Read>(entries: &mut Entries<R>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    entries.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn check<E>(listed: &PackEntry, found: &str) -> Result<(), Stopped<E>> {
    if listed.sha256 == found {
        Ok(())
    } else {
        damaged(format!(
            "the content of `{}` does not match {MANIFEST}",
            listed.entry
        ))
    }
}

/// The last part of a path, which leads nowhere else.
fn base(path: &ManifestName) -> PathBuf {
    match base_name(&path.0) {
        b"" | b"." | b".." => "profile".into(),
        base => to_path(base),
    }
}

/// Hashes what is read.
pub(super) struct Hashed<R> {
    source: R,
    pub hash: Sha256,
}

impl<R> Hashed<R> {
    pub(super) fn new(source: R) -> Hashed<R> {
        Hashed {
            source,
            hash: Sha256::new(),
        }
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(out)?;
        self.hash.update(&out[..n]);
        Ok(n)
    }
}
