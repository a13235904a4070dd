#!/usr/bin/env python3
"""Measures a page for browsers in headless chromium: `benches/page.py PAGE.html [TIMES]`. Without a page, one of 100,000
functions in chains of 500, of which nearly as many frames, is made of a generated profile by target/debug/cgannotate.

Prints medians in milliseconds: until rows and picture are painted, until a sort after that is answered, a sort by inclusive
cost, a search, drawing a frame and from frame to frame while zooming (95th percentiles); and the memory of the page's process
beyond that of an empty page's."""
import json, os, statistics, subprocess, sys, tempfile


def profile(path):
    """main calls 200 chains of 500 functions, each of which costs 1."""
    with open(path, "w") as out:
        out.write("version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 1\n")
        for chain in range(200):
            out.write(f"cfn=c{chain}_0\ncalls=1 1\n1 500\n")
        for chain in range(200):
            for depth in range(500):
                out.write(f"fn=c{chain}_{depth}\n1 1\n")
                if depth < 499:
                    out.write(f"cfn=c{chain}_{depth + 1}\ncalls=1 1\n1 {499 - depth}\n")


class Browser:
    def __init__(self):
        to, self.out = os.pipe()
        self.into, back = os.pipe()

        def descriptors():
            a, b = os.dup(to), os.dup(back)
            os.dup2(a, 3)
            os.dup2(b, 4)

        words = ["chromium", "--headless", "--no-sandbox", "--remote-debugging-pipe", "--window-size=1600,900", "--user-data-dir=" + tempfile.mkdtemp()]
        self.process = subprocess.Popen(words, preexec_fn=descriptors, close_fds=False, stderr=subprocess.DEVNULL)
        self.buffer, self.number, self.session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                self.buffer += os.read(self.into, 1 << 20)
            answer, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(answer)
            if answer.get("id") == self.number:
                return answer.get("result", {})

    def memory(self):
        """What the processes of pages have for themselves, in bytes."""
        session, self.session = self.session, None
        processes = self.call("SystemInfo.getProcessInfo")["processInfo"]
        self.session = session
        sizes = []
        for process in processes:
            if process["type"] == "renderer":
                with open(f"/proc/{process['id']}/smaps_rollup") as lines:
                    sizes.append(sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) * 1024)
        return max(sizes)

    def eval(self, text):
        answer = self.call("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{text}: {answer}")
        return answer["result"].get("value")


FRAME = "new Promise((go) => requestAnimationFrame(() => setTimeout(go)))"
PAINTED = (
    "(async () => { while (!document.querySelector('#functions .row') || !document.querySelector('canvas')) await "
    + FRAME
    + "; await " + FRAME + "; return performance.now() })()"
)
# A click as soon as there is something to be clicked, until the sorted rows are painted.
ANSWERED = (
    "(async () => { [...document.querySelectorAll('[role=columnheader] button')].find((b) => b.textContent == 'inclusive').click(); "
    "await " + FRAME + "; return performance.now() })()"
)
READY = "(async () => { while (!document.documentElement.classList.contains('ready')) await " + FRAME + " })()"
SORT = (
    "(async () => { const from = performance.now(); [...document.querySelectorAll('[role=columnheader] button')]"
    ".find((b) => b.textContent == 'inclusive').click(); const done = performance.now() - from; history.back(); "
    "await new Promise((go) => setTimeout(go, 300)); return done })()"
)
SEARCH = (
    "(async () => { const box = document.querySelector('input[type=search]'); box.value = '%s'; const from = performance.now(); "
    "box.dispatchEvent(new InputEvent('input')); const done = performance.now() - from; box.value = ''; "
    "box.dispatchEvent(new InputEvent('input')); return done })()"
)
# Of one frame: a step before the picture is drawn, and one after it; and from each frame to the next.
DRAW = (
    "(async () => { const canvas = document.querySelector('canvas'), times = [], frames = []; let last = 0; "
    "for (let at = 0; at < 60; at++) await new Promise((go) => { let from; "
    "requestAnimationFrame((now) => { from = performance.now(); if (last) frames.push(now - last); last = now }); canvas.dispatchEvent("
    "new WheelEvent('wheel', { deltaY: at < 30 ? -60 : 60, clientX: 500, clientY: 700, cancelable: true })); "
    "requestAnimationFrame(() => { times.push(performance.now() - from); go() }) }); "
    "return [times, frames].map((list) => list.sort((a, b) => a - b)[Math.floor(list.length * 0.95)]) })()"
)


def main():
    page = sys.argv[1] if len(sys.argv) > 1 else ""
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    if not page:
        folder = tempfile.mkdtemp()
        profile(f"{folder}/chains.out")
        page = f"{folder}/page.html"
        subprocess.run(["target/debug/cgannotate", "--format=html", "--max-size=500M", "-o", page, f"{folder}/chains.out"], check=True)
    browser = Browser()
    browser.call("Page.enable")
    names = ("painted", "interactive", "sort", "search", "drawing, 95th percentile", "frame to frame, 95th percentile")
    found = {name: [] for name in names}
    browser.call("Page.navigate", url="about:blank")
    browser.call("HeapProfiler.collectGarbage")
    empty, memory = browser.memory(), []
    for _ in range(times):
        browser.call("Page.navigate", url="about:blank")
        browser.call("HeapProfiler.collectGarbage")
        browser.call("Page.navigate", url=f"file://{os.path.abspath(page)}#tab=stacks")
        browser.eval("new Promise((go) => document.readyState == 'complete' ? go() : addEventListener('load', go))")
        found["painted"].append(browser.eval(PAINTED))
        found["interactive"].append(browser.eval(ANSWERED))
        browser.eval(READY)
        memory.append(browser.memory())
        browser.eval("history.back()")
        found["sort"].append(browser.eval(SORT))
        found["search"].append(browser.eval(SEARCH % "9_4"))
        drawing, frames = browser.eval(DRAW)
        found["drawing, 95th percentile"].append(drawing)
        found["frame to frame, 95th percentile"].append(frames)
    rows = browser.eval("document.querySelector('[role=grid]').getAttribute('aria-rowcount')")
    print(f"{page}: {os.path.getsize(page):,} bytes, {rows} rows with their heading")
    for name, values in found.items():
        print(f"{name}: median {statistics.median(values):.0f} ms of {len(values)}, at most {max(values):.0f}")
    print(f"memory beyond an empty page's {empty / 1e6:.0f} MB: {(statistics.median(memory) - empty) / 1e6:.0f} MB")
    browser.process.terminate()


main()
