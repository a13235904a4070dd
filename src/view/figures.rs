//! Chooses the columns of counts that fit to the left of names. On a narrow screen percentages are
//! dropped before events, and a remark says what was dropped.

use super::totals::longest;
use crate::{
    analysis::Session,
    profile::{Event, Events, Profile},
    text::{
        number::{LONGEST_DURATION, amount},
        shell::quoted,
    },
};

/// The word for self costs. It is "own" if library code is attributed to your code.
pub(crate) fn own_word(session: &Session) -> &'static str {
    if session.folds().is_some() {
        "own"
    } else {
        "self"
    }
}

/// The columns of a screen that are reserved for names.
const NAMES: usize = 30;

/// Which counts have percentages of the total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PercentColumns {
    /// All.
    All,
    /// The counts of the first column.
    OfFirst,
    /// None.
    Hidden,
}

impl PercentColumns {
    /// Whether a column has percentages.
    pub fn has(self, is_first: bool) -> bool {
        match self {
            PercentColumns::All => true,
            PercentColumns::OfFirst => is_first,
            PercentColumns::Hidden => false,
        }
    }
}

/// A count of an event in a sentence.
pub(crate) fn said(events: &Events, event: Event, count: i128) -> String {
    amount(count, events.tick(event))
}

/// The heading of an event's counts. If counts are shown as times, the unit in a name like
/// `Time_(10ns)` is wrong, so it is omitted.
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

/// The width of an event's counts with or without a percentage. `longest` has the number of digits
/// by event.
pub(crate) fn width(events: &Events, event: Event, longest: &[usize], share: bool) -> usize {
    let at = match event {
        Event::Recorded(at) => at,
        Event::Derived(at) => events.recorded().len() + at,
        Event::Ratio(at) => events.recorded().len() + events.derived().len() + at,
    };
    let share = if share { " (12.34%)".len() } else { 0 };
    match (longest.get(at).copied(), events.tick(event)) {
        (None | Some(0), _) => 0,
        (_, Some(_)) => LONGEST_DURATION + share,
        (Some(digits), None) => digits + (digits - 1) / 3 + share,
    }
}

/// The columns that fit.
#[derive(Clone, Copy)]
pub struct Figures {
    /// How many columns fit, from the left.
    pub columns: usize,
    /// Which of them have percentages.
    pub shares: PercentColumns,
}

impl Figures {
    /// The columns of a list that leave space for names on a screen of this width, but at least
    /// `least`. It assumes that the totals are the longest counts.
    pub fn beside_names(
        profile: &Profile,
        show: &[Event],
        least: usize,
        wanted: PercentColumns,
        screen: usize,
    ) -> Figures {
        let events = &profile.events;
        let longest = longest(events, [&profile.totals.row[..]]);
        let width = |at: usize, share| {
            self::width(events, show[at], &longest, share).max(name(events, show[at]).len()) + 1
        };
        let room = screen.saturating_sub(NAMES.min(screen / 2));
        Figures::fit(show.len(), least, wanted, room, |at| at == 0, width)
    }

    /// The columns that fit into `room`, but at least `least`. `width` returns the width of a
    /// column, with or without a percentage. Percentages are dropped before columns, those of the
    /// `first` columns last.
    pub(crate) fn fit(
        columns: usize,
        least: usize,
        wanted: PercentColumns,
        room: usize,
        first: impl Fn(usize) -> bool,
        width: impl Fn(usize, bool) -> usize,
    ) -> Figures {
        let fitting = |shares: PercentColumns| {
            let ends = (0..columns).scan(0, |end, at| {
                *end += width(at, shares.has(first(at)));
                Some(*end)
            });
            ends.take_while(|end| *end <= room).count()
        };
        let tiers = match wanted {
            PercentColumns::All => &[PercentColumns::All, PercentColumns::OfFirst][..],
            PercentColumns::OfFirst => &[PercentColumns::OfFirst],
            PercentColumns::Hidden => &[PercentColumns::Hidden],
        };
        // The percentage of the first column tells more than one more column, unless it leaves no
        // column.
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

    /// Says which of these events were dropped, with a command to see them. `None` if everything
    /// fits.
    pub(crate) fn missing(self, names: &[String], wanted: PercentColumns) -> Option<String> {
        let what = self.dropped(names, wanted)?;
        let example = match names.get(self.columns..).unwrap_or_default() {
            // An event alone has room for its percentage.
            [] if names.len() < 2 => return Some(what),
            [] => names[usize::from(self.shares == PercentColumns::OfFirst)].clone(),
            some => some[..some.len().min(2)].join(","),
        };
        Some(format!("{what}; try --show={}", quoted(&example)))
    }

    /// Says which of these columns were dropped; `None` if everything fits.
    pub(crate) fn dropped(self, names: &[String], wanted: PercentColumns) -> Option<String> {
        const NAMED: usize = 3;
        let (shown, dropped) = names.split_at(self.columns.min(names.len()));
        let mut what: Vec<String> = dropped.iter().take(NAMED).cloned().collect();
        if dropped.len() > NAMED {
            what.push(format!("{} more", dropped.len() - NAMED));
        }
        match self.shares {
            shares if shares == wanted => {}
            PercentColumns::OfFirst => what.push(format!("% except of {}", shown.first()?)),
            PercentColumns::All | PercentColumns::Hidden => what.push("percentages".to_owned()),
        }
        (!what.is_empty()).then(|| format!("no room for {}", what.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of 10, or 19 with a percentage.
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
            "no room for % except of Ir; try --show=Dr"
        );
        assert_eq!(
            said(5, PercentColumns::Hidden),
            "no room for percentages; try --show=Ir"
        );
        assert_eq!(
            said(3, PercentColumns::OfFirst),
            "no room for Bc, Bi, % except of Ir; try --show=Bc,Bi"
        );
        assert_eq!(
            said(1, PercentColumns::Hidden),
            "no room for Dr, Dw, Bc, 1 more, percentages; try --show=Dr,Dw"
        );
    }
}
