#!/usr/bin/env python3
"""What recorded callers are worth for stacks, as in docs/record.md.

    benches/stacks.py target/release/cgannotate PROGRAM ARGS...

Records the program with Callgrind and 0, 1, 3, 5, 10 and 100 callers of each function. Prints for each how much of the self cost
has certain stacks, how much is on other stacks than with 100 callers, the seconds and the bytes of the profile. The program must
do the same in each run (PERL_HASH_SEED=0, PYTHONHASHSEED=0).
"""

import collections
import os
import re
import subprocess
import sys
import tempfile
import time


def recorded(command, callers, to):
    """The seconds that a recording takes."""
    options = [f"--separate-callers={callers}"] if callers else []
    begin = time.monotonic()
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={to}", *options, *command]
    subprocess.run(valgrind, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def stacks(cgannotate, profile):
    """The cost of each stack, and the percentage that is certain."""
    convert = [cgannotate, "convert", "--to=folded", "--min=0", profile, "-o", "-"]
    ran = subprocess.run(convert, check=True, capture_output=True, text=True)
    costs = collections.Counter()
    for line in ran.stdout.splitlines():
        stack, cost = line.rsplit(" ", 1)
        costs[stack] += int(cost)
    certain = re.search(r"stacks of ([0-9.]+) % of the self cost", ran.stderr)
    return costs, certain and certain[1]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    cgannotate, command = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for callers in [100, 0, 1, 3, 5, 10]:
            profile = os.path.join(folder, f"callgrind.out.{callers}")
            seconds = recorded(command, callers, profile)
            runs.append((callers, seconds, os.path.getsize(profile), *stacks(cgannotate, profile)))
        truth = runs[0][3]
        for callers, seconds, size, costs, certain in runs:
            elsewhere = sum(abs(truth[stack] - costs[stack]) for stack in truth | costs) / 2
            share = 100 * elsewhere / sum(truth.values())
            print(f"{callers:3}: {certain} % certain, {share:.1f} % elsewhere, {seconds:.2f} s, {size / 1e6:.2f} MB")


main()
