# SPDX-License-Identifier: Apache-2.0
"""Whether a busy machine fools the tuner.

Tunes the demo's mlp and ten GEMMs with bias and relu, for each number of
threads, three times from nothing: on the quiet machine, beside one busy loop
per core, and beside two per core that pause at random. Then, on the quiet
machine, each plan that was chosen under load is timed against the quietly
chosen one and against default mode's, in the same rounds and in both load
orders: it is slower where the interval of the paired ratio says so in both.
Hogs are processes of this script; they end with it, and after --hog-limit-s in any case.

A lane is a set of cores on which one tuning at a time runs, hogs included;
several lanes tune side by side, all timing is done on the first.

    .venv/bin/python test/bench/stress.py --lanes 0,1
"""

import argparse
import concurrent.futures
import contextlib
import json
import math
import multiprocessing
import os
import pathlib
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import paired  # noqa: E402
import problems  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 1.10      # time of a plan chosen under load over the quiet one's
HOGS = {"busy": (1, False), "pausing": (2, True)}  # loops per core, pauses


def hog(core, pauses, seconds, seed):
    """Keeps a core busy; with pauses for 1 to 20 ms out of 2 to 40."""
    os.sched_setaffinity(0, {core})
    dice = random.Random(seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end and os.getppid() != 1:
        stop = time.monotonic() + (dice.uniform(1e-3, 20e-3) if pauses else 0.1)
        while time.monotonic() < stop:
            pass
        if pauses:
            time.sleep(dice.uniform(1e-3, 20e-3))


@contextlib.contextmanager
def hogs(kind, cores, seconds):
    started = []
    if kind != "quiet":
        loops, pauses = HOGS[kind]
        started = [multiprocessing.Process(target=hog, daemon=True,
                                           args=(core, pauses, seconds, seed))
                   for core in cores for seed in range(loops)]
    for process in started:
        process.start()
    try:
        yield
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.join()


def run(cores, *command):
    """Seconds and output of a command that may use `cores` alone. A lane has a
    lock of its own: tunings elsewhere do not hold it up."""
    begun = time.monotonic()
    locks = pathlib.Path(tempfile.gettempdir()) / f"minic-lane-{min(cores)}"
    locks.mkdir(exist_ok=True)
    done = subprocess.run([str(c) for c in command], text=True,
                          capture_output=True,
                          env=os.environ | {"MINIC_LOCK_DIR": str(locks)},
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if done.returncode != 0:
        raise RuntimeError(f"failed: {' '.join(map(str, command))}\n"
                           f"{done.stdout}{done.stderr}")
    return time.monotonic() - begun, done.stdout + done.stderr


def commands(bin_dir, artifact):
    """The commands of the plan, as text: equal ones run the same code."""
    printed = run({0}, bin_dir / "minic", "inspect", artifact)[1]
    return re.findall(r"^ +\d+: .*", printed, re.MULTILINE)


class Case:
    def __init__(self, folder, name, model, threads):
        self.name, self.model, self.threads = name, model, threads
        self.folder = folder / f"{name}-{threads}"
        self.folder.mkdir()

    def artifact(self, kind):
        return self.folder / f"{kind}.minic"

    def compile(self, arguments, kind, cores):
        """Tunes under `kind` of load; "default" is default mode."""
        database = self.folder / f"{kind}.db"
        mode = "default" if kind == "default" else "max-autotune"
        under = "quiet" if kind == "default" else kind
        with hogs(under, cores, arguments.hog_limit_s):
            seconds, log = run(
                cores, arguments.bin / "minic", "--target=cpu", f"--mode={mode}",
                f"--threads={self.threads}", f"--tune-db={database}",
                "-o", self.artifact(kind), self.model)
        noise = re.findall(r"samples vary by (\d+)", log)
        return {"seconds": seconds,
                "plan": commands(arguments.bin, self.artifact(kind)),
                "noise": max(map(int, noise), default=None),
                "provisional": "provisional" in log}

    def ratios(self, arguments, kind, other, cores):
        """(median, low, high) of the time of one plan over another's, for
        each order of loading the two: where a plan lies moves its time."""
        report = self.folder / "bench.json"
        found = []
        for first, second in ((kind, other), (other, kind)):
            run(cores, arguments.bin / "minic-bench", self.artifact(first),
                f"--compare={self.artifact(second)}",
                f"--seconds={arguments.seconds}", f"--json={report}")
            samples = dict(zip((first, second), (
                a["samples_us"]
                for a in json.loads(report.read_text())["artifacts"])))
            found.append(paired.ratio(samples[kind], samples[other]))
        return found


def make_cases(folder, threads, names):
    shutil.copy(ROOT / "examples/mlp.mlir", folder)
    shutil.copy(ROOT / "examples/mlp.safetensors", folder)
    models = [("mlp", folder / "mlp.mlir")]
    # The longest first, for lanes that end together.
    for m, n, k in sorted(problems.BENCHMARK, key=math.prod, reverse=True):
        place = folder / f"{m}x{n}x{k}"
        place.mkdir()
        models.append((place.name, problems.write(place, m, n, k, "f32")))
    return [Case(folder, name, model, count) for name, model in models
            for count in threads if not names or name in names]


def tune_all(arguments, cases, kinds):
    """Results by (case, kind); lanes work side by side."""
    lanes = queue.Queue()
    for lane in arguments.lanes:
        lanes.put(lane)

    def tune(case, kind):
        lane = lanes.get()
        try:
            return case.compile(arguments, kind, lane)
        finally:
            lanes.put(lane)

    with concurrent.futures.ThreadPoolExecutor(len(arguments.lanes)) as pool:
        jobs = {(case, kind): pool.submit(tune, case, kind)
                for case in cases for kind in kinds}
        return {key: job.result() for key, job in jobs.items()}


def describe(found):
    return ", ".join(
        f"{middle:.3f}" if low is None
        else f"{middle:.3f} [{low:.3f}, {high:.3f}]"
        for middle, low, high in found) or "equal plans"


def is_above(found, limit):
    """Whether the interval lies wholly above `limit` in both orders."""
    return bool(found) and all((middle if low is None else low) > limit
                               for middle, low, _ in found)


def report(arguments, cases, kinds, tuned):
    within = slower = 0
    print("| model | threads | beside | tuned in s | samples vary | state | "
          "over quietly chosen | over default |")
    print("|---|---|---|---|---|---|---|---|")
    cores = arguments.lanes[0]
    for case in cases:
        for kind in kinds:
            result = tuned[case, kind]
            over = {other: [] if result["plan"] == tuned[case, other]["plan"]
                    else case.ratios(arguments, kind, other, cores)
                    for other in ("quiet", "default")}
            misses = is_above(over["quiet"], LIMIT)
            loses = is_above(over["default"], 1)
            within += not misses
            slower += loses
            noise = ("not said" if result["noise"] is None
                     else f"{result['noise']} %")
            state = "provisional" if result["provisional"] else "decided"
            print(f"| {case.name} | {case.threads} | {kind} | "
                  f"{result['seconds']:.1f} | {noise} | {state} | "
                  f"{describe(over['quiet'])}{' MISSED' if misses else ''} | "
                  f"{describe(over['default'])}{' SLOWER' if loses else ''} |",
                  flush=True)
    total = len(cases) * len(kinds)
    print(f"\n{within} of {total} within {100 * (LIMIT - 1):.0f} % of the "
          f"quietly chosen plan, {slower} slower than default by interval")
    return within, slower


def parse_lane(text):
    return {int(core) for core in text.split(",")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--lanes", type=parse_lane, nargs="+",
                        default=[{0, 1}], help="cores of each, as 0,1 2,3")
    parser.add_argument("--models", nargs="+", default=[],
                        help="only these: mlp, or MxNxK")
    parser.add_argument("--kinds", nargs="+", choices=HOGS, default=list(HOGS))
    parser.add_argument("--seconds", type=float, default=1,
                        help="of each comparison, at least ten rounds")
    parser.add_argument("--hog-limit-s", type=float, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        cases = make_cases(pathlib.Path(scratch), arguments.threads,
                           arguments.models)
        begun = time.monotonic()
        tuned = tune_all(arguments, cases, ["quiet", "default"])
        tuned |= tune_all(arguments, cases, arguments.kinds)
        print(f"tuned in {time.monotonic() - begun:.0f} s on "
              f"{len(arguments.lanes)} lane(s), load "
              f"{os.getloadavg()[0]:.1f} afterwards", flush=True)
        within, slower = report(arguments, cases, arguments.kinds, tuned)
    allowed = len(cases) * len(arguments.kinds) * 2 // 44
    missed = len(cases) * len(arguments.kinds) - within
    return 1 if missed > allowed or slower else 0


if __name__ == "__main__":
    sys.exit(main())
