// Trees of costs for pictures: nodes in depth-first order, the dearest first, so that a subtree is a range.

import { base_name, grouped, minus, plus } from "./numbers.js";

/** @import { Count } from "./columns.js" */
/** @import { Profile } from "./profile.js" */

/** What a node is: `f` is its function or -1, `hatched` says that it is what was left out.
 * `says` is what there is to say of it, if that is not its share.
 * @typedef {{label: string, value: Count, least: Count, most: Count, f: number, colour: number, hatched: boolean, says?: string}} Leaf
 * @typedef {Leaf & {children: Branch[]}} Branch
 */

export class Tree {
  /** @param {ArrayLike<number>} costs what each node costs @param {ArrayLike<number>} depth
   * @param {(at: number) => Leaf} node what each is: of many nodes few are ever asked for
   * @param {number} [above] in a picture around a function, where the nodes end that are drawn above it
   */
  constructor(costs, depth, node, above = -1) {
    this.node = node;
    this.above = above;
    /** How many layers are above the first node. */
    this.high = 0;
    this.size = costs.length;
    this.depth = depth;
    this.parent = new Int32Array(this.size);
    this.end = new Int32Array(this.size);
    this.near = new Float64Array(this.size);
    this.left = new Float64Array(this.size);
    const next = new Float64Array(this.size);
    const open = [];
    this.deepest = 0;
    for (let at = 0; at < this.size; at++) {
      while (open.length > depth[at]) this.end[open.pop() ?? 0] = at;
      const parent = open.length ? open[open.length - 1] : -1;
      // What is above and what is below begin at the same place.
      if (at === above) [this.high, this.deepest, next[0]] = [this.deepest, 0, 0];
      this.parent[at] = parent;
      this.near[at] = Math.max(0, costs[at]);
      // Stacks can add up to more than the call edge that they begin with, by rounding at least.
      if (above >= 0 && parent >= 0) this.near[at] = Math.max(0, Math.min(costs[at], this.near[parent] - next[parent]));
      this.left[at] = parent < 0 ? 0 : this.left[parent] + next[parent];
      if (parent >= 0) next[parent] += this.near[at];
      this.deepest = Math.max(this.deepest, depth[at]);
      open.push(at);
    }
    for (const at of open) this.end[at] = this.size;
    if (above === this.size) [this.high, this.deepest] = [this.deepest, 0];
    this.deepest += this.high;
  }

  /** The layer where a node is drawn. @param {number} at */
  row(at) {
    return at && at < this.above ? this.high - this.depth[at] : this.high + this.depth[at];
  }

  /** @param {number} at */
  children(at) {
    const children = [];
    for (let child = at + 1; child < this.end[at]; child = this.end[child]) children.push(child);
    return children;
  }

  /** Nodes and all below them as a tree. @param {Branch} root */
  static of(root) {
    const { nodes, depths } = Tree.flat(root);
    return Tree.list(nodes, depths);
  }

  /** Nodes and all below them in order, with their depths. @param {Branch} root */
  static flat(root) {
    /** @type {Leaf[]} */
    const nodes = [];
    /** @type {number[]} */
    const depths = [];
    /** @type {[Branch, number][]} */
    const open = [[root, 0]];
    while (open.length) {
      const [node, depth] = /** @type {[Branch, number]} */ (open.pop());
      nodes.push(node);
      depths.push(depth);
      const inner = node.children.sort((a, b) => Number(a.value) - Number(b.value) || (a.label < b.label ? 1 : -1));
      for (const child of inner) open.push([child, depth + 1]);
    }
    return { nodes, depths };
  }

  /** Nodes that are there. @param {Leaf[]} nodes @param {ArrayLike<number>} depth */
  static list(nodes, depth) {
    return new Tree(
      Float64Array.from(nodes, (node) => Number(node.value)),
      depth,
      (at) => nodes[at],
    );
  }
}

/** The colour of each object: its place by cost of the first event. @param {Profile} profile */
export function object_colours(profile) {
  const costs = profile.costs("p.self", profile.about.first).near;
  const sums = new Float64Array(profile.objects.length);
  profile.place_object.forEach((object, place) => (sums[object] += costs[place]));
  const colours = new Uint8Array(sums.length);
  Array.from(sums.keys())
    .sort((a, b) => sums[b] - sums[a] || a - b)
    .forEach((object, nth) => (colours[object] = nth % 6));
  return colours;
}

/** Self cost by object, file, function and line. All of it is exact; `treemap_gaps` says what has no box. @param {Profile} profile @param {number} event */
export function self_tree(profile, event) {
  const own = profile.costs("f.self", event);
  const places = profile.costs("p.self", event);
  const total = Number(profile.events[event].total);
  const colours = object_colours(profile);
  const branch = (/** @type {string} */ label, /** @type {Count} */ value, /** @type {number} */ colour, f = -1, hatched = false) => ({
    label,
    value,
    least: value,
    most: value,
    f,
    colour,
    hatched,
    children: /** @type {Branch[]} */ ([]),
  });
  const root = branch("all", 0, 0);
  const objects = new Map();
  const files = Array.from(profile.place_object, (object, place) => {
    let parent = objects.get(object);
    if (!parent) {
      parent = branch(profile.objects[object] || "(object not known)", 0, colours[object]);
      objects.set(object, parent);
      root.children.push(parent);
    }
    const file = branch(profile.files[profile.place_file[place]], places.at(place), colours[object]);
    parent.value = plus(parent.value, file.value);
    root.value = plus(root.value, file.value);
    parent.children.push(file);
    return { file, left: file.value };
  });
  const [l_file, l_line, l_own] = [
    profile.columns.numbers("l.file").near,
    profile.columns.numbers("l.line").near,
    profile.costs("l.self", event),
  ];
  for (let f = 0; f < profile.size; f++) {
    const value = own.at(f);
    if (!(Number(value) > 0)) continue;
    const place = files[profile.place_of[f]];
    const node = branch(profile.name(f), value, place.file.colour, f);
    place.file.children.push(node);
    place.left = minus(place.left, value);
    // Lines of small functions are smaller than a point; where none is known, the function's box says all.
    const [from, to] = [profile.first_line[f], profile.first_line[f + 1]];
    if (Number(value) < total / 500 || !l_line.subarray(from, to).some(Boolean)) continue;
    let left = value;
    for (let line = from; line < to; line++) {
      const cost = l_own.at(line);
      if (!(Number(cost) > 0)) continue;
      const label = l_line[line] ? `${base_name(profile.files[l_file[line]])}:${l_line[line]}` : node.label;
      node.children.push(branch(label, cost, node.colour, f));
      left = minus(left, cost);
    }
    if (node.children.length && Number(left) > 0) node.children.push(branch("lines omitted", left, node.colour, f, true));
  }
  for (const { file, left } of files) {
    if (Number(left) > 0) file.children.push(branch("functions omitted", left, file.colour, -1, true));
  }
  for (const object of root.children) {
    object.least = object.most = object.value;
    object.children = object.children.filter((file) => Number(file.value) > 0);
  }
  root.children = root.children.filter((object) => Number(object.value) > 0);
  root.least = root.most = root.value;
  return Tree.of(root);
}

/** Why the boxes of self cost do not add up to the total, if they do not. @param {Profile} profile @param {number} event */
export function treemap_gaps(profile, event) {
  const columns = ["p.self", "f.self", "l.self"].map((name) => profile.costs(name, event));
  /** @type {Count} */
  let outside = profile.events[event].total;
  for (let at = 0; at < columns[0].length; at++) outside = minus(outside, columns[0].at(at));
  const texts = [];
  if (Number(outside)) texts.push(`${grouped(outside)} of the total is not attributed to any function and has no box.`);
  if (columns.some(({ near }) => near.some((cost) => cost < 0))) {
    texts.push("Negative costs have no box: what is around them costs less than its boxes show.");
  }
  return texts.join(" ");
}

/** Stacks, with what is certain of each frame. `null` if there are none of this event. @param {Profile} profile @param {number} event */
export function stack_tree(profile, event) {
  const numbers = (/** @type {string} */ name) => profile.columns.numbers(`t.${event}.${name}`);
  const frames = numbers("frame").near;
  if (!frames.length) return null;
  const colours = object_colours(profile);
  const [total, least, most] = [numbers("total"), numbers("least"), numbers("most")];
  const depth = numbers("depth").near;
  const [sums, depths] = [0, 1].map(() => new Float64Array(frames.length + 1));
  /** @type {Count} */
  let all = 0;
  for (let at = 0; at < frames.length; at++) {
    sums[at + 1] = total.near[at];
    depths[at + 1] = depth[at] + 1;
    if (!depth[at]) all = plus(all, total.at(at));
  }
  sums[0] = Number(all);
  return new Tree(sums, depths, (nth) => {
    if (!nth) return { label: "all", value: all, least: all, most: all, f: -1, colour: 0, hatched: false };
    const at = nth - 1;
    const frame = frames[at];
    const f = frame % 2 ? (frame - 1) / 2 : -1;
    return {
      label: f >= 0 ? profile.name(f) : frame ? `cycle ${frame / 2}` : "omitted here",
      value: total.at(at),
      least: least.at(at),
      most: most.at(at),
      f,
      colour: f >= 0 ? colours[profile.object_of(f)] : 2,
      hatched: !frame,
    };
  });
}
