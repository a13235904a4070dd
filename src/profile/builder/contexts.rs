//! Joins contexts and recursion levels of functions at the end of the reading, when all calls are
//! known.

use super::Builder;
use crate::profile::{
    Calls, NameId, WarningKind,
    body::Body,
    callers::without_level,
    contexts::{Contexts, Lengths, Separate},
    linkage::{demangled, is_mangled},
};
use std::{iter::once, mem::take, sync::Arc};

impl Builder {
    /// Joins the functions that are not separate. If calls are wanted, it keeps those of contexts.
    pub(super) fn join_functions(&mut self) {
        let names = &self.head.names;
        let mut functions: Vec<NameId> = self
            .bodies()
            .flat_map(|body| body.functions.iter().map(|f| f.name))
            .filter(|&name| {
                let may_change =
                    || names.may_have_callers(name) || is_mangled(names.beginning(name));
                self.separate != Separate::Everything && may_change()
            })
            .collect();
        functions.sort_unstable();
        functions.dedup();
        if functions.is_empty() {
            return;
        }
        let lengths = match self.separate {
            Separate::Contexts => Lengths::default(),
            _ => self.lengths(&functions),
        };
        let unclear = lengths
            .iter()
            .filter(|length| **length == Some(None))
            .count();
        if unclear > 0 {
            self.head.warn(None, WarningKind::UnclearCallers, || {
                format!(
                    "names of functions whose callers contradict the calls stay whole: {unclear}"
                )
            });
        }
        let has_callers = lengths.iter().any(Option::is_some);
        let names = &mut self.head.names;
        let mut joined: Vec<NameId> = names.ids().collect();
        for name in functions {
            let length = lengths.get(name.index()).copied().flatten().flatten();
            let is_mangled = is_mangled(names.beginning(name));
            if length.is_none() && self.separate == Separate::Levels && !is_mangled {
                continue;
            }
            let text = names.lent(name).text();
            let mut text = text[..length.unwrap_or(text.len())].to_vec();
            if self.separate != Separate::Levels {
                text = without_level(&text).unwrap_or(text);
            }
            let end = memchr::memchr(b'\'', &text).unwrap_or(text.len());
            if let Some(function) = demangled(&text[..end]) {
                text.splice(..end, function);
            }
            joined[name.index()] = names.intern(&text);
        }
        let unchanged: Vec<NameId> = names.ids().collect();
        let others = self.split.iter_mut().flat_map(|bodies| &mut bodies.all);
        let bodies = once(&mut self.body).chain(others.map(|body| &mut **body));
        for body in bodies.filter(|body| body.has_calls_alone()) {
            if self.collect.calls == Calls::None {
                body.calls = Default::default();
            }
            let recorded: Vec<NameId> = body.functions.iter().map(|f| f.name).collect();
            for f in &mut body.functions {
                f.name = joined[f.name.index()];
            }
            if body
                .functions
                .iter()
                .map(|f| f.name)
                .ne(recorded.iter().copied())
            {
                let mut contexts = take(body);
                let (functions, over) = body.join(&mut contexts, &unchanged);
                self.over |= over;
                if has_callers && self.collect.calls != Calls::None {
                    let mut profile = contexts.calls_alone();
                    for (f, name) in profile.functions.iter_mut().zip(recorded) {
                        f.name = name;
                    }
                    body.contexts = Some(Box::new(Contexts {
                        profile: Arc::new(profile),
                        functions,
                    }));
                }
            }
        }
    }

    /// The lengths of functions in these names, by all calls.
    fn lengths(&mut self, functions: &[NameId]) -> Lengths {
        let mut search = take(&mut self.callers);
        // Calls that were read have used a part of the limit; the stored ones have a whole one.
        (search.is_last, search.compared) = (true, 0);
        let names = &self.head.names;
        for body in self.bodies() {
            for ((from, to, ..), ..) in body.calls.iter() {
                let [from, to] = [from, to].map(|id| body.functions[id.index()].name);
                search.call(names, from, to);
            }
        }
        search.finish(names, functions)
    }

    pub(super) fn bodies(&self) -> impl Iterator<Item = &Body> + Clone {
        let others = self.split.iter().flat_map(|bodies| &bodies.all);
        once(&self.body).chain(others.map(|body| &**body))
    }
}
