import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Numbers, source_lines, starts, unpack } from "../../src/render/page/web/columns.js";
import { columns, counts, differences, numbers, stream, texts } from "./profiles.js";

const LARGEST = Number.MAX_SAFE_INTEGER;
const BIG = 2n ** 53n + 1n;

/** What a column holds: `null` is what was never written. */
const all = (column) => Array.from(column.near, (_, at) => (Object.is(column.at(at), -0) ? null : BigInt(column.at(at))));

test("texts are parted by lines", () => {
  const data = columns({ a: texts("one", "", "três"), empty: texts(), b: texts("") });
  assert.deepEqual(data.texts("a"), ["one", "", "três"]);
  assert.deepEqual(data.texts("b"), [""]);
  assert.deepEqual(data.texts("empty"), []);
  assert.deepEqual(data.texts("none"), []);
});

test("numbers of any size are exact", () => {
  const values = [0, 1, 127, 128, 16383, 16384, 2097152, 2 ** 32, LARGEST];
  const data = columns({ first: texts("x"), n: numbers(...values, BIG, 2n ** 70n, 5) });
  assert.deepEqual(all(data.numbers("n")), [...values, BIG, 2n ** 70n, 5].map(BigInt));
  assert.deepEqual(
    values.map((_, at) => typeof data.numbers("n").at(at)),
    values.map(() => "number"),
  );
  assert.deepEqual(
    [9, 10, 11].map((at) => typeof data.numbers("n").at(at)),
    ["bigint", "bigint", "number"],
  );
  assert.deepEqual([...data.numbers("n").near.slice(-3)], [2 ** 53, 2 ** 70, 5]);
  assert.equal(data.numbers("n").length, 12);
  assert.equal(data.numbers("n"), data.numbers("n"), "they are unpacked once");
  assert.equal(data.numbers("none").length, 0);
});

test("lists of any length are found", () => {
  for (const count of [126, 127, 128, 129, 300]) {
    const values = Array.from({ length: count }, (_, at) => at);
    const data = columns({ a: numbers(...values), b: texts(..."x".repeat(count)), c: numbers(7) });
    assert.deepEqual([...data.numbers("a").near], values);
    assert.deepEqual([data.texts("b").length, ...data.numbers("c").near], [count, 7]);
  }
});

test("counts have a sign, and some were never written", () => {
  const values = [0, -1, 1, 64, -64, 8191, -8192, LARGEST, -LARGEST];
  const found = all(columns({ n: counts(null, ...values, BIG, -BIG, null) }).numbers("n"));
  const small = columns({ n: counts(...values.slice(0, 7)), d: differences(...values.slice(0, 7)) });
  for (const name of ["n", "d"])
    assert.ok(
      values.slice(0, 7).every((value, at) => small.numbers(name).at(at) === value),
      name,
    );
  assert.deepEqual(found, [null, ...values.map(BigInt), BIG, -BIG, null]);
});

test("differences add up, also across large numbers", () => {
  const values = [0, 3, 2, 1000, 999, 0, LARGEST, 1, BIG, BIG + 1n, 7, 8, 2n ** 64n, 2n ** 64n - 1n, LARGEST, LARGEST - 1];
  assert.deepEqual(all(columns({ n: differences(...values) }).numbers("n")), values.map(BigInt));
  assert.deepEqual(all(columns({ n: differences(BIG, BIG + 2n, 5) }).numbers("n")), [BIG, BIG + 2n, 5n]);
});

test("the larger comes first, and what rounding makes equal is compared exactly", () => {
  const small = columns({ n: counts(5, 7, 7) }).numbers("n");
  assert.deepEqual([small.compare(0, 1) > 0, small.compare(1, 0) < 0, small.compare(1, 2)], [true, true, 0]);
  const large = columns({ n: counts(BIG, BIG + 1n, BIG, 5, 5) }).numbers("n");
  assert.deepEqual([large.compare(0, 1) > 0, large.compare(1, 0) < 0, large.compare(0, 2), large.compare(3, 4)], [true, true, 0, 0]);
  const rounded = new Numbers(
    Float64Array.of(2 ** 53, 2 ** 53),
    new Map([
      [0, 2n ** 53n],
      [1, BIG],
    ]),
  );
  assert.deepEqual([rounded.compare(0, 1), rounded.compare(1, 0)], [1, -1]);
});

test("a list of lists is known by where each begins", () => {
  assert.deepEqual([...starts(Float64Array.of(2, 0, 3))], [0, 2, 2, 5]);
  assert.deepEqual([...starts(new Float64Array(0))], [0]);
});

test("a block is a version and packed columns", async () => {
  const packed = (version) => Buffer.concat([Buffer.from([version]), gzipSync(stream({ a: texts("x", "y"), n: numbers(300) }))]);
  const data = await unpack(packed(1).toString("base64"));
  assert.deepEqual(data.texts("a"), ["x", "y"]);
  assert.deepEqual([...data.numbers("n").near], [300]);
  for (const version of [0, 2]) {
    const message = `the data has version ${version}, but this script reads 1`;
    await assert.rejects(unpack(packed(version).toString("base64")), { message });
  }
});

test("lines of sources are known by their numbers", () => {
  const data = columns({
    "x.file": numbers(4, 2),
    "x.runs": numbers(2, 1),
    "x.first": differences(5, 9, 1),
    "x.lines": numbers(2, 1, 1),
    "x.text": texts("five", "six", "nine", "one"),
  });
  const about = [
    { found: "/a.c", newer: false },
    { found: "/b.c", newer: true },
  ];
  const sources = source_lines(data, about);
  assert.deepEqual([...sources.keys()], [4, 2]);
  assert.deepEqual(
    [...sources.get(4).lines],
    [
      [5, "five"],
      [6, "six"],
      [9, "nine"],
    ],
  );
  assert.deepEqual([...sources.get(2).lines], [[1, "one"]]);
  assert.equal(sources.get(2).newer, true);
  assert.equal(sources.get(4).found, "/a.c");
});
