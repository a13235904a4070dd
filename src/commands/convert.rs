//! `cgannotate convert`: a profile for other tools.

use super::output::Output;
use super::{complain, inputs};
use crate::analysis::Digest;
use crate::cli::{ConvertArgs, ToArg};
use crate::profile::{Collect, Profile};
use crate::report::webgrind;
use anyhow::Result;
use std::process::ExitCode;

/// Reads, adds up, writes.
pub(super) fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let profile = inputs::read(&args.files, &args.input, Collect::ALL, Vec::new())?;
    let mut out = Output::open(&args.output)?;
    match args.to {
        ToArg::Webgrind => to_webgrind(&profile, &mut out)?,
    }
    out.finish()?;
    Ok(inputs::status(&profile.warnings, &args.input))
}

fn to_webgrind(profile: &Profile, out: &mut Output) -> Result<()> {
    let digest = Digest::new(profile)?;
    if digest.unit > 1 {
        complain(&format!(
            "counts of 2^32 and more do not fit into webgrind's format: it gets units of {}",
            digest.unit
        ));
    }
    webgrind::write(&digest, out)?;
    Ok(())
}
