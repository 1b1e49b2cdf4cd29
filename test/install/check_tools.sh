#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the archive that ships, unpacks it, and compiles, tunes, checks and times
# a model with nothing but it: tools find each other in their own folder, and
# live without a network. Its binaries run on old machines, its notices are there.
# Usage: check_tools.sh BUILD_DIR
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
fail() { echo "check_tools: $*" >&2; exit 1; }

cpack --config "$build/CPackConfig.cmake" -B "$work" >"$work/cpack.log" ||
  { cat "$work/cpack.log" >&2; fail "cpack failed"; }
tar -C "$work" -xf "$work"/minic-*.tar.gz
prefix=$(echo "$work"/minic-*/)
bin=${prefix}bin
for tool in minic minic-bench minic-opt minic-run minic-tune minic-worker; do
  [ -x "$bin/$tool" ] || fail "no $tool in the archive"
  ! readelf -S "$bin/$tool" | grep -q '\.symtab' || fail "$tool is not stripped"
done
"$here/../../.ci/check_shipped.py" "$prefix"
notices=${prefix}share/licenses/minic
test -f "$notices/LICENSE"
grep -q '^LLVM, MLIR and lld (T)$' "$notices/THIRD_PARTY_NOTICES"
python3 - "$notices/minic.spdx.json" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
versions = {p["name"]: p.get("versionInfo") for p in document["packages"]}
assert document["spdxVersion"] == "SPDX-2.3" and versions["LLVM"], versions
PYTHON

cat >"$work/model.mlir" <<'MLIR'
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.relu %x : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
MLIR
cd "$work"
offline=$here/without_network.py
# What opens a socket dies under it; else it would show nothing.
if "$offline" python3 -c 'import socket; socket.socket()' 2>"$work/killed"; then
  fail "without_network.py let a program open a socket"
fi
unset MINIC_SHIPPED_DB
run() { env PATH=/usr/bin:/bin "$offline" "$bin/$@" || fail "$*: exit $?"; }
run minic --version
run minic --mode=max-autotune --tune-budget=2s model.mlir
run minic explain model.minic | grep 'chosen by tuned' >/dev/null
run minic inspect model.minic >/dev/null
# Shipped records are found from the tools' folder.
run minic --target=cuda --device-profile=h200 --log=perf-hints \
  --compile-to=fuse model.mlir 2>&1 >/dev/null |
  grep 'minic has records of NVIDIA H200' >/dev/null
run minic devices >/dev/null
run minic-tune list | grep '^1 problems' >/dev/null
run minic-run model.minic --check
run minic-bench model.minic --rounds=3 >/dev/null
run minic-opt --graph-check-supported model.mlir >/dev/null
echo "installed tools: ok"
