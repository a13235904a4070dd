//! Reads the environment variables that are about the terminal, or about what reads instead of one.

use std::env;

/// The variables that people set for all programs.
#[derive(Clone, Default, Debug)]
pub struct Terminal {
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

impl Terminal {
    /// Reads them.
    pub fn read() -> Terminal {
        let set = |name| env::var(name).ok();
        Terminal {
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
