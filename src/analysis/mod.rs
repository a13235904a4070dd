//! Answers questions about a profile, without input or output: what is expensive, who calls whom,
//! which lines.

pub(crate) mod at_once;
mod beginnings;
pub mod bounds;
pub mod budgets;
pub mod callgraph;
pub(crate) mod chains;
pub mod class;
mod components;
pub mod cut;
pub mod difference;
pub mod doubts;
pub mod estimate;
mod grouping;
pub mod growth;
pub mod history;
pub mod inclusive;
pub mod inlined;
mod inlined_as_functions;
mod inlined_inclusive;
mod inlined_stacks;
pub(crate) mod jumps;
#[cfg(feature = "export")]
pub mod keyed;
pub mod label;
pub mod levels;
pub(crate) mod loops;
pub mod meant;
mod merged;
pub mod narrow;
pub mod ordered;

pub mod own;
pub mod own_code;
pub mod own_lines;
pub mod own_profile;
pub(crate) mod ranking;
pub mod rewrite;
pub mod routines;
pub mod same_code;
pub mod samples;
pub mod selection;
pub mod session;
pub mod stack_tree;
pub mod stacks;
pub mod suggestions;
pub(crate) mod ties;
pub mod webgrind;

pub(crate) use bounds::CallSide;
pub(crate) use cut::Ending;
pub use cut::Rest;
pub use difference::Cost;
pub use estimate::Estimate;
pub use grouping::GroupBy;
pub use growth::Growth;
pub use inclusive::{Cycle, Inclusive};
#[cfg(feature = "export")]
pub use keyed::{FunctionKey, Keyed};
pub use label::Label;
pub use narrow::{Narrow, Pattern, around, narrowed};
pub use ordered::OrderedProfile;
pub use own::Own;
pub use own_code::{OwnCode, Set};
pub use own_profile::{Folds, Reach, WithInlined};
pub use selection::{Selection, Threshold, UnknownEvent};
pub use session::Session;
pub use stack_tree::{Frame, Stack};
pub use stacks::{Basis, Stacks};
pub use webgrind::Digest;
