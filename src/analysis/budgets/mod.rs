//! Budgets: conditions on a run, alone or compared with an earlier one.
//!
//! ```text
//! limit     := quantity "<=" bound ("&" bound)*              exceeded if above every bound
//! quantity  := metric | ("sum"|"max") "(" metric ("," metric)* ")"
//! metric    := "total." event
//!            | ("self."|"incl."|"own.") event "(" selector ")"
//!            | "calls" "(" selector ")"
//!            | "growth" "(" selector ")"    exponent of an aprof routine's cost by input size
//! event     := name | '"' name '"'          quoted if it contains characters of this grammar
//! selector  := term (blank term)*           all must match
//! term      := ["name:"|"file:"|"object:"] pattern           without a prefix, a name
//! pattern   := "/" regex "/" ["i"] | '"' text '"' | text
//!                                           text ends at a closing parenthesis or a prefix
//! bound     := number                       at most this
//!            | ("+"|"-") number             at most the baseline plus or minus this
//!            | ("+"|"-") number "%"         the same, as a percentage of the baseline
//!            | "noise"                      at most the variation of previous runs
//! number    := digits ["." digits] ["k"|"M"|"G"|"T"]         decimal multiples
//! ```
//!
//! A plain name is a whole function name. A plain file or object is a path or its last components.
//! The values of several functions that a selector matches add up, unless `max` is used.
//! `docs/check.md` describes the same for users.
//!
//! For whoever changes this: a value that cannot be measured never counts as zero. It gives
//! [`Verdict::Unknown`], not [`Verdict::Kept`]: a selector that matches nothing, an unknown event,
//! a missing baseline or a damaged input. An estimate only passes or fails if both of its bounds
//! do.

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

pub use self::{
    blame::Blamed,
    checked::{
        Checked, CheckedLimit, FunctionShare, Level, Limit, Parts, Status, in_baseline_order,
    },
    expression::{Bound, Expression, Metric, MetricKind},
    measure::{NoValue, OwnOrigin, RunCosts},
    past::{Noise, PastSample},
    selector::{NamePattern, Selector},
    sound::{doubts, remarks},
    verdict::{Against, LimitOutcome, Policy, Verdict, WhichRun},
};
