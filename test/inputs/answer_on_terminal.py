# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal of its own, answers its first question, and
prints what it wrote and its exit status.

    answer_on_terminal.py ANSWER COMMAND...
"""

import os
import pty
import sys

CHUNK_BYTES = 4096
answer, command = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
written, is_answered = b"", False
while True:
    try:
        more = os.read(terminal, CHUNK_BYTES)
    except OSError:  # it has ended
        more = b""
    if not more:
        break
    written += more
    if not is_answered and b"? [" in written:
        os.write(terminal, answer.encode() + b"\n")
        is_answered = True
_, status = os.waitpid(child, 0)
print(written.decode().replace("\r\n", "\n"))
print("exit status", os.waitstatus_to_exitcode(status))
