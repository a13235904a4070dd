// The data of the page: columns of numbers and texts. The writer, columns.rs, says how they are packed.

/** A number of the profile: one that a browser's numbers hold exactly, or else a big one. -0 was never written.
 * @typedef {number | bigint} Count
 */

const VERSION = 1;

/** The columns of a block of text.
 * @param {string} text
 */
export async function unpack(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  if (bytes[0] !== VERSION) throw new Error(`the data has version ${bytes[0]}, but this script reads ${VERSION}`);
  const stream = new Blob([bytes.subarray(1)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Columns(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Numbers; those beyond 2^53 are in `big`, too. */
export class Numbers {
  /** @param {Float64Array} near @param {Map<number, bigint>} big */
  constructor(near, big) {
    this.near = near;
    this.big = big;
    this.length = near.length;
  }

  /** @param {number} at @returns {Count} */
  at(at) {
    return this.big.get(at) ?? this.near[at];
  }

  /** The order of two, the larger first. @param {number} a @param {number} b */
  compare(a, b) {
    const difference = this.near[b] - this.near[a];
    if (difference || !this.big.size) return difference;
    const [x, y] = [BigInt(this.at(a)), BigInt(this.at(b))];
    return x < y ? 1 : x > y ? -1 : 0;
  }
}

export class Columns {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    /** @type {Map<string, {kind: number, count: number, start: number, length: number}>} */
    this.directory = new Map();
    /** @type {Map<string, Numbers>} */
    this.read = new Map();
    const entries = [];
    for (let left = this.varint(); left > 0; left--) {
      const length = this.varint();
      const name = String.fromCharCode(...bytes.subarray(this.at, this.at + length));
      this.at += length;
      const kind = bytes[this.at++];
      entries.push({ name, kind, count: this.varint(), start: 0, length: this.varint() });
    }
    for (const entry of entries) {
      entry.start = this.at;
      this.at += entry.length;
      this.directory.set(entry.name, entry);
    }
  }

  varint() {
    let [value, scale, byte] = [0, 1, 0];
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  }

  /** The number of a varint whose end is before `end`. @param {number} start @param {number} end */
  long(start, end) {
    let value = 0n;
    for (let at = end - 1; at >= start; at--) value = value * 128n + BigInt(this.bytes[at] & 127);
    return value;
  }

  /** @param {string} name @returns {string[]} */
  texts(name) {
    const entry = this.directory.get(name);
    if (!entry || !entry.count) return [];
    return new TextDecoder().decode(this.bytes.subarray(entry.start, entry.start + entry.length)).split("\n");
  }

  /** The numbers of a column, which are unpacked when they are first asked for. @param {string} name */
  numbers(name) {
    let numbers = this.read.get(name);
    if (!numbers) {
      numbers = this.decode(name);
      this.read.set(name, numbers);
    }
    return numbers;
  }

  /** @param {string} name */
  decode(name) {
    const entry = this.directory.get(name);
    if (!entry) return new Numbers(new Float64Array(0), new Map());
    const near = new Float64Array(entry.count);
    const big = new Map();
    const { bytes } = this;
    const { kind } = entry;
    const most = Number.MAX_SAFE_INTEGER;
    let [next, last] = [entry.start, 0];
    for (let at = 0; at < near.length; at++) {
      const start = next;
      // As varint() does, without a call for each of a million numbers.
      let byte = bytes[next++];
      let value = byte & 127;
      for (let scale = 128; byte > 127; scale *= 128) {
        byte = bytes[next++];
        value += (byte & 127) * scale;
      }
      if (value <= most && Math.abs(last) <= most) {
        if (kind === 1) value = value === 0 ? -0 : zigzag(value - 1);
        if (kind === 2) value = last += zigzag(value);
        near[at] = value;
        if (Number.isSafeInteger(value)) continue;
      }
      let exact = this.long(start, next);
      if (kind === 1) exact = long_zigzag(exact - 1n);
      if (kind === 2) exact = long_zigzag(exact) + (at ? BigInt(big.get(at - 1) ?? near[at - 1]) : 0n);
      near[at] = Number(exact);
      // Only differences go on from it: a count that was never written after it is not zero.
      if (kind === 2) last = near[at];
      big.set(at, exact);
    }
    return new Numbers(near, big);
  }
}

/** @param {number} value */
function zigzag(value) {
  return value % 2 ? -(value + 1) / 2 : value / 2;
}

/** @param {bigint} value */
function long_zigzag(value) {
  return value & 1n ? -((value + 1n) >> 1n) : value >> 1n;
}

/** Where each of some lists begins if they follow each other, and where the last ends. @param {Float64Array} counts */
export function starts(counts) {
  const starts = new Float64Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) starts[at + 1] = starts[at] + counts[at];
  return starts;
}

/** The source of each file: what each line says, by its number. @param {Columns} columns @param {{found: string, newer: boolean}[]} about */
export function source_lines(columns, about) {
  const near = (/** @type {string} */ name) => columns.numbers(name).near;
  const texts = columns.texts("x.text");
  const [first, lines, runs] = [near("x.first"), near("x.lines"), near("x.runs")];
  /** @type {Map<number, {lines: Map<number, string>, found: string, newer: boolean}>} */
  const sources = new Map();
  let [run, text] = [0, 0];
  near("x.file").forEach((file, at) => {
    const said = new Map();
    for (let left = runs[at]; left > 0; left--, run++) {
      for (let nth = 0; nth < lines[run]; nth++) said.set(first[run] + nth, texts[text++]);
    }
    sources.set(file, { lines: said, ...about[at] });
  });
  return sources;
}

/** Why the sources of some of so many files are not on the page, and what puts them there.
 * @param {Columns} columns @param {string[]} names of all files @param {number[]} files @param {number} of
 */
export function missing_source(columns, names, files, of) {
  if (!files.length) return "";
  const texts = columns.texts("x.why");
  const why = new Map(Array.from(columns.numbers("x.missing").near, (file, at) => [file, texts[at] || "not found"]));
  const absent = files.filter((file) => why.has(file));
  const rust = absent.every((file) => names[file].startsWith("/rustc/"));
  const help = rust ? "rustup component add rust-src installs it" : "-I DIR or --map OLD=NEW says where it is";
  const reasons = absent.length ? [`${[...new Set(absent.map((file) => why.get(file)))].join("; ")} (${help})`] : [];
  if (absent.length < files.length) {
    const no_room = columns.numbers("x.no_room").near[0];
    reasons.push(no_room ? "no room on this page (--max-size=5M makes some)" : "not on this page, because of --auto=no");
  }
  return `Source${files.length < of ? ` of ${files.length} of ${of} files` : ""}: ${reasons.join("; ")}.`;
}
