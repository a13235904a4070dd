//! What is taken for known where a stretch is read apart from what precedes it (`ahead.rs`).

use super::positions::Positions;
use crate::profile::{ColumnMap, Events, Format, NameId, Text};

/// What the lines before a stretch say that hardly ever changes.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) events: usize,
    pub(super) positions: Positions,
    pub(super) columns: ColumnMap,
    /// Whether there was an `fl=` in this part.
    pub(super) has_fl: bool,
    /// Whether names can be composed of ids.
    pub(super) expands: bool,
    pub(super) format: Format,
    /// What a part takes over from the one before it; `None` if stretches are to end before headers.
    pub(super) handed_on: Option<HandedOn>,
}

/// What a part takes over from the one before it, unless its own header says otherwise. The texts are allocated for this
/// alone, so that it shows which of a part's were taken over: their values may differ where the part is joined.
#[derive(Clone)]
pub(super) struct HandedOn {
    pub(super) creator: Text,
    pub(super) command: Text,
    pub(super) pid: Text,
    pub(super) number: Text,
    pub(super) events: Events,
    /// Whether any part so far has calls.
    pub(super) has_calls: bool,
}

/// Stands for the object in force where a stretch begins.
pub(super) const OBJECT_BEFORE: NameId = NameId(2);
/// Stands for the file in force where a stretch begins.
pub(super) const FILE_BEFORE: NameId = NameId(3);
