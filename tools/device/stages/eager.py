# SPDX-License-Identifier: Apache-2.0
"""Default mode, which measures nothing, beside the calls of eager execution
(--gemm-backends=aten, --conv-backends=aten), interleaved, over 20 unaligned
problems and those of --stage=default. A row is missed where the 95 % interval of
the paired ratio of back-to-back times lies wholly above 1.1."""

import concurrent.futures
import json
import pathlib
import re
import sys
import tempfile
import time

import common

LIMIT = 1.10
parser = common.parser(__doc__)
parser.add_argument("--problems", choices=("unaligned", "default", "all"),
                    default="all")
parser.add_argument("--limit-s", type=float, default=280,
                    help="what is left by then is not run")
parser.add_argument("--rounds", type=int, default=21)
parser.add_argument("--chunk", type=int, default=8, help="problems of a model")
parser.add_argument("--jobs", type=int, default=6)
parser.add_argument("--target", default="cuda")
parser.add_argument("--option", action="append", default=[],
                    help="of minic, for both plans")
parser.add_argument("--compile-only", action="store_true",
                    help="name the plans; needs no GPU with "
                    "--option=--device-profile=h200")
arguments = parser.parse_args()
sys.path[:0] = [str(arguments.root / "test/inputs"),
                str(arguments.root / "test/bench")]
import paired  # noqa: E402
import problem_list  # noqa: E402
import problems  # noqa: E402

PLANS = {"default": [], "eager": ["--gemm-backends=aten",
                                  "--conv-backends=aten"]}


def models(folder, listed):
    """{model: its problems}, of one dtype each."""
    made = {}
    for dtype in problem_list.DTYPES:
        mine = [p for p in listed if p[1] == dtype]
        for i in range(0, len(mine), arguments.chunk):
            chunk = mine[i:i + arguments.chunk]
            path = folder / f"m{len(made)}.mlir"
            weights = {}
            texts = [writer(weights) for _, _, writer in chunk]
            path.write_text("\n".join(["module {", *texts, "}\n"]))
            problems.write_weights(path.with_suffix(".safetensors"), weights,
                                   dtype, 0)
            made[path] = chunk
    return made


def compile_plan(job):
    """(artifact, "") or (None, why) of a model and a plan's name."""
    model, plan = job
    artifact = model.with_suffix(f".{plan}.minic")
    status, text = common.run(
        arguments.root / "bin/minic", f"--target={arguments.target}",
        "--tune-db=none", "--shipped-db=off", *PLANS[plan], *arguments.option, model, "-o",
        artifact, timeout=200)
    return (artifact, "") if status == 0 else (None, common.last_line(text))


def choices(artifact):
    """{function: what the plan runs}."""
    _, text = common.run(arguments.root / "bin/minic", "explain", artifact)
    blocks = re.split(r"^function (\S+),", text, flags=re.M)
    return {name.lstrip("@"): re.findall(
        r"chosen by \w+: ((?:aten|library-fused|cudnn|generated) [^,\n]+)", block)
            for name, block in zip(blocks[1::2], blocks[2::2])}


def compare(symbol, default, eager):
    """(row, "") or (None, why)."""
    path = pathlib.Path(scratch.name) / "bench.json"
    status, text = common.run(
        arguments.root / "bin/minic-bench", default, f"--compare={eager}",
        f"--function={symbol}", f"--rounds={arguments.rounds}",
        f"--json={path}", timeout=60)
    if status != 0:
        return None, f"minic-bench: {common.last_line(text)}"
    a, b = json.loads(path.read_text())["artifacts"]
    ratio, low, high = paired.ratio(a["samples_us"], b["samples_us"])
    return {"problem": symbol, "default_us": a["median_us"],
            "eager_us": b["median_us"], "ratio": ratio, "low": low,
            "high": high, "missed": low > LIMIT}, ""


def run_model(chunk, artifacts, rows, failures):
    (default, why), (eager, why_eager) = artifacts
    chosen = choices(default) if default else {}
    for symbol, _, _ in chunk:
        if time.monotonic() - start > arguments.limit_s:
            return
        row, reason = None, why or why_eager
        if arguments.compile_only and default and eager:
            print(f"{symbol:36}{'; '.join(chosen.get(symbol, ['?']))}")
            rows.append({"problem": symbol, "missed": False})
            continue
        if default and eager:
            row, reason = compare(symbol, default, eager)
        if row is None:
            failures[symbol] = reason
            print(f"{symbol}: FAILED: {reason}", flush=True)
            continue
        row["choices"] = chosen.get(symbol, [])
        rows.append(row)
        print(f"{symbol:36}{row['eager_us']:10.2f}{row['default_us']:10.2f}"
              f"{row['ratio']:8.3f} [{row['low']:.3f}, {row['high']:.3f}] "
              f"{'MISSED ' if row['missed'] else ''}"
              f"{'; '.join(row['choices'])}", flush=True)


start = time.monotonic()
scratch = tempfile.TemporaryDirectory()
listed = []
if arguments.problems != "default":
    listed += problem_list.unaligned_problems()
if arguments.problems != "unaligned":
    listed += problem_list.all_problems()
made = models(pathlib.Path(scratch.name), listed)
jobs = [(model, plan) for model in made for plan in PLANS]
with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
    compiled = dict(zip(jobs, pool.map(compile_plan, jobs)))
print(f"{len(made)} models compiled twice in {time.monotonic() - start:.0f} s\n"
      f"{'':36}{'eager':>10}{'default':>10}{'ratio':>8}  us back to back",
      flush=True)
rows, failures = [], {}
for model, chunk in made.items():
    run_model(chunk, [compiled[model, plan] for plan in PLANS], rows, failures)

missed = [row for row in rows if row["missed"]]
done = {row["problem"] for row in rows} | set(failures)
skipped = [symbol for symbol, _, _ in listed if symbol not in done]
print("=====")
for row in missed:
    print(f"MISSED: {row['problem']}: {row['ratio']:.3f} "
          f"[{row['low']:.3f}, {row['high']:.3f}]")
for symbol, why in failures.items():
    print(f"FAILED: {symbol}: {why[:160]}")
if skipped:
    print(f"not run: over {arguments.limit_s:g} s: {', '.join(skipped)}")
outcome = (f"{len(rows)} of {len(listed)} compiled, nothing measured"
           if arguments.compile_only else
           f"{len(rows) - len(missed)} of {len(listed)} within {LIMIT:.2f} of "
           f"eager execution's calls, {len(missed)} missed")
print(f"{outcome}, {len(failures)} failed, {len(skipped)} not run; "
      f"{time.monotonic() - start:.0f} s")
common.write_json(arguments.out / "eager.json",
                  {"rows": rows, "failed": failures, "not_run": skipped})
sys.exit(1 if missed or failures or not rows else 0)
