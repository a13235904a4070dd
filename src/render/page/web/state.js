// What is looked at. It is in the fragment of the address, by names, so that Back works and a link points at a function.

/** @import { Profile } from "./profile.js" */

/** The function that names mean; -1 if there is none. What is not said does not matter.
 * @param {Profile} data @param {string} name @param {string | null} file @param {string | null} object
 */
function find(data, name, file, object) {
  const wanted = data.name_table.indexOf(name);
  for (let f = 0; f < data.size && wanted >= 0; f++) {
    const is_meant = data.name_of[f] === wanted && (file === null || data.file(f) === file);
    if (is_meant && (object === null || data.objects[data.object_of(f)] === object)) return f;
  }
  return -1;
}

export class State {
  /** @param {Profile} profile */
  constructor(profile) {
    this.profile = profile;
    this.event = profile.about.first;
    this.f = -1;
    this.object = -1;
    this.query = "";
    this.sort = profile.about.sort || "self";
    this.tab = "";
    /** What a picture shows: names from the outside in, or a range of the stacks. */
    this.at = "";
    /** Whether shares are of the parent: of the function, of the box around. */
    this.of = "";
    /** What stacks show of the function: "" from the start, "callers", or "both" callers and callees. */
    this.around = "";
    /** Whether a list has every event. */
    this.all = "";
    /** The first function of each name; for others an address needs more than the name. */
    this.first = new Int32Array(profile.name_table.length);
    for (let f = profile.size - 1; f >= 0; f--) this.first[profile.name_of[f]] = f;
    // What a key does that is held down is one step of the history.
    this.held = false;
    for (const type of ["keydown", "keyup"]) {
      addEventListener(type, (event) => (this.held = /** @type {KeyboardEvent} */ (event).repeat), true);
    }
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.read();
    addEventListener("hashchange", () => {
      if (location.hash !== this.written) {
        this.read();
        this.tell();
      }
    });
  }

  /** Takes the state from the address. */
  read() {
    const said = new URLSearchParams(location.hash.slice(1));
    const { profile } = this;
    const place = (/** @type {{name: string}[]} */ list, /** @type {string} */ name) => list.findIndex((e) => e.name === name);
    const event = place(profile.events, said.get("event") || "");
    this.event = event < 0 ? profile.about.first : event;
    this.object = profile.objects.indexOf(said.get("object") ?? "\n");
    this.query = said.get("search") || "";
    this.sort = said.get("sort") || profile.about.sort || "self";
    this.tab = said.get("tab") || "";
    this.at = said.get("at") || "";
    this.of = said.get("of") || "";
    this.all = said.get("all") || "";
    this.around = said.get("around") || "";
    const name = said.get("f");
    this.f = name === null ? Math.min(0, profile.size - 1) : find(profile, name, said.get("file"), said.get("in"));
    this.written = location.hash;
  }

  /** The address of a function, and of whatever else is looked at. @param {Partial<State>} change */
  link(change) {
    const now = { ...this, ...this.whole(change) };
    const { profile } = this;
    const said = new URLSearchParams();
    if (now.f >= 0) {
      said.set("f", profile.name(now.f));
      if (this.first[profile.name_of[now.f]] !== now.f) {
        said.set("file", profile.file(now.f));
        said.set("in", profile.objects[profile.object_of(now.f)]);
      }
    }
    if (now.event !== profile.about.first) said.set("event", profile.events[now.event].name);
    if (now.object >= 0) said.set("object", profile.objects[now.object]);
    if (now.query) said.set("search", now.query);
    if (now.sort !== (profile.about.sort || "self")) said.set("sort", now.sort);
    for (const key of /** @type {const} */ (["tab", "at", "of", "all", "around"])) if (now[key]) said.set(key, now[key]);
    return `#${said}`;
  }

  /** A change with what goes with it: stacks around another function show whole. @param {Partial<State>} change */
  whole(change) {
    const { f = this.f, at = f === this.f || !this.around || this.tab === "treemap" ? this.at : "" } = change;
    return { ...change, at };
  }

  /** Looks at something else. What is typed replaces the last step of the history, all else is a step of its own.
   * @param {Partial<State>} change @param {boolean} [replace]
   */
  go(change, replace) {
    const link = this.link(change);
    Object.assign(this, this.whole(change));
    if (link !== location.hash && !(link === "#" && !location.hash)) {
      history[replace || this.held ? "replaceState" : "pushState"](null, "", link);
    }
    this.written = location.hash;
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener();
  }
}
