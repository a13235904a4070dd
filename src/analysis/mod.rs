//! Questions about a profile, answered without any input or output: what is dear, who calls whom, which lines.

pub mod bounds;
pub mod budgets;
pub mod callgraph;
pub(crate) mod chains;
pub mod class;
pub mod cut;
pub mod difference;
pub mod doubts;
mod edits;
pub mod estimate;
pub mod growth;
pub mod inclusive;
pub mod label;
pub mod meant;
pub mod narrow;
pub mod ordered;
pub(crate) mod ranking;
pub mod rewrite;
pub mod routines;
pub mod samples;
pub mod selection;
pub mod session;
pub mod stacks;
pub mod suggestions;
pub mod webgrind;

pub use estimate::Estimate;
pub use growth::Growth;
pub use inclusive::{Cycle, Inclusive};
pub use label::Label;
pub use narrow::{Narrow, Pattern};
pub use ordered::OrderedProfile;
pub use selection::{Purpose, Selection, Threshold, UnknownEvent};
pub use session::Session;
pub use webgrind::Digest;
