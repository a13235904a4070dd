//! The program and the library from outside, a module a topic.
//!
//! One binary, because each further one is linked with everything once more.
//! `cargo test --test it zoom` runs what has `zoom` in its name.
#![allow(clippy::unwrap_used, unreachable_pub)] // helpers are no tests to clippy, and nobody imports a test

mod annotate;
#[cfg(all(target_os = "linux", feature = "explore", feature = "object"))]
mod answers;
mod arguments;
mod arrows;
#[cfg(unix)]
mod benches;
mod bounds;
mod builds;
#[cfg(target_os = "linux")]
mod campaign;
mod check;
#[cfg(unix)]
mod ci_docs;
#[cfg(unix)]
mod ci_steps;
mod classic;
mod code;
mod common;
#[cfg(target_os = "linux")]
mod completion;
mod constants;
mod contexts;
mod convert;
mod cuts;
mod diff;
mod errors;
mod examples;
#[cfg(feature = "explore")]
mod explore;
mod fleet;
mod folders;
mod foreign;
mod formats;
#[cfg(unix)]
mod gates;
mod house;
mod inputs;
mod json;
mod linkage;
mod loops;
mod merge;
mod merged;
mod names;
#[cfg(all(target_os = "linux", feature = "explore"))]
mod options;
mod pack;
mod pack_reports;
mod page;
#[cfg(unix)]
mod passed_on;
#[cfg(unix)]
mod ratios;
mod record;
#[cfg(unix)]
mod recorded_files;
#[cfg(all(target_os = "linux", feature = "explore", feature = "object"))]
mod schema;
#[cfg(all(unix, feature = "explore", feature = "object"))]
mod shown;
#[cfg(target_os = "linux")]
mod suggested;
mod sums;
#[cfg(feature = "explore")]
mod surfaces;
mod tables;
mod trend;
mod twin;
mod workflow;
