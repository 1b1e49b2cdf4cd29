#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what PyTorch computes in double precision for the tiny models, into
expected/, which is committed: MODEL.FUNCTION.RESULT.npy in float64.

    pip install torch torchvision numpy safetensors
    python3 test/models/torch_outputs.py [MODEL ...]

expected/versions.txt says what wrote them, and the error of PyTorch's own f32,
as root mean square of the difference over that of the output. Lines of models that
are not asked for stay.
"""

import pathlib
import sys
import tempfile

import numpy
import torch
from safetensors.torch import load_file

import torch_images
import torch_models

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/models"))
import models  # noqa: E402

BATCH = 2
MODELS = {**torch_models.MODELS, **torch_images.MODELS}


def floats(tensors, dtype):
    return {name: value.to(dtype) if value.is_floating_point() else value
            for name, value in tensors.items()}


def evaluate(name, weights, inputs, function, dtype):
    model = MODELS[name](floats(weights, dtype),
                         models.MODELS[name].SIZES["tiny"])
    with torch.no_grad():
        return getattr(model, function)(**floats(inputs, dtype))


def rms(x):
    return float(x.double().square().mean().sqrt())


def main():
    folder = HERE / "expected"
    folder.mkdir(exist_ok=True)
    names = sys.argv[1:] or list(MODELS)
    versions = folder / "versions.txt"
    lines = [line for line in versions.read_text().splitlines()
             if sys.argv[1:] and line.split(".")[0] not in names]
    lines.append(f"torch {torch.__version__}, numpy {numpy.__version__}: "
                 + ", ".join(names))
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            path = pathlib.Path(scratch) / f"{name}.mlir"
            module = models.build(name, "tiny", BATCH)
            models.write(module, path, name, inputs=path.parent / name)
            weights = load_file(path.with_suffix(".safetensors"))
            for function in module.functions:
                inputs = {
                    i.name: torch.from_numpy(numpy.load(
                        path.parent / name / f"{function.name}.{i.name}.npy"))
                    for i in function.inputs}
                exact, single = (
                    evaluate(name, weights, inputs, function.name, dtype)
                    for dtype in (torch.float64, torch.float32))
                for result, value in exact.items():
                    title = f"{name}.{function.name}.{result}"
                    numpy.save(folder / f"{title}.npy",
                               value.contiguous().numpy())
                    error = rms(single[result] - value) / rms(value)
                    lines.append(f"{title} {error:.3e}")
    versions.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
