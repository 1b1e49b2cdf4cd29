# SPDX-License-Identifier: Apache-2.0
"""max-autotune beside default over at least 60 problems, interleaved: it is
never slower. Where memory lies makes one and the same plan a few percent slower or
faster, as rows of equal plans show. So a row whose 95 % interval of the paired ratio
of back-to-back times lies wholly above one is looked at again as a model of its own,
and is missed when that is so with either artifact loaded first (judging.py).

Problems are functions of a few models, which are compiled for default side by
side first; then each model is tuned and its functions are timed while nothing
else runs."""

import concurrent.futures
import json
import math
import pathlib
import re
import sys
import tempfile
import time

import common
import judging

parser = common.parser(__doc__)
parser.add_argument("--part", default="1/1", metavar="I/N",
                    help="every Nth problem, starting with the Ith")
parser.add_argument("--drawn", type=int, metavar="SEED",
                    help="30 linears of random sizes instead")
parser.add_argument("--only", nargs="*", default=[],
                    help="problems whose name contains one of these")
parser.add_argument("--limit-s", type=float, default=560,
                    help="what is left by then is not run")
parser.add_argument("--rounds", type=int, default=31)
parser.add_argument("--chunk", type=int, default=8, help="problems of a model")
parser.add_argument("--jobs", type=int, default=6)
parser.add_argument("--list", action="store_true", help="only name problems")
parser.add_argument("--option", action="append", default=[],
                    help="of minic, in both modes")
arguments = parser.parse_args()
sys.path[:0] = [str(arguments.root / "test/inputs"),
                str(arguments.root / "test/bench")]
import paired  # noqa: E402
import problem_list  # noqa: E402
import problems  # noqa: E402


def chunks(listed):
    """Models of at most --chunk problems of one dtype."""
    for dtype in problem_list.DTYPES:
        mine = [p for p in listed if p[1] == dtype]
        for i in range(0, len(mine), arguments.chunk):
            yield mine[i:i + arguments.chunk]


def write(path, chunk):
    weights = {}
    texts = [writer(weights) for _, _, writer in chunk]
    path.write_text("\n".join(["module {", *texts, "}\n"]))
    problems.write_weights(path.with_suffix(".safetensors"), weights,
                           chunk[0][1], 0)


def compile_model(model, mode, functions=None, timeout=300):
    """(artifact, "") or (None, why). Default with an empty database, not with
    what tuning found here or elsewhere."""
    one = f".{functions[0]}" if functions else ""
    artifact = model.with_suffix(f".{mode}{one}.minic")
    status, text = common.run(
        arguments.root / "bin/minic", "--target=cuda", f"--mode={mode}",
        f"--tune-db={model.with_suffix(f'.{mode}.db')}", "--shipped-db=off",
        model, "-o", artifact,
        *([f"--function={','.join(functions)}"] if functions else []),
        *arguments.option, timeout=max(1, timeout))
    return (artifact, "") if status == 0 else (
        None, f"{mode}: {common.last_line(text)}")


def plans(artifact):
    """{function: what `minic explain` says it runs}."""
    _, text = common.run(arguments.root / "bin/minic", "explain", artifact)
    blocks = re.split(r"^function (\S+),", text, flags=re.M)
    return {name.lstrip("@"): re.findall(
        r"^ +(?:implemented by|commands:) .*", block, re.M)
        for name, block in zip(blocks[1::2], blocks[2::2])}


def way(series):
    """How minic-bench's runs reached the GPU; the first one of a graph launches
    and captures."""
    graph = series.get("graph", {"replays": 0})
    if not graph["replays"]:
        return "stream"
    return "when idle" if graph["plain_runs"] > 1 else "graph"


def compare(symbol, tuned, default, rounds, default_first=False):
    """(row, "") or (None, why)."""
    path = pathlib.Path(scratch.name) / "bench.json"
    status, text = common.run(
        arguments.root / "bin/minic-bench",
        *((default, f"--compare={tuned}") if default_first
          else (tuned, f"--compare={default}")),
        f"--function={symbol}", f"--rounds={rounds}", f"--json={path}",
        timeout=60)
    if status != 0:
        return None, f"minic-bench: {common.last_line(text)}"
    a, b = json.loads(path.read_text())["artifacts"][::-1 if default_first
                                                     else 1]
    ratio, low, high = paired.ratio(a["samples_us"], b["samples_us"])
    call, _, _ = paired.ratio(a["call_samples_us"], b["call_samples_us"])
    return {"problem": symbol, "tuned_us": a["median_us"],
            "default_us": b["median_us"], "ratio": ratio, "low": low,
            "high": high, "call_ratio": call, "ways": [way(a), way(b)]}, ""


def judge(symbol, tuned, default, equal):
    row, why = compare(symbol, tuned, default, arguments.rounds)
    if row is None:
        return row, why
    row["verdict"] = judging.judge_row(
        row, equal and row["ways"][0] == row["ways"][1])
    return row, why


def judge_alone(model, symbol):
    """The same of a model of this function alone."""
    artifacts = []
    for mode in ("max-autotune", "default"):
        artifact, why = compile_model(model, mode, [symbol], left())
        if not artifact:
            return None, why
        artifacts.append(artifact)
    looks = []
    for default_first in (False, True):
        row, why = compare(symbol, *artifacts, 2 * arguments.rounds,
                           default_first)
        if row is None:
            return row, why
        looks.append(row)
    row = judging.shown(*looks)
    tuned, default = (plans(artifact).get(symbol) for artifact in artifacts)
    verdict = judging.judge_looks(
        *looks, tuned == default and row["ways"][0] == row["ways"][1])
    return row | {"looks": looks, "verdict": verdict}, ""


def left():
    return arguments.limit_s - (time.monotonic() - start)


def run_chunk(model, chunk, default, rows, failures):
    """Tunes a model, or one function after the other where that fails."""
    default, why = default
    tuned = None
    if default:
        tuned, why = compile_model(model, "max-autotune", timeout=left())
    before, after = (plans(a) if a else {} for a in (default, tuned))
    for symbol, _, _ in chunk:
        if left() <= 0:
            return
        mine, theirs = tuned, default
        if not tuned:  # one of them fails
            theirs, why = compile_model(model, "default", [symbol], left())
            if theirs:
                mine, why = compile_model(model, "max-autotune", [symbol],
                                          left())
        row = None
        if mine and theirs:
            equal = bool(after) and after.get(symbol) == before.get(symbol)
            row, why = judge(symbol, mine, theirs, equal)
            if row is not None and row["verdict"] == "slower":
                row, why = judge_alone(model, symbol)
        if row is None:
            failures[symbol] = why
            print(f"{symbol}: FAILED: {why}", flush=True)
            continue
        rows.append(row)
        print(f"{symbol:36}{row['default_us']:10.2f}{row['tuned_us']:10.2f}"
              f"   {judging.ratio_text(row)}"
              f"{row['call_ratio']:8.3f}"
              f" {row['ways'][0]:9} {row['verdict']}",
              flush=True)
        common.write_json(arguments.out / "default.json",
                          {"rows": rows, "failed": failures})


part, parts = map(int, arguments.part.split("/"))
everything = list(problem_list.all_problems() if arguments.drawn is None
                  else problem_list.drawn_problems(arguments.drawn, 30))
listed = [problem for problem in everything[part - 1::parts]
          if not arguments.only or any(o in problem[0] for o in arguments.only)]
if arguments.list:
    print("\n".join(symbol for symbol, _, _ in listed))
    sys.exit(0)
start = time.monotonic()
scratch = tempfile.TemporaryDirectory()
models = {}
for i, chunk in enumerate(chunks(listed)):
    models[pathlib.Path(scratch.name) / f"m{i}.mlir"] = chunk
    write(pathlib.Path(scratch.name) / f"m{i}.mlir", chunk)
with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
    defaults = dict(zip(models, pool.map(
        lambda m: compile_model(m, "default"), models)))
print(f"{len(models)} models compiled for default in "
      f"{time.monotonic() - start:.0f} s\n{'':36}{'default':>10}{'tuned':>10}"
      f"{'ratio':>8}  us back to back  one call's", flush=True)
rows, failures = [], {}
for model, chunk in models.items():
    if left() > 0:
        run_chunk(model, chunk, defaults[model], rows, failures)

done = {row["problem"] for row in rows} | set(failures)
skipped = [symbol for symbol, _, _ in listed if symbol not in done]
counts = {}
for row in rows:
    counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
print("=====")
print(judging.RULE)
for row in rows:
    if row["verdict"] == "SLOWER":
        print(f"SLOWER: {row['problem']}: {judging.ratio_text(row)}")
for symbol, why in failures.items():
    print(f"FAILED: {symbol}: {why[:160]}")
if rows:
    worst = min(rows, key=lambda row: row["ratio"])
    mean = math.exp(-sum(math.log(row["ratio"]) for row in rows) / len(rows))
    print(f"default mode takes {mean:.3f} times as long as tuned plans in geometric "
          f"mean (wanted {1 / 0.90:.3f}), {1 / worst['ratio']:.3f} at worst "
          f"(wanted {1 / 0.70:.3f}): {worst['problem']}")
if skipped:
    print(f"not run: over {arguments.limit_s:g} s: {', '.join(skipped)}")
print(f"{len(listed)} of {len(everything)} problems, {len(rows)} compared ("
      + ", ".join(f"{n} {v}" for v, n in sorted(counts.items()))
      + f"), {len(failures)} failed, {len(skipped)} not run; "
      f"{time.monotonic() - start:.0f} s")
common.write_json(arguments.out / "default.json",
                  {"rows": rows, "failed": failures, "not_run": skipped})
sys.exit(1 if failures or counts.get("SLOWER") else 0)
