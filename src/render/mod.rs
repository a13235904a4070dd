//! Values to bytes for people: text, tables, screens. Renderers compute nothing, sort nothing and leave nothing out.

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
pub mod table;
pub mod text;
pub mod trend;
mod zoom;

/// The fewest columns of a screen that names get before numbers are left out.
const NAME: usize = 24;
