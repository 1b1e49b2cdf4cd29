# SPDX-License-Identifier: Apache-2.0
"""Rewrites a tuning export: set_verdicts.py FROM TO tuned|default|none.

Which plan ships by the verdicts on plans, or no verdict at all.
"""

import json
import sys

source, target, ships = sys.argv[1:]
with open(source) as file:
    export = json.load(file)
if ships == "none":
    export["verdicts"] = []
for verdict in export["verdicts"]:
    if "#" not in verdict["plan"]:
        verdict["tuned_ships"] = ships == "tuned"
with open(target, "w") as file:
    json.dump(export, file)
