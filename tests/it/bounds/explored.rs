//! The numbers of the explorer.

use super::{flat, read};
use crate::explore::{Walk, whole};
use cgannotate::explore::{Effect, Event, Lenses, Mouse};
use cgannotate::view::next::{Again, Word};

fn lenses(text: &str) -> Lenses {
    whole(
        read(text),
        Again {
            options: vec![],
            inputs: vec![Word::Literal("p".to_owned())],
        },
    )
}

fn many(count: usize) -> String {
    flat((0..count).map(|at| (format!("f{at:05}"), 100_000 - at as u64)))
}

/// The wheel goes three rows.
#[test]
fn the_wheel_goes_three_rows() {
    let data = lenses(&many(50));
    let mut walk = Walk::new(&data, "p", (80, 24));
    let here = |walk: &Walk<'_>| {
        walk.screen((80, 24))
            .iter()
            .position(|line| line.starts_with('>'))
            .unwrap()
    };
    let first = here(&walk);
    walk.happens(Event::Mouse(Mouse::Down, 5, 5));
    assert_eq!(here(&walk), first + 3);
    walk.happens(Event::Mouse(Mouse::Up, 5, 5));
    assert_eq!(here(&walk), first);
}

/// Two panes are shown from 120 columns on.
#[test]
fn two_panes_need_120_columns() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 20\nfn=f\n1 20\n";
    let data = lenses(text);
    for (width, panes) in [(119, 1), (120, 2)] {
        let mut walk = Walk::new(&data, "p", (width, 24));
        walk.happens(Event::Resize(width, 24));
        let screen = walk.screen((width, 24));
        assert_eq!(
            screen.iter().any(|line| line.contains('│')),
            panes == 2,
            "{screen:#?}"
        );
    }
}

/// A thousand letters can be typed.
#[test]
fn a_thousand_letters_can_be_typed() {
    let data = lenses(&many(2));
    for (typed, taken) in [(999, 999), (1000, 1000), (1001, 1000)] {
        let mut walk = Walk::new(&data, "p", (80, 24));
        walk.press(&["w"])
            .types(&"x".repeat(typed))
            .press(&["Enter"]);
        let Some(Effect::Write(name, _)) = walk.asked.pop() else {
            panic!("nothing was written")
        };
        assert_eq!(name.len(), taken);
    }
}

/// One goes back a thousand times.
#[test]
fn a_thousand_places_are_gone_back_to() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 20\nfn=f\n1 20\n";
    let data = lenses(text);
    for (steps, is_back) in [(999, true), (1000, true), (1001, false)] {
        let mut walk = Walk::new(&data, "p", (80, 24));
        let begin = walk.screen((80, 24))[0].clone();
        // Each key leads to another screen.
        let keys: Vec<&str> = (0..steps)
            .map(|at| if at % 2 == 0 { "o" } else { "f" })
            .collect();
        walk.press(&keys).press(&vec!["Backspace"; steps]);
        assert_eq!(walk.screen((80, 24))[0] == begin, is_back, "{steps}");
    }
}

/// Three members of a cycle are named.
#[test]
fn three_members_of_a_cycle_are_named() {
    for (members, more) in [(3, false), (4, true)] {
        let mut text = String::from("events: Ir\nfl=a.c\n");
        for at in 0..members {
            text += &format!(
                "fn=ring{at}\n1 10\ncfn=ring{}\ncalls=3 1\n1 7\n",
                (at + 1) % members
            );
        }
        let data = lenses(&text);
        let mut walk = Walk::new(&data, "p", (100, 24));
        walk.press(&["5"]);
        let screen = walk.screen((100, 24)).join("\n");
        assert!(screen.contains("ring2"), "{screen}");
        assert_eq!(screen.contains(", …"), more, "{screen}");
    }
}
