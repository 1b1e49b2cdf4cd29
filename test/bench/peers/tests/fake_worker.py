# SPDX-License-Identifier: Apache-2.0
"""Speaks as worker.py does, without a GPU. fake_worker.py LOG NAME US [FAULT]
notes each step's begin and end in LOG; US is each figure; FAULT is what goes
wrong: STEP:crash, STEP:hang, STEP:error, STEP:exit, STEP:garbage."""

import json
import os
import signal
import sys
import time

LOG, NAME, US = sys.argv[1], sys.argv[2], float(sys.argv[3])
STEP, _, FAULT = (sys.argv[4] if len(sys.argv) > 4 else "").partition(":")
SAMPLES_BEFORE = 9  # of a fault while sampling


def note(what):
    with open(LOG, "a") as log:
        log.write(f"{time.monotonic()} {NAME} {what}\n")


def fail():
    if FAULT == "crash":
        print("an illegal address", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if FAULT == "exit":
        sys.exit(3)
    if FAULT == "hang":
        time.sleep(1000)
    if FAULT == "garbage":
        print("Segmentation fault (not JSON)", flush=True)
    if FAULT == "error":
        print(json.dumps({"error": "ValueError: wrong: error 3.00e-01"}),
              flush=True)


samples = 0
for line in sys.stdin:
    request = json.loads(line)
    step = request["do"]
    note(f"begin {step}")
    samples += step == "sample"
    if step == STEP and (step != "sample" or samples > SAMPLES_BEFORE):
        fail()
        continue
    time.sleep(0.05 if step != "sample" else 0.001)
    reply = None
    if step == "compile":
        reply = "as noted"
    if step == "load":
        reply = {"error": 1e-3, "note": "", "device": "fake", "seconds": 1.0,
                 "version": "1.2"}
    if step == "sample" and "kind" not in request:  # of the CPU's benchmark
        reply = {"us": [US] * request["n"], "cpu_us": 2 * US}
    elif step == "sample" and not (request["kind"] == "device" and US > 100):
        reply = US * (1 + 0.01 * (samples % 3))
    note(f"end {step}")
    print(json.dumps({"ok": reply}), flush=True)
