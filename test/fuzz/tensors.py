# SPDX-License-Identifier: Apache-2.0
"""Values of a random graph: a type, and between which numbers elements lie.

Ranges are kept so that most ops meet what they are made for: log a positive
number, gather an index in range. A range that ends in infinity says that
elements may be anything, NaN included."""

import math

FLOATS = ("f32", "bf16", "f16")
INTEGERS = ("i8", "i32", "i64")
INDICES = ("i32", "i64")
DTYPES = FLOATS + INTEGERS + ("i1",)
ANYTHING = (-math.inf, math.inf)
LIMITS = {"i1": (0, 1), "i8": (-128, 127), "i32": (-2**31, 2**31 - 1),
          "i64": (-2**63, 2**63 - 1), "f16": (-60000, 60000),
          "bf16": (-1e30, 1e30), "f32": (-1e30, 1e30)}
# What a caller passes where nobody says which numbers an input has.
INPUTS = {"f32": (-1, 1), "bf16": (-1, 1), "f16": (-1, 1), "i1": (0, 1),
          "i8": (-8, 8), "i32": (-8, 8), "i64": (-8, 8)}


def tensor(shape, dtype):
    return "tensor<" + "".join(f"{dim}x" for dim in shape) + f"{dtype}>"


class Value:
    def __init__(self, name, shape, dtype, bounds):
        self.name = name
        self.shape = tuple(shape)
        self.dtype = dtype
        self.low, self.high = bounds
        low, high = LIMITS[dtype]
        if dtype in FLOATS and not (low <= self.low <= self.high <= high):
            self.low, self.high = ANYTHING
        elif dtype not in FLOATS and not (low <= self.low and
                                          self.high <= high):
            self.low, self.high = low, high  # it wraps

    def __str__(self):
        return self.name

    @property
    def type(self):
        return tensor(self.shape, self.dtype)

    @property
    def bounds(self):
        return self.low, self.high

    @property
    def size(self):
        """The greatest magnitude."""
        return max(abs(self.low), abs(self.high))

    @property
    def is_float(self):
        return self.dtype in FLOATS

    @property
    def is_number(self):
        return self.dtype != "i1"

    @property
    def is_finite(self):
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def elements(self):
        return math.prod(self.shape)


def broadcast(lhs, rhs):
    """The shape that both broadcast to, or None."""
    rank = max(len(lhs), len(rhs))
    lhs = (1,) * (rank - len(lhs)) + tuple(lhs)
    rhs = (1,) * (rank - len(rhs)) + tuple(rhs)
    if any(a != b and 1 not in (a, b) for a, b in zip(lhs, rhs)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(lhs, rhs))
