# SPDX-License-Identifier: Apache-2.0
"""What the parts of the stage sizes share: arguments, a folder, compiling, and
what failed."""

import hashlib
import time

import common


class Stage:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.bin = arguments.root / "bin"
        self.library = arguments.root / "lib/libminic_runtime.so"
        self.failures, self.missed, self.skipped = [], [], []
        self.start = time.monotonic()

    def left(self):
        return self.arguments.limit_s - (time.monotonic() - self.start)

    def compile(self, model, name, *options, mode="max-autotune"):
        """(artifact, seconds, what minic said)."""
        artifact = self.folder / f"{name}.minic"
        begun = time.monotonic()
        status, text = common.run(
            self.bin / "minic", f"--target={self.arguments.target}",
            f"--mode={mode}", f"--tune-db={self.folder / 'db'}", *options,
            *self.arguments.option, model, "-o", artifact,
            timeout=max(1, self.left()))
        if status != 0:
            raise RuntimeError(f"{artifact.name}: {common.last_line(text)}")
        return artifact, time.monotonic() - begun, text

    def database(self):
        """A hash of the tuning database."""
        path = self.folder / "db"
        return hashlib.sha256(path.read_bytes() if path.exists()
                              else b"").hexdigest()

    def run(self, artifact, *options, timeout=120, env=None):
        return common.run(self.bin / "minic-run", artifact, *options,
                          timeout=timeout, env=env)
