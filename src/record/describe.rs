//! Writes what a profile says of its own run: label, commit and recording, as `desc:` lines of its
//! header.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::Path,
    process::{Command, Stdio},
};

/// Announces details to whoever reads the header: a person, or this program.
pub(crate) const ANNOUNCED: &str = "at the end of the file";

/// What is written into a profile.
#[derive(Clone)]
pub(crate) struct Description {
    /// The user's name for the run.
    pub label: Option<String>,
    /// The commit of the current folder.
    pub commit: Option<String>,
    /// How many callers of each function are recorded.
    pub callers: Option<u16>,
    /// An id that all files of one recording have in common, if it has several.
    pub recording: Option<String>,
    /// Whether details will be appended.
    pub details: bool,
}

/// The commit of the current folder, with `+` if files differ from it; `None` without git or
/// commit.
pub(crate) fn commit() -> Option<String> {
    let mut git = Command::new("git");
    git.args("describe --always --abbrev=12 --dirty=+ --exclude=*".split(' '));
    let out = git
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|out| out.status.success())?;
    let text = String::from_utf8(out.stdout).ok()?;
    let commit = text.trim();
    let is_commit =
        !commit.is_empty() && commit.bytes().all(|b| b.is_ascii_hexdigit() || b == b'+');
    is_commit.then(|| commit.to_owned())
}

impl Description {
    fn lines(&self) -> String {
        let details = self.details.then(|| ANNOUNCED.to_owned());
        let callers = self.callers.map(|callers| callers.to_string());
        let all = [
            ("Label", &self.label),
            ("Commit", &self.commit),
            ("Callers", &callers),
            ("Recording", &self.recording),
            ("Details", &details),
        ];
        all.iter()
            .filter_map(|(kind, text)| Some(format!("desc: {kind}: {}\n", text.as_ref()?)))
            .collect()
    }

    /// Writes it into the header of a Callgrind profile, after the line of the command. The new
    /// file replaces the old one when it is complete; if anything fails, the old one stays.
    ///
    /// # Errors
    /// The profile cannot be read or written.
    pub(crate) fn write_into(&self, path: &Path) -> io::Result<()> {
        let lines = self.lines();
        if lines.is_empty() {
            return Ok(());
        }
        let mut input = BufReader::new(File::open(path)?);
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = Path::new(&part);
        // An existing one belongs to somebody else, and stays.
        let mut out = BufWriter::new(File::create_new(part)?);
        let written = (|| {
            fs::set_permissions(part, fs::metadata(path)?.permissions())?;
            let mut line = Vec::new();
            // The fifth line in Callgrind's files; a file without one in twenty lines is not
            // Callgrind's.
            for _ in 0..20 {
                line.clear();
                if input.read_until(b'\n', &mut line)? == 0 {
                    break;
                }
                out.write_all(&line)?;
                if line.starts_with(b"cmd:") {
                    out.write_all(lines.as_bytes())?;
                    break;
                }
            }
            io::copy(&mut input, &mut out)?;
            out.flush()?;
            fs::rename(part, path)
        })();
        if written.is_err() {
            // It may not exist.
            let _ = fs::remove_file(part);
        }
        written
    }
}
