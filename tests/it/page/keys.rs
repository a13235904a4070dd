//! The pages without a mouse: what keys reach, how far they move, and what of it is in the
//! browser's history.

use super::browser::Browser;
use super::in_browser::{HEADING, page};
use crate::common::Stage;
use serde_json::json;
use std::path::PathBuf;

/// The number of the row that has the cursor, which is in sight whole.
const CURSOR: &str = "(() => { const grid = document.querySelector('.grid'); const row = grid.querySelector('.cursor'); \
                      const { top, bottom } = row.getBoundingClientRect(); const all = grid.getBoundingClientRect(); \
                      const head = grid.querySelector('.head').getBoundingClientRect(); \
                      if (top < head.bottom - 1 || bottom > all.bottom + 1) throw new Error(`${row.id} is out of sight`); \
                      if (grid.getAttribute('aria-activedescendant') !== row.id) throw new Error(`not ${row.id}`); \
                      return Number(row.id.slice(3)) })()";
/// What has the focus, as one who hears the page knows it.
const FOCUSED: &str = "(({ tagName, textContent, ariaLabel }) => `${tagName} ${ariaLabel ?? textContent}`)(document.activeElement)";

fn comparison(stage: &Stage) -> PathBuf {
    let file = stage.dir.join("page.html");
    stage.report(&[
        "diff",
        "--format=html",
        "-o",
        file.to_str().unwrap(),
        "server.old.out",
        "server.new.out",
    ]);
    file
}

fn trend(stage: &Stage) -> PathBuf {
    for (at, cost) in [1000, 1000, 2000].iter().enumerate() {
        stage.write(
            &format!("run{at}"),
            format!("version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 5000\nfn=f\n1 {cost}\n"),
        );
    }
    let file = stage.dir.join("page.html");
    stage.report(&[
        "trend",
        "--format=html",
        "-o",
        file.to_str().unwrap(),
        "run0",
        "run1",
        "run2",
    ]);
    file
}

#[test]
fn rows_are_walked_by_pages() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("shapes");
    let file = page(&stage, &["shapes.plain.out"]);
    browser.open(&file, "");
    let rows = browser
        .eval("Number(document.querySelector('.grid').getAttribute('aria-rowcount')) - 1")
        .as_u64()
        .unwrap();
    let whole = browser
        .eval("Math.floor(document.querySelector('.grid').clientHeight / 20)")
        .as_u64()
        .unwrap();
    let by = whole - 2;
    assert!(by > 5 && rows > 4 * by, "{by} of {rows} rows are a page");
    let steps = browser.eval("history.length");
    for (key, at) in [
        ("PageDown", by),
        ("PageDown", 2 * by),
        ("PageUp", by),
        ("ArrowDown", by + 1),
        ("ArrowUp", by),
        ("End", rows - 1),
        ("ArrowDown", rows - 1),
        ("PageDown", rows - 1),
        ("PageUp", rows - 1 - by),
        ("Home", 0),
        ("PageUp", 0),
        ("ArrowUp", 0),
    ] {
        browser.press(key);
        assert_eq!(browser.eval(CURSOR), at, "{key}");
    }
    assert_eq!(browser.eval("history.length"), steps, "to look is no step");
    browser.press("PageDown");
    browser.press("Enter");
    let name = browser.text("document.querySelector('.cursor .name .name').title");
    assert_eq!(browser.text(HEADING), name);
    assert_eq!(browser.eval("history.length"), steps.as_u64().unwrap() + 1);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// However long a key is held, Back undoes it in one step at most.
#[test]
fn a_key_that_is_held_is_one_step_of_the_history() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let (stage, other) = (Stage::of("shapes"), Stage::of("diff/server"));
    for (file, keys) in [
        (
            page(&stage, &["shapes.plain.out"]),
            &[
                "%",
                "j",
                "k",
                "n",
                "PageDown",
                "ArrowDown",
                "Enter",
                "Escape",
                "0",
            ][..],
        ),
        (
            comparison(&other),
            &["j", "k", "ArrowDown", "Enter", "Escape", "0"][..],
        ),
    ] {
        for key in keys {
            browser.open(&file, "#search=e");
            browser.eval("document.querySelector('.grid').focus()");
            browser.press("End");
            let steps = browser.eval("history.length").as_u64().unwrap();
            browser.hold(key, 21);
            let more = browser.eval("history.length").as_u64().unwrap() - steps;
            assert!(more <= 1, "{key} is {more} steps");
        }
        // What is done after it was let go is a step again.
        browser.open(&file, "");
        browser.hold("j", 5);
        let steps = browser.eval("history.length").as_u64().unwrap();
        browser.press("Home");
        browser.press("Enter");
        assert_eq!(browser.eval("history.length"), steps + 1);
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Tab stops once at the titles of the list, once at the objects and once at the views.
#[test]
fn what_arrows_lead_through_is_one_stop() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("shapes");
    browser.open(&page(&stage, &["shapes.plain.out"]), "");
    for place in [".grid .head", "#objects", "[role=tablist]"] {
        let stops = |tab: &str| {
            format!("document.querySelectorAll('{place} button[tabindex=\"{tab}\"]').length")
        };
        assert_eq!(browser.eval(&stops("0")), 1, "{place}");
        assert!(
            browser.eval(&stops("-1")).as_u64().unwrap() > 1,
            "{place} has several buttons"
        );
    }
    assert_eq!(browser.accessible("toolbar"), ["Objects"]);
    browser.eval("document.querySelector('#objects button').focus()");
    browser.press("ArrowRight");
    let pressed = browser.text(FOCUSED);
    browser.press("Enter");
    assert_eq!(
        browser.eval("document.querySelector('#objects [aria-pressed=true]').tabIndex"),
        0
    );
    assert_eq!(browser.text(FOCUSED), pressed);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Tab stops at all that can be pressed or typed into, but for what arrows lead to from such a
/// stop.
#[test]
fn everything_is_reached_by_keys() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let (one, two, many) = (
        Stage::of("shapes"),
        Stage::of("diff/server"),
        Stage::empty(),
    );
    for file in [
        page(&one, &["shapes.cachebranch.out"]),
        comparison(&two),
        trend(&many),
    ] {
        browser.open(&file, "");
        browser.eval(&format!(
            "(() => {{ document.activeElement.blur(); window.reached = new Set(); \
             addEventListener('focusin', () => reached.add({FOCUSED})) }})()"
        ));
        // Round the page until it begins again.
        let mut first = None;
        for nth in 0.. {
            assert!(nth < 400, "Tab comes to no end");
            browser.press("Tab");
            let here = browser.text(FOCUSED);
            for (place, key) in [
                ("[role=tablist]", "ArrowRight"),
                (".grid .head", "ArrowRight"),
                ("#objects", "ArrowRight"),
            ] {
                let is_there = format!("Boolean(document.activeElement.closest('{place}'))");
                if browser.eval(&is_there) == json!(true) {
                    let count = browser
                        .eval(&format!(
                            "document.querySelectorAll('{place} button').length"
                        ))
                        .as_u64();
                    // As often as there are such, so that it ends where it began.
                    (0..count.unwrap()).for_each(|_| browser.press(key));
                }
            }
            if first.as_ref() == Some(&here) {
                break;
            }
            first.get_or_insert(here);
        }
        let missed = "[...document.querySelectorAll('button, a[href], select, input, summary, [tabindex=\"0\"]')]\
                      .filter((one) => one.checkVisibility() && !one.closest('dialog:not([open])'))\
                      .map((one) => `${one.tagName} ${one.ariaLabel ?? one.textContent}`)\
                      .filter((name) => !reached.has(name)).join('\\n')";
        assert_eq!(browser.text(missed), "", "{}", file.display());
        assert!(browser.eval("reached.size").as_u64().unwrap() > 3);
        // The list of keys opens and closes, and a search begins, by keys.
        browser.eval("document.activeElement.blur()");
        browser.press("?");
        assert_eq!(browser.eval("document.querySelector('dialog').open"), true);
        browser.press("Escape");
        assert_eq!(browser.eval("document.querySelector('dialog').open"), false);
        browser.press("/");
        assert_eq!(browser.text(FOCUSED), "INPUT Search functions");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}
