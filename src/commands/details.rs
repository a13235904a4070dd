//! Appends to a recorded profile what is known now of its binaries, and of what else the run
//! depended on: a later report or comparison needs it.

use super::console::{self, say};
use crate::input::{self, Options};
use crate::object::{self, Where};
use crate::pack::Contents;
use crate::pack::details::{LONGEST, hashed, lines};
use crate::profile::Collect;
use crate::profile::carried::Carried;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Details have at most this percentage of the size of their profile.
const SHARE: u64 = 12;

/// Appends the details. Reports if they are incomplete or cannot be written. A profile that is too
/// small for any stays as it is, without a message.
pub(super) fn append(file: &Path, facts: &BTreeMap<String, String>) {
    let said = match try_append(file, facts) {
        Ok(None) => return,
        Ok(Some(share)) => format!(
            "details have inlined functions for only {share:.1} % of the cost: they are limited to {SHARE} % of the profile and 16 MiB"
        ),
        Err(e) => format!("details are not appended: {e}"),
    };
    say(&format!("{}: {said}", file.display()));
}

/// Returns the percentage of the cost whose inlined functions were appended. `None` if that is all,
/// or if nothing was appended.
fn try_append(file: &Path, facts: &BTreeMap<String, String>) -> io::Result<Option<f64>> {
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::FUNCTIONS
        },
        ..Options::all()
    };
    let mut profile = input::read(&[file], &options).map_err(io::Error::other)?;
    let place = Where {
        profiles: vec![file.to_owned()],
        budget: console::budget(),
        ..Where::default()
    };
    object::find_inlined(&mut profile, &place);
    let (size, hash) = (file.metadata()?.len(), hashed(File::open(file)?)?);
    let most = (size * SHARE / 100).min(LONGEST as u64);
    let rows = profile.code.iter().flat_map(|code| code.instructions());
    let mut costs: Vec<u64> = rows.map(|(_, row)| row.size()).collect();
    costs.sort_unstable_by(|a, b| b.cmp(a));
    let mut kept = costs.len();
    let details = loop {
        let least = costs.get(kept).map_or(0, |cost| cost + 1);
        let contents = Contents {
            carried: Carried {
                objects: object::carry(&profile, &place, Some(least)),
                facts: facts.clone(),
                ..Carried::default()
            },
            ..Contents::default()
        };
        let details = lines(&hash, &contents)?;
        if details.len() as u64 <= most {
            break details;
        }
        // A profile of a few kilobytes has no room.
        if kept == 0 {
            return Ok(None);
        }
        kept /= 2;
    };
    File::options()
        .append(true)
        .open(file)?
        .write_all(&details)?;
    let sum = |costs: &[u64]| costs.iter().map(|&cost| cost as f64).sum::<f64>();
    Ok((kept < costs.len()).then(|| 100.0 * sum(&costs[..kept]) / sum(&costs)))
}
