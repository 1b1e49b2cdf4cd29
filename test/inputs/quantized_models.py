#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the ONNX models of test/tools/onnx/quantized.test into the current
folder, each as NAME.onnx."""

import pathlib

import numpy
from onnx import TensorProto, helper, numpy_helper

from onnx_models import node, value

INT8, UINT8, INT32 = TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32


def model(nodes, inputs, outputs, known):
    """`known` are the arrays or tensors of the initializers, by name."""
    tensors = [x if isinstance(x, TensorProto)
               else numpy_helper.from_array(numpy.asarray(x), name)
               for name, x in known.items()]
    return helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, tensors),
        opset_imports=[helper.make_opsetid("", 23),
                       helper.make_opsetid("com.microsoft", 1)], ir_version=10)


def middle():
    """Zero points that leave nothing to take away."""
    return model(
        [node("MatMulInteger", ["a", "b", "m", "z"], ["y"])],
        [value("a", [2, 3], UINT8), value("b", [3, 4], INT8)],
        [value("y", [2, 4], INT32)],
        {"m": numpy.uint8(128), "z": numpy.int8(0)})


def weight(dtype=numpy.int8):
    """More bytes than are computed with when a model is read."""
    return model(
        [node("MatMulInteger", ["a", "w", "z"], ["y"])],
        [value("a", [2, 300], UINT8), value("z", [], UINT8)],
        [value("y", [2, 40], INT32)],
        {"w": numpy.arange(12000).reshape(300, 40).astype(dtype)})


def dequantized():
    """Two layers with pairs of quantizers around each product, as static
    quantization writes them: the weights' scales are of columns or one, and
    there are more bytes than are computed with when a model is read."""
    random = numpy.random.default_rng(1)
    weights = {f"w{i}": random.integers(-127, 128, shape, numpy.int8)
               for i, shape in enumerate(((64, 96), (96, 48)))}
    return model(
        [node("QuantizeLinear", ["x", "s", "z"], ["q0"]),
         node("DequantizeLinear", ["q0", "s", "z"], ["d0"]),
         node("DequantizeLinear", ["w0", "t0"], ["f0"], axis=1),
         node("MatMul", ["d0", "f0"], ["m0"]),
         node("Add", ["m0", "b"], ["a0"]),
         node("Relu", ["a0"], ["r0"]),
         node("QuantizeLinear", ["r0", "s", "z"], ["q1"]),
         node("DequantizeLinear", ["q1", "s", "z"], ["d1"]),
         node("DequantizeLinear", ["w1", "t1"], ["f1"]),
         node("MatMul", ["d1", "f1"], ["y"])],
        [value("x", [40, 64])], [value("y", [40, 48])],
        {**weights, "s": numpy.float32(0.03125), "z": numpy.uint8(7),
         "t0": random.uniform(0.001, 0.002, 96).astype(numpy.float32),
         "t1": numpy.float32(0.0015),
         "b": random.uniform(-1, 1, 96).astype(numpy.float32)})


def dequantized_filter():
    """A convolution by 300 thousand bytes."""
    random = numpy.random.default_rng(1)
    return model(
        [node("DequantizeLinear", ["w", "t"], ["f"], axis=0),
         node("Conv", ["x", "f"], ["y"])],
        [value("x", [1, 256, 5, 5])], [value("y", [1, 128, 3, 3])],
        {"w": random.integers(-127, 128, (128, 256, 3, 3), numpy.int8),
         "t": random.uniform(0.001, 0.002, 128).astype(numpy.float32)})


def known():
    """To bytes and back while the model is read."""
    return model(
        [node("QuantizeLinear", ["k", "s", "z"], ["q"]),
         node("DequantizeLinear", ["q", "s", "z"], ["d"]),
         node("Add", ["x", "d"], ["y"])],
        [value("x", [3])], [value("y", [3])],
        {"k": numpy.float32([0.3, 1, 400]), "s": numpy.float32(0.5),
         "z": numpy.uint8(3)})


def refused():
    """What minic lacks, a node each."""
    places = iter(range(100))

    def made(op, operands, **options):
        return node(op, operands, [f"r{next(places)}"], **options)

    return model(
        [made("QuantizeLinear", ["x", "lines"], block_size=2),
         made("QuantizeLinear", ["x", "s", "short"]),
         made("QuantizeLinear", ["x", "s"], output_dtype=TensorProto.UINT4),
         made("QuantizeLinear", ["x", "s"],
              output_dtype=TensorProto.FLOAT8E4M3FN),
         made("QuantizeLinear", ["x", "s", "u"], output_dtype=INT8),
         made("QuantizeLinear", ["x", "s"], precision=TensorProto.DOUBLE),
         made("QuantizeLinear", ["x", "three"]),
         made("DequantizeLinear", ["a", "lines"], block_size=2),
         made("DequantizeLinear", ["shorts", "s"]),
         made("DequantizeLinear", ["nibbles", "s"]),
         made("DequantizeLinear", ["a", "s", "i"]),
         made("DequantizeLinear", ["a", "s"],
              output_dtype=TensorProto.FLOAT8E4M3FN),
         made("MatMulInteger", ["a", "shorts"]),
         made("MatMulInteger", ["a", "b", "i"]),
         made("MatMulInteger", ["a", "b", "three_zeros"]),
         made("MatMulInteger", ["a", "b", "", "three_zeros_b"]),
         made("QLinearMatMul", ["a", "s", "u", "b", "s", "i", "s", "short"]),
         made("MatMulIntegerToFloat", ["a", "b", "four", "s"],
              domain="com.microsoft"),
         made("QLinearConv", ["i4", "s", "u", "f4", "s", "i", "s", "short"]),
         made("QLinearConv", ["i4", "s", "u", "f4", "four", "i", "s", "u"]),
         made("QLinearConv", ["i4", "three", "u", "f4", "s", "i", "s", "u"]),
         node("Relu", ["x"], ["y"])],
        [value("x", [2, 4]), value("a", [2, 4], UINT8),
         value("b", [4, 5], INT8)],
        [value("y", [2, 4])],
        {"s": numpy.float32(0.5), "three": numpy.float32([1, 2, 3]),
         "four": numpy.float32([1, 2, 3, 4]),
         "lines": numpy.ones((2, 2), numpy.float32), "u": numpy.uint8(1),
         "i": numpy.int8(1), "short": numpy.int16(1),
         "i4": numpy.ones((1, 2, 3, 3), numpy.uint8),
         "f4": numpy.ones((3, 2, 1, 1), numpy.int8),
         "shorts": numpy.ones((4, 5), numpy.int16),
         "nibbles": helper.make_tensor("nibbles", TensorProto.INT4, [2, 2],
                                       [1, 2, 3, 4]),
         "three_zeros": numpy.uint8([1, 2, 3]),
         "three_zeros_b": numpy.int8([1, 2, 3])})


MODELS = {"middle": middle, "weight": weight,
          "unsigned_weight": lambda: weight(numpy.uint8), "known": known,
          "dequantized": dequantized, "dequantized_filter": dequantized_filter,
          "refused": refused}

if __name__ == "__main__":
    for name, make in MODELS.items():
        pathlib.Path(f"{name}.onnx").write_bytes(make().SerializeToString())
