# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays in and out."""

import gc
import unittest

import minic
import models
import numpy as np


class Arrays(unittest.TestCase):
    def setUp(self):
        self.relu = models.load(models.relu())
        self.x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8)

    def test_result_is_an_array(self):
        y = self.relu(self.x)
        self.assertIs(type(y), np.ndarray)
        self.assertTrue(y.flags.writeable)
        np.testing.assert_array_equal(y, np.maximum(self.x, 0))

    def test_results_live_on(self):
        y = self.relu(self.x)
        expected = y.copy()
        del self.relu
        gc.collect()
        np.testing.assert_array_equal(y, expected)

    def test_out_is_written_where_it_lies(self):
        y = np.full((4, 8), -1, np.float32)
        address = y.ctypes.data
        self.assertIs(self.relu(self.x, out=y), y)
        self.assertEqual(y.ctypes.data, address)
        np.testing.assert_array_equal(y, np.maximum(self.x, 0))

    def test_inputs_by_name(self):
        model = models.load(models.two_results())
        s, d = model(b=self.x, a=2 * self.x)
        np.testing.assert_array_equal(s, 3 * self.x)
        np.testing.assert_array_equal(d, self.x)
        s, d = model(2 * self.x, b=self.x)
        np.testing.assert_array_equal(d, self.x)

    def test_out_of_several_results(self):
        model = models.load(models.two_results())
        out = (np.empty((4, 8), np.float32), np.empty((4, 8), np.float32))
        self.assertIs(model(self.x, self.x, out=out), out)
        np.testing.assert_array_equal(out[0], 2 * self.x)
        np.testing.assert_array_equal(out[1], 0 * self.x)

    def test_read_only_input(self):
        self.x.flags.writeable = False
        np.testing.assert_array_equal(self.relu(self.x),
                                      np.maximum(self.x, 0))

    def test_less_aligned_than_wanted(self):
        """Such an input is copied, such an output is copied back."""
        model = models.load(models.relu(), input_alignment=64)
        room = np.zeros(36, np.float32)
        for offset in range(4):
            x = room[offset:offset + 32].reshape(4, 8)
            x[:] = self.x
            np.testing.assert_array_equal(model(x), np.maximum(self.x, 0))
            y = np.empty(36, np.float32)[offset:offset + 32].reshape(4, 8)
            model(self.x, out=y)
            np.testing.assert_array_equal(y, np.maximum(self.x, 0))

    def test_empty_is_aligned(self):
        spec = models.load(models.relu(), input_alignment=256).inputs[0]
        x = spec.empty()
        self.assertEqual(x.ctypes.data % 256, 0)
        self.assertEqual((x.shape, x.dtype), (spec.shape, spec.dtype))

    def test_bfloat16(self):
        import ml_dtypes
        model = models.load(models.relu(dtype="bf16"))
        x = self.x.astype(ml_dtypes.bfloat16)
        y = model(x)
        self.assertEqual(y.dtype, ml_dtypes.bfloat16)
        np.testing.assert_array_equal(y, np.maximum(x, 0))
        out = np.empty_like(x)
        model(x, out=out)
        np.testing.assert_array_equal(out, y)

    def test_other_providers(self):
        """Buffers, and whatever has __dlpack__."""
        flat = models.load(models.relu((32,)))
        y = flat(memoryview(self.x.reshape(-1)))
        np.testing.assert_array_equal(y, np.maximum(self.x.reshape(-1), 0))

        class Tensor:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        y = self.relu(Tensor(self.x))
        np.testing.assert_array_equal(np.from_dlpack(y),
                                      np.maximum(self.x, 0))

    def test_signature(self):
        spec = self.relu.inputs[0]
        self.assertEqual((spec.name, spec.shape, spec.dtype, spec.nbytes),
                         ("x", (4, 8), "float32", 128))
        self.assertIsNone(self.relu.outputs[0].in_place_of)
        self.assertEqual(
            repr(self.relu),
            "<minic.Program main(x: f32[4, 8]) -> (y: f32[4, 8]) on cpu, "
            "1 thread, default>")

    def test_bytes(self):
        data = models.artifact(models.relu()).read_bytes()
        np.testing.assert_array_equal(minic.load(data)(self.x),
                                      np.maximum(self.x, 0))

    def test_zero_copy(self):
        """What the model reads and writes is the arrays' own memory: shown by
        a state that is updated in place."""
        t = models.tensor((8, 4))
        new = models.tensor((1, 4))
        position = models.tensor((), "i64")
        model = models.load(
            f'func.func @main(%cache: {t} {{graph.name = "cache"}}, '
            f'%new: {new} {{graph.name = "new"}}, %at: {position} '
            f'{{graph.name = "at"}}) -> ({t} {{graph.name = "updated", '
            f"graph.in_place = 0 : i64}}) {{\n"
            f"  %0 = graph.cache_update %cache, %new at %at axis = 0\n"
            f"    : ({t}, {new}, {position}) -> {t}\n"
            f"  return %0 : {t}\n}}\n")
        cache = np.zeros((8, 4), np.float32)
        address = cache.ctypes.data
        result = model(cache, np.ones((1, 4), np.float32), np.array(5))
        self.assertIs(result, cache)
        self.assertEqual(cache.ctypes.data, address)
        self.assertEqual(cache.sum(), 4)
        self.assertEqual(cache[5].sum(), 4)
        self.assertEqual(model.outputs[0].in_place_of, 0)


if __name__ == "__main__":
    unittest.main()
