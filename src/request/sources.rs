//! Where sources are looked for, and how much of them is shown.

use crate::cli;
use crate::profile::Carried;
use crate::source::{Map, Search, SearchPaths};
use std::path::PathBuf;
use std::sync::Arc;

/// What was said about sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// Folders to look below, as typed.
    pub include: Vec<PathBuf>,
    /// Folders that are elsewhere here.
    pub maps: Vec<Map>,
    /// How far the search goes.
    pub search: Search,
    /// How many lines are shown around those that have costs.
    pub context: u64,
}

impl Sources {
    pub(super) fn new(args: &cli::SourceArgs, search: Search, context: u64) -> Sources {
        let maps = args
            .maps
            .iter()
            .map(|map| Map::new(&map.old, &map.new))
            .collect();
        Sources {
            include: args.include.clone(),
            maps,
            search,
            context,
        }
    }

    /// Where to look for the sources of these profiles, and of what they bring along.
    pub fn of(&self, profiles: &[PathBuf], carried: &[Arc<Carried>]) -> SearchPaths {
        SearchPaths {
            include: self.include.clone(),
            maps: self.maps.clone(),
            search: self.search,
            profiles: profiles.to_vec(),
            carried: carried.to_vec(),
        }
    }
}

impl From<cli::SourceSearch> for Search {
    fn from(typed: cli::SourceSearch) -> Search {
        match typed {
            cli::SourceSearch::Everywhere => Search::Everywhere,
            cli::SourceSearch::Listed => Search::Listed,
        }
    }
}
