//! Writes packs. The same contents give the same bytes.

use super::{
    MANIFEST, code,
    manifest::{
        Manifest, ManifestName, MissingEntry, ObjectEntry, PackEntry, ProfileEntry, SourceEntry,
        VERSION,
    },
    tar::{append, finish},
};
use crate::profile::{Carried, Order, base_name, carried::CarriedSource, path_bytes};
use lzma_rust2::{XzOptions, XzWriter};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    io::{self, Write},
    path::PathBuf,
    time::SystemTime,
};

/// The contents of a pack.
#[derive(Default)]
pub(crate) struct Contents {
    /// The profiles, in the order of the sum.
    pub profiles: Vec<PackedProfile>,
    /// Sources and code, and the folder that is stripped from names.
    pub carried: Carried,
    /// Why sources are missing, by name.
    pub missing: BTreeMap<Vec<u8>, String>,
    /// The command line that recorded it; empty if it is not known.
    pub recorded_by: Vec<Vec<u8>>,
}

/// A profile as it was written.
pub(crate) struct PackedProfile {
    /// The path where it was.
    pub path: PathBuf,
    /// When it was written.
    pub modified: Option<SystemTime>,
    /// Its decompressed contents.
    pub bytes: Vec<u8>,
    /// The recorded command; empty if it is not known.
    pub command: Vec<u8>,
}

/// Writes a pack.
///
/// # Errors
/// `out` fails, or a file is too large for the container.
pub(crate) fn write(contents: &Contents, out: impl Write) -> io::Result<()> {
    let carried = &contents.carried;
    let mut files = PackedFiles::default();
    let mut profiles = Vec::new();
    for (at, profile) in contents.profiles.iter().enumerate() {
        let path = path_bytes(&profile.path);
        let name = entry("profiles", at, path, "");
        let file = PackEntry::new(name, &profile.bytes, profile.modified);
        files.add(&file, &profile.bytes);
        let command = ManifestName(profile.command.clone());
        profiles.push(ProfileEntry {
            file,
            path: ManifestName(path.to_vec()),
            command: Some(command).filter(|command| !command.0.is_empty()),
        });
    }
    let mut objects = Vec::new();
    for (at, (name, object)) in carried.objects.iter().enumerate() {
        let (inlined, code) = code::write(object);
        let mut add = |ending, bytes: Option<Vec<u8>>| {
            let bytes = bytes?;
            let file = PackEntry::new(entry("objects", at, name, ending), &bytes, None);
            files.add(&file, bytes);
            Some(file)
        };
        objects.push(ObjectEntry {
            name: ManifestName(name.clone()),
            found: object
                .found
                .as_ref()
                .map(|path| ManifestName(path_bytes(path).to_vec())),
            state: object.state.name(),
            why: object.why.clone(),
            build_id: object.build_id.clone(),
            inlined: add(".json", inlined),
            code: add(".code", code),
        });
    }
    let mut sorted: Vec<(&Vec<u8>, &CarriedSource)> = carried.sources.iter().collect();
    sorted.order_by_key(|(name, _)| *name);
    let mut sources = Vec::new();
    let mut known: HashMap<_, PackEntry> = HashMap::new();
    for (at, (name, source)) in sorted.into_iter().enumerate() {
        // Several names of one file have one entry.
        let file = known
            .entry((&source.bytes, source.modified))
            .or_insert_with(|| {
                let name = entry("sources", at, name, "");
                let file = PackEntry::new(name, &source.bytes, source.modified);
                files.add(&file, &source.bytes[..]);
                file
            })
            .clone();
        sources.push(SourceEntry {
            file,
            name: ManifestName(name.clone()),
            found: source.found.clone().map(ManifestName),
        });
    }
    let missing = |(name, why): (&Vec<u8>, &String)| MissingEntry {
        name: ManifestName(name.clone()),
        why: why.clone(),
    };
    let manifest = Manifest {
        cgpack: VERSION,
        creator: concat!("cgannotate ", env!("CARGO_PKG_VERSION")).into(),
        folder: ManifestName(carried.folder.clone()),
        recorded_by: contents
            .recorded_by
            .iter()
            .cloned()
            .map(ManifestName)
            .collect(),
        facts: carried.facts.clone(),
        lines: carried.lines.clone(),
        profiles,
        objects,
        sources,
        missing: contents.missing.iter().map(missing).collect(),
    };
    // A third smaller than with gzip, and reading takes only milliseconds longer.
    let mut out = XzWriter::new(out, XzOptions::with_preset(6))?;
    append(&mut out, MANIFEST, &serde_json::to_vec(&manifest)?, 0)?;
    for (name, modified, bytes) in files.0 {
        append(&mut out, &name, &bytes, modified)?;
    }
    finish(&mut out)?;
    out.finish()?.flush()
}

/// The files after the manifest: name, time, contents.
#[derive(Default)]
struct PackedFiles<'c>(Vec<(String, u64, Cow<'c, [u8]>)>);

impl<'c> PackedFiles<'c> {
    fn add(&mut self, entry: &PackEntry, bytes: impl Into<Cow<'c, [u8]>>) {
        self.0.push((
            entry.entry.clone(),
            entry.modified.unwrap_or(0),
            bytes.into(),
        ));
    }
}

/// The name of a file in the pack: its number, then the end of its name, for people who list the
/// pack.
fn entry(folder: &str, at: usize, name: &[u8], ending: &str) -> String {
    const LONGEST: usize = 60;
    let plain = |&byte: &u8| {
        if byte.is_ascii_alphanumeric() || b"._-+".contains(&byte) {
            char::from(byte)
        } else {
            '_'
        }
    };
    let base: String = base_name(name).iter().take(LONGEST).map(plain).collect();
    format!("{folder}/{}/{base}{ending}", at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_by_number_and_name() {
        assert_eq!(
            entry("sources", 0, b"/x/src/main.rs", ""),
            "sources/1/main.rs"
        );
        assert_eq!(
            entry("objects", 9, b"../a b\n\xff", ".json"),
            "objects/10/a_b__.json"
        );
        assert_eq!(entry("sources", 1, b"x/..", ""), "sources/2/..");
        assert!(entry("sources", 99_999_999, &[b'x'; 500], ".json").len() < 100);
    }
}
