//! Where a report goes, in which form, and how it looks there.

use super::{CSV_SAFE, Usage};
use crate::cli::{self, FormatArg, NamesArg, OutputArgs, ScreenArgs, TableArgs};
use crate::render::table::{self, Formulas};
use crate::view::NameForm;
use std::path::{Path, PathBuf};

/// Where a report goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Nobody said: to standard output.
    Unsaid,
    /// To standard output, whoever reads it there.
    Stdout,
    /// To a file, which is there whole or not at all.
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

/// When something is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Where it fits: on a terminal, and as the environment says.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<cli::When> for When {
    fn from(typed: cli::When) -> When {
        match typed {
            cli::When::Auto => When::Auto,
            cli::When::Always => When::Always,
            cli::When::Never => When::Never,
        }
    }
}

impl Look {
    pub(super) fn new(args: &ScreenArgs) -> Look {
        let names = match args.names {
            NamesArg::Short => NameForm::Short,
            NamesArg::Full => NameForm::Full,
        };
        Look { colour: args.color.into(), paging: args.paging.into(), names }
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
    Table(table::Form),
}

impl Form {
    /// The form, which must be one that `--csv-safe` says something about if it is given.
    pub(super) fn new(format: FormatArg, tables: &TableArgs) -> Result<Form, Usage> {
        let formulas = if tables.csv_safe { Formulas::Prevented } else { Formulas::Kept };
        match format {
            FormatArg::Csv => Ok(Form::Table(table::Form::Csv(formulas))),
            FormatArg::Tsv => Ok(Form::Table(table::Form::Tsv(formulas))),
            _ if tables.csv_safe => Err(Usage(CSV_SAFE.into())),
            FormatArg::Text => Ok(Form::Text),
            FormatArg::Json => Ok(Form::Json),
            FormatArg::Markdown => Ok(Form::Table(table::Form::Markdown)),
        }
    }

    /// Whether a person reads it, so that names are short and lists end where they get boring.
    pub fn is_for_people(self) -> bool {
        match self {
            Form::Text | Form::Table(table::Form::Markdown) => true,
            Form::Json | Form::Table(table::Form::Csv(_) | table::Form::Tsv(_)) => false,
        }
    }
}
