# SPDX-License-Identifier: Apache-2.0
"""The modules that the peers benchmark times, beside the PyTorch of test/models, which
is written another way: tiny, in double precision. A decode step also leaves its key and
value in the caches. Prints a line for each model; needs torch and safetensors."""

import pathlib
import sys
import tempfile

import torch
from safetensors.torch import load_file

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("bench/peers", "models"):
    sys.path.insert(0, str(HERE.parents[2] / folder))
import model_modules  # noqa: E402
import model_workloads  # noqa: E402  adds the path of what follows
import torch_images  # noqa: E402
import torch_models  # noqa: E402
import model_files  # noqa: E402
import models  # noqa: E402


def wide(tensors):
    return {name: x.double() if x.is_floating_point() else x
            for name, x in tensors.items()}


def check(workload, folder):
    size = models.MODELS[workload.model].SIZES["tiny"]
    module = models.build(workload.model, "tiny", batch=2)
    models.write(module, folder / "m.mlir", workload.model)
    function = next(f for f in module.functions
                    if f.name == workload.function)
    model_files.write_safetensors(folder / "i.safetensors", function.inputs, 1)
    weights = wide(load_file(folder / "m.safetensors"))
    inputs = wide(load_file(folder / "i.safetensors"))
    inputs = {i.name: inputs[i.name] for i in function.inputs}
    with torch.no_grad():
        known = torch_models.MODELS | torch_images.MODELS
        expected = getattr(known[workload.model](weights, size),
                           workload.function)(**inputs)
        timed = model_modules.build(workload.model, size, workload.function,
                                    weights)
        found = {next(iter(expected)): timed(*inputs.values())}
    for name in function.in_place:  # written where they are
        found[name] = inputs[function.inputs[function.in_place[name]].name]
    for name, value in found.items():
        error = float((value - expected[name]).norm() / expected[name].norm())
        if not error <= 1e-12:
            sys.exit(f"{workload.name}: {name} differs by {error:.2g}")
    print(f"{workload.model}.{workload.function}: {len(found)} results agree")


with tempfile.TemporaryDirectory() as scratch:
    kinds = {(w.model, w.function): w
             for w in model_workloads.MODELS.values()}
    for workload in kinds.values():
        check(workload, pathlib.Path(scratch))
