# SPDX-License-Identifier: Apache-2.0
"""Where the time of runs goes, by minic-bench --trace: a model's commands timed by
CUPTI, then by events, and what ranges for profilers cost.

Fails where CUPTI is not used, where a command has no time, or where busy time and
gaps do not add up to the span within 5 %."""

import json
import os
import pathlib
import sys
import tempfile

import common

parser = common.parser(__doc__)
parser.add_argument("--target", default="cuda", choices=("cuda", "cpu"))
parser.add_argument("--model", default="bert")
parser.add_argument("--size", default="base", choices=("base", "tiny"))
parser.add_argument("--dtype", default="bf16")
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--option", action="append", default=[], help="of minic")
arguments = parser.parse_args()
BIN = arguments.root / "bin"
common.find_library("MINIC_CUPTI_LIBRARY", "libcupti.so.13")
failed, results = [], {}


def need(status, text, what):
    if status != 0:
        sys.exit(f"trace: {what}: {common.last_line(text)}")
    return text


def check(name, traced):
    works = sorted((c["begin_us"], c["end_us"]) for c in traced["commands"])
    busy = end = 0
    for begin, finish in works:
        busy += max(0, finish - max(end, begin))
        end = max(end, finish)
    gaps = 0
    end = 0
    for begin, finish in works:
        gaps += max(0, begin - end)
        end = max(end, finish)
    gaps += max(0, traced["span_us"] - end)
    if abs(busy + gaps - traced["span_us"]) > 0.05 * traced["span_us"]:
        failed.append(f"{name}: busy {busy:.1f} and gaps {gaps:.1f} us are not "
                      f"the span of {traced['span_us']:.1f} us")
    if any(finish <= begin for begin, finish in works):
        failed.append(f"{name}: a command without a time")
    results[name] = {key: traced[key] for key in (
        "clock", "span_us", "busy_us", "untraced_us")}
    results[name]["commands"] = len(works)


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    model = folder / "model.mlir"
    need(*common.run(sys.executable, arguments.root / "examples/models/models.py",
                     arguments.model, f"--size={arguments.size}",
                     f"--dtype={arguments.dtype}", "-o", model), "model")
    need(*common.run(BIN / "minic", f"--target={arguments.target}", model,
                     f"--tune-db={folder / 'none.db'}", *arguments.option,
                     timeout=120), "minic")
    artifact = model.with_suffix(".minic")
    for name, environment, options in (
            ("CUPTI", {}, []), ("events", {"MINIC_CUPTI_LIBRARY": "off"}, []),
            ("nvtx", {}, ["--nvtx"])):
        if arguments.target == "cpu" and name == "events":
            continue
        run = folder / "run.json"
        text = need(*common.run(
            BIN / "minic-bench", artifact, f"--rounds={arguments.rounds}",
            f"--trace={run}", *options, env=os.environ | environment,
            timeout=120), name)
        print(f"===== {name}\n" + "\n".join(text.splitlines()[-14:]), flush=True)
        check(name, json.loads(run.read_text())["minic"]["artifacts"][0])
if arguments.target == "cuda" and results["CUPTI"]["clock"] != "CUPTI":
    failed.append("CUPTI was not used: " + results["CUPTI"]["clock"])
for name, row in results.items():
    print(f"{name:8}{row['commands']:5} commands, {row['span_us']:.1f} us, busy "
          f"{row['busy_us']:.1f} us by {row['clock']}; untraced "
          f"{row['untraced_us']:.1f} us")
for line in failed:
    print(f"FAILED: {line}")
common.write_json(arguments.out / "trace.json", results)
sys.exit(1 if failed else 0)
