#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes both wheels, installs them into an environment of their own and runs the
# examples of docs/python.md with the compiler of the wheel.
# Usage: check_wheels.sh BUILD_DIR
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
"$here/environment.sh" "$build" --compiler
bin=$build/python/venv/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
unset MINIC_COMPILER MINIC_SHIPPED_DB
# No other minic is found.
export PATH=/usr/bin:/bin

# On any Linux of docs/support.md, and with notices of all that is linked in.
site=$(echo "$build"/python/venv/lib/python3*/site-packages)
"$here/../../.ci/check_shipped.py" "$site/minic" "$site/minic_compiler"
"$here/../../.ci/check_components.py" "$build/python/extension"
for folder in minic/licenses minic/licenses/extension minic_compiler/licenses; do
  test -s "$site/$folder/THIRD_PARTY_NOTICES"
done
test -s "$site/minic_compiler/licenses/LICENSE"
grep -q '^nanobind (P)$' "$site/minic/licenses/extension/THIRD_PARTY_NOTICES"
"$bin/python" - "$site" <<'PYTHON'
import json, pathlib, sys
names = {"minic/licenses": "Abseil", "minic/licenses/extension": "nanobind",
         "minic_compiler/licenses": "LLVM"}
for folder, name in names.items():
    document = json.loads(
        pathlib.Path(sys.argv[1], folder, "minic.spdx.json").read_text())
    versions = {p["name"]: p.get("versionInfo") for p in document["packages"]}
    assert versions[name], (folder, versions)
PYTHON

"$bin/python" "$here/test_tutorial.py"
cat >"$work/model.mlir" <<'MLIR'
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.relu %x : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
MLIR
cd "$work"
"$bin/minic" --version
"$bin/minic" --mode=max-autotune --tune-budget=2s model.mlir >/dev/null 2>&1
"$bin/minic-run" model.minic --check
"$bin/minic" --target=cuda --device-profile=h200 --log=perf-hints \
  --compile-to=fuse model.mlir 2>&1 >/dev/null |
  grep 'minic has records of NVIDIA H200' >/dev/null
"$bin/minic-tune" list | grep '^1 problems' >/dev/null
"$bin/minic-bench" model.minic --rounds=3 >/dev/null
if "$bin/minic" nonsense.onnx 2>error; then
  echo "check_wheels: a missing model was accepted" >&2
  exit 1
fi
grep -q '^minic: error: ' error
echo "wheels: ok"
