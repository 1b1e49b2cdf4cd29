#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that binaries run on an old Linux and have no way to a network.

Each ELF file needs nothing but the C library, libgcc_s and the other files, no
symbol that is newer than glibc 2.34 (RHEL 9, Debian 12, Ubuntu 22.04) or GCC 7,
and it imports no function that makes a socket or asks for an address.

Usage: check_shipped.py FILE_OR_FOLDER...
"""

import pathlib
import re
import subprocess
import sys

LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
             "librt.so.1", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
NEWEST = {"GLIBC": (2, 34), "GCC": (7, 0, 0)}
NETWORK = re.compile(
    r"socket|socketpair|connect|bind|listen|accept4?|getaddrinfo|getnameinfo|"
    r"gethostby\w+|getservby\w+|send|sendto|sendm?msg|recv|recvfrom|recvm?msg|"
    r"shutdown|(__)?res_\w+|io_uring_\w+")


def elf_files(paths):
    for path in map(pathlib.Path, paths):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not file.is_symlink():
                with open(file, "rb") as stream:
                    start = stream.read(18)
                # ET_EXEC and ET_DYN; objects in archives are linked elsewhere.
                if start[:4] == b"\x7fELF" and start[16] in (2, 3):
                    yield file


def readelf(option, file):
    return subprocess.run(["readelf", "--wide", option, str(file)], text=True,
                          capture_output=True, check=True).stdout


def problems(file, others):
    dynamic = readelf("--dynamic", file)
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if library not in LIBRARIES | others:
            yield f"needs {library}, which machines may lack"
    for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        if not path.startswith("$ORIGIN"):
            yield f"looks for libraries in {path} (RPATH)"
    reported = set()  # one symbol of each version is enough
    for line in readelf("--dyn-syms", file).splitlines():
        match = re.match(r".*\bUND (\w+)(?:@@?(\w+?)_([0-9.]+))?", line)
        if not match:
            continue
        name, library, version = match.groups()
        if NETWORK.fullmatch(name):
            yield f"imports {name}: expected nothing that opens a network"
        if library is None or (library, version) in reported:
            continue
        reported.add((library, version))
        numbers = tuple(int(number) for number in version.split("."))
        if library not in NEWEST:
            yield f"imports {name} of {library}: expected it linked statically"
        elif numbers > NEWEST[library]:
            newest = ".".join(map(str, NEWEST[library]))
            yield (f"imports {name} of {library} {version}: expected "
                   f"{newest} or older")


def main():
    files = list(elf_files(sys.argv[1:]))
    if not files:
        sys.exit(f"check_shipped: no ELF file in {' '.join(sys.argv[1:])}")
    failed = False
    others = {file.name for file in files}
    for file in files:
        for problem in problems(file, others):
            print(f"check_shipped: {file}: {problem}", file=sys.stderr)
            failed = True
    if not failed:
        print(f"shipped: ok ({len(files)} files)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
