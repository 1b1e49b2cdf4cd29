# SPDX-License-Identifier: Apache-2.0
"""Builds examples/inference/two_streams.cpp with this machine's compiler and runs
it on a chain of kernels that each leave most of the GPU idle: requests on two
streams have to overlap."""

import re
import shutil
import sys
import tempfile

import common

LAYERS, SIZE = 16, 64
# Of the time of one stream that two may take; 0.5 is perfect overlap.
MOST = 0.8

parser = common.parser(__doc__)
parser.add_argument("--option", action="append", default=[], help="of minic")
arguments = parser.parse_args()
root = arguments.root
compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
if not compiler:
    print("not run: there is no C++ compiler")
    sys.exit(0)

X, W = f"tensor<1x{SIZE}xf32>", f"tensor<{SIZE}x{SIZE}xf32>"
lines = [f"func.func @main(%y0: {X}) -> {X} {{",
         f"  %w = graph.constant dense<0.015625> : {W}"]
for i in range(LAYERS):
    lines += [f"  %l{i} = graph.linear %y{i}, %w : ({X}, {W}) -> {X}",
              f"  %y{i + 1} = graph.tanh %l{i} : {X}"]
lines += [f"  return %y{LAYERS} : {X}", "}"]


def must(what, *command):
    status, text = common.run(*command, timeout=200)
    if status != 0:
        print(f"{what}: FAILED ({status}): {common.last_line(text)}")
        sys.exit(1)
    return text


with tempfile.TemporaryDirectory() as scratch:
    model = common.pathlib.Path(scratch) / "chain.mlir"
    model.write_text("\n".join(lines) + "\n")
    artifact, program = model.with_suffix(".minic"), model.with_suffix("")
    must("minic", root / "bin/minic", "--target=cuda",
         "--mode=reduce-overhead", *arguments.option, model, "-o", artifact)
    must(compiler, compiler, "-std=c++17", "-O2", f"-I{root / 'include'}",
         root / "examples/inference/two_streams.cpp",
         f"-L{root / 'lib'}", "-lminic_runtime",
         "-Wl,--allow-shlib-undefined", "-ldl", "-o", program)
    ratios = []
    for _ in range(5):
        text = must("two_streams", program, artifact).strip()
        print(text, flush=True)
        one, two = map(float, re.findall(r"([0-9.]+) us", text))
        ratios.append(two / one)
ratio = sorted(ratios)[len(ratios) // 2]
verdict = "overlap" if ratio <= MOST else "FAILED: do not overlap"
print(f"two streams take {ratio:.2f} of the time of one (at most {MOST}): "
      f"{verdict}")
common.write_json(arguments.out / "streams.json", {"ratios": ratios})
sys.exit(0 if ratio <= MOST else 1)
