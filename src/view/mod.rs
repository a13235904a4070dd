//! Pages as values: the content of a report, independent of its format. A view decides what fits
//! its surface; renderers print it.

pub mod about;
pub mod annotation;
pub mod bars;
pub mod changed_lines;
pub mod comparison;
pub mod figures;
pub mod files;
pub mod first_screen;
pub(crate) mod fit;
pub mod function_rows;
pub mod groups;
pub mod inlined;
pub mod instructions;
pub mod line_list;
pub mod listing;
pub mod next;
pub mod overview;
pub mod page;
pub(crate) mod rest;
pub mod sources;
pub mod steps;
pub mod surface;
pub mod tables;
pub mod totals;
pub mod whole;
pub mod zoom;

pub use self::{
    about::About,
    annotation::SourceItem,
    files::{FileCosts, Files, PastEnd},
    function_rows::{ArcRow, FunctionRow, FunctionRows, ListedArcs},
    groups::Groups,
    listing::Listing,
    sources::Age,
    surface::Surface,
    totals::{ListFrame, ProgramTotals},
    zoom::Zoom,
};
