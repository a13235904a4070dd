import assert from "node:assert/strict";
import { test } from "node:test";
import { Grid, digits, fitting, largest, least_width, wide } from "../../src/render/page/web/table.js";
import { open_window, outline } from "./document.js";

const column = (key, width, more = {}) => ({ key, title: key.toUpperCase(), width, text: (row) => `${key}${row}`, ...more });
const COLUMNS = [
  column("self", "7ch"),
  column("part", "8ch", { by: "self", spare: 1 }),
  column("why", "5ch", { by: "", spare: 9, hint: "because" }),
  column("name", "minmax(10ch, 1fr)"),
];

/** A table of as many rows; what was picked and sorted by is written down. */
function table(count, height = 240) {
  const page = open_window();
  const told = [];
  const grid = new Grid(
    "Rows",
    (row, step) => told.push(`${row} ${step}`),
    (key) => told.push(key),
  );
  grid.element.clientHeight = height;
  document.body.append(grid.element);
  grid.set_columns(COLUMNS, "self");
  grid.set_rows(
    Uint32Array.from({ length: count }, (_, at) => 1000 + at),
    1000,
  );
  grid.element.focus();
  return { page, grid, told };
}

test("columns are as wide as what is in them", () => {
  assert.equal(wide(7), "8.25ch");
  assert.equal(wide(3, 9, 4), "10.25ch");
  assert.equal(least_width(COLUMNS), 30);
  assert.equal(least_width([]), 0);
  assert.equal(largest(Float64Array.of(3, -7, 5)), 7);
  assert.equal(largest(new Float64Array(0)), 0);
  assert.equal(digits(Float64Array.of(12, -1234.5)), 6);
  assert.equal(digits(Float64Array.of(999.5)), 6);
  assert.equal(digits(Float64Array.of(7)), 2);
});

test("columns that find no room go, the most dispensable first, but not the one that is sorted by", () => {
  const left = (room, sorted = "self") => fitting(COLUMNS, room, sorted).map(({ key }) => key);
  assert.deepEqual(left(30), ["self", "part", "why", "name"]);
  assert.deepEqual(left(29), ["self", "part", "name"]);
  assert.deepEqual(left(25), ["self", "part", "name"]);
  assert.deepEqual(left(24), ["self", "name"]);
  assert.deepEqual(left(1), ["self", "name"]);
  assert.deepEqual(left(1, "why"), ["self", "why", "name"]);
});

test("only rows in sight are elements", () => {
  const { page, grid } = table(1000);
  const rows = () => page.$$(".row").map((row) => row.getAttribute("id"));
  assert.deepEqual(
    rows(),
    Array.from({ length: 16 }, (_, at) => `row${at}`),
  );
  assert.equal(grid.body.style.height, "20000px");
  assert.equal(grid.element.getAttribute("aria-rowcount"), "1001");
  assert.equal(grid.element.getAttribute("aria-colcount"), "4");
  assert.equal(grid.element.style["--columns"], "7ch 8ch 5ch minmax(10ch, 1fr)");
  assert.equal(grid.element.style["--least"], "30ch");
  assert.equal(
    outline(page.$("#row1"), ["role", "aria-rowindex", "aria-selected"]),
    "div.row[role=row][aria-rowindex=3][aria-selected=false](" +
      'div.self[role=gridcell]("self1001") div.part[role=gridcell]("part1001") div.why[role=gridcell]("why1001") div.name[role=gridcell]("name1001"))',
  );
  assert.equal(page.$("#row3").style.top, "60px");
  grid.element.scrollTop = 2015;
  grid.element.fire("scroll");
  assert.deepEqual([rows()[0], rows().at(-1)], ["row98", "row113"]);
  grid.element.scrollTop = 39;
  grid.element.fire("scroll");
  assert.equal(rows()[0], "row0");
  grid.element.scrollTop = 60;
  grid.element.fire("scroll");
  assert.equal(rows()[0], "row1");
  grid.element.scrollTop = 19900;
  grid.element.clientHeight = 250;
  assert.equal(page.resized[0][0], grid.element);
  page.resized[0][1]();
  assert.deepEqual([rows()[0], rows().at(-1)], ["row993", "row999"]);
  grid.element.scrollTop = 0;
  page.resized[0][1]();
  assert.equal(rows().length, 17);
});

test("one row is picked and one has the cursor", () => {
  const { page, grid } = table(100);
  grid.set_rows(Uint32Array.of(5, 6, 7), 6);
  const marked = () =>
    [page.$$("[aria-selected=true]"), page.$$(".cursor")].map((rows) => rows.map((row) => row.getAttribute("id")).join());
  assert.deepEqual(marked(), ["row1", "row1"]);
  assert.equal(grid.element.getAttribute("aria-activedescendant"), "row1");
  page.press("ArrowDown");
  assert.deepEqual(marked(), ["row1", "row2"]);
  grid.set_rows(Uint32Array.of(5, 6, 7), 9);
  assert.deepEqual(marked(), ["", "row0"]);
  grid.set_rows(new Uint32Array(0), 9);
  assert.equal(grid.element.getAttribute("aria-activedescendant"), null);
  assert.equal(grid.element.getAttribute("aria-rowcount"), "1");
});

test("a click picks a row and sets the cursor on it", () => {
  const { page, grid, told } = table(100);
  page.$$(".row")[3].click();
  assert.deepEqual(told, ["1003 false"]);
  assert.equal(grid.cursor, 3);
});

test("keys move the cursor by rows, by pages and to the ends", () => {
  const { page, grid } = table(100);
  const at = (key) => {
    const { defaultPrevented } = page.press(key);
    assert.equal(defaultPrevented, true, key);
    return grid.cursor;
  };
  // Twelve rows are as high as the table; the titles take one, and one stays in sight.
  assert.deepEqual(["ArrowDown", "ArrowDown", "ArrowUp", "PageDown", "PageDown", "PageUp"].map(at), [1, 2, 1, 11, 21, 11]);
  assert.deepEqual(["End", "ArrowDown", "PageDown", "PageUp", "Home", "ArrowUp", "PageUp"].map(at), [99, 99, 99, 89, 0, 0, 0]);
  // However low it is, a page is a row.
  grid.element.clientHeight = 30;
  assert.deepEqual(["PageDown", "PageDown", "PageUp"].map(at), [1, 2, 1]);
  grid.element.clientHeight = 80;
  assert.deepEqual(["PageDown", "PageUp"].map(at), [3, 1]);
});

test("the cursor stays in sight", () => {
  const { page, grid } = table(1000);
  const top = grid.element;
  const after = (key) => {
    page.press(key);
    return top.scrollTop;
  };
  // Up to the last row that is whole, nothing scrolls.
  for (let nth = 0; nth < 10; nth++) assert.equal(after("ArrowDown"), 0);
  // Then the cursor is in the middle.
  assert.equal(after("ArrowDown"), 11 * 20 - 100);
  assert.equal(after("PageUp"), 20);
  assert.equal(after("Home"), 0);
  assert.equal(after("End"), 999 * 20 - 100);
  grid.cursor = 300;
  grid.show();
  assert.equal(top.scrollTop, 6000);
  top.clientHeight = 5000;
  grid.cursor = 3;
  top.scrollTop = -9000;
  grid.show();
  assert.equal(top.scrollTop, 0);
});

test("Enter picks the row of the cursor, and other keys are for the page", () => {
  const { page, grid, told } = table(5);
  let above = 0;
  addEventListener("keydown", () => above++);
  page.press("ArrowDown");
  assert.equal(page.press("Enter").defaultPrevented, true);
  assert.deepEqual([told, above], [["1001 false"], 0]);
  assert.equal(page.press("x").defaultPrevented, false);
  for (const held of ["ctrlKey", "altKey", "metaKey"]) {
    assert.equal(page.press("ArrowDown", { [held]: true }).defaultPrevented, false);
    page.press("Enter", { [held]: true });
  }
  assert.deepEqual([told.length, grid.cursor, above], [1, 1, 7]);
  grid.step(1);
  grid.step(-1);
  grid.step(-5);
  assert.deepEqual(told.slice(1), ["1002 true", "1001 true", "1000 true"]);
  grid.set_rows(new Uint32Array(0), -1);
  page.press("Enter");
  grid.step(1);
  assert.equal(told.length, 4);
});

test("titles sort, by keys as by clicks", () => {
  const { page, grid, told } = table(5);
  assert.deepEqual(page.texts(".head button"), ["SELF", "PART", "NAME"]);
  for (const button of page.$$(".head button")) button.click();
  assert.deepEqual(told, ["self", "self", "name"]);
  const stops = () =>
    page
      .$$(".head button")
      .map((button) => button.getAttribute("tabindex"))
      .join(" ");
  const sorted = () =>
    page
      .$$("[role=columnheader]")
      .map((title) => title.getAttribute("aria-sort"))
      .join(" ");
  assert.deepEqual([stops(), sorted()], ["0 -1 -1", "descending none none none"]);
  assert.equal(page.$(".why").getAttribute("title"), "because");
  page.$(".head button").focus();
  const walk = (key) => {
    const { defaultPrevented } = page.press(key);
    assert.equal(defaultPrevented, true);
    return document.activeElement.textContent;
  };
  assert.deepEqual(["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"].map(walk), ["PART", "NAME", "SELF", "NAME"]);
  let above = 0;
  addEventListener("keydown", () => above++);
  assert.equal(page.press("Enter").defaultPrevented, false, "a browser presses the button");
  page.press("ArrowLeft");
  assert.deepEqual([told.length, above, grid.cursor], [3, 0, 0]);
  page.press("j");
  assert.equal(above, 1);
  page.press("ArrowDown");
  assert.equal(grid.cursor, 1, "rows are walked from there, too");
  // The title that is sorted by is the stop; where it has no column, the first is.
  grid.set_columns(COLUMNS, "name");
  assert.deepEqual([stops(), sorted()], ["-1 -1 0", "none none none ascending"]);
  grid.set_columns(COLUMNS, "calls");
  assert.deepEqual([stops(), sorted()], ["0 -1 -1", "none none none none"]);
  grid.set_columns([column("file", "9ch"), COLUMNS[0]], "file");
  assert.equal(sorted(), "ascending none");
});
