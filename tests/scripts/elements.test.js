import assert from "node:assert/strict";
import { test } from "node:test";
import * as elements from "../../src/render/page/web/elements.js";
import { cells, open_window, outline } from "./document.js";

const { el, fill, measure_characters, name_element, plain_table } = elements;

test("an element has attributes, listeners and children", () => {
  open_window();
  let pressed = 0;
  const made = el(
    "p",
    { class: "a", title: undefined, hidden: false, tabindex: 0, onclick: () => pressed++ },
    "x",
    null,
    false,
    el("b"),
    "",
  );
  assert.equal(outline(made, ["title", "hidden", "tabindex"]), 'p.a[tabindex=0]("x" b "")');
  made.click();
  assert.equal(pressed, 1);
  assert.equal(outline(el("i")), "i");
});

test("what is filled anew keeps the focus by its key", () => {
  const page = open_window();
  const make = () => [el("button", { "data-key": "a" }), null, false, el("button", { "data-key": "b" }), "text"];
  const into = el("div");
  document.body.append(into);
  assert.equal(fill(into, ...make()), into);
  assert.equal(outline(into), 'div(button button "text")');
  into.querySelector('[data-key="b"]').focus();
  const before = document.activeElement;
  fill(into, ...make());
  assert.notEqual(document.activeElement, before);
  assert.equal(document.activeElement, into.querySelector('[data-key="b"]'));
  fill(into, el("button", { "data-key": "c" }));
  assert.equal(document.activeElement, document.body);
  // The focus elsewhere stays there, whatever its key.
  const other = el("button", { "data-key": "c" });
  document.body.append(other);
  other.focus();
  fill(into, el("button", { "data-key": "c" }));
  assert.equal(document.activeElement, other);
  page.app.focus();
  fill(into, el("button", { "data-key": "null" }));
  assert.equal(document.activeElement, page.app);
});

test("a name has behind it how its code is reached, and takes less room for that", () => {
  open_window();
  const profile = { name: () => "abcdefghijklmnopqrstuvwxyz", reach: [0, 1, 2] };
  const show = (...more) => outline(name_element(profile, ...more), ["href", "title"]);
  const title = "[title=abcdefghijklmnopqrstuvwxyz]";
  assert.equal(show(0, 30), `span(span.name${title}("abcdefghijklmnopqrstuvwxyz") "")`);
  assert.equal(show(1, 30, "", "#x"), `span(a.name[href=#x]${title}("abcdefgh…pqrstuvwxyz") i(" (inlined)"))`);
  assert.equal(show(2, 10, " new"), `span(span.name${title}("abc…wxyz") i(" (called and inlined) new"))`);
});

test("characters are measured, and are seven pixels wide where that cannot be", () => {
  open_window();
  assert.equal(elements.CHARACTER, 7);
  const create = document.createElement;
  for (const [width, known] of [
    [9, 9],
    [0, 9],
  ]) {
    document.createElement = (tag) => Object.assign(create(tag), { getContext: () => ({ measureText: () => ({ width }) }) });
    measure_characters();
    assert.equal(elements.CHARACTER, known);
  }
});

test("numbers stand to the right, and texts do not", () => {
  open_window();
  const numbers = ["1", "1,234", "-5", "+7", "12.50 %", "3×", "."];
  const texts = ["", "a", "1a", "1 call", "x.", "..a", "5 %%"];
  const table = plain_table("title", ["a", "b"], [numbers, texts, [el("b", {}, "1")]]);
  const [first, second, third] = table.querySelectorAll("tbody tr");
  assert.equal(outline(first), `tr(${numbers.map((text) => `td.number("${text}")`).join(" ")})`);
  assert.equal(outline(second), `tr(${texts.map((text) => `td("${text}")`).join(" ")})`);
  assert.equal(outline(third), 'tr(td(b("1")))');
  assert.equal(outline(table.children[0]), 'caption("title")');
  assert.equal(outline(table.children[1], ["scope"]), 'thead(tr(th[scope=col]("a") th[scope=col]("b")))');
  assert.equal(cells(table).length, 3);
});
