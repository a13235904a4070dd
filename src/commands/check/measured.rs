//! One run of a check: its costs, and the own costs of your code.

use crate::{
    analysis::{
        Inclusive, Own, OwnCode, Set, WithInlined,
        budgets::{self, OwnOrigin, RunCosts},
        own_profile::tells_inlined,
    },
    cli::CheckArgs,
    commands::{code, console::say, named, output::Output, own, workflow::Content},
    env,
    export::baseline,
    profile::{Calls, Collect, FunctionId, Lines, Profile, StatedOwn, joined, to_text},
    view::inlined,
};
use anyhow::{Result, bail};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The definition of your code.
pub(super) struct AskedOwn {
    pub set: Set,
    /// Whether inlined functions of your code are treated like other functions.
    pub inlined: bool,
}

/// Marks a baseline that was saved with `--inlined`, next to its patterns.
const INLINED: &[u8] = b"(with inlined functions)";

impl AskedOwn {
    /// The definition as a baseline states it.
    fn names(&self) -> Vec<String> {
        let mut names = self.set.names();
        names.extend(self.inlined.then(|| to_text(INLINED)));
        names
    }

    /// Whether a baseline was saved with the same definition of your code.
    fn is_same(&self, stated: &StatedOwn) -> bool {
        self.names()
            .iter()
            .map(String::as_bytes)
            .eq(stated.code.iter().map(Vec::as_slice))
    }
}

/// One run with its costs.
pub(super) struct MeasuredRun {
    pub profile: Profile,
    inclusive: Inclusive,
    own: Option<Own>,
    /// The functions that were inlined at least once.
    inlined: BTreeSet<FunctionId>,
}

impl MeasuredRun {
    /// Reads the sum of profiles.
    pub(super) fn read(
        files: &[PathBuf],
        args: &CheckArgs,
        own: Option<&AskedOwn>,
    ) -> Result<MeasuredRun> {
        // Reports name the first line of a function that exceeds a limit.
        let collect = if args.code.inlined {
            Collect::CODE
        } else {
            Collect {
                lines: Lines::Firsts,
                calls: Calls::Arcs,
                code: false,
            }
        };
        let mut profile = args.input.read(files, collect, left_out(own))?;
        let saved = stated(&profile).is_some_and(has_inlined);
        if profile.format.is_ours && saved != args.code.inlined {
            let (then, now) = if saved {
                ("with", "without")
            } else {
                ("without", "with")
            };
            bail!(
                "the baseline was saved {then} --inlined, but this run is checked {now}: their functions cannot be compared"
            );
        }
        if let Some(AskedOwn { set, inlined: true }) = own
            && profile.stated.is_none()
        {
            code::inline(&mut profile, files, &args.code.debug_dirs, &[]);
            if !tells_inlined(&profile, set) {
                let why = inlined::notes(&profile).join("; ");
                bail!(
                    "{}: inlined functions are not known: {why}",
                    named::shown(files).join(" + ")
                );
            }
        }
        if let (Some(asked), None) = (own, stated(&profile)) {
            own::refuse_nothing(&asked.set, OwnCode::new(&profile, &asked.set).count())?;
        }
        let measured = MeasuredRun::new(profile, own);
        if let (Some(asked), Some(stated)) = (own, stated(&measured.profile))
            && measured.own.is_none()
            && !asked.is_same(stated)
        {
            let option = |name: &Vec<u8>| match &name[..] {
                INLINED => "--inlined".to_owned(),
                name => format!("--own-code={}", to_text(name)),
            };
            let options = joined(stated.code.iter().map(option), " ");
            say(format!("the baseline was saved with {options}"));
        }
        Ok(measured)
    }

    pub(super) fn new(profile: Profile, own: Option<&AskedOwn>) -> MeasuredRun {
        let saved = stated(&profile).map(|stated| stated.uncounted.clone());
        let (profile, inlined) = match (own, saved) {
            (_, Some(inlined)) => (profile, inlined),
            (Some(AskedOwn { set, inlined: true }), None) => {
                let with_inlined = WithInlined::new(profile, set);
                let inlined = with_inlined.inlined().collect();
                (with_inlined.profile, inlined)
            }
            _ => (profile, BTreeSet::new()),
        };
        let inclusive = Inclusive::new(&profile);
        // A baseline states the own costs that were known when it was saved.
        let computed = own.filter(|_| profile.has_inclusive() && !profile.format.is_ours);
        let computed =
            computed.map(|asked| Own::new(&profile, &OwnCode::new(&profile, &asked.set)));
        MeasuredRun {
            profile,
            inclusive,
            own: computed,
            inlined,
        }
    }

    pub(super) fn side(&self, own: Option<&AskedOwn>) -> RunCosts<'_> {
        let stated = || {
            stated(&self.profile).filter(|stated| own.is_some_and(|asked| asked.is_same(stated)))
        };
        let own = self
            .own
            .as_ref()
            .map(OwnOrigin::Computed)
            .or_else(|| stated().map(OwnOrigin::Stated));
        RunCosts {
            profile: &self.profile,
            inclusive: &self.inclusive,
            own,
            inlined: &self.inlined,
        }
    }

    /// Saves the run as a baseline, with own costs if your code is defined.
    pub(super) fn save(&self, path: &Path, own: Option<&AskedOwn>) -> Result<()> {
        let mut out = Output::file(path, Content::Text)?;
        let functions = budgets::in_baseline_order(&self.profile);
        let code = own.map(AskedOwn::names).unwrap_or_default();
        let own = self.own.as_ref().map(|own| baseline::BaselineOwn {
            own,
            code: &code,
            inlined: &self.inlined,
        });
        baseline::write(
            &mut out,
            &self.profile,
            &self.inclusive,
            own.as_ref(),
            &functions,
        )?;
        out.finish()
    }
}

/// The own costs that a saved baseline states.
pub(super) fn stated(profile: &Profile) -> Option<&StatedOwn> {
    profile.stated.as_ref()?.own.as_deref()
}

/// Whether the baseline was saved with `--inlined`.
pub(super) fn has_inlined(stated: &StatedOwn) -> bool {
    stated.code.iter().any(|name| name == INLINED)
}

/// The folder to strip from file names. Nothing is stripped if recorded names must decide which
/// code is yours.
pub(super) fn left_out(own: Option<&AskedOwn>) -> Vec<u8> {
    env::strip(own.is_none())
}
