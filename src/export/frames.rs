//! The names of stack frames in flame graphs.

use crate::analysis::stacks::Frame;
use crate::profile::Profile;
use crate::text::escape::without_controls;

/// The name of a frame, on one line.
pub(super) fn text(profile: &Profile, frame: Frame) -> String {
    match frame {
        Frame::Function(id) => {
            let name = String::from_utf8_lossy(profile.name(profile.function(id).name));
            name.chars().map(|c| without_controls(c, '\u{fffd}')).collect()
        }
        Frame::Cycle(at) => format!("<cycle {}>", at + 1),
        Frame::Small => "(small stacks)".into(),
    }
}
