# SPDX-License-Identifier: Apache-2.0
"""signal_while_locked.py LOG SIGNAL COMMAND...: ends COMMAND by SIGNAL once LOG
says that clocks were set, and waits until it says that they are reset. Prints
the exit status."""

import pathlib
import signal
import subprocess
import sys
import time


def wait_for(log, word):
    end = time.monotonic() + 30
    while not log.exists() or word not in log.read_text().split():
        if time.monotonic() > end:
            sys.exit(f"{log} never says '{word}'")
        time.sleep(0.02)


log = pathlib.Path(sys.argv[1])
process = subprocess.Popen(sys.argv[3:], start_new_session=True)
wait_for(log, "set")
process.send_signal(signal.Signals[sys.argv[2]])
status = process.wait()
wait_for(log, "reset")
print("status", status)
