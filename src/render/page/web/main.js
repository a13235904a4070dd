// The page: what stands where, and what keys do.

import { Around, around_note } from "./around.js";
import { copy, focus_search, key_list, matcher, on_keys, search_box, show_app } from "./app.js";
import { CHARACTER, el, fill, measure_characters, name_element, walk } from "./elements.js";
import { FunctionView } from "./function.js";
import { base_name, counted, grouped, middle, plus, share, short_name, whole_name } from "./numbers.js";
import { Picture } from "./picture.js";
import { State } from "./state.js";
import { Grid, digits, fitting, largest, least_width, wide } from "./table.js";
import { list_tabs } from "./tabs.js";
import { self_tree, stack_tree, treemap_gaps } from "./tree.js";

/** @import { Numbers } from "./columns.js" */
/** @import { Profile } from "./profile.js" */
/** @import { Column } from "./table.js" */
/** @import { Tab } from "./tabs.js" */

/** @param {Profile} profile */
export function start(profile) {
  measure_characters();
  const state = new State(profile);
  const { about } = profile;
  const grid = new Grid(
    "Functions",
    (f, step) => state.go({ f }, step),
    (key) => state.go({ sort: key }),
  );
  const view = new FunctionView(state);
  const many = profile.events.length > 1;

  const search = search_box(state, grid);
  const found = el("span", { class: "found", role: "status" });
  const event_choice = /** @type {HTMLSelectElement} */ (
    el(
      "select",
      {
        "aria-label": "Event",
        onchange: () => state.go({ event: event_choice.selectedIndex }),
      },
      ...profile.events.map((event) => el("option", {}, event.long ? `${event.name}: ${event.long}` : event.name)),
    )
  );
  const total = el("b", { class: "total" });
  const all_events = el(
    "button",
    {
      title: "self cost of every event",
      onclick: () => state.go({ all: state.all ? "" : "events" }),
    },
    "all events",
  );
  const base = el("button", { class: "base", title: "what 100 % is", onclick: () => state.go({ of: state.of ? "" : "parent" }) });
  const help = key_list([
    ["/", "search: a part of a name, or a pattern as /re/; Enter takes the first match"],
    ["↑ ↓ Enter", "move in the list, choose; ← → among the titles of its columns, Enter sorts"],
    ["n p", "next and previous hot line of the function, its hottest first"],
    ["j k", "next and previous function of the list"],
    ["%", "percentages of all, or of what is around: the function, the outer box"],
    ["c", "copy the function's whole name"],
    ["↑ ↓ ← → in a picture", "outwards, inwards, to the sides; Enter zooms, 0 or Esc shows all"],
    ["Enter, click in callers and callees", "puts another function in the middle"],
    ["wheel, double click", "zoom the stacks; zoom a box"],
    ["Esc", "end the search, show all objects"],
    ["?", "this list"],
  ]);
  const bar = el("div", {
    id: "objects",
    role: "toolbar",
    "aria-label": "Objects",
    onkeydown: (/** @type {KeyboardEvent} */ event) => walk(bar, event),
  });
  const tab_list = el("div", { role: "tablist", "aria-label": "Views" });
  const panel = el("div", { role: "tabpanel", tabindex: 0 });
  const app = /** @type {HTMLElement} */ (document.getElementById("app"));
  fill(
    app,
    el(
      "header",
      {},
      el("strong", {}, `cgannotate${about.own_code}`),
      el("span", { class: "command", title: whole_name(about.command) }, about.command || about.inputs[0] || ""),
      total,
      event_choice,
      search,
      found,
      base,
      help.button,
    ),
    bar,
    el("section", { id: "functions", "aria-label": "Functions" }, many && el("div", { class: "tools" }, all_events), grid.element),
    view.element,
    el("section", { id: "views" }, tab_list, panel),
    help.list,
  );

  const treemap = new Picture(state, (event) => self_tree(profile, event), "treemap");
  // Where there are stacks, they show around a function, too.
  const around = () => (about.has_inclusive && state.f >= 0 && ["callers", "both"].includes(state.around) ? state.around : "");
  /** @type {Around | undefined} */
  let stacks;
  const icicle = new Picture(
    state,
    (event) => {
      if (!around()) return stack_tree(profile, event);
      if (stacks?.event !== event) stacks = new Around(profile, event);
      return stacks.stacks && stacks.tree(state.f, around() === "both");
    },
    "icicle",
    () => around() && `${around()} ${state.f}`,
  );
  const callers = el("span");
  const choices = [
    { key: "", label: "from the start" },
    { key: "callers", label: callers },
    { key: "both", label: "callers and callees" },
  ];
  const choice = () =>
    el(
      "div",
      { class: "choice", role: "radiogroup", "aria-label": "What stacks show" },
      ...choices.map(({ key, label }) => {
        const onchange = () => state.go({ around: key, at: "", tab: "stacks" });
        const checked = key === around();
        return el("label", {}, el("input", { type: "radio", name: "around", "data-key": `around${key}`, checked, onchange }), label);
      }),
    );
  const pictures = [
    {
      key: "treemap",
      picture: treemap,
      title: "Treemap: exact",
      draw: (/** @type {HTMLElement} */ into) =>
        treemap.show(
          into,
          `Self cost by object, file, function and line; hatched boxes stand for what is omitted. ${treemap_gaps(profile, state.event)}`.trim(),
        ),
    },
    {
      key: "stacks",
      picture: icicle,
      title: "Stacks",
      draw: (/** @type {HTMLElement} */ into) => {
        const note = around() ? around_note(profile, state.f, around() === "both") : profile.events[state.event].stacks;
        icicle.show(into, note, about.has_inclusive && profile.columns.numbers(`t.${state.event}.frame`).length ? choice() : null);
      },
    },
  ];
  // What is mostly guessed does not come first.
  if ((profile.events[about.first].certain ?? 1) >= 0.5) pictures.reverse();
  /** @type {(Tab & {picture?: Picture})[]} */
  const tabs = [...pictures, ...list_tabs(state)];
  // A function needs all arcs and sources; rows and pictures do not wait for them.
  const drawn = { table: "", tab: "", whole: false };

  function rows() {
    const { object, query, sort, event } = state;
    const known = query ? matcher(profile.name_table, query) : null;
    const list = [];
    for (let f = 0; f < profile.size; f++) {
      if ((!known || known[profile.name_of[f]]) && (object < 0 || profile.object_of(f) === object)) list.push(f);
    }
    const rows = Uint32Array.from(list);
    if (sort === "name" || sort === "file") {
      const of = sort === "name" ? profile.name_of : Float64Array.from(profile.place_of, (place) => profile.place_file[place]);
      return rows.sort((a, b) => of[a] - of[b] || a - b);
    }
    const [by, at] = sort.split(".");
    if (by === "each") return rows.sort((a, b) => (each(b) ?? -Infinity) - (each(a) ?? -Infinity) || a - b);
    const column = by === "calls" ? profile.called : profile.costs(by === "incl" ? "f.incl" : "f.self", at ? Number(at) : event);
    // Functions come in the order of the self cost of the first event.
    if (by === "self" && (at ? Number(at) : event) === about.first) return rows;
    return rows.sort((a, b) => column.compare(a, b) || a - b);
  }

  /** The cost of one call; null if it is not known. @param {number} f */
  function each(f) {
    const calls = Number(profile.called.at(f));
    return calls > 0 ? Number(profile.costs("f.incl", state.event).at(f)) / calls : null;
  }

  /** @returns {Column[]} */
  function columns() {
    const { event } = state;
    const whole = profile.events[event].total;
    const shares = profile.events[event].shares;
    const [own, inclusive] = [profile.costs("f.self", event), profile.costs("f.incl", event)];
    const shared = (/** @type {Numbers} */ costs) => wide(7, share(largest(costs.near), whole).length + 1);
    // Rows will make room for a bar to scroll them with.
    const all = Math.floor(grid.element.clientWidth / CHARACTER) - 2;
    let room = 24;
    /** @type {Column[]} */
    const every = [
      {
        key: "self",
        title: "self",
        width: wide(7, digits(own.near)),
        text: (f) => grouped(own.at(f)),
      },
      { key: "part", title: "%", width: shared(own), by: "self", text: (f) => share(own.at(f), whole) },
      {
        key: "incl",
        title: "inclusive",
        width: wide(8, digits(inclusive.near)),
        hint: "with what it calls",
        text: (f) => grouped(inclusive.at(f)),
      },
      { key: "part", title: "%", width: shared(inclusive), by: "incl", spare: 1, text: (f) => share(inclusive.at(f), whole) },
      {
        key: "calls",
        title: "calls",
        width: wide(profile.reach.includes(1) ? 11 : 6, digits(profile.called.near)),
        spare: 2,
        text: (f) => counted(profile.called.at(f)),
      },
      {
        key: "each",
        title: "per call",
        width: wide(8, digits(inclusive.near)),
        spare: 4,
        text: (f) => grouped(Math.round(each(f) ?? -0)),
      },
      {
        key: "name",
        title: "function",
        width: "minmax(24ch, 3fr)",
        text: (f) => name_element(profile, f, room),
      },
      {
        key: "file",
        title: "file",
        width: "minmax(12ch, 1fr)",
        spare: 3,
        text: (f) => el("span", { title: whole_name(profile.file(f)) }, middle(base_name(profile.file(f)), 40)),
      },
    ];
    const known = every.filter((column, at) => (shares || column.key !== "part") && (about.has_inclusive || at < 2 || at > 5));
    const list = fitting(known, all, state.sort);
    // The name's own least width is not used up, and a quarter of what is left is the file's.
    room = Math.max(room, all - least_width(list) + 24);
    if (state.all) {
      profile.events.forEach((other, at) => {
        const costs = profile.costs("f.self", at);
        list.push({
          key: `self.${at}`,
          title: other.name,
          width: wide(7, digits(costs.near), other.name.length + 2),
          hint: other.long,
          text: (f) => grouped(costs.at(f)),
        });
      });
    }
    return list;
  }

  function draw_objects() {
    const sums = new Map();
    const costs = profile.costs("p.self", state.event);
    profile.place_object.forEach((object, place) => sums.set(object, plus(sums.get(object) ?? 0, costs.at(place))));
    const whole = profile.events[state.event].total;
    const list = [...sums].sort((a, b) => Number(b[1]) - Number(a[1]) || a[0] - b[0]).filter(([, cost]) => Number(cost) > 0);
    const shown = list.slice(0, 40);
    const stop = Math.max(
      0,
      shown.findIndex(([object]) => object === state.object),
    );
    fill(
      bar,
      ...shown.map(([object, cost], nth) => {
        const name = profile.objects[object] || "(object not known)";
        const button = el(
          "button",
          {
            title: `${whole_name(name)}: ${grouped(cost)} ${share(cost, whole)}`,
            "aria-pressed": String(state.object === object),
            "data-key": object,
            tabindex: nth === stop ? 0 : -1,
            class: `colour${nth % 6}`,
            onclick: () => state.go({ object: state.object === object ? -1 : object }),
          },
          `${middle(base_name(name), 24)} ${share(cost, whole)}`,
        );
        button.style.flexGrow = String(Number(cost) / (Number(whole) || 1));
        return button;
      }),
    );
    bar.hidden = list.length < 2;
  }

  function stacks_title() {
    const { certain, stacks } = profile.events[state.event];
    return certain !== null ? `Stacks: ${Math.floor(certain * 100)} % certain` : stacks.includes("exact") ? "Stacks: exact" : "Stacks";
  }

  function draw_tabs() {
    const tab = tabs.find((tab) => tab.key === state.tab) ?? tabs[0];
    fill(
      tab_list,
      ...tabs.map((other) =>
        el(
          "button",
          {
            role: "tab",
            "data-key": other.key,
            "aria-selected": String(other === tab),
            tabindex: other === tab ? 0 : -1,
            onclick: () => state.go({ tab: other.key, at: "" }),
          },
          other.key === "stacks" ? stacks_title() : other.title,
        ),
      ),
    );
    callers.textContent = `callers of ${state.f < 0 ? "a function" : short_name(profile.name(state.f), 30)}`;
    const key = `${tab.key} ${state.event} ${tab.key === "stacks" ? icicle.about() : ""}`;
    if (key !== drawn.tab) {
      drawn.tab = key;
      panel.setAttribute("aria-label", tab.title);
      tab.draw(panel);
    }
    tab.picture?.follow();
  }

  function draw() {
    const { event, object, query, sort } = state;
    event_choice.selectedIndex = event;
    total.textContent = grouped(profile.events[event].total);
    base.textContent = state.of ? "% of parent" : "% of all";
    if (search.value !== query) search.value = query;
    all_events.setAttribute("aria-pressed", String(!!state.all));
    const key = JSON.stringify([event, object, query, sort, state.all]);
    if (key !== drawn.table) {
      drawn.table = key;
      const list = rows();
      grid.set_columns(columns(), sort);
      grid.set_rows(list, state.f);
      found.textContent = query ? `${grouped(list.length)} found` : "";
      draw_objects();
    } else if (grid.picked !== state.f) {
      grid.picked = state.f;
      const at = Array.prototype.indexOf.call(grid.rows, state.f);
      if (at >= 0) grid.cursor = at;
      grid.show();
    }
    if (drawn.whole) view.draw();
    draw_tabs();
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    "/": () => focus_search(search),
    n: () => view.step(1),
    p: () => view.step(-1),
    j: () => grid.step(1),
    k: () => grid.step(-1),
    c: () => state.f >= 0 && copy(profile.name(state.f)),
    "?": () => help.list.showModal(),
    0: () => state.go({ at: "" }),
    "%": () => state.go({ of: state.of ? "" : "parent" }),
    Escape: () => state.go({ query: "", object: -1 }, true),
  };
  on_keys(keys);
  tab_list.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = tabs.findIndex((tab) => tab.key === state.tab);
    if (!by) return;
    state.go({ tab: tabs[(Math.max(0, at) + by + tabs.length) % tabs.length].key, at: "" });
    /** @type {HTMLElement | null} */ (tab_list.querySelector("[aria-selected=true]"))?.focus();
    event.stopPropagation();
  });
  state.listeners.push(draw);
  show_app(
    app,
    draw,
    () => {
      drawn.table = "";
      draw();
    },
    () => {
      drawn.whole = true;
      view.draw();
    },
  );
  grid.element.focus();
}
