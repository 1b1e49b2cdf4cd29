# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors in and out, where PyTorch is installed."""

import os
import unittest

import minic
import models
import numpy as np

try:
    import torch
except ImportError:
    torch = None

CUDA = torch is not None and torch.cuda.is_available()


@unittest.skipUnless(torch, "torch is not installed")
class TorchOnCpu(unittest.TestCase):
    def setUp(self):
        self.relu = models.load(models.relu())
        self.x = torch.linspace(-1, 1, 32).reshape(4, 8)

    def test_result_is_a_tensor(self):
        y = self.relu(self.x)
        self.assertIs(type(y), torch.Tensor)
        self.assertTrue(torch.equal(y, self.x.relu()))

    def test_out(self):
        y = torch.empty(4, 8)
        pointer = y.data_ptr()
        self.assertIs(self.relu(self.x, out=y), y)
        self.assertEqual(y.data_ptr(), pointer)
        self.assertTrue(torch.equal(y, self.x.relu()))

    def test_bfloat16(self):
        model = models.load(models.relu(dtype="bf16"))
        x = self.x.bfloat16()
        self.assertTrue(torch.equal(model(x), x.relu()))

    def test_array_in_tensor_out(self):
        y = torch.empty(4, 8)
        self.relu(self.x.numpy(), out=y)
        self.assertTrue(torch.equal(y, self.x.relu()))
        self.assertIs(type(self.relu(self.x.numpy())), np.ndarray)

    def test_refuses(self):
        for line, x in (
                ("dense row-major strides", torch.ones(8, 4).T),
                ("expected dtype f32, got f64", self.x.double()),
                (r"expected shape \[4, 8\], got \[32\]", self.x.flatten()),
                ("meta|device", torch.empty(4, 8, device="meta")),
                ("", torch.ones(4, 8).to_sparse())):
            with self.subTest(line), self.assertRaisesRegex(
                    minic.InvalidInputError, "^input 'x': .*" + line):
                self.relu(x)

    def test_tensors_that_require_gradients(self):
        """The result has none."""
        y = self.relu(torch.nn.Parameter(self.x))
        self.assertTrue(torch.equal(y, self.x.relu()))
        self.assertFalse(y.requires_grad)

    def test_without_the_c_functions(self):
        """As PyTorch before 2.10 is taken."""
        class Old:
            __module__ = "torch"

            def __init__(self, tensor):
                self.tensor = tensor

            def __dlpack__(self, stream=None):
                return self.tensor.__dlpack__()

            def __dlpack_device__(self):
                return self.tensor.__dlpack_device__()

        y = self.relu(Old(self.x))
        self.assertIs(type(y), torch.Tensor)
        self.assertTrue(torch.equal(y, self.x.relu()))


@unittest.skipUnless(CUDA or os.environ.get("MINIC_REQUIRE_GPU"),
                     "no torch with a GPU")
class TorchOnGpu(unittest.TestCase):
    def setUp(self):
        self.relu = models.load(models.relu((1024, 1024)), target="cuda",
                                threads=None)
        self.x = torch.randn(1024, 1024, device="cuda")

    def test_result(self):
        y = self.relu(self.x)
        self.assertEqual(y.device, self.x.device)
        self.assertTrue(torch.equal(y, self.x.relu()))

    def test_current_stream(self):
        """Work before and after is ordered by the stream alone."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        y = torch.empty_like(self.x)
        with torch.cuda.stream(side):
            for i in range(20):
                torch.cuda._sleep(1_000_000)
                x = self.x + i
                self.relu(x, out=y)
                self.assertTrue(torch.equal(y, x.relu()))
                self.assertTrue(torch.equal(self.relu(x), x.relu()))

    def test_capture(self):
        self.relu(self.x)
        y = torch.empty_like(self.x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.relu(self.x, out=y)
        self.x.neg_()
        graph.replay()
        self.assertTrue(torch.equal(y, self.x.relu()))

    def test_host_tensors(self):
        with self.assertRaisesRegex(minic.InvalidInputError,
                                    "expected memory of CUDA device 0"):
            self.relu(self.x.cpu())
        staged = minic.load(models.artifact(
            models.relu((1024, 1024)), target="cuda", threads=None),
            staging=True)
        x = self.x.cpu()
        self.assertTrue(torch.equal(staged(x), x.relu()))
        y = staged(x.numpy())
        np.testing.assert_array_equal(y, x.relu().numpy())

    def test_do_bench_waits(self):
        model = models.load(models.product(4096), target="cuda", threads=None)
        x = torch.randn(4096, 4096, device="cuda")
        y = torch.empty_like(x)
        # 137 GFLOP in less than 0.2 ms is beyond any GPU.
        self.assertGreater(minic.do_bench(lambda: model(x, out=y)), 0.2)


if __name__ == "__main__":
    unittest.main()
