// A table of any length: only the rows that are in sight are elements.

import { el, fill, walk } from "./elements.js";
import { grouped } from "./numbers.js";

const ROW = 20;

/** A column; `by` is what a press on its title sorts by if that is not its key, "" if nothing is sorted by it. Where there is little
 * room, the columns with the largest `spare` go first.
 * @typedef {{key: string, title: string, hint?: string, width: string, by?: string, spare?: number, text: (row: number) => string | Node}} Column
 */

/** How many characters columns need at least. @param {Column[]} columns */
export function least_width(columns) {
  return columns.reduce((sum, column) => sum + parseFloat(column.width.replace("minmax(", "")), 0);
}

/** The width of a column: of its longest text, and of what is around that. @param {...number} characters */
export function wide(...characters) {
  return `${Math.max(...characters) + 1.25}ch`;
}

/** The largest of some numbers, without signs. @param {Float64Array} numbers */
export function largest(numbers) {
  return numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
}

/** How many characters the longest of some counts has, with a sign. @param {Float64Array} numbers */
export function digits(numbers) {
  return grouped(BigInt(Math.ceil(largest(numbers)))).length + 1;
}

/** The columns that have room in so many characters; that which is sorted by stays.
 * @param {Column[]} columns @param {number} room @param {string} sorted
 */
export function fitting(columns, room, sorted) {
  for (let spare = 9; spare > 0 && least_width(columns) > room; spare--) {
    columns = columns.filter((column) => column.spare !== spare || column.key === sorted);
  }
  return columns;
}

export class Grid {
  /** `pick` is told whether it is one of many steps. @param {string} label @param {(row: number, step: boolean) => void} pick
   * @param {(key: string) => void} sort
   */
  constructor(label, pick, sort) {
    this.pick = pick;
    this.sort = sort;
    /** @type {ArrayLike<number>} */
    this.rows = [];
    /** @type {Column[]} */
    this.columns = [];
    this.cursor = 0;
    this.picked = -1;
    this.sorted = "";
    this.head = el("div", {
      role: "row",
      class: "head",
      "aria-rowindex": 1,
      onkeydown: (/** @type {KeyboardEvent} */ event) => walk(this.head, event),
    });
    this.body = el("div", { class: "body", role: "presentation" });
    this.element = el(
      "div",
      {
        class: "grid",
        role: "grid",
        tabindex: 0,
        "aria-label": label,
        onscroll: () => this.draw(),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      },
      this.head,
      this.body,
    );
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** @param {Column[]} columns @param {string} sorted */
  set_columns(columns, sorted) {
    this.columns = columns;
    this.sorted = sorted;
    this.element.setAttribute("aria-colcount", String(columns.length));
    this.element.style.setProperty("--columns", columns.map((column) => column.width).join(" "));
    this.element.style.setProperty("--least", `${least_width(columns)}ch`);
    // One of the titles is a stop of Tab; arrows lead to the others.
    const stop = Math.max(
      0,
      columns.findIndex((column) => column.key === sorted),
    );
    fill(
      this.head,
      ...columns.map((column, at) =>
        el(
          "div",
          {
            role: "columnheader",
            class: column.key,
            title: column.hint,
            "aria-sort": column.key === sorted ? (column.key === "name" || column.key === "file" ? "ascending" : "descending") : "none",
          },
          column.by === ""
            ? el("span", {}, column.title)
            : el(
                "button",
                { tabindex: at === stop ? 0 : -1, "data-key": at, onclick: () => this.sort(column.by ?? column.key) },
                column.title,
              ),
        ),
      ),
    );
  }

  /** @param {ArrayLike<number>} rows @param {number} picked */
  set_rows(rows, picked) {
    this.rows = rows;
    this.picked = picked;
    this.element.setAttribute("aria-rowcount", String(rows.length + 1));
    this.body.style.height = `${rows.length * ROW}px`;
    const at = Array.prototype.indexOf.call(rows, picked);
    this.cursor = at < 0 ? 0 : at;
    this.show();
  }

  /** Scrolls to the cursor. */
  show() {
    const { element } = this;
    const room = element.clientHeight - 2 * ROW;
    const top = this.cursor * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = Math.max(0, top - room / 2);
    this.draw();
  }

  draw() {
    const from = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 2);
    const to = Math.min(this.rows.length, from + Math.ceil(this.element.clientHeight / ROW) + 4);
    const rows = [];
    for (let at = from; at < to; at++) {
      const row = this.rows[at];
      const element = el(
        "div",
        {
          role: "row",
          id: `row${at}`,
          class: "row",
          "aria-rowindex": at + 2,
          "aria-selected": String(row === this.picked),
          onclick: () => {
            this.cursor = at;
            this.pick(row, false);
          },
        },
        ...this.columns.map((column) => el("div", { role: "gridcell", class: column.key }, column.text(row))),
      );
      element.style.top = `${at * ROW}px`;
      if (at === this.cursor) element.classList.add("cursor");
      rows.push(element);
    }
    this.body.replaceChildren(...rows);
    if (this.rows.length) this.element.setAttribute("aria-activedescendant", `row${this.cursor}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** @param {number} by */
  move(by) {
    this.cursor = Math.max(0, Math.min(this.rows.length - 1, this.cursor + by));
    this.show();
  }

  /** Picks another row. @param {number} by */
  step(by) {
    this.move(by);
    this.choose(true);
  }

  /** Picks the row of the cursor, if there is any. @param {boolean} step */
  choose(step) {
    if (this.rows.length) this.pick(this.rows[this.cursor], step);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, End: this.rows.length };
    const by = steps[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (by) this.move(by);
    else if (event.key === "Enter") this.choose(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
