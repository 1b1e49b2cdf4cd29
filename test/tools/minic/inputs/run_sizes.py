# SPDX-License-Identifier: Apache-2.0
"""Runs an artifact at sampled sizes of T and counts what they leave behind.

    run_sizes.py FILE.minic DATABASE BUCKET...

Each run has a PATH without a compiler and an empty cache directory. Prints how many
runs each bucket had, how many tuning records there are before and after, and whether
the database changed at all."""

import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

artifact, database, *buckets = sys.argv[1:]
buckets = sorted(map(int, buckets))


def records():
    return [sqlite3.connect(f"file:{database}?mode=ro", uri=True).execute(
        f"select count(*) from {table}").fetchone()[0]
        for table in ("record", "row")]


before, content = records(), pathlib.Path(database).read_bytes()
runs = dict.fromkeys(buckets, 0)
minic_run = shutil.which("minic-run")
with tempfile.TemporaryDirectory() as cache:
    for size in random.Random(64).choices(range(1, buckets[-1] + 1), k=64):
        bucket = min(each for each in buckets if each >= size)
        done = subprocess.run(
            [minic_run, artifact, f"--dim=T={size}", "--stats"], text=True,
            env={"PATH": "/nonexistent", "HOME": cache,
                 "XDG_CACHE_HOME": cache, "XDG_RUNTIME_DIR": cache},
            capture_output=True, check=True)
        # Of all buckets this one ran, once.
        counts = [line for line in done.stdout.splitlines()
                  if line.startswith("bucket T=") and ": 1 runs" in line]
        assert len(counts) == 1 and counts[0].startswith(
            f"bucket T={bucket}: 1 runs, {int(size < bucket)} of them padded"
        ), (size, done.stdout)
        runs[bucket] += 1
    left = os.listdir(cache)
for bucket, count in runs.items():
    assert count > 0, bucket
print(f"{sum(runs.values())} runs in {len(runs)} buckets")
same = pathlib.Path(database).read_bytes() == content
print("records and rows before", *before, "after", *records(),
      "equal" if before == records() else "different")
print("database", "unchanged" if same else "changed", "cache", left or "empty")
