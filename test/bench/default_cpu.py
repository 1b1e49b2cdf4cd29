# SPDX-License-Identifier: Apache-2.0
"""Default mode on a CPU against the library: what nobody measured is not silly.

For the ten problems of gemm.py, dtypes and thread counts: the plan of default
mode with an empty database, and the one of oneDNN with packed weights and
post-ops, in alternation in one process; with --tuned the tuned plan as well. A
row is missed where the 95 % interval of the paired ratio of times lies wholly
above the limit.

    python3 test/bench/default_cpu.py --threads 1 2 --dtypes f32 bf16
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import paired

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import problems  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 1.10


def run(*command):
    done = subprocess.run([str(c) for c in command], text=True,
                          capture_output=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def compile_plans(folder, problem, threads, arguments):
    """{name: artifact}, the library's first."""
    model = problems.write(folder, *problem)
    estimates = ["--tune-db=none", "--shipped-db=off"]
    modes = {"library": [*estimates, "--gemm-backends=library-fused"],
             "default": estimates}
    if arguments.tuned:
        modes["tuned"] = ["--mode=max-autotune", "--shipped-db=off",
                          f"--tune-budget={arguments.tune_budget}",
                          f"--tune-db={folder / 'tuning.db'}"]
    plans = {}
    for name, options in modes.items():
        plans[name] = folder / f"{name}.minic"
        run(arguments.bin / "minic", "--target=cpu", *options,
            f"--threads={threads}", "-o", plans[name], model)
    return plans


def choice(artifact, arguments):
    text = run(arguments.bin / "minic", "explain", artifact)
    return re.search(r"chosen by [^:]*: ([^,]+)", text).group(1)


def measure(folder, plans, arguments):
    """{name: microseconds by round}, the device's name."""
    first, *others = plans.values()
    report = folder / "bench.json"
    run(arguments.bin / "minic-bench", first,
        *(f"--compare={other}" for other in others),
        f"--seconds={arguments.seconds}", f"--json={report}")
    data = json.loads(report.read_text())
    return dict(zip(plans, (a["samples_us"] for a in data["artifacts"]))), \
        data["device"]["name"]


def interval(estimate):
    ratio, low, high = estimate
    return (f"{ratio:.3f}" if low is None
            else f"{ratio:.3f} [{low:.3f}, {high:.3f}]")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--dtypes", nargs="+", default=["f32", "bf16"])
    parser.add_argument("--problems", nargs="+", default=[],
                        help="only these, as MxNxK")
    parser.add_argument("--seconds", type=float, default=1.5,
                        help="of each row, at least ten rounds")
    parser.add_argument("--tuned", action="store_true")
    parser.add_argument("--tune-budget", default="10s")
    parser.add_argument("--limit-s", type=float, default=600,
                        help="what is left by then is not run")
    arguments = parser.parse_args()

    start = time.monotonic()
    rows = missed = skipped = 0
    device = "nothing measured"
    columns = ["library us", "default us", "default / library"]
    columns += ["tuned / library"] if arguments.tuned else []
    print("| M x N x K | dtype | threads | " + " | ".join(columns)
          + " | default's choice |\n" + "|---" * (4 + len(columns)) + "|")
    listed = [((m, n, k), dtype, threads) for dtype in arguments.dtypes
              for threads in arguments.threads
              for m, n, k in problems.BENCHMARK
              if not arguments.problems
              or f"{m}x{n}x{k}" in arguments.problems]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for size, dtype, threads in listed:
            if time.monotonic() - start > arguments.limit_s:
                skipped += 1
                continue
            plans = compile_plans(folder, (*size, dtype), threads, arguments)
            samples, device = measure(folder, plans, arguments)
            estimate = paired.ratio(samples["default"], samples["library"])
            # Two copies of one plan differ by where they lie.
            equal = choice(plans["default"], arguments) == \
                choice(plans["library"], arguments)
            over = not equal and (estimate[1] or estimate[0]) > LIMIT
            rows += 1
            missed += over
            cells = [f"{paired.statistics.median(samples[name]):.2f}"
                     for name in ("library", "default")]
            cells.append(interval(estimate) + (" MISSED" if over else ""))
            if arguments.tuned:
                cells.append(interval(paired.ratio(samples["tuned"],
                                                   samples["library"])))
            print(f"| {'x'.join(map(str, size))} | {dtype} | {threads} | "
                  + " | ".join(cells) + " | "
                  f"{choice(plans['default'], arguments)} |", flush=True)
    if skipped:
        print(f"\nnot run: {skipped} rows, over {arguments.limit_s:g} s")
    print(f"\n{device}, {time.monotonic() - start:.0f} s: {rows - missed} of "
          f"{rows} within {LIMIT:.2f} of the library")
    return 1 if missed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
