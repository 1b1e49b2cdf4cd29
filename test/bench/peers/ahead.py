# SPDX-License-Identifier: Apache-2.0
"""What is made before the first workload is measured: weights and inputs,
runner.cpp and AOTInductor's packages. A package takes a minute of one core, so
those of all workloads are compiled side by side. Nothing else runs meanwhile.
Asked to, a mode of torch.compile compiles ahead as well, since some take minutes
for a network of images; it finds what it made in Inductor's cache.

ahead.json in the folder of the benchmark says what became of it:

  runner     why there is none, or ""
  packages   {workload: {"missing": why or "", "note", "seconds"}}
  compiled   {workload: why that mode did not compile ahead, or ""}
"""

import concurrent.futures
import json
import os
import shutil
import sys
import time

import build_runner
import launch
import pool
import tensors
import workloads

PEER = "AOTInductor"
BUILD_S = 240  # of runner.cpp, once a machine
# Each is busy with one thread, while it compiles Triton's kernels with two.
AT_ONCE = max(1, (os.cpu_count() or 1) * 2 // 3)
COMPILE_THREADS = 2
NO_PACKAGE = {"missing": "not compiled ahead", "note": "", "seconds": 0}


def record(work):
    return work / "ahead.json"


def read(work):
    if not record(work).exists():
        sys.exit(f"peers: error: expected {record(work)}, which a run without "
                 "--ahead-done writes")
    return json.loads(record(work).read_text())


class Ahead:
    def __init__(self, root, work, limit_s, packages=True, compiles=""):
        """Packages that take longer are not made; False: none are. `compiles`:
        the mode of torch.compile that compiles ahead, or ""."""
        self.root, self.work = root, work
        self.limit_s, self.packages = limit_s, packages
        self.compiles = compiles
        # Not the cache of torch.compile's modes, which choose by themselves.
        self.inductor_cache = work / "inductor-ahead"
        self.start = time.monotonic()

    def make(self, names):
        """All for the workloads `names`."""
        chosen = [workloads.KNOWN[name] for name in names]
        self.remove_what_was_made(chosen)
        self.environment = launch.environment(self.work)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as executor:
            runner = executor.submit(self.build_runner)
            packages = {  # the longest begin first
                workload.name: executor.submit(self.prepare, workload)
                for workload in sorted(chosen, key=lambda w: -w.patience)}
            compiled = {
                workload.name: executor.submit(self.compile_ahead, workload,
                                               packages[workload.name])
                for workload in chosen if self.compiles}
        made = {"runner": runner.result(),
                "packages": {n: p.result() for n, p in packages.items()},
                "compiled": {n: c.result() for n, c in compiled.items()}}
        record(self.work).write_text(json.dumps(made, indent=1) + "\n")

    def remove_what_was_made(self, chosen):
        """A package is of one state of PyTorch and of the weights; with a
        filled cache its autotuning would not measure."""
        self.work.mkdir(parents=True, exist_ok=True)
        record(self.work).unlink(missing_ok=True)
        shutil.rmtree(self.inductor_cache, ignore_errors=True)
        for workload in chosen:
            for pattern in ("*.log", "*.pt2", "expected.pt"):
                for path in (self.work / workload.name).glob(pattern):
                    path.unlink()

    def build_runner(self):
        """Why there is none, or ""."""
        if build_runner.module_path(self.work).exists():
            return ""
        builder = launch.builder(self.root, self.work,
                                 self.work / "runner.log", self.environment)
        try:
            builder.ask("build", BUILD_S)
            self.say("runner.cpp is built")
            return ""
        except pool.Failure as failure:
            self.say(f"no runner.cpp: {failure}")
            return str(failure)
        finally:
            builder.close()

    def prepare(self, workload):
        """Weights and input; returns what became of the package."""
        tensors.write_workload(self.work / workload.name, workload)
        if not self.packages:
            return NO_PACKAGE
        begin = time.monotonic()
        try:
            note = self.compile(workload)
        except pool.Failure as failure:
            why = (f"over {self.limit_s:g} s ahead" if self.left() <= 0
                   else f"ahead: {failure}")
            self.say(f"{workload.name}: no package: {why}")
            return NO_PACKAGE | {"missing": why}
        seconds = time.monotonic() - begin
        self.say(f"{workload.name}: package in {seconds:.1f} s {note}")
        return {"missing": "", "note": note, "seconds": seconds}

    def compile(self, workload):
        return self.ask(workload, PEER, "ahead.log", launch.shared_libstdcxx() | {
            "TORCHINDUCTOR_CACHE_DIR": str(self.inductor_cache)})

    def compile_ahead(self, workload, package):
        """Why not, or "". Into the cache that its modes have."""
        package.result()
        begin = time.monotonic()
        try:
            note = self.ask(workload, f"torch.compile {self.compiles}",
                            "compiled.log", {}, "--locked")
        except pool.Failure as failure:
            self.say(f"{workload.name}: {self.compiles}: {failure}")
            return str(failure)
        self.say(f"{workload.name}: {self.compiles} in "
                 f"{time.monotonic() - begin:.1f} s {note or ''}")
        return ""

    def ask(self, workload, peer, log, environment, *options):
        """What a worker says of its compilation."""
        worker = launch.worker(
            self.root, self.work, peer, workload.name,
            self.work / workload.name / log,
            self.environment | environment | {
                "TORCHINDUCTOR_COMPILE_THREADS": str(COMPILE_THREADS)},
            *options)
        try:
            worker.ask("import", self.left())
            return worker.ask("compile", self.left())
        finally:
            worker.close()

    def left(self):
        return self.start + self.limit_s - time.monotonic()

    def say(self, text):
        print(f"{time.monotonic() - self.start:6.1f} s  ahead: {text}",
              flush=True)
