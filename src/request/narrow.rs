//! Which rows are listed, of functions and of what they add up to; the same for the report and `trend`.

use crate::analysis::{Narrow, Pattern};
use crate::cli::NarrowArgs;
use regex::bytes::Regex;

/// The filters.
pub(super) fn narrow(args: &NarrowArgs) -> Narrow {
    let pattern = |only: &[Regex], not: &[Regex]| Pattern { only: only.to_vec(), not: not.to_vec() };
    Narrow {
        rows: args.rows,
        min: args.min,
        function: pattern(&args.function, &args.not_function),
        file: pattern(&args.file, &args.not_file),
        object: pattern(&args.object, &args.not_object),
    }
}
