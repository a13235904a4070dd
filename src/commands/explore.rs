//! `cgannotate explore PROFILE`: walks through a profile in the terminal.

use super::{Usage, code, inputs, named, own, page, zoom_target};
use crate::{
    analysis::{Cost, Selection, Session, Set, difference::doubts},
    cli::{ExploreArgs, PAGE, When},
    env::Environment,
    explore::{
        self, Colours, Data, Lenses, Outside,
        place::{Lens, Screen, Within},
    },
    input,
    profile::Collect,
    request::explore::ExploreRequest,
    source::{self, Finder},
    view::next::Again,
};
use anyhow::{Context, Result, bail};
use std::{
    io::{self, IsTerminal},
    iter,
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

/// How many lines a page shows around lines with costs.
const CONTEXT: u64 = 8;

/// Reads the profiles, then uses the terminal until the user quits.
pub(super) fn run(request: &ExploreRequest) -> Result<ExitCode> {
    let terminal = Environment::read();
    if !io::stdout().is_terminal() || terminal.dumb {
        let why = "explore needs a terminal\nhint: `cgannotate PROFILE` prints a report";
        bail!(Usage(why.into()));
    }
    let files = profiles(&request.files)?;
    let input = &request.args.input;
    let mut profile = input.read(&files, Collect::CODE, Vec::new())?;
    inputs::show_times(&mut profile.events, request.args.raw)?;
    input.derive(&mut profile.events, [])?;
    let status = input.status(&profile.warnings);
    let again = Again {
        options: request.again.clone(),
        inputs: named::in_words(&files),
    };
    let older = if request.older.is_empty() {
        Vec::new()
    } else {
        profiles(&request.older)?
    };
    let old = match &older[..] {
        [] => None,
        files => Some(input.read(files, Collect::ALL, Vec::new())?),
    };
    if let Some(why) = old
        .as_ref()
        .and_then(|old| doubts::incomparable(old, &profile))
    {
        bail!(why);
    }
    let set = Set::own(request.args.own_code.clone());
    own::mistyped(&set, &iter::once(&profile).chain(&old).collect::<Vec<_>>());
    let (folder, carried) = (source::folder(&profile), profile.carried.clone());
    let data = Data::new(Session::new(profile), folder);
    let mut lenses = Lenses::new(data, set, again);
    if let Some(old) = old {
        lenses = lenses.beside(old, named::in_words(&older));
    }
    lenses.again_of_code = request.again_of_code.clone();
    lenses.teller = code::teller(&request.args, &files);
    lenses.inliner = code::inliner(&request.args, &files);
    lenses.start = start(&request.args, &lenses)?;
    let finder = Finder::new(request.args.source.paths(&files, &carried));
    let page = |session: &Session| page(session, request, &files).map_err(|why| format!("{why:#}"));
    let outside = Outside {
        finder: &finder,
        editor: terminal.editor.clone(),
        page: &page,
    };
    explore::run(
        &Arc::new(lenses),
        &outside,
        colours(request.args.color, &terminal),
    )
    .context("explore cannot use this terminal")?;
    Ok(status)
}

/// Where the explorer begins.
fn start(args: &ExploreArgs, lenses: &Lenses) -> Result<(Screen, Lens)> {
    if args.inlined && !lenses.can_inline() {
        bail!(Usage("--inlined: explore shows inlined functions of one run alone, with instruction addresses (--dump-instr=yes)".into()));
    }
    let lens = match (args.own, args.inlined) {
        (_, true) => Lens::Inlined,
        (true, _) => Lens::Own,
        _ => Lens::Whole,
    };
    if args.own {
        own::begin(&lenses.set, &[lenses.whole.profile()], true)?;
        let folds = lenses.data(lens).session.folds();
        own::refuse_nothing(&lenses.set, folds.map_or(0, |folds| folds.count))?;
    }
    let Some(pattern) = &args.function else {
        return Ok((Screen::Functions(Within::All), lens));
    };
    let session = &lenses.data(lens).session;
    let selection = Selection::whole(session.profile().events.stored().collect());
    let typed = ("--function", &pattern[..]);
    let id = zoom_target::function(typed, &args.input, session, &selection)?;
    Ok((Screen::Calls(id), lens))
}

/// Makes a page.
fn page(session: &Session, request: &ExploreRequest, profiles: &[PathBuf]) -> Result<Vec<u8>> {
    let wanted = page::PageOptions {
        most: PAGE,
        sources: &request.args.source,
        context: CONTEXT,
        has_sources: true,
        by: Cost::Own,
    };
    let selection = Selection::whole(session.profile().events.stored().collect());
    page::whole(session, &selection, &[], &wanted, profiles)
}

/// The profiles that names stand for, or those of the newest run in this folder.
fn profiles(files: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if files.is_empty() {
        return Ok(input::of_run(&named::newest_where_none_is_named()?));
    }
    let [profiles] = named::inputs([files])?;
    Ok(profiles)
}

/// Whether to use colors. `$NO_COLOR` turns them off unless an option asks for them.
fn colours(asked: When, terminal: &Environment) -> Colours {
    match asked {
        When::Never => Colours::None,
        When::Auto if terminal.no_colour => Colours::None,
        When::Always | When::Auto => Colours::Basic,
    }
}
