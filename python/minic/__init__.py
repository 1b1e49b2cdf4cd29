# SPDX-License-Identifier: Apache-2.0
"""minic compiles neural networks for inference ahead of time and runs them.

    import minic

    minic.compile("model.onnx", output="model.minic", mode="max-autotune")
    model = minic.load("model.minic")
    y = model(x)

Arrays and tensors go in and out by DLPack and Python's buffers, without a copy.
docs/python.md has the rules.
"""

try:
    from ._runtime import (Program, TensorSpec, __version__, load, synchronize)
except ImportError as _error:
    # CPython words it by its own rules from 3.12 on.
    if "subinterpreter" in str(_error):
        raise ImportError("minic: one Python interpreter of a process may "
                          "import it, and this is a sub-interpreter") from None
    raise

from ._bench import do_bench
from ._compile import compile
from .errors import (Error, InternalError, InvalidInputError, OutOfMemoryError,
                     UnsupportedError)

__all__ = [
    "Error", "InternalError", "InvalidInputError", "OutOfMemoryError",
    "Program", "TensorSpec", "UnsupportedError", "__version__", "compile",
    "do_bench", "load", "synchronize",
]
