#!/usr/bin/env python3
"""Compares an estimate in cycles, made of Callgrind's counts and llvm-mca, with measured time.

    benches/cycles/cycles.py --set=build|judge|try [--only=NAME,...] [--measured=TSV] [--out=TSV]

Needs valgrind, perf, gcc, setarch, taskset, objdump, and llvm-mca of LLVM 19. Run it on a quiet machine: the
judging set takes about 30 minutes. `--measured` takes measured values from an earlier table.

How the estimate is made, in the order of this file: three recordings of one run; a random walk through the recorded
code, which takes every branch as often as the run did; llvm-mca's timeline of that walk; branch and cache events added
on top. docs/cycles.md explains it and says what came out.
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
MCA = "llvm-mca-19 -mcpu=znver4 --iterations=1 --json --skip-unsupported-instructions=any".split()

# ---- The machine: AMD Zen 4. Latencies and widths are those of its optimization guide and of LLVM's model.
# ---- The latency and the bandwidth of memory are measured, with chase_dram and stream_dram of the build set.
LOAD = 5  # an L1 hit, which llvm-mca's latencies already have
# What a miss adds: at least, likely, at most. The difference is address translation, which Callgrind does not simulate.
LATENCIES = {"l2": (14, 16, 21), "l3": (50, 54, 57), "memory": (400, 1525, 1525)}
EXTRA = {level: [latency - LOAD for latency in latencies] for level, latencies in LATENCIES.items()}
LINE = {"l2": 2, "l3": 4, "memory": 8}  # cycles between two lines that do not wait for each other
OUTSTANDING = 24  # misses that L1 waits for at the same time
REFILL = 13  # from a mispredicted branch's execution to the first instruction of the right path
ROB = 320  # operations in flight

STACK_ENGINE = "--stack-engine" in sys.argv  # tried after the verdict: a pop does not wait for the pop before it

# ---- The estimate: what was tuned, on the build set only.
COND, INDIRECT = 0.3, 0.25  # how many of Callgrind's mispredictions Zen 4 has
CODE = 0.5  # how much of the latency of an instruction fetch from L2 is exposed
LOWER, UPPER = 0.78, 1.25  # what the model itself can be wrong by

EVENTS = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim".split()
WINDOW, WARM_UP = 900, 250  # instructions of a walk; those of its beginning are not counted

# Valgrind 3.19 has no AVX-512: the C library must choose the same functions without it.
TUNABLES = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM"
ENVIRONMENT = dict(os.environ, GLIBC_TUNABLES=TUNABLES, PYTHONHASHSEED="0", PERL_HASH_SEED="0", LC_ALL="C")


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
    if name == "cc1":
        return [run(["gcc", "-print-prog-name=cc1"]).strip(), "-O1", "-quiet", WORK / "kernels.i", "-o", "/dev/null"]
    interpreters = {
        "python": [os.path.realpath(sys.executable), "-S", HERE / "work.py"],
        "perl": ["/usr/bin/perl", HERE / "work.pl"],
        "bash": ["/bin/bash", HERE / "work.sh"],
    }
    return interpreters.get(name, [WORK / "programs", name])


# ---- Recording ----
RECORDINGS = {
    "plain": ["--LL=33554432,16,64"],
    "l2": ["--LL=1048576,8,64", "--simulate-hwpref=yes"],
    "l3": ["--LL=33554432,16,64", "--simulate-hwpref=yes"],
}
VALGRIND = """setarch -R valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --cache-sim=yes --branch-sim=yes
    --compress-strings=no --compress-pos=no --I1=32768,8,64 --D1=32768,8,64""".split()


def record(name, command, kernel):
    """Three profiles: as CEst has it; with a prefetcher and L2 as the last level; with a prefetcher and L3."""
    profiles = []
    for kind, options in RECORDINGS.items():
        out, part = WORK / f"{name}.{kind}.out", WORK / f"{name}.{kind}.part"
        if not out.exists():
            toggle = ["--toggle-collect=collected"] if kernel else []
            run([*VALGRIND, *options, *toggle, f"--callgrind-out-file={part}", *command])
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
        now, pending, after_call = {}, [], None  # `now`: the object and function of what follows
        for line in open(path, errors="replace"):
            if line.startswith("0x"):
                words = line.split()
                at = (now["ob"], int(words[0], 16))
                for target, count in pending:
                    self.taken[at][target] += count
                pending = []
                if after_call:
                    callee, count = after_call
                    self.calls[at][callee] += count
                    self.callers[(now["cob"], now["cfn"])][at] += count
                    now["cob"], after_call = now["ob"], None
                elif len(words) > 2:
                    row = self.cost[at]
                    for i, count in enumerate(words[2:]):
                        row[i] += int(count)
                    self.function[at] = (now["ob"], now["fn"])
            elif line.startswith(("jump=", "jcnd=")):
                count, target = line[5:].split()[:2]
                # With --toggle-collect, jumps are counted outside, too: a kernel runs twice, and once collected.
                count = int(count.split("/")[0]) / (2 if kernel else 1)
                pending.append(((now["ob"], int(target, 16)), count))
            elif line.startswith("calls="):
                count, target = line[6:].split()[:2]
                after_call = (now["cob"], int(target, 16)), int(count)
            elif line.startswith(("ob=", "cob=", "fn=", "cfn=")):
                key, value = line.strip().split("=", 1)
                now[key] = value
                if key == "ob":
                    now["cob"] = value

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
        dump = subprocess.Popen(["objdump", "-d", "-w", "--no-show-raw-insn", ob], stdout=subprocess.PIPE, text=True)
        before = None
        for line in dump.stdout:
            found = re.match(r" *([0-9a-f]+):\s+(.*)", line)
            at = int(found[1], 16) if found else None
            if found and before and before[0] >> 12 in pages[ob]:
                text = re.sub(r"\s*(#.*|<.*>.*)$", "", before[1]).strip()
                text = re.sub(r"^(bnd|notrack|data16|cs|ds|repz(?= ret)) +", "", text)
                text = re.sub(r"^((?:j|call)\w*) +(?=[0-9a-f])", r"\1 0x", text)
                code[(ob, before[0])] = Instruction(text.split()[0] if text else "", text, (ob, at))
            before = (at, found[2]) if found else before
        dump.wait()
    return code


@functools.lru_cache(None)
def real_path(ob):
    return os.path.realpath(ob) if os.path.isfile(ob) else None


@functools.lru_cache(None)
def symbols(ob):
    """Functions of an object with their sizes: a sorted list of (start, end, name)."""
    found = {}
    for options in ([], ["-D"]):
        for words in map(str.split, run(["nm", "-S", "--defined-only", *options, ob]).splitlines()):
            if len(words) == 4 and words[2] in "tTwWiu" and int(words[1], 16):
                start, size = int(words[0], 16), int(words[1], 16)
                found.setdefault(start, (start + size, words[3].split("@")[0]))
    return sorted((start, end, name) for start, (end, name) in found.items())


def function_name(ob, at):
    """The function that an address belongs to, by the object's symbols, or None."""
    table = symbols(ob)
    i = bisect.bisect_right(table, (at, math.inf)) - 1
    return f"{os.path.basename(ob)}:{table[i][2]}" if i >= 0 and at < table[i][1] else None


FUSES = re.compile(r"(cmp|test|add|sub|and|or|xor|inc|dec)[bwlq]?$")
UNMODELED = ("rep", "syscall", "endbr", "hlt", "ud2", "cpuid", "xgetbv")


def lines_for_model(instruction, before):
    """What llvm-mca is shown for an instruction: nothing for what costs no slot of its own, or what it cannot model."""
    name, text = instruction.name, instruction.text
    if STACK_ENGINE and re.match(r"(push|pop)q? +%", text):
        register = text.split()[1]
        return [f"movq {register}, -8(%rsp)" if name.startswith("push") else f"movq (%rsp), {register}"]
    if name.startswith("j") and name not in ("jmp", "jmpq"):
        # A compare and the branch after it are one operation.
        return [] if before and FUSES.match(before.name) else [text]
    if name.startswith("call"):
        return ["pushq $0"] + (["jmpq " + text.split(None, 1)[1]] if "*" in text else [])
    return [] if name.startswith(UNMODELED) else [text]


# ---- The walk ----
class Walker:
    """Walks through the code. It takes each branch as often as the run took it, but not in order."""

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
            targets[instruction.next] += max(0, self.profile.cost[at][0] - sum(targets.values()))
            chosen = self.pick(targets) if sum(targets.values()) else instruction.next
            return chosen, chosen != instruction.next
        return instruction.next, False

    def walk(self, start):
        """A list of (address, branch taken, mispredicted)."""
        at, stack, seen = start, [], []
        while at and len(seen) < WINDOW and at in self.code and at in self.profile.cost:
            (after, taken), wrong = self.step(at, stack), False
            executed, missed = (self.profile.cost[at][EVENTS.index(event)] for event in ("Bc", "Bcm"))
            if missed:
                share = min(1, sum(self.profile.taken.get(at, {}).values()) / executed)
                # No predictor is worse than one that always says what is more frequent.
                wrong = self.random.random() < min(missed / executed, share, 1 - share)
            seen.append((at, taken, wrong))
            at = after
        return seen


# ---- llvm-mca ----
def mca(regions, timeline):
    """Runs llvm-mca over lists of lines: for each its block throughput and, if asked, the timeline."""
    text = ""
    for i, lines in enumerate(regions):
        text += "\n".join([f"# LLVM-MCA-BEGIN r{i}", *lines, "# LLVM-MCA-END\n"]) if lines else ""
    options = ["--timeline", "--timeline-max-cycles=0", "--timeline-max-iterations=1"] if timeline else []
    done = subprocess.run([*MCA, *options], input=text, capture_output=True, text=True)
    results = [None] * len(regions)
    if not done.stdout and len(regions) > 1:  # one of the regions is refused, and all with it
        middle = len(regions) // 2
        return mca(regions[:middle], timeline) + mca(regions[middle:], timeline)
    for region in json.loads(done.stdout)["CodeRegions"] if done.stdout else []:
        results[int(region["Name"][1:])] = region
    return results


known = {}


def supported(lines):
    """Finds out which lines llvm-mca can model."""
    new = sorted(set(lines) - set(known))
    for line, region in zip(new, mca([[line] for line in new], False)):
        known[line] = region is not None and len(region["Instructions"]) == 1


LOADS = re.compile(r"mov(?:q|l|zbl|zwl|sbl|swl|slq|zbq|sbq)?\s+[^%$]*\(.*\),\s*%(\w+)$")
WIDE = {f"{r}{name}": f"r{name}" for name in "ax bx cx dx si di bp".split() for r in "re"}
WIDE.update({f"r{number}{d}": f"r{number}" for number in range(8, 16) for d in ("", "d")})


def lengthened(line):
    """A load followed by two more that wait for it, or None. It tells whether anything waits for the load."""
    found = LOADS.match(line.replace("\t", " "))
    wide = found and WIDE.get(found[1])
    return [line] + [f"movq (%{wide}), %{wide}"] * 2 if wide else None


class Model:
    """What the model says of one function or kernel: cycles of those of its instructions that were walked through."""

    def __init__(self, profile, code, addresses, windows):
        self.core = self.branches = self.throughput = self.longer = 0.0
        self.counted = self.lengthened = self.omitted = 0
        inside = {at: profile.cost[at][0] for at in addresses if at in code and profile.cost[at][0]}
        if not inside:
            return
        walker = Walker(profile, code, 1)
        walks = [walker.walk(walker.pick(inside)) for _ in range(windows)]
        supported(line for walk in walks for at, _, _ in walk for line in lines_for_model(code[at], None))
        # Regions for llvm-mca: lists of (line, is it the function's own). Segments end where a branch is mispredicted.
        plain, segments, longer, taken = [], [], [], []
        for walk in walks:
            plain.append([]), longer.append([]), segments.append(([], False)), taken.append(0)
            before = None
            for i, (at, jumped, wrong) in enumerate(walk):
                own = at in inside and i >= WARM_UP
                shown = lines_for_model(code[at], before)
                lines = [line for line in shown if known[line]]
                before = code[at]
                self.counted += own
                self.omitted += own and (len(lines) < len(shown) or code[at].name.startswith("rep"))
                taken[-1] += own and jumped
                missed, loads = (profile.cost[at][EVENTS.index(event)] for event in ("D1mr", "Dr"))
                for line in lines:
                    plain[-1].append((line, own)), segments[-1][0].append((line, own))
                    added = lengthened(line) if missed > loads / 1000 else None
                    self.lengthened += bool(added) and own
                    longer[-1] += [(one, own) for one in added or [line]]
                if wrong and segments[-1][0]:
                    segments[-1] = (segments[-1][0], True)
                    segments.append(([], False))
        self.core = self.attributed([(region, False) for region in plain])
        self.branches = self.attributed(segments)
        self.longer = self.attributed([(region, False) for region in longer]) if self.lengthened else self.core
        for result, count in zip(mca([[line for line, own in region if own] for region in plain], False), taken):
            # One branch a cycle can be taken.
            self.throughput += max(result["SummaryView"]["BlockRThroughput"], count) if result else count

    @staticmethod
    def attributed(regions):
        """Cycles from one instruction's retirement to the next, for the function's own instructions."""
        total = 0.0
        results = mca([[line for line, _ in region] for region, _ in regions], True)
        for result, (region, wrong) in zip(results, regions):
            before = 0
            for i, (_, own) in enumerate(region if result else []):
                time = result["TimelineView"]["TimelineInfo"][i]
                last = wrong and i == len(region) - 1
                now = time["CycleExecuted"] + REFILL if last else time["CycleRetired"]
                total += now - before if own else 0
                before = now
        return total


# ---- The estimate ----
def estimate(profiles, code, addresses, windows):
    """Costs: Ir, CEst, estimate, lower and upper bound, and what they were made of. And what is not a cost."""
    plain, l2, l3 = (profile.sums(addresses) for profile in profiles)
    model = Model(profiles[0], code, addresses, windows)
    count = plain["Ir"]
    per = count / model.counted if model.counted else 0
    throughput = model.throughput * per
    core = max(model.core * per, throughput)
    wrong_paths = max(0, model.branches * per - core)
    # Of the added latency of loads, how much became time: 1 for a list that is followed, 0 for independent loads.
    exposed = (model.longer - model.core) / (2 * LOAD * model.lengthened) if model.lengthened else 0
    exposed = min(1, max(0, exposed))
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
    first = plain["I1mr"] + plain["D1mr"] + plain["D1mw"]
    last = plain["ILmr"] + plain["DLmr"] + plain["DLmw"]
    costs = dict(ir=count, cest=count + 10 * first + 100 * last, estimate=likely)
    costs.update(lower=min(lower, likely), upper=max(UPPER * high, likely), throughput=throughput, core=core)
    costs.update(wrong_paths=wrong_paths, bandwidth=bandwidth, indirect=plain["Bim"], fetches=plain["I1mr"])
    costs.update({level: reads[level] + writes[level] for level in LATENCIES})
    return costs, {"exposed": exposed, "omitted": model.omitted / max(1, model.counted)}


# ---- Measuring ----
def measure_kernel(name, rounds=60, tries=3):
    """Cycles of one call, the noise (interquartile range over median), and the load of the machine."""
    adds, calls = [], []
    for _ in range(tries):
        for line in run(["taskset", "-c", 1, WORK / "kernels", "measure", name, rounds]).splitlines():
            add, call = map(float, line.split())
            adds.append(add), calls.append(call)
    tenth = lambda values: sorted(values)[len(values) // 10]
    quarters = statistics.quantiles(calls, n=4)
    return 1e6 * tenth(calls) / tenth(adds), (quarters[2] - quarters[0]) / quarters[1], os.getloadavg()[0]


@functools.lru_cache(None)
def segments(ob):
    """Executable parts of an object: (file offset, address, size)."""
    rows = [line.split() for line in run(["readelf", "-lW", ob]).splitlines() if re.match(r" *LOAD .* R E ", line)]
    return [(int(row[1], 16), int(row[2], 16), int(row[4], 16)) for row in rows]


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
                ob, place = real_path(ob), ip - start + offset
                for begin, address, size in segments(ob) if ob else []:
                    if begin <= place < begin + size:
                        samples[(ob, place - begin + address)] += 1
        runs.append(samples)
        if len(runs) % 5 == 1:
            adds = run(["taskset", "-c", 1, WORK / "kernels", "measure", "rotate_chain", 5]).splitlines()
            speeds += [1e6 / float(line.split()[0]) for line in adds]
    sizes = sorted(sum(one.values()) for one in runs)
    quiet = [one for one in runs if sum(one.values()) <= 1.15 * sizes[len(sizes) // 10]]
    noise = statistics.pstdev(sizes) / statistics.mean(sizes)
    return sum(quiet, collections.Counter()), len(quiet), max(speeds), noise


# ---- Kernels and programs ----
def do_kernel(name, earlier):
    profiles = record(name, [WORK / "kernels", "record", name], True)
    steps = int(run([WORK / "kernels", "record", name]))
    costs, more = estimate(profiles, disassemble(profiles[0]), list(profiles[0].cost), 12)
    row = earlier.get((name, name))
    if not row:
        cycles, noise, load = measure_kernel(name)
        row = {"measured": cycles / steps, "noise": noise, "load": load, "samples": 0}
    per_step = {key: cost / steps for key, cost in costs.items()}
    yield {"kind": "kernel", "name": name, "function": name, **row, **per_step, **more}


def do_program(name, earlier):
    command = command_of(name)
    profiles = record(name, command, False)
    functions = {function: row for (program, function), row in earlier.items() if program == name}
    if not functions:
        counts = collections.Counter()
        samples, runs, speed, noise = sample_program(name, command)
        for (ob, at), count in samples.items():
            counts[function_name(ob, at)] += count
        for function, count in counts.items():
            if function and count >= 2000:
                cycles = count * PERIOD * speed / runs
                functions[function] = {"measured": cycles, "noise": noise, "load": os.getloadavg()[0], "samples": count}
    code, inside = disassemble(profiles[0]), collections.defaultdict(list)
    for ob, at in profiles[0].cost:
        if real_path(ob):
            inside[function_name(real_path(ob), at)].append((ob, at))
    for function, row in functions.items():
        costs, more = estimate(profiles, code, inside.get(function, []), 24)
        yield {"kind": "program", "name": name, "function": function, **row, **costs, **more}


# ---- What comes out ----
def spearman(xs, ys):
    """The rank correlation, or None if one side does not vary."""
    ranks = lambda values: [sum(v < one for v in values) + sum(v == one for v in values) / 2 for one in values]
    return statistics.correlation(ranks(xs), ranks(ys)) if len(set(xs)) > 1 and len(set(ys)) > 1 else None


VALUES = {"absolute": lambda row, key: row[key], "per instruction": lambda row, key: row[key] / max(row["ir"], 1e-9)}


def with_interval(rows, key, value):
    """The correlation with measured values, and its 95 % interval from 2,000 samples with replacement."""
    pick, found = random.Random(7), []
    pairs = [(value(row, "measured"), value(row, key)) for row in rows]
    for _ in range(2000):
        some = [pick.choice(pairs) for _ in pairs]
        one = spearman(*zip(*some))
        found += [] if one is None else [one]
    whole, tail = spearman(*zip(*pairs)), len(found) // 40
    found.sort()
    return f"{whole:.2f} ({found[tail]:.2f} to {found[-1 - tail]:.2f})" if found else "-"


def report(rows):
    print("| kind | name | measured | Ir | CEst | estimate | bounds | width |\n|---|---|---|---|---|---|---|---|")
    for row in rows:
        row["width"] = row["upper"] / row["lower"] if row["lower"] else math.inf
        row["within"] = row["lower"] <= row["measured"] <= row["upper"]
        row["factor"] = max(row["estimate"] / row["measured"], row["measured"] / max(row["estimate"], 1e-9))
        unit, name = (1, row["name"]) if row["kind"] == "kernel" else (1e6, f"{row['name']}: {row['function']}")
        shown = [f"{row[key] / unit:.2f}" for key in ("measured", "ir", "cest", "estimate", "lower", "upper")]
        bounds = f"{shown[4]} to {shown[5]}" + ("" if row["within"] else " **outside**")
        print(f"| {row['kind']} | {name} | " + " | ".join(shown[:4]) + f" | {bounds} | {row['width']:.1f} |")
    for label, kinds in [("kernels", ["kernel"]), ("functions", ["program"]), ("both", ["kernel", "program"])]:
        some = [row for row in rows if row["kind"] in kinds]
        if len(some) < 4:
            continue
        for what, value in VALUES.items():
            if label != "both" or what == "per instruction":
                found = [f"{key} {with_interval(some, key, value)}" for key in ("ir", "cest", "estimate")]
                print(f"correlation of {label}, {what}: " + ", ".join(found))
        median = lambda key: f"{statistics.median(row[key] for row in some):.2f}"
        print(f"{label}: {sum(row['within'] for row in some)} of {len(some)} within bounds, "
              f"median width {median('width')}, median error a factor of {median('factor')}")
    pairs = [(a, b) for a in rows for b in rows if a["name"] == b["name"] and a["measured"] < b["measured"]]
    if pairs:
        ordered = [f"{key} {sum(a[key] < b[key] for a, b in pairs)}" for key in ("ir", "cest", "estimate")]
        print(f"of {len(pairs)} pairs of functions of one program, in the right order: " + ", ".join(ordered))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=["build", "judge", "try"], required=True)
    parser.add_argument("--only", type=lambda names: names.split(","))
    parser.add_argument("--measured")
    parser.add_argument("--out")
    parser.add_argument("--stack-engine", action="store_true")
    options = parser.parse_args()
    earlier = {}
    if options.measured:
        header, *lines = [line.rstrip("\n").split("\t") for line in open(options.measured)]
        for row in [dict(zip(header, line)) for line in lines]:
            kept = {key: float(row[key]) for key in ("measured", "noise", "load", "samples")}
            earlier[(row["name"], row["function"])] = kept
    build()
    rows = []
    listed = [line.split("\t") for line in (HERE / "list.tsv").read_text().splitlines() if line.count("\t") == 3]
    for kind, name, _, _ in [row for row in listed if row[2] == options.set and row[1] in (options.only or row[1])]:
        for row in (do_kernel if kind == "kernel" else do_program)(name, earlier):
            rows.append(row)
            print(f"{name} {row['function']}: {row['measured']:.4g}, estimated {row['estimate']:.4g}", file=sys.stderr)
            if options.out:
                words = [list(row)]
                words += [[f"{v:.5g}" if isinstance(v, float) else str(v) for v in one.values()] for one in rows]
                pathlib.Path(options.out).write_text("".join("\t".join(line) + "\n" for line in words))
    report(rows)


if __name__ == "__main__":
    main()
