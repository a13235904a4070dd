//! Good inputs of every format: all profiles below `fixtures/`, and what the generator writes.

use crate::twin::generate;
use crate::twin::mutate::Rng;
use std::fs;
use std::path::{Path, PathBuf};

/// A profile.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// All of them, in the order of their names.
pub(crate) struct Fixtures {
    all: Vec<Fixture>,
    /// Before each of the small ones, how many places for a cut those before it have; and all of
    /// them.
    places: Vec<(u64, usize)>,
    total: u64,
}

/// OrderedProfile fixtures up to this size are cut at every byte, in turn.
const SMALL: usize = 8000;

impl Fixtures {
    pub(crate) fn read() -> Fixtures {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let mut paths = Vec::new();
        collect(&root, &mut paths);
        paths.sort();
        let mut all: Vec<Fixture> = (paths.iter())
            .map(|path| Fixture {
                name: path
                    .strip_prefix(&root)
                    .expect("below it")
                    .display()
                    .to_string(),
                bytes: elsewhere(fs::read(path).expect("a fixture")),
            })
            .collect();
        all.push(Fixture {
            name: "a baseline".into(),
            bytes: BASELINE.into(),
        });
        let (mut places, mut total) = (Vec::new(), 0);
        for (at, fixture) in all
            .iter()
            .enumerate()
            .filter(|(_, fixture)| fixture.bytes.len() <= SMALL)
        {
            places.push((total, at));
            total += fixture.bytes.len() as u64;
        }
        assert!(
            all.len() > 150 && places.len() > 100,
            "{} fixtures, {} small",
            all.len(),
            places.len()
        );
        Fixtures { all, places, total }
    }

    /// How many places for a cut the small ones have together.
    pub(crate) fn places(&self) -> u64 {
        self.total
    }

    /// The fixture and the length of a cut. Neighbours in number are far apart, so that a short
    /// campaign sees all kinds.
    pub(crate) fn cut(&self, number: u64) -> (&Fixture, usize) {
        let at = number.wrapping_mul(1_000_003) % self.total;
        let (before, fixture) =
            self.places[self.places.partition_point(|&(before, _)| before <= at) - 1];
        (&self.all[fixture], (at - before) as usize)
    }

    /// One of them, more often a small one, or what the generator writes.
    pub(crate) fn pick(&self, rng: &mut Rng) -> (String, Vec<u8>) {
        if rng.one_in(4) {
            let seed = rng.below(1 << 32);
            return (
                format!("generated profile {seed}"),
                generate::profile(seed).0,
            );
        }
        let any = |rng: &mut Rng| &self.all[rng.below(self.all.len() as u64) as usize];
        let one = any(rng);
        let smaller = (0..3)
            .map(|_| any(rng))
            .min_by_key(|fixture| fixture.bytes.len());
        let chosen = smaller
            .filter(|other| other.bytes.len() < one.bytes.len() && !rng.one_in(8))
            .unwrap_or(one);
        (chosen.name.clone(), chosen.bytes.clone())
    }
}

/// Renames the libraries: with `--inlined`, those of this machine would be read, which takes as long
/// as their debug information is large.
fn elsewhere(mut bytes: Vec<u8>) -> Vec<u8> {
    let places = bytes.windows(9).enumerate();
    let places = places.filter(|(_, name)| *name == b"/usr/lib/");
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    for at in places {
        bytes[at + 1..at + 4].copy_from_slice(b"not");
    }
    bytes
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if !["goldens", "expected", "sources"].contains(&&*name) {
                collect(&path, found);
            }
        } else if path.to_str().is_some_and(cgannotate::input::is_profile) {
            found.push(path);
        }
    }
}

/// What `check --save-baseline` writes, with each kind of name.
const BASELINE: &str = "# cgannotate baseline 1\ncommand: ./program 7\nevents: Ir Dr\nevent: Sum = Ir + Dr\ntotals: 120 7\n\
functions: 4\n# function, file, object, calls, self cost, inclusive cost\n\
main\tmain.c\t/bin/program\t1\t20 1\t120 7\n\\\\back\\tslash\tmain.c\t\t3\t50 .\t50 .\n\
\\x1b[31m\t???\t/lib/x.so\t0\t. .\t. .\nr\\xe9sum\\xc3\ta b.c\t/bin/program\t2\t50 6\t50 6\n";
