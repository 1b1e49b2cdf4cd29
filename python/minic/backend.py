# SPDX-License-Identifier: Apache-2.0
"""minic as a backend of the onnx package, for ONNX's backend tests and the
ONNX Backend Scoreboard (ONNX_BACKEND=minic.backend). Needs onnx and the compiler.

Shapes are static: a model is compiled when it is first run, for the shapes of
those inputs, and anew for others. Inputs that minic must know when it compiles,
such as axes and pads, become constants where a model does not compile without.
"""

import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from . import _compile, _runtime
from .errors import UnsupportedError


class MinicRep(BackendRep):
    """A model, and a program for each set of shapes that it was run with."""

    def __init__(self, model: onnx.ModelProto, options: dict[str, Any]):
        self._model = model
        self._options = options
        self._programs: dict[Any, tuple[Any, set[str]]] = {}
        known = {value.name for value in model.graph.initializer}
        self._names = [value.name for value in model.graph.input
                       if value.name not in known]

    def run(self, inputs: Sequence[Any], **kwargs: Any) -> tuple[Any, ...]:
        arrays = dict(zip(self._names, map(numpy.asarray, inputs)))
        program, constants = self._program(arrays)
        given = [numpy.ascontiguousarray(array).reshape(array.shape)
                 for name, array in arrays.items() if name not in constants]
        results = program(*given)
        if not isinstance(results, tuple):
            results = (results,)
        names = [value.name for value in self._model.graph.output]
        return namedtupledict("Outputs", names)(*results)

    def _program(self, arrays):
        small = {name for name, array in arrays.items() if array.ndim <= 1}
        key = tuple((array.shape, array.dtype,
                     array.tobytes() if name in small else None)
                    for name, array in arrays.items())
        if key not in self._programs:
            self._programs[key] = self._compile(arrays, small)
        return self._programs[key]

    def _compile(self, arrays, small):
        try:
            return self._compile_with(arrays, set())
        except UnsupportedError:
            if not small:
                raise
            return self._compile_with(arrays, small)

    def _compile_with(self, arrays, constants):
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        graph = model.graph
        kept = [value for value in graph.input if value.name not in constants]
        for value in kept:
            if value.name in arrays:
                shape = value.type.tensor_type.shape
                del shape.dim[:]
                for size in arrays[value.name].shape:
                    shape.dim.add().dim_value = size
        del graph.input[:]
        graph.input.extend(kept)
        graph.initializer.extend(
            numpy_helper.from_array(arrays[name], name)
            for name in sorted(constants))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.onnx")
            onnx.save(model, path)
            artifact = _compile.compile(path, **self._options)
            return _runtime.load(artifact), constants


class MinicBackend(Backend):
    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU",
                **kwargs: Any) -> MinicRep:
        """`kwargs` are options of minic.compile."""
        if not cls.supports_device(device):
            raise UnsupportedError(f"device: expected 'CPU', got '{device}'")
        onnx.checker.check_model(model)
        return MinicRep(model, {"target": "cpu", **kwargs})

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any,
                  device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"


prepare = MinicBackend.prepare
run_model = MinicBackend.run_model
supports_device = MinicBackend.supports_device
is_compatible = MinicBackend.is_compatible
