//! Questions about a profile, answered without any input or output: what is dear, who calls whom, which lines.

pub mod about;
pub mod annotation;
pub mod budgets;
pub mod difference;
pub mod files;
pub mod growth;
pub mod inclusive;
pub mod listing;
mod ranking;
pub mod rewrite;
pub mod routines;
pub mod selection;
pub mod webgrind;
pub mod whole;

pub use about::About;
pub use annotation::{Annotation, Item};
pub use files::{FileCosts, Files};
pub use growth::Growth;
pub use inclusive::{Cycle, Inclusive};
pub use listing::{Call, Label, Listing, Row, Tree};
pub use selection::{Selection, Threshold, UnknownEvent};
pub use webgrind::Digest;
pub use whole::Whole;
