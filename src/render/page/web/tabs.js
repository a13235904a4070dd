// The lists below: cycles, files, parts, and what was left out.

import { starts } from "./columns.js";
import { el, fill, name_element, plain_table } from "./elements.js";
import { SHOWN } from "./function.js";
import { grouped, middle, plural, share } from "./numbers.js";

/** @import { Count } from "./columns.js" */
/** @import { State } from "./state.js" */

/** @typedef {{key: string, title: string, draw: (into: HTMLElement) => void}} Tab */

/** @param {State} state @returns {Tab[]} */
export function list_tabs(state) {
  const { profile } = state;
  const { about } = profile;
  const tabs = [];
  const costs = (/** @type {string} */ name) => profile.costs(name, state.event);
  const total = () => profile.events[state.event].total;
  const pair = (/** @type {Count} */ value) => [grouped(value), share(value, total())];
  const event_name = () => profile.events[state.event].name;
  const link = (/** @type {number} */ f) => name_element(profile, f, 100, "", state.link({ f }));

  const members = profile.columns.numbers("c.members").near;
  if (members.length) {
    const first = starts(members);
    const member = profile.columns.numbers("c.member").near;
    const size = profile.columns.numbers("c.size").near;
    tabs.push({
      key: "cycles",
      title: `Cycles ${members.length}`,
      draw(/** @type {HTMLElement} */ into) {
        const { caller, start, arcs } = profile.callers();
        const cost = costs("a.cost");
        const callee = profile.columns.numbers("a.callee").near;
        fill(
          into,
          ...Array.from(members, (count, cycle) => {
            const inside = Array.from(member.subarray(first[cycle], first[cycle] + Math.min(count, SHOWN)));
            const every = member.subarray(first[cycle], first[cycle + 1]);
            const flow = (/** @type {"in" | "out"} */ way) => {
              const list = [];
              for (const f of every) {
                if (way === "in") for (let at = start[f]; at < start[f + 1]; at++) list.push([arcs[at], caller[arcs[at]], f]);
                else for (let arc = profile.first_arc[f]; arc < profile.first_arc[f + 1]; arc++) list.push([arc, f, callee[arc]]);
              }
              const crossing = list.filter(([, from, to]) => !profile.recursive(from, to) && from !== to);
              crossing.sort((a, b) => cost.compare(a[0], b[0]));
              return crossing.slice(0, SHOWN).map(([arc, from, to]) => [...pair(cost.at(arc)), link(from), link(to)]);
            };
            return el(
              "details",
              cycle ? {} : { open: "" },
              el(
                "summary",
                {},
                `Cycle ${cycle + 1}: ${plural(size[cycle], "function")}, ${grouped(costs("c.incl").at(cycle))} inclusive ` +
                  `(${share(costs("c.incl").at(cycle), total())}), ${grouped(costs("c.self").at(cycle))} self`,
              ),
              el(
                "div",
                { class: "columns" },
                plain_table(
                  "Members",
                  ["self", "%", "function"],
                  inside.sort((a, b) => costs("f.self").compare(a, b)).map((f) => [...pair(costs("f.self").at(f)), link(f)]),
                ),
                plain_table("What enters", ["cost", "%", "from", "to"], flow("in")),
                plain_table("What leaves", ["cost", "%", "from", "to"], flow("out")),
              ),
            );
          }),
        );
      },
    });
  }

  const file = profile.columns.numbers("k.file").near;
  tabs.push({
    key: "files",
    title: `Files ${file.length}`,
    draw(/** @type {HTMLElement} */ into) {
      const own = costs("k.self");
      const order = Array.from(file.keys()).sort((a, b) => own.compare(a, b) || a - b);
      const rows = order.slice(0, 1000).map((at) => [...pair(own.at(at)), profile.files[file[at]]]);
      fill(
        into,
        plain_table(`Self cost by the file of the code, ${event_name()}`, ["self", "%", "file"], rows),
        order.length > 1000 && el("p", {}, `and ${order.length - 1000} more files`),
      );
    },
  });

  if (about.parts.length > 1) {
    tabs.push({
      key: "parts",
      title: `Parts ${about.parts.length}`,
      draw(/** @type {HTMLElement} */ into) {
        const own = costs("part");
        const rows = about.parts.map((/** @type {string} */ part, /** @type {number} */ at) => [...pair(own.at(at)), String(at + 1), part]);
        fill(into, plain_table(`Self cost by part, ${event_name()}`, ["self", "%", "part", "what it is"], rows.slice(0, 1000)));
      },
    });
  }

  tabs.push({
    key: "notes",
    title: about.warnings.length ? `Warnings ${about.warnings.length}` : "About",
    draw(/** @type {HTMLElement} */ into) {
      const list = (/** @type {string} */ title, /** @type {string[]} */ texts) =>
        texts.length > 0 && el("section", {}, el("h3", {}, title), el("ul", {}, ...texts.map((text) => el("li", {}, text))));
      fill(
        into,
        list("Warnings", about.warnings),
        list("What is on this page", about.notes),
        list("Command", about.command ? [middle(about.command, 2000)] : []),
        list("Read from", about.inputs.slice(0, 100)),
        list("Details", [...about.details, ...about.descriptions]),
        list(
          "Totals",
          profile.events.map((event) => `${event.name} ${grouped(event.total)}${event.long ? ` (${event.long})` : ""}`),
        ),
      );
    },
  });
  return tabs;
}
