//! The report: which page of it is wanted, and of what.

use super::again;
use super::narrow::narrow;
use super::{Binaries, Columns, Destination, Form, Look, Reading, Sources, Usage, conflicts, own};
use crate::analysis::difference::Cost;
use crate::analysis::{GroupBy, Narrow, Set};
use crate::cli::{self, AnnotateArgs, ByArg, ColumnArg, FormatArg, Generate, TreeArg, YesNo};
use crate::profile::SplitBy;
use crate::source::Search;
use crate::view::ListedArcs;
use crate::view::next::Typed;
use crate::view::tables::Measure;
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
    /// What a table has columns of, if that is asked for; else the one cost that is listed.
    pub measures: Vec<Measure>,
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
    /// Whether lines of source stand between these.
    pub asm_source: bool,
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
        let form = Form::new(args.format, &args.report)?;
        let narrow = narrow(&args.narrow);
        conflicts::refuse(args, &narrow)?;
        let page = page(args)?;
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
        let annotates = args.auto.map_or(args.narrow.by.is_none(), YesNo::is_yes)
            && args.source.sources != cli::SourceSearch::None;
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
            measures: measures(&args.columns),
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
                instructions: args.code.instructions
                    || args.narrow.by == Some(ByArg::Instr) && form == Form::Json,
                asm: args.code.asm,
                asm_source: args.code.asm_source,
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
fn page(args: &AnnotateArgs) -> Result<AskedPage, Usage> {
    if let Some(what) = args.generate {
        return Ok(AskedPage::Generate(what));
    }
    if args.list_events && args.files.is_empty() {
        return Ok(AskedPage::KnownEvents);
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
        return match args.format {
            FormatArg::Text if args.split.is_some() => {
                Err(Usage("--compat reads one part and cannot --split".into()))
            }
            FormatArg::Text => Ok(AskedPage::Original(functions)),
            _ => Err(Usage(
                "--compat prints the classic report and nothing else".into(),
            )),
        };
    }
    if args.list_events {
        return Ok(AskedPage::Events);
    }
    if let Some(pattern) = &args.zoom {
        return Ok(AskedPage::Zoom {
            pattern: pattern.clone(),
            depth: args.depth.unwrap_or(1),
        });
    }
    Ok(match args.narrow.by {
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
    })
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

/// What a table has columns of, each once.
fn measures(columns: &[ColumnArg]) -> Vec<Measure> {
    let mut measures = Vec::new();
    for column in columns {
        let measure = match column {
            ColumnArg::Own => Measure::Own,
            ColumnArg::Inclusive => Measure::Inclusive,
            ColumnArg::Calls => Measure::Calls,
        };
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    measures
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
    use crate::render::table::{self, Formulas};
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
                "--generate=man --events --compat --format=json",
                AskedPage::Generate(Generate::Man),
            ),
        ] {
            assert_eq!(page(line), wanted, "{line}");
        }
    }

    #[test]
    fn of_several_conflicts_the_first_is_told() {
        for (line, problem) in [
            (
                "--csv-safe --by=file --tree=both",
                "--csv-safe is for --format=csv and --format=tsv",
            ),
            (
                "--csv-safe --generate=man",
                "--csv-safe is for --format=csv and --format=tsv",
            ),
            (
                "--by=file --inclusive=yes --tree=both",
                "--by adds self costs up; inclusive costs do not add up",
            ),
            (
                "--by=file --tree=both --compat",
                "--by shows no callers and callees",
            ),
            (
                "--format=json --tree=calling out",
                "--tree is for the text report; json has all calls",
            ),
            (
                "--events --format=json",
                "--events answers in words; it has no --format",
            ),
            (
                "--events --format=csv out",
                "--events answers in words; it has no --format",
            ),
            (
                "--by=line --format=json",
                "--by is for text, csv, tsv and markdown",
            ),
            (
                "--format=csv --split=pid --tree=both",
                "--split is for text and json; a table is one",
            ),
            (
                "--inlined --by=line",
                "--by adds self costs up as they were recorded; --inlined is a list of its own",
            ),
            (
                "--instructions --fold-file x --format=json",
                "--fold-... adds up what --instructions lists",
            ),
            (
                "--format=markdown --tree=both",
                "--tree is for the text report; json has all calls",
            ),
            (
                "--compat --zoom f --fold-recursion",
                "--compat has no --zoom",
            ),
            (
                "--compat --fold-recursion --min=1",
                "--compat keeps recursion levels apart",
            ),
            (
                "--zoom f --sort=Ir:5",
                "--threshold is for lists; --zoom has --min and -n",
            ),
            ("--by=file --zoom f", "--by adds up, --zoom takes apart"),
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
                "--split prints one after the other what --by puts side by side",
            ),
            (
                "--by=part --auto=yes",
                "--by=thread, part, pid and run are lists; they have no sources",
            ),
            (
                "--by=run --own",
                "--by=thread, part, pid and run list costs as they were recorded",
            ),
            (
                "--by=thread --inclusive=yes",
                "--by adds self costs up; inclusive costs do not add up",
            ),
            ("--columns=self", "--columns is for csv, tsv and markdown"),
            (
                "--columns=calls --format=json",
                "--columns is for csv, tsv and markdown",
            ),
            (
                "--columns=calls --format=csv --by=file",
                "--columns is for the list of functions",
            ),
            (
                "--columns=self --format=csv --own",
                "--columns lists costs as they were recorded",
            ),
            (
                "--columns=calls --format=csv --zoom f",
                "--columns is for the list of functions",
            ),
            (
                "--compat --by=file",
                "--compat leaves nothing out that is asked for",
            ),
            (
                "--compat --not-file x",
                "--compat leaves nothing out that is asked for",
            ),
            (
                "--compat --format=json --split=pid",
                "--compat prints the classic report and nothing else",
            ),
            (
                "--compat --format=csv",
                "--compat prints the classic report and nothing else",
            ),
            (
                "--compat --split=part",
                "--compat reads one part and cannot --split",
            ),
        ] {
            assert_eq!(request(line).expect_err(line), problem, "{line}");
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
        assert_eq!(
            of("--csv-safe --format=tsv").form,
            Form::Table(table::TableForm::Tsv(Formulas::Prevented))
        );
        assert_eq!(
            (of("out").to, of("-o - out").to),
            (Destination::Unsaid, Destination::Stdout)
        );
        assert_eq!(of("-o f out").to.file(), Some(std::path::Path::new("f")));
    }
}
