//! Compares many runs of one program: the cost of each function in every run, and when it changed.
//!
//! [`HistoryBuilder`] collects runs, each reduced to one event, and makes a [`History`] of them.
//! [`Rule`] finds steps in the costs of one function, and [`Trend`] is the result. The command
//! `trend` uses all of it; limits on noise use the rule. Nothing depends on the order in which runs
//! are added, on times or on chance.

mod collected;
mod objects;
mod reason;
mod rule;
mod together;
mod trend;

pub use self::{
    collected::{History, HistoryBuilder, Who},
    reason::{Elsewhere, Largest},
    rule::{Band, Rule},
    trend::{RunAbout, Trend, TrendChange, TrendKind, TrendRow},
};
