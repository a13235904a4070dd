//! Tells code that was not run any more from code that the new file no longer has. Only functions that both runs have say
//! where lines moved: what stood between two that moved alike stands between them still.

use super::lines::shift;
use super::sides::Matching;
use crate::profile::{FunctionId, Line, NameId, Order, Profile};
use std::collections::HashMap;

/// Lines from the first to the last.
type Span = (i128, i128);

/// What functions of a file tell of it.
#[derive(Default)]
struct FileCode {
    /// Where functions that both runs have stood in the old file, by first lines, and how far they moved.
    kept: Vec<(Span, i128)>,
    /// Where functions stand that only the new run has.
    added: Vec<Span>,
}

/// How far the code of functions that only the old run has moved in their files.
pub(super) struct Gone {
    files: HashMap<NameId, FileCode>,
}

impl Gone {
    /// Learns from all functions what happened to the files that they are in.
    pub(super) fn new(matching: &Matching<'_>) -> Gone {
        let mut files: HashMap<NameId, FileCode> = HashMap::new();
        for pair in &matching.pairs {
            let (old, new) = (own_lines(&matching.old.profile, pair.old), own_lines(&matching.new.profile, pair.new));
            let both = old.zip(new).filter(|((a, _), (b, _))| a == b);
            match (both, new) {
                (Some(((file, olds), (_, news))), _) => {
                    if let Some(span) = span(olds) {
                        files.entry(file).or_default().kept.push((span, shift(olds, news)));
                    }
                }
                (None, Some((file, news))) => files.entry(file).or_default().added.extend(span(news)),
                (None, None) => {}
            }
        }
        for code in files.values_mut() {
            code.kept.order_by_key(|&(span, shift)| (span, shift));
        }
        Gone { files }
    }

    /// How far lines of the old file moved that no function has any more there; `None` if they are not in the new file.
    pub(super) fn shift(&self, file: NameId, lines: &[Line]) -> Option<i128> {
        let (Some((first, last)), Some(code)) = (span(lines), self.files.get(&file)) else { return Some(0) };
        let after = code.kept.partition_point(|&((begins, _), _)| begins <= first);
        let before = after.checked_sub(1).map_or(0, |at| code.kept[at].1);
        let shift = code.kept.get(after).map_or(before, |&(_, shift)| shift);
        // Instances of a template begin at the same line; what else is there now is other code.
        let is_taken = |&(from, to): &Span| from != first + shift && from <= last + shift && to >= first + shift;
        (shift == before && !code.added.iter().any(is_taken)).then_some(shift)
    }
}

/// The lines of a function in the file that it begins in.
fn own_lines(profile: &Profile, id: Option<FunctionId>) -> Option<(NameId, &[Line])> {
    let id = id?;
    let file = profile.function(id).file;
    profile
        .lines_of(id)
        .chunk_by(|a, b| a.file == b.file)
        .find(|piece| piece[0].file == file)
        .map(|piece| (file, piece))
}

/// From the first known line to the last.
fn span(lines: &[Line]) -> Option<Span> {
    let first = lines.iter().find(|line| line.line > 0)?;
    Some((first.line.into(), lines.last()?.line.into()))
}
