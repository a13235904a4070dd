//! `--by=thread`, `part`, `pid` and `run`: the self costs of functions, with a column for each of
//! these.

use super::{Out, Task};
use crate::{
    analysis::{Selection, Session},
    commands::{Usage, advice, inputs},
    env,
    profile::{Collect, Event, SplitBy, joined},
    render::{
        table::{self, TableForm},
        text::{TextOptions, TextReport},
    },
    source::Finder,
    view::{
        About, Listing,
        about::ColumnMeaning,
        figures::Figures,
        page::{Begins, List, Page},
        tables::Lists,
    },
};
use anyhow::{Result, bail};
use std::process::ExitCode;

impl Task<'_> {
    /// Prints the text report.
    pub(super) fn beside(&self, by: SplitBy, out: &mut Out) -> Result<ExitCode> {
        let (session, mut selection, title, status) =
            self.side(by, env::current_directory(), out.surface.terminal)?;
        let profile = session.profile();
        let fit = (1, out.surface);
        let (shares, dropped) = self.fit_columns(profile, &mut selection, fit, Figures::dropped);
        let missing = dropped.map(|what| format!("{what}; --format=csv has all"));
        let listing = Listing::with_rest(&session, &selection);
        advice::empty(&selection, listing.rows.len());
        let about = Box::new(About {
            columns: ColumnMeaning::Shares,
            ..About::new(profile)
        });
        let page = Page::List {
            about,
            list: List::Functions(Box::new(listing)),
            begins: Begins::WithAnswer(Some(title)),
        };
        let finder = Finder::new(
            self.args
                .source
                .paths(&self.named.profiles, &profile.carried),
        );
        let options = TextOptions {
            shares,
            missing,
            ..self.options(&selection, &finder, out)
        };
        let mut text = TextReport::new(out, &profile.events, options);
        text.page(&page)?;
        text.finish()?;
        Ok(status)
    }

    /// Prints a table.
    pub(super) fn table_beside(
        &self,
        by: SplitBy,
        form: TableForm,
        out: &mut Out,
    ) -> Result<ExitCode> {
        let strip = env::strip(self.args.report.format.is_for_people());
        let (session, selection, _, status) = self.side(by, strip, false)?;
        let listing = Listing::with_rest(&session, &selection);
        advice::empty(&selection, listing.rows.len());
        let shares = self.args.columns.show_percs.is_yes();
        let lists = Lists {
            profile: session.profile(),
            selection: &selection,
            shares,
            folds: None,
        };
        table::write(form, lists.functions(&listing, None), &mut *out)?;
        Ok(status)
    }

    /// Reads the shares and turns each into a column.
    fn side(
        &self,
        by: SplitBy,
        strip: Vec<u8>,
        is_terminal: bool,
    ) -> Result<(Session, Selection, String, ExitCode)> {
        self.refuse_sources(&format!("--by={} does not annotate sources", by.name()))?;
        let collect = Collect {
            lines: self.lines_of_filters(),
            ..Collect::FUNCTIONS
        };
        let mut shares = self
            .args
            .input
            .read_split(&self.named.profiles, collect, strip, by)?;
        let status = self.args.input.status(shares.warnings());
        advice::filters(&shares, &self.request.narrow)?;
        let events = shares.events_mut();
        if is_terminal || self.args.raw {
            inputs::show_times(events, self.args.raw)?;
        }
        let mut selection = self.select_events(events)?;
        // Each event takes a column for each share, so only one event is shown by default.
        let shown: Vec<Event> = if self.args.columns.show.is_empty() {
            selection.sort.iter().take(1).copied().collect()
        } else {
            selection.show.clone()
        };
        let names = joined(shown.iter().map(|&event| events.text(event)), ", ");
        let title = format!("{names} by {}", by.name());
        let sorted: Vec<Option<usize>> = selection
            .sort
            .iter()
            .map(|event| shown.iter().position(|one| one == event))
            .collect();
        if let (Some(None), Some(first)) = (sorted.first(), selection.sort.first()) {
            let first = events.text(*first).into_owned();
            bail!(Usage(format!(
                "--by={} can only sort by an event that it shows\nhint: add {first} to --show",
                by.name()
            )));
        }
        let profile = shares.beside(&shown).map_err(|many| {
            let (by, shares, most) = (by.name(), many.shares, many.most);
            Usage(format!("--by={by}: {shares} columns are too many; at most {most} fit side by side\nhint: use --split={by}"))
        })?;
        selection.show = profile.events.stored().collect();
        let per_event = selection.show.len() / shown.len().max(1);
        let thresholds = sorted
            .iter()
            .zip(&selection.thresholds)
            .filter(|(at, _)| at.is_some());
        selection.thresholds = thresholds.map(|(_, threshold)| threshold.clone()).collect();
        selection.sort = sorted
            .into_iter()
            .flatten()
            .map(|at| Event::Recorded(at * per_event))
            .collect();
        selection.by_size_below_zero(&profile);
        Ok((Session::new(profile), selection, title, status))
    }
}
