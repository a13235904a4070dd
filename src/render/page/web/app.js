// What every page has: search, keys, and how it begins.

import { unpack } from "./columns.js";
import { el, plain_table } from "./elements.js";

/** @import { Columns } from "./columns.js" */
/** @import { State } from "./state.js" */
/** @import { Grid } from "./table.js" */

/** Says which of some names are meant. @param {string[]} names @param {string} query */
export function matcher(names, query) {
  const pattern = /^\/(.+)\/$/.exec(query);
  /** @type {(name: string) => boolean} */
  let matches = (name) => name.toLowerCase().includes(text);
  const text = query.toLowerCase();
  try {
    const re = pattern && new RegExp(pattern[1], "i");
    if (re) matches = (name) => re.test(name);
  } catch {
    matches = () => false;
  }
  return Uint8Array.from(names, (name) => Number(matches(name)));
}

/** Where names are searched for. @param {State} state @param {Grid} grid */
export function search_box(state, grid) {
  const box = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "search",
      placeholder: "/ search, or /re/",
      "aria-label": "Search functions",
      spellcheck: "false",
      oninput: () => state.go({ query: box.value }, true),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        event.stopPropagation();
        if (event.key === "Enter" || event.key === "ArrowDown") {
          if (grid.rows.length) state.go({ f: grid.rows[0] });
          event.preventDefault();
        } else if (event.key === "Escape") state.go({ query: "" }, true);
        else return;
        grid.element.focus();
      },
    })
  );
  return box;
}

/** @param {HTMLInputElement} box */
export function focus_search(box) {
  box.focus();
  box.select();
}

/** What single keys do, where nobody types. @param {Record<string, () => void>} keys */
export function on_keys(keys) {
  addEventListener("keydown", (event) => {
    const act = keys[event.key];
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (!act || typing || document.querySelector("dialog[open]") || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
}

/** Copies a text; pages of files may not use the clipboard itself. @param {string} text */
export function copy(text) {
  const before = document.activeElement;
  const area = /** @type {HTMLTextAreaElement} */ (el("textarea", { class: "copied" }));
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
}

/** What lists the keys, and the button that shows it. @param {[string, string][]} keys */
export function key_list(keys) {
  const list = /** @type {HTMLDialogElement} */ (
    el(
      "dialog",
      { "aria-label": "Keys" },
      el("h2", {}, "Keys"),
      plain_table("", ["key", "what it does"], keys),
      el("button", { onclick: () => list.close() }, "close"),
    )
  );
  return { list, button: el("button", { onclick: () => list.showModal(), "aria-label": "Keys" }, "?") };
}

/** Shows the page in place of what was there without a script; draws it anew when it gets wider. What can wait is done when
 * the first picture is there and nothing else is to be done.
 * @param {HTMLElement} app @param {() => void} draw @param {() => void} redraw @param {() => void} [later]
 */
export function show_app(app, draw, redraw, later) {
  const { classList } = document.documentElement;
  classList.add("begun");
  app.hidden = false;
  draw();
  const idle = window.requestIdleCallback ?? setTimeout;
  requestAnimationFrame(() =>
    idle(() => {
      later?.();
      classList.add("ready");
    }),
  );
  let width = innerWidth;
  addEventListener("resize", () => {
    if (width === innerWidth) return;
    width = innerWidth;
    redraw();
  });
}

/** Unpacks the data and goes on. @param {(columns: Columns) => void} go_on */
export function begin(go_on) {
  unpack(/** @type {HTMLElement} */ (document.getElementById("data")).textContent ?? "")
    .then(go_on)
    .catch((error) => {
      // What is read without a script is better than half a page.
      document.documentElement.classList.remove("begun");
      document.getElementById("app")?.setAttribute("hidden", "");
      document.getElementById("plain")?.prepend(el("p", { role: "alert" }, `This page cannot be shown in full: ${error}`));
    });
}
