//! The report: which page of it is wanted, and of what.

use super::again;
use super::narrow::narrow;
use super::{Binaries, Columns, Destination, Form, Look, Reading, Sources, Usage, own, refuse};
use crate::analysis::difference::Cost;
use crate::analysis::{GroupBy, Narrow, Set};
use crate::cli::{self, AnnotateArgs, BinaryArgs, ByArg, FormatArg, Generate, TreeArg, YesNo};
use crate::profile::SplitBy;
use crate::source::Search;
use crate::view::ListedArcs;
use crate::view::next::Typed;
use regex::bytes::Regex;
use std::path::PathBuf;

/// The request for a report.
#[derive(Clone, Debug)]
pub struct Request {
    /// Profiles and sources, which their content tells apart; none is the newest profile in this folder.
    pub files: Vec<PathBuf>,
    /// The page that is asked for.
    pub page: AskedPage,
    /// Its form.
    pub form: Form,
    /// Its columns, the order of its rows, and where it ends.
    pub columns: Columns,
    /// Its filters.
    pub narrow: Narrow,
    /// What is charged to its callers, if anything is.
    pub own: Option<Set>,
    /// What is reported on separately, such as parts; `None` reports on the sum.
    pub split: Option<SplitBy>,
    /// Which sources are annotated.
    pub annotated: Annotated,
    /// Where they are.
    pub sources: Sources,
    /// What is asked of binaries.
    pub code: Code,
    /// How counts of time are shown.
    pub times: Times,
    /// How inputs are read.
    pub reading: Reading,
    /// How it looks.
    pub look: Look,
    /// Where it goes.
    pub to: Destination,
    /// The options that suggested commands repeat.
    pub again: Vec<String>,
    /// Those of the report that its other pages take, too.
    pub typed: Typed,
    /// Paths of objects of which it was said already what they lack.
    pub told: Vec<String>,
}

/// The page that is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AskedPage {
    /// Something for the system that the program is installed on; no profile is read for it.
    Generate(Generate),
    /// All events that are known, in words; no profile is read for it.
    KnownEvents,
    /// The events of a profile, in words.
    Events,
    /// No page was named. At a terminal, unless sources are named, the first screen; else the list of functions by this
    /// cost.
    Unsaid(Cost),
    /// The list of functions; in JSON, all of a profile.
    Functions(Functions),
    /// The list of functions with the original's own numbers, of one profile.
    Original(Functions),
    /// Self costs of groups of functions.
    Groups(GroupBy),
    /// Self costs of lines of functions.
    Lines,
    /// Self costs of functions, with a column for each thread, or part and so on.
    Beside(SplitBy),
    /// Self costs of instructions.
    Instructions,
    /// One function in full. Of an aprof report the pattern can be a whole name instead, so that it is not compiled yet:
    /// [`zoom_pattern`] does that.
    Zoom {
        /// The pattern that its name matches.
        pattern: String,
        /// Levels of callers and callees.
        depth: usize,
    },
}

/// What is asked of binaries and their debug information.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Code {
    /// Whether inlined functions are told apart.
    pub inlined: bool,
    /// Whether single instructions are listed, in JSON.
    pub instructions: bool,
    /// Whether the page of a function shows its instructions instead of its source.
    pub asm: bool,
    /// Where binaries are.
    pub binaries: Binaries,
}

impl Code {
    /// Whether anything needs single instructions.
    pub fn is_wanted(&self) -> bool {
        self.inlined || self.instructions || self.asm
    }
}

/// How functions are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Functions {
    /// Which arcs are listed with each.
    pub tree: ListedArcs,
    /// By which cost.
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

/// Which sources are annotated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Annotated {
    /// Those of what is listed, and those that are named.
    Listed,
    /// Those that are named.
    Named,
}

/// How counts of time are shown on a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// In seconds and parts of them, where the unit is known.
    Durations,
    /// As they were recorded.
    Recorded,
}

impl Request {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// Conflicting options.
    pub fn new(args: &AnnotateArgs) -> Result<Request, Usage> {
        let form = Form::new(args.format, args.report.max_size)?;
        let narrow = narrow(&args.narrow);
        conflicts(args, &narrow)?;
        let page = page(args);
        let is_page = args.format == FormatArg::Html;
        let usual = if form.is_for_people() && narrow.is_nothing() && !is_page {
            99
        } else {
            100
        };
        let columns = Columns::new(
            &args.show,
            &args.sort,
            args.threshold.as_ref(),
            usual,
            args.show_percs,
        );
        // Lists of groups are short; their sources are not.
        let annotates = args.auto.map_or(args.by.is_none(), YesNo::is_yes);
        let search = if args.compat {
            Search::Listed
        } else {
            args.source.sources.into()
        };
        Ok(Request {
            files: args.files.clone(),
            page,
            form,
            columns,
            narrow,
            own: own::set(&args.own),
            split: args.split,
            annotated: if annotates {
                Annotated::Listed
            } else {
                Annotated::Named
            },
            sources: Sources::new(&args.source, search, args.context),
            code: Code {
                inlined: args.code.inlined,
                // In JSON they stand beside all the rest.
                instructions: args.by == Some(ByArg::Instr) && form == Form::Json,
                asm: args.code.asm,
                binaries: Binaries::new(&args.code.binaries, &args.source.maps),
            },
            times: if args.raw {
                Times::Recorded
            } else {
                Times::Durations
            },
            reading: Reading::new(&args.input),
            look: Look::new(&args.report.screen),
            to: Destination::new(&args.report.output),
            again: again::of_inputs(&args.input, &args.own, Some(&args.code), &args.source),
            typed: again::of_report(args),
            told: Vec::new(),
        })
    }
}

impl AskedPage {
    /// How functions are listed, if they are.
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

/// The page: the first of those that are asked for.
fn page(args: &AnnotateArgs) -> AskedPage {
    if let Some(what) = args.generate {
        return AskedPage::Generate(what);
    }
    if args.list_events && args.files.is_empty() {
        return AskedPage::KnownEvents;
    }
    let functions = Functions {
        tree: args.tree.into(),
        cost: if args.inclusive.is_yes() {
            Cost::Inclusive
        } else {
            Cost::Own
        },
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
        // In JSON they stand beside all the rest.
        Some(ByArg::Instr) if args.format == FormatArg::Json => AskedPage::Functions(functions),
        Some(ByArg::Instr) => AskedPage::Instructions,
        Some(ByArg::Function) => AskedPage::Groups(GroupBy::Function),
        Some(ByArg::File) => AskedPage::Groups(GroupBy::File),
        Some(ByArg::Object) => AskedPage::Groups(GroupBy::Object),
        Some(ByArg::Class) => AskedPage::Groups(GroupBy::Class),
        Some(ByArg::Thread) => AskedPage::Beside(SplitBy::Thread),
        Some(ByArg::Part) => AskedPage::Beside(SplitBy::Part),
        Some(ByArg::Pid) => AskedPage::Beside(SplitBy::Pid),
        Some(ByArg::Run) => AskedPage::Beside(SplitBy::Run),
        None if asks_nothing(args) => AskedPage::Unsaid(functions.cost),
        None => AskedPage::Functions(functions),
    }
}

/// What clap cannot say, because it depends on values.
fn conflicts(args: &AnnotateArgs, narrow: &Narrow) -> Result<(), Usage> {
    let AnnotateArgs { format, code, .. } = args;
    let (zoom, split) = (args.zoom.is_some(), args.split.is_some());
    let (tree, sources) = (args.tree != TreeArg::None, args.auto == Some(YesNo::Yes));
    let beside = matches!(
        args.by,
        Some(ByArg::Thread | ByArg::Part | ByArg::Pid | ByArg::Run)
    );
    let (is_text, is_json, is_page) = (
        *format == FormatArg::Text,
        *format == FormatArg::Json,
        *format == FormatArg::Html,
    );
    let is_table = !(is_text || is_json || is_page);
    let cuts = args.threshold.is_some() || args.sort.iter().any(|key| key.threshold.is_some());
    let charges = own::set(&args.own).is_some();
    let own = args.own.own || !args.own.own_code.is_empty();
    // In JSON, instructions stand beside all the rest.
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
            "a page has all functions, and rows are chosen in it; --max-size says how much of the profile is in it",
        ),
        (
            zoom && cuts,
            "--threshold is for lists; --zoom has --min and -n",
        ),
        (
            (is_json || is_table) && (tree || sources),
            "--tree and --auto=yes are for the text report; json has all calls",
        ),
        (
            is_table && split,
            "--split is for text and json; a table is one",
        ),
        (is_json && by, "--by is for text, csv, tsv and markdown"),
        (
            lists_inlined && (by || tree || args.inclusive.is_yes() || is_page),
            "--inlined without --own is a list of its own, with inclusive costs and without callers",
        ),
        (
            args.by == Some(ByArg::Instr) && charges && !(is_json && own),
            "--by=instr lists what was recorded, which --own and --fold charge to others",
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
            "--by=thread, part, pid and run are lists of what was recorded, without sources",
        ),
        (
            zoom && charges && !is_text,
            "--zoom of own code is for the text report",
        ),
        (
            zoom && code.inlined && is_table,
            "--zoom of inlined functions is for text and json",
        ),
        (
            args.raw && !is_text,
            "--raw is for the text report; other forms have counts as they were recorded",
        ),
    ])
}

/// Whether no page but the first screen is asked for, so that options only filter or order that.
fn asks_nothing(args: &AnnotateArgs) -> bool {
    let lists_inlined = args.code.inlined && own::set(&args.own).is_none();
    let is_other =
        lists_inlined || args.auto.is_some() || args.tree != TreeArg::None || args.split.is_some();
    args.format == FormatArg::Text && !is_other
}

impl From<TreeArg> for ListedArcs {
    fn from(typed: TreeArg) -> ListedArcs {
        ListedArcs {
            callers: matches!(typed, TreeArg::Caller | TreeArg::Both),
            callees: matches!(typed, TreeArg::Calling | TreeArg::Both),
        }
    }
}

/// The pattern of an [`AskedPage::Zoom`].
///
/// # Errors
/// It is no regular expression.
pub fn zoom_pattern(text: &str) -> Result<Regex, Usage> {
    cli::pattern(text).map_err(|e| Usage(format!("--zoom: {e}")))
}

#[cfg(test)]
mod tests {
    use super::super::Enough;
    use super::*;
    use crate::cli::Cli;
    use crate::render::table::TableForm;
    use clap::Parser;

    /// The request for a command line without the program's name, words separated by blanks.
    fn request(line: &str) -> Result<Request, String> {
        let typed = Cli::try_parse_from(["cgannotate"].into_iter().chain(line.split_whitespace()));
        Request::new(&typed.unwrap_or_else(|e| panic!("{line}: {e}")).annotate)
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
                "--tree and --auto=yes are for the text report; json has all calls",
            ),
            (
                "--by=line --format=json",
                "--by is for text, csv, tsv and markdown",
            ),
            (
                "--format=csv --split=pid",
                "--split is for text and json; a table is one",
            ),
            (
                "--inlined --by=line",
                "--inlined without --own is a list of its own, with inclusive costs and without callers",
            ),
            (
                "--by=instr --fold x --format=json",
                "--by=instr lists what was recorded, which --own and --fold charge to others",
            ),
            (
                "--by=instr --own",
                "--by=instr lists what was recorded, which --own and --fold charge to others",
            ),
            (
                "--zoom f --sort=Ir:5",
                "--threshold is for lists; --zoom has --min and -n",
            ),
            (
                "--format=json --zoom f --own",
                "--zoom of own code is for the text report",
            ),
            (
                "--format=csv --zoom f --inlined",
                "--zoom of inlined functions is for text and json",
            ),
            (
                "--by=thread --split=pid",
                "--by=thread, part, pid and run are lists of what was recorded, without sources",
            ),
            (
                "--by=part --auto=yes",
                "--by=thread, part, pid and run are lists of what was recorded, without sources",
            ),
            (
                "--raw --format=csv",
                "--raw is for the text report; other forms have counts as they were recorded",
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
                "--by does not go with --inclusive",
            ),
            ("--by=file --tree=both", "--by does not go with --tree"),
            ("--by=file --zoom f", "--by does not go with --zoom"),
            ("--zoom f --tree=both", "--zoom does not go with --tree"),
            (
                "--events --format=json",
                "--events does not go with --format",
            ),
            ("--compat --zoom f", "--compat does not go with --zoom"),
            ("--compat --min=1", "--compat does not go with --min"),
            (
                "--compat --not-file x",
                "--compat does not go with --not-file",
            ),
            (
                "--compat --own-code=x",
                "--compat does not go with --own-code",
            ),
            (
                "--compat --format=csv",
                "--compat does not go with --format",
            ),
            ("--compat --split=part", "--compat does not go with --split"),
            ("--asm --zoom f --fold x", "--asm does not go with --fold"),
            ("--depth=2", "--zoom <REGEX> is missing; --help explains"),
            ("--asm", "--zoom <REGEX> is missing; --help explains"),
            ("-n0", "--rows 0: a number from 1 on is needed"),
            ("--threads=257", "--threads 257: 257 is not in 1..=256"),
        ] {
            let words = ["cgannotate"].into_iter().chain(line.split_whitespace());
            let told = Cli::try_parse_from(words).expect_err(line);
            assert_eq!(cli::describe(&told), problem, "{line}");
        }
    }

    #[test]
    fn what_is_enough_depends_on_who_reads() {
        let enough = |line: &str| {
            request(line)
                .map(|request| request.columns.enough)
                .expect(line)
        };
        let whole = crate::analysis::Threshold::whole;
        assert_eq!(enough("out"), Enough::Usual(whole(99)));
        assert_eq!(enough("--format=markdown out"), Enough::Usual(whole(99)));
        for line in [
            "--format=json out",
            "--format=csv out",
            "-n 3 out",
            "--not-object libc out",
        ] {
            assert_eq!(enough(line), Enough::Usual(whole(100)), "{line}");
        }
        assert_eq!(enough("--threshold=100 out"), Enough::Asked(whole(100)));
        let has = |line: &str| {
            request(line)
                .map(|request| request.columns.has_threshold())
                .expect(line)
        };
        assert!(!has("--sort=Ir out") && has("--sort=Dr,Ir:5 out") && has("--threshold=99 out"));
    }

    #[test]
    fn sources_and_forms_follow_from_other_options() {
        let of = |line: &str| request(line).expect(line);
        assert_eq!(of("out").annotated, Annotated::Listed);
        assert_eq!(of("--by=file out").annotated, Annotated::Named);
        assert_eq!(of("--by=file --auto=yes out").annotated, Annotated::Listed);
        assert_eq!(of("--auto=no out").annotated, Annotated::Named);
        assert_eq!(of("out").sources.search, Search::Everywhere);
        assert_eq!(of("--sources=listed out").sources.search, Search::Listed);
        assert_eq!(of("--compat out").sources.search, Search::Listed);
        assert_eq!(
            of("-I a -Ib out").sources.include,
            ["a", "b"].map(PathBuf::from)
        );
        assert_eq!(of("--format=tsv").form, Form::Table(TableForm::Tsv));
        assert_eq!(
            (of("out").to, of("-o - out").to),
            (Destination::Unsaid, Destination::Stdout)
        );
        assert_eq!(of("-o f out").to.file(), Some(std::path::Path::new("f")));
    }
}
