// The page of many runs: a line chart for each function, its steps marked, in the order in which they are listed.

import { focus_search, key_list, matcher, on_keys, show_app } from "./app.js";
import { el, fill, plain_table } from "./elements.js";
import { grouped, middle, short_name, whole_name } from "./numbers.js";

/** @import { Columns, Count } from "./columns.js" */

/** @typedef {{what: string, run: number, until: number | null, told: string, up: boolean, why: string[]}} Change */
/** @typedef {{name: string, where: string, noise: string, band: [string, string] | null, level: number, changes: Change[]}} TrendRow */

/** How large a chart is, in units of its own; what is drawn keeps a distance from its border. */
const CHART = { width: 900, height: 120, edge: 6 };

/** An element of a drawing.
 * @param {string} tag @param {Record<string, string | number>} attributes @param {(Node | string)[]} children
 */
function drawn(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** The chart of one row. @param {any} about @param {TrendRow} row @param {Count[]} values */
function chart(about, row, values) {
  const { width, height, edge } = CHART;
  const numbers = values.map(Number);
  // A step is as high as it is large: the axis begins at zero, or at what is below it.
  const least = Math.min(0, ...numbers);
  const most = Math.max(0, ...numbers);
  const x = (/** @type {number} */ run) => edge + (run / Math.max(1, values.length - 1)) * (width - 2 * edge);
  const y = (/** @type {number} */ value) => height - edge - ((value - least) / (most - least || 1)) * (height - 2 * edge);
  const parts = [];
  if (row.band) {
    const [low, high] = row.band.map((text) => y(Number(text)));
    const from = x(row.level);
    parts.push(
      drawn(
        "rect",
        { class: "band", x: from, y: high - 1, width: Math.max(1, width - edge - from), height: Math.max(2, low - high + 2) },
        drawn("title", {}, `range of the last runs: ${grouped(BigInt(row.band[0]))} to ${grouped(BigInt(row.band[1]))}`),
      ),
    );
  }
  for (const change of row.changes) {
    const at = x(change.run) - (change.run > 0 ? (x(1) - x(0)) / 2 : 0);
    const mark = change.until === null ? { x1: at, x2: at, y1: 0, y2: height } : { x1: at, x2: x(change.until), y1: 3, y2: 3 };
    parts.push(drawn("line", { class: `mark ${change.what} ${change.up ? "up" : "down"}`, ...mark }, drawn("title", {}, change.told)));
  }
  parts.push(
    drawn("polyline", { class: "costs", points: numbers.map((value, run) => `${x(run).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }),
  );
  const dot = drawn("circle", { class: "dot", r: 3, cx: -10, cy: -10 });
  const said = el("p", { class: "said", role: "status" });
  const picture = drawn(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      role: "img",
      tabindex: 0,
      "aria-label": `${row.name}: ${row.changes.map((change) => change.told).join("; ") || "no change"}`,
    },
    ...parts,
    dot,
  );
  let picked = values.length - 1;
  const pick = (/** @type {number} */ run) => {
    picked = Math.min(Math.max(run, 0), values.length - 1);
    dot.setAttribute("cx", String(x(picked)));
    dot.setAttribute("cy", String(y(numbers[picked])));
    said.textContent = `run ${picked + 1}, ${about.runs[picked]}: ${grouped(values[picked])}`;
  };
  picture.addEventListener("pointermove", (event) => {
    const { left, width: wide } = picture.getBoundingClientRect();
    const { clientX } = /** @type {PointerEvent} */ (event);
    const place = (clientX - left) / (wide || 1);
    pick(Math.round(((place * width - edge) / (width - 2 * edge)) * (values.length - 1)));
  });
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[/** @type {KeyboardEvent} */ (event).key];
    if (!step) return;
    pick(picked + step);
    event.preventDefault();
  });
  const count = (/** @type {number} */ value) => grouped(values[numbers.indexOf(value)] ?? 0);
  const name = (/** @type {number} */ run) => el("span", { title: about.runs[run] }, `run ${run + 1}: ${middle(about.runs[run], 24)}`);
  const axis = (/** @type {string} */ of, /** @type {(Node | false)[]} */ ...ends) => el("div", { class: `axis ${of}` }, ...ends);
  return el(
    "div",
    { class: "chart" },
    axis("of-cost", el("span", {}, count(most)), el("span", {}, about.of), el("span", {}, count(least))),
    picture,
    axis("of-runs", name(0), values.length > 1 && name(values.length - 1)),
    said,
  );
}

/** One row with its chart. @param {any} about @param {TrendRow} row @param {number} nth @param {Count[]} values */
function article(about, row, nth, values) {
  const details = el("details", {}, el("summary", {}, "all runs"));
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    const rows = values.map((value, run) => [String(run + 1), about.runs[run], grouped(value)]);
    details.append(plain_table("", ["run", "name", about.of], rows));
  });
  return el(
    "article",
    { id: `row-${nth}` },
    el(
      "h2",
      {},
      el("span", { class: "name", title: whole_name(row.name) }, short_name(row.name, 200)),
      row.where && el("span", { class: "place" }, middle(row.where, 200)),
    ),
    el("p", { class: "ends" }, `${grouped(values[0])} → ${grouped(values[values.length - 1])}`, row.noise ? `, ${row.noise}` : ""),
    chart(about, row, values),
    row.changes.length > 0 &&
      el(
        "ul",
        {},
        ...row.changes.map((change) =>
          el("li", {}, el("span", { class: change.up ? "up" : "down" }, change.told), ...change.why.map((text) => el("p", {}, text))),
        ),
      ),
    details,
  );
}

/** @param {Columns} columns */
export function start_trend(columns) {
  const about = JSON.parse(columns.texts("about")[0]);
  const costs = columns.numbers("values");
  const runs = about.runs.length;
  const articles = about.charts.map((/** @type {TrendRow} */ row, /** @type {number} */ nth) =>
    article(
      about,
      row,
      nth,
      Array.from({ length: runs }, (_, run) => costs.at(nth * runs + run)),
    ),
  );
  const found = el("span", { class: "found", role: "status" });
  const box = /** @type {HTMLInputElement} */ (
    el("input", { type: "search", placeholder: "/ search, or /re/", "aria-label": "Search functions", spellcheck: "false" })
  );
  const search = () => {
    const names = about.charts.map((/** @type {TrendRow} */ row) => row.name);
    const shown = matcher(names, box.value);
    articles.forEach((/** @type {HTMLElement} */ one, /** @type {number} */ nth) => (one.hidden = !shown[nth]));
    found.textContent = box.value ? `${shown.reduce((sum, one) => sum + one, 0)} found` : "";
  };
  const read = () => {
    box.value = new URLSearchParams(location.hash.slice(1)).get("search") ?? "";
    search();
  };
  box.addEventListener("input", () => {
    history.replaceState(null, "", `#${box.value && new URLSearchParams([["search", box.value]])}`);
    search();
  });
  addEventListener("hashchange", read);
  read();
  const help = key_list([
    ["/", "search: a part of a name, or a pattern as /re/"],
    ["← → in a chart", "from run to run"],
    ["?", "this list"],
  ]);
  const app = /** @type {HTMLElement} */ (document.getElementById("app"));
  fill(
    app,
    el("header", {}, el("span", { class: "command" }, about.subject), box, found, help.button),
    el("div", { id: "runs", tabindex: "-1" }, ...articles, el("p", { class: "rest" }, about.rest)),
    help.list,
  );
  on_keys({ "/": () => focus_search(box), "?": () => help.list.showModal() });
  show_app(
    app,
    () => {},
    () => {},
  );
}
