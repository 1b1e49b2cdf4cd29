# SPDX-License-Identifier: Apache-2.0
"""The worker's side of pool.py: requests come in and answers go out, a line of
JSON each."""

import json
import os
import traceback


def first_line(exception):
    lines = str(exception).strip().splitlines()
    return f"{type(exception).__name__}: {lines[0][:200] if lines else '?'}"


def answer_requests(session):
    """Calls session.do_NAME for {"do": NAME, ...} until no request is left."""
    # Requests and answers are this process's alone: whatever else is printed,
    # by compilers too, goes to the log, and nobody else finds input.
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for line in requests:
        request = json.loads(line)
        try:
            reply = {"ok": getattr(session, "do_" + request.pop("do"))(
                **request)}
        except Exception as exception:
            traceback.print_exc()
            reply = {"error": first_line(exception)}
        print(json.dumps(reply), file=answers, flush=True)
