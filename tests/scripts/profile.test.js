import assert from "node:assert/strict";
import { test } from "node:test";
import { counts, differences, numbers, profile } from "./profiles.js";

test("functions have names, files and objects", () => {
  const data = profile();
  assert.equal(data.size, 6);
  assert.deepEqual(
    [0, 1, 2, 5].map((f) => data.name(f)),
    ["memcpy", "main", "parse", "main"],
  );
  assert.deepEqual(
    [0, 1, 3].map((f) => data.file(f)),
    ["/src/mem.c", "/src/main.c", "/src/run.c"],
  );
  assert.deepEqual(
    [0, 1, 5].map((f) => data.objects[data.object_of(f)]),
    ["/lib/libc.so", "/bin/app", "/lib/libc.so"],
  );
  assert.equal(data.costs("f.self", 1).at(2), 7);
});

test("totals are as exact as they are large", () => {
  const event = { name: "Ir", long: "", shares: true, stacks: "", certain: 1 };
  const totals = ["9007199254740991", "9007199254740993"];
  const data = profile({ about: { events: totals.map((total) => ({ ...event, total })) } });
  assert.deepEqual(
    data.events.map(({ total }) => total),
    [9007199254740991, 9007199254740993n],
  );
});

test("callers and callees come by cost, then by place", () => {
  const data = profile();
  const list = (f, side, event = 0) => data.arcs(f, side, event).map(({ arc, other }) => `${arc}:${data.name(other)}`);
  assert.deepEqual(list(1, "callees"), ["0:parse", "1:run", "2:main"]);
  assert.deepEqual(list(1, "callees", 1), ["0:parse", "1:run", "2:main"]);
  assert.deepEqual(list(3, "callers"), ["1:main", "5:again"]);
  assert.deepEqual(list(0, "callers"), ["3:parse"]);
  assert.deepEqual(list(0, "callees"), []);
  assert.deepEqual(list(5, "callers"), []);
  assert.deepEqual(list(4, "callees"), ["5:run"]);
  const turned = profile({ columns: { "a.cost.0": counts(1, 5, 5, 2, 3, 9) } });
  assert.deepEqual(
    turned.arcs(1, "callees", 0).map(({ arc }) => arc),
    [1, 2, 0],
  );
  assert.deepEqual(
    turned.arcs(3, "callers", 0).map(({ arc }) => arc),
    [5, 1],
  );
  assert.equal(data.callers(), data.callers(), "the arcs are turned once");
});

test("recursion is a function itself, or one of its cycle", () => {
  const data = profile();
  const pairs = [
    [1, 1],
    [3, 4],
    [4, 3],
    [1, 2],
    [3, 1],
    [1, 3],
  ];
  assert.deepEqual(
    pairs.map(([a, b]) => data.recursive(a, b)),
    [true, true, true, false, false, false],
  );
});

test("lines and calls stand by file, the function's own first, and line", () => {
  const data = profile();
  const list = (f, event = 0) =>
    data.lines(f, event).map(({ file, line, own, calls }) => {
      const called = calls.map(({ callee, count, cost }) => `${data.name(callee)} ${count}× ${cost}`);
      return `${data.files[file]}:${line} ${own} ${called.join(", ")}`.trim();
    });
  assert.deepEqual(list(1), [
    "/src/main.c:3 30 main 5× 70",
    "/src/main.c:12 250 parse 9× 300, run 1× 100",
    "/src/main.c:14 null parse 3× 150",
  ]);
  // A file that comes before it by name comes after it here.
  assert.deepEqual(list(2, 1), ["/src/main.c:20 7", "/src/main.c:21 null memcpy 39× 1", "/src/mem.c:9 0"]);
  assert.deepEqual(list(4), ["/src/run.c:30 21", "/src/run.c:31 null run 0× 40"]);
  assert.deepEqual(list(3), ["/src/run.c:5 60", "/src/run.c:6 null again 2× 70"]);
});

test("a line of one file is not the line above it of the file before", () => {
  const data = profile({ columns: { "l.line": differences(8, 3, 12, 20, 19, 5, 30) } });
  const places = data.lines(2, 1).map(({ file, line, own }) => `${data.files[file]}:${line} ${own}`);
  assert.deepEqual(places, ["/src/main.c:20 7", "/src/main.c:21 null", "/src/mem.c:19 0"]);
});

test("of what has several sites, each has its own count and cost", () => {
  const data = profile({ columns: { "a.sites": numbers(1, 2, 1, 1, 1, 1) } });
  const called = data.lines(1, 0).map(({ line, calls }) => `${line}: ${calls.map(({ count, cost }) => `${count}× ${cost}`).join(", ")}`);
  assert.deepEqual(called, ["3: 5× 70", "12: 12× 450, 3× 150", "14: 9× 300"]);
  assert.equal(data.sites(), data.sites(), "they are counted once");
});

test("sources are read once", () => {
  const data = profile();
  assert.equal(data.sources(), data.sources());
  assert.equal(data.sources().get(0).lines.get(12), "twelve");
});
