# SPDX-License-Identifier: Apache-2.0
"""minic's GEMMs with bias and relu beside oneDNN 2.6 and oneDNN 3.

For each problem and thread count: the tuned plan of generated kernels, the plan
of default mode, oneDNN 2.6 as minic calls it, and oneDNN 3 of a shared library,
weights packed ahead by all of them. Outputs are compared with a float64 product;
then they take turns in one process. A limit is missed where the 95 % interval of
the paired ratio, over the fastest oneDNN, lies wholly above one.

    pip install onednn-cpu-gomp        # libdnnl.so.3.2
    python3 test/bench/gemm_onednn3.py --onednn3 env/lib/libdnnl.so.3
"""

import argparse
import ctypes
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

import minic_library
import paired
from gemm import run

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "inputs"))
import problems  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Of oneDNN 3's C interface (oneapi/dnnl/dnnl_types.h, version 3.2).
CPU, IN_ORDER, ANY, RELU, WEIGHTS_MD = 1, 1, 1, 0x20, 131
DTYPES = {"bf16": 2, "f32": 3, "i8": 5}
SOURCE, DESTINATION, WEIGHTS, BIAS = 1, 17, 33, 41

#: Calls in C, since a call from Python takes a microsecond.
REPEAT = """
#include <time.h>
double repeat(long count, int (*call)(void *, void *, void *, void *, void *),
              void **a, int *failed) {
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (long i = 0; i != count; ++i)
    *failed |= call(a[0], a[1], a[2], a[3], a[4]);
  clock_gettime(CLOCK_MONOTONIC, &to);
  return (to.tv_sec - from.tv_sec) * 1e6 + (to.tv_nsec - from.tv_nsec) * 1e-3;
}
"""


class Argument(ctypes.Structure):  # dnnl_exec_arg_t
    _fields_ = [("which", ctypes.c_int), ("memory", ctypes.c_void_p)]


class Linear:
    """relu(x weights^T + bias) by oneDNN 3, weights reordered ahead."""

    def __init__(self, library, dtype, x, weights, bias, y):
        """Arrays of 16- or 32-bit storage; `y` is written. All outlive it."""
        self.dnnl = library
        factor, sum_ = DTYPES[dtype], DTYPES[problems.sum_type(dtype)]
        self.engine = self.make("engine_create", CPU, ctypes.c_size_t(0))
        self.stream = self.make("stream_create", self.engine, IN_ORDER)
        (m, k), n = x.shape, weights.shape[0]
        dense = self.described([k, n], [1, k], factor)
        source, result = self.described([m, k], [k, 1], factor), self.described(
            [m, n], [n, 1], sum_)
        added = self.described([1, n], [n, 1], sum_)
        packed = self.make("memory_desc_create_with_tag", 2,
                           (ctypes.c_int64 * 2)(k, n), factor, ANY)
        ops, attributes = self.make("post_ops_create"), self.make(
            "primitive_attr_create")
        self.call("post_ops_append_eltwise", ops, RELU, ctypes.c_float(0),
                  ctypes.c_float(0))
        self.call("primitive_attr_set_post_ops", attributes, ops)
        description = self.make("matmul_primitive_desc_create", self.engine,
                                source, packed, added, result, attributes)
        self.dnnl.dnnl_primitive_desc_query_md.restype = ctypes.c_void_p
        layout = ctypes.c_void_p(self.dnnl.dnnl_primitive_desc_query_md(
            description, WEIGHTS_MD, 0))
        self.dnnl.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
        size = self.dnnl.dnnl_memory_desc_get_size(layout)
        self.weights = numpy.zeros(size + 64, numpy.uint8)
        start = -self.weights.ctypes.data % 64
        own = self.memory(layout, self.weights[start:])
        reorder = self.make("primitive_create", self.make(
            "reorder_primitive_desc_create", dense, self.engine, layout,
            self.engine, None))
        self.call("primitive_execute", reorder, self.stream, 2,
                  (Argument * 2)(Argument(SOURCE, self.memory(dense, weights)),
                                 Argument(DESTINATION, own)))
        self.call("stream_wait", self.stream)
        self.primitive = self.make("primitive_create", description)
        self.arguments = (Argument * 4)(
            Argument(SOURCE, self.memory(source, x)), Argument(WEIGHTS, own),
            Argument(BIAS, self.memory(added, bias)),
            Argument(DESTINATION, self.memory(result, y)))

    def call(self, name, *arguments):
        if status := getattr(self.dnnl, f"dnnl_{name}")(*arguments):
            raise RuntimeError(f"oneDNN 3: dnnl_{name}: status {status}")

    def make(self, name, *arguments):
        made = ctypes.c_void_p()
        self.call(name, ctypes.byref(made), *arguments)
        return made

    def described(self, dims, strides, dtype):
        return self.make("memory_desc_create_with_strides", 2,
                         (ctypes.c_int64 * 2)(*dims), dtype,
                         (ctypes.c_int64 * 2)(*strides))

    def memory(self, description, array):
        return self.make("memory_create", description, self.engine,
                         ctypes.c_void_p(array.ctypes.data)).value

    def contender(self):
        """A C function and its arguments."""
        return self.dnnl.dnnl_primitive_execute, (
            self.primitive, self.stream, 4, self.arguments, None)


def address_of(argument):
    """What a C function gets: a number, a handle or an array's address."""
    if isinstance(argument, ctypes.Array):
        return ctypes.addressof(argument)
    return getattr(argument, "value", argument)


def build_repeat(folder):
    source = folder / "repeat.c"
    source.write_text(REPEAT)
    run("cc", "-O2", "-shared", "-fPIC", source, "-o", folder / "repeat.so")
    repeat = ctypes.CDLL(str(folder / "repeat.so")).repeat
    repeat.restype = ctypes.c_double

    def timed(count, contender):
        call, arguments = contender
        values = (ctypes.c_void_p * 5)(*map(address_of, arguments))
        failed = ctypes.c_int(0)
        us = repeat(ctypes.c_long(count), ctypes.cast(call, ctypes.c_void_p),
                    values, ctypes.byref(failed))
        if failed.value:
            raise RuntimeError("a call failed")
        return us / count
    return timed


def to_float(stored):
    if stored.dtype != numpy.uint16:
        return stored.astype(numpy.float64)
    return (stored.astype(numpy.uint32) << 16).view(numpy.float32).astype(
        numpy.float64)


def random_storage(random, shape, dtype):
    """f32, bf16 as uint16, or int8."""
    if dtype == "i8":
        return random.integers(-128, 128, shape, numpy.int8)
    values = random.uniform(-1, 1, shape).astype(numpy.float32)
    return values if dtype == "f32" else (
        values.view(numpy.uint32) >> 16).astype(numpy.uint16)


def compile_plans(arguments, folder, shape, dtype, threads):
    """{contender: artifact} of a linear whose operands are all inputs but the
    weights and the bias."""
    model = problems.write(folder, *shape, dtype)
    plans = {}
    for name, options in (
            ("tuned", ["--mode=max-autotune", "--gemm-backends=generated",
                       f"--tune-db={folder / 'tuning.db'}",
                       "--whole-model-check=off"]),
            ("default", ["--tune-db=none", "--shipped-db=off"]),
            ("oneDNN 2.6", ["--tune-db=none", "--shipped-db=off",
                            "--gemm-backends=library-fused"])):
        if dtype == "i8" and name == "oneDNN 2.6":
            continue  # minic does not call it for products of bytes
        plans[name] = folder / f"{name.replace(' ', '-')}.minic"
        run(arguments.bin / "minic", "--target=cpu", f"--threads={threads}",
            *options, "-o", plans[name], model)
        run(arguments.bin / "minic-run", plans[name], "--seed=7", "--check")
    return plans


def check(got, x, weights, bias, dtype):
    want = numpy.maximum(to_float(x) @ to_float(weights).T + to_float(bias), 0)
    error = numpy.abs(to_float(got) - want).max()
    if not error <= (2e-2 if dtype == "bf16" else 1e-4) * (1 + want.max()):
        sys.exit(f"oneDNN 3 is off by {error}")


def measure(arguments, folder, shape, dtype, threads, timed):
    m, n, k = shape
    contenders, kept = {}, []
    for name, plan in compile_plans(arguments, folder, shape, dtype,
                                    threads).items():
        model = minic_library.Model(arguments.library, plan, threads)
        random = numpy.random.default_rng(1)
        for tensor in model.inputs:
            tensor.write(random_storage(random, tensor.dims, dtype).tobytes())
        kept.append(model)
        contenders[name] = (model.library.minic_context_run, model.arguments)
    random = numpy.random.default_rng(1)
    x, weights = (random_storage(random, dims, dtype)
                  for dims in ((m, k), (n, k)))
    bias = random_storage(random, (1, n), problems.sum_type(dtype))
    y = numpy.zeros((m, n), bias.dtype)
    library = ctypes.CDLL(str(arguments.onednn3))
    ctypes.CDLL("libgomp.so.1").omp_set_num_threads(threads)
    linear = Linear(library, dtype, x, weights, bias, y)
    contenders["oneDNN 3"] = linear.contender()
    timed(1, contenders["oneDNN 3"])
    check(y, x, weights, bias, dtype)
    counts = {name: max(1, math.ceil(arguments.sample_ms * 1e3 / timed(3, each)))
              for name, each in contenders.items()}
    samples = {name: [] for name in contenders}
    order = list(contenders)
    for _ in range(arguments.rounds):
        for name in order:
            # A team that waits for its next call is busy for milliseconds.
            time.sleep(0.01 if threads > 1 else 0)
            timed(max(1, counts[name] // 10), contenders[name])
            samples[name].append(timed(counts[name], contenders[name]))
        order = order[1:] + order[:1]
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--library", type=pathlib.Path,
                        default=ROOT / "build/release/runtime/api/libminic_runtime.so")
    parser.add_argument("--onednn3", type=pathlib.Path, required=True,
                        help="libdnnl.so.3")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--dtype", choices=DTYPES, default="bf16")
    parser.add_argument("--problems", nargs="+", default=[],
                        help="only these, as MxNxK")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--sample-ms", type=float, default=10)
    arguments = parser.parse_args()
    ratios = {"tuned": [], "default": []}
    missed = 0
    print("| M x N x K | threads | oneDNN 2.6 us | oneDNN 3 us | tuned us | "
          "default us | fastest oneDNN / tuned | fastest oneDNN / default |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        timed = build_repeat(folder)
        for threads in arguments.threads:
            for shape in problems.BENCHMARK:
                size = "x".join(map(str, shape))
                if arguments.problems and size not in arguments.problems:
                    continue
                samples = measure(arguments, folder, shape, arguments.dtype,
                                  threads, timed)
                us = {name: statistics.median(each)
                      for name, each in samples.items()}
                peer = min((name for name in us if name.startswith("oneDNN")),
                           key=us.get)
                cells = []
                for plan in ratios:
                    own, low, high = paired.ratio(samples[peer], samples[plan])
                    ratios[plan].append(own)
                    bad = plan == "tuned" and high < 1
                    missed += bad
                    cells.append(f"{own:.2f} [{low:.2f}, {high:.2f}]"
                                 + (" MISSED" if bad else ""))
                print(f"| {size} | {threads} | "
                      f"{us.get('oneDNN 2.6', math.nan):.1f} | "
                      f"{us['oneDNN 3']:.1f} | {us['tuned']:.1f} | "
                      f"{us['default']:.1f} | {cells[0]} | {cells[1]} |",
                      flush=True)
    for plan, values in ratios.items():
        print(f"{plan}: {statistics.geometric_mean(values):.3f} times as fast "
              f"in geometric mean, {min(values):.3f} at least")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
