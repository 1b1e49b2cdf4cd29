# SPDX-License-Identifier: Apache-2.0
"""Holds fit_corrections.py to a table of features: check_features.py TABLE."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import fit_corrections  # noqa: E402

cases = json.loads(pathlib.Path(sys.argv[1]).read_text())
for case in cases:
    numbers, words = fit_corrections.schedule_of(
        f"schedule = {case['schedule']}>")
    sizes, family = case["sizes"], case["family"]
    group = fit_corrections.group_of(family, sizes, words)
    found = {name: round(value, 6) for name, value in
             fit_corrections.features_of(sizes, family, numbers, words,
                                         case["estimate_us"]).items()}
    if (group, found) != (case["group"], case["features"]):
        sys.exit(f"{case['schedule']}: {group} {found}")
print(f"{len(cases)} cases agree")
