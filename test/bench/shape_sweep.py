# SPDX-License-Identifier: Apache-2.0
"""Verifies every candidate of linear+relu at every awkward (M, N, K), or of
convolutions.

All triples of problems.AWKWARD (or convolutions.all_convolutions) are compiled in max-autotune mode with a
database of their own; the tuner builds each candidate and verifies it against
the float64 reference on random data in poisoned, guarded outputs. The report
counts verified candidates and names every one that was not.

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
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import convolutions  # noqa: E402
import problems  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


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


def sweep(bin_dir, problem, dtype, threads, target):
    """Statuses of all candidates, and a line for each that did not verify."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        model = write(folder, problem, dtype)
        report = folder / "report.json"
        done = subprocess.run(
            [bin_dir / "minic", "--mode=max-autotune", f"--threads={threads}",
             f"--target={target}",
             f"--tune-db={folder / 'tuning.db'}", f"--tune-report={report}",
             "--whole-model-check=off", model],
            # Tuners wait for each other through a lock in this folder; times
            # do not matter here, so each gets a folder of its own.
            env=os.environ | {"XDG_RUNTIME_DIR": scratch},
            text=True, capture_output=True)
        if done.returncode != 0:
            return collections.Counter(failed=1), [
                f"{name_of(problem, dtype)}: exit {done.returncode}: "
                f"{done.stderr.strip().splitlines()[-1:]}"], 0.0
        statuses, notes, worst = collections.Counter(), [], 0.0
        for entry in json.loads(report.read_text())["problems"]:
            for row in entry["record"]["rows"]:
                statuses[row["status"]] += 1
                worst = max(worst, row["worst_error"])
                if row["status"] not in ("verified", "duplicate"):
                    notes.append(f"{name_of(problem, dtype)}: {row['name']}: "
                                 f"{row['status']}: {row['reason']}")
        return statuses, notes, worst


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
    parser.add_argument("--convolutions", action="store_true",
                        help="convolutions in place of linear+relu")
    parser.add_argument("--part", default="1/1", metavar="I/N",
                        help="every Nth problem, starting with the Ith")
    arguments = parser.parse_args()

    triples = (list(convolutions.all_convolutions())
               if arguments.convolutions else
               problems.pairwise() if arguments.pairwise else
               list(itertools.product(problems.AWKWARD, repeat=3)))
    part, parts = map(int, arguments.part.split("/"))
    failures = 0
    for dtype in arguments.dtypes:
        start = time.monotonic()
        total, worst = collections.Counter(), 0.0
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            # Large problems first, so that none is left alone at the end.
            ordered = sorted(triples, key=size, reverse=True)
            ordered = ordered[part - 1::parts]
            for statuses, notes, error in pool.map(
                    lambda t: sweep(arguments.bin, t, dtype,
                                    arguments.threads, arguments.target),
                    ordered):
                total += statuses
                worst = max(worst, error)
                for note in notes:
                    print(note, flush=True)
        wrong = sum(count for status, count in total.items()
                    if status not in ("verified", "duplicate"))
        failures += wrong
        print(f"{dtype}: {len(ordered)} of {len(triples)} problems, "
              f"{', '.join(f'{c} {s}' for s, c in sorted(total.items()))}; "
              f"largest error {worst:.3f} of its tolerance; "
              f"{time.monotonic() - start:.0f} s", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
