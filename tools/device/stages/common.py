# SPDX-License-Identifier: Apache-2.0
"""What the stages share: arguments, running minic's tools, tables."""

import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import sys


def parser(doc):
    made = argparse.ArgumentParser(description=doc.split("\n")[0])
    made.add_argument("--root", type=pathlib.Path, required=True)
    made.add_argument("--out", type=pathlib.Path, required=True)
    return made


def run(*command, timeout=None, env=None):
    """(exit status, stdout + stderr); 124 where it took too long."""
    try:
        done = subprocess.run([str(c) for c in command], text=True, env=env,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=timeout)
    except subprocess.TimeoutExpired as expired:
        return 124, f"{expired.stdout or ''}\ntook longer than {timeout} s"
    return done.returncode, done.stdout


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else ""


def find_library(variable, name):
    """Sets the environment's `variable` to the library in a toolkit or in
    NVIDIA's wheels, which the loader does not look into; it stays as it is
    where it is set or the loader finds the library. The path, or None."""
    if os.environ.get(variable):
        return os.environ[variable]
    try:
        ctypes.CDLL(name)
        return name
    except OSError:
        pass
    folders = [pathlib.Path("/usr/local/cuda/lib64")] + [
        folder for place in sys.path
        for folder in pathlib.Path(place).glob("nvidia/*/lib")]
    for folder in folders:
        if (folder / name).exists():
            os.environ[variable] = str(folder / name)
            return os.environ[variable]
    return None


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n")
