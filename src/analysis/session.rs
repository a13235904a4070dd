//! A profile with the values that are computed from it. Each value is computed once, on first use.
//!
//! A command makes one session per profile, and every view of the profile uses it. Values that no
//! view needs are never computed, so a plain list stays fast and small.

use super::{Folds, Inclusive};
use crate::profile::Profile;
use std::sync::{Arc, OnceLock};

/// A profile with its computed values.
pub struct Session {
    profile: Arc<Profile>,
    inclusive: OnceLock<Inclusive>,
    folds: Option<Folds>,
    threads: usize,
}

impl Session {
    /// A session on a profile of which nothing is computed yet.
    pub fn new(profile: impl Into<Arc<Profile>>) -> Session {
        Session {
            profile: profile.into(),
            inclusive: OnceLock::new(),
            folds: None,
            threads: 1,
        }
    }

    /// The same, in which so many threads answer what takes long. No answer depends on it.
    pub fn with_threads(self, threads: usize) -> Session {
        Session { threads, ..self }
    }

    /// How many threads answer what takes long.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// A session on a profile of own code, with what is known of it beside its costs.
    pub fn folded(profile: impl Into<Arc<Profile>>, folds: Folds) -> Session {
        Session {
            folds: Some(folds),
            ..Session::new(profile)
        }
    }

    /// What is known of a profile of own code, if it is one.
    pub fn folds(&self) -> Option<&Folds> {
        self.folds.as_ref()
    }

    /// The profile, of which nothing more is asked.
    pub fn into_profile(self) -> Profile {
        Arc::unwrap_or_clone(self.profile)
    }

    /// The profile, for whoever keeps it.
    #[cfg(feature = "explore")]
    pub(crate) fn shared(&self) -> Arc<Profile> {
        Arc::clone(&self.profile)
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Inclusive costs and cycles.
    pub fn inclusive(&self) -> &Inclusive {
        self.inclusive.get_or_init(|| Inclusive::new(&self.profile))
    }

    /// The same if it has been computed: whoever has to answer at once does without it until then.
    pub fn inclusive_so_far(&self) -> Option<&Inclusive> {
        self.inclusive.get()
    }
}
