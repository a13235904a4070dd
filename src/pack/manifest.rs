//! The first file of a pack: its table of contents, as JSON. `docs/pack.md` describes it.

use super::MANIFEST;
use crate::profile::hex;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

/// The version that is written. Earlier ones are read.
pub(crate) const VERSION: u32 = 2;

/// The contents of a pack.
#[derive(Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the format.
    pub cgpack: u32,
    /// The program that wrote it.
    pub creator: String,
    /// The folder where it was made.
    pub folder: ManifestName,
    /// The command line that recorded it, if it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recorded_by: Vec<ManifestName>,
    /// What the run depended on besides the program's source.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// The hashes of lines of your files, by file and line.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lines: BTreeMap<String, BTreeMap<u64, u32>>,
    /// The profiles, in the order of the sum.
    pub profiles: Vec<ProfileEntry>,
    /// The executables and libraries.
    pub objects: Vec<ObjectEntry>,
    /// The sources.
    pub sources: Vec<SourceEntry>,
    /// The sources that it does not contain.
    pub missing: Vec<MissingEntry>,
}

/// A file of the pack.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct PackEntry {
    /// Its name in the pack.
    pub entry: String,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes.
    pub sha256: String,
    /// The last time of modification, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<u64>,
}

/// A profile.
#[derive(Serialize, Deserialize)]
pub(crate) struct ProfileEntry {
    #[serde(flatten)]
    pub file: PackEntry,
    /// The path where it was.
    pub path: ManifestName,
    /// The recorded command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<ManifestName>,
}

/// An executable or library.
#[derive(Serialize, Deserialize)]
pub(crate) struct ObjectEntry {
    /// Its name in the profile.
    pub name: ManifestName,
    /// The file that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<ManifestName>,
    /// How the search for its debug information ended: `used`, `none`, `other-binary`.
    pub state: String,
    /// The reason, as a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// The file with the inlined functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inlined: Option<PackEntry>,
    /// The file with machine code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<PackEntry>,
}

/// A source file.
#[derive(Serialize, Deserialize)]
pub(crate) struct SourceEntry {
    #[serde(flatten)]
    pub file: PackEntry,
    /// Its name in the profile.
    pub name: ManifestName,
    /// Where it was found, if elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<ManifestName>,
}

/// A source that the pack does not contain.
#[derive(Serialize, Deserialize)]
pub(crate) struct MissingEntry {
    /// Its name in the profile.
    pub name: ManifestName,
    /// The reason.
    pub why: String,
}

impl Manifest {
    /// Whether the recording included programs that the program started, by Valgrind's options; the
    /// last one counts.
    pub(crate) fn has_children(&self) -> bool {
        let options = self
            .recorded_by
            .iter()
            .skip(1)
            .map(|word| &word.0[..])
            .take_while(|word| word.starts_with(b"--"));
        let asked = options.filter_map(|option| option.strip_prefix(b"--trace-children="));
        asked.last() == Some(b"yes")
    }

    /// Reads the manifest.
    ///
    /// # Errors
    /// It is not a manifest of a known version.
    pub(crate) fn read(bytes: &[u8]) -> Result<Manifest, String> {
        #[derive(Deserialize)]
        struct Version {
            cgpack: u32,
        }
        let wrong = |e: serde_json::Error| format!("{MANIFEST}: {e}");
        let Version { cgpack } = serde_json::from_slice(bytes).map_err(wrong)?;
        if !(1..=VERSION).contains(&cgpack) {
            return Err(format!(
                "{MANIFEST}: version {cgpack} of packs is not known; versions up to {VERSION} are"
            ));
        }
        serde_json::from_slice(bytes).map_err(wrong)
    }
}

impl PackEntry {
    /// The entry of a file with these contents.
    pub(crate) fn new(entry: String, bytes: &[u8], modified: Option<SystemTime>) -> PackEntry {
        let since = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        PackEntry {
            entry,
            size: bytes.len() as u64,
            sha256: hex(Sha256::digest(bytes)),
            modified: since.map(|s| s.as_secs()),
        }
    }

    /// The last time of modification.
    pub(crate) fn time(&self) -> Option<SystemTime> {
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(self.modified?))
    }
}

/// A name: a string if it is text, else `{"hex": "…"}` with its bytes.
#[derive(PartialEq, Debug)]
pub(crate) struct ManifestName(pub(crate) Vec<u8>);

impl Serialize for ManifestName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => to.serialize_str(text),
            Err(_) => Spelling::Bytes { hex: hex(&self.0) }.serialize(to),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Spelling {
    Text(String),
    Bytes { hex: String },
}

impl<'de> Deserialize<'de> for ManifestName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ManifestName, D::Error> {
        match Spelling::deserialize(from)? {
            Spelling::Text(text) => Ok(ManifestName(text.into_bytes())),
            Spelling::Bytes { hex } => unhex(&hex)
                .map(ManifestName)
                .ok_or_else(|| D::Error::custom("odd hexadecimal digits")),
        }
    }
}

fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, []) = hex.as_bytes().as_chunks::<2>() else {
        return None;
    };
    pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_or_bytes() {
        for (name, json) in [
            (&b"/a b/\xc3\xa4.c"[..], "\"/a b/ä.c\""),
            (b"\xff\0x", "{\"hex\":\"ff0078\"}"),
            (b"", "\"\""),
        ] {
            let name = ManifestName(name.to_vec());
            assert_eq!(serde_json::to_string(&name).unwrap(), json);
            assert_eq!(serde_json::from_str::<ManifestName>(json).unwrap(), name);
        }
        for wrong in [
            "{\"hex\":\"f\"}",
            "{\"hex\":\"0g\"}",
            "7",
            "{}",
            "{\"hex\":\"é\"}",
        ] {
            assert!(
                serde_json::from_str::<ManifestName>(wrong).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn another_version_is_named() {
        let error = |text: &str| Manifest::read(text.as_bytes()).err().unwrap();
        let unknown = |version| {
            format!("manifest.json: version {version} of packs is not known; versions up to 2 are")
        };
        assert_eq!(
            [error("{\"cgpack\":3}"), error("{\"cgpack\":0}")],
            [unknown(3), unknown(0)]
        );
        for version in 1..=2 {
            assert!(
                error(&format!("{{\"cgpack\":{version}}}"))
                    .starts_with("manifest.json: missing field `creator`")
            );
        }
        assert!(error("[").starts_with("manifest.json: "));
    }
}
