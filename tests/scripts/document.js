// A document as small as the scripts need it: elements, events that bubble, an address with its history. Sizes are whatever a
// test says they are, and nothing is laid out.

/** Whether an element is what one part of a selector says, such as `td.number` or `[role=tab]`. */
function matches(element, part) {
  return [...part.matchAll(/^[a-z]\w*|\.[\w-]+|#[\w-]+|\[[^\]]+\]/g)].every(([one]) => {
    if (one[0] === ".") return element.classList.contains(one.slice(1));
    if (one[0] === "#") return element.getAttribute("id") === one.slice(1);
    if (one[0] !== "[") return element.tag === one;
    const [name, value] = one.slice(1, -1).split("=");
    return value === undefined ? element.attributes.has(name) : element.getAttribute(name) === value.replaceAll('"', "");
  });
}

export class FakeElement {
  constructor(tag) {
    this.tag = tag;
    this.attributes = new Map();
    this.listeners = [];
    this.childNodes = [];
    this.parent = null;
    this.style = { setProperty: (name, value) => (this.style[name] = value) };
    Object.assign(this, { value: "", hidden: false, scrollTop: 0, clientWidth: 700, clientHeight: 200, selectedIndex: -1 });
    this.rect = { top: 0, bottom: 20, left: 0, width: 700, height: 20 };
    const names = () => (this.getAttribute("class") ?? "").split(" ").filter(Boolean);
    this.classList = {
      contains: (name) => names().includes(name),
      add: (name) => this.setAttribute("class", [...new Set([...names(), name])].join(" ")),
      remove: (name) =>
        this.setAttribute(
          "class",
          names()
            .filter((other) => other !== name)
            .join(" "),
        ),
    };
  }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  removeAttribute(name) {
    this.attributes.delete(name);
  }

  append(...children) {
    for (const child of children) {
      if (child instanceof FakeElement) {
        child.remove();
        child.parent = this;
      }
      this.childNodes.push(child instanceof FakeElement ? child : String(child));
    }
  }
  prepend(...children) {
    const others = this.childNodes;
    this.childNodes = [];
    this.append(...children);
    this.childNodes.push(...others);
  }
  replaceChildren(...children) {
    for (const child of [...this.childNodes]) if (child instanceof FakeElement) child.remove();
    this.childNodes = [];
    this.append(...children);
  }
  remove() {
    if (this.contains(document.activeElement)) document.activeElement = document.body;
    if (this.parent) this.parent.childNodes = this.parent.childNodes.filter((other) => other !== this);
    this.parent = null;
  }
  get children() {
    return this.childNodes.filter((child) => child instanceof FakeElement);
  }
  get childElementCount() {
    return this.children.length;
  }
  get textContent() {
    return this.childNodes.map((child) => (child instanceof FakeElement ? child.textContent : child)).join("");
  }
  set textContent(text) {
    this.replaceChildren(text);
  }
  get isConnected() {
    return document.body.contains(this);
  }
  contains(other) {
    for (let up = other; up; up = up.parent) if (up === this) return true;
    return false;
  }

  querySelectorAll(selector) {
    const parts = selector.split(" ");
    const found = [];
    const visit = (element, at) => {
      for (const child of element.children) {
        const is_next = matches(child, parts[at]);
        if (is_next && at === parts.length - 1 && !found.includes(child)) found.push(child);
        if (is_next && at < parts.length - 1) visit(child, at + 1);
        visit(child, at);
      }
    };
    visit(this, 0);
    return found;
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  addEventListener(type, listener) {
    this.listeners.push([type, listener]);
  }
  /** Sends an event, which goes up until somebody stops it. */
  fire(type, about = {}) {
    const event = { type, target: this, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, repeat: false, ...about };
    let stopped = false;
    event.defaultPrevented = false;
    event.preventDefault = () => (event.defaultPrevented = true);
    event.stopPropagation = () => (stopped = true);
    document.tell(event, true);
    for (let up = this; up && !stopped; up = up.parent) {
      for (const [of, listener] of [...up.listeners]) if (of === type) listener(event);
    }
    if (!stopped) document.tell(event, false);
    return event;
  }
  click() {
    this.fire("click");
  }
  focus() {
    document.activeElement = this;
  }
  select() {
    document.selected = this;
  }
  showModal() {
    this.setAttribute("open", "");
  }
  close() {
    this.removeAttribute("open");
  }
  getBoundingClientRect() {
    return this.rect;
  }
  /** A pen that writes down what it does, with what it was set to. */
  getContext() {
    const calls = [];
    const pen = { calls, measureText: (text) => ({ width: 7 * text.length }), createPattern: () => "hatch" };
    for (const name of ["moveTo", "lineTo", "stroke", "setTransform"]) pen[name] = (...at) => calls.push([name, ...at]);
    for (const name of ["fillRect", "fillText"]) pen[name] = (...at) => calls.push([name, ...at, pen.fillStyle]);
    pen.strokeRect = (...at) => calls.push(["strokeRect", ...at, pen.strokeStyle, pen.lineWidth]);
    return pen;
  }
}

/** A class of elements, for `instanceof`. */
const of_tags = (...tags) => ({
  [Symbol.hasInstance]: (other) => other instanceof FakeElement && (!tags.length || tags.includes(other.tag)),
});

/** Makes a new window, with a place for the page as the shell has it, at an address. */
export function open_window(hash = "", { dark = false } = {}) {
  const listeners = [];
  const frames = [];
  const media = [];
  const entries = [hash];
  const root = new FakeElement("html");
  globalThis.document = {
    documentElement: root,
    createElement: (tag) => new FakeElement(tag),
    createElementNS: (_, tag) => new FakeElement(tag),
    getElementById: (id) => root.querySelector(`#${id}`),
    querySelector: (selector) => root.querySelector(selector),
    tell: (event, capture) => {
      for (const [type, listener, first] of [...listeners]) if (type === event.type && !!first === capture) listener(event);
    },
    copied: [],
    execCommand: (what) => document.copied.push([what, document.selected?.value]),
  };
  document.body = new FakeElement("body");
  document.activeElement = document.body;
  root.append(document.body);
  for (const id of ["plain", "app", "data"]) {
    const part = new FakeElement("div");
    part.setAttribute("id", id);
    document.body.append(part);
  }
  document.getElementById("app").hidden = true;
  const page = {
    entries,
    /** What was written to the history. */
    steps: [],
    resized: [],
    timers: new Map(),
    get app() {
      return document.getElementById("app");
    },
    $: (selector) => root.querySelector(selector),
    $$: (selector) => root.querySelectorAll(selector),
    /** The texts of elements. */
    texts: (selector) => root.querySelectorAll(selector).map((element) => element.textContent),
    /** Runs what waits for the next frame. */
    frame: () => {
      for (const run of frames.splice(0)) run();
    },
    /** Runs what waits for a while. */
    pass_time: () => {
      const waiting = [...page.timers.values()];
      page.timers.clear();
      for (const run of waiting) run();
    },
    /** Presses a key where the focus is. */
    press: (key, about = {}) => {
      const event = document.activeElement.fire("keydown", { key, ...about });
      if (!about.repeat) document.activeElement.fire("keyup", { key });
      return event;
    },
    /** Holds a key down, and lets it go. */
    hold: (key, times) => {
      document.activeElement.fire("keydown", { key });
      for (let nth = 1; nth < times; nth++) document.activeElement.fire("keydown", { key, repeat: true });
      document.activeElement.fire("keyup", { key });
    },
    /** Types into a box. */
    type: (box, text) => {
      box.value = text;
      box.fire("input");
    },
    /** Goes to another address, as a link or the address bar does. */
    visit: (to) => {
      location.hash = to;
      document.tell({ type: "hashchange" }, false);
    },
    resize: (width) => {
      globalThis.innerWidth = width;
      document.tell({ type: "resize" }, false);
    },
    turn_dark: () => {
      dark = !dark;
      for (const listener of media) listener();
    },
  };
  const write = (kind) => (_, title, link) => {
    location.hash = link === "#" ? "" : link;
    page.steps.push(`${kind} ${location.hash}`);
    if (kind === "push") entries.push(location.hash);
    else entries[entries.length - 1] = location.hash;
  };
  Object.assign(globalThis, {
    window: globalThis,
    location: { hash },
    history: {
      pushState: write("push"),
      replaceState: write("replace"),
      back: () => {
        entries.pop();
        page.visit(entries.at(-1));
      },
    },
    addEventListener: (type, listener, capture) => listeners.push([type, listener, capture]),
    innerWidth: 1280,
    devicePixelRatio: 1,
    HTMLElement: of_tags(),
    HTMLInputElement: of_tags("input"),
    HTMLSelectElement: of_tags("select"),
    ResizeObserver: class {
      constructor(tell) {
        this.tell = tell;
      }
      observe(element) {
        page.resized.push([element, this.tell]);
      }
    },
    matchMedia: (query) => ({
      get matches() {
        const most = /max-width: (\d+)px/.exec(query);
        return most ? innerWidth <= Number(most[1]) : dark;
      },
      addEventListener: (_, listener) => media.push(listener),
    }),
    requestAnimationFrame: (run) => frames.push(run),
    requestIdleCallback: (run) => run(),
    setTimeout: (run, after) => {
      const id = page.timers.size + 1;
      page.timers.set(id, run);
      page.patience = after;
      return id;
    },
    clearTimeout: (id) => page.timers.delete(id),
  });
  return page;
}

/** An element in one line: its tag, classes and what else a test asks for, and what is in it. */
export function outline(element, attributes = []) {
  if (!(element instanceof FakeElement)) return JSON.stringify(element);
  const classes = (element.getAttribute("class") ?? "").split(" ").filter(Boolean);
  const said = attributes.filter((name) => element.attributes.has(name)).map((name) => `[${name}=${element.getAttribute(name)}]`);
  const name = [element.tag, ...classes.map((one) => `.${one}`), ...said].join("");
  const inner = element.childNodes.map((child) => outline(child, attributes)).join(" ");
  return inner ? `${name}(${inner})` : name;
}

/** The texts of the cells of a table's rows. */
export function cells(table) {
  return table.querySelectorAll("tbody tr").map((row) => row.children.map((cell) => cell.textContent).join("|"));
}
