//! What is known of a format, whatever the file. Each reader in `input` states it of its own format, once; nothing else
//! asks which format a profile is in.

/// A format of profiles.
#[derive(PartialEq, Eq, Debug)]
pub struct Format {
    /// What `--input-format` calls it.
    pub name: &'static str,
    /// What reports and JSON call it; the same for formats whose lines have the same form.
    pub shown: &'static str,
    /// Whether only this program writes it. Its files are recognised even where another format is given, and what they hold
    /// was judged when they were written.
    pub is_ours: bool,
    /// Whether callgrind_annotate reads it, too.
    pub is_original: bool,
    /// Whether it says at which lines cost arose.
    pub has_lines: bool,
    /// Whether these are of debug information, which a program can lack.
    pub has_debug_lines: bool,
    /// What it says of calls.
    pub calls: CallRecords,
    /// Whether the inclusive costs that it states count recursion again with every call.
    pub repeats_recursion: bool,
    /// What its files end with.
    pub end: EndMark,
    /// What it says of a PHP program.
    pub php: Php,
}

/// What a format says of calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallRecords {
    /// Who calls whom.
    All,
    /// Who calls whom, by some of its writers. Where there is not one call, inclusive costs are not known.
    Possible,
    /// Nothing but inclusive costs, where they were known.
    Inclusive,
    /// Nothing, but inclusive costs are always known.
    Absent,
}

/// What a format's files end with, unless they are truncated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndMark {
    /// `totals:` in each part, of writers that have it.
    Totals,
    /// One `summary:`.
    Summary,
    /// `summary:` in each run.
    RunSummaries,
    /// The last line, which has a line feed.
    Line,
}

/// What a format says of a PHP program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Php {
    /// It is not of PHP.
    No,
    /// Each call, as Xdebug writes it.
    Calls,
    /// The sums of all calls, as webgrind's preprocessor makes them.
    Sums,
}

impl Format {
    /// Callgrind's own, and that of everything that writes like it. Others say in what they differ.
    pub const CALLGRIND: Format = Format {
        name: "callgrind",
        shown: "callgrind",
        is_ours: false,
        is_original: true,
        has_lines: true,
        has_debug_lines: true,
        calls: CallRecords::All,
        repeats_recursion: false,
        end: EndMark::Totals,
        php: Php::No,
    };
}
