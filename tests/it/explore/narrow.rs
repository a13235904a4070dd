//! Screens of 40 columns, the fewest that there may be.

use super::{Walk, compared, lenses, whole};
use cgannotate::view::next::Again;

const SHAPES: &str = "shapes/shapes.plain.out";

/// What the rows are ordered by stands above them, with its arrow, and so does the whole name of
/// the event.
#[test]
fn the_order_of_rows_is_seen() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 123456789\ncfn=f\ncalls=12 2\n1 900000000\nfn=f\n2 900000000\n";
    let profile =
        cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all())
            .unwrap();
    let data = whole(profile, Again::default());
    let mut walk = Walk::new(&data, SHAPES, (40, 12));
    let heads = [
        "Ir self\u{2193}",
        "Ir incl\u{2193}",
        "calls\u{2193}",
        "Ir self",
    ];
    for (at, head) in heads.into_iter().enumerate() {
        let screen = walk.screen((40, 12));
        assert_eq!(screen[1].trim(), head, "{screen:#?}");
        let row = [" 87.94% f", "100.0% main", " 12 f", " 87.94% f"][at];
        assert!(
            screen.iter().any(|line| line.contains(row)),
            "{row}: {screen:#?}"
        );
        walk.press(&["s"]);
    }
    let (old, new) = ("diff/server/server.old.out", "diff/server/server.new.out");
    let data = compared(old, new);
    let mut walk = Walk::new(&data, new, (40, 12));
    for head in ["change\u{2193}", "Ir self\u{2193}"] {
        assert!(
            walk.screen((40, 12))[1].contains(head),
            "{:#?}",
            walk.screen((40, 12))
        );
        walk.press(&["s"]);
    }
}

/// An event with a long name gives up its end, not the arrow.
#[test]
fn a_long_event_keeps_its_arrow() {
    let name = "xdebug/app-x353.xdebug";
    let data = lenses(name);
    let walk = Walk::new(&data, name, (40, 12));
    let screen = walk.screen((40, 12));
    assert_eq!(screen[1].trim(), "Time_(10ns) \u{2193}", "{screen:#?}");
    assert!(
        screen
            .iter()
            .any(|line| line == "? keys  / filter  Enter in  q quit"),
        "{screen:#?}"
    );
}
