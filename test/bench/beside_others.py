# SPDX-License-Identifier: Apache-2.0
"""Latency of single calls while other processes use the same cores.

One model of six linears with relu (0.19 ms a run on two threads) runs on
minic's own pool, on libgomp as the caller's pool, as oneDNN calls (which use
libgomp) and, with --ort-python, on ONNX Runtime's pool: each in a process of
its own, one at a time, in turns whose order is reversed every other round.
Conditions: quiet; one busy loop per core; as many loops with random pauses.
Every output is compared with the first contestant's before anything is timed.

    .venv/bin/python test/bench/beside_others.py --ort-python=PATH
"""

import argparse
import ctypes
import json
import os
import pathlib
import platform
import random
import struct
import subprocess
import sys
import tempfile
import time

import minic_library

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = 6
POOL = """
void gomp(void *pool, int workers, void (*body)(int, void *), void *data) {
#pragma omp parallel for num_threads(workers) schedule(static, 1)
  for (int worker = 0; worker < workers; ++worker) body(worker, data);
}
"""


# --- The model, for minic and for ONNX Runtime

def weights(width):
    generator = random.Random(1)
    scale = 3 ** 0.5 / width ** 0.5  # keeps the size of what passes through
    return [[generator.uniform(-scale, 2 * scale) for _ in range(width * width)]
            for _ in range(LAYERS)]


def write_minic(folder, rows, width):
    """model.mlir, and model.safetensors beside it."""
    x, w = f"tensor<{rows}x{width}xf32>", f"tensor<{width}x{width}xf32>"
    body = []
    for i in range(LAYERS):
        body += [f"    %w{i} = graph.constant @w{i} : {w}",
                 f"    %l{i} = graph.linear %v{i}, %w{i} : ({x}, {w}) -> {x}",
                 f"    %v{i + 1} = graph.relu %l{i} : {x}"]
    (folder / "model.mlir").write_text("\n".join(
        ["module {", f"  func.func @main(%v0: {x}) -> {x} {{"] + body
        + [f"    return %v{LAYERS} : {x}", "  }", "}\n"]))
    header, blobs, bytes_each = {}, [], 4 * width * width
    for i, values in enumerate(weights(width)):
        header[f"w{i}"] = {"dtype": "F32", "shape": [width, width],
                           "data_offsets": [i * bytes_each,
                                            (i + 1) * bytes_each]}
        blobs.append(struct.pack(f"<{len(values)}f", *values))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(
        struct.pack("<Q", len(text)) + text + b"".join(blobs))


def write_onnx(folder, rows, width):
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    nodes, constants = [], []
    for i, values in enumerate(weights(width)):
        w = numpy.array(values, numpy.float32).reshape(width, width)
        constants.append(numpy_helper.from_array(
            numpy.ascontiguousarray(w.T), f"w{i}"))
        nodes += [helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"l{i}"]),
                  helper.make_node("Relu", [f"l{i}"], [f"v{i + 1}"])]
    def value(name):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT,
                                             [rows, width])
    graph = helper.make_graph(nodes, "six", [value("v0")],
                              [value(f"v{LAYERS}")], constants)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, folder / "model.onnx")


# --- A contestant's process: makes a call() and times single calls of it

def input_values(rows, width):
    generator = random.Random(2)
    return [generator.uniform(-1, 1) for _ in range(rows * width)]


class Minic:
    def __init__(self, setup):
        pool = ctypes.CDLL(setup["pool"]).gomp if "pool" in setup else None
        self.model = minic_library.Model(setup["library"], setup["artifact"],
                                         parallel_for=pool)
        self.count = setup["rows"] * setup["width"]
        self.model.inputs[0].write(struct.pack(
            f"<{self.count}f", *input_values(setup["rows"], setup["width"])))
        self.call = self.model.run
        self.model.check(self.call())

    def output(self):
        return list(struct.unpack(f"<{self.count}f",
                                  self.model.outputs[0].read()))


class OnnxRuntime:
    """Fixed tensors by IO binding, so that a call copies nothing."""

    def __init__(self, setup):
        import numpy
        import onnxruntime
        write_onnx(pathlib.Path(setup["folder"]), setup["rows"], setup["width"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = setup["threads"]
        session = onnxruntime.InferenceSession(
            f"{setup['folder']}/model.onnx", options,
            providers=["CPUExecutionProvider"])
        shape = (setup["rows"], setup["width"])
        x = numpy.array(input_values(*shape), numpy.float32).reshape(shape)
        self.y = onnxruntime.OrtValue.ortvalue_from_numpy(x)
        binding = session.io_binding()
        binding.bind_ortvalue_input(
            "v0", onnxruntime.OrtValue.ortvalue_from_numpy(x))
        binding.bind_ortvalue_output(f"v{LAYERS}", self.y)
        self.call = lambda: session.run_with_iobinding(binding)
        self.call()

    def output(self):
        return [float(v) for v in self.y.numpy().ravel()]


def serve(setup):
    """For each line of seconds on stdin: a line of microseconds per call."""
    contestant = (OnnxRuntime if setup["kind"] == "ort" else Minic)(setup)
    print(json.dumps(contestant.output()), flush=True)
    call, clock = contestant.call, time.perf_counter_ns
    for line in sys.stdin:
        for _ in range(20):
            call()
        times, end = [], clock() + int(float(line) * 1e9)
        start = clock()
        while start < end:
            call()
            stop = clock()
            times.append(stop - start)
            start = stop
        print(json.dumps([t / 1000 for t in times]), flush=True)


# --- The other processes, and the rounds

def hog(pauses, seconds):
    """Ends with its parent, and after `seconds` in any case."""
    generator, parent = random.Random(os.getpid()), os.getppid()
    end = time.monotonic() + seconds
    while time.monotonic() < end and os.getppid() == parent:
        busy = time.monotonic() + (generator.uniform(0.001, 0.05) if pauses
                                   else 0.1)
        while time.monotonic() < busy:
            pass
        if pauses:
            time.sleep(generator.uniform(0.001, 0.05))


class Hogs:
    def __init__(self, count, pauses):
        self.command = [sys.executable, __file__, "--hog", str(int(pauses))]
        self.count = count

    def __enter__(self):
        self.processes = [subprocess.Popen(self.command)
                          for _ in range(self.count)]
        time.sleep(0.5 if self.count else 0)

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
            process.wait()


class Contestant:
    def __init__(self, name, python, setup):
        self.name = name
        self.process = subprocess.Popen(
            [python, __file__, "--serve", json.dumps(setup)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.output = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else sys.exit(f"{self.name}: ended")

    def turn(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return self.answer()


def run(*command):
    done = subprocess.run([str(c) for c in command], text=True,
                          capture_output=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stderr}")


def contestants(arguments, folder):
    write_minic(folder, arguments.rows, arguments.width)
    for backends in ("generated", "library-fused"):
        run(arguments.bin / "minic", f"--threads={arguments.threads}",
            f"--gemm-backends={backends}", f"--tune-db={folder}/tuning.db",
            "-o", folder / f"{backends}.minic", folder / "model.mlir")
    (folder / "pool.c").write_text(POOL)
    run("cc", "-O2", "-fopenmp", "-shared", "-fPIC", "-o", folder / "pool.so",
        folder / "pool.c")
    library = arguments.library or (
        arguments.bin.parent / "runtime/api/libminic_runtime.so")
    common = {"library": str(library), "rows": arguments.rows,
              "width": arguments.width, "threads": arguments.threads,
              "folder": str(folder), "kind": "minic"}
    generated = common | {"artifact": f"{folder}/generated.minic"}
    found = [Contestant("minic", sys.executable, generated),
             Contestant("minic on libgomp", sys.executable,
                        generated | {"pool": f"{folder}/pool.so"}),
             Contestant("oneDNN (libgomp)", sys.executable,
                        common | {"artifact": f"{folder}/library-fused.minic"})]
    if arguments.ort_python:
        found.append(Contestant("ONNX Runtime", arguments.ort_python,
                                common | {"kind": "ort"}))
    largest = max(map(abs, found[0].output))
    for other in found[1:]:
        error = max(abs(a - b) for a, b in zip(found[0].output, other.output))
        if not largest > 0 or not error <= 1e-4 * largest:
            sys.exit(f"{other.name}: differs by {error} of {largest}")
    return found


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--library", type=pathlib.Path,
                        help="another libminic_runtime.so than --bin's")
    parser.add_argument("--ort-python", metavar="PATH",
                        help="a Python that has onnxruntime, onnx and numpy")
    parser.add_argument("--threads", type=int,
                        default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rows", type=int, default=48)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=1,
                        help="of each turn of each contestant")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--hog", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve(json.loads(arguments.serve))
    if arguments.hog is not None:
        return hog(arguments.hog, 600)

    cores = len(os.sched_getaffinity(0))
    conditions = [("quiet", 0, False), (f"{cores} busy loops", cores, False),
                  (f"{cores} loops with pauses", cores, True)]
    print("| beside | pool | calls | p50 us | p99 us | mean us |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        field = contestants(arguments, pathlib.Path(scratch))
        for condition, count, pauses in conditions:
            times = {each.name: [] for each in field}
            with Hogs(count, pauses):
                for i in range(arguments.rounds):
                    for each in field if i % 2 == 0 else reversed(field):
                        times[each.name] += each.turn(arguments.seconds)
            for name, values in times.items():
                print(f"| {condition} | {name} | {len(values)} | "
                      f"{quantile(values, 0.5):.1f} | "
                      f"{quantile(values, 0.99):.1f} | "
                      f"{sum(values) / len(values):.1f} |", flush=True)
        for each in field:
            each.process.stdin.close()
            each.process.wait()
    print(f"\n{platform.processor() or platform.machine()}, {cores} cores, "
          f"Linux {platform.release()}; {arguments.threads} threads; "
          f"{arguments.rows}x{arguments.width}, {LAYERS} layers; "
          f"{arguments.rounds} rounds of {arguments.seconds} s")


if __name__ == "__main__":
    main()
