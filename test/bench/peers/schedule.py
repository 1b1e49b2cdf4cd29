# SPDX-License-Identifier: Apache-2.0
"""Brings all peers to where they can be measured, side by side where that
disturbs nothing: what chooses by measuring on the GPU ("tunes") does so alone,
first calls wait until all is compiled."""

import time

import pool

LOAD_S = 40          # first calls, comparison, capture
COMPILE_SHARE = 0.6  # of the time there is, for one peer at most


class Schedule:
    def __init__(self, peers, deadline, limit, say):
        """`peers`: peers.Peer with a worker each. Those that fail get
        `missing`."""
        self.peers = peers
        self.deadline, self.limit, self.say = deadline, limit, say
        self.todo = {peer.name: list(peer.steps) for peer in peers}
        self.busy = {}  # name: step

    def run(self):
        while True:
            for peer in self.alive():
                steps = self.todo[peer.name]
                if (peer.name not in self.busy and steps
                        and self.may_start(peer, steps[0])):
                    peer.worker.send(steps[0])
                    self.busy[peer.name] = steps.pop(0)
            waiting = [p for p in self.alive() if p.name in self.busy]
            if not waiting and not any(self.todo[p.name]
                                       for p in self.alive()):
                return
            pool.wait_for_any([p.worker for p in waiting],
                              self.next_deadline(waiting) - time.monotonic())
            self.collect(waiting)

    def alive(self):
        return [p for p in self.peers if not p.missing]

    def left(self, step):
        """Peers that have not finished `step`."""
        return [p for p in self.alive() if step in self.todo[p.name]
                or self.busy.get(p.name) == step]

    def may_start(self, peer, step):
        if step == "load":
            return not self.left("compile")
        if step != "compile":
            return True
        if any(p.name in peer.after for p in self.left("compile")):
            return False
        return not (peer.tunes and any(
            self.busy.get(p.name) == "compile" and p.tunes
            for p in self.alive()))

    def step_seconds(self, peer):
        """How long what the peer does may take, if the deadline is later."""
        return {"import": self.limit, "load": LOAD_S,
                "compile": COMPILE_SHARE * self.limit}[self.busy[peer.name]]

    def step_deadline(self, peer):
        return peer.worker.sent + self.step_seconds(peer)

    def next_deadline(self, waiting):
        times = [self.step_deadline(p) for p in waiting]
        if self.left("import") or self.left("compile"):
            times.append(self.deadline)
        return min(times)

    def collect(self, waiting):
        for peer in waiting:
            step = self.busy[peer.name]
            late = time.monotonic() >= self.step_deadline(peer)
            if not peer.worker.has_answer() and not late:
                continue
            try:
                reply = peer.worker.answer(self.step_seconds(peer))
            except pool.Failure as failure:
                self.fail(peer, str(failure))
                continue
            del self.busy[peer.name]
            seconds = time.monotonic() - peer.worker.sent
            peer.seconds[step] = seconds
            if step == "load":
                peer.loaded = reply
                self.say(f"ready: {peer.name}: " + ", ".join(
                    f"{s} {t:.1f} s" for s, t in peer.seconds.items()))
        if time.monotonic() >= self.deadline:
            for peer in self.left("import") + self.left("compile"):
                if not peer.missing:
                    self.fail(peer, f"over {self.limit:g} s")

    def fail(self, peer, why):
        self.busy.pop(peer.name, None)
        peer.worker.close()
        peer.missing = why
        self.say(f"not run: {peer.name}: {why}")
