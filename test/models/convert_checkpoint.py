#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/models/checkpoint.py gives back the weights of a model that were
written under a checkpoint's names, and refuses what does not fit."""

import pathlib
import subprocess
import sys

import numpy
import safetensors.numpy

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples/models"
sys.path.insert(0, str(EXAMPLES))
import checkpoint  # noqa: E402
import models  # noqa: E402


def as_checkpoint(model, tensors):
    table, prefix = checkpoint.FAMILIES[model]
    made = {}
    for name, value in tensors.items():
        source = checkpoint.source_name(name, table)
        if source.startswith("T ") and value.ndim == 2:
            value = value.T
        source = prefix + source.removeprefix("T ")
        made[source.replace("LayerNorm.weight", "LayerNorm.gamma")] = \
            numpy.ascontiguousarray(value)
    return made


def convert(model, source, output, size="tiny"):
    return subprocess.run(
        [sys.executable, EXAMPLES / "checkpoint.py", model, source,
         f"--size={size}", "-o", output], capture_output=True, text=True)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for model in ("bert", "gpt2_cached"):
        made = folder / f"{model}.mlir"
        models.write(models.build(model, "tiny"), made, model)
        expected = safetensors.numpy.load_file(
            made.with_suffix(".safetensors"))
        source = folder / f"{model}.checkpoint.safetensors"
        tensors = as_checkpoint(model, expected)
        safetensors.numpy.save_file(tensors, source)
        output = folder / f"{model}.converted.safetensors"
        result = convert(model, source, output)
        if result.returncode != 0:
            sys.exit(result.stderr)
        got = safetensors.numpy.load_file(output)
        if got.keys() != expected.keys() or not all(
                numpy.array_equal(got[name], expected[name])
                for name in expected):
            sys.exit(f"{model}: other weights came back")
        print(f"{model}: {len(got)} weights came back")
        output.unlink()
        print(convert(model, source, output, "base").stderr.strip())
        tensors.pop(next(iter(tensors)))
        safetensors.numpy.save_file(tensors, source)
        print(convert(model, source, output).stderr.strip())
        source.write_bytes(b"no checkpoint")
        print(convert(model, source, output).stderr.strip())
        if output.exists():
            sys.exit(f"{model}: a refused checkpoint left a file")


if __name__ == "__main__":
    main()
