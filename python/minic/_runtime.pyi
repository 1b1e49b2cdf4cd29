# SPDX-License-Identifier: Apache-2.0
"""minic's runtime over its C interface."""

import os
from typing import Any

import numpy


class TensorSpec:
    """An input or output of a program: dense, row-major."""

    @property
    def name(self) -> str:
        """As the model names it."""

    @property
    def dtype(self) -> str:
        """NumPy's and PyTorch's name, such as 'float32'."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes, outermost first; -1 where calls may differ."""

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, at most."""

    @property
    def alignment(self) -> int:
        """Bytes that its memory is aligned to."""

    @property
    def in_place_of(self) -> int | None:
        """Of an output that updates an input: the number of that input."""

    def empty(self) -> numpy.ndarray:
        """An uninitialized NumPy array for it, aligned as programs want it."""

    def __repr__(self) -> str: ...

class Program:
    """
    A loaded model. Call it with arrays or tensors; any number of threads
    may. `minic.load` makes one.
    """

    def __call__(self, *inputs: object, out: object | None = None, stream: object | None = None, **named_inputs: object) -> Any:
        """
        Runs the model on arrays or tensors, in order or by name.

        Returns one result or a tuple, as the first input is: NumPy arrays,
        PyTorch tensors, else objects with __dlpack__. With `out`, a tensor
        or a tuple of them, results go there and `out` is returned.

        On a GPU the run is enqueued, not waited for, on `stream`, else on
        PyTorch's current stream, else on the legacy default stream. Keep
        tensors until it is done.
        """

    def load_function(self, name: str) -> Program:
        """Another function of the same file; both share the constants."""

    def synchronize(self) -> None:
        """Waits for all runs of this thread."""

    @property
    def function(self) -> str:
        """Its name, such as 'main'."""

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """What a call takes, in order."""

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """What a call returns, in order."""

    @property
    def dims(self) -> dict[str, tuple[int, ...]]:
        """
        The sizes of each dimension that may differ from call to call;
        empty where all are fixed.
        """

    def bucket_counters(self) -> dict[str, dict[str, int]]:
        """
        What calls of this thread did with each bucket, by its function's
        name: 'runs', 'padded_runs' of smaller sizes, 'padded_elements'
        that inputs of these lacked. Empty where all sizes are fixed.
        """

    @property
    def device(self) -> str:
        """'cpu' or, say, 'cuda:0'."""

    @property
    def threads(self) -> int:
        """CPU threads of one run."""

    @property
    def arena_bytes(self) -> int:
        """Memory of each thread that calls it, besides its tensors."""

    @property
    def mode(self) -> str:
        """
        'tuned' where measurements chose implementations, 'pinned'
        where the user did, else 'default'; 'unknown' where the file
        does not say.
        """

    @property
    def evidence(self) -> str:
        """
        Why it is compiled as it is, as JSON that may change; '' for
        none.
        """

    def __repr__(self) -> str: ...

def load(artifact: str | os.PathLike[str] | bytes, *, function: str = 'main', threads: int = 0, device: int = 0, strict_libraries: bool = False, staging: bool = False, graph: str = 'as-measured', expected_digest: str | None = None) -> Program:
    """
    Loads a .minic file, or the bytes of one.

    threads: the plan for so many; 0 for the file's first.
    device: which GPU, if it is a program for one.
    strict_libraries: another library version is an error.
    staging: on a GPU host tensors are taken, too, and copied.
    graph: 'on', 'off' or 'as-measured': CUDA graph replay.
    expected_digest: any file but that of this SHA-256 is refused unread;
    'sha256:' and 64 digits, as `minic inspect --digest` prints.
    """

def synchronize() -> None:
    """Waits for all runs of this thread, of all programs."""
