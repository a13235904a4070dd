//! The program before it runs: where it is, and what would make its profile poor.

use super::{Children, Remark};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A program that can be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// What Valgrind is to run: the program, and its arguments.
    pub command: Vec<OsString>,
    remarks: Vec<Remark>,
}

/// Why a program cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotFound {
    /// There is none of this name.
    Absent(OsString),
    /// There is a file, which nobody may run.
    NotExecutable(PathBuf),
}

impl NotFound {
    /// The exit status, which is a shell's.
    pub fn status(&self) -> u8 {
        match self {
            NotFound::Absent(_) => 127,
            NotFound::NotExecutable(_) => 126,
        }
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFound::Absent(name) => write!(f, "there is no program {}", name.display()),
            NotFound::NotExecutable(path) => write!(f, "{} cannot be run: it is not executable", path.display()),
        }
    }
}

impl std::error::Error for NotFound {}

/// Finds a program as a shell does: a name without a slash along `PATH`.
///
/// # Errors
/// There is none, or it may not be run.
pub(super) fn find(name: &OsStr) -> Result<PathBuf, NotFound> {
    if name.as_encoded_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return match fs::metadata(&path) {
            Ok(meta) if meta.is_file() && is_executable(&meta) => Ok(path),
            Ok(_) => Err(NotFound::NotExecutable(path)),
            Err(_) => Err(NotFound::Absent(name.to_owned())),
        };
    }
    let all = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&all).map(|folder| folder.join(name));
    let runs = |path: &PathBuf| fs::metadata(path).is_ok_and(|meta| meta.is_file() && is_executable(&meta));
    places.find(runs).ok_or_else(|| NotFound::Absent(name.to_owned()))
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

impl Found {
    /// Finds a program and looks at it.
    ///
    /// # Errors
    /// There is none, or it may not be run.
    pub fn new(name: &OsStr, args: &[OsString]) -> Result<Found, NotFound> {
        let path = find(name)?;
        let mut command = vec![name.to_owned()];
        let mut remarks = Vec::new();
        match interpreter(&path) {
            Some((interpreter, first)) => {
                // `env` would become the interpreter, and Valgrind lose it there.
                let is_env = interpreter.file_name() == Some(OsStr::new("env"));
                let interpreter = match first.first().filter(|_| is_env && first.len() == 1) {
                    Some(real) => find(real)?,
                    None => interpreter,
                };
                if is_env && first.len() == 1 {
                    command = vec![interpreter.clone().into(), path.clone().into()];
                }
                remarks.push(Remark::Script(interpreter));
            }
            None => remarks.extend(look_inside(&path)),
        }
        command.extend(args.iter().cloned());
        Ok(Found { path, command, remarks })
    }
}

impl Found {
    /// What is to be said before it runs.
    pub fn remarks(&self, children: Children) -> impl Iterator<Item = &Remark> {
        // With what it starts recorded, a script is recorded whole.
        let is_said = move |remark: &&Remark| !matches!(remark, Remark::Script(_)) || children == Children::LeftOut;
        self.remarks.iter().filter(is_said)
    }
}

/// What a program's own file says against a good profile.
#[cfg(feature = "object")]
fn look_inside(path: &Path) -> Option<Remark> {
    use crate::object::Tells;
    match crate::object::tells(path)? {
        Tells::Lines => None,
        Tells::Names => Some(Remark::NoLines),
        Tells::Nothing => Some(Remark::Stripped),
    }
}

/// Nobody here reads executables.
#[cfg(not(feature = "object"))]
fn look_inside(_: &Path) -> Option<Remark> {
    None
}

/// The interpreter of a script, and the arguments that its first line gives it.
fn interpreter(path: &Path) -> Option<(PathBuf, Vec<OsString>)> {
    let mut begin = [0; 256];
    let mut file = File::open(path).ok()?;
    let mut len = 0;
    while len < begin.len() {
        match file.read(&mut begin[len..]).ok()? {
            0 => break,
            more => len += more,
        }
    }
    let line = begin[..len].strip_prefix(b"#!")?.split(|&b| b == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split_ascii_whitespace();
    let interpreter = words.next()?.into();
    Some((interpreter, words.map(Into::into).collect()))
}
