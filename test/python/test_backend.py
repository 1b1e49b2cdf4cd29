# SPDX-License-Identifier: Apache-2.0
"""minic.backend under the onnx package's own backend tests.

test/onnx has all operators; here are some, through the interface of the ONNX
Backend Scoreboard.
"""

import unittest
import warnings

import minic
import minic.backend
import numpy as np
import onnx.backend.test
from onnx import TensorProto, helper

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # making the tests divides by zero
    _tests = onnx.backend.test.BackendTest(minic.backend, __name__)
for _name in ("relu", "add_bcast", "softmax_default_axis", "gelu_tanh_1",
              "reduce_mean_keepdims_example", "slice", "matmul_2d",
              "conv_with_strides_padding", "attention_4d"):
    _tests.include(f"test_{_name}_cpu$")
# The others would be thousands that are skipped.
_cases = _tests.test_cases
for _case in _cases.values():
    for _name, _test in list(vars(_case).items()):
        if getattr(_test, "__unittest_skip__", False):
            delattr(_case, _name)
globals().update(_cases)


class Rest(unittest.TestCase):
    def test_devices(self):
        self.assertTrue(minic.backend.supports_device("CPU"))
        self.assertFalse(minic.backend.supports_device("CUDA"))
        with self.assertRaisesRegex(minic.UnsupportedError, "'CUDA'"):
            minic.backend.prepare(model(), "CUDA")

    def test_other_shapes(self):
        rep = minic.backend.prepare(model())
        for size in (3, 5, 3):
            x = np.full((size,), -2, np.float32)
            np.testing.assert_array_equal(rep.run([x]).y, np.abs(x))
        self.assertEqual(len(rep._programs), 2)


def model():
    """y = |x|, of any size"""
    value = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"])
             for name in "xy"}
    graph = helper.make_graph([helper.make_node("Abs", ["x"], ["y"])], "abs",
                              [value["x"]], [value["y"]])
    made = helper.make_model(graph,
                             opset_imports=[helper.make_opsetid("", 20)])
    made.ir_version = 10
    return made


if __name__ == "__main__":
    unittest.main()
