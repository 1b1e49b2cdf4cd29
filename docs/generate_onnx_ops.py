#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of ops in docs/onnx.md from what 'minic --list-ops' prints.

  minic --list-ops | generate_onnx_ops.py            the page, on stdout
  minic --list-ops | generate_onnx_ops.py --check    compares it with docs/onnx.md
"""

import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parent / "onnx.md"
BEGIN = "<!-- ops: docs/generate_onnx_ops.py writes this table -->\n"
END = "<!-- ops: end -->\n"


def kinds(lines):
    """{kind: [op and its limits]} of the ONNX part."""
    found, kind = {}, None
    for line in lines:
        if not line.startswith(" "):
            if line.startswith("MLIR"):
                break
            kind = line
        else:
            _, op, _, *limits = re.split(r"\s+", line.strip(), maxsplit=3)
            found.setdefault(kind, []).append(
                op + (f" ({limits[0]})" if limits else ""))
    return found


def main():
    rows = [f"| {kind} | {', '.join(sorted(ops))} |\n"
            for kind, ops in kinds(sys.stdin.read().splitlines()).items()]
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page = f"{before}{BEGIN}\n| | |\n|---|---|\n{''.join(rows)}\n{END}{after}"
    if sys.argv[1:] != ["--check"]:
        print(page, end="")
    elif page != PAGE.read_text():
        sys.exit("docs/onnx.md: its ops are not those of minic --list-ops; run "
                 "minic --list-ops | docs/generate_onnx_ops.py")


main()
