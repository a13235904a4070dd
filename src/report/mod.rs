//! Report models to bytes. Reports compute nothing, sort nothing and leave nothing out; they only print.

pub mod aprof;
pub mod baseline;
pub mod callgrind;
pub mod check;
pub mod columns;
pub mod difference;
pub mod difference_json;
pub mod dot;
pub(crate) mod escape;
pub mod folded;
mod frames;
pub mod json;
pub mod lists;
mod markup;
mod missing;
mod names;
pub mod overview;
pub mod plot;
mod reasons;
pub mod routines;
pub mod screen;
pub mod speedscope;
mod style;
pub mod table;
pub mod text;
pub mod webgrind;
mod zoom;
