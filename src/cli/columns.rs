//! The options that choose columns, sort rows and end lists, for the report and `diff`.

use super::{YesNo, narrow::LIMIT, values::threshold};
use crate::analysis::Threshold;

/// The columns of a list, its order and its end, before a profile is read in which events can be
/// looked up.
#[derive(clap::Args, Clone, Debug)]
pub struct ColumnArgs {
    /// Show only these events, in this order
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub show: Vec<String>,

    /// Order by these events; each can have a threshold, such as Ir:90,Dr:50
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = sort_key, help_heading = LIMIT)]
    pub sort: Vec<SortArg>,

    /// List functions until they have this percentage of the first sort event [default: 99; in
    /// other formats than text and Markdown, and with -n, --min or a filter: 100]
    #[arg(long, value_name = "0-100", value_parser = threshold, help_heading = LIMIT)]
    pub threshold: Option<Threshold>,

    /// Show the percentage of each count
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "yes",
        hide_possible_values = true
    )]
    pub show_percs: YesNo,
}

/// An event to sort by, with its own threshold if one is typed.
type SortArg = (String, Option<Threshold>);

/// Parses `Ir`, `Ir:90` and `Ir:90%`.
fn sort_key(text: &str) -> Result<SortArg, String> {
    let is_percent = |end: &str| {
        end.bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'%'))
    };
    // Names of events can have colons, too: `cycles:u`.
    match text.rsplit_once(':').filter(|(_, end)| is_percent(end)) {
        None => Ok((text.to_owned(), None)),
        Some((event, percent)) => Ok((event.to_owned(), Some(threshold(percent)?))),
    }
}
