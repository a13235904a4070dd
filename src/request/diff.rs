//! Which two runs are compared, and what is shown of it.

use super::narrow::filters;
use super::{Columns, Destination, Form, Look, Reading, Sources, Usage, own, refuse};
use crate::analysis::difference::{Cost, Exactness, Matches, Rewrite, Rules};
use crate::analysis::{GroupBy, Narrow, Set};
use crate::cli::{By, DiffArgs, Substitution, YesNo};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Request {
    /// The profiles of the old run, summed.
    pub old: Vec<PathBuf>,
    /// The profiles of the new run, summed.
    pub new: Vec<PathBuf>,
    /// What a row is.
    pub rows: Rows,
    /// Which functions are taken for the same.
    pub rules: Rules,
    /// The form of the report.
    pub form: Form,
    /// Which functions it is about.
    pub narrow: Narrow,
    /// Its columns, its order and its end.
    pub columns: Columns,
    /// The cost whose change orders functions.
    pub cost: Cost,
    /// Which sources are annotated.
    pub annotated: Annotated,
    /// Where they are.
    pub sources: Sources,
    /// What is charged to its callers, if anything is.
    pub own: Option<Set>,
    /// Whether own functions that were inlined are functions like others.
    pub inlined: bool,
    /// Folders with binaries and debug files.
    pub debug_dirs: Vec<PathBuf>,
    /// How inputs are read.
    pub reading: Reading,
    /// How it looks.
    pub look: Look,
    /// Where it goes.
    pub to: Destination,
}

/// What a row of a comparison is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// A function.
    Functions,
    /// A line of one function.
    Lines,
    /// What self costs are added up by.
    Groups(GroupBy),
}

/// Which of the new run's sources are annotated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Annotated {
    /// Those whose costs changed; in text, and in pages for browsers.
    Changed,
    /// None.
    Nothing,
}

impl Request {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// Files that cannot be divided into old and new ones, and conflicting options.
    pub fn new(args: &DiffArgs) -> Result<Request, Usage> {
        let (old, new) = sides(args)?;
        let form = Form::new(args.format, args.report.max_size)?;
        let narrow = Narrow {
            rows: args.rows.map(NonZeroUsize::get),
            ..filters(&args.filters)
        };
        let is_page = matches!(form, Form::Page(_));
        let rows = match args.by {
            By::Function => Rows::Functions,
            By::Line => Rows::Lines,
            By::File => Rows::Groups(GroupBy::File),
            By::Object => Rows::Groups(GroupBy::Object),
            By::Class => Rows::Groups(GroupBy::Class),
        };
        let cuts = args.threshold.is_some() || args.sort.iter().any(|key| key.threshold.is_some());
        refuse([
            (
                matches!(rows, Rows::Groups(_)) && args.inclusive.is_yes(),
                "--by adds up self costs; inclusive costs do not add up",
            ),
            (
                is_page && (rows != Rows::Functions || cuts || !narrow.is_nothing()),
                "a page has all functions and their lines, and finds names; --max-size says how much is in it",
            ),
        ])?;
        // Who asks for some functions wants all of those.
        let usual = if form.is_for_people() && !is_page && narrow.is_nothing() {
            99
        } else {
            100
        };
        Ok(Request {
            old,
            new,
            rows,
            rules: Rules {
                exactness: if args.exact {
                    Exactness::Exact
                } else {
                    Exactness::Normalised
                },
                paths: args.mod_filename.iter().map(rewrite).collect(),
                functions: args.mod_funcname.iter().map(rewrite).collect(),
            },
            form,
            narrow,
            columns: Columns::new(
                &args.show,
                &args.sort,
                args.threshold.as_ref(),
                usual,
                args.show_percs,
            ),
            cost: if args.inclusive.is_yes() {
                Cost::Inclusive
            } else {
                Cost::Own
            },
            annotated: match form {
                Form::Page(_) if args.auto != Some(YesNo::No) => Annotated::Changed,
                Form::Text if args.auto == Some(YesNo::Yes) => Annotated::Changed,
                _ => Annotated::Nothing,
            },
            sources: Sources::new(&args.source, args.source.sources.into(), args.context),
            own: own::set(&args.own),
            inlined: args.code.inlined,
            debug_dirs: args.code.debug_dirs.clone(),
            reading: Reading::new(&args.input),
            look: Look::new(&args.report.screen),
            to: Destination::new(&args.report.output),
        })
    }
}

fn rewrite(typed: &Substitution) -> Rewrite {
    Rewrite {
        pattern: typed.pattern.clone(),
        replacement: typed.replacement.clone().into_bytes(),
        matches: if typed.every_match {
            Matches::All
        } else {
            Matches::First
        },
    }
}

/// The files of each side: two, or lists separated by `--`. After a leading `--`, two names may begin with `-`.
fn sides(args: &DiffArgs) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Usage> {
    let (old, new) = match (&args.files[..], &args.new[..]) {
        ([old, new], []) | ([], [old, new]) => (vec![old.clone()], vec![new.clone()]),
        (old, new) if !old.is_empty() && !new.is_empty() => (old.to_vec(), new.to_vec()),
        _ => {
            let why =
                "diff compares two profiles, `diff OLD NEW`, or several, `diff OLD... -- NEW...`";
            return Err(Usage(why.into()));
        }
    };
    let all = || old.iter().chain(&new);
    if all().any(|name| name.as_os_str() == "--") {
        return Err(Usage(
            "diff takes one `--`, between the old profiles and the new ones".into(),
        ));
    }
    if all().filter(|name| name.as_os_str() == "-").count() > 1 {
        return Err(Usage("standard input can be read once only".into()));
    }
    Ok((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Threshold;
    use crate::cli::{Cli, Command};
    use crate::request::Enough;
    use clap::Parser;

    fn request(line: &str) -> Result<Request, String> {
        let words = ["cgannotate", "diff"]
            .into_iter()
            .chain(line.split_whitespace());
        match Cli::try_parse_from(words).expect(line).command {
            Some(Command::Diff(args)) => Request::new(&args).map_err(|usage| usage.0),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn substitutions_are_perls() {
        let apply = |rule: &str, text: &str| {
            let rule: Substitution = rule.parse().unwrap_or_else(|e| panic!("{rule}: {e}"));
            String::from_utf8_lossy(&rewrite(&rule).apply(text.as_bytes())).into_owned()
        };
        assert_eq!(apply("s/o/0/", "foo"), "f0o");
        assert_eq!(apply("s/o/0/g", "foo"), "f00");
        assert_eq!(apply("s/F(O)/$1x/i", "foo"), "oxo");
        assert_eq!(apply("s/f(o)/\\1$&$$/", "foo"), "ofo$o");
        assert_eq!(apply("s|/a/b|/c|", "/a/b/x.c"), "/c/x.c");
        assert_eq!(apply("s/\\/a\\/b/\\/c/", "/a/b/x.c"), "/c/x.c");
        for bad in [
            "", "s", "s/a/b", "a/b/c/", "s/a/b/x", "s/(/b/", "s/a/b/g/", "sxaxbx",
        ] {
            assert!(bad.parse::<Substitution>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_sides_are_two_files_or_two_lists() {
        for (line, old, new) in [
            ("a b", &["a"][..], &["b"][..]),
            ("-- -a b", &["-a"], &["b"]),
            ("a -- b", &["a"], &["b"]),
            ("a b -- c", &["a", "b"], &["c"]),
            ("- b", &["-"], &["b"]),
        ] {
            let request = request(line).expect(line);
            let names = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
            assert_eq!(
                (request.old, request.new),
                (names(old), names(new)),
                "{line}"
            );
        }
        for (line, why) in [
            (
                "a",
                "diff compares two profiles, `diff OLD NEW`, or several, `diff OLD... -- NEW...`",
            ),
            (
                "a b c",
                "diff compares two profiles, `diff OLD NEW`, or several, `diff OLD... -- NEW...`",
            ),
            (
                "a -- b -- c",
                "diff takes one `--`, between the old profiles and the new ones",
            ),
            ("- -", "standard input can be read once only"),
            ("a b --max-size=1k", "--max-size is for --format=html"),
        ] {
            assert_eq!(request(line).expect_err(line), why, "{line}");
        }
    }

    #[test]
    fn the_form_decides_what_is_enough_and_whether_sources_show() {
        let of = |line: &str| request(line).expect(line);
        assert_eq!(
            of("a b").columns.enough,
            Enough::Usual(Threshold::whole(99))
        );
        assert_eq!(
            of("a b --format=csv").columns.enough,
            Enough::Usual(Threshold::whole(100))
        );
        assert_eq!(of("a b --auto=yes").annotated, Annotated::Changed);
        assert_eq!(
            of("a b --auto=yes --format=markdown").annotated,
            Annotated::Nothing
        );
    }
}
