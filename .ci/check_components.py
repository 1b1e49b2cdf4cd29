#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that third_party/components.json lists all that ships.

The linker records its inputs in BUILD/linked, Ninja the headers of each object.
Every one that is not minic's has to belong to a component, with the right part,
or to what is known not to ship. A component that nothing uses fails too.

Usage: check_components.py BUILD_DIR   of minic, or of its Python extension
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Targets of other parts than the tools.
RUNTIME, EXTENSION = "minic_runtime_shared", "_runtime"
PARTS = {RUNTIME: "runtime", EXTENSION: "python"}


def to_regex(pattern):
    """`*` stays within a folder, `**` does not."""
    return re.compile("".join(
        {"**": ".*", "*": "[^/]*"}.get(piece, re.escape(piece))
        for piece in re.split(r"(\*\*|\*)", pattern)))


class Components:
    def __init__(self, data):
        self.patterns = [(to_regex(pattern), component)
                         for component in data["components"]
                         for pattern in component["files"]]
        self.ignored = [to_regex(pattern)
                        for patterns in data["not_in_what_ships"].values()
                        for pattern in patterns]
        self.ignored_packages = set(data["packages_not_in_what_ships"])

    def of(self, path):
        return next((component for regex, component in self.patterns
                     if regex.fullmatch(path)), None)

    def is_ignored(self, path):
        return any(regex.fullmatch(path) for regex in self.ignored)

    def owned_by_ignored(self, paths):
        """Those that Debian's packages of the C library bring."""
        found = subprocess.run(["dpkg-query", "-S", *paths], text=True,
                               capture_output=True, check=False).stdout
        owned = set()
        for line in found.splitlines():
            packages, _, path = line.rpartition(": ")
            if any(package.split(":")[0] in self.ignored_packages
                   for package in packages.split(", ")):
                owned.add(path)
        return owned


def linked_files(build):
    """{target: its inputs}, as the linker wrote them."""
    linked = {}
    for record in (build / "linked").glob("*.d"):
        rule = record.read_text().split("\n\n")[0]
        inputs = rule.partition(":")[2].replace("\\\n", " ").split()
        linked[record.stem] = inputs
    return linked


def headers_of_objects(build):
    """{object: its headers}, relative to the build folder or absolute."""
    out = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], text=True,
                         capture_output=True, check=True).stdout
    headers, current = {}, None
    for line in out.splitlines():
        if line.startswith("    "):
            headers[current].append(line.strip())
        elif "#deps" in line:
            current = line.partition(":")[0]
            headers[current] = []
    return headers


@functools.cache
def normalized(path, build):
    """Relative to the source where it lies there; None for minic's own."""
    path = pathlib.Path(os.path.normpath(build / path))
    if path.is_relative_to("/lib"):
        path = pathlib.Path(f"/usr{path}")
    for base in (build, ROOT):
        if path.is_relative_to(base):
            inner = str(path.relative_to(base))
            if inner.startswith("third_party/") and not inner.endswith((".o", ".a")):
                return inner
            return str(path) if inner.startswith(".venv/") else None
    return str(path)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    data = json.loads((ROOT / "third_party" / "components.json").read_text())
    components = Components(data)
    linked = linked_files(build)
    if EXTENSION not in linked and not {RUNTIME, "minic-run"} <= set(linked):
        sys.exit(f"check_components: {build}/linked: expected records of "
                 f"{RUNTIME} and minic-run, or of {EXTENSION}, got "
                 f"{sorted(linked)}")
    runtime_objects = set(linked.get(RUNTIME, []))
    part_of_all = "python" if EXTENSION in linked else "tools"

    used = {}  # path: parts
    for target, inputs in linked.items():
        for path in inputs:
            used.setdefault(normalized(path, build), set()).add(
                PARTS.get(target, "tools"))
    for name, headers in headers_of_objects(build).items():
        if name.startswith("test/") or "test_headers" in name:
            continue
        parts = {part_of_all} | (
            {"runtime"} if name in runtime_objects else set())
        for path in headers:
            used.setdefault(normalized(path, build), set()).update(parts)
    used.pop(None, None)

    errors, unknown, seen, wrong = set(), [], set(), {}
    for path, parts in sorted(used.items()):
        component = components.of(path)
        if component:
            seen.add(component["name"])
            for part in parts - set(component["parts"]):
                wrong.setdefault((component["name"], part), path)
        elif not components.is_ignored(path):
            unknown.append(path)
    errors.update(f"{name}: '{part}' is not among its parts, but {path} is used "
                  "there" for (name, part), path in wrong.items())
    owned = components.owned_by_ignored(unknown) if unknown else set()
    errors.update(f"{path}: belongs to no component"
                  for path in unknown if path not in owned)
    # A build without the compiler does not show what the others use.
    shown = {"python"} if EXTENSION in linked else {"tools", "runtime"}
    if EXTENSION in linked or "minic" in linked:
        errors.update(f"{component['name']}: nothing that ships uses it"
                      for component in data["components"]
                      if component["name"] not in seen
                      and not shown.isdisjoint(component["parts"]))
    for error in sorted(errors)[:20]:
        print(f"check_components: third_party/components.json: {error}",
              file=sys.stderr)
    print(f"components: {len(used)} files of {len(seen)} components in "
          f"{len(linked)} programs and libraries")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
