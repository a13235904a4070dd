//! Formats values for people: text, tables, screens. The view decides which rows there are and in
//! which order. Renderers only format them: they may shorten names and omit columns that do not
//! fit.

mod annotated;
pub mod aprof;
pub mod columns;
pub mod difference;
mod inlined;
mod instructions;
mod listing;
mod missing;
pub mod overview;
pub mod page;
pub mod plot;
mod reasons;
pub mod screen;
mod sentence;
pub mod table;
pub mod text;
pub mod trend;
mod zoom;

/// On a screen, names get at least this many columns before numbers are omitted.
const NAME: usize = 24;
