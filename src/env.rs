//! The environment: variables and the current directory. No other module reads them.

use std::{env, ffi::OsString, path::PathBuf};

/// Variables that users set for all programs with terminal output.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    /// The pager and its arguments, from `$CGANNOTATE_PAGER` or `$PAGER`; empty if the user wants
    /// none.
    pub pager: Option<String>,
    /// Whether `$LESS` is set.
    pub less: bool,
    /// Whether `$LESSCHARSET` is set.
    pub less_charset: bool,
    /// `$NO_COLOR`: colours only if the command line asks for them.
    pub no_colour: bool,
    /// `$CLICOLOR_FORCE`: colours in pipes, too.
    pub force_colour: bool,
    /// The editor and its arguments, from `$VISUAL` or `$EDITOR`.
    pub editor: Option<String>,
    /// Whether the terminal has no colours.
    pub dumb: bool,
    /// `$GITHUB_ACTIONS`: the log interprets some output lines as commands.
    pub obeys: bool,
}

impl Environment {
    /// Reads the variables.
    pub(crate) fn read() -> Environment {
        let set = |name| env::var(name).ok();
        Environment {
            pager: set("CGANNOTATE_PAGER")
                .or_else(|| set("PAGER").filter(|pager| !pager.trim().is_empty())),
            less: env::var_os("LESS").is_some(),
            less_charset: env::var_os("LESSCHARSET").is_some(),
            no_colour: filled("NO_COLOR").is_some(),
            force_colour: filled("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            editor: ["VISUAL", "EDITOR"]
                .into_iter()
                .filter_map(set)
                .find(|editor| !editor.trim().is_empty()),
            obeys: set("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            dumb: set("TERM").is_none_or(|term| term == "dumb" || term.is_empty()),
        }
    }
}

/// The value of this variable; `None` if it is unset or empty.
fn filled(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The directory in this variable; `None` if it is unset or empty.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    filled(name).map(PathBuf::from)
}

/// All variables, with their values.
pub(crate) fn variables() -> impl Iterator<Item = [String; 2]> {
    env::vars_os()
        .map(|(name, value)| [name, value].map(|text| text.to_string_lossy().into_owned()))
}

/// The directories in `$PATH`.
pub(crate) fn search_path() -> Vec<PathBuf> {
    let all = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&all).collect()
}

/// The current directory with a final slash, which is removed from absolute file names; empty if
/// unknown.
pub(crate) fn current_directory() -> Vec<u8> {
    let mut dir = env::current_dir()
        .map(|d| d.to_string_lossy().into_owned().into_bytes())
        .unwrap_or_default();
    if !dir.is_empty() {
        dir.push(b'/');
    }
    dir
}

/// The current directory if `is_wanted`, else empty.
pub(crate) fn strip(is_wanted: bool) -> Vec<u8> {
    if is_wanted {
        current_directory()
    } else {
        Vec::new()
    }
}

/// Whether the locale uses UTF-8. The first variable that is set decides: `LC_ALL`, `LC_CTYPE` or
/// `LANG`.
pub(crate) fn speaks_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(filled);
    set.is_some_and(|value| {
        let value = value.to_string_lossy().to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}
