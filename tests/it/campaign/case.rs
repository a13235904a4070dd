//! What a seed stands for.

use super::fixtures::Fixtures;
use super::questions::{QUESTIONS, REPORT};
use super::spoil;
use crate::twin::mutate::Rng;

/// An input, perhaps a second one, and the question they are put to.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    /// Where the inputs came from.
    pub(crate) origin: String,
    pub(crate) input: Vec<u8>,
    /// A second input of the same kind, less spoilt.
    pub(crate) other: Vec<u8>,
    /// A place among the questions.
    pub(crate) question: usize,
}

impl Case {
    /// Every other seed is a cut of a whole fixture: together they go through all places of all
    /// small fixtures.
    pub(crate) fn new(seed: u64, fixtures: &Fixtures) -> Case {
        let mut rng = Rng::new(seed);
        if seed.is_multiple_of(2) {
            let (fixture, end) = fixtures.cut(seed / 2);
            let origin = format!("the first {end} bytes of {}", fixture.name);
            let question = if rng.one_in(4) {
                rng.below(QUESTIONS.len() as u64) as usize
            } else {
                REPORT
            };
            return Case {
                seed,
                origin,
                input: fixture.bytes[..end].to_vec(),
                other: fixture.bytes.clone(),
                question,
            };
        }
        let (name, good) = fixtures.pick(&mut rng);
        let input = spoil::spoil(&mut rng, &good, fixtures);
        let other = if rng.one_in(2) {
            good
        } else {
            fixtures.pick(&mut rng).1
        };
        let question = rng.below(QUESTIONS.len() as u64) as usize;
        Case {
            seed,
            origin: format!("{name}, spoilt"),
            input,
            other,
            question,
        }
    }

    /// The dice of the question.
    pub(crate) fn rng(&self) -> Rng {
        Rng::new(!self.seed)
    }

    /// What is asked.
    pub(crate) fn asks(&self) -> &'static str {
        QUESTIONS[self.question].0
    }
}
