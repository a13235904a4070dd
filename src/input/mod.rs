//! Reads the bytes of an input into a [`Profile`]: opens it, detects its format from its content,
//! and reads it.
//!
//! [`read`] is the entry point. To add a format, write a file or folder with a `FormatReader` and
//! name it in `READERS`.

mod aprof;
mod baseline;
mod bytes;
mod cachegrind;
pub(crate) mod callgrind;
mod codec;
#[cfg(feature = "compression")]
mod compressed;
#[cfg(feature = "pack")]
mod details;
mod error;
mod excerpt;
mod format;
mod lines;
mod marks;
mod number;
mod open;
#[cfg(feature = "pack")]
mod pack;
pub(crate) mod parallel;
mod siblings;
mod sniff;
mod threads;
mod trace;
mod webgrind;
mod xdebug;

use crate::{
    fs::modified,
    profile::{Builder, Collect, Format, Profile, Separate, Shares, SplitBy},
};
use callgrind::{CallgrindParser, records::Records};
use error::ErrorReason;
pub use error::{Error, ErrorKind};
use format::FormatReader;
use sniff::PeekedSource;
use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};
pub use threads::{is_empty_base, of_process, of_run, recording, threads_left_out};

/// All formats that can be read, in the order in which help names them.
static READERS: &[&dyn FormatReader] = &[
    &callgrind::Callgrind,
    &cachegrind::Cachegrind,
    &xdebug::Xdebug,
    &trace::XdebugTrace,
    &webgrind::Webgrind,
    &aprof::Aprof,
    &baseline::Baseline,
    #[cfg(feature = "pack")]
    &pack::Pack,
];

/// The formats that can be read, in the order in which help names them.
pub fn formats() -> impl Iterator<Item = &'static Format> {
    READERS.iter().map(|reader| reader.format())
}

/// How inputs are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to collect.
    pub collect: Collect,
    /// A prefix to remove from file names, such as the current directory. Empty leaves them as they
    /// are.
    pub strip: Vec<u8>,
    /// Which functions with the same symbol are separate.
    pub separate: Separate,
    /// The format of all inputs. `None` detects it from their content.
    pub format: Option<&'static Format>,
    /// How many bytes one read asks for. The result does not depend on it.
    pub block: usize,
    /// How many bytes each compressed byte may expand to, after the first 2 MiB. `None` sets no
    /// limit. An input that exceeds it fails with [`ErrorKind::Ratio`].
    pub max_ratio: Option<u64>,
    /// How many files are read at a time, each in its own thread. The result does not depend on it.
    pub threads: usize,
    /// Counts the bytes that were read, to show progress. For a compressed input it counts the
    /// compressed bytes.
    pub progress: Option<Arc<AtomicU64>>,
}

impl Options {
    /// Options that collect everything, join contexts, and leave other names as they are.
    pub fn all() -> Options {
        Options {
            collect: Collect::ALL,
            strip: Vec::new(),
            separate: Separate::Levels,
            format: None,
            block: lines::BLOCK,
            max_ratio: Some(codec::MAX_RATIO),
            threads: 1,
            progress: None,
        }
    }
}

/// Reads several profiles and returns their sum. The name `-` is standard input. A single name
/// `FILE:RUN` is one of the runs in a file.
///
/// # Errors
/// Returns the error of the first input that cannot be read, with its name and line.
pub fn read(names: &[impl AsRef<Path> + Sync], options: &Options) -> Result<Profile, Error> {
    if let [name] = names
        && let Some((file, run)) = run_in(name.as_ref())
    {
        let missing =
            || ErrorReason::malformed(format!("no run `{run}`; `--split=run` lists the runs"));
        let is_asked = |value: &str| value == run || value.split(": ").next() == Some(run);
        let mut found = read_split(&[file], options, SplitBy::Run)?
            .find(|share| is_asked(&share.value))
            .ok_or_else(|| Error::new(file, None, missing()))?;
        found.profile.inputs = vec![name.as_ref().to_owned()];
        return Ok(found.profile);
    }
    Ok(read_all(names, options, None)?.finish())
}

/// Whether a profile can be read more than once.
pub(crate) fn is_lasting(name: &Path) -> bool {
    name.is_file() || run_in(name).is_some()
}

/// The file and the run that a name `FILE:RUN` means, unless a file has this name.
pub(crate) fn run_in(name: &Path) -> Option<(&Path, &str)> {
    let (file, run) = name.to_str()?.rsplit_once(':')?;
    let file = Path::new(file);
    (!name.exists() && file.is_file()).then_some((file, run))
}

/// Reads several profiles and splits them into one profile per group of parts, such as a thread.
///
/// # Errors
/// Fails as [`read`] does.
pub fn read_split(
    names: &[impl AsRef<Path> + Sync],
    options: &Options,
    by: SplitBy,
) -> Result<Shares, Error> {
    Ok(read_all(names, options, Some(by))?.finish_split(by))
}

fn read_all(
    names: &[impl AsRef<Path> + Sync],
    options: &Options,
    split: Option<SplitBy>,
) -> Result<Builder, Error> {
    if let Some(name) = names.iter().find(|name| run_in(name.as_ref()).is_some()) {
        let alone = "it is one run of a file, which cannot be split or added to others";
        return Err(Error::new(
            name.as_ref(),
            None,
            ErrorReason::malformed(alone),
        ));
    }
    let names: Vec<&Path> = names.iter().map(AsRef::as_ref).collect();
    let read = |name: &&Path| read_builder(name, open::open(name)?, options, split);
    let mut sum: Option<Builder> = None;
    for (name, one) in names
        .iter()
        .zip(parallel::each(&names, options.threads, read))
    {
        add(&mut sum, one?, name)?;
    }
    Ok(sum.unwrap_or_else(|| Builder::new(Path::new(""), options.collect, split)))
}

/// Adds one input to the sum of the previous inputs.
fn add(sum: &mut Option<Builder>, one: Builder, name: &Path) -> Result<(), Error> {
    let Some(sum) = sum else {
        *sum = Some(one);
        return Ok(());
    };
    if let Some(conflict) = sum.conflict(&one) {
        return Err(Error::new(name, None, ErrorReason::malformed(conflict)));
    }
    sum.absorb(one).map_err(|full| Error::new(name, None, full))
}

/// The bytes of one profile, from a file or a pack.
#[derive(Debug)]
pub struct ProfileBytes {
    /// The path of the file, or the name in the pack.
    pub path: PathBuf,
    /// The modification time.
    pub modified: Option<SystemTime>,
    /// The content, decompressed.
    pub bytes: Vec<u8>,
}

/// Returns the bytes of each profile in a file: of the file itself, decompressed, or of every
/// profile in a pack.
///
/// # Errors
/// Fails if the file cannot be read or is not a profile.
pub fn unpacked(name: impl AsRef<Path>, options: &Options) -> Result<Vec<ProfileBytes>, Error> {
    let name = name.as_ref();
    #[cfg_attr(not(feature = "pack"), expect(unused_variables))]
    let (reader, mut source) = begin(name, open::open(name)?, options)?;
    #[cfg(feature = "pack")]
    if *reader.format() == pack::FORMAT {
        return pack::unpacked(name, &mut source);
    }
    let mut bytes = Vec::new();
    source
        .read_to_end(&mut bytes)
        .map_err(|e| Error::new(name, None, e))?;
    Ok(vec![ProfileBytes {
        path: name.to_owned(),
        modified: modified(name),
        bytes,
    }])
}

/// Reads one profile from any source of bytes. Warnings and errors call it `name`.
///
/// # Errors
/// Fails as [`read`] does.
pub fn read_from(
    name: impl AsRef<Path>,
    source: impl Read,
    options: &Options,
) -> Result<Profile, Error> {
    Ok(read_builder(name.as_ref(), source, options, None)?.finish())
}

fn read_builder(
    name: &Path,
    source: impl Read,
    options: &Options,
    split: Option<SplitBy>,
) -> Result<Builder, Error> {
    let (reader, mut source) = begin(name, source, options)?;
    read_as(reader, name, &mut source, options, split)
}

fn read_as(
    reader: &dyn FormatReader,
    name: &Path,
    source: &mut dyn Read,
    options: &Options,
    split: Option<SplitBy>,
) -> Result<Builder, Error> {
    let mut builder = Builder::new(name, options.collect, split);
    builder.head.format = reader.format();
    builder.separate = options.separate;
    reader.read(&mut builder, source, options)?;
    Ok(builder)
}

/// Reads one profile into a different [`Records`] than [`Builder`]'s cursor. `compat` uses it.
#[cfg(feature = "pack")]
pub(crate) fn read_records<R: Records>(
    name: &Path,
    records: &mut R,
    options: &Options,
) -> Result<(), Error> {
    let (reader, mut source) = begin(name, open::open(name)?, options)?;
    match reader.format() {
        &pack::FORMAT => pack::read_records(name, &mut source, records, options),
        format => read_original(format, source, records, &options.strip, options.block),
    }
}

/// Like [`read_records`], for a format that callgrind_annotate reads, too.
fn read_original<R: Records>(
    format: &'static Format,
    source: impl Read,
    records: &mut R,
    strip: &[u8],
    block: usize,
) -> Result<(), Error> {
    if !format.is_original {
        let what = format!(
            "this is a {} file, which callgrind_annotate does not read",
            format.name
        );
        let reason = ErrorReason::new(ErrorKind::NotOriginal, what);
        return Err(Error::new(records.head().input(), None, reason));
    }
    records.head().format = format;
    CallgrindParser::new(records, strip).read(source, block)
}

/// Detects the format of an input, and counts its bytes if the options ask for it.
fn begin<'s>(
    name: &Path,
    source: impl Read + 's,
    options: &Options,
) -> Result<(&'static dyn FormatReader, PeekedSource<'s>), Error> {
    let source = ProgressReader {
        source,
        count: options.progress.clone(),
    };
    sniff::format(name, source, options.max_ratio, options.format)
}

struct ProgressReader<R> {
    source: R,
    count: Option<Arc<AtomicU64>>,
}

impl<R: Read> Read for ProgressReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(out)?;
        if let Some(count) = &self.count {
            count.fetch_add(n as u64, Ordering::Relaxed);
        }
        Ok(n)
    }
}

/// Whether a file is an executable or a library by its content. Such a file is neither a profile
/// nor a source file.
pub fn is_program(name: impl AsRef<Path>) -> bool {
    let mut start = Vec::new();
    let name = name.as_ref();
    let read = |source: Box<dyn Read>, start: &mut Vec<u8>| source.take(4).read_to_end(start);
    !open::is_stream(name)
        && open::open(name).is_ok_and(|source| read(source, &mut start).is_ok())
        && sniff::is_program(&start)
}

/// Whether a file is a profile by its content. A file that cannot be opened is not. Standard input
/// or a FIFO can be read only once; it counts as a profile, because it cannot be a source file.
pub fn is_profile(name: impl AsRef<Path>) -> bool {
    let name = name.as_ref();
    let limit = Some(codec::MAX_RATIO);
    open::is_stream(name)
        || open::open(name).is_ok_and(|source| sniff::format(name, source, limit, None).is_ok())
}
