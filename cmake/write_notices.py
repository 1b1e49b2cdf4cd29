#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what third_party/components.json says into two files to install.

THIRD_PARTY_NOTICES has the copyright lines and licence texts of all that is
linked into some parts of minic, by default its tools and its runtime;
minic.spdx.json has the same as an SPDX 2.3 document. Versions are those of the
packages of this machine, Debian's or Python's.

Usage: write_notices.py MINIC_VERSION OUTPUT_FOLDER [tools|runtime|python]...
"""

import datetime
import hashlib
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENSES = ROOT / "third_party" / "licenses"
# Named in an expression, but what ships does not have to carry the text.
WITHOUT_TEXT = {
    "GPL-3.0-or-later": "linked as its exception allows",
    "LGPL-2.1-or-later": "linked as its exception allows",
    "CC0-1.0": "public domain",
    "blessing": "public domain",
}
# What each part is called, in an SPDX document and for people.
PARTS = {"tools": "minic-tools", "runtime": "libminic_runtime",
         "python": "minic-python-extension"}
TITLES = {"tools": "tools (T)", "runtime": "runtime (R)",
          "python": "Python extension (P)"}


def package_version(component):
    """The version, without what Debian adds; None where nobody knows it."""
    if "distribution" in component:
        try:
            return importlib.metadata.version(component["distribution"])
        except importlib.metadata.PackageNotFoundError:
            return None
    if "package" not in component:
        return component.get("version")
    try:
        found = subprocess.run(
            ["dpkg-query", "-W", "-f=${Version}", component["package"]],
            capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return re.match(r"(?:\d+:)?(\d+(?:\.\d+)*)", found)[1]


def identifiers(expression):
    return [word for word in re.split(r"[()\s]+", expression)
            if word and word not in ("AND", "OR", "WITH")]


def license_text(identifier):
    if identifier == "Apache-2.0":
        return (ROOT / "LICENSE").read_text()
    return (LICENSES / f"{identifier}.txt").read_text()


def notices(components, parts):
    titles = " and its ".join(TITLES[part] for part in parts)
    lines = [f"Parts of other projects are linked into minic's {titles}.",
             "Their licences follow this list.", ""]
    used = []
    for component in components:
        marks = ", ".join(part[0].upper() for part in component["parts"]
                          if part in parts)
        lines.append(f"{component.get('what', component['name'])} ({marks})")
        lines.append(f"    {component['homepage']}")
        lines.append(f"    {component['license']}")
        for line in component["copyright"]:
            lines.append(f"    Copyright: {line}")
        lines.append("")
        for identifier in identifiers(component["license"]):
            if identifier not in used:
                used.append(identifier)
    for identifier in used:
        lines.append("=" * 72)
        if identifier in WITHOUT_TEXT:
            lines.append(f"{identifier}: {WITHOUT_TEXT[identifier]}; "
                         f"https://spdx.org/licenses/{identifier}.html")
        else:
            lines += [identifier, "", license_text(identifier).rstrip()]
        lines.append("")
    return "\n".join(lines)


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name)


def spdx_package(name, version, license_expression, homepage, copyright_text):
    package = {
        "SPDXID": spdx_id(name),
        "name": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license_expression,
        "licenseDeclared": license_expression,
        "copyrightText": copyright_text,
    }
    if version:
        package["versionInfo"] = version
    if homepage:
        package["homepage"] = homepage
    return package


def spdx(components, parts, minic_version):
    packages, relations = [], []
    for part in parts:
        packages.append(spdx_package(PARTS[part], minic_version, "Apache-2.0",
                                     None, "the minic authors"))
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES",
                          packages[-1]["SPDXID"]))
    for component in components:
        package = spdx_package(
            component["name"], package_version(component), component["license"],
            component["homepage"], "\n".join(component["copyright"]))
        packages.append(package)
        relations += [(spdx_id(PARTS[part]), "STATIC_LINK",
                       package["SPDXID"]) for part in component["parts"]
                      if part in parts]
    # The same packages give the same name; a release sets SOURCE_DATE_EPOCH.
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(
        int(os.environ.get("SOURCE_DATE_EPOCH", 0)) or
        datetime.datetime.now().timestamp(), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"minic-{minic_version}",
        "documentNamespace":
            f"https://spdx.org/spdxdocs/minic-{minic_version}-{digest[:32]}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: minic-write_notices-{minic_version}"],
        },
        "packages": packages,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind,
             "relatedSpdxElement": other} for one, kind, other in relations],
    }


def main():
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    parts = sys.argv[3:] or ["tools", "runtime"]
    listed = json.loads(
        (ROOT / "third_party" / "components.json").read_text())["components"]
    components = [component for component in listed
                  if not set(parts).isdisjoint(component["parts"])]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "THIRD_PARTY_NOTICES").write_text(notices(components, parts))
    (folder / "minic.spdx.json").write_text(
        json.dumps(spdx(components, parts, version), indent=2) + "\n")


if __name__ == "__main__":
    main()
