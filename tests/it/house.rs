//! What lib.rs says under "Where to add what", tried from outside: a form, a screen of rows and an
//! input format, each made of public items alone and touching no other file. They are thrown away
//! here; what they need has to stay public.

use crate::common::counts;
use cgannotate::analysis::difference::Cost;
use cgannotate::analysis::{Selection, Session, selection::Threshold};
use cgannotate::profile::{Named, Profile, ProfileBuilder, Refused};
use cgannotate::view::tables::{Cell, Lists, Table};
use cgannotate::view::{ListedArcs, Listing};
use std::cell::Cell as Counter;

fn everything(profile: &Profile) -> Selection {
    Selection::new(&profile.events, &[], &[], &Threshold::whole(100)).unwrap()
}

/// A form ("A form: … a file in `src/render/` if people read it"): a table as HTML. It takes any
/// table of the view.
fn html<'a>(table: Table<'a, impl Iterator<Item = impl Iterator<Item = Cell<'a>>>>) -> String {
    let text = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let cell = |cell: &Cell| match cell {
        Cell::Name(name) => text(&name.to_string()),
        Cell::Text(words) => text(words),
        Cell::Count(count) => count.to_string(),
        Cell::Number(number) => number.to_string(),
        Cell::Decimal(number, decimals) => format!("{number:.decimals$}"),
        Cell::Empty => String::new(),
    };
    let row = |cells: &mut dyn Iterator<Item = Cell<'a>>| {
        format!(
            "<tr>{}</tr>\n",
            cells
                .map(|c| format!("<td>{}</td>", cell(&c)))
                .collect::<String>()
        )
    };
    let heading: String = table
        .columns
        .iter()
        .map(|column| format!("<th>{}</th>", text(&column.name)))
        .collect();
    let mut page = format!(
        "<table><caption>{}</caption>\n<tr>{heading}</tr>\n",
        text(&table.title)
    );
    table
        .total
        .into_iter()
        .for_each(|total| page += &row(&mut total.into_iter()));
    table.rows.for_each(|mut cells| page += &row(&mut cells));
    table
        .rest
        .into_iter()
        .for_each(|rest| page += &row(&mut rest.into_iter()));
    page + "</table>\n"
}

/// An input format ("An input format: … a file in `src/input/`"), read outside the crate:
/// `function cost` a line, and `caller > callee cost`.
fn read(text: &str) -> Result<Profile, Refused> {
    let named = |name| Named {
        object: "",
        file: "trace.x",
        name,
    };
    let mut builder = ProfileBuilder::new("a.trace", &["Ticks"])?;
    for (line, number) in text.lines().zip(1..) {
        let words: Vec<&str> = line.split(' ').collect();
        let cost = |text: &str| text.parse::<i64>().unwrap_or(0);
        match words[..] {
            [function, ticks] => builder.self_cost(named(function), number, &[cost(ticks)])?,
            [caller, ">", callee, ticks] => {
                builder.calls(named(caller), number, named(callee), 1, &[cost(ticks)])?
            }
            _ => return Err(Refused::Name),
        }
    }
    Ok(builder.finish())
}

#[test]
fn a_form_of_its_own_takes_any_table() {
    let session = Session::new(read("run<int> 30\nmain 10\nmain > run<int> 30").unwrap());
    let (profile, selection) = (session.profile(), everything(session.profile()));
    let lists = Lists {
        profile,
        selection: &selection,
        shares: false,
        folds: None,
    };
    let listing = Listing::new(&session, &selection, Cost::Inclusive, ListedArcs::default());
    let want = "<table><caption>cgannotate: </caption>\n<tr><th>Ticks</th><th>function</th><th>file</th><th>object</th></tr>\n\
                <tr><td>40</td><td>(total)</td><td></td><td></td></tr>\n\
                <tr><td>40</td><td>main</td><td>trace.x</td><td></td></tr>\n\
                <tr><td>30</td><td>run&lt;int&gt;</td><td>trace.x</td><td></td></tr>\n</table>\n";
    assert_eq!(html(lists.functions(&listing, None)), want);
    let groups =
        cgannotate::view::Groups::new(profile, &selection, cgannotate::analysis::GroupBy::File);
    let page = html(lists.groups(&groups));
    assert!(
        page.contains("<tr><td>40</td><td>trace.x</td></tr>"),
        "{page}"
    );
}

/// A pager of rows ("A page: …"): it draws a window, and of no row outside the window any cell is
/// made.
#[test]
fn a_pager_draws_windows_of_a_long_table() {
    let mut builder = ProfileBuilder::new("long.trace", &["Ticks"]).unwrap();
    for at in 0..10_000i64 {
        let name = format!("f{at:05}");
        builder
            .self_cost(
                Named {
                    object: "",
                    file: "long.x",
                    name: &name,
                },
                1,
                &[10_000 - at],
            )
            .unwrap();
    }
    let session = Session::new(builder.finish());
    let (profile, selection) = (session.profile(), everything(session.profile()));
    let lists = Lists {
        profile,
        selection: &selection,
        shares: false,
        folds: None,
    };
    let listing = Listing::new(&session, &selection, Cost::Own, ListedArcs::default());
    let made = Counter::new(0);
    let window = |first: usize, height: usize| -> Vec<String> {
        let rows = lists
            .functions(&listing, None)
            .rows
            .skip(first)
            .take(height);
        let text = |cell: Cell| match cell {
            Cell::Count(count) => count.to_string(),
            Cell::Name(name) => name.to_string(),
            _ => String::new(),
        };
        rows.map(|row| {
            let cells = row.take(2).inspect(|_| made.set(made.get() + 1));
            cells.map(text).collect::<Vec<_>>().join(" ")
        })
        .collect()
    };
    assert_eq!(window(0, 2), ["10000 f00000", "9999 f00001"]);
    assert_eq!(
        window(7_000, 3),
        ["3000 f07000", "2999 f07001", "2998 f07002"]
    );
    assert_eq!(window(9_999, 40), ["1 f09999"]);
    assert_eq!(window(10_000, 40), [""; 0]);
    assert_eq!(made.get(), 2 * (2 + 3 + 1));
}

#[test]
fn a_format_of_its_own_is_listed_like_any_other() {
    let session = Session::new(read("leaf 5\nmain 1\nleaf 2\nmain > leaf 7").unwrap());
    let selection = everything(session.profile());
    let tree = ListedArcs {
        callers: true,
        callees: true,
    };
    let listing = Listing::new(&session, &selection, Cost::Inclusive, tree);
    let rows: Vec<_> = listing
        .rows
        .iter()
        .map(|row| {
            (
                row.label.name.bytes(),
                row.counts().recorded().next().flatten(),
            )
        })
        .collect();
    assert_eq!(rows, [(&b"main"[..], Some(8)), (&b"leaf"[..], Some(7))]);
    let leaf = listing.rows.get(1).unwrap();
    assert_eq!(
        (leaf.callers[0].label.name.bytes(), leaf.callers[0].count),
        (&b"main"[..], 1)
    );
    assert!(session.profile().warnings.kept().is_empty());
}

#[test]
fn what_does_not_fit_a_profile_is_refused() {
    let named = |name| Named {
        object: "",
        file: "",
        name,
    };
    assert_eq!(
        ProfileBuilder::new("x", &["Ir", "two words"]).err(),
        Some(Refused::Name)
    );
    let many: Vec<String> = (0..100_000).map(|at| format!("e{at}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(
        ProfileBuilder::new("x", &many).err(),
        Some(Refused::TooManyEvents)
    );
    let mut builder = ProfileBuilder::new("x", &["Ir"]).unwrap();
    assert_eq!(
        builder.self_cost(named("f"), 1, &[1, 2]),
        Err(Refused::TooManyCounts)
    );
    assert_eq!(
        builder.self_cost(named("f\ng"), 1, &[1]),
        Err(Refused::Name)
    );
    assert_eq!(
        builder.self_cost(named("f"), 1, &[i64::MIN]),
        Err(Refused::Count)
    );
    builder.self_cost(named("f"), 1, &[i64::MAX]).unwrap();
    builder.self_cost(named("f"), 2, &[i64::MAX]).unwrap();
    let profile = builder.finish();
    assert_eq!(counts(profile.totals.counts()), [i64::MAX]);
    assert_eq!(
        profile.warnings.kept().len(),
        1,
        "a sum that does not fit is said once"
    );
}
