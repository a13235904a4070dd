//! Writes profiles and results in the formats of other programs, one file per format. Nothing here
//! depends on a terminal.

pub mod baseline;
pub mod callgrind;
#[cfg(feature = "cli")]
pub mod check;
pub mod difference_json;
pub mod dot;
pub mod flamegraph;
pub mod folded;
mod frames;
pub mod json;
mod json_code;
mod json_parts;
mod json_rows;
mod json_zoom;
pub mod pprof;
#[cfg(test)]
mod schema_tests;
pub mod speedscope;
pub mod tables;
pub mod trend_json;
pub mod webgrind;
