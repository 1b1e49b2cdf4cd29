# SPDX-License-Identifier: Apache-2.0
"""Rewrites a tuning export: set_verdicts.py FROM TO tuned|default|none [WAY].

Which plan ships by the verdicts on plans, or no verdict at all. WAY graph or
when-idle: how it runs, by figures of an MLP on an H200; then also what changed
pointers cost.
"""

import copy
import json
import sys

#: Back to back and one call, in microseconds.
FIGURES = {"graph": (9.25, 14.0), "when-idle": (8.08, 14.0)}
STREAM = (8.08, 15.7)
#: Of changed pointers, against launching them and against the same ones.
CHANGED = {"pointers": ((14.0, 35.0), (12.0, 31.0)),
           "update": ((70.0, 80.0), (9.0, 20.0))}


def figure(us, stream):
    """One of both, as little noisy as on an H200."""
    return {"tuned_us": us, "default_us": stream, "ratio": us / stream,
            "ratio_low": us / stream - 0.004, "ratio_high": us / stream + 0.004}


source, target, ships, *way = sys.argv[1:]
with open(source) as file:
    export = json.load(file)
if ships == "none":
    export["verdicts"] = []
for verdict in export["verdicts"]:
    if "#" not in verdict["plan"]:
        verdict["tuned_ships"] = ships == "tuned"
    name = verdict["plan"].partition("#")[2]
    if way and name in FIGURES:
        verdict["tuned_ships"] = name == way[0]
        for kind, us, stream in zip(("back_to_back", "call"), FIGURES[name],
                                    STREAM):
            verdict[kind] = figure(us, stream)
        verdict["reason"] = "so be it"
if way:
    graphs = [verdict for verdict in export["verdicts"]
              if verdict["plan"].endswith("#graph")]
    export["verdicts"] = [verdict for verdict in export["verdicts"]
                          if verdict["plan"].partition("#")[2] not in CHANGED]
    for graph in graphs:
        for name, (changed, other) in CHANGED.items():
            verdict = copy.deepcopy(graph)
            verdict["plan"] = graph["plan"].replace("#graph", "#" + name)
            verdict["back_to_back"], verdict["call"] = map(figure, changed,
                                                           other)
            verdict["tuned_ships"] = False
            export["verdicts"].append(verdict)
with open(target, "w") as file:
    json.dump(export, file)
