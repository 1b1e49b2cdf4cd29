# SPDX-License-Identifier: Apache-2.0
"""Time of max-autotune: cold and warm for the small MLP, cold for a model of
24 distinct problems. Limits: 10 s, 0.5 s, 60 s."""

import pathlib
import re
import sys
import tempfile
import time

import common

parser = common.parser(__doc__)
parser.add_argument("--limit-s", type=float, default=400)
parser.add_argument("--timeout-s", type=float, default=200,
                    help="of one compilation")
parser.add_argument("--option", action="append", default=[],
                    help="of minic")
arguments = parser.parse_args()
begin = time.monotonic()
sys.path.insert(0, str(arguments.root / "test/inputs"))
import problems  # noqa: E402

TWENTY_FOUR = [(m, n, k) for m in (1, 16, 128, 512)
               for n, k in ((1024, 1024), (4096, 1024), (1024, 4096),
                            (3072, 768), (768, 768), (1280, 3420))]


def compiled(model, database):
    """(seconds, status, where the tuner's time went)."""
    start = time.monotonic()
    status, text = common.run(
        arguments.root / "bin/minic", "--target=cuda", "--mode=max-autotune",
        f"--tune-db={database}", *arguments.option, model, "-o",
        model.with_suffix(".minic"), "--log=autotuning,graphs",
        timeout=max(1, min(arguments.timeout_s, left())))
    elapsed = time.monotonic() - start
    with open(arguments.out / "tuning.log", "a") as log:
        log.write(f"===== {model.name}: {elapsed:.2f} s\n{text}\n")
    if status != 0:
        return elapsed, status, common.last_line(text)
    tuned = [[float(x) for x in found] for found in re.findall(
        r"^tuned in ([0-9.]+) s \(list ([0-9.]+), load ([0-9.]+), verify "
        r"([0-9.]+), measure ([0-9.]+), wait ([0-9.]+); build ([0-9.]+) core-s"
        r"\) over ([0-9]+) candidates", text, re.M)]
    if not tuned:
        return elapsed, status, "nothing tuned"
    total, listed, load, verify, measure, wait, build, candidates = map(
        sum, zip(*tuned))
    return elapsed, status, (
        f"{len(tuned)} problems, {candidates:.0f} candidates in {total:.1f} s: "
        f"list {listed:.1f}, load {load:.1f}, verify {verify:.1f}, measure "
        f"{measure:.1f}, wait {wait:.1f}; build {build:.1f} core-s")


def left():
    return arguments.limit_s - (time.monotonic() - begin)


failed, rows = 0, []
with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    cases = []
    for dtype in ("bf16", "f32"):
        model = folder / f"mlp_{dtype}.mlir"
        t = "tensor<{}x" + dtype + ">"
        x, w, b = t.format("256x1024"), t.format("1024x1024"), t.format("1024")
        lines = [f"func.func @main(%x: {x}) -> {x} {{"]
        for i in (0, 1):
            lines += [f'  %w{i} = graph.constant @"w{i}" : {w}',
                      f'  %b{i} = graph.constant @"b{i}" : {b}']
        lines += [f"  %0 = graph.linear %x, %w0, %b0 : ({x}, {w}, {b}) -> {x}",
                  f"  %1 = graph.relu %0 : {x}",
                  f"  %2 = graph.linear %1, %w1, %b1 : ({x}, {w}, {b}) -> {x}",
                  f"  return %2 : {x}", "}", ""]
        model.write_text("\n".join(lines))
        problems.write_weights(
            model.with_suffix(".safetensors"),
            {f"{k}{i}": [1024, 1024] if k == "w" else [1024]
             for i in (0, 1) for k in "wb"}, dtype, 0)
        cases += [(f"MLP 256x1024 {dtype}, cold", model, 10.0),
                  (f"MLP 256x1024 {dtype}, warm", model, 0.5),
                  (f"MLP 256x1024 {dtype}, warm again", model, 0.5)]
    many = folder / "many.mlir"
    functions = {f"f{m}": [p for p in TWENTY_FOUR if p[0] == m]
                 for m in (1, 16, 128, 512)}
    problems.write_model(many, functions, "bf16")
    cases += [("24 distinct problems, cold", many, 60.0),
              ("24 distinct problems, warm", many, None)]
    for what, model, limit in cases:
        if left() <= 0:
            print(f"{what:32}not run: over {arguments.limit_s:g} s")
            failed += 1
            continue
        elapsed, status, note = compiled(model,
                                         folder / (model.stem + ".db"))
        if status == 0 and "warm" in what:
            note = ""  # its tables are of what the cold run tuned
        missed = status != 0 or (limit is not None and elapsed > limit)
        failed += missed
        rows.append({"what": what, "seconds": elapsed, "limit": limit,
                     "status": status, "note": note})
        print(f"{what:32}{elapsed:8.2f} s   limit {limit or '-'} s"
              f"{'   MISSED' if missed else ''}   {note}", flush=True)
common.write_json(arguments.out / "tuning.json", rows)
sys.exit(1 if failed else 0)
