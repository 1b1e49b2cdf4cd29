# SPDX-License-Identifier: Apache-2.0
"""What a call from Python takes for a model that does next to nothing.

`python test_overhead.py` prints the figures of docs/python.md. The bound is
loose: other processes may have the cores.
"""

import unittest

import minic
import models

BOUND_US = 50


def figures():
    artifact = models.artifact(models.relu())
    model = minic.load(artifact)
    x = model.inputs[0].empty()
    x[:] = 1
    y = model.outputs[0].empty()

    def us(function):
        return 1e3 * minic.do_bench(function, warmup=50, rep=400)

    rows = {"NumPy, out=": us(lambda: model(x, out=y)),
            "NumPy": us(lambda: model(x))}
    try:
        import torch
        tx, ty = torch.ones(4, 8), torch.empty(4, 8)
        rows["PyTorch, out="] = us(lambda: model(tx, out=ty))
        rows["PyTorch"] = us(lambda: model(tx))
    except ImportError:
        pass
    return rows


class Overhead(unittest.TestCase):
    def test_is_small(self):
        for name, us in figures().items():
            self.assertLess(us, BOUND_US, name)


if __name__ == "__main__":
    for name, us in figures().items():
        print(f"{name:15} {us:6.2f} us a call")
