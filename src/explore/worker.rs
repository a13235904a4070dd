//! The thread beside the screen: orders and filters, and gives up what is no longer wanted.

use super::data::Lenses;
use super::work::{self, Answer, Memory, Work};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::Scope;

/// The worker as the screen sees it.
pub(super) struct Worker {
    jobs: Sender<(u64, Work)>,
    answers: Receiver<(u64, Done)>,
    latest: Arc<AtomicU64>,
    /// How many jobs are not done yet.
    pub(super) open: usize,
}

/// What a job came to.
pub(super) enum Done {
    /// An answer, or the beginning of one.
    Answer(Work, Answer),
    /// There is nothing more to come.
    End,
}

impl Worker {
    /// Starts it. It ends when this is dropped.
    pub(super) fn start<'s, 'd>(lenses: &'d Lenses, scope: &'s Scope<'s, 'd>) -> Worker {
        let (jobs, to_do) = mpsc::channel::<(u64, Work)>();
        let (done, answers) = mpsc::channel();
        let latest = Arc::new(AtomicU64::new(0));
        let newest = Arc::clone(&latest);
        scope.spawn(move || {
            let mut memory = Memory::default();
            while let Ok((generation, work)) = to_do.recv() {
                let wanted = || newest.load(Ordering::Relaxed) == generation;
                if wanted() {
                    let send = |answer| {
                        // Nobody listens when the explorer has ended.
                        let _ = done.send((generation, Done::Answer(work.clone(), answer)));
                    };
                    work::answer(lenses, &mut memory, &work, wanted, send);
                }
                if done.send((generation, Done::End)).is_err() {
                    break;
                }
            }
        });
        Worker { jobs, answers, latest, open: 0 }
    }

    /// Gives it something to do; what it did before is no longer wanted.
    pub(super) fn ask(&mut self, generation: u64, work: Work) {
        self.latest.store(generation, Ordering::Relaxed);
        self.open += usize::from(self.jobs.send((generation, work)).is_ok());
    }

    /// What it has done since, of the latest generation.
    pub(super) fn done(&mut self) -> Vec<(Work, Answer)> {
        let mut found = Vec::new();
        while let Ok((generation, done)) = self.answers.try_recv() {
            match done {
                Done::Answer(work, answer) if generation == self.latest.load(Ordering::Relaxed) => {
                    found.push((work, answer))
                }
                Done::Answer(..) => {}
                Done::End => self.open = self.open.saturating_sub(1),
            }
        }
        found
    }
}
