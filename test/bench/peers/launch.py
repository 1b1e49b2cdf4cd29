# SPDX-License-Identifier: Apache-2.0
"""How the processes of the benchmark are started."""

import os
import pathlib
import subprocess
import sys

import build_runner
import pool
import torch_libraries

HERE = pathlib.Path(__file__).resolve().parent


def left_out(name, only):
    """`only`: parts of the names of peers that were asked for, or with a "$" how
    they end; none: all."""
    return bool(only) and not any(
        name.endswith(part[:-1]) if part.endswith("$") else part in name
        for part in only)


def environment(work):
    return os.environ | torch_libraries.environment(work) | {
        "TORCHINDUCTOR_CACHE_DIR": str(work / "inductor")}


def shared_libstdcxx():
    """AOTInductor's packages bring a libstdc++ of their own and die in
    std::regex where the process has another that is not visible to them."""
    try:
        found = subprocess.run(["g++", "-print-file-name=libstdc++.so.6"],
                               text=True, capture_output=True).stdout.strip()
    except OSError:
        return {}
    return {"LD_PRELOAD": found} if os.path.isabs(found) else {}


def worker(root, work, peer, workload, log, environment, *options):
    return pool.Worker(
        [sys.executable, HERE / "worker.py", "--peer", peer, "--workload",
         workload, "--root", root, "--work", work, "--runner",
         build_runner.module_path(work), *options], log, environment)


def builder(root, work, log, environment):
    return pool.Worker(
        [sys.executable, HERE / "build_runner.py",
         build_runner.module_path(work), root / "include"], log, environment)
