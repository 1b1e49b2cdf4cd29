# SPDX-License-Identifier: Apache-2.0
"""minic.do_bench."""

import time
import unittest

import minic
import models
import numpy as np


class Bench(unittest.TestCase):
    def test_times_a_sleep(self):
        took = minic.do_bench(lambda: time.sleep(0.005), warmup=0, rep=30)
        self.assertGreater(took, 5)
        self.assertLess(took, 50)

    def test_short_calls_are_repeated(self):
        model = models.load(models.relu())
        x = np.ones((4, 8), np.float32)
        least, middle, most = minic.do_bench(
            lambda: model(x), warmup=5, rep=20, quantiles=[0, 0.5, 1])
        self.assertLess(0, least)
        self.assertLessEqual(least, middle)
        self.assertLessEqual(middle, most)
        self.assertLess(middle, 1)

    def test_refuses(self):
        for name, options in (("warmup", {"warmup": -1}),
                              ("rep", {"rep": float("nan")}),
                              ("quantiles", {"quantiles": [50]})):
            with self.assertRaisesRegex(minic.InvalidInputError, name):
                minic.do_bench(lambda: None, **options)

    def test_errors_pass_through(self):
        with self.assertRaises(ZeroDivisionError):
            minic.do_bench(lambda: 1 / 0)


if __name__ == "__main__":
    unittest.main()
