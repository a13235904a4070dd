//! The properties of a format, which no single file changes. Each reader in `input` states those of
//! its own format, once. Nothing else asks which format a profile has.

/// A format of profiles.
#[derive(PartialEq, Eq, Debug)]
pub struct Format {
    /// Its name in `--input-format`.
    pub name: &'static str,
    /// Its name in reports and JSON. Formats whose lines have the same form share one.
    pub shown: &'static str,
    /// Whether only cgannotate writes it. Its files are detected even if the user names another
    /// format, and their content was checked when they were written.
    pub is_ours: bool,
    /// Whether callgrind_annotate reads it, too.
    pub is_original: bool,
    /// Whether it records the source lines of costs.
    pub has_lines: bool,
    /// Whether its lines come from debug information, which a program can lack.
    pub has_debug_lines: bool,
    /// What it records about calls.
    pub calls: CallRecords,
    /// Whether its inclusive costs count recursion once per level.
    pub repeats_recursion: bool,
    /// How its files end.
    pub end: EndMark,
    /// What it records about a PHP program.
    pub php: Php,
}

impl Default for &Format {
    fn default() -> Self {
        &Format::CALLGRIND
    }
}

/// What a format records about calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallRecords {
    /// Callers and callees.
    All,
    /// Callers and callees, from some of its writers. If a file has no call at all, inclusive costs
    /// are unknown.
    Possible,
    /// Only inclusive costs, if they were known.
    Inclusive,
    /// No calls, but inclusive costs are always known.
    Absent,
}

/// How a format's files end, unless they are truncated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndMark {
    /// With `totals:` in each part, from writers that write it.
    Totals,
    /// With one `summary:`.
    Summary,
    /// With a `summary:` in each run.
    RunSummaries,
    /// With `TRACE END` in each run.
    TraceEnd,
    /// With a line feed after the last line.
    Line,
}

/// What a format records about a PHP program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Php {
    /// It is not from PHP.
    No,
    /// Each call, as Xdebug writes it.
    Calls,
    /// The sums of all calls, as webgrind's preprocessor computes them.
    Sums,
}

impl Format {
    /// Callgrind's format, and that of all programs that write the same. Other formats only state
    /// how they differ.
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
