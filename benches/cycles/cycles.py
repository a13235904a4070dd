#!/usr/bin/env python3
"""Compares an estimate in cycles, made of Callgrind's counts and llvm-mca, with measured time.

    benches/cycles/cycles.py --set=build|judge|try [--only=NAME,...] [--measured=TSV] [--out=TSV]

Needs valgrind, perf, gcc, setarch, taskset, objdump, and llvm-mca of LLVM 19. Run it on a quiet machine: it takes
about 30 minutes for the judging set. `--measured` takes measured values from an earlier table instead of measuring again.

How the estimate is made, in the order of this file: three recordings of one run; a random walk through the recorded code,
which takes every branch as often as the run did; llvm-mca's timeline of what was walked through; branch and cache events
added on top. docs/cycles.md explains it and says what came out.
"""

import argparse
import bisect
import collections
import functools
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path("/tmp/cycles")
LLVM = "/usr/lib/llvm-19/bin/"
CPU = "znver4"

# ---- The machine: AMD Zen 4. Latencies and widths are those of its optimization guide and of LLVM's model; the latency and
# ---- the bandwidth of memory are measured with the kernels chase_dram and stream_dram, which are in the build set.
LOAD = 5  # an L1 hit, which llvm-mca's latencies already have
# What a miss adds: at least, likely, at most. The difference is address translation, which Callgrind does not simulate.
EXTRA = {"l2": (14 - LOAD, 16 - LOAD, 21 - LOAD), "l3": (50 - LOAD, 54 - LOAD, 57 - LOAD), "memory": (400 - LOAD, 1525 - LOAD, 1525 - LOAD)}
LINE = {"l2": 2, "l3": 4, "memory": 8}  # cycles between two lines that do not wait for each other
OUTSTANDING = 24  # misses that L1 waits for at the same time
REFILL = 13  # from a mispredicted branch's execution to the first instruction of the right path
ROB = 320  # operations in flight

# ---- The estimate: what was tuned, on the build set only.
COND, INDIRECT = 0.3, 0.25  # how many of Callgrind's mispredictions Zen 4 has
CODE = 0.5  # how much of the latency of an instruction fetch from L2 is exposed
LOWER, UPPER = 0.78, 1.25  # what the model itself can be wrong by

EVENTS = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim".split()
WINDOW, WARM_UP = 900, 250  # instructions of a walk; those of its beginning are not counted

ENVIRONMENT = dict(
    os.environ,
    # Valgrind 3.19 has no AVX-512: the C library must choose the same functions without it.
    GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM",
    PYTHONHASHSEED="0",
    PERL_HASH_SEED="0",
    LC_ALL="C",
)

PYTHON = """
import json,re,random
random.seed(1)
rows=[{"id":i,"name":"n%d"%(i*7919%1000),"tags":[str(j*i) for j in range(5)],"v":i*0.37} for i in range(4000)]
t=json.dumps(rows); rows=json.loads(t); c={}
for r in rows:
    for g in r["tags"]: c[g]=c.get(g,0)+len(r["name"])
print(len(t), sum(sorted(c.values())[:100]), len(re.findall(r"n\\d+5",t)), len(sorted(rows,key=lambda r:(r["name"],r["v"]))))
"""
PERL = """
my %c; my $t = join " ", map { "w" . ($_ * 7919 % 5003) . "x" } 1 .. 40000;
while ($t =~ /(w\\d+)x/g) { $c{$1}++ } my $n = 0;
for my $k (sort keys %c) { my $s = $k; $s =~ s/(\\d)(\\d)/$2$1/g; $n += length($s) * $c{$k} if $s =~ /^w[0-4]+|7$/ }
print "$n\\n";
"""
BASH = """
n=0; for ((i = 0; i < 20000; i++)); do s=k$((i * 7919 % 1009)); n=$((n + ${#s})); [[ $s == k*7 ]] && t=${s/k/z}$n; done
echo $n $t
"""


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT, **more)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr[-2000:]}")
    return done.stdout


def build():
    WORK.mkdir(exist_ok=True)
    flags = ["-O2", "-g", "-Wall", "-fno-tree-vectorize", "-fno-math-errno"]
    run(["gcc", *flags, "-o", WORK / "kernels", HERE / "kernels.c"])
    run(["gcc", *flags, "-o", WORK / "programs", HERE / "programs.c", "-lm"])
    run(["gcc", "-E", "-o", WORK / "kernels.i", HERE / "kernels.c"])


def command_of(name):
    """The command line of a program of the list."""
    if name == "python":
        return [os.path.realpath(sys.executable), "-S", "-c", PYTHON]
    if name == "perl":
        return ["/usr/bin/perl", "-e", PERL]
    if name == "bash":
        return ["/bin/bash", "-c", BASH]
    if name == "cc1":
        return [run(["gcc", "-print-prog-name=cc1"]).strip(), "-O1", "-quiet", WORK / "kernels.i", "-o", "/dev/null"]
    return [WORK / "programs", name]


# ---- Recording ----


def record(name, command, kernel):
    """Three profiles: as CEst has it; with a prefetcher and L2 for the last level; with a prefetcher and L3."""
    profiles = []
    for kind, more in [
        ("plain", ["--LL=33554432,16,64"]),
        ("l2", ["--LL=1048576,8,64", "--simulate-hwpref=yes"]),
        ("l3", ["--LL=33554432,16,64", "--simulate-hwpref=yes"]),
    ]:
        out = WORK / f"{name}.{kind}.out"
        if not out.exists():
            toggle = ["--toggle-collect=collected"] if kernel else []
            part = WORK / f"{name}.{kind}.part"
            run(
                ["setarch", "-R", "valgrind", "--tool=callgrind", "--dump-instr=yes", "--collect-jumps=yes"]
                + ["--cache-sim=yes", "--branch-sim=yes", "--compress-strings=no", "--compress-pos=no"]
                + ["--I1=32768,8,64", "--D1=32768,8,64", *more, *toggle, f"--callgrind-out-file={part}", *command]
            )
            part.rename(out)
        profiles.append(Profile(out, kernel))
    return profiles


class Profile:
    """Costs, jumps and calls by address. An address is a pair: object and link-time address."""

    def __init__(self, path, kernel):
        self.cost = collections.defaultdict(lambda: [0] * len(EVENTS))
        self.taken = collections.defaultdict(collections.Counter)  # jump -> target -> count
        self.calls = collections.defaultdict(collections.Counter)  # call -> callee -> count
        self.function = {}  # address -> function as Callgrind has it
        self.callers = collections.defaultdict(collections.Counter)  # function -> call -> count
        ob = cob = fn = cfn = None
        pending, after_call = [], None
        for line in open(path, errors="replace"):
            if line.startswith("0x"):
                words = line.split()
                at = (ob, int(words[0], 16))
                for target, count in pending:
                    self.taken[at][target] += count
                pending = []
                if after_call:
                    callee, count = after_call
                    self.calls[at][callee] += count
                    self.callers[(cob, cfn)][at] += count
                    cob, after_call = ob, None
                elif len(words) > 2:
                    row = self.cost[at]
                    for i, count in enumerate(words[2:]):
                        row[i] += int(count)
                    self.function[at] = (ob, fn)
            elif line.startswith(("jump=", "jcnd=")):
                count, target = line[5:].split()[:2]
                # With --toggle-collect, jumps are counted outside, too: a kernel runs twice, and once collected.
                count = int(count.split("/")[0]) / (2 if kernel else 1)
                pending.append(((ob, int(target, 16)), count))
            elif line.startswith("calls="):
                count, target = line[6:].split()[:2]
                after_call = (cob, int(target, 16)), int(count)
            elif line.startswith("fn="):
                fn = line[3:].strip()
            elif line.startswith("cfn="):
                cfn = line[4:].strip()
            elif line.startswith("ob="):
                ob = cob = line[3:].strip()
            elif line.startswith("cob="):
                cob = line[4:].strip()

    def sums(self, addresses):
        rows = [self.cost[at] for at in addresses if at in self.cost]
        return dict(zip(EVENTS, map(sum, zip(*rows)))) if rows else dict.fromkeys(EVENTS, 0)


# ---- Code ----

Instruction = collections.namedtuple("Instruction", "name text next")


def disassemble(profile):
    """The instructions of all pages with cost: address -> Instruction."""
    pages, code = collections.defaultdict(set), {}
    for ob, at in profile.cost:
        pages[ob].add(at >> 12)
    for ob in pages:
        if not os.path.isfile(ob):
            continue
        lines = subprocess.Popen(["objdump", "-d", "-w", "--no-show-raw-insn", ob], stdout=subprocess.PIPE, text=True)
        before = None
        for line in lines.stdout:
            found = re.match(r" *([0-9a-f]+):\s+(.*)", line)
            if not found:
                continue
            at = int(found[1], 16)
            if before and before[0] >> 12 in pages[ob]:
                text = re.sub(r"\s*(#.*|<.*>.*)$", "", before[1]).strip()
                text = re.sub(r"^(bnd|notrack|data16|cs|ds|repz(?= ret)) +", "", text)
                text = re.sub(r"^((?:j|call)\w*) +(?=[0-9a-f])", r"\1 0x", text)
                code[(ob, before[0])] = Instruction(text.split()[0] if text else "", text, (ob, at))
            before = at, found[2]
        lines.wait()
    return code


@functools.lru_cache(None)
def real_path(ob):
    return os.path.realpath(ob) if os.path.isfile(ob) else None


@functools.lru_cache(None)
def symbols(ob):
    """Functions of an object with their sizes: a sorted list of (start, end, name)."""
    found = {}
    for options in ([], ["-D"]):
        for line in subprocess.run(["nm", "-S", "--defined-only", *options, ob], capture_output=True, text=True).stdout.split("\n"):
            words = line.split()
            if len(words) == 4 and words[2] in "tTwWiu" and int(words[1], 16):
                found.setdefault(int(words[0], 16), (int(words[0], 16) + int(words[1], 16), words[3].split("@")[0]))
    return sorted((start, end, name) for start, (end, name) in found.items())


def symbol_at(table, at):
    i = bisect.bisect_right(table, (at, math.inf)) - 1
    return table[i] if i >= 0 and at < table[i][1] else None


FUSES = ("cmp", "test", "add", "sub", "and", "or", "xor", "inc", "dec")


def lines_for_model(instruction, before):
    """What llvm-mca is shown for an instruction: nothing for what costs no slot of its own, or what it cannot model."""
    name, text = instruction.name, instruction.text
    if name.startswith("j") and name not in ("jmp", "jmpq"):
        # A compare and the branch after it are one operation.
        fused = before and before.next and before.name.startswith(FUSES) and not before.name.startswith(("andn", "subs", "adds", "ors"))
        return [] if fused else [text]
    if name.startswith("call"):
        pushes = ["pushq $0"]
        return pushes + ["jmpq " + text.split(None, 1)[1]] if "*" in text else pushes
    if name.startswith(("rep", "syscall", "endbr", "hlt", "ud2", "cpuid", "xgetbv")):
        return []
    return [text]


# ---- The walk ----


class Walker:
    """Walks through the code by the recorded counts. It takes each branch as often as the run took it, but not in order."""

    def __init__(self, profile, code, seed):
        self.profile, self.code, self.random = profile, code, random.Random(seed)

    def pick(self, counter):
        return self.random.choices(list(counter), list(counter.values()))[0]

    def caller_end(self, at):
        """Where a return goes whose call was before the walk began."""
        for _ in range(50):
            callers = self.profile.callers.get(self.profile.function.get(at))
            if not callers:
                return None
            at = self.pick(callers)
            call = self.code.get(at)
            if call and call.name.startswith("call"):
                return call.next
        return None

    def step(self, at, stack):
        """The address after `at`, and whether a branch was taken to get there."""
        instruction, name = self.code[at], self.code[at].name
        calls, taken = self.profile.calls.get(at), self.profile.taken.get(at, {})
        if name.startswith("call"):
            if not calls:
                return instruction.next, False
            stack.append(instruction.next)
            return self.pick(calls), True
        if name.startswith("ret"):
            return (stack.pop() if stack else self.caller_end(at)), True
        if name.startswith("rep"):
            return instruction.next, False
        targets = collections.Counter(taken)
        for callee, count in (calls or {}).items():
            targets[callee] += count
        if name.startswith("jmp"):
            if targets:
                return self.pick(targets), True
            target = re.search(r"0x([0-9a-f]+)$", instruction.text)
            return ((at[0], int(target[1], 16)) if target else None), True
        if name.startswith("j"):
            stays = max(0, self.profile.cost[at][0] - sum(targets.values()))
            targets[instruction.next] += stays
            chosen = self.pick(targets) if sum(targets.values()) else instruction.next
            return chosen, chosen != instruction.next
        return instruction.next, False

    def walk(self, start):
        """A list of (address, branch taken, mispredicted)."""
        at, stack, seen = start, [], []
        while at and len(seen) < WINDOW and at in self.code and at in self.profile.cost:
            row = self.profile.cost[at]
            after, taken = self.step(at, stack)
            wrong = False
            if row[EVENTS.index("Bcm")]:
                executed = row[EVENTS.index("Bc")]
                share = min(1, sum(self.profile.taken.get(at, {}).values()) / executed)
                # No predictor is worse than one that always says what is more frequent.
                wrong = self.random.random() < min(row[EVENTS.index("Bcm")] / executed, share, 1 - share)
            seen.append((at, taken, wrong))
            at = after
        return seen


# ---- llvm-mca ----


def mca(regions, timeline):
    """Runs llvm-mca over lists of lines: for each its block throughput and, if asked, the timeline."""
    text = "".join(f"# LLVM-MCA-BEGIN r{i}\n" + "\n".join(lines) + "\n# LLVM-MCA-END\n" for i, lines in enumerate(regions) if lines)
    options = ["--timeline", "--timeline-max-cycles=0", "--timeline-max-iterations=1"] if timeline else []
    command = [LLVM + "llvm-mca", "-mcpu=" + CPU, "--iterations=1", "--json", "--skip-unsupported-instructions=any", *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    results = [None] * len(regions)
    if not done.stdout and len(regions) > 1:  # one of the regions is refused, and all with it
        middle = len(regions) // 2
        return mca(regions[:middle], timeline) + mca(regions[middle:], timeline)
    if done.stdout:
        for region in json.loads(done.stdout)["CodeRegions"]:
            results[int(region["Name"][1:])] = region
    return results


known = {}


def supported(lines):
    """Finds out which lines llvm-mca can model."""
    new = sorted(set(lines) - set(known))
    for line, region in zip(new, mca([[line] for line in new], False)):
        known[line] = region is not None and len(region["Instructions"]) == 1


LOADS = re.compile(r"mov(?:q|l|zbl|zwl|sbl|swl|slq|zbq|sbq)?\s+[^%$]*\(.*\),\s*%(\w+)$")
WIDE = {}
for letter in "abcd":
    WIDE[f"r{letter}x"] = WIDE[f"e{letter}x"] = f"r{letter}x"
for pair in ("si", "di", "bp"):
    WIDE["r" + pair] = WIDE["e" + pair] = "r" + pair
for number in range(8, 16):
    WIDE[f"r{number}"] = WIDE[f"r{number}d"] = f"r{number}"


def lengthened(line):
    """A load followed by two more that wait for it, or None. It tells whether anything waits for the load."""
    found = LOADS.match(line.replace("\t", " "))
    wide = found and WIDE.get(found[1])
    return [line] + [f"movq (%{wide}), %{wide}"] * 2 if wide else None


class Model:
    """What the model says about the instructions of one function (or kernel)."""

    def __init__(self, profile, code, addresses, windows):
        self.core = self.branches = self.throughput = self.longer = 0.0
        self.counted = self.lengthened = self.omitted = 0
        walker = Walker(profile, code, 1)
        inside = {at for at in addresses if at in code and profile.cost[at][0]}
        if not inside:
            return
        starts = {at: profile.cost[at][0] for at in inside}
        walks = [walker.walk(walker.pick(starts)) for _ in range(windows)]
        supported(line for walk in walks for at, _, _ in walk for line in lines_for_model(code[at], None))
        plain, owners, segments, segment_owners, longer, longer_owners, own = [], [], [], [], [], [], []
        for walk in walks:
            lines, owner, cut, taken_inside = [], [], [], 0
            before = None
            for i, (at, taken, wrong) in enumerate(walk):
                shown = lines_for_model(code[at], before)
                bad = {line for line in shown if not known[line]}
                mine = at in inside and i >= WARM_UP
                self.counted += mine
                self.omitted += mine and bool(bad or (not shown and code[at].name.startswith("rep")))
                taken_inside += mine and taken
                for line in shown:
                    if line not in bad:
                        lines.append(line), owner.append((at, mine)), cut.append(False)
                if wrong and lines:
                    cut[-1] = True
                before = code[at]
            plain.append(lines), owners.append(owner)
            own.append(([line for line, (_, mine) in zip(lines, owner) if mine], taken_inside))
            begin = 0
            for end in [i + 1 for i, wrong in enumerate(cut) if wrong] + [len(lines)]:
                segments.append(lines[begin:end]), segment_owners.append((owner[begin:end], end > 0 and begin < end and cut[end - 1]))
                begin = end
            more, more_owner = [], []
            for line, (at, mine) in zip(lines, owner):
                added = lengthened(line) if profile.cost[at][EVENTS.index("D1mr")] > profile.cost[at][EVENTS.index("Dr")] / 1000 else None
                self.lengthened += bool(added) and mine
                more += added or [line]
                more_owner += [(at, mine)] * len(added or [line])
            longer.append(more), longer_owners.append(more_owner)
        self.core = self.attributed(plain, [(owner, False) for owner in owners])
        self.branches = self.attributed(segments, segment_owners)
        self.longer = self.attributed(longer, [(owner, False) for owner in longer_owners]) if self.lengthened else self.core
        for region, (_, taken) in zip(mca([lines for lines, _ in own], False), own):
            self.throughput += max(region["SummaryView"]["BlockRThroughput"], taken) if region else taken

    @staticmethod
    def attributed(regions, owners):
        """Cycles from one instruction's retirement to the next, for the function's own instructions."""
        total = 0.0
        for region, (owner, wrong) in zip(mca(regions, True), owners):
            if not region:
                continue
            before = 0
            times = region["TimelineView"]["TimelineInfo"]
            for i, (time, (_, mine)) in enumerate(zip(times, owner)):
                last = wrong and i == len(owner) - 1
                now = time["CycleExecuted"] + REFILL if last else time["CycleRetired"]
                total += now - before if mine else 0
                before = now
        return total


# ---- The estimate ----


def estimate(profiles, code, addresses, windows):
    """Ir, CEst, estimate, lower and upper bound, and what they were made of."""
    plain, l2, l3 = (profile.sums(addresses) for profile in profiles)
    model = Model(profiles[0], code, addresses, windows)
    count = plain["Ir"]
    per = count / model.counted if model.counted else 0
    throughput = model.throughput * per
    core = max(model.core * per, throughput)
    wrong_paths = max(0, model.branches * per - core)
    # Of the added latency of loads, how much became time: 1 for a list that is followed, 0 for independent loads.
    exposed = min(1, max(0, (model.longer - model.core) / (2 * LOAD * model.lengthened))) if model.lengthened else 0
    reads, writes, lines = collections.Counter(), collections.Counter(), collections.Counter()
    for at in addresses:
        rows = [dict(zip(EVENTS, profile.cost[at])) for profile in profiles]
        for kind, into in (("r", reads), ("w", writes)):
            first, last = rows[0]["D1m" + kind], rows[2]["DLm" + kind]
            fetched = max(0, rows[0]["DLm" + kind] - last)  # lines from memory that a prefetcher brought in time
            if fetched > 4 * last:
                fetched, last = fetched + last, 0  # a stream: only its beginning missed
            third = max(0, rows[1]["DLm" + kind] - rows[2]["DLm" + kind])
            into.update({"memory": last, "l3": third, "l2": max(0, first - last - third)})
            lines.update({"memory": fetched + last, "l3": third, "l2": first})
    reach = min(ROB, count / max(1, COND * plain["Bcm"]))
    low = likely = high = 0.0
    for level, misses in reads.items():
        least, usual, most = EXTRA[level]
        together = min(OUTSTANDING, max(1, reach * misses / max(1, count)))
        hidden = reach * core / max(1, count)
        low += misses * least * exposed
        likely += misses * (usual * exposed + max(0, usual - hidden) / together * (1 - exposed))
        high += misses * most
    high += sum(misses * EXTRA[level][2] for level, misses in writes.items())
    bandwidth = sum(count * LINE[level] for level, count in lines.items())
    fetches = plain["I1mr"] * EXTRA["l2"][0]
    likely += max(core, bandwidth) + COND * wrong_paths + INDIRECT * plain["Bim"] * REFILL + CODE * fetches
    high += core + bandwidth + wrong_paths + plain["Bim"] * REFILL + fetches
    lower = LOWER * (core + low)
    return {
        "ir": count,
        "cest": count + 10 * (plain["I1mr"] + plain["D1mr"] + plain["D1mw"]) + 100 * (plain["ILmr"] + plain["DLmr"] + plain["DLmw"]),
        "estimate": likely,
        "lower": min(lower, likely),
        "upper": max(UPPER * high, likely),
        "throughput": throughput,
        "core": core,
        "wrong_paths": wrong_paths,
        "indirect": plain["Bim"],
        "exposed": exposed,
        "l2": reads["l2"] + writes["l2"],
        "l3": reads["l3"] + writes["l3"],
        "memory": reads["memory"] + writes["memory"],
        "bandwidth": bandwidth,
        "fetches": plain["I1mr"],
        "omitted": model.omitted / max(1, model.counted),
    }


# ---- Measuring ----


def measure_kernel(name, rounds=60, tries=3):
    """Cycles of one call, the noise (interquartile range over median), and the load of the machine."""
    adds, calls = [], []
    for _ in range(tries):
        for line in run(["taskset", "-c", 1, WORK / "kernels", "measure", name, rounds]).splitlines():
            add, call = map(float, line.split())
            adds.append(add), calls.append(call)
    tenth = lambda values: sorted(values)[len(values) // 10]
    low, middle, high = statistics.quantiles(calls, n=4)
    return 1e6 * tenth(calls) / tenth(adds), (high - low) / middle, os.getloadavg()[0]


@functools.lru_cache(None)
def segments(ob):
    """Executable parts of an object: (file offset, address, size)."""
    found = []
    for line in run(["readelf", "-lW", ob]).splitlines():
        words = line.split()
        if words and words[0] == "LOAD" and "E" in line[60:]:
            found.append((int(words[1], 16), int(words[2], 16), int(words[4], 16)))
    return found


PERIOD = 50_000  # nanoseconds of processor time between two samples


def sample_program(name, command, wanted=100_000):
    """Samples by (object, address) in runs that were not disturbed, the number of these runs, cycles per nanosecond."""
    runs, speeds, data = [], [], WORK / "perf.data"
    while sum(sum(one.values()) for one in runs) < wanted and len(runs) < 400:
        perf = ["perf", "record", "-q", "-e", "cpu-clock:u", "-c", PERIOD, "-o", data]
        run(["taskset", "-c", 1, "setarch", "-R", *perf, *command])
        text = run(["perf", "script", "-i", data, "--show-mmap-events", "-F", "event,ip,dso"])
        maps, samples = [], collections.Counter()
        for line in text.splitlines():
            mapped = re.search(r"MMAP2? .*\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+) .*\]: ..x. (.*)", line)
            if mapped:
                maps.append((int(mapped[1], 16), int(mapped[2], 16), int(mapped[3], 16), mapped[4]))
                continue
            sampled = re.search(r"cpu-clock:u:\s+([0-9a-f]+)", line)
            if sampled:
                ip = int(sampled[1], 16)
                start, _, offset, ob = next((m for m in reversed(maps) if m[0] <= ip < m[0] + m[1]), (0, 0, 0, ""))
                ob = real_path(ob)
                if ob:
                    parts = segments(ob)
                    place = ip - start + offset
                    at = next((place - begin + vaddr for begin, vaddr, size in parts if begin <= place < begin + size), None)
                    samples[(ob, at)] += 1
        runs.append(samples)
        if len(runs) % 5 == 1:
            speeds += [1e6 / float(line.split()[0]) for line in run(["taskset", "-c", 1, WORK / "kernels", "measure", "rotate_chain", 5]).splitlines()]
    sizes = sorted(sum(one.values()) for one in runs)
    quiet = [one for one in runs if sum(one.values()) <= 1.15 * sizes[len(sizes) // 10]]
    together = sum(quiet, collections.Counter())
    return together, len(quiet), max(speeds), statistics.pstdev(sizes) / statistics.mean(sizes)


# ---- Kernels and programs ----


def do_kernel(name, earlier):
    profiles = record(name, [WORK / "kernels", "record", name], True)
    steps = int(run([WORK / "kernels", "record", name]))
    code = disassemble(profiles[0])
    values = estimate(profiles, code, list(profiles[0].cost), 12)
    if (name, name) in earlier:
        measured, noise, load = (float(earlier[(name, name)][key]) for key in ("measured", "noise", "load"))
    else:
        cycles, noise, load = measure_kernel(name)
        measured = cycles / steps
    per_step = ("ir", "cest", "estimate", "lower", "upper", "throughput", "core", "wrong_paths", "indirect", "l2", "l3", "memory", "bandwidth", "fetches")
    values.update({key: values[key] / steps for key in per_step})
    yield dict(kind="kernel", name=name, function=name, measured=measured, noise=noise, load=load, samples=0, **values)


def do_program(name, earlier):
    command = command_of(name)
    profiles = record(name, command, False)
    code = disassemble(profiles[0])
    functions = collections.Counter()
    if any(key[0] == name for key in earlier):
        functions = {key[1]: row for key, row in earlier.items() if key[0] == name}
    else:
        samples, runs, speed, noise = sample_program(name, command)
        for (ob, at), count in samples.items():
            symbol = at is not None and symbol_at(symbols(ob), at)
            if symbol:
                functions[(ob, symbol)] += count
        functions = {
            f"{os.path.basename(ob)}:{symbol[2]}": {"measured": count * PERIOD * speed / runs, "noise": noise, "load": os.getloadavg()[0], "samples": count}
            for (ob, symbol), count in functions.items()
            if count >= 2000
        }
    inside = collections.defaultdict(list)
    for ob, at in profiles[0].cost:
        real = real_path(ob)
        symbol = symbol_at(symbols(real), at) if real else None
        if symbol:
            inside[f"{os.path.basename(real)}:{symbol[2]}"].append((ob, at))
    for function, row in functions.items():
        values = estimate(profiles, code, inside.get(function, []), 24)
        yield dict(kind="program", name=name, function=function, **{key: float(row[key]) for key in ("measured", "noise", "load", "samples")}, **values)


# ---- What comes out ----


def ranks(values):
    order, result = sorted(range(len(values)), key=values.__getitem__), [0.0] * len(values)
    for i in order:
        same = [j for j in order if values[j] == values[i]]
        result[i] = statistics.mean(order.index(j) for j in same)
    return result


def spearman(xs, ys):
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        return math.nan
    return statistics.correlation(ranks(xs), ranks(ys))


def with_interval(rows, key, value):
    """The correlation with measured values, and its 95 % interval from 2,000 samples with replacement."""
    pick, found = random.Random(7), []
    pairs = [(value(row, "measured"), value(row, key)) for row in rows]
    for _ in range(2000):
        some = [pick.choice(pairs) for _ in pairs]
        one = spearman([m for m, _ in some], [k for _, k in some])
        found += [] if math.isnan(one) else [one]
    found.sort()
    whole = spearman([m for m, _ in pairs], [k for _, k in pairs])
    return f"{whole:.2f} ({found[len(found) // 40]:.2f} to {found[-1 - len(found) // 40]:.2f})" if found else "-"


def report(rows):
    print("| kind | name | measured | Ir | CEst | estimate | bounds | width |\n|---|---|---|---|---|---|---|---|")
    for row in rows:
        unit = 1 if row["kind"] == "kernel" else 1e6
        value = lambda key: f"{row[key] / unit:.2f}"
        name = row["name"] if row["kind"] == "kernel" else f"{row['name']}: {row['function']}"
        within = "" if row["lower"] <= row["measured"] <= row["upper"] else " **outside**"
        width = row["upper"] / row["lower"] if row["lower"] else math.inf
        print(f"| {row['kind']} | {name} | {value('measured')} | {value('ir')} | {value('cest')} | {value('estimate')} | {value('lower')} to {value('upper')}{within} | {width:.1f} |")
    absolute = lambda row, key: row[key]
    per_instruction = lambda row, key: row[key] / max(1, row["ir"]) if row["kind"] == "program" else row[key] / row["ir"]
    for label, kind in [("kernels", "kernel"), ("functions", "program")]:
        some = [row for row in rows if row["kind"] == kind]
        if len(some) > 3:
            for what, value in [("", absolute), (" per instruction", per_instruction)]:
                print(f"{label}{what}: " + ", ".join(f"{key} {with_interval(some, key, value)}" for key in ("ir", "cest", "estimate")))
    if rows:
        within = sum(row["lower"] <= row["measured"] <= row["upper"] for row in rows)
        widths = [row["upper"] / row["lower"] if row["lower"] else math.inf for row in rows]
        wrong = [max(row["estimate"] / row["measured"], row["measured"] / max(row["estimate"], 1e-9)) for row in rows]
        print(f"within bounds: {within} of {len(rows)}; median width {statistics.median(widths):.2f}; median factor of estimate {statistics.median(wrong):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=["build", "judge", "try"], required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--measured")
    parser.add_argument("--out")
    options = parser.parse_args()
    earlier = {}
    if options.measured:
        header, *lines = [line.rstrip("\n").split("\t") for line in open(options.measured)]
        for line in lines:
            row = dict(zip(header, line))
            earlier[(row["name"], row["function"])] = row
    build()
    rows = []
    for line in (HERE / "list.tsv").read_text().splitlines():
        if line.startswith(("#", "kind")):
            continue
        kind, name, group, _ = line.split("\t")
        if group != options.set or (options.only and name not in options.only.split(",")):
            continue
        for row in (do_kernel if kind == "kernel" else do_program)(name, earlier):
            rows.append(row)
            print(f"{name} {row['function']}: {row['measured']:.4g}, estimated {row['estimate']:.4g}", file=sys.stderr, flush=True)
            if options.out:
                text = [list(row)] + [[f"{v:.5g}" if isinstance(v, float) else str(v) for v in one.values()] for one in rows]
                pathlib.Path(options.out).write_text("".join("\t".join(words) + "\n" for words in text))
    report(rows)


if __name__ == "__main__":
    main()
