# SPDX-License-Identifier: Apache-2.0
"""Tests with processes that speak as workers do: fake_worker.py."""

import pathlib
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]
import peers  # noqa: E402
import pool  # noqa: E402
import schedule  # noqa: E402


class Processes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.log = self.folder / "steps"
        self.log.touch()

    def peer(self, name, group="torch", us=30, fault="", **options):
        made = peers.Peer(name, group, **options)
        made.worker = self.worker(name, us, fault)
        return made

    def worker(self, name, us=30, fault=""):
        made = pool.Worker(
            [sys.executable, HERE / "fake_worker.py", self.log,
             name.replace(" ", "_"), us, fault], self.folder / f"{name}.log")
        self.addCleanup(made.close)
        return made

    def set_up(self, made, limit=20):
        schedule.Schedule(made, time.monotonic() + limit, limit,
                          lambda text: None).run()

    def replace(self, module, name, value):
        """For this test."""
        self.addCleanup(setattr, module, name, getattr(module, name))
        setattr(module, name, value)

    def share(self, of_the_limit):
        """How long one compilation may take."""
        self.replace(schedule, "COMPILE_SHARE", of_the_limit)

    def intervals(self, step):
        """(begin, end, name) of each finished `step`, in order."""
        begun, found = {}, []
        for line in self.log.read_text().splitlines():
            at, name, which, what = line.split()
            if what != step:
                continue
            if which == "begin":
                begun[name] = float(at)
            else:
                found.append((begun.pop(name), float(at), name))
        return sorted(found)

    def assertAlone(self, intervals):
        for (_, end, one), (begin, _, other) in zip(intervals, intervals[1:]):
            self.assertLess(end, begin, f"{one} and {other} overlap")
