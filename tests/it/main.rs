//! The program and the library from outside, a module a topic.
//!
//! One binary, because each further one is linked with everything once more.
//! `cargo test --test it zoom` runs what has `zoom` in its name.
#![allow(clippy::unwrap_used, unreachable_pub)] // helpers are no tests to clippy, and nobody imports a test

mod annotate;
#[cfg(target_os = "linux")]
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
#[cfg(all(unix, feature = "serve"))]
mod lsp;
#[cfg(all(unix, feature = "serve"))]
mod mcp;
mod merge;
mod merged;
mod names;
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
mod schema;
#[cfg(unix)]
mod shown;
#[cfg(target_os = "linux")]
mod suggested;
mod sums;
mod surfaces;
mod tables;
mod trend;
mod twin;
mod workflow;
