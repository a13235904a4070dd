//! Pages as values: what stands in a report, before anybody decides how it looks. Told the surface, a view decides what fits;
//! renderers print it.

pub mod about;
pub mod annotation;
pub mod files;
pub mod groups;
pub mod line_list;
pub mod listing;
pub mod overview;
pub mod short;
pub mod zoom;

pub use about::About;
pub use annotation::{Annotation, Item};
pub use files::{FileCosts, Files};
pub use groups::{By, Groups};
pub use listing::{Call, Listing, Row, Tree};
