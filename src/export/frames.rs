//! Names of stack frames for flame graphs.

use crate::analysis::Frame;
use crate::profile::{InlinedFunction, NameId, Profile};
use crate::text::without_controls;

/// The name of a frame, in one line.
pub(super) fn text(profile: &Profile, frame: Frame) -> String {
    match frame {
        Frame::Function(id) => plain(profile, profile.function(id).name),
        Frame::Inlined(at) => {
            inlined(profile, at).map_or("???".into(), |function| plain(profile, function.name))
        }
        Frame::Cycle(at) => format!("<cycle {}>", at + 1),
        Frame::Small => "(small stacks)".into(),
    }
}

fn plain(profile: &Profile, name: NameId) -> String {
    let name = String::from_utf8_lossy(profile.name(name));
    name.chars()
        .map(|c| without_controls(c, '\u{fffd}'))
        .collect()
}

/// Looks up an inlined function by its index.
pub(super) fn inlined(profile: &Profile, at: u32) -> Option<InlinedFunction> {
    profile
        .inlined
        .as_deref()
        .and_then(|inlined| inlined.functions.get(at as usize))
        .copied()
}
