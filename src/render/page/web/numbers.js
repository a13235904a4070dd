// Counts, shares and names as people read them.

/** @import { Count } from "./columns.js" */

/** @param {Count} a @param {Count} b @returns {Count} */
export function plus(a, b) {
  const sum = typeof a === "number" && typeof b === "number" ? a + b : 0.5;
  return Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b);
}

/** @param {Count} a @param {Count} b @returns {Count} */
export function minus(a, b) {
  return plus(a, typeof b === "bigint" ? -b : 0 - b);
}

/** @param {Count} value */
export function grouped(value) {
  return Object.is(value, -0) ? "." : String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** How often something was called: of inlined code, nobody counts that. @param {Count} calls @param {string} [sign] */
export function counted(calls, sign = "") {
  return Object.is(calls, -0) ? "not counted" : grouped(calls) + sign;
}

/** With its sign, as changes are. @param {Count} value */
export function signed(value) {
  return (value > 0 ? "+" : "") + grouped(value === 0 ? 0 : value);
}

/** @param {Count} value @param {Count} whole */
export function share(value, whole) {
  return Number(whole) ? `${percent(value, whole)} %` : "";
}

/** @param {Count} value @param {Count} whole */
export function percent(value, whole) {
  const share = (Number(value) / Number(whole)) * 100;
  return share.toFixed(Math.abs(share) < 99.995 ? 2 : 1);
}

/** A name that has no more characters than `most`: its middle goes. @param {string} name @param {number} most */
export function middle(name, most) {
  if (name.length <= most) return name;
  const end = Math.floor((most - 1) * 0.6);
  return `${name.slice(0, most - 1 - end)}…${name.slice(name.length - end)}`;
}

const COLLAPSED = new Map();

/** A function's name that has no more characters than `most`: arguments of templates and functions go first, then callers that
 * find no room, then its middle.
 * @param {string} name @param {number} most
 */
export function short_name(name, most) {
  if (name.length <= most) return name;
  if (!COLLAPSED.has(name)) COLLAPSED.set(name, collapse(name));
  let whole = COLLAPSED.get(name);
  const end = Math.max(whole.indexOf("\n"), whole.lastIndexOf("\n", most - 2));
  if (end > 0 && whole.length > most) whole = middle(whole.slice(0, end), most - 2) + "'…";
  return middle(whole.replaceAll("\n", "'"), most);
}

/** `Vec<…>::push(…)`, as the terminal has it. Each caller stands in a line of its own: a quote outside of brackets begins one, but
 * for recursion levels and `main::'lambda'`.
 * @param {string} name
 */
function collapse(name) {
  const whole = /\(anonymous namespace\)|operator(?:<=>|<<=?|>>=?|[<>]=?|->\*?|\(\))|->|'\d+(?='|$)|::'[^']*'/y;
  let out = "";
  let [depth, hidden] = [0, 0];
  for (let at = 0; at < name.length; at++) {
    whole.lastIndex = at;
    const kept = whole.exec(name)?.[0];
    const [character, next] = [name[at], name[at + 1]];
    if (kept) {
      if (!hidden) out += kept;
      at += kept.length - 1;
    } else if (character === "<" || character === "(") {
      depth++;
      const begins =
        !out || out.endsWith("\n") || (out.endsWith("::") && name.startsWith("<impl ", at)) || (next === "*" && out.endsWith(" "));
      if (hidden) continue;
      out += character;
      if (begins || next === ")" || next === ">") continue;
      hidden = depth;
      out += "…";
    } else if (character === ">" || character === ")") {
      if (!hidden || hidden === depth) {
        hidden = 0;
        out += character;
      }
      depth = Math.max(0, depth - 1);
    } else if (!hidden) out += character === "'" && out && !depth ? "\n" : character;
  }
  return out;
}

/** What a hint holds of a name. @param {string} name */
export function whole_name(name) {
  return middle(name, 4000);
}

/** `1 call`, `2 calls`. @param {Count} count @param {string} what */
export function plural(count, what) {
  return `${grouped(count)} ${what}${count == 1 ? "" : "s"}`;
}

/** @param {string} path */
export function base_name(path) {
  return path.slice(path.lastIndexOf("/", path.length - 2) + 1);
}
