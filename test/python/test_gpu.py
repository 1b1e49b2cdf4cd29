# SPDX-License-Identifier: Apache-2.0
"""Programs for a GPU.

Without one a driver that pretends (test/unit/runtime/device/cuda) shows which
tensors and streams are taken; it computes nothing. MINIC_FAKE_DRIVER names it.
With a GPU, results and PyTorch's streams are checked, too.
"""

import os
import subprocess
import sys
import unittest

import models

FAKE = os.environ.get("MINIC_FAKE_DRIVER")


def artifact(text=models.relu()):
    return models.artifact(text, target="cuda:sm_90a", threads=None,
                           device_profile="h200")


def output_of(program, **environment):
    """What a program prints after `model` was loaded from the artifact."""
    lines = ("import minic, numpy as np\n"
             f"path = {str(artifact())!r}\n"
             "def refused(call):\n"
             "    try: call()\n"
             "    except minic.InvalidInputError as error: print(error)\n"
             "    else: print('taken')\n")
    done = subprocess.run([sys.executable, "-c", lines + program], text=True,
                          capture_output=True,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@unittest.skipUnless(FAKE, "MINIC_FAKE_DRIVER names no driver")
class FakeGpu(unittest.TestCase):
    def run_fake(self, program):
        return output_of(program, MINIC_CUDA_DRIVER=FAKE)

    def test_describes_itself(self):
        self.assertEqual(self.run_fake(
            "model = minic.load(path)\nprint(model.device, model)"),
            ["cuda:0 <minic.Program main(x: f32[4, 8]) -> (y: f32[4, 8]) on "
             "cuda:0, default>"])

    def test_host_arrays_need_staging(self):
        self.assertEqual(self.run_fake(
            "x = np.ones((4, 8), np.float32)\n"
            "refused(lambda: minic.load(path)(x))\n"
            "y = minic.load(path, staging=True)(x)\n"
            "print(type(y).__name__, y.shape)\n"),
            ["input 'x': expected memory of CUDA device 0, got memory of the "
             "CPU (the context stages no host tensors)", "ndarray (4, 8)"])

    def test_tensors_with_dlpack(self):
        """Results of another framework's tensors have __dlpack__."""
        lines = self.run_fake(TENSORS + (
            "model, mine = minic.load(path), stream()\n"
            "y = model(OnGpu())\n"
            "print(y.__dlpack_device__())\n"
            "z = model(y)\n"
            "model.synchronize(); minic.synchronize()\n"
            "model(OnGpu(), stream=mine)\n"
            "print([s if s == 1 else s == mine for s in asked])\n"
            "del y, z\n"))
        self.assertEqual(lines, ["(2, 0)", "[1, True]"])

    def test_a_tensor_of_another_device(self):
        on_cpu = str(models.artifact(models.relu()))
        self.assertEqual(
            self.run_fake(TENSORS + (
                f"model, x = minic.load({on_cpu!r}), OnGpu()\n"
                "refused(lambda: model(x))\n"
                "refused(lambda: model(np.ones((4, 8), np.float32), out=x))\n"
            )),
            ["input 'x': expected memory of the CPU, got memory of CUDA device "
             "0", "output 'y': expected memory of the CPU, got memory of CUDA "
             "device 0"])

    def test_streams(self):
        lines = self.run_fake(TENSORS + (
            "model, x = minic.load(path), OnGpu()\n"
            "class Stream: pass\n"
            "torchs, cupys, cudas = Stream(), Stream(), Stream()\n"
            "torchs.cuda_stream, torchs.device_index = stream(), 0\n"
            "cupys.ptr, cupys.device_id = stream(), -1\n"
            "number = stream()\n"
            "cudas.__cuda_stream__ = lambda: (0, number)\n"
            "for given in (torchs, cupys, cudas, number):\n"
            "    model(x, stream=given)\n"
            "print(asked == [torchs.cuda_stream, cupys.ptr, number, number])\n"
            "torchs.device_index = 1\n"
            "refused(lambda: model(x, stream=torchs))\n"
            "refused(lambda: model(x, stream=stream(of_another_context=True)))\n"
            "refused(lambda: model(x, stream='fast'))\n"))
        self.assertEqual(lines, [
            "True",
            "stream: expected one of CUDA device 0, got one of CUDA device 1",
            "stream: expected one of the primary context of CUDA device 0, got "
            "one of another context or device",
            "stream: expected a CUDA stream or its handle, got str"])


def ones():
    """A model without inputs: its result is a tensor on the device."""
    t = models.tensor((4, 8))
    return (f'func.func @main() -> ({t} {{graph.name = "y"}}) {{\n'
            f"  %0 = graph.iota axis = 1 : {t}\n  return %0 : {t}\n}}\n")


# Tensors on the device that note which streams they are asked for, and streams
# of the driver.
TENSORS = (
    f"source = minic.load({str(artifact(ones()))!r})\n"
    "asked = []\n"
    "class OnGpu:\n"
    "    def __init__(self): self.owner = source()\n"
    "    def __dlpack_device__(self): return self.owner.__dlpack_device__()\n"
    "    def __dlpack__(self, *, stream=None, **options):\n"
    "        asked.append(stream)\n"
    "        return self.owner.__dlpack__(**options)\n"
    "import ctypes, os\n"
    "cuda = ctypes.CDLL(os.environ['MINIC_CUDA_DRIVER'])\n"
    "def stream(of_another_context=False):\n"
    "    context, made = ctypes.c_void_p(), ctypes.c_void_p()\n"
    "    if not of_another_context:\n"
    "        cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\n"
    "        cuda.cuCtxPushCurrent_v2(context)\n"
    "        cuda.cuStreamCreate(ctypes.byref(made), 0)\n"
    "        cuda.cuCtxPopCurrent_v2(ctypes.byref(context))\n"
    "    return made.value or 7777\n") if FAKE else ""


if __name__ == "__main__":
    unittest.main()
