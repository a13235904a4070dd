import assert from "node:assert/strict";
import { test } from "node:test";
import { start_trend } from "../../src/render/page/web/trend.js";
import { cells, open_window, outline } from "./document.js";
import { columns, counts, texts } from "./profiles.js";

const change = (run, until, up, told, why = []) => ({ what: until === null ? "step" : "drift", run, until, told, up, why });

/** The page of three functions in four runs. */
function trend_page(hash = "", about = {}, values = [100, 110, 130, 2100, 7, 7, 7, 7, 9, 8, 6, 5]) {
  const page = open_window(hash);
  const all = {
    title: "t",
    subject: "the subject",
    rest: "the rest",
    of: "Ir",
    runs: ["r0", "r1", "r2", "r3"],
    charts: [
      {
        name: "main",
        where: "/a.c",
        noise: "noise 1 %",
        band: ["120", "140"],
        level: 2,
        changes: [change(2, null, true, "+20 %", ["because"])],
      },
      { name: "level", where: "", noise: "", band: null, level: 0, changes: [] },
      { name: "drifts", where: "", noise: "", band: ["5", "5"], level: 0, changes: [change(0, 3, false, "-5 %")] },
    ],
    ...about,
  };
  start_trend(columns({ about: texts(JSON.stringify(all)), values: counts(...values) }));
  page.frame();
  return page;
}

test("each function has its chart", () => {
  const page = trend_page();
  const [main, level, drifts] = page.$$("article");
  assert.deepEqual(
    page.$$("article").map((one) => one.getAttribute("id")),
    ["row-0", "row-1", "row-2"],
  );
  assert.deepEqual(page.texts("article h2"), ["main/a.c", "level", "drifts"]);
  assert.deepEqual(page.texts(".ends"), ["100 → 2,100, noise 1 %", "7 → 7", "9 → 5"]);
  assert.deepEqual(
    page.$$("svg").map((one) => one.getAttribute("aria-label")),
    ["main: +20 %", "level: no change", "drifts: -5 %"],
  );
  const drawn = (article, tag, names) => outline(article.querySelector(tag), names);
  assert.equal(drawn(main, "svg polyline", ["points"]), "polyline.costs[points=6.0,108.9 302.0,108.3 598.0,107.3 894.0,6.0]");
  // A level line is as high as the chart, which begins at zero.
  assert.equal(drawn(level, "svg polyline", ["points"]), "polyline.costs[points=6.0,6.0 302.0,6.0 598.0,6.0 894.0,6.0]");
  assert.equal(drawn(main, "svg rect", ["x", "width"]), 'rect.band[x=598][width=296](title("range of the last runs: 120 to 140"))');
  const vertical = ["y", "height"].map((name) => Number(main.querySelector("rect").getAttribute(name)).toFixed(2));
  assert.deepEqual(vertical, ["105.80", "3.03"]);
  assert.equal(
    drawn(drifts, "svg rect", ["x", "y", "width", "height"]),
    'rect.band[x=6][y=53][width=888][height=2](title("range of the last runs: 5 to 5"))',
  );
  // A step is between two runs, a drift from one to another.
  assert.equal(drawn(main, "svg line", ["x1", "x2", "y1", "y2"]), 'line.mark.step.up[x1=450][x2=450][y1=0][y2=120](title("+20 %"))');
  assert.equal(drawn(drifts, "svg line", ["x1", "x2", "y1", "y2"]), 'line.mark.drift.down[x1=6][x2=894][y1=3][y2=3](title("-5 %"))');
  assert.equal(level.querySelector("rect"), null);
  assert.equal(drawn(main, "svg", ["viewBox", "tabindex"]).startsWith("svg[viewBox=0 0 900 120][tabindex=0]"), true);
  assert.equal(drawn(main, "circle", ["r", "cx", "cy"]), "circle.dot[r=3][cx=-10][cy=-10]");
  assert.equal(outline(main.querySelector("ul")), 'ul(li(span.up("+20 %") p("because")))');
  assert.equal(outline(drifts.querySelector("ul")), 'ul(li(span.down("-5 %")))');
  assert.equal(level.querySelector("ul"), null);
  const narrow = trend_page("", { charts: [{ name: "x", where: "", noise: "", band: ["0", "99999"], level: 3, changes: [] }] });
  assert.equal(outline(narrow.$("rect"), ["x", "width"]).split("(")[0], "rect.band[x=894][width=1]");
});

test("a step is as high as it is large, and axes have labels", () => {
  const chart = (...values) => {
    const charts = [{ name: "x", where: "", noise: "", band: null, level: 0, changes: [] }];
    const page = trend_page("", { charts, runs: values.map((_, run) => `${"r".repeat(30)}${run}`) }, values);
    const [costs, runs] = page.$$(".axis").map((axis) => axis.children.map((end) => end.textContent));
    const heights = page
      .$("polyline")
      .getAttribute("points")
      .split(" ")
      .map((point) => Math.round(114 - Number(point.split(",")[1])));
    return { costs, runs, heights };
  };
  // From 184,300 to 304,500 are 65 % more.
  const step = chart(184300, 304500);
  assert.deepEqual(step.heights, [65, 108]);
  assert.deepEqual(step.costs, ["304,500", "Ir", "0"]);
  assert.deepEqual(step.runs, ["run 1: rrrrrrrrrr…rrrrrrrrrrrr0", "run 2: rrrrrrrrrr…rrrrrrrrrrrr1"]);
  assert.deepEqual(
    [chart(-50, 0, 50).heights, chart(-50, 0, 50).costs],
    [
      [0, 54, 108],
      ["50", "Ir", "-50"],
    ],
  );
  assert.deepEqual(
    [chart(-50, -25).heights, chart(-50, -25).costs],
    [
      [0, 54],
      ["0", "Ir", "-50"],
    ],
  );
  assert.deepEqual(
    [chart(0, 0).heights, chart(0, 0).costs],
    [
      [0, 0],
      ["0", "Ir", "0"],
    ],
  );
});

test("keys and the pointer walk from run to run", () => {
  const page = trend_page();
  const chart = page.$("svg");
  chart.focus();
  const said = () => page.texts(".said")[0];
  const dot = () => ["cx", "cy"].map((name) => Math.round(Number(page.$("circle").getAttribute(name)))).join();
  assert.equal(said(), "");
  const walk = (key) => {
    assert.equal(page.press(key).defaultPrevented, true);
    return `${said()} ${dot()}`;
  };
  assert.deepEqual(["ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"].map(walk), [
    "run 4, r3: 2,100 894,6",
    "run 3, r2: 130 598,107",
    "run 2, r1: 110 302,108",
    "run 1, r0: 100 6,109",
    "run 1, r0: 100 6,109",
    "run 2, r1: 110 302,108",
  ]);
  assert.equal(page.press("ArrowDown").defaultPrevented, false);
  chart.rect = { left: 100, width: 450 };
  const point = (clientX) => {
    chart.fire("pointermove", { clientX });
    return said().split(",")[0];
  };
  assert.deepEqual([100, 103, 176, 178, 250, 399, 547, 550, 0, 900].map(point), [
    "run 1",
    "run 1",
    "run 1",
    "run 2",
    "run 2",
    "run 3",
    "run 4",
    "run 4",
    "run 1",
    "run 4",
  ]);
  chart.rect = { left: 0, width: 0 };
  assert.equal(point(0), "run 1");
});

test("one run alone is a point", () => {
  const page = trend_page("", {
    runs: ["only"],
    charts: [{ name: "x", where: "", noise: "", band: null, level: 0, changes: [change(0, null, true, "new")] }],
  });
  assert.equal(page.$("polyline").getAttribute("points"), "6.0,6.0");
  assert.deepEqual(
    page.$$(".of-runs span").map((end) => end.textContent),
    ["run 1: only"],
  );
  assert.equal(page.$("line").getAttribute("x1"), "6");
  assert.deepEqual(page.texts(".ends"), ["100 → 100"]);
});

test("all runs are listed when they are asked for", () => {
  const page = trend_page();
  const details = page.$("details");
  assert.equal(page.$("details table"), null);
  details.fire("toggle");
  details.fire("toggle");
  assert.equal(page.$$("details table").length, 1);
  assert.deepEqual(cells(page.$("details table")), ["1|r0|100", "2|r1|110", "3|r2|130", "4|r3|2,100"]);
  assert.deepEqual(page.texts("details th"), ["run", "name", "Ir"]);
});

test("a search hides the others and is in the address", () => {
  const page = trend_page();
  const shown = () =>
    page
      .$$("article")
      .map((one) => (one.hidden ? "" : one.getAttribute("id").slice(4)))
      .join("");
  const box = page.$("input");
  assert.deepEqual([shown(), page.texts(".found")[0]], ["012", ""]);
  page.press("/");
  assert.deepEqual([document.activeElement, document.selected], [box, box]);
  page.type(box, "l");
  page.type(box, "/^(main|level)$/");
  assert.deepEqual([shown(), page.texts(".found")[0]], ["01", "2 found"]);
  assert.equal(location.hash, "#search=%2F%5E%28main%7Clevel%29%24%2F");
  assert.equal(page.entries.length, 1);
  page.type(box, "");
  assert.deepEqual([shown(), page.texts(".found")[0], location.hash], ["012", "", ""]);
  page.visit("#search=drift");
  assert.deepEqual([box.value, shown()], ["drift", "2"]);
  page.visit("#");
  assert.deepEqual([box.value, shown()], ["", "012"]);
  assert.equal(trend_page("#search=main").texts(".found")[0], "1 found");
});

test("the page shows, and its keys are listed", () => {
  const page = trend_page();
  assert.equal(page.app.hidden, false);
  assert.deepEqual([page.texts(".command"), page.texts("#runs .rest")], [["the subject"], ["the rest"]]);
  page.press("?");
  assert.equal(page.$("dialog").getAttribute("open"), "");
  assert.deepEqual(cells(page.$("dialog table")).length, 3);
  page.resize(500);
});

test("a step at the second run stands between it and the first, and long names are cut", () => {
  const long = "n".repeat(300);
  const page = trend_page("", {
    charts: [{ name: long, where: long, noise: "", band: null, level: 0, changes: [change(1, null, true, "x")] }],
  });
  assert.equal(page.$("line").getAttribute("x1"), "154");
  const [name, place] = page.$("article h2").children;
  assert.deepEqual([name.textContent.length, place.textContent.length, name.getAttribute("title")], [200, 200, long]);
});
