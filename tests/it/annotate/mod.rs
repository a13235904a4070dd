//! What a person at a terminal gets: less of a report, one function, sources, and what a screen
//! shows.

#[cfg(target_os = "linux")]
pub mod first_screen;
mod help;
#[cfg(target_os = "linux")]
mod hostile;
mod narrow;
pub mod own;
#[cfg(target_os = "linux")]
mod screens;
mod sources;
mod zoom;
