//! Writes one file that opens in any browser: the whole profile, drawn and searched there, without
//! any request.
//!
//! ```text
//! view::whole -> report (columns, and the part that is read without a script) \
//!                                                                              shell -> one file
//! web/*.js (modules), web/page.css: written by hand, joined as they are       /
//! ```
//!
//! [`crate::view::whole`] decides what the page shows; the script sorts, searches and draws it.
//! `web/` has one module per task. `scripts` lists the modules, and joined in that order they are
//! one script with one scope. `tests/scripts` tests them one by one.
//!
//! Names are escaped once, here. The script only makes text nodes of them or draws them, and never
//! creates markup from text.

mod columns;
mod comments;
mod comparison;
mod plain;
mod report;
mod scripts;
mod shell;
mod trend;

pub use self::{
    comparison::write as write_comparison,
    report::{estimated_length, write},
    trend::write as write_trend,
};
