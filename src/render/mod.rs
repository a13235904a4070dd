//! Values to bytes for people: text, tables, screens. Renderers compute nothing, sort nothing and leave nothing out.

pub mod aprof;
pub mod columns;
pub mod difference;
pub mod lists;
mod missing;
pub mod overview;
pub mod plot;
mod reasons;
pub mod routines;
pub mod screen;
pub mod table;
pub mod text;
mod zoom;
