//! Where a report goes, in which form, and how it looks there.

use super::Usage;
use crate::cli::{ByteSize, FormatArg, OutputArgs, ScreenArgs, When};
use crate::render::table::TableForm;
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
}

impl Look {
    pub(super) fn new(args: &ScreenArgs) -> Look {
        Look {
            colour: args.color,
            paging: args.paging,
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
    Table(TableForm),
    /// One page for a browser, of so many bytes at most.
    Page(u64),
}

/// How long a page is at most if nobody says: what mail and wikis take, and browsers open at once.
pub const PAGE: u64 = 2_000_000;

impl Form {
    /// The form, which must be the one that has a size if one is given.
    pub(super) fn new(format: FormatArg, max_size: Option<ByteSize>) -> Result<Form, Usage> {
        if format != FormatArg::Html && max_size.is_some() {
            return Err(Usage("--max-size is for --format=html".into()));
        }
        Ok(match format {
            FormatArg::Text => Form::Text,
            FormatArg::Json => Form::Json,
            FormatArg::Csv => Form::Table(TableForm::Csv),
            FormatArg::Tsv => Form::Table(TableForm::Tsv),
            FormatArg::Markdown => Form::Table(TableForm::Markdown),
            FormatArg::Html => Form::Page(max_size.map_or(PAGE, |size| size.0)),
        })
    }

    /// Whether a person reads it, so that names are shortened and lists end at their thresholds.
    pub fn is_for_people(self) -> bool {
        match self {
            Form::Text | Form::Table(TableForm::Markdown) | Form::Page(_) => true,
            Form::Json | Form::Table(TableForm::Csv | TableForm::Tsv) => false,
        }
    }
}
