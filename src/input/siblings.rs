//! Files that one run writes beside each other: one a thread, one a dump. Readers and commands ask, to say what is left out.

use super::open::is_stream;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The files of single threads (`callgrind.out.1-01`) and earlier dumps (`callgrind.out.1.1`) beside a base file.
pub(crate) fn companions(path: &Path) -> Vec<String> {
    let (Some(dir), Some(base)) = (path.parent(), path.file_name().and_then(|n| n.to_str())) else {
        return Vec::new();
    };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut found: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            name.strip_prefix(base).is_some_and(|rest| {
                rest.len() > 1
                    && rest.starts_with(['-', '.'])
                    && rest[1..].bytes().all(|b| b.is_ascii_digit() || b == b'-')
            })
        })
        .map(|name| path.with_file_name(name).to_string_lossy().into_owned())
        .collect();
    found.sort();
    found
}

/// Files of other threads of the same runs that lie beside some inputs and are not among them, by name. A thread's file
/// has the name of the run's and its number (`callgrind.out.1-02`), and the same process in its head.
pub fn threads_left_out(names: &[String]) -> Vec<String> {
    let named: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let mut found = BTreeSet::new();
    for name in names.iter().filter(|name| !is_stream(name)) {
        let base =
            name.rsplit_once('-').filter(|(_, thread)| is_thread(thread)).map_or(name.as_str(), |(base, _)| base);
        let process = process(name);
        let others = companions(Path::new(base)).into_iter().filter(|other| {
            let thread = other.strip_prefix(base).and_then(|rest| rest.strip_prefix('-'));
            thread.is_some_and(is_thread) && !named.contains(other.as_str())
        });
        found.extend(others.filter(|other| process.is_some() && self::process(other) == process));
    }
    found.into_iter().collect()
}

/// Threads are numbered with at least two digits.
fn is_thread(text: &str) -> bool {
    text.len() > 1 && text.bytes().all(|b| b.is_ascii_digit())
}

/// The number of the process in the head of a file that is not compressed.
fn process(name: &str) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    fs::metadata(name).ok().filter(fs::Metadata::is_file)?;
    File::open(name).ok()?.take(4096).read_to_end(&mut head).ok()?;
    head.split(|&b| b == b'\n').find_map(|line| line.strip_prefix(b"pid:")).map(|pid| pid.trim_ascii().to_vec())
}
