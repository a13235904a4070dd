#!/usr/bin/env python3
"""Measures the explorer on a terminal: `benches/explore.py [PROFILE] [PROGRAM]`. Without a profile, one of a million functions is
made (`cargo run --release --example scale shape functions 1M new`); the program is target/release/cgannotate.

The program runs on a pseudo terminal, which is read as a terminal would read it. For each size it prints

* the first frame: from the switch to the screen of its own, which comes when all is read, until rows show, and until all are in order;
* a key to its frame while filters run: every key of a filter is typed as soon as the one before has a frame;
* a filter's result: until nothing more comes after a key of a filter, each typed alone;
* bytes to the terminal for a step, a page and another screen.

Milliseconds by the clock: what else the machine does counts."""
import fcntl, os, pty, re, select, statistics, struct, subprocess, sys, tempfile, termios, time

SIZES = [(80, 24), (200, 60)]
QUIET = 0.25
MOVE = re.compile(rb"\x1b\[(\d+);(\d+)H")
REGION = re.compile(rb"\x1b\[(\d+);(\d+)r\x1b\[(\d+)([ST])\x1b\[r")
OTHER = re.compile(rb"\x1b\[[?0-9;]*[A-Za-z]|\x1b[=>]")


class Screen:
    """The text of a terminal."""

    def __init__(self, columns, rows):
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.rest = b""

    def feed(self, data):
        data, at = self.rest + data, 0
        self.rest = b""
        while at < len(data):
            if data[at] == 0x1B:
                if move := MOVE.match(data, at):
                    self.row, self.column = int(move[1]) - 1, int(move[2]) - 1
                    at = move.end()
                elif region := REGION.match(data, at):
                    first, last, by = int(region[1]) - 1, int(region[2]), int(region[3])
                    empty = [[" "] * len(self.cells[0]) for _ in range(by)]
                    rows = self.cells[first:last]
                    self.cells[first:last] = rows[by:] + empty if region[4] == b"S" else empty + rows[:-by]
                    at = region.end()
                elif other := OTHER.match(data, at):
                    at = other.end()
                else:
                    self.rest = data[at:]
                    return
                continue
            end = data.find(b"\x1b", at)
            end = len(data) if end < 0 else end
            for character in data[at:end].decode(errors="replace"):
                if self.row < len(self.cells) and self.column < len(self.cells[0]):
                    self.cells[self.row][self.column] = character
                self.column += 1
            at = end

    def line(self, row):
        return "".join(self.cells[row]).rstrip()


class Explorer:
    def __init__(self, program, profile, columns, rows):
        self.screen, self.bytes = Screen(columns, rows), 0
        self.process, self.main = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            os.execv(program, [program, "explore", profile])
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        """What comes within so many seconds, and when; nothing if nothing does."""
        if not select.select([self.main], [], [], seconds)[0]:
            return None
        data = os.read(self.main, 1 << 20)
        now = time.perf_counter()
        self.bytes += len(data)
        self.screen.feed(data)
        return data, now

    def until(self, is_so, seconds=600):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            if (came := self.read(0.1)) and is_so(came[0]):
                return came[1]
        raise SystemExit("the explorer does not answer:\n" + "\n".join(map(self.screen.line, range(len(self.screen.cells)))))

    def quiet(self):
        """When the last came, once nothing more does."""
        last, patience = None, 60
        while came := self.read(patience):
            last, patience = came[1], QUIET
        return last

    def key(self, key):
        start = time.perf_counter()
        os.write(self.main, key)
        return start

    def end(self):
        self.key(b"q")
        end = time.perf_counter() + 5
        while time.perf_counter() < end and os.waitpid(self.process, os.WNOHANG)[0] == 0:
            try:
                self.read(0.1)
            except OSError:
                pass
        os.close(self.main)


def milliseconds(times):
    times = sorted(times)
    return f"median {statistics.median(times):.1f}, 99th percentile {times[min(len(times) - 1, len(times) * 99 // 100)]:.1f}, longest {times[-1]:.1f} ms of {len(times)}"


def measured(program, profile, size):
    print(f"{size[0]} by {size[1]}")
    explorer = Explorer(program, profile, *size)
    start = explorer.until(lambda data: b"\x1b[?1049h" in data)
    has_rows = lambda *_: explorer.screen.line(2).startswith(">")
    rows = start if has_rows() else explorer.until(has_rows)
    print(f"  first frame with rows {1000 * (rows - start):.0f} ms", end="")
    if "/…" in explorer.screen.line(0):
        rows = explorer.until(lambda _: "/…" not in explorer.screen.line(0))
    print(f", all in order {1000 * (rows - start):.0f} ms: {explorer.screen.line(0)}")
    explorer.quiet()
    time.sleep(1)

    results = []
    for text in ["f", "un", "12", "c99", "F", "7_"]:
        explorer.key(b"/")
        explorer.quiet()
        for key in [*text, *["\x7f"] * len(text)]:
            start = explorer.key(key.encode())
            results.append((1000 * (explorer.quiet() - start), text, key, explorer.screen.line(0)[-24:].strip()))
        explorer.key(b"\r")
        explorer.quiet()
    print("  a filter's result", milliseconds([result[0] for result in results]))
    for took, text, key, heading in sorted(results, reverse=True)[:3]:
        print(f"    {took:.1f} ms: {key!r} of {text!r}, {heading}")

    times = []
    explorer.key(b"/")
    explorer.quiet()
    for turn in range(60):
        for key in "fu1\x7f\x7f2\x7f\x7f":
            start = explorer.key(key.encode())
            while not (came := explorer.read(1)):
                pass
            times.append(1000 * (came[1] - start))
    explorer.key(b"\x1b")
    explorer.quiet()
    print("  a key to its frame while filters run", milliseconds(times))

    for what, key, count in [("a step", b"j", 40), ("a page", b"\x06", 20), ("another screen", b"2", 1), ("calls", b"1c", 1)]:
        sizes, times = [], []
        for _ in range(count):
            explorer.bytes, start = 0, explorer.key(key)
            last = explorer.quiet()
            sizes.append(explorer.bytes)
            times.append(1000 * (last - start))
        print(f"  {what}: {max(sizes)} bytes at most, {statistics.median(sizes):.0f} in the median; {milliseconds(times)}")
    explorer.end()


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    arguments = sys.argv[1:]
    program = arguments[1] if len(arguments) > 1 else f"{root}/target/release/cgannotate"
    with tempfile.TemporaryDirectory() as folder:
        if arguments:
            profile = arguments[0]
        else:
            profile = f"{folder}/million.out"
            with open(profile, "wb") as out:
                made = ["cargo", "run", "--quiet", "--release", "--example", "scale", "shape", "functions", "1M", "new"]
                subprocess.run(made, cwd=root, stdout=out, check=True)
        for size in SIZES:
            measured(program, profile, size)


main()
