//! `cgannotate convert --to tables`: writes the files of a run into a folder, all or none.

use super::{Usage, inputs, output::Output, part::UnfinishedFile, workflow::Content};
use crate::{
    analysis::Keyed,
    cli::ConvertArgs,
    export::tables::{FLEET_TABLES, RunTables, escaped},
    profile::Profile,
};
use anyhow::{Context, Result, bail};
use std::{fs, path::Path};

/// Writes the tables of a profile.
pub(super) fn write(args: &ConvertArgs, parent: &Path, mut profile: Profile) -> Result<()> {
    args.input.derive(&mut profile.events, &args.show)?;
    let events = match &args.show {
        None => profile.events.stored().collect(),
        name => vec![inputs::event(name.as_ref(), &profile)?],
    };
    let name = (args.label.clone()).unwrap_or_else(|| usual_name(&profile));
    let keyed = Keyed::new(profile);
    let run = RunTables {
        name: &name,
        keyed: &keyed,
        events: &events,
    };
    let unwritten = |path: &Path| format!("{}: cannot be written", path.display());
    fs::create_dir_all(parent).with_context(|| unwritten(parent))?;
    if name.is_empty() || name == "-" {
        bail!(Usage(
            "the run needs a name\nhint: `--label TEXT` gives it one".into()
        ));
    }
    let to = parent.join(folder(&name));
    if to.exists() {
        bail!(
            "{}: already exists\nhint: `--label TEXT` gives this run another name",
            to.display()
        );
    }
    let part = UnfinishedFile::folder(&to).with_context(|| unwritten(&to))?;
    // The folder appears when it is complete, so its files can have their names at once.
    for table in &FLEET_TABLES {
        let mut out = Output::file(&part.path().join(table.file), Content::Text)?;
        run.write(table, &mut out)?;
        out.finish()?;
    }
    part.replace(&to).with_context(|| unwritten(&to))
}

/// The default name of a run: its label, or the name of the first file.
fn usual_name(profile: &Profile) -> String {
    let label = profile
        .parts
        .first()
        .and_then(|part| part.described(b"Label"))
        .filter(|label| !label.is_empty());
    let input = || {
        profile
            .inputs
            .first()
            .and_then(|input| input.file_name())
            .unwrap_or_default()
    };
    escaped(label.unwrap_or_else(|| input().as_encoded_bytes())).into_owned()
}

/// The name of the folder of a run, which engines read as a partition: `run=` and the name of the
/// run. Characters other than letters, digits and a few signs are written as `%` and two
/// hexadecimal digits for each byte.
fn folder(name: &str) -> String {
    let mut folder = String::from("run=");
    for character in name.chars() {
        match character {
            '.' | '_' | '-' | '+' | '@' => folder.push(character),
            _ if character.is_alphanumeric() => folder.push(character),
            _ => (character.to_string().bytes())
                .for_each(|byte| folder.push_str(&format!("%{byte:02X}"))),
        }
    }
    folder
}
