//! Actions that move to another row, pane, frame, screen or lens.

use super::{
    Effect, Model,
    place::{Aim, Kind, Lens, Pane, Place, Screen, Within},
    sheet::Sheet,
    stacks::Towards,
    work::Work,
};
use crate::{
    analysis::Label,
    profile::{FunctionId, NameId},
};

impl Model<'_> {
    pub(super) fn say(&mut self, what: &str) -> Vec<Effect> {
        self.said = Some(what.to_owned());
        Vec::new()
    }

    /// Moves the cursor; `to` maps its row and the last row to the new row.
    pub(super) fn step(&mut self, to: impl Fn(usize, usize) -> usize) -> Vec<Effect> {
        let last = self.sheet().len().saturating_sub(1);
        let before = self.spot.here().row;
        let row = to(before, last).min(last);
        match self.sheet() {
            _ if row != before => {}
            Sheet::Waiting => return Vec::new(),
            _ => return self.say("no further rows"),
        }
        let here = self.spot.here_mut();
        (here.row, here.aim) = (row, Aim::Nothing);
        if self.spot.focus == Pane::Left {
            self.load_right();
        }
        Vec::new()
    }

    /// The function of the selected row.
    pub(super) fn function(&self) -> Option<FunctionId> {
        self.sheet().function(self.spot.here().row)
    }

    pub(super) fn enter(&mut self) -> Vec<Effect> {
        let function = self.function();
        let row = self.spot.here().row;
        if let Some(line) = self.sheet().rows().and_then(|rows| rows.library(row)) {
            let here = self.spot.here_mut();
            here.aim = Aim::Line(line.0, line.1, 0);
            here.opened = Some(line).filter(|line| here.opened != Some(*line));
            return self.load();
        }
        match (&self.spot.here().screen, function) {
            (Screen::Functions(_), Some(id)) => self.go(Screen::Calls(id)),
            (&Screen::Stacks(_, root), Some(id)) if root == Some(row) => self.go(Screen::Calls(id)),
            (&Screen::Stacks(_, root), _) if root == Some(row) || self.sheet().len() == 0 => {
                self.say("nothing to open for this frame")
            }
            (&Screen::Stacks(of, _), _) => self.go(Screen::Stacks(of, Some(row))),
            (Screen::Calls(this), Some(id)) if *this == id => self.go(Screen::Source(id)),
            (Screen::Calls(this), None) => {
                let this = *this;
                self.go(Screen::Source(this))
            }
            (Screen::Calls(_) | Screen::Source(_) | Screen::Instructions(_), Some(id)) => {
                self.go(Screen::Calls(id))
            }
            (Screen::Instructions(_), None) => self.about_row(Screen::Source),
            (Screen::Warnings, _) => self.say("nothing more is known about it"),
            _ => match self.sheet().rows().and_then(|rows| rows.to(row)) {
                Some(screen) => self.go(screen),
                None => self.say("nothing to open for this row"),
            },
        }
    }

    pub(super) fn other_pane(&mut self) -> Vec<Effect> {
        if self.spot.right.is_none() {
            return self.say("no other pane here");
        }
        self.spot.focus = match self.spot.focus {
            Pane::Left => Pane::Right,
            Pane::Right => Pane::Left,
        };
        self.load_right();
        Vec::new()
    }

    /// Opens a screen about the selected function. Between source and instructions, the cursor
    /// stays at the same line.
    pub(super) fn about_row(&mut self, screen: impl Fn(FunctionId) -> Screen) -> Vec<Effect> {
        let (row, lens) = (self.spot.here().row, self.spot.here().lens);
        let place = || self.sheet().rows()?.place(row);
        let is_line = || matches!(self.sheet().aim(row), Some(Aim::Line(_, _, 0)));
        let (aim, id) = match (self.here_screen(), self.function()) {
            (&Screen::Source(id), _) if is_line() && screen(id).kind() == Kind::Instructions => {
                (place(), Some(id))
            }
            (_, Some(id)) | (&(Screen::Calls(id) | Screen::Source(id)), None) => (None, Some(id)),
            (&Screen::Instructions(id), None) => (place(), Some(id)),
            (_, None) => (None, None),
        };
        let aim = aim.map_or(Aim::Heart, |(file, line)| Aim::Line(file, line, 0));
        match id.map(screen) {
            Some(screen) if *self.here_screen() == screen => self.say("already here"),
            Some(screen) => self.go_through(screen, lens, aim),
            None => self.say("this row has no function"),
        }
    }

    pub(super) fn here_screen(&self) -> &Screen {
        &self.spot.here().screen
    }

    pub(super) fn open(&mut self, kind: Kind) -> Vec<Effect> {
        match kind.screen() {
            Some(screen) if *self.here_screen() == screen => self.say("already here"),
            Some(screen) => self.go(screen),
            None if kind == Kind::Calls => self.about_row(Screen::Calls),
            None if kind == Kind::Instructions => self.about_row(Screen::Instructions),
            None => self.about_row(Screen::Source),
        }
    }

    /// Switches to another lens. If it is new, the worker computes it first.
    pub(super) fn other_lens(&mut self, other: impl Fn(Lens) -> Lens) -> Vec<Effect> {
        let lens = other(self.spot.here().lens);
        if self.data().profile().sizes.is_some() {
            return self.say("aprof's reports have no calls between functions");
        }
        if self.lenses.ready(lens).is_some() {
            return self.look_through(lens);
        }
        self.coming = Some(lens);
        self.said = Some("working it out …".into());
        vec![Effect::Work(Work::Lens(lens))]
    }

    /// Switches to a lens that is ready.
    pub(super) fn look_through(&mut self, lens: Lens) -> Vec<Effect> {
        let (before, after) = (self.data(), self.lenses.data(lens));
        let same = |id| after.find(&Label::new(before.profile(), id));
        let screen = match self.here_screen() {
            Screen::Calls(id) => same(*id).map(Screen::Calls),
            Screen::Source(id) => same(*id).map(Screen::Source),
            Screen::Instructions(id) => same(*id).map(Screen::Instructions),
            Screen::Functions(Within::Cycle(_) | Within::Marked(_)) => {
                Some(Screen::Functions(Within::All))
            }
            Screen::Stacks(function, _) => Some(Screen::Stacks(function.and_then(same), None)),
            screen => Some(screen.clone()),
        };
        let Some(screen) = screen else {
            // The request for the lens cancelled the work that the screen still needed.
            let effects = self.load();
            self.said = Some("this function does not exist there".into());
            return effects;
        };
        // A list keeps its filter and its order, and the cursor stays at its function, or at the
        // first row.
        let aim = self
            .function()
            .and_then(same)
            .filter(|_| self.spot.here().row > 0 && matches!(screen, Screen::Functions(_)));
        let aim = aim.map_or(Aim::Heart, Aim::Function);
        let effects = self.go_to(Place {
            screen,
            lens,
            aim,
            row: 0,
            top: 0,
            ..self.spot.here().clone()
        });
        let own = after.session.folds().map(|folds| folds.said.clone());
        self.said = Some(own.unwrap_or_else(|| match lens {
            Lens::Folded => "recursion levels are one function".to_owned(),
            _ => "everything as recorded".to_owned(),
        }));
        effects
    }

    /// Marks or unmarks the selected function.
    pub(super) fn mark(&mut self) -> Vec<Effect> {
        let Some(id) = self.function() else {
            return self.say("this row has no function");
        };
        let mark = (self.spot.here().lens, id);
        let before = self.marked.len();
        self.marked.retain(|other| *other != mark);
        if self.marked.len() == before {
            self.marked.push(mark);
        }
        self.say(if self.marked.len() > before {
            "marked; ' lists the marked functions"
        } else {
            "no longer marked"
        })
    }

    /// Moves to another frame of the stacks.
    pub(super) fn frame(&mut self, towards: Towards) -> Vec<Effect> {
        let row = self.spot.here().row;
        let found = match self.sheet() {
            Sheet::Stacks(icicle, root) => icicle.neighbour(*root, row, towards),
            _ => None,
        };
        self.step_to(found, "no frame on that side")
    }

    fn step_to(&mut self, found: Option<usize>, none: &str) -> Vec<Effect> {
        match found {
            Some(row) => self.step(|_, _| row),
            None => self.say(none),
        }
    }

    /// Moves to the first of these rows that is expensive.
    pub(super) fn hot(&mut self, mut rows: impl Iterator<Item = usize>) -> Vec<Effect> {
        let sheet = self.sheet().rows();
        let found = rows.find(|&at| sheet.is_some_and(|sheet| sheet.is_hot(at)));
        self.step_to(found, "nothing further has 1 % of the function")
    }

    /// The file and line of the selected row.
    pub(super) fn place(&self) -> Option<(NameId, u64)> {
        let row = self.spot.here().row;
        match self.here_screen() {
            Screen::Source(_) | Screen::Instructions(_) => {
                let place = self.sheet().rows()?.place(row);
                place.filter(|&(_, line)| line > 0)
            }
            _ => {
                let id = self.function()?;
                let profile = self.data().profile();
                let file = profile.function(id).file;
                Some((file, profile.first_line(id)?))
            }
        }
    }

    pub(super) fn copied(&self) -> Option<String> {
        let profile = self.data().profile();
        let row = self.spot.here().row;
        if let Some(text) = self.sheet().rows().and_then(|rows| rows.text(row)) {
            return Some(text.to_owned());
        }
        let copied = match (self.here_screen(), self.place()) {
            (Screen::Source(_) | Screen::Instructions(_), Some((file, line))) => {
                format!("{}:{line}", String::from_utf8_lossy(profile.name(file)))
            }
            _ => String::from_utf8_lossy(profile.name_of(self.function()?)).into_owned(),
        };
        Some(copied)
    }

    pub(super) fn edited(&self) -> Option<(Vec<u8>, u64)> {
        let (file, line) = self.place()?;
        Some((self.data().profile().name(file).to_vec(), line))
    }
}
