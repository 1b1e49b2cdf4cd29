#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decoding token by token gives what one prefill of all tokens gives.

    decode_steps.py MODEL FOLDER [-- minic options]

compares every step of @decode with @prefill's row of PyTorch in double
precision, within the bound of @prefill: a step rounds no more. Caches begin as
NaN, so that a key that is not there yet shows.
"""

import argparse
import math
import pathlib

import against_torch
import files
from against_torch import BATCH, Case, fail, models, tool

import model_files  # of examples/models


def write(path, dims, values, dtype="f32"):
    model_files.write_npy(path, model_files.Tensor(
        path.stem, dims, dtype, model_files.Values(tuple(values))), 0)


class Decoder:
    def __init__(self, case, artifact, size, cache):
        self.case, self.artifact = case, artifact
        dims = (BATCH, size.key_heads, cache, size.head_size)
        self.files = {name: case.folder / f"{name}.npy"
                      for name in ("key_cache", "value_cache", "hidden",
                                   "position", "result")}
        for name in ("key_cache", "value_cache"):
            write(self.files[name], dims, [math.nan] * math.prod(dims))

    def step(self, position, hidden):
        """`hidden` and the result are [BATCH, 1, width], as lists."""
        paths = self.files
        write(paths["hidden"], (BATCH, 1, len(hidden) // BATCH), hidden)
        write(paths["position"], (), [position], "i64")
        news = {name: self.case.folder / f"new_{name}.npy"
                for name in ("key_cache", "value_cache")}
        tool("minic-run", self.artifact, "--function=decode",
             *(f"--input={name}={paths[name]}" for name in
               ("hidden", "position", "key_cache", "value_cache")),
             f"--output=result={paths['result']}",
             *(f"--output=new_{name}={path}" for name, path in news.items()))
        for name, path in news.items():
            path.replace(paths[name])
        return files.read_npy(paths["result"])[1]


def token(values, dims, position):
    """[B, S, D] at a position, as [B, 1, D]."""
    batch, sequence, width = dims
    return [v for b in range(batch)
            for v in values[(b * sequence + position) * width:][:width]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=("llama", "qwen3"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("options", nargs="*", help="of minic")
    arguments = parser.parse_args()
    name, folder = arguments.model, arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    module = models.build(name, "tiny", BATCH)
    models.write(module, folder / f"{name}.mlir", name,
                 inputs=folder / "inputs")
    artifact = folder / "model.minic"
    prefill, decode = (Case(name, f, folder) for f in module.functions)
    tool("minic", prefill.path, "-o", artifact, *arguments.options)
    expected = prefill.evaluate()["result"]
    dims, exact = prefill.torch("result")
    _, hidden = files.read_npy(folder / "inputs/prefill.hidden.npy")
    decoder = Decoder(decode, artifact, models.MODELS[name].SIZES["tiny"],
                      models.MODELS[name].CACHE["tiny"])
    worst = 0
    for position in range(dims[1]):
        got = decoder.step(position, token(hidden, dims, position))
        for value, right, tolerance in zip(
                got, token(exact, dims, position),
                token(expected.tolerances, dims, position)):
            if not abs(value - right) <= tolerance:  # a NaN is not
                fail(f"{name}: position {position}: expected {right:.9g} "
                     f"within {tolerance:.3g}, got {value:.9g}")
            worst = max(worst, abs(value - right) / tolerance)
    bound = (against_torch.rms(expected.tolerances)
             / against_torch.rms(exact))
    if bound > against_torch.VACUOUS:
        fail(f"{name}: the bound is vacuous: {bound:.3g} of the RMS")
    print(f"{name}: {dims[1]} steps agree with a prefill, error at most "
          f"{worst:.2g} of its tolerance")


if __name__ == "__main__":
    main()
