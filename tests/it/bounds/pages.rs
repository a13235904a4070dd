//! The numbers of pages.

use super::flat;
use crate::common::Stage;
use crate::page::data;

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
            4 => "; --auto=no",
            5 => " and 1 more folder; ",
            _ => " and 2 more folders; ",
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
