#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tiny model beside what PyTorch computes for it in double precision.

    against_torch.py [--run] [--onnx=OPSET] MODEL FOLDER [-- minic options]

writes the model into FOLDER and compares the reference of `minic evaluate` with
the outputs of PyTorch in expected/; --run also compiles it, and compares what
comes out with both. With --onnx the model is an ONNX file, of the same weights.
`minic` and `minic-run` are those in PATH.
"""

import argparse
import pathlib
import subprocess
import sys

import files

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/models"))
import models  # noqa: E402

BATCH = 2  # as in torch_outputs.py
#: Two evaluations in double precision of the same model, of the largest value.
DOUBLE = 1e-12
#: The same of an ONNX model, whose attributes, such as epsilon, are f32; and
#: where constants, such as a scale, are, or what the import makes of batch norms.
ROUNDED_ATTRIBUTES, ROUNDED_CONSTANTS = 1e-10, 1e-6
VACUOUS = 0.25  # as minic-run --check says
#: RMS error where the bound is vacuous, of that of PyTorch's f32. Few elements are
#: too few to tell, as a row is in beside_torch.py.
ALL, FEW, OF_FEW = 1.5, 1000, 4.0


def fail(text):
    sys.exit(f"against_torch: {text}")


def tool(*command):
    done = subprocess.run([str(c) for c in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        fail(f"{command[0]}: {done.stdout.strip()}")
    return done.stdout


class Case:
    """A function of a model, whose files are in `folder`."""

    def __init__(self, model, function, folder, path=None):
        self.model, self.function, self.folder = model, function, folder
        self.path = path or folder / f"{model}.mlir"
        #: ONNX has one function to a file, by the name of main.
        self.inner = "main" if self.path.suffix == ".onnx" else function.name
        self.inputs = [f"--input={i.name}={folder / 'inputs'}/"
                       f"{function.name}.{i.name}.npy"
                       for i in function.inputs]

    def compile(self, options):
        """The artifact, that of a model in text under a name tests know."""
        artifact = self.path.with_suffix(".minic") \
            if self.path.suffix == ".onnx" else self.folder / "model.minic"
        tool("minic", self.path, "-o", artifact, *options)
        return artifact

    def evaluate(self):
        """{result: files.Expected}"""
        path = self.folder / f"{self.function.name}.expected"
        tool("minic", "evaluate", self.path, "--budget=0",
             f"--function={self.inner}", f"--expected={path}",
             *self.inputs)
        return files.read_expected(path)

    def run(self, artifact):
        """{result: values}; compared with the reference."""
        paths = {name: self.folder / f"{self.function.name}.{name}.npy"
                 for name, _ in self.function.results}
        tool("minic-run", artifact, f"--function={self.inner}",
             "--check", *self.inputs,
             *(f"--output={name}={path}" for name, path in paths.items()))
        return {name: files.read_npy(path)[1]
                for name, path in paths.items()}

    def torch(self, result):
        dims, values = files.read_npy(
            HERE / "expected"
            / f"{self.model}.{self.function.name}.{result}.npy")
        return dims, values


def compare_reference(what, expected, dims, exact, allowed):
    """The two float64 evaluations, of the same weights."""
    if expected.dims != dims:
        fail(f"{what}: expected {dims}, got {expected.dims}")
    largest = max(map(abs, exact))
    error = max(abs(a - b) for a, b in zip(expected.values, exact))
    if not error <= allowed * largest:
        fail(f"{what}: the reference differs from PyTorch by {error:.3g} "
             f"where the largest is {largest:.3g}")
    print(f"{what}: the reference agrees with PyTorch")


def compare_run(what, values, expected, exact):
    """What was computed lies within the reference's bound of PyTorch's. Where
    that is vacuous, its error is at most so many times that of PyTorch's f32."""
    worst = max(abs(a - b) / tolerance if tolerance else float(a != b)
                for a, b, tolerance in
                zip(values, exact, expected.tolerances))
    if not worst <= 1:
        fail(f"{what}: differs from PyTorch by {worst:.3g} of the tolerance")
    error = rms(a - b for a, b in zip(values, exact)) / rms(exact)
    bound = rms(expected.tolerances) / rms(exact)
    single = torch_error(what)
    allowed = (ALL if len(exact) >= FEW else OF_FEW) * single
    if bound > VACUOUS and not error <= allowed:
        fail(f"{what}: RMS error {error:.3g}, expected at most {allowed:.3g}")
    print(f"{what}: what ran agrees with PyTorch, RMS error {error:.1e}, "
          f"of PyTorch's f32 {single:.1e}, bound {bound:.1e}")


def torch_error(what):
    """The RMS error of PyTorch's f32."""
    for line in (HERE / "expected/versions.txt").read_text().splitlines():
        name, _, error = line.partition(" ")
        if name == what:
            return float(error)
    return fail(f"{what}: no error of PyTorch in expected/versions.txt")


def rms(values):
    values = list(values)
    return (sum(v * v for v in values) / len(values)) ** 0.5


def write_onnx(model, opset, folder):
    """{function: path}"""
    import onnx_form
    module = models.build(model, "tiny", BATCH,
                          module=onnx_form.Module("f32", opset))
    paths = {f.name: folder / f"{model}.{f.name}.{opset}.onnx"
             for f in module.functions}
    for function in module.functions:
        onnx_form.write(module, function, paths[function.name])
    return paths


def allowed_of(module, opset):
    if not opset:
        return DOUBLE
    has_batch_norms = any(name.endswith(".running_var")
                          for name in module.weights)
    return ROUNDED_CONSTANTS if opset < 23 or has_batch_norms \
        else ROUNDED_ATTRIBUTES


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=models.MODELS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--onnx", type=int, metavar="OPSET")
    parser.add_argument("options", nargs="*", help="of minic")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    module = models.build(arguments.model, "tiny", BATCH)
    path = folder / f"{arguments.model}.mlir"
    models.write(module, path, arguments.model, inputs=folder / "inputs")
    paths = dict.fromkeys((f.name for f in module.functions), path)
    if arguments.onnx:
        paths = write_onnx(arguments.model, arguments.onnx, folder)
    compiled = {}  # by the path of the model
    for function in module.functions:
        case = Case(arguments.model, function, folder, paths[function.name])
        expected = case.evaluate()
        if arguments.run and case.path not in compiled:
            compiled[case.path] = case.compile(arguments.options)
        outputs = case.run(compiled[case.path]) if arguments.run else {}
        for result, _ in case.function.results:
            what = f"{case.model}.{case.function.name}.{result}"
            dims, exact = case.torch(result)
            compare_reference(what, expected[result], dims, exact,
                              allowed_of(module, arguments.onnx))
            if outputs:
                compare_run(what, outputs[result], expected[result], exact)


if __name__ == "__main__":
    main()
