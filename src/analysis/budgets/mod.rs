//! Budgets: what must hold of a run, alone or against an earlier one.
//!
//! ```text
//! limit     := quantity "<=" bound ("&" bound)*              exceeded if it is above every bound
//! quantity  := metric | ("sum"|"max") "(" metric ("," metric)* ")"
//! metric    := "total." event
//!            | ("self."|"incl."|"own.") event "(" selector ")"
//!            | "calls" "(" selector ")"
//!            | "growth" "(" selector ")"                     the exponent of an aprof routine's cost by input size
//! event     := name | '"' name '"'                           quoted if there are signs of this grammar in it
//! selector  := term (blank term)*                            all must hold
//! term      := ["name:"|"file:"|"object:"] pattern           one without a prefix is a name
//! pattern   := "/" regex "/" ["i"] | '"' text '"' | text     plain text goes to the closing parenthesis or next prefix
//! bound     := number                                        no more than this
//!            | ("+"|"-") number                              no more than the baseline plus or minus this
//!            | ("+"|"-") number "%"                          no more than the baseline plus or minus this share of it
//!            | "noise"                                       no more than what the runs before vary by
//! number    := digits ["." digits] ["k"|"M"|"G"|"T"]         decimal multiples
//! ```
//!
//! A plain name is a whole function name; a plain file or object is a path or its last components. Several functions
//! that a selector matches are added up, unless `max` is asked for. `docs/check.md` has the same for users.
//!
//! What cannot be measured is never taken for zero: a selector that matches nothing, an event that is not there, a
//! baseline that is missing or an input that is damaged gives [`Verdict::Unknown`], not [`Verdict::Kept`].

mod blame;
mod checked;
mod cycles;
mod expression;
mod measure;
mod parse;
mod past;
mod selector;
mod sound;
mod verdict;

pub use blame::{Blamed, Partners};
pub use checked::{
    Checked, CheckedLimit, FunctionShare, Level, Limit, Parts, Status, in_baseline_order,
};
pub use expression::{Bound, Expression, Fold, Metric, Number, Quantity};
pub use measure::{NoValue, OwnCosts, Side};
pub use parse::LimitError;
pub use past::{Noise, Sample};
pub use selector::{NamePattern, Selector};
pub use sound::{doubts, remarks};
pub use verdict::{Against, LimitOutcome, Policy, Verdict, WhichRun};
