# SPDX-License-Identifier: Apache-2.0
"""Makes a model of the CPU benchmark once, in a process of its own: weights and
inputs as minic reads them, the same model as ONNX, and what float64 gives.

    cpu_export.py WORKLOAD FOLDER

writes model.mlir, model.safetensors, input.safetensors, opset20.onnx and
opset23.onnx with their weights beside them, expected.npy, and export.json: the
error of PyTorch in float32, which others' are compared with. In FOLDER/bf16 lies the
same model in bf16: others round the weights themselves.
"""

import dataclasses
import json
import pathlib
import sys

import numpy
import torch
from safetensors.torch import load_file

import model_workloads

#: The first that has Gelu; the first that has Attention, which the other export
#: writes as products and a softmax.
OPSETS = (20, 23)


def load(workload, folder):
    """The PyTorch module and its inputs, in order."""
    tensors = load_file(folder / "model.safetensors")
    inputs = load_file(folder / "input.safetensors")
    return (workload.torch_module(tensors),
            tuple(inputs[name] for name in workload.input_names))


def wide(x):
    return x.double() if x.is_floating_point() else x


def error(got, expected):
    """|got - expected| / |expected| of NumPy arrays, in float64."""
    got = got.astype(numpy.float64).reshape(expected.shape)
    return float(numpy.linalg.norm(got - expected)
                 / numpy.linalg.norm(expected))


def export(workload, folder):
    workload.write(folder)
    (folder / "bf16").mkdir(exist_ok=True)
    dataclasses.replace(workload, dtype="bf16").write(folder / "bf16")
    module, inputs = load(workload, folder)
    for opset in OPSETS:
        torch.onnx.export(module, inputs, folder / f"opset{opset}.onnx",
                          dynamo=True, opset_version=opset, external_data=True,
                          input_names=workload.input_names)
    with torch.no_grad():
        eager = module(*inputs).numpy()
        expected = module.double()(*map(wide, inputs)).numpy()
    numpy.save(folder / "expected.npy", expected)
    (folder / "export.json").write_text(json.dumps(
        {"eager_error": error(eager, expected)}))


def main():
    workload = model_workloads.CPU_MODELS[sys.argv[1]]
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    export(workload, folder)


if __name__ == "__main__":
    main()
