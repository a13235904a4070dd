//! Many runs of one program: what each function cost in every run, and when that changed.
//!
//! [`HistoryBuilder`] collects runs, each reduced to one event, and makes a [`History`] of them; [`Rule`] finds steps in the
//! costs of one function; [`Trend`] is what is told. The command `trend` asks for all of it, limits on noise for the rule.
//! Nothing depends on the order in which runs are added, on times or on chance.

mod collected;
mod objects;
mod reason;
mod rule;
mod together;
mod trend;

pub use collected::{By, History, HistoryBuilder, Measure, Row, Series, Who};
pub use reason::{Elsewhere, Largest};
pub use rule::{Band, Drift, Found, Rule, Step};
pub use trend::{Kind, Noise, RunAbout, Trend, TrendChange, TrendRow, Wanted};
