#!/usr/bin/env python3
"""What each option of `cgannotate record` costs, as the table of docs/record.md.

    benches/recording.py target/release/cgannotate

Records three programs with each option: Python, git in this repository, and a Rust program that is compiled here. Prints
processor time, of Valgrind and all else that ran, the least of three rounds, and the bytes of the profiles. Takes some
minutes.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

RUST = """
use std::collections::HashMap;
fn main() {
    let map: HashMap<u64, u64> = (0..20_000).map(|i| (i * 7919 % 65_537, i)).collect();
    println!("{}", map.values().map(|v| v % 7).sum::<u64>());
}
"""
PYTHON = 'import json; print(len(json.dumps([{"a": i, "b": [str(i)] * 3} for i in range(200)])))'

OPTIONS = [
    ("`record` (`--dump-instr=yes`)", []),
    ("and `--valgrind=--collect-jumps=yes`", ["--valgrind=--collect-jumps=yes"]),
    ("and `--cache`", ["--cache"]),
    ("and `--valgrind=--branch-sim=yes`", ["--valgrind=--branch-sim=yes"]),
    ("and `--threads`", ["--threads"]),
    ("and `--stacks`", ["--stacks"]),
    ("and `--children`", ["--children"]),
]


def measured(command, folder):
    """Processor time in seconds, and the bytes of the profiles that were written."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    files = list(pathlib.Path(tempfile.gettempdir()).glob(f"{PREFIX}.*"))
    size = sum(file.stat().st_size for file in files)
    for file in files:
        file.unlink()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, size


PREFIX = f"recording.{os.getpid()}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cgannotate = os.path.abspath(sys.argv[1])
    here = pathlib.Path(__file__).resolve().parent.parent
    out = pathlib.Path(tempfile.gettempdir()) / PREFIX
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "map.rs", pathlib.Path(folder) / "map"
        source.write_text(RUST)
        subprocess.run(["rustc", "-O", "-C", "debuginfo=1", "-o", program, source], check=True)
        # The interpreter itself, whatever finds it.
        python = subprocess.run(
            ["python3", "-c", "import sys; print(sys.executable)"], check=True, capture_output=True, text=True
        ).stdout.strip()
        programs = [([python, "-c", PYTHON], folder), (["git", "log", "-20", "--stat"], here), ([program], folder)]

        alone = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}.%p"]
        rows = [("without Valgrind", []), ("Callgrind alone", alone)]
        rows += [(what, [cgannotate, "record", "-o", out, *options, "--"]) for what, options in OPTIONS]
        # All of them in each round: what else the machine does is spread over all.
        rounds = [[[measured(before + program, where) for program, where in programs] for _, before in rows] for _ in range(3)]
        for (what, _), cells in zip(rows, zip(*rounds)):
            least = [min(cell) for cell in zip(*cells)]
            fields = [f"{seconds:.2f} s" + (f", {size / 1e6:.2f} MB" if size else "") for seconds, size in least]
            print(f"| {what} | {' | '.join(fields)} |")


main()
