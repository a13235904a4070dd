//! Which rows are listed, of functions and of what they add up to; the same for all commands.

use crate::analysis::{Narrow, Pattern};
use crate::cli::{FilterArgs, NarrowArgs};
use regex::bytes::Regex;
use std::num::NonZeroUsize;

/// The rows: how many, and of what.
pub(super) fn narrow(args: &NarrowArgs) -> Narrow {
    Narrow {
        rows: args.rows.map(NonZeroUsize::get),
        min: args.min,
        ..filters(&args.filters)
    }
}

/// The filters by name.
pub(super) fn filters(args: &FilterArgs) -> Narrow {
    let pattern = |only: &[Regex], not: &[Regex]| Pattern {
        only: only.to_vec(),
        not: not.to_vec(),
    };
    Narrow {
        function: pattern(&args.function, &args.not_function),
        file: pattern(&args.file, &args.not_file),
        object: pattern(&args.object, &args.not_object),
        ..Narrow::default()
    }
}
