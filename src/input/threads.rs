//! Files of other threads that lie beside the inputs. Commands ask, to say what is left out.

use super::open::is_stream;
use super::siblings::beside;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files of other threads of the same runs that lie beside some inputs and are not among them, by name. A thread's file
/// has the name of the run's and its number (`callgrind.out.1-02`), and the same process in its head.
pub fn threads_left_out(names: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    let named: BTreeSet<&Path> = names.iter().map(AsRef::as_ref).collect();
    let mut found = BTreeSet::new();
    for &path in named.iter().filter(|name| !is_stream(name)) {
        let Some(name) = path.file_name().map(|name| name.as_encoded_bytes()) else { continue };
        let dash = memchr::memrchr(b'-', name).filter(|&dash| is_thread(&name[dash + 1..]));
        let others = beside(path, &name[..dash.unwrap_or(name.len())])
            .filter(|(other, rest)| rest.strip_prefix(b"-").is_some_and(is_thread) && !named.contains(other.as_path()));
        let process = process(path);
        found.extend(
            others.map(|(other, _)| other).filter(|other| process.is_some() && self::process(other) == process),
        );
    }
    found.into_iter().collect()
}

/// Threads are numbered with at least two digits.
fn is_thread(text: &[u8]) -> bool {
    text.len() > 1 && text.iter().all(u8::is_ascii_digit)
}

/// The number of the process in the head of a file that is not compressed.
fn process(name: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    fs::metadata(name).ok().filter(fs::Metadata::is_file)?;
    File::open(name).ok()?.take(4096).read_to_end(&mut head).ok()?;
    head.split(|&b| b == b'\n').find_map(|line| line.strip_prefix(b"pid:")).map(|pid| pid.trim_ascii().to_vec())
}
