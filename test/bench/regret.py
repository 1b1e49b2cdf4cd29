# SPDX-License-Identifier: Apache-2.0
"""What a guided search, or another one, loses against one of every legal schedule.

Problems are drawn by a seed: GEMMs, attentions, norms and convolutions in turn.
Each is tuned into databases of their own: by --search=guided, or by what --search
names here, and by --search=exhaustive. Then both plans are timed side by side in
one process, in rounds, with either one loaded first. The regret of a problem is the
plan's time over the best one's, by the median of the rounds' ratios. An exhaustive
search has all schedules, but noise may make it choose wrongly among thousands: where
its plan is slower than the other in these rounds, the other is the best. So the best
is the better of both, and no regret is below 1. Two copies of one plan have the
regret 1. At the end come geometric mean and worst of all problems, then of each kind.

    python3 test/bench/regret.py --target=cpu --count=24 --seed=1
    python3 test/bench/regret.py --search guided descent --count=8
    tools/device/run --stage=regret

Where not all schedules were tried (--problem-s), the row says so and does not
count; problems of more schedules than --most-schedules are named and not searched
exhaustively. Exits with 1 where a target is missed, a problem failed, or none counts.
"""

import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import paired

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import convolutions  # noqa: E402
import problems  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Of all problems in geometric mean, and of the worst one.
MEAN_TARGET, WORST_TARGET = 1.02, 1.08
KINDS = ("gemm", "attention", "norm", "convolution")
SEARCHES = ("guided", "descent", "offered")
DTYPES = {"cpu": ("f32", "bf16"), "cuda": ("bf16", "f16", "f32")}
#: Multiply-adds of a problem, at most: exhaustive searches should end.
MOST_WORK = {"cpu": 2 ** 27, "cuda": 2 ** 33}
LAYERS = (64, 128, 256, 512, 768, 1000, 1024, 1280, 2048, 3072, 4096)


def tensor(dims, dtype):
    return "tensor<" + "".join(f"{dim}x" for dim in dims) + dtype + ">"


def log_uniform(draw, low, high):
    return round(math.exp(draw.uniform(math.log(low), math.log(high))))


def gemm(draw, dtype, most):
    """(name, text, weights) of relu(linear)."""
    while True:
        m = log_uniform(draw, 1, 2048)
        n, k = draw.choice(LAYERS), draw.choice(LAYERS)
        if m * n * k <= most:
            break
    weights = {}
    text = problems.function("main", [(m, n, k)], dtype, weights, alone=True)
    return f"linear_relu_{m}x{n}x{k}", text, weights


def attention(draw, dtype, most):
    while True:
        batch, heads = draw.choice((1, 2, 4)), draw.choice((4, 8, 12, 16))
        rows, keys = (log_uniform(draw, *bounds)
                      for bounds in ((1, 1024), (32, 1024)))
        depth = draw.choice((32, 64, 128))
        causal = draw.random() < 0.5 and rows <= keys
        if 2 * batch * heads * rows * keys * depth <= most:
            break
    q, k = (tensor((batch, heads, length, depth), dtype)
            for length in (rows, keys))
    attributes = " {causal = #graph.causal<lower_right>}" if causal else ""
    text = (f"  func.func @main(%q: {q}, %k: {k}, %v: {k}) -> {q} {{\n"
            f"    %0 = graph.attention %q, %k, %v{attributes} : "
            f"({q}, {k}, {k}) -> {q}\n    return %0 : {q}\n  }}")
    name = (f"attention_{batch}x{heads}x{rows}x{keys}x{depth}"
            + ("_causal" if causal else ""))
    return name, text, {}


def norm(draw, dtype, most):
    op = draw.choice(("layer_norm", "rms_norm", "softmax"))
    while True:
        rows, columns = log_uniform(draw, 1, 4096), draw.choice(LAYERS)
        if rows * columns <= most:
            break
    x = tensor((rows, columns), dtype)
    kind = x if op == "softmax" else f"({x}) -> {x}"
    text = (f"  func.func @main(%x: {x}) -> {x} {{\n    %0 = graph.{op} %x "
            f"axis = 1 : {kind}\n    return %0 : {x}\n  }}")
    return f"{op}_{rows}x{columns}", text, {}


def convolution(draw, dtype, most):
    while True:
        taps = draw.choice((1, 3))
        stride = draw.choice((1, 1, 2))
        size = draw.choice((7, 14, 28, 56))
        conv = convolutions.Convolution(
            draw.choice(("nhwc", "nchw")), draw.choice((1, 4, 8)),
            draw.choice((16, 32, 64, 128, 256)), size, size,
            draw.choice((16, 32, 64, 128, 256)), taps, taps,
            (stride, stride), (taps // 2,) * 4)
        if (conv.n * conv.c * conv.k * taps * taps * conv.extent(0)
                * conv.extent(1) <= most):
            break
    weights = {}
    text = convolutions.function("main", conv, dtype, weights)
    name = (f"conv{taps}x{taps}_{conv.layout}_{conv.n}x{conv.c}x{size}x{size}_"
            f"{conv.k}" + (f"_s{stride}" if stride > 1 else ""))
    return name, text, weights


def sample(target, count, seed):
    """(name, dtype, text, weights) of each; a longer list begins as a shorter
    one does."""
    draw = random.Random(f"{target} {seed}")
    writers = (gemm, attention, norm, convolution)
    for i in range(count):
        dtype = draw.choice(DTYPES[target])
        name, text, weights = writers[i % len(KINDS)](draw, dtype,
                                                      MOST_WORK[target])
        yield f"{name}_{dtype}", dtype, text, weights


def run(*command, timeout=None):
    """(stdout, "") or (None, why)."""
    try:
        done = subprocess.run([str(c) for c in command], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, f"took longer than {timeout:.0f} s"
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).strip().splitlines()
        return None, f"exit {done.returncode}: {lines[-1] if lines else '?'}"
    return done.stdout, ""


def plan_of(explained):
    """What runs, one line for each launch or call."""
    return re.findall(r"^ +(?:implemented by|commands:) .*", explained, re.M)


def coverage_of(explained):
    """(tried, legal) of the problem with the most; None where nobody knows."""
    found = [tuple(map(int, pair)) for pair in re.findall(
        r"(\d+) of (\d+) legal schedules tried", explained)]
    return max(found, key=lambda pair: pair[1]) if found else None


def ratios(samples):
    """The summary of `samples`, rounds of (guided, exhaustive) times."""
    return paired.ratio(*zip(*samples))


def regret_of(ratio):
    """Of a plan that takes `ratio` of the exhaustive one's time; the best is the
    better of both."""
    return ratio / min(ratio, 1.0)


def judge(rows):
    """(geometric mean, worst) regret of the rows that count; None for none."""
    regrets = [row["regret"] for row in rows if row["counts"]]
    if not regrets:
        return None
    return math.exp(sum(map(math.log, regrets)) / len(regrets)), max(regrets)


class Contest:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.start = time.monotonic()

    def left(self):
        return self.arguments.limit_s - (time.monotonic() - self.start)

    def tune(self, model, search):
        """({"artifact", "plan", "coverage", "seconds"}, "") or (None, why)."""
        artifact = model.with_suffix(f".{search}.minic")
        options = [f"--target={self.arguments.target}",
                   "--mode=max-autotune-no-cudagraphs", f"--search={search}",
                   "--whole-model-check=off",
                   f"--tune-db={self.folder / search}.db", "-o", artifact]
        if self.arguments.target == "cpu":
            options.append(f"--threads={self.arguments.threads}")
        if search == "exhaustive" and self.arguments.problem_s > 0:
            options.append(f"--tune-budget={self.arguments.problem_s:g}s")
        begun = time.monotonic()
        _, why = run(self.arguments.bin / "minic", *options, model,
                     timeout=None if math.isinf(self.left())
                     else max(1.0, self.left()))
        if why:
            return None, f"{search}: {why}"
        seconds = time.monotonic() - begun
        text, why = run(self.arguments.bin / "minic", "explain", artifact)
        if why:
            return None, f"explain: {why}"
        return {"artifact": artifact, "plan": plan_of(text),
                "coverage": coverage_of(text), "seconds": seconds}, ""

    def time(self, found, exhaustive, *options):
        """(rounds of both times, "") or (None, why); each is loaded first
        once. `options` are minic-bench's."""
        samples = []
        for first, second in ((found, exhaustive), (exhaustive, found)):
            report = self.folder / "bench.json"
            _, why = run(self.arguments.bin / "minic-bench", first["artifact"],
                         f"--compare={second['artifact']}",
                         f"--rounds={self.arguments.rounds}",
                         f"--json={report}", *options, timeout=120)
            if why:
                return None, f"minic-bench: {why}"
            timed = [artifact["samples_us"] for artifact in
                     json.loads(report.read_text())["artifacts"]]
            samples += zip(*(timed if first is found else timed[::-1]))
        return samples, ""

    def compare(self, kind, name, search, found, exhaustive):
        """(row, "") or (None, why)."""
        made = {"problem": name, "kind": kind, "search": search,
                "found": found["plan"],
                "exhaustive": exhaustive["plan"],
                "coverage": [found["coverage"], exhaustive["coverage"]],
                "seconds": [found["seconds"], exhaustive["seconds"]]}
        tried, legal = exhaustive["coverage"] or (0, 1)
        made["counts"] = tried >= legal
        if found["plan"] == exhaustive["plan"]:
            return made | {"ratio": 1.0, "low": None, "high": None,
                           "regret": 1.0, "equal": True}, ""
        samples, why = self.time(found, exhaustive)
        if samples is None:
            return None, why
        ratio, low, high = ratios(samples)
        return made | {"ratio": ratio, "low": low, "high": high,
                       "regret": regret_of(ratio), "equal": False}, ""

    def rows(self, kind, name, dtype, text, weights):
        """(a row for each search, "") or (None, why)."""
        model = self.folder / f"{name}.mlir"
        model.write_text(f"module {{\n{text}\n}}\n")
        problems.write_weights(model.with_suffix(".safetensors"), weights,
                               dtype, 0)
        tuned = {}
        for search in (*self.arguments.search, "exhaustive"):
            tuned[search], why = self.tune(model, search)
            if not tuned[search]:
                return None, why
            _, legal = tuned[search]["coverage"] or (0, 0)
            if legal > self.arguments.most_schedules:
                return [], f"{legal} schedules"
        made = []
        for search in self.arguments.search:
            row, why = self.compare(kind, name, search, tuned[search],
                                    tuned["exhaustive"])
            if row is None:
                return None, why
            made.append(row)
        return made, ""


def shown(row):
    interval = ("equal plans" if row["equal"] else f"{row['ratio']:.3f}"
                if row["low"] is None else
                f"{row['ratio']:.3f} [{row['low']:.3f}, {row['high']:.3f}]")
    pairs = ["?" if pair is None else f"{pair[0]} of {pair[1]}"
             for pair in row["coverage"]]
    times = " and ".join(f"{seconds:.0f}" for seconds in row["seconds"])
    return (f"| {row['problem']} | {row['search']} | {pairs[0]} | {pairs[1]} | {times} | "
            f"{interval} | {row['regret']:.3f}"
            + ("" if row["counts"] else ", partial: does not count") + " |")


def summaries(rows, searches):
    """The summary of each search; a heading where there are several."""
    lines, met = [], True
    for search in searches:
        own, is_met = summary([row for row in rows if row["search"] == search])
        lines += [f"{search}:"] * (len(searches) > 1) + own
        met &= is_met
    return lines, met


def summary(rows):
    """Lines, and whether both targets are met."""
    judged = judge(rows)
    if judged is None:
        return ["no problem counts"], False
    counted = sum(row["counts"] for row in rows)
    lines, met = [], True
    for what, value, target in zip(("geometric mean", "worst"), judged,
                                   (MEAN_TARGET, WORST_TARGET)):
        fits = value <= target
        met &= fits
        lines.append(f"{what} of {counted}: {value:.3f}, target {target:.2f}: "
                     + ("met" if fits else "MISSED"))
    return lines + by_kind(rows), met


def by_kind(rows):
    """A line for each kind that was run: geometric mean and worst."""
    lines = []
    for kind in KINDS:
        own = [row for row in rows if row["kind"] == kind]
        judged = judge(own)
        if judged:
            lines.append("  {}: geometric mean of {}: {:.3f}, worst {:.3f}".format(
                kind, sum(row["counts"] for row in own), *judged))
        elif own:
            lines.append(f"  {kind}: no problem counts")
    return lines


def parse(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--target", choices=tuple(DTYPES), default="cpu")
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0,
                        help="leave out the first ones")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--search", nargs="+", choices=SEARCHES,
                        default=SEARCHES[:1],
                        help="compared with an exhaustive one")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=21,
                        help="of each load order")
    parser.add_argument("--problem-s", type=float, default=0,
                        help="budget of each exhaustive search; 0: none")
    parser.add_argument("--most-schedules", type=float, default=math.inf,
                        help="leave out problems of more")
    parser.add_argument("--limit-s", type=float, default=math.inf,
                        help="what is left by then is not run")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--list", action="store_true",
                        help="only name problems")
    return parser.parse_args(argv)


def main():
    arguments = parse()
    drawn = [(KINDS[i % len(KINDS)], *drawn) for i, drawn in enumerate(
        sample(arguments.target, arguments.count, arguments.seed))
        if i >= arguments.skip and KINDS[i % len(KINDS)] in arguments.kinds]
    if arguments.list:
        print("\n".join(name for _, name, *_ in drawn))
        return 0
    rows, failed, left_out, too_large = [], {}, [], {}
    print("| problem | search | tried | exhaustive | tuned in s | "
          "ratio of times | regret |\n" + "|---" * 7 + "|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        contest = Contest(arguments, pathlib.Path(scratch))
        for kind, name, *problem in drawn:
            if contest.left() <= 0:
                left_out.append(name)
                continue
            made, why = contest.rows(kind, name, *problem)
            if made is None and contest.left() <= 0:
                left_out.append(name)
            elif made is None:
                failed[name] = why
                print(f"| {name} | FAILED: {why} |", flush=True)
            elif not made:
                too_large[name] = why
                print(f"| {name} | left out: {why} |", flush=True)
            else:
                rows += made
                print("\n".join(map(shown, made)), flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps(
                    {"rows": rows, "failed": failed, "not_run": left_out,
                     "too_large": too_large},
                    indent=1) + "\n")
        seconds = time.monotonic() - contest.start
    lines, met = summaries(rows, arguments.search)
    print()
    if too_large:
        print(f"left out: {len(too_large)} of more than "
              f"{arguments.most_schedules:g} schedules")
    if left_out:
        print(f"not run: {len(left_out)}, over {arguments.limit_s:g} s: "
              + ", ".join(left_out))
    print("\n".join(lines))
    done = len(rows) // len(arguments.search)
    print(f"{done} of {len(drawn)} problems, seed {arguments.seed}, "
          f"{arguments.target}, {len(failed)} failed, {seconds:.0f} s")
    return 0 if met and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
