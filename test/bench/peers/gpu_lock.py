# SPDX-License-Identifier: Apache-2.0
"""Lets one process at a time measure on the GPU, where several compile with
Inductor's autotuning side by side."""

import fcntl
import functools
import inspect
import os
import threading


class GpuLock:
    """Who holds it may take it again."""

    def __init__(self, path):
        self.file = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        self.threads = threading.RLock()
        self.depth = 0
        self.taken = 0  # times that it was taken

    def __enter__(self):
        self.threads.acquire()
        if self.depth == 0:
            fcntl.flock(self.file, fcntl.LOCK_EX)
            self.taken += 1
        self.depth += 1

    def __exit__(self, *exception):
        self.depth -= 1
        if self.depth == 0:
            fcntl.flock(self.file, fcntl.LOCK_UN)
        self.threads.release()


def guard(lock, module):
    """Has the `benchmark...` methods of the classes in `module` hold `lock`."""
    def guarded(method):
        @functools.wraps(method)
        def call(*args, **kwargs):
            with lock:
                return method(*args, **kwargs)
        return call

    for made in list(vars(module).values()):
        if not inspect.isclass(made):
            continue
        for name, method in list(vars(made).items()):
            if name.startswith("benchmark") and inspect.isfunction(method):
                setattr(made, name, guarded(method))


def guard_inductor(lock):
    """All of Inductor's measurements go through the classes of one module,
    private to it: whether that still holds is seen by lock.taken."""
    try:
        from torch._inductor.runtime import benchmarking
    except ImportError:
        return
    guard(lock, benchmarking)
