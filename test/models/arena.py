#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much larger arenas of models are than what is live in them at once.

    arena.py FOLDER [MODEL:SIZE:LAYERS ...]

plans the models for a CPU and for an H200, from weights of zeros in FOLDER, and
prints the ratio of each function. More than 1.10 is an error. `minic` and
`minic-opt` are those in PATH.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/models"))
import model_files  # noqa: E402
import models  # noqa: E402

MOST = 1.10
TARGETS = {"cpu": [], "h200": ["--target=cuda", "--device-profile=h200"]}


def run(*command):
    done = subprocess.run([str(c) for c in command], text=True,
                          capture_output=True)
    if done.returncode != 0:
        sys.exit(f"arena: {command[0]}: {done.stderr.strip()}")
    return done


def write(case, folder):
    """The text of the model, with weights of zeros beside it."""
    model, size, layers = case.split(":")
    module = models.build(model, size, layers=int(layers) or None)
    text = folder / f"{model}-{size}-{layers}.mlir"
    weights = text.with_suffix(".safetensors")
    text.write_text(module.text("", weights.name))
    model_files.write_safetensors(weights, module.weights.values(), seed=None)
    return text


def ratios(text, options):
    """One for each function that has buffers."""
    plan = text.with_suffix(".plan.mlir")
    run("minic", text, "--compile-to=plan", "-o", plan, *options)
    done = run("minic-opt", plan, "--plan-assign-buffers=remarks", "-o",
               "/dev/null")
    found = re.findall(r"arena of (\d+) bytes .*, (\d+) live at once",
                       done.stderr)
    if not found:
        sys.exit(f"arena: {plan} has no variant")
    return [int(arena) / int(live) for arena, live in found if int(live)]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for case in sys.argv[2:]:
        text = write(case, folder)
        for target, options in TARGETS.items():
            for ratio in ratios(text, options):
                failed |= ratio > MOST
                print(f"{case} {target}: {ratio:.3f}")
    if failed:
        sys.exit(f"arena: expected at most {MOST} times the largest live set")


if __name__ == "__main__":
    main()
