//! Whose cost it is.

use crate::analysis::Set;
use crate::cli::OwnArgs;

/// What is foreign, if anything is.
pub(super) fn set(args: &OwnArgs) -> Option<Set> {
    let set = Set {
        // Whoever says what is own wants to see that.
        own: (args.own || !args.own_code.is_empty()).then(|| args.own_code.clone()),
        fold: args.fold.clone(),
    };
    Some(set).filter(|set| !set.is_all())
}
