//! Asks binaries and debug files about the instructions of a profile, if a report needs it.

use crate::profile::Profile;
use crate::request::annotate::Request;
use anyhow::Result;
use std::path::PathBuf;

/// Finds out which functions were inlined where, if that is asked for and the profile has instructions.
#[cfg(feature = "object")]
pub(super) fn ask(profile: &mut Profile, request: &Request, profiles: &[PathBuf]) -> Result<()> {
    if request.code.inlined && profile.code.as_ref().is_some_and(|code| !code.is_empty()) {
        let place = crate::object::Where {
            maps: request.sources.maps.clone(),
            debug_dirs: request.code.debug_dirs.clone(),
            profiles: profiles.to_vec(),
            force: request.code.force,
            objdump: None,
        };
        crate::object::find_inlined(profile, &place);
    }
    Ok(())
}

/// Nothing of that is here.
#[cfg(not(feature = "object"))]
pub(super) fn ask(_: &mut Profile, request: &Request, _: &[PathBuf]) -> Result<()> {
    if request.code.inlined {
        anyhow::bail!(super::Usage("--inlined: this program was built without the feature `object`".into()));
    }
    Ok(())
}
