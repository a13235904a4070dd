//! Names of stack frames for flame graphs.

use crate::{
    analysis::Frame,
    profile::{InlinedFunction, NameId, Profile},
    text::without_controls,
};

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

/// The file of a frame, unless it stands for several functions.
pub(super) fn file(profile: &Profile, frame: Frame) -> Option<NameId> {
    match frame {
        Frame::Function(id) => Some(profile.function(id).file),
        Frame::Inlined(at) => inlined(profile, at).map(|function| function.file),
        Frame::Cycle(_) | Frame::Small => None,
    }
}

/// Looks up an inlined function by its index.
fn inlined(profile: &Profile, at: u32) -> Option<&InlinedFunction> {
    profile.inlined.as_ref()?.functions.get_index(at as usize)
}
