#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of PyTorch through all exporters, compiled, run and compared.

    acceptance.py FOLDER [--size=full] [--mode=default] [--target=cuda] [CASE ...]

Each model of exported_models.py is exported in each form, unless FOLDER has it;
each form is imported and compiled, and what it computes is compared with PyTorch
in double precision. The float64 reference of a whole model of full size would take
minutes and say nothing, so there each tensor of the plan is compared with it, and the
results with PyTorch alone. Prints a row of a table for each form, and writes
FOLDER/NAME.SIZE.json. The exit status is 1 if a form was refused or wrong.
`minic` and `minic-run` are those in PATH; needs torch, transformers, torchvision,
onnxscript and, for the UNet, diffusers.
"""

import argparse
import collections
import json
import pathlib
import re
import resource
import subprocess
import sys
import time

import numpy
import torch

import beside_torch
import exported_models
import exporters
import files

MODES = ("default", "max-autotune")
LIMIT_S = 1800  # of one command
#: Error that two evaluations in double precision of a model may have, of the
#: largest value: constants that the exporter folded, as those of rotary
#: embeddings, are f32, and norms of transformers compute in f32.
ROUNDED = 1e-6
MORE_INPUTS = 11  # of models with few results
#: What exporters write in pieces.
NAMED = ("linear", "attention", "layer_norm", "rms_norm", "group_norm", "gelu",
         "silu", "rotary", "conv", "hard_swish", "hard_sigmoid", "softmax")


class Refused(Exception):
    pass


def tool(*command):
    """What it printed, seconds of CPU time, seconds by the clock."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), \
        time.monotonic()
    done = subprocess.run([str(c) for c in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=LIMIT_S)
    elapsed = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise Refused(f"{command[0]}: {done.stdout.strip()}")
    return (done.stdout, after.ru_utime - before.ru_utime
            + after.ru_stime - before.ru_stime, elapsed)


def wide(tensor):
    return tensor.double() if tensor.is_floating_point() else tensor


def computed(module, inputs):
    with torch.no_grad():
        results = module(*inputs)
    return [r.double().cpu().numpy() for r in
            (results if isinstance(results, tuple) else (results,))]


def computed_on(device, module, inputs):
    """Where minic runs: products on a GPU sum in another order."""
    results = computed(module.to(device), [x.to(device) for x in inputs])
    module.to("cpu")
    return results


def others(inputs, count):
    """More inputs like these, with other floats; none where there are no
    floats."""
    random = torch.Generator().manual_seed(1)
    if not any(x.is_floating_point() for x in inputs.values()):
        return []
    return [{name: torch.randn(x.shape, generator=random)
             if x.is_floating_point() else x for name, x in inputs.items()}
            for _ in range(count)]


def as_array(code, count, data, place):
    return numpy.frombuffer(data, f"<{code.replace('d', 'f8').replace('q', 'i8')}",
                            count, place)


class Model:
    """A case with its files: inputs, all its forms, and PyTorch's results in
    double precision and in f32."""

    def __init__(self, name, size, folder, opsets, device):
        self.name, self.case = name, exported_models.CASES[name]
        self.folder = folder / f"{name}.{size}"
        self.folder.mkdir(parents=True, exist_ok=True)
        module, inputs = self.case.build(size)
        self.dims = {opset: exporters.dims(self.case, inputs, opset)
                     for opset in opsets}
        self.forms = {opset: self.export(module, inputs, opset)
                      for opset in opsets}
        sets = [inputs]
        self.single = computed_on(device, module, inputs.values())
        if min(r.size for r in self.single) < beside_torch.FEW:
            sets += others(inputs, MORE_INPUTS)
        singles = [computed_on(device, module, each.values())
                   for each in sets]
        module.double()
        #: Of each set of inputs: options, results in f32, in double precision.
        self.runs = [
            (self.write(each, i), single,
             computed(module, map(wide, each.values())))
            for i, (each, single) in enumerate(zip(sets, singles))]
        self.inputs, self.single, self.exact = self.runs[0]

    def write(self, inputs, number):
        """Options of minic-run."""
        options = []
        for tensor, value in inputs.items():
            path = self.folder / f"{tensor}.{number}.npy"
            numpy.save(path, value.numpy())
            options.append(f"--input={tensor}={path}")
        return options

    def export(self, module, inputs, opset):
        """None where the form is there, or else why not."""
        path = self.path(opset)
        missing = path.with_suffix(".missing")
        if missing.exists():
            return missing.read_text()
        if path.exists():
            return None
        why = exporters.export(self.case, module, inputs, opset, path)
        if why:
            missing.write_text(why)
        return why

    def path(self, opset):
        return self.folder / f"{opset}.onnx"

    def names(self):
        return [f"result_{i}" for i in range(len(self.exact))]


def compile_form(model, opset, mode, arguments):
    """(artifact, row)"""
    path = model.path(opset)
    artifact = path.with_suffix(f".{mode}.minic")
    text, cpu, clock = tool(
        "minic", path, "-o", artifact, f"--mode={mode}", "--log=phases",
        f"--tune-db={arguments.folder / f'{mode}.db'}",
        f"--tune-budget={arguments.tune_budget}",
        f"--target={arguments.target}", *model.dims[opset])
    return artifact, {
        "import_ms": float(re.search(r"phase import +([\d.]+) ms", text)[1]),
        "cpu_s": cpu, "clock_s": clock}


def ops(model, opset, phase):
    """{op: how many} after a phase."""
    text, _, _ = tool("minic", f"--compile-to={phase}", model.path(opset),
                      *model.dims[opset])
    found = re.findall(r"^ *(?:%\S+(?:, %\S+)* = )?\"?graph\.(\w+)", text,
                       re.MULTILINE)
    return collections.Counter(op for op in found
                               if op not in ("constant", "name"))


def reference(model, opset, size):
    """Of each result: values in float64 and the tolerances of a run. Of a full
    model PyTorch's values, and no bounds."""
    if size == "full":
        return [files.Expected(exact.shape, exact,
                               numpy.full(exact.shape, numpy.inf))
                for exact in model.exact]
    path = model.folder / f"{opset}.expected"
    tool("minic", "evaluate", model.path(opset), "--budget=0",
         f"--expected={path}", *model.inputs, *model.dims[opset])
    found = files.read_expected(path, as_array)
    path.unlink()
    for name, exact in zip(model.names(), model.exact):
        if found[name].dims != exact.shape:
            raise Refused(f"{name}: expected {exact.shape}, "
                          f"got {found[name].dims}")
    return [found[name] for name in model.names()]


def run(model, artifact, inputs):
    paths = [model.folder / f"{name}.out.npy" for name in model.names()]
    tool("minic-run", artifact, *inputs,
         *(f"--output={name}={path}"
           for name, path in zip(model.names(), paths)))
    return [numpy.load(path).astype(numpy.float64) for path in paths]


def compare(model, expected, artifact):
    """The row of what ran, over all results, beside PyTorch."""
    row = {"worst": 0, "rms": 0, "torch_rms": 0, "bound": 0, "wrong": []}
    ran = [(run(model, artifact, inputs), single, exact)
           for inputs, single, exact in model.runs]
    for i, (name, reference_of) in enumerate(zip(model.names(), expected)):
        first, *more = [[results[i] for results in each] for each in ran]
        found = beside_torch.errors(
            *first, reference_of.tolerances.reshape(first[0].shape), more)
        if why := found.wrong():
            row["wrong"].append(f"{name} {why}")
        for key in ("worst", "rms", "torch_rms", "bound"):
            row[key] = max(row[key], getattr(found, key))
    return row


def reference_error(model, expected):
    """The largest difference of the two float64 evaluations, of the largest
    value."""
    return max(
        float(abs(r.values.reshape(exact.shape) - exact).max()
              / abs(exact).max())
        for r, exact in zip(expected, model.exact))


def compare_tensors(model, opset, arguments):
    """Of the tensors that a plan of default mode stores, each given those
    before it: the largest error, of its bound. This says something where the
    bound of the whole model does not."""
    text, _, _ = tool("minic", "compare", model.path(opset), "--json",
                      f"--budget={arguments.compare_budget}",
                      f"--target={arguments.target}",
                      *model.inputs, *model.dims[opset])
    tensors = json.loads(text[text.index("{"):])["plan"]["tensors"]
    return {"tensors": len(tensors),
            "worst": max(t["error_over_bound"] or 0 for t in tensors),
            "vacuous": sum(t["vacuous"] for t in tensors)}


def check_form(model, opset, arguments, plans):
    row = {"opset": opset}
    imported, simplified = (ops(model, opset, phase)
                            for phase in ("import", "simplify"))
    row["ops"] = [imported.total(), simplified.total()]
    row["named"] = {op: simplified[op] for op in NAMED if simplified[op]}
    expected = None
    for mode in arguments.modes:
        artifact, row[mode] = compile_form(model, opset, mode, arguments)
        plan = exporters.plan_of(artifact)
        row[mode]["launches"] = exporters.launches(plan[0])
        known = plans.setdefault(mode, {})
        same = next((other for other, it in known.items()
                     if not exporters.difference(it[0], plan)), None)
        row[mode]["same_as"] = same
        if same is None:
            expected = expected or reference(model, opset, arguments.size)
            row["reference"] = reference_error(model, expected)
            outcome = compare(model, expected, artifact)
            if mode == "default":
                row["by_tensor"] = compare_tensors(model, opset, arguments)
                if not row["by_tensor"]["worst"] <= 1:
                    outcome["wrong"].append(
                        "a tensor is off by "
                        f"{row['by_tensor']['worst']:.3g} bounds")
            if row["reference"] > ROUNDED:
                outcome["wrong"].append(
                    f"the reference differs by {row['reference']:.2g}")
        else:
            outcome = known[same][1]
        known[opset] = (plan, outcome)
        row[mode].update(outcome)
        artifact.unlink()
    return row


def error_text(row, mode):
    """Beside PyTorch, or where the plan is another form's, which."""
    it = row[mode]
    if it["same_as"]:
        return f"plan of {it['same_as']}"
    of_bound = (f"{it['worst']:.1e} of its bound"
                if it["bound"] <= beside_torch.VACUOUS
                else f"{it['rms'] / it['torch_rms']:.2f} of PyTorch's f32")
    return f"{it['rms']:.1e}, {of_bound}"


def text_of(name, row):
    """The row of the table."""
    if "missing" in row:
        return f"| {name} | {row['opset']} | not run: {row['missing']} |"
    modes = [mode for mode in MODES if mode in row]
    tensors = row.get("by_tensor")
    cells = [
        name, row["opset"], " → ".join(map(str, row["ops"])),
        ", ".join(f"{n} {op}" for op, n in row["named"].items()),
        row[modes[0]]["launches"], f"{row[modes[0]]['import_ms']:.0f}",
        *(f"{row[mode]['cpu_s']:.1f}" for mode in modes),
        *(error_text(row, mode) for mode in modes),
        f"{tensors['tensors']}, {tensors['worst']:.2f}" if tensors else "",
        f"{row['reference']:.0e}" if row.get("reference") else "",
        "; ".join(w for mode in modes for w in row[mode]["wrong"]) or "right"]
    return "| " + " | ".join(map(str, cells)) + " |"


def header(modes):
    cells = ["case", "opset", "ops imported → simplified", "raised",
             "launches", "import, ms",
             *(f"{mode}, s of CPU" for mode in modes),
             *(f"{mode}: RMS error" for mode in modes),
             "tensors, worst of its bound", "reference − PyTorch", ""]
    return f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}"


def check_case(name, arguments):
    model = Model(name, arguments.size, arguments.folder, arguments.opsets,
                  arguments.target)
    plans, rows = {}, []
    for opset, missing in model.forms.items():
        try:
            if missing:
                raise Refused(missing)
            row = check_form(model, opset, arguments, plans)
        except (Refused, subprocess.TimeoutExpired) as refused:
            row = {"opset": opset, "missing": str(refused),
                   "is_exported": not missing}
        rows.append(row)
        print(text_of(name, row), flush=True)
    path = arguments.folder / f"{name}.{arguments.size}.json"
    path.write_text(json.dumps(rows, indent=1))
    return all(row.get("is_exported") is False if "missing" in row
               else not any(row[mode]["wrong"] for mode in arguments.modes)
               for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", metavar="CASE",
                        default=list(exported_models.CASES))
    parser.add_argument("--size", choices=("small", "full"), default="small")
    parser.add_argument("--mode", dest="modes", action="append", choices=MODES,
                        help="may be repeated; all by default")
    parser.add_argument("--opset", dest="opsets", action="append", type=int,
                        choices=exporters.OPSETS,
                        help="may be repeated; all by default")
    parser.add_argument("--target", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--compare-budget", type=float, default=60,
                        help="seconds of comparing tensors")
    parser.add_argument("--tune-budget", default="none",
                        help="of max-autotune (20s)")
    arguments = parser.parse_intermixed_args()
    arguments.modes = arguments.modes or MODES
    arguments.opsets = arguments.opsets or exporters.OPSETS
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    exporters.be_quiet()
    print(header(arguments.modes), flush=True)
    wrong = []
    for name in arguments.cases:
        try:
            if not check_case(name, arguments):
                wrong.append(name)
        except ImportError as lacking:
            print(f"| {name} | | not run: {lacking} |", flush=True)
    if wrong:
        sys.exit(f"refused or wrong: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
