#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the tools, stripped, moves the tree, and compiles, tunes, checks and
# times a model with nothing but it: tools find each other in their own folder.
# Usage: check_tools.sh BUILD_DIR
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache

cmake --install "$build" --strip --component tools \
  --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix"
bin=$work/prefix/bin
for tool in minic minic-bench minic-opt minic-run minic-tune minic-worker; do
  [ -x "$bin/$tool" ] || { echo "check_tools: no $tool installed" >&2; exit 1; }
  if readelf -S "$bin/$tool" | grep -q '\.symtab'; then
    echo "check_tools: $tool is not stripped" >&2
    exit 1
  fi
done

cat >"$work/model.mlir" <<'MLIR'
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.relu %x : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
MLIR
cd "$work"
run() { env PATH=/usr/bin:/bin "$bin/$@" || { echo "check_tools: $*" >&2; exit 1; }; }
run minic --version
run minic --mode=max-autotune --tune-budget=2s model.mlir
run minic explain model.minic | grep 'chosen by tuned' >/dev/null
run minic-tune list | grep '^1 problems' >/dev/null
run minic-run model.minic --check
run minic-bench model.minic --rounds=3 >/dev/null
run minic-opt --graph-check-supported model.mlir >/dev/null
echo "installed tools: ok"
