#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a model into the current folder, as model.onnx and model.mlir with
model.safetensors, and files of its tensors for minic compare, as NumPy computes
them: right ones, wrong ones, damaged ones."""

import zipfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

RANDOM = numpy.random.default_rng(1)


def random(*dims):
    return RANDOM.uniform(-1, 1, dims).astype(numpy.float32)


X = random(2, 3, 8)
WEIGHTS = {"w1": random(8, 16), "b": random(16), "scale": random(16) + 2,
           "beta": random(16), "w2": random(16, 5)}


def compute(weights=WEIGHTS, dtype=numpy.float32, edit=None):
    """The tensors by name, each rounded to `dtype` once, of arithmetic in no
    less than float32; `edit` may change each as soon as it is there."""
    arithmetic = numpy.promote_types(dtype, numpy.float32)
    w = {name: value.astype(dtype).astype(arithmetic)
         for name, value in weights.items()}
    tensors = {}

    def keep(name, value):
        value = numpy.ascontiguousarray(value.astype(dtype))
        tensors[name] = edit(name, value) if edit else value
        return tensors[name].astype(arithmetic)

    x = keep("x", X)
    s = keep("s", keep("h", x @ w["w1"]) + w["b"])
    centered = s - s.mean(-1, keepdims=True)
    variance = (centered * centered).mean(-1, keepdims=True)
    n = keep("n", centered / numpy.sqrt(variance + arithmetic.type(1e-5)) * w["scale"]
             + w["beta"])
    keep("y", keep("a", numpy.tanh(n)) @ w["w2"])
    return tensors


def node(op, inputs, output, name, **attributes):
    return helper.make_node(op, inputs, [output], name=name, **attributes)


def write_models():
    graph = helper.make_graph(
        [node("MatMul", ["x", "w1"], "h", "first"),
         node("Add", ["h", "b"], "s", "/block/shift"),
         node("LayerNormalization", ["s", "scale", "beta"], "n",
              "/block/norm/Norm", epsilon=1e-5),
         node("Tanh", ["n"], "a", "/block/Act"),
         node("MatMul", ["a", "w2"], "y", "second")],
        "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 3, 5))],
        [numpy_helper.from_array(value, name)
         for name, value in WEIGHTS.items()])
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, "model.onnx")
    save_file(WEIGHTS, "model.safetensors")
    with open("model.mlir", "w") as file:
        file.write("""\
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x5xf32> {
  %w1 = graph.constant @w1 : tensor<8x16xf32>
  %b = graph.constant @b : tensor<16xf32>
  %scale = graph.constant @scale : tensor<16xf32>
  %beta = graph.constant @beta : tensor<16xf32>
  %w2 = graph.constant @w2 : tensor<16x5xf32>
  %h = graph.matmul %x, %w1
    : (tensor<2x3x8xf32>, tensor<8x16xf32>) -> tensor<2x3x16xf32>
  %s = graph.add %h, %b
    : (tensor<2x3x16xf32>, tensor<16xf32>) -> tensor<2x3x16xf32>
  %n = graph.layer_norm %s scale %scale bias %beta axis = 2
    {epsilon = 1.0e-5 : f64}
    : (tensor<2x3x16xf32>, tensor<16xf32>, tensor<16xf32>)
    -> tensor<2x3x16xf32> loc("block.norm")
  %a = graph.tanh %n : tensor<2x3x16xf32>
  %y = graph.matmul %a, %w2
    : (tensor<2x3x16xf32>, tensor<16x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}
""")


def changed(tensor, change):
    """An edit that applies `change` to one tensor."""
    def edit(name, value):
        if name == tensor:
            value = value.copy()
            change(value)
        return value
    return edit


def set_element(index, number):
    def change(value):
        value[index] = number
    return change


def write_right():
    right = compute()
    numpy.save("x.npy", X)
    save_file(right, "right.safetensors")
    numpy.savez("right.npz", **right)
    numpy.savez_compressed("compressed.npz", **right)
    save_file({**right, **WEIGHTS}, "with_weights.safetensors")
    save_file(compute(dtype=numpy.float64), "double.safetensors")
    save_file(compute(dtype=numpy.float16), "half.safetensors")
    numpy.savez("half.npz", **compute(dtype=numpy.float16))
    names = {"h": "first", "n": "block.norm", "a": "block"}
    save_file({"x": right["x"],
               **{new: right[old] for old, new in names.items()}},
              "nodes.safetensors")
    save_file({name: right[name] for name in ("s", "n", "a")},
              "without_input.safetensors")
    save_file({name: right[name] for name in ("x", "y")},
              "ends.safetensors")
    save_file({**right, "other": right["h"], "unknown": right["a"]},
              "unmatched.safetensors")


def write_wrong():
    scale = WEIGHTS["scale"].copy()
    scale[3] *= 1.001
    perturbed = {**WEIGHTS, "scale": scale}
    save_file(compute(perturbed), "scale.safetensors")
    save_file({**compute(perturbed), **perturbed},
              "scale_with_weights.safetensors")
    wrong = compute(perturbed)
    save_file({name: wrong[name] for name in ("x", "h", "y")},
              "sparse.safetensors")
    # Rounded to ten bits, which float32 is not.
    save_file({name: value.astype(numpy.float32) for name, value in
               compute(dtype=numpy.float16).items()}, "rounded.safetensors")
    save_file(compute(edit=changed("a", set_element((1, 2, 3), numpy.nan))),
              "nan.safetensors")
    # A NaN that was there before has to go on.
    lost = compute(edit=changed("s", set_element((0, 1, 4), numpy.nan)))
    lost["n"] = numpy.nan_to_num(lost["n"])
    save_file(lost, "lost_nan.safetensors")


def write_bad():
    right = compute()
    save_file({**right, "h": right["h"][:, :2].copy()}, "shape.safetensors")
    save_file({**right, "h": right["h"].astype(numpy.int32)},
              "integers.safetensors")
    save_file({**right, "x": right["x"].astype(numpy.int32)},
              "input.safetensors")
    save_file({"H": right["h"]}, "nothing.safetensors")
    save_file({"x": right["x"]}, "only_input.safetensors")
    save_file({}, "empty.safetensors")
    numpy.savez("columns.npz", h=numpy.asfortranarray(right["h"][0]))
    numpy.savez("complex.npz", h=right["h"].astype(numpy.complex64))
    numpy.savez("unsigned.npz", h=right["h"].astype(numpy.uint32))
    with open("right.npz", "rb") as file:
        archive = file.read()
    with open("truncated.npz", "wb") as file:
        file.write(archive[:len(archive) // 2])
    # A bit of an array's data, which only its checksum shows.
    at = archive.index(right["n"].tobytes())
    with open("flipped.npz", "wb") as file:
        file.write(archive[:at] + bytes([archive[at] ^ 1]) + archive[at + 1:])
    with zipfile.ZipFile("text.npz", "w") as file:
        file.writestr("readme.txt", "no array")
    with zipfile.ZipFile("no_array.npz", "w") as file:
        file.writestr("h.npy", "no array")


if __name__ == "__main__":
    write_models()
    write_right()
    write_wrong()
    write_bad()
