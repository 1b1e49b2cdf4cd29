# SPDX-License-Identifier: Apache-2.0
"""compile: the compiler, which is a program of its own, as a function.

It gets a terminal of its own to write to, for only there it shows how far it
is, and a session of its own: Ctrl-C reaches Python, which passes it on and
waits, so that no worker and no partial file is left.
"""

import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence

from .errors import (Error, InternalError, InvalidInputError, UnsupportedError)

# docs/exit-codes.md.
_ERRORS = {2: InvalidInputError, 3: InvalidInputError, 4: UnsupportedError}

# What the compiler writes over its progress.
_CLEAR_LINE = "\x1b[K"

# It cleans up in far less.
_SECONDS_TO_STOP = 10


def compile(model: str | os.PathLike[str], output: str | os.PathLike[str] |
            None = None, *, mode: str | None = None, target: str | None = None,
            dims: Mapping[str, int | Sequence[int]] | None = None,
            db: str | os.PathLike[str] | None = None,
            progress: bool | Callable[[str], object] = False,
            **options: object) -> pathlib.Path:
    """Compiles an ONNX (.onnx) or MLIR (.mlir) model into a .minic file.

    Returns the file's path: `output`, else the model's with .minic.

    mode: "default", "max-autotune", ... as `minic --help` lists them.
    target: "auto", "cpu", "cuda", "cuda:sm_90a,sm_80".
    dims: sizes of dimensions that the model names, {"batch": 8}; of several
    sizes, {"batch": [1, 8]}, each gets a plan.
    db: the tuning database; default: the user's.
    progress: called with each line of what the compiler says; True prints.
    options: any other option of `minic`, with _ for -: threads=2,
    tune_budget="30s", input_alignment=16. True stands for an option without a
    value, a list for one that is repeated; None and False leave it out.

    Raises minic.Error with the compiler's one line. Ctrl-C stops it.
    """
    model = pathlib.Path(model)
    path = pathlib.Path(output) if output else model.with_suffix(".minic")
    words = dict(options, output=path, mode=mode, target=target, tune_db=db,
                 dim=[f"{name}={_sizes(size)}"
                      for name, size in (dims or {}).items()])
    command = [_find_compiler(), *_arguments(words), "--", os.fspath(model)]
    _run(command, _listener(progress))
    return path


def _sizes(size: int | Sequence[int]):
    return size if isinstance(size, int) else ",".join(map(str, size))


def _find_compiler():
    named = os.environ.get("MINIC_COMPILER")
    if named:
        return named
    try:
        import minic_compiler
        return os.fspath(minic_compiler.find("minic"))
    except ImportError:
        pass
    found = shutil.which("minic")
    if not found:
        raise UnsupportedError(
            "minic.compile needs the compiler: install minic-compiler, or set "
            "MINIC_COMPILER to the file minic")
    return found


def _arguments(options: Mapping[str, object]):
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is True:
                yield flag
            elif one is not None and one is not False:
                yield f"{flag}={os.fspath(one) if isinstance(one, os.PathLike) else one}"


def _listener(progress):
    """Called with text as it arrives and, where it ends there, its lines."""
    if progress is True:
        return lambda text, lines: (sys.stderr.write(text), sys.stderr.flush())
    if progress:
        return lambda text, lines: [progress(line) for line in lines]
    return lambda text, lines: None


def _run(command: Sequence[str], listen):
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=theirs,
                                   start_new_session=True)
    except OSError as error:
        os.close(ours)
        raise UnsupportedError(f"{command[0]}: {error.strerror}") from None
    finally:
        os.close(theirs)
    lines = []
    try:
        for text, ended in _read(ours):
            lines += ended
            listen(text, ended)
        process.wait()
    except BaseException:
        _stop(process)
        raise
    finally:
        os.close(ours)
    if process.returncode != 0:
        raise _error(process.returncode, lines)
    for line in lines:
        if line.startswith("minic: warning: "):
            warnings.warn(line.removeprefix("minic: warning: "), stacklevel=3)


def _read(terminal):
    """Text as it arrives, with the lines that end in it."""
    rest = ""
    while True:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # EIO: nobody can write any more
            data = b""
        if not data:
            break
        text = data.decode(errors="replace").replace("\r\n", "\n")
        *ended, rest = re.split("[\r\n]", rest + text)
        yield text, _clean(ended)
    if rest:
        yield "", _clean([rest])


def _clean(lines):
    cleaned = (line.replace(_CLEAR_LINE, "").rstrip() for line in lines)
    return [line for line in cleaned if line]


def _stop(process):
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _error(code, lines) -> BaseException:
    if code == 130:  # somebody else's SIGINT
        return KeyboardInterrupt()
    said = next((line for line in reversed(lines)
                 if line.startswith(("minic: error: ",
                                     "minic: internal error: "))), None)
    if said is None:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return InternalError(f"the compiler ended with {how}: "
                             f"{lines[-1] if lines else 'it said nothing'}")
    kind: type[Error] = _ERRORS.get(code, InternalError)
    return kind(said.removeprefix("minic: ").removeprefix("error: "))
