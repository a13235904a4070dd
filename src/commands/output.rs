//! Opens outputs: standard output, or a file that appears whole or not at all.

use super::{
    Usage, console,
    pager::Pager,
    part::UnfinishedFile,
    workflow::{Content, Guarded},
};
use crate::{
    cli::{Form, OutputArgs, ReportArgs, ScreenArgs, When},
    env::Environment,
    input::run_in,
    render::screen::ScreenWriter,
    view::Surface,
};
use anyhow::{Context, Result, bail};
use std::{
    fs::{self, File},
    io::{self, BufWriter, IsTerminal, Write},
    path::{Path, PathBuf},
};

/// Refuses to write a format for programs to a terminal. Names in it are not escaped, so the
/// terminal could execute control sequences. `-o -` overrides this.
pub(super) fn keep_from_terminal(to: &OutputArgs, command: &str) -> Result<()> {
    if to.output.is_none() && io::stdout().is_terminal() {
        bail!(Usage(format!(
            "the output of {command} is not for a terminal\nhint: `-o FILE` writes it to a file, `-o -` shows it"
        )));
    }
    Ok(())
}

/// Rejects an output file that is also an input, because the recording would be lost.
pub(super) fn keep_inputs<'i>(
    to: Option<&Path>,
    inputs: impl IntoIterator<Item = &'i PathBuf>,
) -> Result<()> {
    let Some(to) = to.map(followed).filter(|to| to.is_file()) else {
        return Ok(());
    };
    let is_replaced = |input: &&PathBuf| {
        // Standard input can be a regular file, too.
        let input = if input.as_os_str() == "-" {
            Path::new("/dev/stdin")
        } else {
            input
        };
        followed(run_in(input).map_or(input, |(file, _)| file)) == to
    };
    match inputs.into_iter().find(is_replaced) {
        Some(input) => bail!(Usage(format!(
            "{}: this is an input, which would be overwritten\nhint: write to another file",
            input.display()
        ))),
        None => Ok(()),
    }
}

/// An open output. If it is dropped before [`Output::finish`], a file is not written.
pub(super) enum Output {
    /// Standard output, locked, or the buffer of a server.
    Stdout(Guarded<BufWriter<Box<dyn Write>>>),
    /// Standard output, through a pager.
    Pager(Box<Guarded<BufWriter<Pager>>>),
    /// A file. It is written under a temporary name and replaces the old one at the end. Without
    /// `part`, it is a device or a FIFO and is written directly.
    File {
        to: PathBuf,
        part: Option<UnfinishedFile>,
        out: Guarded<BufWriter<File>>,
    },
}

impl Output {
    pub(super) fn open(to: &OutputArgs, what: Content) -> Result<Output> {
        match to.file() {
            None => {
                let out = BufWriter::with_capacity(64 * 1024, console::out());
                Ok(Output::Stdout(Guarded::new(out, what)))
            }
            Some(path) => Output::file(path, what),
        }
    }

    /// Opens the output of a report. A page is not for a terminal.
    pub(super) fn report(args: &ReportArgs) -> Result<ScreenWriter<Output>> {
        if args.format == Form::Page {
            keep_from_terminal(&args.output, "--format=html")?;
        }
        let what = match args.format {
            Form::Text | Form::Table(_) => Content::Text,
            Form::Json => Content::Json,
            Form::Page => Content::Markup,
        };
        Output::screen(&args.output, args.screen, what, args.format == Form::Text)
    }

    /// Opens an output with colors and a pager, at most as wide as the terminal. Output for
    /// programs is never shortened to the width.
    pub(super) fn screen(
        to: &OutputArgs,
        look: ScreenArgs,
        what: Content,
        is_fitted: bool,
    ) -> Result<ScreenWriter<Output>> {
        let terminal = Environment::read();
        let plain = Output::open(to, what)?;
        let (is_terminal, size) = match &plain {
            // The file may be `/dev/tty`.
            Output::File { out, .. } => {
                let file = out.get_ref().get_ref();
                (file.is_terminal(), terminal_size::terminal_size_of(file))
            }
            Output::Stdout(_) | Output::Pager(_) => (
                io::stdout().is_terminal(),
                terminal_size::terminal_size_of(io::stdout()),
            ),
        };
        let colour = match look.color {
            When::Always => true,
            When::Never => false,
            When::Auto if terminal.no_colour => false,
            When::Auto => terminal.force_colour || is_terminal && !terminal.dumb,
        };
        let size = size.filter(|(width, height)| is_terminal && width.0 > 0 && height.0 > 0);
        let height = size.map(|(_, height)| usize::from(height.0));
        let surface = Surface {
            colour,
            terminal: is_terminal,
            width: size
                .map(|(width, _)| usize::from(width.0))
                .filter(|_| is_fitted),
            height,
        };
        let room = match look.paging {
            _ if to.file().is_some() => None,
            When::Always => Some(0),
            // A dumb terminal cannot show a pager, either.
            When::Auto if is_terminal && !terminal.dumb => height,
            When::Auto | When::Never => None,
        };
        let out = match room.and_then(|room| Pager::new(&terminal, room)) {
            Some(pager) => Output::Pager(Box::new(Guarded::new(BufWriter::new(pager), what))),
            None => plain,
        };
        Ok(ScreenWriter::new(out, surface))
    }

    /// Opens a file that appears when it is finished. If it is a link, the target is replaced or
    /// created.
    pub(super) fn file(to: &Path, what: Content) -> Result<Output> {
        let to = followed(to);
        let open = || match to.metadata() {
            Ok(meta) if !meta.is_file() => Ok((File::options().write(true).open(&to)?, None)),
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            old => UnfinishedFile::create(&to, old.ok().as_ref())
                .map(|(file, part)| (file, Some(part))),
        };
        let (file, part) =
            open().with_context(|| format!("{}: cannot be written", to.display()))?;
        // Anything but a regular file may lead to a log that executes commands.
        let what = if part.is_some() { Content::Bytes } else { what };
        Ok(Output::File {
            to,
            part,
            out: Guarded::new(BufWriter::with_capacity(64 * 1024, file), what),
        })
    }

    /// Writes the rest. A file then gets its final name.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush()?;
        if let Output::Pager(out) = &mut self {
            out.get_mut().get_mut().finish()?;
        }
        if let Output::File { to, part, .. } = &mut self
            && let Some(part) = part.take()
        {
            part.replace(to)
                .with_context(|| format!("{}: cannot be written", to.display()))?;
        }
        Ok(())
    }

    /// What bytes are written to.
    fn sink(&mut self) -> &mut dyn Write {
        match self {
            Output::Stdout(out) => out,
            Output::Pager(out) => out,
            Output::File { out, .. } => out,
        }
    }

    /// Adds the place to an error. The kind stays, because it identifies a closed pipe.
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
        self.sink().write(bytes).map_err(|e| self.named(&e))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink().flush().map_err(|e| self.named(&e))
    }
}

/// Resolves links in a path, even if the target does not exist. A relative target starts at the
/// folder of its link.
fn followed(path: &Path) -> PathBuf {
    /// The most links to follow, as in operating systems. The system then reports a cycle.
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if let Ok(whole) = path.canonicalize() {
            return whole;
        }
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}
