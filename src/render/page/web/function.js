// One function: its callers and callees, which are exact, and its cost by line.

import { missing_source } from "./columns.js";
import { CHARACTER, REACH, el, fill, name_element, one_column, plain_table } from "./elements.js";
import { counted, grouped, middle, minus, plural, plus, share, whole_name } from "./numbers.js";

/** @import { Count } from "./columns.js" */
/** @import { State } from "./state.js" */

/** How many callers and callees show before somebody asks for all, and how many lines and calls from them. */
export const SHOWN = 100;
const LINES = 3000;

export class FunctionView {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.element = el("section", { id: "function", "aria-label": "Function", tabindex: -1 });
    /** @type {HTMLElement[]} */
    this.hot = [];
    this.at = 0;
    this.shown = "";
  }

  draw() {
    const { state } = this;
    const { profile, f, event } = state;
    const key = `${f} ${event} ${state.of} ${this.element.clientWidth}`;
    if (key === this.shown) return;
    this.shown = key;
    // What is followed from here leads to here.
    const inside = this.element.contains(document.activeElement);
    this.hot = [];
    if (f < 0) {
      fill(this.element, el("p", { class: "empty" }, "No function of this name is on the page."));
      return;
    }
    const whole = profile.events[event].total;
    const own = profile.costs("f.self", event).at(f);
    const known = profile.about.has_inclusive;
    const inclusive = known ? profile.costs("f.incl", event).at(f) : own;
    const object = profile.objects[profile.object_of(f)];
    const cycle = profile.cycle_of[f];
    fill(
      this.element,
      el("h2", { title: whole_name(profile.name(f)) }, middle(profile.name(f), 1000) + REACH[profile.reach[f]]),
      el(
        "p",
        { class: "where" },
        middle(profile.file(f), 200),
        object ? ` [${object}]` : "",
        cycle > 0 && el("a", { href: state.link({ tab: "cycles" }) }, ` in cycle ${cycle}`),
      ),
      el(
        "p",
        { class: "sums" },
        el("b", {}, `${grouped(own)} self`),
        ` ${share(own, whole)}, `,
        known && el("b", {}, `${grouped(inclusive)} inclusive`),
        known && ` ${share(inclusive, whole)}, calls: ${counted(profile.called.at(f))}`,
      ),
      known && el("div", { class: "halves" }, this.half("callers", own, inclusive), this.half("callees", own, inclusive)),
      this.source(inclusive),
    );
    if (inside) this.element.focus();
    this.element.scrollTop = 0;
    // Where it has little height, the lists above the lines come first.
    this.mark(this.at, one_column());
  }

  /** The lines of the function, the first of them until all are asked for. @param {Count} inclusive */
  source(inclusive) {
    const into = el("div");
    const show = (/** @type {number} */ most) => {
      [this.hot, this.at] = [[], 0];
      const { parts, cut } = this.lines(inclusive, most);
      const all = () => {
        show(Infinity);
        this.element.focus();
      };
      if (cut)
        parts.push(
          el("p", { class: "rest" }, `only the first ${grouped(most)} lines are shown: `, el("button", { onclick: all }, "all lines")),
        );
      fill(into, ...parts);
    };
    show(LINES);
    return into;
  }

  /** Callers or callees with what each has of the inclusive cost. @param {"callers" | "callees"} side
   * @param {Count} own @param {Count} inclusive
   */
  half(side, own, inclusive) {
    const { state } = this;
    const { profile, f, event } = state;
    const arcs = profile.arcs(f, side, event);
    const [costs, counts] = [profile.costs("a.cost", event), profile.columns.numbers("a.count")];
    const base = state.of ? inclusive : profile.events[event].total;
    const room = Math.max(20, Math.floor((this.element.clientWidth / 2 - 230) / CHARACTER));
    const again = arcs.filter(({ other }) => profile.recursive(f, other));
    const others = arcs.filter(({ other }) => !profile.recursive(f, other));
    /** @type {Count} */
    let explained = side === "callees" ? own : 0;
    for (const { arc } of others) explained = plus(explained, costs.at(arc));
    /** @type {(Node | string)[][]} */
    const last = [];
    const cut = profile.columns.numbers(`f.${side}+.count`).at(f);
    if (cut) {
      const cost = profile.costs(`f.${side}+`, event).at(f);
      explained = plus(explained, cost);
      const calls = profile.columns.numbers(`f.${side}+.calls`).at(f);
      last.push([grouped(cost), share(cost, base), `${grouped(calls)}×`, el("i", {}, `${grouped(cut)} omitted`)]);
    }
    const rest = minus(inclusive, explained);
    const in_cycle = profile.cycle_of[f] > 0;
    if (Number(rest) && !(side === "callers" && in_cycle)) {
      const why = side === "callers" ? "no caller is known" : "no callee is known";
      last.push([grouped(rest), share(rest, base), "", el("i", {}, why)]);
    }
    const title = side === "callers" ? "Callers" : "Callees";
    const first = side === "callees" ? [[grouped(own), share(own, base), "", el("i", {}, "self")]] : [];
    const other = side === "callers" ? "caller" : "callee";
    /** Some arcs, of which the dearest show until all are asked for; of what is within recursion there are no shares.
     * @param {string} caption @param {typeof arcs} list @param {Count} base @param {(Node | string)[][]} first @param {(Node | string)[][]} last
     */
    const table = (caption, list, base, first, last) => {
      const into = el("div");
      const show = (/** @type {number} */ most) => {
        const shown = list.slice(0, most).map(({ arc, other }) => {
          const link = name_element(profile, other, room, "", state.link({ f: other }));
          return [grouped(costs.at(arc)), share(costs.at(arc), base), counted(counts.at(arc), "×"), link];
        });
        const more = list.slice(most);
        const cost = more.reduce((sum, { arc }) => plus(sum, costs.at(arc)), /** @type {Count} */ (0));
        const all = () => {
          show(list.length);
          into.querySelectorAll("a")[most].focus();
        };
        const rest = [base ? grouped(cost) : "", share(cost, base), "", el("button", { onclick: all }, `${grouped(more.length)} more`)];
        const rows = [...first, ...shown, ...(more.length ? [rest] : []), ...last];
        fill(into, plain_table(caption, ["cost", state.of ? "of it" : "of all", "calls", other], rows));
      };
      show(SHOWN);
      return into;
    };
    return el(
      "div",
      {},
      table(title, others, base, first, last),
      again.length > 0 && table(`${title} within recursion: their cost is in that of the others`, again, 0, [], []),
    );
  }

  /** So many lines of the function at most, with the source around them where it is known, and whether there are more.
   * @param {Count} inclusive @param {number} most
   */
  lines(inclusive, most) {
    const { state } = this;
    const { profile, f, event } = state;
    const lines = profile.lines(f, event);
    const sources = profile.sources();
    const base = state.of ? inclusive : profile.events[event].total;
    const parts = [];
    const files = new Set(lines.map(({ file, line }) => (line ? file : -1)));
    const known = [...files].filter((file) => file >= 0);
    const missing = known.filter((file) => !sources.has(file));
    const gap = known.length
      ? missing_source(profile.columns, profile.files, missing, known.length)
      : lines.length > 0 && "The profile has no lines of this function: compiled code needs -g.";
    if (gap) parts.push(el("p", { class: "rest" }, gap));
    let [left, best, cut] = [most, 0, false];
    for (let from = 0; from < lines.length && !cut;) {
      const file = lines[from].file;
      let to = from;
      while (to < lines.length && lines[to].file === file) to++;
      const source = sources.get(file);
      const rows = [];
      let last = 0;
      for (const line of lines.slice(from, to)) {
        cut ||= rows.length >= left;
        if (cut) break;
        if (source) {
          const before = Math.max(last + 1, line.line - 4);
          if (last && before > last + 1) rows.push(el("tr", { class: "gap" }, el("td", { colspan: 4 }, "⋯")));
          for (let number = before; number < line.line; number++) {
            if (source.lines.has(number)) rows.push(this.line(number, "", "", source.lines.get(number) ?? ""));
          }
        }
        /** @type {Count} */
        let all = line.own ?? 0;
        for (const call of line.calls) if (!profile.recursive(f, call.callee)) all = plus(all, call.cost);
        const heat = Number(inclusive) ? Number(all) / Number(inclusive) : 0;
        const text = source?.lines.get(line.line) ?? (line.line ? "" : "(line not known)");
        const row = this.line(line.line, line.own === null ? "" : grouped(line.own), line.own === null ? "" : share(line.own, base), text);
        row.style.setProperty("--heat", String(Math.max(0, Math.min(1, heat))));
        if (heat >= 0.01) {
          if (heat > best) [best, this.at] = [heat, this.hot.length];
          this.hot.push(row);
        }
        rows.push(row);
        const library = line.library.map((paid) => this.paid(paid, base));
        if (library.length) {
          const open = () => library.forEach((row) => row.toggleAttribute("hidden"));
          row.lastElementChild?.append(
            " ",
            el("button", { onclick: open, title: "Library functions whose cost is attributed to this line" }, "⋯"),
          );
        }
        rows.push(...library);
        for (const call of line.calls) {
          cut = rows.length >= left;
          if (cut) break;
          rows.push(
            el(
              "tr",
              { class: "call" },
              el("td", {}),
              el("td", { class: "number" }, grouped(call.cost)),
              el("td", { class: "number" }, profile.recursive(f, call.callee) ? "" : share(call.cost, base)),
              el("td", {}, `→ ${counted(call.count, "×")} `, name_element(profile, call.callee, 80, "", state.link({ f: call.callee }))),
            ),
          );
        }
        last = line.line;
      }
      const next = source ? last + 4 : 0;
      for (let number = last + 1; number <= next; number++) {
        if (source?.lines.has(number)) rows.push(this.line(number, "", "", source.lines.get(number) ?? ""));
      }
      left -= rows.length;
      const about = source?.newer ? " (changed after the profile was written)" : last && !source ? " (no source, see above)" : "";
      const title = middle(profile.files[file], 200) + about;
      if (rows.length) parts.push(el("table", { class: "source" }, el("caption", {}, title), el("tbody", {}, ...rows)));
      from = to;
    }
    const others = profile.columns.numbers("f.lines+.count").at(f);
    if (others) {
      const cost = profile.costs("f.lines+", event).at(f);
      parts.push(el("p", { class: "rest" }, `${plural(others, "line")} with ${grouped(cost)} in all omitted`));
    }
    return { parts, cut };
  }

  /** A library function that a line paid for, hidden at first.
   * @param {{name: string, others: number, calls: Count, cost: Count}} paid @param {Count} base
   */
  paid({ name, others, calls, cost }, base) {
    const each = Number(calls) ? `, ${grouped(Math.round(Number(cost) / Number(calls)))} each` : "";
    return el(
      "tr",
      { class: "call", hidden: "" },
      el("td", {}),
      el("td", { class: "number" }, grouped(cost)),
      el("td", { class: "number" }, share(cost, base)),
      others
        ? el("td", {}, `(${grouped(others)} more)`)
        : el("td", { title: name }, `${each ? `→ ${grouped(calls)}×${each}` : "inlined"} ${middle(name, 80)}`),
    );
  }

  /** @param {number} number @param {string} cost @param {string} part @param {string} text */
  line(number, cost, part, text) {
    return el(
      "tr",
      {},
      el("td", { class: "number at" }, number ? String(number) : ""),
      el("td", { class: "number" }, cost),
      el("td", { class: "number" }, part),
      el("td", { class: "code" }, text),
    );
  }

  /** Goes to another hot line. @param {number} by */
  step(by) {
    if (this.hot.length) this.mark((this.at + by + this.hot.length) % this.hot.length);
  }

  /** @param {number} at @param {boolean} [still] whether nothing scrolls to it */
  mark(at, still) {
    for (const row of this.hot) row.removeAttribute("aria-current");
    const row = this.hot[at];
    if (!row) return;
    this.at = at;
    row.setAttribute("aria-current", "true");
    if (still) return;
    // The lists above it stay in sight if they can.
    const [here, all] = [row.getBoundingClientRect(), this.element.getBoundingClientRect()];
    if (here.top < all.top || here.bottom + 40 > all.bottom) this.element.scrollTop += here.top - all.top - all.height * 0.6;
  }
}
