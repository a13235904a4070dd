// Elements, whose texts are text nodes: nothing of a profile ever becomes markup.

import { short_name, whole_name } from "./numbers.js";

/** An element with attributes, listeners and children.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {(Node | string | null | false)[]} children
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  for (const child of children) if (child !== null && child !== false) element.append(child);
  return element;
}

/** Puts children in place of those that an element has. What had the focus keeps it: the child with the same `data-key` has it then.
 * @param {Element} element
 * @param {(Node | string | null | false)[]} children
 */
export function fill(element, ...children) {
  const { activeElement: focused } = document;
  const key = focused && element.contains(focused) && focused.getAttribute("data-key");
  element.replaceChildren(...children.filter((child) => child !== null && child !== false).map((child) => /** @type {Node} */ (child)));
  if (key) /** @type {HTMLElement | null} */ (element.querySelector(`[data-key="${key}"]`))?.focus();
  return element;
}

/** What stands behind the name of a function, by how its code is reached. */
export const REACH = ["", " (inlined)", " (called and inlined)"];

/** A function's name and what is behind it, short enough for so many characters, whole when the pointer rests on it; perhaps a link.
 * @param {{name: (f: number) => string, reach: Float64Array}} profile @param {number} f @param {number} most @param {string} [behind] @param {string} [href]
 */
export function name_element(profile, f, most, behind = "", href) {
  const [name, rest] = [profile.name(f), REACH[profile.reach[f]] + behind];
  const short = short_name(name, Math.max(8, most - rest.length));
  return el("span", {}, el(href ? "a" : "span", { class: "name", href, title: whole_name(name) }, short), rest && el("i", {}, rest));
}

/** Whether the window is so narrow that all stands in one column, as page.css has it. */
export function one_column() {
  return matchMedia("(max-width: 700px)").matches;
}

/** Arrows lead from one of some buttons to the next: together they are one stop of Tab.
 * @param {HTMLElement} element @param {KeyboardEvent} event
 */
export function walk(element, event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by) {
    const buttons = [...element.querySelectorAll("button")];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const next = buttons[(at + by + buttons.length) % buttons.length];
    for (const button of buttons) button.setAttribute("tabindex", button === next ? "0" : "-1");
    next.focus();
    event.preventDefault();
  }
  // Enter presses a button and picks no row; what has a letter is for the page.
  if (by || event.key === "Enter") event.stopPropagation();
}

/** How wide a character of code is, in pixels. */
export let CHARACTER = 7;

/** Measures that. */
export function measure_characters() {
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  context.font = CODE_FONT;
  CHARACTER = context.measureText("0").width || CHARACTER;
}

export const CODE_FONT = "12px ui-monospace, Consolas, 'DejaVu Sans Mono', monospace";

/** A table of texts and elements; what is a number or looks like one stands to the right.
 * @param {string} caption @param {string[]} head @param {(Node | string)[][]} rows
 */
export function plain_table(caption, head, rows) {
  const cell = (/** @type {Node | string} */ content, /** @type {string} */ tag) =>
    el(tag, typeof content === "string" && /^([-+]?[\d,.]+( %|×)?|\.)$/.test(content) ? { class: "number" } : {}, content);
  return el(
    "table",
    {},
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...head.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((content) => cell(content, "td"))))),
  );
}
