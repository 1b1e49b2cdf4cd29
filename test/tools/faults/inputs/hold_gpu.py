# SPDX-License-Identifier: Apache-2.0
"""Runs a command while another process holds a measuring lock.

hold_gpu.py FILE SECONDS COMMAND...

The holder is killed after SECONDS, as a tuner may be, or when the command is
done. Exits with the command's status.
"""

import subprocess
import sys

file, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
holder = subprocess.Popen(
    [
        sys.executable,
        "-c",
        "import fcntl, sys, time; f = open(sys.argv[1], 'w');"
        "fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True);"
        "time.sleep(1000)",
        file,
    ],
    stdout=subprocess.PIPE,
)
holder.stdout.readline()
process = subprocess.Popen(command)
try:
    process.wait(timeout=seconds)
except subprocess.TimeoutExpired:
    pass
holder.kill()
holder.wait()
sys.exit(process.wait())
