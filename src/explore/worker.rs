//! The worker thread. It sorts and filters, and stops work that a newer request replaces.
//!
//! For whoever changes this: a request has a generation, and `latest` holds that of the newest one.
//! The thread compares the two between steps, and [`Worker::done`] drops results of older
//! generations. So the result of a cancelled request never arrives. Each request ends with
//! `None`, also a cancelled one; otherwise `open` would never return to 0.

use super::{
    Lenses,
    work::{self, Answer, Memory, Work},
};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
};

/// The screen's end of the worker thread.
pub(super) struct Worker {
    jobs: Sender<(u64, Work)>,
    /// The results, possibly partial ones, each with its generation; `None` ends a request.
    answers: Receiver<(u64, Option<(Work, Answer)>)>,
    latest: Arc<AtomicU64>,
    /// `None` once the thread has been joined.
    thread: Option<JoinHandle<()>>,
    /// How many requests are unfinished.
    pub open: usize,
}

impl Worker {
    /// Starts the thread. It ends some time after this value is dropped; nothing waits for it.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub(super) fn start(lenses: &Arc<Lenses>) -> io::Result<Worker> {
        let (jobs, to_do) = mpsc::channel::<(u64, Work)>();
        let (done, answers) = mpsc::channel();
        let latest = Arc::new(AtomicU64::new(0));
        let newest = Arc::clone(&latest);
        let lenses = Arc::clone(lenses);
        let thread = thread::Builder::new().spawn(move || {
            let mut memory = Memory::default();
            while let Ok((generation, work)) = to_do.recv() {
                let wanted = || newest.load(Ordering::Relaxed) == generation;
                if wanted() {
                    let send = |answer| {
                        // Sending fails if the explorer has ended.
                        let _ = done.send((generation, Some((work.clone(), answer))));
                    };
                    work::answer(&lenses, &mut memory, &work, wanted, send);
                }
                if done.send((generation, None)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Worker {
            jobs,
            answers,
            latest,
            thread: Some(thread),
            open: 0,
        })
    }

    /// Sends a request and cancels the earlier ones.
    pub(super) fn ask(&mut self, work: Work) {
        let generation = self.latest.fetch_add(1, Ordering::Relaxed) + 1;
        self.open += usize::from(self.jobs.send((generation, work)).is_ok());
    }

    /// The new results of the latest generation. A panic of the thread continues here.
    pub(super) fn done(&mut self) -> Vec<(Work, Answer)> {
        if let Some(Err(panic)) = self
            .thread
            .take_if(|thread| thread.is_finished())
            .map(JoinHandle::join)
        {
            std::panic::resume_unwind(panic);
        }
        let mut found = Vec::new();
        while let Ok((generation, done)) = self.answers.try_recv() {
            match done {
                Some(answer) if generation == self.latest.load(Ordering::Relaxed) => {
                    found.push(answer)
                }
                Some(_) => {}
                None => self.open = self.open.saturating_sub(1),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Session, Set};
    use crate::explore::Data;
    use crate::input::{self, Options};
    use crate::profile::{FunctionId, Profile};
    use crate::view::instructions::Told;
    use std::sync::Mutex;
    use std::time::Duration;

    /// A worker with this disassembler.
    fn worker(teller: impl Fn() -> Told + Send + Sync + 'static) -> (Worker, FunctionId) {
        let profile = input::read_from(
            "x",
            "events: Ir\nfl=a.c\nfn=f\n1 1\n".as_bytes(),
            &Options::all(),
        )
        .unwrap();
        let id = profile.function_ids().next().unwrap();
        let data = Data::new(Session::new(profile), Vec::new());
        let mut lenses = Lenses::new(data, Set::own(Vec::new()), Default::default());
        lenses.teller = Box::new(move |_: &Profile, _| teller());
        (Worker::start(&Arc::new(lenses)).unwrap(), id)
    }

    #[test]
    fn whoever_ends_does_not_wait_for_work_that_goes_on() {
        let (begun, has_begun) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        let may_go_on = Mutex::new(may_go_on);
        let (ended, has_ended) = mpsc::channel();
        let (mut worker, id) = worker(move || {
            begun.send(()).unwrap();
            let _ = may_go_on.lock().unwrap().recv();
            ended.send(()).unwrap();
            Told {
                texts: Ok(Vec::new()),
                inlined: None,
            }
        });
        worker.ask(Work::Code(id));
        has_begun.recv().unwrap();
        drop(worker);
        assert!(has_ended.try_recv().is_err(), "it is still at work");
        drop(go_on);
        has_ended.recv_timeout(Duration::from_secs(60)).unwrap();
    }

    #[test]
    fn answers_to_an_earlier_question_are_dropped() {
        let (begun, has_begun) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        let may_go_on = Mutex::new(may_go_on);
        let (mut worker, id) = worker(move || {
            begun.send(()).unwrap();
            let _ = may_go_on.lock().unwrap().recv();
            Told {
                texts: Ok(Vec::new()),
                inlined: None,
            }
        });
        worker.ask(Work::Code(id));
        has_begun.recv().unwrap();
        worker.ask(Work::Code(id));
        drop(go_on);
        let mut answers = 0;
        while worker.open > 0 {
            answers += worker.done().len();
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(answers, 1);
    }

    #[test]
    #[should_panic = "of the worker"]
    fn a_panic_of_the_worker_is_not_passed_over() {
        let (mut worker, id) = worker(|| panic!("of the worker"));
        worker.ask(Work::Code(id));
        for _ in 0..6000 {
            worker.done();
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
