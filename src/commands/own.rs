//! What is said about own code beside a report.

use super::Usage;
use super::console::Console;
use crate::analysis::Folds;
use crate::profile::{Event, Profile};

/// Whether foreign code can be charged to anybody.
///
/// # Errors
/// It is a report of aprof's.
pub(super) fn check(profile: &Profile) -> Result<(), Usage> {
    match profile.sizes {
        None => Ok(()),
        Some(_) => Err(Usage("aprof's reports do not say whose cost it is: --own and --fold-... need calls".into())),
    }
}

/// What is worth a word: that much is not under own code, that there is none, that some of it is an estimate.
pub(super) fn remarks(folds: &Folds, profile: &Profile, event: Option<Event>, console: &Console) {
    if folds.count == 0 {
        console.complain("no function is own code; --own-code says what is");
    } else if let Some(doubt) = event.and_then(|event| folds.doubt(profile, event)) {
        console.complain(&doubt);
    }
    let of = match folds.estimates() {
        0 => return,
        1 => "1 function is".to_owned(),
        many => format!("{many} functions is"),
    };
    console.complain(&format!(
        "the own cost of {of} an estimate: what foreign code cost that several own functions reach is divided"
    ));
}
