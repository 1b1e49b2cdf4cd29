# SPDX-License-Identifier: Apache-2.0
"""What is made ahead of all workloads, without a GPU and without PyTorch."""

import argparse
import fcntl
import json
import sys
import time
import types
import unittest
import unittest.mock

import processes  # adds the paths of what follows
import ahead
import gpu_lock
import kinds
import launch
import peers
import report

ONE, TWO, THREE = list(peers.workloads.WORKLOADS)[:3]


class Ahead(processes.Processes):
    def setUp(self):
        super().setUp()
        self.faults = {}  # of a process, by name
        self.replace(ahead, "AT_ONCE", 4)
        self.replace(ahead.tensors, "write_workload",
                     lambda folder, workload: folder.mkdir(exist_ok=True))
        self.replace(launch, "environment", lambda work: {})
        self.replace(launch, "worker",
                     lambda root, work, peer, workload, log, *rest:
                     self.start(f"{workload}:{log.stem}"))
        self.replace(launch, "builder", lambda *whatever:
                     self.start("runner"))

    def start(self, name):
        return self.worker(name, fault=self.faults.get(name, ""))

    def make(self, *names, limit=30, packages=True, compiles=""):
        ahead.Ahead(self.folder, self.folder, limit, packages,
                    compiles).make(names)
        return ahead.read(self.folder)

    def bench(self, name):
        arguments = argparse.Namespace(
            root=self.folder, work=self.folder, limit_s=30, rounds=7,
            peers=["minic", "max-autotune", "AOTInductor"], minic_option=[])
        return json.loads(json.dumps(
            peers.bench(arguments, peers.workloads.WORKLOADS[name])))

    def test_each_failure_is_a_package_of_its_own(self):
        self.faults = {f"{ONE}:ahead": "compile:crash",
                       f"{TWO}:ahead": "compile:hang"}
        begin = time.monotonic()
        made = self.make(ONE, TWO, THREE, limit=4)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(made["runner"], "")
        one, two, three = (made["packages"][n] for n in (ONE, TWO, THREE))
        self.assertIn("ahead: died of SIGSEGV", one["missing"])
        self.assertEqual(two["missing"], "over 4 s ahead")
        self.assertEqual((three["missing"], three["note"]), ("", "as noted"))

    def test_no_more_at_once_than_there_are_cores(self):
        self.replace(ahead, "AT_ONCE", 1)
        self.make(ONE, TWO, THREE)
        steps = [i for step in ("build", "import", "compile")
                 for i in self.intervals(step)]
        self.assertEqual(len(steps), 7)
        self.assertAlone(sorted(steps))

    def test_nothing_tunes_beside_it_and_nothing_is_compiled_again(self):
        self.make(ONE, TWO)
        result = self.bench(ONE)
        self.assertEqual({r["name"] for r in result["rows"]}, {
            "minic max-autotune", "minic default", "AOTInductor",
            "torch.compile max-autotune",
            "torch.compile max-autotune-no-cudagraphs"})
        steps = sorted(self.intervals("build") + self.intervals("import")
                       + self.intervals("compile"))
        before = [s for s in steps if s[2].endswith((":ahead", "runner"))]
        self.assertEqual(len(before), 5)
        self.assertEqual(steps[:5], before)
        self.assertLess(max(end for _, end, _ in before), steps[5][0])
        self.assertNotIn(f"{ONE}:AOTInductor",
                         [name for _, _, name in self.intervals("compile")])
        self.assertRegex(report.table(result), r"AOTInductor .* as noted\n")

    def test_a_failure_is_a_row_of_its_workload(self):
        self.faults = {f"{ONE}:ahead": "compile:error"}
        self.make(ONE, TWO)
        self.assertIn("wrong: error", self.bench(ONE)["not_run"]["AOTInductor"])
        self.assertNotIn("AOTInductor", self.bench(TWO)["not_run"])
        self.assertEqual(self.bench(THREE)["not_run"]["AOTInductor"],
                         "not compiled ahead")

    def test_a_mode_of_torch_compiles_ahead_where_asked_to(self):
        self.faults = {f"{TWO}:compiled": "compile:error"}
        self.assertEqual(self.make(ONE)["compiled"], {})
        made = self.make(ONE, TWO, packages=False,
                         compiles="max-autotune")
        self.assertEqual(made["compiled"][ONE], "")
        self.assertIn("wrong: error", made["compiled"][TWO])
        self.assertEqual(made["packages"][TWO], ahead.NO_PACKAGE)

    def test_a_runner_that_does_not_build_costs_only_its_users(self):
        self.faults = {"runner": "build:exit"}
        self.make(ONE)
        result = self.bench(ONE)
        self.assertEqual({r["name"] for r in result["rows"]}, {
            "torch.compile max-autotune",
            "torch.compile max-autotune-no-cudagraphs"})
        self.assertIn("runner.cpp: ended with status 3",
                      result["not_run"]["minic default"])

    def test_what_earlier_runs_made_goes_first(self):
        stale = [self.folder / f"{name}/model.pt2" for name in (
            ONE, "inductor-ahead", TWO)]
        for path in stale:
            path.parent.mkdir()
            path.touch()
        ahead.record(self.folder).write_text("{}")
        self.faults = {f"{ONE}:ahead": "compile:error"}
        self.make(ONE)
        self.assertEqual([path.exists() for path in stale],
                         [False, False, True])  # the last is not asked for
        self.assertEqual(list(ahead.read(self.folder)["packages"]), [ONE])

    def test_no_packages_where_the_peer_is_left_out(self):
        made = self.make(ONE, packages=False)
        self.assertEqual(made["packages"], {ONE: ahead.NO_PACKAGE})
        self.assertEqual(self.intervals("compile"), [])
        self.assertEqual(len(self.intervals("build")), 1)

    def test_done_ahead_means_that_it_was_done(self):
        with self.assertRaisesRegex(SystemExit, "error: expected .*ahead.json"):
            ahead.read(self.folder)


class Benchmarker:
    """Nests its measurements, as Inductor's does."""

    def benchmark(self, function):
        return self.benchmark_gpu(function) or function()

    def benchmark_gpu(self, function):
        return function()

    def infer_device(self, function):
        return function()


class GpuLock(processes.Processes):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "gpu.lock"
        self.lock = gpu_lock.GpuLock(self.path)
        self.module = types.ModuleType("benchmarking")
        self.module.Benchmarker = type("Benchmarker", (),
                                       dict(vars(Benchmarker)))
        self.module.pi = 3

    def is_free(self):
        """For another process, to which another open file is alike."""
        with open(self.path) as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                return False

    def test_measurements_hold_it_and_may_nest(self):
        gpu_lock.guard(self.lock, self.module)
        benchmarker = self.module.Benchmarker()
        for measure in (benchmarker.benchmark, benchmarker.benchmark_gpu):
            self.assertFalse(measure(self.is_free))
            self.assertTrue(self.is_free())
        self.assertEqual(self.lock.taken, 2)
        self.assertTrue(benchmarker.infer_device(self.is_free))

    def test_a_measurement_that_fails_releases_it(self):
        gpu_lock.guard(self.lock, self.module)
        with self.assertRaises(ZeroDivisionError):
            self.module.Benchmarker().benchmark(lambda: 1 / 0)
        self.assertTrue(self.is_free())

    def compile(self, benchmarking):
        """AOTInductor's compile step with a PyTorch of which `benchmarking` is
        known; its autotuning measures once."""
        torch, inductor, runtime, export = (types.ModuleType(n) for n in (
            "torch", "torch._inductor", "torch._inductor.runtime", "export"))
        torch._inductor, torch.export = inductor, export
        export.export = lambda module, inputs: module
        free = []
        inductor.aoti_compile_and_package = lambda *whatever, **more: (
            free.append(self.module.Benchmarker().benchmark(self.is_free)))
        modules = {"torch": torch, "torch._inductor": inductor,
                   "torch._inductor.runtime": runtime}
        if benchmarking:
            runtime.benchmarking = self.module
        with unittest.mock.patch.dict(sys.modules, modules):
            note = kinds.make("AOTInductor", types.SimpleNamespace(
                on_gpu=lambda: free.append(self.is_free()), module=None,
                views=[None], folder=self.folder,
                arguments=argparse.Namespace(work=self.folder))).compile()
        return free, note

    def test_autotuning_of_a_package_holds_it(self):
        self.assertEqual(self.compile(True), ([False, False], ""))

    def test_who_cannot_hold_it_says_so(self):
        self.assertEqual(self.compile(False),
                         ([False, True], "autotuned without the GPU lock"))


if __name__ == "__main__":
    unittest.main()
