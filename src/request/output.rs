//! Where a report goes, in which form, and how it looks there.

use super::{CSV_SAFE, Usage, refuse};
use crate::cli::{FormatArg, NamesArg, OutputArgs, ReportArgs, ScreenArgs, When};
use crate::render::table::{self, Formulas};
use crate::view::NameForm;
use std::path::{Path, PathBuf};

/// Where a report goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// By default: to standard output.
    Unsaid,
    /// To standard output, as was asked for, even on a terminal.
    Stdout,
    /// To a file, which appears whole or not at all.
    File(PathBuf),
}

impl Destination {
    pub(super) fn new(args: &OutputArgs) -> Destination {
        match &args.output {
            None => Destination::Unsaid,
            Some(path) if path.as_os_str() == "-" => Destination::Stdout,
            Some(path) => Destination::File(path.clone()),
        }
    }

    /// The file; `None` is standard output.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Destination::Unsaid | Destination::Stdout => None,
            Destination::File(path) => Some(path),
        }
    }
}

/// How a report looks on a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// When it has colours.
    pub colour: When,
    /// When it goes through a pager.
    pub paging: When,
    /// How names are shown where lines would not fit.
    pub names: NameForm,
}

impl Look {
    pub(super) fn new(args: &ScreenArgs) -> Look {
        let names = match args.names {
            NamesArg::Short => NameForm::Short,
            NamesArg::Full => NameForm::Full,
        };
        Look {
            colour: args.color,
            paging: args.paging,
            names,
        }
    }
}

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The classic one.
    Text,
    /// One JSON document.
    Json,
    /// One table.
    Table(table::TableForm),
    /// One page for a browser.
    Page(PageForm),
}

/// What a page is to be like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageForm {
    /// How many bytes it has at most.
    pub most: u64,
    /// What happens to it afterwards.
    pub then: Then,
}

/// What happens to a page when it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// Nothing.
    Keep,
    /// A browser shows it.
    Show,
}

/// How long a page is at most if nobody says: what mail and wikis take, and browsers open at once.
pub const PAGE: u64 = 2_000_000;

impl Form {
    /// The form, which must be one that `--csv-safe`, `--open` and `--max-size` say something about if they are given.
    pub(super) fn new(format: FormatArg, args: &ReportArgs) -> Result<Form, Usage> {
        let ReportArgs {
            tables,
            pages,
            output,
            ..
        } = args;
        refuse([
            (
                format != FormatArg::Html && pages.open,
                "--open is for --format=html",
            ),
            (
                format != FormatArg::Html && pages.max_size.is_some(),
                "--max-size is for --format=html",
            ),
            (
                pages.open && Destination::new(output).file().is_none(),
                "--open shows a file; `-o FILE` says which",
            ),
        ])?;
        let formulas = if tables.csv_safe {
            Formulas::Prevented
        } else {
            Formulas::Kept
        };
        match format {
            FormatArg::Csv => Ok(Form::Table(table::TableForm::Csv(formulas))),
            FormatArg::Tsv => Ok(Form::Table(table::TableForm::Tsv(formulas))),
            _ if tables.csv_safe => Err(Usage(CSV_SAFE.into())),
            FormatArg::Text => Ok(Form::Text),
            FormatArg::Json => Ok(Form::Json),
            FormatArg::Markdown => Ok(Form::Table(table::TableForm::Markdown)),
            FormatArg::Html => Ok(Form::Page(PageForm {
                most: pages.max_size.map_or(PAGE, |size| size.0),
                then: if pages.open { Then::Show } else { Then::Keep },
            })),
        }
    }

    /// Whether a person reads it, so that names are shortened and lists end at their thresholds.
    pub fn is_for_people(self) -> bool {
        match self {
            Form::Text | Form::Table(table::TableForm::Markdown) | Form::Page(_) => true,
            Form::Json | Form::Table(table::TableForm::Csv(_) | table::TableForm::Tsv(_)) => false,
        }
    }
}
