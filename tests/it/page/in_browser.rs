//! What the page does in a browser: assertions on its document and its accessibility tree, none on
//! pixels.

use super::browser::Browser;
use crate::common::Stage;
use serde_json::json;
use std::path::PathBuf;

/// Writes the page of an input.
pub(super) fn page(stage: &Stage, args: &[&str]) -> PathBuf {
    let file = stage.dir.join("page.html");
    stage.report(&[&["--format=html", "-o", file.to_str().unwrap()], args].concat());
    file
}

/// The cells of the first rows of the functions.
const FIRST: &str = "[...document.querySelectorAll('#functions .row')].slice(0, 3).map(\
                     (row) => [...row.children].map((cell) => cell.textContent).join('|')).join('\\n')";
/// Whether the first function's name is in sight without scrolling.
const NAMES_SHOW: &str = "(() => { const grid = document.querySelector('.grid'); \
                          const { left, right } = grid.querySelector('.row > .name').getBoundingClientRect(); \
                          return grid.scrollWidth <= grid.clientWidth && right <= innerWidth && right - left > 100 })()";
/// What has the focus.
const FOCUS: &str = "document.activeElement.textContent";
pub(super) const HEADING: &str = "document.querySelector('#function h2')?.textContent ?? ''";

/// The library functions that a line of your code paid for show on demand.
#[test]
fn a_line_shows_what_it_paid_for() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("shapes");
    browser.open(&page(&stage, &["--own", "shapes.plain.out"]), "#f=main");
    browser.wait(&format!("{HEADING} === 'main'"));
    let row = "[...document.querySelectorAll('#function tr')].find((row) => row.textContent.includes('qsort(v, n, sizeof'))";
    let paid = format!("{row}.nextElementSibling");
    assert_eq!(browser.eval(&format!("{paid}.hidden")), true);
    browser.eval(&format!("{row}.querySelector('button').click()"));
    assert_eq!(browser.eval(&format!("{paid}.hidden")), false);
    let text = browser.text(&format!("{paid}.textContent"));
    assert!(
        text.starts_with("81,693") && text.ends_with("→ 1×, 81,693 each qsort"),
        "{text}"
    );
}

#[test]
fn functions_are_listed_sorted_and_found() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("shapes");
    let file = page(&stage, &["shapes.plain.out"]);
    browser.open(&file, "");
    // As `cgannotate shapes.plain.out` has them.
    let first = browser.text(FIRST);
    assert!(
        first.starts_with(
            "66,447|14.51 %|97,261|21.24 %|398|msort_with_tmp.part.0'2|msort.c\n65,237|"
        ),
        "{first}"
    );
    assert_eq!(
        browser.eval("document.querySelector('.total').textContent"),
        "457,867"
    );
    let grid = "document.querySelector('[role=grid]')";
    let rows = browser
        .eval(&format!("Number({grid}.getAttribute('aria-rowcount'))"))
        .as_u64()
        .unwrap();
    let drawn = browser
        .eval("document.querySelectorAll('#functions .row').length")
        .as_u64()
        .unwrap();
    assert!(
        rows > 100 && drawn < 60,
        "{drawn} of {rows} rows are elements"
    );

    // Sorted by inclusive cost, the loader's entry comes first; Back undoes it.
    browser.eval("[...document.querySelectorAll('[role=columnheader] button')].find((b) => b.textContent == 'inclusive').click()");
    let first = browser.text(FIRST);
    assert!(
        first.contains("|457,867|100.0 %|") || first.contains("|100.0 %|"),
        "{first}"
    );
    assert_eq!(browser.eval("location.hash.includes('sort=incl')"), true);
    browser.eval("history.back()");
    browser.wait("document.querySelector('#functions .row').textContent.startsWith('66,447')");

    // So it is by keys: one of the titles is a stop, arrows lead to the others, and the title that
    // was pressed keeps the focus.
    browser.eval(&format!("{grid}.focus()"));
    browser.press("Tab");
    assert_eq!(browser.text(FOCUS), "self");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    browser.press("Enter");
    assert_eq!(
        browser.text("document.querySelector('[aria-sort=descending]').textContent"),
        "inclusive"
    );
    assert_eq!(browser.text(FOCUS), "inclusive");
    // What is typed takes the place of that step: Back goes beyond both, and the box says so.
    browser.press("/");
    browser.write("main");
    browser.eval("history.back()");
    browser.wait("document.querySelector('#functions .row').textContent.startsWith('66,447')");
    assert_eq!(browser.text("document.querySelector('input').value"), "");
    browser.press("Escape");

    // Search, the function, its hottest line: `/`, the name, Enter, n.
    browser.press("/");
    browser.write("ins'2");
    assert_eq!(
        browser.eval("document.querySelector('.found').textContent"),
        "1 found"
    );
    browser.press("Enter");
    assert_eq!(browser.text(HEADING), "ins'2");
    let current = "document.querySelector('#function [aria-current]')";
    let hottest = browser.text(&format!(
        "[...{current}.children].map((c) => c.textContent).join('|')"
    ));
    assert!(hottest.contains('%'), "{hottest}");
    let in_sight = browser.eval(&format!(
        "(({{ top, bottom }}, {{ top: from, bottom: to }}) => top >= from && bottom <= to)(\
         {current}.getBoundingClientRect(), document.getElementById('function').getBoundingClientRect())"
    ));
    assert_eq!(in_sight, true);
    browser.press("n");
    let next = browser.text(&format!(
        "[...{current}.children].map((c) => c.textContent).join('|')"
    ));
    assert_ne!(next, hottest);
    browser.press("Escape");
    assert_eq!(
        browser.eval("document.querySelector('.found').textContent"),
        ""
    );

    // Where nothing is found, nothing is chosen.
    browser.press("/");
    browser.write("no such function");
    browser.eval(&format!("{grid}.focus()"));
    for key in ["Enter", "j", "ArrowDown", "k"] {
        browser.press(key);
    }
    assert_eq!(browser.text(HEADING), "ins'2");
    assert_eq!(
        browser.eval(&format!("{grid}.getAttribute('aria-activedescendant')")),
        json!(null)
    );
    browser.press("Escape");
    assert_eq!(
        browser.eval(&format!("{grid}.getAttribute('aria-activedescendant')")),
        "row1"
    );

    // To walk the list is no history of its own.
    let steps = browser.eval("history.length");
    for key in ["j", "j", "k", "j"] {
        browser.press(key);
    }
    assert_eq!(browser.eval("history.length"), steps);
    assert_eq!(browser.text(HEADING), "fib'2");

    // A pattern, and one that is none.
    for (query, found) in [
        ("/^_dl_.*x$/", "1 found"),
        ("/(/", "0 found"),
        ("MSORT_with", "2 found"),
    ] {
        browser.press("/");
        browser.eval("document.activeElement.value = ''");
        browser.write(query);
        assert_eq!(
            browser.text("document.querySelector('.found').textContent"),
            found,
            "{query}"
        );
        browser.press("Escape");
    }

    // The loader alone.
    browser.eval(
        "[...document.querySelectorAll('#objects button')].find((b) => b.textContent.startsWith('ld-linux')).focus()",
    );
    browser.press("Enter");
    let first = browser.text(FIRST);
    assert!(first.contains("_dl_relocate_object"), "{first}");
    assert!(
        browser.text(FOCUS).starts_with("ld-linux"),
        "{}",
        browser.text(FOCUS)
    );
    browser.press("Enter");
    assert!(browser.text(FIRST).starts_with("66,447"));

    // A view that is chosen keeps the focus, too.
    browser.eval(
        "[...document.querySelectorAll('[role=tab]')].find((tab) => tab.textContent.startsWith('Files')).focus()",
    );
    browser.press("Enter");
    assert_eq!(
        browser.eval("document.activeElement.getAttribute('aria-selected')"),
        "true"
    );

    // Names are in sight in every window; in a narrow one all stands in one column.
    for (width, columns) in [(420, 1), (800, 2), (1000, 2), (1400, 2)] {
        browser.resize(width, 800);
        assert_eq!(browser.eval(NAMES_SHOW), true, "{width}");
        let below = "document.getElementById('function').offsetTop > document.getElementById('functions').offsetTop";
        assert_eq!(browser.eval(below), columns == 1, "{width}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Of many callees the dearest show until all are asked for; no more elements than that are made.
#[test]
fn many_callees_are_listed_when_they_are_asked_for() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    let calls: String = (1..=9000)
        .map(|at| format!("cfn=g{at}\ncalls=1 1\n1 10\n"))
        .collect();
    let callees: String = (1..=9000).map(|at| format!("fn=g{at}\n1 10\n")).collect();
    stage.write(
        "p",
        format!("version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 4500\n{calls}{callees}"),
    );
    let file = page(&stage, &["--max-size=50M", "p"]);
    browser.open(&file, "#f=g9000");
    browser.eval(
        "(() => { const make = document.createElement; window.made = 0; \
         document.createElement = function (name) { made++; return make.call(this, name) } })()",
    );
    browser.eval("document.querySelector('#function .halves a').click()");
    browser.wait("document.querySelector('#function h2').textContent === 'main'");
    // Three thousand calls from the one line are 18,000.
    assert!(
        browser.eval("made").as_u64().unwrap() < 25_000,
        "{}",
        browser.eval("made")
    );
    let half = "document.querySelector('#function .halves > :nth-child(2)')";
    let costs = format!(
        "[...{half}.querySelectorAll('td:first-child')].map((cell) => Number(cell.textContent.replaceAll(',', '')))"
    );
    let rows = browser.eval(&costs).as_array().unwrap().len();
    assert!((100..110).contains(&rows), "{rows} rows");
    let sum = format!("{costs}.reduce((a, b) => a + b)");
    let inclusive = browser.text("document.querySelector('#function .sums').textContent");
    assert!(inclusive.contains("94,500 inclusive"), "{inclusive}");
    assert_eq!(browser.eval(&sum), 94_500);
    browser.eval(&format!("{half}.querySelector('button').click()"));
    assert_eq!(
        browser.eval(&format!("{half}.querySelectorAll('a').length")),
        9000
    );
    assert_eq!(browser.eval(&sum), 94_500);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// So are the lines of a function that has very many.
#[test]
fn many_lines_are_shown_when_they_are_asked_for() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    let lines: String = (1..=4000)
        .map(|at| format!("{at} {}\n", if at == 3900 { 1000 } else { 1 }))
        .collect();
    stage.write(
        "p",
        format!("version: 1\nevents: Ir\nfl=a.c\nfn=main\n{lines}"),
    );
    let file = page(&stage, &["--max-size=50M", "p"]);
    browser.open(&file, "");
    let sum = "[...document.querySelectorAll('#function .source td:nth-child(2)')]\
               .reduce((sum, cell) => sum + Number(cell.textContent.replaceAll(',', '')), 0)";
    assert_eq!(browser.eval(sum), 3000);
    let rest = "document.querySelector('#function > div:last-child > .source ~ .rest')";
    assert_eq!(
        browser.text(&format!("{rest}.textContent")),
        "only the first 3,000 lines are shown: all lines"
    );
    browser.eval(&format!("{rest}.querySelector('button').click()"));
    assert_eq!(
        (browser.eval(sum), browser.eval(rest)),
        (json!(4999), json!(null))
    );
    // The hottest is among those that show now.
    browser.press("n");
    let current = "document.querySelector('#function tr[aria-current]').textContent";
    assert!(
        browser.text(current).starts_with("39001,000"),
        "{}",
        browser.text(current)
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_function_has_two_exact_halves_and_its_source() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("shapes");
    let file = page(&stage, &["shapes.plain.out"]);
    browser.open(&file, "#f=main");
    assert_eq!(browser.text(HEADING), "main");
    let current = "document.querySelector('#function [aria-current]').getBoundingClientRect()";
    let view = "document.getElementById('function').getBoundingClientRect()";
    let in_sight = format!("{current}.top >= {view}.top && {current}.bottom <= {view}.bottom");
    assert_eq!(browser.eval(&in_sight), true, "the hottest line");
    let half = |title: &str| {
        format!(
            "[...[...document.querySelectorAll('#function .halves table')].find((t) => t.caption.textContent === '{title}')\
             .tBodies[0].rows].map((row) => Number(row.cells[0].textContent.replaceAll(',', '')))"
        )
    };
    let sums = browser.text("document.querySelector('#function .sums').textContent");
    for title in ["Callers", "Callees"] {
        let sum = browser.eval(&format!("({}).reduce((a, b) => a + b)", half(title)));
        assert_eq!(sum, 335_171, "{title}: {sums}");
    }
    assert!(sums.contains("335,171 inclusive"), "{sums}");
    let source = browser.text("document.querySelector('.source').textContent");
    assert!(source.contains("int main("), "{source}");
    // A callee is a link, which leads to the function's place; Back comes from there.
    browser.eval("document.querySelector('#function .halves > :nth-child(2) a').focus()");
    browser.press("Enter");
    browser.wait("document.querySelector('#function h2').textContent !== 'main'");
    assert_eq!(browser.eval("document.activeElement.id"), "function");
    browser.eval("history.back()");
    browser.wait("document.querySelector('#function h2').textContent === 'main'");
    // However little room there is, the name is in sight, and so is the hottest line.
    browser.resize(800, 500);
    browser.open(&file, "#f=main");
    assert_eq!(
        browser.eval("document.getElementById('function').scrollTop > 0"),
        true
    );
    assert_eq!(browser.eval(&in_sight), true, "the hottest line");
    let name = "document.querySelector('#function h2').getBoundingClientRect()";
    assert_eq!(
        browser.eval(&format!(
            "{name}.top >= {view}.top && {name}.bottom < {current}.top"
        )),
        true,
        "the name"
    );
    browser.open(&file, "#f=no+such+function");
    assert_eq!(
        browser.text("document.querySelector('#function').textContent"),
        "No function of this name is on the page."
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Where the source of a function is not on the page, the page says why and what helps.
#[test]
fn missing_source_has_a_reason() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    let files = ["gone.c", "empty.c", "known.c"].map(|f| format!("fl={f}\nfn={f}\n1 5\n"));
    let lineless = "fl=known.c\nfn=lineless\n0 4\n";
    stage.write("p", format!("events: Ir\n{}{lineless}", files.concat()));
    stage.write("empty.c", "").write("known.c", "int main;\n");
    let rest = "document.querySelector('#function .source, #function .rest').parentElement.querySelector('.rest')?.textContent ?? ''";
    let help = "(-I DIR or --map OLD=NEW says where it is).";
    let file = page(&stage, &["p"]);
    for (name, why) in [
        ("gone.c", format!("Source: not found {help}")),
        ("empty.c", format!("Source: its size is 0 {help}")),
        ("known.c", String::new()),
        (
            "lineless",
            "The profile has no lines of this function: compiled code needs -g.".into(),
        ),
    ] {
        browser.open(&file, &format!("#f={name}"));
        assert_eq!(browser.text(rest), why, "{name}");
    }
    browser.open(&page(&stage, &["--auto=no", "p"]), "#f=known.c");
    assert_eq!(
        browser.text(rest),
        "Source: not on this page, because of --auto=no."
    );
    // A comparison says it, too.
    let dearer = files.concat().replace("1 5", "1 9");
    stage.write("q", format!("events: Ir\n{dearer}"));
    let file = stage.dir.join("page.html");
    stage.report(&[
        "diff",
        "p",
        "q",
        "--format=html",
        "-o",
        file.to_str().unwrap(),
    ]);
    browser.open(&file, "#f=gone.c");
    assert_eq!(
        browser.text("document.querySelector('#function .rest:has(+ .source)').textContent"),
        format!("Source: not found {help}")
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The event is chosen in one place; thirteen of them are shown by a button.
#[test]
fn every_event_can_be_chosen() {
    let Some(mut browser) = Browser::start(800, 600) else {
        return;
    };
    let stage = Stage::of("shapes");
    let file = page(&stage, &["shapes.cachebranch.out"]);
    browser.open(&file, "#event=Dr");
    assert_eq!(
        browser.text("document.querySelector('select').selectedOptions[0].textContent.slice(0, 2)"),
        "Dr"
    );
    let json = stage.json(&["shapes.cachebranch.out"]);
    let total = browser
        .text("document.querySelector('.total').textContent")
        .replace(',', "");
    assert_eq!(total, json["totals"][1].to_string());
    browser.eval("document.querySelector('.tools button').click()");
    // In a window of that width there is no room for calls, files and shares of inclusive costs.
    assert_eq!(
        browser.eval("document.querySelectorAll('[role=columnheader]').length"),
        json!(4 + 13)
    );
    let address = browser.text("location.hash");
    browser.open(&file, &address);
    assert_eq!(
        browser.eval("document.querySelectorAll('[role=columnheader]').length"),
        json!(4 + 13)
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What templates and functions take goes before the middle of a name does, and so do callers, as
/// in the terminal; the whole name is there on hover.
#[test]
fn names_lose_their_arguments_first() {
    let Some(mut browser) = Browser::start(2560, 800) else {
        return;
    };
    let stage = Stage::empty();
    let names = [
        (
            "void std::map<LONG>::operator[](LONG)",
            "void std::map<…>::operator[](…)",
        ),
        ("std::operator<< <LONG >(LONG)", "std::operator<< <…>(…)"),
        (
            "<alloc::vec::Vec<LONG> as core::ops::drop::Drop>::drop::{{closure}}",
            "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop::{{closure}}",
        ),
        (
            "(anonymous namespace)::Visitor<LONG, (anonymous namespace)::Policy>::visit(LONG*)",
            "(anonymous namespace)::Visitor<…>::visit(…)",
        ),
        ("a->b<LONG>", "a->b<…>"),
    ];
    let names =
        names.map(|(name, short)| (name.replace("LONG", &"std::vector<a>, ".repeat(800)), short));
    let profile: String = names
        .iter()
        .zip(1..)
        .map(|((name, _), at)| format!("fn={name}\n1 {}\n", 100 - at))
        .collect();
    // Callers that find no room go, and not the function that they call.
    let called = format!("work(int)'2{}", "'driver::of(int)".repeat(500));
    stage.write(
        "p",
        format!("version: 1\nevents: Ir\nfl=x\n{profile}fn={called}\n1 1\n"),
    );
    let file = page(&stage, &["p"]);
    browser.open(&file, "");
    let last = browser.text(&format!(
        "document.querySelectorAll('#functions .row span.name')[{}].textContent",
        names.len()
    ));
    assert!(
        last.starts_with("work(…)'2'driver::of(…)'") && last.ends_with("'driver::of(…)'…"),
        "{last}"
    );
    for (at, (whole, short)) in names.iter().enumerate() {
        let row = format!("document.querySelectorAll('#functions .row span.name')[{at}]");
        let text = browser.text(&format!("{row}.textContent"));
        assert_eq!(text, *short);
        assert_eq!(
            browser.eval(&format!("{row}.title.length")),
            json!(whole.len().min(4000))
        );
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Names, files, commands and sources say whatever they want: nothing runs, nothing is fetched,
/// nothing becomes markup.
#[test]
fn nothing_runs_from_hostile_names() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    let hostile = [
        "</script><script>alert(1)</script>".to_owned(),
        "<img src=x onerror=alert(1)>".into(),
        "\" onmouseover=\"alert(1)".into(),
        "javascript:alert(1)".into(),
        "<!--<script>".into(),
        "]]><svg onload=alert(1)>".into(),
        "a\u{202e}b\u{2066}c".into(),
        "${alert(1)}`'\\".into(),
        "x".repeat(1_000_000),
        "<iframe srcdoc='<script>parent.alert(1)</script>'>".into(),
        "https://example.com/<link rel=stylesheet href=//example.com>".into(),
    ];
    let mut profile = Vec::from(
        "version: 1\ncmd: <script>alert(1)</script>\npositions: line\nevents: Ir\n".as_bytes(),
    );
    for (name, at) in hostile.iter().zip(1..) {
        profile.extend(format!("ob={name}\nfl=file{name}\nfn={name}\n1 {}\n", 1000 - at).bytes());
        profile.extend(format!("cfn=(callee {at}) {name}\ncalls=1 1\n1 5\n").bytes());
    }
    profile.extend(b"fl=source.c\nfn=\xff\xfe<b>\n1 7\n2 8\n");
    stage.write("p", profile).write(
        "source.c",
        "</script><script>alert(1)</script>\n<img src=x onerror=alert(1)>\u{0}\n",
    );
    let file = page(&stage, &["p"]);
    browser.open(&file, "");
    let elements = browser.eval(
        "document.querySelectorAll('script:not(#data), img, iframe, svg, link, b > b').length",
    );
    assert_eq!(elements, json!(1), "our own script and nothing else");
    for at in 0..hostile.len() {
        browser.press("j");
        assert!(!browser.text(HEADING).is_empty(), "{at}");
    }
    for tab in 0..browser
        .eval("document.querySelectorAll('[role=tab]').length")
        .as_u64()
        .unwrap()
    {
        browser.eval(&format!(
            "document.querySelectorAll('[role=tab]')[{tab}].click()"
        ));
    }
    assert_eq!(
        browser.eval("getComputedStyle(document.body).display"),
        "block"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
    // The policy itself: what it forbids is forbidden here, on a page of a file.
    for attempt in [
        "document.body.setAttribute('onclick', 'x()'); document.body.click()",
        "document.body.append(Object.assign(document.createElement('style'), { textContent: 'a{}' }))",
        "new Image().src = 'https://example.com/x.png'",
    ] {
        browser.eval(&format!(
            "violations.length = 0; try {{ {attempt} }} catch {{}} null"
        ));
        browser.wait("violations.length > 0");
    }
    let refused =
        browser.eval("try { document.body.innerHTML = 'x'; 'done' } catch (e) { e.name }");
    assert_eq!(refused, "TypeError");
    let refused = browser.eval("fetch('https://example.com/').then(() => 'done', (e) => e.name)");
    assert_eq!(refused, "TypeError");
}

/// What a screen reader gets, and what is there without the script.
#[test]
fn it_can_be_read_without_sight_and_without_script() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("shapes");
    let file = page(&stage, &["shapes.plain.out"]);
    browser.open(&file, "");
    assert_eq!(browser.accessible("grid"), ["Functions"]);
    assert!(
        browser
            .accessible("columnheader")
            .iter()
            .any(|name| name == "inclusive")
    );
    assert!(browser.accessible("tab").len() >= 2);
    assert!(
        browser
            .accessible("button")
            .iter()
            .all(|name| !name.is_empty())
    );
    assert!(
        browser
            .accessible("searchbox")
            .contains(&"Search functions".to_owned())
    );
    let sorted = browser.eval("document.querySelector('[aria-sort=descending]').textContent");
    assert_eq!(sorted, "self");
    browser.call(
        "Emulation.setScriptExecutionDisabled",
        json!({ "value": true }),
    );
    browser.call(
        "Page.navigate",
        json!({ "url": format!("file://{}", file.display()) }),
    );
    browser.wait("document.querySelector('#data')");
    assert_eq!(
        browser.eval("document.querySelectorAll('#plain tbody tr').length"),
        json!(50)
    );
    assert_eq!(
        browser.eval("document.getElementById('app').checkVisibility()"),
        false
    );
    let first = browser.text("document.querySelector('#plain tbody tr').textContent");
    assert_eq!(
        first,
        "66,44714.51 %97,26121.24 %398msort_with_tmp.part.0'2./stdlib/./stdlib/msort.c"
    );
}

/// A comparison: the steps of the waterfall, why a function changed, and what its arcs and lines
/// did.
#[test]
fn a_comparison_is_shown() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::of("diff/server");
    let file = stage.dir.join("page.html");
    stage.report(&[
        "diff",
        "--format=html",
        "-I",
        ".",
        "-o",
        file.to_str().unwrap(),
        "server.old.out",
        "server.new.out",
    ]);
    browser.open(&file, "");
    let total = browser.text("document.querySelector('.total').textContent");
    assert_eq!(total, "11,966 → 24,153 +12,187 +101.8 %");
    let steps = browser
        .eval("[...document.querySelectorAll('.waterfall [data-value]')].map((cell) => Number(cell.dataset.value))");
    let steps: Vec<i64> = steps
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step.as_i64().unwrap())
        .collect();
    let (last, before) = steps.split_last().unwrap();
    assert_eq!(before.iter().sum::<i64>(), *last, "{steps:?}");
    assert!(before.len() > 5);
    browser.press("/");
    browser.write("decode");
    browser.press("Enter");
    assert_eq!(browser.text(HEADING), "decode");
    let why = browser.text("document.querySelector('.why').textContent");
    assert_eq!(
        why,
        "decode +200.0 %: 3.0x the calls, all from retry_loop (http.c:40); 32 Ir a call as before"
    );
    let arcs = browser.text("document.querySelector('#function').textContent");
    assert!(
        arcs.contains("3,200 → 9,600") && arcs.contains("100× → 300×"),
        "{arcs}"
    );
    let lines = browser.text("document.querySelector('.source').textContent");
    assert!(lines.contains("decode("), "{lines}");
    assert!(
        browser
            .accessible("columnheader")
            .contains(&"per call".to_owned())
    );
    // Where in the stacks: an estimate, and it says so.
    assert!(
        browser
            .text("document.querySelector('#stacks').textContent")
            .contains("An estimate: where in the stacks")
    );
    browser.eval("document.querySelector('#stacks [role=listbox]').focus()");
    let mut says = Vec::new();
    for key in [
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
        "ArrowRight",
    ] {
        says.push(browser.text("document.querySelector('#stacks .readout').textContent"));
        browser.press(key);
    }
    says.push(browser.text("document.querySelector('#stacks .readout').textContent"));
    assert!(
        says[0].contains("about +") && says[0].contains(" added or removed"),
        "{says:?}"
    );
    assert!(
        says.iter()
            .any(|says| says.starts_with("checksum: about +4,050, 3,300 → 7,350")),
        "{says:?}"
    );
    browser.press("Enter");
    assert_eq!(browser.eval("location.hash.includes('at=')"), true);
    browser.press("0");
    // Where all shows, the wheel scrolls what is around.
    let turn = |by: i32| {
        format!(
            "document.querySelector('canvas').dispatchEvent(new WheelEvent('wheel', {{ deltaY: {by}, cancelable: true }}))"
        )
    };
    for (by, scrolls) in [
        (100, true),
        (0, true),
        (-100, false),
        (100, false),
        (100, true),
    ] {
        assert_eq!(browser.eval(&turn(by)), scrolls, "{by}");
    }
    browser.eval("document.querySelector('#function table a').focus()");
    browser.press("Enter");
    browser.wait("document.activeElement.id === 'function'");
    browser.press("?");
    assert_eq!(browser.eval("document.querySelector('dialog').open"), true);
    browser.press("Escape");
    for width in [420, 800, 1000, 1400] {
        browser.resize(width, 800);
        assert_eq!(browser.eval(NAMES_SHOW), true, "{width}");
    }
    // However narrow, it begins at the waterfall, and not at the frame that is looked at.
    browser.resize(420, 800);
    browser.eval("(document.body.id = 'before', location.reload())");
    browser.wait(
        "document.body?.id !== 'before' && document.querySelector('#stacks [aria-selected=true]')",
    );
    assert_eq!(
        browser.eval("document.querySelector('.below').scrollTop"),
        0
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Many runs: a chart for each row, marks at its steps, what the keys and the search do, and names
/// that are text.
#[test]
fn a_trend_is_drawn() {
    let Some(mut browser) = Browser::start(1280, 800) else {
        return;
    };
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    let hostile = "</script><img src=x onerror=alert(1)>";
    for at in 0..30 {
        let cost = if at < 24 { 1000 } else { 2000 };
        let text = format!(
            "version: 1\ncmd: {hostile}\nevents: Ir\nfl=a.c\nfn=main\n1 5000\nfn={hostile}\n1 {cost}\n"
        );
        stage.write(&format!("runs/{at}<b>"), text);
    }
    let file = stage.dir.join("page.html");
    stage.report(&[
        "trend",
        "--format=html",
        "-o",
        file.to_str().unwrap(),
        "runs",
    ]);
    browser.open(&file, "");
    assert_eq!(
        browser
            .eval("[...document.querySelectorAll('article h2 .name')].map((n) => n.textContent)"),
        json!(["PROGRAM TOTALS", hostile])
    );
    assert_eq!(
        browser.eval("document.querySelectorAll('polyline').length"),
        2
    );
    assert_eq!(
        browser.eval("document.querySelectorAll('line.mark.step.up').length"),
        2
    );
    assert_eq!(
        browser.eval("document.querySelectorAll('script:not(#data), img, b').length"),
        json!(1)
    );
    let points = browser
        .eval("document.querySelectorAll('polyline')[1].getAttribute('points').split(' ').length");
    assert_eq!(points, 30);
    // The keys walk from run to run.
    let said = "document.querySelectorAll('.said')[1].textContent";
    browser.eval("document.querySelectorAll('svg')[1].focus()");
    browser.press("ArrowLeft");
    assert_eq!(browser.text(said), "run 29, 28<b>: 2,000");
    browser.eval("document.querySelectorAll('details')[1].open = true");
    browser.wait("document.querySelectorAll('article td').length == 90");
    browser.press("/");
    browser.write("script");
    assert_eq!(
        browser.text("document.querySelector('.found').textContent"),
        "1 found"
    );
    let found = "[...document.querySelectorAll('article')].filter((a) => !a.hidden).length";
    assert_eq!(browser.eval(found), 1);
    let address = browser.text("location.hash");
    browser.open(&file, &address);
    assert_eq!(browser.eval(found), 1);
    browser.resize(420, 800);
    assert_eq!(
        browser.eval("document.querySelector('header .command').checkVisibility()"),
        true
    );
    assert_eq!(
        browser.eval("document.documentElement.scrollWidth <= innerWidth"),
        true
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
