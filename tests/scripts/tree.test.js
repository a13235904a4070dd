import assert from "node:assert/strict";
import { test } from "node:test";
import { Tree, self_tree, stack_tree, treemap_gaps } from "../../src/render/page/web/tree.js";
import { counts, differences, numbers, profile } from "./profiles.js";

/** Each node of a tree by its depth, with what it is and costs. */
const lines = (tree) =>
  Array.from({ length: tree.size }, (_, at) => {
    const { label, value, least, most, f, colour, hatched } = tree.node(at);
    const bounds = least === most ? "" : ` ${least}..${most}`;
    return `${" ".repeat(tree.depth[at])}${label} ${value}${bounds} f${f} c${colour}${hatched ? " hatched" : ""}`;
  });

const leaf = (label, value, ...children) => ({ label, value, least: value, most: value, f: -1, colour: 0, hatched: false, children });

test("a node stands left of its siblings that cost less, a subtree is a range", () => {
  const tree = Tree.of(leaf("root", 100, leaf("b", 20), leaf("a", 20, leaf("x", 5), leaf("y", 15)), leaf("c", 50), leaf("d", 10)));
  const labels = Array.from({ length: tree.size }, (_, at) => tree.node(at).label).join("");
  assert.equal(labels, "rootcayxbd");
  assert.deepEqual([...tree.depth], [0, 1, 1, 2, 2, 1, 1]);
  assert.deepEqual([...tree.parent], [-1, 0, 0, 2, 2, 0, 0]);
  assert.deepEqual([...tree.end], [7, 2, 5, 4, 5, 6, 7]);
  assert.deepEqual([...tree.near], [100, 50, 20, 15, 5, 20, 10]);
  assert.deepEqual([...tree.left], [0, 0, 50, 50, 65, 70, 90]);
  assert.equal(tree.deepest, 2);
  assert.deepEqual([tree.children(0), tree.children(2), tree.children(1), tree.children(6)], [[1, 2, 5, 6], [3, 4], [], []]);
});

test("costs below zero have no width", () => {
  const tree = Tree.list([leaf("root", 5), leaf("less", -3), leaf("more", 8)], [0, 1, 1]);
  assert.deepEqual([...tree.near], [5, 0, 8]);
  assert.deepEqual([...tree.left], [0, 0, 0]);
  assert.equal(Tree.list([], []).size, 0);
});

test("the treemap has every cost by object, file, function and line", () => {
  assert.deepEqual(lines(self_tree(profile(), 0)), [
    "all 1000 f-1 c0",
    " /bin/app 590 f-1 c0",
    "  /src/main.c 500 f-1 c0",
    "   main 300 f1 c0",
    "    main.c:12 250 f1 c0",
    "    main.c:3 30 f1 c0",
    "    lines omitted 20 f1 c0 hatched",
    "   parse 200 f2 c0",
    "    main.c:20 150 f2 c0",
    "    mem.c:9 50 f2 c0",
    "  /src/run.c 90 f-1 c0",
    "   run 60 f3 c0",
    "    run.c:5 60 f3 c0",
    "   again 30 f4 c0",
    "    run.c:30 21 f4 c0",
    "    lines omitted 9 f4 c0 hatched",
    " /lib/libc.so 410 f-1 c1",
    "  /src/mem.c 410 f-1 c1",
    "   memcpy 400 f0 c1",
    "    mem.c:8 400 f0 c1",
    "   main 10 f5 c1",
  ]);
});

test("what is left out has a box of its own, what costs nothing or too little has none", () => {
  const small = profile({
    columns: {
      "p.self.0": counts(410, 505, -90),
      "f.self.0": counts(400, 2, 1, -60, -30, 0),
      "l.self.0": counts(400, 1, -1, 1, 0, 1, 1),
    },
  });
  assert.deepEqual(lines(self_tree(small, 0)), [
    "all 825 f-1 c0",
    " /bin/app 415 f-1 c0",
    "  /src/main.c 505 f-1 c0",
    "   functions omitted 502 f-1 c0 hatched",
    "   main 2 f1 c0",
    "    lines omitted 1 f1 c0 hatched",
    "    main.c:3 1 f1 c0",
    "   parse 1 f2 c0",
    " /lib/libc.so 410 f-1 c1",
    "  /src/mem.c 410 f-1 c1",
    "   memcpy 400 f0 c1",
    "    mem.c:8 400 f0 c1",
    "   functions omitted 10 f-1 c1 hatched",
  ]);
  const unknown = profile({ columns: { objects: { kind: 3, values: ["", "/lib/libc.so"] }, "p.self.0": counts(-1, 500, 90) } });
  assert.deepEqual(
    lines(self_tree(unknown, 0)).filter((line) => /^ ?\S/.test(line)),
    ["all 589 f-1 c0", " (object not known) 590 f-1 c0"],
  );
  assert.equal(self_tree(profile(), 1).node(0).value, 14);
  const least = profile({
    columns: { "p.self.0": counts(1, 500, 1), "f.self.0": counts(1, 500, 0, 1, 0, 0), "l.self.0": counts(1, 500, 0, 0, 0, 1, 0) },
  });
  assert.deepEqual(lines(self_tree(least, 0)), [
    "all 502 f-1 c0",
    " /bin/app 501 f-1 c0",
    "  /src/main.c 500 f-1 c0",
    "   main 500 f1 c0",
    "    main.c:3 500 f1 c0",
    "  /src/run.c 1 f-1 c0",
    "   run 1 f3 c0",
    " /lib/libc.so 1 f-1 c1",
    "  /src/mem.c 1 f-1 c1",
    "   memcpy 1 f0 c1",
  ]);
  const nothing = profile({ columns: { "p.self.0": counts(0, 500, 0), "f.self.0": counts(0, 500, 0, 0, 0, 0) } });
  assert.deepEqual(
    lines(self_tree(nothing, 0)).filter((line) => !/\.c:/.test(line)),
    ["all 500 f-1 c0", " /bin/app 500 f-1 c0", "  /src/main.c 500 f-1 c0", "   main 500 f1 c0", "    lines omitted 220 f1 c0 hatched"],
  );
});

test("where lines are not known, boxes have the names of functions", () => {
  const boxes = (...known) => lines(self_tree(profile({ columns: { "l.line": differences(8, ...known, 20, 9, 5, 30) } }), 0)).slice(2, 7);
  assert.deepEqual(boxes(0, 12), [
    "  /src/main.c 500 f-1 c0",
    "   main 300 f1 c0",
    "    main.c:12 250 f1 c0",
    "    main 30 f1 c0",
    "    lines omitted 20 f1 c0 hatched",
  ]);
  // A box of the same name around would say nothing.
  assert.deepEqual(boxes(0, 0).slice(1, 3), ["   main 300 f1 c0", "   parse 200 f2 c0"]);
});

test("objects have colours by what they cost, six of them", () => {
  const count = 8;
  const places = Array.from({ length: count }, (_, at) => at);
  const many = profile({
    columns: {
      objects: { kind: 3, values: places.map((at) => `o${at}`) },
      "p.object": numbers(...places),
      "p.file": numbers(...places.map(() => 0)),
      "p.self.0": counts(1, 8, 7, 6, 5, 4, 3, 3),
      "f.self.0": counts(0, 0, 0, 0, 0, 0),
    },
  });
  const found = lines(self_tree(many, 0))
    .filter((line) => /^ o/.test(line))
    .map((line) => line.split(" ").at(-1));
  assert.deepEqual(found, ["c0", "c1", "c2", "c3", "c4", "c5", "c0", "c1"]);
});

test("it says what has no box", () => {
  assert.deepEqual(
    [0, 1].map((event) => treemap_gaps(profile(), event)),
    ["", ""],
  );
  const total = (total) => ({ about: { events: [{ name: "Ir", long: "", total, shares: true, stacks: "", certain: 1 }] } });
  assert.equal(treemap_gaps(profile(total("1234")), 0), "234 of the total is not attributed to any function and has no box.");
  assert.equal(treemap_gaps(profile(total("999")), 0), "-1 of the total is not attributed to any function and has no box.");
  const below = "Negative costs have no box: what is around them costs less than its boxes show.";
  for (const [name, ...values] of [
    ["f.self.0", 0, -1],
    ["l.self.0", -1],
  ]) {
    assert.equal(treemap_gaps(profile({ columns: { [name]: counts(...values) } }), 0), below);
  }
  assert.match(treemap_gaps(profile({ columns: { "p.self.0": counts(410, 500, -90) } }), 0), /^180 of the total .* box\. Negative costs/);
});

test("stacks have what is certain of each frame", () => {
  const tree = stack_tree(profile(), 0);
  assert.deepEqual(lines(tree), [
    "all 1000 f-1 c0",
    " main 1000 f1 c0",
    "  parse 450 400..500 f2 c0",
    "   memcpy 250 200..300 f0 c1",
    "  cycle 1 100 f-1 c2",
    "  omitted here 150 f-1 c2 hatched",
  ]);
  assert.deepEqual([...tree.near], [1000, 1000, 450, 250, 100, 150]);
  assert.equal(stack_tree(profile(), 1), null);
  const two = profile({ columns: { "t.0.depth": numbers(0, 0, 1, 0, 0) } });
  assert.equal(stack_tree(two, 0).node(0).value, 1700);
  assert.equal(stack_tree(two, 0).near[0], 1700);
});
