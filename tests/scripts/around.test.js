import assert from "node:assert/strict";
import { test } from "node:test";
import { Around, around_note } from "../../src/render/page/web/around.js";
import { counts, differences, numbers, profile } from "./profiles.js";

/** Each node of a picture by its distance from the function, callers first, with its bounds where they differ. */
function lines(f, { columns = {}, exact = false, both = true } = {}) {
  const tree = new Around(profile({ columns, about: { exact } }), 0).tree(f, both);
  return Array.from({ length: tree.size }, (_, at) => {
    const { label, value, least, most, hatched } = tree.node(at);
    const side = !at ? "" : tree.above === 0 || at < tree.above ? "^" : "v";
    return `${side.repeat(tree.depth[at])}${label} ${value}${least === most ? "" : ` ${least}..${most}`}${hatched ? " hatched" : ""}`;
  });
}
const [MEMCPY, MAIN, PARSE, RUN, AGAIN] = [0, 1, 2, 3, 4];

/** Stacks: frames, depths, and costs of which all is certain unless something else is said. */
const stacks = (frame, depth, total, least = total, most = total) => ({
  "t.0.frame": numbers(...frame),
  "t.0.depth": numbers(...depth),
  "t.0.total": counts(...total),
  "t.0.least": counts(...least),
  "t.0.most": counts(...most),
});

test("the frames next to a function are its call edges, what is further away is within bounds", () => {
  // Of 250 by parse, all are by main, because main alone calls parse.
  assert.deepEqual(lines(MEMCPY), ["memcpy 400", "^parse 250", "^^main 250", "^2 callers omitted 50 hatched"]);
  assert.deepEqual(lines(MAIN), ["main 1000", "vparse 450", "vvmemcpy 250", "v1 callee omitted 100 hatched", "vrun 100", "vvcycle 1 100"]);
  assert.deepEqual(lines(PARSE), ["parse 450", "^main 450", "vmemcpy 250"]);
  assert.deepEqual(lines(MEMCPY, { both: false }), lines(MEMCPY), "without callees it is the same");
  assert.deepEqual(lines(MAIN, { both: false }), ["main 1000"]);
  // Calls among the members of a cycle have no frames.
  assert.deepEqual(lines(RUN), ["run 100", "^main 100"]);
  assert.deepEqual(lines(AGAIN), ["again 70"]);
});

test("what stacks do not have is hatched, and could be anything", () => {
  const few = stacks([3, 5, 1], [0, 1, 2], [1000, 300, 100], [1000, 200, 60], [1000, 450, 250]);
  // That parse's cost is not what calls of it cost leaves nothing certain: only what stacks say.
  const columns = { ...few, "f.self.0": counts(400, 300, 210, 60, 30, 10) };
  assert.deepEqual(lines(MEMCPY, { columns }), [
    "memcpy 400",
    "^parse 250",
    "^^omitted here 150 0..190 hatched",
    "^^main 100 60..250",
    "^2 callers omitted 50 hatched",
  ]);
  assert.deepEqual(lines(MAIN, { columns }).slice(1, 4), ["vparse 450", "vvomitted here 150 0..390 hatched", "vvmemcpy 100 60..250"]);
  // With whole calls, the edges alone make it certain, and nothing is left out.
  assert.deepEqual(lines(MEMCPY, { columns: few }).slice(1, 3), ["^parse 250", "^^main 250"]);
  const none = stacks([3], [0], [1000]);
  assert.deepEqual(lines(MEMCPY, { columns: none }).slice(1, 3), ["^parse 250", "^^omitted here 250 0..250 hatched"]);
});

test("bounds follow from those of others", () => {
  // Of memcpy's 250 by parse, run has 20 certainly: so main has 230 at most.
  const all = stacks(
    [3, 5, 1, 7, 5, 1],
    [0, 1, 2, 0, 1, 2],
    [900, 400, 200, 100, 50, 50],
    [900, 300, 150, 100, 50, 20],
    [900, 450, 240, 100, 50, 90],
  );
  const columns = { ...all, "f.self.0": counts(400, 300, 210, 60, 30, 10), "f.cycle": numbers(0, 0, 0, 0, 0, 0) };
  assert.deepEqual(lines(MEMCPY, { columns }).slice(1, 4), ["^parse 250", "^^main 200 150..230", "^^run 50 20..100"]);
});

test("a function that occurs several times in a stack counts once", () => {
  // main calls parse, which calls memcpy and itself, which calls memcpy, too.
  const deep = stacks([3, 5, 1, 5, 1], [0, 1, 2, 2, 3], [1000, 450, 100, 300, 150]);
  assert.deepEqual(lines(PARSE, { columns: deep, exact: true }), ["parse 450", "^main 450", "vmemcpy 250"]);
  assert.deepEqual(lines(MEMCPY, { columns: deep, exact: true }), [
    "memcpy 400",
    "^parse 250",
    "^^parse 150",
    "^^^main 150",
    "^^main 100",
    "^2 callers omitted 50 hatched",
  ]);
  // Of stacks that were left out, anything can be part of what shows.
  const cut = stacks([3, 5, 1, 5, 0], [0, 1, 2, 2, 3], [1000, 450, 100, 300, 150]);
  assert.deepEqual(lines(MEMCPY, { columns: cut, exact: true }).slice(1, 4), [
    "^parse 250",
    "^^omitted here 150 0..150 hatched",
    "^^main 100 100..250",
  ]);
});

test("each way into a cycle has its part of it", () => {
  // main calls run (100) and again (70), so that the cycle costs 170.
  const columns = {
    ...stacks([3, 2, 7, 9, 1], [0, 1, 2, 2, 3], [1000, 170, 100, 70, 40]),
    "a.callee": differences(2, 3, 4, 0, 4, 3),
    "f.incl.0": counts(400, 1000, 450, 100, 70, 10),
  };
  assert.deepEqual(lines(MAIN, { columns }), [
    "main 1000",
    "vparse 450",
    "vvomitted here 450 0..450 hatched",
    "v1 callee omitted 100 hatched",
    "vrun 100",
    "vvcycle 1 100",
    "vvvrun 59 0..100",
    "vvvagain 41 0..70",
    "vvvvmemcpy 24 0..70",
    "vagain 70",
    "vvcycle 1 70",
    "vvvrun 41 0..70",
    "vvvagain 29 0..70",
    "vvvvmemcpy 16 0..70",
  ]);
  assert.deepEqual(lines(RUN, { columns }).slice(0, 2), ["run 100", "^main 100"]);
  assert.deepEqual(lines(AGAIN, { columns }).slice(0, 2), ["again 70", "^main 70"]);
});

test("callers and callees stand at the same place, no wider than the function", () => {
  const tree = new Around(profile(), 0).tree(PARSE, true);
  assert.deepEqual([...tree.left], [0, 0, 0]);
  assert.deepEqual(
    [0, 1, 2].map((at) => tree.row(at)),
    [1, 0, 2],
  );
  assert.deepEqual([tree.above, tree.high, tree.deepest], [2, 1, 2]);
  const up = new Around(profile(), 0).tree(MEMCPY, false);
  assert.deepEqual([up.above, up.high, [0, 1, 2, 3].map((at) => up.row(at)).join()], [0, 0, "0,1,2,1"]);
  const top = new Around(profile(), 0).tree(MEMCPY, true);
  assert.deepEqual([top.above, top.high, top.deepest], [4, 2, 2]);
  // Calls into a cycle can cost more than the function: all of them show, and its box is as wide.
  const wide = new Around(profile({ columns: { "f.incl.0": counts(400, 1000, 450, 60, 70, 10) } }), 0).tree(RUN, true);
  assert.deepEqual([wide.node(0).value, wide.near[0], wide.near[1]], [60, 100, 100]);
});

test("frames end where there are very many, and none is wider than what it is next to", () => {
  const depth = 600;
  const places = Array.from({ length: depth }, (_, at) => at);
  const chain = stacks(
    places.map((at) => (at < depth - 1 ? (at < depth - 2 ? 3 : 5) : 1)),
    places,
    places.map(() => 250),
  );
  const deep = new Around(profile({ columns: chain, about: { exact: true } }), 0).tree(MEMCPY, false);
  assert.deepEqual([deep.deepest, deep.node(501).label, deep.node(500).label], [501, "omitted here", "main"]);
  // Stacks that cost more than the edge that they begin with: by rounding, or because a format counts both by itself.
  const more = stacks([3, 5, 1], [0, 1, 2], [1000, 450, 300]);
  const tree = new Around(profile({ columns: more }), 0).tree(MEMCPY, true);
  assert.deepEqual([...tree.near.subarray(0, 3)], [400, 250, 250]);
  const wide = stacks([3, 5, 1, 7, 5, 1], [0, 1, 2, 0, 1, 2], [900, 400, 200, 100, 50, 90]);
  const both = new Around(profile({ columns: wide, about: { exact: true } }), 0).tree(MEMCPY, true);
  assert.deepEqual([both.node(2).value, both.near[2], both.node(3).value, both.near[3]], [200, 200, 90, 50]);
  // What cost nothing has no frame.
  const free = { "a.cost.0": counts(450, 100, 70, 0, 70, 40) };
  assert.deepEqual(lines(MEMCPY, { columns: free }), ["memcpy 400", "^2 callers omitted 50 hatched"]);
});

test("no stacks, no frames further away; a note says what is exact", () => {
  assert.equal(new Around(profile(), 1).stacks, null);
  assert.equal(
    around_note(profile(), PARSE, true),
    "Callers above, callees below. The frames next to the function are exact. " +
      "Others are an estimate from the stacks on this page: the dark edge is certain, hatched frames stand for what is omitted.",
  );
  assert.match(
    around_note(profile(), RUN, false),
    /^Callers, upside down\. .* Calls into its cycle 1 cost as much as the cycle; calls within it/,
  );
  assert.match(around_note(profile({ about: { exact: true } }), PARSE, true), /exact\. Others add up the stacks on this page; hatched/);
});
