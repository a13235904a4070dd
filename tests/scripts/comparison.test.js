import assert from "node:assert/strict";
import { test } from "node:test";
import { comparison, counts, differences, numbers, texts } from "./profiles.js";

test("rows have names, files and objects, and events their totals", () => {
  const data = comparison();
  assert.equal(data.size, 5);
  assert.deepEqual(
    [0, 4].map((f) => [data.name(f), data.file(f), data.object_of(f)]),
    [
      ["slow", "/src/a.c", 1],
      ["gone", "/src/a.c", 0],
    ],
  );
  assert.equal(data.was[2], "in /src/a.c");
  const event = { name: "Ir", long: "", old: "9007199254740991", new: "9007199254740993", shares: true };
  const large = comparison({ about: { events: [{ ...event, waterfall: [{ label: "x", f: 0, change: "-9007199254740993" }] }] } });
  const [{ old, new: now, waterfall }] = large.events;
  assert.deepEqual([old, now, waterfall[0].change], [9007199254740991, 9007199254740993n, -9007199254740993n]);
});

test("changes are new less old", () => {
  const data = comparison();
  const change = data.change("r.self", 0);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((f) => change.at(f)),
    [400, -150, 0, 110, -60],
  );
  assert.equal(data.change("r.self", 1).at(0), 10);
});

test("arcs are found from both ends", () => {
  const data = comparison();
  const list = (f, side) =>
    data
      .arcs(f, side)
      .map(({ arc, other }) => `${arc}:${data.name(other)}`)
      .join(" ");
  assert.equal(list(0, "callees"), "0:fast 1:slow");
  assert.equal(list(0, "callers"), "1:slow");
  assert.equal(list(1, "callers"), "0:slow");
  assert.equal(list(1, "callees"), "2:fresh");
  assert.equal(list(3, "callers"), "2:fast");
  assert.equal(list(4, "callees") + list(4, "callers"), "");
});

test("stacks are as wide as what came and went, and say what is left of it", () => {
  const tree = comparison().stacks(0);
  const nodes = Array.from({ length: tree.size }, (_, at) => tree.node(at));
  assert.deepEqual(
    nodes.map((node) => node.says),
    [
      "all: 760 added or removed",
      "slow: about +320, 500 → 820; 700 added or removed",
      "fast: about -150, 400 → 250; 150 added or removed",
      "cycle of moved: about 0, 100 → 100; 20 added or removed",
      "omitted here: about +10, 30 → 40; 60 added or removed",
    ],
  );
  assert.deepEqual(
    nodes.map(({ value, least, most, f, colour, hatched }) => [value, least, most, f, colour, hatched].join()),
    ["760,760,760,-1,2,false", "700,320,700,0,1,false", "150,150,150,1,0,false", "20,0,20,-1,2,false", "60,10,60,-1,1,true"],
  );
  assert.deepEqual([...tree.depth], [0, 1, 2, 2, 1]);
  assert.deepEqual([...tree.near], [760, 700, 150, 20, 60]);
  assert.equal(comparison().stacks(1), null);
});

test("the smallest change has a colour, and a long name loses its middle", () => {
  const tree = comparison({
    columns: {
      names: texts("n".repeat(300), "b"),
      "d.0.kind": numbers(1, 1),
      "d.0.name": numbers(0, 1),
      "d.0.f": numbers(1, 2),
      "d.0.depth": differences(0, 0),
      "d.0.old": counts(5, 5),
      "d.0.new": counts(6, 4),
      "d.0.size": counts(1, 1),
    },
  }).stacks(0);
  const nodes = [1, 2].map((at) => tree.node(at));
  assert.deepEqual(
    nodes.map(({ least, colour, f }) => [least, colour, f].join()),
    ["1,1,0", "1,0,1"],
  );
  assert.equal(nodes[0].says.indexOf(":"), 200);
});
