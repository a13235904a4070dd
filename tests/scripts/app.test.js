import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { begin, copy, focus_search, key_list, matcher, on_keys, search_box, show_app } from "../../src/render/page/web/app.js";
import { el } from "../../src/render/page/web/elements.js";
import { State } from "../../src/render/page/web/state.js";
import { Grid } from "../../src/render/page/web/table.js";
import { cells, open_window } from "./document.js";
import { profile, stream, texts } from "./profiles.js";

test("a search finds parts of names and patterns, whatever their case", () => {
  const names = ["main", "Main::run", "a.c", "(x)", "/main/"];
  const found = (query) => [...matcher(names, query)].join("");
  assert.equal(found("MAIN"), "11001");
  assert.equal(found("/^MAIN$/"), "10000");
  assert.equal(found("/^m/"), "11000");
  assert.equal(found("a.c"), "00100");
  assert.equal(found("/a..$/"), "10100");
  assert.equal(found("/(/"), "00000");
  assert.equal(found("("), "00010");
  assert.equal(found("/main"), "00001");
  assert.equal(found("//"), "00000");
  assert.equal(found(""), "11111");
});

/** A box with a list below it, on a page. */
function box_with_list(rows) {
  const page = open_window();
  const state = new State(profile());
  const grid = new Grid(
    "Rows",
    () => {},
    () => {},
  );
  grid.set_rows(Uint32Array.from(rows), 0);
  const box = search_box(state, grid);
  document.body.append(box, grid.element);
  focus_search(box);
  return { page, state, grid, box };
}

test("what is typed is searched for, and Enter takes the first that is found", () => {
  for (const key of ["Enter", "ArrowDown"]) {
    const { page, state, grid, box } = box_with_list([3, 4]);
    assert.deepEqual([document.activeElement, document.selected], [box, box]);
    page.type(box, "r");
    page.type(box, "ru");
    assert.equal(state.query, "ru");
    assert.equal(page.entries.length, 1, "it is no step of the history");
    let above = 0;
    addEventListener("keydown", () => above++);
    const first = page.press("r");
    assert.deepEqual([first.defaultPrevented, above, document.activeElement], [false, 0, box]);
    assert.equal(page.press(key).defaultPrevented, true);
    assert.deepEqual([state.f, state.query, document.activeElement], [3, "ru", grid.element]);
    assert.equal(page.entries.length, 2);
  }
});

test("Escape ends the search, and where nothing is found, nothing is taken", () => {
  const { page, state, grid, box } = box_with_list([]);
  page.type(box, "none");
  assert.equal(page.press("Enter").defaultPrevented, true);
  assert.equal(state.f, 0);
  assert.equal(document.activeElement, grid.element);
  box.focus();
  assert.equal(page.press("Escape").defaultPrevented, false);
  assert.deepEqual([state.query, document.activeElement, page.entries.length], ["", grid.element, 1]);
});

test("single keys act where nobody types, and alone", () => {
  const page = open_window();
  let acted = 0;
  on_keys({ x: () => acted++ });
  const [button, input, select] = ["button", "input", "select"].map((tag) => el(tag));
  document.body.append(button, input, select);
  assert.equal(page.press("x").defaultPrevented, true);
  button.focus();
  assert.equal(page.press("x").defaultPrevented, true);
  assert.equal(acted, 2);
  assert.equal(page.press("y").defaultPrevented, false);
  for (const held of ["ctrlKey", "altKey", "metaKey"]) assert.equal(page.press("x", { [held]: true }).defaultPrevented, false, held);
  for (const place of [input, select]) {
    place.focus();
    assert.equal(page.press("x").defaultPrevented, false);
  }
  assert.equal(acted, 2);
  const dialog = el("dialog");
  document.body.append(dialog);
  button.focus();
  page.press("x");
  assert.equal(acted, 3);
  dialog.showModal();
  page.press("x");
  assert.equal(acted, 3);
});

test("a name is copied by means of a field that goes again", () => {
  const page = open_window();
  const button = el("button");
  document.body.append(button);
  button.focus();
  copy("a name");
  assert.deepEqual(document.copied, [["copy", "a name"]]);
  assert.equal(document.activeElement, button);
  assert.equal(page.$("textarea"), null);
  document.activeElement = null;
  copy("another");
  assert.equal(document.activeElement, null);
});

test("the keys are listed when they are asked for", () => {
  open_window();
  const { list, button } = key_list([["x", "what it does"]]);
  document.body.append(list, button);
  assert.deepEqual(cells(list.querySelector("table")), ["x|what it does"]);
  button.click();
  assert.equal(list.getAttribute("open"), "");
  list.querySelector("button").click();
  assert.equal(list.getAttribute("open"), null);
});

test("the page shows at once, is ready after the first picture, and is drawn anew when its width changes", () => {
  const page = open_window();
  const told = [];
  show_app(
    page.app,
    () => told.push(`draw ${page.app.hidden}`),
    () => told.push("redraw"),
    () => told.push("later"),
  );
  const { classList } = document.documentElement;
  assert.deepEqual([told, classList.contains("begun"), classList.contains("ready")], [["draw false"], true, false]);
  page.frame();
  assert.deepEqual([told.at(-1), classList.contains("ready")], ["later", true]);
  page.resize(1280);
  assert.equal(told.length, 2);
  page.resize(1000);
  page.resize(1000);
  page.resize(1280);
  assert.deepEqual(told.slice(2), ["redraw", "redraw"]);
  // Some browsers do not say when nothing is to be done.
  const other = open_window();
  globalThis.requestIdleCallback = undefined;
  show_app(
    other.app,
    () => {},
    () => {},
  );
  other.frame();
  assert.equal(document.documentElement.classList.contains("ready"), false);
  other.pass_time();
  assert.equal(document.documentElement.classList.contains("ready"), true);
});

test("the data of the page is unpacked, and where it cannot be, the page without script says so", async () => {
  const page = open_window();
  const block = Buffer.concat([Buffer.from([1]), gzipSync(stream({ a: texts("x") }))]).toString("base64");
  page.$("#data").append(block);
  const data = await new Promise((go_on) => begin(go_on));
  assert.deepEqual(data.texts("a"), ["x"]);
  page.$("#plain").append("what was there");
  document.documentElement.classList.add("begun");
  // However long it takes to unpack; what it says is the last that it does.
  const plain = page.$("#plain");
  const prepend = plain.prepend.bind(plain);
  await new Promise((go_on) => {
    plain.prepend = (...children) => go_on(prepend(...children));
    begin(() => {
      throw new Error("it failed");
    });
  });
  assert.equal(page.$("#plain").textContent, "This page cannot be shown in full: Error: it failedwhat was there");
  assert.equal(document.documentElement.classList.contains("begun"), false);
  assert.equal(page.app.getAttribute("hidden"), "");
});
