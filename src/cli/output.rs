//! The options for output: where it goes, its form, and how it looks on a terminal.

use super::values::size;
use crate::render::table::TableForm;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::path::{Path, PathBuf};

/// Where a result goes.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write to this file, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl OutputArgs {
    /// The file to write. `None` is standard output.
    pub fn file(&self) -> Option<&Path> {
        self.output
            .as_deref()
            .filter(|path| path.as_os_str() != "-")
    }
}

/// Where and how reports that have several forms are written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct ReportArgs {
    /// Write the report in this format
    #[arg(
        long,
        value_name = "text|json|csv|tsv|markdown|html",
        default_value = "text",
        hide_possible_values = true
    )]
    pub format: Form,

    /// How it looks on a terminal.
    #[command(flatten)]
    pub screen: ScreenArgs,

    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Keep the HTML page to this size, such as 500k or 5M, by omitting what costs little [default:
    /// 2M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_size: Option<usize>,
}

impl ReportArgs {
    /// The most bytes that a page may have.
    pub fn most(&self) -> usize {
        self.max_size.unwrap_or(PAGE)
    }
}

/// The default limit for the size of a page, in bytes: mail and wikis take it, and browsers open it
/// at once.
pub const PAGE: usize = 2_000_000;

/// How a result looks on a terminal.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Output")]
pub struct ScreenArgs {
    /// Use colors; $NO_COLOR and $CLICOLOR_FORCE are honored
    #[arg(
        long,
        value_name = "auto|always|never",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub color: When,

    /// Use a pager if the report is longer than the screen: $CGANNOTATE_PAGER, $PAGER or `less
    /// -FRX`
    #[arg(
        long,
        value_name = "auto|always|never",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub paging: When,
}

/// When something is done.
#[derive(Clone, Copy, ValueEnum, Debug)]
pub enum When {
    /// Automatically: on a terminal, and as the environment says.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Form {
    /// The classic one.
    Text,
    /// One JSON document.
    Json,
    /// One table.
    Table(TableForm),
    /// One page for a browser.
    Page,
}

impl Form {
    /// Whether people read it. If so, names are shortened and lists end at their thresholds.
    pub fn is_for_people(self) -> bool {
        matches!(
            self,
            Form::Text | Form::Table(TableForm::Markdown) | Form::Page
        )
    }
}

impl ValueEnum for Form {
    fn value_variants<'a>() -> &'a [Form] {
        &[
            Form::Text,
            Form::Json,
            Form::Table(TableForm::Csv),
            Form::Table(TableForm::Tsv),
            Form::Table(TableForm::Markdown),
            Form::Page,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Form::Text => ("text", "The classic report"),
            Form::Json => ("json", "One JSON document"),
            Form::Table(form) => return form.to_possible_value(),
            Form::Page => ("html", "A page for a browser"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}
