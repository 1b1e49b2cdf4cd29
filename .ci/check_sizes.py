#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how long the files are, by folder; names those beyond their aim.

Aims: median 150 lines, 95th percentile 600, headers 200, .td 400, lit files
300, paths 72 characters. Only a file over 800 lines fails: split it by role.
"""

import collections
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
AIMS = {".h": 200, ".hpp": 400, ".cpp": 600, ".c": 600, ".td": 400,
        ".py": 400, ".mlir": 300, ".cmake": 200, ".fbs": 400}
LIMIT = 800


def main():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True,
                            capture_output=True, check=True).stdout.split("\n")
    lengths = collections.defaultdict(list)
    notes, failed = [], False
    for name in filter(None, listed):
        path = ROOT / name
        if (path.suffix not in AIMS or name.startswith("third_party/")
                or not path.exists()):
            continue
        count = path.read_bytes().count(b"\n")
        lengths["/".join(name.split("/")[:-1][:2]) or "."].append(count)
        if count > LIMIT:
            failed = True
            notes.append(f"error: {name}: {count} lines, limit {LIMIT}: split it")
        elif count > AIMS[path.suffix]:
            notes.append(f"note: {name}: {count} lines, aim {AIMS[path.suffix]}")
        if len(name) > 72:
            notes.append(f"note: {name}: path of {len(name)} characters, aim 72")
    print(f"{'folder':28} files  lines median   p95   max")
    everything = [c for counts in lengths.values() for c in counts]
    for folder, counts in sorted(lengths.items()) + [("all", everything)]:
        counts = sorted(counts)
        p95 = counts[min(len(counts) - 1, int(0.95 * len(counts)))]
        print(f"{folder:28} {len(counts):5} {sum(counts):6} "
              f"{statistics.median(counts):6.0f} {p95:5} {counts[-1]:5}")
    print("\n".join(notes))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
