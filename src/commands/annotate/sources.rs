//! The sources below a report: which are annotated, with which costs, and which could not be shown.

use super::{Task, inputs};
use crate::{
    analysis::{Selection, Session},
    compat,
    profile::{FunctionId, path_bytes},
    render::text::TextReport,
    request::annotate::AskedPage,
    source::Finder,
    view::{
        FileCosts, Files,
        inlined::InlinedLines,
        page::{List, Page},
        sources::{Coverage, SourceWalk},
        zoom::{self, FilesOf},
    },
};
use anyhow::Result;
use std::collections::HashMap;
use termcolor::WriteColor;

impl Task<'_> {
    /// Annotates the sources of one function with its costs.
    pub(super) fn sources_of_function<'a>(
        &self,
        session: &'a Session,
        selection: &'a Selection,
        finder: &'a Finder,
        id: FunctionId,
        text: &mut TextReport<'a, impl WriteColor>,
    ) -> Result<()> {
        let (profile, whole) = (session.profile(), session.inclusive().whole(id));
        let of_function = zoom::files(session, selection, id, FilesOf::Dearest);
        let files = &of_function.files;
        let chosen: Vec<&[u8]> = files.iter().map(|file| file.name).collect();
        let by_name: HashMap<&[u8], &FileCosts> =
            files.iter().map(|file| (file.name, file)).collect();
        let inlined = self.inlined_lines(session, Some(id));
        let costs = |name: &[u8]| {
            let costs: FileCosts = by_name.get(name).copied().cloned()?;
            Some(costs.with_inlined(&profile.events, inlined.in_file(profile, selection, name)))
        };
        self.annotate(finder, &chosen, costs, whole, text)?;
        Ok(text.left_out_files(&of_function, whole)?)
    }

    /// Annotates the sources that follow a list.
    pub(super) fn sources_of_list<'a>(
        &self,
        session: &'a Session,
        selection: &'a Selection,
        finder: &'a Finder,
        page: &Page<'_>,
        text: &mut TextReport<'a, impl WriteColor>,
    ) -> Result<()> {
        let (profile, less) = (session.profile(), !selection.narrow.is_nothing());
        let files = Files::new(session);
        let mut chosen = match page {
            _ if !self.request.annotates => Vec::new(),
            Page::List {
                list: List::Functions(listing),
                ..
            } if less => files.of_functions(listing.functions(), selection),
            Page::Places(places) => profile.names.find(places.file).into_iter().collect(),
            _ => files.chosen(selection),
        };
        // Only named sources have to be ordered, because `of_functions` and `chosen` return ordered
        // files.
        if !self.named.sources.is_empty() {
            let named = self.named.sources.iter().map(path_bytes);
            chosen.extend(named.filter_map(|name| profile.names.find(name)));
            chosen = files.in_order(chosen, selection);
        }
        let chosen: Vec<&[u8]> = chosen.into_iter().map(|id| profile.name(id)).collect();
        let inlined = self.inlined_lines(session, None);
        let costs = |name: &[u8]| {
            let file = profile.names.find(name)?;
            let calls = || files.calls_alone(file, selection).filter(|_| less);
            let costs = files.costs(file, selection).or_else(calls)?;
            Some(costs.with_inlined(&profile.events, inlined.in_file(profile, selection, name)))
        };
        self.annotate(finder, &chosen, costs, &profile.totals.row, text)
    }

    /// The code that was inlined into source lines, with `--inlined`.
    fn inlined_lines(&self, session: &Session, of: Option<FunctionId>) -> InlinedLines {
        // With only your code, lines have their library functions.
        if self.lists_inlined() {
            InlinedLines::new(session, of)
        } else {
            InlinedLines::default()
        }
    }

    /// Annotates named and chosen sources one by one, and lists those that could not be shown.
    pub(super) fn annotate<'a>(
        &self,
        finder: &'a Finder,
        chosen: &[&'a [u8]],
        costs_of: impl Fn(&[u8]) -> Option<FileCosts<'a>>,
        totals: &'a [i64],
        text: &mut TextReport<'a, impl WriteColor>,
    ) -> Result<()> {
        let mut sources = SourceWalk::new(finder, &self.named.sources, chosen, costs_of);
        let mut coverage = Coverage::default();
        while let Some(section) = sources
            .next_section(inputs::say_ambiguous)
            .map_err(inputs::advised_source)?
        {
            text.section(&section, self.args.context, totals)?;
            coverage.add(&section);
        }
        let unread = sources.unread;
        let is_original = matches!(self.request.page, AskedPage::Original(_));
        match (unread.is_empty(), is_original) {
            (true, _) => {}
            (false, false) if text.is_on_terminal() => {
                text.not_found_by_root(&unread.groups(finder.toolchains()))?;
            }
            (false, _) => text.not_found(&unread.lines(!is_original))?,
        }
        if let Some(cost) = coverage.cost {
            let original = is_original.then(|| compat::whole_of(totals, &cost));
            text.covered(&cost, original.as_deref().unwrap_or(totals))?;
        }
        Ok(())
    }
}
