# SPDX-License-Identifier: Apache-2.0
"""What default mode loses on a CPU where nothing was measured: the plan by
estimates beside the tuned one, in alternation in one process, for linears of random
sizes and dtypes or for the problems of problem_list.py. Missed where it takes more
than 1 / 0.90 of the tuned plan's time in geometric mean, or more than 1 / 0.70 of it
somewhere.

    python3 test/bench/default_tuned.py --threads 1 2 --seed 1
    python3 test/bench/default_tuned.py --threads 1 2 --listed

Reports of the tuning, with --reports, are what fit_estimates.py reads.
"""

import argparse
import math
import pathlib
import re
import sys
import tempfile
import time

import default_cpu
import paired

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import problem_list  # noqa: E402
import problems  # noqa: E402

#: Of geometric mean and worst.
LIMITS = (1 / 0.90, 1 / 0.70)
#: Multiply-adds of a drawn problem, at most, so that thirty are tuned in minutes.
MOST_WORK = 2 ** 32
ESTIMATES = ["--tune-db=none", "--shipped-db=off"]


def write(folder, dtype, writer):
    """A model of one function."""
    weights = {}
    text = writer(weights)
    path = folder / "problem.mlir"
    path.write_text(f"module {{\n{text}\n}}\n")
    problems.write_weights(path.with_suffix(".safetensors"), weights, dtype, 0)
    return path


def compile_plans(folder, name, model, threads, arguments):
    """{"tuned": artifact, "default": artifact}."""
    database = folder / "tuning.db"
    database.unlink(missing_ok=True)
    tuning = ["--mode=max-autotune", "--shipped-db=off", f"--tune-db={database}",
              "--whole-model-check=off", f"--tune-budget={arguments.tune_budget}"]
    if arguments.reports:
        report = arguments.reports / f"{name}-{threads}.json"
        tuning.append(f"--tune-report={report}")
    plans = {}
    for mode, options in (("tuned", tuning), ("default", ESTIMATES)):
        plans[mode] = folder / f"{mode}.minic"
        default_cpu.run(arguments.bin / "minic", "--target=cpu", *options,
                        f"--threads={threads}", "-o", plans[mode], model)
    return plans


def choices(artifact, arguments):
    """What each fusion of a plan is made of."""
    text = default_cpu.run(arguments.bin / "minic", "explain", artifact)
    return ", then ".join(
        re.findall(r"^ +chosen by [^:\n]*: ([^,\n]+)", text, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=default_cpu.ROOT / "build/release/bin")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--listed", action="store_true",
                        help="problem_list.py's instead of drawn ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--filter", default="", help="only names with this")
    parser.add_argument("--seconds", type=float, default=0.5,
                        help="of each row, at least ten rounds")
    parser.add_argument("--tune-budget", default="60s", help="of each row")
    parser.add_argument("--reports", type=pathlib.Path,
                        help="folder for a tuning report of each row")
    parser.add_argument("--limit-s", type=float, default=math.inf,
                        help="what is left by then is not run")
    arguments = parser.parse_args()
    if arguments.reports:
        arguments.reports.mkdir(parents=True, exist_ok=True)
    everything = (
        problem_list.all_problems() if arguments.listed else
        problem_list.drawn_problems(arguments.seed, arguments.count, MOST_WORK))
    listed = [p for p in everything if arguments.filter in p[0]]

    start = time.monotonic()
    device, ratios, skipped = "nothing measured", [], 0
    print("| problem | threads | tuned us | default / tuned | tuned's choice | "
          "default's |\n" + "|---" * 6 + "|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for threads in arguments.threads:
            for name, dtype, writer in listed:
                if time.monotonic() - start > arguments.limit_s:
                    skipped += 1
                    continue
                model = write(folder, dtype, writer)
                plans = compile_plans(folder, name, model, threads, arguments)
                tuned, default = (choices(plan, arguments)
                                  for plan in plans.values())
                samples, device = default_cpu.measure(folder, plans, arguments)
                # Two copies of one plan differ by where they lie.
                estimate = ((1.0, 1.0, 1.0) if tuned == default else
                            paired.ratio(samples["default"], samples["tuned"]))
                ratios.append(estimate[0])
                shown = ("equal plans" if tuned == default
                         else default_cpu.interval(estimate))
                print(f"| {name} | {threads} | "
                      f"{paired.statistics.median(samples['tuned']):.2f} | "
                      f"{shown} | {tuned} | {default} |", flush=True)
    if skipped:
        print(f"\nnot run: {skipped} rows, over {arguments.limit_s:g} s")
    if not ratios:
        return 1
    reached = (paired.statistics.geometric_mean(ratios), max(ratios))
    print(f"\n{device}, {time.monotonic() - start:.0f} s, {len(ratios)} rows:")
    for what, value, limit in zip(("geometric mean", "worst"), reached, LIMITS):
        print(f"{what} {value:.3f}, at most {limit:.3f}: "
              + ("met" if value <= limit else "MISSED"))
    return 0 if all(v <= l for v, l in zip(reached, LIMITS)) else 1


if __name__ == "__main__":
    sys.exit(main())
