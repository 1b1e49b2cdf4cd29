#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a kernel in Triton ahead of time and writes it as a model of minic.

Needs Triton and no GPU. What it writes, a model and a PTX file for each
configuration of @triton.autotune, needs neither Triton nor Python:

  triton_kernel.py softmax.py:softmax -o softmax.mlir --reference reference.mlir
      --tensor "x=f32[M,N]" --tensor "y=f32[M,N]" --result y
      --scalar n_rows=M --scalar n_cols=N --constexpr COLUMNS=1024
      --size M=512 --size N=1000 --grid "ceildiv(M, ROWS)" --where "N <= 1024"

The kernel takes pointers to operands, to results, then scalars. The file of the
reference holds `func.func private @reference`. docs/kernels.md has the rest.
"""

import argparse
import importlib.util
import os
import pathlib
import re
import sys

TRITON_DTYPES = {"f32": "fp32", "f16": "fp16", "bf16": "bf16", "i1": "i1",
                 "i8": "i8", "i32": "i32", "i64": "i64"}


class Unfit(Exception):
    """One line: what the kernel or the command line says that does not fit."""


def pair(text, what):
    name, separator, value = text.partition("=")
    if not separator or not name.strip() or not value.strip():
        raise Unfit(f"{what}: expected NAME=VALUE, got '{text}'")
    return name.strip(), value.strip()


def parse_tensor(text):
    """Name, dtype and dims, each a name or an int."""
    name, value = pair(text, "--tensor")
    match = re.fullmatch(r"(\w+)\[([\w\s,]*)\]", value)
    if not match or match[1] not in TRITON_DTYPES:
        raise Unfit(f"--tensor {name}: expected DTYPE[DIMS] with a dtype of "
                    f"{', '.join(TRITON_DTYPES)}, got '{value}'")
    dims = [dim.strip() for dim in match[2].split(",") if dim.strip()]
    return name, match[1], [int(d) if d.isdigit() else d for d in dims]


def load(spec):
    """The decorated function FILE.py:NAME."""
    path, separator, name = spec.rpartition(":")
    if not separator:
        raise Unfit(f"expected FILE.py:KERNEL, got '{spec}'")
    if not os.path.exists(path):
        raise Unfit(f"cannot open '{path}'")
    module_spec = importlib.util.spec_from_file_location("captured", path)
    module = importlib.util.module_from_spec(module_spec)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    module_spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise Unfit(f"'{path}' has no '{name}'")
    return getattr(module, name), name


def unwrap(kernel, name):
    """The function under the decorators, configurations, keys, names of
    tensors that are zeroed first."""
    import triton
    configs, keys, zeroed = [triton.Config({})], [], []
    while not isinstance(kernel, triton.JITFunction):
        if isinstance(kernel, triton.runtime.Autotuner):
            if getattr(kernel, "restore_value", None):
                raise Unfit(f"'{name}' restores {kernel.restore_value}: a "
                            "result that updates an operand is `updates` of "
                            "graph.kernel, written by hand")
            if any(config.pre_hook for config in kernel.configs):
                raise Unfit(f"'{name}' has a pre_hook, which is Python")
            configs, keys = kernel.configs, list(kernel.keys)
            zeroed = list(getattr(kernel, "reset_to_zero", None) or [])
        elif isinstance(kernel, triton.runtime.Heuristics):
            raise Unfit(f"'{name}' has heuristics, which are Python: give their "
                        "values by --constexpr")
        else:
            raise Unfit(f"'{name}' is no @triton.jit function")
        kernel = kernel.fn
    return kernel, configs, keys, zeroed


def compile_config(function, config, arguments, arch, ptx_version):
    """PTX, bytes of shared memory and threads of one configuration."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    signature, constants, attributes = {}, {}, {}
    for index, (name, kind) in enumerate(arguments):
        signature[name] = kind
        if kind == "constexpr":
            constants[(index,)] = config.kwargs[name]
        elif kind.startswith("*"):
            attributes[(index,)] = [["tt.divisibility", 16]]
    source = ASTSource(fn=function, signature=signature, constexprs=constants,
                       attrs=attributes)
    options = {"num_warps": config.num_warps, "num_stages": config.num_stages,
               "ptx_version": ptx_version}
    compiled = triton.compile(source, target=GPUTarget("cuda", arch, 32),
                              options=options)
    data = compiled.metadata
    for field in ("global_scratch_size", "profile_scratch_size", "tmem_size"):
        if getattr(data, field, 0):
            raise Unfit(f"configuration {config}: it wants {field}, which "
                        "graph.kernel does not give")
    if getattr(data, "num_ctas", 1) != 1:
        raise Unfit(f"configuration {config}: clusters are not supported")
    return compiled.asm["ptx"], data.shared, 32 * data.num_warps


def mlir_text(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def mlir_list(items):
    return "[" + ", ".join(items) + "]"


def dims_text(dims):
    return mlir_list(str(d) if isinstance(d, int) else mlir_text(d)
                     for d in dims)


def tensor_type(dtype, dims, sizes):
    shape = []
    for dim in dims:
        if not isinstance(dim, int) and dim not in sizes:
            raise Unfit(f"expected --size {dim}=...")
        shape.append(str(dim if isinstance(dim, int) else sizes[dim]))
    return "tensor<" + "x".join(shape + [dtype]) + ">"


def order_arguments(function, name, tensors, scalars, constants, configs,
                    results):
    """Name and kind of each argument, in minic's order as well as Triton's."""
    arguments, last = [], 0
    for param in function.params:
        if param.is_constexpr:
            if param.name not in constants and not all(
                    param.name in config.kwargs for config in configs):
                raise Unfit(f"expected --constexpr {param.name}=...")
            arguments.append((param.name, "constexpr"))
            continue
        if param.name in tensors:
            kind = "*" + TRITON_DTYPES[tensors[param.name][0]]
            place = 1 if param.name in results else 0
        elif param.name in scalars:
            kind, place = scalars[param.name][1], 2
        else:
            raise Unfit(f"expected --tensor or --scalar for '{param.name}' of "
                        f"'{name}'")
        if place < last:
            raise Unfit(f"'{param.name}' of '{name}' comes too late: minic "
                        "passes operands, results, then scalars")
        last = place
        arguments.append((param.name, kind))
    known = {argument for argument, _ in arguments}
    for given in [*tensors, *scalars]:
        if given not in known:
            raise Unfit(f"'{name}' has no argument '{given}'")
    return arguments


def capture(options):
    kernel, name = load(options.kernel)
    function, configs, keys, zeroed = unwrap(kernel, name)
    tensors = {n: (dtype, dims)
               for n, dtype, dims in map(parse_tensor, options.tensor)}
    scalars = {}
    for text in options.scalar:
        scalar, value = pair(text, "--scalar")
        formula, _, kind = value.partition(":")
        scalars[scalar] = (formula.strip(), kind.strip() or "i32")
    constants = {n: int(v) for n, v in
                 (pair(text, "--constexpr") for text in options.constexpr)}
    sizes = {n: int(v) for n, v in
             (pair(text, "--size") for text in options.size)}
    for result in options.result:
        if result not in tensors:
            raise Unfit(f"--result {result}: expected a --tensor of that name")
    arguments = order_arguments(function, name, tensors, scalars, constants,
                                configs, options.result)
    operands = [n for n, kind in arguments
                if kind.startswith("*") and n not in options.result]
    results = [n for n, kind in arguments
               if kind.startswith("*") and n in options.result]
    # What Triton tunes again for is what the kernel may be special for.
    key = list(options.key)
    for each in keys:
        formula = scalars.get(each, ("",))[0]
        if formula in sizes and formula not in key:
            key.append(formula)

    output = pathlib.Path(options.output)
    files, entries = [], []
    for number, config in enumerate(configs):
        config.kwargs.update(constants)
        ptx, shared, threads = compile_config(
            function, config, arguments, options.arch, options.ptx_version)
        file = output.with_name(f"{output.stem}_{number}.ptx")
        file.write_text(ptx)
        files.append(file.name)
        values = {n: v for n, v in config.kwargs.items()
                  if isinstance(v, int) and n not in constants}
        values |= {"num_stages": config.num_stages, "shared_bytes": shared,
                   "threads": threads}
        entries.append("{" + ", ".join(f"{n} = {int(v)}" for n, v in
                                       sorted(values.items())) + "}")
    if len(set(entries)) != len(entries):
        raise Unfit("two configurations have the same parameters")
    entry = re.search(r"\.entry\s+([\w$]+)\(([^)]*)\)", ptx)
    target = re.search(r"\.target\s+(sm_\w+)", ptx)[1]
    # Scratch that these kernels do not use: null.
    passed = [formula for formula, _ in scalars.values()]
    passed += ["0"] * (entry[2].count(".param") - len(operands) - len(results)
                       - len(passed))

    fields = [
        'language = "ptx"', f"entry = {mlir_text(entry[1])}",
        "files = " + mlir_list(map(mlir_text, files)),
        "dims = " + mlir_list(dims_text(tensors[n][1])
                              for n in operands + results),
        "configs = " + mlir_list(entries),
        f"grid = {mlir_text(options.grid)}", 'block = "threads"',
        'shared = "shared_bytes"', f"features = [{mlir_text(target)}]"]
    if key:
        fields.append("key = " + mlir_list(map(mlir_text, key)))
    if options.where:
        fields.append("where = " + mlir_list(map(mlir_text, options.where)))
    if passed:
        fields.append("scalars = " + mlir_list(map(mlir_text, passed)))
    if zeroed:
        fields.append("initial = " + mlir_list(
            (f"0.0 : {tensors[n][0]}" if "f" in tensors[n][0]
             else f"0 : {tensors[n][0]}") if n in zeroed else "unit"
            for n in results))
    fields.append("reference = @reference")

    types = {n: tensor_type(*tensors[n], sizes) for n in operands + results}
    inputs = ", ".join(f"%{n}: {types[n]}" for n in operands)
    uses = ", ".join(f"%{n}" for n in operands)
    outputs = ", ".join(types[n] for n in results)
    many = len(results) > 1
    returned = ", ".join(f"%0#{i}" if many else "%0"
                         for i in range(len(results)))
    lines = [
        f"// The Triton kernel {name}, made by tools/capture/triton_kernel.py.",
        f"func.func @main({inputs}) -> ({outputs}) {{",
        f"  %0{f':{len(results)}' if many else ''} = graph.kernel @{name}"
        f"({uses}) {{",
        ",\n".join("      " + field for field in fields) + "}",
        f"    : ({', '.join(types[n] for n in operands)}) -> ({outputs})",
        f"  return {returned} : {outputs}", "}",
        pathlib.Path(options.reference).read_text().strip(), ""]
    output.write_text("\n".join(lines))
    print(f"wrote {output} and {len(files)} PTX files for {target}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", metavar="FILE.py:KERNEL")
    parser.add_argument("-o", "--output", required=True, metavar="MODEL.mlir")
    parser.add_argument("--reference", required=True, metavar="FILE.mlir")
    parser.add_argument("--grid", required=True, metavar="FORMULAS")
    for flag, metavar in (("tensor", "NAME=DTYPE[DIMS]"), ("result", "NAME"),
                          ("scalar", "NAME=FORMULA[:i64]"),
                          ("constexpr", "NAME=INTEGER"), ("size", "DIM=INTEGER"),
                          ("where", "FORMULA"), ("key", "DIM")):
        parser.add_argument("--" + flag, action="append", default=[],
                            metavar=metavar)
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--ptx-version", type=int, default=83,
                        help="83 is PTX 8.3; what assembles it has to know it")
    options = parser.parse_args()
    # Without lines and variables, which nobody debugs here.
    os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")
    try:
        capture(options)
    except ImportError as error:
        sys.exit(f"triton_kernel.py: error: needs Triton: {error}")
    except (Unfit, OSError, ValueError) as error:
        sys.exit(f"triton_kernel.py: error: {error}")


if __name__ == "__main__":
    main()
