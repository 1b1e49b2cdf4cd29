#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a tuning minic with SIGKILL at random moments and looks at what is left.

kill_while_tuning.py FOLDER MODEL [--kills=N] [--seed=N]

After every kill: nothing at the output path, or the artifact that was there,
unchanged, or, killed in its last moments, a whole new one; no process of minic's
that outlives it; a database that SQLite finds intact. After the next run: no
temporary file anywhere.
"""

import argparse
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import time

# Longest that dying children may take to be gone.
PATIENCE = 10


def children_of(pid):
    """Pids of all living descendants of a process."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # gone meanwhile
        parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        for child in parents.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def lives(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text()
        program = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False
    state = fields.rsplit(")", 1)[1].split()[0]
    return state not in "ZX" and "minic" in os.path.basename(program)


def expect(condition, what):
    if not condition:
        sys.exit(f"kill_while_tuning: {what}")


def runs(artifact):
    return subprocess.run(["minic-run", str(artifact), "--check"],
                          capture_output=True).returncode == 0


class Place:
    """A folder with a model, its output, its database and its scratch."""

    def __init__(self, folder, model):
        self.folder = folder
        self.model = model
        self.output = folder / "model.minic"
        self.database = folder / "tuning.db"
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        # Scratch of this run alone, apart from what else runs on the machine.
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(self.scratch),
                                TMPDIR=str(self.scratch),
                                MINIC_LOCK_DIR=str(folder))

    def command(self, *options):
        return ["minic", *options, "--threads=1", f"--tune-db={self.database}",
                str(self.model), "-o", str(self.output)]

    def run(self, *options):
        done = subprocess.run(self.command(*options), env=self.environment,
                              capture_output=True, text=True)
        expect(done.returncode == 0,
               f"{done.args} exited with {done.returncode}: {done.stderr}")
        return done

    def temporary_files(self):
        left = [path for path in self.scratch.iterdir()
                if path.name.startswith("minic-") and path.suffix != ".lock"]
        return left + [path for path in self.folder.iterdir()
                       if "minic-part" in path.name or "probe" in path.name]

    def check_database(self):
        if not self.database.exists():
            return 0
        with sqlite3.connect(self.database) as db:
            verdict = db.execute("PRAGMA integrity_check").fetchall()
            expect(verdict == [("ok",)], f"database: {verdict}")
            tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            rows = (db.execute("SELECT count(*) FROM row").fetchone()[0]
                    if tables[0] else 0)
        db.close()
        return rows


def kill_once(place, seconds, before):
    """Kills a run after `seconds`; False where it was done before."""
    process = subprocess.Popen(
        place.command("--mode=max-autotune", "--retune"), env=place.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    # Stopped first, so that it starts no child between being asked and killed. It
    # goes on for a moment after the signal was sent, so wait until it has stopped.
    process.send_signal(signal.SIGSTOP)
    if process.returncode is None:
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    family = children_of(process.pid)
    process.kill()
    killed = process.wait() == -signal.SIGKILL
    deadline = time.monotonic() + PATIENCE
    while any(map(lives, family)) and time.monotonic() < deadline:
        time.sleep(0.02)
    expect(not any(map(lives, family)),
           f"processes outlive the killed minic: {[*filter(lives, family)]}")
    rows = place.check_database()
    print(f"after {seconds:.2f} s: {'killed' if killed else 'was done'}, "
          f"{len(family)} children, {rows} rows, "
          f"{len(place.temporary_files())} temporary files")
    if killed:
        after = place.output.read_bytes() if place.output.exists() else None
        expect(after == before or runs(place.output), "a torn file at the output")
    return killed, family


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    place = Place(arguments.folder, arguments.model)

    # How long one run takes here, now; kills fall anywhere in it.
    start = time.monotonic()
    place.run("--mode=max-autotune")
    whole = time.monotonic() - start
    artifact = place.output.read_bytes()
    expect(not place.temporary_files(), f"left: {place.temporary_files()}")

    kills = with_children = 0
    for i in range(arguments.kills):
        # Without and with an artifact of before.
        before = artifact if i % 2 else None
        place.output.unlink(missing_ok=True)
        if before:
            place.output.write_bytes(before)
        seconds = generator.uniform(0.02, 1.0) * whole
        killed, family = kill_once(place, seconds, before)
        if not killed:
            whole = seconds  # the first run was slower than those after it
        kills += killed
        with_children += bool(family)
        # The mode that tunes nothing sweeps as well.
        place.run()
        expect(not place.temporary_files(), f"left: {place.temporary_files()}")
    expect(kills > 0 and with_children > 0,
           f"{kills} kills, {with_children} with children: all too late")
    place.run("--mode=max-autotune")
    place.check_database()
    expect(runs(place.output), "the artifact after all kills is wrong")
    print(f"{kills} kills survived")


main()
