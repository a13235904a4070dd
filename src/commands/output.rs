//! Where a report goes: standard output, or a file that is there whole or not at all.

use super::pager::Pager;
use crate::cli::{FormatArg, NamesArg, OutputArgs, ScreenArgs, When};
use crate::report::screen::{Screen, Surface};
use crate::source::Terminal;
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Whether people read the report as it is written.
pub(super) fn is_terminal(args: &OutputArgs) -> bool {
    args.output.is_none() && io::stdout().is_terminal()
}

/// Who is to read a report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// Somebody at a terminal.
    Person,
    /// A program, whoever looks at it.
    Program,
}

impl From<FormatArg> for Reader {
    fn from(format: FormatArg) -> Reader {
        match format {
            FormatArg::Text => Reader::Person,
            FormatArg::Json | FormatArg::Csv | FormatArg::Tsv | FormatArg::Markdown => Reader::Program,
        }
    }
}

/// An open output. Dropped before [`Output::finish`], a file is not written.
pub(super) enum Output {
    /// Standard output, locked.
    Stdout(BufWriter<io::StdoutLock<'static>>),
    /// Standard output by way of a pager.
    Pager(BufWriter<Pager>),
    /// A file: written beside the one that was asked for, which it replaces at the end. Without `part`, what was asked for
    /// is a device or a FIFO, which is written to as it is.
    File { to: PathBuf, part: Option<PathBuf>, out: BufWriter<File> },
}

impl Output {
    /// Opens what was asked for.
    pub(super) fn open(args: &OutputArgs) -> Result<Output> {
        match &args.output {
            None => Ok(Output::Stdout(BufWriter::with_capacity(64 * 1024, io::stdout().lock()))),
            Some(path) => Output::file(path),
        }
    }

    /// Opens what was asked for, for people: in colours, no wider than the terminal, through a pager. What a program is to
    /// read is shown in full.
    pub(super) fn screen(args: &OutputArgs, screen: &ScreenArgs, reader: Reader) -> Result<Screen<Output>> {
        let terminal = Terminal::read();
        let is_terminal = is_terminal(args);
        let size = if is_terminal { terminal_size::terminal_size_of(io::stdout()) } else { None };
        let colour = match screen.color {
            When::Always => true,
            When::Never => false,
            When::Auto if terminal.no_colour => false,
            When::Auto => terminal.force_colour || is_terminal && !terminal.dumb,
        };
        let size = size.filter(|(width, height)| width.0 > 0 && height.0 > 0);
        let is_short = screen.names == NamesArg::Short && reader == Reader::Person;
        let height = size.map(|(_, height)| usize::from(height.0));
        let surface = Surface {
            colour,
            terminal: is_terminal,
            width: size.map(|(width, _)| usize::from(width.0)).filter(|_| is_short),
            height,
        };
        let room = match screen.paging {
            When::Always if args.output.is_none() => Some(0),
            When::Auto if is_terminal => height,
            When::Always | When::Auto | When::Never => None,
        };
        let out = match room.and_then(|room| Pager::new(&terminal, room)) {
            Some(pager) => Output::Pager(BufWriter::new(pager)),
            None => Output::open(args)?,
        };
        Ok(Screen::new(out, surface))
    }

    /// Opens a file that appears when it is finished. A link stays what it is; what it leads to is replaced.
    pub(super) fn file(to: &Path) -> Result<Output> {
        let to = to.canonicalize().unwrap_or_else(|_| to.to_owned());
        let unwritten = || format!("{}: cannot be written", to.display());
        let (file, part) = if to.metadata().is_ok_and(|meta| !meta.is_file()) {
            (File::options().write(true).open(&to).with_context(unwritten)?, None)
        } else {
            let mut name = to.file_name().unwrap_or_default().to_os_string();
            name.push(format!(".{}.part", std::process::id()));
            let part = to.with_file_name(name);
            (File::create(&part).with_context(unwritten)?, Some(part))
        };
        Ok(Output::File { to, part, out: BufWriter::with_capacity(64 * 1024, file) })
    }

    /// Writes what is left and, for a file, lets it take its place.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush()?;
        if let Output::Pager(out) = &mut self {
            out.get_mut().finish()?;
        }
        if let Output::File { to, part: Some(part), .. } = &self {
            fs::rename(part, to).with_context(|| format!("{}: cannot be written", to.display()))?;
        }
        Ok(())
    }

    /// The same error, saying where it happened; its kind still tells a closed pipe.
    fn named(&self, error: &io::Error) -> io::Error {
        let place = match self {
            Output::Stdout(_) | Output::Pager(_) => "standard output".to_owned(),
            Output::File { to, .. } => to.display().to_string(),
        };
        io::Error::new(error.kind(), format!("{place}: cannot be written: {error}"))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self {
            Output::Stdout(out) => out.write(bytes),
            Output::Pager(out) => out.write(bytes),
            Output::File { out, .. } => out.write(bytes),
        };
        written.map_err(|e| self.named(&e))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match self {
            Output::Stdout(out) => out.flush(),
            Output::Pager(out) => out.flush(),
            Output::File { out, .. } => out.flush(),
        };
        flushed.map_err(|e| self.named(&e))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Output::File { part: Some(part), .. } = self {
            // Gone already if it took its place.
            let _ = fs::remove_file(part);
        }
    }
}
