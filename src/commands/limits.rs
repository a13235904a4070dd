//! Collects the limits of `check` and the definition of your code. The command line adds to the
//! file and never replaces it.

use super::Usage;
use crate::{
    analysis::{
        Set,
        budgets::{Expression, Level, Limit},
    },
    cli,
    fs::{FileError, read_regular},
    profile::joined,
    request::check::CheckRequest,
};
use anyhow::{Context, Result, bail};
use regex::bytes::Regex;
use std::path::Path;

/// The file of limits in the current folder, which is read by default.
const CONFIG: &str = "cgannotate.toml";

/// The largest file of limits, in bytes. 3,000 limits take a quarter of a megabyte.
const LARGEST: u64 = 16 * 1024 * 1024;

/// A file of limits.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// Patterns that define your code.
    #[serde(default, rename = "own-code")]
    own_code: Vec<String>,
    #[serde(default)]
    limit: Vec<LimitEntry>,
}

/// `[[limit]]`
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitEntry {
    name: Option<String>,
    expression: String,
    #[serde(default)]
    level: Level,
}

/// Returns all limits in order, and the definition of your code, if there is one.
pub(super) fn collect(request: &CheckRequest) -> Result<(Vec<Limit>, Option<Set>)> {
    let (mut limits, mut own) = match &request.args.config {
        Some(path) => read(path)?,
        None if Path::new(CONFIG).exists() => read(Path::new(CONFIG))?,
        None => Default::default(),
    };
    own.extend_from_slice(&request.args.own_code);
    limits.extend_from_slice(&request.limits);
    Ok((limits, (!own.is_empty()).then(|| Set::own(own))))
}

fn read(path: &Path) -> Result<(Vec<Limit>, Vec<Regex>)> {
    // Naming this file means to read no limits.
    if path == Path::new("/dev/null") {
        return Ok(Default::default());
    }
    let name = path.display();
    let unreadable = || format!("{name}: the limits cannot be read");
    let bytes = match read_regular(path, LARGEST) {
        Ok((bytes, _)) => bytes,
        Err(e @ (FileError::NotRegular | FileError::TooLarge(_))) => {
            bail!(Usage(format!("{}: {e}", unreadable())))
        }
        Err(e) => return Err(e).with_context(unreadable),
    };
    let line = |before: &[u8]| 1 + memchr::memchr_iter(b'\n', before).count();
    let text = String::from_utf8(bytes).map_err(|e| {
        let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        Usage(format!("{name}:{}: not valid UTF-8", line(before)))
    })?;
    let config: Config = toml::from_str(&text).map_err(|e| {
        let message = joined(e.message().lines(), "; ");
        let before = e.span().and_then(|span| text.as_bytes().get(..span.start));
        Usage(match before {
            Some(before) => format!("{name}:{}: {message}", line(before)),
            None => format!("{name}: {message}"),
        })
    })?;
    let limit = |entry: LimitEntry| -> Result<Limit> {
        let expression = Expression::parse(&entry.expression)
            .map_err(|problem| Usage(format!("{name}: {problem}")))?;
        Ok(Limit {
            name: entry.name.unwrap_or(entry.expression),
            level: entry.level,
            expression,
        })
    };
    let pattern = |text: &String| {
        cli::pattern(text).map_err(|problem| Usage(format!("{name}: own-code: {problem}")))
    };
    let own = config
        .own_code
        .iter()
        .map(pattern)
        .collect::<Result<Vec<_>, _>>()?;
    Ok((
        config.limit.into_iter().map(limit).collect::<Result<_>>()?,
        own,
    ))
}
