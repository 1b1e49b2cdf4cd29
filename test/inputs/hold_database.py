# SPDX-License-Identifier: Apache-2.0
"""Runs a command while another process holds a tuning database.

hold_database.py DATABASE SECONDS COMMAND...

Holds an exclusive transaction for SECONDS, or until the command is done, and
exits with the command's status.
"""

import sqlite3
import subprocess
import sys

database, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
db = sqlite3.connect(database, isolation_level=None)
# In WAL mode readers do not wait for a writer; a recovery of the log, say,
# keeps everybody out.
db.execute("PRAGMA locking_mode = EXCLUSIVE")
db.execute("BEGIN EXCLUSIVE")
db.execute("CREATE TABLE IF NOT EXISTS held(x)")
process = subprocess.Popen(command)
try:
    process.wait(timeout=seconds)
except subprocess.TimeoutExpired:
    pass
db.execute("ROLLBACK")
db.close()
sys.exit(process.wait())
