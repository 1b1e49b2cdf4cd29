#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a well-known network in the graph dialect and random weights for it.

    models.py bert --size=base --batch=8 --sequence=512 --dtype=bf16 -o b.mlir

writes b.mlir and b.safetensors, from a seed; --inputs=DIR also inputs, each as
DIR/FUNCTION.NAME.npy. "tiny" is small enough for tests. README.md says what
the models are.
"""

import argparse
import dataclasses
import functools
import pathlib
import sys

import bert
import calibrate
import clip_vision
import convnext
import efficientnet
import encoder_block
import gpt2
import gpt2_cached
import graph_text
import llama
import llama_cached
import mobilenet
import model_files
import qwen3
import resnet
import swin
import t5
import unet
import vit
import whisper

MODELS = {"bert": bert, "gpt2": gpt2, "gpt2_cached": gpt2_cached, "vit": vit,
          "llama": llama, "llama_cached": llama_cached, "t5": t5,
          "qwen3": qwen3, "resnet": resnet, "mobilenet": mobilenet,
          "efficientnet": efficientnet, "convnext": convnext, "unet": unet,
          "encoder_block": encoder_block, "swin": swin,
          "clip_vision": clip_vision, "whisper": whisper}


def build(model, size="base", batch=1, sequence=None, cache=None, layers=None,
          dtype="f32", module=None):
    """A graph_text.Module, or what is written into another `module`. What is
    None is as usual for the model."""
    family = MODELS[model]
    chosen = family.SIZES[size]
    if layers is not None:
        chosen = dataclasses.replace(chosen, layers=layers)
    module = module or graph_text.Module(dtype)
    module.computed = functools.partial(calibrate.statistics, family, chosen)
    family.build(module, chosen, batch, sequence or family.SEQUENCE[size],
                 cache or getattr(family, "CACHE", {}).get(size))
    return module


def write(module, path, comment, seed=0, inputs=None):
    """Returns the bytes of the weights."""
    for tensor in module.weights.values():
        if isinstance(tensor.content, model_files.Computed):
            tensor.content.of(seed)  # kept; without NumPy nothing is written
    weights = path.with_suffix(".safetensors")
    path.write_text(module.text(comment, weights.name))
    if inputs:
        inputs.mkdir(parents=True, exist_ok=True)
        for function in module.functions:
            for tensor in function.inputs:
                model_files.write_npy(
                    inputs / f"{function.name}.{tensor.name}.npy", tensor,
                    seed)
    return model_files.write_safetensors(weights, module.weights.values(),
                                         seed)


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--size", choices=("base", "tiny"), default="base")
    parser.add_argument("--batch", type=positive, default=1)
    parser.add_argument("--sequence", type=positive,
                        help="tokens (of images: follows from these)")
    parser.add_argument("--cache", type=positive,
                        help="positions of the cache (gpt2_cached, llama, "
                        "llama_cached, qwen3)")
    parser.add_argument("--layers", type=positive,
                        help="of a transformer, instead of the size's (not "
                        "llama, qwen3)")
    parser.add_argument("--dtype", choices=("f32", "bf16", "f16"),
                        default="f32")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--inputs", type=pathlib.Path, metavar="DIR")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    chosen = {key: getattr(arguments, key)
              for key in ("size", "batch", "sequence", "cache", "layers",
                          "dtype")}
    why = unfit(arguments.model, **chosen)
    if why:
        parser.error(why)
    module = build(arguments.model, **chosen)
    said = " ".join(f"--{key}={value}" for key, value in chosen.items()
                    if value is not None)
    try:
        written = write(module, arguments.output,
                        f"examples/models/models.py {arguments.model} {said} "
                        f"--seed={arguments.seed}", arguments.seed,
                        arguments.inputs)
    except ImportError as error:
        parser.error(f"{arguments.model}: {error}")
    print(f"wrote {arguments.output}, {written / 1e6:.1f} MB of weights")


def unfit(model, size, sequence, cache, layers, **_):
    """Why the model cannot be of these sizes, or None."""
    family = MODELS[model]
    most = getattr(family.SIZES[size], "positions", None)
    for what, value in (("sequence", sequence), ("cache", cache)):
        if value and most and value > most:
            return f"--{what}: expected at most {most} positions, got {value}"
    if sequence and family.SEQUENCE[size] is None:
        return f"--sequence: that of {model} follows from the image"
    if cache and not hasattr(family, "CACHE"):
        return f"--cache: {model} has none"
    if layers and not hasattr(family.SIZES[size], "layers"):
        return f"--layers: {model} is one block, or has stages"
    return None


if __name__ == "__main__":
    sys.exit(main())
