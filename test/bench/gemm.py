# SPDX-License-Identifier: Apache-2.0
"""minic against oneDNN on ten GEMMs with bias and relu.

For each problem, dtype and thread count three artifacts are compiled in
max-autotune mode: the plan minic chooses, generated kernels only, and oneDNN
with packed weights and post-ops only. All three are checked against the
float64 reference, then timed interleaved in the same process, in several
processes. A limit is missed when the 95 % interval of the paired ratio lies
wholly beyond it; equal choices are equal.

    .venv/bin/python test/bench/gemm.py --threads 1 2 --dtypes f32 bf16
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import problems  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHOSEN_LIMIT = 1.02      # time of the chosen plan over oneDNN's, at most
GENERATED_LIMIT = 1 / 0.95


def run(*command):
    done = subprocess.run([str(c) for c in command], text=True,
                          capture_output=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def compile_plans(bin_dir, folder, problem, threads, database):
    model = problems.write(folder, *problem)
    plans = {}
    for plan, backends in (("chosen", None), ("generated", "generated"),
                           ("onednn", "library-fused")):
        plans[plan] = folder / f"{plan}.minic"
        options = [f"--gemm-backends={backends}"] if backends else []
        run(bin_dir / "minic", "--mode=max-autotune", f"--threads={threads}",
            f"--tune-db={database}", *options, "-o", plans[plan], model)
        run(bin_dir / "minic-run", plans[plan], "--seed=7", "--check")
    return plans


def choice(bin_dir, artifact):
    """The kernel an artifact launches, as `minic explain` names it."""
    explained = run(bin_dir / "minic", "explain", artifact)
    return re.search(r"chosen by [^:]*: ([^,]+)", explained).group(1)


def interval(processes):
    """Median ratio and its 95 % interval: bootstrap over processes, then over
    the rounds of each."""
    random = numpy.random.default_rng(0)
    medians = []
    for _ in range(2000):
        picked = random.integers(len(processes), size=len(processes))
        medians.append(numpy.median(numpy.concatenate(
            [random.choice(processes[i], len(processes[i])) for i in picked])))
    low, high = numpy.quantile(medians, [0.025, 0.975])
    return float(numpy.median(numpy.concatenate(processes))), low, high


def measure(bin_dir, plans, arguments, folder):
    samples = []
    for _ in range(arguments.processes):
        report = folder / "bench.json"
        run(bin_dir / "minic-bench", plans["chosen"],
            f"--compare={plans['generated']}", f"--compare={plans['onednn']}",
            f"--seconds={arguments.seconds}",
            f"--json={report}")
        data = json.loads(report.read_text())
        samples.append({
            plan: numpy.array(artifact["samples_us"])
            for plan, artifact in zip(("chosen", "generated", "onednn"),
                                      data["artifacts"])}
            | {"device": data["device"]})
    return samples


def verdict(estimate, limit, equal):
    ratio, low, high = estimate
    if equal:
        return f"{ratio:.3f} (equal choice)", False
    missed = low > limit
    text = f"{ratio:.3f} [{low:.3f}, {high:.3f}]"
    return text + (" MISSED" if missed else ""), missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--dtypes", nargs="+", default=["f32", "bf16"])
    parser.add_argument("--problems", nargs="+", default=[],
                        help="only these, as MxNxK")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2,
                        help="of each process, at least ten rounds")
    arguments = parser.parse_args()

    missed = 0
    print("| M x N x K | dtype | threads | oneDNN us | chosen us | GFLOP/s | "
          "chosen / oneDNN | generated / oneDNN | choice |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for dtype in arguments.dtypes:
            for threads in arguments.threads:
                for m, n, k in problems.BENCHMARK:
                    size = f"{m}x{n}x{k}"
                    if arguments.problems and size not in arguments.problems:
                        continue
                    plans = compile_plans(arguments.bin, folder,
                                          (m, n, k, dtype), threads,
                                          folder / "tuning.db")
                    samples = measure(arguments.bin, plans, arguments, folder)
                    names = {p: choice(arguments.bin, a)
                             for p, a in plans.items()}
                    ratios = {p: interval([s[p] / s["onednn"] for s in samples])
                              for p in ("chosen", "generated")}
                    chosen, bad = verdict(ratios["chosen"], CHOSEN_LIMIT,
                                          names["chosen"] == names["onednn"])
                    generated, worse = verdict(ratios["generated"],
                                               GENERATED_LIMIT, False)
                    missed += bad + worse
                    us = {p: numpy.median(numpy.concatenate(
                        [s[p] for s in samples])) for p in plans}
                    print(f"| {size} | {dtype} | {threads} | "
                          f"{us['onednn']:.1f} | {us['chosen']:.1f} | "
                          f"{2e-3 * m * n * k / us['chosen']:.1f} | {chosen} | "
                          f"{generated} | {names['chosen']} |", flush=True)
    device = samples[-1]["device"]
    print(f"\n{device['name']}, {device['cores']} cores, libraries "
          f"{device['libraries']}; {arguments.processes} processes of "
          f"{arguments.seconds} s; ratios are of time, below 1 is faster "
          f"than oneDNN; limits {CHOSEN_LIMIT:.2f} chosen, "
          f"{GENERATED_LIMIT:.3f} generated: {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
