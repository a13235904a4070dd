//! What got dearer and what cheaper from one profile to another: `cargo run --example difference -- OLD NEW`

use cgannotate::analysis::difference::{Cost, Difference, Matching, Rules, Shifts};
use cgannotate::analysis::{Selection, Threshold};
use cgannotate::input::{self, Options};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [old, new] = &files[..] else {
        return Err("name two profiles".into());
    };
    io::stdout().write_all(difference(old, new)?.as_bytes())?;
    Ok(())
}

/// The functions whose self cost changed, those that changed most first.
pub fn difference(old: &Path, new: &Path) -> Result<String, Box<dyn Error>> {
    let old = input::read(&[old], &Options::all())?;
    let new = input::read(&[new], &Options::all())?;
    // Which function of the one is which of the other, also where a build gave it another name.
    let matching = Matching::new(&old, &new, &Rules::default());
    // Events are those that both have.
    let events = matching.events();
    let selection = Selection::new(events, &[], &[], &Threshold::whole(99))?;
    let event = *selection
        .sort
        .first()
        .ok_or("the two runs have no event in common")?;

    let shifts = Shifts::new(&matching);
    let difference = Difference::new(&matching, &shifts, &selection, Cost::Own);
    let mut text = String::new();
    for row in difference.rows() {
        let change = row.own.delta(events, event);
        writeln!(text, "{change:>+12}  {}", row.label().name)?;
    }
    writeln!(
        text,
        "{:>+12}  in all",
        difference.frame.total.delta(events, event)
    )?;
    Ok(text)
}
