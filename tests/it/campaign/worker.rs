//! The process that a campaign goes on in. After every execution it notes where it stands, so that
//! nothing is lost if it dies.

use super::case::Case;
use super::fixtures::Fixtures;
use super::questions::QUESTIONS;
use super::run::{self, Run};
use super::shrink;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a worker has to do; it stands in its environment.
pub(crate) struct Job {
    /// Where it notes things.
    pub(crate) notes: PathBuf,
    /// The first seed.
    pub(crate) from: u64,
    /// How many executions are wanted.
    pub(crate) executions: u64,
}

impl Job {
    /// For the process that is started with these variables.
    pub(crate) fn environment(&self) -> [(&'static str, String); 3] {
        [
            ("CAMPAIGN_NOTES", self.notes.display().to_string()),
            ("CAMPAIGN_FROM", self.from.to_string()),
            ("CAMPAIGN_LEFT", self.executions.to_string()),
        ]
    }

    /// What this process has to do, if it is a worker.
    pub(crate) fn from_environment() -> Option<Job> {
        let notes = std::env::var_os("CAMPAIGN_NOTES")?.into();
        Some(Job {
            notes,
            from: super::given("CAMPAIGN_FROM")?,
            executions: super::given("CAMPAIGN_LEFT")?,
        })
    }

    /// The file that its standard error goes to.
    pub(crate) fn said(&self) -> PathBuf {
        self.notes.join("said")
    }
}

/// The greatest of something, and where it was.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Most {
    pub(crate) value: u64,
    pub(crate) seed: u64,
}

impl Most {
    pub(crate) fn take(&mut self, other: Most) {
        if other.value > self.value {
            *self = other;
        }
    }
}

/// Where a worker stands, in a file that is always whole enough to be read.
pub(crate) struct Notes {
    file: File,
    folder: PathBuf,
    /// The seed that is being tried.
    pub(crate) seed: u64,
    pub(crate) executions: u64,
    /// Microseconds of processor time of one execution.
    pub(crate) time: Most,
    /// Bytes of memory of one execution, beyond what the process had before.
    pub(crate) memory: Most,
    /// Memory before the first.
    idle: u64,
}

/// At most so much processor time.
const TIME: Duration = Duration::from_secs(1);
/// At most so many times the input and so much beside.
const MEMORY: (u64, u64) = (100, 50 << 20);
/// Memory that was freed can stay with the process, and what takes it again seems to need none.
/// Where so much has stayed, the worker ends, and another goes on.
const STALE: u64 = 16 << 20;

impl Notes {
    fn new(folder: &Path) -> Notes {
        let file = File::create(folder.join("stand")).expect("a file for notes");
        let idle = super::measure::now();
        let none = Most::default();
        Notes {
            file,
            folder: folder.into(),
            seed: 0,
            executions: 0,
            time: none,
            memory: none,
            idle,
        }
    }

    /// What the file says.
    pub(crate) fn read(folder: &Path) -> Option<[u64; 6]> {
        let text = fs::read_to_string(folder.join("stand")).ok()?;
        let numbers: Option<Vec<u64>> = text
            .split_whitespace()
            .map(|word| word.parse().ok())
            .collect();
        numbers?.try_into().ok()
    }

    /// A seed begins.
    fn begin(&mut self, seed: u64) {
        self.seed = seed;
        self.save();
    }

    fn save(&self) {
        use std::os::unix::fs::FileExt;
        let Notes {
            seed,
            executions,
            time,
            memory,
            ..
        } = self;
        let numbers = [
            *seed,
            *executions,
            time.value,
            time.seed,
            memory.value,
            memory.seed,
        ];
        let text: String = numbers
            .iter()
            .map(|number| format!("{number:>20} "))
            .collect();
        self.file
            .write_all_at(text.as_bytes(), 0)
            .expect("notes can be written");
    }

    /// An execution has ended.
    pub(crate) fn executed(
        &mut self,
        seed: u64,
        took: Duration,
        memory: u64,
        size: u64,
        line: &str,
    ) {
        self.executions += 1;
        self.time.take(Most {
            value: took.as_micros().try_into().unwrap_or(u64::MAX),
            seed,
        });
        self.memory.take(Most {
            value: memory,
            seed,
        });
        if size < 1 << 20 && took > TIME {
            self.add(
                "slow",
                &format!("{seed}: {} ms for {size} bytes: {line}", took.as_millis()),
            );
        }
        if memory > MEMORY.0.saturating_mul(size) + MEMORY.1 {
            self.add(
                "large",
                &format!("{seed}: {memory} bytes of memory for {size} bytes: {line}"),
            );
        }
        self.save();
    }

    /// A paragraph in one of the lists of what was noticed.
    pub(crate) fn add(&self, list: &str, text: &str) {
        let file = File::options()
            .append(true)
            .create(true)
            .open(self.folder.join(list));
        let mut file = file.expect("a list can be written");
        file.write_all(format!("{}\n\n", text.replace("\n\n", "\n")).as_bytes())
            .expect("a list can be written");
    }
}

/// Tries seeds until there are enough executions.
pub(crate) fn work(job: &Job) {
    run::keep_panics();
    let fixtures = Fixtures::read();
    let mut notes = Notes::new(&job.notes);
    let said_path = job.said().display().to_string();
    let said = File::options()
        .write(true)
        .open(&said_path)
        .expect("standard error is a file");
    let supervisor = parent_id();
    for seed in job.from.. {
        // Nobody waits for what a worker finds whose supervisor is gone.
        if parent_id() != supervisor {
            break;
        }
        if notes.executions >= job.executions || super::measure::now() > notes.idle + STALE {
            break;
        }
        notes.begin(seed);
        let case = Case::new(seed, &fixtures);
        let mut run = Run {
            said: &said,
            said_path: &said_path,
            notes: &mut notes,
            seed,
            counts: true,
            size: 0,
        };
        if let Err(problem) = put(&mut run, &case) {
            run.counts = false;
            let small = shrink::shrink(&mut run, &case, &problem);
            let kept = shrink::keep(&small, &problem);
            notes.add(
                "failures",
                &format!(
                    "seed {seed} ({}; {}): {problem}\n    kept in {kept}",
                    case.origin,
                    case.asks()
                ),
            );
        }
    }
}

/// Puts a case.
pub(crate) fn put(run: &mut Run, case: &Case) -> Result<(), String> {
    fs::write("a", &case.input).map_err(|e| e.to_string())?;
    fs::write("b", &case.other).map_err(|e| e.to_string())?;
    run.size = [&case.input, &case.other]
        .map(|bytes| unpacked(bytes))
        .iter()
        .sum();
    QUESTIONS[case.question].1(run, &mut case.rng())
}

/// The size of an input, in the worst case of what it may grow to.
fn unpacked(bytes: &[u8]) -> u64 {
    let packed = [&b"\x1f\x8b"[..], b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"]
        .iter()
        .any(|magic| bytes.starts_with(magic));
    bytes.len() as u64 * if packed { 250 } else { 1 }
}
