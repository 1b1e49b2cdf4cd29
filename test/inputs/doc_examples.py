# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of one section of a page in docs, and compares what they print.

    doc_examples.py PAGE.md SECTION

The section's ```mlir block is model.mlir. In a block without a language, a line
"$ command" is run, and the lines below it have to be what it prints, in order; "..."
stands for any lines. Figures, what is made of them (names of schedules) and the name
of the machine may be others.
"""

import pathlib
import re
import subprocess
import sys


def comparable(line):
    line = re.sub(r"__\S+", "__schedule", line)
    line = re.sub(r"^(AUTOTUNE .* on ).*", r"\1machine", line)
    line = re.sub(r", \d+ bytes spilled", "", line)  # not on every machine
    line = re.sub(r"±[\d.]+%|\bfew\b", "spread", line)  # of samples
    line = re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "#", line)
    line = re.sub(r"# [mun]s\b", "# s", line)
    return " ".join(line.split())


def agree(expected, printed):
    """Whether `printed` is `expected`, a list in which "..." may be any lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(agree(expected[1:], printed[i:])
                   for i in range(len(printed) + 1))
    return bool(printed) and comparable(expected[0]) == comparable(
        printed[0]) and agree(expected[1:], printed[1:])


def examples(block):
    """(command, lines that it prints) of a block."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *lines = part.rstrip("\n").split("\n")
        yield command, lines


page = pathlib.Path(sys.argv[1]).read_text()
section, = re.findall(rf"^## {sys.argv[2]}\n(.*?)(?=^## |\Z)", page,
                      flags=re.MULTILINE | re.DOTALL)
blocks = re.findall(r"^```(\w*)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
model, = (text for language, text in blocks if language == "mlir")
pathlib.Path("model.mlir").write_text(model)
count = 0
for language, block in blocks:
    for command, lines in examples(block if not language else ""):
        ran = subprocess.run(command, shell=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # Other tests measure, too.
        printed = [line for line in ran.stdout.splitlines()
                   if not line.startswith("minic: waiting for another minic")]
        if ran.returncode != 0 or not agree(lines, printed):
            sys.exit(f"$ {command}\nexpected\n" + "\n".join(lines) +
                     f"\ngot, exit code {ran.returncode}\n{ran.stdout}")
        print(command)
        count += 1
print(count, "commands print what the page shows")
