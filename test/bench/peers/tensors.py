# SPDX-License-Identifier: Apache-2.0
"""Weights and input of a workload from a seed, written once for all peers."""

import json
import struct

import workloads


def encode(numpy, values, dtype):
    """float32 values as bytes of `dtype`; bf16 rounds to nearest, even."""
    if dtype == "f32":
        return values.tobytes()
    bits = values.view(numpy.uint32)
    bits = bits + (0x7fff + ((bits >> 16) & 1))
    return (bits >> 16).astype(numpy.uint16).tobytes()


def write(path, shapes, dtype, seed):
    """{name: (dims, scale)} as safetensors, uniform in [-scale, scale)."""
    import numpy  # here: those who only time need none
    generator = numpy.random.default_rng(seed)
    header, blobs, offset = {}, [], 0
    for name, (dims, scale) in shapes.items():
        values = generator.random(dims, dtype=numpy.float32)
        values *= 2 * scale
        values -= scale
        blobs.append(encode(numpy, values, dtype))
        end = offset + len(blobs[-1])
        header[name] = {"dtype": dtype.upper(), "shape": dims,
                        "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(blobs)


def write_workload(folder, workload):
    """model.mlir, model.safetensors and input.safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    if workload.name in workloads.MODELS:
        workload.write(folder)
        return
    write(folder / "model.safetensors", workloads.weights(workload),
          workload.dtype, 0)
    write(folder / "input.safetensors", {"x": (list(workload.input), 1.0)},
          workload.dtype, 1)
    (folder / "model.mlir").write_text(workloads.minic_model(workload))
