# SPDX-License-Identifier: Apache-2.0
"""Values from a seed, and the files that hold them: .safetensors and .npy.

A tensor's values follow from the seed and its name alone, so that a model of
another batch or sequence has the same weights. They are the same on every
machine, with NumPy (fast enough for hundreds of megabytes) and without. Only
statistics of batch norms follow from the whole model, and need NumPy.
"""

import dataclasses
import json
import math
import random
import struct

try:
    import numpy
except ImportError:
    numpy = None

CHUNK = 1 << 20  # values made at a time
BYTES = {"f32": 4, "bf16": 2, "f16": 2, "i32": 4, "i64": 8}
SAFETENSORS = {"f32": "F32", "bf16": "BF16", "f16": "F16", "i32": "I32",
               "i64": "I64"}
NPY = {"f32": "<f4", "bf16": "<u2", "f16": "<f2", "i32": "<i4", "i64": "<i8"}
STRUCT = {"f32": "f", "f16": "e", "i32": "i", "i64": "q"}


@dataclasses.dataclass(frozen=True)
class Uniform:
    """Multiples of 2^-23 in [-1, 1), times `bound`, plus `center`."""
    center: float
    bound: float

    def chunk(self, words):
        if numpy is None:
            return [self.center + self.bound * ((w >> 8) * 2.0**-23 - 1)
                    for w in words]
        return self.center + self.bound * ((words >> 8) * 2.0**-23 - 1)


@dataclasses.dataclass(frozen=True)
class Integers:
    """Integers in [0, `end`)."""
    end: int

    def chunk(self, words):
        if numpy is None:
            return [w * self.end >> 32 for w in words]
        return (words.astype(numpy.uint64) * self.end >> 32).astype(
            numpy.int64)


@dataclasses.dataclass(frozen=True)
class Values:
    """Given in row-major order."""
    values: tuple


@dataclasses.dataclass(frozen=True)
class Computed:
    """From the seed and other tensors."""
    of: object  # of the seed: {name of a tensor: values in row-major order}


@dataclasses.dataclass(frozen=True)
class Tensor:
    name: str
    dims: tuple
    dtype: str
    content: object  # Uniform, Integers, Values or Computed

    @property
    def count(self):
        return math.prod(self.dims)

    @property
    def bytes(self):
        return self.count * BYTES[self.dtype]

    def chunks(self, seed):
        """Its bytes, little-endian, piece by piece."""
        if isinstance(self.content, Values):
            yield encode(self.content.values, self.dtype)
            return
        if isinstance(self.content, Computed):
            yield encode(self.content.of(seed)[self.name], self.dtype)
            return
        stream = random.Random(f"{seed}/{self.name}")
        for first in range(0, self.count, CHUNK):
            data = stream.randbytes(4 * min(CHUNK, self.count - first))
            words = (struct.unpack(f"<{len(data) // 4}I", data)
                     if numpy is None else numpy.frombuffer(data, "<u4"))
            yield encode(self.content.chunk(words), self.dtype)


def encode(values, dtype):
    """Rounded to nearest even: f16 and bf16 after f32."""
    if numpy is None:
        if dtype == "bf16":
            packed = struct.pack(f"<{len(values)}f", *values)
            words = struct.unpack(f"<{len(values)}I", packed)
            return struct.pack(f"<{len(values)}H", *map(bf16, words))
        if dtype == "f16":
            values = struct.unpack(f"<{len(values)}f",
                                   struct.pack(f"<{len(values)}f", *values))
        return struct.pack(f"<{len(values)}{STRUCT[dtype]}", *values)
    array = numpy.asarray(values)
    if dtype == "bf16":
        return bf16(array.astype("<f4").view("<u4")).astype("<u2").tobytes()
    if dtype == "f16":
        array = array.astype("<f4")
    return array.astype(NPY[dtype]).tobytes()


def bf16(word):
    """The upper half of f32 bits, rounded."""
    return (word + 0x7fff + ((word >> 16) & 1)) >> 16


def write_safetensors(path, tensors, seed):
    """Returns the tensors' bytes. Without a seed, None, all are zero: a file
    with a hole, which is there at once."""
    # Wide elements first: every tensor is aligned to its element.
    tensors = sorted(tensors, key=lambda t: -BYTES[t.dtype])
    header, offset = {}, 0
    for tensor in tensors:
        header[tensor.name] = {
            "dtype": SAFETENSORS[tensor.dtype], "shape": list(tensor.dims),
            "data_offsets": [offset, offset + tensor.bytes]}
        offset += tensor.bytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        if seed is None:
            file.truncate(file.tell() + offset)
            return offset
        for tensor in tensors:
            file.writelines(tensor.chunks(seed))
    return offset


def write_npy(path, tensor, seed):
    """bf16 as uint16, as minic-run --dtype=bf16 reads it."""
    header = str({"descr": NPY[tensor.dtype], "fortran_order": False,
                  "shape": tensor.dims}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header)
        file.writelines(tensor.chunks(seed))
