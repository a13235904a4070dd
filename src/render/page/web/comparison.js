// The comparison of two runs. Names of columns are those of comparison.rs.

/** A count of the old run and one of the new. @typedef {{old: Numbers, new: Numbers}} Pair */

const STATUS = ["", "moved", "renamed", "new", "gone"];

class Comparison {
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

  /** @param {string} name @param {string | null} file @param {string | null} object */
  find(name, file, object) {
    const wanted = this.name_table.indexOf(name);
    for (let f = 0; f < this.size && wanted >= 0; f++) {
      const is_meant = this.name_of[f] === wanted && (file === null || this.file(f) === file);
      if (is_meant && (object === null || this.objects[this.object_of(f)] === object)) return f;
    }
    return -1;
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
