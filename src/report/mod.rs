//! Report models to bytes. Reports compute nothing, sort nothing and leave nothing out; they only print.

pub mod callgrind;
pub mod columns;
pub mod difference;
pub mod difference_json;
pub mod json;
mod reasons;
pub mod text;
pub mod webgrind;
