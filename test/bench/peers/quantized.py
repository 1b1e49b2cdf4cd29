# SPDX-License-Identifier: Apache-2.0
"""A model that ONNX Runtime quantized, on a CPU: minic's default mode beside ONNX
Runtime, from the same file, timed in turns. "dynamic" has MatMulInteger with ranges
found at run time, "static" pairs of QuantizeLinear and DequantizeLinear around each
MatMul, with ranges of the one input.

    /tmp/cpu-peers/bin/python test/bench/peers/quantized.py bert_base_b1_s128_f32 \\
        --threads 1 2

Needs what cpu_models.py needs. The error is the norm of the difference from PyTorch
in float64 over that of its result: quantizing is most of it.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnxruntime
from onnxruntime import quantization
from safetensors.numpy import load_file

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
import minic_library  # noqa: E402
import paired  # noqa: E402

PAUSE_S = 0.02  # until the threads of the other have stopped to spin


class OneInput(quantization.CalibrationDataReader):
    def __init__(self, inputs):
        self.left = [inputs]

    def get_next(self):
        return dict(self.left.pop()) if self.left else None


def quantize(folder, inputs):
    """{way: path} of the quantized model."""
    source, paths = folder / "opset20.onnx", {}
    shared = {"op_types_to_quantize": ["MatMul", "Gemm"],
              "use_external_data_format": True,
              "weight_type": quantization.QuantType.QInt8}
    for way in ("dynamic", "static"):
        (folder / way).mkdir()
        paths[way] = folder / way / "model.onnx"
    quantization.quantize_dynamic(source, paths["dynamic"], **shared)
    quantization.quantize_static(
        source, paths["static"], OneInput(inputs), per_channel=True,
        activation_type=quantization.QuantType.QUInt8, **shared)
    return paths


def minic_runner(arguments, path, inputs, threads):
    artifact = path.with_suffix(".minic")
    subprocess.run([arguments.bin / "minic", path, f"--threads={threads}",
                    "--tune-db=none", "--shipped-db=off", "-o", artifact],
                   check=True, capture_output=True)
    model = minic_library.Model(arguments.library, artifact, threads)
    for tensor in model.inputs:
        tensor.write(inputs[tensor.name].tobytes())
    model.check(model.run())
    result = numpy.frombuffer(model.outputs[0].read(), numpy.float32)
    # Tensors live as long as the model.
    return lambda model=model: model.run(), result


def runtime_runner(path, inputs, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options,
                                           ["CPUExecutionProvider"])

    def run():
        return session.run(None, inputs)
    return run, run()[0].ravel()


def sample(run, calls):
    time.sleep(PAUSE_S)
    begin = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - begin) / calls * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("workload")
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--library", type=pathlib.Path, default=ROOT /
                        "build/release/runtime/api/libminic_runtime.so")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        subprocess.run([sys.executable, HERE / "cpu_export.py",
                        arguments.workload, folder], check=True,
                       capture_output=True)
        inputs = load_file(folder / "input.safetensors")
        expected = numpy.load(folder / "expected.npy").ravel()
        print("| quantized | threads | minic ms | ONNX Runtime ms | minic / "
              "ONNX Runtime | error: minic, ONNX Runtime |\n"
              "|---|---|---|---|---|---|")
        for way, path in quantize(folder, inputs).items():
            for threads in arguments.threads:
                runs, errors = [], []
                for run, result in (
                        minic_runner(arguments, path, inputs, threads),
                        runtime_runner(path, inputs, threads)):
                    runs.append(run)
                    errors.append(numpy.linalg.norm(result - expected)
                                  / numpy.linalg.norm(expected))
                rounds = [[sample(run, arguments.calls) for run in runs]
                          for _ in range(arguments.rounds)]
                ours, theirs = zip(*rounds)
                ratio, low, high = paired.ratio(ours, theirs)
                print(f"| {way} | {threads} | {statistics.median(ours):.1f} | "
                      f"{statistics.median(theirs):.1f} | {ratio:.2f} "
                      f"[{low:.2f}, {high:.2f}] | {errors[0]:.3f}, "
                      f"{errors[1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
