import assert from "node:assert/strict";
import { test } from "node:test";
import {
  base_name,
  counted,
  grouped,
  middle,
  minus,
  percent,
  plural,
  plus,
  share,
  short_name,
  signed,
  whole_name,
} from "../../src/render/page/web/numbers.js";

const LARGEST = Number.MAX_SAFE_INTEGER;

test("sums stay exact beyond what a browser's number holds", () => {
  assert.equal(plus(1, 2), 3);
  assert.equal(plus(LARGEST - 1, 1), LARGEST);
  assert.equal(plus(LARGEST, 1), 9007199254740992n);
  assert.equal(plus(-LARGEST, -1), -9007199254740992n);
  assert.equal(plus(9007199254740993n, 1), 9007199254740994n);
  assert.equal(plus(1, 9007199254740993n), 9007199254740994n);
  assert.equal(plus(3n, 4n), 7n);
});

test("differences are exact, too", () => {
  assert.equal(minus(5, 7), -2);
  assert.equal(minus(5, 9007199254740993n), -9007199254740988n);
  assert.equal(minus(9007199254740993n, 1), 9007199254740992n);
  assert.equal(minus(-LARGEST, 1), -9007199254740992n);
  // What was never written is nothing to add.
  assert.equal(minus(7, -0), 7);
  assert.equal(Object.is(minus(0, 0), 0), true);
});

test("digits stand in groups of three", () => {
  const texts = [0, 7, 999, 1000, 12345, 999999, 1234567, -1000, -999].map(grouped);
  assert.deepEqual(texts, ["0", "7", "999", "1,000", "12,345", "999,999", "1,234,567", "-1,000", "-999"]);
  assert.equal(grouped(12345678901234567890n), "12,345,678,901,234,567,890");
  assert.equal(grouped(-0), ".");
});

test("calls that nobody counts are not counted", () => {
  assert.equal(counted(-0), "not counted");
  assert.equal(counted(-0, "×"), "not counted");
  assert.equal(counted(0), "0");
  assert.equal(counted(1234, "×"), "1,234×");
});

test("changes have a sign", () => {
  assert.deepEqual([1, 1234, 0, -0, -5, 10000n].map(signed), ["+1", "+1,234", "0", "0", "-5", "+10,000"]);
});

test("shares are rounded to two places, or to one where they are all", () => {
  const of = (value, whole = 100000) => share(value, whole);
  assert.deepEqual(
    [0, 1, 4, 5, 994, 1000].map((value) => of(value)),
    ["0.00 %", "0.00 %", "0.00 %", "0.01 %", "0.99 %", "1.00 %"],
  );
  assert.deepEqual(
    [50000, 99990, 99994].map((value) => of(value)),
    ["50.00 %", "99.99 %", "99.99 %"],
  );
  assert.deepEqual(
    [99995, 99999, 100000, 123456].map((value) => of(value)),
    ["100.0 %", "100.0 %", "100.0 %", "123.5 %"],
  );
  assert.deepEqual(
    [-50000, -99994, -99995, -100000].map((value) => of(value)),
    ["-50.00 %", "-99.99 %", "-100.0 %", "-100.0 %"],
  );
  assert.equal(percent(1, 3), "33.33");
  assert.equal(percent(2n, 3n), "66.67");
  assert.equal(share(5, 0), "");
  assert.equal(share(5, -0), "");
  assert.equal(share(5, 0n), "");
  assert.equal(share(9007199254740993n, 18014398509481986n), "50.00 %");
});

test("a long name loses its middle and keeps its length", () => {
  assert.equal(middle("abcdefghij", 10), "abcdefghij");
  assert.equal(middle("abcdefghijk", 10), "abcd…ghijk");
  assert.equal(middle("abcdefghijk", 6), "ab…ijk");
  assert.equal(middle("abc", 2), "a…");
  for (let most = 1; most < 60; most++) assert.equal(middle("x".repeat(70), most).length, most);
  assert.equal(whole_name("x".repeat(4000)), "x".repeat(4000));
  assert.equal(whole_name("x".repeat(4001)), `${"x".repeat(1600)}…${"x".repeat(2399)}`);
});

test("a name loses its arguments first", () => {
  const long = "std::vector<a, b>, ".repeat(20);
  for (const [name, short] of [
    [`void std::map<${long}>::operator[](${long})`, "void std::map<…>::operator[](…)"],
    [`std::operator<< <${long} >(${long})`, "std::operator<< <…>(…)"],
    [`operator()(${long})`, "operator()(…)"],
    [`a->b<${long}>`, "a->b<…>"],
    [`f(${long})::g(int)`, "f(…)::g(…)"],
    [`f<${long}>()`, "f<…>()"],
    [`<alloc::Vec<${long}> as Drop>::drop`, "<alloc::Vec<…> as Drop>::drop"],
    [`core::<impl Vec<${long}>>::push`, "core::<impl Vec<…>>::push"],
    [`(anonymous namespace)::f(${long})`, "(anonymous namespace)::f(…)"],
    [`void (*f(${long}))(int)`, "void (*f(…))(…)"],
    [`f(${long})'2`, "f(…)'2"],
    [`main::'lambda'(${long})`, "main::'lambda'(…)"],
    [`f(${long})'main`, "f(…)'main"],
    [`f(${long}(x)) > g(${long})`, "f(…) > g(…)"],
  ]) {
    assert.equal(short_name(name, 300), short);
    assert.equal(short_name(name, name.length), name, "nothing goes where there is room");
    assert.ok(short_name(name, 12).length <= 12);
  }
});

test("callers that find no room go before the function does", () => {
  const name = "work(int)'2'driver::of(int)'main(int)";
  assert.equal(short_name(name, name.length), name);
  assert.equal(short_name(name, 36), "work(…)'2'driver::of(…)'main(…)");
  assert.equal(short_name(name, 31), "work(…)'2'driver::of(…)'main(…)");
  assert.equal(short_name(name, 30), "work(…)'2'driver::of(…)'…");
  assert.equal(short_name(name, 25), "work(…)'2'driver::of(…)'…");
  assert.equal(short_name(name, 24), "work(…)'2'…");
  assert.equal(short_name(name, 11), "work(…)'2'…");
  assert.equal(short_name(name, 9), "wor…)'2'…");
});

test("brackets of any kind are matched", () => {
  for (const [name, most, short] of [
    ["f<>(x, y)<z>", 9, "f<>(…)<…>"],
    ["f((int), g) h(i)", 10, "f(…) h(…)"],
    ["'odd'name(that) is long", 12, "'odd'…"],
    ["a > b) c(int, int)", 14, "a > b) c(…)"],
    ["x) y(int(unsigned))", 12, "x) y(…)"],
  ]) {
    assert.equal(short_name(name, most), short);
  }
});

test("one is one and all else is many", () => {
  const texts = [0, 1, 1n, 2, 1000].map((count) => plural(count, "call"));
  assert.deepEqual(texts, ["0 calls", "1 call", "1 call", "2 calls", "1,000 calls"]);
});

test("a path ends with its file", () => {
  assert.deepEqual(["/usr/lib/a.c", "a.c", "/a", "./dir/", ""].map(base_name), ["a.c", "a.c", "a", "dir/", ""]);
});
