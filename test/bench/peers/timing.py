# SPDX-License-Identifier: Apache-2.0
"""The figures of a peer, in microseconds, taken in its own process:

  back_to_back   n calls, waited for once, per call
  one_call       one call waited for, median of n
  host           what one call that is not waited for costs its caller
  device         calls unrolled in a CUDA graph, per call

Before each one all work is done and the peer has warmed up: the GPU comes from
another process.
"""

import statistics
import time

UNROLLED = 20
WARM_UP = 20


class PythonLoops:
    """Loops over a Python call, as users of Python frameworks write them."""

    def __init__(self, call, wait):
        """`wait(result)` waits for what `call()` gave and all before it."""
        self.call, self.wait = call, wait

    def back_to_back(self, n):
        start = time.perf_counter()
        for _ in range(n):
            result = self.call()
        self.wait(result)
        return (time.perf_counter() - start) / n * 1e6

    def synchronized(self, n):
        samples = []
        for _ in range(n):
            start = time.perf_counter()
            self.wait(self.call())
            samples.append((time.perf_counter() - start) * 1e6)
        return statistics.median(samples)

    def host_cost(self, n):
        samples = []
        for _ in range(n):
            start = time.perf_counter()
            result = self.call()
            samples.append((time.perf_counter() - start) * 1e6)
            self.wait(result)
        return statistics.median(samples)


def sample(torch, loops, graph, kind, n):
    """One figure; None where the peer has none."""
    if kind == "device" and graph is None:
        return None
    torch.cuda.synchronize()
    if kind == "device":
        value = replay_us(torch, graph)
    else:
        loops.back_to_back(WARM_UP)
        torch.cuda.synchronize()
        value = {"back_to_back": loops.back_to_back,
                 "one_call": loops.synchronized,
                 "host": loops.host_cost}[kind](n)
    torch.cuda.synchronize()
    return value


def record(torch, call, count=UNROLLED):
    """A CUDA graph of `count` calls, and its stream, which must outlive it:
    libraries keep workspaces for it that the graph uses."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(count):
            call()
    return graph, stream


def replay_us(torch, graph, count=UNROLLED):
    """Device time of one of the `count` calls of a graph, replayed behind
    another replay of it, so that the GPU has no pause between."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graph.replay()
    graph.replay()
    start.record()
    graph.replay()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1000 / count
