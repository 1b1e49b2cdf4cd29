#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What compiling GPT-2 takes with 12 and with 48 layers.

    compile_time.py FOLDER [--runs=3] [--most=4.5]

compiles both in default mode for a CPU and for an H200, from weights of zeros in
FOLDER, in turn, and prints the least CPU time and the least time by the clock of
some runs. It fails if 48 layers take more CPU time than 4.5 times that of 12. Other
work on the machine takes caches and memory away, which costs CPU time, too: where
the first runs are over the limit, there are up to three times as many. `minic` is
that in PATH.
"""

import argparse
import math
import os
import pathlib
import subprocess
import sys
import time

import arena

LAYERS = (12, 48)


def compile_once(text, options, output):
    """CPU seconds and seconds by the clock of one compilation."""
    begun, before = time.monotonic(), os.times()
    done = subprocess.run(["minic", text, "-o", output, *options], text=True,
                          capture_output=True)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"compile_time: {done.stderr.strip()}")
    cpu = (after.children_user - before.children_user
           + after.children_system - before.children_system)
    return cpu, time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--most", type=float, default=4.5)
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    texts = {layers: arena.write(f"gpt2:base:{layers}", folder)
             for layers in LAYERS}
    slow = False
    for target, options in arena.TARGETS.items():
        taken = {layers: (math.inf, math.inf) for layers in LAYERS}
        ratio = math.inf
        for run in range(3 * arguments.runs):
            if run >= arguments.runs and ratio <= arguments.most:
                break
            for layers, text in texts.items():
                once = compile_once(text, options, folder / "out.minic")
                taken[layers] = tuple(map(min, taken[layers], once))
            ratio = taken[48][0] / taken[12][0]
        for layers, (cpu, clock) in taken.items():
            print(f"{target}, {layers} layers: {cpu:.2f} s of CPU time, "
                  f"{clock:.2f} s")
        print(f"{target}: {ratio:.2f} times the CPU time")
        slow |= ratio > arguments.most
    (folder / "out.minic").unlink()
    if slow:
        sys.exit(f"compile_time: expected at most {arguments.most} times")


if __name__ == "__main__":
    main()
