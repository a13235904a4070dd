//! Numbers, names and characters as people read them. Nothing here reads or writes: views use it to
//! decide what fits, renderers and exports to write it.

pub(crate) mod escape;
pub(crate) mod markup;
pub(crate) mod names;
pub(crate) mod natural;
pub(crate) mod number;
pub(crate) mod separated;
pub(crate) mod shell;
#[cfg(feature = "cli")]
pub(crate) mod style;
pub(crate) mod wrap;

pub(crate) use self::{
    escape::{shown, without_controls},
    number::{duration, grouped, how_many, signed, some},
    wrap::{fitted_to, wrapped},
};
#[cfg(feature = "cli")]
pub(crate) use style::{Style, styled, write_styled};
