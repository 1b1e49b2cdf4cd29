# SPDX-License-Identifier: Apache-2.0
#
# Writes a module of random functions: small graphs of pointwise ops,
# contractions, transposes and reshapes at awkward shapes, with values that are
# used several times, broadcast, returned twice or not used at all.
#
#   random_models.py SEED FUNCTIONS > model.mlir
#
# The same arguments always give the same module.

import math
import random
import sys

UNARY = "abs erf gelu hard_swish neg relu sigmoid silu tanh".split()
BINARY = "add max min mul sub".split()
NEUTRAL = "-0.0 0.5 1.0 2.0".split()
SHAPES = [(1, 6), (3, 5), (4, 8), (7, 7), (17, 3)]


def tensor(shape):
    return "tensor<" + "".join(f"{dim}x" for dim in shape) + "f32>"


def broadcast(lhs, rhs):
    """The broadcast shape, or None."""
    rank = max(len(lhs), len(rhs))
    lhs = (1,) * (rank - len(lhs)) + lhs
    rhs = (1,) * (rank - len(rhs)) + rhs
    if any(a != b and 1 not in (a, b) for a, b in zip(lhs, rhs)):
        return None
    return tuple(max(a, b) for a, b in zip(lhs, rhs))


class Function:
    def __init__(self, rng, name):
        self.rng = rng
        self.name = name
        self.lines = []
        m, k = rng.choice(SHAPES)
        shapes = [(m, k), (m, k), (k,), (k, m), (1, k)]
        self.arguments = [(f"%arg{i}", s) for i, s in enumerate(shapes)]
        self.values = list(self.arguments)
        for shape in ((k, k), (m, k), (k,)):
            self.constant(self.nested(shape), shape)
        self.constant(rng.choice(NEUTRAL), ())
        for _ in range(rng.randint(4, 18)):
            rng.choice(
                [self.unary, self.unary, self.binary, self.binary, self.binary,
                 self.linear, self.matmul, self.transpose, self.reshape])()

    def nested(self, shape):
        if not shape:
            return f"{self.rng.uniform(-1, 1):.3f}"
        rows = (self.nested(shape[1:]) for _ in range(shape[0]))
        return "[" + ", ".join(rows) + "]"

    def pick(self):
        # Mostly recent values, so that chains grow.
        recent = self.rng.random() < 0.7
        return self.rng.choice(self.values[-8:] if recent else self.values)

    def add(self, text, shape):
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = graph.{text}")
        self.values.append((name, shape))

    def constant(self, text, shape):
        self.add(f"constant dense<{text}> : {tensor(shape)}", shape)

    def unary(self):
        x, shape = self.pick()
        self.add(f"{self.rng.choice(UNARY)} {x} : {tensor(shape)}", shape)

    def binary(self):
        (x, lhs), (y, rhs) = self.pick(), self.rng.choice(self.values)
        shape = broadcast(lhs, rhs)
        if shape is not None and len(shape) <= 3:
            self.add(f"{self.rng.choice(BINARY)} {x}, {y} : "
                     f"({tensor(lhs)}, {tensor(rhs)}) -> {tensor(shape)}",
                     shape)

    def linear(self):
        x, shape = self.pick()
        weights = [(w, s) for w, s in self.values
                   if len(s) == 2 and shape and s[1] == shape[-1]]
        if weights:
            w, weight = self.rng.choice(weights)
            result = shape[:-1] + weight[:1]
            self.add(f"linear {x}, {w} : ({tensor(shape)}, {tensor(weight)}) "
                     f"-> {tensor(result)}", result)

    def matmul(self):
        matrices = [v for v in self.values if len(v[1]) == 2]
        (x, lhs), (y, rhs) = self.rng.choice(matrices), self.rng.choice(matrices)
        flags = [f for f in ("transpose_lhs", "transpose_rhs")
                 if self.rng.random() < 0.5]
        m, k = lhs[::-1] if "transpose_lhs" in flags else lhs
        k2, n = rhs[::-1] if "transpose_rhs" in flags else rhs
        if k == k2:
            attributes = " {" + ", ".join(flags) + "}" if flags else ""
            self.add(f"matmul {x}, {y}{attributes} : "
                     f"({tensor(lhs)}, {tensor(rhs)}) -> {tensor((m, n))}",
                     (m, n))

    def transpose(self):
        x, shape = self.pick()
        order = list(range(len(shape)))
        self.rng.shuffle(order)
        result = tuple(shape[d] for d in order)
        if len(shape) >= 2:
            self.add(f"transpose {x} {order} : {tensor(shape)} -> "
                     f"{tensor(result)}", result)

    def reshape(self):
        x, shape = self.pick()
        count = math.prod(shape)
        result = self.rng.choice([(count,), (1, count), shape[:1] + (1,) +
                                  shape[1:]])
        if result != shape and len(result) <= 3 and math.prod(result) == count:
            self.add(f"reshape {x} : {tensor(shape)} to {tensor(result)}",
                     result)

    def text(self):
        results = [self.values[-1]]
        results += self.rng.sample(self.values, self.rng.randint(0, 2))
        arguments = ", ".join(f"{x}: {tensor(s)}" for x, s in self.arguments)
        types = ", ".join(tensor(s) for _, s in results)
        names = ", ".join(x for x, _ in results)
        return "\n".join(
            [f"func.func @{self.name}({arguments}) -> ({types}) {{"]
            + self.lines + [f"  return {names} : {types}", "}"])


def main():
    rng = random.Random(int(sys.argv[1]))
    for i in range(int(sys.argv[2])):
        print(Function(rng, f"random{i}").text())


if __name__ == "__main__":
    main()
