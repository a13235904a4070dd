//! Appends to a recorded profile what is known now of its binaries, and of what else the run
//! depended on: a later report or comparison needs it.

use super::console::{self, say};
use crate::analysis::doubts;
use crate::input::{self, Options};
use crate::object::{self, Where};
use crate::pack::Contents;
use crate::pack::details::{LONGEST, hashed, lines};
use crate::profile::carried::CarriedObject;
use crate::profile::{Carried, Collect, Event, Order};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Details have at most this percentage of the size of their profile.
const SHARE: u64 = 12;

/// Appends the details. Reports if they are incomplete or cannot be written. A profile that is too
/// small for any gets their first line alone, without a message.
pub(super) fn append(file: &Path, facts: &BTreeMap<String, String>) {
    let said = match try_append(file, facts) {
        Ok(share) if share < 0.05 => return,
        Ok(share) => format!(
            "details omit the inlined functions of executables and libraries with {share:.1} % of the cost: they are limited to {SHARE} % of the profile and 16 MiB"
        ),
        Err(e) => format!("details are not appended: {e}"),
    };
    say(&format!("{}: {said}", file.display()));
}

/// Returns the percentage of the cost in objects whose inlined functions were omitted, the cheapest
/// first.
fn try_append(file: &Path, facts: &BTreeMap<String, String>) -> io::Result<f64> {
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
    let mut contents = Contents {
        carried: Carried {
            objects: object::carry(&profile, &place),
            facts: facts.clone(),
            ..Carried::default()
        },
        ..Contents::default()
    };
    for object in contents.carried.objects.values_mut() {
        object.code.clear();
    }
    let (size, hash) = (file.metadata()?.len(), hashed(File::open(file)?)?);
    let most = (size * SHARE / 100).min(LONGEST as u64);
    let (mut left, _) = doubts::objects(&profile, Event::Recorded(0));
    left.order_by(|a, b| b.share.total_cmp(&a.share).then(a.path.cmp(b.path)));
    let mut omitted = 0.0;
    let details = loop {
        let mut details = lines(&hash, &contents)?;
        if details.len() as u64 <= most {
            break details;
        }
        let Some(cheapest) = left.pop() else {
            let end = details.iter().position(|&byte| byte == b'\n');
            details.truncate(end.map_or(0, |end| end + 1));
            omitted = 0.0;
            break details;
        };
        if let Some(object) = contents.carried.objects.get_mut(cheapest.path) {
            omitted += cheapest.share;
            *object = CarriedObject {
                build_id: object.build_id.take(),
                ..CarriedObject::default()
            };
        }
    };
    File::options()
        .append(true)
        .open(file)?
        .write_all(&details)?;
    Ok(omitted)
}
