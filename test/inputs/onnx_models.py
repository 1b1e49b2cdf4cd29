#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the ONNX models of test/tools/onnx into the current folder, each as
NAME.onnx: good ones, ones that ask for what minic lacks, damaged ones."""

import os
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
WEIGHT = numpy.arange(12, dtype=numpy.float32).reshape(4, 3) / 8


def value(name, dims, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, dims)


def model(nodes, inputs, outputs, initializers=(), opset=17, **options):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], **options)
    made.ir_version = options.get("ir_version", 8)
    return made


def node(op, inputs, outputs, name=None, **attributes):
    return helper.make_node(op, inputs, outputs, name=name or outputs[0],
                            **attributes)


def product(weight, dims=("N", 4)):
    """x * w, with w as given."""
    return model([node("MatMul", ["x", "w"], ["y"], "product")],
                 [value("x", list(dims))], [value("y", [dims[0], 3])],
                 [weight])


def inline():
    return product(numpy_helper.from_array(WEIGHT, "w"))


def typed():
    """Weights as numbers, not as bytes."""
    return product(helper.make_tensor("w", FLOAT, WEIGHT.shape,
                                      WEIGHT.flatten()))


def constant():
    """A large weight in a Constant node, and a small one beside it."""
    large = numpy_helper.from_array(
        numpy.linspace(-1, 1, 2048, dtype=numpy.float32).reshape(4, 512))
    small = numpy_helper.from_array(numpy.float32(0.5).reshape(1))
    return model([node("Constant", [], ["large"], value=large),
                  node("Constant", [], ["small"], value=small),
                  node("MatMul", ["x", "large"], ["p"]),
                  node("Mul", ["p", "small"], ["y"])],
                 [value("x", [2, 4])], [value("y", [2, 512])])


def external(location="w.bin", offset=0, length=None, dims=(4, 3)):
    weight = TensorProto(name="w", data_type=FLOAT, dims=dims,
                         data_location=TensorProto.EXTERNAL)
    for key, text in (("location", location), ("offset", str(offset)),
                      ("length", length)):
        if text is not None:
            weight.external_data.add(key=key, value=text)
    return product(weight)


def overlapping():
    """Two initializers with bytes of the other, which nobody forbids."""
    made = external()
    made.graph.initializer.append(made.graph.initializer[0])
    second = made.graph.initializer[1]
    second.name = "v"
    del second.dims[:]
    second.dims.extend([3])
    second.external_data[1].value = "12"
    made.graph.node.append(node("Add", ["y", "v"], ["z"]))
    made.graph.output[0].name = "z"
    return made


def not_numbers():
    weight = WEIGHT.copy()
    weight[1, 1], weight[2, 2] = numpy.nan, numpy.inf
    return product(numpy_helper.from_array(weight, "w"), dims=(2, 4))


def shapes():
    """Shapes that exporters compute: flattens all but the first dimension."""
    return model(
        [node("Shape", ["x"], ["shape"]),
         node("Constant", [], ["zero"], value_ints=[0]),
         node("Gather", ["shape", "zero"], ["batch"]),
         node("Constant", [], ["rest"], value_ints=[-1]),
         node("Concat", ["batch", "rest"], ["target"], axis=0),
         node("Reshape", ["x", "target"], ["flat"]),
         node("Relu", ["flat"], ["y"])],
        [value("x", ["N", "T", 2])], [value("y", ["N", "W"])])


def halves():
    """A reshape that takes an even batch alone."""
    return model([node("Reshape", ["x", "two"], ["h"]),
                  node("Relu", ["h"], ["y"])],
                 [value("x", ["N", 5])], [value("y", [2, "W"])],
                 [numpy_helper.from_array(numpy.array([2, -1]), "two")])


def function():
    """A function of the model, with an attribute that its caller gives."""
    body = [node("LeakyRelu", ["a"], ["b"])]
    body[0].attribute.add(name="alpha", ref_attr_name="slope",
                          type=onnx.AttributeProto.FLOAT)
    made = model([helper.make_node("Leak", ["x"], ["y"], domain="own",
                                   slope=0.5)],
                 [value("x", [3])], [value("y", [3])])
    made.functions.append(helper.make_function(
        "own", "Leak", ["a"], ["b"], body, [helper.make_opsetid("", 17)],
        ["slope"]))
    made.opset_import.append(helper.make_opsetid("own", 1))
    return made


def branch():
    """An If whose condition is known."""
    yes = helper.make_graph([node("Neg", ["x"], ["n"])], "yes", [],
                            [value("n", [3])])
    no = helper.make_graph([node("Det", ["x"], ["n"])], "no", [],
                           [value("n", [3])])
    return model([node("If", ["c"], ["y"], then_branch=yes, else_branch=no)],
                 [value("x", [3])], [value("y", [3])],
                 [numpy_helper.from_array(numpy.array(True), "c")])


def lacking():
    """Five nodes that minic lacks, and what depends on them."""
    return model(
        [node("Det", ["x"], ["a"], "first"),
         node("Relu", ["a"], ["b"]),
         node("DeformConv", ["b", "b"], ["c"], "sample"),
         *(node("Det", ["x"], [f"l{i}"], f"again{i}")
           for i in range(3)),
         node("Add", ["c", "l0"], ["y"])],
        [value("x", [5, 1, 2])], [value("y", [5, 1, 2])],
        [numpy_helper.from_array(WEIGHT, "w")])


def relu(dtype=FLOAT, dims=(3,), **options):
    return model([node("Relu", ["x"], ["y"])], [value("x", list(dims), dtype)],
                 [value("y", list(dims), dtype)], **options)


def padded():
    """Its pads are an input; so is what a product is scaled by."""
    return model([node("Pad", ["x", "pads"], ["p"]),
                  node("Mul", ["p", "scale"], ["y"])],
                 [value("x", [2, 3]), value("pads", [4], TensorProto.INT64),
                  value("scale", [5])], [value("y", [3, 5])])


def masked():
    """Attention of one head whose keys an i64 mask leaves out, as BERT's."""
    return model(
        [node("Cast", ["mask"], ["kept"], to=FLOAT),
         node("Unsqueeze", ["kept", "one"], ["keys"]),
         node("Sub", ["ones", "keys"], ["off"]),
         node("Mul", ["off", "low"], ["bias"]),
         node("Transpose", ["x"], ["xt"], perm=[0, 2, 1]),
         node("MatMul", ["x", "xt"], ["products"]),
         node("Add", ["products", "bias"], ["scores"]),
         node("Softmax", ["scores"], ["weights"], axis=-1),
         node("MatMul", ["weights", "x"], ["y"])],
        [value("x", ["B", "T", 4]), value("mask", ["B", "T"], TensorProto.INT64)],
        [value("y", ["B", "T", 4])],
        [numpy_helper.from_array(numpy.array([1], numpy.int64), "one"),
         numpy_helper.from_array(numpy.float32(1), "ones"),
         numpy_helper.from_array(numpy.float32(-3.4028235e38), "low")])


def changed(made, change):
    change(made.graph)
    return made


def cycle():
    return model([node("Add", ["x", "b"], ["a"]),
                  node("Relu", ["a"], ["b"])],
                 [value("x", [3])], [value("b", [3])])


def bomb():
    """Functions that call the next one twice: 2^40 nodes."""
    made = model([helper.make_node("F0", ["x"], ["y"], domain="own")],
                 [value("x", [3])], [value("y", [3])])
    made.opset_import.append(helper.make_opsetid("own", 1))
    for i in range(40):
        call = f"F{i + 1}"
        body = [helper.make_node(call, ["a"], ["t"], domain="own"),
                helper.make_node(call, ["t"], ["b"], domain="own")]
        made.functions.append(helper.make_function(
            "own", f"F{i}", ["a"], ["b"], body,
            [helper.make_opsetid("own", 1)]))
    made.functions.append(helper.make_function(
        "own", "F40", ["a"], ["b"], [node("Identity", ["a"], ["b"])],
        [helper.make_opsetid("", 17)]))
    return made


def recursion():
    made = model([helper.make_node("F", ["x"], ["y"], domain="own")],
                 [value("x", [3])], [value("y", [3])])
    made.opset_import.append(helper.make_opsetid("own", 1))
    made.functions.append(helper.make_function(
        "own", "F", ["a"], ["b"],
        [helper.make_node("F", ["a"], ["b"], domain="own")],
        [helper.make_opsetid("own", 1)]))
    return made


def enormous():
    """Asks for 2^80 elements."""
    sizes = numpy_helper.from_array(numpy.array([1 << 40, 1 << 40]), "s")
    return model([node("ConstantOfShape", ["s"], ["y"])], [],
                 [value("y", [None, None])], [sizes])


def doubles():
    """A model of float64 whose weight is a little more than halfway between two
    numbers of bf16: rounded to float32 first, it would be halfway, and go down
    to the even one."""
    weight = numpy.full((4, 3), 1 + 2 ** -8 + 2 ** -40)
    half = numpy_helper.from_array(numpy.float64(0.5))
    double = TensorProto.DOUBLE
    return model([node("MatMul", ["x", "w"], ["p"]),
                  node("Constant", [], ["half"], value=half),
                  node("Mul", ["p", "half"], ["h"]),
                  node("Cast", ["h"], ["y"], to=double)],
                 [value("x", [2, 4], double)], [value("y", [2, 3], double)],
                 [numpy_helper.from_array(weight, "w")])


def widened():
    """A product in float64, between casts."""
    return model([node("Cast", ["x"], ["d"], "widen", to=TensorProto.DOUBLE),
                  node("MatMul", ["d", "w"], ["p"]),
                  node("Cast", ["p"], ["y"], to=FLOAT)],
                 [value("x", [2, 4])], [value("y", [2, 3])],
                 [numpy_helper.from_array(numpy.full((4, 3), 0.5), "w")])


def keras_norm():
    """A layer norm as Keras computes it: rows as the channels of a batch of one,
    normalised by their own statistics."""
    def known(name, array):
        return numpy_helper.from_array(numpy.array(array), name)
    rows = numpy.float32([1] * 6)
    return model(
        [node("Reshape", ["x", "as_channels"], ["r"]),
         node("BatchNormalization", ["r", "ones", "zeros", "zeros", "ones"],
              ["n", "mean", "variance"], "norm", training_mode=1,
              epsilon=0.25),
         node("Reshape", ["n", "as_before"], ["q"]),
         node("Mul", ["q", "gamma"], ["s"]), node("Add", ["s", "beta"], ["y"])],
        [value("x", [2, 3, 4])], [value("y", [2, 3, 4])],
        [known("as_channels", [1, 6, 4, 1]), known("as_before", [2, 3, 4]),
         known("ones", rows), known("zeros", 0 * rows),
         known("gamma", numpy.float32([1, 2, 3, 4])),
         known("beta", numpy.float32([4, 3, 2, 1]))])


def short_weights():
    weight = numpy_helper.from_array(WEIGHT, "w")
    weight.raw_data = weight.raw_data[:-1]
    return product(weight)


def deep(levels=5000):
    """A graph in an attribute of a node of a graph, and so on, as bytes: no
    library writes it."""
    def message(number, content):
        length = b""
        size = len(content)
        while size >= 0x80:
            length += bytes([size & 0x7f | 0x80])
            size >>= 7
        return bytes([number << 3 | 2]) + length + bytes([size]) + content
    graph = b""
    for _ in range(levels):
        graph = message(1, message(5, message(6, graph)))
    return message(7, graph)


#: Bytes that are no model. 0x3a begins the graph, whose length comes next.
BYTES = {
    "empty": b"", "no_graph": b"\x08\x08\x12\x01p",
    "long_length": b"\x08\x08\x3a" + 8 * b"\xff" + b"\x3f",  # 2^62 - 1
    "longest_length": b"\x08\x08\x3a" + 9 * b"\xff" + b"\x01",  # 2^64 - 1
    "endless_varint": b"\x08\x08\x3a" + 30 * b"\xff",
    "open_varint": b"\x08\x08\x3a\xff",
    "deep": deep(),
}

MODELS = {
    "inline": inline, "typed": typed, "padded": padded, "masked": masked,
    "external": external,
    "huge": lambda: product(numpy_helper.from_array(1e30 * WEIGHT, "w"),
                            dims=(2, 4)),
    "overlapping": overlapping, "not_numbers": not_numbers,
    "constant": constant, "shapes": shapes, "halves": halves,
    "function": function, "branch": branch, "lacking": lacking,
    "past_end": lambda: external(offset=16),
    "outside": lambda: external(location="../w.bin"),
    "absolute": lambda: external(location="/etc/hostname"),
    "linked": lambda: external(location="link.bin"),
    "missing": lambda: external(location="none.bin"),
    "bad_length": lambda: external(length="47"),
    "bad_offset": lambda: external(offset="-4"),
    "doubles": doubles, "widened": widened,
    "keras_norm": keras_norm,
    "short": short_weights,
    "double": lambda: relu(TensorProto.DOUBLE),
    "unnamed_dim": lambda: relu(dims=(3, None)),
    "future_opset": lambda: relu(opset=29),
    "future_ir": lambda: relu(ir_version=99),
    "old_opset": lambda: relu(opset=6),
    "twice": lambda: changed(relu(), lambda g: g.node.append(g.node[0])),
    "twice_input": lambda: changed(relu(), lambda g: g.input.append(g.input[0])),
    "twice_initializer": lambda: changed(
        inline(), lambda g: g.initializer.append(g.initializer[0])),
    "cycle": cycle, "bomb": bomb, "recursion": recursion,
    "enormous": enormous,
    "no_output": lambda: changed(
        relu(), lambda g: g.output.append(value("z", [3]))),
    "wrong_output": lambda: changed(
        relu(), lambda g: g.output[0].type.tensor_type.ClearField("elem_type")
        or setattr(g.output[0].type.tensor_type, "elem_type",
                   TensorProto.INT64)),
    "shape_mismatch": lambda: product(
        numpy_helper.from_array(WEIGHT.T.copy(), "w"), dims=(2, 4)),
}


def main():
    for name, make in MODELS.items():
        pathlib.Path(f"{name}.onnx").write_bytes(make().SerializeToString())
    whole = pathlib.Path("inline.onnx").read_bytes()
    pathlib.Path("truncated.onnx").write_bytes(whole[:-7])
    for name, content in BYTES.items():
        pathlib.Path(f"{name}.onnx").write_bytes(content)
    pathlib.Path("w.bin").write_bytes(WEIGHT.tobytes())
    os.symlink("/etc/hostname", "link.bin")
    numpy.save("pads.npy", numpy.array([1, 0, 0, 2]))
    numpy.save("mask.npy", numpy.array([[1, 1, 0, 1, 1, 1], [1, 1, 1, 1, 0, 0]]))
    numpy.save("scale.npy", numpy.arange(5, dtype=numpy.float32))
    numpy.save("x.npy", numpy.arange(8, dtype=numpy.float32).reshape(2, 4))


if __name__ == "__main__":
    main()
