//! The report of `--compat`, with the numbers of `callgrind_annotate`.

use super::{Out, Task, inputs};
use crate::{
    compat, env,
    profile::{Collect, path_bytes},
    render::text::TextReport,
    request::annotate::Functions,
    view::{
        About,
        page::{Begins, List, Page},
    },
};
use anyhow::{Result, bail};
use std::process::ExitCode;

impl Task<'_> {
    /// Prints the report with the numbers of the original.
    pub(super) fn original(&self, functions: Functions, out: &mut Out) -> Result<ExitCode> {
        if let Some(second) = self.named.profiles.get(1) {
            bail!(
                "--compat reads only one profile, but {} is another",
                second.display()
            );
        }
        // The original strips the current directory from some names only, and so does the ledger.
        let reading = self.args.input.options(Collect::ALL, Vec::new());
        let strip = env::current_directory();
        let ledger = compat::read(&self.named.profiles[0], functions.cost, &strip, &reading);
        let mut ledger = ledger.map_err(inputs::advised)?;
        let finder = self.finder(&ledger.head.carried)?;
        self.args.input.report_warnings([&ledger.head.warnings])?;
        let selection = self.select_events(&mut ledger.head.events)?;
        let listing = ledger.listing(&selection, functions.tree);
        let part = ledger.part();
        let input = ledger.head.input().to_owned();
        let about = About::original(&part, &input);
        let options = self.options(&selection, &finder, out);
        let mut text = TextReport::new(out, &ledger.head.events, options);
        let mut chosen = if self.request.annotates {
            ledger.chosen(&listing)
        } else {
            Vec::new()
        };
        let begins = Begins::WithHeader;
        text.page(&Page::List {
            about: Box::new(about),
            list: List::Functions(Box::new(listing)),
            begins,
        })?;
        if self.annotates() {
            let known = self
                .named
                .sources
                .iter()
                .map(path_bytes)
                .filter(|name| ledger.costs(name, &selection).is_some());
            chosen.extend(known);
            chosen.sort_unstable();
            chosen.dedup();
            let chosen = ledger.in_order(chosen, &selection);
            let costs = |name: &[u8]| ledger.costs(name, &selection);
            self.annotate(&finder, &chosen, costs, &ledger.totals, &mut text)?;
        }
        text.finish()?;
        Ok(self.args.input.status(&ledger.head.warnings))
    }
}
