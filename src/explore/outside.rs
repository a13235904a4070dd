//! The explorer's access to files and programs: sources, written files and the editor.

use crate::{analysis::Session, source::Finder};
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    process::{Command, ExitStatus},
};

/// Access to sources and to the editor.
pub struct Outside<'o> {
    /// Finds sources.
    pub finder: &'o Finder,
    /// The value of `$VISUAL` or `$EDITOR`.
    pub editor: Option<String>,
    /// Makes an HTML page of a profile.
    pub page: &'o dyn Fn(&Session) -> Result<Vec<u8>, String>,
}

/// Writes to a new file what `make` returns, and returns a message. It never overwrites a file, and
/// makes nothing for one that exists.
pub(super) fn written(file: &str, make: impl FnOnce() -> Result<Vec<u8>, String>) -> String {
    if Path::new(file).symlink_metadata().is_ok() {
        return format!("{file} already exists and is not overwritten");
    }
    let write = |bytes: Vec<u8>| File::create_new(file)?.write_all(&bytes);
    let done = make().and_then(|bytes| write(bytes).map_err(|why| why.to_string()));
    done.map_or_else(|why| format!("{file}: {why}"), |()| format!("wrote {file}"))
}

impl Outside<'_> {
    /// The command that opens the editor at a line. No shell runs it, and the path is absolute, so
    /// a file name can never be an option.
    ///
    /// # Errors
    /// Returns the reason if there is no source or no editor.
    pub fn editor(&self, name: &[u8], line: u64) -> Result<Command, String> {
        let source = self.finder.open(name).map_err(|why| why.to_string())?;
        let path = std::path::absolute(&source.path).map_err(|why| why.to_string())?;
        // A source from a pack may be missing here, or the file here may differ.
        let here = crate::fs::read_regular(&path, source.bytes().len() as u64);
        if !here.is_ok_and(|(bytes, _)| bytes == source.bytes()) {
            return Err(format!(
                "{}: this file is missing or differs from the one in the profile",
                path.display()
            ));
        }
        let editor = self.editor.as_deref().unwrap_or("vi");
        let mut words = editor.split_whitespace();
        let program = words.next().ok_or("$VISUAL and $EDITOR name no editor")?;
        let mut command = Command::new(program);
        command.args(words);
        let is_code = ["code", "codium", "code-insiders"]
            .iter()
            .any(|name| program.rsplit('/').next() == Some(name));
        if is_code {
            let mut place = path.into_os_string();
            place.push(format!(":{line}"));
            command.arg("--goto").arg(place);
        } else {
            command.arg(format!("+{line}")).arg(path);
        }
        Ok(command)
    }
}

/// The message about an editor that has ended, if it failed.
pub(super) fn said(editor: &Command, done: io::Result<ExitStatus>) -> Option<String> {
    let program = editor.get_program().to_string_lossy();
    match done {
        Ok(status) if status.success() => None,
        Ok(status) => Some(format!("{program}: {status}")),
        Err(why) => Some(format!("{program}: {why}")),
    }
}
