//! Questions about a profile, answered without any input or output: what is dear, who calls whom, which lines.

pub mod about;
pub mod annotation;
pub mod budgets;
pub mod callgraph;
mod chains;
pub mod class;
pub mod difference;
pub mod doubts;
pub mod files;
pub mod groups;
pub mod growth;
pub mod inclusive;
pub mod line_list;
pub mod listing;
pub mod narrow;
pub mod near;
pub mod overview;
mod ranking;
pub mod rewrite;
pub mod routines;
pub mod selection;
pub mod stacks;
pub mod webgrind;
pub mod whole;
pub mod zoom;

pub use about::About;
pub use annotation::{Annotation, Item};
pub use files::{FileCosts, Files};
pub use groups::{By, Groups};
pub use growth::Growth;
pub use inclusive::{Cycle, Inclusive};
pub use listing::{Call, Label, Listing, Row, Tree};
pub use narrow::{Narrow, Pattern};
pub use selection::{Selection, Threshold, UnknownEvent};
pub use webgrind::Digest;
pub use whole::Whole;
