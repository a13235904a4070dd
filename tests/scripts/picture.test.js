import assert from "node:assert/strict";
import { test } from "node:test";
import { Picture } from "../../src/render/page/web/picture.js";
import { Around } from "../../src/render/page/web/around.js";
import { State } from "../../src/render/page/web/state.js";
import { Tree, self_tree, stack_tree } from "../../src/render/page/web/tree.js";
import { open_window } from "./document.js";
import { profile } from "./profiles.js";

const leaf = (label, value, ...children) => ({ label, value, least: value, most: value, f: -1, colour: 0, hatched: false, children });

/** A picture on a page, so wide and high. */
function picture_of(kind, { hash = "", width = 802, height = 400, make, dark } = {}) {
  const page = open_window(hash, { dark });
  const state = new State(profile());
  const picture = new Picture(state, make ?? ((event) => (kind === "treemap" ? self_tree : stack_tree)(state.profile, event)), kind);
  Object.assign(picture.frame, { clientWidth: width, clientHeight: height });
  const into = document.createElement("div");
  document.body.append(into);
  state.listeners.push(() => picture.follow());
  picture.show(into, "the note");
  page.frame();
  const boxes = () =>
    picture.boxes.map(({ at, x, y, width, height }) => `${at} ${[x, y, width, height].map((n) => +n.toFixed(1)).join(",")}`);
  const drawn = () => picture.context.calls.splice(0);
  return { page, state, picture, into, boxes, drawn };
}

/** What was drawn of a kind, rounded. */
const only = (calls, what) =>
  calls.filter(([name]) => name === what).map(([, ...at]) => at.map((n) => (typeof n === "number" ? +n.toFixed(1) : n)));

test("an icicle has a layer for each depth, callees below their callers", () => {
  const { boxes, picture, drawn } = picture_of("icicle");
  // A thousand are 802 points wide; half a point is between neighbours.
  assert.deepEqual(boxes(), [
    "0 0,0,801.5,17",
    "1 0,18,801.5,17",
    "2 0,36,360.4,17",
    "3 0,54,200,17",
    "4 360.9,36,79.7,17",
    "5 441.1,36,119.8,17",
  ]);
  assert.equal(picture.spacer.style.height, "400px");
  assert.deepEqual([picture.canvas.width, picture.canvas.height, picture.canvas.style.width], [802, 400, "802px"]);
  const calls = drawn();
  assert.deepEqual(calls[0], ["setTransform", 1, 0, 0, 1, 0, 0]);
  assert.deepEqual(calls[1], ["fillRect", 0, 0, 802, 400, "#fff"]);
  const [solid, other] = ["#2f6db0", "#a8590c"];
  const pale = (hue) => `color-mix(in srgb, ${hue} 30%, #fff)`;
  assert.deepEqual(only(calls, "fillRect").slice(1), [
    [0, 0, 801.5, 17, solid],
    [0, 18, 801.5, 17, solid],
    [0, 36, 360.4, 17, pale(solid)],
    // Of 450, 400 are certain.
    [0, 50, 320.4, 3, solid],
    [0, 54, 200, 17, pale(other)],
    [0, 68, 160, 3, other],
    [360.9, 36, 79.7, 17, "#55697d"],
    [441.1, 36, 119.8, 17, "hatch"],
  ]);
  assert.deepEqual(only(calls, "fillText"), [
    ["all", 4, 8.5, "#fff"],
    ["main", 4, 26.5, "#fff"],
    ["parse", 4, 43.5, "#1b1d21"],
    ["memcpy", 4, 61.5, "#1b1d21"],
    ["cycle 1", 364.9, 44.5, "#fff"],
    ["omitted here", 445.1, 44.5, "#1b1d21"],
  ]);
  // The chosen function has a frame, and so has what is looked at.
  assert.deepEqual(only(calls, "strokeRect"), [
    [1, 55, 198, 15, "#ff2d95", 2],
    [1, 19, 799.5, 15, "#1b1d21", 2],
  ]);
});

test("the chosen function shows wherever it is", () => {
  const framed = (drawn) =>
    only(drawn(), "strokeRect")
      .filter((call) => call[4] === "#ff2d95")
      .map((call) => call.slice(0, 4).join());
  const { drawn, state, page } = picture_of("icicle");
  assert.deepEqual(framed(drawn), ["1,55,198,15"]);
  for (const [f, frames] of [
    [1, ["1,19,799.5,15"]],
    [2, ["1,37,358.4,15"]],
    [5, []],
    [-1, []],
  ]) {
    state.go({ f });
    page.frame();
    assert.deepEqual(framed(drawn), frames, String(f));
  }
  // A function's lines are in its box of the treemap, which has the frame.
  const treemap = picture_of("treemap", { hash: "#f=main" });
  assert.equal(framed(treemap.drawn).length, 1);
  // Recursion has frames of its own; what is too thin to be one is a line, also if it is below others.
  const of = (f, node) => ({ ...node, f });
  const deep = of(1, leaf("again", 40, of(1, leaf("again", 30))));
  const thin = [leaf("thin", 1, of(1, leaf("again", 1))), leaf("other", 1), of(1, leaf("again", 1))];
  const tree = Tree.of(leaf("all", 1000, deep, ...thin));
  const both = picture_of("icicle", { make: () => tree, width: 1000, hash: "#f=main" });
  const calls = both.drawn();
  assert.deepEqual(
    framed(() => calls),
    ["1,19,37.5,15", "1,37,27.5,15"],
  );
  const lines = only(calls, "fillRect").filter((call) => call[4] === "#ff2d95");
  assert.deepEqual(
    lines.map((call) => call.slice(0, 4).join()),
    ["40,18,2,17", "42,18,2,17"],
  );
});

test("boxes that are too thin are one grey box in each layer", () => {
  const children = Array.from({ length: 300 }, (_, at) => leaf(`c${at}`, 1, leaf("below", 1)));
  const tree = Tree.of(leaf("root", 1000, leaf("big", 700), ...children));
  const { boxes, drawn } = picture_of("icicle", { make: () => tree, width: 1000 });
  assert.deepEqual(boxes(), ["0 0,0,999.5,17", "1 0,18,699.5,17"]);
  const grey = only(drawn(), "fillRect").filter((call) => String(call[4]).includes("#55697d"));
  assert.deepEqual(
    [grey.length, grey[0], grey[1]],
    [100, [700, 18, 2, 17, "color-mix(in srgb, #55697d 30%, #fff)"], [703, 18, 2, 17, "color-mix(in srgb, #55697d 30%, #fff)"]],
  );
  const two = Tree.of(leaf("root", 1000, leaf("b", 2), leaf("a", 1.9)));
  assert.deepEqual(picture_of("icicle", { make: () => two, width: 1000 }).boxes(), ["0 0,0,999.5,17", "1 0,18,1.5,17"]);
});

test("what scrolled out of an icicle is not drawn", () => {
  let deep = leaf("bottom", 100);
  for (let nth = 0; nth < 40; nth++) deep = leaf(`level ${nth}`, 100, deep);
  const { boxes, picture, page } = picture_of("icicle", { make: () => Tree.of(deep), height: 90 });
  assert.equal(picture.spacer.style.height, `${41 * 18}px`);
  assert.deepEqual([boxes().length, boxes().at(-1)], [6, "5 0,90,801.5,17"]);
  picture.frame.scrollTop = 36;
  picture.frame.fire("scroll");
  page.frame();
  assert.deepEqual([boxes().length, boxes()[0], boxes().at(-1)], [6, "2 0,0,801.5,17", "7 0,90,801.5,17"]);
});

test("a range of the stacks shows as wide as all", () => {
  const { boxes, state } = picture_of("icicle", { hash: "#at=~0.4~0.6" });
  assert.deepEqual(boxes(), ["0 0,0,801.5,17", "1 0,18,801.5,17", "2 0,36,200,17", "4 200.5,36,400.5,17", "5 601.5,36,200,17"]);
  assert.equal(state.at, "~0.4~0.6");
  for (const hash of ["#at=~0.6~0.4", "#at=~0~0", "#at=~~", "#at=~2~3", "#at=~0.1~0.2x"]) {
    assert.equal(picture_of("icicle", { hash }).boxes()[2], "2 0,36,360.4,17", hash);
  }
});

test("a name in the address shows what is in it", () => {
  assert.deepEqual(picture_of("icicle", { hash: "#at=main%0Aparse" }).boxes(), [
    "0 0,0,801.5,17",
    "1 0,18,801.5,17",
    "2 0,36,801.5,17",
    "3 0,54,445.1,17",
  ]);
  const at = (hash) => {
    const { picture } = picture_of("treemap", { hash });
    return [picture.root, picture.cursor];
  };
  const { tree } = picture_of("treemap").picture;
  const label = (at) => tree.node(at).label;
  assert.deepEqual(at(""), [0, 1]);
  assert.deepEqual(at("#at=/bin/app").map(label), ["/bin/app", "/bin/app"]);
  assert.deepEqual(at("#at=/bin/app%0A/src/run.c%0Arun").map(label), ["run", "run"]);
  // What has nothing in it is seen in what is around it.
  assert.deepEqual(at("#at=/bin/app%0A/src/main.c%0Aparse%0Amain.c:20").map(label), ["parse", "main.c:20"]);
  assert.deepEqual(at("#at=none%0A/bin/app").map(label), ["/bin/app", "/bin/app"]);
});

test("a treemap fills its box with rows as square as can be", () => {
  const tree = Tree.of(
    leaf("root", 24, leaf("a", 6), leaf("b", 6), leaf("c", 4), leaf("d", 3), leaf("e", 2), leaf("f", 2), leaf("g", 1), leaf("h", 0)),
  );
  const { boxes } = picture_of("treemap", { make: () => tree, width: 602, height: 419 });
  // The room is 600 by 400; the rows are those of the paper on squarified treemaps.
  assert.deepEqual(boxes(), [
    "0 0,0,602,419",
    "7 541,251.3,59,165.7",
    "6 421,251.3,119,165.7",
    "5 301,251.3,119,165.7",
    "4 472.4,18,127.6,232.3",
    "3 301,18,170.4,232.3",
    "2 1,218,299,199",
    "1 1,18,299,199",
  ]);
  const areas = new Map(
    boxes()
      .slice(1)
      .map((box) => {
        const [at, sizes] = box.split(" ");
        const [, , width, height] = sizes.split(",").map(Number);
        return [Number(at), (width + 1) * (height + 1)];
      }),
  );
  assert.deepEqual([...areas.keys()].sort(), [1, 2, 3, 4, 5, 6, 7]);
  for (const [at, area] of areas) assert.ok(Math.abs(area - tree.near[at] * 10000) < 200, `${at}: ${area}`);
});

test("boxes with a name on top hold what is in them, smaller ones have no name", () => {
  const { boxes, drawn } = picture_of("treemap", { width: 400, height: 200 });
  const calls = drawn();
  assert.deepEqual(boxes(), [
    "0 0,0,400,200",
    "16 235.8,18,162.2,180",
    "17 236.8,36,159.2,160",
    "20 391.2,54,2.8,140",
    "18 237.8,54,152.3,140",
    "19 238.8,72,149.3,120",
    "1 1,18,233.8,180",
    "10 198.5,36,34.4,160",
    "13 199.5,142.3,31.4,51.7",
    "15 200.5,178.1,28.4,13.9",
    "14 200.5,143.3,28.4,33.8",
    "11 199.5,37,31.4,104.3",
    "12 200.5,38,28.4,101.3",
    "2 2,36,195.5,160",
    "7 119.1,54,76.4,140",
    "9 120.1,162.8,73.4,29.2",
    "8 120.1,72,73.4,89.8",
    "3 3,54,115.1,140",
    "6 71.8,172.8,44.2,19.2",
    "5 4,172.8,66.8,19.2",
    "4 4,72,112.1,99.8",
  ]);
  assert.deepEqual(only(calls, "fillText"), [
    ["all", 4, 9, "#1b1d21"],
    ["libc.so", 239.8, 27, "#1b1d21"],
    ["mem.c", 240.8, 45, "#1b1d21"],
    ["memcpy", 241.8, 63, "#1b1d21"],
    ["mem.c:8", 242.8, 81, "#fff"],
    ["app", 5, 27, "#1b1d21"],
    ["main.c", 6, 45, "#1b1d21"],
    ["parse", 123.1, 63, "#1b1d21"],
    ["mem.c:9", 124.1, 171.8, "#fff"],
    ["main.c:20", 124.1, 81, "#fff"],
    ["main", 7, 63, "#1b1d21"],
    ["main.c:3", 8, 181.8, "#fff"],
    ["main.c:12", 8, 81, "#fff"],
  ]);
  // What holds others is pale, what holds none is not, and what is left out is hatched.
  const colours = only(calls, "fillRect")
    .slice(1)
    .map((call) => (call[4] === "hatch" ? "h" : call[4].startsWith("#") ? "s" : "p"));
  assert.equal(colours.join(""), "pppspsppphspsppssphss");
});

test("what is under the pointer is what was drawn last", () => {
  const { picture } = picture_of("icicle");
  const hit = (offsetX, offsetY) => picture.hit({ offsetX, offsetY });
  assert.deepEqual([hit(0, 0), hit(801.4, 16.9), hit(801.5, 0), hit(0, 17), hit(0, 18)], [0, 0, 0, 0, 1]);
  assert.deepEqual([hit(0, 36), hit(0, 54), hit(361, 36), hit(360.6, 36), hit(442, 50), hit(700, 300)], [2, 3, 4, 0, 5, 0]);
  picture.root = 3;
  assert.equal(hit(700, 300), 3);
  const map = picture_of("treemap", { width: 400, height: 300 });
  const [first] = map.picture.boxes.filter(({ at }) => at === 5);
  assert.equal(map.picture.hit({ offsetX: first.x, offsetY: first.y }), 5);
});

test("it says what a node is", () => {
  const { picture, state } = picture_of("icicle");
  assert.equal(picture.says(0), "all: 100.0 %, 1,000");
  assert.equal(picture.says(2), "parse (inlined): about 45.00 % (certainly 40.00 to 50.00 %), about 450");
  assert.equal(picture.says(4), "cycle 1: 10.00 %, 100");
  state.of = "parent";
  assert.equal(picture.says(0), "all: 100.0 %, 1,000");
  assert.equal(picture.says(3), "memcpy: about 55.56 % of what is around it (certainly 44.44 to 66.67 %), about 250");
  picture.tree = Tree.list([{ ...leaf("x", 1), says: "its own words" }], [0]);
  assert.equal(picture.says(0), "its own words");
  picture.tree = null;
  assert.equal(picture.says(0), "");
});

test("the list beside it is in step, and shows what is around the cursor", () => {
  const { picture, page } = picture_of("icicle");
  const list = () =>
    page
      .$$("[role=option]")
      .map(
        (row) =>
          `${row.getAttribute("aria-selected") === "true" ? "*" : ""}${row.textContent.split(":")[0]} ${row.getAttribute("aria-posinset")}/${row.getAttribute("aria-setsize")}`,
      );
  assert.deepEqual(list(), ["*main 1/1"]);
  assert.deepEqual([page.$(".readout").textContent, page.$(".path").textContent], ["main: 100.0 %, 1,000", "in all"]);
  picture.look(4);
  assert.deepEqual(list(), ["parse (inlined) 1/3", "*cycle 1 2/3", "omitted here 3/3"]);
  assert.equal(page.$(".path").textContent, "in all › main");
  assert.equal(picture.list.getAttribute("aria-activedescendant"), "icicle4");
  picture.look(0);
  assert.deepEqual([list(), page.$(".path").textContent], [["*all 1/1"], "all"]);
  // Of many, forty are elements.
  const tree = Tree.of(leaf("root", 1e6, ...Array.from({ length: 100 }, (_, at) => leaf(`c${at}`, 1000 - at))));
  const many = picture_of("icicle", { make: () => tree });
  const shown = (at) => {
    many.picture.look(at);
    const rows = many.page.$$("[role=option]");
    return [rows.length, rows[0].getAttribute("id"), rows.at(-1).getAttribute("id")];
  };
  assert.deepEqual(shown(1), [40, "icicle1", "icicle40"]);
  assert.deepEqual(shown(21), [40, "icicle1", "icicle40"]);
  assert.deepEqual(shown(22), [40, "icicle2", "icicle41"]);
  assert.deepEqual(shown(99), [40, "icicle61", "icicle100"]);
  // Only the last of what is around it has room.
  let deep = leaf("bottom", 100);
  for (let nth = 0; nth < 9; nth++) deep = leaf(`/a/level${nth}`, 100, deep);
  const low = picture_of("icicle", { make: () => Tree.of(deep) });
  low.picture.look(9);
  assert.equal(low.page.$(".path").textContent, "in level5 › level4 › level3 › level2 › level1 › level0");
});

test("the list scrolls to its row", () => {
  const { picture } = picture_of("icicle");
  const { list } = picture;
  list.rect = { top: 100, bottom: 200 };
  const select = list.querySelector.bind(list);
  const place = (rect) => {
    list.querySelector = (selector) => Object.assign(select(selector), { rect });
    list.scrollTop = 50;
    picture.look(picture.cursor === 4 ? 5 : 4);
    return list.scrollTop;
  };
  assert.deepEqual([place({ top: 120, bottom: 140 }), place({ top: 90, bottom: 110 }), place({ top: 190, bottom: 213 })], [50, 40, 63]);
});

test("keys walk the tree", () => {
  const { picture, page } = picture_of("icicle");
  picture.list.focus();
  let above = 0;
  addEventListener("keydown", () => above++);
  const walk = (...keys) => keys.map((key) => (page.press(key).defaultPrevented ? picture.cursor : `${key} is for others`));
  assert.deepEqual(walk("ArrowDown", "ArrowDown", "ArrowDown"), [2, 3, 3]);
  assert.deepEqual(walk("ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft"), [2, 4, 5, 5, 4, 2, 2]);
  assert.deepEqual(walk("ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown"), [1, 0, 0, 0, 0, 1]);
  assert.equal(above, 0);
  assert.deepEqual(walk("j"), ["j is for others"]);
  for (const held of ["ctrlKey", "altKey", "metaKey"]) assert.equal(page.press("ArrowDown", { [held]: true }).defaultPrevented, false);
  assert.deepEqual([picture.cursor, above], [1, 4]);
});

test("Enter zooms and shows the function, 0 and Escape show all", () => {
  for (const back of ["0", "Escape"]) {
    const { picture, page, state, boxes } = picture_of("icicle");
    picture.list.focus();
    for (const key of ["ArrowDown", "Enter"]) page.press(key);
    assert.deepEqual([state.at, state.f, page.entries.length], ["main\nparse", 2, 2]);
    page.frame();
    assert.equal(boxes()[2], "2 0,36,801.5,17");
    for (const key of ["ArrowRight", "Enter"]) page.press(key);
    assert.deepEqual([state.at, state.f], ["main\ncycle 1", 2], "a cycle is no function");
    assert.equal(page.press(back).defaultPrevented, true);
    page.frame();
    assert.deepEqual([state.at, picture.cursor, boxes()[2], page.entries.length], ["", 0, "2 0,36,360.4,17", 4]);
  }
});

test("the pointer looks, a click chooses, two clicks zoom", () => {
  const { picture, page, state } = picture_of("icicle");
  const at = { offsetX: 10, offsetY: 40 };
  picture.canvas.fire("mousemove", at);
  assert.deepEqual([picture.cursor, state.f, page.steps.length], [2, 0, 0]);
  picture.canvas.fire("click", at);
  assert.deepEqual([state.f, state.at], [2, ""]);
  picture.canvas.fire("click", { offsetX: 365, offsetY: 40 });
  assert.deepEqual([state.f, picture.cursor], [2, 4]);
  picture.canvas.fire("dblclick", { offsetX: 10, offsetY: 60 });
  assert.deepEqual([state.at, picture.cursor], ["main\nparse\nmemcpy", 3]);
  page.$$("[role=option]")[0].click();
  assert.equal(state.f, 0);
  state.go({ at: "", f: 3 });
  picture.look(1);
  page.$$("[role=option]")[0].click();
  assert.equal(state.f, 1);
});

test("the wheel zooms at the pointer, and what it did is told once", () => {
  const { picture, page, state } = picture_of("icicle", { width: 1000 });
  const turn = (deltaY, offsetX = 500, more = {}) => picture.canvas.fire("wheel", { deltaY, offsetX, ...more }).defaultPrevented;
  const range = () => [picture.from, picture.to].map((n) => +n.toFixed(4));
  // Where all shows already, what is around scrolls.
  assert.deepEqual([turn(100), turn(0), range()], [false, false, [0, 1]]);
  assert.deepEqual([turn(-300), range()], [true, [0.3161, 0.6839]]);
  assert.deepEqual([turn(-3000, 0), range()], [true, [0.3161, 0.4514]]);
  assert.deepEqual([turn(150, 1000), range()], [true, [0.2283, 0.4514]]);
  assert.deepEqual([turn(-30, 0, { shiftKey: true }), page.timers.size, page.patience], [false, 1, 200]);
  assert.deepEqual(page.steps, []);
  page.pass_time();
  assert.deepEqual([page.steps.length, page.entries.length], [1, 1]);
  assert.match(state.at, /^~0\.228\d{6}~0\.451\d{6}$/);
  assert.equal(+picture.from.toFixed(4), 0.2283, "it is not read back from the address");
  // Out again: at the right border first, then all.
  turn(-300, 1000);
  for (let nth = 0; nth < 9; nth++) turn(300, 0);
  assert.deepEqual(range(), [0, 1]);
  page.pass_time();
  assert.equal(state.at, "");
  for (let nth = 0; nth < 60; nth++) turn(-300);
  assert.ok(Math.abs(picture.to - picture.from - 1e-9) < 1e-12);
  assert.equal(picture_of("treemap").picture.canvas.fire("wheel", { deltaY: -300, offsetX: 1 }).defaultPrevented, false);
});

test("another event is another picture, and where there is none, that is said", () => {
  const { picture, page, state, into } = picture_of("icicle");
  assert.equal(into.children[0].textContent, "the note");
  assert.ok(into.contains(picture.element));
  picture.look(3);
  const { tree } = picture;
  picture.show(into, "again");
  assert.deepEqual([picture.tree, picture.cursor], [tree, 3]);
  state.event = 1;
  picture.show(into, "none");
  assert.deepEqual([into.textContent, picture.tree], ["none", null]);
  picture.follow();
  picture.look(1);
  picture.zoom(1);
  assert.equal(picture.key({ key: "ArrowDown" }), undefined);
  state.event = 0;
  picture.show(into, "back");
  page.frame();
  assert.deepEqual([picture.cursor, picture.root], [1, 0]);
  const empty = picture_of("treemap", { make: () => Tree.list([leaf("all", 0)], [0]) });
  assert.equal(empty.into.textContent, "No boxes: no object has a positive cost of this event.the note");
});

test("it is drawn once before the next frame, and only where it shows", () => {
  const { picture, page, drawn } = picture_of("icicle");
  drawn();
  for (let nth = 0; nth < 3; nth++) picture.ask();
  page.frame();
  assert.equal(only(drawn(), "setTransform").length, 1);
  assert.equal(page.resized[0][0], picture.frame);
  page.resized[0][1]();
  page.frame();
  assert.equal(only(drawn(), "setTransform").length, 1);
  picture.element.remove();
  picture.ask();
  page.frame();
  assert.deepEqual(drawn(), []);
});

test("screens with more points get more, and dark ones other colours", () => {
  const { picture, page, drawn } = picture_of("icicle", { dark: true });
  assert.equal(drawn()[1].at(-1), "#16181c");
  globalThis.devicePixelRatio = 2;
  picture.ask();
  page.frame();
  assert.deepEqual([picture.canvas.width, picture.canvas.height, picture.canvas.style.height], [1604, 800, "400px"]);
  assert.deepEqual(drawn()[0], ["setTransform", 2, 0, 0, 2, 0, 0]);
  page.turn_dark();
  page.frame();
  const calls = drawn();
  assert.equal(calls[1].at(-1), "#fff");
  picture.look(2);
  page.frame();
  assert.deepEqual(only(drawn(), "strokeRect").at(-1), [1, 37, 358.4, 15, "#1b1d21", 2]);
});

test("boxes have names and others in them as far as there is room", () => {
  const tree = Tree.of(leaf("root", 100, leaf("a", 60), leaf("b", 40)));
  const in_it = (width, height) => {
    const { boxes } = picture_of("treemap", { make: () => tree, width, height });
    return boxes().length === 1 ? "none" : `y ${boxes().at(-1).split(",")[1]}`;
  };
  assert.deepEqual([in_it(12, 100), in_it(13, 100), in_it(100, 12), in_it(100, 13)], ["none", "y 1", "none", "y 1"]);
  assert.deepEqual([in_it(41, 54), in_it(41, 55), in_it(40, 55)], ["y 1", "y 18", "y 1"]);
  // What is thinner than a point is not drawn.
  const uneven = Tree.of(leaf("root", 100, leaf("a", 99.9), leaf("b", 0.1)));
  assert.equal(picture_of("treemap", { make: () => uneven, width: 22, height: 22 }).boxes().length, 2);
});

test("what ends where the range begins is not in it", () => {
  const { drawn } = picture_of("icicle", { hash: "#at=~0.45~0.6" });
  const xs = only(drawn(), "fillRect")
    .slice(1)
    .map(([x, y]) => `${x},${y}`);
  assert.deepEqual(xs, ["0,0", "0,18", "0,36", "534.7,36"]);
});

test("a picture of one box in another is one, and one where nothing is measured has a point for each", () => {
  const { boxes } = picture_of("treemap", { make: () => Tree.of(leaf("all", 5, leaf("a", 5))) });
  assert.equal(boxes().length, 2);
  const { picture, page, drawn } = picture_of("icicle");
  drawn();
  globalThis.devicePixelRatio = 0;
  picture.ask();
  page.frame();
  assert.deepEqual(drawn()[0], ["setTransform", 1, 0, 0, 1, 0, 0]);
});

test("the list is made anew when the cursor moves, and only then", () => {
  const { picture, page } = picture_of("icicle");
  picture.look(3);
  const row = page.$("[role=option]");
  picture.look(3);
  assert.equal(page.$("[role=option]"), row);
  picture.look(2);
  assert.notEqual(page.$("[role=option]"), row);
  // To zoom to what shows already looks at it.
  picture.zoom(0);
  assert.equal(picture.cursor, 0);
  page.frame();
  picture.drawn = 0;
  picture.draw = () => picture.drawn++;
  picture.look(4);
  page.frame();
  assert.equal(picture.drawn, 1);
});

test("what is left out is hatched from corner to corner", () => {
  const canvases = [];
  const page = open_window();
  const create = document.createElement;
  document.createElement = (tag) => {
    const made = create(tag);
    const pen = made.getContext();
    made.getContext = () => pen;
    if (tag === "canvas") canvases.push(made);
    return made;
  };
  const picture = new Picture(new State(profile()), () => Tree.of(leaf("all", 5, leaf("a", 5))), "icicle");
  document.body.append(picture.element);
  picture.show(document.createElement("div"), "");
  document.body.append(picture.element);
  page.frame();
  const [, tile] = canvases;
  assert.deepEqual([tile.width, tile.height, tile.getContext().strokeStyle], [8, 8, "#999"]);
  assert.deepEqual(tile.getContext().calls, [["moveTo", 0, 8], ["lineTo", 8, 0], ["stroke"]]);
});

test("a picture of nothing is empty, and not wrong", () => {
  const nothing = Tree.list([leaf("all", 0), leaf("a", 0)], [0, 1]);
  for (const kind of ["icicle", "treemap"]) {
    const { boxes, picture } = picture_of(kind, { make: () => nothing });
    assert.deepEqual([boxes(), picture.from, picture.to], [kind === "icicle" ? [] : ["0 0,0,802,400"], 0, 1]);
  }
});

test("callers above a function are drawn upwards, and the function stands in the middle", () => {
  const around = new Around(profile(), 0);
  const wide = { width: 902, height: 36 };
  const { boxes, picture, page, drawn } = picture_of("icicle", { make: () => around.tree(0, true), ...wide });
  // Two layers are above memcpy, of which one shows: it is in the middle of what is as high as two.
  assert.deepEqual([picture.frame.scrollTop, picture.spacer.style.height, picture.cursor], [27, "54px", 0]);
  assert.deepEqual(boxes(), ["0 0,9,901.5,17", "1 0,-9,563.3,17", "3 563.8,-9,112.3,17"]);
  picture.frame.scrollTop = 0;
  picture.frame.fire("scroll");
  page.frame();
  assert.deepEqual(boxes(), ["0 0,36,901.5,17", "1 0,18,563.3,17", "2 0,0,563.3,17", "3 563.8,18,112.3,17"]);
  assert.equal(only(drawn(), "strokeRect").length > 0, true);
  // One click puts another function there, and the second of two is for nobody.
  const at = { offsetX: 10, offsetY: 20 };
  picture.canvas.fire("click", { ...at, detail: 2 });
  assert.equal(picture.state.f, 0);
  picture.canvas.fire("click", { ...at, detail: 1 });
  assert.deepEqual([picture.state.f, picture.state.at], [2, ""]);
  picture.state.go({ f: 3 });
  picture.canvas.fire("dblclick", at);
  assert.deepEqual([picture.state.f, picture.state.at], [3, ""]);
  // Far above the middle, and far below it, nothing is drawn.
  const many = around.tree(0, true);
  const tall = picture_of("icicle", { make: () => many, width: 902, height: 18 });
  const seen = (top) => {
    tall.picture.frame.scrollTop = top;
    tall.picture.ask();
    tall.page.frame();
    return tall.picture.boxes.map(({ at }) => at).join();
  };
  assert.deepEqual([seen(36), seen(0)], ["0", "1,2,3"]);
});
