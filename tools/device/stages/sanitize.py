# SPDX-License-Identifier: Apache-2.0
"""compute-sanitizer's memcheck, racecheck and initcheck over every generated
kernel family at small shapes: linear+relu from one row to 130, and a function of
test/inputs/kernels.mlir for each way in which kernels read, multiply and add."""

import pathlib
import re
import shutil
import sys
import tempfile
import time

import common

parser = common.parser(__doc__)
parser.add_argument("--tools", nargs="*",
                    default=["memcheck", "racecheck", "initcheck"])
parser.add_argument("--limit-s", type=float, default=520)
parser.add_argument("--option", action="append", default=[])
arguments = parser.parse_args()
begin = time.monotonic()
sanitizer = shutil.which("compute-sanitizer") or next(
    (str(p) for p in pathlib.Path("/usr/local").glob(
        "cuda*/bin/compute-sanitizer")), None)
if not sanitizer:
    print("not run: there is no compute-sanitizer")
    sys.exit(0)

sys.path.insert(0, str(arguments.root / "test/inputs"))
import problems  # noqa: E402

# One small problem for each family and dtype that a schedule can take.
SHAPES = [(1, 257, 264), (7, 65, 127), (37, 129, 200), (130, 136, 65)]
KERNELS = arguments.root / "test/inputs/kernels.mlir"
failed, ran, left = 0, 0, []


def compile_model(model, artifact, *options):
    """Its functions; none where it does not compile."""
    global failed
    status, text = common.run(
        arguments.root / "bin/minic", "--target=cuda",
        "--gemm-backends=generated", "--conv-backends=generated", *options,
        *arguments.option, model, "-o", artifact)
    if status != 0:
        print(f"{model.stem}: FAILED to compile: {common.last_line(text)}")
        failed += 1
        return {}
    return dict.fromkeys(re.findall(r"^  @(\w+) \S.*: generated", text, re.M))


def sanitize(artifact, function, tool):
    global failed, ran
    what = f"{artifact.stem} {function} {tool}"
    if time.monotonic() - begin > arguments.limit_s:
        left.append(what)
        return
    status, text = common.run(
        sanitizer, "--tool", tool, "--error-exitcode=9",
        *(["--report-api-errors=no"] if tool == "memcheck" else []),
        arguments.root / "bin/minic-run", artifact,
        f"--function={function}", "--seed=3", timeout=120)
    if "Device not supported" in text:
        print("not run: compute-sanitizer does not support this device here")
        sys.exit(0)
    ran += 1
    if status != 0:
        failed += 1
        (arguments.out / f"{what.replace(' ', '.')}.log").write_text(text)
        print(f"{what}: FAILED ({status}): {common.last_line(text)}")
        print("\n".join(text.splitlines()[:12]))


with tempfile.TemporaryDirectory() as scratch:
    models = [
        (KERNELS, pathlib.Path(scratch) / "kernels.minic"),
        (KERNELS, pathlib.Path(scratch) / "kernels_tf32.minic",
         "--float32-precision=tf32", "--function=long,one_row_f32")]
    for dtype in ("f32", "bf16", "f16"):
        for shape in SHAPES:
            model = problems.write(scratch, *shape, dtype)
            models.append((model, model.with_suffix(".minic")))
    for model, artifact, *options in models:
        for function in compile_model(model, artifact, *options):
            for tool in arguments.tools:
                sanitize(artifact, function, tool)
print(f"{failed} of {ran} sanitizer runs failed")
if left:
    print(f"not run: over {arguments.limit_s:g} s: {', '.join(left)}")
sys.exit(1 if failed or left else 0)
