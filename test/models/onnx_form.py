# SPDX-License-Identifier: Apache-2.0
"""Models of examples/models in ONNX: graph_text's interface, written as nodes.

At opset 23 attention, gelu and norms of groups are single ops; at 17 they are written
out as exporters write them. Weights become initializers. ONNX has one function to a
file."""

import math
import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/models"))
import graph_text  # noqa: E402
from graph_text import Value  # noqa: E402

DTYPES = {"f32": TensorProto.FLOAT, "i64": TensorProto.INT64,
          "i1": TensorProto.BOOL}
BINARY = {"add": "Add", "mul": "Mul"}
UNARY = {"relu": ("Relu", {}), "sigmoid": ("Sigmoid", {}),
         "hard_swish": ("HardSwish", {}),
         "hard_sigmoid": ("HardSigmoid", {"alpha": 1 / 6})}


class Module(graph_text.Module):
    def __init__(self, dtype, opset):
        super().__init__(dtype)
        self.opset = opset

    def function(self, name):
        self.functions.append(Function(self, name))
        return self.functions[-1]

    def model(self, function, seed):
        weights = [self.initializer(self.weights[name], seed)
                   for name in function.constants]
        graph = helper.make_graph(
            function.nodes, function.name,
            [helper.make_tensor_value_info(i.name, DTYPES[i.dtype], i.dims)
             for i in function.inputs],
            [helper.make_tensor_value_info(name, DTYPES[value.dtype],
                                           value.dims)
             for name, value in function.results],
            weights + function.initializers)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)])

    @staticmethod
    def initializer(tensor, seed):
        made = TensorProto(name=tensor.name, data_type=DTYPES[tensor.dtype],
                           dims=tensor.dims)
        made.raw_data = b"".join(tensor.chunks(seed))
        return made


class Function(graph_text.Function):
    def __init__(self, module, name):
        super().__init__(module, name)
        self.nodes, self.initializers = [], []

    def node(self, op, operands, dims, dtype, **attributes):
        result = self.fresh(dims, dtype)
        self.nodes.append(helper.make_node(
            op, [operand.name for operand in operands], [result.name],
            name=f"{op}_{result.name}", **attributes))
        return result

    def fresh(self, dims, dtype):
        self.count += 1
        return Value(f"t{self.count}", tuple(dims), dtype)

    def array(self, array):
        """A constant."""
        name = f"c{len(self.initializers)}"
        array = numpy.asarray(array)
        self.initializers.append(numpy_helper.from_array(array, name))
        return Value(
            name, array.shape, "i64" if array.dtype == numpy.int64 else "f32")

    def number(self, value):
        return self.array(numpy.float32(value))

    def input(self, name, dims, content, dtype=None):
        value = super().input(name, dims, content, dtype)
        return Value(name, value.dims, value.dtype)

    def append(self, op, dims, dtype, operands=()):
        """Only of weights: all other ops have a method here."""
        assert op.startswith("constant @"), op
        return Value(op.split('"')[1], tuple(dims), dtype)

    def output(self, name, value, in_place_of=None):
        assert not in_place_of
        self.nodes.append(helper.make_node("Identity", [value.name], [name]))
        self.results.append((name, value))

    def scalar(self, text, dtype=None):
        return self.number(float(text))

    def linear(self, x, weight, bias=None):
        """As exporters write it: MatMul with a transposed weight, and Add."""
        turned = self.node("Transpose", [weight], weight.dims[::-1], x.dtype,
                           perm=[1, 0])
        dims = (*x.dims[:-1], weight.dims[0])
        y = self.node("MatMul", [x, turned], dims, x.dtype)
        return self.node("Add", [bias, y], dims, x.dtype) if bias else y

    def unary(self, kind, x, attributes=""):
        if kind == "gelu":
            return self.gelu(x, "tanh" in attributes)
        if kind == "silu":
            return self.same("Mul", x, self.same("Sigmoid", x))
        op, named = UNARY[kind]
        return self.node(op, [x], x.dims, x.dtype, **named)

    def gelu(self, x, tanh):
        if self.module.opset >= 20:
            return self.node("Gelu", [x], x.dims, x.dtype,
                             approximate="tanh" if tanh else "none")
        if tanh:
            cube = self.same("Pow", x, self.number(3))
            inner = self.same("Add", x,
                              self.same("Mul", cube, self.number(0.044715)))
            inner = self.same("Mul", inner,
                              self.number(math.sqrt(2 / math.pi)))
            gate = self.same("Tanh", inner)
        else:
            gate = self.same("Erf", self.same("Div", x,
                                              self.number(math.sqrt(2))))
        whole = self.same("Mul", x, self.same("Add", gate, self.number(1)))
        return self.same("Mul", whole, self.number(0.5))

    def same(self, op, x, *others):
        return self.node(op, [x, *others], x.dims, x.dtype)

    def binary(self, kind, lhs, rhs):
        return self.node(BINARY[kind], [lhs, rhs],
                         graph_text.broadcast(lhs.dims, rhs.dims), lhs.dtype)

    def cast(self, x, dtype):
        return self.node("Cast", [x], x.dims, dtype, to=DTYPES[dtype])

    def reshape(self, x, *dims):
        return self.node("Reshape", [x, self.array(numpy.array(dims))], dims,
                         x.dtype)

    def transpose(self, x, *permutation):
        return self.node("Transpose", [x], [x.dims[p] for p in permutation],
                         x.dtype, perm=permutation)

    def slice(self, x, axis, start, end):
        dims = list(x.dims)
        dims[axis] = end - start
        return self.node(
            "Slice", [x, *(self.array(numpy.array([n]))
                           for n in (start, end, axis))], dims, x.dtype)

    def gather(self, table, indices):
        return self.node("Gather", [table, indices],
                         (*indices.dims, *table.dims[1:]), table.dtype)

    def broadcast(self, x, *dims):
        return self.node("Expand", [x, self.array(numpy.array(dims))], dims,
                         x.dtype)

    def concat(self, operands, axis):
        dims = list(operands[0].dims)
        dims[axis] = sum(o.dims[axis] for o in operands)
        return self.node("Concat", operands, dims, operands[0].dtype, axis=axis)

    def conv1d(self, x, weight, bias, stride, pad):
        return self.conv2d(x, weight, bias, [stride], [pad])

    def conv2d(self, x, weight, bias=None, strides=(1, 1), pads=(0, 0),
               groups=1):
        n, _, *extents = x.dims
        dims = (n, weight.dims[0], *graph_text.windows(
            extents, weight.dims[2:], strides, pads))
        return self.node(
            "Conv", [o for o in (x, weight, bias) if o], dims, x.dtype,
            kernel_shape=weight.dims[2:], strides=strides,
            pads=2 * tuple(pads), group=groups)

    def conv_transpose2d(self, x, weight, bias):
        n, _, height, width = x.dims
        _, channels, *size = weight.dims
        return self.node(
            "ConvTranspose", [x, weight, bias],
            (n, channels, size[0] * height, size[1] * width), x.dtype,
            kernel_shape=size, strides=size)

    def batch_norm(self, x, mean, variance, scale, bias, epsilon):
        return self.node("BatchNormalization", [x, scale, bias, mean, variance],
                         x.dims, x.dtype, epsilon=epsilon)

    def max_pool(self, x, sizes, strides, pads):
        dims = (*x.dims[:2],
                *graph_text.windows(x.dims[2:], sizes, strides, pads))
        return self.node("MaxPool", [x], dims, x.dtype, kernel_shape=sizes,
                         strides=strides, pads=2 * tuple(pads))

    def mean(self, x, axes, keep_dims=False):
        dims = [1 if i in axes else d for i, d in enumerate(x.dims)
                if keep_dims or i not in axes]
        if keep_dims and axes == [2, 3]:
            return self.node("GlobalAveragePool", [x], dims, x.dtype)
        # Axes are an attribute before opset 18.
        operands, named = ([x, self.array(numpy.array(axes))], {}) \
            if self.module.opset >= 18 else ([x], {"axes": axes})
        return self.node("ReduceMean", operands, dims, x.dtype,
                         keepdims=int(keep_dims), **named)

    def repeat_pixels(self, x, times):
        dims = (*x.dims[:2], *(times * d for d in x.dims[2:]))
        none = Value("", (), "f32")
        return self.node(
            "Resize", [x, none, self.array(numpy.array([1, 1, times, times],
                                                       "f4"))], dims, x.dtype,
            mode="nearest", nearest_mode="floor",
            coordinate_transformation_mode="asymmetric")

    def group_norm(self, x, scale, bias, groups, epsilon):
        if self.module.opset >= 21:
            return self.node("GroupNormalization", [x, scale, bias], x.dims,
                             x.dtype, num_groups=groups, epsilon=epsilon)
        # A group is an instance of one long channel.
        n, channels, height, width = x.dims
        ones, zeros = (self.array(numpy.full(groups, value, "f4"))
                       for value in (1, 0))
        y = self.reshape(x, n, groups, channels // groups * height * width)
        y = self.node("InstanceNormalization", [y, ones, zeros], y.dims,
                      x.dtype, epsilon=epsilon)
        y = self.reshape(y, *x.dims)
        y = self.same("Mul", y, self.reshape(scale, channels, 1, 1))
        return self.same("Add", y, self.reshape(bias, channels, 1, 1))

    def layer_norm(self, x, scale, bias, epsilon):
        return self.node("LayerNormalization", [x, scale, bias], x.dims,
                         x.dtype, epsilon=epsilon)

    def attention(self, query, key, value, mask=None, key_length=None,
                  attributes=""):
        causal = "causal" in attributes
        dims = (*query.dims[:3], value.dims[3])
        operands = [o for o in (query, key, value, mask) if o]
        if self.module.opset >= 23:
            return self.node("Attention", operands, dims, query.dtype,
                             is_causal=int(causal))
        # Both sides of the product get a root of the scale.
        root = self.number(query.dims[3] ** -0.25)
        turned = self.node("Transpose", [key],
                           [key.dims[i] for i in (0, 1, 3, 2)], key.dtype,
                           perm=[0, 1, 3, 2])
        length = key.dims[2]
        scores = self.node(
            "MatMul", [self.same("Mul", query, root),
                       self.same("Mul", turned, root)],
            (*query.dims[:3], length), query.dtype)
        if causal:
            lower = numpy.tril(numpy.ones((query.dims[2], length), bool))
            mask = self.array(numpy.where(lower, 0, -numpy.inf).astype("f4"))
        elif mask and mask.dtype == "i1":
            mask = self.node("Where", [mask, self.number(0),
                                       self.number(-numpy.inf)],
                             mask.dims, query.dtype)
        scores = self.same("Add", scores, mask) if mask else scores
        shares = self.same("Softmax", scores)
        return self.node("MatMul", [shares, value], dims, query.dtype)


def write(module, function, path, seed=0):
    onnx.save(module.model(function, seed), path)
