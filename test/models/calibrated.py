#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batch norms of examples/models have the statistics of what reaches them.

    calibrated.py FOLDER MODEL

has `minic evaluate` pass the images of calibrate.py through the tiny model, with
the mean and the mean square of each norm's result, without its bias, as further
results: 0 and the square of its scale, but for statistics that are rounded to bf16.
"""

import pathlib
import subprocess
import sys

import numpy

import files

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/models"))
import calibrate  # noqa: E402
import graph_text  # noqa: E402
import model_files  # noqa: E402
import models  # noqa: E402

ROUNDING = 2.0**-8  # of bf16


class Module(graph_text.Module):
    def function(self, name):
        self.functions.append(Function(self, name))
        return self.functions[-1]


class Function(graph_text.Function):
    def input(self, name, dims, content, dtype=None):
        """The calibration's images, under the name of the model's."""
        self.calibration = model_files.Tensor(f"{name}.calibration", dims,
                                              "f32", content)
        return super().input(name, dims, content, dtype)

    def weight(self, name, dims, content, dtype=None):
        value = super().weight(name, dims, content, dtype)
        self.names = {**getattr(self, "names", {}), value: name}
        return value

    def batch_norm(self, x, mean, variance, scale, bias, epsilon):
        y = super().batch_norm(x, mean, variance, scale, bias, epsilon)
        name = self.names[scale].removesuffix(".weight")
        centered = self.binary("sub", y, self.reshape(bias, x.dims[1], 1, 1))
        for what, value in (("mean", centered),
                            ("square", self.binary("mul", centered, centered))):
            self.output(f"{name}.{what}", self.mean(value, [0, 2, 3]))
        return y


def evaluate(module, folder):
    """{result: values}"""
    path, found = folder / "model.mlir", folder / "found"
    models.write(module, path, "norms")
    function, = module.functions
    model_files.write_npy(folder / "images.npy", function.calibration, 0)
    subprocess.run(
        ["minic", "evaluate", path, "--budget=0", f"--expected={found}",
         f"--input={function.inputs[0].name}={folder / 'images.npy'}"],
        check=True, stdout=subprocess.DEVNULL)
    return {name: numpy.array(it.values)
            for name, it in files.read_expected(found).items()}


def values(tensor):
    return numpy.frombuffer(b"".join(tensor.chunks(0)), "<f4").astype("f8")


def check(module, found, name, epsilon):
    """The largest errors of the mean and the square, of what rounding allows."""
    mean, variance, scale = (values(module.weights[f"{name}.{part}"]) for part in
                             ("running_mean", "running_var", "weight"))
    factor = abs(scale) / numpy.sqrt(variance + epsilon)
    off = abs(found[f"{name}.mean"]) / (ROUNDING * abs(mean) * factor + 1e-9)
    square = factor**2 * variance
    allowed = (ROUNDING + ROUNDING**2 * mean**2 / variance) * square + 1e-9
    return max(off.max(), (abs(found[f"{name}.square"] - square)
                           / allowed).max())


def main():
    folder, model = pathlib.Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    family = models.MODELS[model]
    size = family.SIZES["tiny"]
    module = models.build(model, "tiny", calibrate.images(size),
                          module=Module("f32"))
    found = evaluate(module, folder)
    norms = [name.removesuffix(".mean") for name in found
             if name.endswith(".mean")]
    worst = max((check(module, found, name, family.EPSILON), name)
                for name in norms)
    if not norms or worst[0] > 1:
        sys.exit(f"{model}: statistics of {worst[1]} are off by {worst[0]:.3g} "
                 "times what rounding allows")
    print(f"{model}: {len(norms)} norms have the statistics of their inputs")


if __name__ == "__main__":
    main()
