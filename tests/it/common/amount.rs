//! How much is tried. `cargo test` tries a part of the made-up inputs and of the fixtures, so that
//! it is a matter of minutes of processor time without optimisation; `LONG_TESTS=1 cargo test`
//! tries all of them, as `.ci/run` does.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Of fixtures that are all tried in the same way, one in so many is in a short run.
const SHORT: usize = 12;

/// Whether everything is tried.
pub fn is_long() -> bool {
    std::env::var_os("LONG_TESTS").is_some_and(|value| !value.is_empty() && value != "0")
}

/// How many made-up inputs are tried, of so many in a long run.
pub fn rounds(all: u64) -> u64 {
    if is_long() { all } else { all.div_ceil(24) }
}

/// How many of something a test must have seen at least, where a long run sees so many.
pub fn at_least(all: usize) -> usize {
    if is_long() { all } else { all / (3 * SHORT) }
}

/// In which ways one of several things is tried, which is the one at `at`. In a short run that is
/// every second way, and for the next thing the others: every thing and every way is met, but not
/// each pair of them.
pub fn ways<W: Clone>(at: usize, all: &[W]) -> Vec<W> {
    let is_tried = |way: usize| is_long() || way % 2 == at % 2;
    all.iter()
        .enumerate()
        .filter(|(way, _)| is_tried(*way))
        .map(|(_, way)| way.clone())
        .collect()
}

/// Those that are tried. Which ones of a short run is by the name of the test, so that tests
/// together leave none out.
pub fn some<T>(all: Vec<T>) -> Vec<T> {
    if is_long() {
        return all;
    }
    let name =
        BuildHasherDefault::<DefaultHasher>::default().hash_one(std::thread::current().name());
    all.into_iter()
        .skip(name as usize % SHORT)
        .step_by(SHORT)
        .collect()
}
