//! Chooses the counts that fit beside names. On a narrow screen shares are dropped before events, and what was dropped
//! is reported.

use super::totals::longest;
use crate::analysis::Session;
use crate::profile::{Event, Events, Profile};
use crate::text::number::LONGEST_DURATION;
use crate::text::shell::quoted;

/// What self costs are called: own costs hold what foreign code did on behalf of own code.
pub(crate) fn own_word(session: &Session) -> &'static str {
    if session.folds().is_some() {
        "own"
    } else {
        "self"
    }
}

/// How many columns of a screen are reserved for names.
const NAMES: usize = 30;

/// Which counts are followed by their share of the total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PercentColumns {
    /// All.
    All,
    /// Those of the first column.
    OfFirst,
    /// None.
    Hidden,
}

impl PercentColumns {
    /// Whether the counts of a column have shares; columns count from 0.
    pub fn has(self, column: usize) -> bool {
        match self {
            PercentColumns::All => true,
            PercentColumns::OfFirst => column == 0,
            PercentColumns::Hidden => false,
        }
    }
}

/// The index of an event in the list of all, recorded ones first.
pub(crate) fn place(events: &Events, event: Event) -> usize {
    match event {
        Event::Recorded(at) => at,
        Event::Derived(at) => events.recorded().len() + at,
    }
}

/// What stands above the counts of an event. The name of one that is shown as times can have a unit that they have not,
/// `Time_(10ns)`.
pub(crate) fn name(events: &Events, event: Event) -> &[u8] {
    let name = events.name(event);
    let unit = name
        .windows(2)
        .position(|two| two == b"_(")
        .filter(|&at| at > 0 && name.ends_with(b")"));
    match unit {
        Some(at) if events.tick(event).is_some() => &name[..at],
        _ => name,
    }
}

/// The width of the counts of an event with so many digits, and perhaps a share after them.
pub(crate) fn width(events: &Events, event: Event, digits: usize, share: bool) -> usize {
    match (digits, events.tick(event)) {
        (0, _) => 0,
        (_, Some(_)) => LONGEST_DURATION + if share { " (12.34%)".len() } else { 0 },
        (digits, None) => digits + (digits - 1) / 3 + if share { " (12.34%)".len() } else { 0 },
    }
}

/// The columns that fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    /// How many of them, from the left.
    pub columns: usize,
    /// Which of these have shares.
    pub shares: PercentColumns,
}

impl Figures {
    /// The columns of a list that leave space for names on a screen of this width, if the totals are the longest
    /// counts; at least `least`.
    pub fn beside_names(
        profile: &Profile,
        show: &[Event],
        least: usize,
        wanted: PercentColumns,
        screen: usize,
    ) -> Figures {
        let events = &profile.events;
        let longest = longest(events, [&profile.totals.row[..]].into_iter());
        let width = |at: usize, share| {
            let digits = longest.get(place(events, show[at])).copied().unwrap_or(0);
            self::width(events, show[at], digits, share).max(name(events, show[at]).len()) + 1
        };
        let room = screen.saturating_sub(NAMES.min(screen / 2));
        Figures::fit(show.len(), least, wanted, room, |at| at == 0, width)
    }

    /// The columns that fit into a width, at least `least` of them. `width` gives the width of one, with a share or
    /// without. Shares are dropped before columns, those of the `first` ones last.
    pub(crate) fn fit(
        columns: usize,
        least: usize,
        wanted: PercentColumns,
        room: usize,
        first: impl Fn(usize) -> bool,
        width: impl Fn(usize, bool) -> usize,
    ) -> Figures {
        let has_share = |shares: PercentColumns, at: usize| match shares {
            PercentColumns::All => true,
            PercentColumns::OfFirst => first(at),
            PercentColumns::Hidden => false,
        };
        let fitting = |shares: PercentColumns| {
            let ends = (0..columns).scan(0, |end, at| {
                *end += width(at, has_share(shares, at));
                Some(*end)
            });
            ends.take_while(|end| *end <= room).count()
        };
        let tiers = match wanted {
            PercentColumns::All => &[PercentColumns::All, PercentColumns::OfFirst][..],
            PercentColumns::OfFirst => &[PercentColumns::OfFirst],
            PercentColumns::Hidden => &[PercentColumns::Hidden],
        };
        // A share of the first tells more than one column more does, as long as it leaves any.
        let whole = tiers.iter().find(|&&shares| fitting(shares) == columns);
        let shares = whole
            .or(tiers.last().filter(|&&shares| fitting(shares) > 0))
            .copied()
            .unwrap_or(PercentColumns::Hidden);
        Figures {
            columns: fitting(shares).max(least).min(columns),
            shares,
        }
    }

    /// Says which of the events with these names were dropped and how to see them, as a shell takes it; nothing if everything fits.
    pub(crate) fn missing(self, names: &[String], wanted: PercentColumns) -> Option<String> {
        let what = self.dropped(names, wanted)?;
        let example = match names.get(self.columns..).unwrap_or_default() {
            // An event alone has room for its shares.
            [] if names.len() < 2 => return Some(what),
            [] => names[usize::from(self.shares == PercentColumns::OfFirst)].clone(),
            [first, rest @ ..] => [first]
                .into_iter()
                .chain(rest.first())
                .cloned()
                .collect::<Vec<_>>()
                .join(","),
        };
        Some(format!("{what}; try --show={}", quoted(&example)))
    }

    /// Says which of the columns with these names were dropped; nothing if everything fits.
    pub(crate) fn dropped(self, names: &[String], wanted: PercentColumns) -> Option<String> {
        const NAMED: usize = 3;
        let (shown, dropped) = names.split_at(self.columns.min(names.len()));
        let mut what: Vec<String> = dropped.iter().take(NAMED).cloned().collect();
        if dropped.len() > NAMED {
            what.push(format!("{} more", dropped.len() - NAMED));
        }
        match self.shares {
            shares if shares == wanted => {}
            PercentColumns::OfFirst => what.push(format!("shares but of {}", shown.first()?)),
            PercentColumns::All | PercentColumns::Hidden => what.push("shares".to_owned()),
        }
        (!what.is_empty()).then(|| format!("no room for {}", what.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of 10, or 19 with a share.
    fn fit(
        columns: usize,
        least: usize,
        wanted: PercentColumns,
        room: usize,
    ) -> (usize, PercentColumns) {
        let width = |_, share| if share { 19 } else { 10 };
        let figures = Figures::fit(columns, least, wanted, room, |at| at == 0, width);
        (figures.columns, figures.shares)
    }

    #[test]
    fn shares_go_before_columns() {
        assert_eq!(fit(3, 1, PercentColumns::All, 57), (3, PercentColumns::All));
        assert_eq!(
            fit(3, 1, PercentColumns::All, 56),
            (3, PercentColumns::OfFirst)
        );
        assert_eq!(
            fit(3, 1, PercentColumns::All, 38),
            (2, PercentColumns::OfFirst)
        );
        assert_eq!(
            fit(3, 1, PercentColumns::All, 19),
            (1, PercentColumns::OfFirst)
        );
        assert_eq!(
            fit(3, 1, PercentColumns::All, 18),
            (1, PercentColumns::Hidden)
        );
        assert_eq!(
            fit(3, 3, PercentColumns::All, 18),
            (3, PercentColumns::Hidden),
            "they were asked for"
        );
        assert_eq!(
            fit(3, 1, PercentColumns::All, 0),
            (1, PercentColumns::Hidden)
        );
        assert_eq!(
            fit(3, 1, PercentColumns::Hidden, 29),
            (2, PercentColumns::Hidden)
        );
        assert_eq!(
            fit(1, 1, PercentColumns::All, 18),
            (1, PercentColumns::Hidden)
        );
    }

    #[test]
    fn what_has_no_room_is_named() {
        let names: Vec<String> = ["Ir", "Dr", "Dw", "Bc", "Bi"].map(str::to_owned).into();
        let said =
            |columns, shares| Figures { columns, shares }.missing(&names, PercentColumns::All);
        assert_eq!(said(5, PercentColumns::All), None);
        let said = |columns, shares| said(columns, shares).unwrap_or_default();
        assert_eq!(
            said(5, PercentColumns::OfFirst),
            "no room for shares but of Ir; try --show=Dr"
        );
        assert_eq!(
            said(5, PercentColumns::Hidden),
            "no room for shares; try --show=Ir"
        );
        assert_eq!(
            said(3, PercentColumns::OfFirst),
            "no room for Bc, Bi, shares but of Ir; try --show=Bc,Bi"
        );
        assert_eq!(
            said(1, PercentColumns::Hidden),
            "no room for Dr, Dw, Bc, 1 more, shares; try --show=Dr,Dw"
        );
    }
}
