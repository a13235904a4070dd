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
    /// The number of threads for slow computations.
    pub(crate) threads: usize,
}

impl Session {
    /// A session on a profile, without computed values.
    pub fn new(profile: impl Into<Arc<Profile>>) -> Session {
        Session {
            profile: profile.into(),
            inclusive: OnceLock::new(),
            folds: None,
            threads: 1,
        }
    }

    /// Uses this number of threads for slow computations. The results do not depend on it.
    pub fn with_threads(self, threads: usize) -> Session {
        Session { threads, ..self }
    }

    /// A session on a profile of your code, with the details in `folds`.
    pub fn folded(profile: impl Into<Arc<Profile>>, folds: Folds) -> Session {
        Session {
            folds: Some(folds),
            ..Session::new(profile)
        }
    }

    /// The details of a profile of your code, if it is one.
    pub fn folds(&self) -> Option<&Folds> {
        self.folds.as_ref()
    }

    /// Ends the session and returns the profile.
    pub fn into_profile(self) -> Profile {
        Arc::unwrap_or_clone(self.profile)
    }

    /// The profile, shared with the caller.
    pub(crate) fn shared(&self) -> Arc<Profile> {
        Arc::clone(&self.profile)
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The inclusive costs and cycles, computed on first use.
    pub fn inclusive(&self) -> &Inclusive {
        self.inclusive.get_or_init(|| Inclusive::new(&self.profile))
    }

    /// The inclusive costs if they were computed already. Callers that must not wait use this.
    pub fn inclusive_so_far(&self) -> Option<&Inclusive> {
        self.inclusive.get()
    }
}
