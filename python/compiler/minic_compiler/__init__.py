# SPDX-License-Identifier: Apache-2.0
"""The tools of minic as files of a Python environment."""

import os
import pathlib
import sys

_BIN = pathlib.Path(__file__).parent / "bin"


def find(tool: str = "minic") -> pathlib.Path:
    """Where `tool` lies; the others lie beside it."""
    return _BIN / tool


def run():
    """The environment's command of this name: becomes the tool."""
    tool = find(pathlib.Path(sys.argv[0]).name)
    os.execv(tool, [os.fspath(tool), *sys.argv[1:]])
