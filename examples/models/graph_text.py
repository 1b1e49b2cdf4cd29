# SPDX-License-Identifier: Apache-2.0
"""Writes models in the graph dialect (docs/ops.md): a module of functions that
share weights. Every method appends one op and returns its result."""

import dataclasses

import model_files

MINUS_INFINITY = {"f32": "0xFF800000", "bf16": "0xFF80", "f16": "0xFC00"}


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    dims: tuple
    dtype: str

    @property
    def type(self):
        return f"tensor<{''.join(f'{d}x' for d in self.dims)}{self.dtype}>"


class Module:
    def __init__(self, dtype):
        """`dtype`: of floats."""
        self.dtype = dtype
        self.weights = {}
        self.functions = []
        #: Of a seed: values of the weights that follow from others, by name.
        self.computed = None

    def function(self, name):
        self.functions.append(Function(self, name))
        return self.functions[-1]

    def text(self, comment, weights):
        """`weights`: the name of the file of weights."""
        lines = [f"// {comment}",
                 f'module attributes {{graph.weights = "{weights}"}} {{']
        for function in self.functions:
            lines += function.text()
        return "\n".join([*lines, "}", ""])


class Function:
    def __init__(self, module, name):
        self.module, self.name = module, name
        self.inputs = []   # model_files.Tensor
        self.results = []  # (name, Value)
        self.in_place = {}  # by name of a result, the number of an input
        self.constants = {}
        self.lines = []
        self.count = 0

    # What goes in and out ---------------------------------------------------

    def input(self, name, dims, content, dtype=None):
        dtype = dtype or self.module.dtype
        self.inputs.append(model_files.Tensor(name, tuple(dims), dtype, content))
        return Value(f"%{name}", tuple(dims), dtype)

    def weight(self, name, dims, content, dtype=None):
        """The same one wherever the name is the same."""
        made = model_files.Tensor(name, tuple(dims), dtype or self.module.dtype,
                              content)
        if self.module.weights.setdefault(name, made) != made:
            raise ValueError(f"{name}: expected {self.module.weights[name]}, "
                             f"got {made}")
        if name not in self.constants:
            self.constants[name] = self.append(f'constant @"{name}"',
                                               made.dims, made.dtype)
        return self.constants[name]

    def output(self, name, value, in_place_of=None):
        """`in_place_of`: the input that the caller passes for it, too."""
        self.results.append((name, value))
        if in_place_of:
            inputs = [f"%{i.name}" for i in self.inputs]
            self.in_place[name] = inputs.index(in_place_of.name)

    def comment(self, text):
        self.lines.append(f"    // {text}")

    # Ops --------------------------------------------------------------------

    def append(self, op, dims, dtype, operands=()):
        """With the type of the result, and before it those of operands."""
        result = self.fresh(dims, dtype)
        types = f"({', '.join(o.type for o in operands)}) -> "
        self.lines += [f"    {result.name} = graph.{op}",
                       f"      : {types if operands else ''}{result.type}"]
        return result

    def rearrange(self, op, separator, x, dims, dtype=None):
        """Ops of one operand that write `type to type` or `type -> type`."""
        result = self.fresh(dims, dtype or x.dtype)
        self.lines += [f"    {result.name} = graph.{op}",
                       f"      : {x.type} {separator} {result.type}"]
        return result

    def fresh(self, dims, dtype):
        self.count += 1
        return Value(f"%{self.count - 1}", tuple(dims), dtype)

    def scalar(self, text, dtype=None):
        return self.append(f"constant dense<{text}>", (),
                           dtype or self.module.dtype)

    def minus_infinity(self):
        return self.scalar(MINUS_INFINITY[self.module.dtype])

    def linear(self, x, weight, bias=None):
        operands = [o for o in (x, weight, bias) if o]
        return self.append(f"linear {names(operands)}",
                           (*x.dims[:-1], weight.dims[0]), x.dtype, operands)

    def unary(self, kind, x, attributes=""):
        return self.append(f"{kind} {x.name}{attributes}", x.dims, x.dtype)

    def binary(self, kind, lhs, rhs):
        return self.append(f"{kind} {lhs.name}, {rhs.name}",
                           broadcast(lhs.dims, rhs.dims), lhs.dtype,
                           (lhs, rhs))

    def add(self, lhs, rhs):
        return self.binary("add", lhs, rhs)

    def select(self, condition, on_true, on_false):
        operands = (condition, on_true, on_false)
        dims = broadcast(condition.dims, on_true.dims)
        return self.append(f"select {names(operands)}", dims, on_true.dtype,
                           operands)

    def cast(self, x, dtype):
        return self.rearrange(f"cast {x.name}", "to", x, x.dims, dtype)

    def reshape(self, x, *dims):
        return self.rearrange(f"reshape {x.name}", "to", x, dims)

    def broadcast(self, x, *dims):
        return self.rearrange(f"broadcast {x.name}", "to", x, dims)

    def transpose(self, x, *permutation):
        return self.rearrange(f"transpose {x.name} {list(permutation)}", "->",
                              x, [x.dims[p] for p in permutation])

    def slice(self, x, axis, start, end):
        """Elements from `start` to `end` of one dimension."""
        starts, ends = [0] * len(x.dims), list(x.dims)
        starts[axis], ends[axis] = start, end
        return self.rearrange(
            f"slice {x.name} {starts} to {ends} by {[1] * len(starts)}", "->",
            x, [e - s for s, e in zip(starts, ends)])

    def concat(self, operands, axis):
        dims = list(operands[0].dims)
        dims[axis] = sum(o.dims[axis] for o in operands)
        return self.append(f"concat {names(operands)} axis = {axis}", dims,
                           operands[0].dtype, operands)

    def gather(self, table, indices):
        """Rows of `table`."""
        return self.append(f"gather {table.name}, {indices.name} axis = 0",
                           (*indices.dims, *table.dims[1:]), table.dtype,
                           (table, indices))

    def layer_norm(self, x, scale, bias, epsilon):
        return self.append(
            f"layer_norm {x.name} scale {scale.name} bias {bias.name} axis = "
            f"{len(x.dims) - 1} {{epsilon = {epsilon:.1e} : f64}}", x.dims,
            x.dtype, (x, scale, bias))

    def rms_norm(self, x, scale, epsilon):
        return self.append(
            f"rms_norm {x.name} scale {scale.name} axis = {len(x.dims) - 1} "
            f"{{epsilon = {epsilon:.1e} : f64}}", x.dims, x.dtype, (x, scale))

    def rotary(self, x, cos, sin):
        operands = (x, cos, sin)
        return self.append(f"rotary {names(operands)}", x.dims, x.dtype,
                           operands)

    # Images, [N, C, H, W]. Strides, sizes and pads are of rows and columns.

    def conv2d(self, x, weight, bias=None, strides=(1, 1), pads=(0, 0),
               groups=1):
        n, _, *extents = x.dims
        dims = (n, weight.dims[0],
                *windows(extents, weight.dims[2:], strides, pads))
        operands = [o for o in (x, weight, bias) if o]
        return self.append(
            f"conv2d {names(operands)} {{groups = {groups} : i64, pads = "
            f"{numbers(2 * tuple(pads))}, strides = {numbers(strides)}}}", dims,
            x.dtype, operands)

    def conv1d(self, x, weight, bias, stride, pad):
        """[N, C, L]: a convolution over images of one row."""
        n, inputs, length = x.dims
        channels, _, size = weight.dims
        y = self.conv2d(self.reshape(x, n, inputs, 1, length),
                        self.reshape(weight, channels, inputs, 1, size), bias,
                        (1, stride), (0, pad))
        return self.reshape(y, n, channels, y.dims[3])

    def conv_transpose2d(self, x, weight, bias):
        """With strides as large as the filter: a result so many times as high
        and wide."""
        n, _, height, width = x.dims
        _, channels, *size = weight.dims
        operands = (x, weight, bias)
        return self.append(
            f"conv_transpose2d {names(operands)} {{strides = {numbers(size)}}}",
            (n, channels, size[0] * height, size[1] * width), x.dtype, operands)

    def batch_norm(self, x, mean, variance, scale, bias, epsilon):
        """A product and a sum for each channel, which minic folds into the
        convolution before. In float32, as PyTorch has it: rounded statistics
        err the same way for all pixels of a channel."""
        channels, dtype = x.dims[1], x.dtype
        x, mean, variance, scale, bias = map(self.wide, (x, mean, variance,
                                                         scale, bias))
        deviation = self.unary("sqrt", self.add(
            variance, self.scalar(f"{epsilon:.1e}", "f32")))
        factor = self.binary("div", scale, deviation)
        shift = self.binary("sub", bias, self.binary("mul", mean, factor))
        y = self.binary("mul", x, self.reshape(factor, channels, 1, 1))
        y = self.add(y, self.reshape(shift, channels, 1, 1))
        return y if dtype == "f32" else self.cast(y, dtype)

    def wide(self, x):
        return x if x.dtype == "f32" else self.cast(x, "f32")

    def max_pool(self, x, sizes, strides, pads):
        dims = (*x.dims[:2], *windows(x.dims[2:], sizes, strides, pads))
        return self.rearrange(
            f"pool2d max, {x.name} window = {list(sizes)} {{pads = "
            f"{numbers(2 * tuple(pads))}, strides = {numbers(strides)}}}", "->",
            x, dims)

    def mean(self, x, axes, keep_dims=False):
        dims = [1 if i in axes else d for i, d in enumerate(x.dims)
                if keep_dims or i not in axes]
        return self.rearrange(
            f"reduce mean, {x.name} {list(axes)}"
            f"{' {keep_dims}' if keep_dims else ''}", "->", x, dims)

    def repeat_pixels(self, x, times):
        sizes = [times * d for d in x.dims[2:]]
        return self.rearrange(
            f"resize nearest asymmetric, {x.name} to {sizes}", "->", x,
            (*x.dims[:2], *sizes))

    def group_norm(self, x, scale, bias, groups, epsilon):
        return self.append(
            f"group_norm {x.name} scale {scale.name} bias {bias.name} groups = "
            f"{groups} {{epsilon = {epsilon:.1e} : f64}}", x.dims, x.dtype,
            (x, scale, bias))

    def attention(self, query, key, value, mask=None, key_length=None,
                  attributes=""):
        text = f"attention {names((query, key, value))}"
        text += f" mask {mask.name}" if mask else ""
        text += f" key_length {key_length.name}" if key_length else ""
        text += f" {{{attributes}}}" if attributes else ""
        return self.append(
            text, (*query.dims[:3], value.dims[3]), query.dtype,
            [o for o in (query, key, value, mask, key_length) if o])

    def cache_update(self, cache, new, position, axis):
        return self.append(
            f"cache_update {cache.name}, {new.name} at {position.name} axis = "
            f"{axis}", cache.dims, cache.dtype, (cache, new, position))

    def place(self, result):
        return (f", graph.in_place = {self.in_place[result]} : i64"
                if result in self.in_place else "")

    def text(self):
        arguments = ",\n      ".join(
            f"%{i.name}: {Value('', i.dims, i.dtype).type} "
            f'{{graph.name = "{i.name}"}}' for i in self.inputs)
        results = ",\n          ".join(
            f'{value.type} {{graph.name = "{name}"{self.place(name)}}}'
            for name, value in self.results)
        returned = [value for _, value in self.results]
        return [f"  func.func @{self.name}(\n      {arguments})",
                f"      -> ({results}) {{", *self.lines,
                f"    return {names(returned)} : "
                + ", ".join(v.type for v in returned), "  }"]


def names(values):
    return ", ".join(value.name for value in values)


def numbers(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def windows(extents, sizes, strides, pads):
    """How many there are along each dimension."""
    return tuple((extent + 2 * pad - size) // stride + 1 for
                 extent, size, stride, pad in zip(extents, sizes, strides, pads))


def broadcast(lhs, rhs):
    """By NumPy's rule."""
    rank = max(len(lhs), len(rhs))
    padded = [(1,) * (rank - len(d)) + tuple(d) for d in (lhs, rhs)]
    return tuple(max(pair) for pair in zip(*padded))
