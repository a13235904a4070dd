// A picture of a tree: a canvas to look at, and beside it a list in step for keys and screen readers.

import { CHARACTER, CODE_FONT, REACH, el, fill } from "./elements.js";
import { base_name, grouped, middle, percent, share, short_name } from "./numbers.js";

/** @import { State } from "./state.js" */
/** @import { Tree } from "./tree.js" */

/** @typedef {{at: number, x: number, y: number, width: number, height: number}} Box */

/** Ready colours: making one for each box takes longer than drawing it. */
class Palette {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const hues = ["#2f6db0", "#a8590c", "#55697d", "#5b57a6", "#8a6a1f", "#2a7382"];
    this.solid = hues;
    this.pale = hues.map((hue) => `color-mix(in srgb, ${hue} ${dark ? 45 : 30}%, ${dark ? "#16181c" : "#fff"})`);
    // Of the chosen function; no other colour comes near it.
    this.picked = "#ff2d95";
    this.paper = dark ? "#16181c" : "#fff";
    this.ink = dark ? "#e3e5e8" : "#1b1d21";
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const brush = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
    brush.strokeStyle = dark ? "#777" : "#999";
    brush.moveTo(0, 8);
    brush.lineTo(8, 0);
    brush.stroke();
    this.hatch = context.createPattern(tile, "repeat") ?? "#999";
  }
}

export class Picture {
  /** @param {State} state @param {(event: number) => Tree | null} tree @param {"treemap" | "icicle"} kind
   * @param {() => string} [about] what else than the event the tree is of
   */
  constructor(state, tree, kind, about = () => "") {
    this.state = state;
    this.make = tree;
    this.kind = kind;
    this.about = about;
    this.made = "";
    this.center = false;
    /** @type {Tree | null} */
    this.tree = null;
    this.event = -1;
    this.root = 0;
    this.cursor = 0;
    /** The chosen function, and which nodes are of it or have some of it inside. */
    this.f = -1;
    this.picked = new Uint8Array(0);
    /** What shows of an icicle, from 0 to 1. */
    this.from = 0;
    this.to = 1;
    /** @type {Box[]} */
    this.boxes = [];
    /** @type {Palette | undefined} */
    this.palette = undefined;
    this.asked = false;
    /** What it shows of the state, and when it will say what the wheel did. */
    this.shown = "\n";
    this.later = 0;
    this.canvas = /** @type {HTMLCanvasElement} */ (
      el("canvas", {
        "aria-hidden": "true",
        onmousemove: (/** @type {MouseEvent} */ event) => this.look(this.hit(event)),
        // The second of two clicks is on what the first put there.
        onclick: (/** @type {MouseEvent} */ event) => !(this.around && event.detail > 1) && this.choose(this.hit(event)),
        ondblclick: (/** @type {MouseEvent} */ event) => !this.around && this.zoom(this.hit(event)),
        onwheel: (/** @type {WheelEvent} */ event) => this.wheel(event),
      })
    );
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    this.spacer = el("div", { class: "spacer" }, this.canvas);
    this.frame = el("div", { class: "frame", role: "group", "aria-label": "Picture", onscroll: () => this.ask() }, this.spacer);
    this.readout = el("p", { class: "readout", role: "status" });
    this.path = el("p", { class: "path" });
    this.list = el("ul", {
      role: "listbox",
      tabindex: 0,
      "data-key": "list",
      "aria-label": "Parts of the picture",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    this.element = el("div", { class: `picture ${kind}` }, this.readout, this.frame, el("div", { class: "beside" }, this.path, this.list));
    new ResizeObserver(() => this.ask()).observe(this.frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.palette = undefined;
      this.ask();
    });
  }

  /** Shows the event that is chosen. @param {HTMLElement} into @param {string} note @param {HTMLElement | null} [choice] */
  show(into, note, choice = null) {
    const made = `${this.state.event} ${this.about()}`;
    if (made !== this.made) {
      this.made = made;
      this.event = this.state.event;
      this.tree = this.make(this.event);
      this.root = 0;
      this.cursor = this.around ? 0 : 1;
      this.center = true;
      this.shown = "\n";
      this.pick();
    }
    if (!this.tree || this.tree.size < 2) {
      fill(into, this.tree && el("p", {}, "No boxes: no object has a positive cost of this event."), el("p", {}, note));
      return;
    }
    fill(into, choice, el("p", { class: "note", title: note }, note), this.element);
    this.ask();
    this.follow();
  }

  /** Whether the tree is around a function. */
  get around() {
    return !!this.tree && this.tree.above >= 0;
  }

  /** Whether a node is of the callers of that function. @param {number} at */
  calls(at) {
    const above = this.tree?.above ?? -1;
    return at > 0 && above >= 0 && (above === 0 || at < above);
  }

  /** A node and those beside it. @param {number} at */
  siblings(at) {
    const { tree } = this;
    const parent = tree?.parent[at] ?? -1;
    return parent < 0 || !tree ? [at] : tree.children(parent).filter((other) => this.calls(other) === this.calls(at));
  }

  /** Shows what the state says. */
  follow() {
    const { tree, state } = this;
    if (state.f !== this.f) this.pick();
    const shown = `${state.at} ${state.of}`;
    if (!tree || tree.size < 2 || shown === this.shown) return;
    this.shown = shown;
    const range = /^~(0(?:\.\d+)?)~([01](?:\.\d+)?)$/.exec(state.at);
    let at = 0;
    if (!range) {
      for (const name of state.at ? state.at.split("\n") : []) at = tree.children(at).find((child) => this.said(child) === name) ?? at;
    }
    this.root = Math.max(0, tree.end[at] - at > 1 ? at : tree.parent[at]);
    const all = tree.near[0];
    [this.from, this.to] = range ? [Number(range[1]), Number(range[2])] : [tree.left[at] / all, (tree.left[at] + tree.near[at]) / all];
    if (!(this.to > this.from)) [this.from, this.to] = [0, 1];
    this.list.replaceChildren();
    this.look(at || this.cursor);
  }

  /** Marks the nodes of the chosen function with 2, and what they are in with 1. */
  pick() {
    const { tree } = this;
    this.f = this.state.f;
    this.picked = new Uint8Array(tree?.size ?? 0);
    for (let at = this.picked.length - 1; at > 0 && tree; at--) {
      if (tree.node(at).f === this.f && this.f >= 0) this.picked[at] = 2;
      if (this.picked[at]) this.picked[tree.parent[at]] ||= 1;
    }
    this.ask();
  }

  /** What an address says of a node. @param {number} at */
  said(at) {
    return middle(this.tree?.node(at).label ?? "", 60);
  }

  /** Draws once before the next frame. */
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  draw() {
    const { canvas, context, frame, tree } = this;
    if (!tree || !frame.isConnected) return;
    this.palette ??= new Palette(context);
    const scale = devicePixelRatio || 1;
    const [width, height] = [frame.clientWidth, frame.clientHeight];
    if (canvas.width !== width * scale || canvas.height !== height * scale) {
      canvas.width = width * scale;
      canvas.height = height * scale;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.spacer.style.height = this.kind === "icicle" ? `${Math.max(height, (tree.deepest + 1) * LAYER)}px` : "100%";
    // The function stands in the middle, its callers and callees around it.
    if (this.center) frame.scrollTop = tree.high && (tree.high + 0.5) * LAYER - height / 2;
    this.center = false;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = CODE_FONT;
    context.textBaseline = "middle";
    context.fillStyle = this.palette.paper;
    context.fillRect(0, 0, width, height);
    this.boxes = [];
    if (this.kind === "icicle") draw_icicle(this, width, height);
    else draw_treemap(this, width, height);
    // A function's lines are in its box of the treemap.
    const is_picked = (/** @type {number} */ at) => this.picked[at] === 2 && (this.kind === "icicle" || this.picked[tree.parent[at]] < 2);
    for (const box of this.boxes) if (is_picked(box.at)) this.outline(box, this.palette.picked);
    const box = this.boxes.find((box) => box.at === this.cursor);
    if (box) this.outline(box, this.palette.ink);
  }

  /** A box of a node, with the part of it that is certain, and its name if there is room: what holds other boxes is pale.
   * @param {Box} box @param {boolean} outer @param {boolean} named
   */
  box({ at, x, y, width, height }, outer, named) {
    const { context, palette } = this;
    const node = this.tree?.node(at);
    if (!node || !palette) return;
    const exact = node.least === node.most;
    const bar = exact || node.hatched ? 0 : 3;
    if (node.hatched) {
      context.fillStyle = palette.hatch;
      context.fillRect(x, y, width, height);
    } else {
      context.fillStyle = exact && !outer ? palette.solid[node.colour] : palette.pale[node.colour];
      context.fillRect(x, y, width, height);
      if (bar) {
        context.fillStyle = palette.solid[node.colour];
        context.fillRect(x, y + height - bar, (width * Number(node.least)) / (Number(node.value) || 1), bar);
      }
    }
    const room = Math.floor((width - 8) / CHARACTER);
    const whole = outer ? base_name(node.label) : node.label;
    // `…'…` says nothing, nor do one or two letters of a longer name.
    if (!named || room < Math.min(6, whole.length) || height < 12) return;
    context.fillStyle = exact && !outer && !node.hatched ? "#fff" : palette.ink;
    context.fillText(short_name(whole, room), x + 4, y + Math.min(height, LAYER) / 2 - bar / 3);
  }

  /** A frame around a box. @param {Box} box @param {string} colour */
  outline({ x, y, width, height }, colour) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = 2;
    this.context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), height - 2);
  }

  /** @param {MouseEvent} event */
  hit(event) {
    const [x, y] = [event.offsetX, event.offsetY];
    for (let nth = this.boxes.length - 1; nth >= 0; nth--) {
      const box = this.boxes[nth];
      if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) return box.at;
    }
    return this.root;
  }

  /** Says what a node is. @param {number} at */
  says(at) {
    const { tree, state } = this;
    if (!tree) return "";
    const node = tree.node(at);
    if (node.says) return node.says;
    const parent = state.of ? tree.parent[at] : -1;
    const whole = parent < 0 ? state.profile.events[this.event].total : tree.node(parent).value;
    const exact = node.least === node.most;
    const bounds = exact ? "" : ` (certainly ${percent(node.least, whole)} to ${share(node.most, whole)})`;
    const about = exact ? "" : "about ";
    return `${short_name(node.label, 200)}${REACH[state.profile.reach[node.f]] ?? ""}: ${about}${share(node.value, whole)}${parent < 0 ? "" : this.around ? " of the frame next to it" : " of what is around it"}${bounds}, ${about}${grouped(node.value)}`;
  }

  /** Puts the cursor somewhere. @param {number} at */
  look(at) {
    const { tree } = this;
    if (!tree || (at === this.cursor && this.list.childElementCount)) return;
    this.cursor = at;
    this.readout.textContent = this.says(at);
    const parent = tree.parent[at];
    const names = [];
    for (let up = parent; up >= 0; up = tree.parent[up]) names.unshift(middle(base_name(tree.node(up).label), 30));
    const path = names.slice(-6);
    const whole = this.around ? "" : "all";
    this.path.textContent = !path.length ? whole : this.calls(at) ? `calls ${path.reverse().join(" › ")}` : `in ${path.join(" › ")}`;
    const siblings = this.siblings(at);
    const here = siblings.indexOf(at);
    const from = Math.max(0, Math.min(here - 20, siblings.length - 40));
    fill(
      this.list,
      ...siblings.slice(from, from + 40).map((other) =>
        el(
          "li",
          {
            role: "option",
            id: `${this.kind}${other}`,
            "aria-selected": String(other === at),
            "aria-posinset": siblings.indexOf(other) + 1,
            "aria-setsize": siblings.length,
            onclick: () => this.choose(other),
          },
          this.says(other),
        ),
      ),
    );
    this.list.setAttribute("aria-activedescendant", `${this.kind}${at}`);
    // The list scrolls, and not what is around it.
    const all = this.list.getBoundingClientRect();
    const row = this.list.querySelector("[aria-selected=true]")?.getBoundingClientRect() ?? all;
    this.list.scrollTop += Math.min(0, row.top - all.top) + Math.max(0, row.bottom - all.bottom);
    this.ask();
  }

  /** Shows the function of a node. @param {number} at */
  choose(at) {
    this.look(at);
    const f = this.tree?.node(at).f ?? -1;
    if (f >= 0) this.state.go({ f });
  }

  /** Shows a node and what is in it, and perhaps a function; or puts that in the middle. @param {number} at @param {number} [f] */
  zoom(at, f = -1) {
    const { tree } = this;
    if (!tree) return;
    if (this.around && tree.node(at).f >= 0) return this.choose(at);
    const names = [];
    for (let up = at; up > 0; up = tree.parent[up]) names.unshift(this.said(up));
    this.look(at);
    this.state.go({ at: names.join("\n"), f: f < 0 ? this.state.f : f });
  }

  reset() {
    this.look(0);
    this.state.go({ at: "" });
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (this.kind !== "icicle" || event.shiftKey) return;
    const before = this.to - this.from;
    const middle = this.from + (event.offsetX / this.frame.clientWidth) * before;
    const times = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300)));
    const width = Math.min(1, Math.max(1e-9, before * times));
    // Where all shows already, the wheel scrolls what is around.
    if (Math.abs(width - before) < 1e-12) return;
    event.preventDefault();
    this.from = Math.max(0, Math.min(1 - width, middle - ((middle - this.from) * width) / before));
    this.to = this.from + width;
    this.ask();
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      const at = width < 1 ? `~${this.from.toFixed(9)}~${this.to.toFixed(9)}` : "";
      this.shown = `${at} ${this.state.of}`;
      this.state.go({ at }, true);
    }, 200);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { tree } = this;
    if (!tree || event.ctrlKey || event.altKey || event.metaKey) return;
    const { cursor } = this;
    const parent = Math.max(0, tree.parent[cursor]);
    const siblings = this.siblings(cursor);
    const here = siblings.indexOf(cursor);
    const inwards = cursor + 1 < tree.end[cursor] ? cursor + 1 : cursor;
    // Callers above the function are drawn the other way round, and from the function both ways lead on.
    const above = cursor > 0 && cursor < tree.above;
    const middle = !cursor && tree.above > 0;
    const to = {
      ArrowDown: middle ? (tree.above < tree.size ? tree.above : 0) : above ? parent : inwards,
      ArrowUp: middle ? (tree.above > 1 ? 1 : 0) : above ? inwards : parent,
      ArrowRight: siblings[Math.min(siblings.length - 1, here + 1)],
      ArrowLeft: siblings[Math.max(0, here - 1)],
    }[event.key];
    if (to !== undefined) this.look(to);
    else if (event.key === "Enter") this.zoom(this.cursor, tree.node(this.cursor).f);
    else if (event.key === "Escape" || event.key === "0") this.reset();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

const LAYER = 18;

/** Boxes side by side in layers, callees below their callers. @param {Picture} picture @param {number} width @param {number} height */
function draw_icicle(picture, width, height) {
  const { tree, frame, context, palette } = picture;
  if (!tree || !palette) return;
  const [from, to] = [picture.from * tree.near[0], picture.to * tree.near[0]];
  const scale = width / (to - from);
  const top = frame.scrollTop;
  const [first, last] = [Math.floor(top / LAYER), Math.floor((top + height) / LAYER)];
  let [merged_layer, merged_end] = [-1, -1];
  for (let at = 0; at < tree.size;) {
    const [left, near, row] = [tree.left[at], tree.near[at], tree.row(at)];
    if (left >= to || left + near <= from || (row < tree.high ? row < first : row > last && (at || !tree.high))) {
      at = tree.end[at];
      continue;
    }
    const x = Math.max(0, (left - from) * scale);
    const w = Math.min(width, (left + near - from) * scale) - x;
    const y = row * LAYER - top;
    if (w < 2) {
      // What is thinner than two points is one grey box with its neighbours.
      const picked = picture.picked[at] > 0;
      if (picked || merged_layer !== row || x > merged_end) {
        context.fillStyle = picked ? palette.picked : palette.pale[2];
        context.fillRect(x, y, 2, LAYER - 1);
        [merged_layer, merged_end] = [row, x + 2];
      }
      at = tree.end[at];
      continue;
    }
    const box = { at, x, y, width: w - 0.5, height: LAYER - 1 };
    if (y > -LAYER && row <= last) {
      picture.boxes.push(box);
      picture.box(box, false, true);
    }
    at++;
  }
}

/** Boxes in boxes, as large as what they cost. @param {Picture} picture @param {number} width @param {number} height */
function draw_treemap(picture, width, height) {
  const { tree, root } = picture;
  if (!tree) return;
  /** @type {Box[]} */
  const open = [{ at: root, x: 0, y: 0, width, height }];
  while (open.length) {
    const box = /** @type {Box} */ (open.pop());
    const inner = tree.end[box.at] - box.at > 1 && box.width > 12 && box.height > 12;
    const named = !inner || (box.width > 40 && box.height > 3 * LAYER);
    picture.boxes.push(box);
    picture.box(box, inner, named);
    if (!inner) continue;
    const top = named ? LAYER : 1;
    const room = { at: box.at, x: box.x + 1, y: box.y + top, width: box.width - 2, height: box.height - top - 1 };
    squarify(tree, room, open);
  }
}

/** Lays the children of a node into its box, in rows whose boxes are as square as can be. @param {Tree} tree @param {Box} box @param {Box[]} into */
function squarify(tree, box, into) {
  const children = tree.children(box.at).filter((child) => tree.near[child] > 0);
  let left = children.reduce((sum, child) => sum + tree.near[child], 0);
  let { x, y, width, height } = box;
  for (let from = 0; from < children.length && width > 1 && height > 1;) {
    const scale = (width * height) / left;
    const side = Math.min(width, height);
    let [sum, worst, to] = [0, Infinity, from];
    while (to < children.length) {
      const next = sum + tree.near[children[to]] * scale;
      const [largest, smallest] = [tree.near[children[from]] * scale, tree.near[children[to]] * scale];
      const ratio = Math.max((side * side * largest) / (next * next), (next * next) / (side * side * smallest));
      if (ratio > worst) break;
      [sum, worst] = [next, ratio];
      to++;
    }
    const thick = sum / side;
    let offset = 0;
    for (; from < to; from++) {
      const long = (tree.near[children[from]] * scale) / thick;
      if (width >= height) into.push({ at: children[from], x, y: y + offset, width: thick - 1, height: long - 1 });
      else into.push({ at: children[from], x: x + offset, y, width: long - 1, height: thick - 1 });
      offset += long;
      left -= tree.near[children[from]];
    }
    if (width >= height) [x, width] = [x + thick, width - thick];
    else [y, height] = [y + thick, height - thick];
  }
}
