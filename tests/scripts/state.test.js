import assert from "node:assert/strict";
import { test } from "node:test";
import { State } from "../../src/render/page/web/state.js";
import { open_window } from "./document.js";
import { comparison, profile } from "./profiles.js";

/** A state at an address, and the window that it is of. */
function state_at(hash = "", data = profile()) {
  const page = open_window(hash);
  const state = new State(data);
  let told = 0;
  state.listeners.push(() => told++);
  return { page, state, told: () => told };
}

test("without an address, the first function is looked at", () => {
  const { state } = state_at();
  const { f, event, object, query, sort, tab, at, of, all } = state;
  assert.deepEqual(
    { f, event, object, query, sort, tab, at, of, all },
    { f: 0, event: 0, object: -1, query: "", sort: "self", tab: "", at: "", of: "", all: "" },
  );
  const of_nothing = state_at("", { ...profile(), size: 0 });
  assert.equal(of_nothing.state.f, -1);
  const by_calls = state_at("", profile({ about: { sort: "calls", first: 1 } }));
  assert.deepEqual([by_calls.state.sort, by_calls.state.event, by_calls.state.link({})], ["calls", 1, "#f=memcpy"]);
  const without = profile({ about: { sort: "" } });
  assert.equal(state_at("", without).state.sort, "self");
  assert.equal(state_at("", without).state.link({ f: -1 }), "#");
});

test("an address says all that is looked at", () => {
  const { state } = state_at();
  const whole = { f: 5, event: 1, object: 0, query: "a b&", sort: "incl", tab: "files", at: "x\ny", of: "parent", all: "events" };
  const link = state.link(whole);
  assert.equal(
    link,
    "#f=main&file=%2Fsrc%2Fmem.c&in=%2Flib%2Flibc.so&event=Dr&object=%2Fbin%2Fapp&search=a+b%26&sort=incl&tab=files&at=x%0Ay&of=parent&all=events",
  );
  const { state: again } = state_at(link);
  for (const [key, value] of Object.entries(whole)) assert.equal(again[key], value, key);
  assert.equal(state.f, 0, "a link changes nothing");
  // What is usual is not said, and a function that is the first of its name is known by it.
  assert.equal(state.link({}), "#f=memcpy");
  assert.equal(state.link({ f: 1 }), "#f=main");
  assert.equal(state.link({ f: -1 }), "#");
  assert.equal(state.link({ object: 1, f: -1 }), "#object=%2Flib%2Flibc.so");
});

test("a function is found by as much as is said", () => {
  const f = (hash) => state_at(hash).state.f;
  assert.equal(f("#f=main"), 1);
  assert.equal(f("#f=main&file=/src/mem.c"), 5);
  assert.equal(f("#f=main&in=/lib/libc.so"), 5);
  assert.equal(f("#f=main&file=/src/main.c&in=/lib/libc.so"), -1);
  assert.equal(f("#f=main&in=/bin/none"), -1);
  assert.equal(f("#f=none"), -1);
  assert.equal(f("#f="), -1);
  assert.equal(f("#f=again"), 4);
  // The first name of all is looked for, too.
  assert.equal(profile().name_table.indexOf("again"), 0);
});

test("what an address says wrong is as if it were not said", () => {
  const { state } = state_at("#event=none&object=none&tab=x");
  assert.deepEqual([state.event, state.object, state.tab], [0, -1, "x"]);
  assert.equal(state_at("#event=Ir").state.event, 0);
  assert.equal(state_at("#event=none", profile({ about: { first: 1 } })).state.event, 1);
});

test("each look is a step of the history, and Back goes through them", () => {
  const { page, state, told } = state_at();
  state.go({ f: 1 });
  state.go({ f: 2, event: 1 });
  assert.deepEqual(page.steps, ["push #f=main", "push #f=parse&event=Dr"]);
  assert.equal(told(), 2);
  assert.deepEqual([state.f, state.event], [2, 1]);
  history.back();
  assert.deepEqual([state.f, state.event, told()], [1, 0, 3]);
  history.back();
  assert.equal(state.f, 0);
  // Going where one is already is no step.
  const steps = page.steps.length;
  state.go({});
  state.go({ f: 0 });
  assert.equal(page.steps.length, steps + 1, "it says now which function that is");
  state.go({ f: 0 });
  assert.equal(page.steps.length, steps + 1);
});

test("where nothing is to be said, nothing is written", () => {
  const { page, state } = state_at("", { ...profile(), size: 0 });
  state.go({ query: "" });
  assert.deepEqual(page.steps, []);
  state.go({ query: "x" }, true);
  state.go({ query: "" }, true);
  assert.deepEqual(page.steps, ["replace #search=x", "replace "]);
  assert.equal(page.entries.length, 1);
});

test("what is typed takes the place of the last step", () => {
  const { page, state } = state_at();
  for (const query of ["m", "ma", "mai"]) state.go({ query }, true);
  assert.deepEqual(page.entries, ["#f=memcpy&search=mai"]);
});

test("a key that is held is at most one step", () => {
  const { page, state } = state_at();
  // Also where an element acts before the page does.
  document.body.addEventListener("keydown", () => state.go({ f: (state.f + 1) % 6 }));
  page.hold("x", 20);
  assert.deepEqual(page.entries.length, 2);
  assert.equal(page.steps.length, 20);
  assert.ok(page.steps.slice(1).every((step) => step.startsWith("replace ")));
  // Pressed again, it is a step again; and so is what is done by other means after it was let go.
  page.press("x");
  assert.equal(page.entries.length, 3);
  page.hold("x", 3);
  state.go({ f: 2 });
  assert.equal(page.entries.length, 5);
});

test("an address that was written is not read again, another one is", () => {
  const { page, state, told } = state_at();
  state.go({ f: 1 });
  state.f = 3;
  page.visit(location.hash);
  assert.deepEqual([state.f, told()], [3, 1]);
  page.visit("#f=run&of=parent");
  assert.deepEqual([state.f, state.of, told()], [3, "parent", 2]);
  page.visit("");
  assert.deepEqual([state.f, state.of, told()], [0, "", 3]);
});

test("so it is with a comparison", () => {
  const { state } = state_at("#f=moved&event=Dr", comparison());
  assert.deepEqual([state.f, state.event, state.link({ f: 1 })], [2, 1, "#f=fast&event=Dr"]);
});
