# SPDX-License-Identifier: Apache-2.0
"""A function that grows op by op, and its text.

Generators of ops (pointwise.py and its siblings) pick values, or ask for one of
a type (`take`) that is then made of what there is, and `emit` an op."""

import math

from tensors import ANYTHING, FLOATS, INDICES, INPUTS, LIMITS, Value, broadcast

EXTENTS = (1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 31, 33)
MOST_ELEMENTS = 4096
MOST_ARGUMENTS = 12


class Node:
    """An op: the text behind its results' names, and what it reads."""

    def __init__(self, text, operands, results):
        self.text, self.operands, self.results = text, operands, results


class Graph:
    def __init__(self, rng, name, allowed, floats=FLOATS):
        """`allowed(tag)`: whether ops of that tag may be used."""
        self.rng, self.name, self.allowed = rng, name, allowed
        self.floats = floats
        self.nodes, self.arguments, self.values = [], [], []
        self.dtype = rng.choice(floats + floats[:1])
        self.extents = [rng.choice(EXTENTS) for _ in range(3)]
        for _ in range(2):
            self.argument(self.random_shape(), self.dtype)

    # Shapes and dtypes.

    def extent(self):
        """Mostly one of the function's few, so that shapes meet."""
        if self.rng.chance(0.8):
            return self.rng.choice(self.extents)
        return self.rng.choice(EXTENTS)

    def random_shape(self, low=0, high=4):
        rank = self.rng.weighted((0, 1, 2, 3, 4), (1, 2, 6, 4, 2))
        shape = [self.extent() for _ in range(max(low, min(rank, high)))]
        while math.prod(shape) > MOST_ELEMENTS:
            largest = shape.index(max(shape))
            shape[largest] = 1 + shape[largest] // 3
        return tuple(shape)

    def random_float(self):
        return self.dtype if self.rng.chance(0.85) else \
            self.rng.choice(self.floats)

    # Values.

    def argument(self, shape, dtype):
        value = Value(f"%arg{len(self.arguments)}", shape, dtype, INPUTS[dtype])
        self.arguments.append(value)
        self.values.append(value)
        return value

    def emit(self, text, operands, *results):
        """Adds an op; `results` are (shape, dtype, bounds). Its values."""
        number = sum(len(node.results) for node in self.nodes)
        values = [Value(f"%v{number + i}", *result)
                  for i, result in enumerate(results)]
        self.nodes.append(Node(text, list(operands), values))
        self.values += values
        return values[0] if len(values) == 1 else values

    def pick(self, accepts=lambda value: True):
        """A value, mostly a recent one so that chains grow, or None."""
        values = [value for value in self.values if accepts(value)]
        if not values:
            return None
        return self.rng.choice(
            values[-6:] if self.rng.chance(0.7) else values)

    def constant(self, shape, dtype, bounds):
        low, high = (max(bounds[0], INPUTS[dtype][0]),
                     min(bounds[1], INPUTS[dtype][1]))
        if low > high:
            low, high = bounds
        numbers = []

        def nested(dims):
            if dims:
                return "[" + ", ".join(nested(dims[1:])
                                       for _ in range(dims[0])) + "]"
            if dtype in FLOATS:
                numbers.append(round(self.rng.uniform(low, high) * 64) / 64)
                numbers[-1] = min(max(numbers[-1], low), high)
                return f"{numbers[-1]:.8f}"
            numbers.append(self.rng.integer(math.ceil(low), math.floor(high)))
            return str(("false", "true")[numbers[-1]] if dtype == "i1"
                       else numbers[-1])

        is_splat = math.prod(shape) > 64 or self.rng.chance(0.2)
        text = nested(() if is_splat else shape)
        value = Value("", shape, dtype, (min(numbers), max(numbers)))
        return self.emit(f"constant dense<{text}> : {value.type}", (),
                         (shape, dtype, value.bounds))

    def take(self, shape, dtype, bounds=ANYTHING, chance=0.6):
        """A value of that type within the bounds, made where there is none."""
        shape = tuple(shape)
        found = self.pick(lambda v: v.shape == shape and v.dtype == dtype and
                          bounds[0] <= v.low and v.high <= bounds[1])
        if found and self.rng.chance(chance):
            return found
        if self.rng.chance(chance):
            made = self.made_of_another(shape, dtype)
            if made:
                return self.within(made, bounds)
        is_input = bounds[0] <= INPUTS[dtype][0] and \
            INPUTS[dtype][1] <= bounds[1]
        if not (is_input and self.rng.chance(0.7) and
                                     len(self.arguments) < MOST_ARGUMENTS):
            return self.constant(shape, dtype, bounds)
        return self.within(self.argument(shape, dtype), bounds)

    def made_of_another(self, shape, dtype):
        """A value of another type brought to this one, or None."""
        def reshaped(value):
            if self.allowed("reshape") and value.shape != shape:
                return self.emit(
                    f"reshape {value} : {value.type} to "
                    f"{Value('', shape, value.dtype, (0, 0)).type}",
                    [value], (shape, value.dtype, value.bounds))
            return value if value.shape == shape else None

        value = self.pick(lambda v: v.dtype == dtype and v.shape != shape and
                          v.elements == math.prod(shape))
        if value:
            return reshaped(value)
        value = self.pick(lambda v: v.dtype != dtype and v.shape == shape and
                          self.can_cast(v, dtype))
        if value:
            return self.cast(value, dtype)
        value = self.pick(lambda v: v.dtype == dtype and v.shape != shape and
                          broadcast(v.shape, shape) == shape)
        if value and self.allowed("broadcast"):
            return self.emit(
                f"broadcast {value} : {value.type} to "
                f"{Value('', shape, dtype, (0, 0)).type}", [value],
                (shape, dtype, value.bounds))
        return None

    def can_cast(self, value, dtype):
        """Whether the cast says what its result is."""
        low, high = LIMITS[dtype]
        if dtype in FLOATS and dtype not in self.floats:
            return False
        if dtype in FLOATS:
            return value.is_float or value.size <= 65504
        return dtype == "i1" or not value.is_float or (
            value.is_finite and low <= value.low and value.high <= high)

    def cast(self, value, dtype):
        bounds = value.bounds
        if dtype == "i1":
            bounds = (0, 1)
        elif value.is_float and dtype not in FLOATS:
            bounds = (math.floor(value.low), math.ceil(value.high))
        elif value.is_finite and dtype in FLOATS:
            slack = 1 + 2**-7  # rounds away from zero at worst
            bounds = (min(value.low, value.low * slack),
                      max(value.high, value.high * slack))
        result = Value("", value.shape, dtype, bounds)
        return self.emit(f"cast {value} : {value.type} to {result.type}",
                         [value], (value.shape, dtype, bounds))

    def within(self, value, bounds):
        """The value, with what is outside of the bounds moved in."""
        low, high = bounds
        if low <= value.low and value.high <= high:
            return value
        if value.is_float:
            low, high = max(low, -64.0), min(high, 64.0)
            return self.emit(
                f"clamp {value} {{lower = {low:.8f} : f64, "
                f"upper = {high:.8f} : f64}} : {value.type}", [value],
                (value.shape, value.dtype,
                 (low, high) if value.is_finite else ANYTHING))
        for op, limit in (("max", low), ("min", high)):
            end = self.emit(
                f"constant dense<{int(limit)}> : "
                f"{Value('', (), value.dtype, (0, 0)).type}", (),
                ((), value.dtype, (limit, limit)))
            clipped = (max(value.low, low), max(value.high, low)) \
                if op == "max" else (min(value.low, high),
                                     min(value.high, high))
            value = self.emit(
                f"{op} {value}, {end} : ({value.type}, {end.type}) -> "
                f"{value.type}", [value, end],
                (value.shape, value.dtype, clipped))
        return value

    def index(self, shape, extent):
        """Indices from 0 to extent - 1."""
        dtype = self.rng.choice(INDICES)
        return self.take(shape, dtype, (0, extent - 1))

    def settle(self):
        """Keeps the last values small, so that nothing grows without end."""
        for value in list(self.nodes[-1].results) if self.nodes else []:
            if value.is_float and value.is_finite and value.size > 32:
                factor = 2.0 ** -math.ceil(math.log2(value.size / 4))
                if factor >= 2.0**-14 and self.allowed("mul"):
                    scale = self.emit(
                        f"constant dense<{factor!r}> : "
                        f"tensor<{value.dtype}>", (),
                        ((), value.dtype, (factor, factor)))
                    self.emit(f"mul {value}, {scale} : ({value.type}, "
                              f"{scale.type}) -> {value.type}",
                              [value, scale],
                              (value.shape, value.dtype,
                               (value.low * factor, value.high * factor)))
                else:
                    self.within(value, (-4, 4))

    # Text.

    def finish(self):
        """Chooses the results: up to three values that nothing uses, the last
        one among them, and perhaps others, or one of them twice."""
        used = {v.name for node in self.nodes for v in node.operands}
        unused = [v for node in self.nodes for v in node.results
                  if v.name not in used]
        self.results = (unused or self.values)[-1:]
        for value in unused[:-1][-2:]:
            if self.rng.chance(0.7):
                self.results.append(value)
        if self.rng.chance(0.3):
            self.results.append(self.rng.choice(self.values))

    def text(self):
        return function_text(self.name, self.nodes, self.results)


def function_text(name, nodes, results):
    """A function of the nodes; what none of them makes is an argument."""
    made = {value.name for node in nodes for value in node.results}
    arguments = {}
    for value in [v for node in nodes for v in node.operands] + results:
        if value.name not in made:
            arguments.setdefault(value.name, value)
    inputs = ", ".join(f"{v}: {v.type}" for v in arguments.values())
    types = ", ".join(v.type for v in results)
    lines = [f"func.func @{name}({inputs}) -> ({types}) {{"]
    for node in nodes:
        names = ", ".join(str(v) for v in node.results)
        lines.append(f"  {names} = graph.{node.text}")
    lines += [f"  return {', '.join(str(v) for v in results)} : {types}", "}"]
    return "\n".join(lines) + "\n"
