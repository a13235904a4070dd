// A function in the middle of its stacks: who calls it, upside down, and what it calls. The frames next to it are its call edges,
// which are exact. Those further away add up stacks, with what is certain of them.

import { minus, plural, plus } from "./numbers.js";
import { Tree, object_colours, stack_tree } from "./tree.js";

/** @import { Count } from "./columns.js" */
/** @import { Profile } from "./profile.js" */
/** @import { Branch } from "./tree.js" */

/** A stack: the frame where it goes on, the one whose cost counts, and which part of that.
 * @typedef {{at: number, of: number, scale: number}} Path
 * What is still to be grown. `enter` is the cycle that comes next whatever stacks say, `slack` what stacks that are not on the page can
 * cost at most.
 * @typedef {{branch: Branch, key: number, paths: Path[], enter: number, slack: Count, depth: number}} Bud
 */

/** What has less than this part of the function is thinner than a point, and so many frames are enough. */
const SMALL = 1 / 4000;
const DEEPEST = 500;

const smaller = (/** @type {Count} */ a, /** @type {Count} */ b) => (a < b ? a : b);
const larger = (/** @type {Count} */ a, /** @type {Count} */ b) => (a > b ? a : b);
const scaled = (/** @type {Count} */ cost, /** @type {number} */ scale) => (scale === 1 ? cost : Math.round(Number(cost) * scale));

/** The stacks of one event, for any function. A key is what the column of frames has of a frame: 2f+1 is a function, 2c a cycle,
 * 0 what was left out.
 */
export class Around {
  /** @param {Profile} profile @param {number} event */
  constructor(profile, event) {
    const numbers = (/** @type {string} */ name) => profile.columns.numbers(`t.${event}.${name}`);
    this.profile = profile;
    this.event = event;
    this.stacks = stack_tree(profile, event);
    this.keys = numbers("frame").near;
    this.total = numbers("total");
    this.least = numbers("least");
    this.most = numbers("most");
    this.inclusive = profile.costs("f.incl", event);
    this.colours = object_colours(profile);
    /** @type {Map<number, Map<number, Count>>} */
    this.called = new Map();
  }

  /** Calls of a function or by it, but for recursion. @param {number} f @param {"callers" | "callees"} side */
  arcs(f, side) {
    const costs = this.profile.costs("a.cost", this.event);
    const arcs = this.profile.arcs(f, side, this.event).filter(({ other }) => !this.profile.recursive(f, other));
    return arcs.map(({ arc, other }) => ({ other, cost: costs.at(arc) })).filter(({ cost }) => cost > 0);
  }

  /** What a function's calls of another, or of all of a cycle, cost; `undefined` if the page has none. @param {number} f @param {number} key */
  calls(f, key) {
    let called = this.called.get(f);
    if (!called) {
      this.called.set(f, (called = new Map()));
      for (const { other, cost } of this.arcs(f, "callees")) {
        const cycle = this.profile.cycle_of[other];
        for (const to of cycle ? [2 * other + 1, 2 * cycle] : [2 * other + 1]) called.set(to, plus(called.get(to) ?? 0, cost));
      }
    }
    return called.get(key);
  }

  /** Whether a function was recorded in part, so that nothing is certain of what is next to it. @param {number} f */
  in_part(f) {
    const { profile, event } = this;
    const sum = (/** @type {"callers" | "callees"} */ side) =>
      this.arcs(f, side).reduce((sum, { cost }) => plus(sum, cost), plus(0, profile.costs(`f.${side}+`, event).at(f) || 0));
    const [into, out] = [sum("callers"), plus(sum("callees"), profile.costs("f.self", event).at(f))];
    return profile.cycle_of[f] === 0 && into > 0 && into != out;
  }

  /** What a frame costs at least and at most next to one that is within such bounds, by call edges: bounds.rs says why.
   * @param {boolean} up @param {number} key @param {number} next @param {[Count, Count]} bounds @returns {[Count, Count]}
   */
  span(up, key, next, [least, most]) {
    const { cycle_of } = this.profile;
    if (this.profile.about.exact) return [0, most];
    const [f, other] = [key, next].map((key) => (key % 2 ? (key - 1) / 2 : -1));
    // All of a member is in its cycle.
    if (f >= 0 && cycle_of[f] > 0 && next === 2 * cycle_of[f]) return [least, most];
    const caller = up ? other : f;
    if (caller < 0) return [0, smaller(most, this.inclusive.at(other))];
    const cost = this.calls(caller, up ? key : next);
    if (cost === undefined) return [0, most];
    const known = f >= 0 && !this.in_part(f);
    return [known ? larger(0, minus(plus(least, cost), this.inclusive.at(f))) : 0, smaller(most, cost)];
  }

  /** @param {number} key @param {Count} value @param {Count} least @param {Count} most @returns {Branch} */
  branch(key, value, least, most) {
    const f = key % 2 ? (key - 1) / 2 : -1;
    const label = f >= 0 ? this.profile.name(f) : `cycle ${key / 2}`;
    return { label, value, least, most, f, colour: f >= 0 ? this.colours[this.profile.object_of(f)] : 2, hatched: false, children: [] };
  }

  /** What was left out. @param {string} label @param {Count} value @param {Count} least @param {Count} most @returns {Branch} */
  omitted(label, value, least, most) {
    return { label, value, least, most, f: -1, colour: 2, hatched: true, children: [] };
  }

  /** The frames next to a function, from which its stacks go on. @param {number} f @param {"callers" | "callees"} side */
  first(f, side) {
    const { profile, keys, stacks } = this;
    const { cycle_of, about } = profile;
    const up = side === "callers";
    // In an estimate, stacks enter a cycle and not one of its members: each has its part of that.
    const cycle = about.exact || !up ? 0 : cycle_of[f];
    const here = cycle ? 2 * cycle : 2 * f + 1;
    /** @type {Map<number, Path[]>} */
    const found = new Map();
    for (let at = 1; stacks && at < stacks.size; at++) {
      const parent = stacks.parent[at];
      const [inner, outer] = [keys[at - 1], keys[parent - 1]];
      if (!parent || !inner || (up ? inner : outer) !== here) continue;
      const next = up ? outer : inner;
      const paths = found.get(next) ?? [];
      found.set(next, paths);
      paths.push({ at: up ? parent : at, of: at, scale: 1 });
    }
    /** @type {Bud[]} */
    const buds = this.arcs(f, side).map(({ other, cost }) => {
      const key = 2 * other + 1;
      const enter = about.exact || up || !cycle_of[other] ? 0 : 2 * cycle_of[other];
      const all = (cycle ? this.calls(other, here) : enter ? this.calls(f, enter) : cost) ?? cost;
      const scale = all == cost ? 1 : Number(cost) / Number(all);
      const paths = (found.get(enter || key) ?? []).map((path) => ({ ...path, scale }));
      const slack = paths.reduce((left, { of }) => minus(left, this.least.at(of - 1)), cost);
      return { branch: this.branch(key, cost, cost, cost), key, paths, enter, slack: larger(slack, 0), depth: 1 };
    });
    const branches = buds.map(({ branch }) => branch);
    const [count, rest] = [profile.columns.numbers(`f.${side}+.count`).at(f), profile.costs(`f.${side}+`, this.event).at(f)];
    if (rest > 0) branches.push(this.omitted(`${plural(count, side.slice(0, -1))} omitted`, rest, rest, rest));
    return { buds, branches };
  }

  /** Grows what is further away, by the stacks. @param {boolean} up @param {Bud[]} open @param {number} small */
  grow(up, open, small) {
    const { keys, stacks, total } = this;
    for (let bud = open.pop(); bud && stacks; bud = open.pop()) {
      const { branch, key, enter, slack, depth } = bud;
      /** @type {Map<number, Path[]>} */
      const groups = new Map(enter ? [[enter, bud.paths]] : []);
      const add = (/** @type {Path} */ path) => {
        const group = groups.get(keys[path.at - 1]);
        if (group) group.push(path);
        else groups.set(keys[path.at - 1], [path]);
      };
      // What is the function's own, or begins there, has no frame.
      let left = branch.value;
      for (const { at, of, scale } of enter || depth === DEEPEST ? [] : bud.paths) {
        let ends = total.at(of - 1);
        if (up) {
          if (stacks.parent[at]) add({ at: stacks.parent[at], of, scale });
          if (stacks.parent[at]) continue;
        } else {
          for (const child of stacks.children(at)) {
            ends = minus(ends, total.at(child - 1));
            if (keys[child - 1]) add({ at: child, of: child, scale });
          }
        }
        left = minus(left, scaled(ends, scale));
      }
      const found = [...groups].map(([next, paths]) => {
        let [value, least, most] = /** @type {Count[]} */ ([0, 0, slack]);
        for (const { of, scale } of paths) {
          value = plus(value, scaled(total.at(of - 1), scale));
          least = plus(least, this.least.at(of - 1));
          most = plus(most, this.most.at(of - 1));
        }
        const bounds = this.span(up, key, next, [branch.least, branch.most]);
        // Of a part of a stack, nothing is known by itself.
        if (paths.every(({ scale }) => scale === 1)) [bounds[0], bounds[1]] = [larger(bounds[0], least), smaller(bounds[1], most)];
        return { next, paths, value, least: smaller(bounds[0], branch.most), most: bounds[1] };
      });
      const certain = found.reduce((sum, { least }) => plus(sum, least), /** @type {Count} */ (0));
      const rounded = bud.paths.some(({ scale }) => scale !== 1) ? found.length : 0;
      let others = branch.most;
      for (const { next, paths, value, least, most } of found) {
        const bound = larger(least, smaller(most, minus(branch.most, minus(certain, least))));
        const child = this.branch(next, larger(least, smaller(bound, value)), least, bound);
        if (Number(child.value) < small) continue;
        [left, others] = [minus(left, child.value), minus(others, least)];
        branch.children.push(child);
        open.push({ branch: child, key: next, paths, enter: 0, slack, depth: depth + 1 });
      }
      if (left > rounded) branch.children.push(this.omitted("omitted here", left, 0, larger(left, others)));
    }
  }

  /** The picture of a function: its callers below it, or above it with its callees below. @param {number} f @param {boolean} both */
  tree(f, both) {
    const value = this.inclusive.at(f);
    /** @type {("callers" | "callees")[]} */
    const names = both ? ["callers", "callees"] : ["callers"];
    const sides = names.map((side) => ({ side, ...this.first(f, side) }));
    // Calls into a cycle cost as much as the cycle, which can be more than the function.
    const widths = sides.map(({ branches }) => branches.reduce((sum, { value }) => sum + Number(value), 0));
    const widest = Math.max(Number(value), ...widths);
    const root = this.branch(2 * f + 1, value, value, value);
    let [nodes, depths] = [/** @type {import("./tree.js").Leaf[]} */ ([root]), [0]];
    let above = 0;
    for (const { side, buds, branches } of sides) {
      this.grow(side === "callers", buds, widest * SMALL);
      const all = Tree.flat({ ...root, children: branches });
      [nodes, depths] = [nodes.concat(all.nodes.slice(1)), depths.concat(all.depths.slice(1))];
      if (both) above ||= nodes.length;
    }
    const costs = Float64Array.from(nodes, (node, at) => (at ? Number(node.value) : widest));
    return new Tree(costs, depths, (at) => nodes[at], above);
  }
}

/** What to know of such a picture. @param {Profile} profile @param {number} f @param {boolean} both */
export function around_note(profile, f, both) {
  const cycle = profile.cycle_of[f];
  const parts = [
    both ? "Callers above, callees below." : "Callers, upside down.",
    "The frames next to the function are exact.",
    profile.about.exact
      ? "Others add up the stacks on this page; hatched frames stand for what is omitted."
      : "Others are an estimate from the stacks on this page: the dark edge is certain, hatched frames stand for what is omitted.",
  ];
  if (cycle) parts.splice(2, 0, `Calls into its cycle ${cycle} cost as much as the cycle; calls within it have no frames.`);
  return parts.join(" ");
}
