//! The commands for CI: merge, check, convert.
#![allow(clippy::unwrap_used)] // helpers are no tests to clippy

mod check;
#[path = "../common/mod.rs"]
mod common;
mod convert;
#[cfg(unix)]
mod docs;
#[cfg(unix)]
mod gates;
mod merge;
mod names;
mod tables;

use common::fixtures;

/// The absolute path of a fixture.
fn fixture(name: &str) -> String {
    fixtures().join(name).to_str().unwrap().to_owned()
}
