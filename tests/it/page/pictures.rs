//! Treemap and stacks in a browser: what they say, what walks them, and where a link leads.

use super::browser::Browser;
use super::in_browser::{HEADING, page};
use crate::common::Stage;
use serde_json::json;

/// What has no box is said: costs below zero, and in no function; and a page that fails says that.
#[test]
fn treemaps_say_what_has_no_box() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    stage.write(
        "p",
        "version: 1\nevents: Ir Leak\nfl=a.c\nfn=main\n1 10 -5\ncfn=f\ncalls=2 1\n3 20 7\nfn=f\n1 20 7\nfn=z\n1 -3 -12\n",
    );
    stage.write(
        "q",
        "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 60\ntotals: 100\n",
    );
    let panel = "document.querySelector('[role=tabpanel]').textContent";
    let file = page(&stage, &["p"]);
    browser.open(&file, "#tab=treemap&event=Leak");
    assert!(
        browser
            .text(panel)
            .starts_with("No boxes: no object has a positive cost of this event.")
    );
    browser.press("j");
    assert_eq!(browser.text(HEADING), "main", "the page goes on");
    browser.open(&file, "#tab=treemap");
    assert!(
        browser
            .text(panel)
            .contains("omitted. Negative costs have no box: "),
        "{}",
        browser.text(panel)
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let file = page(&stage, &["q"]);
    browser.open(&file, "#tab=treemap");
    assert!(
        browser
            .text(panel)
            .contains("omitted. 40 of the total is not attributed to any function"),
        "{}",
        browser.text(panel)
    );

    let fail = "requestAnimationFrame = () => { throw new Error('no frames') }";
    browser.call(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": fail }),
    );
    browser.call(
        "Page.navigate",
        json!({ "url": format!("file://{}", file.display()) }),
    );
    browser.wait("document.querySelector('[role=alert]')?.checkVisibility()");
    let alert = browser.text("document.querySelector('[role=alert]').textContent");
    assert_eq!(alert, "This page cannot be shown in full: Error: no frames");
    assert_eq!(
        browser.eval("document.getElementById('app').checkVisibility()"),
        false
    );
}

/// The pictures and the list beside them are in step; keys walk them, and what is estimated says
/// so.
#[test]
fn pictures_are_walked_by_keys() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("cxx");
    let file = page(&stage, &["inventory.out"]);
    browser.open(&file, "#tab=treemap");
    let chosen = "document.querySelector('[role=option][aria-selected=true]').textContent";
    let readout = "document.querySelector('.readout').textContent";
    assert!(
        browser
            .text(chosen)
            .starts_with("/usr/lib/x86_64-linux-gnu/ld-linux"),
        "objects come first"
    );
    browser.eval("document.querySelector('[role=listbox]').focus()");
    browser.press("ArrowRight");
    assert!(
        browser.text(chosen).contains("libc.so.6: 29.96 %, 1,297,"),
        "{}",
        browser.text(chosen)
    );
    browser.press("ArrowDown");
    browser.press("ArrowDown");
    assert!(
        browser
            .text(chosen)
            .starts_with("__memcmp_avx2_movbe: 23.01 %, 996,438")
    );
    assert_eq!(browser.text(chosen), browser.text(readout));
    assert!(
        browser
            .text("document.querySelector('.path').textContent")
            .ends_with("libc.so.6 › memcmp-avx2-movbe.S")
    );
    browser.press("Enter");
    assert_eq!(browser.text(HEADING), "__memcmp_avx2_movbe");
    let chosen = browser.text(chosen);
    assert!(browser.accessible("option").contains(&chosen), "{chosen}");

    browser.eval(
        "(() => { const { prototype } = CanvasRenderingContext2D; const { fillText, fillRect } = prototype; \
         window.texts = []; window.bars = []; \
         prototype.fillText = function (text, x, y) { \
         texts.push({ x, y, end: y + this.measureText('_').actualBoundingBoxDescent }); fillText.call(this, text, x, y) }; \
         prototype.fillRect = function (x, y, w, h) { if (h < 6) bars.push({ x, y }); fillRect.call(this, x, y, w, h) }; \
         [...document.querySelectorAll('[role=tab]')].find((tab) => tab.textContent === 'Stacks: 85 % certain').click() })()",
    );
    browser.wait("bars.length > 0");
    let hidden = "texts.filter(({ x, y, end }) => bars.some((bar) => bar.x === x - 4 && bar.y > y && bar.y < end)).length";
    assert_eq!(
        browser.eval(hidden),
        0,
        "what is certain stands below the names"
    );
    browser.eval("document.querySelector('[role=listbox]').focus()");
    let mut estimated = 0;
    for _ in 0..12 {
        let says = browser.text(readout);
        if let Some((_, bounds)) = says.split_once("certainly ") {
            let number = |text: &str| {
                text.trim_end_matches([' ', '%', ')'])
                    .parse::<f64>()
                    .unwrap()
            };
            let (least, most) = bounds
                .split(')')
                .next()
                .unwrap()
                .split_once(" to ")
                .unwrap();
            let value = number(
                says.split("about ")
                    .nth(1)
                    .unwrap()
                    .split(" %")
                    .next()
                    .unwrap(),
            );
            assert!(number(least) <= value && value <= number(most), "{says}");
            estimated += 1;
        }
        browser.press("ArrowDown");
    }
    assert!(estimated > 0, "some of it is estimated");
    // A click on the canvas is a click on what is there.
    browser.press("0");
    browser.eval(
        "(() => { const canvas = document.querySelector('canvas'); const box = canvas.getBoundingClientRect(); \
         canvas.dispatchEvent(new MouseEvent('mousemove', { clientX: box.left + 20, clientY: box.top + 30 })) })()",
    );
    assert!(
        browser.text(readout).starts_with("0x"),
        "{}",
        browser.text(readout)
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Boxes of any width: what stands in one is a whole name or several letters of it.
#[test]
fn boxes_that_are_too_narrow_say_nothing() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    let functions: String = (1..=60)
        .map(|at| format!("fn=function{at}'caller'main\n1 {}\n", at * at))
        .collect();
    stage.write("p", format!("version: 1\nevents: Ir\nfl=x.c\n{functions}"));
    let file = page(&stage, &["p"]);
    browser.open(&file, "");
    browser.eval(
        "(() => { const fill = CanvasRenderingContext2D.prototype.fillText; window.told = []; \
         CanvasRenderingContext2D.prototype.fillText = function (text, ...where) { \
         window.told.push(text); return fill.call(this, text, ...where); } })()",
    );
    browser.eval("location.hash = '#tab=treemap'");
    // How much of a name there is room for depends on the fonts.
    browser.wait("window.told.some((text) => text.includes('60'))");
    let few = "window.told.filter((text) => text.replace(/[…']/g, '').length < 3).join(' ')";
    assert_eq!(browser.text(few), "");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What a picture shows is in the address by names: Back goes out again, and a link goes in. What
/// 100 % is, is there, too.
#[test]
fn what_a_picture_shows_is_in_the_address() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("cxx");
    let file = page(&stage, &["inventory.out"]);
    // What is outermost: what the pointer finds in the corner.
    let corner = "(() => { const canvas = document.querySelector('canvas'); const box = canvas.getBoundingClientRect(); \
         canvas.dispatchEvent(new MouseEvent('mousemove', { clientX: box.left + 2, clientY: box.top + 2 })); \
         return document.querySelector('.readout').textContent })()";
    let is = |name: &str| format!("{corner}.startsWith('{name}')");
    browser.open(&file, "#tab=treemap");
    browser.wait(&is("all: 100.0 %, 4,329,542"));
    browser.eval("document.querySelector('[role=listbox]').focus()");
    browser.press("ArrowDown");
    browser.press("ArrowRight");
    browser.press("Enter");
    browser.wait(&is("/usr/lib/x86_64-linux-gnu/libc.so.6: 29.96 %"));
    let inside = browser.text("location.hash");
    assert!(
        inside.contains("at=%2Fusr%2Flib%2Fx86_64-linux-gnu%2Flibc.so.6"),
        "{inside}"
    );
    browser.eval("history.back()");
    browser.wait(&is("all: "));
    browser.open(&file, &inside);
    browser.wait(&is("/usr/lib/x86_64-linux-gnu/libc.so.6: 29.96 %"));
    browser.press("%");
    browser.eval("document.querySelector('[role=listbox]').focus()");
    browser.press("ArrowDown");
    let of_parent = browser.text("document.querySelector('.readout').textContent");
    assert!(
        of_parent.contains("memcmp-avx2-movbe.S: 76.83 % of what is around it, 996,438"),
        "{of_parent}"
    );
    assert_eq!(browser.eval("location.hash.includes('of=parent')"), true);
    assert!(
        browser
            .text("document.querySelector('.halves').textContent")
            .contains("of it")
    );
    browser.press("0");
    browser.wait(&is("all: "));
    // A name that is not there, and a range that is none, show all.
    for odd in ["no+such", "~0.9~0.1", "~~", "~1~0"] {
        browser.open(&file, &format!("#tab=stacks&at={odd}"));
        browser.wait("document.querySelectorAll('[role=option]').length > 0");
    }
    // The wheel is a step that takes the place of the last.
    browser.eval(
        "(() => { const canvas = document.querySelector('canvas'); canvas.dispatchEvent(\
         new WheelEvent('wheel', { deltaY: -200, clientX: 300, clientY: 300, cancelable: true })) })()",
    );
    browser.wait("/at=%7E0\\.\\d+%7E/.test(location.hash)");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The costs of a function's calls, as one of its lists has them; and those of the frames next to
/// it in the picture, where a key leads.
fn edges(browser: &mut Browser, title: &str, key: &str) -> [serde_json::Value; 2] {
    let listed = browser.eval(&format!(
        "[...document.querySelectorAll('#function .halves table')].filter((t) => t.caption.textContent === '{title}')\
         .flatMap((t) => [...t.tBodies[0].rows]).filter((row) => row.querySelector('a') || row.textContent.endsWith('omitted'))\
         .map((row) => Number(row.cells[0].textContent.replaceAll(',', ''))).filter(Boolean).sort((a, b) => b - a)"
    ));
    browser.eval("document.querySelector('[role=listbox]').focus()");
    browser.press(key);
    let drawn = browser.eval(
        "document.querySelector('.path').textContent ? [...document.querySelectorAll('[role=option]')]\
         .map((row) => Number(row.textContent.split(' %, ').pop().replaceAll(',', ''))) : []",
    );
    [listed, drawn]
}

/// Callers and callees of a function in the middle: the frames next to it are the call edges, by
/// keys, in windows of any width.
#[test]
fn frames_next_to_a_function_are_its_calls() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("shapes");
    let file = page(&stage, &["shapes.plain.out"]);
    // The choice is made by keys.
    browser.open(&file, "#tab=stacks");
    browser.eval("document.querySelector('.choice input').focus()");
    for around in ["callers", "both"] {
        browser.press("ArrowRight");
        browser.wait(&format!("location.hash.endsWith('around={around}')"));
        let picked = "document.activeElement === document.querySelector('.choice input:checked')";
        assert_eq!(browser.eval(picked), true, "{around}");
    }
    let mut names = browser.accessible("radio");
    names.sort();
    assert_eq!(
        names,
        [
            "callers and callees",
            "callers of msort_with_tmp.part.0'2",
            "from the start"
        ]
    );
    let (mut callers, mut callees) = (0, 0);
    for nth in 0..40 {
        if nth == 30 {
            browser.resize(390, 844);
        }
        let name = browser.text(HEADING);
        for (title, keys) in [
            ("Callers", ["ArrowUp", "ArrowDown"]),
            ("Callees", ["ArrowDown", "ArrowUp"]),
        ] {
            let [listed, drawn] = edges(&mut browser, title, keys[0]);
            assert_eq!(listed, drawn, "{title} of {name}");
            let count = drawn.as_array().unwrap().len();
            *(if title == "Callers" {
                &mut callers
            } else {
                &mut callees
            }) += count;
            if count > 0 {
                browser.press(keys[1]);
            }
        }
        browser.eval("document.querySelector('.grid').focus()");
        browser.press("j");
    }
    assert!(callers > 40 && callees > 40, "{callers} and {callees}");
    assert_eq!(
        browser.eval("document.documentElement.scrollWidth <= innerWidth"),
        true
    );
    // However many lines the choice has, the picture has the rest of the room.
    let panel = "document.querySelector('[role=tabpanel]')";
    let fits = format!("{panel}.scrollHeight <= {panel}.clientHeight");
    assert_eq!(browser.eval(&fits), true);
    let frame = "document.querySelector('.frame').clientHeight";
    assert!(browser.eval(frame).as_u64().unwrap() > 60);
    // Alone, callers stand below the function.
    browser.open(&file, "#f=calloc&tab=stacks&around=callers");
    let [listed, drawn] = edges(&mut browser, "Callers", "ArrowDown");
    assert_eq!((&listed, &drawn), (&json!([79_002, 198]), &listed));
    let path = "document.querySelector('.path').textContent";
    assert_eq!(browser.text(path), "calls calloc");
    browser.press("ArrowDown");
    assert_eq!(browser.text(path), "calls ins'2 › calloc");
    browser.press("Enter");
    browser.wait(&format!("{HEADING} === 'ins'"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
