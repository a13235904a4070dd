//! Report models to bytes. Reports compute nothing, sort nothing and leave nothing out; they only print.

pub mod callgrind;
pub mod columns;
pub mod json;
pub mod text;
pub mod webgrind;
