# SPDX-License-Identifier: Apache-2.0
"""What switches of fusion and layouts do to a plan, and whether it computes right.

    fuse_switches.py MODEL MODE [SWITCH...]

Compiles MODEL in MODE, once as it is and once for each SWITCH ("A+B" for two at
once), and prints how many fusions and launches there are, which fusions are new, and
what minic-run --check says of the result.
"""

import json
import subprocess
import sys

model, mode, *switches = sys.argv[1:]


def compiled(switch):
    options = ["--" + each for each in switch.split("+")] if switch else []
    subprocess.run(["minic", model, "-o", "plan.minic", "--threads=1",
                    "--tune-db=t.db", "--tune-budget=2s", "--log=none",
                    "--mode=" + mode, *options], check=True, capture_output=True)
    said = subprocess.run(["minic", "explain", "plan.minic", "--json"],
                          check=True, capture_output=True, text=True).stdout
    variant, = json.loads(said)["functions"][0]["variants"]
    fusions = variant["evidence"]["fusions"]
    check = subprocess.run(["minic-run", "plan.minic", "--check"],
                           capture_output=True, text=True)
    return ([f["fusion"].split("(")[0] for f in fusions],
            [f["implementation"] for f in fusions],
            "right" if check.returncode == 0 else "WRONG: " + check.stdout)


plain, implementations, right = compiled("")
print(f"nothing off: {len(plain)} fusions, {right}")
for switch in switches:
    names, others, right = compiled(switch)
    new = [name for name in names if name not in plain]
    changed = "other kernels, " if others != implementations else ""
    print(f"{switch}: {len(names)} fusions, {changed}{right}:", *new)
