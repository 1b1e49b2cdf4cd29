# SPDX-License-Identifier: Apache-2.0
"""Verifies every candidate of linear+relu at every awkward (M, N, K), or of
convolutions.

All triples of problems.AWKWARD (or convolutions.all_convolutions) are compiled
in max-autotune mode with a database of their own; the tuner builds each
candidate and verifies it against the float64 reference on random data in
poisoned, guarded outputs. The report counts verified candidates and groups
those that were not by reason. What a library does not support and what spills
registers, which the tuner then leaves out, are no failures.

    .venv/bin/python test/bench/shape_sweep.py --dtypes f32 bf16 --jobs 2
    .venv/bin/python test/bench/shape_sweep.py --convolutions
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import convolutions  # noqa: E402
import problems  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROBLEM_S = 120
MOST_GROUPS = 25
#: "failed" is minic itself, for one problem.
FAILURES = ("wrong", "crashed", "hung", "build-failed", "unavailable",
            "skipped", "failed")


def name_of(problem, dtype):
    if isinstance(problem, convolutions.Convolution):
        return convolutions.name(problem, dtype)
    return problems.name(*problem, dtype)


def write(folder, problem, dtype):
    if isinstance(problem, convolutions.Convolution):
        return convolutions.write(folder, problem, dtype)
    return problems.write(folder, *problem, dtype)


def size(problem):
    if isinstance(problem, convolutions.Convolution):
        return problem.n * problem.c * problem.k * problem.h * problem.w
    return problem[0] * problem[1] * problem[2]


def kind_of(row):
    """What the report counts a candidate as."""
    reason = row["reason"]
    if row["status"] != "build-failed":
        return row["status"]
    if reason.startswith("spills"):
        return "spilled"
    return "unsupported" if "unsupported:" in reason else "build-failed"


def sweep(arguments, problem, dtype):
    """Counts by kind, (name, kind, reason) of what did not verify, and the
    largest error over its tolerance."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        model = write(folder, problem, dtype)
        report = folder / "report.json"
        try:
            done = subprocess.run(
                [arguments.bin / "minic", "--mode=max-autotune",
                 f"--threads={arguments.threads}",
                 f"--target={arguments.target}",
                 f"--tune-db={folder / 'tuning.db'}",
                 f"--tune-report={report}", "--search=offered",
                 "--whole-model-check=off", model],
                # Tuners wait for each other through a lock in this folder;
                # times do not matter here, so each gets a folder of its own.
                env=os.environ | {"MINIC_LOCK_DIR": scratch},
                text=True, capture_output=True, timeout=PROBLEM_S)
        except subprocess.TimeoutExpired:
            return collections.Counter(hung=1), [
                ("minic", "hung", f"over {PROBLEM_S} s")], 0.0
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["?"]
            return collections.Counter(failed=1), [
                ("minic", "failed", f"exit {done.returncode}: {lines[-1]}")
            ], 0.0
        kinds, notes, worst = collections.Counter(), [], 0.0
        for entry in json.loads(report.read_text())["problems"]:
            for row in entry["record"]["rows"]:
                kind = kind_of(row)
                kinds[kind] += 1
                worst = max(worst, row["worst_error"])
                if kind not in ("verified", "duplicate"):
                    notes.append((row["name"], kind, row["reason"]))
        return kinds, notes, worst


def group(name, kind, reason):
    """Candidates and reasons that differ in numbers only are one."""
    return kind, re.sub(r"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", "N",
                        f"{name.split()[0]}: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--dtypes", nargs="+", default=["f32", "bf16"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pairwise", action="store_true",
                        help="only a pairwise-covering set of triples")
    parser.add_argument("--few", action="store_true",
                        help="a pairwise-covering set of problems.FEW")
    parser.add_argument("--convolutions", action="store_true",
                        help="convolutions in place of linear+relu")
    parser.add_argument("--part", default="1/1", metavar="I/N",
                        help="every Nth problem, starting with the Ith")
    parser.add_argument("--skip", type=int, default=0,
                        help="leave out the first, largest problems of it")
    parser.add_argument("--limit-s", type=float, default=float("inf"),
                        help="problems not begun by then are left out")
    parser.add_argument("--notes", type=pathlib.Path,
                        help="file for every candidate that did not verify")
    arguments = parser.parse_args()

    triples = (list(convolutions.all_convolutions())
               if arguments.convolutions else
               problems.pairwise(*problems.FEW) if arguments.few else
               problems.pairwise() if arguments.pairwise else
               list(itertools.product(problems.AWKWARD, repeat=3)))
    part, parts = map(int, arguments.part.split("/"))
    # Large problems first, so that none is left alone at the end.
    ordered = sorted(triples, key=size, reverse=True)[part - 1::parts]
    ordered = ordered[arguments.skip:]
    cases = [(problem, dtype) for problem in ordered
             for dtype in arguments.dtypes]
    start = time.monotonic()

    def run(case):
        in_time = time.monotonic() - start < arguments.limit_s
        return case, sweep(arguments, *case) if in_time else None

    totals = {dtype: collections.Counter() for dtype in arguments.dtypes}
    worst = dict.fromkeys(arguments.dtypes, 0.0)
    swept = collections.Counter()
    groups = collections.defaultdict(list)
    notes_file = open(arguments.notes or os.devnull, "w")
    with notes_file, concurrent.futures.ThreadPoolExecutor(
            arguments.jobs) as pool:
        for (problem, dtype), result in pool.map(run, cases):
            if result is None:
                continue
            kinds, notes, error = result
            swept[dtype] += 1
            totals[dtype] += kinds
            worst[dtype] = max(worst[dtype], error)
            for note in notes:
                line = f"{name_of(problem, dtype)}: {': '.join(note)}"
                print(line, file=notes_file, flush=True)
                groups[group(*note)].append(line)
    for (kind, _), lines in sorted(groups.items(), key=lambda g: (
            g[0][0] not in FAILURES, -len(g[1])))[:MOST_GROUPS]:
        print(f"{len(lines):6} {kind}, as {lines[0][:200]}")
    for dtype in arguments.dtypes:
        print(f"{dtype}: {swept[dtype]} of {len(triples)} problems, "
              + ", ".join(f"{c} {s}" for s, c in sorted(totals[dtype].items()))
              + f"; largest error {worst[dtype]:.3f} of its tolerance")
    failures = sum(total[kind] for total in totals.values()
                   for kind in FAILURES)
    left = len(cases) - sum(swept.values())
    print(f"{failures} failures, {left} of {len(cases)} problems not run, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
