#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A linear called with random numbers of rows: how long all of it takes, what
is compiled and loaded included, and the longest call.

    random_sizes.py --peer minic --artifact linear.minic --library LIB
    random_sizes.py --peer mark-dynamic|automatic-dynamic [--mode MODE]

prints one line of JSON: {"peer", "ready_s", "calls_s", "longest_ms",
"longest_at", "median_ms"}. `ready_s` is what came before the first call; what minic
took to compile is not in it. A peer that compiles in a call has it there. Each
call is waited for. Inputs are made beforehand.
"""

import argparse
import json
import pathlib
import random
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def sizes_of(arguments):
    chosen = random.Random(arguments.seed)
    return [chosen.randint(1, arguments.largest)
            for _ in range(arguments.calls)]


def minic(arguments):
    """The call with so many rows."""
    import sized_model
    gpu = sized_model.Gpu() if arguments.device == "cuda" else None
    begun = time.monotonic()
    entry = sized_model.Entry(arguments.library, arguments.artifact, gpu=gpu,
                              threads=arguments.threads)
    entry.allocate()
    return time.monotonic() - begun, entry.call


def pytorch(arguments):
    import torch
    torch.set_grad_enabled(False)
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    k, n = map(int, arguments.features.split(","))
    dtype = getattr(torch, arguments.dtype)
    weight = torch.zeros(n, k, dtype=dtype, device=arguments.device)
    inputs = {size: torch.zeros(size, k, dtype=dtype, device=arguments.device)
              for size in set(sizes_of(arguments))}
    if arguments.peer == "mark-dynamic":
        for x in inputs.values():
            if x.shape[0] > 1:  # one row is a case of its own to PyTorch
                torch._dynamo.mark_dynamic(x, 0)

    def wait():
        if arguments.device == "cuda":
            torch.cuda.synchronize()

    wait()
    begun = time.monotonic()
    compiled = torch.compile(
        lambda x: torch.nn.functional.linear(x, weight), mode=arguments.mode)

    def call(size):
        compiled(inputs[size])
        wait()

    return time.monotonic() - begun, call


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer", required=True,
                        choices=("minic", "mark-dynamic", "automatic-dynamic"))
    parser.add_argument("--artifact")
    parser.add_argument("--library")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--features", default="3420,1280")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--mode", default="max-autotune-no-cudagraphs")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--largest", type=int, default=2048)
    parser.add_argument("--seed", type=int, default=14)
    arguments = parser.parse_args()
    ready, call = (minic if arguments.peer == "minic" else pytorch)(arguments)
    times = []
    for size in sizes_of(arguments):
        begun = time.monotonic()
        call(size)
        times.append(time.monotonic() - begun)
    longest = max(range(len(times)), key=times.__getitem__)
    print(json.dumps({
        "peer": arguments.peer, "ready_s": ready, "calls_s": sum(times),
        "longest_ms": 1e3 * times[longest], "longest_at": longest,
        "median_ms": 1e3 * statistics.median(times)}))


if __name__ == "__main__":
    main()
