#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models into the current folder, each as NAME.onnx, that are made
to harm who reads them: nodes that ask for places outside of a tensor, for more
memory than there is, or for more steps than anybody waits for."""

import pathlib

import numpy
from onnx import TensorProto, helper, numpy_helper

from onnx_models import FLOAT, model, node, value

HUGE = 1 << 40


def one(op, operands, outputs=("y",), known=None, opset=23, domain="",
        **attributes):
    """A node. `operands`: its operands' shapes by name, None for an absent
    one; `known`: the elements of those that are initializers."""
    known = known or {}
    names = [name if shape is not None or name in known else ""
             for name, shape in operands.items()]
    inputs = [value(name, list(shape)) for name, shape in operands.items()
              if shape is not None and name not in known]
    made = model([node(op, names, list(outputs), "it", domain=domain,
                       **attributes)], inputs,
                 [value(outputs[0], None)],
                 [numpy_helper.from_array(numpy.array(array), name)
                  for name, array in known.items()], opset=opset)
    if domain:
        made.opset_import.add(domain=domain, version=1)
    return made


def floats(*dims):
    return numpy.ones(dims, numpy.float32)


def ints(*values):
    return numpy.array(values, numpy.int64)


def doubled():
    """Twice as many integers after each node."""
    nodes = [node("Shape", ["x"], ["c0"])]
    nodes += [node("Concat", [f"c{i}", f"c{i}"], [f"c{i + 1}"], axis=0)
              for i in range(60)]
    return model(nodes + [node("Relu", ["x"], ["y"])], [value("x", [3])],
                 [value("y", [3])])


def filled(count=600):
    """Ones, 16 MB of them in each node."""
    ones = numpy_helper.from_array(ints(1))
    nodes = [node("ConstantOfShape", ["s"], [f"c{i}"], value=ones)
             for i in range(count)]
    return model(nodes + [node("Relu", ["x"], ["y"])], [value("x", [3])],
                 [value("y", [3])], [numpy_helper.from_array(ints(1 << 21), "s")])


def strings():
    """A shape of 2^80 elements, of a dtype whose bytes nobody counts."""
    made = one("Size", {"w": None}, known={"w": ints(1)})
    made.graph.initializer[0].CopyFrom(TensorProto(
        name="w", data_type=TensorProto.STRING, dims=[HUGE, HUGE]))
    return made


def group_query(batch, length, past):
    """Attention with caches: a key's of one element, a value's of `past`."""
    made = one("GroupQueryAttention",
               {"q": [batch, length, 4], "k": [batch, length, 4],
                "v": [batch, length, 4], "pk": [batch, 1, 1, 4], "pv": None,
                "l": None, "t": None}, outputs=("y", "a", "b"),
               known={"pv": floats(1, 1, past, 4), "l": numpy.int32([1]),
                      "t": numpy.int32(2)},
               domain="com.microsoft", num_heads=1, kv_num_heads=1)
    if batch != 1:
        made.graph.initializer.remove(made.graph.initializer[1])
        made.graph.input.append(value("l", [batch], TensorProto.INT32))
    return made


def far_index(index=-648799821318062077, run=16):
    """An update of the run of elements at an index."""
    return one("ScatterND", {"x": [2, run], "i": None, "u": [1, run]},
               known={"i": numpy.int64([[index]])})


def updates():
    """2^41 updates of one slice."""
    shape = numpy_helper.from_array(ints(1 << 21, 1), "s")
    zero = numpy_helper.from_array(ints(0))
    return model([node("ConstantOfShape", ["s"], ["i"], value=zero),
                  node("ScatterND", ["x", "i", "u"], ["y"], "it")],
                 [value("x", [1, 1 << 20]), value("u", [1 << 21, 1 << 20])],
                 [value("y", None)], [shape])


MODELS = {
    # Places outside of a tensor.
    "crop": lambda: one("CenterCropPad", {"x": None, "s": None},
                        known={"x": floats(4), "s": ints(-5)}),
    "no_direction": lambda: one(
        "RNN", {"x": [1, 1, 2], "w": [2, 2, 2], "r": [2, 2, 2], "b": None},
        known={"b": floats(1, 4)}, hidden_size=2, direction="bidirectional"),
    "scalar_bias": lambda: one(
        "RNN", {"x": [1, 1, 2], "w": [1, 2, 2], "r": [1, 2, 2], "b": None},
        known={"b": floats()}, hidden_size=2),
    "no_steps": lambda: one(
        "RNN", {"x": [0, 1, 2], "w": [1, 2, 2], "r": [1, 2, 2]},
        hidden_size=2),
    "past_of_one": lambda: one(
        "Attention", {"q": [1, 1, 2, 4], "k": [1, 1, 2, 4], "v": [1, 1, 2, 4],
                      "m": None, "pk": [1, 1, 2, 4], "pv": [4]}),
    "flat_rotary": lambda: one(
        "RotaryEmbedding", {"x": [2, 4], "c": [1, 1, 2], "s": [1, 1, 2]}),
    "scalar_cache": lambda: one(
        "RotaryEmbedding", {"x": [1, 1, 2, 4], "c": [], "s": [], "p": None},
        known={"p": ints(0)}),
    "flat_mask": lambda: one(
        "EmbedLayerNormalization",
        {"i": None, "g": None, "w": [4, 2], "p": [4, 2], "t": None, "s": [2],
         "b": [2], "m": None}, outputs=("y", "n"),
        known={"i": ints([0, 1]), "m": numpy.int32([1, 1])},
        domain="com.microsoft"),
    "long_past": lambda: group_query(1, 1, 9),
    "far_index": far_index,
    "empty_runs": lambda: far_index(0, run=0),
    "no_numbers": lambda: one("DFT", {"x": [2, 3, 0]}, opset=17),
    # No numbers where a size is expected.
    "nan_window": lambda: one("HannWindow", {"s": None},
                              known={"s": numpy.float32("nan")}),
    "nan_depth": lambda: one("OneHot", {"i": [2], "d": None, "v": [2]},
                             known={"d": numpy.float32("nan")}),
    # More than memory holds.
    "strings": strings,
    "doubled": doubled,
    "windows": lambda: one("AveragePool", {"x": [1, 1, HUGE, 1, 1]},
                           kernel_shape=[1, 1, 1]),
    "backwards": lambda: one("Slice", {"x": [HUGE], "b": None, "e": None,
                                       "a": None, "s": None},
                             known={"b": ints(-1), "e": ints(-HUGE - 1),
                                    "a": ints(0), "s": ints(-1)}),
    "edges": lambda: one("Pad", {"x": [HUGE], "p": None},
                         known={"p": ints(0, 1)}, mode="edge"),
    "updates": updates,
    "product": lambda: one("Einsum", {"x": [HUGE, 1], "z": [1, HUGE]},
                           equation="ab,ab->"),
    # More steps than anybody waits for.
    "taps": lambda: one("MaxPool", {"x": [1, 1, 10 ** 6, 1, 1]},
                        kernel_shape=[10 ** 6, 1, 1], pads=[1, 0, 0] * 2),
    "sequences": lambda: group_query(HUGE, 1, 1),
    "places": lambda: one("Resize", {"x": [1], "r": None, "s": None, "z": None},
                          known={"z": ints(1 << 24)}),
    "shrunk": lambda: one("Resize",
                          {"x": [HUGE], "r": None, "s": None, "z": None},
                          known={"z": ints(1)}, mode="linear", antialias=1),
    # What minic takes.
    "no_result": lambda: model(
        [helper.make_node("Mean", ["x"], []), helper.make_node("Tan", ["x"], []),
         node("Relu", ["x"], ["y"])], [value("x", [3])], [value("y", [3])]),
    "whole_pool": lambda: model(
        [node("AveragePool", ["x"], ["y"], "it", kernel_shape=[2])],
        [value("x", [1, 1, 4], TensorProto.INT32)],
        [value("y", None, TensorProto.INT32)]),
    "filled": filled,
    "nan_crop": lambda: one(
        "Resize", {"x": [4], "r": None, "s": None, "z": None},
        known={"r": numpy.float32(["nan", "nan"]), "z": ints(2)},
        coordinate_transformation_mode="tf_crop_and_resize"),
}


def main():
    for name, make in MODELS.items():
        pathlib.Path(f"{name}.onnx").write_bytes(make().SerializeToString())


if __name__ == "__main__":
    main()
