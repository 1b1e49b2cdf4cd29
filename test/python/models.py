# SPDX-License-Identifier: Apache-2.0
"""Small models of the tests, compiled once for a process."""

import atexit
import functools
import pathlib
import tempfile

import minic

_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)


def tensor(shape, dtype="f32"):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"


def relu(shape=(4, 8), dtype="f32"):
    """y = relu(x)"""
    t = tensor(shape, dtype)
    return (f'func.func @main(%x: {t} {{graph.name = "x"}}) -> '
            f'({t} {{graph.name = "y"}}) {{\n'
            f"  %0 = graph.relu %x : {t}\n  return %0 : {t}\n}}\n")


def scaled():
    """y = relu(x) of "N" rows, which vary."""
    t = tensor(("?", 8))
    return (f'func.func @main(%x: {t} {{graph.name = "x", '
            f'graph.dims = ["N", 8]}}) -> ({t} {{graph.name = "y"}}) {{\n'
            f"  %0 = graph.relu %x : {t}\n  return %0 : {t}\n}}\n")


def two_results(shape=(4, 8)):
    """s, d = a + b, a - b"""
    t = tensor(shape)
    return (f'func.func @main(%a: {t} {{graph.name = "a"}}, '
            f'%b: {t} {{graph.name = "b"}}) -> '
            f'({t} {{graph.name = "s"}}, {t} {{graph.name = "d"}}) {{\n'
            f"  %0 = graph.add %a, %b : {t}\n"
            f"  %1 = graph.sub %a, %b : {t}\n"
            f"  return %0, %1 : {t}, {t}\n}}\n")


def product(size=1024):
    """y = x x, long enough to be seen beside other threads"""
    t = tensor((size, size))
    return (f'func.func @main(%x: {t} {{graph.name = "x"}}) -> '
            f'({t} {{graph.name = "y"}}) {{\n'
            f"  %0 = graph.matmul %x, %x : ({t}, {t}) -> {t}\n"
            f"  return %0 : {t}\n}}\n")


def write(text, name="model.mlir"):
    path = pathlib.Path(tempfile.mkdtemp(dir=_folder.name), name)
    path.write_text(text)
    return path


@functools.lru_cache(None)
def artifact(text, **options):
    """The artifact of a model, by default for one thread of this CPU."""
    options = {"target": "cpu", "threads": 1, "input_alignment": 16, **options}
    return minic.compile(write(text), **options)


def load(text, **options):
    return minic.load(artifact(text, **options))
