# SPDX-License-Identifier: Apache-2.0
"""Worker processes, one a peer: a line of JSON asks, a line answers. Who waits
to be asked is blocked on a pipe. A worker that dies, hangs or says that it
cannot is a Failure of its own and ends nobody else."""

import json
import os
import select
import signal
import subprocess
import time


class Failure(Exception):
    """Why a worker is of no more use, in one line."""


class Worker:
    def __init__(self, command, log, environment=None):
        """`log` gets all that the process prints."""
        self.log = log
        self.buffer, self.closed = b"", False
        with open(log, "ab") as output:
            # A session of its own: its compilers end with it.
            self.process = subprocess.Popen(
                [str(c) for c in command], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=output, env=environment,
                start_new_session=True)

    def send(self, do, **arguments):
        self.doing, self.sent = do, time.monotonic()
        try:
            self.process.stdin.write(
                json.dumps({"do": do} | arguments).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() says how it ended

    def ask(self, do, timeout, **arguments):
        self.send(do, **arguments)
        return self.answer(timeout)

    def answer(self, timeout):
        """What the last request gave; a Failure ends the worker."""
        line = self.read_line(self.sent + timeout)
        if line is None:
            raise self.ended(f"over {timeout:g} s to {self.doing}")
        if line == b"":
            raise self.ended(f"{self.death()} while asked to {self.doing}")
        try:
            reply = json.loads(line)
            if "ok" in reply:
                return reply["ok"]
            reason = reply["error"]
        except (ValueError, TypeError, KeyError):
            reason = f"answered {line[:60]!r}"
        raise self.ended(reason)

    def has_answer(self):
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def close(self):
        """Ends the process and all that it started."""
        if self.closed:
            return
        self.closed = True
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdout.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def read_line(self, deadline):
        """None: not in time; b"": the process has ended."""
        output = self.process.stdout
        while b"\n" not in self.buffer:
            left = max(0, deadline - time.monotonic())
            if not select.select([output], [], [], left)[0]:
                return None
            got = os.read(output.fileno(), 65536)
            if not got:
                return b""
            self.buffer += got
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def death(self):
        try:
            status = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "closed its output"
        what = f"ended with status {status}"
        if status < 0:
            what = f"died of {signal.Signals(-status).name}"
        last = self.last_words()
        return what + (f" ({last})" if last else "")

    def last_words(self):
        with open(self.log, "rb") as log:
            log.seek(max(0, os.path.getsize(self.log) - 2000))
            lines = log.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:160] if lines else ""

    def ended(self, reason):
        self.close()
        return Failure(reason)


def wait_for_any(workers, seconds):
    """Blocks until one of them has answered or ended."""
    select.select([w.process.stdout for w in workers], [], [], max(0, seconds))
