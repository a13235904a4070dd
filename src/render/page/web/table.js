// A table of any length: only the rows that are in sight are elements.

const ROW = 20;

/** @typedef {{key: string, title: string, hint?: string, width: string, text: (row: number) => string | Node}} Column */

class Grid {
  /** @param {string} label @param {(row: number) => void} pick @param {(key: string) => void} sort */
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
    this.head = el("div", { role: "row", class: "head", "aria-rowindex": 1 });
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
    const least = columns.reduce((sum, column) => sum + parseInt(column.width.replace("minmax(", "")), 0);
    this.element.style.setProperty("--least", `${least}ch`);
    fill(
      this.head,
      ...columns.map((column) =>
        el(
          "div",
          {
            role: "columnheader",
            class: column.key,
            title: column.hint,
            "aria-sort": column.key === sorted ? (column.key === "name" || column.key === "file" ? "ascending" : "descending") : "none",
          },
          el("button", { tabindex: -1, onclick: () => this.sort(column.key) }, column.title),
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
            this.pick(row);
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
  }

  /** @param {number} by */
  move(by) {
    this.cursor = Math.max(0, Math.min(this.rows.length - 1, this.cursor + by));
    this.show();
  }

  /** Picks another row. @param {number} by */
  step(by) {
    this.move(by);
    this.pick(this.rows[this.cursor]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, End: this.rows.length };
    const by = steps[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (by) this.move(by);
    else if (event.key === "Enter") this.pick(this.rows[this.cursor]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
