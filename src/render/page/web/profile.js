// The profile: who calls whom, and what it costs. Names of columns are those of report.rs.

import { source_lines, starts } from "./columns.js";

/** @import { Columns, Count } from "./columns.js" */

export class Profile {
  /** @param {Columns} columns */
  constructor(columns) {
    this.columns = columns;
    this.about = JSON.parse(columns.texts("about")[0]);
    /** @type {{name: string, long: string, total: Count, shares: boolean, stacks: string, certain: number | null}[]} */
    this.events = this.about.events.map((/** @type {any} */ event) => {
      const total = BigInt(event.total);
      return { ...event, total: Number.isSafeInteger(Number(total)) ? Number(total) : total };
    });
    this.name_table = columns.texts("names");
    this.files = columns.texts("files");
    this.objects = columns.texts("objects");
    this.name_of = columns.numbers("f.name").near;
    this.place_of = columns.numbers("f.place").near;
    this.called = columns.numbers("f.called");
    this.reach = columns.numbers("f.reach").near;
    this.cycle_of = columns.numbers("f.cycle").near;
    this.size = this.name_of.length;
    this.first_line = starts(columns.numbers("f.lines").near);
    this.first_arc = starts(columns.numbers("f.arcs").near);
    // Only pages of `--own` have this column.
    this.first_library = starts(columns.numbers("l.library").near);
    this.place_object = columns.numbers("p.object").near;
    /** @type {ReturnType<typeof source_lines> | undefined} */
    this.source_index = undefined;
    this.place_file = columns.numbers("p.file").near;
  }

  /** A column of an event. @param {string} name @param {number} event */
  costs(name, event) {
    return this.columns.numbers(`${name}.${event}`);
  }

  /** @param {number} f */
  name(f) {
    return this.name_table[this.name_of[f]];
  }

  /** @param {number} f */
  file(f) {
    return this.files[this.place_file[this.place_of[f]]];
  }

  /** @param {number} f */
  object_of(f) {
    return this.place_object[this.place_of[f]];
  }

  /** The caller of each arc, and the arcs to each function. */
  callers() {
    if (!this.by_callee) {
      const callee = this.columns.numbers("a.callee").near;
      const caller = new Uint32Array(callee.length);
      const counts = new Float64Array(this.size);
      for (let f = 0; f < this.size; f++) caller.fill(f, this.first_arc[f], this.first_arc[f + 1]);
      for (const f of callee) counts[f]++;
      const start = starts(counts);
      const next = start.slice();
      const arcs = new Uint32Array(callee.length);
      for (let arc = 0; arc < callee.length; arc++) arcs[next[callee[arc]]++] = arc;
      this.by_callee = { caller, start, arcs };
    }
    return this.by_callee;
  }

  /** Whether a call is within recursion, so that its cost lies in that of others. @param {number} a @param {number} b */
  recursive(a, b) {
    return a === b || (this.cycle_of[a] > 0 && this.cycle_of[a] === this.cycle_of[b]);
  }

  /** The arcs to or from a function, dearest first.
   * @param {number} f @param {"callers" | "callees"} side @param {number} event
   */
  arcs(f, side, event) {
    const { caller, start, arcs } = this.callers();
    const callee = this.columns.numbers("a.callee").near;
    const list = [];
    if (side === "callers") for (let at = start[f]; at < start[f + 1]; at++) list.push(arcs[at]);
    else for (let arc = this.first_arc[f]; arc < this.first_arc[f + 1]; arc++) list.push(arc);
    const costs = this.costs("a.cost", event);
    list.sort((a, b) => costs.compare(a, b) || a - b);
    return list.map((arc) => ({ arc, other: side === "callers" ? caller[arc] : callee[arc] }));
  }

  /** The first site of each arc, and of what has several sites the place among those. */
  sites() {
    if (!this.site_index) {
      const counts = this.columns.numbers("a.sites").near;
      this.site_index = { first: starts(counts), several: starts(counts.map((count) => (count > 1 ? count : 0))) };
    }
    return this.site_index;
  }

  /** The lines of a function and the calls from them, by file, its own first, and line.
   * With `--own`, lines have the library functions whose cost is attributed to them.
   * @param {number} f @param {number} event
   * @returns {{file: number, line: number, own: Count | null, calls: {callee: number, count: Count, cost: Count}[],
   *   library: {name: string, others: number, calls: Count, cost: Count}[]}[]}
   */
  lines(f, event) {
    const found = new Map();
    const at = (/** @type {number} */ file, /** @type {number} */ line) => {
      const key = file * 2 ** 32 + line;
      let row = found.get(key);
      if (!row) found.set(key, (row = { file, line, own: null, calls: [], library: [] }));
      return row;
    };
    const number = (/** @type {string} */ name) => this.columns.numbers(name);
    const [l_file, l_line, own] = [number("l.file"), number("l.line"), this.costs("l.self", event)];
    const [b_name, b_others] = [number("b.name").near, number("b.count").near];
    const [b_calls, b_cost] = [number("b.calls"), this.costs("b", event)];
    for (let line = this.first_line[f]; line < this.first_line[f + 1]; line++) {
      const row = at(l_file.near[line], l_line.near[line]);
      row.own = own.at(line);
      for (let b = this.first_library[line]; b < this.first_library[line + 1]; b++) {
        row.library.push({ name: this.name_table[b_name[b]], others: b_others[b], calls: b_calls.at(b), cost: b_cost.at(b) });
      }
    }
    const [callee, count, cost] = [number("a.callee").near, number("a.count"), this.costs("a.cost", event)];
    const [s_file, s_line, s_count] = [number("s.file").near, number("s.line").near, number("s.count")];
    const s_cost = this.costs("s.cost", event);
    const { first, several } = this.sites();
    for (let arc = this.first_arc[f]; arc < this.first_arc[f + 1]; arc++) {
      const sites = first[arc + 1] - first[arc];
      for (let nth = 0; nth < sites; nth++) {
        const site = first[arc] + nth;
        const own = several[arc] + nth;
        at(s_file[site], s_line[site]).calls.push({
          callee: callee[arc],
          count: sites > 1 ? s_count.at(own) : count.at(arc),
          cost: sites > 1 ? s_cost.at(own) : cost.at(arc),
        });
      }
    }
    const home = this.place_file[this.place_of[f]];
    const order = (/** @type {number} */ file) => (file === home ? -1 : file);
    return [...found.values()].sort((a, b) => order(a.file) - order(b.file) || a.line - b.line);
  }

  sources() {
    this.source_index ??= source_lines(this.columns, this.about.sources);
    return this.source_index;
  }
}
