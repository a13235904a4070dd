//! What the environment says: variables and the current folder. Nothing else reads them.

use std::env;
use std::path::PathBuf;

/// The variables that people set for all programs that write to a terminal, or to what reads instead of one.
#[derive(Clone, Default, Debug)]
pub struct Environment {
    /// The pager and its arguments, `$CGANNOTATE_PAGER` or `$PAGER`; empty if none is wanted.
    pub pager: Option<String>,
    /// Whether `$LESS` says how `less` is to behave.
    pub less: bool,
    /// Whether `$LESSCHARSET` says which characters `less` knows.
    pub less_charset: bool,
    /// `$NO_COLOR`: colours only where the command line asks for them.
    pub no_colour: bool,
    /// `$CLICOLOR_FORCE`: colours in pipes, too.
    pub force_colour: bool,
    /// The editor and its arguments, `$VISUAL` or `$EDITOR`.
    pub editor: Option<String>,
    /// Whether the terminal knows no colours.
    pub dumb: bool,
    /// `$GITHUB_ACTIONS`: what is printed goes to a log that takes some lines for commands.
    pub obeys: bool,
}

impl Environment {
    /// Reads them.
    pub fn read() -> Environment {
        let set = |name| env::var(name).ok();
        Environment {
            pager: set("CGANNOTATE_PAGER")
                .or_else(|| set("PAGER").filter(|pager| !pager.trim().is_empty())),
            less: env::var_os("LESS").is_some(),
            less_charset: env::var_os("LESSCHARSET").is_some(),
            no_colour: env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
            force_colour: env::var_os("CLICOLOR_FORCE")
                .is_some_and(|value| !value.is_empty() && value != "0"),
            editor: ["VISUAL", "EDITOR"]
                .into_iter()
                .filter_map(set)
                .find(|editor| !editor.trim().is_empty()),
            obeys: set("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            dumb: set("TERM").is_none_or(|term| term == "dumb" || term.is_empty()),
        }
    }
}

/// A folder that a variable names.
pub fn folder(name: &str) -> Option<PathBuf> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

/// The folders in which programs are looked for.
pub fn search_path() -> Vec<PathBuf> {
    let all = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&all).collect()
}

/// The current directory with a final slash, to be removed from absolute file names; empty if unknown.
pub fn current_directory() -> Vec<u8> {
    let mut dir = env::current_dir()
        .map(|d| d.to_string_lossy().into_owned().into_bytes())
        .unwrap_or_default();
    if !dir.is_empty() {
        dir.push(b'/');
    }
    dir
}

/// The same, if it is to be removed at all.
#[cfg(feature = "cli")]
pub(crate) fn strip(is_wanted: bool) -> Vec<u8> {
    if is_wanted {
        current_directory()
    } else {
        Vec::new()
    }
}

/// Whether the locale allows more than ASCII: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set names UTF-8.
pub fn speaks_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(env::var_os)
        .find(|value| !value.is_empty());
    set.is_some_and(|value| {
        let value = value.to_string_lossy().to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}
