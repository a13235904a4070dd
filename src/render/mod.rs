//! Values to bytes for people: text, tables, screens. Renderers compute nothing, sort nothing and leave nothing out.

pub mod aprof;
pub mod columns;
pub mod difference;
pub(crate) mod escape;
pub mod lists;
pub(crate) mod markup;
mod missing;
pub(crate) mod names;
pub(crate) mod number;
pub mod overview;
pub mod plot;
mod reasons;
pub mod routines;
pub mod screen;
pub(crate) mod style;
pub mod table;
pub mod text;
mod zoom;
