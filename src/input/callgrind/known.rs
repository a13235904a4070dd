//! What is taken for known where a stretch is read apart from what precedes it (`ahead.rs`).

use super::positions::Positions;
use crate::profile::{ColumnMap, Format, NameId};

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
}

/// Stands for the object in force where a stretch begins.
pub(super) const OBJECT_BEFORE: NameId = NameId(2);
/// Stands for the file in force where a stretch begins.
pub(super) const FILE_BEFORE: NameId = NameId(3);
