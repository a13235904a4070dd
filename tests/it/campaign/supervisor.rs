//! Starts workers until a campaign is at its end, and adds up what they note.

use super::case::Case;
use super::fixtures::Fixtures;
use super::shrink;
use super::worker::{Job, Most, Notes};
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A worker that stands still at one seed for so long hangs, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// What memory a worker can have, in kilobytes.
const MEMORY: u64 = 4 << 20;

/// What came of a campaign.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) executions: u64,
    pub(crate) failures: Vec<String>,
    seeds: (u64, u64),
    /// Cuts that were tried, and those that there are of small fixtures.
    cuts: (u64, u64),
    time: Most,
    memory: Most,
    slow: Vec<String>,
    wall: Duration,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, end) = self.seeds;
        writeln!(
            f,
            "{} executions of seeds {first}..{end} in {} s",
            self.executions,
            self.wall.as_secs()
        )?;
        writeln!(
            f,
            "cuts of whole fixtures: {} of the {} places of the small ones",
            self.cuts.0, self.cuts.1
        )?;
        let Most { value, seed } = self.time;
        writeln!(
            f,
            "most processor time of one execution: {}.{:03} s, seed {seed}",
            value / 1_000_000,
            value / 1000 % 1000
        )?;
        let Most { value, seed } = self.memory;
        writeln!(
            f,
            "most memory of one execution: {}.{} MB, seed {seed}",
            value / 1_000_000,
            value / 100_000 % 10
        )?;
        writeln!(
            f,
            "more than a second for less than 1 MB: {}",
            self.slow.len()
        )?;
        self.slow
            .iter()
            .take(20)
            .try_for_each(|slow| writeln!(f, "  {slow}"))?;
        writeln!(f, "failures: {}", self.failures.len())?;
        self.failures
            .iter()
            .try_for_each(|failure| writeln!(f, "{failure}"))
    }
}

/// Runs seeds from the first on until there are so many executions.
#[allow(clippy::print_stdout, reason = "a long campaign says where it is")]
pub(crate) fn campaign(first: u64, executions: u64) -> Outcome {
    let started = Instant::now();
    let folder = Folder::new();
    let fixtures = Fixtures::read();
    let mut outcome = Outcome {
        seeds: (first, first),
        ..Outcome::default()
    };
    let mut said = started;
    while outcome.executions < executions {
        let job = Job {
            notes: folder.0.clone(),
            from: outcome.seeds.1,
            executions: executions - outcome.executions,
        };
        let mut worker = start(&job);
        let end = watch(&mut worker, &folder.0, |stand| {
            if said.elapsed() > Duration::from_secs(60) {
                said = Instant::now();
                println!(
                    "{} s: {} executions, seed {}",
                    started.elapsed().as_secs(),
                    outcome.executions + stand[1],
                    stand[0]
                );
            }
        });
        let stand = Notes::read(&folder.0).unwrap_or_default();
        outcome.executions += stand[1];
        outcome.time.take(Most {
            value: stand[2],
            seed: stand[3],
        });
        outcome.memory.take(Most {
            value: stand[4],
            seed: stand[5],
        });
        let seed = stand[0].max(outcome.seeds.1);
        outcome.seeds.1 = seed + 1;
        if !end.as_ref().is_ok_and(ExitStatus::success) {
            let case = Case::new(seed, &fixtures);
            let why = end.map_or_else(|why| why, |status| format!("the process died: {status}"));
            let kept = shrink::keep(&case, &why);
            let text = fs::read_to_string(job.said()).unwrap_or_default();
            outcome.failures.push(format!(
                "seed {seed} ({}; {}): {why}\n    {text:.500}\n    kept in {kept}",
                case.origin,
                case.asks()
            ));
            // A seed that dies before its first execution is over is one all the same.
            outcome.executions += 1;
        }
    }
    for (list, into) in [
        ("failures", &mut outcome.failures),
        ("slow", &mut outcome.slow),
    ] {
        into.extend(paragraphs(&folder.0.join(list)));
    }
    outcome.failures.extend(
        paragraphs(&folder.0.join("large"))
            .into_iter()
            .map(|large| format!("seed {large}")),
    );
    let places = fixtures.places();
    outcome.cuts = (
        (outcome.seeds.1.div_ceil(2) - first.div_ceil(2)).min(places),
        places,
    );
    outcome.wall = started.elapsed();
    outcome
}

fn paragraphs(path: &Path) -> Vec<String> {
    let text = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&text)
        .split_terminator("\n\n")
        .map(str::to_owned)
        .collect()
}

/// This very test program, as a worker, in an empty folder, with nobody's home, and so little
/// patience with memory that much of it is an end and no stop of the machine. Memory that was given
/// back is none that it has.
fn start(job: &Job) -> Child {
    let here = job.notes.join("here");
    fs::create_dir_all(&here).expect("a folder to work in");
    let said = File::options()
        .append(true)
        .create(true)
        .open(job.said())
        .expect("a file for standard error");
    let limits = format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &limits])
        .arg(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "campaign::worker",
            "--nocapture",
            "--test-threads=1",
        ])
        .envs(job.environment())
        .env("HOME", "/nonexistent")
        .env_remove("CARGO_HOME")
        .env_remove("RUSTUP_HOME")
        .env("MALLOC_MMAP_THRESHOLD_", "131072")
        .env("MALLOC_TRIM_THRESHOLD_", "1048576")
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir(here)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said)
        .spawn()
        .expect("a worker")
}

/// Waits for the end of a worker, or ends it if it stands still.
fn watch(
    worker: &mut Child,
    folder: &Path,
    mut tell: impl FnMut(&[u64; 6]),
) -> Result<ExitStatus, String> {
    let (mut seed, mut since) = (0, Instant::now());
    loop {
        if let Some(status) = worker.try_wait().expect("its status") {
            return Ok(status);
        }
        if let Some(stand) = Notes::read(folder) {
            tell(&stand);
            if stand[0] != seed {
                (seed, since) = (stand[0], Instant::now());
            }
        }
        if since.elapsed() > PATIENCE {
            worker.kill().expect("it can be ended");
            let _ = worker.wait();
            return Err(format!("it stands still for {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A folder in memory, if there is one, that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let shared = PathBuf::from("/dev/shm");
        let root = if shared.is_dir() {
            shared
        } else {
            PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        };
        let folder = root.join(format!("cgannotate-campaign-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for notes");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
