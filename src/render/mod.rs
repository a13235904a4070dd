//! Values to bytes for people: text, tables, screens. Renderers compute nothing, sort nothing and leave nothing out.

#[cfg(feature = "cli")]
pub mod aprof;
#[cfg(feature = "cli")]
pub mod columns;
#[cfg(feature = "cli")]
pub mod difference;
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "other formats need less of it than terminals"))]
pub mod lists;
#[cfg(feature = "cli")]
mod missing;
#[cfg(feature = "cli")]
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "other formats need less of it than terminals"))]
#[cfg(feature = "cli")]
pub mod overview;
pub mod plot;
#[cfg(feature = "cli")]
mod reasons;
pub mod routines;
#[cfg(feature = "cli")]
pub mod screen;
#[cfg(feature = "cli")]
pub mod table;
#[cfg(feature = "cli")]
pub mod text;
#[cfg(feature = "cli")]
mod zoom;
