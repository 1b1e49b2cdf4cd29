#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the C interface with that of the last release, minic.abi.

A library is made of the headers alone, with a body for each function, and its
types and functions are compared by abidiff (Debian's abigail-tools). The built
library has to export those functions and no other. Without abidiff only names
are compared.

Usage: check_abi.py LIBRARY SONAME_VERSION [--write]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
KEPT = HERE / "minic.abi"
HEADERS = ["-I", str(ROOT / "runtime/include"), "-I",
           str(ROOT / "third_party/dlpack")]
# docs/compatibility.md has the rule.
ADVICE = """\
  A change that keeps programs working (a new function, a field at the end of a
  struct with struct_size): run check_abi.py with --write. Any other: raise the
  minor version before 1.0, the major version after it, then --write."""


def run(*command, **options):
    return subprocess.run(command, text=True, check=True, **options)


def interface_library(folder, soname):
    """A shared object whose functions are those of the headers."""
    source = folder / "interface.c"
    source.write_text("#include <minic/minic.h>\n#include <minic/measure.h>\n")
    text = run("cc", "-E", "-P", *HEADERS, str(source),
               capture_output=True).stdout
    marked = '__attribute__((visibility("default")))'
    text, count = re.subn(re.escape(marked) + r"([^;{]*\));",
                          marked + r"\1{__builtin_trap();}", text)
    if count < 20:
        sys.exit(f"check_abi: expected the headers' functions, found {count}")
    source.write_text(text)
    library = folder / "interface.so"
    run("cc", "-gdwarf-4", "-w", "-fPIC", "-shared", "-nostdlib",
        f"-Wl,-soname,libminic_runtime.so.{soname}", str(source), "-o",
        str(library))
    return library


def write_abi(library, file):
    run("abidw", "--no-show-locs", "--no-comp-dir-path", "--no-corpus-path",
        str(library), "--out-file", str(file))
    # The folder of a temporary file is no part of the interface.
    file.write_text(re.sub(r" path='[^']*interface.c'", " path='interface.c'",
                           file.read_text()))


def exported(library):
    out = run("nm", "-D", "--defined-only", str(library),
              capture_output=True).stdout
    return {line.split()[-1] for line in out.splitlines()}


def main():
    library, soname = sys.argv[1:3]
    has_abidiff = shutil.which("abidiff") is not None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        interface = interface_library(folder, soname)
        if sys.argv[3:] == ["--write"]:
            write_abi(interface, KEPT)
        kept = xml.etree.ElementTree.parse(KEPT).getroot()
        names = {symbol.get("name") for symbol in kept.iter("elf-symbol")}
        failed = False
        for what, got in (("the headers declare", exported(interface)),
                          (f"{library} exports", exported(library))):
            for word, functions in (("more", got - names), ("less", names - got)):
                if functions:
                    failed = True
                    print(f"check_abi: {what} {word} than minic.abi: "
                          f"{', '.join(sorted(functions))}", file=sys.stderr)
        if kept.get("soname") != f"libminic_runtime.so.{soname}":
            print("check_abi: the first release of another soname: expected "
                  f"{kept.get('soname')}, got {soname}; run with --write",
                  file=sys.stderr)
            failed = True
        elif has_abidiff:
            write_abi(interface, folder / "now.abi")
            compared = subprocess.run(
                ["abidiff", str(KEPT), str(folder / "now.abi")], text=True,
                capture_output=True, check=False)
            if compared.returncode != 0:
                failed = True
                print(compared.stdout + compared.stderr, file=sys.stderr)
    if failed:
        print(ADVICE, file=sys.stderr)
        return 1
    print(f"C interface: {len(names)} functions as in minic.abi"
          + ("" if has_abidiff else "; no abidiff here, types not compared"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
