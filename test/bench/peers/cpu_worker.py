# SPDX-License-Identifier: Apache-2.0
"""One peer of the CPU benchmark in a process of its own: answers requests of
cpu_models.py, a line each.

  load      loads and compiles the model, runs it once and compares; returns
            its error, how long that took and the framework's version
  sample    microseconds of each of n calls, after one that is not timed, and
            those of all threads together for a call
"""

import argparse
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import answering  # noqa: E402
import minic_library  # noqa: E402
import model_workloads  # noqa: E402


#: How many times as large as that of PyTorch in float32 an error may be. In bf16
#: the largest relative error: 7.5 times that of one rounding, through tens of layers.
MOST_ERROR, MOST_BF16_ERROR = 3, 0.06


class Minic:
    """The artifact MODE-THREADS.minic of the folder, or of its bf16."""

    def __init__(self, setup):
        mode = setup.peer.split()[1]
        self.model = minic_library.Model(
            setup.minic_library,
            setup.models / f"{mode}-{setup.threads}.minic", setup.threads)
        arrays = setup.inputs()
        for tensor in self.model.inputs:
            array = arrays[tensor.name]
            tensor.write(to_bf16(array).tobytes() if is_bf16(tensor)
                         else array.tobytes())
        self.call = self.model.run
        self.model.check(self.call())
        self.version = ""

    def output(self):
        import numpy
        y = self.model.outputs[0]
        if not is_bf16(y):
            return numpy.frombuffer(y.read(), numpy.float32).reshape(y.dims)
        words = numpy.frombuffer(y.read(), numpy.uint16).astype(numpy.uint32)
        return (words << 16).view(numpy.float32).reshape(y.dims)


def is_bf16(tensor):
    return (tensor.described.code, tensor.described.bits) == (4, 16)  # DLPack


def to_bf16(array):
    """To the nearest, ties to even."""
    import numpy
    words = array.astype(numpy.float32).view(numpy.uint32)
    return ((words + 0x7fff + (words >> 16 & 1)) >> 16).astype(numpy.uint16)


class OnnxRuntime:
    """Tensors bound once, so that a call copies nothing."""

    def __init__(self, setup):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = setup.threads
        options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            str(setup.onnx), options, providers=["CPUExecutionProvider"])
        self.binding = session.io_binding()
        for name, x in setup.inputs().items():
            self.binding.bind_ortvalue_input(
                name, onnxruntime.OrtValue.ortvalue_from_numpy(x))
        result = session.get_outputs()[0]
        self.y = onnxruntime.OrtValue.ortvalue_from_shape_and_type(
            result.shape, setup.numpy.float32)
        self.binding.bind_ortvalue_output(result.name, self.y)
        self.call = lambda: session.run_with_iobinding(self.binding)
        self.version = onnxruntime.__version__

    def output(self):
        return self.y.numpy()


class OpenVino:
    def __init__(self, setup):
        import openvino
        core = openvino.Core()
        compiled = core.compile_model(
            core.read_model(setup.onnx), "CPU",
            {"INFERENCE_PRECISION_HINT": setup.precision,
             "PERFORMANCE_HINT": "LATENCY",
             "NUM_STREAMS": "1", "INFERENCE_NUM_THREADS": setup.threads})
        self.request = compiled.create_infer_request()
        for name, x in setup.inputs().items():
            self.request.set_tensor(name, openvino.Tensor(x))
        self.call = self.request.infer
        self.version = openvino.__version__.split("-")[0]

    def output(self):
        return self.request.get_output_tensor(0).data


class Torch:
    """Eager, or compiled for static shapes."""

    def __init__(self, setup):
        import torch

        import cpu_export
        torch.set_num_threads(setup.threads)
        torch.set_grad_enabled(False)
        workload = model_workloads.CPU_MODELS[setup.workload]
        module, inputs = cpu_export.load(workload, setup.folder)
        if setup.peer == "torch.compile":
            module = torch.compile(module)

        def call():
            self.y = module(*inputs)
        self.call = call
        self.version = torch.__version__

    def output(self):
        return self.y.numpy()


class Setup:
    def __init__(self, arguments):
        self.__dict__ |= vars(arguments)

    @property
    def numpy(self):
        import numpy
        return numpy

    @property
    def models(self):
        """Where minic's are."""
        return self.folder / "bf16" if self.precision == "bf16" else self.folder

    @property
    def onnx(self):
        """Of a peer "NAME opset23" or "NAME"."""
        opset = self.peer.split()[-1]
        return self.folder / (f"{opset}.onnx" if opset.startswith("opset")
                              else "opset20.onnx")

    def inputs(self):
        from safetensors.numpy import load_file
        return load_file(self.folder / "input.safetensors")


class Session:
    def __init__(self, arguments):
        self.setup = Setup(arguments)

    def do_load(self):
        start = time.perf_counter()
        kinds = {"minic": Minic, "ONNX": OnnxRuntime, "OpenVINO": OpenVino}
        self.peer = kinds.get(self.setup.peer.split()[0], Torch)(self.setup)
        self.peer.call()
        return {"seconds": time.perf_counter() - start, "error": self.error(),
                "version": self.peer.version}

    def error(self):
        import numpy
        folder = self.setup.folder
        expected = numpy.load(folder / "expected.npy")
        got = self.peer.output().astype(numpy.float64).reshape(expected.shape)
        error = float(numpy.linalg.norm(got - expected)
                      / numpy.linalg.norm(expected))
        eager = json.loads((folder / "export.json").read_text())
        limit = MOST_BF16_ERROR if self.setup.precision == "bf16" \
            else MOST_ERROR * eager["eager_error"]
        if not error <= limit:
            raise ValueError(f"wrong: error {error:.2e}, at most {limit:.2e}")
        return error

    def do_sample(self, n):
        call, clock = self.peer.call, time.perf_counter_ns
        call()
        times, before = [], time.process_time()
        for _ in range(n):
            start = clock()
            call()
            times.append((clock() - start) / 1000)
        return {"us": times,
                "cpu_us": 1e6 * (time.process_time() - before) / n}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer", required=True)
    parser.add_argument("--workload", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--minic-library", type=pathlib.Path)
    answering.answer_requests(Session(parser.parse_args()))


if __name__ == "__main__":
    main()
