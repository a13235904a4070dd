//! The numbers of pages.

use super::{flat, read};
use crate::common::Stage;
use crate::common::amount::is_long;
use crate::page::data;
use cgannotate::analysis::difference::Cost;
use cgannotate::analysis::stacks::Stacks;
use cgannotate::analysis::{Inclusive, Selection, Session, Threshold};
use cgannotate::profile::Event;
use cgannotate::view::whole::{Ground, Least, Whole};
use std::fmt::Write as _;

fn many(count: usize) -> String {
    flat((0..count).map(|at| (format!("f{at:03}"), 1000)))
}

/// Without its script a page lists fifty functions, with 300 letters of a name.
#[test]
fn a_page_without_its_script_lists_fifty_functions() {
    let stage = Stage::empty();
    for count in [50, 51] {
        stage
            .write("p", many(count))
            .write("old", many(count).replace(" 1000", " 900"));
        for args in [
            &["--format=html", "p"][..],
            &["diff", "--format=html", "old", "p"],
        ] {
            let page = stage.report(args);
            let plain = &page[..page.find("</table>").unwrap()];
            assert_eq!(
                plain.matches("<th scope=\"row\">f").count(),
                50,
                "{count} {args:?}"
            );
        }
    }
    for (letters, is_cut) in [(300, false), (301, true)] {
        let text = |cost: u64| flat([("x".repeat(letters), cost)]);
        stage.write("p", text(1000)).write("old", text(900));
        for args in [
            &["--format=html", "p"][..],
            &["diff", "--format=html", "old", "p"],
        ] {
            let page = stage.report(args);
            let plain = &page[..page.find("</table>").unwrap()];
            assert_eq!(
                plain.contains(&"x".repeat(letters)),
                !is_cut,
                "{letters} {args:?}"
            );
        }
    }
}

/// So does that of a trend.
#[test]
fn a_trend_without_its_script_lists_fifty_rows() {
    for count in [49, 50, 51] {
        let stage = Stage::empty();
        let names: Vec<String> = (0..6).map(|at| format!("p{at}")).collect();
        for (at, name) in names.iter().enumerate() {
            let name_of = |nth: usize| {
                if nth == 0 {
                    "a".repeat(250 + count)
                } else {
                    format!("f{nth}")
                }
            };
            stage.write(
                name,
                flat((0..count).map(|nth| (name_of(nth), if at < 3 { 1000 } else { 2000 }))),
            );
        }
        let args = ["trend", "--format=html"]
            .into_iter()
            .chain(names.iter().map(String::as_str))
            .collect::<Vec<_>>();
        let page = stage.report(&args);
        let plain = &page[..page.find("</table>").unwrap()];
        let rows = plain.matches("<tr>").count();
        // The heading, and the program itself among the rows.
        assert_eq!(rows, 1 + (count + 1).min(50), "{count}: {rows}");
        assert_eq!(
            plain.contains(&"a".repeat(250 + count)),
            count <= 50,
            "{count}"
        );
    }
}

/// Four folders of sources are named.
#[test]
fn four_folders_of_sources_are_named() {
    for folders in [4, 5, 6] {
        let stage = Stage::empty();
        let mut text = String::from("events: Ir\n");
        for at in 0..folders {
            stage.add(&format!("d{at}/a.c"), "one\ntwo\n");
            text += &format!("fl=d{at}/a.c\nfn=f{at}\n1 100\n");
        }
        stage.write("p", text);
        let out = stage.run(&["--format=html", "p", "-o", "page.html"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        let more = match folders {
            4 => ")\nhint: --auto=no",
            5 => " and 1 more folder\n",
            _ => " and 2 more folders\n",
        };
        assert!(said.contains(more), "{said}");
        assert_eq!(
            (0..folders)
                .filter(|at| said.contains(&format!("d{at} (")))
                .count(),
            4,
            "{said}"
        );
    }
}

/// A line of source has 2000 letters in a page.
#[test]
fn lines_of_sources_are_cut_in_pages() {
    for (letters, is_cut) in [(2000, false), (2001, true)] {
        let stage = Stage::empty();
        stage
            .write("p", "events: Ir\nfl=a.c\nfn=f\n1 100\n")
            .write("a.c", "x".repeat(letters));
        let data = data(&stage.report(&["--format=html", "p"]));
        let want = "x".repeat(2000) + if is_cut { "…" } else { "" };
        assert_eq!(data.texts("x.text"), [want], "{letters}");
    }
}

/// A waterfall has twelve steps, and one for what is left over.
#[test]
fn a_waterfall_has_twelve_steps() {
    let stage = Stage::empty();
    for (changes, steps) in [(12, 12), (13, 13), (14, 13)] {
        stage
            .write("old", many(changes))
            .write("new", many(changes).replace(" 1000", " 1100"));
        let about = data(&stage.report(&["diff", "--format=html", "old", "new"])).about();
        let found = about["events"][0]["waterfall"].as_array().unwrap();
        assert_eq!(found.len(), steps, "{found:?}");
        assert_eq!(
            found
                .iter()
                .any(|step| step["label"] == "2 other functions in both runs"),
            changes == 14,
            "{found:?}"
        );
    }
}

/// A page is called by 200 letters of the command.
#[test]
fn the_title_of_a_page_is_cut() {
    let stage = Stage::empty();
    for letters in [200, 201] {
        stage.write("p", format!("cmd: {}\n{}", "x".repeat(letters), many(1)));
        let page = stage.report(&["--format=html", "p"]);
        let title = page
            .split_once("<title>")
            .unwrap()
            .1
            .split_once("</title>")
            .unwrap()
            .0;
        assert_eq!(title, "cgannotate: ".to_owned() + &"x".repeat(200));
    }
}

/// A program of levels: `main`, and then so many functions each, which call all of the next level,
/// where every stack costs 1; and some more functions that `main` calls.
fn branching(levels: &[u64], leaves: u64, times: u64) -> String {
    let whole: u64 = levels.iter().product::<u64>() * times;
    let levels = [&[1], levels].concat();
    let mut text = String::from("events: Ir Dr\nfl=a.c\n");
    for (level, &functions) in levels.iter().enumerate() {
        let next = levels.get(level + 1).copied().unwrap_or(0);
        let each = whole / functions;
        let own = if next == 0 { each } else { 0 };
        for at in 0..functions {
            writeln!(text, "fn=l{level}_{at}\n1 {own} {own}").unwrap();
            for to in 0..next {
                let cost = each / next;
                writeln!(text, "cfn=l{}_{to}\ncalls=1 1\n1 {cost} {cost}", level + 1).unwrap();
            }
        }
    }
    for at in 0..leaves {
        writeln!(text, "fn=l0_0\ncfn=leaf{at}\ncalls=1 1\n1 {times} {times}").unwrap();
        writeln!(text, "fn=leaf{at}\n1 {times} {times}").unwrap();
    }
    text
}

/// As many stacks as 100,000 are estimated.
#[test]
fn a_hundred_thousand_stacks_are_estimated() {
    for (leaves, is_limited) in [(500, false), (501, true)] {
        let profile = read(&branching(&[1, 46, 46, 46], leaves, 1));
        let event = Event::Recorded(0);
        let Some(stacks) = Stacks::new(&profile, &Inclusive::new(&profile), event, 0.0) else {
            panic!("there are no costs below zero")
        };
        assert_eq!(stacks.limited[1], is_limited, "{leaves}");
    }
}

/// A second event has stacks on a page if those of the first are less than 20,000 frames.
#[test]
fn stacks_of_a_page_have_20_000_frames() {
    for (leaves, is_there) in [(328, true), (329, false)] {
        let session = Session::new(read(&branching(&[70, 70, 1, 1, 1], leaves, 1)));
        let selection =
            Selection::new(&session.profile().events, &[], &[], &Threshold::whole(100)).unwrap();
        let ground = Ground::new(&session, &selection, &[], Cost::Own);
        let stacks = Whole::new(&ground, Least::USUAL).stacks;
        assert!(stacks[0].there().is_some());
        assert_eq!(stacks[1].there().is_some(), is_there, "{leaves}");
    }
}

/// The same of changes, with 5,000 frames.
#[test]
fn changes_of_a_page_have_5_000_frames() {
    let stage = Stage::empty();
    for (leaves, is_there) in [(158, true), (159, false)] {
        stage
            .write("old", branching(&[40, 40, 1, 1], leaves, 1))
            .write("new", branching(&[40, 40, 1, 1], leaves, 2));
        let page = stage.report(&["diff", "--format=html", "--auto=no", "old", "new"]);
        let data = data(&page);
        assert_eq!(data.numbers("d.0.f").len(), 4841 + leaves as usize);
        assert_eq!(data.0.contains_key("d.1.f"), is_there, "{leaves}");
    }
}

/// A page has 2,000,000 bytes.
#[test]
fn pages_have_2_000_000_bytes() {
    let stage = Stage::empty();
    // What cannot be compressed, and costs little.
    let written = |letters: usize| {
        let mut seed = 1u32;
        let name: String = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b"0123456789abcdef"[(seed >> 28) as usize])
        })
        .take(letters)
        .collect();
        stage.write("p", flat([("f".to_owned(), 999), (name, 1)]));
    };
    let page = |args: &[&str]| {
        let args = [&["--format=html", "--auto=no", "p"], args].concat();
        stage.report(&args).len()
    };
    let whole = || page(&["--max-size=9000000"]);
    written(2_680_000);
    let size = whole();
    assert!(size < 2_030_000 && size > 1_970_000, "{size}");
    // As many letters less or more as make up for the difference, of which each has half a byte, in
    // six bits of eight.
    let letters = |bytes: i64| (2_680_000 + (bytes - size as i64) * 4 / 3) as usize;
    let near = if is_long() { 3000 } else { 30_000 };
    written(letters(2_000_000 - near));
    assert_eq!(whole(), page(&[]));
    written(letters(2_000_000 + near));
    assert!(page(&[]) < 1_000_000);
}
