//! Spoilt profiles through whole command lines: nothing panics, hangs or grows out of proportion,
//! and what is said holds together.
//!
//! A seed stands for a case: an input made of the fixtures (`fixtures.rs`, `spoil.rs`) and a
//! question (`questions.rs`), which is one command line or several whose answers must agree. A
//! worker process puts cases to the library in-process, thousands a second, and notes after every
//! execution where it stands (`worker.rs`); the test that started it (`supervisor.rs`) sees if it
//! dies or stands still, and starts another behind the seed that did it. What fails is made smaller
//! (`shrink.rs`) and kept in `target/tmp/campaign/`.
//!
//! `CAMPAIGN_EXECUTIONS=1000000 cargo test --release --test it campaign:: -- --nocapture` makes it
//! a long one; `CAMPAIGN_SEED=1234` begins there, with `CAMPAIGN_EXECUTIONS=1` for that seed alone.

mod case;
mod facts;
mod fixtures;
mod measure;
mod options;
mod questions;
mod run;
mod shrink;
mod spoil;
mod supervisor;
mod worker;

use crate::common::amount::rounds;

/// How many executions a campaign of the tests has, in a long run.
const LONG: u64 = 1500;

/// A number that the environment gives.
fn given(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text}: a number is needed")),
    )
}

#[test]
fn nothing_spoilt_breaks_a_report() {
    let first = given("CAMPAIGN_SEED").unwrap_or(1);
    let outcome = supervisor::campaign(
        first,
        given("CAMPAIGN_EXECUTIONS").unwrap_or_else(|| rounds(LONG)),
    );
    println!("{outcome}");
    assert!(outcome.executions > 0);
    assert!(
        outcome.failures.is_empty(),
        "{} seeds fail",
        outcome.failures.len()
    );
}

/// No test: the process that the campaign above starts.
#[test]
fn worker() {
    if let Some(job) = worker::Job::from_environment() {
        worker::work(&job);
    }
}
