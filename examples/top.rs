//! The functions that cost most by themselves: `cargo run --example top -- callgrind.out.1234`

use cgannotate::analysis::difference::Cost;
use cgannotate::analysis::{Selection, Session, Threshold};
use cgannotate::input::{self, Options};
use cgannotate::view::{ListedArcs, Listing};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    io::stdout().write_all(top(&files, 10)?.as_bytes())?;
    Ok(())
}

/// The first functions of the sum of some profiles, by the first event.
pub fn top(files: &[PathBuf], rows: usize) -> Result<String, Box<dyn Error>> {
    let session = Session::new(input::read(files, &Options::all())?);
    let profile = session.profile();
    // All events, in their order, and functions until 99 % of the first one are listed.
    let mut selection = Selection::new(&profile.events, &[], &[], &Threshold::whole(99))?;
    selection.narrow.rows = Some(rows);
    let event = *selection.sort.first().ok_or("the profile has no events")?;

    let listing = Listing::new(&session, &selection, Cost::Own, ListedArcs::default());
    let mut text = String::new();
    for row in listing.rows.iter() {
        // What was never written is not 0.
        let count = row
            .counts()
            .get(&profile.events, event)
            .map_or(".".to_owned(), |count| count.to_string());
        writeln!(text, "{count:>12}  {}", row.label.name)?;
    }
    Ok(text)
}
