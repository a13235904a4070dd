//! The options of `cgannotate check`.

use super::{InlinedArgs, InputArgs, OutputArgs, ScreenArgs, narrow::pattern};
use crate::export::check::CheckForm;
use clap::ValueEnum;
use regex::bytes::Regex;
use std::path::PathBuf;

/// Fails if a run exceeds limits, which are absolute or relative to a baseline.
///
/// A limit is a quantity and its bounds, such as `incl.Ir(parse_json) <= 12M`,
/// `self.Ir(/^http::.*decode/) <= +2% & +50k`, `total.Ir <= +1%`, `calls(malloc) <= 10k`,
/// `max(self.Ir(file:http.rs)) <= 1M`. A limit with several bounds is exceeded if all of them are.
#[derive(clap::Args, Debug)]
#[command(mut_arg("allow_truncated", |arg| arg
    .help("Judge a run with fewer parts than its baseline, and accept truncated runs of --history")))]
#[command(
    after_help = "Exit status: 0 all limits are kept, 3 a limit is exceeded, 4 something could not be compared"
)]
pub struct CheckArgs {
    /// The profiles to check, summed, or a folder of benches, such as target/gungraun
    #[arg(value_name = "PROFILE", required = true)]
    pub files: Vec<PathBuf>,

    /// What must hold, such as 'total.Ir <= +1%'; can be given many times
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<String>,

    /// The profiles to compare with, summed, or a file that --save-baseline wrote; for a folder of
    /// benches, the name of saved runs, instead of the runs before
    #[arg(long, value_name = "PROFILE", num_args = 1.., value_hint = clap::ValueHint::FilePath)]
    pub baseline: Vec<PathBuf>,

    /// Previous runs, or folders of them, in order, for limits on noise such as 'self.Ir(decode) <=
    /// noise'
    #[arg(long, value_name = "PROFILE|FOLDER", num_args = 1.., conflicts_with = "inlined")]
    pub history: Vec<PathBuf>,

    /// A second run of the same program: a limit on noise is exceeded only if both runs exceed it
    #[arg(long, value_name = "PROFILE", num_args = 1.., value_hint = clap::ValueHint::FilePath, requires = "history")]
    pub again: Vec<PathBuf>,

    /// Define your code for limits such as 'own.Ir(parse) <= 2M': objects, files and functions that
    /// match
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub own_code: Vec<Regex>,

    /// Read limits from this file, too [default: cgannotate.toml in this folder]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Skip limits on functions that are not there, and relative limits of new benches
    #[arg(long)]
    pub allow_missing: bool,

    /// Report as text, markdown, json, junit or github, to a file or standard output, as in
    /// junit=cost.xml; can be given many times [default: text]
    #[arg(long = "report", value_name = "FORM[=FILE]", value_parser = report)]
    pub reports: Vec<ReportArg>,

    /// Write the functions of this run as a baseline, for git to keep
    #[arg(long, value_name = "FILE")]
    pub save_baseline: Option<PathBuf>,

    /// Inlined functions of yours.
    #[command(flatten)]
    pub code: InlinedArgs,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// How it looks.
    #[command(flatten)]
    pub screen: ScreenArgs,

    /// Where reports without a file go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The forms of a report, as in `text, json and github`.
pub(super) fn forms(last: &str) -> String {
    let values = (CheckForm::value_variants().iter()).filter_map(CheckForm::to_possible_value);
    let names: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
    match names.split_last() {
        Some((end, names)) => format!("{} {last} {end}", names.join(", ")),
        None => String::new(),
    }
}

/// A report and where it goes: `markdown=summary.md`, `json=-`, `text`.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportArg {
    /// The form.
    pub form: CheckForm,
    /// The file; `None` is standard output.
    pub to: Option<PathBuf>,
}

/// Parses `FORM` or `FORM=FILE`.
fn report(text: &str) -> Result<ReportArg, String> {
    let (form, to) = match text.split_once('=') {
        Some((_, "")) => return Err("a file name is needed after the `=`".into()),
        Some((form, to)) => (form, Some(to).filter(|&to| to != "-")),
        None => (text, None),
    };
    let form = CheckForm::from_str(form, false)
        .map_err(|_| format!("invalid value `{form}` (expected {})", forms("or")))?;
    Ok(ReportArg {
        form,
        to: to.map(PathBuf::from),
    })
}
