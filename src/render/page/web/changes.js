// The page of a comparison: the waterfall, the table of causes, one function with its changes.

import { copy, focus_search, key_list, matcher, on_keys, search_box, show_app } from "./app.js";
import { missing_source, source_lines } from "./columns.js";
import { STATUS } from "./comparison.js";
import { CHARACTER, REACH, el, fill, measure_characters, name_element, plain_table } from "./elements.js";
import { counted, grouped, middle, minus, plural, signed, whole_name } from "./numbers.js";
import { Picture } from "./picture.js";
import { State } from "./state.js";
import { Grid, digits, fitting, largest, least_width, wide } from "./table.js";

/** @import { Count, Numbers } from "./columns.js" */
/** @import { Comparison, Pair } from "./comparison.js" */
/** @import { Column } from "./table.js" */

/** `+1,234 +5.6 %` @param {Count} old @param {Count} now */
function growth(old, now) {
  if (!Number(old)) return Number(now) ? "new" : "";
  const change = ((Number(now) - Number(old)) / Math.abs(Number(old))) * 100;
  return `${change > 0 ? "+" : ""}${Math.abs(change) < 1 ? change.toFixed(2) : change.toFixed(1)} %`;
}

/** What says up or down at once: orange with a plus, blue with a minus. @param {Count} change */
function tone(change) {
  return Number(change) > 0 ? "up" : Number(change) < 0 ? "down" : "";
}

/** A bar from one number to another. @param {number} from @param {number} to @param {string} tone */
function bar(from, to, tone) {
  const inner = el("span", { class: `bar ${tone}` });
  inner.style.marginLeft = `${Math.min(from, to) * 100}%`;
  inner.style.width = `${Math.max(0.2, Math.abs(to - from) * 100)}%`;
  return el("span", { class: "bars", "aria-hidden": "true" }, inner);
}

/** From the old total to the new one. @param {State} state */
function waterfall(state) {
  const event = /** @type {Comparison} */ (/** @type {any} */ (state.profile)).events[state.event];
  let least = Math.min(0, Number(event.old), Number(event.new));
  let most = Math.max(0, Number(event.old), Number(event.new));
  let at = Number(event.old);
  let lowest = Math.min(at, Number(event.new));
  for (const step of event.waterfall) {
    at += Number(step.change);
    lowest = Math.min(lowest, at);
    [least, most] = [Math.min(least, at), Math.max(most, at)];
  }
  // Small changes of a large total are to be seen: the axis begins near them, and says so.
  const from = lowest > most * 0.5 ? lowest - (most - lowest) * 0.2 : least;
  const place = (/** @type {number} */ value) => (value - from) / (most - from || 1);
  const row = (
    /** @type {Node | string} */ label,
    /** @type {Count} */ value,
    /** @type {string} */ text,
    /** @type {Node} */ bar,
    tone = "",
  ) =>
    el(
      "tr",
      {},
      el("td", {}, label),
      el("td", { class: `number ${tone}`, "data-value": String(value) }, text),
      el("td", { class: "wide" }, bar),
    );
  const rows = [row("old run", event.old, grouped(event.old), bar(place(Math.max(from, 0)), place(Number(event.old)), "sum"))];
  at = Number(event.old);
  for (const step of event.waterfall) {
    const next = at + Number(step.change);
    const label =
      step.f === null
        ? el("i", { title: whole_name(step.label) }, middle(step.label, 50))
        : el("a", { href: state.link({ f: step.f }), title: whole_name(step.label) }, middle(step.label, 50));
    rows.push(row(label, step.change, signed(step.change), bar(place(at), place(next), tone(step.change)), tone(step.change)));
    at = next;
  }
  rows.push(row("new run", event.new, grouped(event.new), bar(place(Math.max(from, 0)), place(Number(event.new)), "sum")));
  return el(
    "table",
    { class: "waterfall" },
    el("caption", {}, `${event.name} by self cost${from > 0 ? `; the bars begin at ${grouped(Math.round(from))}` : ""}`),
    el("tbody", {}, ...rows),
  );
}

/** More calls, dearer calls, both at once. @param {Comparison} data @param {number} event @param {number} f */
function split_bar(data, event, f) {
  const parts = ["more", "dearer", "joint"].map((name) => data.columns.numbers(`r.${name}.${event}`).at(f));
  const all = parts.reduce((/** @type {number} */ sum, part) => sum + Math.abs(Number(part)), 0);
  if (!all) return "";
  const names = ["calls", "per call", "both at once"];
  const said = parts.map((part, nth) => `${names[nth]} ${signed(part)}`).join(", ");
  return el(
    "span",
    { class: "split", title: said, role: "img", "aria-label": said },
    ...parts.map((part, nth) => {
      const piece = el("span", { class: `${tone(part)} part${nth}` });
      piece.style.width = `${(Math.abs(Number(part)) / all) * 100}%`;
      return piece;
    }),
  );
}

/** One function: why it changed, its callers and callees, its lines. @param {State} state @param {HTMLElement} into */
function draw_change(state, into) {
  const data = /** @type {Comparison} */ (/** @type {any} */ (state.profile));
  const { f, event } = state;
  // What is followed from here leads to here.
  const inside = into.contains(document.activeElement);
  if (f < 0) {
    fill(into, el("p", { class: "empty" }, data.size ? "No function of this name is on the page." : "Nothing changed."));
    return;
  }
  const [own, inclusive] = [data.pair("r.self", event), data.pair("r.incl", event)];
  const object = data.objects[data.object_of(f)];
  const said = data.columns.texts(`r.why.${event}`)[f];
  const [before, after] = [data.columns.numbers("r.calls.old").at(f), data.columns.numbers("r.calls.new").at(f)];
  const status = STATUS[data.status[f]];
  // A baseline does not say who calls, and nobody counts how often inlined code runs.
  const known = ![before, after].some((calls) => Object.is(calls, -0));
  const numbers = (/** @type {string} */ title, /** @type {Count} */ old, /** @type {Count} */ now) => [
    title,
    changed(minus(now, old)),
    growth(old, now),
    grouped(old),
    grouped(now),
  ];
  fill(
    into,
    el("h2", { title: whole_name(data.name(f)) }, middle(data.name(f), 1000) + REACH[data.reach[f]]),
    el(
      "p",
      { class: "where" },
      middle(data.file(f), 200),
      object ? ` [${object}]` : "",
      status ? ` ${status}` : "",
      data.was[f] ? `, was ${data.was[f]}` : "",
    ),
    said ? el("p", { class: "why" }, said) : null,
    plain_table(
      "",
      ["", "change", "", "old", "new"],
      [
        numbers("self", own.old.at(f), own.new.at(f)),
        numbers("inclusive", inclusive.old.at(f), inclusive.new.at(f)),
        known ? numbers("calls", before, after) : ["calls", "", "", counted(before), counted(after)],
      ],
    ),
    arc_table(state, data, "callers"),
    arc_table(state, data, "callees"),
    ...line_tables(data, f, event),
  );
  if (inside) into.focus();
  into.scrollTop = 0;
}

/** @param {Count} change */
function changed(change) {
  return el("span", { class: tone(change) }, signed(change));
}

/** @param {State} state @param {Comparison} data @param {"callers" | "callees"} side */
function arc_table(state, data, side) {
  const { f, event } = state;
  const cost = data.pair("a.cost", event);
  const count = { old: data.columns.numbers("a.count.old"), new: data.columns.numbers("a.count.new") };
  const again = data.columns.numbers("a.again").near;
  const arcs = data.arcs(f, side).map(({ arc, other }) => ({ arc, other, change: minus(cost.new.at(arc), cost.old.at(arc)) }));
  arcs.sort((a, b) => Math.abs(Number(b.change)) - Math.abs(Number(a.change)) || a.arc - b.arc);
  /** @type {(Node | string)[][]} */
  const rows = arcs
    .slice(0, 200)
    .map(({ arc, other, change }) => [
      changed(change),
      `${grouped(cost.old.at(arc))} → ${grouped(cost.new.at(arc))}`,
      `${counted(count.old.at(arc), "×")} → ${counted(count.new.at(arc), "×")}`,
      name_element(data, other, 60, again[arc] ? " (recursive)" : "", state.link({ f: other })),
    ]);
  const left = data.columns.numbers(`r.${side}+.count`).at(f);
  if (left) {
    const pair = data.pair(`r.${side}+`, event);
    const [old, now] = [pair.old.at(f), pair.new.at(f)];
    rows.push([
      changed(minus(now, old)),
      `${grouped(old)} → ${grouped(now)}`,
      "",
      el("i", {}, `${plural(left, "function")} with little or no change`),
    ]);
  }
  const title = side === "callers" ? "Callers" : "Callees";
  return rows.length ? plain_table(title, ["change", "cost", "calls", "function"], rows) : el("p", { class: "rest" }, `${title}: none`);
}

/** The changed lines, with the new run's source where it is known. @param {Comparison} data @param {number} f @param {number} event */
function line_tables(data, f, event) {
  const [file, before, after, own] = [
    data.columns.numbers("l.file").near,
    data.columns.numbers("l.old").near,
    data.columns.numbers("l.new").near,
    data.pair("l.self", event),
  ];
  const sources = source_lines(data.columns, data.about.sources);
  const lines = Array.from({ length: data.first_line[f + 1] - data.first_line[f] }, (_, nth) => data.first_line[f] + nth);
  const files = [...new Set(lines.filter((line) => after[line] > 1).map((line) => file[line]))];
  const missing = files.filter((one) => !sources.has(one));
  const gap = missing_source(data.columns, data.files, missing, files.length);
  const tables = gap ? [el("p", { class: "rest" }, gap)] : [];
  for (let line = data.first_line[f]; line < data.first_line[f + 1];) {
    const source = sources.get(file[line]);
    const rows = [];
    const here = file[line];
    let last = 0;
    for (; line < data.first_line[f + 1] && file[line] === here && rows.length < 3000; line++) {
      const number = after[line] ? after[line] - 1 : 0;
      for (let around = Math.max(last + 1, number - 3); number && around < number; around++) {
        if (source?.lines.has(around)) rows.push(source_row(around, "", "", "", source.lines.get(around) ?? ""));
      }
      const [old, now] = [own.old.at(line), own.new.at(line)];
      const text = number ? (source?.lines.get(number) ?? "") : `(line ${before[line] - 1} of the old run)`;
      rows.push(source_row(number, changed(minus(now, old)), grouped(old), grouped(now), text));
      last = Math.max(last, number);
    }
    tables.push(
      el(
        "table",
        { class: "source" },
        el("caption", {}, middle(data.files[here], 200) + (source?.newer ? " (changed after the profile was written)" : "")),
        el("tbody", {}, ...rows),
      ),
    );
  }
  const left = data.columns.numbers("r.lines+.count").at(f);
  if (left) tables.push(el("p", { class: "rest" }, `${plural(left, "line")} that changed little omitted`));
  return tables;
}

/** @param {number} number @param {Node | string} change @param {string} old @param {string} now @param {string} text */
function source_row(number, change, old, now, text) {
  return el(
    "tr",
    {},
    el("td", { class: "number at" }, number ? String(number) : ""),
    el("td", { class: "number" }, change),
    el("td", { class: "number" }, old),
    el("td", { class: "number" }, now),
    el("td", { class: "code" }, text),
  );
}

/** @param {Comparison} data */
export function start(data) {
  measure_characters();
  const state = new State(/** @type {any} */ (data));
  const { about } = data;
  const grid = new Grid(
    "Changed functions",
    (f, step) => state.go({ f }, step),
    (key) => state.go({ sort: key }),
  );
  const view = el("section", { id: "function", "aria-label": "Function", tabindex: -1 });
  const search = search_box(state, grid);
  const found = el("span", { class: "found", role: "status" });
  const choice = /** @type {HTMLSelectElement} */ (
    el(
      "select",
      { "aria-label": "Event", onchange: () => state.go({ event: choice.selectedIndex }) },
      ...data.events.map((event) => el("option", {}, event.long ? `${event.name}: ${event.long}` : event.name)),
    )
  );
  const total = el("b", { class: "total" });
  const help = key_list([
    ["/", "search: a part of a name, or a pattern as /re/; Enter takes the first match"],
    ["↑ ↓ Enter", "move in the list, choose; ← → among the titles of its columns, Enter sorts"],
    ["j k", "next and previous function of the list"],
    ["c", "copy the function's whole name"],
    ["↑ ↓ ← → in the stacks", "outwards, inwards, to the sides; Enter zooms, 0 or Esc shows all"],
    ["wheel, double click", "zoom the stacks; zoom a box"],
    ["Esc", "end the search"],
    ["?", "this list"],
  ]);
  const below = el("div", { role: "region", "aria-label": "Waterfall", class: "below", tabindex: 0 });
  const app = /** @type {HTMLElement} */ (document.getElementById("app"));
  fill(
    app,
    el(
      "header",
      {},
      el("strong", {}, `cgannotate diff${about.own_code}`),
      el("span", { class: "command", title: whole_name(about.title) }, about.title),
      total,
      choice,
      search,
      found,
      help.button,
    ),
    el("section", { id: "functions", "aria-label": "Changed functions" }, grid.element),
    view,
    el("section", { id: "views" }, below),
    help.list,
  );
  const icicle = new Picture(state, (event) => data.stacks(event), "icicle");
  const stacks = el("section", { id: "stacks", "aria-label": "Stacks, an estimate" });
  const note =
    "An estimate: where in the stacks cost was added (orange, +) and removed (blue, −), as wide as both together; the dark part is the difference.";
  let [drawn, looked_at] = ["", ""];

  function rows() {
    const { query, sort, event } = state;
    const known = query ? matcher(data.name_table, query) : null;
    const list = [];
    for (let f = 0; f < data.size; f++) if (!known || known[data.name_of[f]]) list.push(f);
    if (sort === "name") return list.sort((a, b) => data.name_of[a] - data.name_of[b] || a - b);
    const [before, after] = [data.columns.numbers("r.calls.old"), data.columns.numbers("r.calls.new")];
    const change =
      sort === "calls"
        ? { at: (/** @type {number} */ f) => minus(after.at(f), before.at(f)) }
        : data.change(sort === "incl" ? "r.incl" : "r.self", event);
    const size = Float64Array.from({ length: data.size }, (_, f) => Math.abs(Number(change.at(f))));
    return list.sort((a, b) => size[b] - size[a] || a - b);
  }

  /** @returns {Column[]} */
  function columns() {
    const { event } = state;
    const [own, inclusive] = [data.pair("r.self", event), data.pair("r.incl", event)];
    const [before, after] = [data.columns.numbers("r.calls.old"), data.columns.numbers("r.calls.new")];
    const delta = (/** @type {Pair} */ pair, /** @type {number} */ f) => changed(minus(pair.new.at(f), pair.old.at(f)));
    const room_for = (/** @type {Pair} */ pair) => wide(9, digits(pair.old.near.map((old, f) => pair.new.near[f] - old)));
    const growths = inclusive.old.near.map((old, f) => (old ? inclusive.new.near[f] / old - 1 : 0) * 100);
    const per_call = [inclusive.old, inclusive.new].map((cost, run) =>
      Math.max(5, digits(cost.near.map((cost, f) => cost / ([before, after][run].near[f] || Infinity)))),
    );
    const each = (/** @type {Numbers} */ cost, /** @type {Numbers} */ calls, /** @type {number} */ f) => {
      if (!Number(calls.at(f))) return "–";
      const value = Number(cost.at(f)) / Number(calls.at(f));
      return Math.abs(value) < 999.95 ? value.toFixed(1).replace(/\.0$/, "") : grouped(Math.round(value));
    };
    // Rows will make room for a bar to scroll them with.
    const all = Math.floor(grid.element.clientWidth / CHARACTER) - 2;
    let room = 16;
    /** @type {Column[]} */
    const every = [
      { key: "self", title: "self", width: room_for(own), hint: "change of self cost", text: (f) => delta(own, f) },
      {
        key: "incl",
        title: "inclusive",
        width: room_for(inclusive),
        hint: "change of inclusive cost",
        text: (f) => delta(inclusive, f),
      },
      {
        key: "part",
        title: "",
        width: wide(7, largest(growths).toFixed(1).length + 3),
        by: "",
        spare: 1,
        text: (f) => growth(inclusive.old.at(f), inclusive.new.at(f)),
      },
      {
        key: "calls",
        title: "calls",
        width: wide(11, digits(before.near) + digits(after.near) + 1),
        spare: 2,
        hint: "calls by others, old → new",
        text: (f) => {
          const known = ![before, after].some((calls) => Object.is(calls.at(f), -0));
          return known ? `${grouped(before.at(f))} → ${grouped(after.at(f))}` : "not counted";
        },
      },
      {
        key: "each",
        title: "per call",
        width: wide(8, per_call[0] + per_call[1] + 3),
        by: "",
        spare: 3,
        hint: "inclusive cost of a call, old → new",
        text: (f) => `${each(inclusive.old, before, f)} → ${each(inclusive.new, after, f)}`,
      },
      {
        key: "split",
        title: "why",
        width: "8ch",
        by: "",
        spare: 4,
        hint: "more or fewer calls, more or less expensive calls, both at once",
        text: (f) => split_bar(data, event, f),
      },
      {
        key: "name",
        title: "function",
        width: "minmax(16ch, 1fr)",
        text: (f) => name_element(data, f, room, data.status[f] ? ` ${STATUS[data.status[f]]}` : ""),
      },
    ];
    const list = fitting(data.about.has_inclusive ? every : [every[0], every[6]], all, state.sort);
    room = Math.max(room, all - least_width(list) + 16);
    return list;
  }

  function draw() {
    const { event, query, sort } = state;
    const { old, new: now } = data.events[event];
    choice.selectedIndex = event;
    fill(total, `${grouped(old)} → ${grouped(now)} `, changed(minus(now, old)), ` ${growth(old, now)}`);
    if (search.value !== query) search.value = query;
    const key = JSON.stringify([event, query, sort]);
    if (key !== drawn) {
      drawn = key;
      const list = rows();
      grid.set_columns(columns(), sort);
      grid.set_rows(list, state.f);
      found.textContent = query ? `${grouped(list.length)} found` : "";
      const texts = (/** @type {string} */ title, /** @type {string[]} */ list) =>
        list.length > 0 && el("section", {}, el("h3", {}, title), el("ul", {}, ...list.map((text) => el("li", {}, text))));
      fill(
        below,
        waterfall(state),
        stacks,
        texts("Warnings", about.warnings),
        texts("What is on this page", about.notes),
        texts("Old run", [...about.old.slice(0, 50), about.commands[0]]),
        texts("New run", [...about.new.slice(0, 50), about.commands[1]]),
      );
      const inner = el("div");
      fill(stacks, el("h3", {}, "Stacks"), inner);
      icicle.show(inner, data.columns.numbers(`d.${event}.kind`).near.length ? note : "This event has no stacks.");
    } else {
      grid.picked = state.f;
      const at = Array.prototype.indexOf.call(grid.rows, state.f);
      if (at >= 0) grid.cursor = at;
      grid.show();
    }
    icicle.follow();
    const link = state.link({});
    if (link !== looked_at) draw_change(state, view);
    looked_at = link;
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    "/": () => focus_search(search),
    j: () => grid.step(1),
    k: () => grid.step(-1),
    c: () => state.f >= 0 && copy(data.name(state.f)),
    "?": () => help.list.showModal(),
    0: () => state.go({ at: "" }),
    Escape: () => state.go({ query: "" }, true),
  };
  on_keys(keys);
  state.listeners.push(draw);
  show_app(app, draw, () => {
    drawn = "";
    draw();
  });
  grid.element.focus();
}
