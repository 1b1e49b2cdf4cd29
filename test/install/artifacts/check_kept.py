#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the artifacts that releases left, with the minic-run of a build.

An artifact that kept.json says `loads` gives the bytes of y.npy and state.npy.
One that is `refused` ends with exit code 3 and a line that names both versions.

Usage: check_kept.py MINIC_RUN
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CALLS = {"main": (["x"], "y"), "step": (["cache", "new", "position"], "state")}


def minic_run(tool, artifact, function, out):
    inputs, output = CALLS[function]
    return subprocess.run(
        [tool, artifact, f"--function={function}", f"--output={output}={out}",
         *(f"--input={name}={HERE / name}.npy" for name in inputs)],
        capture_output=True, text=True, check=False)


def loads(tool, artifact, folder):
    for function, (_, output) in CALLS.items():
        out = folder / f"{output}.npy"
        done = minic_run(tool, artifact, function, out)
        if done.returncode != 0:
            return f"@{function}: exit {done.returncode}: {done.stderr.strip()}"
        if out.read_bytes() != (HERE / f"{output}.npy").read_bytes():
            return f"@{function}: '{output}' is not what {output}.npy has"
    return None


def refused(tool, artifact, folder):
    major, minor = struct.unpack_from("<II", artifact.read_bytes(), 8)
    done = minic_run(tool, artifact, "main", folder / "y.npy")
    line = (rf"minic-run: error: .*artifact format version: expected \d+\.x, got "
            rf"{major}\.{minor}; compile the model again.*\n")
    if done.returncode != 3 or not re.fullmatch(line, done.stderr):
        return (f"expected exit 3 and a line that names version {major}.{minor}, "
                f"got exit {done.returncode}: {done.stderr.strip()}")
    return None


def of_another_major(artifact, folder):
    """The artifact as if a later format had written it."""
    data = bytearray(artifact.read_bytes())
    struct.pack_into("<I", data, 8, struct.unpack_from("<I", data, 8)[0] + 100)
    later = folder / "later.minic"
    later.write_bytes(data)
    return later


def main():
    tool = sys.argv[1]
    expected = json.loads((HERE / "kept.json").read_text())
    found = {path.stem for path in HERE.glob("*.minic")}
    if found != set(expected):
        sys.exit(f"check_kept: kept.json names {sorted(expected)}, "
                 f"there are {sorted(found)}")
    checks = {"loads": loads, "refused": refused}
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for version, what in sorted(expected.items()):
            artifact = HERE / f"{version}.minic"
            problem = (checks[what](tool, artifact, folder) or
                       refused(tool, of_another_major(artifact, folder), folder))
            print(f"artifact of {version}: {problem or what}")
            failed |= problem is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
