//! One file that opens in any browser: the whole profile, drawn and searched there, without a request to anywhere.
//!
//! ```text
//! view::whole -> report (columns, and what is read without a script) \
//!                                                                      shell -> one file
//! web/*.js (modules), web/page.css: by hand, joined as they are       /
//! ```
//! What the page shows is decided in [`crate::view::whole`]; the script sorts, searches and draws it. `web/` has a module
//! for each thing that it does; joined as `scripts` lists them they are one script with one scope, and `tests/scripts` tries
//! them one by one. Names are escaped here, once: the script makes text nodes of them, or draws them, and no markup of
//! any text.

mod columns;
mod comments;
mod comparison;
mod plain;
mod report;
mod scripts;
mod shell;
mod trend;

pub use comparison::write as write_comparison;
pub use report::{estimated_length, write};
pub use trend::write as write_trend;
