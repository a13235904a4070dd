//! The report for programs and browsers: one JSON document, one table, or one page.

use super::{Out, Task};
use crate::{
    analysis::{
        OrderedProfile, Own, OwnCode, Selection, Session, WithInlined, cut::ranked,
        own_lines::OwnLines, own_profile::Between,
    },
    commands::{
        Usage, advice, aprof, code,
        console::{say, say_each},
        own, page, zoom_target,
    },
    env,
    export::json,
    profile::{Calls, Collect},
    render::table,
    request::annotate::AskedPage,
    source,
    view::{
        Groups, Listing, Zoom,
        inlined::{self, InlinedList},
        instructions::list::InstructionList,
        line_list::LineList,
        tables::Lists,
    },
};
use anyhow::{Result, anyhow, bail};
use std::{io::Write, process::ExitCode};

impl Task<'_> {
    /// Writes the whole profile as a JSON document. File names stay as they are in the profile.
    pub(super) fn json(&self, out: &mut Out) -> Result<ExitCode> {
        // The document has no sources. But a name that does not exist may have been meant as a
        // profile.
        for name in &self.named.sources {
            std::fs::metadata(name).map_err(|e| anyhow!("{}: {e}", name.display()))?;
        }
        let functions = self.request.page.functions();
        let collect = Collect {
            code: self.request.needs_code(),
            ..Collect::ALL
        };
        self.report_each(collect, Vec::new(), |mut profile, share| {
            let selection = self.select(&mut profile)?;
            code::ask(&mut profile, self.request, &self.named.profiles);
            let session = Session::new(profile);
            let beside = json::Beside {
                split: share,
                instructions: self.request.instructions,
                ..json::Beside::default()
            };
            if let AskedPage::Zoom { pattern, depth } = &self.request.page {
                let (order, mut selection) = (selection.clone(), selection);
                let zoom = self.zoom(&session, &mut selection, (pattern, *depth))?;
                let steps = zoom.callers.steps.iter().chain(&zoom.callees.steps);
                let whole = OrderedProfile::about(
                    session.profile(),
                    &order,
                    session.inclusive(),
                    zoom.id,
                    steps.map(|step| step.id),
                );
                let beside = json::Beside {
                    zoom: Some(&zoom),
                    ..beside
                };
                return Ok(json::write(&whole, beside, &mut *out)?);
            }
            let by = self.cost(session.profile(), functions);
            self.warn_if_saturated(&session);
            let whole = OrderedProfile::new(session.profile(), &selection, session.inclusive(), by);
            advice::empty(&selection, whole.functions.len());
            let Some(set) = &self.request.own else {
                return Ok(json::write(&whole, beside, &mut *out)?);
            };
            let profile = session.profile();
            own::begin(set, &[profile], share.is_some())?;
            // The document keeps the profile as recorded. Own costs count inlined functions, too.
            let inlined = self
                .args
                .code
                .inlined
                .then(|| WithInlined::new(profile.clone(), set));
            if inlined.is_some() {
                say_each(inlined::notes(profile));
            }
            let of = inlined.as_ref().map_or(profile, |inlined| &inlined.profile);
            let code = inlined
                .as_ref()
                .map_or_else(|| OwnCode::new(profile, set), |inlined| inlined.code(set));
            if share.is_none() {
                own::refuse_nothing(set, code.count())?;
            }
            let functions = Own::new(of, &code);
            let lines = inlined.as_ref().map_or_else(
                || OwnLines::new(profile, &code, &functions),
                |inlined| inlined.own_lines(&code, &functions),
            );
            say(code.said());
            let inlined = inlined.as_ref().map(|inlined| {
                let only = WithInlined::only_inlined(inlined);
                (inlined, ranked(of, &selection, None, only.collect(), 1))
            });
            let own = json::OwnCosts {
                code: &code,
                names: set.names(),
                functions: &functions,
                lines: &lines,
                inlined,
            };
            json::write(
                &whole,
                json::Beside {
                    own: Some(&own),
                    ..beside
                },
                &mut *out,
            )?;
            Ok(())
        })
    }

    /// Refuses sources that the user named for a report that does not annotate them.
    pub(super) fn refuse_sources(&self, why: &str) -> Result<()> {
        match self.named.sources.first() {
            Some(source) => bail!(Usage(format!("{}: {why}", source.display()))),
            None => Ok(()),
        }
    }

    /// Writes one list as a table.
    pub(super) fn table(&self, form: table::TableForm, out: &mut Out) -> Result<ExitCode> {
        self.refuse_sources("only the text report annotates sources")?;
        let functions = self.request.page.functions();
        let inlined = self.lists_inlined();
        let is_zoom = matches!(self.request.page, AskedPage::Zoom { .. });
        let has_calls = is_zoom || matches!(self.request.page, AskedPage::Functions(_));
        let collect = Collect {
            lines: self.lines_shown(false),
            calls: if has_calls || inlined {
                Calls::Arcs
            } else {
                Calls::None
            },
            code: inlined || self.request.page == AskedPage::Instructions,
        };
        let collect = self.with_own(collect);
        let is_for_people = self.args.report.format.is_for_people();
        let strip = env::strip(is_for_people && self.request.own.is_none());
        let mut profile = (self.args.input).read(&self.named.profiles, collect, strip)?;
        if !self.filters_later() {
            advice::filters(&profile, &self.request.narrow)?;
        }
        let selection = self.select(&mut profile)?;
        let status = self.args.input.status(&profile.warnings);
        advice::instructions(&profile, self.request)?;
        code::ask(&mut profile, self.request, &self.named.profiles);
        let between = if has_calls {
            Between::Calls
        } else {
            Between::Nothing
        };
        let strip = if is_for_people {
            source::folder(&profile)
        } else {
            Vec::new()
        };
        let session = self.session(profile, &selection, &strip, between)?;
        let profile = session.profile();
        let shares = self.args.columns.show_percs.is_yes();
        let lists = Lists {
            profile,
            selection: &selection,
            shares,
            folds: session.folds(),
        };
        match &self.request.page {
            AskedPage::Groups(by) => {
                let groups = Groups::new(profile, &selection, *by);
                advice::empty(&selection, groups.rows.len());
                table::write(form, lists.groups(&groups), &mut *out)?;
            }
            AskedPage::Lines => {
                let list = LineList::new(&session, &selection);
                advice::empty(&selection, list.lines.len());
                table::write(form, lists.lines(&list), &mut *out)?;
            }
            AskedPage::Instructions => {
                let mut list = InstructionList::new(&session, &selection);
                code::fill(&mut list, profile, self.request, &self.named.profiles);
                say_each(&list.notes);
                advice::empty(&selection, list.rows.len());
                table::write(form, lists.instructions(&list), &mut *out)?;
            }
            _ if profile.sizes.is_some() => {
                aprof::table(self.request, form, profile, &selection, &mut *out)?
            }
            _ if inlined && !is_zoom => {
                let list = InlinedList::new(&session, &selection);
                say_each(&list.notes);
                table::write(form, lists.inlined(&list), &mut *out)?;
            }
            AskedPage::Zoom { pattern, depth } => {
                let mut selection = selection.clone();
                let zoom = self.zoom(&session, &mut selection, (pattern, *depth))?;
                table::write(form, lists.zoomed(&zoom), &mut *out)?;
            }
            _ => {
                let listing = Listing::of_all(&session, &selection, self.cost(profile, functions));
                advice::empty(&selection, listing.rows.len());
                self.warn_if_saturated(&session);
                let inclusive = Some(session.inclusive());
                table::write(form, lists.functions(&listing, inclusive), &mut *out)?;
            }
        }
        Ok(status)
    }

    /// Writes the whole profile as a page for a browser.
    pub(super) fn html(&self, out: &mut Out) -> Result<ExitCode> {
        self.refuse_sources("a page finds the sources itself")?;

        let mut profile = self.args.input.read(
            &self.named.profiles,
            self.with_own(Collect::ALL),
            env::strip(self.request.own.is_none()),
        )?;
        code::ask(&mut profile, self.request, &self.named.profiles);
        let mut selection = self.select(&mut profile)?;
        if self.args.columns.sort.is_empty() {
            selection.begin_with_cost(&profile.events, profile.totals.counts());
        }
        let status = self.args.input.status(&profile.warnings);
        let strip = source::folder(&profile);
        let session = self.session(profile, &selection, &strip, Between::Calls)?;
        self.warn_if_saturated(&session);
        let show = if self.args.columns.show.is_empty() {
            &[][..]
        } else {
            &selection.show
        };
        let by = self.request.page.functions().cost;
        let wanted = page::PageOptions {
            most: self.args.report.most(),
            context: self.args.context,
            sources: &self.args.source,
            has_sources: self.request.annotates,
            by,
        };
        let bytes = page::whole(&session, &selection, show, &wanted, &self.named.profiles)?;
        out.write_all(&bytes)?;
        Ok(status)
    }

    /// Finds the function that the pattern names. Lists all its callers and callees unless `-n`
    /// limits them.
    fn zoom<'a>(
        &self,
        session: &'a Session,
        selection: &'a mut Selection,
        (pattern, depth): (&str, usize),
    ) -> Result<Zoom<'a>> {
        self.warn_if_saturated(session);
        let profile = session.profile();
        let id = match profile.sizes {
            Some(_) => zoom_target::routine(pattern, profile)?,
            None => {
                zoom_target::function(("--zoom", pattern), &self.args.input, session, selection)?
            }
        };
        selection.narrow.rows.get_or_insert(usize::MAX);
        Ok(Zoom::new(session, selection, id, depth))
    }
}
