# SPDX-License-Identifier: Apache-2.0
"""compute-sanitizer's memcheck, racecheck and initcheck over every generated
kernel family at small shapes."""

import pathlib
import shutil
import sys
import tempfile

import common

parser = common.parser(__doc__)
parser.add_argument("--tools", nargs="*",
                    default=["memcheck", "racecheck", "initcheck"])
parser.add_argument("--option", action="append", default=[])
arguments = parser.parse_args()
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
failed, ran = 0, 0
with tempfile.TemporaryDirectory() as scratch:
    for dtype in ("f32", "bf16", "f16"):
        for shape in SHAPES:
            model = problems.write(scratch, *shape, dtype)
            artifact = model.with_suffix(".minic")
            status, text = common.run(
                arguments.root / "bin/minic", "--target=cuda",
                "--gemm-backends=generated", *arguments.option, model, "-o",
                artifact)
            if status != 0:
                print(f"{model.stem}: FAILED to compile: "
                      f"{common.last_line(text)}")
                failed += 1
                continue
            for tool in arguments.tools:
                status, text = common.run(
                    sanitizer, "--tool", tool, "--error-exitcode=9",
                    *(["--report-api-errors=no"] if tool == "memcheck"
                      else []),
                    arguments.root / "bin/minic-run", artifact, "--seed=3",
                    timeout=120)
                if "Device not supported" in text:
                    print("not run: compute-sanitizer does not support this "
                          "device here")
                    sys.exit(0)
                ran += 1
                if status != 0:
                    failed += 1
                    (arguments.out / f"{model.stem}.{tool}.log").write_text(
                        text)
                    print(f"{model.stem} {tool}: FAILED ({status}): "
                          f"{common.last_line(text)}")
                    print("\n".join(text.splitlines()[:12]))
print(f"{failed} of {ran} sanitizer runs failed")
sys.exit(1 if failed else 0)
