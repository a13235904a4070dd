//! Columns of the pages' lists are as wide as what is in them, at any width of the window.

use super::browser::Browser;
use super::in_browser::page;
use crate::common::Stage;
use serde_json::json;

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

/// In one column nothing is scrolled when a page has been loaded, and no page is wider than the
/// window. Names that find no room end with `…`.
#[test]
fn a_phone_shows_the_beginning_of_everything() {
    let Some(mut browser) = Browser::start(390, 844) else {
        return;
    };
    let (one, two, many) = (
        Stage::of("shapes"),
        Stage::of("diff/server"),
        Stage::empty(),
    );
    let comparison = two.dir.join("page.html");
    let written = ["--format=html", "-o", comparison.to_str().unwrap()];
    two.report(&[&["diff", "server.old.out", "server.new.out"], &written[..]].concat());
    for at in 0..30 {
        let cost = if at < 24 { 1000 } else { 1650 };
        let name = format!("run{at}{}", "-long".repeat(20));
        many.write(&name, format!("events: Ir\nfl=a.c\nfn=main\n1 {cost}\n"));
    }
    let trend = many.dir.join("page.html");
    let written = ["--format=html", "-o", trend.to_str().unwrap(), "."];
    many.report(&[&["trend"], &written[..]].concat());
    let scrolled = "[...document.querySelectorAll('html, body, body *')].filter((one) => one.scrollTop || one.scrollLeft)\
                    .map((one) => `${one.tagName} ${one.id} ${one.className}`).join(' | ')";
    for (file, hash) in [
        (page(&one, &["shapes.plain.out"]), ""),
        (page(&one, &["shapes.plain.out"]), "#tab=treemap"),
        (comparison, ""),
        (trend, ""),
    ] {
        browser.open(&file, hash);
        assert_eq!(browser.text(scrolled), "", "{} {hash}", file.display());
        let outside = "document.documentElement.scrollWidth > innerWidth";
        assert_eq!(browser.eval(outside), false, "{}", file.display());
        assert_eq!(browser.text(OUTSIDE), "", "{}", file.display());
        let clipped = "[...document.querySelectorAll('.grid .row > :is(.name, .file), .axis span, #objects button')]\
                       .filter((cell) => getComputedStyle(cell).textOverflow !== 'ellipsis').length";
        assert_eq!(browser.eval(clipped), 0, "{}", file.display());
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
    // The last is the trend: a step of 65 % is as high as it is large, and its axes have labels.
    let chart = browser.text("document.querySelector('.axis').innerText.replaceAll('\\n', ' ')");
    assert_eq!(chart, "1,650 Ir 0");
    let step = "(() => { const at = document.querySelector('polyline').points; const zero = 114; \
                return Math.round(100 * (zero - at[29].y) / (zero - at[0].y)) })()";
    assert_eq!(browser.eval(step), 165);
}

/// Pages are dark where the system is, pictures too, and follow it without being loaded again.
#[test]
fn pages_are_dark_where_the_system_is() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("shapes");
    let file = page(&stage, &["shapes.plain.out"]);
    // The corner below the last box of the stacks is paper.
    let papers = "(() => { const canvas = document.querySelector('canvas'); \
                  const [red] = canvas.getContext('2d').getImageData(canvas.width - 1, canvas.height - 1, 1, 1).data; \
                  const page = /\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]; \
                  return [Number(page), red].map((light) => light > 128 ? 'light' : 'dark').join(' ') })()";
    browser.open(&file, "#tab=stacks");
    for (scheme, both) in [
        ("light", "light light"),
        ("dark", "dark dark"),
        ("light", "light light"),
    ] {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        browser.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
        browser.wait(&format!("{papers} === '{both}'"));
    }
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
