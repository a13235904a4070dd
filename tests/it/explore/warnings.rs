//! Profiles with which something is wrong: the first screen says so, and the screen of warnings
//! what.

use super::{Walk, whole};
use cgannotate::explore::{Effect, Message};
use cgannotate::view::next::Again;

const SHAPES: &str = "shapes/shapes.plain.out";

/// The first number of a row.
fn number(row: &str) -> i128 {
    let words = row.split(|c: char| !c.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).next().unwrap()
}

/// What the end of the first line says: which row of how many.
fn position(screen: &[String]) -> &str {
    screen[0].split_whitespace().next_back().unwrap()
}

/// Two warnings are two, however many rows each needs.
#[test]
fn the_position_among_warnings_counts_warnings() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 70\n1 x\ntotals: 90\n";
    let profile =
        cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all())
            .unwrap();
    assert_eq!(profile.warnings.kept().len(), 2);
    let data = whole(profile, Again::default());
    let mut walk = Walk::new(&data, SHAPES, (40, 20));
    assert_eq!(position(&walk.press(&["9"]).screen((40, 20))), "1/2");
    assert!(walk.model.rows() > 3, "they are wrapped");
    assert_eq!(position(&walk.press(&["j"]).screen((40, 20))), "1/2");
    assert_eq!(position(&walk.press(&["G"]).screen((40, 20))), "2/2");
    assert_eq!(
        position(&walk.press(&["1"]).screen((40, 20))),
        "1/2",
        "a function, and what is in none"
    );
}

/// A warning that is longer than a row has several; it is copied and written as one, and filtered
/// by all of its words.
#[test]
fn warnings_are_wrapped() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 70\ntotals: 90\n";
    let profile =
        cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all())
            .unwrap();
    let warning = profile.warnings.kept()[0].to_string();
    let data = whole(profile, Again::default());
    let words = |lines: &[String]| {
        let lines = lines.iter().map(|line| line.trim_start_matches(['>', '·']));
        lines
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .join(" ")
    };
    for size in [(40, 12), (80, 16), (200, 24)] {
        let mut walk = Walk::new(&data, SHAPES, size);
        let screen = walk.press(&["9"]).screen(size);
        assert!(
            words(&screen).contains(&warning),
            "{warning} at {size:?}: {screen:#?}"
        );
        // It stays whole on a screen of another size.
        walk.happens(Message::Resize(40, 20));
        assert!(
            words(&walk.screen((40, 20))).contains(&warning),
            "{:#?}",
            walk.screen((40, 20))
        );
        walk.press(&["G", "y"]);
        assert_eq!(walk.asked.pop(), Some(Effect::Copy(warning.clone())));
        assert_eq!(walk.press(&["Enter"]).table().len(), 1);
        walk.press(&["/"])
            .types(warning.rsplit(' ').next().unwrap())
            .press(&["Enter"]);
        assert!(
            words(&walk.screen((40, 20))).contains(&warning),
            "{:#?}",
            walk.screen((40, 20))
        );
    }
}

/// A profile that was cut off says so at once, and its list ends with what no function has; where
/// it is whole there is neither.
#[test]
fn a_damaged_profile_does_not_look_whole() {
    let text = "events: Ir Dr\nfl=a.c\nfn=main\n1 70 3\nfn=f\n2 5 1\ntotals: 900 4\n";
    let read = |text: &str| {
        let profile =
            cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all())
                .unwrap();
        whole(profile, Again::default())
    };
    let data = read(text);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    let screen = walk.screen((100, 24));
    assert!(
        screen
            .iter()
            .any(|line| line.contains("1 warning about the profile: key 9")),
        "{screen:#?}"
    );
    let ends = |walk: &Walk<'_>| {
        let rows = walk.screen((100, 24));
        let end = rows
            .iter()
            .find(|row| row.contains("(not attributed to any function)"));
        end.map(|row| number(row))
    };
    assert_eq!((ends(&walk), walk.model.rows()), (Some(825), 3));
    assert_eq!(
        walk.press(&["G", "Enter"]).model.back.len(),
        0,
        "it leads nowhere"
    );
    assert_eq!(
        walk.press(&["e"]).model.rows(),
        2,
        "of this event the functions have all"
    );
    assert_eq!(walk.press(&["e", "i"]).model.rows(), 3);
    assert_eq!(
        walk.press(&["i", "/"])
            .types("m")
            .press(&["Enter"])
            .model
            .rows(),
        1
    );
    let data = read("events: Ir\nfl=a.c\nfn=main\n1 70\ntotals: 70\n");
    let walk = Walk::new(&data, SHAPES, (100, 24));
    let screen = walk.screen((100, 24)).join("\n");
    assert!(
        ends(&walk).is_none() && !screen.contains("key 9") && screen.contains("? keys"),
        "{screen}"
    );
}
