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

pub use self::{
    cut::Rest,
    difference::Cost,
    estimate::Estimate,
    grouping::GroupBy,
    growth::Growth,
    inclusive::{Cycle, Inclusive},
    label::Label,
    narrow::{Narrow, Pattern, around, narrowed},
    ordered::OrderedProfile,
    own::Own,
    own_code::{OwnCode, Set},
    own_profile::{Folds, Reach, WithInlined},
    selection::{Selection, Threshold, UnknownEvent},
    session::Session,
    stack_tree::{Frame, Stack},
    stacks::{Basis, Stacks},
    webgrind::Digest,
};
pub(crate) use bounds::CallSide;
pub(crate) use cut::Ending;
#[cfg(feature = "export")]
pub use keyed::{FunctionKey, Keyed};
