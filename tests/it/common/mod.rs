//! Helpers of the tests: fixtures in a folder of their own, the program run there, reports made
//! comparable.

pub mod amount;
pub mod binary;
pub mod needed;
pub mod schema;

use cgannotate::analysis::Inclusive;
use cgannotate::input;
use cgannotate::profile::{Counts, Profile};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// The rule above and below a heading.
pub const RULE: &str =
    "--------------------------------------------------------------------------------";

/// Sources of this machine's toolchains are no part of a test.
pub const LISTED: &str = "--sources=listed";

/// The counts of a row as numbers: what was never written is 0.
pub fn counts(row: Counts<'_>) -> Vec<i64> {
    row.recorded().map(|count| count.unwrap_or(0)).collect()
}

/// A broken file of the name `x` is refused in one line that names it, or of the profile that was
/// read from it lines add up to functions, and inclusive costs have a count of each event that self
/// costs have: what calls cost may contradict itself.
pub fn is_read_or_refused(what: &str, read: Result<Profile, input::Error>) {
    let profile = match read {
        Ok(profile) => profile,
        Err(e) => {
            let message = e.to_string();
            assert!(
                message.starts_with('x') && !message.contains('\n'),
                "{what}: {message}"
            );
            return;
        }
    };
    let inclusive = Inclusive::new(&profile);
    for id in profile.function_ids() {
        let of_function = counts(profile.self_counts(id));
        let mut of_lines = Vec::new();
        profile
            .lines_of(id)
            .iter()
            .for_each(|line| add_to(&mut of_lines, &counts(profile.line_counts(line))));
        of_lines.resize(of_function.len(), 0);
        assert!(
            !profile.format.has_lines || of_lines == of_function,
            "{what}: {of_lines:?} {of_function:?}"
        );
        assert!(
            inclusive.counts(id).recorded().count() >= of_function.len(),
            "{what}"
        );
    }
}

/// Adds a row of counts to a sum.
pub fn add_to(sum: &mut Vec<i64>, more: &[i64]) {
    sum.resize(sum.len().max(more.len()), 0);
    sum.iter_mut()
        .zip(more)
        .for_each(|(sum, count)| *sum += count);
}

/// `fixtures/`.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The absolute path of a fixture.
pub fn fixture(name: &str) -> String {
    fixtures().join(name).to_str().unwrap().to_owned()
}

/// The files of this repository below a folder whose names end in `.extension`, by their paths,
/// with their texts.
pub fn files_of(folder: &str, extension: &str) -> BTreeMap<String, String> {
    let mut folders = vec![PathBuf::from(folder)];
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.insert(
                    path.to_str().unwrap().to_owned(),
                    fs::read_to_string(entry.path()).unwrap(),
                );
            }
        }
    }
    found
}

/// Every recorded profile below `fixtures/` that has content, as `folder/file`; not the cases and
/// regressions, which were made up.
pub fn profiles() -> Vec<String> {
    let mut found = Vec::new();
    for folder in fs::read_dir(fixtures()).unwrap() {
        let folder = folder.unwrap();
        let not_recorded = ["answers", "goldens", "cases", "regressions"];
        if !folder.file_type().unwrap().is_dir()
            || not_recorded.iter().any(|name| folder.file_name() == *name)
        {
            continue;
        }
        for file in fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            if is_profile(&name) && file.metadata().unwrap().len() > 0 {
                found.push(format!("{}/{name}", folder.file_name().to_str().unwrap()));
            }
        }
    }
    found.sort();
    assert!(
        found.len() > 40,
        "only {} profiles below fixtures/",
        found.len()
    );
    found
}

/// Files of several parts, which the original cannot read.
pub fn has_parts(profile: &str) -> bool {
    let text = fs::read(fixtures().join(profile)).unwrap();
    text.split(|&b| b == b'\n')
        .filter(|line| line.starts_with(b"events:") || line.starts_with(b"part:"))
        .count()
        > 2
}

fn is_profile(name: &str) -> bool {
    name.contains(".out") || name.ends_with(".kcg")
}

/// Noon of a day of January 2024.
pub fn day(day: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_704_110_400 + (day - 1) * 86_400)
}

/// Whether an option asks for JSON.
fn is_json(option: &str) -> bool {
    ["--format=json", "--report=json"].contains(&option)
}

/// A folder of its own that goes away with the test.
pub struct Stage {
    pub dir: PathBuf,
}

impl Stage {
    /// An empty one.
    pub fn empty() -> Stage {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "stage-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&dir).unwrap();
        Stage { dir }
    }

    /// A copy of a folder of `fixtures/` in which profiles are newer than sources.
    pub fn of(fixture: &str) -> Stage {
        let stage = Stage::empty();
        copy(&fixtures().join(fixture), &stage.dir);
        stage
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Stage {
        fs::write(self.dir.join(name), text).unwrap();
        self
    }

    /// Writes a file into it, and the folders it is in.
    pub fn add(&self, name: &str, text: impl AsRef<[u8]>) -> &Stage {
        fs::create_dir_all(self.dir.join(name).parent().unwrap()).unwrap();
        self.write(name, text)
    }

    /// Sets the time of a file's last change.
    pub fn date(&self, name: &str, time: SystemTime) -> &Stage {
        File::options()
            .write(true)
            .open(self.dir.join(name))
            .unwrap()
            .set_modified(time)
            .unwrap();
        self
    }

    /// Makes the names of sources that lie here absolute in a profile.
    pub fn absolute(&self, profile: &str) -> &Stage {
        let text = fs::read_to_string(self.dir.join(profile)).unwrap();
        let here = self.dir.to_str().unwrap();
        let mut out = String::new();
        for line in text.split_inclusive('\n') {
            let of_file = ["fl=", "fi=", "fe=", "cfi=", "cfl="]
                .iter()
                .any(|key| line.starts_with(key));
            let name = line.trim_end().rsplit([' ', '=']).next().unwrap();
            if of_file && !name.is_empty() && self.dir.join(name).is_file() {
                out += &line.replace(name, &format!("{here}/{name}"));
            } else {
                out += line;
            }
        }
        assert_ne!(out.contains(here), out == text);
        fs::write(self.dir.join(profile), out).unwrap();
        self.date(profile, day(2))
    }

    /// The program, to be run here.
    pub fn command(&self, args: &[&str]) -> Command {
        self.any(env!("CARGO_BIN_EXE_cgannotate"), args)
    }

    /// Another program, to be run here, with nobody's home: what is found must not depend on what
    /// is installed.
    pub fn any(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .env("LC_ALL", "C")
            .env("NO_COLOR", "1");
        command
            .env("HOME", "/nonexistent")
            .env_remove("CARGO_HOME")
            .env_remove("RUSTUP_HOME");
        command
    }

    /// Runs the program here. JSON fits the schema.
    pub fn run(&self, args: &[&str]) -> Output {
        let out = self.command(args).output().unwrap();
        if out.stdout.starts_with(b"{") && args.iter().any(|arg| is_json(arg)) {
            schema::assert_fits(&args, &out.stdout);
        }
        out
    }

    /// What the program prints here; it must succeed.
    pub fn report(&self, args: &[&str]) -> String {
        let out = self.run(args);
        assert!(
            out.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap()
    }

    /// The same as a document of JSON, which is asked for.
    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.report(&[args, &["--format=json"]].concat())).unwrap()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Copies a folder; profiles are a day newer than sources.
pub fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
            continue;
        }
        fs::write(&target, fs::read(entry.path()).unwrap()).unwrap();
        let age = if is_profile(entry.file_name().to_str().unwrap()) {
            2
        } else {
            1
        };
        File::options()
            .write(true)
            .open(&target)
            .unwrap()
            .set_modified(day(age))
            .unwrap();
    }
}

/// A recorded report of the original, and how it was made.
pub struct Golden {
    pub path: String,
    pub fixture: String,
    pub file: String,
    pub options: Vec<String>,
    pub sources: Vec<String>,
}

impl Golden {
    /// All of the manifest.
    pub fn all() -> Vec<Golden> {
        let manifest = fs::read_to_string(fixtures().join("goldens/manifest.tsv")).unwrap();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let goldens: Vec<Golden> = (manifest.lines().filter(|line| !line.starts_with('#')))
            .map(|line| {
                let mut fields = line.split('\t');
                let mut field = || fields.next().unwrap();
                let (path, profile) = (field().to_owned(), field());
                let (fixture, file) = profile.split_once('/').unwrap();
                let (fixture, file) = (fixture.to_owned(), file.to_owned());
                Golden {
                    path,
                    fixture,
                    file,
                    options: words(field()),
                    sources: words(field()),
                }
            })
            .collect();
        assert!(goldens.len() > 150, "only {} goldens", goldens.len());
        goldens
    }

    /// The profile, as `folder/file`.
    pub fn profile(&self) -> String {
        format!("{}/{}", self.fixture, self.file)
    }

    /// The recorded report.
    pub fn text(&self) -> String {
        fs::read_to_string(fixtures().join("goldens").join(&self.path)).unwrap()
    }

    /// The arguments after any that come first.
    pub fn args<'a>(&'a self, first: &[&'a str]) -> Vec<&'a str> {
        let rest = self
            .options
            .iter()
            .chain([&self.file])
            .chain(&self.sources)
            .map(String::as_str);
        first.iter().copied().chain(rest).collect()
    }

    /// Whether it asks for inclusive costs or arcs.
    pub fn asks_for_calls(&self) -> bool {
        self.options
            .iter()
            .any(|o| o == "--inclusive=yes" || (o.starts_with("--tree=") && o != "--tree=none"))
    }
}

/// Whether a signal is ignored here, as hangups are below `nohup` and interrupts in what a script
/// runs in the background: nothing that is started here ends by it. Says so if it is.
#[cfg(unix)]
pub fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    let ignored = mask >> (signal - 1) & 1 == 1;
    if ignored {
        let skipped =
            format!("skipped: signal {signal} is ignored here, so that nothing ends by it\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), skipped.as_bytes());
    }
    ignored
}

/// A block of lines that begin with `@`, and a blank line after it, as one line: its words are not
/// part of the report.
pub fn one_warning(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if !line.starts_with('@') {
            out.push_str(line);
            continue;
        }
        while lines.next_if(|line| line.starts_with('@')).is_some() {}
        lines.next_if(|line| *line == "\n");
        out.push_str("@ WARNING\n");
    }
    out
}

/// Puts into a fixed order what the original prints in the order of a hash: named sources,
/// annotated files, callers and callees with equal costs. Nothing else is changed.
pub fn canonical(text: &str) -> String {
    let text = sort_sources(text);
    let lines: Vec<&str> = text.split('\n').collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&at| is_file_heading(&lines, at))
        .collect();
    let Some(&last) = starts.last() else {
        return sort_ties(&lines).join("\n");
    };
    let tail = (last + 2..lines.len())
        .find(|&at| ends_files(&lines, at))
        .unwrap_or(lines.len());
    let ends = starts[1..].iter().copied().chain([tail]);
    let mut files: Vec<Vec<&str>> = starts
        .iter()
        .zip(ends)
        .map(|(&a, b)| sort_ties(&lines[a..b]))
        .collect();
    files.sort_by_key(|file| file[1]);
    let mut out = sort_ties(&lines[..starts[0]]);
    out.extend(files.into_iter().flatten());
    out.extend(&lines[tail..]);
    out.join("\n")
}

/// Whether an annotated file begins at a line.
pub fn is_file_heading(lines: &[&str], at: usize) -> bool {
    let heading = |line: &&str| {
        line.starts_with("-- Auto-annotated source: ")
            || line.starts_with("-- User-annotated source: ")
    };
    lines[at] == RULE && lines.get(at + 1).is_some_and(heading)
}

/// Whether what follows the last annotated file begins at a line: the files not found, or the share
/// annotated.
pub fn ends_files(lines: &[&str], at: usize) -> bool {
    lines[at] == RULE
        && lines.get(at + 1).is_some_and(|next| {
            next.starts_with("The following files chosen")
                || (lines.get(at + 2) == Some(&RULE) && !next.starts_with("-- "))
        })
}

fn sort_ties<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    // The counts of a caller or callee, and the arrow.
    let key = |line: &'a str| {
        let arrows = [" < ", " >   ", " => "].into_iter();
        arrows
            .filter_map(|arrow| Some((line.find(arrow)?, arrow)))
            .min()
            .map(|(at, arrow)| (&line[..at], arrow))
    };
    let mut out = lines.to_vec();
    out.chunk_by_mut(|a, b| key(a).is_some() && key(a) == key(b))
        .for_each(<[&str]>::sort_unstable);
    out
}

fn sort_sources(text: &str) -> String {
    let (Some(start), Some(end)) = (
        text.find("\nUser annotated:"),
        text.find("\nAuto-annotation:"),
    ) else {
        return text.to_owned();
    };
    let mut names: Vec<&str> = text[start + 1..end]
        .split('\n')
        .map(|line| &line[18..])
        .collect();
    names.sort_unstable();
    format!(
        "{}\nUser annotated:   {}{}",
        &text[..start],
        names.join("\n                  "),
        &text[end..]
    )
}

/// Bytes as `gzip` packs them.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Fails with the first lines that differ.
pub fn assert_same(what: &str, want: &str, got: &str) {
    if let Some(difference) = difference(want, got) {
        panic!("{what}\n{difference}");
    }
}

/// The first line that differs, with its number.
pub fn difference(want: &str, got: &str) -> Option<String> {
    if want == got {
        return None;
    }
    let (mut a, mut b) = (want.split('\n'), got.split('\n'));
    for number in 1.. {
        let (x, y) = (a.next(), b.next());
        if x != y {
            let show = |line: Option<&str>| {
                line.map_or("(the end)".to_owned(), |l| l.escape_debug().to_string())
            };
            return Some(format!(
                "  line {number}\n    wanted {}\n    got    {}",
                show(x),
                show(y)
            ));
        }
    }
    None
}
