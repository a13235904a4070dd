//! The limits of `check`: those of a file, then those of the command line. The command line adds, it never replaces.

use super::Usage;
use crate::analysis::budgets::{Expression, Level, Limit};
use crate::cli::CheckArgs;
use anyhow::{Context, Result};
use std::path::Path;

/// The file that is read from the current folder without being named.
const CONFIG: &str = "cgannotate.toml";

/// A file of limits.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    limit: Vec<Entry>,
}

/// `[[limit]]`
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    expression: String,
    #[serde(default)]
    level: Word,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum Word {
    #[default]
    Error,
    Warn,
}

/// All limits, in order.
pub(super) fn collect(args: &CheckArgs) -> Result<Vec<Limit>> {
    let mut limits = match &args.config {
        Some(path) => read(path)?,
        None if Path::new(CONFIG).exists() => read(Path::new(CONFIG))?,
        None => Vec::new(),
    };
    for text in &args.limits {
        let expression = Expression::parse(text).map_err(|problem| Usage(format!("--limit: {problem}")))?;
        limits.push(Limit { name: text.clone(), level: Level::Error, expression });
    }
    if args.warn_only {
        limits.iter_mut().for_each(|limit| limit.level = Level::Warn);
    }
    Ok(limits)
}

fn read(path: &Path) -> Result<Vec<Limit>> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("{name}: the limits cannot be read"))?;
    let config: Config = toml::from_str(&text).map_err(|e| Usage(format!("{name}: {}", e.to_string().trim_end())))?;
    let limit = |entry: Entry| {
        let expression = Expression::parse(&entry.expression).map_err(|problem| Usage(format!("{name}: {problem}")))?;
        let level = match entry.level {
            Word::Error => Level::Error,
            Word::Warn => Level::Warn,
        };
        Ok(Limit { name: entry.name.unwrap_or(entry.expression), level, expression })
    };
    config.limit.into_iter().map(limit).collect()
}
