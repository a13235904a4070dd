//! The request of `diff`: which two runs it compares, and what it shows.

use super::{Usage, columns, ratios, refuse, size_without_page, two_sides};
use crate::{
    analysis::{GroupBy, Narrow, Set},
    cli::{ByArg, DiffArgs, Form, YesNo},
};
use std::{num::NonZeroUsize, path::PathBuf};

/// What to compare.
#[derive(Clone, Debug)]
pub struct DiffRequest {
    /// The arguments.
    pub args: DiffArgs,
    /// The profiles of the old run, summed.
    pub old: Vec<PathBuf>,
    /// The profiles of the new run, summed.
    pub new: Vec<PathBuf>,
    /// The default threshold of a list, in percent.
    pub usual: u8,
    /// Which functions are compared.
    pub narrow: Narrow,
    /// Whether to annotate the new run's sources with changes. Only text and pages have them.
    pub annotates: bool,
    /// Which code is attributed to its callers, if any.
    pub own: Option<Set>,
}

impl DiffRequest {
    /// Interprets the arguments.
    ///
    /// # Errors
    /// If the files cannot be divided into old and new ones, or if options conflict.
    pub fn new(args: DiffArgs) -> Result<DiffRequest, Usage> {
        let (old, new) = sides(&args)?;
        let format = args.report.format;
        let narrow = Narrow {
            rows: args.rows.map(NonZeroUsize::get),
            ..args.filters.narrow()
        };
        let cuts = args.columns.has_threshold() || !narrow.is_nothing();
        let is_part = args.by != ByArg::Group(GroupBy::Function) || cuts;
        refuse([
            (
                args.by.groups().is_some() && args.inclusive.is_yes(),
                "--by adds up self costs; inclusive costs do not add up",
            ),
            (
                format == Form::Page && is_part,
                "a page has all functions\nhint: --max-size sets how much of the profile is in it",
            ),
            (
                args.flamegraph && is_part,
                "a flame graph has all functions",
            ),
            ratios(
                &args.input,
                args.flamegraph || format == Form::Page || args.own.set().is_some(),
            ),
            args.columns.cuts_ratio(&args.input),
            size_without_page(&args.report),
        ])?;
        Ok(DiffRequest {
            old,
            new,
            usual: columns::usual(format, &narrow),
            narrow,
            annotates: match format {
                Form::Page => args.auto != Some(YesNo::No),
                Form::Text => args.auto == Some(YesNo::Yes),
                Form::Json | Form::Table(_) => false,
            },
            own: args.own.set(),
            args,
        })
    }
}

impl ByArg {
    /// The groups that self costs are added up by, unless a row is a function or a line.
    pub fn groups(self) -> Option<GroupBy> {
        match self {
            ByArg::Group(by) if by != GroupBy::Function => Some(by),
            _ => None,
        }
    }
}

fn sides(args: &DiffArgs) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Usage> {
    let (old, new) = match (two_sides(&args.files, &args.new), &args.files[..]) {
        (Some(sides), _) => sides,
        // Its benches know their older runs.
        (None, [folder]) if args.new.is_empty() && folder.is_dir() => {
            (Vec::new(), vec![folder.clone()])
        }
        _ => {
            let why = "diff compares two profiles, `diff OLD NEW`, two runs in a file, `diff FILE:1 FILE:2`, several, `diff OLD... -- NEW...`, or the benches of a folder, `diff FOLDER`";
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
        return Err(Usage("standard input can be read only once".into()));
    }
    Ok((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command, substitution};
    use clap::Parser;

    fn request(line: &str) -> Result<DiffRequest, String> {
        let words = ["cgannotate", "diff"]
            .into_iter()
            .chain(line.split_whitespace());
        match Cli::try_parse_from(words).expect(line).command {
            Some(Command::Diff(args)) => DiffRequest::new(*args).map_err(|usage| usage.0),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn substitutions_are_perls() {
        let apply = |rule: &str, text: &str| {
            let rule = substitution(rule).unwrap_or_else(|e| panic!("{rule}: {e}"));
            String::from_utf8_lossy(&rule.apply(text.as_bytes())).into_owned()
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
            assert!(substitution(bad).is_err(), "{bad}");
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
                "diff compares two profiles, `diff OLD NEW`, two runs in a file, `diff FILE:1 FILE:2`, several, `diff OLD... -- NEW...`, or the benches of a folder, `diff FOLDER`",
            ),
            (
                "a b c",
                "diff compares two profiles, `diff OLD NEW`, two runs in a file, `diff FILE:1 FILE:2`, several, `diff OLD... -- NEW...`, or the benches of a folder, `diff FOLDER`",
            ),
            (
                "a -- b -- c",
                "diff takes one `--`, between the old profiles and the new ones",
            ),
            ("- -", "standard input can be read only once"),
            ("a b --max-size=1k", "--max-size is for --format=html"),
        ] {
            assert_eq!(request(line).expect_err(line), why, "{line}");
        }
    }

    #[test]
    fn the_form_decides_what_is_enough_and_whether_sources_show() {
        let of = |line: &str| request(line).expect(line);
        assert_eq!((of("a b").usual, of("a b --format=csv").usual), (99, 100));
        assert!(of("a b --auto=yes").annotates && of("a b --format=html").annotates);
        assert!(!of("a b --auto=yes --format=markdown").annotates);
        assert!(!of("a b --auto=no --format=html").annotates);
    }
}
