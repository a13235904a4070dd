//! What the explorer reaches outside of it: sources, and the editor.

use crate::analysis::Session;
use crate::source::{Finder, SourceFile};
use crate::view::sources::Age;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::process::{Command, ExitStatus};

/// Where sources are found, and what opens them.
pub struct Outside<'o> {
    /// Finds sources.
    pub finder: &'o Finder,
    /// What `$VISUAL` or `$EDITOR` says.
    pub editor: Option<String>,
    /// Writes the page of a profile to a new file, and says what came of it.
    pub page: &'o dyn Fn(&Session, &str) -> String,
}

/// Writes a text to a new file, and says what came of it. What is there already is left alone.
pub(super) fn written(file: &str, text: &str) -> String {
    let write = || File::create_new(file)?.write_all(text.as_bytes());
    match write() {
        Ok(()) => format!("wrote {file}"),
        Err(why) if why.kind() == ErrorKind::AlreadyExists => {
            format!("{file} is there already, and is left alone")
        }
        Err(why) => format!("{file}: {why}"),
    }
}

impl Outside<'_> {
    /// The source of this name, and whether it is as it was when the profile was written; or why there is none.
    ///
    /// # Errors
    /// It is not found, in words.
    pub fn open(&self, name: &[u8]) -> Result<(Age, SourceFile), String> {
        let source = self.finder.open(name).map_err(|why| why.to_string())?;
        Ok((Age::new(source.modified, self.finder.recorded()), source))
    }

    /// What shows a line of a source: no shell stands between, and the path is absolute, so that no name is an option.
    ///
    /// # Errors
    /// There is no source, or no editor, in words.
    pub fn editor(&self, name: &[u8], line: u64) -> Result<Command, String> {
        let (_, source) = self.open(name)?;
        let path = std::path::absolute(&source.path).map_err(|why| why.to_string())?;
        // What a pack brings along need not be here, or what is here be that.
        let here = crate::fs::read_regular(&path, source.bytes().len() as u64);
        if !here.is_ok_and(|(bytes, _)| bytes == source.bytes()) {
            return Err(format!(
                "{}: it is not here as the profile brings it along",
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

/// What is to be said of an editor that has ended.
pub(super) fn said(editor: &Command, done: io::Result<ExitStatus>) -> Option<String> {
    let program = editor.get_program().to_string_lossy();
    match done {
        Ok(status) if status.success() => None,
        Ok(status) => Some(format!("{program}: {status}")),
        Err(why) => Some(format!("{program}: {why}")),
    }
}
