// The comparison of two runs. Names of columns are those of comparison.rs.

import { starts } from "./columns.js";
import { grouped, middle, minus, plus, signed } from "./numbers.js";
import { Tree } from "./tree.js";

/** @import { Columns, Numbers } from "./columns.js" */
/** @import { Leaf } from "./tree.js" */

/** A count of the old run and one of the new. @typedef {{old: Numbers, new: Numbers}} Pair */

export const STATUS = ["", "moved", "renamed", "new", "gone"];

export class Comparison {
  /** @param {Columns} columns */
  constructor(columns) {
    this.columns = columns;
    this.about = JSON.parse(columns.texts("about")[0]);
    const count = (/** @type {string} */ text) => {
      const exact = BigInt(text);
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
    };
    /** @type {{name: string, long: string, old: Count, new: Count, shares: boolean, waterfall: {label: string, f: number | null, change: Count}[]}[]} */
    this.events = this.about.events.map((/** @type {any} */ event) => ({
      ...event,
      old: count(event.old),
      new: count(event.new),
      waterfall: event.waterfall.map((/** @type {any} */ step) => ({ ...step, change: count(step.change) })),
    }));
    const near = (/** @type {string} */ name) => columns.numbers(name).near;
    this.name_table = columns.texts("names");
    this.files = columns.texts("files");
    this.objects = columns.texts("objects");
    this.name_of = near("r.name");
    this.file_of = near("r.file");
    this.object_table = near("r.object");
    this.status = near("r.status");
    this.reach = near("r.reach");
    this.was = columns.texts("r.was");
    this.size = this.name_of.length;
    this.first_arc = starts(near("r.arcs"));
    this.first_line = starts(near("r.lines"));
  }

  /** @param {number} f */
  name(f) {
    return this.name_table[this.name_of[f]];
  }

  /** @param {number} f */
  file(f) {
    return this.files[this.file_of[f]];
  }

  /** @param {number} f */
  object_of(f) {
    return this.object_table[f];
  }

  /** What something cost in both runs. @param {string} name @param {number} event @returns {Pair} */
  pair(name, event) {
    return { old: this.columns.numbers(`${name}.old.${event}`), new: this.columns.numbers(`${name}.new.${event}`) };
  }

  /** The changes of all rows, for an order of them. @param {string} name @param {number} event */
  change(name, event) {
    const pair = this.pair(name, event);
    return { at: (/** @type {number} */ at) => minus(pair.new.at(at), pair.old.at(at)) };
  }

  /** Where cost came and went: as wide as both together, its dark part the net change. @param {number} event @returns {Tree | null} */
  stacks(event) {
    const numbers = (/** @type {string} */ name) => this.columns.numbers(`d.${event}.${name}`);
    const [kind, name, f, depth] = ["kind", "name", "f", "depth"].map((column) => numbers(column).near);
    if (!kind.length) return null;
    const [old, now, size] = [numbers("old"), numbers("new"), numbers("size")];
    /** @type {Leaf} */
    const all = { label: "all that changed", value: 0, least: 0, most: 0, f: -1, colour: 2, hatched: false };
    const nodes = [all];
    const depths = new Float64Array(kind.length + 1);
    kind.forEach((what, at) => {
      const net = minus(now.at(at), old.at(at));
      const label = what ? (what > 1 ? `cycle of ${this.name_table[name[at]]}` : this.name_table[name[at]]) : "omitted here";
      depths[at + 1] = depth[at] + 1;
      if (!depth[at]) all.value = plus(all.value, size.at(at));
      nodes.push({
        label,
        value: size.at(at),
        least: net < 0 ? minus(0, net) : net,
        most: size.at(at),
        f: f[at] - 1,
        colour: net > 0 ? 1 : net < 0 ? 0 : 2,
        hatched: !what,
        says: `${middle(label, 200)}: about ${signed(net)}, ${grouped(old.at(at))} → ${grouped(now.at(at))}; ${grouped(size.at(at))} added or removed`,
      });
    });
    all.least = all.most = all.value;
    all.says = `all: ${grouped(all.value)} added or removed`;
    return Tree.list(nodes, depths);
  }

  /** The arcs to or from a function. @param {number} f @param {"callers" | "callees"} side */
  arcs(f, side) {
    const callee = this.columns.numbers("a.callee").near;
    const list = [];
    if (side === "callees") {
      for (let arc = this.first_arc[f]; arc < this.first_arc[f + 1]; arc++) list.push({ arc, other: callee[arc] });
    } else {
      for (let other = 0; other < this.size; other++) {
        for (let arc = this.first_arc[other]; arc < this.first_arc[other + 1]; arc++) if (callee[arc] === f) list.push({ arc, other });
      }
    }
    return list;
  }
}
