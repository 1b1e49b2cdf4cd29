#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's own tests of operators through minic.

    .venv/bin/python test/onnx/node_tests.py [--only OP...] [--jobs N]
    .venv/bin/python test/onnx/node_tests.py --write    not_passing.txt anew
    .venv/bin/python test/onnx/node_tests.py --target=cuda
    .venv/bin/python test/onnx/node_tests.py --target=cuda --compile-only \
        --device-profile=h200                           without a GPU

The onnx package makes the tests. They are those with tensors of minic's dtypes
alone, at least one of them a float, without the twins whose function bodies are
written out: 944 in onnx 1.23.2. Many are merged into one model, so that minic
starts once for them. Inputs that say a shape, axes, pads and the like are given
by --constant-input. Results must have the test's shape and dtype, within its tolerance.

not_passing.txt, on GPUs not_passing_cuda.txt, has those that do not pass, with a
reason each. A test that is not in it and fails is an error, and so is one that is in
it and passes, but for those whose results differ by the rounding of 16-bit floats.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import warnings

import ml_dtypes
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.loader import load_model_tests

import node_list
from node_list import CANCELLING, NOT_RUN, ROUNDING

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LISTS = {"cpu": HERE / "not_passing.txt",
         "cuda": HERE / "not_passing_cuda.txt"}
BATCH = 24

FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16}
DTYPES = FLOATS | {TensorProto.BOOL, TensorProto.INT8, TensorProto.UINT8,
                   TensorProto.INT32, TensorProto.INT64}

# Operands that minic must know when it compiles, by op.
FROZEN = {
    "AffineGrid": [1], "BlackmanWindow": [0], "CenterCropPad": [1],
    "Compress": [1], "ConstantOfShape": [0], "CumSum": [1], "DFT": [1, 2],
    "Dropout": [1, 2], "Expand": [1], "HammingWindow": [0], "HannWindow": [0],
    "If": [0], "OneHot": [1], "Pad": [1, 2, 3], "Range": [0, 1, 2], "Reshape": [1],
    "Resize": [1, 2, 3], "ReverseSequence": [1], "Scatter": [1],
    "ScatterElements": [1], "ScatterND": [1], "Slice": [1, 2, 3, 4],
    "Split": [1], "Squeeze": [1], "Tile": [1], "TopK": [1], "Trilu": [1],
    "Unsqueeze": [1], "Upsample": [1],
    **{f"Reduce{kind}": [1] for kind in (
        "L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum",
        "SumSquare")},
}


class Case:
    def __init__(self, test):
        self.name = test.name.removeprefix("test_")
        self.model = test.model
        self.rtol, self.atol = test.rtol, test.atol
        inputs, outputs = test.data_sets[0]
        names = [value.name for value in self.model.graph.input]
        self.inputs = dict(zip(names, map(as_array, inputs)))
        self.outputs = list(map(as_array, outputs))
        self.opset = self.model.opset_import[0].version
        self.frozen = {
            node.input[i] for node in self.model.graph.node
            for i in FROZEN.get(node.op_type, [])
            if i < len(node.input) and node.input[i] in self.inputs}

    def ops(self):
        return {node.op_type for node in self.model.graph.node}


def as_array(value):
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) \
        else numpy.asarray(value)


def is_ours(test):
    graph = test.model.graph
    values = [*graph.input, *graph.output]
    if "_expanded" in test.name or \
            not all(v.type.HasField("tensor_type") for v in values) or \
            any(node.domain not in ("", "ai.onnx") for node in graph.node):
        return False
    types = {value.type.tensor_type.elem_type for value in values}
    return types <= DTYPES and bool(types & FLOATS)


def all_cases():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [Case(test) for test in load_model_tests(kind="node")
                if is_ours(test)]


# --- Merging

def renamed(case, prefix):
    """The case's graph with a prefix on all names; inputs and outputs of it."""
    graph = onnx.GraphProto()
    graph.CopyFrom(case.model.graph)

    def rename(names):
        for i, name in enumerate(names):
            if name:
                names[i] = prefix + name

    def rename_graph(inner):
        for i, node in enumerate(inner.node):
            node.name = f"{prefix}{i}"
            rename(node.input)
            rename(node.output)
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    rename_graph(attribute.g)
        for value in [*inner.input, *inner.output, *inner.initializer]:
            value.name = prefix + value.name

    rename_graph(graph)
    for value, array in zip(graph.output, case.outputs):
        # Some tests leave dimensions of results open.
        value.type.tensor_type.shape.CopyFrom(helper.make_tensor_type_proto(
            1, array.shape).tensor_type.shape)
    for value in graph.input:
        array = case.inputs[value.name.removeprefix(prefix)]
        value.type.tensor_type.shape.CopyFrom(helper.make_tensor_type_proto(
            1, array.shape).tensor_type.shape)
    return graph


def merge(cases):
    whole = onnx.GraphProto(name="tests")
    for i, case in enumerate(cases):
        graph = renamed(case, f"c{i}.")
        for field in ("node", "initializer", "input", "output"):
            getattr(whole, field).extend(getattr(graph, field))
    model = helper.make_model(
        whole, opset_imports=[helper.make_opsetid("", cases[0].opset),
                              helper.make_opsetid("com.microsoft", 1)])
    model.ir_version = min(max(c.model.ir_version for c in cases), 13)
    return model


# --- Running

class Runner:
    def __init__(self, binaries, options, compiles_only=False,
                 limit_s=float("inf")):
        """Batches that begin after `limit_s` are not run."""
        self.binaries, self.options = binaries, options
        self.compiles_only = compiles_only
        self.begin, self.limit_s = time.monotonic(), limit_s

    def elapsed(self):
        return time.monotonic() - self.begin

    def call(self, *command):
        try:
            done = subprocess.run(list(map(str, command)), text=True,
                                  capture_output=True, timeout=600)
        except subprocess.TimeoutExpired:
            return 1, "took more than 600 s"
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        return done.returncode, lines[-1] if lines else str(done.returncode)

    def check(self, cases):
        """{name: reason, "" for a test that passes}"""
        if self.elapsed() > self.limit_s:
            return {case.name: NOT_RUN for case in cases}
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            path, artifact = scratch / "m.onnx", scratch / "m.minic"
            onnx.save(merge(cases), path)
            status, line = self.call(
                self.binaries / "minic", path, "-o", artifact, *self.options,
                *self.constants(cases, scratch))
            if status == 0 and self.compiles_only:
                return {case.name: "" for case in cases}
            if status == 0:
                status, line = self.run(cases, artifact, scratch)
            if status == 0:
                return {case.name: self.compare(case, i, scratch)
                        for i, case in enumerate(cases)}
        if len(cases) == 1:
            return {cases[0].name: reason_of(line)}
        # All that minic lacks is in one line, with the names of nodes.
        lacking = {int(i) for i in re.findall(r"'c(\d+)\.", line)} \
            if "unsupported: " in line else set()
        if lacking and len(lacking) < len(cases):
            good = [c for i, c in enumerate(cases) if i not in lacking]
            bad = [c for i, c in enumerate(cases) if i in lacking]
            parts = [good, *([case] for case in bad)]
        else:
            middle = len(cases) // 2
            parts = [cases[:middle], cases[middle:]]
        return {name: reason for part in parts
                for name, reason in self.check(part).items()}

    def constants(self, cases, scratch):
        """Options for the inputs that minic must know."""
        options = []
        for i, case in enumerate(cases):
            for name in sorted(case.frozen):
                path = scratch / f"constant.{i}.{len(options)}.npy"
                save(path, case.inputs[name])
                options.append(f"--constant-input=c{i}.{name}={path}")
        return options

    def run(self, cases, artifact, scratch):
        arguments = []
        for i, case in enumerate(cases):
            for name, array in case.inputs.items():
                if name not in case.frozen:
                    path = scratch / f"in.{i}.{len(arguments)}.npy"
                    save(path, array)
                    arguments.append(f"--input=c{i}.{name}={path}")
            for k, value in enumerate(case.model.graph.output):
                arguments.append(f"--output=c{i}.{value.name}="
                                 f"{scratch / f'out.{i}.{k}.npy'}")
        return self.call(self.binaries / "minic-run", artifact, "--dtype=bf16",
                         *arguments)

    def compare(self, case, i, scratch):
        for k, wanted in enumerate(case.outputs):
            got = numpy.load(scratch / f"out.{i}.{k}.npy")
            if wanted.dtype == ml_dtypes.bfloat16 and \
                    got.dtype == numpy.uint16:
                got = got.view(ml_dtypes.bfloat16)
            if got.dtype != wanted.dtype or got.shape != wanted.shape:
                return (f"result {k} is {got.dtype}{list(got.shape)}, expected "
                        f"{wanted.dtype}{list(wanted.shape)}")
            exact = wanted.dtype.kind in "biu"
            wide = numpy.int64 if exact else numpy.float64
            try:
                numpy.testing.assert_allclose(
                    got.astype(wide), wanted.astype(wide),
                    rtol=0 if exact else case.rtol,
                    atol=0 if exact else case.atol)
            except AssertionError as difference:
                if is_rounding(got, wanted):
                    return ROUNDING
                if is_cancelling(got, wanted):
                    return CANCELLING
                found = re.search(r"Max absolute difference.*: (\S+)",
                                  str(difference))
                return (f"result {k} is wrong by "
                        f"{found[1] if found else 'NaN or infinity'}")
        return ""


def is_cancelling(got, wanted):
    """Whether float32 differ by four units of the greatest at most."""
    if wanted.dtype != numpy.float32 or not wanted.size:
        return False
    limit = 4 * 2.0**-23 * abs(wanted).max()
    return bool((abs(got.astype(float) - wanted) <= limit).all())


def is_rounding(got, wanted):
    """Whether 16-bit floats differ by two units in the last place at most."""
    unit = {"bfloat16": 2.0**-7, "float16": 2.0**-10}.get(wanted.dtype.name)
    if not unit:
        return False
    got, wanted = got.astype(float), wanted.astype(float)
    return bool(numpy.all(abs(got - wanted) <= 2 * unit * abs(wanted)))


def save(path, array):
    if array.dtype == ml_dtypes.bfloat16:
        array = array.view(numpy.uint16)
    numpy.save(path, numpy.ascontiguousarray(array).reshape(array.shape))


def reason_of(line):
    """What minic said, without the names of files and nodes."""
    line = re.sub(r"^\S+: error: (?:\S+\.onnx: )?", "", line)
    line = re.sub(r"unsupported: \d+ nodes?: ", "unsupported: ", line)
    line = re.sub(r"'c0\.(\w+)'", r"'\1'", line)
    return re.sub(r" \(\d+: [^)]*\)", "", line)


def argument_parser(text):
    """The options of all programs that run such cases; `text` describes one."""
    parser = argparse.ArgumentParser(
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--only", nargs="+", metavar="OP", default=[])
    return parser


def only(ops, cases):
    """The cases that have one of `ops`; all of them if there are none."""
    return [case for case in cases if not ops or case.ops() & set(ops)]


def run_all(cases, runner, jobs):
    """{name: reason}, in the order of the cases; says how far it is."""
    by_opset = collections.defaultdict(list)
    for case in cases:
        by_opset[case.opset].append(case)
    batches = [group[at:at + BATCH] for _, group in sorted(by_opset.items())
               for at in range(0, len(group), BATCH)]
    verdicts = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(runner.check, batch) for batch in batches]
        for done in concurrent.futures.as_completed(running):
            verdicts.update(done.result())
            print(f"{runner.elapsed():6.1f} s  {len(verdicts)} of "
                  f"{len(cases)}, {count(verdicts)}", flush=True)
    return {case.name: verdicts[case.name] for case in cases}


def count(verdicts):
    passed = sum(not reason for reason in verdicts.values())
    rounded = sum(reason in node_list.EITHER for reason in verdicts.values())
    left = sum(reason == NOT_RUN for reason in verdicts.values())
    return (f"{passed} pass, {rounded} differ by rounding"
            + (f", {left} not run" if left else ""))


@contextlib.contextmanager
def options(target, device_profile=None):
    """Of minic, with a tuning database of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        yield [f"--target={target}", f"--tune-db={scratch}/t.db",
               *(["--threads=1"] if target == "cpu" else []),
               *([f"--device-profile={device_profile}"]
                 if device_profile else [])]


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N",
                        help="every Nth test only")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", nargs="?", type=pathlib.Path, const=True,
                        metavar="FILE", help="the list anew, or into FILE")
    parser.add_argument("--target", choices=LISTS, default="cpu")
    parser.add_argument("--device-profile", metavar="NAME", help="of minic")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--limit-s", type=float, default=float("inf"))
    arguments = parser.parse_args()
    target = arguments.target
    cases = only(arguments.only, all_cases())
    cases = cases[::arguments.every]
    with options(target, arguments.device_profile) as chosen:
        verdicts = run_all(
            cases, Runner(arguments.bin, chosen, arguments.compile_only,
                          arguments.limit_s), arguments.jobs)
    frozen = sum(bool(c.frozen) for c in cases if not verdicts[c.name])
    print(f"{len(cases)} tests: {count(verdicts)}, {frozen} of those that pass "
          "with operands made constant")
    path = LISTS[target]
    if arguments.write:
        node_list.write(path if arguments.write is True else arguments.write,
                        target, verdicts, arguments.compile_only)
    if arguments.write is True:
        return 0
    lines = node_list.differences(node_list.read(path), verdicts,
                                  arguments.compile_only)
    for line in lines:
        print(line)
    return 1 if lines or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
