#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the entries of an artifact take of a GPU's memory, all loaded at once.

    entry_memory.py LIBRARY ARTIFACT ENTRY...

prints one line of JSON: {"loaded": bytes more than before, after each has run;
"callers": bytes of tensors, which are not in it}. The driver's own context is
made before, and a stream, as any program has one; code of kernels, and what
libraries keep, is counted.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sized_model  # noqa: E402


def main():
    library, artifact, *names = sys.argv[1:]
    gpu = sized_model.Gpu()
    # What the driver takes with the first allocation and the first stream stays.
    gpu.allocate(1 << 20)
    gpu.create_stream()
    before = gpu.used_bytes()
    entries = []
    for name in names:
        entries.append(sized_model.Entry(
            library, artifact, name.split(":")[0], gpu,
            beside=entries[0] if entries else None))
    loaded = gpu.used_bytes() - before
    before = gpu.used_bytes()
    for entry in entries:
        entry.allocate()
    callers = gpu.used_bytes() - before
    before = gpu.used_bytes()
    for entry, name in zip(entries, names):
        # A size behind the colon: NAME:256,1024.
        for size in map(int, filter(None, name.partition(":")[2].split(","))):
            entry.call(size)
        if ":" not in name:
            entry.call(0)
    print(json.dumps({"loaded": loaded + gpu.used_bytes() - before,
                      "callers": callers}))


if __name__ == "__main__":
    main()
