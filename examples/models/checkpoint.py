#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weights of a real BERT or GPT-2 for the models of this folder.

    checkpoint.py gpt2_cached gpt2/model.safetensors -o gpt2_cached.safetensors

reads a checkpoint as Hugging Face stores it, from disk, and writes the weights
under the names of models.py. Names, shapes and dtypes are checked against the
model's. Needs NumPy and safetensors (.venv has both).
"""

import argparse
import pathlib
import re
import sys

import numpy
import safetensors.numpy

import models

# A name of models.py, as a pattern, and the checkpoint's. Where GPT-2 stores a
# weight as [inputs, outputs], the name begins with "T ".
BERT = {
    r"embeddings\.(word|position|token_type)\.weight":
        r"embeddings.\1_embeddings.weight",
    r"embeddings\.norm\.(\w+)": r"embeddings.LayerNorm.\1",
    r"layer\.(\d+)\.attention\.(query|key|value)\.(\w+)":
        r"encoder.layer.\1.attention.self.\2.\3",
    r"layer\.(\d+)\.attention\.out\.(\w+)":
        r"encoder.layer.\1.attention.output.dense.\2",
    r"layer\.(\d+)\.norm1\.(\w+)":
        r"encoder.layer.\1.attention.output.LayerNorm.\2",
    r"layer\.(\d+)\.up\.(\w+)": r"encoder.layer.\1.intermediate.dense.\2",
    r"layer\.(\d+)\.down\.(\w+)": r"encoder.layer.\1.output.dense.\2",
    r"layer\.(\d+)\.norm2\.(\w+)": r"encoder.layer.\1.output.LayerNorm.\2",
}
GPT2 = {
    r"word\.weight": "wte.weight",
    r"position\.weight": "wpe.weight",
    r"norm\.(\w+)": r"ln_f.\1",
    r"block\.(\d+)\.norm([12])\.(\w+)": r"h.\1.ln_\2.\3",
    r"block\.(\d+)\.attention\.qkv\.(\w+)": r"T h.\1.attn.c_attn.\2",
    r"block\.(\d+)\.attention\.out\.(\w+)": r"T h.\1.attn.c_proj.\2",
    r"block\.(\d+)\.up\.(\w+)": r"T h.\1.mlp.c_fc.\2",
    r"block\.(\d+)\.down\.(\w+)": r"T h.\1.mlp.c_proj.\2",
}
# How the checkpoint's names may begin, and how it is called in old ones.
FAMILIES = {"bert": (BERT, "bert."), "gpt2": (GPT2, "transformer."),
            "gpt2_cached": (GPT2, "transformer.")}
OLD_NAMES = {"LayerNorm.weight": "LayerNorm.gamma",
             "LayerNorm.bias": "LayerNorm.beta"}
DTYPES = {"f32": numpy.float32, "f16": numpy.float16}


def source_name(name, table):
    for pattern, replacement in table.items():
        if re.fullmatch(pattern, name):
            return re.sub(pattern, replacement, name)
    raise KeyError(name)  # a weight of models.py without a row


def find(tensors, name, prefix):
    for candidate in (name, prefix + name):
        for new, old in (("", ""), *OLD_NAMES.items()):
            key = candidate.replace(new, old) if new else candidate
            if key in tensors:
                return tensors[key]
    sys.exit(f"checkpoint.py: error: no tensor '{name}' in the checkpoint")


def convert(model, wanted, tensors):
    """The tensors of `wanted`, model_files.Tensor by name."""
    table, prefix = FAMILIES[model]
    made = {}
    for name, tensor in wanted.items():
        source = source_name(name, table)
        value = find(tensors, source.removeprefix("T "), prefix)
        if source.startswith("T ") and value.ndim == 2:
            value = value.T
        if value.shape != tensor.dims:
            sys.exit(f"checkpoint.py: error: {name}: expected the shape "
                     f"{list(tensor.dims)}, got {list(value.shape)}")
        made[name] = numpy.ascontiguousarray(value, DTYPES[tensor.dtype])
    return made


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=FAMILIES)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("--size", choices=("base", "tiny"), default="base")
    parser.add_argument("--layers", type=models.positive)
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    try:
        tensors = safetensors.numpy.load_file(arguments.checkpoint)
    except Exception as error:
        sys.exit(f"checkpoint.py: error: {arguments.checkpoint}: {error}")
    module = models.build(arguments.model, arguments.size,
                          layers=arguments.layers, dtype=arguments.dtype)
    made = convert(arguments.model, module.weights, tensors)
    safetensors.numpy.save_file(made, arguments.output)
    print(f"wrote {arguments.output}, {len(made)} tensors")


if __name__ == "__main__":
    main()
