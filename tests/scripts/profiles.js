// Columns as the writer, columns.rs, packs them, and a profile and a comparison made of some.

import { Columns } from "../../src/render/page/web/columns.js";
import { Comparison } from "../../src/render/page/web/comparison.js";
import { Profile } from "../../src/render/page/web/profile.js";

function varint(bytes, value) {
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
}

const zigzag = (value) => (BigInt(value) < 0n ? -2n * BigInt(value) - 1n : 2n * BigInt(value));

export const numbers = (...values) => ({ kind: 0, values });
/** Costs; `null` was never written. */
export const counts = (...values) => ({ kind: 1, values: values.map((value) => (value === null ? 0n : 1n + zigzag(value))) });
export const differences = (...values) => ({
  kind: 2,
  values: values.map((value, at) => zigzag(BigInt(value) - BigInt(at ? values[at - 1] : 0))),
});
export const texts = (...values) => ({ kind: 3, values });

/** The bytes of a block. @param {Record<string, {kind: number, values: any[]}>} all */
export function stream(all) {
  const [directory, bytes] = [[], []];
  varint(directory, Object.keys(all).length);
  for (const [name, { kind, values }] of Object.entries(all)) {
    const start = bytes.length;
    if (kind === 3) bytes.push(...new TextEncoder().encode(values.join("\n")));
    else for (const value of values) varint(bytes, value);
    varint(directory, name.length);
    directory.push(...new TextEncoder().encode(name), kind);
    varint(directory, values.length);
    varint(directory, bytes.length - start);
  }
  return Uint8Array.from([...directory, ...bytes]);
}

export const columns = (all) => new Columns(stream(all));

/** `main` calls `parse` from two lines, `run` and itself; `run` and `again` call each other; `memcpy` is of a library.
 *
 * ```text
 * f  name    object  file    self Ir  incl Ir  self Dr
 * 0  memcpy  libc    mem.c   400      400      4
 * 1  main    app     main.c  300      1000     -
 * 2  parse   app     main.c  200      450      7
 * 3  run     app     run.c   60       100      2
 * 4  again   app     run.c   30       70       1
 * 5  main    libc    mem.c   10       10       0
 * ```
 */
export function profile_columns(changes = {}) {
  const about = {
    title: "t",
    own_code: "",
    command: "./app --fast",
    inputs: ["callgrind.out.1"],
    details: ["detail"],
    descriptions: ["described"],
    events: [
      { name: "Ir", long: "instructions", total: "1000", shares: true, stacks: "An estimate.", certain: 0.857 },
      { name: "Dr", long: "", total: "14", shares: true, stacks: "These are exact.", certain: null },
    ],
    first: 0,
    sort: "self",
    has_inclusive: true,
    warnings: [],
    notes: ["a note"],
    parts: ["part one", "part two"],
    sources: [{ found: "main.c", newer: false }],
    ...changes.about,
  };
  return {
    about: texts(JSON.stringify(about)),
    names: texts("again", "main", "memcpy", "parse", "run"),
    files: texts("/src/main.c", "/src/mem.c", "/src/run.c"),
    objects: texts("/bin/app", "/lib/libc.so"),
    "p.object": numbers(1, 0, 0),
    "p.file": numbers(1, 0, 2),
    "p.self.0": counts(410, 500, 90),
    "p.self.1": counts(4, 7, 3),
    "f.name": numbers(2, 1, 3, 4, 0, 1),
    "f.place": numbers(0, 1, 1, 2, 2, 0),
    "f.called": counts(40, 1, 12, 3, 2, 0),
    "f.reach": numbers(0, 0, 1, 0, 2, 0),
    "f.cycle": numbers(0, 0, 0, 1, 1, 0),
    "f.lines": numbers(1, 2, 2, 1, 1, 0),
    "f.arcs": numbers(0, 3, 1, 1, 1, 0),
    "f.self.0": counts(400, 300, 200, 60, 30, 10),
    "f.self.1": counts(4, null, 7, 2, 1, 0),
    "f.incl.0": counts(400, 1000, 450, 100, 70, 10),
    "f.incl.1": counts(4, 14, 8, 3, 1, 0),
    "f.callers+.count": numbers(2, 0, 0, 0, 0, 0),
    "f.callers+.calls": numbers(1500, 0, 0, 0, 0, 0),
    "f.callers+.0": counts(50, 0, 0, 0, 0, 0),
    "f.callers+.1": counts(0, 0, 0, 0, 0, 0),
    "f.callees+.count": numbers(0, 1, 0, 0, 0, 0),
    "f.callees+.calls": numbers(0, 7, 0, 0, 0, 0),
    "f.callees+.0": counts(0, 100, 0, 0, 0, 0),
    "f.callees+.1": counts(0, 2, 0, 0, 0, 0),
    "f.lines+.count": numbers(0, 1, 0, 0, 2, 0),
    "f.lines+.0": counts(0, 20, 0, 0, 9, 0),
    "f.lines+.1": counts(0, 0, 0, 0, 0, 0),
    "l.file": numbers(1, 0, 0, 0, 1, 2, 2),
    "l.line": differences(8, 3, 12, 20, 9, 5, 30),
    "l.self.0": counts(400, 30, 250, 150, 50, 60, 21),
    "l.self.1": counts(4, null, null, 7, 0, 2, 1),
    // main to parse, run and itself; parse to memcpy; run to again; again to run.
    "a.callee": differences(2, 3, 1, 0, 4, 3),
    "a.count": counts(12, 1, 5, 39, 2, null),
    "a.sites": numbers(2, 1, 1, 1, 1, 1),
    "a.cost.0": counts(450, 100, 70, 250, 70, 40),
    "a.cost.1": counts(8, 3, 0, 1, 1, 1),
    "s.file": numbers(0, 0, 0, 0, 0, 2, 2),
    "s.line": differences(12, 14, 12, 3, 21, 6, 31),
    "s.count": counts(9, 3),
    "s.cost.0": counts(300, 150),
    "s.cost.1": counts(6, 2),
    "x.file": numbers(0),
    "x.missing": numbers(1, 2),
    "x.why": texts("", ""),
    "x.no_room": numbers(0),
    "x.runs": numbers(2),
    "x.first": differences(1, 10),
    "x.lines": numbers(4, 8),
    "x.text": texts("one", "two", "three", "four", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    "c.members": numbers(2),
    "c.size": numbers(3),
    "c.member": differences(3, 4),
    "c.self.0": counts(90),
    "c.incl.0": counts(100),
    "c.self.1": counts(3),
    "c.incl.1": counts(3),
    "k.file": numbers(0, 1, 2),
    "k.self.0": counts(450, 460, 90),
    "k.self.1": counts(10, 4, null),
    "part.0": counts(600, 400),
    "part.1": counts(14, 0),
    // all: main, in it parse with memcpy, a cycle, and what was left out.
    "t.0.frame": numbers(3, 5, 1, 2, 0),
    "t.0.depth": numbers(0, 1, 2, 1, 1),
    "t.0.total": counts(1000, 450, 250, 100, 150),
    "t.0.least": counts(1000, 400, 200, 100, 150),
    "t.0.most": counts(1000, 500, 300, 100, 150),
    ...changes.columns,
  };
}

export const profile = (changes) => new Profile(columns(profile_columns(changes)));

/** `slow` grew, `fast` shrank, `moved` moved, `fresh` is new, `gone` is gone. */
export function comparison_columns(changes = {}) {
  const about = {
    title: "old → new",
    own_code: "",
    old: ["old.out"],
    new: ["new.out"],
    commands: ["./app 1", "./app 2"],
    events: [
      {
        name: "Ir",
        long: "instructions",
        old: "1000",
        new: "1300",
        shares: true,
        waterfall: [
          { label: "slow", f: 0, change: "400" },
          { label: "fast", f: 1, change: "-150" },
          { label: "all else", f: null, change: "50" },
        ],
      },
      { name: "Dr", long: "", old: "0", new: "10", shares: true, waterfall: [{ label: "slow", f: 0, change: "10" }] },
    ],
    first: 0,
    sort: "self",
    has_inclusive: true,
    warnings: ["a warning"],
    notes: [],
    sources: [{ found: "a.c", newer: true }],
    ...changes.about,
  };
  return {
    about: texts(JSON.stringify(about)),
    names: texts("fast", "fresh", "gone", "moved", "slow"),
    files: texts("/src/a.c", "/src/b.c"),
    objects: texts("", "app"),
    "r.name": numbers(4, 0, 3, 1, 2),
    "r.file": numbers(0, 0, 1, 1, 0),
    "r.object": numbers(1, 1, 0, 0, 0),
    "r.status": numbers(0, 0, 1, 3, 4),
    "r.reach": numbers(0, 2, 0, 0, 0),
    "r.was": texts("", "", "in /src/a.c", "", ""),
    "r.self.old.0": counts(100, 400, 300, 0, 60),
    "r.self.new.0": counts(500, 250, 300, 110, 0),
    "r.self.old.1": counts(0, 0, 0, 0, 0),
    "r.self.new.1": counts(10, 0, 0, 0, 0),
    "r.incl.old.0": counts(1000, 400, 300, 0, 60),
    "r.incl.new.0": counts(1300, 250, 302, 110, 0),
    "r.incl.old.1": counts(0, 0, 0, 0, 0),
    "r.incl.new.1": counts(10, 0, 0, 0, 0),
    "r.calls.old": counts(10, 4, null, 0, 3),
    "r.calls.new": counts(25, 4, 7, 2, 0),
    "r.more.0": counts(150, 0, null, 0, 0),
    "r.dearer.0": counts(-40, -150, null, 0, 0),
    "r.joint.0": counts(10, 0, null, 0, 0),
    "r.more.1": counts(10, null, null, null, null),
    "r.dearer.1": counts(0, null, null, null, null),
    "r.joint.1": counts(0, null, null, null, null),
    "r.why.1": texts("", "", "", "", ""),
    "r.why.0": texts("slow +400.0 %: 2.5x the calls", "", "", "", ""),
    "r.arcs": numbers(2, 1, 0, 0, 0),
    "r.lines": numbers(3, 0, 0, 0, 0),
    "r.callers+.count": numbers(0, 3, 0, 0, 0),
    "r.callers+.old.0": counts(0, 5, 0, 0, 0),
    "r.callers+.new.0": counts(0, 6, 0, 0, 0),
    "r.callers+.old.1": counts(0, 0, 0, 0, 0),
    "r.callers+.new.1": counts(0, 0, 0, 0, 0),
    "r.callees+.count": numbers(0, 0, 0, 0, 0),
    "r.lines+.count": numbers(1, 0, 0, 0, 0),
    // slow to fast and to itself; fast to fresh.
    "a.callee": differences(1, 0, 3),
    "a.again": numbers(0, 1, 0),
    "a.count.old": counts(4, 3, 0),
    "a.count.new": counts(4, 8, null),
    "a.cost.old.0": counts(400, 30, 0),
    "a.cost.new.0": counts(250, 280, 110),
    "a.cost.old.1": counts(0, 0, 0),
    "a.cost.new.1": counts(0, 4, 0),
    "l.file": numbers(0, 0, 1),
    "l.old": differences(6, 0, 10),
    "l.new": differences(6, 13, 0),
    "l.self.old.0": counts(100, 0, 9),
    "l.self.new.0": counts(350, 150, 0),
    "l.self.old.1": counts(0, 0, 0),
    "l.self.new.1": counts(6, 4, 0),
    "x.file": numbers(0),
    "x.missing": numbers(0),
    "x.why": texts(""),
    "x.no_room": numbers(0),
    "x.runs": numbers(1),
    "x.first": differences(1),
    "x.lines": numbers(12),
    "x.text": texts("l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9", "l10", "l11", "l12"),
    // slow, in it fast and a cycle; what is left out.
    "d.0.kind": numbers(1, 1, 2, 0),
    "d.0.name": numbers(4, 0, 3, 0),
    "d.0.f": numbers(1, 2, 0, 0),
    "d.0.depth": differences(0, 1, 1, 0),
    "d.0.old": counts(500, 400, 100, 30),
    "d.0.new": counts(820, 250, 100, 40),
    "d.0.size": counts(700, 150, 20, 60),
    ...changes.columns,
  };
}

export const comparison = (changes) => new Comparison(columns(comparison_columns(changes)));
