# SPDX-License-Identifier: Apache-2.0
"""What minic raises. Each error is one line: what, where, expected, got.

Loading and running raise the same classes as compiling does. Ctrl-C raises
KeyboardInterrupt, as everywhere.
"""


class Error(RuntimeError):
    """The base of all errors of minic."""


class InvalidInputError(Error, ValueError):
    """A file, an array, a stream or an option is not what it has to be."""


class UnsupportedError(Error):
    """The input is right; this machine, library or build cannot do it."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory, on the host or the device."""


class InternalError(Error):
    """A fault of minic's own."""
