import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "../../src/render/page/web/main.js";
import { cells, open_window, outline } from "./document.js";
import { counts, numbers, profile, texts } from "./profiles.js";

/** The page of a profile, its list so many pixels wide. */
function page_of({ hash = "", width = 1400, changes, later = true } = {}) {
  const page = open_window(hash);
  const create = document.createElement;
  document.createElement = (tag) => Object.assign(create(tag), { clientWidth: width });
  start(profile(changes));
  if (later) page.frame();
  const rows = () => page.$$("#functions .row").map((row) => row.children.map((cell) => cell.textContent).join("|"));
  /** What a column says of each row. */
  const column = (key) => page.$$(`#functions .row div.${key}`).map((cell) => cell.textContent);
  const heading = () => page.texts("#function h2")[0];
  return { page, rows, column, heading };
}

/** A title of the list's columns. */
const title = (page, text) => page.$$("#functions .head button").find((button) => button.textContent === text);

test("the list says what each function costs", () => {
  const { page, rows } = page_of();
  assert.deepEqual(rows(), [
    "400|40.00 %|400|40.00 %|40|10|memcpy|mem.c",
    "300|30.00 %|1,000|100.0 %|1|1,000|main|main.c",
    "200|20.00 %|450|45.00 %|12|38|parse (inlined)|main.c",
    "60|6.00 %|100|10.00 %|3|33|run|run.c",
    "30|3.00 %|70|7.00 %|2|35|again (called and inlined)|run.c",
    "10|1.00 %|10|1.00 %|0|.|main|mem.c",
  ]);
  assert.deepEqual(page.texts("#functions .head button"), ["self", "%", "inclusive", "%", "calls", "per call", "function", "file"]);
  assert.equal(outline(page.$$(".row .file")[1], ["title"]), 'div.file(span[title=/src/main.c]("main.c"))');
  assert.deepEqual([page.texts(".total"), page.texts(".command")], [["1,000"], ["./app --fast"]]);
  assert.deepEqual(page.texts("option"), ["Ir: instructions", "Dr"]);
  assert.deepEqual(page_of({ changes: { about: { command: "" } } }).page.texts(".command"), ["callgrind.out.1"]);
  assert.deepEqual(page_of({ changes: { about: { command: "", inputs: [] } } }).page.texts(".command"), [""]);
});

test("functions are sorted by what they cost, by calls, by name and file", () => {
  const { page, column } = page_of();
  const sorted = (text) => {
    title(page, text).click();
    return column("self").join(" ");
  };
  assert.equal(sorted("inclusive"), "300 200 400 60 30 10");
  assert.equal(location.hash, "#f=memcpy&sort=incl");
  assert.equal(sorted("calls"), "400 200 60 30 300 10");
  assert.equal(sorted("per call"), "300 200 30 60 400 10");
  assert.equal(sorted("function"), "30 300 10 400 200 60");
  assert.equal(sorted("file"), "300 200 400 10 60 30");
  assert.equal(sorted("self"), "400 300 200 60 30 10");
  assert.equal(page.entries.length, 7);
  history.back();
  assert.equal(column("self").join(" "), "300 200 400 10 60 30");
  // By another event, and by one that is not chosen.
  assert.equal(page_of({ hash: "#event=Dr" }).column("self").join(" "), "7 4 2 1 . 0");
  assert.equal(page_of({ hash: "#sort=self.1" }).column("self").join(" "), "200 400 60 30 300 10");
  assert.equal(page_of({ hash: "#sort=self.0&event=Dr" }).column("self").join(" "), "4 . 7 2 1 0");
  assert.equal(page_of({ hash: "#sort=incl&event=Dr" }).column("incl").join(" "), "14 8 4 3 1 0");
  const equal = { columns: { "f.incl.0": counts(5, 9, 5, 9, 5, 9) } };
  assert.equal(page_of({ hash: "#sort=incl", changes: equal }).column("self").join(" "), "300 60 10 400 200 30");
  // The list is in the order of the first event's own cost already.
  const second = page_of({ changes: { about: { first: 1 } } });
  assert.equal(second.column("self").join(" "), "4 . 7 2 1 0");
  assert.equal(
    page_of({ hash: "#event=Ir", changes: { about: { first: 1 } } })
      .column("self")
      .join(" "),
    "400 300 200 60 30 10",
  );
});

test("columns go where there is no room, and are as wide as their numbers", () => {
  const keys = (page) =>
    page
      .$$("#functions [role=columnheader]")
      .map((one) => one.getAttribute("class"))
      .join(" ");
  const fit = (...rooms) => rooms.map((room) => keys(page_of({ width: (room + 2) * 7 }).page).split(" ").length);
  const { page } = page_of();
  assert.equal(keys(page), "self part incl part calls each name file");
  assert.equal(page.$(".grid").style["--columns"], "8.25ch 9.25ch 9.25ch 9.25ch 12.25ch 9.25ch minmax(24ch, 3fr) minmax(12ch, 1fr)");
  assert.deepEqual(fit(93, 95, 84, 85, 72, 73, 59, 60), [7, 8, 6, 7, 5, 6, 4, 5]);
  assert.equal(keys(page_of({ width: 70 * 7 }).page), "self part incl part name");
  assert.equal(keys(page_of({ width: 7 }).page), "self part incl name");
  assert.equal(keys(page_of({ width: 7, hash: "#sort=file" }).page), "self part incl name file");
  const widths = (changes, hash) => page_of({ changes, hash }).page.$(".grid").style["--columns"].split(" ").slice(0, 5).join(" ");
  assert.match(widths({ columns: { "f.reach": numbers(0, 0, 2, 0, 0, 0) } }), /7\.25ch$/);
  assert.equal(
    widths({
      columns: {
        "f.self.0": counts(12345678901, 1, 1, 1, 1, 1),
        "f.incl.0": counts(123456789012345, 1, 1, 1, 1, 1),
        "f.called": counts(1234567890123, 1, 1, 1, 1, 1),
      },
    }),
    "16.25ch 16.25ch 21.25ch 20.25ch 19.25ch",
  );
  const flat = page_of({ changes: { about: { has_inclusive: false } } }).page;
  assert.equal(keys(flat), "self part name file");
  const event = { name: "Ir", long: "", total: "1000", shares: false, stacks: "", certain: null };
  assert.equal(keys(page_of({ changes: { about: { events: [event, event] } } }).page), "self incl calls each name file");
});

test("names are as long as there is room for", () => {
  const changes = { columns: { names: texts("again", "main", "n".repeat(300), "parse", "run") } };
  const length = (width) => page_of({ width, changes }).page.$("#functions .row .name span").textContent.length;
  const files = { columns: { files: texts("/a/b", `/src/${"f".repeat(60)}`, "/c") } };
  assert.equal(page_of({ changes: files }).column("file")[0].length, 40);
  // What is left of 198 characters, and the name's own 24.
  assert.equal(length(1400), 128);
  assert.equal(length(7), 24);
});

test("every event has a column when that is asked for", () => {
  const { page } = page_of();
  const button = page.$(".tools button");
  assert.equal(button.getAttribute("aria-pressed"), "false");
  button.click();
  assert.equal(button.getAttribute("aria-pressed"), "true");
  assert.deepEqual(page.texts("#functions .head button").slice(8), ["Ir", "Dr"]);
  assert.equal(page.texts("#functions .row")[2].endsWith("2007"), true);
  assert.equal(page.$(".grid").style["--columns"].endsWith(" 8.25ch 8.25ch"), true);
  title(page, "Dr").click();
  assert.equal(location.hash, "#f=memcpy&sort=self.1&all=events");
  assert.match(page.texts("#functions .row")[0], /^200/);
  button.click();
  assert.equal(location.hash, "#f=memcpy&sort=self.1");
  assert.equal(page.texts("#functions .head button").length, 8);
  const one = { name: "Ir", long: "", total: "1000", shares: true, stacks: "", certain: null };
  assert.equal(page_of({ changes: { about: { events: [one] } } }).page.$(".tools"), null);
  const long = page_of({ hash: "#all=events", changes: { about: { events: [one, { ...one, name: "A_rather_long_name" }] } } });
  assert.equal(long.page.$(".grid").style["--columns"].endsWith(" 8.25ch 21.25ch"), true);
});

test("the event is chosen in one place", () => {
  const { page } = page_of();
  const choice = page.$("select");
  choice.selectedIndex = 1;
  choice.fire("change");
  assert.deepEqual([location.hash, page.$(".total").textContent, page.entries.length], ["#f=memcpy&event=Dr", "14", 2]);
  history.back();
  assert.deepEqual([choice.selectedIndex, page.$(".total").textContent], [0, "1,000"]);
});

test("objects are parts of a bar, and a press on one shows its functions alone", () => {
  const { page, column } = page_of();
  const buttons = () => page.$$("#objects button");
  assert.deepEqual(
    buttons().map((one) =>
      [one.textContent, one.getAttribute("title"), one.style.flexGrow, one.getAttribute("class"), one.getAttribute("aria-pressed")].join(
        "|",
      ),
    ),
    ["app 59.00 %|/bin/app: 590 59.00 %|0.59|colour0|false", "libc.so 41.00 %|/lib/libc.so: 410 41.00 %|0.41|colour1|false"],
  );
  buttons()[1].focus();
  buttons()[1].click();
  assert.deepEqual([column("self").join(" "), location.hash], ["400 10", "#f=memcpy&object=%2Flib%2Flibc.so"]);
  assert.deepEqual(
    buttons().map((one) => one.getAttribute("aria-pressed")),
    ["false", "true"],
  );
  assert.equal(document.activeElement, buttons()[1], "the button that was pressed keeps the focus");
  buttons()[1].click();
  assert.equal(column("self").length, 6);
  buttons()[0].click();
  assert.equal(column("self").join(" "), "300 200 60 30");
  page.press("Escape");
  assert.equal(column("self").length, 6);
  assert.equal(page.$("#objects").hidden, false);
  const one = page_of({ changes: { columns: { "p.self.0": counts(-410, 500, 90), objects: texts("", "/lib/libc.so") } } }).page;
  assert.deepEqual([one.texts("#objects button"), one.$("#objects").hidden], [["(object not known) 59.00 %"], true]);
  const nothing = page_of({ changes: { columns: { "p.self.0": counts(0, 500, 90) } } }).page;
  assert.deepEqual([nothing.texts("#objects button"), nothing.$("#objects").hidden], [["app 59.00 %"], true]);
  const equal = page_of({ changes: { columns: { "p.self.0": counts(590, 500, 90) } } }).page;
  assert.deepEqual(equal.texts("#objects button"), ["app 59.00 %", "libc.so 59.00 %"]);
  const places = Array.from({ length: 50 }, (_, at) => at);
  const many = page_of({
    changes: {
      columns: {
        objects: texts(...places.map((at) => `o${at}`)),
        "p.object": numbers(...places),
        "p.file": numbers(...places.map(() => 0)),
        "p.self.0": counts(...places.map((at) => (at < 2 ? 7 : at === 2 ? 0 : 5))),
      },
    },
  }).page;
  const found = many.$$("#objects button");
  assert.deepEqual(
    [found.length, found[0].textContent, found[1].textContent, found[2].textContent, found[7].getAttribute("class")],
    [40, "o0 0.70 %", "o1 0.70 %", "o3 0.50 %", "colour1"],
  );
});

test("Tab stops once at the objects, and arrows lead from one to the next", () => {
  const { page } = page_of();
  const bar = page.$("#objects");
  assert.deepEqual([bar.getAttribute("role"), bar.getAttribute("aria-label")], ["toolbar", "Objects"]);
  const stops = () =>
    page
      .$$("#objects button")
      .map((one) => one.getAttribute("tabindex"))
      .join(" ");
  const here = () => document.activeElement.textContent.split(" ")[0];
  assert.equal(stops(), "0 -1");
  page.$("#objects button").focus();
  for (const [key, name, tab] of [
    ["ArrowRight", "libc.so", "-1 0"],
    ["ArrowRight", "app", "0 -1"],
    ["ArrowLeft", "libc.so", "-1 0"],
  ]) {
    assert.equal(page.press(key).defaultPrevented, true);
    assert.deepEqual([here(), stops()], [name, tab]);
  }
  assert.equal(page.press("ArrowDown").defaultPrevented, false);
  // What is pressed is the stop, and keeps the focus.
  document.activeElement.click();
  assert.deepEqual([here(), stops()], ["libc.so", "-1 0"]);
  page.press("Escape");
  assert.equal(stops(), "0 -1");
});

test("stacks show callers, or callers and callees, of the function", () => {
  const { page, heading } = page_of({ hash: "#f=parse&tab=stacks" });
  const radios = () => page.$$(".choice input");
  const picked = () => radios().findIndex((radio) => radio.attributes.has("checked"));
  const says = () => page.texts("[role=option]");
  const choose = (at) => {
    radios()[at].focus();
    radios()[at].fire("change");
  };
  assert.deepEqual(page.texts(".choice label"), ["from the start", "callers of parse", "callers and callees"]);
  assert.deepEqual([page.$(".choice").getAttribute("role"), radios()[1].getAttribute("type"), picked()], ["radiogroup", "radio", 0]);
  assert.deepEqual(says(), ["main: 100.0 %, 1,000"]);
  const before = page.texts(".note")[0];
  choose(2);
  assert.deepEqual([location.hash, picked()], ["#f=parse&tab=stacks&around=both", 2]);
  assert.equal(document.activeElement, radios()[2], "what was chosen keeps the focus");
  assert.match(page.texts(".note")[0], /^Callers above, callees below\. The frames next to the function are exact\./);
  assert.deepEqual(says(), ["parse (inlined): 45.00 %, 450"]);
  // From the function, keys lead up to callers and down to callees.
  const list = page.$("[role=listbox]");
  list.focus();
  for (const [key, said, path] of [
    ["ArrowUp", "main: 100.0 % of the frame next to it, 450", "calls parse"],
    ["ArrowRight", "main: 100.0 % of the frame next to it, 450", "calls parse"],
    ["ArrowUp", "main: 100.0 % of the frame next to it, 450", "calls parse"],
    ["ArrowDown", "parse (inlined): 45.00 %, 450", ""],
    ["ArrowDown", "memcpy: 55.56 % of the frame next to it, 250", "in parse"],
    ["ArrowLeft", "memcpy: 55.56 % of the frame next to it, 250", "in parse"],
    ["ArrowUp", "parse (inlined): 45.00 %, 450", ""],
    ["ArrowDown", "memcpy: 55.56 % of the frame next to it, 250", "in parse"],
  ]) {
    page.visit("#f=parse&tab=stacks&around=both&of=parent");
    page.press(key);
    assert.deepEqual([says(), page.texts(".path")[0]], [[said], path], key);
  }
  // Enter puts another function in the middle, and the list keeps the focus.
  page.press("Enter");
  assert.deepEqual([heading(), page.texts(".choice label")[1], says()], ["memcpy", "callers of memcpy", ["memcpy: 40.00 %, 400"]]);
  assert.equal(document.activeElement, list);
  assert.ok(!location.hash.includes("at="), location.hash);
  page.press("ArrowUp");
  assert.deepEqual(says(), [
    "parse (inlined): 62.50 % of the frame next to it, 250",
    "2 callers omitted: 12.50 % of the frame next to it, 50",
  ]);
  choose(1);
  assert.equal(location.hash, "#f=memcpy&tab=stacks&of=parent&around=callers");
  list.focus();
  page.press("ArrowDown");
  page.press("ArrowDown");
  assert.deepEqual([says(), page.texts(".path")[0]], [["main: 100.0 % of the frame next to it, 250"], "calls parse › memcpy"]);
  choose(0);
  assert.deepEqual([page.texts(".note")[0], location.hash], [before, "#f=memcpy&tab=stacks&of=parent"]);
  // Where there are no calls, or no stacks, there is no choice.
  for (const changes of [{ about: { has_inclusive: false } }, { columns: { "t.0.frame": numbers() } }]) {
    assert.equal(page_of({ hash: "#f=parse&tab=stacks&around=both", changes }).page.$(".choice"), null);
  }
  const none = page_of({ hash: "#f=none&tab=stacks&around=both" }).page;
  assert.deepEqual([none.texts(".choice label")[1], none.texts("[role=option]")], ["callers of a function", ["main: 100.0 %, 1,000"]]);
  const odd = page_of({ hash: "#f=parse&tab=stacks&around=odd" }).page;
  assert.deepEqual([odd.$$(".choice input")[0].attributes.has("checked"), odd.texts("[role=option]")], [true, ["main: 100.0 %, 1,000"]]);
  // Each event has stacks of its own.
  const other = { "t.1.frame": numbers(3, 5), "t.1.depth": numbers(0, 1), "t.1.total": counts(14, 8), "t.1.least": counts(14, 8) };
  const events = page_of({
    hash: "#f=parse&tab=stacks&around=callers",
    changes: { columns: { ...other, "t.1.most": counts(14, 8) } },
  }).page;
  const choice = events.$("select");
  choice.selectedIndex = 1;
  choice.fire("change");
  events.$("[role=listbox]").focus();
  events.press("ArrowDown");
  assert.deepEqual(events.texts("[role=option]"), ["main: 57.14 %, 8"]);
  // A treemap stays where it is, whatever stacks show.
  const treemap = page_of({ hash: "#f=parse&tab=treemap&around=both&at=/bin/app" }).page;
  treemap.press("j");
  assert.ok(location.hash.includes("at=%2Fbin%2Fapp"), location.hash);
  // Another function shows whole, and so does another choice; a link can point into one.
  const link = page_of({ hash: "#f=memcpy&tab=stacks&around=callers&at=parse" }).page;
  assert.equal(link.texts(".readout")[0], "parse (inlined): 25.00 %, 250");
  link.press("j");
  assert.ok(!location.hash.includes("at="), location.hash);
});

test("a search shows what is found", () => {
  const { page, column, heading } = page_of();
  assert.equal(document.activeElement, page.$(".grid"));
  page.press("/");
  const box = page.$("input");
  assert.deepEqual([document.activeElement, document.selected], [box, box]);
  page.type(box, "a");
  assert.deepEqual([column("self").join(" "), page.texts(".found")[0], page.entries.length], ["300 200 30 10", "4 found", 1]);
  page.press("Enter");
  assert.deepEqual([heading(), document.activeElement], ["main", page.$(".grid")]);
  page.press("Escape");
  assert.deepEqual([page.texts(".found")[0], box.value, column("self").length], ["", "", 6]);
  const both = page_of({ hash: "#search=ma&object=/lib/libc.so" });
  assert.deepEqual(both.column("self"), ["10"]);
  assert.equal(both.page.$("input").value, "ma");
});

test("everything is done by keys", () => {
  const { page, heading } = page_of();
  const after = (key) => {
    page.press(key);
    return heading();
  };
  const steps = () => page.entries.length;
  page.press("c");
  assert.deepEqual(document.copied.splice(0), [["copy", "memcpy"]]);
  assert.deepEqual(["j", "j", "k"].map(after), ["main", "parse (inlined)", "main"]);
  assert.equal(steps(), 1, "to walk the list is no history of its own");
  const hot = () => page.$("#function [aria-current=true]").children[0].textContent;
  assert.equal(hot(), "12");
  page.press("n");
  assert.equal(hot(), "14");
  page.press("p");
  assert.equal(hot(), "12");
  page.press("c");
  assert.deepEqual(document.copied, [["copy", "main"]]);
  page.press("%");
  assert.deepEqual([location.hash, page.$(".base").textContent], ["#f=main&of=parent", "% of parent"]);
  page.press("%");
  assert.deepEqual([location.hash, page.$(".base").textContent], ["#f=main", "% of all"]);
  page.$(".base").click();
  assert.equal(location.hash, "#f=main&of=parent");
  page.$(".base").click();
  page.press("?");
  assert.equal(page.$("dialog").getAttribute("open"), "");
  assert.equal(cells(page.$("dialog table")).length, 11);
  page.$("dialog button").click();
  page.press("End");
  page.press("Enter");
  assert.deepEqual([heading(), location.hash.includes("file=%2Fsrc%2Fmem.c")], ["main", true]);
  page.visit("#f=none");
  page.press("c");
  assert.deepEqual(document.copied.length, 1);
  page.visit("#f=main&at=x");
  page.press("0");
  assert.equal(location.hash, "#f=main");
  page.visit("#f=main&search=x&object=/bin/app");
  const before = steps();
  page.press("Escape");
  assert.deepEqual([location.hash, steps()], ["#f=main", before]);
});

test("a key that is held is one step at most", () => {
  for (const key of ["%", "j", "ArrowDown", "Escape", "Enter"]) {
    const { page } = page_of({ hash: "#search=a" });
    page.hold(key, 31);
    assert.ok(page.entries.length <= 2, key);
    page.press("%");
    page.press("%");
    assert.ok(page.entries.length > 2, "and then keys are steps again");
  }
});

test("views are tabs, and arrows lead from one to the next", () => {
  const { page } = page_of();
  const tabs = () => page.$$("[role=tab]");
  const chosen = () => page.$("[aria-selected=true][role=tab]").textContent;
  assert.deepEqual(page.texts("[role=tab]"), ["Stacks: 85 % certain", "Treemap: exact", "Cycles 1", "Files 3", "Parts 2", "About"]);
  assert.deepEqual(
    tabs()
      .map((tab) => tab.getAttribute("tabindex"))
      .join(" "),
    "0 -1 -1 -1 -1 -1",
  );
  tabs()[0].focus();
  const walk = (key) => {
    page.press(key);
    assert.equal(document.activeElement.textContent, chosen());
    return chosen();
  };
  assert.deepEqual(["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"].map(walk), [
    "Treemap: exact",
    "Cycles 1",
    "Treemap: exact",
    "Stacks: 85 % certain",
    "About",
    "Stacks: 85 % certain",
  ]);
  assert.equal(location.hash, "#f=memcpy&tab=stacks");
  const before = page.entries.length;
  page.press("j");
  assert.equal(page.entries.length, before);
  tabs()[3].click();
  assert.deepEqual([chosen(), location.hash], ["Files 3", "#f=main&tab=files"]);
  assert.equal(page.$("[role=tabpanel]").getAttribute("aria-label"), "Files 3");
  assert.equal(cells(page.$("[role=tabpanel] table"))[0], "460|46.00 %|/src/mem.c");
  // A view is drawn when it or the event changed.
  const table = page.$("[role=tabpanel] table");
  page.press("j");
  assert.equal(page.$("[role=tabpanel] table"), table);
  page.visit("#tab=files&event=Dr");
  assert.notEqual(page.$("[role=tabpanel] table"), table);
  // What is seen of a picture is not kept.
  page.visit("#tab=treemap&at=/bin/app");
  tabs()[0].click();
  assert.equal(location.hash.includes("at="), false);
  tabs()[0].focus();
  page.visit("#tab=treemap&at=/bin/app");
  page.$("[aria-selected=true][role=tab]").focus();
  page.press("ArrowLeft");
  assert.equal(location.hash.includes("at="), false);
});

test("what is mostly guessed does not come first", () => {
  const event = (certain, stacks = "x") => ({ name: "Ir", long: "", total: "1000", shares: true, stacks, certain });
  const first = (...events) =>
    page_of({ changes: { about: { events } } })
      .page.texts("[role=tab]")
      .slice(0, 2);
  assert.deepEqual(first(event(0.499)), ["Treemap: exact", "Stacks: 49 % certain"]);
  assert.deepEqual(first(event(0.5)), ["Stacks: 50 % certain", "Treemap: exact"]);
  assert.deepEqual(first(event(null, "so that these are exact")), ["Stacks: exact", "Treemap: exact"]);
  assert.deepEqual(first(event(null)), ["Stacks", "Treemap: exact"]);
});

test("pictures say what they are and show what the address says", () => {
  const { page, heading } = page_of();
  assert.deepEqual(page.texts("[role=tabpanel] .note"), ["An estimate."]);
  page.visit("#tab=treemap&at=/bin/app");
  assert.deepEqual(page.texts("[role=tabpanel] .note"), [
    "Self cost by object, file, function and line; hatched boxes stand for what is omitted.",
  ]);
  assert.equal(page.$(".readout").textContent, "/bin/app: 59.00 %, 590");
  page.visit("#tab=treemap&at=/lib/libc.so");
  assert.equal(page.$(".readout").textContent, "/lib/libc.so: 41.00 %, 410");
  page.$("[role=listbox]").focus();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) page.press(key);
  assert.deepEqual([heading(), location.hash.includes("at=%2Flib%2Flibc.so%0A%2Fsrc%2Fmem.c%0Amemcpy")], ["memcpy", true]);
  const gap = page_of({ hash: "#tab=treemap", changes: { columns: { "p.self.0": counts(400, 500, 90) } } }).page;
  assert.match(gap.texts("[role=tabpanel] .note")[0], /omitted\. 10 of the total is not attributed to any function/);
});

test("a function is drawn when the first picture is there", () => {
  const { page, heading } = page_of({ later: false });
  assert.deepEqual([page.app.hidden, page.$$("#functions .row").length, heading()], [false, 6, undefined]);
  page.press("j");
  assert.equal(heading(), undefined);
  page.frame();
  assert.equal(heading(), "main");
});

test("what is picked stays in sight", () => {
  const { page } = page_of();
  page.visit("#f=again");
  assert.deepEqual([page.$("#functions [aria-selected=true]").getAttribute("id"), page.$(".cursor").getAttribute("id")], ["row4", "row4"]);
  page.press("ArrowUp");
  assert.equal(page.$(".cursor").getAttribute("id"), "row3");
  // What does not change the function leaves the cursor where it is.
  page.press("%");
  assert.equal(page.$(".cursor").getAttribute("id"), "row3");
  page.visit("#f=none");
  assert.deepEqual([page.$("#functions [aria-selected=true]"), page.$(".cursor").getAttribute("id")], [null, "row3"]);
  page.$$("#functions .row")[1].click();
  assert.equal(location.hash, "#f=main");
  page.$("#functions .body").replaceChildren();
  page.resize(900);
  assert.equal(page.$$("#functions .row").length, 6, "all is drawn anew when the page gets wider");
});

test("what there is room for depends on how wide characters are", () => {
  const page = open_window();
  const create = document.createElement;
  document.createElement = (tag) =>
    Object.assign(create(tag), { clientWidth: 700, getContext: () => ({ measureText: () => ({ width: 14 }) }) });
  start(profile());
  assert.equal(page.$$("#functions [role=columnheader]").length, 4);
  assert.deepEqual(
    ["#function", "[role=tabpanel]", ".grid"].map((part) => page.$(part).getAttribute("tabindex")),
    ["-1", "0", "0"],
  );
});
