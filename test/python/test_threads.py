# SPDX-License-Identifier: Apache-2.0
"""Threads share a program; runs happen without the GIL."""

import gc
import threading
import time
import unittest

import models
import numpy as np


class Threads(unittest.TestCase):
    def test_the_interpreter_goes_on_during_a_run(self):
        """A thread that only counts does so while another one runs a model."""
        model = models.load(models.product())
        x = np.ones((1024, 1024), np.float32)
        y = np.empty_like(x)
        model(x, out=y)
        ticks, done = [], threading.Event()

        def count():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0)

        counter = threading.Thread(target=count)
        counter.start()
        spans = []
        for _ in range(5):
            start = time.perf_counter()
            model(x, out=y)
            spans.append((start, time.perf_counter()))
        done.set()
        counter.join()
        # With the GIL held none would lie in the middle of a run.
        inside = sum(start + 0.25 * (end - start) < tick <
                     start + 0.75 * (end - start)
                     for start, end in spans for tick in ticks)
        self.assertGreater(inside, 0)

    def test_results_of_many_threads(self):
        model = models.load(models.relu((64, 64)))
        failures = []

        def work(value):
            x = np.full((64, 64), value, np.float32)
            for _ in range(200):
                y = model(x)
                if not (y == max(value, 0)).all():
                    failures.append(value)

        threads = [threading.Thread(target=work, args=(value,))
                   for value in (-2, -1, 1, 2, 3, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_programs_end_before_threads(self):
        """A thread's Contexts go with the program, the thread goes on."""
        x = np.ones((4, 8), np.float32)
        go_on, ran = threading.Event(), threading.Event()
        models_of_thread = [models.load(models.relu())]

        def work():
            models_of_thread[0](x)
            ran.set()
            go_on.wait()
            models.load(models.relu())(x)

        thread = threading.Thread(target=work)
        thread.start()
        ran.wait()
        models_of_thread.clear()
        gc.collect()
        go_on.set()
        thread.join()


if __name__ == "__main__":
    unittest.main()
