#!/usr/bin/env python3
"""Runs the SQL of docs/fleet.md, as it stands there, on the runs below ./runs, with DuckDB or with Spark.

    benches/fleet.py duckdb|spark > answers.json

Prints what each question answers, as JSON, and on standard
error how long it took over the CSV files and over Parquet. Python's package `duckdb` or `pyspark` must be installed; both
run on this machine alone.
"""

import json
import os
import pathlib
import re
import sys
import time


def statements():
    """The statements of the page by the names in their first lines."""
    page = (pathlib.Path(__file__).parent.parent / "docs" / "fleet.md").read_text()
    blocks = re.findall(r"^```sql\n-- ([a-z: ]+)\n(.*?)^```", page, re.S | re.M)
    return {name: [text.strip() for text in block.split(";\n") if text.strip()] for name, block in blocks}


def duckdb_engine():
    import duckdb

    connection = duckdb.connect()
    os.makedirs("fleet", exist_ok=True)
    return lambda statement: connection.execute(statement).fetchall()


def spark_engine():
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[*]")
        .config("spark.ui.enabled", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )

    def ask(statement):
        return [tuple(row) for row in session.sql(statement.rstrip(";")).collect()]

    return ask


def plain(value):
    """Numbers as numbers, whatever the engine's type for sums and quotients is."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return float(value) if value != int(value) else int(value)


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("duckdb", "spark"):
        sys.exit(__doc__)
    engine = sys.argv[1]
    blocks = statements()
    ask = duckdb_engine() if engine == "duckdb" else spark_engine()
    questions = [name for name in blocks if ":" not in name]

    def clocked(name):
        start = time.monotonic()
        rows = []
        for statement in blocks[name]:
            rows = ask(statement)
        return rows, time.monotonic() - start

    def asked():
        return {name: clocked(name) for name in questions}

    _, loading = clocked(f"{engine}: load")
    over_csv = asked()
    _, compacting = clocked(f"{engine}: compact")
    over_parquet = asked()
    print(f"{engine}: load {loading:.3f} s, compact {compacting:.3f} s", file=sys.stderr)
    for name in questions:
        (rows, csv), (again, parquet) = over_csv[name], over_parquet[name]
        if rows != again:
            sys.exit(f"{name}: the answer over Parquet is another one than over CSV")
        print(f"{name}: {len(rows)} rows, CSV {csv:.3f} s, Parquet {parquet:.3f} s", file=sys.stderr)
    answers = {name: [[plain(value) for value in row] for row in rows] for name, (rows, _) in over_csv.items()}
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
