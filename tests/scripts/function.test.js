import assert from "node:assert/strict";
import { test } from "node:test";
import { FunctionView } from "../../src/render/page/web/function.js";
import { State } from "../../src/render/page/web/state.js";
import { cells, open_window, outline } from "./document.js";
import { counts, differences, numbers, profile, texts } from "./profiles.js";

const ABSENT = "Source: not found (-I DIR or --map OLD=NEW says where it is).";

/** One function on a page. */
function view_of(hash, data = profile()) {
  const page = open_window(hash);
  const state = new State(data);
  const view = new FunctionView(state);
  document.body.append(view.element);
  view.element.rect = { top: 0, bottom: 500, height: 500 };
  view.draw();
  const tables = () => Object.fromEntries(page.$$("table").map((table) => [table.querySelector("caption").textContent, cells(table)]));
  const current = () => page.$("[aria-current=true]")?.textContent ?? null;
  return { page, state, view, tables, current };
}

test("a function says what it is and costs", () => {
  const { page } = view_of("#f=main");
  assert.deepEqual(page.texts("h2"), ["main"]);
  assert.deepEqual(page.texts(".where"), ["/src/main.c [/bin/app]"]);
  assert.deepEqual(page.texts(".sums"), ["300 self 30.00 %, 1,000 inclusive 100.0 %, calls: 1"]);
  assert.deepEqual(page.texts(".rest"), ["1 line with 20 in all omitted"]);
  const run = view_of("#f=again").page;
  assert.deepEqual(run.texts("h2"), ["again (called and inlined)"]);
  assert.deepEqual(run.texts(".where"), ["/src/run.c [/bin/app] in cycle 1"]);
  assert.equal(run.$(".where a").getAttribute("href"), "#f=again&tab=cycles");
  assert.deepEqual(run.texts(".rest"), [ABSENT, "2 lines with 9 in all omitted"]);
  assert.deepEqual(view_of("#f=parse").page.texts("h2"), ["parse (inlined)"]);
  const nameless = profile({ columns: { objects: texts("", "/lib/libc.so") } });
  assert.deepEqual(view_of("#f=main", nameless).page.texts(".where"), ["/src/main.c"]);
  assert.equal(view_of("#f=none").page.$("#function").textContent, "No function of this name is on the page.");
  // Without calls there is only its own cost.
  const flat = view_of("#f=main", profile({ about: { has_inclusive: false } }));
  assert.deepEqual(flat.page.texts(".sums"), ["300 self 30.00 %, "]);
  assert.deepEqual(Object.keys(flat.tables()), ["/src/main.c"]);
});

test("callers and callees add up to the inclusive cost", () => {
  const main = view_of("#f=main").tables();
  assert.deepEqual(main.Callees, [
    "300|30.00 %||self",
    "450|45.00 %|12×|parse (inlined)",
    "100|10.00 %|1×|run",
    "100|10.00 %|7×|1 omitted",
    "50|5.00 %||no callee is known",
  ]);
  assert.deepEqual(main.Callers, ["1,000|100.0 %||no caller is known"]);
  assert.deepEqual(main["Callees within recursion: their cost is in that of the others"], ["70||5×|main"]);
  assert.deepEqual(main["Callers within recursion: their cost is in that of the others"], ["70||5×|main"]);
  const memcpy = view_of("#f=memcpy").tables();
  assert.deepEqual(memcpy.Callers, ["250|25.00 %|39×|parse (inlined)", "50|5.00 %|1,500×|2 omitted", "100|10.00 %||no caller is known"]);
  assert.deepEqual(memcpy.Callees, ["400|40.00 %||self"]);
  assert.equal(memcpy["Callees within recursion: their cost is in that of the others"], undefined);
  // In a cycle, what the others of it cost is not known to be of a caller.
  const run = view_of("#f=run").tables();
  assert.deepEqual(run.Callers, ["100|10.00 %|1×|main"]);
  assert.deepEqual(run["Callers within recursion: their cost is in that of the others"], ["40||not counted|again (called and inlined)"]);
  assert.deepEqual(run.Callees, ["60|6.00 %||self", "40|4.00 %||no callee is known"]);
  const again = view_of("#f=again").tables();
  assert.deepEqual(again.Callers, []);
});

test("shares are of all, or of the function", () => {
  const { page, tables } = view_of("#f=parse&of=parent");
  assert.deepEqual(tables().Callees, ["200|44.44 %||self", "250|55.56 %|39×|memcpy"]);
  assert.deepEqual(page.texts(".halves th"), ["cost", "of it", "calls", "caller", "cost", "of it", "calls", "callee"]);
  assert.deepEqual(tables()["/src/mem.c (no source, see above)"], ["9|50|11.11 %|"]);
  assert.equal(view_of("#f=parse").page.texts(".halves th")[1], "of all");
  assert.equal(page.$(".halves a").getAttribute("href"), "#f=main&of=parent");
});

test("lines stand among those around them, with the calls from them", () => {
  const { page, tables } = view_of("#f=main");
  assert.deepEqual(tables()["/src/main.c"], [
    "1|||one",
    "2|||two",
    "3|30|3.00 %|three",
    "|70||→ 5× main",
    "⋯",
    "10|||ten",
    "11|||eleven",
    "12|250|25.00 %|twelve",
    "|300|30.00 %|→ 9× parse (inlined)",
    "|100|10.00 %|→ 1× run",
    "13|||thirteen",
    "14|||fourteen",
    "|150|15.00 %|→ 3× parse (inlined)",
    "15|||fifteen",
    "16|||sixteen",
    "17|||seventeen",
  ]);
  const heat = page
    .$$("table.source tr")
    .map((row) => row.style["--heat"])
    .filter(Boolean);
  assert.deepEqual(heat, ["0.03", "0.65", "0.15"]);
  assert.equal(outline(page.$$("table.source tr")[2]), 'tr(td.number.at("3") td.number("30") td.number("3.00 %") td.code("three"))');
  assert.equal(outline(page.$("table.source .gap"), ["colspan"]), 'tr.gap(td[colspan=4]("⋯"))');
  assert.equal(outline(page.$("table.source .call")), 'tr.call(td td.number("70") td.number("") td("→ 5× " span(a.name("main") "")))');
  // Without the source there are the lines alone.
  assert.deepEqual(view_of("#f=run").tables()["/src/run.c (no source, see above)"], [
    "5|60|6.00 %|",
    "6|||",
    "|70||→ 2× again (called and inlined)",
  ]);
  const parse = view_of("#f=parse").tables();
  assert.deepEqual(parse["/src/main.c"], ["16|||sixteen", "17|||seventeen", "20|150|15.00 %|", "21|||", "|250|25.00 %|→ 39× memcpy"]);
  const changed = profile({
    about: { sources: [{ found: "x", newer: true }] },
    columns: { "l.line": differences(8, 0, 12, 20, 9, 5, 30) },
  });
  const first = view_of("#f=main", changed).tables()["/src/main.c (changed after the profile was written)"];
  assert.equal(first[0], "|30|3.00 %|(line not known)");
});

test("gaps are where lines were skipped, and only there", () => {
  const at = (...lines) => {
    const sites = differences(12, 14, 12, 3, 21, 6, 31);
    const data = profile({
      columns: { "l.line": differences(8, ...lines, 20, 9, 5, 30), "a.sites": numbers(0, 0, 0, 0, 0, 0), "s.line": sites },
    });
    return view_of("#f=main", data)
      .tables()
      ["/src/main.c"].map((row) => row.split("|")[0])
      .join(" ");
  };
  assert.equal(at(10, 11), "10 11 12 13 14 15");
  assert.equal(at(10, 15), "10 11 12 13 14 15 16 17");
  assert.equal(at(10, 16), "10 ⋯ 12 13 14 15 16 17");
  assert.equal(at(1, 12), "1 ⋯ 10 11 12 13 14 15 16");
});

test("the hottest line is gone to first, then the others in turn", () => {
  const { page, view, current } = view_of("#f=main");
  const walk = (by) => {
    view.step(by);
    return current().split("|")[0].slice(0, 2);
  };
  assert.equal(current(), "1225025.00 %twelve");
  assert.deepEqual([1, 1, 1, -1, -1, -1, -1].map(walk), ["14", "33", "12", "33", "14", "12", "33"]);
  assert.equal(page.$$("[aria-current]").length, 1);
  // Less than a hundredth is not hot.
  const cold = view_of("#f=main", profile({ columns: { "l.self.0": counts(400, 9, 250), "a.cost.0": counts(450, 100, 70, 250, 70, 40) } }));
  assert.equal(cold.view.hot.length, 2);
  const warm = view_of("#f=main", profile({ columns: { "l.self.0": counts(400, 10, 250) } }));
  assert.equal(warm.view.hot.length, 3);
  const none = view_of("#f=main", profile({ columns: { "f.lines": numbers(0, 0, 0, 0, 0, 0), "a.sites": numbers(0, 0, 0, 0, 0, 0) } }));
  none.view.step(1);
  assert.equal(none.current(), null);
});

test("the hottest line is scrolled into sight", () => {
  const { view } = view_of("#f=main");
  view.element.rect = { top: 100, bottom: 500, height: 400 };
  const after = (top, bottom) => {
    view.element.scrollTop = 1000;
    view.hot[1].rect = { top, bottom };
    view.mark(view.at);
    return view.element.scrollTop;
  };
  view.at = 1;
  assert.deepEqual([after(100, 120), after(440, 460)], [1000, 1000]);
  assert.deepEqual([after(99, 119), after(441, 461), after(700, 720)], [759, 1101, 1360]);
});

test("in one column a function begins at its name, and scrolls when that is asked for", () => {
  for (const [width, begins] of [
    [700, 0],
    [701, 40],
  ]) {
    const { state, view, current } = view_of("#f=memcpy");
    globalThis.innerWidth = width;
    state.f = 1;
    // Each line is below what is in sight, wherever it is drawn.
    const { mark } = view;
    view.mark = (...said) => {
      for (const row of view.hot) row.rect = { top: 340, bottom: 520 };
      mark.call(view, ...said);
    };
    view.draw();
    assert.deepEqual([view.element.scrollTop, current()], [begins, "1225025.00 %twelve"]);
    view.element.scrollTop = 0;
    view.step(1);
    assert.equal(view.element.scrollTop, 40);
  }
});

test("what has no source says why, and what helps", () => {
  const gap = (f, columns, about) => view_of(f, profile({ columns, about })).page.texts(".rest")[0];
  const whole = { "f.lines+.count": numbers(0, 0, 0, 0, 0, 0) };
  const missing = (files, why, no_room = 0) => ({
    ...whole,
    "x.missing": numbers(...files),
    "x.why": texts(...why),
    "x.no_room": numbers(no_room),
  });
  const none = { "x.file": numbers(), "x.runs": numbers() };
  assert.equal(gap("#f=main", whole), undefined);
  assert.equal(gap("#f=run", whole), ABSENT);
  assert.equal(gap("#f=parse", whole), ABSENT.replace(":", " of 1 of 2 files:"));
  assert.equal(gap("#f=run", missing([2], ["its size is 0"])), ABSENT.replace("not found", "its size is 0"));
  assert.equal(gap("#f=run", missing([1], [""], 1)), "Source: no room on this page (--max-size=5M makes some).");
  assert.equal(gap("#f=run", missing([1], [""])), "Source: not on this page, because of --auto=no.");
  const both = { ...missing([0, 1], ["a fault", ""]), ...none };
  assert.equal(gap("#f=parse", both, { sources: [] }), ABSENT.replace("not", "a fault; not"));
  const one = { ...missing([1], [""], 1), ...none };
  assert.equal(gap("#f=parse", one, { sources: [] }), ABSENT.replace(".", "; no room on this page (--max-size=5M makes some)."));
  const rust = { ...whole, files: texts("/src/main.c", "/src/mem.c", "/rustc/5980/library/core/src/num.rs") };
  assert.equal(gap("#f=run", rust), "Source: not found (rustup component add rust-src installs it).");
  const unknown = { ...whole, "l.line": differences(8, 3, 12, 20, 9, 0, 30), "s.line": differences(12, 14, 12, 3, 21, 0, 31) };
  assert.equal(gap("#f=run", unknown), "The profile has no lines of this function: compiled code needs -g.");
  const lineless = { ...unknown, "f.lines": numbers(1, 2, 2, 0, 0, 0), "a.sites": numbers(2, 1, 1, 1, 0, 0) };
  assert.equal(gap("#f=run", lineless), undefined);
});

test("it is drawn when something changed, and keeps the focus", () => {
  const { page, state, view } = view_of("#f=main");
  const heading = page.$("h2");
  view.draw();
  assert.equal(page.$("h2"), heading);
  page.$(".halves a").focus();
  view.element.scrollTop = 300;
  state.f = 2;
  view.draw();
  assert.deepEqual(page.texts("h2"), ["parse (inlined)"]);
  assert.deepEqual([document.activeElement, view.element.scrollTop], [view.element, 0]);
  document.body.focus();
  for (const change of [{ event: 1 }, { of: "parent" }, { f: 1 }]) {
    const before = page.$("h2");
    Object.assign(state, change);
    view.draw();
    assert.notEqual(page.$("h2"), before);
  }
  const before = page.$("h2");
  view.element.clientWidth = 500;
  view.draw();
  assert.notEqual(page.$("h2"), before);
  assert.equal(document.activeElement, document.body);
  state.f = -1;
  view.draw();
  assert.equal(view.hot.length, 0);
});

test("names are as long as there is room for", () => {
  const name = "n".repeat(200);
  const data = profile({ columns: { names: texts("again", "main", "memcpy", name, "run") } });
  const { page, view, state } = view_of("#f=main", data);
  const length = () => Math.max(...page.$$(".halves a").map((link) => link.textContent.length));
  // Half of 700 pixels, without 230 for the numbers, by 7 for each character: less than twenty, which is the least.
  assert.equal(length(), 20 - " (inlined)".length);
  view.element.clientWidth = 900;
  view.draw();
  assert.equal(length(), 31 - " (inlined)".length);
  state.f = 2;
  view.draw();
  assert.equal(page.$("h2").textContent.length, 200 + " (inlined)".length);
  assert.equal(page.$("h2").getAttribute("title"), name);
});

test("of many callees the first show until all are asked for", () => {
  const count = 130;
  const places = Array.from({ length: count }, (_, at) => at);
  const data = profile({
    columns: {
      "f.name": numbers(...places.map(() => 1)),
      "f.place": numbers(...places.map(() => 0)),
      "f.lines": numbers(...places.map(() => 0)),
      "f.arcs": numbers(count - 1, ...places.slice(1).map(() => 0)),
      "f.cycle": numbers(...places.map(() => 0)),
      "f.reach": numbers(...places.map(() => 0)),
      "f.self.0": counts(...places.map(() => 1)),
      "f.incl.0": counts(count, ...places.slice(1).map(() => 1)),
      "f.called": counts(...places.map(() => 1)),
      "f.callees+.count": numbers(...places.map(() => 0)),
      "f.callers+.count": numbers(...places.map(() => 0)),
      "f.lines+.count": numbers(...places.map(() => 0)),
      "a.callee": differences(...places.slice(1)),
      "a.count": counts(...places.slice(1).map(() => 2)),
      "a.sites": numbers(...places.slice(1).map(() => 0)),
      "a.cost.0": counts(...places.slice(1).map(() => 1)),
    },
  });
  const { page, tables } = view_of("", data);
  const rows = tables().Callees;
  assert.deepEqual([rows.length, rows[0], rows[100], rows[101]], [102, "1|0.10 %||self", "1|0.10 %|2×|main", "29|2.90 %||29 more"]);
  page.$(".halves button").click();
  assert.equal(tables().Callees.length, 130);
  assert.equal(document.activeElement, page.$$(".halves a")[100]);
  assert.equal(page.$(".halves button"), null);
});

test("of many lines the first show until all are asked for", () => {
  const count = 3010;
  const lines = Array.from({ length: count }, (_, at) => at + 1);
  const data = profile({
    columns: {
      "f.lines": numbers(count, 0, 0, 0, 0, 0),
      "f.arcs": numbers(0, 0, 0, 0, 0, 0),
      "f.lines+.count": numbers(0, 0, 0, 0, 0, 0),
      "l.file": numbers(...lines.map((line) => (line > 2990 ? 2 : 1))),
      "l.line": differences(...lines),
      "l.self.0": counts(...lines.map((line) => (line === 3005 ? 100 : 1))),
    },
  });
  const { page, view, current } = view_of("", data);
  const lengths = () => page.$$("table.source").map((table) => cells(table).length);
  assert.deepEqual(lengths(), [2990, 10]);
  assert.deepEqual(page.texts(".rest"), [ABSENT, "only the first 3,000 lines are shown: all lines"]);
  assert.equal(current(), null);
  page.$(".rest button").click();
  assert.deepEqual(lengths(), [2990, 20]);
  assert.deepEqual(page.texts(".rest"), [ABSENT]);
  assert.equal(document.activeElement, view.element);
  view.step(1);
  assert.equal(current(), "300510010.00 %");
  // Calls count as lines do.
  const few = view_of("#f=main").view;
  assert.deepEqual(
    [1, 4, 7, 8, 12, 13].map((most) => few.lines(1000, most).parts[0].querySelectorAll("tbody tr").length),
    [4, 5, 12, 12, 15, 16],
  );
});

test("however long names are, they find room", () => {
  const columns = {
    names: texts("again", "m".repeat(1500), "memcpy", "p".repeat(300), "run"),
    files: texts(`/${"f".repeat(300)}`, "/b", "/c"),
  };
  const { page } = view_of(
    "",
    profile({ columns: { ...columns, "f.name": numbers(1, 1, 3, 4, 0, 1), "f.place": numbers(1, 1, 1, 2, 2, 0) } }),
  );
  const lengths = (...selectors) => selectors.map((selector) => page.texts(selector)[0].length);
  assert.deepEqual(lengths("h2", ".where"), [1000, 200 + " [/bin/app]".length]);
  const main = view_of(
    "#f=main",
    profile({ columns: { ...columns, names: texts("again", "main", "memcpy", "p".repeat(300), "run") } }),
  ).page;
  assert.equal(main.texts(".source caption")[0].length, 200);
  assert.equal(main.texts(".call a")[1].length, 80 - " (inlined)".length);
});

test("the first of the hottest is gone to, and what costs nothing has no heat", () => {
  const equal = { columns: { "l.self.0": counts(400, 100, 100), "a.sites": numbers(0, 0, 0, 0, 0, 0) } };
  assert.equal(view_of("#f=main", profile(equal)).current().slice(0, 4), "3100");
  const free = profile({ columns: { "f.incl.0": counts(400, 0, 450, 100, 70, 10) } });
  const { page, view } = view_of("#f=main", free);
  assert.deepEqual(
    [
      view.hot.length,
      ...page
        .$$("table.source tr")
        .map((row) => row.style["--heat"])
        .filter(Boolean),
    ],
    [0, "0", "0", "0"],
  );
  assert.equal(view.element.getAttribute("tabindex"), "-1");
});
