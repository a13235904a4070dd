import assert from "node:assert/strict";
import { test } from "node:test";
import { State } from "../../src/render/page/web/state.js";
import { list_tabs } from "../../src/render/page/web/tabs.js";
import { cells, open_window } from "./document.js";
import { counts, differences, numbers, profile } from "./profiles.js";

/** The lists of a profile, and each drawn. */
function tabs_of(changes, hash = "") {
  const page = open_window(hash);
  const state = new State(profile(changes));
  const tabs = list_tabs(state);
  const into = document.createElement("div");
  document.body.append(into);
  const show = (key) => {
    tabs.find((tab) => tab.key === key).draw(into);
    return Object.fromEntries(into.querySelectorAll("table").map((table) => [table.querySelector("caption").textContent, cells(table)]));
  };
  return { page, state, into, show, titles: tabs.map(({ title }) => title) };
}

test("there is a list of what there is", () => {
  assert.deepEqual(tabs_of().titles, ["Cycles 1", "Files 3", "Parts 2", "About"]);
  const none = { about: { parts: ["x"], warnings: ["a", "b"] }, columns: { "c.members": numbers() } };
  assert.deepEqual(tabs_of(none).titles, ["Files 3", "Warnings 2"]);
});

test("a cycle has members, and what enters and leaves it", () => {
  const { show, into } = tabs_of();
  assert.deepEqual(show("cycles"), {
    Members: ["60|6.00 %|run", "30|3.00 %|again (called and inlined)"],
    "What enters": ["100|10.00 %|main|run"],
    "What leaves": [],
  });
  assert.deepEqual(into.querySelector("summary").textContent, "Cycle 1: 3 functions, 100 inclusive (10.00 %), 90 self");
  const leaves = { columns: { "a.callee": differences(2, 3, 1, 0, 0, 2), "a.cost.0": counts(450, 100, 70, 250, 7, 9) } };
  assert.deepEqual(tabs_of(leaves).show("cycles")["What leaves"], [
    "9|0.90 %|again (called and inlined)|parse (inlined)",
    "7|0.70 %|run|memcpy",
  ]);
  assert.deepEqual(tabs_of({}, "#event=Dr").show("cycles").Members, ["2|14.29 %|run", "1|7.14 %|again (called and inlined)"]);
});

test("the first of several cycles is open, and a function that calls itself does not leave it", () => {
  const two = {
    columns: {
      "c.members": numbers(2, 1),
      "c.size": numbers(2, 1),
      "c.member": differences(4, 3, 1),
      "c.self.0": counts(90, 300),
      "c.incl.0": counts(100, 1000),
      "f.cycle": numbers(0, 2, 0, 1, 1, 0),
    },
  };
  const { show, into } = tabs_of(two);
  show("cycles");
  assert.deepEqual(
    into.querySelectorAll("details").map((one) => one.getAttribute("open")),
    ["", null],
  );
  assert.deepEqual(
    into.querySelectorAll("summary").map((one) => one.textContent.split(":")[0]),
    ["Cycle 1", "Cycle 2"],
  );
  const [first, second] = into.querySelectorAll("details").map((one) => one.querySelectorAll("table").map(cells));
  assert.deepEqual(first[0], ["60|6.00 %|run", "30|3.00 %|again (called and inlined)"]);
  assert.deepEqual(second, [["300|30.00 %|main"], [], ["450|45.00 %|main|parse (inlined)", "100|10.00 %|main|run"]]);
});

test("of very many members and calls the dearest show", () => {
  const count = 250;
  const all = Array.from({ length: count }, (_, at) => at);
  const each = (value) => numbers(...all.map(() => value));
  const { show } = tabs_of({
    columns: {
      "c.members": numbers(count - 2),
      "c.size": numbers(count - 2),
      "c.member": differences(...all.slice(2)),
      "f.name": each(1),
      "f.place": each(0),
      "f.reach": each(0),
      "f.arcs": each(1),
      "f.cycle": numbers(0, 0, ...all.slice(2).map(() => 1)),
      "f.self.0": counts(...all.map((at) => 1000 - at)),
      // The first calls a member, members call the second.
      "a.callee": differences(...all.map((at) => (at === 0 ? 2 : 1))),
      "a.cost.0": counts(...all),
    },
  });
  const { Members, "What enters": enters, "What leaves": leaves } = show("cycles");
  assert.deepEqual([Members.length, Members[0], Members[99]], [100, "998|99.80 %|main", "899|89.90 %|main"]);
  assert.deepEqual([enters.length, leaves.length, leaves[0], leaves[99]], [1, 100, "249|24.90 %|main|main", "150|15.00 %|main|main"]);
});

test("files come by their cost, the first thousand of them", () => {
  const { show, into } = tabs_of();
  assert.deepEqual(show("files"), {
    "Self cost by the file of the code, Ir": ["460|46.00 %|/src/mem.c", "450|45.00 %|/src/main.c", "90|9.00 %|/src/run.c"],
  });
  assert.equal(into.querySelector("p"), null);
  assert.deepEqual(Object.values(tabs_of({}, "#event=Dr").show("files"))[0], [
    "10|71.43 %|/src/main.c",
    "4|28.57 %|/src/mem.c",
    ".|0.00 %|/src/run.c",
  ]);
  const many = (count) => tabs_of({ columns: { "k.file": numbers(...Array(count).fill(0)), "k.self.0": counts(...Array(count).fill(7)) } });
  const page = many(1002);
  assert.equal(Object.values(page.show("files"))[0].length, 1000);
  assert.equal(page.into.querySelector("p").textContent, "and 2 more files");
  const just = many(1000);
  just.show("files");
  assert.equal(just.into.querySelector("p"), null);
  const equal = tabs_of({ columns: { "k.self.0": counts(5, 5, 5) } }).show("files");
  assert.deepEqual(
    Object.values(equal)[0].map((row) => row.split("/").at(-1)),
    ["main.c", "mem.c", "run.c"],
  );
});

test("parts come in their order, the first thousand of them", () => {
  const parts = ["600|60.00 %|1|part one", "400|40.00 %|2|part two"];
  assert.deepEqual(tabs_of().show("parts"), { "Self cost by part, Ir": parts });
  const many = { about: { parts: Array(1001).fill("x") }, columns: { "part.0": counts(...Array(1001).fill(1)) } };
  const [rows] = Object.values(tabs_of(many).show("parts"));
  assert.deepEqual([rows.length, rows.at(-1)], [1000, "1|0.10 %|1000|x"]);
});

test("all else is said in lists", () => {
  const { show, into } = tabs_of();
  show("notes");
  const lists = () =>
    into
      .querySelectorAll("section")
      .map((one) => [one.querySelector("h3").textContent, ...one.querySelectorAll("li").map((li) => li.textContent)].join("|"));
  assert.deepEqual(lists(), [
    "What is on this page|a note",
    "Command|./app --fast",
    "Read from|callgrind.out.1",
    "Details|detail|described",
    "Totals|Ir 1,000 (instructions)|Dr 14",
  ]);
  const other = tabs_of({ about: { warnings: ["w"], command: "", notes: [], inputs: Array(101).fill("in") } });
  other.show("notes");
  const found = other.into
    .querySelectorAll("section")
    .map((one) => `${one.querySelector("h3").textContent} ${one.querySelectorAll("li").length}`);
  assert.deepEqual(found, ["Warnings 1", "Read from 100", "Details 2", "Totals 2"]);
  const long = tabs_of({ about: { command: "c".repeat(3000) } });
  long.show("notes");
  assert.equal(long.into.querySelectorAll("li")[1].textContent.length, 2000);
});
