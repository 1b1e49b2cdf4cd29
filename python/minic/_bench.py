# SPDX-License-Identifier: Apache-2.0
"""do_bench: how long a call takes, without any framework."""

import time
from collections.abc import Callable, Sequence

from . import _runtime
from .errors import InvalidInputError

# The clock is read after so much work, so that reading it costs nothing.
_SAMPLE_NS = 1_000_000


def do_bench(fn: Callable[[], object], warmup: float = 25, rep: float = 100,
             quantiles: Sequence[float] | None = None,
             ) -> float | list[float]:
    """Milliseconds of one call of `fn`: the median, or the given quantiles.

    Calls are repeated back to back until a sample takes a millisecond, samples
    until they take `rep` milliseconds, at least 5 of them. What precedes takes
    `warmup` milliseconds. On a GPU each sample ends when the runs that `fn`
    enqueued with minic are done; `fn` has to wait for anything else itself.

    Times of one call after the other: on a GPU launches overlap with the work
    before them, as in a loop that waits at its end.
    """
    for name, value in (("warmup", warmup), ("rep", rep)):
        if not value >= 0:
            raise InvalidInputError(f"{name}: expected 0 or more, got {value}")
    for quantile in quantiles or ():
        if not 0 <= quantile <= 1:
            raise InvalidInputError(
                f"quantiles: expected 0 to 1, got {quantile}")

    calls = _calls_per_sample(fn, warmup)
    samples = []
    end = time.perf_counter_ns() + int(rep * 1e6)
    while len(samples) < 5 or time.perf_counter_ns() < end:
        samples.append(_time(fn, calls) / calls / 1e6)
    samples.sort()
    if quantiles is None:
        return _quantile(samples, 0.5)
    return [_quantile(samples, quantile) for quantile in quantiles]


def _time(fn, calls):
    """Nanoseconds of so many calls and of waiting for what they enqueued."""
    start = time.perf_counter_ns()
    for _ in range(calls):
        fn()
    _runtime.synchronize()
    return time.perf_counter_ns() - start


def _calls_per_sample(fn, warmup):
    fn()  # the first call makes a Context
    _runtime.synchronize()
    end = time.perf_counter_ns() + int(warmup * 1e6)
    calls = 1
    while True:
        took = _time(fn, calls)
        if took < _SAMPLE_NS:
            calls *= 2
        elif time.perf_counter_ns() >= end:
            return calls


def _quantile(ordered, quantile):
    position = quantile * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (
        ordered[above] - ordered[below])
