# SPDX-License-Identifier: Apache-2.0
"""Time of max-autotune: cold and warm for the small MLP, cold for a model of
24 distinct problems. Limits: 10 s, 0.5 s, 60 s."""

import sys
import tempfile
import time
import pathlib

import common

arguments = common.parser(__doc__).parse_args()
sys.path.insert(0, str(arguments.root / "test/inputs"))
import problems  # noqa: E402

TWENTY_FOUR = [(m, n, k) for m in (1, 16, 128, 512)
               for n, k in ((1024, 1024), (4096, 1024), (1024, 4096),
                            (3072, 768), (768, 768), (1280, 3420))]


def compiled(model, database, *options):
    start = time.monotonic()
    status, text = common.run(
        arguments.root / "bin/minic", "--target=cuda", "--mode=max-autotune",
        f"--tune-db={database}", *options, model, "-o",
        model.with_suffix(".minic"), "--log=autotuning", timeout=300)
    elapsed = time.monotonic() - start
    if status != 0:
        print(text)
    return elapsed, status


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
                  (f"MLP 256x1024 {dtype}, warm", model, 0.5)]
    many = folder / "many.mlir"
    functions = {f"f{m}": [p for p in TWENTY_FOUR if p[0] == m]
                 for m in (1, 16, 128, 512)}
    problems.write_model(many, functions, "bf16")
    cases += [("24 distinct problems, cold", many, 60.0),
              ("24 distinct problems, warm", many, None)]
    for what, model, limit in cases:
        elapsed, status = compiled(model, folder / (model.stem + ".db"))
        missed = status != 0 or (limit is not None and elapsed > limit)
        failed += missed
        rows.append({"what": what, "seconds": elapsed, "limit": limit,
                     "status": status})
        print(f"{what:32}{elapsed:8.2f} s   limit {limit or '-'} s"
              f"{'   MISSED' if missed else ''}", flush=True)
common.write_json(arguments.out / "tuning.json", rows)
sys.exit(1 if failed else 0)
