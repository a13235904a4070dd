//! `cgannotate PROFILE`: the report.

mod beside;
mod forms;
mod original;
mod sources;

use super::{
    advice, aprof, code,
    console::{self, say, say_each},
    help, inputs,
    named::{self, NamedFiles},
    output::{self, Output},
    own,
    workflow::Content,
    zoom_target,
};
use crate::{
    analysis::{Cost, Folds, GroupBy, Selection, Session, doubts, own_profile::Between},
    cli::{AnnotateArgs, Form},
    env,
    profile::{Calls, Carried, Collect, Events, Lines, Part, Php, Profile, SplitBy},
    render::{
        screen::ScreenWriter,
        text::{TextOptions, TextReport},
    },
    request::annotate::{AnnotateRequest, AskedPage, Functions},
    source::{self, Finder},
    view::{
        About, Groups, Listing, Surface, Zoom,
        figures::{Figures, PercentColumns},
        first_screen::{FirstScreen, ScreenOptions},
        inlined::{self, InlinedList, InlinedTree},
        instructions::{self, Instructions, Look as Around, list::InstructionList},
        line_list::LineList,
        next::Again,
        page::{Begins, List, Page},
    },
};
use anyhow::Result;
use std::{process::ExitCode, sync::Arc};

/// The output of reports.
type Out = ScreenWriter<Output>;

/// The request, its arguments, and the files to report on.
struct Task<'t> {
    request: &'t AnnotateRequest,
    args: &'t AnnotateArgs,
    named: &'t NamedFiles,
    /// Whether inlined functions of yours are shown without having been asked for.
    implies_inlined: bool,
}

pub(super) fn run(request: &mut AnnotateRequest) -> Result<ExitCode> {
    match request.page {
        AskedPage::Generate(what) => {
            return without_profile(request, |out| help::generate(what, out));
        }
        AskedPage::KnownEvents => return without_profile(request, |out| help::events(None, out)),
        _ => {}
    }
    advice::command(request)?;
    let named = NamedFiles::new(request)?;
    output::keep_inputs(
        request.args.report.output.file(),
        named.profiles.iter().chain(&named.sources),
    )?;
    let mut out = Output::report(&request.args.report)?;
    let shown = (request.args.report.format, out.surface.terminal);
    let implies_inlined = !request.args.code.inlined
        && own::implies_inlined(request.own.as_ref(), shown, &named.profiles);
    request.args.code.inlined |= implies_inlined;
    let args = &request.args;
    let task = Task {
        request,
        args,
        named: &named,
        implies_inlined,
    };
    let status = match (args.report.format, &request.page) {
        (_, &AskedPage::Original(functions)) => task.original(functions, &mut out)?,
        (Form::Text, &AskedPage::Beside(by)) => task.beside(by, &mut out)?,
        (Form::Table(form), &AskedPage::Beside(by)) => task.table_beside(by, form, &mut out)?,
        (Form::Text, _) => task.text(&mut out)?,
        (Form::Json, _) => task.json(&mut out)?,
        (Form::Table(form), _) => task.table(form, &mut out)?,
        (Form::Page, _) => task.html(&mut out)?,
    };
    out.into_inner().finish()?;
    Ok(status)
}

/// What must be read to attribute library code to its callers.
fn with_calls(wanted: Collect) -> Collect {
    let calls = match wanted.calls {
        _ if wanted.lines != Lines::None => Calls::Sites,
        Calls::None => Calls::Arcs,
        calls => calls,
    };
    Collect { calls, ..wanted }
}

/// Answers a request that reads no profile.
fn without_profile(
    request: &AnnotateRequest,
    answer: impl FnOnce(&mut Output) -> Result<()>,
) -> Result<ExitCode> {
    let mut out = Output::open(&request.args.report.output, Content::Text)?;
    answer(&mut out)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

impl Task<'_> {
    /// Prints the text report on the sum of all inputs, or one for each share.
    fn text(&self, out: &mut Out) -> Result<ExitCode> {
        let mut finder = None;
        // Recorded names decide which code is yours. If that matters, the folder is stripped later.
        let strip = env::strip(self.request.own.is_none());
        let collect = self.with_own(self.collect_shown(out));
        self.report_each(collect, strip, |profile, share| {
            let title = share.map(|(by, value)| format!("{} {value}", by.name()));
            let finder = match &mut finder {
                Some(finder) => finder,
                // Packed sources are the same in all shares.
                none => none.insert(self.finder(&profile.carried)?),
            };
            self.report(finder, profile, title, out)
        })
    }

    /// Returns the finder of sources. Fails if a named source cannot be read.
    fn finder(&self, carried: &[Arc<Carried>]) -> Result<Finder> {
        let finder = Finder::new(self.args.source.paths(&self.named.profiles, carried));
        crate::view::sources::check(&finder, &self.named.sources)
            .map_err(inputs::advised_source)?;
        Ok(finder)
    }

    /// Reads the inputs and reports on their sum, or on each share with its key. Returns the exit
    /// status of the command.
    fn report_each(
        &self,
        collect: Collect,
        strip: Vec<u8>,
        mut report: impl FnMut(Profile, Option<(SplitBy, &str)>) -> Result<()>,
    ) -> Result<ExitCode> {
        let (files, input) = (&self.named.profiles, &self.args.input);
        let Some(by) = self.args.split else {
            let profile = input.read(files, collect, strip)?;
            let status = input.status(&profile.warnings);
            if !self.filters_later() {
                advice::filters(&profile, &self.request.narrow)?;
            }
            report(profile, None)?;
            return Ok(status);
        };
        let shares = input.read_split(files, collect, strip, by)?;
        let status = input.status(shares.warnings());
        if !self.filters_later() {
            advice::filters(&shares, &self.request.narrow)?;
        }
        for share in shares {
            report(share.profile, Some((by, &share.value)))?;
        }
        Ok(status)
    }

    /// Whether the list has other names than the profile, so that filters are checked later. JSON
    /// lists the names of the profile.
    fn filters_later(&self) -> bool {
        self.args.report.format != Form::Json
            && (self.request.own.is_some() || self.args.code.inlined)
    }

    /// Rejects filters that match nothing in the list. With `--split`, they need not match in each
    /// share.
    fn check_filters(&self, profile: &Profile) -> Result<()> {
        if self.filters_later() && self.args.split.is_none() {
            advice::filters(profile, &self.request.narrow)
        } else {
            Ok(())
        }
    }

    /// Whether to show the first screen: the output is a terminal, and no page or source is asked
    /// for.
    fn is_first_look(&self, out: &Out) -> bool {
        matches!(self.request.page, AskedPage::Unsaid(_))
            && out.surface.terminal
            && self.named.sources.is_empty()
    }

    /// Whether any source is annotated.
    fn annotates(&self) -> bool {
        self.request.annotates || !self.named.sources.is_empty()
    }

    /// How precisely the filters need self cost: by file, because inlined code can be in another
    /// file than its function.
    fn lines_of_filters(&self) -> Lines {
        if self.request.narrow.file.is_nothing() {
            Lines::None
        } else {
            Lines::Files
        }
    }

    /// What to read, plus the calls if library code is attributed to its callers.
    fn with_own(&self, wanted: Collect) -> Collect {
        match (&self.request.own, self.args.code.inlined) {
            (None, _) => wanted,
            (Some(_), false) => with_calls(wanted),
            // An instruction takes its lines and calls from its chain of inlined functions.
            (Some(_), true) => Collect::CODE,
        }
    }

    /// Whether inlined functions are listed separately, including those of libraries. With `--own`
    /// or `--fold`, they are treated like other functions instead.
    fn lists_inlined(&self) -> bool {
        self.args.code.inlined && self.request.own.is_none()
    }

    /// Starts a session on a profile, after attributing library code if asked.
    fn session(
        &self,
        profile: Profile,
        selection: &Selection,
        strip: &[u8],
        between: Between,
    ) -> Result<Session> {
        let threads = self.args.input.threads();
        let [(profile, folds)] = own::fold(
            [profile],
            self.request.own.as_ref(),
            (between, self.args.split.is_some()),
            |_| strip.to_vec(),
            |_| Ok(selection.sort.first().copied()),
        )?;
        self.check_filters(&profile)?;
        let Some(folds) = folds else {
            return Ok(Session::new(profile).with_threads(threads));
        };
        if self.implies_inlined {
            // The first screen and the page say it themselves.
            if !matches!(self.request.page, AskedPage::Unsaid(_))
                && self.args.report.format == Form::Text
                && profile.has_addresses()
            {
                say(inlined::source(&profile));
            }
        } else if self.args.code.inlined {
            say_each(inlined::notes(&profile));
        }
        if self.args.report.format != Form::Text
            || matches!(
                self.request.page,
                AskedPage::Zoom { .. } | AskedPage::Unsaid(_)
            )
        {
            say(&folds.said);
        }
        Ok(Session::folded(profile, folds).with_threads(threads))
    }

    fn collect_shown(&self, out: &Out) -> Collect {
        let (annotates, first_look) = (self.annotates(), self.is_first_look(out));
        let code = self.request.needs_code();
        let calls = match self.request.page {
            _ if annotates => Calls::Sites,
            _ if code => Calls::Arcs,
            _ if self.request.page.functions() != Functions::PLAIN => Calls::Arcs,
            _ => Calls::None,
        };
        match &self.request.page {
            AskedPage::Zoom { .. } => Collect {
                code,
                ..Collect::ALL
            },
            AskedPage::Events => Collect::FUNCTIONS,
            _ if first_look => Collect {
                code: self.request.own.is_none() && own::is_small(&self.named.profiles),
                ..Collect::ALL
            },
            page => Collect {
                lines: self.lines_shown(annotates),
                calls,
                code: match page {
                    AskedPage::Instructions => true,
                    AskedPage::Lines | AskedPage::Groups(GroupBy::File) => false,
                    _ => code,
                },
            },
        }
    }

    /// How precisely self cost must be located for a list, and for its sources.
    fn lines_shown(&self, annotates: bool) -> Lines {
        // Without instruction addresses, inlined code can only be found by line.
        let by_line = match self.request.page {
            AskedPage::Lines => true,
            AskedPage::Instructions => annotates,
            _ => annotates || self.args.code.inlined,
        };
        match self.request.page {
            _ if by_line => Lines::All,
            AskedPage::Groups(GroupBy::File) => Lines::Files,
            _ => self.lines_of_filters(),
        }
    }

    /// Prints the report on one profile: its page, then its sources.
    fn report(
        &self,
        finder: &Finder,
        mut profile: Profile,
        title: Option<String>,
        out: &mut Out,
    ) -> Result<()> {
        if self.args.raw || out.surface.terminal && counts_time(&profile) {
            inputs::show_times(&mut profile.events, self.args.raw)?;
        }
        let mut selection = self.select(&mut profile)?;
        if self.request.page == AskedPage::Events {
            return help::events(Some(&profile.events), out);
        }
        if profile.sizes.is_some()
            && !matches!(
                self.request.page,
                AskedPage::Groups(_) | AskedPage::Lines | AskedPage::Instructions
            )
        {
            return aprof::report(self.request, &profile, &selection, out);
        }
        let first_look = self.is_first_look(out);
        // The first screen shows source lines regardless of the options.
        let annotates = first_look || self.request.annotates;
        advice::doubts(&profile, &selection, self.request, annotates);
        let (mut shares, mut missing) = (self.shares(), None);
        if first_look {
            selection.everything |= !self.args.columns.has_threshold();
            match (&self.args.columns.sort[..], &self.args.columns.show[..]) {
                ([], []) => selection.begin_with_cost(&profile.events, profile.totals.counts()),
                // Whoever asks for misses wants to see where they occur.
                ([], _) => selection.begin_with_shown(),
                _ => {}
            }
        } else {
            let least = match &self.args.columns.show[..] {
                [] => 1,
                _ => selection.show.len(),
            };
            let fit = (least, out.surface);
            (shares, missing) = self.fit_columns(&profile, &mut selection, fit, Figures::missing);
        }
        advice::instructions(&profile, self.request)?;
        if first_look && self.request.own.is_none() {
            code::ask_of_own(&mut profile, self.request, &self.named.profiles);
        } else {
            code::ask(&mut profile, self.request, &self.named.profiles);
        }
        let between = match self.request.page {
            AskedPage::Groups(_)
            | AskedPage::Lines
            | AskedPage::Instructions
            | AskedPage::Functions(Functions::PLAIN)
                if !self.annotates() =>
            {
                Between::Nothing
            }
            _ => Between::Calls,
        };
        let folder = source::folder(&profile);
        let session = self.session(profile, &selection, &folder, between)?;
        let page = if first_look {
            self.warn_if_saturated(&session);
            Page::FirstScreen(Box::new(
                self.first_screen(&session, &selection, finder, out),
            ))
        } else {
            self.page(&session, &selection, title, finder, out)?
        };
        let options = TextOptions {
            shares,
            missing,
            knows_inlined: session.folds().is_some_and(Folds::knows_inlined),
            ..self.options(&selection, finder, out)
        };
        let mut text = TextReport::new(out, &session.profile().events, options);
        text.page(&page)?;
        if !first_look && !self.args.code.asm && self.annotates() {
            match &page {
                Page::Zoom(_) if !self.request.annotates => {}
                Page::Zoom(zoom) => {
                    self.sources_of_function(&session, &selection, finder, zoom.id, &mut text)?
                }
                page => self.sources_of_list(&session, &selection, finder, page, &mut text)?,
            }
        }
        text.finish()?;
        Ok(())
    }

    /// Makes the page.
    fn page<'a>(
        &self,
        session: &'a Session,
        selection: &'a Selection,
        title: Option<String>,
        finder: &Finder,
        out: &Out,
    ) -> Result<Page<'a>> {
        let profile = session.profile();
        if let AskedPage::Zoom { pattern, depth } = &self.request.page {
            self.warn_if_saturated(session);
            if self.lists_inlined()
                && let Some(places) = zoom_target::inlined(pattern, session, selection)?
            {
                return Ok(Page::Places(Box::new(places)));
            }
            let id =
                zoom_target::function(("--zoom", pattern), &self.args.input, session, selection)?;
            let mut zoom = Box::new(Zoom::new(session, selection, id, *depth));
            if self.lists_inlined() {
                zoom.inlined = Some(Box::new(InlinedTree::new(session, selection, id)));
            }
            if self.args.code.asm {
                let texts = code::texts(profile, id, self.request, &self.named.profiles);
                let inlined = profile.inlined.as_deref();
                let look = Around {
                    lanes: instructions::lanes(out.surface.width),
                    inlined: inlined.map(|inlined| (inlined, &*profile.names)),
                    sources: self.annotates().then_some(finder),
                };
                zoom.instructions = Some(Box::new(Instructions::new(
                    session, selection, id, texts, &look,
                )));
            }
            return Ok(Page::Zoom(zoom));
        }
        let list = match self.request.page {
            AskedPage::Groups(by) => List::Groups(Box::new(Groups::new(profile, selection, by))),
            AskedPage::Lines => List::Lines(Box::new(LineList::new(session, selection))),
            AskedPage::Instructions => {
                let mut list = InstructionList::new(session, selection);
                code::fill(&mut list, profile, self.request, &self.named.profiles);
                List::Instructions(Box::new(list))
            }
            _ if self.lists_inlined() => {
                self.warn_if_saturated(session);
                List::Inlined(Box::new(InlinedList::new(session, selection)))
            }
            _ => {
                let listing = self.listing(session, selection, self.request.page.functions());
                List::Functions(Box::new(listing))
            }
        };
        advice::empty(selection, list.rows());
        if let List::Groups(groups) = &list {
            advice::classes(groups);
        }
        let begins = if out.surface.terminal {
            Begins::WithAnswer(title)
        } else {
            Begins::WithHeader
        };
        let own = session.folds().map(|folds| folds.said.clone());
        Ok(Page::List {
            about: Box::new(About {
                own,
                ..About::new(profile)
            }),
            list,
            begins,
        })
    }

    fn first_screen<'a>(
        &self,
        session: &'a Session,
        selection: &Selection,
        finder: &Finder,
        out: &Out,
    ) -> FirstScreen<'a> {
        let again = Again {
            options: self.request.again.clone(),
            inputs: named::in_words(&self.named.profiles),
        };
        // Without instruction addresses, inlined code is found by line, and not with `--own`. A
        // filter by name may match library code only.
        let typed = &self.request.typed;
        let is_filtered = !(typed.filters.is_empty() && typed.functions.is_empty());
        let to_inlined: &[&str] = match (&self.request.own, session.profile().has_addresses()) {
            _ if self.args.code.inlined => &[],
            (None, true) if !is_filtered => &["--own", "--inlined"],
            (None, true) | (Some(_), false) => &[],
            _ => &["--inlined"],
        };
        let look = ScreenOptions {
            selection,
            is_asked: !self.args.columns.show.is_empty(),
            shares: self.shares(),
            by: self.cost(session.profile(), self.request.page.functions()),
            finder,
            surface: out.surface,
            above: console::lines_above_report(),
            again: &again,
            typed,
            to_inlined,
        };
        let screen = FirstScreen::new(session, &look);
        advice::empty(selection, screen.overview.functions.len());
        screen
    }

    /// Drops percentages and all but `least` events if names would have no space on the screen.
    /// Returns which counts keep percentages, and the remark about the others.
    fn fit_columns(
        &self,
        profile: &Profile,
        selection: &mut Selection,
        (least, surface): (usize, Surface),
        remark: fn(Figures, &[String], PercentColumns) -> Option<String>,
    ) -> (PercentColumns, Option<String>) {
        let (events, wanted) = (&profile.events, self.shares());
        let Some(screen) = surface.width else {
            return (wanted, None);
        };
        let all = selection.show.clone();
        let fitting = Figures::beside_names(profile, &all, least, wanted, screen);
        selection.show.truncate(fitting.columns);
        let names: Vec<String> = all.iter().map(|&e| events.text(e).into_owned()).collect();
        (fitting.shares, remark(fitting, &names, wanted))
    }

    /// Which counts have percentages.
    fn shares(&self) -> PercentColumns {
        if self.args.columns.show_percs.is_yes() {
            PercentColumns::All
        } else {
            PercentColumns::Hidden
        }
    }

    fn listing<'a>(
        &self,
        session: &'a Session,
        selection: &'a Selection,
        functions: Functions,
    ) -> Listing<'a> {
        let cost = self.cost(session.profile(), functions);
        if cost == Cost::Inclusive {
            self.warn_if_saturated(session);
        }
        // With the rest in the last row, self costs of your code add up to the totals.
        if session.folds().is_some() && cost == Cost::Own && functions == Functions::PLAIN {
            return Listing::with_rest(session, selection);
        }
        Listing::new(session, selection, cost, functions.tree)
    }

    /// The cost to list functions by. It is self cost, with a message, if inclusive costs are not
    /// known.
    fn cost(&self, profile: &Profile, functions: Functions) -> Cost {
        advice::known(functions.cost, &[profile])
    }

    /// Warns if an inclusive cost does not fit in 64 bits.
    fn warn_if_saturated(&self, session: &Session) {
        if session.inclusive().saturated {
            say("an inclusive cost does not fit in 64 bits; the limit is used instead");
        }
    }

    /// Chooses what to show and how to order it. Defines the derived events that options name.
    fn select(&self, profile: &mut Profile) -> Result<Selection> {
        let mut selection = self.select_events(&mut profile.events)?;
        selection.by_size_below_zero(profile);
        say_each(doubts::too_large(
            &profile.events,
            &[&profile.totals.row],
            &selection.show,
        ));
        Ok(selection)
    }

    fn select_events(&self, events: &mut Events) -> Result<Selection> {
        self.args.input.derive(events, self.args.columns.named())?;
        let mut selection = self.args.columns.select(events, self.request.usual)?;
        selection.narrow = self.request.narrow.clone();
        if self.args.columns.show.is_empty() {
            selection.show.extend(
                self.args
                    .input
                    .events
                    .iter()
                    .filter_map(|d| events.find(&d.name)),
            );
        }
        Ok(selection)
    }

    fn options<'a>(
        &'a self,
        selection: &'a Selection,
        finder: &'a Finder,
        out: &Out,
    ) -> TextOptions<'a> {
        TextOptions {
            selection,
            shares: self.shares(),
            missing: None,
            include: finder.include(),
            user_files: &self.named.sources,
            auto: self.request.annotates,
            surface: out.surface,
            knows_inlined: false,
            threads: self.args.input.threads(),
        }
    }
}

/// Whether the events are Xdebug's, whose names contain the unit of time.
fn counts_time(profile: &Profile) -> bool {
    let by_xdebug = |part: &Part| part.creator.is_empty() || part.creator.starts_with(b"xdebug");
    match profile.format.php {
        Php::No => false,
        Php::Calls => true,
        Php::Sums => profile.parts.iter().all(by_xdebug),
    }
}
