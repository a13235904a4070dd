//! The options that locate sources.

use super::values::map;
use crate::{
    profile::Carried,
    source::{Map, Search, SearchPaths},
};
use clap::ValueHint;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::{path::PathBuf, sync::Arc};

/// Where sources are looked for.
#[derive(clap::Args, Clone, Debug)]
pub struct SourceArgs {
    /// Look for sources in this folder, too
    #[arg(short = 'I', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub include: Vec<PathBuf>,

    /// Look in NEW for sources that were in OLD when the program was built
    #[arg(long = "map", value_name = "OLD=NEW", value_parser = OsStringValueParser::new().try_map(map))]
    pub maps: Vec<Map>,

    /// Look for sources where toolchains and packages put them, or only where -I says
    #[arg(
        long,
        value_name = "everywhere|listed",
        default_value = "everywhere",
        hide_possible_values = true
    )]
    pub sources: Search,
}

impl SourceArgs {
    /// Where to look for the sources of these profiles. `carried` holds the sources that packs
    /// contain.
    pub fn paths(&self, profiles: &[PathBuf], carried: &[Arc<Carried>]) -> SearchPaths {
        SearchPaths {
            include: self.include.clone(),
            maps: self.maps.clone(),
            search: self.sources,
            profiles: profiles.to_vec(),
            carried: carried.to_vec(),
        }
    }
}
