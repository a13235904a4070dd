//! The state of the screen. [`update`](super::update()) changes it, [`draw`](super::draw()) shows
//! it.

use super::{
    Data, Effect, Lenses,
    cursor::{fit, settle},
    list::FunctionSheet,
    place::{Aim, Kind, Lens, Pane, Place, Screen, Sort, Spot},
    row::{EventNames, Row, RowCell, RowSettings, ShareBase},
    sheet::{Sheet, SheetRows},
    source::FoundSource,
    work::{Answer, Completeness, Work},
};
use crate::{profile::FunctionId, source::Finder, text::how_many};

/// How many answers of the worker are cached, so that going back to a list shows it at once.
const ANSWERS: usize = 8;

/// How many sources are cached.
const SOURCES: usize = 8;

/// The number of screens in the history.
const HISTORY: usize = 1000;

/// The fewest columns for two panes.
pub(super) const WIDE: u16 = 120;

/// The state of the explorer.
pub struct Model<'d> {
    pub(super) lenses: &'d Lenses,
    pub(super) finder: &'d Finder,
    /// The current location.
    pub spot: Spot,
    /// The previous ones.
    pub back: Vec<Spot>,
    pub(super) forward: Vec<Spot>,
    pub(super) left: Sheet<'d>,
    pub(super) right: Sheet<'d>,
    pub(super) event: usize,
    pub(super) shares: ShareBase,
    /// Whether changes are shown if there is an older run.
    pub(super) changes: ChangeDisplay,
    pub(super) size: (u16, u16),
    /// Where keys go.
    pub mode: Mode,
    pub(super) said: Option<String>,
    /// The lens to switch to once it has been computed. Any other action cancels it.
    pub(super) coming: Option<Lens>,
    /// Marked functions, each with the lens whose profile its id belongs to.
    pub(super) marked: Vec<(Lens, FunctionId)>,
    pub(super) answers: Vec<(Work, Answer)>,
    /// The sources that were read, by their names.
    pub(super) sources: Vec<(Vec<u8>, FoundSource)>,
}

/// Whether changes are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeDisplay {
    /// They are shown.
    Shown,
    /// They are hidden.
    Hidden,
}

/// Where keys go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mode {
    /// To the screen.
    Normal,
    /// To the filter; the text is the filter to restore.
    Filter(String),
    /// To a command after `:`.
    Command(String),
    /// To the name of a file to write.
    Write(String),
    /// To the list of keys; the number is its first visible row.
    Help(usize),
}

/// The visible parts of a row.
pub struct Seen {
    /// The function of the row.
    pub function: Option<FunctionId>,
    /// Costs and calls.
    pub numbers: Vec<i128>,
    /// The line number, for a source line.
    pub line: Option<u64>,
}

impl<'d> Model<'d> {
    /// Opens the first screen. Returns the model and its first requests.
    pub fn new(
        lenses: &'d Lenses,
        finder: &'d Finder,
        size: (u16, u16),
    ) -> (Model<'d>, Vec<Effect>) {
        let mut model = Model {
            lenses,
            finder,
            spot: Spot::new(Place::new(lenses.start.0.clone(), lenses.start.1)),
            back: Vec::new(),
            forward: Vec::new(),
            left: Sheet::Waiting,
            right: Sheet::Waiting,
            event: lenses.whole.first_event(),
            shares: ShareBase::Total,
            changes: ChangeDisplay::Shown,
            size,
            mode: Mode::Normal,
            said: None,
            coming: None,
            marked: Vec::new(),
            answers: Vec::new(),
            sources: Vec::new(),
        };
        model.spot.left.sort = model.first_sort(&model.spot.left);
        let effects = model.load();
        model.said = model
            .first_words()
            .or_else(|| Some(model.data().session.folds()?.said.clone()));
        (model, effects)
    }

    /// The first message: that there are warnings or doubts about the comparison.
    fn first_words(&self) -> Option<String> {
        let count = self.lenses.whole.profile().warnings.count();
        let warnings = how_many(count, "warning");
        let said = match (count, self.has_doubts()) {
            (0, false) => return None,
            (0, true) => "the runs are not fully comparable".to_owned(),
            (_, false) => format!("{warnings} about the profile"),
            (_, true) => format!("{warnings}, and the runs are not fully comparable"),
        };
        Some(said + ": key 9")
    }

    /// Whether there are doubts about the comparison.
    pub(super) fn has_doubts(&self) -> bool {
        self.lenses
            .whole
            .before()
            .is_some_and(|before| !before.doubts.is_empty())
    }

    /// How many rows the focused pane has.
    pub fn rows(&self) -> usize {
        self.sheet().len()
    }

    /// The visible rows of the focused pane; for stacks, only the frame at the cursor.
    pub fn visible(&self) -> Vec<Seen> {
        let here = self.spot.here();
        let (look, sheet) = (self.look(here), self.sheet());
        let rows =
            (here.top..here.top + self.height()).map_while(|at| Some((at, sheet.row(at, look)?)));
        if let Sheet::Stacks(icicle, _) = sheet {
            let (function, numbers) = (icicle.function(here.row), icicle.numbers(here.row));
            return vec![Seen {
                function,
                numbers,
                line: None,
            }];
        }
        let seen = |(at, row): (usize, Row)| {
            let line = |cell: &RowCell| match cell {
                RowCell::Line(line) => Some(*line),
                _ => None,
            };
            let cells = row.cells.iter().flatten();
            let costs = cells.clone().filter(|cell| line(cell).is_none());
            let numbers = costs.filter_map(RowCell::number).collect();
            Seen {
                function: sheet.function(at),
                numbers,
                line: cells.clone().find_map(line),
            }
        };
        rows.map(seen).collect()
    }

    /// The kind of the focused screen.
    pub fn kind(&self) -> Kind {
        self.spot.here().screen.kind()
    }

    /// The settings for the rows of a place.
    pub(super) fn look(&self, place: &Place) -> RowSettings<'d> {
        let data = self.data_of(place);
        let before = data
            .before()
            .filter(|_| self.changes == ChangeDisplay::Shown);
        let (event, shares, names) = (self.event, self.shares, EventNames::Shown);
        RowSettings {
            data,
            event,
            shares,
            sort: place.sort,
            before,
            names,
        }
    }

    /// The profile that a place shows.
    pub(super) fn data_of(&self, place: &Place) -> &'d Data {
        self.lenses.data(place.lens)
    }

    /// The profile that the focused pane shows.
    pub fn data(&self) -> &'d Data {
        self.data_of(self.spot.here())
    }

    /// The place and the rows of a pane, or those of the left one if there is no right one.
    pub(super) fn pane(&self, which: Pane) -> (&Place, &Sheet<'d>) {
        match (which, &self.spot.right) {
            (Pane::Right, Some(right)) => (right, &self.right),
            _ => (&self.spot.left, &self.left),
        }
    }

    /// The rows of the focused pane.
    pub(super) fn sheet(&self) -> &Sheet<'d> {
        self.pane(self.spot.focus).1
    }

    /// How many rows fit.
    pub(super) fn height(&self) -> usize {
        usize::from(self.size.1.saturating_sub(4).max(1))
    }

    /// Whether both panes are visible.
    pub(super) fn is_wide(&self) -> bool {
        self.size.0 >= WIDE && self.spot.right.is_some()
    }

    /// The current location for the history. It refers to rows by their functions or lines.
    pub(super) fn remembered(&self) -> Spot {
        let mut spot = self.spot.clone();
        // Row numbers depend on the event and on whether changes are shown.
        for (place, sheet) in spot.places().zip([&self.left, &self.right]) {
            place.aim = sheet.aim(place.row).unwrap_or(place.aim);
        }
        spot
    }

    /// Opens a screen and adds the current location to the history.
    pub(super) fn go(&mut self, screen: Screen) -> Vec<Effect> {
        let lens = self.spot.here().lens;
        self.go_through(screen, lens, Aim::Heart)
    }

    /// Opens a screen with this lens and this cursor target.
    pub(super) fn go_through(&mut self, screen: Screen, lens: Lens, aim: Aim) -> Vec<Effect> {
        let mut place = Place {
            aim,
            ..Place::new(screen, lens)
        };
        place.sort = self.first_sort(&place);
        self.go_to(place)
    }

    /// Opens a place.
    pub(super) fn go_to(&mut self, place: Place) -> Vec<Effect> {
        let before = self.remembered();
        self.back.push(before);
        if self.back.len() > HISTORY {
            self.back.remove(0);
        }
        self.forward.clear();
        self.spot = Spot::new(place);
        // This waits until another screen opens: the old one may need all of its sources.
        self.sources.truncate(SOURCES);
        self.load()
    }

    /// The initial sort order: by change for lists in a comparison, otherwise by self cost.
    fn first_sort(&self, place: &Place) -> Sort {
        match place.screen {
            Screen::Functions(_) | Screen::Groups(_) if self.look(place).before.is_some() => {
                Sort::Change
            }
            _ => Sort::Own,
        }
    }

    /// Goes back in the history.
    pub(super) fn go_back(&mut self) -> Vec<Effect> {
        let Some(spot) = self.back.pop() else {
            return self.say("this is the first screen; q quits");
        };
        self.forward.push(self.remembered());
        self.spot = spot;
        self.load()
    }

    /// Goes forward in the history.
    pub(super) fn go_forward(&mut self) -> Vec<Effect> {
        let Some(spot) = self.forward.pop() else {
            return self.say("nothing to go forward to");
        };
        self.back.push(self.remembered());
        self.spot = spot;
        self.load()
    }

    /// Makes the rows of both panes again after a change to anything they depend on.
    pub(super) fn load(&mut self) -> Vec<Effect> {
        self.coming = None;
        let place = self.spot.left.clone();
        let sheet = self.made(&place);
        let effects = match sheet {
            Sheet::Waiting => vec![Effect::Work(self.work(&place))],
            _ => Vec::new(),
        };
        // The old order stays visible while the worker makes the new one.
        if effects.is_empty() || !self.stays() {
            self.left = sheet;
        }
        settle(&mut self.spot.left, &self.left);
        self.load_right();
        effects
    }

    /// Whether the old rows may stay visible until the new ones arrive: only in a filtered list
    /// with the same lens.
    fn stays(&self) -> bool {
        let lens = self.left.rows().and_then(SheetRows::lens);
        lens == Some(self.spot.left.lens)
            && matches!(self.spot.left.screen, Screen::Functions(_))
            && !self.spot.left.filter.is_empty()
    }

    /// Makes the rows of the right pane, which depends on the selected row of the left pane. They
    /// wait for nothing that the left pane does not wait for.
    pub(super) fn load_right(&mut self) {
        let about = self.left.function(self.spot.left.row);
        let screen = match &self.spot.left.screen {
            Screen::Functions(_) => about.map(Screen::Calls),
            Screen::Calls(id) => Some(Screen::Source(about.unwrap_or(*id))),
            _ => None,
        };
        let before = self.spot.right.as_ref().map(|right| &right.screen);
        if before != screen.as_ref() {
            let lens = self.spot.left.lens;
            self.spot.right = screen.map(|screen| Place::new(screen, lens));
            if self.spot.right.is_none() {
                self.spot.focus = Pane::Left;
            }
        }
        self.right = Sheet::Waiting;
        // Invisible rows are not made.
        let is_visible = self.size.0 >= WIDE || self.spot.focus == Pane::Right;
        if let Some(mut right) = self.spot.right.clone().filter(|_| is_visible) {
            self.right = self.made(&right);
            settle(&mut right, &self.right);
            self.spot.right = Some(right);
        }
    }

    /// Handles an answer of the worker.
    pub(super) fn done(&mut self, work: Work, answer: Answer) -> Vec<Effect> {
        let place = &self.spot.left;
        let is_wanted = work == self.work(place);
        if let Some(lens) = self.coming.take_if(|coming| work == Work::Lens(*coming)) {
            return self.look_through(lens);
        }
        // Shows the first rows until all arrive.
        if let Answer::Order(functions, Completeness::First) = &answer {
            if is_wanted {
                let (lens, functions) = (place.lens, functions.clone());
                self.left = Sheet::new(FunctionSheet {
                    lens,
                    functions,
                    extent: Completeness::First,
                    has_nowhere: false,
                });
                if self.spot.left.aim == Aim::Heart {
                    settle(&mut self.spot.left, &self.left);
                }
                self.load_right();
            }
            return Vec::new();
        }
        if let (Answer::Code(told), true) = (&answer, is_wanted)
            && let Err(why) = &told.texts
        {
            self.said = Some(format!("no instructions: {why}"));
        }
        self.answers.retain(|(known, _)| *known != work);
        self.answers.insert(0, (work, answer));
        self.answers.truncate(ANSWERS);
        if is_wanted { self.load() } else { Vec::new() }
    }

    /// Changes the sort order.
    pub(super) fn sort(&mut self, sort: Sort) -> Vec<Effect> {
        let here = self.spot.here_mut();
        (here.sort, here.row, here.top) = (sort, 0, 0);
        self.load()
    }

    /// Keeps the cursors within their rows and visible.
    pub(super) fn show_cursor(&mut self) {
        let height = self.height();
        for (place, sheet) in self.spot.places().zip([&self.left, &self.right]) {
            fit(place, sheet, height);
        }
    }
}
