import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "../../src/render/page/web/changes.js";
import { cells, open_window, outline } from "./document.js";
import { comparison, counts, differences, numbers, texts } from "./profiles.js";

/** The page of a comparison, its list so many pixels wide. */
function page_of({ hash = "", width = 1400, changes } = {}) {
  const page = open_window(hash);
  const create = document.createElement;
  document.createElement = (tag) => Object.assign(create(tag), { clientWidth: width });
  start(comparison(changes));
  page.frame();
  const rows = () => page.$$("#functions .row").map((row) => row.children.map((cell) => cell.textContent).join("|"));
  const names = () => page.texts("#functions .row .name").join(" ");
  const tables = () =>
    Object.fromEntries(page.$$("#function table").map((table) => [table.querySelector("caption").textContent, cells(table)]));
  return { page, rows, names, tables };
}

test("the list says by how much each function changed, and why", () => {
  const { page, rows } = page_of();
  assert.deepEqual(rows(), [
    "+400|+300|+30.0 %|10 → 25|100 → 52||slow",
    "-150|-150|-37.5 %|4 → 4|100 → 62.5||fast (called and inlined)",
    "+110|+110|new|0 → 2|– → 55||fresh new",
    "-60|-60|-100.0 %|3 → 0|20 → –||gone gone",
    "0|+2|+0.67 %|not counted|– → 43.1||moved moved",
  ]);
  assert.deepEqual(page.texts("#functions button"), ["self", "inclusive", "calls", "function"]);
  assert.equal(outline(page.$$(".row .self")[0]), 'div.self(span.up("+400"))');
  assert.equal(outline(page.$$(".row .self")[1]), 'div.self(span.down("-150"))');
  assert.equal(outline(page.$$(".row .self")[4]), 'div.self(span("0"))');
});

test("the total says what changed", () => {
  const { page } = page_of();
  assert.equal(outline(page.$(".total")), 'b.total("1,000 → 1,300 " span.up("+300") " +30.0 %")');
  const other = page_of({ hash: "#event=Dr" }).page;
  assert.equal(other.$(".total").textContent, "0 → 10 +10 new");
  assert.equal(other.$("select").selectedIndex, 1);
  assert.deepEqual(other.texts("option"), ["Ir: instructions", "Dr"]);
});

test("the waterfall goes from the old total to the new one", () => {
  const { page } = page_of();
  const steps = (page) =>
    page.$$(".waterfall tbody tr").map((row) => {
      const [label, value, wide] = row.children;
      const bar = wide.querySelector(".bar");
      const place = [bar.style.marginLeft, bar.style.width].map((text) => `${+parseFloat(text).toFixed(2)}%`).join("+");
      return `${label.textContent}|${value.textContent}|${value.getAttribute("class")}|${value.getAttribute("data-value")}|${place}|${bar.getAttribute("class")}`;
    });
  // From 1,000 up to 1,400 and down to 1,250: the bars begin a fifth of their span below the least, at 920.
  assert.deepEqual(steps(page), [
    "old run|1,000|number |1000|0%+16.67%|bar sum",
    "slow|+400|number up|400|16.67%+83.33%|bar up",
    "fast|-150|number down|-150|68.75%+31.25%|bar down",
    "all else|+50|number up|50|68.75%+10.42%|bar up",
    "new run|1,300|number |1300|0%+79.17%|bar sum",
  ]);
  assert.equal(page.$(".waterfall caption").textContent, "Ir by self cost; the bars begin at 920");
  assert.equal(page.$(".waterfall a").getAttribute("href"), "#f=slow");
  assert.equal(outline(page.$$(".waterfall tr")[3].children[0], ["title"]), 'td(i[title=all else]("all else"))');
  // From nothing, they begin at zero.
  const other = page_of({ hash: "#event=Dr" }).page;
  assert.deepEqual(steps(other), [
    "old run|0|number |0|0%+0.2%|bar sum",
    "slow|+10|number up|10|0%+100%|bar up",
    "new run|10|number |10|0%+100%|bar sum",
  ]);
  assert.equal(other.$(".waterfall caption").textContent, "Dr by self cost");
  const event = (old, now, ...steps) => ({
    name: "X",
    long: "",
    old,
    new: now,
    shares: true,
    waterfall: steps.map((change, f) => ({ label: `s${f}`, f, change })),
  });
  const of = (...numbers) =>
    steps(page_of({ changes: { about: { events: [event(...numbers)] } } }).page).map((step) => step.split("|").slice(4, 5).join());
  assert.deepEqual(of("100", "50", "-80", "30"), ["0%+100%", "20%+80%", "20%+30%", "0%+50%"]);
  assert.deepEqual(of("10", "-10", "-30", "10"), ["66.67%+33.33%", "0%+100%", "0%+33.33%", "33.33%+33.33%"]);
  assert.deepEqual(of("0", "0"), ["0%+0.2%", "0%+0.2%"]);
  assert.deepEqual(of("-10", "-20", "-10"), ["50%+50%", "0%+50%", "0%+100%"]);
  // Where the least is half of the most, zero is still there.
  assert.deepEqual(of("100", "50", "-50"), ["0%+100%", "50%+50%", "0%+50%"]);
  assert.deepEqual(of("100", "60", "-40"), ["0%+100%", "16.67%+83.33%", "0%+16.67%"]);
});

test("a bar of three parts says what more calls and dearer ones did", () => {
  const { page } = page_of();
  const [slow, fast, fresh, , moved] = page.$$(".row div.split");
  assert.equal(slow.children[0].getAttribute("title"), "calls +150, per call -40, both at once +10");
  assert.equal(outline(slow), "div.split(span.split(span.up.part0 span.down.part1 span.up.part2))");
  assert.deepEqual(
    slow.children[0].children.map((piece) => piece.style.width),
    ["75%", "20%", "5%"],
  );
  assert.equal(outline(fast), "div.split(span.split(span.part0 span.down.part1 span.part2))");
  assert.deepEqual(
    [fresh, moved].map((cell) => outline(cell)),
    ['div.split("")', 'div.split("")'],
  );
});

test("one function says why it changed, with its callers, callees and lines", () => {
  const { page, tables } = page_of();
  assert.deepEqual(page.texts("#function h2"), ["slow"]);
  assert.deepEqual(page.texts(".where"), ["/src/a.c [app]"]);
  assert.deepEqual(page.texts(".why"), ["slow +400.0 %: 2.5x the calls"]);
  assert.deepEqual(tables(), {
    "": ["self|+400|+400.0 %|100|500", "inclusive|+300|+30.0 %|1,000|1,300", "calls|+15|+150.0 %|10|25"],
    Callers: ["+250|30 → 280|3× → 8×|slow (recursive)"],
    Callees: ["+250|30 → 280|3× → 8×|slow (recursive)", "-150|400 → 250|4× → 4×|fast (called and inlined)"],
    "/src/a.c (changed after the profile was written)": [
      "2||||l2",
      "3||||l3",
      "4||||l4",
      "5|+250|100|350|l5",
      "9||||l9",
      "10||||l10",
      "11||||l11",
      "12|+150|0|150|l12",
    ],
    "/src/b.c": ["|-9|9|0|(line 9 of the old run)"],
  });
  assert.equal(outline(page.$(".source tr")), 'tr(td.number.at("2") td.number("") td.number("") td.number("") td.code("l2"))');
  assert.deepEqual(page.texts("#function .rest"), ["1 line that changed little omitted"]);
  const none = { about: { sources: [] }, columns: { "x.file": numbers(), "x.runs": numbers() } };
  const absent = "Source: not found (-I DIR or --map OLD=NEW says where it is).";
  assert.equal(page_of({ hash: "#f=slow", changes: none }).page.texts("#function .rest")[0], absent);
  const fast = page_of({ hash: "#f=fast" });
  assert.deepEqual(fast.page.texts("#function h2"), ["fast (called and inlined)"]);
  assert.deepEqual(fast.tables().Callers, ["-150|400 → 250|4× → 4×|slow", "+1|5 → 6||3 functions with little or no change"]);
  assert.deepEqual(fast.tables().Callees, ["+110|0 → 110|0× → not counted|fresh"]);
  const moved = page_of({ hash: "#f=moved" });
  assert.deepEqual(moved.page.texts(".where"), ["/src/b.c moved, was in /src/a.c"]);
  assert.deepEqual(moved.tables()[""][2], "calls|||not counted|7");
  assert.deepEqual(moved.page.texts("#function .rest"), ["Callers: none", "Callees: none"]);
  assert.equal(moved.page.$(".why"), null);
  assert.equal(page_of({ hash: "#f=none" }).page.$("#function").textContent, "No function of this name is on the page.");
  const empty = page_of({ changes: { columns: { "r.name": numbers() } } }).page;
  assert.equal(empty.$("#function").textContent, "Nothing changed.");
});

test("lines follow each other without being said twice", () => {
  const at = (...lines) => {
    const all = { "l.file": numbers(0, 0, 0), "l.new": differences(...lines.map((line) => line + 1)) };
    return page_of({ changes: { columns: all } })
      .page.$$("#function .source .at")
      .map((cell) => cell.textContent)
      .join(" ");
  };
  assert.equal(at(2, 4, 9), "1 2 3 4 6 7 8 9");
  assert.equal(at(1, 2, 12), "1 2 9 10 11 12");
  assert.equal(at(3, 3, 7), "1 2 3 3 4 5 6 7");
});

test("very many callers and lines do not all show", () => {
  const count = 250;
  const all = Array.from({ length: count }, (_, at) => at);
  const changes = {
    columns: {
      "r.arcs": numbers(count, ...all.slice(1).map(() => 0)),
      "r.lines": numbers(3001, ...all.slice(1).map(() => 0)),
      "r.callees+.count": numbers(),
      "r.name": numbers(...all.map(() => 0)),
      "r.status": numbers(...all.map(() => 0)),
      ...Object.fromEntries(
        ["self.old.0", "self.new.0", "incl.old.0", "incl.new.0", "calls.old", "calls.new"].map((name) => [`r.${name}`, counts(...all)]),
      ),
      "a.callee": differences(...all),
      "a.cost.old.0": counts(...all),
      "a.cost.new.0": counts(...all.map(() => 0)),
      "a.count.old": counts(...all.map(() => 1)),
      "a.count.new": counts(...all.map(() => 1)),
      "l.file": numbers(...Array(3001).fill(0)),
      "l.old": differences(...Array(3001).fill(1)),
      "l.new": differences(...Array(3001).fill(0)),
      "l.self.old.0": counts(...Array(3001).fill(1)),
      "l.self.new.0": counts(...Array(3001).fill(1)),
    },
  };
  const { page } = page_of({ changes });
  const callees = page.$$("#function table").find((table) => table.querySelector("caption").textContent === "Callees");
  const rows = cells(callees);
  assert.deepEqual([rows.length, rows[0].split("|")[0], rows[199].split("|")[0]], [200, "-249", "-50"]);
  assert.deepEqual(
    page.$$("#function .source").map((table) => cells(table).length),
    [3000, 1],
  );
});

test("rows are sorted by the size of their change, by calls, by name", () => {
  const { page, names } = page_of();
  const sorted = (title) => {
    page
      .$$("#functions .head button")
      .find((button) => button.textContent === title)
      .click();
    return page
      .$$("#functions .row .name")
      .filter((one) => one.tag === "span")
      .map((one) => one.textContent)
      .join(" ");
  };
  assert.equal(sorted("self"), "slow fast fresh gone moved");
  assert.equal(sorted("inclusive"), "slow fast fresh gone moved");
  assert.equal(sorted("calls"), "slow moved gone fresh fast");
  assert.equal(sorted("function"), "fast fresh gone moved slow");
  assert.equal(location.hash.includes("sort=name"), true);
  assert.ok(names().length > 0);
  // Equal ones stand in the order of the page.
  const equal = page_of({ changes: { columns: { "r.self.new.0": counts(101, 401, 299, 1, 59) } } });
  assert.equal(
    equal.page
      .$$("#functions .row .name")
      .filter((one) => one.tag === "span")
      .map((one) => one.textContent)
      .join(" "),
    "slow fast moved fresh gone",
  );
  const same_name = page_of({
    hash: "#sort=name",
    changes: { columns: { "r.name": numbers(1, 0, 1, 0, 1), "r.was": texts("", "", "", "", "") } },
  });
  assert.deepEqual(
    same_name.page.$$("#functions .row .self").map((one) => one.textContent),
    ["-150", "+110", "+400", "0", "-60"],
  );
});

test("columns go where there is no room, and are as wide as their numbers", () => {
  const keys = (width) =>
    page_of({ width })
      .page.$$("#functions [role=columnheader]")
      .map((one) => one.getAttribute("class"))
      .join(" ");
  assert.equal(keys(1400), "self incl part calls each split name");
  const widths = (changes) => page_of({ changes }).page.$(".grid").style["--columns"];
  assert.equal(widths(), "10.25ch 10.25ch 9.25ch 12.25ch 14.25ch 8ch minmax(16ch, 1fr)");
  // What is new has no growth that would need room.
  assert.match(widths({ columns: { "r.incl.new.0": counts(1001, 400, 300, 110, 60) } }), /^10\.25ch 10\.25ch 8\.25ch /);
  const large = {
    columns: {
      "r.self.new.0": counts(1234567890, 250, 300, 110, 0),
      "r.incl.new.0": counts(98765432100, 250, 302, 110, 0),
      "r.calls.old": counts(1234567, 4, 5, 0, 3),
    },
  };
  assert.equal(widths(large), "15.25ch 16.25ch 16.25ch 15.25ch 23.25ch 8ch minmax(16ch, 1fr)");
  // In characters of seven pixels, of which two are for a bar to scroll with.
  const fit = (...rooms) => rooms.map((room) => keys((room + 2) * 7).split(" ").length);
  assert.deepEqual(fit(45, 46, 57, 58, 72, 73, 80, 81), [3, 4, 4, 5, 5, 6, 6, 7]);
  assert.equal(keys(45 * 7), "self incl name");
  assert.equal(keys(60 * 7), "self incl part calls name");
  const flat = page_of({ changes: { about: { has_inclusive: false } } }).page;
  assert.equal(
    flat
      .$$("#functions [role=columnheader]")
      .map((one) => one.getAttribute("class"))
      .join(" "),
    "self name",
  );
});

test("costs of a call have one place, where that is worth it", () => {
  const each = (old, now, calls = 1) => {
    const all = {
      "r.incl.old.0": counts(old, 0, 0, 0, 0),
      "r.incl.new.0": counts(now, 0, 0, 0, 0),
      "r.calls.old": counts(calls, 1, 1, 1, 1),
      "r.calls.new": counts(calls, 1, 1, 1, 1),
    };
    return page_of({ changes: { columns: all } }).page.$$(".row .each")[0].textContent;
  };
  assert.equal(each(7, 25, 2), "3.5 → 12.5");
  assert.equal(each(999, 1000), "999 → 1,000");
  assert.equal(each(99994, 99996, 100), "999.9 → 1,000");
  assert.equal(each(-5, 123456, 10), "-0.5 → 12,346");
});

test("growth is said in percent, finely where it is small", () => {
  const total = (old, now) =>
    page_of({ changes: { about: { events: [{ name: "Ir", long: "", old, new: now, shares: true, waterfall: [] }] } } }).page.$(".total")
      .textContent;
  assert.equal(total("1000", "1005"), "1,000 → 1,005 +5 +0.50 %");
  assert.equal(total("1000", "1010"), "1,000 → 1,010 +10 +1.0 %");
  assert.equal(total("1000", "991"), "1,000 → 991 -9 -0.90 %");
  assert.equal(total("1000", "0"), "1,000 → 0 -1,000 -100.0 %");
  assert.equal(total("-10", "10"), "-10 → 10 +20 +200.0 %");
  assert.equal(total("0", "0"), "0 → 0 0 ");
  assert.equal(total("5", "5"), "5 → 5 0 0.00 %");
});

test("a search shows what is found, and keys do what they say", () => {
  const { page } = page_of();
  const names = () =>
    page
      .$$("#functions .row .name")
      .filter((one) => one.tag === "span")
      .map((one) => one.textContent)
      .join(" ");
  assert.equal(document.activeElement, page.$(".grid"));
  page.press("/");
  assert.equal(document.activeElement, page.$("input"));
  page.type(page.$("input"), "f");
  assert.deepEqual([names(), page.texts(".found")[0], location.hash], ["fast fresh", "2 found", "#f=slow&search=f"]);
  page.press("Enter");
  assert.deepEqual([page.texts("#function h2")[0], document.activeElement], ["fast (called and inlined)", page.$(".grid")]);
  page.press("Escape");
  assert.deepEqual([names(), page.texts(".found")[0], page.$("input").value], ["slow fast fresh gone moved", "", ""]);
  const steps = page.entries.length;
  const heading = (key) => {
    page.press(key);
    return page.texts("#function h2")[0];
  };
  assert.deepEqual(["j", "j", "k"].map(heading), ["fresh", "gone", "fresh"]);
  assert.equal(page.entries.length, steps, "to walk the list is no history of its own");
  page.press("c");
  assert.deepEqual(document.copied, [["copy", "fresh"]]);
  page.press("?");
  assert.equal(page.$("dialog").getAttribute("open"), "");
  assert.equal(cells(page.$("dialog table")).length, 8);
  page.$("dialog").close();
  page.press("End");
  page.press("Enter");
  assert.deepEqual([page.texts("#function h2")[0], page.entries.length], ["moved", steps + 1]);
  history.back();
  assert.equal(page.texts("#function h2")[0], "fresh");
  page.$("select").selectedIndex = 1;
  page.$("select").fire("change");
  assert.equal(location.hash.includes("event=Dr"), true);
  assert.equal(page.$("#stacks").textContent, "StacksThis event has no stacks.");
  page.visit("#f=none");
  document.copied.length = 0;
  page.press("c");
  assert.deepEqual(document.copied, []);
});

test("a click picks a row, and what is picked stays in sight", () => {
  const { page } = page_of();
  page.$$("#functions .row")[2].click();
  assert.equal(page.texts("#function h2")[0], "fresh");
  assert.equal(page.$("[aria-selected=true]").getAttribute("id"), "row2");
  assert.equal(page.$(".cursor").getAttribute("id"), "row2");
  page.visit("#f=gone");
  assert.equal(page.$(".cursor").getAttribute("id"), "row3");
  page.visit("#f=none");
  assert.equal(page.$(".cursor").getAttribute("id"), "row3");
  assert.equal(page.$("[aria-selected=true]")?.getAttribute("role") === "option", true);
});

test("what is followed from a function leads to its place, and the focus stays", () => {
  const { page } = page_of();
  page.$("#function").scrollTop = 99;
  page.$("#function table a").focus();
  page.visit("#f=fast");
  assert.deepEqual([document.activeElement, page.$("#function").scrollTop], [page.$("#function"), 0]);
  page.$(".grid").focus();
  page.visit("#f=slow");
  assert.equal(document.activeElement, page.$(".grid"));
  // What changes nothing of it leaves it as it is.
  const heading = page.$("#function h2");
  page.visit("#f=slow");
  assert.equal(page.$("#function h2"), heading);
  page.resize(900);
  assert.equal(page.$("#function h2"), heading);
});

test("below are the stacks and what else there is to say", () => {
  const { page } = page_of();
  assert.deepEqual(page.texts(".below h3"), ["Stacks", "Warnings", "Old run", "New run"]);
  assert.deepEqual(
    page.texts(".below li").filter((text) => !text.includes("added or removed")),
    ["a warning", "old.out", "./app 1", "new.out", "./app 2"],
  );
  assert.match(page.$("#stacks .note").textContent, /^An estimate: where in the stacks/);
  assert.equal(page.$(".readout").textContent, "slow: about +320, 500 → 820; 700 added or removed");
  page.$("[role=listbox]").focus();
  page.press("Enter");
  assert.equal(location.hash, "#f=slow&at=slow");
  document.activeElement = document.body;
  page.press("0");
  assert.equal(location.hash, "#f=slow");
  const many = page_of({ changes: { about: { old: Array(60).fill("o"), new: Array(60).fill("n"), warnings: [], notes: ["x"] } } }).page;
  assert.deepEqual(many.texts(".below h3"), ["Stacks", "What is on this page", "Old run", "New run"]);
  assert.deepEqual(
    ["o", "n"].map((name) => many.texts(".below li").filter((text) => text === name).length),
    [50, 50],
  );
});

test("a page that gets wider has other columns", () => {
  const { page } = page_of();
  const heads = () => page.$$("#functions [role=columnheader]").length;
  assert.equal(heads(), 7);
  page.$(".grid").clientWidth = 300;
  page.resize(300);
  assert.ok(heads() < 7);
});

test("however long names are, they find room", () => {
  const [name, file] = ["n".repeat(1500), `/${"f".repeat(300)}`];
  const event = {
    name: "Ir",
    long: "",
    old: "1",
    new: "2",
    shares: true,
    waterfall: [0, null].map((f) => ({ label: name, f, change: "1" })),
  };
  const { page } = page_of({
    width: 700,
    changes: { about: { events: [event] }, columns: { names: texts(name, "b", "c", "d", name), files: texts(file, file) } },
  });
  const lengths = (...selectors) => selectors.map((selector) => page.texts(selector)[0].length);
  assert.deepEqual(lengths("#function h2", ".where"), [1000, 200 + " [app]".length]);
  assert.deepEqual(lengths("#function a", ".source caption"), [
    60 - " (recursive)".length,
    200 + " (changed after the profile was written)".length,
  ]);
  assert.deepEqual(lengths(".waterfall a", ".waterfall i"), [50, 50]);
  // Of 98 characters, the numbers and bars need 64.25; a name has what is left.
  assert.equal(page.$("#functions .row .name span").textContent.length, 33);
});

test("each function has its own lines, and nothing takes the focus that is only led to", () => {
  const changes = { columns: { "r.lines": numbers(1, 2, 0, 0, 0), "l.file": numbers(0, 0, 0) } };
  const lines = (hash) =>
    page_of({ hash, changes })
      .page.$$("#function .source .at")
      .map((cell) => cell.textContent)
      .join(" ");
  assert.deepEqual([lines("#f=slow"), lines("#f=fast")], ["2 3 4 5", "9 10 11 12 "]);
  const { page } = page_of();
  assert.deepEqual(
    ["#function", ".below", ".grid"].map((part) => page.$(part).getAttribute("tabindex")),
    ["-1", "0", "0"],
  );
});

test("what there is room for depends on how wide characters are", () => {
  const page = open_window();
  const create = document.createElement;
  document.createElement = (tag) =>
    Object.assign(create(tag), { clientWidth: 700, getContext: () => ({ measureText: () => ({ width: 14 }) }) });
  start(comparison());
  assert.equal(page.$$("#functions [role=columnheader]").length, 4);
});
