//! Columns of the pages' lists are as wide as what is in them, at any width of the window.

use super::browser::Browser;
use super::in_browser::page;
use crate::common::Stage;

/// Cells of numbers that show less than they hold.
const CUT: &str = "[...document.querySelectorAll('.grid .row > div, .grid .head > div > *')]\
                   .filter((cell) => !cell.closest('.name, .file') && cell.scrollWidth > cell.clientWidth)\
                   .map((cell) => cell.textContent).join(' | ')";
/// What is wider than the window.
const OUTSIDE: &str = "[...document.querySelectorAll('header > *')].filter((part) => \
                       part.getBoundingClientRect().right > innerWidth + 1).map((part) => part.outerHTML).join(' | ')";
const WIDTHS: [u32; 6] = [800, 1000, 1100, 1280, 1400, 1920];

fn calls(count: u64, main: i64, work: i64) -> String {
    format!(
        "events: Ir A_rather_long_name_of_an_event\nfl=a.c\nfn=main\n1 {main} 7\ncfn=work\ncalls={count} 5\n2 {work} 900\n\
         fn=work\n5 {work} 900\n"
    )
}

#[test]
fn a_comparison_shows_whole_numbers() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    let of = |old: (u64, i64, i64), new: (u64, i64, i64)| {
        stage
            .write("old", calls(old.0, old.1, old.2))
            .write("new", calls(new.0, new.1, new.2));
        let file = stage.dir.join("page.html");
        stage.report(&[
            "diff",
            "old",
            "new",
            "--format=html",
            "-o",
            file.to_str().unwrap(),
        ]);
        file
    };
    for (old, new, shown) in [
        (
            (123_456_789, 10, 987_654_321_098),
            (23_456_789, 10, 87_654_321_098),
            "123,456,789 → 23,456,789",
        ),
        (
            (1_234_567_890_123, 10, 1_000_000_000_000_000),
            (7, 20, 9_007_199_254_740_993),
            "1,234,567,890,123 → 7",
        ),
        ((1, 10, 5), (9_999_999, 10, 98_765_432_100), "1 → 9,999,999"),
        (
            (3, -987_654_321_098_765, 10),
            (4, 987_654_321_098_765, 10),
            "+1,975,308,642,197,530",
        ),
    ] {
        let file = of(old, new);
        for width in WIDTHS {
            browser.resize(width, 800);
            browser.open(&file, "");
            assert_eq!(browser.text(CUT), "", "{shown} at {width}");
            assert_eq!(browser.text(OUTSIDE), "", "{shown} at {width}");
            let row = browser.text("document.querySelector('.grid .body').textContent");
            let is_seen = width == 1920 || width >= 1280 && shown.starts_with("123");
            assert!(!is_seen || row.contains(shown), "{shown} at {width}: {row}");
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_profile_shows_whole_numbers() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    stage
        .write("p", calls(123_456_789_012, 10, 1_000_000_000_000_000))
        .write("q", calls(3, -999_999_999_999, 12));
    for name in ["p", "q"] {
        let file = page(&stage, &[name]);
        for width in WIDTHS {
            browser.resize(width, 800);
            browser.open(&file, "");
            assert_eq!(browser.text(CUT), "", "{name} at {width}");
            assert_eq!(browser.text(OUTSIDE), "", "{name} at {width}");
        }
        browser.eval("document.querySelector('.tools button').click()");
        browser.wait("document.querySelectorAll('.grid .head > div').length > 5");
        assert_eq!(browser.text(CUT), "", "{name} with all events");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
