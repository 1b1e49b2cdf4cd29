# SPDX-License-Identifier: Apache-2.0
"""Builds runner.cpp and probe.cu as a Python module with PyTorch's extension
loader, once for each state of the sources; then answers as workers do.

    build_runner.py MODULE.so INCLUDE_FOLDER
"""

import fcntl
import hashlib
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = (HERE / "runner.cpp", HERE / "probe.cu")


def module_path(work):
    digest = hashlib.sha256(b"".join(s.read_bytes() for s in SOURCES))
    return (work / f"runner-{digest.hexdigest()[:12]}"
            / "minic_peers_runner.so")


def build(module, include):
    module.parent.mkdir(parents=True, exist_ok=True)
    with open(module.parent / "one-builder", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if module.exists():
            return
        # Left by a build that was killed; the loader would wait for it.
        (module.parent / "lock").unlink(missing_ok=True)
        os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "9.0")
        from torch.utils.cpp_extension import load
        load(module.stem, [str(s) for s in SOURCES],
             extra_include_paths=[include],
             build_directory=str(module.parent), extra_cflags=["-O2"],
             is_python_module=False)


def main():
    module, include = pathlib.Path(sys.argv[1]), sys.argv[2]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what compilers print goes to the log
    build(module, include)
    print('{"ok": null}', file=answers, flush=True)


if __name__ == "__main__":
    main()
