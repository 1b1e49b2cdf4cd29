# SPDX-License-Identifier: Apache-2.0
"""Sizes that vary among listed ones."""

import unittest

import numpy as np

import minic
import models


class Sizes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = minic.compile(models.write(models.scaled()), target="cpu",
                                 threads=1, dims={"N": [2, 5, 64]})
        cls.model = minic.load(cls.path)

    def test_signature(self):
        self.assertEqual(self.model.dims, {"N": (2, 5, 64)})
        spec = self.model.inputs[0]
        self.assertEqual(spec.shape, (-1, 8))
        self.assertEqual(spec.nbytes, 64 * 8 * 4)
        self.assertIn("x: f32[?, 8]", repr(self.model))
        with self.assertRaisesRegex(minic.InvalidInputError,
                                    "^'x': expected fixed sizes"):
            spec.empty()

    def test_any_listed_size(self):
        # Unaligned arrays too, whose copies grow with the size.
        for rows in 5, 2, 64, 5:
            room = np.random.default_rng(rows).standard_normal(rows * 8 + 1)
            x = room.astype(np.float32)[1:].reshape(rows, 8)
            np.testing.assert_array_equal(self.model(x), np.maximum(x, 0))
            out = np.empty_like(x)
            self.assertIs(self.model(x, out=out), out)
            np.testing.assert_array_equal(out, np.maximum(x, 0))

    def test_other_sizes(self):
        for rows in 1, 3, 65:
            with self.assertRaisesRegex(
                    minic.InvalidInputError,
                    f"^no plan for N={rows}: expected N to be 2, 5, 64$"):
                self.model(np.ones((rows, 8), np.float32))

    def test_sizes_between(self):
        path = minic.compile(models.write(models.scaled()), target="cpu",
                             threads=1, dims={"N": [2, 5]}, pad="N")
        model = minic.load(path)
        for rows in 5, 4, 1, 2, 3:
            # Unaligned, too.
            room = np.random.default_rng(rows).standard_normal(rows * 8 + 1)
            x = room.astype(np.float32)[1:].reshape(rows, 8)
            np.testing.assert_array_equal(model(x), np.maximum(x, 0))
            out = np.empty_like(x)
            self.assertIs(model(x, out=out), out)
            np.testing.assert_array_equal(out, np.maximum(x, 0))
        with self.assertRaisesRegex(
                minic.InvalidInputError,
                "^no plan for N=6: expected N to be 1 to 5$"):
            model(np.ones((6, 8), np.float32))
        x = np.ones((4, 8), np.float32)
        with self.assertRaisesRegex(minic.InvalidInputError,
                                    r"output 'y': expected shape \[4, 8\]"):
            model(x, out=np.empty((3, 8), np.float32))
        # An output of the bucket's own sizes is written where it is.
        out = np.full((5, 8), -1, np.float32)
        self.assertIs(model(x, out=out), out)
        np.testing.assert_array_equal(out[:4], x)
        np.testing.assert_array_equal(out[4], np.zeros(8))

    def test_results_of_most_rows_are_views(self):
        path = minic.compile(models.write(models.scaled()), target="cpu",
                             threads=1, dims={"N": [2, 8]}, pad="N")
        model = minic.load(path)
        for rows in 8, 7, 4, 3:
            x = np.random.default_rng(rows).standard_normal(
                (rows, 8)).astype(np.float32)
            y = model(x)
            np.testing.assert_array_equal(y, np.maximum(x, 0))
            # Rows that are too many are not kept where they are the most.
            whole = y.base.shape if isinstance(y.base, np.ndarray) else y.shape
            self.assertEqual(whole, (8 if rows in (4, 7) else rows, 8))
            self.assertTrue(y.flags.c_contiguous)

    def test_counters(self):
        path = minic.compile(models.write(models.scaled()), target="cpu",
                             threads=1, dims={"N": [2, 5]}, pad="N")
        model = minic.load(path)
        none = {"runs": 0, "padded_runs": 0, "padded_elements": 0}
        self.assertEqual(model.bucket_counters(),
                         {"main[N=2]": none, "main[N=5]": none})
        for rows in 2, 3, 4, 5:
            model(np.ones((rows, 8), np.float32))
        self.assertEqual(model.bucket_counters(), {
            "main[N=2]": {"runs": 1, "padded_runs": 0, "padded_elements": 0},
            "main[N=5]": {"runs": 3, "padded_runs": 2,
                          "padded_elements": 8 * (2 + 1)}})
        self.assertEqual(model.load_function("main[N=5]").bucket_counters(), {})

    def test_the_rest_is_checked(self):
        x = np.ones((5, 8), np.float32)
        with self.assertRaisesRegex(minic.InvalidInputError,
                                    r"output 'y': expected shape \[5, 8\]"):
            self.model(x, out=np.empty((2, 8), np.float32))
        with self.assertRaisesRegex(minic.InvalidInputError,
                                    "input 'x': expected dtype f32"):
            self.model(x.astype(np.float64))
        with self.assertRaisesRegex(minic.InvalidInputError,
                                    r"input 'x': expected shape \[5, 8\]"):
            self.model(np.ones((5, 9), np.float32))

    def test_one_bucket_alone(self):
        alone = self.model.load_function("main[N=5]")
        self.assertEqual(alone.dims, {})
        self.assertEqual(alone.inputs[0].shape, (5, 8))

    def test_one_size_is_fixed(self):
        path = minic.compile(models.write(models.scaled()), target="cpu",
                             threads=1, dims={"N": 3})
        self.assertEqual(minic.load(path).inputs[0].shape, (3, 8))


if __name__ == "__main__":
    unittest.main()
