//! What a person at a terminal gets: less of a report, one function, and what a screen shows.
#![allow(clippy::unwrap_used)] // helpers are no tests to clippy

#[path = "../common/mod.rs"]
mod common;

#[cfg(target_os = "linux")]
mod hostile;
mod narrow;
#[cfg(target_os = "linux")]
mod screen;
mod words;
mod zoom;
