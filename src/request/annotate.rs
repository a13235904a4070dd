//! The request for the report: which page it prints, and about which functions.

use super::{Usage, again, columns, ratios, refuse, size_without_page};
use crate::{
    analysis::{Cost, GroupBy, Narrow, Set},
    cli::{self, AnnotateArgs, BinaryArgs, ByArg, Form, Generate, TreeArg, YesNo},
    profile::SplitBy,
    source::Search,
    view::{ListedArcs, next::Typed},
};
use regex::bytes::Regex;

/// The request for a report.
#[derive(Clone, Debug)]
pub struct AnnotateRequest {
    /// The arguments.
    pub args: AnnotateArgs,
    /// The page to print.
    pub page: AskedPage,
    /// The default threshold of a list, in percent.
    pub usual: u8,
    /// The filters and limits of lists.
    pub narrow: Narrow,
    /// Which code is attributed to its callers, if any.
    pub own: Option<Set>,
    /// Whether the sources of listed functions are annotated. Named sources always are.
    pub annotates: bool,
    /// Whether JSON lists single instructions.
    pub instructions: bool,
    /// The options that suggested commands repeat.
    pub again: Vec<String>,
    /// The options of the report that its other pages take, too.
    pub typed: Typed,
    /// The paths of objects that were already reported as lacking symbols or debug information.
    pub told: Vec<String>,
}

/// The page to print.
#[derive(Clone, PartialEq, Debug)]
pub enum AskedPage {
    /// The manual page or completions. No profile is read.
    Generate(Generate),
    /// Explanations of all known events. No profile is read.
    KnownEvents,
    /// Explanations of the events of a profile.
    Events,
    /// No page was named: the first screen at a terminal, unless sources are named. Elsewhere, the
    /// list of functions by this cost.
    Unsaid(Cost),
    /// The list of functions. In JSON, the whole profile.
    Functions(Functions),
    /// The list of functions with the numbers of `callgrind_annotate`, for one profile.
    Original(Functions),
    /// Self costs of groups of functions.
    Groups(GroupBy),
    /// Self costs of lines of functions.
    Lines,
    /// Self costs of functions, with a column for each thread, part, process or run.
    Beside(SplitBy),
    /// Self costs of instructions.
    Instructions,
    /// One function in full. For an aprof report, the pattern can also be a whole name. It is
    /// therefore compiled later, by [`zoom_pattern`].
    Zoom {
        /// The pattern that its name matches.
        pattern: String,
        /// Levels of callers and callees.
        depth: usize,
    },
}

/// How functions are listed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Functions {
    /// Which arcs are listed with each function.
    pub tree: ListedArcs,
    /// The cost that orders the list.
    pub cost: Cost,
}

impl Functions {
    /// By self cost, without arcs.
    pub const PLAIN: Functions = Functions {
        tree: ListedArcs {
            callers: false,
            callees: false,
        },
        cost: Cost::Own,
    };
}

impl AnnotateRequest {
    /// Interprets the arguments.
    ///
    /// # Errors
    /// If options conflict.
    pub fn new(mut args: AnnotateArgs) -> Result<AnnotateRequest, Usage> {
        let narrow = args.narrow.narrow();
        conflicts(&args, &narrow)?;
        let again = again::of_inputs(&args.input, &args.own, Some(&args.code), &args.source);
        if args.compat {
            args.source.sources = Search::Listed;
        }
        Ok(AnnotateRequest {
            page: page(&args),
            usual: columns::usual(args.report.format, &narrow),
            narrow,
            own: args.own.set(),
            // Lists of groups are short, but their sources are not.
            annotates: args.auto.map_or(args.by.is_none(), YesNo::is_yes),
            instructions: args.by == Some(ByArg::Instr) && args.report.format == Form::Json,
            again,
            typed: again::of_report(&args),
            told: Vec::new(),
            args,
        })
    }

    /// Whether the report needs single instructions.
    pub fn needs_code(&self) -> bool {
        self.args.code.inlined || self.instructions || self.args.code.asm
    }
}

impl AskedPage {
    /// How functions are listed, or the default if the page lists none.
    pub fn functions(&self) -> Functions {
        match *self {
            AskedPage::Functions(functions) | AskedPage::Original(functions) => functions,
            AskedPage::Unsaid(cost) => Functions {
                cost,
                ..Functions::PLAIN
            },
            _ => Functions::PLAIN,
        }
    }
}

/// Chooses the page. If several are asked for, the first in this order wins.
fn page(args: &AnnotateArgs) -> AskedPage {
    if let Some(what) = args.generate {
        return AskedPage::Generate(what);
    }
    if args.list_events && args.files.is_empty() {
        return AskedPage::KnownEvents;
    }
    let functions = Functions {
        tree: args.tree.into(),
        cost: args.inclusive.cost(),
    };
    if args.compat {
        return AskedPage::Original(functions);
    }
    if args.list_events {
        return AskedPage::Events;
    }
    if let Some(pattern) = &args.zoom {
        return AskedPage::Zoom {
            pattern: pattern.clone(),
            depth: args.depth.unwrap_or(1),
        };
    }
    match args.by {
        Some(ByArg::Line) => AskedPage::Lines,
        // JSON has the instructions in the document of the whole profile.
        Some(ByArg::Instr) if args.report.format == Form::Json => AskedPage::Functions(functions),
        Some(ByArg::Instr) => AskedPage::Instructions,
        Some(ByArg::Group(by)) => AskedPage::Groups(by),
        Some(ByArg::Split(by)) => AskedPage::Beside(by),
        None if asks_nothing(args) => AskedPage::Unsaid(functions.cost),
        None => AskedPage::Functions(functions),
    }
}

/// Rejects the conflicts that depend on values, which clap cannot express.
fn conflicts(args: &AnnotateArgs, narrow: &Narrow) -> Result<(), Usage> {
    let (format, code) = (args.report.format, &args.code);
    let (zoom, split) = (args.zoom.is_some(), args.split.is_some());
    let (tree, sources) = (args.tree != TreeArg::None, args.auto == Some(YesNo::Yes));
    let beside = matches!(args.by, Some(ByArg::Split(_)));
    let (is_text, is_json, is_page) = (
        format == Form::Text,
        format == Form::Json,
        format == Form::Page,
    );
    let is_table = !(is_text || is_json || is_page);
    let cuts = args.columns.has_threshold();
    let charges = args.own.set().is_some();
    let own = args.own.own || !args.own.own_code.is_empty();
    // JSON has the instructions in the document of the whole profile.
    let beside_all = is_json && args.by == Some(ByArg::Instr);
    let by = args.by.is_some() && !beside_all;
    let disassembles = code.asm || args.by == Some(ByArg::Instr) && !is_json;
    let lists_inlined = code.inlined && !charges;
    let BinaryArgs {
        asm_syntax,
        objdump,
        debug_dirs,
        force,
    } = &code.binaries;
    refuse([
        (
            is_page && (by || zoom || tree || split || cuts || !narrow.is_nothing()),
            "a page has all functions and its own filters\nhint: --max-size sets how much of the profile is in it",
        ),
        (
            zoom && cuts,
            "--threshold is for lists\nhint: with --zoom, use --min or -n",
        ),
        (
            (is_json || is_table) && (tree || sources),
            "--tree and --auto=yes are for the text report\nhint: --format=json has all calls",
        ),
        (is_table && split, "--split is for text and json"),
        (is_json && by, "--by is for text, csv, tsv and markdown"),
        (
            lists_inlined && (by || tree || args.inclusive.is_yes() || is_page),
            "--inlined without --own is a separate list, with inclusive costs and without callers",
        ),
        (
            args.by == Some(ByArg::Instr) && charges && !(is_json && own),
            "--by=instr lists costs where they were recorded; --own and --fold attribute them to other functions",
        ),
        (
            (asm_syntax.is_some() || objdump.is_some()) && !disassembles,
            "--asm-syntax and --objdump are for --asm and --by=instr",
        ),
        (
            (*force || !debug_dirs.is_empty()) && !disassembles && !code.inlined,
            "--force and --debug-dir are for --inlined, --asm and --by=instr",
        ),
        (
            beside && (split || sources || charges),
            "--by=thread, part, pid and run list costs where they were recorded, without sources",
        ),
        (
            zoom && charges && !is_text,
            "--zoom with --own or --fold is for the text report",
        ),
        (
            zoom && code.inlined && is_table,
            "--zoom with --inlined is for text and json",
        ),
        (
            args.raw && !is_text,
            "--raw is for the text report; other formats always have the recorded counts",
        ),
        ratios(&args.input, is_page || beside || charges),
        args.columns.cuts_ratio(&args.input),
        size_without_page(&args.report),
    ])
}

/// Whether the options only filter or order the first screen and ask for no other page.
fn asks_nothing(args: &AnnotateArgs) -> bool {
    let lists_inlined = args.code.inlined && args.own.set().is_none();
    let is_other =
        lists_inlined || args.auto.is_some() || args.tree != TreeArg::None || args.split.is_some();
    args.report.format == Form::Text && !is_other
}

impl From<TreeArg> for ListedArcs {
    fn from(typed: TreeArg) -> ListedArcs {
        ListedArcs {
            callers: matches!(typed, TreeArg::Caller | TreeArg::Both),
            callees: matches!(typed, TreeArg::Calling | TreeArg::Both),
        }
    }
}

/// Compiles the pattern of an [`AskedPage::Zoom`].
///
/// # Errors
/// If it is not a valid regular expression.
pub fn zoom_pattern(text: &str) -> Result<Regex, Usage> {
    cli::pattern(text).map_err(|e| Usage(format!("--zoom: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use crate::render::table::TableForm;
    use clap::Parser;

    /// The request for a command line without the program's name, words separated by blanks.
    fn request(line: &str) -> Result<AnnotateRequest, String> {
        let typed = Cli::try_parse_from(["cgannotate"].into_iter().chain(line.split_whitespace()));
        AnnotateRequest::new(typed.unwrap_or_else(|e| panic!("{line}: {e}")).annotate)
            .map_err(|usage| usage.0)
    }

    fn page(line: &str) -> AskedPage {
        request(line).unwrap_or_else(|e| panic!("{line}: {e}")).page
    }

    #[test]
    fn a_command_line_asks_for_one_page() {
        let functions = |callers, callees, cost| Functions {
            tree: ListedArcs { callers, callees },
            cost,
        };
        let zoom = |pattern: &str, depth| AskedPage::Zoom {
            pattern: pattern.into(),
            depth,
        };
        for (line, wanted) in [
            ("", AskedPage::Unsaid(Cost::Own)),
            ("out", AskedPage::Unsaid(Cost::Own)),
            (
                "--show=Ir --sort=Ir:90 --context=3 out",
                AskedPage::Unsaid(Cost::Own),
            ),
            ("--auto=yes out", AskedPage::Functions(Functions::PLAIN)),
            (
                "--threshold=99 --min=1% --function=f out",
                AskedPage::Unsaid(Cost::Own),
            ),
            ("--split=part out", AskedPage::Functions(Functions::PLAIN)),
            ("-n 3 out", AskedPage::Unsaid(Cost::Own)),
            ("--inclusive=yes out", AskedPage::Unsaid(Cost::Inclusive)),
            ("--format=csv out", AskedPage::Functions(Functions::PLAIN)),
            (
                "--inclusive=yes --tree=caller out",
                AskedPage::Functions(functions(true, false, Cost::Inclusive)),
            ),
            (
                "--tree=both out",
                AskedPage::Functions(functions(true, true, Cost::Own)),
            ),
            (
                "--format=json --inclusive=yes out",
                AskedPage::Functions(functions(false, false, Cost::Inclusive)),
            ),
            (
                "--compat --tree=calling out",
                AskedPage::Original(functions(false, true, Cost::Own)),
            ),
            ("--zoom f out", zoom("f", 1)),
            ("--zoom f( --depth 3 --inclusive=yes out", zoom("f(", 3)),
            ("--by=class out", AskedPage::Groups(GroupBy::Class)),
            ("--by=line --format=csv out", AskedPage::Lines),
            ("-n 50 --by=line out", AskedPage::Lines),
            ("--by=thread out", AskedPage::Beside(SplitBy::Thread)),
            ("--by=run --format=csv out", AskedPage::Beside(SplitBy::Run)),
            ("--events", AskedPage::KnownEvents),
            ("--events --zoom f out", AskedPage::Events),
            (
                "--generate=man --events --compat",
                AskedPage::Generate(Generate::Man),
            ),
        ] {
            assert_eq!(page(line), wanted, "{line}");
        }
    }

    #[test]
    fn what_has_no_effect_is_refused() {
        for (line, problem) in [
            (
                "--max-size=1k --tree=both",
                "--max-size is for --format=html",
            ),
            (
                "--format=json --tree=calling out",
                "--tree and --auto=yes are for the text report\nhint: --format=json has all calls",
            ),
            (
                "--by=line --format=json",
                "--by is for text, csv, tsv and markdown",
            ),
            ("--format=csv --split=pid", "--split is for text and json"),
            (
                "--inlined --by=line",
                "--inlined without --own is a separate list, with inclusive costs and without callers",
            ),
            (
                "--by=instr --fold x --format=json",
                "--by=instr lists costs where they were recorded; --own and --fold attribute them to other functions",
            ),
            (
                "--by=instr --own",
                "--by=instr lists costs where they were recorded; --own and --fold attribute them to other functions",
            ),
            (
                "--zoom f --sort=Ir:5",
                "--threshold is for lists\nhint: with --zoom, use --min or -n",
            ),
            (
                "--format=json --zoom f --own",
                "--zoom with --own or --fold is for the text report",
            ),
            (
                "--format=csv --zoom f --inlined",
                "--zoom with --inlined is for text and json",
            ),
            (
                "--by=thread --split=pid",
                "--by=thread, part, pid and run list costs where they were recorded, without sources",
            ),
            (
                "--by=part --auto=yes",
                "--by=thread, part, pid and run list costs where they were recorded, without sources",
            ),
            (
                "--raw --format=csv",
                "--raw is for the text report; other formats always have the recorded counts",
            ),
        ] {
            assert_eq!(request(line).expect_err(line), problem, "{line}");
        }
        for line in [
            "--format=json --by=instr --own",
            "--format=json --by=instr --inlined",
        ] {
            assert!(request(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn options_that_exclude_each_other_are_told() {
        for (line, problem) in [
            (
                "--by=file --inclusive=yes",
                "--by cannot be used with --inclusive",
            ),
            ("--by=file --tree=both", "--by cannot be used with --tree"),
            ("--by=file --zoom f", "--by cannot be used with --zoom"),
            ("--zoom f --tree=both", "--zoom cannot be used with --tree"),
            (
                "--events --format=json",
                "--events cannot be used with --format",
            ),
            ("--compat --zoom f", "--compat cannot be used with --zoom"),
            ("--compat --min=1", "--compat cannot be used with --min"),
            (
                "--compat --not-file x",
                "--compat cannot be used with --not-file",
            ),
            (
                "--compat --own-code=x",
                "--compat cannot be used with --own-code",
            ),
            (
                "--compat --format=csv",
                "--compat cannot be used with --format",
            ),
            (
                "--compat --split=part",
                "--compat cannot be used with --split",
            ),
            (
                "--asm --zoom f --fold x",
                "--asm cannot be used with --fold",
            ),
            ("--depth=2", "--zoom <REGEX> is required\nhint: see --help"),
            ("--asm", "--zoom <REGEX> is required\nhint: see --help"),
            ("-n0", "--rows 0: a number of at least 1 is needed"),
            ("--threads=257", "--threads 257: 257 is not in 1..=256"),
        ] {
            let words = ["cgannotate"].into_iter().chain(line.split_whitespace());
            let told = Cli::try_parse_from(words).expect_err(line);
            assert_eq!(cli::describe(&told), problem, "{line}");
        }
    }

    #[test]
    fn what_is_enough_depends_on_who_reads() {
        let usual = |line: &str| request(line).expect(line).usual;
        assert_eq!((usual("out"), usual("--format=markdown out")), (99, 99));
        for line in [
            "--format=json out",
            "--format=csv out",
            "-n 3 out",
            "--not-object libc out",
        ] {
            assert_eq!(usual(line), 100, "{line}");
        }
        let has = |line: &str| request(line).expect(line).args.columns.has_threshold();
        assert!(!has("--sort=Ir out") && has("--sort=Dr,Ir:5 out") && has("--threshold=99 out"));
    }

    #[test]
    fn sources_and_forms_follow_from_other_options() {
        let of = |line: &str| request(line).expect(line);
        assert!(of("out").annotates);
        assert!(!of("--by=file out").annotates);
        assert!(of("--by=file --auto=yes out").annotates);
        assert!(!of("--auto=no out").annotates);
        let search = |line: &str| of(line).args.source.sources;
        assert_eq!(search("out"), Search::Everywhere);
        assert_eq!(search("--sources=listed out"), Search::Listed);
        assert_eq!(search("--compat out"), Search::Listed);
        let include = of("-I a -Ib out").args.source.include;
        assert_eq!(include, ["a", "b"].map(std::path::PathBuf::from));
        assert_eq!(
            of("--format=tsv").args.report.format,
            Form::Table(TableForm::Tsv)
        );
        let file = |line: &str| of(line).args.report.output.file().map(ToOwned::to_owned);
        assert_eq!([file("out"), file("-o - out")], [None, None]);
        assert_eq!(file("-o f out"), Some("f".into()));
    }
}
